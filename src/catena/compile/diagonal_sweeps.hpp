// Diagonalized dynamics on the reduced tree: quasi-velocities and quasi-forces, their inverses, and forward dynamics in
// them.
// Normalised: nu and epsilon; otherwise xi and kappa. What is not used leaves no trace in a program.
// Source: formula sheet section 4; the sweeps are those of catena/diagonal. Robots without mimic joints.
#pragma once

#include "catena/diagonal/kernel.hpp"
#include "catena/dynamics/articulated_kernel.hpp"

namespace catena::compile {

using kernel::Force;
using kernel::Inertia;
using kernel::LinkPose;
using kernel::Motion;
using kernel::Vec3;

template <class S, class Number>
class DiagonalSweeps {
 public:
  DiagonalSweeps(const BasicTree<Number>& reduced, const std::vector<LinkPose<S>>& poses, bool normalised)
      : tree_(reduced), normalised_(normalised), X_(poses), art_(tree_), diagonal_(tree_) {
    kernel::riccati_sweep(tree_, X_, art_, [](int, auto, const auto&) {});
    kernel::update_roots(tree_, art_, diagonal_);
  }

  const std::vector<S>& reciprocal_pivots() const { return art_.D_inv; }

  std::vector<S> quasi_velocity(std::vector<S> v) {
    std::vector<S> out(v.size(), S(0));
    kernel::quasi_velocity_sweep<false>(tree_, X_, art_, Motion<S>::zero(), v.data(), out.data(), diagonal_);
    rescale<Scaling::xi_to_nu>(out);
    return out;
  }
  std::vector<S> quasi_force(std::vector<S> tau) {
    std::vector<S> out(tau.size(), S(0));
    kernel::quasi_force_sweep<false>(tree_, X_, art_, tau.data(), out.data(), diagonal_);
    rescale<Scaling::kappa_to_epsilon>(out);
    return out;
  }
  std::vector<S> velocity(const std::vector<S>& quasi) {
    xi_ = quasi;
    std::vector<S> v(quasi.size(), S(0));
    rescale<Scaling::nu_to_xi>(xi_);
    kernel::quasi_velocity_sweep<true>(tree_, X_, art_, Motion<S>::zero(), v.data(), xi_.data(), diagonal_);
    return v;
  }
  std::vector<S> force(std::vector<S> quasi) {
    std::vector<S> tau(quasi.size(), S(0));
    rescale<Scaling::epsilon_to_kappa>(quasi);
    kernel::quasi_force_sweep<true>(tree_, X_, art_, tau.data(), quasi.data(), diagonal_);
    return tau;
  }
  // The rate of the quasi-velocities, after velocity() gave v; tau without joint forces.
  std::vector<S> forward(const std::vector<S>& v, const std::vector<S>& tau) {
    kernel::riccati_rate_sweep(tree_, X_, art_, v.data(), diagonal_);
    std::vector<S> G(v.size(), S(0));
    const auto& g = tree_.gravity;
    kernel::gravity_xi_sweep(tree_, X_, art_, Vec3<S>{S(g.x), S(g.y), S(g.z)}, art_.alpha, G.data());
    return normalised_ ? nu_rate(tau, G) : xi_rate(tau);
  }

 private:
  using Scaling = kernel::Scaling;
  static constexpr const Force<S>* no_wrenches = nullptr;

  template <Scaling scaling>
  void rescale(std::vector<S>& x) const {
    if (normalised_) kernel::rescale<scaling>(tree_, art_, diagonal_, x.data());
  }
  // nu_dot = epsilon - G - C
  std::vector<S> nu_rate(std::vector<S> tau, const std::vector<S>& G) {
    const std::size_t n = tau.size();
    std::vector<S> C(n, S(0)), rate(n, S(0));
    kernel::coriolis_xi_sweep(tree_, X_, art_, no_wrenches, diagonal_, C.data());
    kernel::quasi_force_sweep<false>(tree_, X_, art_, tau.data(), rate.data(), diagonal_);
    kernel::coriolis_nu_from_xi(tree_, art_, diagonal_, xi_.data(), C.data());
    for (std::size_t i = 0; i < n; ++i) rate[i] -= G[i];
    rescale<Scaling::kappa_to_epsilon>(rate);
    for (std::size_t i = 0; i < n; ++i) rate[i] -= C[i];
    return rate;
  }
  std::vector<S> xi_rate(const std::vector<S>& tau) {
    std::vector<S> rate(tau.size(), S(0));
    kernel::forward_xi_sweep(tree_, X_, art_, tau.data(), no_wrenches, art_.alpha, diagonal_, rate.data());
    return rate;
  }

  const BasicTree<Number>& tree_;
  bool normalised_;
  const std::vector<LinkPose<S>>& X_;
  kernel::Articulated<S> art_;
  kernel::Diagonal<S> diagonal_;
  std::vector<S> xi_;
};

}  // namespace catena::compile
