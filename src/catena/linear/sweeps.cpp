// The kernels of this folder for double, each compiled for two instruction sets.
#include "catena/linear/algorithm4.hpp"
#include "catena/linear/algorithm6.hpp"
#include "catena/linear/algorithm6t.hpp"
#include "catena/linear/wide_linear.hpp"

namespace catena::kernel {

SharedPaths::SharedPaths(const Tree& tree) {
  if (!by_factor(tree)) return;
  std::vector<std::vector<int>> shared(tree.nv_full);
  for (int i = 0; i < tree.nv_full; ++i) {
    for (int j = i; j >= 0; j = tree.ancestors[j].above) {
      shared[i].push_back(j);
      if (j != i) shared[j].push_back(i);
    }
  }
  first.push_back(0);
  for (const std::vector<int>& own : shared) {
    partner.insert(partner.end(), own.begin(), own.end());
    first.push_back(static_cast<int>(partner.size()));
  }
}

const WideLinear& wide_linear() { return spatial::processor_has_lanes(4) ? wide_linear_4() : wide_linear_2(); }

CATENA_CLONES void world_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X, const double* v,
                               const double* a, const Motion<double>& V_0, const Motion<double>& alpha_0,
                               const Force<double>* f_ext, WorldSweep<double>& out) {
  world_sweep<LinkPose<double>, double>(tree, X, v, a, V_0, alpha_0, f_ext, out);
}

CATENA_CLONES void linearize_inverse(const Tree& tree, const WorldSweep<double>& w,
                                     const VelocityInertia<double>* world_fixed, Composite<double>& sum, double* M,
                                     double* A_D, double* B_D, int stride) {
  linearize_inverse<double>(tree, w, world_fixed, sum, M, A_D, B_D, stride);
}

CATENA_CLONES int accelerate(const Tree& tree, const std::vector<LinkPose<double>>& X, const Motion<double>& V_0,
                             const Motion<double>& alpha_0, const double* v, const double* tau,
                             const Force<double>* f_ext, WorldSweep<double>& w, Composite<double>& sum,
                             Factored<double>& out, double* M_inv, int stride, double* a) {
  return accelerate<double>(tree, X, V_0, alpha_0, v, tau, f_ext, w, sum, out, M_inv, stride, a);
}

CATENA_CLONES void linearize_by_factor(const Tree& tree, const Force<double>* f_ext, WorldSweep<double>& w,
                                       const VelocityInertia<double>* world_fixed, Composite<double>& sum,
                                       Factored<double>& out, const double* a, const double* M_inv, double* A_C,
                                       double* B_C, int stride) {
  linearize_by_factor<double>(tree, f_ext, w, world_fixed, sum, out, a, M_inv, A_C, B_C, stride);
}

CATENA_CLONES void articulated_world_sweep(const Tree& tree, const WorldSweep<double>& w,
                                           const VelocityInertia<double>* world_fixed, ArticulatedWorld<double>& out) {
  articulated_world_sweep<double>(tree, w, world_fixed, out);
}

CATENA_CLONES void algorithm_6t(const Tree& tree, const WorldSweep<double>& w, bool world_fixed,
                                ArticulatedWorld<double>& art, double* M_inv, double* A_C, double* B_C, int stride) {
  algorithm_6t<double>(tree, w, world_fixed, art, M_inv, A_C, B_C, stride);
}

CATENA_CLONES void algorithm_6(const Tree& tree, const WorldSweep<double>& w, bool world_fixed,
                               const ArticulatedWorld<double>& art, ChainColumns<double>& out, double* M_inv,
                               double* A_C, double* B_C, int stride) {
  algorithm_6<double>(tree, w, world_fixed, art, out, M_inv, A_C, B_C, stride);
}

}  // namespace catena::kernel
