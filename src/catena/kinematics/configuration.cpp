// Steps and differences on the configuration space: formula sheet 0.3, last column, carried to finite steps.
#include "catena/kinematics/configuration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <tuple>
#include <utility>

#include "catena/joints/joints.hpp"
#include "catena/kinematics/ranges.hpp"
#include "catena/model/formatted.hpp"
#include "catena/model/random.hpp"

namespace catena {
namespace {

// Where in q the joint's quaternion stands; -1: it has none.
int quaternion_of(const Coordinate& c) {
  const int place = facts_of(c.type).quaternion;
  return place < 0 ? -1 : c.q + place;
}

}  // namespace

Vector neutral_configuration(const Model& model) {
  Vector q = Vector::Zero(model.nq());
  const Description& robot = model.description();
  for (const Coordinate& c : model.coordinates()) {
    if (const int k = quaternion_of(c); k >= 0) q[k + 3] = 1;
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

kernel::Ranges kernel::drawn_ranges(const Model& model) {
  Ranges out{Vector(model.nq()), Vector(model.nq())};
  const Description& robot = model.description();
  for (const Coordinate& c : model.coordinates()) {
    const JointFacts& facts = facts_of(c.type);
    for (int i = 0; i < c.nq; ++i) {
      const bool angle = facts.quaternion < 0 && i < facts.turning;
      const double reach = angle ? std::numbers::pi : 1;
      const Limits& limits = robot.joints[c.index].limits;
      const bool bounded = c.nq == 1 && limits.lower <= limits.upper;
      const double unlimited = std::numeric_limits<double>::infinity();
      std::tie(out.lower[c.q + i], out.upper[c.q + i]) =
          bounded ? drawn_range(limits.lower, limits.upper, reach) : drawn_range(-unlimited, unlimited, reach);
    }
  }
  return out;
}

Vector random_configuration(const Model& model, std::uint64_t seed) {
  Random random(seed);
  Vector q(model.nq());
  const kernel::Ranges ranges = kernel::drawn_ranges(model);
  for (const Coordinate& c : model.coordinates()) {
    for (int k = c.q; k < c.q + c.nq; ++k) {
      if (k == quaternion_of(c)) {
        q.segment<4>(k) = random.orientation().coeffs();
        break;
      }
      q[k] = random.between(ranges.lower[k], ranges.upper[k]);
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
  q_next = q;
  for (const Coordinate& c : model.coordinates()) {
    kernel::visit(c.type, [&](auto joint) { joint.integrate(q_next.data() + c.q, v.data() + c.v); });
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
    kernel::visit(c.type,
                  [&](auto joint) { joint.difference(q_from.data() + c.q, q_to.data() + c.q, v.data() + c.v); });
  }
}

void normalize(const Model& model, VectorRef q) {
  for (const Coordinate& c : model.coordinates()) {
    if (const int k = quaternion_of(c); k >= 0) kernel::normalize_quaternion(q.data() + k);
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
    const int k = quaternion_of(c);
    if (k < 0) continue;
    const double length = q.segment<4>(k).norm();
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
