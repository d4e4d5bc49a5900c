// Pinocchio 3, made joint by joint, depth first, as it requires. Linear part first. Where it fills the upper triangle of
// a symmetric matrix, the lower one is copied outside the timed calls.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "bench/peers/adapter.hpp"

namespace catena::peers {
namespace {

namespace pin = pinocchio;

class Pinocchio : public Adapter<Pinocchio> {
 public:
  explicit Pinocchio(const Robot& robot) : Adapter(robot), model_(model_of(robot)), data_(model_) {}

  bool has(Function) const override { return true; }

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd&, PeerState& state) const {
    state.q.resize(model_.nq);
    state.T = Eigen::MatrixXd::Zero(model_.nv, model_.nv);
    for (const Coordinate& c : robot_.coordinates) {
      const pin::JointModel& joint = model_.joints[model_.getJointId(c.joint)];
      state.q.segment(joint.idx_q(), c.nq) = q.segment(c.q, c.nq);
      auto T = state.T.block(joint.idx_v(), c.v, c.nv, c.nv);
      T.setIdentity();
      if (c.type == JointType::free) T.topRows(3).swap(T.bottomRows(3));
    }
  }

  void run(Function function, const PeerState& s) {
    switch (function) {
      case Function::inverse: pin::rnea(model_, data_, s.q, s.v, s.a); break;
      case Function::mass_matrix: pin::crba(model_, data_, s.q); break;
      case Function::forward: pin::aba(model_, data_, s.q, s.v, s.tau); break;
      case Function::mass_matrix_inverse: pin::computeMinverse(model_, data_, s.q); break;
      case Function::linearize_inverse: pin::computeRNEADerivatives(model_, data_, s.q, s.v, s.a); break;
      case Function::linearize_forward: pin::computeABADerivatives(model_, data_, s.q, s.v, s.tau); break;
      case Function::coriolis_matrix: pin::computeCoriolisMatrix(model_, data_, s.q, s.v); break;
      default: break;
    }
  }

  std::vector<Eigen::MatrixXd> blocks(Function function) const {
    const auto whole = [](const auto& upper) -> Eigen::MatrixXd {
      return Eigen::MatrixXd(upper).selfadjointView<Eigen::Upper>();
    };
    switch (function) {
      case Function::inverse: return {data_.tau};
      case Function::mass_matrix: return {whole(data_.M)};
      case Function::forward: return {data_.ddq};
      case Function::mass_matrix_inverse: return {whole(data_.Minv)};
      case Function::linearize_inverse: return {whole(data_.M), data_.dtau_dv, data_.dtau_dq};
      case Function::linearize_forward: return {data_.ddq, whole(data_.Minv), -data_.ddq_dv, -data_.ddq_dq};
      default: return {data_.C};
    }
  }

 private:
  static pin::JointModel joint_of_type(JointType type) {
    switch (type) {
      case JointType::revolute: return pin::JointModelRZ();
      case JointType::prismatic: return pin::JointModelPZ();
      case JointType::spherical: return pin::JointModelSpherical();
      case JointType::free: return pin::JointModelFreeFlyer();
      default: throw std::invalid_argument("its adapter has no such joint");
    }
  }

  static pin::Model model_of(const Robot& robot) {
    pin::Model model;
    model.gravity.linear() = robot.description.gravity;
    std::vector<std::pair<std::string, pin::JointIndex>> carried_by = {{"", 0}};
    for (const Joint* joint : depth_first(robot.description)) {
      const auto parent = std::find_if(carried_by.begin(), carried_by.end(),
                                       [&](const auto& body) { return body.first == joint->parent; });
      const pin::SE3 placement(joint->placement.R, joint->placement.p);
      const pin::JointIndex index = model.addJoint(parent->second, joint_of_type(joint->type), placement, joint->name);
      const Inertial inertial = body_named(robot.description, joint->child).inertial.value_or(Inertial{});
      model.appendBodyToJoint(index, pin::Inertia(inertial.mass, inertial.com, inertial.inertia), pin::SE3::Identity());
      carried_by.emplace_back(joint->child, index);
    }
    return model;
  }

  pin::Model model_;
  pin::Data data_;
};

}  // namespace
}  // namespace catena::peers

CATENA_PEER { entry = catena::peers::entry_of<catena::peers::Pinocchio>("Pinocchio", PINOCCHIO_VERSION, ""); }
