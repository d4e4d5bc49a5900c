// DART: the skeleton's own calls. It remembers what it has computed, so every state is set anew.
#include <dart/config.hpp>

#include "bench/peers/adapter.hpp"
#include "tests/peers/dart_model.hpp"

namespace catena::peers {
namespace {

class Dart : public Adapter<Dart> {
 public:
  explicit Dart(const Robot& robot) : Adapter(robot), theirs_(robot), skeleton_(*theirs_.skeleton) {}

  bool has(Function function) const override {
    return function == Function::inverse || function == Function::mass_matrix || function == Function::forward ||
           function == Function::mass_matrix_inverse;
  }

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd&, PeerState& state) const {
    state.q = theirs_.positions(q);
    state.T = theirs_.order.toDenseMatrix().cast<double>();
  }

  void run(Function function, const PeerState& s) {
    skeleton_.setPositions(s.q);
    switch (function) {
      case Function::inverse:
        skeleton_.setVelocities(s.v);
        skeleton_.setAccelerations(s.a);
        skeleton_.computeInverseDynamics();
        break;
      case Function::mass_matrix: M_ = &skeleton_.getMassMatrix(); break;
      case Function::forward:
        skeleton_.setVelocities(s.v);
        skeleton_.setForces(s.tau);
        skeleton_.computeForwardDynamics();
        break;
      default: M_ = &skeleton_.getInvMassMatrix();
    }
  }

  std::vector<Eigen::MatrixXd> blocks(Function function) const {
    if (function == Function::inverse) return {skeleton_.getForces()};
    if (function == Function::forward) return {skeleton_.getAccelerations()};
    return {*M_};
  }

 private:
  DartRobot theirs_;
  dart::dynamics::Skeleton& skeleton_;
  const Eigen::MatrixXd* M_ = nullptr;
};

}  // namespace
}  // namespace catena::peers

CATENA_PEER { entry = catena::peers::entry_of<catena::peers::Dart>("DART", DART_VERSION, "as installed"); }
