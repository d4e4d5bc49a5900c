// Joint-space tracking, impedance of a frame, and the diagonalized controls. Regulators: regulators.cpp.
#include "catena/control/controllers.hpp"

#include <Eigen/Geometry>

#include "catena/dynamics/inverse.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/trajectory/tangent.hpp"

namespace catena {
namespace {

void require_gains(const Model& model, const JointGains& gains) {
  require_velocity(model, gains.stiffness, "stiffness");
  require_velocity(model, gains.damping, "damping");
  if ((gains.stiffness.array() < 0).any() || (gains.damping.array() < 0).any())
    throw std::invalid_argument("gains must not be negative");
}

void require_target(const Target& target) {
  if (!target) throw std::invalid_argument("the controller needs a target: a motion, or standstill(model, q)");
}

enum class Law { pd, pd_gravity, computed_torque, impedance };

class Tracking final : public Controller {
 public:
  Tracking(const Model& model, Target target, JointGains gains, Law law)
      : model_(model),
        target_(std::move(target)),
        gains_(std::move(gains)),
        law_(law),
        workspace_(model),
        zero_(Vector::Zero(model.nv())),
        q_d_(model.nq()),
        v_d_(model.nv()),
        a_d_(model.nv()),
        e_(model.nv()),
        u_(model.nv()) {}

  void forces(double time, ConstVector q, ConstVector v, VectorRef tau) override {
    require_velocity(model_, v, "v");
    target_->at(time, q_d_, v_d_, a_d_);
    difference(model_, q, q_d_, e_);
    if (law_ == Law::impedance) inverse_dynamics(model_, workspace_, q_d_, v_d_, a_d_, tau);
    into_own_axes(v);
    u_ = v_d_ - v;
    switch (law_) {
      case Law::pd: tau.setZero(); break;
      case Law::pd_gravity: inverse_dynamics(model_, workspace_, q, zero_, zero_, tau); break;
      case Law::computed_torque:
        a_d_ += gains_.damping.cwiseProduct(u_) + gains_.stiffness.cwiseProduct(e_);
        inverse_dynamics(model_, workspace_, q, v, a_d_, tau);
        return;
      case Law::impedance: break;
    }
    tau += gains_.stiffness.cwiseProduct(e_) + gains_.damping.cwiseProduct(u_);
  }

  // Where rates add: d tau = -K dq - D dv, and what the model part adds.
  bool derivative(double time, ConstVector q, ConstVector v, MatrixRef by_q, MatrixRef by_v) override {
    if (tangent::any_turns(model_)) return false;
    by_q.setZero();
    by_v.setZero();
    if (law_ == Law::computed_torque) {
      target_->at(time, q_d_, v_d_, a_d_);
      a_d_ += gains_.damping.cwiseProduct(v_d_ - v) + gains_.stiffness.cwiseProduct(q_d_ - q);
      const InverseLinearization by = linearize_inverse(model_, q, v, a_d_);
      by_q = by.B_D - by.M * gains_.stiffness.asDiagonal();
      by_v = by.A_D - by.M * gains_.damping.asDiagonal();
      return true;
    }
    if (law_ == Law::pd_gravity) by_q = linearize_inverse(model_, q, zero_, zero_).B_D;
    by_q.diagonal() -= gains_.stiffness;
    by_v.diagonal() -= gains_.damping;
    return true;
  }

  double next_break(double time) const override { return target_->next_break(time); }

 private:
  // Spherical, free and planar joints: v_d and a_d as the robot's own axes see them, Ad v_d and its derivative Ad a_d +
  // ad_u Ad v_d.
  void into_own_axes(ConstVector v) {
    for (const Coordinate& c : model_.coordinates()) {
      if (!tangent::turns(c)) continue;
      const Vector6 e = tangent::twist(c, e_);
      const Vector6 v_d = tangent::carry_back(e, tangent::twist(c, v_d_));
      const Vector6 u = v_d - tangent::twist(c, v);
      tangent::put(c, Vector6(tangent::carry_back(e, tangent::twist(c, a_d_)) + tangent::ad(u, v_d)), a_d_);
      tangent::put(c, v_d, v_d_);
    }
  }

  Model model_;
  Target target_;
  JointGains gains_;
  Law law_;
  Workspace workspace_;
  Vector zero_, q_d_, v_d_, a_d_, e_, u_;
};

std::unique_ptr<Controller> track(const Model& model, Target target, const JointGains& gains, Law law) {
  require_gains(model, gains);
  require_target(target);
  return std::make_unique<Tracking>(model, std::move(target), gains, law);
}

class FrameSpring final : public Controller {
 public:
  FrameSpring(const Model& model, const FrameImpedance& spring)
      : model_(model),
        spring_(spring),
        kinematics_(model),
        workspace_(model),
        zero_(Vector::Zero(model.nv())),
        J_(6, model.nv()) {}

  void forces(double, ConstVector q, ConstVector v, VectorRef tau) override {
    kinematics_.update(q, v);
    kinematics_.jacobian(spring_.frame, Axes::aligned, J_);
    const Pose pose = kinematics_.pose(spring_.frame);
    const Eigen::AngleAxisd turn(Matrix3(spring_.goal.R * pose.R.transpose()));
    Vector6 wrench;
    wrench << turn.angle() * turn.axis(), spring_.goal.p - pose.p;
    wrench.array() *= spring_.stiffness.array();
    wrench.array() -= spring_.damping.array() * kinematics_.velocity(spring_.frame, Axes::aligned).array();
    inverse_dynamics(model_, workspace_, q, zero_, zero_, tau);
    tau.noalias() += J_.transpose() * wrench;
    tau -= spring_.joint_damping * v;
  }

 private:
  Model model_;
  FrameImpedance spring_;
  Kinematics kinematics_;
  Workspace workspace_;
  Vector zero_;
  Matrix J_;
};

class Diagonal final : public Controller {
 public:
  Diagonal(const Model& model, std::optional<PoseGoal> goal, DiagonalControlOptions options)
      : model_(model), goal_(std::move(goal)), options_(std::move(options)) {}

  void forces(double, ConstVector q, ConstVector v, VectorRef tau) override {
    tau = goal_ ? reach(model_, q, v, *goal_, options_).tau : brake(model_, q, v, options_).tau;
  }

 private:
  Model model_;
  std::optional<PoseGoal> goal_;
  DiagonalControlOptions options_;
};

DiagonalControlOptions diagonal_options(const Model& model, ConstVector c, bool compensate_gravity) {
  require_velocity(model, c, "c");
  if (!(c.array() > 0).all()) throw std::invalid_argument("every gain in c must be positive");
  return {c, compensate_gravity, false};
}

void require_pose(const Model& model, int frame, const Pose& goal) {
  if (frame < 0 || frame >= model.frame_count())
    throw std::invalid_argument("the robot has no frame number " + std::to_string(frame) + ": ask model.frame(name)");
  if (!goal.p.allFinite() || !goal.R.allFinite()) throw std::invalid_argument("the goal must be finite");
  if (!((goal.R * goal.R.transpose() - Matrix3::Identity()).cwiseAbs().maxCoeff() < 1e-6) || goal.R.determinant() < 0)
    throw std::invalid_argument("the goal's R is not a rotation");
}

}  // namespace

JointGains uniform_gains(const Model& model, double stiffness, double damping) {
  return {Vector::Constant(model.nv(), stiffness), Vector::Constant(model.nv(), damping)};
}

std::unique_ptr<Controller> pd(const Model& model, Target target, const JointGains& gains) {
  return track(model, std::move(target), gains, Law::pd);
}
std::unique_ptr<Controller> pd_gravity(const Model& model, Target target, const JointGains& gains) {
  return track(model, std::move(target), gains, Law::pd_gravity);
}
std::unique_ptr<Controller> computed_torque(const Model& model, Target target, const JointGains& gains) {
  return track(model, std::move(target), gains, Law::computed_torque);
}
std::unique_ptr<Controller> joint_impedance(const Model& model, Target target, const JointGains& gains) {
  return track(model, std::move(target), gains, Law::impedance);
}

std::unique_ptr<Controller> operational_impedance(const Model& model, const FrameImpedance& spring) {
  require_pose(model, spring.frame, spring.goal);
  if (!(spring.stiffness.array() >= 0).all() || !(spring.damping.array() >= 0).all() || !(spring.joint_damping >= 0) ||
      !spring.stiffness.allFinite() || !spring.damping.allFinite() || !std::isfinite(spring.joint_damping))
    throw std::invalid_argument("stiffness and damping of the frame must be finite and not negative");
  return std::make_unique<FrameSpring>(model, spring);
}

std::unique_ptr<Controller> diagonal_brake(const Model& model, ConstVector c, bool compensate_gravity) {
  return std::make_unique<Diagonal>(model, std::nullopt, diagonal_options(model, c, compensate_gravity));
}

std::unique_ptr<Controller> diagonal_reach(const Model& model, const PoseGoal& goal, ConstVector c,
                                           bool compensate_gravity) {
  require_pose(model, goal.frame, goal.goal);
  require_weight(goal);
  return std::make_unique<Diagonal>(model, goal, diagonal_options(model, c, compensate_gravity));
}

}  // namespace catena
