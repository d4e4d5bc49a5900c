// Motions through points: Hermite pieces in the tangent space of the waypoint where each begins.
//   piece k:  q = q_k (+) x(t),  x(0) = 0,  x(h) = difference(q_k, q_{k+1}),  v = Jr(x) x_dot
// Where joint rates add (all but spherical, free, planar) Jr = 1 and x is the ordinary polynomial.
#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "catena/trajectory/tangent.hpp"
#include "catena/trajectory/trajectories.hpp"

namespace catena {
namespace {

constexpr int order = 5;  // coefficients of tau^1 ... tau^5, tau = t / h

// Waypoints with velocities and, unless empty, accelerations: one column per instant.
struct Knots {
  Vector times;
  Matrix q, v, a;

  Eigen::Index pieces() const { return times.size() - 1; }
  double step(Eigen::Index k) const { return times[k + 1] - times[k]; }
};

class Pieces final : public Trajectory {
 public:
  Pieces(const Model& model, Knots knots) : model_(model), knots_(std::move(knots)) {
    coefficients_.resize(model.nv(), order * knots_.pieces());
    for (Eigen::Index k = 0; k < knots_.pieces(); ++k) fit(k);
  }

  double duration() const override { return knots_.times[knots_.times.size() - 1]; }

  void at(double time, VectorRef q, VectorRef v, VectorRef a) const override {
    if (q.size() != model_.nq() || v.size() != model_.nv() || a.size() != model_.nv())
      throw std::invalid_argument("a motion fills q with nq, v and a with nv numbers");
    const double begin = knots_.times[0], end = duration();
    const double* first = knots_.times.data();
    const double* above = std::upper_bound(first, first + knots_.times.size(), time);
    const Eigen::Index k = std::clamp<Eigen::Index>(above - first - 1, 0, knots_.pieces() - 1);
    const double h = knots_.step(k), t = (std::clamp(time, begin, end) - knots_.times[k]) / h;
    const auto c = [&](int power) { return coefficients_.col(order * k + power - 1); };

    v = t * (c(1) + t * (c(2) + t * (c(3) + t * (c(4) + t * c(5)))));
    integrate(model_, knots_.q.col(k), v, q);
    if (time < begin || time > end) {
      v.setZero();
      a.setZero();
      return;
    }
    a = (2 * c(2) + t * (6 * c(3) + t * (12 * c(4) + t * (20 * c(5))))) / (h * h);
    for (const Coordinate& joint : model_.coordinates()) {
      const auto part = [&](int power) { return c(power).segment(joint.v, joint.nv); };
      const bool turns = tangent::turns(joint);
      const Vector6 x = turns ? tangent::twist(joint, v) : Vector6(Vector6::Zero());  // before v is overwritten
      v.segment(joint.v, joint.nv) =
          (part(1) + t * (2 * part(2) + t * (3 * part(3) + t * (4 * part(4) + t * (5 * part(5)))))) / h;
      if (!turns) continue;
      const tangent::BodyRates rates = tangent::body_rates(x, tangent::twist(joint, v), tangent::twist(joint, a));
      tangent::put(joint, rates.v, v);
      tangent::put(joint, rates.a, a);
    }
  }

  double next_break(double time) const override {
    const double* first = knots_.times.data();
    const double* last = first + knots_.times.size();
    const double* above = std::upper_bound(first, last, time);
    return above == last ? std::numeric_limits<double>::infinity() : *above;
  }

 private:
  // x_dot and x_ddot at the end of a piece, from v and a there: Jr x_dot = v, Jr x_ddot = a - Jr_dot x_dot.
  void into_chart(const Vector& way, Vector& v, Vector& a) const {
    for (const Coordinate& joint : model_.coordinates()) {
      if (!tangent::turns(joint)) continue;
      const Vector6 x = tangent::twist(joint, way), none = Vector6::Zero();
      Eigen::Matrix<double, 6, 6> Jr;
      for (int i = 0; i < 6; ++i) Jr.col(i) = tangent::body_rates(x, Vector6::Unit(i), none).v;
      const Eigen::PartialPivLU<Eigen::Matrix<double, 6, 6>> solver(Jr);
      const Vector6 x_dot = solver.solve(tangent::twist(joint, v));
      const Vector6 left = tangent::twist(joint, a) - tangent::body_rates(x, x_dot, none).a;
      tangent::put(joint, x_dot, v);
      tangent::put(joint, Vector6(solver.solve(left)), a);
    }
  }

  void fit(Eigen::Index k) {
    const double h = knots_.step(k);
    const bool fifth = knots_.a.size() > 0;
    const Vector way = difference(model_, knots_.q.col(k), knots_.q.col(k + 1));
    Vector v_end = knots_.v.col(k + 1);
    Vector a_end = fifth ? Vector(knots_.a.col(k + 1)) : Vector::Zero(model_.nv());
    into_chart(way, v_end, a_end);
    auto c = coefficients_.middleCols(order * k, order);
    c.setZero();
    c.col(0) = h * knots_.v.col(k);
    if (fifth) c.col(1) = 0.5 * h * h * knots_.a.col(k);
    // what the first terms leave to the others at the end: of x, x_dot, x_ddot
    const Vector X = way - c.col(0) - c.col(1), V = h * v_end - c.col(0) - 2 * c.col(1);
    if (fifth) {
      const Vector W = h * h * a_end - 2 * c.col(1);
      c.col(2) = 10 * X - 4 * V + 0.5 * W;
      c.col(3) = -15 * X + 7 * V - W;
      c.col(4) = 6 * X - 3 * V + 0.5 * W;
    } else {
      c.col(1) = 3 * X - V;
      c.col(2) = V - 2 * X;
    }
  }

  Model model_;
  Knots knots_;
  Matrix coefficients_;  // nv x (order * pieces)
};

Knots knots_at(const Model& model, ConstVector times, const Matrix& q) {
  if (times.size() != q.rows())
    throw std::invalid_argument("there are " + std::to_string(times.size()) + " times and " + std::to_string(q.rows()) +
                                " waypoints: one row of q for every time");
  if (times.size() < 2) throw std::invalid_argument("a motion needs two or more waypoints");
  for (Eigen::Index k = 0; k < times.size(); ++k) {
    const bool later = k == 0 ? times[k] >= 0 : times[k] > times[k - 1];
    if (!std::isfinite(times[k]) || !later)
      throw std::invalid_argument("time " + std::to_string(times[k]) + " of waypoint " + std::to_string(k + 1) +
                                  (k == 0 ? ": motions begin at 0 or later" : " is not later than the one before it"));
    try {
      require_configuration(model, q.row(k).transpose());
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument("waypoint " + std::to_string(k + 1) + ": " + error.what());
    }
  }
  return {times, q.transpose(), {}, {}};
}

// Slopes at the knots that make the second derivative continuous, and that derivative:
//   h1 v_- + 2 (h0 + h1) v + h0 v_+ = 3 (h1 s0 + h0 s1),  s: mean slopes of the pieces before and after.
// Spherical, free and planar joints: the same with the twists that lead from waypoint to waypoint, which both ends see
// alike.
void smooth_slopes(const Model& model, SplineEnds ends, Knots& knots) {
  const Eigen::Index last = knots.pieces();
  Matrix mean(model.nv(), last);
  for (Eigen::Index k = 0; k < last; ++k)
    mean.col(k) = difference(model, knots.q.col(k), knots.q.col(k + 1)) / knots.step(k);
  Vector below = Vector::Zero(last + 1), middle = Vector::Ones(last + 1), above = Vector::Zero(last + 1);
  Matrix right = Matrix::Zero(model.nv(), last + 1);
  for (Eigen::Index k = 1; k < last; ++k) {
    const double h0 = knots.step(k - 1), h1 = knots.step(k);
    below[k] = h1, middle[k] = 2 * (h0 + h1), above[k] = h0;
    right.col(k) = 3 * (h1 * mean.col(k - 1) + h0 * mean.col(k));
  }
  if (ends == SplineEnds::smooth && last == 1) {  // a straight line
    right.col(0) = right.col(1) = mean.col(0);
  } else if (ends == SplineEnds::smooth && last == 2) {  // a parabola
    above[0] = below[2] = 1;
    right.col(0) = 2 * mean.col(0), right.col(2) = 2 * mean.col(1);
  } else if (ends == SplineEnds::smooth) {
    // h: of the end piece, n: of its neighbour
    const auto end = [](double h, double n, const auto& at_end, const auto& beside) {
      return Vector(((3 * h + 2 * n) * n * at_end + h * h * beside) / (h + n));
    };
    const double a = knots.step(0), b = knots.step(1), y = knots.step(last - 2), z = knots.step(last - 1);
    middle[0] = b, above[0] = a + b, right.col(0) = end(a, b, mean.col(0), mean.col(1));
    middle[last] = y, below[last] = y + z, right.col(last) = end(z, y, mean.col(last - 1), mean.col(last - 2));
  }
  for (Eigen::Index k = 1; k <= last; ++k) {
    const double factor = below[k] / middle[k - 1];
    middle[k] -= factor * above[k - 1];
    right.col(k) -= factor * right.col(k - 1);
  }
  right.col(last) /= middle[last];
  for (Eigen::Index k = last - 1; k >= 0; --k) right.col(k) = (right.col(k) - above[k] * right.col(k + 1)) / middle[k];

  const Matrix& v = knots.v = right;
  knots.a = Matrix::Zero(model.nv(), last + 1);
  for (Eigen::Index k = 0; k < last; ++k) {
    // inner knots: the mean of both sides, equal where rates add
    const double h = knots.step(k);
    const double before = k == 0 ? 1 : 0.5, after = k + 1 == last ? 1 : 0.5;
    knots.a.col(k) += before * (6 * mean.col(k) - 4 * v.col(k) - 2 * v.col(k + 1)) / h;
    knots.a.col(k + 1) += after * (2 * v.col(k) + 4 * v.col(k + 1) - 6 * mean.col(k)) / h;
  }
}

}  // namespace

std::unique_ptr<Trajectory> spline(const Model& model, ConstVector times, const Matrix& waypoints, SplineEnds ends) {
  Knots knots = knots_at(model, times, waypoints);
  smooth_slopes(model, ends, knots);
  return std::make_unique<Pieces>(model, std::move(knots));
}

std::unique_ptr<Trajectory> sampled(const Model& model, const read::TrajectoryRows& rows) {
  if (rows.time.size() == 0) throw std::invalid_argument("the trajectory has no times: add a column time");
  if (rows.v.size() == 0) return spline(model, rows.time, rows.q, SplineEnds::smooth);
  Knots knots = knots_at(model, rows.time, rows.q);
  const auto rates = [&](const Eigen::MatrixXd& given, const char* what) {
    if (given.rows() != rows.q.rows())
      throw std::invalid_argument("the trajectory needs " + std::string(what) + " in every row");
    for (Eigen::Index k = 0; k < given.rows(); ++k) require_velocity(model, given.row(k).transpose(), what);
    return Matrix(given.transpose());
  };
  knots.v = rates(rows.v, "v");
  if (rows.a.size() > 0) knots.a = rates(rows.a, "a");
  return std::make_unique<Pieces>(model, std::move(knots));
}

}  // namespace catena
