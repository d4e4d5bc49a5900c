#include "catena/simulate/system.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/dynamics/forward.hpp"
#include "catena/joints/joints.hpp"
#include "catena/kinematics/moving.hpp"
#include "catena/kinematics/storage.hpp"
#include "catena/spatial/dual.hpp"
#include "catena/trajectory/tangent.hpp"

namespace catena {
namespace {

// First number of each quaternion in q.
template <class Visit>
void for_quaternions(const Model& model, Visit visit) {
  if (model.nq() == model.nv()) return;
  for (const Coordinate& c : model.coordinates())
    if (const int place = facts_of(c.type).quaternion; place >= 0) visit(c.q + place);
}

}  // namespace

Vector6 WrenchTimeSeries::at(double time) const {
  if (times.empty() || time < times.front() || time >= times.back()) return Vector6::Zero();
  const auto after = std::upper_bound(times.begin(), times.end(), time);
  const auto k = static_cast<std::size_t>(after - times.begin());
  const double s = (time - times[k - 1]) / (times[k] - times[k - 1]);
  return (1 - s) * values[k - 1] + s * values[k];
}

System::System(const Model& model, Velocities velocities, Actuation& actuation, std::vector<WrenchTimeSeries> wrenches)
    : model_(model),
      velocities_(velocities),
      actuation_(actuation),
      wrenches_(std::move(wrenches)),
      workspace_(model),
      q_(model.nq()),
      v_(model.nv()),
      tau_(model.nv()),
      a_(model.nv()),
      q_full_(Vector::Zero(model.tree().nq_full)),
      v_full_(Vector::Zero(model.tree().nv_full)),
      q_dot_full_(model.tree().nq_full) {
  if (velocities != Velocities::v) form_.emplace(model);
  if (!wrenches_.empty()) kinematics_.emplace(model);
  for (const WrenchTimeSeries& series : wrenches_) {
    if (series.times.size() != series.values.size())
      throw std::invalid_argument("a wrench needs as many values as times");
    if (!std::is_sorted(series.times.begin(), series.times.end()))
      throw std::invalid_argument("the times of a wrench must rise");
    if (series.wrench.frame < 0 || series.wrench.frame >= model.frame_count())
      throw std::invalid_argument("a wrench acts on a frame that the robot does not have");
    loads_.wrenches.push_back(series.wrench);
  }
}

const ExternalLoads& System::loads(double time) {
  for (std::size_t i = 0; i < wrenches_.size(); ++i) {
    const Vector6 value = wrenches_[i].at(time);
    loads_.wrenches[i].moment = value.head<3>();
    loads_.wrenches[i].force = value.tail<3>();
  }
  return loads_;
}

// Of the wrenches in loads_, at (q_, v_).
double System::wrench_power() {
  if (wrenches_.empty()) return 0;
  kinematics_->update(q_, v_);
  double power = 0;
  for (const Wrench& wrench : loads_.wrenches) {
    const bool body_axes = wrench.axes == Axes::body;
    const Vector6 V = kinematics_->velocity(wrench.frame, body_axes ? Axes::body : Axes::aligned);
    const Vector3 arm = body_axes ? wrench.point : Vector3(kinematics_->pose(wrench.frame).R * wrench.point);
    const Vector3 w = V.head<3>(), v = V.tail<3>();
    power += wrench.moment.dot(w) + wrench.force.dot(v + w.cross(arm));
  }
  return power;
}

double System::dissipated_power(ConstVector v) const {
  const Tree& tree = model_.tree();
  if (!tree.has_terms) return 0;
  const auto of = [](const ComponentTerms& t, double rate) {
    return rate *
           (t.damping * rate + (t.friction != 0 ? t.friction * std::tanh(rate * t.inverse_friction_scale) : 0.0));
  };
  double power = 0;
  for (int i = 0; i < tree.nv; ++i) power += of(tree.terms[static_cast<std::size_t>(i)], v[i]);
  for (const Coupling& c : tree.couplings)
    power += of(tree.terms[static_cast<std::size_t>(c.v)], c.ratio * v[c.master_v]);
  return power;
}

void System::compile() {
  if (velocities_ != Velocities::v || !wrenches_.empty()) return;
  try {
    compiled_.emplace(model_, Function::forward);
    if (!compiled_->is_machine_code()) compiled_.reset();
  } catch (const std::invalid_argument&) {  // a robot that cannot be compiled
  }
}

// a_ from q_, v_, tau_.
void System::accelerate(double time) {
  if (compiled_) {
    const double* const inputs[] = {q_.data(), v_.data(), tau_.data()};
    double* const outputs[] = {a_.data()};
    compiled_->call(inputs, outputs);
    if (a_.allFinite()) return;  // else the plain library says what is wrong
  }
  forward_dynamics(model_, workspace_, q_, v_, tau_, a_, loads(time));
}

void System::rate(double time, const double* x, double* x_dot) {
  time = std::min(time, until_);
  const int nq = model_.nq(), nv = model_.nv();
  if (evaluations_++ == compile_at_) compile();
  const Eigen::Map<const Vector> position(x, nq), y(x + nq, nv);
  Eigen::Map<Vector> position_rate(x_dot, nq), y_rate(x_dot + nq, nv);
  q_ = position;
  normalize(model_, q_);
  if (velocities_ == Velocities::v) {
    v_ = y;
    actuation_.forces(time, q_, v_, tau_);
    accelerate(time);
    y_rate = a_;
  } else {
    form_->update(q_);
    v_ = velocities_ == Velocities::xi ? form_->velocity_from_xi(y) : form_->velocity_from_nu(y);
    actuation_.forces(time, q_, v_, tau_);
    y_rate = velocities_ == Velocities::xi ? forward_dynamics_xi(*form_, q_, y, tau_, loads(time)).rate
                                           : forward_dynamics_nu(*form_, q_, y, tau_, loads(time)).rate;
  }
  q_full_.head(nq) = q_, v_full_.head(nv) = v_;
  kernel::position_rates(model_.tree(), q_full_.data(), v_full_.data(), q_dot_full_.data());
  position_rate = q_dot_full_.head(nq);
  for_quaternions(model_, [&](int k) { position_rate.segment<4>(k) *= position.segment<4>(k).norm(); });
  x_dot[nq + nv] = tau_.dot(v_) + wrench_power();
  x_dot[nq + nv + 1] = dissipated_power(v_);
}

// E: q_dot = E v; E_q: its derivative by q with v held; P: the change in the tangent space for a change of q. The columns of
// E are at right angles to each other, so that P = E' but for their lengths.
void System::tangent_maps(const double* x) {
  using Dual = spatial::Dual<double>;
  const int nq = model_.nq(), nv = model_.nv();
  E_.setZero(nq, nv);
  E_q_.setZero(nq, nq);
  P_.setZero(nv, nq);
  for (const Coordinate& c : model_.coordinates()) {
    auto E = E_.block(c.q, c.v, c.nq, c.nv);
    auto P = P_.block(c.v, c.q, c.nv, c.nq);
    kernel::visit(c.type, [&](auto joint) {
      if constexpr (decltype(joint)::adds) {
        E.setIdentity(), P.setIdentity();
      } else {
        constexpr int n = decltype(joint)::facts.nq, d = decltype(joint)::facts.nv;
        Dual q[n], v[d], q_dot[n];
        for (int i = 0; i < n; ++i) q[i] = x[c.q + i];
        for (int j = 0; j < d; ++j) {
          v[j] = 1;
          joint.rate(q, v, q_dot);
          v[j] = 0;
          for (int i = 0; i < n; ++i) E(i, j) = q_dot[i].x;
          P.row(j) = E.col(j).transpose() / E.col(j).squaredNorm();
        }
        for (int j = 0; j < d; ++j) v[j] = v_[c.v + j];
        for (int k = 0; k < n; ++k) {
          q[k].d = 1;
          joint.rate(q, v, q_dot);
          q[k].d = 0;
          for (int i = 0; i < n; ++i) E_q_(c.q + i, c.q + k) = q_dot[i].d;
        }
      }
    });
  }
}

const System::Linear& System::linearize(double time, const double* x) {
  time = std::min(time, until_);
  if (velocities_ != Velocities::v) throw std::invalid_argument("the linearization exists for Velocities::v only");
  const int nq = model_.nq(), nv = model_.nv();
  Linear& out = linear_;
  if (!linear_workspace_) {
    linear_workspace_.emplace(model_);
    out.tau.resize(nv), out.a.resize(nv);
    for (Matrix* matrix : {&out.M_inv, &out.A_C, &out.B_C, &out.K_q, &out.K_v}) matrix->resize(nv, nv);
    out.A.setZero(2 * nv, 2 * nv);
    out.A.topRightCorner(nv, nv).setIdentity();
  }
  out.q = Eigen::Map<const Vector>(x, nq);
  normalize(model_, out.q);
  out.v = Eigen::Map<const Vector>(x + nq, nv);
  actuation_.forces(time, out.q, out.v, out.tau);
  linearize_forward(model_, *linear_workspace_, out.q, out.v, out.tau, out.a, out.M_inv, out.A_C, out.B_C, loads(time));
  actuation_.derivative(time, out.q, out.v, out.K_q, out.K_v);
  for (const Coordinate& c : model_.coordinates()) {
    if (!tangent::turns(c)) continue;
    const Vector6 v = tangent::twist(c, out.v);
    Vector unit = Vector::Zero(nv);
    for (int i = c.v; i < c.v + c.nv; ++i) {
      unit[i] = 1;
      tangent::put(c, Vector6(-tangent::ad(v, tangent::twist(c, unit))), out.A.col(i).head(nv));
      unit[i] = 0;
    }
  }
  out.A.bottomLeftCorner(nv, nv) = out.M_inv * out.K_q - out.B_C;
  out.A.bottomRightCorner(nv, nv) = out.M_inv * out.K_v - out.A_C;
  return out;
}

void System::jacobian(double time, const double* x, MatrixRef J) {
  const int nq = model_.nq(), nv = model_.nv();
  const Linear& linear = linearize(time, x);
  v_ = linear.v;
  tangent_maps(x);
  J.setZero();
  J.topLeftCorner(nq, nq) = E_q_;
  J.block(0, nq, nq, nv) = E_;
  J.block(nq, 0, nv, nq) = linear.A.bottomLeftCorner(nv, nv) * P_;
  J.block(nq, nq, nv, nv) = linear.A.bottomRightCorner(nv, nv);
  J.block(nq + nv, 0, 1, nq) = v_.transpose() * linear.K_q * P_;
  J.block(nq + nv, nq, 1, nv) = linear.tau.transpose() + v_.transpose() * linear.K_v;
  const Tree& tree = model_.tree();
  const auto slope = [](const ComponentTerms& t, double rate) {
    const double s = std::tanh(rate * t.inverse_friction_scale);
    return 2 * t.damping * rate + t.friction * (s + rate * t.inverse_friction_scale * (1 - s * s));
  };
  for (int i = 0; i < nv; ++i) J(nq + nv + 1, nq + i) = slope(tree.terms[static_cast<std::size_t>(i)], v_[i]);
  for (const Coupling& c : tree.couplings)
    J(nq + nv + 1, nq + c.master_v) +=
        c.ratio * slope(tree.terms[static_cast<std::size_t>(c.v)], c.ratio * v_[c.master_v]);
}

void System::pack(ConstVector q, ConstVector v, double work, double dissipated, VectorRef x) {
  const int nq = model_.nq(), nv = model_.nv();
  x.head(nq) = q;
  if (velocities_ == Velocities::v) {
    x.segment(nq, nv) = v;
  } else {
    form_->update(q);
    x.segment(nq, nv) = velocities_ == Velocities::xi ? form_->xi(v) : form_->nu(v);
  }
  x[nq + nv] = work;
  x[nq + nv + 1] = dissipated;
}

void System::unpack(ConstVector x, VectorRef q, VectorRef v) {
  const int nq = model_.nq(), nv = model_.nv();
  q = x.head(nq);
  normalize(model_, q);
  if (velocities_ == Velocities::v) {
    v = x.segment(nq, nv);
  } else {
    form_->update(q);
    v = velocities_ == Velocities::xi ? form_->velocity_from_xi(x.segment(nq, nv))
                                      : form_->velocity_from_nu(x.segment(nq, nv));
  }
}

Vector System::acceleration(double time, ConstVector q, ConstVector v, ConstVector tau) {
  forward_dynamics(model_, workspace_, q, v, tau, a_, loads(time));
  return a_;
}

void System::stay_before(double instant) { until_ = std::nextafter(instant, -std::numeric_limits<double>::infinity()); }

double System::next_break(double time) const {
  double next = actuation_.next_break(time);
  for (const WrenchTimeSeries& series : wrenches_)
    for (const double knot : series.times)
      if (knot > time) next = std::min(next, knot);
  return next;
}

}  // namespace catena
