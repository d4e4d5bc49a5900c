// One state in double with a body, then a component of a joint, in each lane of a vector: in the axes of the ground
// bodies depend on one another through sums only, so that four of them, or two, go through the formulas side by side.
// For trees without long paths, without external wrenches. Here what linearized forward dynamics begins with, M and the
// bias; linear/wide_linear.hpp goes on. (Alone, M, inverse and forward dynamics are faster in the frames of the bodies.)
#pragma once

#include "catena/dynamics/composite_kernel.hpp"

namespace catena::kernel {

// What a joint carries, summed over all bodies from its own outward: 28 numbers, whole vectors.
template <class S>
struct Load {
  Inertia<S> R;
  VelocityInertia<S> twice_R_bar;
  Force<S> f;
};

// Pose of a body; columns of whole vectors, so that a child reads what its parent wrote in the same pieces.
struct WidePose {
  double cx[4], cy[4], cz[4], p[4];
};

// Axes of the ground; 6-vectors at the point where the first body is (world_kernel.hpp says why).
struct Wide {
  Vec3<double> point{};
  std::vector<WidePose> world;           // by body
  std::vector<Inertia<double>> M;        // by body
  std::vector<Motion<double>> V, alpha;  // by body
  std::vector<Load<double>> load;        // by body
  std::vector<Motion<double>> H;         // by place in tree.depth_first
  // Numbers of each place side by side, a row for each: what products between columns take.
  enum Row { row_H = 0, row_X = 6, row_Hv = 12, row_Hw = 18, row_Hq = 24, row_XA = 27, row_XB = 33, row_own = 39 };
  enum { row_X_bar = 45, row_bias = 48, row_diagonal = 49, rows = 52 };
  int stride = 0;
  std::vector<double> numbers;

  explicit Wide(const Tree& tree);
  CATENA_INLINE ~Wide() {}  // NOLINT: likewise
  CATENA_INLINE double* row(int r) { return numbers.data() + static_cast<std::ptrdiff_t>(r) * stride; }
  CATENA_INLINE const double* row(int r) const { return numbers.data() + static_cast<std::ptrdiff_t>(r) * stride; }
};

// Memory grows with the components; on long paths the pairs of columns are what counts.
inline bool is_wide(const Tree& tree) { return tree.longest_path <= longest_factored_path; }

// A state: poses of the bodies in their parents, velocities, motion of the ground with gravity subtracted.
struct WideState {
  const std::vector<LinkPose<double>>& X;
  const double* v;
  Motion<double> V_0, alpha_0;
};

// M in rows, with armature, and tau - bias, for tau without joint forces.
using BeginForward = void (*)(const Tree& tree, const WideState& state, const double* tau, Wide& wide,
                              TreeRows<double>& rows, double* drive);
BeginForward begin_forward();  // for this processor
BeginForward begin_forward_2();
BeginForward begin_forward_4();

}  // namespace catena::kernel
