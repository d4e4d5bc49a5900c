// KDL (Orocos): its chain solvers where the robot is a chain, its solver of inverse dynamics where it is a tree.
#include <kdl/config.h>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfdsolver_recursive_newton_euler.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/treeidsolver_recursive_newton_euler.hpp>

#include <memory>

#include "bench/peers/adapter.hpp"
#include "tests/peers/kdl_model.hpp"

namespace catena::peers {
namespace {

struct KdlState : PeerState {
  KDL::JntArray q_array, v_array, a_array, tau_array;
};

class Kdl : public Adapter<Kdl, KdlState> {
 public:
  explicit Kdl(const Robot& robot)
      : Adapter(robot), theirs_(robot), result_(n()), M_(n()), tree_inverse_(theirs_.tree, theirs_.gravity) {
    if (theirs_.tip.empty()) return;
    chain_ = std::make_unique<ChainSolvers>(theirs_.chain(), theirs_.gravity);
  }

  bool has(Function function) const override {
    return function == Function::inverse ||
           (chain_ && (function == Function::mass_matrix || function == Function::forward));
  }

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd&, KdlState& state) const {
    state.T = theirs_.order.toDenseMatrix().cast<double>();
    state.q = state.T * q;
  }
  void finish(KdlState& state) const {
    state.q_array.data = state.q, state.v_array.data = state.v, state.a_array.data = state.a;
    state.tau_array.data = state.tau;
  }

  void run(Function function, const KdlState& s) {
    if (!chain_) {
      tree_inverse_.CartToJnt(s.q_array, s.v_array, s.a_array, {}, result_);
    } else if (function == Function::inverse) {
      chain_->inverse.CartToJnt(s.q_array, s.v_array, s.a_array, chain_->none, result_);
    } else if (function == Function::mass_matrix) {
      chain_->parameters.JntToMass(s.q_array, M_);
    } else {
      chain_->forward.CartToJnt(s.q_array, s.v_array, s.tau_array, chain_->none, result_);
    }
  }

  std::vector<Eigen::MatrixXd> blocks(Function function) const {
    if (function == Function::mass_matrix) return {M_.data};
    return {result_.data};
  }

 private:
  struct ChainSolvers {
    KDL::Chain chain;
    KDL::ChainIdSolver_RNE inverse;
    KDL::ChainFdSolver_RNE forward;
    KDL::ChainDynParam parameters;
    KDL::Wrenches none;

    ChainSolvers(const KDL::Chain& c, const KDL::Vector& gravity)
        : chain(c),
          inverse(chain, gravity),
          forward(chain, gravity),
          parameters(chain, gravity),
          none(chain.getNrOfSegments(), KDL::Wrench::Zero()) {}
  };
  unsigned n() const { return theirs_.tree.getNrOfJoints(); }

  KdlRobot theirs_;
  KDL::JntArray result_;
  KDL::JntSpaceInertiaMatrix M_;
  KDL::TreeIdSolver_RNE tree_inverse_;
  std::unique_ptr<ChainSolvers> chain_;
};

}  // namespace
}  // namespace catena::peers

CATENA_PEER { entry = catena::peers::entry_of<catena::peers::Kdl>("KDL", KDL_VERSION_STRING, "as installed"); }
