// The kernels of this folder for double, each compiled for two instruction sets.
#include <algorithm>

#include "catena/dynamics/articulated_kernel.hpp"
#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/inverse_kernel.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/dynamics/vector_factor.hpp"

namespace catena::kernel {

PaddedMatrix::PaddedMatrix(const Tree& tree) {
  if (!by_factor(tree)) return;
  stride = (tree.nv_full + 15) / 16 * 16;  // four vectors of four at a time
  x.resize(static_cast<std::size_t>(stride) * tree.nv_full);
}

CATENA_CLONES void newton_euler_sweeps(const Tree& reduced, const std::vector<LinkPose<double>>& poses, const double* v,
                                       const double* dv, const BodyAcceleration<double>& ground,
                                       const Force<double>* f_ext, NewtonEuler<double>& out, double* tau) {
  newton_euler_sweeps<double>(reduced, poses, v, dv, ground, f_ext, out, tau);
}

CATENA_CLONES void articulated_sweeps(const Tree& tree, const std::vector<LinkPose<double>>& X, const double* v,
                                      const double* tau, const BodyAcceleration<double>& ground,
                                      const Force<double>* f_ext, NewtonEuler<double>& still, Articulated<double>& out,
                                      double* a) {
  articulated_sweeps<double>(tree, X, v, tau, ground, f_ext, still, out, a);
}

CATENA_CLONES void riccati_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X, Articulated<double>& out) {
  riccati_sweep<double>(tree, X, out, [](int, auto, const auto&) CATENA_INLINE_LAMBDA {});
}

CATENA_CLONES void inverse_matrix_sweeps(const Tree& tree, const std::vector<LinkPose<double>>& X,
                                         Articulated<double>& out, double* M_inv, int stride) {
  inverse_matrix_sweeps<LinkPose<double>>(tree, X, out, M_inv, stride);
}

CATENA_CLONES void mass_rows_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X,
                                   std::vector<Inertia<double>>& composite, TreeRows<double>& rows) {
  mass_rows_sweep<LinkPose<double>>(tree, X, composite, rows);
}

const VectorFactor& vector_factor() { return spatial::processor_has_lanes(4) ? vector_factor_4() : vector_factor_2(); }

int factor_rows(const Tree& tree, TreeRows<double>& rows) { return vector_factor().factor(tree, rows); }

void invert_rows(const Tree& tree, const TreeRows<double>& rows, PaddedMatrix& padded, double* M_inv, int stride) {
  vector_factor().invert(tree, rows, padded);
  for (int j = 0; j < tree.nv_full; ++j) {
    std::copy_n(padded.x.data() + static_cast<std::ptrdiff_t>(j) * padded.stride, tree.nv_full,
                M_inv + static_cast<std::ptrdiff_t>(j) * stride);
  }
}

CATENA_CLONES void mass_matrix_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X,
                                     std::vector<Inertia<double>>& composite, double* M, int stride) {
  mass_matrix_sweep<LinkPose<double>>(tree, X, composite, M, stride);
}

CATENA_CLONES void coriolis_matrix_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X,
                                         const std::vector<Motion<double>>& V, std::vector<Inertia<double>>& composite,
                                         std::vector<VelocityInertia<double>>& composite_bar, double* C, int stride) {
  coriolis_matrix_sweep<LinkPose<double>>(tree, X, V, composite, composite_bar, C, stride);
}

CATENA_CLONES void add_joint_forces(const Tree& tree, const double* q, const double* v, double* tau) {
  add_joint_forces<double>(tree, q, v, tau);
}

}  // namespace catena::kernel
