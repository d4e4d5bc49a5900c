// Diagonalized dynamics on the lean tree: quasi-velocities nu, quasi-forces epsilon, and forward dynamics in (q, nu).
// Source: formula sheet section 4; the sweeps are those of catena/diagonal. Robots without couplings.
#pragma once

#include "catena/compile/lean_mass.hpp"
#include "catena/diagonal/kernel.hpp"

namespace catena::compile {

template <class S>
class LeanDiagonal {
 public:
  LeanDiagonal(const Lean& lean, const std::vector<LinkPose<S>>& poses)
      : tree_(lean.tree), art_(tree_), diagonal_(tree_) {
    for (const LinkPose<S>& pose : poses) X_.push_back(pose.transform());
    lean_riccati(lean, poses, art_);
    kernel::update_roots(tree_, art_, diagonal_);
  }

  std::vector<S> nu(std::vector<S> v) {
    std::vector<S> out(v.size(), S(0));
    kernel::quasi_velocity_sweep<false>(tree_, X_, art_, Motion<S>::zero(), v.data(), out.data(), diagonal_);
    kernel::rescale<kernel::Scaling::xi_to_nu>(tree_, art_, diagonal_, out.data());
    return out;
  }
  std::vector<S> epsilon(std::vector<S> tau) {
    std::vector<S> out(tau.size(), S(0));
    kernel::quasi_force_sweep<false>(tree_, X_, art_, tau.data(), out.data(), diagonal_);
    kernel::rescale<kernel::Scaling::kappa_to_epsilon>(tree_, art_, diagonal_, out.data());
    return out;
  }
  std::vector<S> velocity(const std::vector<S>& nu) {
    xi_ = nu;
    std::vector<S> v(nu.size(), S(0));
    kernel::rescale<kernel::Scaling::nu_to_xi>(tree_, art_, diagonal_, xi_.data());
    kernel::quasi_velocity_sweep<true>(tree_, X_, art_, Motion<S>::zero(), v.data(), xi_.data(), diagonal_);
    return v;
  }
  // nu_dot = epsilon - G - C, after velocity() gave v; tau without joint forces.
  std::vector<S> forward(const std::vector<S>& v, const std::vector<S>& tau) {
    const std::size_t n = v.size();
    std::vector<S> C(n, S(0)), G(n, S(0)), kappa(n, S(0)), driving = tau;
    kernel::riccati_rate_sweep(tree_, X_, art_, v.data(), diagonal_);
    kernel::coriolis_xi_sweep(tree_, X_, art_, static_cast<const Force<S>*>(nullptr), diagonal_, C.data());
    const auto& g = tree_.gravity;
    kernel::gravity_xi_sweep(tree_, X_, art_, Vec3<S>{S(g.x()), S(g.y()), S(g.z())}, art_.alpha, G.data());
    kernel::quasi_force_sweep<false>(tree_, X_, art_, driving.data(), kappa.data(), diagonal_);
    kernel::coriolis_nu_from_xi(tree_, art_, diagonal_, xi_.data(), C.data());
    for (std::size_t i = 0; i < n; ++i) kappa[i] -= G[i];
    kernel::rescale<kernel::Scaling::kappa_to_epsilon>(tree_, art_, diagonal_, kappa.data());
    for (std::size_t i = 0; i < n; ++i) kappa[i] -= C[i];
    return kappa;
  }

 private:
  const Tree& tree_;
  std::vector<kernel::Transform<S>> X_;
  kernel::Articulated<S> art_;
  kernel::Diagonal<S> diagonal_;
  std::vector<S> xi_;
};

}  // namespace catena::compile
