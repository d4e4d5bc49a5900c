// Steps and differences on the configuration space: formula sheet 0.3, last column, carried to finite steps.
#include "catena/kinematics/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "catena/model/formatted.hpp"
#include "catena/model/random.hpp"
#include "catena/model/tree.hpp"

namespace catena {
namespace {

using Quaternion = Eigen::Vector4d;  // (x, y, z, w); passed by value only inside this file

Quaternion multiply(const Quaternion& a, const Quaternion& b) {
  const Vector3 u = a.head<3>(), v = b.head<3>();
  Quaternion c;
  c.head<3>() = a[3] * v + b[3] * u + u.cross(v);
  c[3] = a[3] * b[3] - u.dot(v);
  return c;
}
Quaternion conjugate(const Quaternion& a) { return {-a[0], -a[1], -a[2], a[3]}; }
Vector3 rotate(const Quaternion& a, const Vector3& x) {
  const Vector3 u = a.head<3>(), t = 2 * u.cross(x);
  return x + a[3] * t + u.cross(t);
}

Quaternion exponential(const Vector3& rotation_vector) {
  const double angle = rotation_vector.norm();
  const double half = 0.5 * angle;
  const double k = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(half) / angle;
  Quaternion q;
  q.head<3>() = k * rotation_vector;
  q[3] = std::cos(half);
  return q;
}

Vector3 logarithm(Quaternion q) {
  if (q[3] < 0) q = -q;  // the shorter way round
  const double sine = q.head<3>().norm();
  const double k = sine < 1e-5 ? 2 / q[3] * (1 - sine * sine / (3 * q[3] * q[3])) : 2 * std::atan2(sine, q[3]) / sine;
  return k * q.head<3>();
}

// p = integral of exp(w s) v over s in [0, 1]
Vector3 screw_translation(const Vector3& w, const Vector3& v) {
  const double angle = w.norm(), square = angle * angle;
  const double a = angle < 1e-3 ? 0.5 - square / 24 : (1 - std::cos(angle)) / square;
  const double b = angle < 1e-3 ? 1.0 / 6 - square / 120 : (angle - std::sin(angle)) / (square * angle);
  return v + a * w.cross(v) + b * w.cross(w.cross(v));
}

// the v with screw_translation(w, v) = p
Vector3 screw_velocity(const Vector3& w, const Vector3& p) {
  const double angle = w.norm(), square = angle * angle;
  const double c = angle < 1e-3 ? 1.0 / 12 + square / 720 : 1 / square - 0.5 / (angle * std::tan(0.5 * angle));
  return p - 0.5 * w.cross(p) + c * w.cross(w.cross(p));
}

template <class V>
Quaternion quaternion_at(const V& q, int index) {
  return q.template segment<4>(index).normalized();
}

}  // namespace

Vector neutral_configuration(const Model& model) {
  Vector q = Vector::Zero(model.nq());
  const Description& robot = model.description();
  for (const Coordinate& c : model.coordinates()) {
    if (c.type == JointType::spherical || c.type == JointType::free) q[c.q + c.nq - 1] = 1;
    if (c.nq != 1) continue;
    const Limits& limits = robot.joints[c.index].limits;
    if (limits.lower <= limits.upper) q[c.q] = std::clamp(0.0, limits.lower, limits.upper);
  }
  return q;
}

namespace {

// A range to draw from: within the limits, and where they say nothing (none, or the ends of the numbers, as rotors have
// in public files) within +-reach, or that far from the limit nearest to zero.
std::pair<double, double> drawn_range(double lower, double upper, double reach) {
  constexpr double most_reaches = 200;  // 100 turns, 200 m
  if (!std::isfinite(lower)) lower = upper > -reach ? -reach : upper - reach;
  if (!std::isfinite(upper)) upper = lower < reach ? reach : lower + reach;
  if (upper - lower <= most_reaches * reach) return {lower, upper};
  const double middle = std::clamp(0.0, lower, upper);
  return {std::max(lower, middle - reach), std::min(upper, middle + reach)};
}

}  // namespace

Vector random_configuration(const Model& model, std::uint64_t seed) {
  Random random(seed);
  Vector q(model.nq());
  const Description& robot = model.description();
  for (const Coordinate& c : model.coordinates()) {
    int k = c.q;
    if (c.type == JointType::free) {
      for (int i = 0; i < 3; ++i) q[k++] = random.between(-1, 1);
    }
    if (c.type == JointType::spherical || c.type == JointType::free) {
      q.segment<4>(k) = random.orientation().coeffs();
      continue;
    }
    const bool slides = c.type == JointType::prismatic;
    for (int i = 0; i < c.nq; ++i) {
      const bool angle = !slides && (i == 0 || c.type == JointType::universal);
      const double reach = angle ? std::numbers::pi : 1;
      const Limits& limits = robot.joints[c.index].limits;
      const bool bounded = c.nq == 1 && limits.lower <= limits.upper;
      const double unlimited = std::numeric_limits<double>::infinity();
      const auto [lower, upper] =
          bounded ? drawn_range(limits.lower, limits.upper, reach) : drawn_range(-unlimited, unlimited, reach);
      q[k++] = random.between(lower, upper);
    }
  }
  return q;
}

Vector random_vector(const Model& model, std::uint64_t seed, double scale) {
  Random random(seed);
  Vector v(model.nv());
  for (double& x : v) x = random.between(-scale, scale);
  return v;
}

Vector integrate(const Model& model, ConstVector q, ConstVector v) {
  Vector q_next(model.nq());
  integrate(model, q, v, q_next);
  return q_next;
}

void integrate(const Model& model, ConstVector q, ConstVector v, VectorRef q_next) {
  require_configuration(model, q);
  require_velocity(model, v, "v");
  if (q_next.size() != q.size()) throw std::invalid_argument("q_next must have nq numbers");
  for (const Coordinate& c : model.coordinates()) {
    switch (c.type) {
      case JointType::spherical: {
        const Quaternion step = exponential(v.segment<3>(c.v));
        q_next.segment<4>(c.q) = multiply(quaternion_at(q, c.q), step).normalized();
        break;
      }
      case JointType::free: {
        const Vector3 w = v.segment<3>(c.v);
        const Quaternion orientation = quaternion_at(q, c.q + 3);
        const Vector3 p = q.segment<3>(c.q) + rotate(orientation, screw_translation(w, v.segment<3>(c.v + 3)));
        q_next.segment<3>(c.q) = p;
        q_next.segment<4>(c.q + 3) = multiply(orientation, exponential(w)).normalized();
        break;
      }
      case JointType::planar: {
        const Vector3 p = screw_translation({0, 0, v[c.v]}, {v[c.v + 1], v[c.v + 2], 0});
        const double sine = std::sin(q[c.q]), cosine = std::cos(q[c.q]);
        const double x = q[c.q + 1] + cosine * p.x() - sine * p.y(), y = q[c.q + 2] + sine * p.x() + cosine * p.y();
        q_next[c.q] = q[c.q] + v[c.v];
        q_next[c.q + 1] = x;
        q_next[c.q + 2] = y;
        break;
      }
      default: q_next.segment(c.q, c.nq) = q.segment(c.q, c.nq) + v.segment(c.v, c.nv);
    }
  }
}

Vector difference(const Model& model, ConstVector q_from, ConstVector q_to) {
  Vector v(model.nv());
  difference(model, q_from, q_to, v);
  return v;
}

void difference(const Model& model, ConstVector q_from, ConstVector q_to, VectorRef v) {
  require_configuration(model, q_from);
  require_configuration(model, q_to);
  if (v.size() != model.nv()) throw std::invalid_argument("v must have nv numbers");
  for (const Coordinate& c : model.coordinates()) {
    switch (c.type) {
      case JointType::spherical: {
        const Quaternion a = quaternion_at(q_from, c.q), b = quaternion_at(q_to, c.q);
        v.segment<3>(c.v) = logarithm(multiply(conjugate(a), b));
        break;
      }
      case JointType::free: {
        const Quaternion a = quaternion_at(q_from, c.q + 3), b = quaternion_at(q_to, c.q + 3);
        const Vector3 w = logarithm(multiply(conjugate(a), b));
        const Vector3 p = rotate(conjugate(a), q_to.segment<3>(c.q) - q_from.segment<3>(c.q));
        v.segment<3>(c.v) = w;
        v.segment<3>(c.v + 3) = screw_velocity(w, p);
        break;
      }
      case JointType::planar: {
        const double turn = std::remainder(q_to[c.q] - q_from[c.q], 2 * std::numbers::pi);
        const double sine = std::sin(q_from[c.q]), cosine = std::cos(q_from[c.q]);
        const double dx = q_to[c.q + 1] - q_from[c.q + 1], dy = q_to[c.q + 2] - q_from[c.q + 2];
        const Vector3 u = screw_velocity({0, 0, turn}, {cosine * dx + sine * dy, cosine * dy - sine * dx, 0});
        v.segment<3>(c.v) << turn, u.x(), u.y();
        break;
      }
      default: v.segment(c.v, c.nv) = q_to.segment(c.q, c.nq) - q_from.segment(c.q, c.nq);
    }
  }
}

void normalize(const Model& model, VectorRef q) {
  for (const Coordinate& c : model.coordinates()) {
    if (c.type == JointType::spherical) q.segment<4>(c.q).normalize();
    if (c.type == JointType::free) q.segment<4>(c.q + 3).normalize();
  }
}

namespace {

void require_numbers(const Model& model, ConstVector x, Eigen::Index size, const char* name) {
  if (x.size() == size && x.squaredNorm() <= largest_input * largest_input) return;  // false for NaN
  const std::string what = name;
  if (x.size() != size) {
    throw std::invalid_argument(what + " has " + std::to_string(x.size()) + " numbers, " + model.name() + " needs " +
                                std::to_string(size));
  }
  const auto names = size == model.nq() && what == "q" ? model.position_names() : model.velocity_names();
  for (Eigen::Index k = 0; k < size; ++k) {
    if (!std::isfinite(x[k])) {
      throw std::invalid_argument(what + " is " + (std::isnan(x[k]) ? "not a number" : "infinite") + " at " +
                                  names[static_cast<std::size_t>(k)] + " (entry " + std::to_string(k) + ")");
    }
    if (std::abs(x[k]) > largest_input) {
      throw std::invalid_argument(
          formatted("{} is {:g} at {} (entry {}): beyond {:g}, where products overflow; check the number and its unit",
                    what, x[k], names[static_cast<std::size_t>(k)], k, largest_input));
    }
  }
}

}  // namespace

void require_configuration(const Model& model, ConstVector q) {
  require_numbers(model, q, model.nq(), "q");
  if (model.nq() == model.nv()) return;  // no quaternions
  for (const Coordinate& c : model.coordinates()) {
    if (c.type != JointType::spherical && c.type != JointType::free) continue;
    const double length = q.segment<4>(c.q + c.nq - 4).norm();
    if (!(std::abs(length - 1) <= 1e-6)) {
      throw std::invalid_argument("the quaternion (x, y, z, w) of joint " + c.joint + " has length " +
                                  std::to_string(length) + ", not 1: normalize it");
    }
  }
}

void require_velocity(const Model& model, ConstVector v, const char* what) {
  require_numbers(model, v, model.nv(), what);
}

void require_bounded(const Vector3& x, const std::string& what) {
  for (const double number : x) {
    if (!std::isfinite(number)) throw std::invalid_argument(what + " is not finite");
    if (std::abs(number) <= largest_input) continue;
    throw std::invalid_argument(
        formatted("{} is {:g}: beyond {:g}, where products overflow; check the number and its unit", what, number,
                  largest_input));
  }
}

}  // namespace catena
