// M and its first and second derivatives by dual numbers of dual numbers, and majorants of them for rounding bounds.
// Source: formula sheet 4.11 (needs the derivatives), 2.2 (mass matrix).
#pragma once

#include "catena/kinematics/configuration.hpp"

namespace catena::kernel {

struct Metric {
  Matrix M;
  std::vector<Matrix> first;   // [l]: dM/dq_l
  std::vector<Matrix> second;  // [l n + m], both orders

  const Matrix& by(Eigen::Index l, Eigen::Index m) const { return second[l * M.rows() + m]; }
};

// Throws std::invalid_argument for joints whose v is not dq/dt.
Metric metric_derivatives(const Model& model, ConstVector q);

// The same recursion on norms: every entry bounds the sum of the absolute sizes of what was added up to that entry of
// metric_derivatives. Rotations have norm one, so that the bounds do not grow with the length of the chain.
Metric metric_majorants(const Model& model, ConstVector q);

// Each entry of metric_derivatives is within rounding_factor(model) of the majorant's entry.
double rounding_factor(const Model& model);

// k u / (1 - k u): relative error after k roundings.
double gamma(double roundings);

}  // namespace catena::kernel
