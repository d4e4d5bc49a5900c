// Inside of Workspace: full-coordinate vectors and the outputs of each sweep, sized once from the tree.
#pragma once

#include "catena/dynamics/articulated_kernel.hpp"
#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/mass_factor.hpp"
#include "catena/dynamics/wide.hpp"
#include "catena/dynamics/workspace.hpp"
#include "catena/model/scratch.hpp"

namespace catena {

struct Workspace::Storage {
  explicit Storage(const Model& model);

  Model model;  // whose constants `links` refers to; others of the same size may take its place
  std::vector<double> q, v, a, tau;
  kernel::Positions<double> positions;  // in the user's frames: where external wrenches act
  kernel::LinkPoses<double> links;      // on the reduced tree, as all below
  kernel::NewtonEuler<double> newton_euler;
  kernel::Articulated<double> articulated;
  std::vector<kernel::Inertia<double>> composite;
  std::vector<kernel::VelocityInertia<double>> composite_bar;
  kernel::Wide wide;
  kernel::TreeRows<double> rows;
  kernel::PaddedMatrix inverse;
  std::vector<kernel::Force<double>> f_ext;
  std::vector<double> full_matrix;              // nv_full^2, for models with mimic joints only
  Matrix reduced_matrix;                        // nv x nv, likewise
  kernel::MassFactor factor;                    // likewise
  std::vector<kernel::Force<double>> f_bodies;  // by body of the description, for reactions
};

using BorrowedWorkspace = Borrowed<Workspace, Scratch::dynamics>;

namespace kernel {

// What every entry point does first. Throw std::invalid_argument.
Workspace::Storage& prepare(const Model& model, Workspace& workspace);
void load_positions(const Model& model, Workspace::Storage& work, const ConstVector& q);  // work.q and where bodies are
void load_coordinates(const Model& model, Workspace::Storage& work, const ConstVector& q);  // work.q alone
// The same for inverse_of_bodies: where bodies are only if collect_wrenches is going to ask.
void load_state(const Model& model, Workspace::Storage& work, const ConstVector& q, const ExternalLoads& loads);
void load_velocities(const Model& model, Workspace::Storage& work, const ConstVector& v);
void load_accelerations(const Model& model, Workspace::Storage& work, const ConstVector& a);
// work.tau: tau without what the joints' own damping, friction and springs take. After positions and velocities;
// work.a serves as scratch memory.
void load_driving_forces(const Model& model, Workspace::Storage& work, const ConstVector& tau);
void require_square(const Model& model, const MatrixRef& M, const char* what);

// Motion of the ground with gravity subtracted from the acceleration.
Motion<double> base_velocity(const ExternalLoads& loads);
Motion<double> base_acceleration(const Model& model, const ExternalLoads& loads);
BodyAcceleration<double> ground_body_acceleration(const Model& model,
                                                  const ExternalLoads& loads);  // in the reduced frame
Motion<double> in_reduced_frame(const Model& model, const Motion<double>& of_ground);

// An external wrench at the origin and in the axes of the tree body that it acts on. After load_state.
Force<double> wrench_on_body(const Model& model, const Wrench& wrench, const Workspace::Storage& work);
// Collects external wrenches by tree body, in work.f_ext; null when there are none.
Force<double>* collect_wrenches(const Model& model, const ExternalLoads& loads, Workspace::Storage& work);
const Force<double>* in_reduced_frames(const Model& model, Force<double>* f_ext);  // in place; null stays null

// E' M E of a matrix in full coordinates, E = d(full) / d(own).
void reduce_matrix(const Tree& tree, double* full, int stride, MatrixRef out);

// Results that may overflow though all that went in is within bounds. Throw NumericalError.
[[noreturn]] void throw_not_finite(const Model& model);
inline void require_finite(const Model& model, const double* x) {  // nv numbers; x * 0 is 0 for finite ones only
  if ((Eigen::Map<const Vector>(x, model.tree().nv).array() * 0.0).sum() != 0) throw_not_finite(model);
}
inline void require_finite_inverse(const Model& model, const MatrixRef& M_inv) {  // |M_ij| <= sqrt(M_ii M_jj)
  if ((M_inv.diagonal().array() * 0.0).sum() != 0) throw_not_finite(model);
}

[[noreturn]] void throw_singular(const Model& model, int body);
[[noreturn]] void throw_singular_component(const Model& model, int component);  // of the full velocities

// M(q) after load_coordinates, factored in work.rows. Throws NumericalError.
void factor_mass_matrix(const Model& model, Workspace::Storage& work);
void factor_rows(const Model& model, Workspace::Storage& work);  // M stands there already

}  // namespace kernel
}  // namespace catena
