// A robot's functions written once with the tracing scalar on the reduced tree; what they leave behind is the graph.
#pragma once

#include <algorithm>
#include <map>
#include <ranges>
#include <string_view>

#include "catena/compile/diagonal_sweeps.hpp"
#include "catena/compile/program.hpp"
#include "catena/compile/tracing.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/dynamics/ldl_kernel.hpp"
#include "catena/kinematics/frame_kernel.hpp"
#include "catena/kinematics/sweeps.hpp"
#include "catena/linear/algorithm2.hpp"
#include "catena/linear/algorithm6t.hpp"
#include "catena/model/parametric_tree.hpp"

namespace catena::compile {

using Results = std::map<std::string, std::vector<Traced>>;

class Tracer {
 public:
  using S = Traced;
  using Numbers = std::vector<S>;

  // The model and the blocks must outlive it. articulated: by sweeps of articulated bodies, where there is a choice.
  Tracer(const Model& model, const Signature& blocks, bool articulated = false)
      : reduced_(model.reduced()),
        blocks_(blocks),
        articulated_(articulated),
        tree_(parametric_tree(model, blocks.parameters, parameter_values())),
        n_(tree_.nv_full),
        zero_(n_, S(0)),
        v_(zero_),
        a_(zero_),
        tau_(zero_),
        links_(reduced_) {
    for (const ProgramBlock& block : blocks.inputs) {
      const std::string_view name = block.name;
      if (name == "q") {
        q_ = argument(block, tree_.nq_full);
        kernel::expand_positions(tree_, q_.data());
        continue;
      }
      if (name == parameters_block) continue;
      // quasi-velocities stand in the place of v, their forces in that of tau
      const bool force = name == "tau" || name == "epsilon" || name == "kappa";
      Numbers& numbers = name == "a" ? a_ : force ? tau_ : v_;
      numbers = argument(block, n_);
      if (name == "v" || name == "a") kernel::expand_velocities(tree_, numbers.data());
    }
    kernel::update_links(reduced_, q_.data(), links_);
  }

  // results of one function
  Results inverse() { return {{"tau", forces(a_.data())}}; }
  Results gravity() { return {{"tau", bare_forces(zero_.data(), nullptr, kernel::resting_ground<S>(tree_))}}; }
  Results coriolis() {
    kernel::BodyAcceleration<S> weightless = kernel::resting_ground<S>(tree_);
    weightless.a = Vec3<S>::zero();
    return {{"tau", bare_forces(v_.data(), nullptr, weightless)}};
  }
  Results coriolis_matrix() {
    std::vector<Motion<S>> V(tree_.count(), Motion<S>::zero()), s(V);
    for (int k = 1; k < tree_.count(); ++k) {
      const TreeBody& body = tree_.bodies[k];
      kernel::velocity_step(body, X_[k], V[body.parent], v_.data() + body.v, V[k], s[k]);
    }
    std::vector<Inertia<S>> composite(tree_.count());
    std::vector<kernel::VelocityInertia<S>> composite_bar(tree_.count());
    Numbers C = square();
    kernel::coriolis_matrix_sweep(tree_, X_, V, composite, composite_bar, C.data(), n_);
    reduce(C);
    return {{"C", C}};
  }
  Results quasi_velocity(bool normalised) {
    return {{normalised ? "nu" : "xi", diagonalized(normalised).quasi_velocity(v_)}};
  }
  Results quasi_force(bool normalised) {
    return {{normalised ? "epsilon" : "kappa", diagonalized(normalised).quasi_force(tau_)}};
  }
  Results velocity_back(bool normalised) { return {{"v", diagonalized(normalised).velocity(v_)}}; }
  Results force_back(bool normalised) { return {{"tau", diagonalized(normalised).force(tau_)}}; }
  Results forward_quasi(bool normalised) {
    DiagonalSweeps<S, S> diagonal = diagonalized(normalised);
    v_ = diagonal.velocity(v_);
    Numbers joints = zero_, driving = tau_;
    add_joint_forces(joints);
    for (int i = 0; i < n_; ++i) driving[i] -= joints[i];
    return {{"v", v_}, {normalised ? "nu_dot" : "xi_dot", diagonal.forward(v_, driving)}};
  }
  Results jacobians() {
    return by_frame(6 * n_, [&](const TreeFrame& frame, const auto& world, S* out) {
      kernel::frame_jacobian(tree_, world, frame, out);
    });
  }
  Results poses() {
    return by_frame(12, [&](const TreeFrame& frame, const auto& world, S* out) {
      kernel::write_pose(kernel::frame_pose(frame, world), out);
    });
  }
  Results bias() { return {{"tau", forces(nullptr)}}; }
  Results mass_matrix() { return {{"M", composite_mass_matrix()}}; }
  Results mass_matrix_inverse() { return {{"M_inv", articulated_ ? inverse_by_sweeps() : inverse_by_factor()}}; }
  Results forward() { return {{"a", articulated_ ? forward_by_sweeps() : forward_by_factor()}}; }
  Results linearize_inverse() {
    Linear l = linear_inverse(a_);
    return {{"M", l.M}, {"A_D", l.A}, {"B_D", l.B}};
  }
  // What is left to do are the products A_C = M_inv A_D and B_C = M_inv B_D.
  Results linearize_forward_but_products() {
    const Numbers a = forward_by_factor();
    Numbers full = a;
    kernel::expand_velocities(tree_, full.data());
    const Linear l = linear_inverse(full);
    return {{"a", a}, {"M_inv", inverse_by_factor()}, {"A_C", l.A}, {"B_C", l.B}};
  }
  Results linearize_forward() {
    const Numbers a = articulated_ ? forward_by_sweeps() : forward_by_factor();
    Numbers full = a;
    kernel::expand_velocities(tree_, full.data());
    Linear l = articulated_ ? linear_forward_by_sweeps(full) : linear_forward_by_factor(full);
    return {{"a", a}, {"M_inv", l.M}, {"A_C", l.A}, {"B_C", l.B}};
  }

  Program finish(Function function, const Results& results, const std::vector<ProgramBlock>& outputs, bool guarded) {
    Program out;
    out.function = function;
    out.inputs = blocks_.inputs;
    out.parameters = blocks_.parameters;
    out.outputs = outputs;
    std::vector<int> nodes;
    for (const ProgramBlock& block : outputs) {
      const Numbers& values = results.at(block.name);
      const int stride = of_frames(function) ? block.rows : n_;  // the others are in full coordinates
      for (int j = 0; j < block.columns; ++j) {
        for (int i = 0; i < block.rows; ++i) nodes.push_back(values[i + j * stride].node(graph_));
      }
    }
    out.guarded = guarded;
    if (guarded) nodes.push_back(doubt().node(graph_));
    out.code = arrange(simplify(graph_, nodes));
    return out;
  }

 private:
  struct Linear {
    Numbers M, A, B;
  };

  // Of the factor that the results stand on.
  S doubt() const {
    S sum = S(0);
    for (int i = 0; i < tree_.nv; ++i) {
      const S part = reciprocal_pivots_[i] * tree_.pivot_floor[i];
      sum += part * part;
    }
    return sum;
  }
  DiagonalSweeps<S, S> diagonalized(bool normalised) {
    DiagonalSweeps<S, S> out(tree_, X_, normalised);
    reciprocal_pivots_ = out.reciprocal_pivots();
    return out;
  }
  Numbers parameter_values() {
    for (const ProgramBlock& block : blocks_.inputs) {
      if (block.name == parameters_block) return argument(block, block.size());
    }
    return {};
  }
  Numbers argument(const ProgramBlock& block, int full) {
    Numbers out(full, S(0));
    for (int i = 0; i < block.size(); ++i) out[i] = S(graph_, graph_.input(block.first + i));
    return out;
  }
  // Room for `size` numbers a frame, filled by write(frame, poses of the bodies in the world, numbers).
  template <class Write>
  Results by_frame(int size, const Write& write) const {
    const std::vector<kernel::Transform<S>> world = kernel::world_poses(reduced_, X_);
    Results out;
    for (const ProgramBlock& block : blocks_.outputs) {
      const auto frame = std::ranges::find(tree_.frames, block.name, &TreeFrame::name);
      Numbers& numbers = out[block.name];
      numbers.assign(size, S(0));
      write(*frame, world, numbers.data());
    }
    return out;
  }
  std::vector<kernel::Transform<S>> transforms() const {
    std::vector<kernel::Transform<S>> X;
    for (const LinkPose<S>& pose : X_) X.push_back(transform(pose));
    return X;
  }
  Numbers square() const { return Numbers(static_cast<std::size_t>(n_) * n_, S(0)); }
  void reduce(Numbers& M) const {
    for (const Coupling& c : tree_.couplings) {
      for (int i = 0; i < n_; ++i) M[i + c.master_v * n_] += M[i + c.v * n_] * c.ratio;
    }
    for (const Coupling& c : tree_.couplings) {
      for (int i = 0; i < n_; ++i) M[c.master_v + i * n_] += M[c.v + i * n_] * c.ratio;
    }
  }

  // of the bodies alone, full coordinates
  Numbers body_forces(const S* v, const S* a, const kernel::BodyAcceleration<S>& ground) const {
    Numbers tau = zero_;
    kernel::NewtonEuler<S> scratch(tree_);
    kernel::newton_euler_sweeps<S>(tree_, X_, v, a, ground, nullptr, scratch, tau.data());
    return tau;
  }
  Numbers bare_forces(const S* v, const S* a, const kernel::BodyAcceleration<S>& ground) const {
    Numbers tau = body_forces(v, a, ground);
    kernel::reduce_forces(tree_, tau.data());
    return tau;
  }
  Numbers forces(const S* a) {
    Numbers tau = body_forces(v_.data(), a, kernel::resting_ground<S>(tree_));
    if (a != nullptr) {
      for (int i = 0; i < n_; ++i) tau[i] += a[i] * tree_.terms[i].armature;
    }
    add_joint_forces(tau);
    kernel::reduce_forces(tree_, tau.data());
    return tau;
  }
  void add_joint_forces(Numbers& tau) {
    for (const BasicSpring<S>& spring : tree_.springs) {
      const TreeBody& body = tree_.bodies[spring.body];
      if (!kernel::visit(body, [](auto joint) { return joint.traces_spring; })) {
        throw std::invalid_argument("the spring of joint " + tree_.joint_names[spring.body] +
                                    " acts on a rotation in three directions and cannot be compiled");
      }
    }
    kernel::add_joint_forces(tree_, q_.data(), v_.data(), tau.data());
  }
  Numbers composite_mass_matrix() {
    Numbers M = square();
    std::vector<kernel::Inertia<S>> composite(tree_.count());
    kernel::mass_matrix_sweep(tree_, X_, composite, M.data(), n_);
    reduce(M);
    return M;
  }
  // M = L D L' with the tips of the tree first: the zeros of M then stay zeros of L.
  struct Factor {
    const std::vector<int>& order;
    Numbers M;
  };
  Factor factor(const Numbers& M) {
    Factor out{tree_.tips_first, square()};
    const int nv = tree_.nv;
    for (int j = 0; j < nv; ++j) {
      for (int i = 0; i < nv; ++i) out.M[i + j * n_] = M[out.order[i] + out.order[j] * n_];
    }
    kernel::ldl_factor(nv, out.M.data(), n_);
    reciprocal_pivots_ = zero_;
    for (int i = 0; i < nv; ++i) reciprocal_pivots_[out.order[i]] = out.M[i + i * n_];
    return out;
  }
  Numbers solve(const Factor& f, const Numbers& b) const {
    Numbers x = zero_, out = zero_;
    for (int i = 0; i < tree_.nv; ++i) x[i] = b[f.order[i]];
    kernel::ldl_solve(tree_.nv, f.M.data(), n_, x.data());
    for (int i = 0; i < tree_.nv; ++i) out[f.order[i]] = x[i];
    return out;
  }
  // Column by column; what lies before a column's own number in the order of the factor follows by symmetry.
  Numbers invert(const Numbers& M) {
    const Factor f = factor(M);
    Numbers out = square();
    for (int j = 0; j < tree_.nv; ++j) {
      Numbers unit = zero_;
      const int column = f.order[j];
      unit[column] = S(1);
      const Numbers x = solve(f, unit);
      for (int i = j; i < tree_.nv; ++i) {
        const int row = f.order[i];
        out[row + column * n_] = out[column + row * n_] = x[row];
      }
    }
    return out;
  }
  Numbers inverse_by_factor() { return invert(composite_mass_matrix()); }
  Numbers inverse_by_sweeps() {
    kernel::Articulated<S> art(tree_);
    kernel::riccati_sweep(tree_, X_, art, [](int, auto, const auto&) {});
    reciprocal_pivots_ = art.D_inv;
    Numbers out = square();
    for (int j = 0; j < tree_.nv; ++j) {
      Numbers x = unit_response(art, j);
      for (int i = j; i < tree_.nv; ++i) out[i + j * n_] = out[j + i * n_] = x[i];
    }
    return out;
  }
  // a for tau = unit vector j, no velocities, no gravity
  Numbers unit_response(kernel::Articulated<S>& art, int j) {
    Numbers a = zero_;
    std::vector<Force<S>> z(tree_.count(), Force<S>::zero());
    for (int k = tree_.count() - 1; k > 0; --k) {
      const TreeBody& body = tree_.bodies[k];
      kernel::visit(body, [&](auto joint) {
        constexpr int d = decltype(joint)::d;
        S* const e = art.e.data() + body.v;
        for (int i = 0; i < d; ++i) e[i] = S(body.v + i == j ? 1 : 0) - joint.project(body, z[k], i);
        if (body.parent == 0) return;
        S x[d];
        kernel::solve_joint<d>(kernel::triangle(art, body), art.D_inv.data() + body.v, e, x);
        for (int i = 0; i < d; ++i) z[k] += art.PH[body.v + i] * x[i];
        z[body.parent] += apply_transposed(X_[k], z[k]);
      });
    }
    for (int k = 1; k < tree_.count(); ++k) {
      const TreeBody& body = tree_.bodies[k];
      Motion<S> alpha = apply(X_[k], art.alpha[body.parent]);
      kernel::visit(body, [&](auto joint) {
        constexpr int d = decltype(joint)::d;
        S y[d];
        for (int i = 0; i < d; ++i) y[i] = art.e[body.v + i] - dot(alpha, art.PH[body.v + i]);
        kernel::solve_joint<d>(kernel::triangle(art, body), art.D_inv.data() + body.v, y, a.data() + body.v);
        joint.add(body, alpha, a.data() + body.v);
      });
      art.alpha[k] = alpha;
    }
    return a;
  }

  Numbers forward_by_factor() {
    const Numbers bias = forces(nullptr);
    Numbers driving = tau_;
    for (int i = 0; i < tree_.nv; ++i) driving[i] -= bias[i];
    return solve(factor(composite_mass_matrix()), driving);
  }
  Numbers forward_by_sweeps() {
    Numbers joints = zero_, driving = tau_, a = zero_;
    add_joint_forces(joints);
    for (int i = 0; i < n_; ++i) driving[i] -= joints[i];
    kernel::NewtonEuler<S> still(tree_);
    kernel::Articulated<S> art(tree_);
    kernel::articulated_sweeps<S>(tree_, X_, v_.data(), driving.data(), kernel::resting_ground<S>(tree_), nullptr,
                                  still, art, a.data());
    reciprocal_pivots_ = art.D_inv;
    return a;
  }

  // Any axes serve for one instant: those of the only body on the ground make its own pose vanish. (Those of a body in
  // the middle make poses shorter, but the velocities of the bodies before it longer: more in all.)
  kernel::WorldSweep<S> world(const Numbers& a) {
    std::vector<kernel::Transform<S>> X = transforms();
    Vec3<S> up = kernel::resting_ground<S>(tree_).a;
    const auto on_ground = [](const TreeBody& body) { return body.parent == 0; };
    if (std::count_if(tree_.bodies.begin(), tree_.bodies.end(), on_ground) == 1) {
      up = turn_down(X_[1], up);
      X[1] = kernel::Transform<S>::identity();
    }
    kernel::WorldSweep<S> out(tree_);
    kernel::world_sweep(tree_, X, v_.data(), a.data(), Motion<S>::zero(), Motion<S>{Vec3<S>::zero(), up},
                        static_cast<const Force<S>*>(nullptr), out);
    return out;
  }
  S slope_of_friction(int i) {
    const BasicTerms<S>& terms = tree_.terms[i];
    if (vanishes(terms.friction)) return terms.damping;
    const S t = tanh(v_[i] * terms.inverse_friction_scale);
    return terms.damping + (S(1) - t * t) * (terms.friction * terms.inverse_friction_scale);
  }
  template <class Add>
  void spring_slopes(const Add& add) {
    for (const BasicSpring<S>& spring : tree_.springs) {
      const TreeBody& body = tree_.bodies[spring.body];
      if (kernel::velocity_count(body) > 2) {
        throw std::invalid_argument("the linearization with a spring on joint " + tree_.joint_names[spring.body] +
                                    ", which moves in several directions, cannot be compiled");
      }
      for (int i = 0; i < kernel::velocity_count(body); ++i) add(body.v + i, spring.stiffness);
    }
  }
  Linear linear_inverse(const Numbers& a) {
    const kernel::WorldSweep<S> w = world(a);
    kernel::Composite<S> sum(tree_);
    Linear out{square(), square(), square()};
    kernel::linearize_inverse(tree_, w, static_cast<const kernel::VelocityInertia<S>*>(nullptr), sum, out.M.data(),
                              out.A.data(), out.B.data(), n_);
    for (int i = 0; i < n_; ++i) out.A[i + i * n_] += slope_of_friction(i);
    spring_slopes([&](int i, const S& k) { out.B[i + i * n_] += k; });
    for (Numbers* matrix : {&out.M, &out.A, &out.B}) reduce(*matrix);
    return out;
  }
  Linear linear_forward_by_sweeps(const Numbers& a) {
    const kernel::WorldSweep<S> w = world(a);
    kernel::ArticulatedWorld<S> art(tree_);
    kernel::articulated_world_sweep(tree_, w, static_cast<const kernel::VelocityInertia<S>*>(nullptr), art);
    Linear out{square(), square(), square()};
    kernel::algorithm_6t(tree_, w, false, art, out.M.data(), out.A.data(), out.B.data(), n_);
    for (int j = 0; j < tree_.nv; ++j) {
      const S slope = slope_of_friction(j);
      for (int i = 0; i < tree_.nv; ++i) out.A[i + j * n_] += out.M[i + j * n_] * slope;
    }
    spring_slopes([&](int j, const S& k) {
      for (int i = 0; i < tree_.nv; ++i) out.B[i + j * n_] += out.M[i + j * n_] * k;
    });
    return out;
  }
  Linear linear_forward_by_factor(const Numbers& a) {
    const Linear l = linear_inverse(a);
    const Numbers M = composite_mass_matrix();
    const Factor f = factor(M);  // columns by solving: on trees fewer operations than products with the inverse
    Linear out{invert(M), square(), square()};
    for (int j = 0; j < tree_.nv; ++j) {
      const auto column = [&](const Numbers& from, Numbers& to) {
        const auto first = from.begin() + j * n_;
        std::ranges::copy(solve(f, Numbers(first, first + n_)), to.begin() + j * n_);
      };
      column(l.A, out.A);
      column(l.B, out.B);
    }
    return out;
  }

  const ReducedTree& reduced_;  // its frames
  const Signature& blocks_;
  bool articulated_;
  Graph graph_;
  BasicTree<S> tree_;  // its numbers, constants of the program or inputs
  int n_;
  Numbers zero_, q_, v_, a_, tau_, reciprocal_pivots_;
  kernel::LinkPoses<S> links_;
  const std::vector<LinkPose<S>>& X_ = links_.X;
};

}  // namespace catena::compile
