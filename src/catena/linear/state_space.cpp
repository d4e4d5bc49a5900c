// Continuous and discrete state space from the linearized forward dynamics.
#include <cmath>

#include "catena/kinematics/brackets.hpp"
#include "catena/linear/exponential.hpp"
#include "catena/linear/storage.hpp"

namespace catena {

using namespace kernel;

StateSpace state_space(const Model& model, ConstVector q, ConstVector v, ConstVector tau, const ExternalLoads& loads) {
  return state_space(model, v, linearize_forward(model, q, v, tau, loads));
}

StateSpace state_space(const Model& model, ConstVector v, const ForwardLinearization& forward) {
  require_velocity(model, v, "v");
  const int n = model.nv();
  StateSpace out{Matrix::Zero(2 * n, 2 * n), Matrix::Zero(2 * n, n)};
  out.A.topRightCorner(n, n).setIdentity();
  out.A.bottomLeftCorner(n, n) = -forward.B_C;
  out.A.bottomRightCorner(n, n) = -forward.A_C;
  out.B.bottomRows(n) = forward.M_inv;
  // dq is carried along by v: d(dq)/dt = dv - ad(v) dq. Zero where joint motions commute.
  for_each_bracket(model.tree(), v.data(), [&](int r, int c, double ad) { out.A(r, c) -= ad; });
  return out;
}

StateSpace discretize(const StateSpace& continuous, double step) {
  if (!(step > 0) || !std::isfinite(step)) throw std::invalid_argument("the step must be positive and finite");
  const Eigen::Index states = continuous.A.rows(), inputs = continuous.B.cols();
  Matrix block = Matrix::Zero(states + inputs, states + inputs);
  block.topLeftCorner(states, states) = continuous.A * step;
  block.topRightCorner(states, inputs) = continuous.B * step;
  if (!std::isfinite(block.cwiseAbs().sum()))
    throw NumericalError("the state matrix times the step overflows: take a shorter step", "");
  const Matrix sampled = exponential(std::move(block));
  if (!sampled.allFinite())
    throw NumericalError("the step is too long: the sampled system overflows, take a shorter one", "");
  return {sampled.topLeftCorner(states, states), sampled.topRightCorner(states, inputs)};
}

}  // namespace catena
