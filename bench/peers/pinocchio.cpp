// Pinocchio 3 as its pages call it.
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>

#include "bench/peers/pinocchio_model.hpp"

namespace catena::peers {
namespace {

class Pinocchio : public Adapter<Pinocchio> {
 public:
  explicit Pinocchio(const Robot& robot) : Adapter(robot), model_(model_of(robot)), data_(model_) {}

  bool has(Function) const override { return true; }

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd&, PeerState& state) const {
    place_state(model_, robot_, q, state);
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
  pin::Model model_;
  pin::Data data_;
};

}  // namespace
}  // namespace catena::peers

CATENA_PEER { entry = catena::peers::entry_of<catena::peers::Pinocchio>("Pinocchio", PINOCCHIO_VERSION, ""); }
