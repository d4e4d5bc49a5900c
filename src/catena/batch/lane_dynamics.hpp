// The kernels for one vector of states: full coordinates in lanes, and what each function needs as scratch memory.
// The equations are those of dynamics/, linear/ and diagonal/; here they are only put in order.
#pragma once

#include <optional>

#include "catena/batch/engine.hpp"
#include "catena/batch/lane_springs.hpp"
#include "catena/diagonal/kernel.hpp"
#include "catena/dynamics/articulated_kernel.hpp"
#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/factor_kernel.hpp"
#include "catena/dynamics/inverse_kernel.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/dynamics/ldl_kernel.hpp"
#include "catena/kinematics/frame_kernel.hpp"
#include "catena/linear/algorithm4.hpp"

// A kernel a function: in one piece they take minutes to compile.
#define CATENA_ALONE __attribute__((noinline))

namespace catena::batch {
namespace {

using namespace kernel;

template <int N>
class LaneDynamics {
 public:
  using S = spatial::Lanes<N>;
  using Numbers = std::vector<S>;

  LaneDynamics(const Tree& tree, const ReducedTree& reduced, const Job& job)
      : tree_(tree),
        reduced_(reduced),
        n_(tree.nv_full),
        job_(job),
        q(tree.nq_full, S(0)),
        v(n_, S(0)),
        x(n_, S(0)),
        y(n_, S(0)),
        zero_(n_, S(0)),
        ordered_(n_, S(0)),
        positions_(tree) {
    const bool coupled = !tree.couplings.empty();
    const std::size_t square = static_cast<std::size_t>(n_) * n_;
    switch (job.function) {
      case Function::inverse:
      case Function::gravity:
      case Function::coriolis:
      case Function::bias:
        links_.emplace(reduced);
        newton_euler_.emplace(tree);
        break;
      case Function::mass_matrix:
        links_.emplace(reduced);
        composite_.resize(tree.count());
        M.resize(square);
        break;
      case Function::mass_matrix_inverse:
        links_.emplace(reduced);
        composite_.resize(tree.count());
        M.resize(square);
        if (by_factor(tree))
          rows_.emplace(tree);
        else
          factor_.resize(square);
        break;
      case Function::coriolis_matrix:
        links_.emplace(reduced);
        composite_.resize(tree.count());
        composite_bar_.resize(tree.count());
        V_.resize(tree.count());
        M.resize(square);
        break;
      case Function::linearize_inverse:
        links_.emplace(reduced);
        world_.emplace(tree);
        sum_.emplace(tree);
        for (Numbers* matrix : {&M, &A, &B}) matrix->resize(square);
        break;
      case Function::linearize_forward:
        world_.emplace(tree);
        sum_.emplace(tree);
        for (Numbers* matrix : {&M, &A, &B}) matrix->resize(square);
        if (by_factor(tree)) {
          links_.emplace(reduced);
          factored_.emplace(tree);
          break;
        }
        [[fallthrough]];
      case Function::forward:
        links_.emplace(reduced);
        newton_euler_.emplace(tree);
        if (coupled) {
          composite_.resize(tree.count());
        } else {
          articulated_.emplace(tree);
        }
        if (coupled || job.function == Function::linearize_forward) {
          M.resize(square);
          factor_.resize(square);
        }
        break;
      case Function::jacobian:
      case Function::pose:
        world_poses_.resize(tree.count(), Transform<S>::identity());
        M.resize(job.outputs.size() * frame_numbers());
        break;
      default:  // quasi-velocities
        links_.emplace(reduced);
        articulated_.emplace(tree);
        diagonal_.emplace(tree);
        xi_.resize(n_);
        C_.resize(n_);
        G_.resize(n_);
        break;
    }
  }

  // Where output k of the job will be.
  const S* result(int k) const {
    if (!world_poses_.empty()) return M.data() + k * frame_numbers();
    const int place = job_.places[k];
    const Numbers* const squares[] = {&M, &A, &B};
    switch (job_.function) {
      case Function::mass_matrix:
      case Function::mass_matrix_inverse:
      case Function::coriolis_matrix:
      case Function::linearize_inverse: return squares[place]->data();
      case Function::linearize_forward: return place == 0 ? y.data() : squares[place - 1]->data();
      case Function::forward_nu:
      case Function::forward_xi: return place == 0 ? v.data() : y.data();
      default: return y.data();
    }
  }

  // Each reads q, v and x (a, tau or nu) in full coordinates; what a function does not take is zero there. False: no
  // safe pivot in some lane.

  // y = tau
  bool inverse() { return forces(x.data(), true, true); }
  bool bias() { return inverse(); }
  bool gravity() { return forces(x.data(), true, false); }
  bool coriolis() { return forces(x.data(), false, false); }
  // M
  CATENA_ALONE bool mass_matrix() {
    place_links();
    mass_matrix_sweep(reduced_.tree, links_->X, composite_, M.data(), n_);
    reduce(M);
    return true;
  }
  // M = C
  CATENA_ALONE bool coriolis_matrix() {
    place_links();
    V_[0] = Motion<S>::zero();
    for (int k = 1; k < tree_.count(); ++k) {
      const TreeBody& body = reduced_.tree.bodies[k];
      Motion<S> s;
      velocity_step(body, links_->X[k], V_[body.parent], v.data() + body.v, V_[k], s);
    }
    coriolis_matrix_sweep(reduced_.tree, links_->X, V_, composite_, composite_bar_, M.data(), n_);
    reduce(M);
    return true;
  }
  // M <- M^-1
  CATENA_ALONE bool mass_matrix_inverse() {
    if (rows_) {
      place_links();
      mass_rows_sweep(reduced_.tree, links_->X, composite_, *rows_);
      if (factor_rows(tree_, *rows_) >= 0) return false;
      invert_rows(tree_, *rows_, M.data(), n_);
      return true;
    }
    mass_matrix();
    if (!factor()) return false;
    invert();
    return true;
  }
  // y = a, from x = tau
  CATENA_ALONE bool forward() {
    if (!tree_.couplings.empty()) return forward_coupled();
    subtract_joint_forces();
    place_links();
    articulated_sweeps(reduced_.tree, links_->X, v.data(), x.data(), resting_ground<S>(reduced_.tree), no_wrenches,
                       *newton_euler_, *articulated_, y.data());
    return articulated_->singular_body == 0;
  }
  // M, A, B at the accelerations a; after place_links
  CATENA_ALONE void linearize_inverse(const S* a) {
    world_sweep(reduced_.tree, links_->X, v.data(), a, Motion<S>::zero(), ground(), no_wrenches, *world_);
    kernel::linearize_inverse(tree_, *world_, no_world_fixed_wrenches, *sum_, M.data(), A.data(), B.data(), n_);
    if (tree_.has_terms) {
      for (int i = 0; i < n_; ++i) A[i + i * n_] += friction_derivative(tree_.terms[i], v[i]);
      for_each_spring_derivative(tree_, q.data(), [&](int r, int c, const S& k) { B[r + c * n_] += k; });
    }
    for (Numbers* matrix : {&M, &A, &B}) reduce(*matrix);
  }
  bool linearize_inverse() {
    place_links();
    linearize_inverse(x.data());
    return true;
  }
  // y = a, M <- M^-1, A <- A_C, B <- B_C
  CATENA_ALONE bool linearize_forward() {
    if (!factored_) return linearize_forward_dense();
    place_links();
    subtract_joint_forces();
    if (accelerate(reduced_.tree, links_->X, Motion<S>::zero(), ground(), v.data(), x.data(), no_wrenches, *world_,
                   *sum_, *factored_, M.data(), n_, y.data()) >= 0) {
      return false;
    }
    linearize_by_factor(reduced_.tree, no_wrenches, *world_, no_world_fixed_wrenches, *sum_, *factored_, y.data(),
                        M.data(), A.data(), B.data(), n_);
    if (!tree_.has_terms) return true;
    // d(tau - joint forces): A_C += M^-1 dA, B_C += M^-1 dB
    for (int i = 0; i < n_; ++i) add_column(M, i, friction_derivative(tree_.terms[i], v[i]), A, i);
    for_each_spring_derivative(tree_, q.data(), [&](int r, int c, const S& k) { add_column(M, r, k, B, c); });
    return true;
  }
  // Normalised: nu and epsilon; otherwise xi and kappa.
  // y = nu or xi, from v
  CATENA_ALONE bool quasi_velocity(bool normalised) {
    if (!diagonalize()) return false;
    quasi_velocity_sweep<false>(reduced_.tree, links_->X, *articulated_, Motion<S>::zero(), v.data(), y.data(),
                                *diagonal_);
    if (normalised) rescale<Scaling::xi_to_nu>(tree_, *articulated_, *diagonal_, y.data());
    return true;
  }
  // y = epsilon or kappa, from v = tau
  CATENA_ALONE bool quasi_force(bool normalised) {
    if (!diagonalize()) return false;
    kappa(v.data());
    if (normalised) rescale<Scaling::kappa_to_epsilon>(tree_, *articulated_, *diagonal_, y.data());
    return true;
  }
  // y = v, from v = nu or xi
  CATENA_ALONE bool velocity_back(bool normalised) {
    if (!diagonalize()) return false;
    velocity_from_quasi(normalised, y.data());
    return true;
  }
  // y = tau, from v = epsilon or kappa
  CATENA_ALONE bool force_back(bool normalised) {
    if (!diagonalize()) return false;
    if (normalised) rescale<Scaling::epsilon_to_kappa>(tree_, *articulated_, *diagonal_, v.data());
    quasi_force_sweep<true>(reduced_.tree, links_->X, *articulated_, y.data(), v.data(), *diagonal_);
    return true;
  }
  // v <- v, y = nu_dot or xi_dot, from v = nu or xi and x = tau
  CATENA_ALONE bool forward_quasi(bool normalised) {
    if (!diagonalize()) return false;
    velocity_from_quasi(normalised, v.data());
    change_of_inertia();
    if (normalised) coriolis_nu();  // the sweep of xi has it in its own
    const Vec3<double>& g = reduced_.tree.gravity;
    gravity_xi_sweep(reduced_.tree, links_->X, *articulated_, Vec3<S>{S(g.x), S(g.y), S(g.z)}, articulated_->alpha,
                     G_.data());
    subtract_joint_forces();
    if (!normalised) {
      forward_xi();
      return true;
    }
    // kappa of tau less joint forces, then all that is S^-1 (...) at once
    kappa(x.data());
    for (int i = 0; i < n_; ++i) y[i] -= G_[i];
    rescale<Scaling::kappa_to_epsilon>(tree_, *articulated_, *diagonal_, y.data());
    for (int i = 0; i < n_; ++i) y[i] -= C_[i];
    return true;
  }
  // M = Jacobians or poses of the frames, one behind the other; of those that are wanted.
  bool jacobians() { return frames(); }
  bool poses() { return frames(); }

 private:
  // y = tau
  CATENA_ALONE bool forces(const S* a, bool with_gravity, bool terms) {
    bare_inverse(a, with_gravity);
    if (terms && tree_.has_terms) {
      for (int i = 0; i < n_; ++i) y[i] += a[i] * tree_.terms[i].armature;
      add_joint_forces(tree_, q.data(), v.data(), y.data());
    }
    reduce_forces(tree_, y.data());
    return true;
  }
  CATENA_ALONE bool frames() {
    place_bodies();
    for (const int k : job_.bodies) {
      const int parent = tree_.bodies[k].parent;
      if (parent == 0) {
        world_poses_[k] = positions_.X[k];
      } else {
        world_poses_[k] = world_poses_[parent] * positions_.X[k];
      }
    }
    for (int k = 0; k < static_cast<int>(job_.places.size()); ++k) {
      if (wanted[k].data == nullptr) continue;
      const TreeFrame& frame = tree_.frames[job_.places[k]];
      S* const out = M.data() + k * frame_numbers();
      if (job_.function == Function::jacobian) {
        frame_jacobian(tree_, world_poses_, frame, out);
      } else {
        write_pose(frame_pose(frame, world_poses_), out);
      }
    }
    return true;
  }

  static constexpr const Force<S>* no_wrenches = nullptr;
  static constexpr const VelocityInertia<S>* no_world_fixed_wrenches = nullptr;

  Motion<S> ground() const {
    const Vec3<double>& g = reduced_.tree.gravity;
    return {Vec3<S>::zero(), {S(-g.x), S(-g.y), S(-g.z)}};
  }
  static CATENA_INLINE S friction_derivative(const ComponentTerms& terms, const S& velocity) {
    if (terms.friction == 0) return S(terms.damping);
    const S t = tanh(velocity * terms.inverse_friction_scale);
    return S(terms.damping) + (S(1) - t * t) * (terms.friction * terms.inverse_friction_scale);
  }

  CATENA_ALONE void place_bodies() { update_positions(tree_, q.data(), positions_); }
  CATENA_ALONE void place_links() { update_links(reduced_, q.data(), *links_); }

  // y = tau of the bodies alone; a may be null for zero
  CATENA_ALONE void bare_inverse(const S* a, bool gravity) {
    place_links();
    BodyAcceleration<S> ground = resting_ground<S>(reduced_.tree);
    if (!gravity) ground.a = Vec3<S>::zero();
    newton_euler_sweeps(reduced_.tree, links_->X, v.data(), a, ground, no_wrenches, *newton_euler_, y.data());
  }

  // E' M E, moved to the front: nv x nv without gaps
  CATENA_ALONE void reduce(Numbers& matrix) const {
    if (tree_.couplings.empty()) return;
    S* const m = matrix.data();
    for (const Coupling& c : tree_.couplings) {
      for (int i = 0; i < n_; ++i) m[i + c.master_v * n_] += m[i + c.v * n_] * c.ratio;
    }
    for (const Coupling& c : tree_.couplings) {
      for (int i = 0; i < n_; ++i) m[c.master_v + i * n_] += m[c.v + i * n_] * c.ratio;
    }
    const int nv = tree_.nv;
    for (int j = 0; j < nv; ++j) {
      for (int i = 0; i < nv; ++i) m[i + j * nv] = m[i + j * n_];
    }
  }

  CATENA_ALONE bool diagonalize() {
    place_links();
    riccati_sweep(reduced_.tree, links_->X, *articulated_, [](int, auto, const auto&) CATENA_INLINE_LAMBDA {});
    update_roots(tree_, *articulated_, *diagonal_);
    return articulated_->singular_body == 0;
  }

  // The pieces of quasi-velocities; after diagonalize.
  CATENA_ALONE void change_of_inertia() {
    riccati_rate_sweep(reduced_.tree, links_->X, *articulated_, v.data(), *diagonal_);
  }
  CATENA_ALONE void coriolis_nu() {
    coriolis_xi_sweep(reduced_.tree, links_->X, *articulated_, no_wrenches, *diagonal_, C_.data());
    coriolis_nu_from_xi(tree_, *articulated_, *diagonal_, xi_.data(), C_.data());
  }
  CATENA_ALONE void forward_xi() {
    forward_xi_sweep(reduced_.tree, links_->X, *articulated_, x.data(), no_wrenches, articulated_->alpha, *diagonal_,
                     y.data());
  }
  CATENA_ALONE void kappa(S* tau) {
    quasi_force_sweep<false>(reduced_.tree, links_->X, *articulated_, tau, y.data(), *diagonal_);
  }
  // v from v = nu or xi, which stays as xi_
  CATENA_ALONE void velocity_from_quasi(bool normalised, S* to) {
    for (int i = 0; i < n_; ++i) xi_[i] = v[i];
    if (normalised) rescale<Scaling::nu_to_xi>(tree_, *articulated_, *diagonal_, xi_.data());
    quasi_velocity_sweep<true>(reduced_.tree, links_->X, *articulated_, Motion<S>::zero(), to, xi_.data(), *diagonal_);
  }
  std::ptrdiff_t frame_numbers() const { return job_.function == Function::jacobian ? 6 * n_ : 12; }

  // x = tau less the forces of the joints themselves
  void subtract_joint_forces() {
    if (!tree_.has_terms) return;
    for (int i = 0; i < n_; ++i) y[i] = S(0);
    add_joint_forces(tree_, q.data(), v.data(), y.data());
    for (int i = 0; i < n_; ++i) x[i] -= y[i];
  }
  void add_column(const Numbers& from, int c, const S& factor, Numbers& to, int column) const {
    for (int i = 0; i < n_; ++i) to[i + column * n_] += from[i + c * n_] * factor;
  }

  // Dense, of M, nv x nv: where mimic joints or very long paths ask for it.
  CATENA_ALONE bool factor() {
    const int nv = tree_.nv;
    const int* const order = tree_.tips_first.data();
    for (int j = 0; j < nv; ++j) {
      for (int i = 0; i < nv; ++i) factor_[i + j * nv] = M[order[i] + order[j] * nv];
    }
    return ldl_factor(nv, factor_.data(), nv, [&](int j) { return tree_.pivot_floor[order[j]]; }) < 0;
  }
  CATENA_ALONE void solve(S* b) {
    const int nv = tree_.nv;
    const int* const order = tree_.tips_first.data();
    for (int i = 0; i < nv; ++i) ordered_[i] = b[order[i]];
    ldl_solve(nv, factor_.data(), nv, ordered_.data());
    for (int i = 0; i < nv; ++i) b[order[i]] = ordered_[i];
  }
  void invert() {
    const int nv = tree_.nv;
    for (int j = 0; j < nv; ++j) {
      for (int i = 0; i < nv; ++i) M[i + j * nv] = S(i == j ? 1 : 0);
      solve(M.data() + j * nv);
    }
  }
  CATENA_ALONE bool forward_coupled() {
    forces(zero_.data(), true, true);
    for (int i = 0; i < tree_.nv; ++i) x[i] -= y[i];
    mass_matrix();
    if (!factor()) return false;
    for (int i = 0; i < tree_.nv; ++i) y[i] = x[i];
    solve(y.data());
    return true;
  }
  CATENA_ALONE bool linearize_forward_dense() {
    if (!forward()) return false;
    expand_velocities(tree_, y.data());
    linearize_inverse(y.data());
    if (!factor()) return false;
    invert();
    for (Numbers* matrix : {&A, &B}) {
      for (int j = 0; j < tree_.nv; ++j) solve(matrix->data() + j * tree_.nv);
    }
    return true;
  }

  const Tree& tree_;
  const ReducedTree& reduced_;
  int n_;
  const Job& job_;

 public:
  Numbers q, v, x, y;              // full coordinates
  Numbers M, A, B;                 // results, nv x nv at the front, or frame by frame
  const States* wanted = nullptr;  // outputs of the job; without data: not wanted

 private:
  Numbers zero_, factor_, ordered_, xi_, C_, G_;
  Positions<S> positions_;
  std::optional<LinkPoses<S>> links_;
  std::optional<NewtonEuler<S>> newton_euler_;
  std::optional<Articulated<S>> articulated_;
  std::optional<Diagonal<S>> diagonal_;
  std::optional<TreeRows<S>> rows_;
  std::vector<Inertia<S>> composite_;
  std::vector<VelocityInertia<S>> composite_bar_;
  std::vector<Motion<S>> V_;
  std::vector<Transform<S>> world_poses_;
  std::optional<WorldSweep<S>> world_;
  std::optional<Composite<S>> sum_;
  std::optional<Factored<S>> factored_;
};

}  // namespace
}  // namespace catena::batch
