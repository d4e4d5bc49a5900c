// Where Pinocchio has two backends, the one that its pages do not name first: M and forward dynamics in the world's axes, and
// M⁻¹ from the Cholesky factor of M.
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/config.hpp>

#include "bench/peers/pinocchio_model.hpp"

namespace catena::peers {
namespace {

class PinocchioSecond : public Adapter<PinocchioSecond> {
 public:
  explicit PinocchioSecond(const Robot& robot) : Adapter(robot), model_(model_of(robot)), data_(model_) {}

  bool has(Function function) const override {
    return function == Function::mass_matrix || function == Function::forward ||
           function == Function::mass_matrix_inverse;
  }

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd&, PeerState& state) const {
    place_state(model_, robot_, q, state);
  }

  void run(Function function, const PeerState& s) {
    switch (function) {
      case Function::mass_matrix: pin::crba(model_, data_, s.q, pin::Convention::WORLD); break;
      case Function::forward: pin::aba(model_, data_, s.q, s.v, s.tau, pin::Convention::WORLD); break;
      default:
        pin::crba(model_, data_, s.q);
        pin::cholesky::decompose(model_, data_);
        pin::cholesky::computeMinv(model_, data_);
    }
  }

  std::vector<Eigen::MatrixXd> blocks(Function function) const {
    if (function == Function::forward) return {data_.ddq};
    if (function == Function::mass_matrix) return {whole(data_.M)};
    return {whole(data_.Minv)};
  }

 private:
  pin::Model model_;
  pin::Data data_;
};

}  // namespace
}  // namespace catena::peers

CATENA_PEER {
  entry = catena::peers::entry_of<catena::peers::PinocchioSecond>("Pinocchio, second way", PINOCCHIO_VERSION, "");
}
