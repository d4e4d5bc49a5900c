#include "catena/linear/linearize.hpp"

#include <algorithm>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/kinematics/storage.hpp"
#include "catena/linear/storage.hpp"
#include "catena/linear/wide_linear.hpp"

namespace catena {

using namespace kernel;

LinearWorkspace::Storage::Storage(const Model& model)
    : dynamics(model),
      world(model.tree()),
      composite(model.tree()),
      factored(model.tree()),
      articulated(model.tree()),
      chain(model.tree()),
      directional(model.tree()),
      dq(model.tree().nv_full),
      dv(dq),
      change(dq),
      world_fixed(model.tree().count()),
      a(Vector::Zero(model.nv())) {
  if (!model.has_couplings()) return;
  const std::size_t square = static_cast<std::size_t>(model.tree().nv_full) * model.tree().nv_full;
  for (auto* matrix : {&full_M, &full_A, &full_B}) matrix->resize(square);
}

LinearWorkspace::LinearWorkspace(const Model& model) : storage_(std::make_unique<Storage>(model)) {}
LinearWorkspace::LinearWorkspace(LinearWorkspace&&) noexcept = default;
LinearWorkspace& LinearWorkspace::operator=(LinearWorkspace&&) noexcept = default;
LinearWorkspace::~LinearWorkspace() = default;

namespace kernel {

namespace {

bool is_world_fixed(const Wrench& wrench) { return wrench.axes != Axes::body; }

// turn(frame, wrench): the change of one world-fixed wrench as its body rotates.
template <class Turn>
const VelocityInertia<double>* collect_world_fixed(const Tree& tree, const ExternalLoads& loads,
                                                   std::vector<VelocityInertia<double>>& out, const Turn& turn) {
  if (std::none_of(loads.wrenches.begin(), loads.wrenches.end(), is_world_fixed)) return nullptr;
  std::fill(out.begin(), out.end(), VelocityInertia<double>{Mat3<double>::zero(), Vec3<double>::zero()});
  for (const Wrench& wrench : loads.wrenches) {
    if (!is_world_fixed(wrench)) continue;
    const TreeFrame& frame = tree.frames[wrench.frame];
    out[frame.body] += turn(frame, wrench);
  }
  return out.data();
}

}  // namespace

const VelocityInertia<double>* world_fixed_in_world(const Model& model, const ExternalLoads& loads,
                                                    const WorldSweep<double>& world,
                                                    std::vector<VelocityInertia<double>>& out) {
  const ReducedTree& reduced = model.reduced();
  const Mat3<double>& ground = reduced.frames[0].R;
  return collect_world_fixed(reduced.tree, loads, out, [&](const TreeFrame& frame, const Wrench& wrench) {
    const Transform<double> pose = world.world[frame.body] * frame.pose;
    return world_fixed_wrench(pose.R * vec3(wrench.point) + pose.p,
                              spatial::transposed_times(ground, vec3(wrench.force)),
                              spatial::transposed_times(ground, vec3(wrench.moment)));
  });
}

const VelocityInertia<double>* world_fixed_in_bodies(const Model& model, const ExternalLoads& loads,
                                                     const std::vector<LinkPose<double>>& X,
                                                     std::vector<VelocityInertia<double>>& out) {
  const ReducedTree& reduced = model.reduced();
  return collect_world_fixed(reduced.tree, loads, out, [&](const TreeFrame& frame, const Wrench& wrench) {
    Mat3<double> R = Mat3<double>::identity();  // the body's axes in the world
    for (int k = frame.body; k > 0; k = reduced.tree.bodies[k].parent) {
      R = {turn_up(X[k], R.cx), turn_up(X[k], R.cy), turn_up(X[k], R.cz)};
    }
    R = reduced.frames[0].R * R;
    const Vec3<double> c = frame.pose.R * vec3(wrench.point) + frame.pose.p;
    return world_fixed_wrench(c, spatial::transposed_times(R, vec3(wrench.force)),
                              spatial::transposed_times(R, vec3(wrench.moment)));
  });
}

double friction_derivative(const ComponentTerms& terms, double v) {
  if (terms.friction == 0) return terms.damping;
  const double t = std::tanh(v * terms.inverse_friction_scale);
  return terms.damping + terms.friction * terms.inverse_friction_scale * (1 - t * t);
}

namespace {

// q and v, and where the links are.
Workspace::Storage& load_motion(const Model& model, LinearWorkspace::Storage& linear, ConstVector q, ConstVector v,
                                const ExternalLoads& loads) {
  Workspace::Storage& work = prepare(model, linear.dynamics);
  load_state(model, work, q, loads);
  load_velocities(model, work, v);
  update_links(model.reduced(), work.q.data(), work.links);
  return work;
}

Motion<double> velocity_of_ground(const Model& model, const ExternalLoads& loads) {
  return in_reduced_frame(model, base_velocity(loads));
}
Motion<double> acceleration_of_ground(const Model& model, const ExternalLoads& loads) {
  return in_reduced_frame(model, base_acceleration(model, loads));
}

}  // namespace

const VelocityInertia<double>* prepare_world(const Model& model, LinearWorkspace::Storage& linear, ConstVector q,
                                             ConstVector v, ConstVector a, const ExternalLoads& loads) {
  Workspace::Storage& work = load_motion(model, linear, q, v, loads);
  load_accelerations(model, work, a);
  world_sweep(model.reduced().tree, work.links.X, work.v.data(), work.a.data(), velocity_of_ground(model, loads),
              acceleration_of_ground(model, loads), in_reduced_frames(model, collect_wrenches(model, loads, work)),
              linear.world);
  return world_fixed_in_world(model, loads, linear.world, linear.world_fixed);
}

namespace {

void add_joint_derivatives(const Tree& tree, const Workspace::Storage& work, double* A, double* B, int stride) {
  if (!tree.has_terms) return;
  for (int i = 0; i < tree.nv_full; ++i) A[i + i * stride] += friction_derivative(tree.terms[i], work.v[i]);
  for_each_spring_derivative(tree, work.q.data(), [&](int r, int c, double k) { B[r + c * stride] += k; });
}

}  // namespace
}  // namespace kernel

void linearize_inverse(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector a,
                       MatrixRef M, MatrixRef A_D, MatrixRef B_D, const ExternalLoads& loads) {
  LinearWorkspace::Storage& linear = workspace.storage();
  require_square(model, M, "M");
  require_square(model, A_D, "A_D");
  require_square(model, B_D, "B_D");
  const Tree& tree = model.reduced().tree;
  Workspace::Storage& work = linear.dynamics.storage();
  const bool wide = loads.wrenches.empty() && is_wide(tree);
  const VelocityInertia<double>* world_fixed = nullptr;
  if (wide) {
    load_motion(model, linear, q, v, loads);
    load_accelerations(model, work, a);
  } else {
    world_fixed = prepare_world(model, linear, q, v, a, loads);
  }
  const bool direct =
      tree.couplings.empty() && M.outerStride() == A_D.outerStride() && M.outerStride() == B_D.outerStride();
  if (!direct && linear.full_M.empty()) {
    for (auto* matrix : {&linear.full_M, &linear.full_A, &linear.full_B}) {
      matrix->resize(static_cast<std::size_t>(tree.nv_full) * tree.nv_full);
    }
  }
  double* const data[3] = {direct ? M.data() : linear.full_M.data(), direct ? A_D.data() : linear.full_A.data(),
                           direct ? B_D.data() : linear.full_B.data()};
  const int stride = direct ? static_cast<int>(M.outerStride()) : tree.nv_full;
  if (wide) {
    const WideState state = {work.links.X, work.v.data(), velocity_of_ground(model, loads),
                             acceleration_of_ground(model, loads)};
    wide_linear().inverse(tree, state, work.a.data(), work.wide, data[0], data[1], data[2], stride);
  } else {
    kernel::linearize_inverse(tree, linear.world, world_fixed, linear.composite, data[0], data[1], data[2], stride);
  }
  add_joint_derivatives(tree, work, data[1], data[2], stride);
  if (direct) return;
  reduce_matrix(tree, data[0], stride, M);
  reduce_matrix(tree, data[1], stride, A_D);
  reduce_matrix(tree, data[2], stride, B_D);
}

InverseLinearization linearize_inverse(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                                       const ExternalLoads& loads) {
  BorrowedLinearWorkspace workspace(model);
  const int n = model.nv();
  InverseLinearization out{Matrix(n, n), Matrix(n, n), Matrix(n, n)};
  linearize_inverse(model, workspace, q, v, a, out.M, out.A_D, out.B_D, loads);
  return out;
}

namespace {

// Algorithm 4: M, A_D, B_D, then solves. Mimic joints need it; on long paths only where it is asked for by name.
void linearize_forward_dense(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v,
                             ConstVector a, MatrixRef M_inv, MatrixRef A_C, MatrixRef B_C, const ExternalLoads& loads) {
  linearize_inverse(model, workspace, q, v, a, M_inv, A_C, B_C, loads);
  MassFactor& factor = workspace.storage().dynamics.storage().factor;
  if (!model.has_couplings()) factor = MassFactor(model.tree());  // workspaces hold one for mimic joints only
  factor.compute(model, M_inv);
  M_inv.setIdentity();
  factor.solve_in_place(M_inv);
  factor.solve_in_place(A_C);
  factor.solve_in_place(B_C);
}

// Algorithms 3 and 5 are for one direction: column by column.
void linearize_by_directions(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v,
                             ConstVector tau, MatrixRef M_inv, MatrixRef A_C, MatrixRef B_C, const ExternalLoads& loads,
                             LinearMethod method) {
  Vector unit = Vector::Zero(model.nv());
  const Vector zero = unit;
  for (int j = 0; j < model.nv(); ++j) {
    unit[j] = 1;
    forward_dynamics_jvp(model, workspace, q, v, tau, zero, zero, unit, M_inv.col(j), loads, method);
    forward_dynamics_jvp(model, workspace, q, v, tau, zero, unit, zero, A_C.col(j), loads, method);
    forward_dynamics_jvp(model, workspace, q, v, tau, unit, zero, zero, B_C.col(j), loads, method);
    unit[j] = 0;
  }
  A_C *= -1;
  B_C *= -1;
}

// A_C and B_C are sums of products of M^-1 with forces, which the state bounds but for a: below these sizes nothing can
// overflow.
void require_finite_results(const Model& model, const VectorRef& a, const MatrixRef& M_inv, const MatrixRef& A_C,
                            const MatrixRef& B_C) {
  constexpr double largest_a = 1e60, largest_inverse = 1e40;
  if (a.squaredNorm() <= largest_a * largest_a && M_inv.trace() <= largest_inverse) [[likely]]
    return;
  if (!a.allFinite() || !M_inv.allFinite() || !A_C.allFinite() || !B_C.allFinite()) throw_not_finite(model);
}

// Where the derivatives are taken at an acceleration that was found, it is an input like any other: said as the
// overflow that it is, not as a bad argument that the caller never gave.
void require_usable(const Model& model, const VectorRef& a) {
  if (!(a.squaredNorm() <= largest_input * largest_input)) throw_not_finite(model);
}

// x <- M^-1 x = L^-1 D^-1 L^-T x: leaves a residual of roundings in M x, where a product with M^-1 leaves cond M times as
// much (docs/studies/stability.md).
void solve_rows(const Tree& tree, const TreeRows<double>& rows, double* x) {
  for (int k = tree.nv_full - 1; k >= 0; --k) {
    const int i = tree.outward[k];
    const double* const row = rows.row(i);
    for (int j = tree.ancestors[i].above, p = tree.ancestors[i].depth - 1; p >= 0; --p, j = tree.ancestors[j].above) {
      x[j] -= row[p] * x[i];
    }
  }
  for (const int i : tree.outward) {
    const int depth = tree.ancestors[i].depth;
    const double* const row = rows.row(i);
    double sum = x[i] * row[depth];
    for (int j = tree.ancestors[i].above, p = depth - 1; p >= 0; --p, j = tree.ancestors[j].above) {
      sum -= row[p] * x[j];
    }
    x[i] = sum;
  }
}

// a from what drives the joints, with the factor in place.
void solve_for_acceleration(const Tree& tree, const Factored<double>& factored, double* a) {
  std::copy_n(factored.drive.begin(), tree.nv, a);
  solve_rows(tree, factored.rows, a);
}

// The state is loaded, tau without joint forces. Leaves the acceleration in work.a.
void linearize_forward_wide(const Model& model, LinearWorkspace::Storage& linear, double* M_inv, double* A_C,
                            double* B_C, int stride, const ExternalLoads& loads) {
  Workspace::Storage& work = linear.dynamics.storage();
  const Tree& tree = model.reduced().tree;
  Factored<double>& factored = linear.factored;
  const WideState state = {work.links.X, work.v.data(), velocity_of_ground(model, loads),
                           acceleration_of_ground(model, loads)};
  begin_forward()(tree, state, work.tau.data(), work.wide, factored.rows, factored.drive.data());
  if (const int bad = factor_rows(tree, factored.rows); bad >= 0) throw_singular_component(model, bad);
  invert_rows(tree, factored.rows, factored.inverse, M_inv, stride);
  solve_for_acceleration(tree, factored, work.a.data());
  wide_linear().forward(tree, state, work.a.data(), work.wide, factored.A.data(), factored.B.data());
  vector_factor().multiply(factored.inverse.x.data(), factored.inverse.stride,
                           {factored.shared.first, factored.shared.partner, factored.A.data(), factored.B.data()}, A_C,
                           B_C, stride);
}

void linearize_forward_by_factor(const Model& model, LinearWorkspace::Storage& linear, ConstVector q, ConstVector v,
                                 ConstVector tau, VectorRef a, MatrixRef M_inv, MatrixRef A_C, MatrixRef B_C,
                                 const ExternalLoads& loads) {
  if (a.size() != model.nv()) throw std::invalid_argument("a must have nv numbers");
  Workspace::Storage& work = load_motion(model, linear, q, v, loads);
  const Tree& tree = model.reduced().tree;
  load_driving_forces(model, work, tau);
  const int stride = static_cast<int>(M_inv.outerStride());
  if (loads.wrenches.empty()) {
    linearize_forward_wide(model, linear, M_inv.data(), A_C.data(), B_C.data(), stride, loads);
    std::copy_n(work.a.begin(), tree.nv, a.begin());
    return;
  }
  const Force<double>* f_ext = in_reduced_frames(model, collect_wrenches(model, loads, work));
  const int bad = accelerate(tree, work.links.X, velocity_of_ground(model, loads), acceleration_of_ground(model, loads),
                             work.v.data(), work.tau.data(), f_ext, linear.world, linear.composite, linear.factored,
                             M_inv.data(), stride, work.a.data());
  if (bad >= 0) throw_singular_component(model, bad);
  solve_for_acceleration(tree, linear.factored, work.a.data());
  std::copy_n(work.a.begin(), tree.nv, a.begin());
  linearize_by_factor(tree, f_ext, linear.world, world_fixed_in_world(model, loads, linear.world, linear.world_fixed),
                      linear.composite, linear.factored, work.a.data(), M_inv.data(), A_C.data(), B_C.data(), stride);
}

}  // namespace

void linearize_forward(const Model& model, LinearWorkspace& workspace, ConstVector q, ConstVector v, ConstVector tau,
                       VectorRef a, MatrixRef M_inv, MatrixRef A_C, MatrixRef B_C, const ExternalLoads& loads,
                       LinearMethod method) {
  method = method_for_matrices(model, method);
  LinearWorkspace::Storage& linear = workspace.storage();
  const Tree& tree = model.reduced().tree;
  require_square(model, M_inv, "M_inv");
  require_square(model, A_C, "A_C");
  require_square(model, B_C, "B_C");
  const bool along_tree = method == LinearMethod::algorithm_4 && tree.couplings.empty() && by_factor(tree);
  if (!along_tree) {
    forward_dynamics(model, linear.dynamics, q, v, tau, a, loads);
    require_usable(model, a);
  }
  if (method == LinearMethod::algorithm_4 && !along_tree) {
    linearize_forward_dense(model, workspace, q, v, a, M_inv, A_C, B_C, loads);
    require_finite_results(model, a, M_inv, A_C, B_C);
    return;
  }
  if (method == LinearMethod::algorithm_3 || method == LinearMethod::algorithm_5) {
    linearize_by_directions(model, workspace, q, v, tau, M_inv, A_C, B_C, loads, method);
    require_finite_results(model, a, M_inv, A_C, B_C);
    return;
  }
  if (M_inv.outerStride() != A_C.outerStride() || M_inv.outerStride() != B_C.outerStride()) {
    throw std::invalid_argument("M_inv, A_C and B_C must have the same stride between columns");
  }
  const int stride = static_cast<int>(M_inv.outerStride());
  if (along_tree) {
    linearize_forward_by_factor(model, linear, q, v, tau, a, M_inv, A_C, B_C, loads);
  } else {
    const VelocityInertia<double>* world_fixed = prepare_world(model, linear, q, v, a, loads);
    articulated_world_sweep(tree, linear.world, world_fixed, linear.articulated);
    if (method == LinearMethod::algorithm_6) {
      algorithm_6(tree, linear.world, world_fixed != nullptr, linear.articulated, linear.chain, M_inv.data(),
                  A_C.data(), B_C.data(), stride);
    } else {
      algorithm_6t(tree, linear.world, world_fixed != nullptr, linear.articulated, M_inv.data(), A_C.data(), B_C.data(),
                   stride);
    }
  }
  if (tree.has_terms) {
    // d(tau - joint forces): A_C += M^-1 dA, B_C += M^-1 dB
    const Workspace::Storage& work = linear.dynamics.storage();
    for (int i = 0; i < tree.nv; ++i) A_C.col(i) += M_inv.col(i) * friction_derivative(tree.terms[i], work.v[i]);
    for_each_spring_derivative(tree, work.q.data(), [&](int r, int c, double k) { B_C.col(c) += M_inv.col(r) * k; });
  }
  require_finite_results(model, a, M_inv, A_C, B_C);
}

ForwardLinearization linearize_forward(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                       const ExternalLoads& loads, LinearMethod method) {
  BorrowedLinearWorkspace workspace(model);
  const int n = model.nv();
  ForwardLinearization out{Vector(n), Matrix(n, n), Matrix(n, n), Matrix(n, n)};
  linearize_forward(model, workspace, q, v, tau, out.a, out.M_inv, out.A_C, out.B_C, loads, method);
  return out;
}

}  // namespace catena
