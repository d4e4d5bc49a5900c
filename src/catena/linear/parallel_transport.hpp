// Parallel transport of a frame J of covectors along straight lines in q, and theta with it:
//   dJ = J M^-1 C(q, dq)     dtheta = J dq
// C is the matrix of Christoffel symbols of the first kind, C + C' = dM, so that J' J = M is kept on every robot; J is
// the derivative of theta only where the curvature vanishes. Around a closed way J comes back rotated by the curvature
// inside. Source: formula sheet 4.11. For joints with v = dq/dt.
#pragma once

#include "catena/dynamics/mass_factor.hpp"

namespace catena::kernel {

struct ParallelFrame {
  Matrix J;
  Vector theta;
};

class ParallelTransport {
 public:
  explicit ParallelTransport(const Model& model);
  // Throws NumericalError where M is singular on the way.
  ParallelFrame along(const ParallelFrame& start, ConstVector q0, ConstVector q1);

 private:
  Matrix rate(double s, const Matrix& x);
  double step(double s, double h, const Matrix& x, Matrix& out);

  Model model_;
  Workspace workspace_;
  MassFactor factor_;
  Matrix M_, C_;
  Vector q0_, dq_;
};

}  // namespace catena::kernel
