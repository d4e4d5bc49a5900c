// Inside of LinearWorkspace, and what the linearizations share.
#pragma once

#include "catena/dynamics/storage.hpp"
#include "catena/linear/algorithm4.hpp"
#include "catena/linear/algorithm6.hpp"
#include "catena/linear/algorithm6t.hpp"
#include "catena/linear/directional_kernel.hpp"
#include "catena/linear/linearize.hpp"

namespace catena {

struct LinearWorkspace::Storage {
  explicit Storage(const Model& model);

  Workspace dynamics;
  kernel::WorldSweep<double> world;
  kernel::Composite<double> composite;
  kernel::Factored<double> factored;
  kernel::ArticulatedWorld<double> articulated;
  kernel::ChainColumns<double> chain;
  kernel::Directional<double> directional;
  std::vector<double> dq, dv, change;                        // one direction, in full coordinates
  std::vector<kernel::VelocityInertia<double>> world_fixed;  // wrenches that keep their direction in the world
  std::vector<double> full_M, full_A, full_B;                // nv_full^2, for models with mimic joints only
  Vector a;                                                  // nv
};

using BorrowedLinearWorkspace = Borrowed<LinearWorkspace, Scratch::linear>;

namespace kernel {

// The change of world-axes wrenches when bodies rotate under them, by tree body; null when there are none.
// In the axes of the sweep at its point, or in reduced frames.
const VelocityInertia<double>* world_fixed_in_world(const Model& model, const ExternalLoads& loads,
                                                    const WorldSweep<double>& world,
                                                    std::vector<VelocityInertia<double>>& out);
const VelocityInertia<double>* world_fixed_in_bodies(const Model& model, const ExternalLoads& loads,
                                                     const std::vector<LinkPose<double>>& X,
                                                     std::vector<VelocityInertia<double>>& out);

// What automatic stands for in one direction. Throws std::invalid_argument for a method that the robot has not or that
// is one for matrices.
LinearMethod method_for_direction(const Model& model, LinearMethod method);

// Everything up to the world sweep at (q, v, a). Returns the world-fixed wrenches.
const VelocityInertia<double>* prepare_world(const Model& model, LinearWorkspace::Storage& linear, ConstVector q,
                                             ConstVector v, ConstVector a, const ExternalLoads& loads);

// E' x of columns in full coordinates, E = d(full) / d(own).
inline Matrix reduce_rows(const Tree& tree, Matrix full) {
  for (const Coupling& c : tree.couplings) full.row(c.master_v) += c.ratio * full.row(c.v);
  return full.topRows(tree.nv);
}

// d(joint forces)/dv, a diagonal, and d(joint forces)/dq, blocks on the diagonal (springs). Full coordinates.
double friction_derivative(const ComponentTerms& terms, double v);
// Calls add(row, column, value) for each entry of the springs' derivative.
template <class S, class Add>
void for_each_spring_derivative(const Tree& tree, const S* q, const Add& add);

}  // namespace kernel
}  // namespace catena

#include "catena/linear/spring_derivative.hpp"
