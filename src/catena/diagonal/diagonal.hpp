// Diagonalized dynamics (Jain and Rodriguez; Kozlowski): M = U D U' = m m', and the equations of motion in
// quasi-velocities, where the mass matrix has disappeared:
//   xi = U' v:   D xi_dot + C(q, xi) + G_xi + F_xi = kappa = U^-1 tau
//   nu = m' v:     nu_dot + C(q, nu) + G_nu + F_nu = epsilon = m^-1 tau
// Base at rest: kinetic energy = nu' nu / 2, power of the drives v' tau = nu' epsilon, and nu' C(q, nu) = 0 always.
// Source: formula sheet section 4.
// A component of nu belongs to one joint: it is the rate at which that joint moves in the motion of all links inward of
// it ("future", the sweep from tip to base has yet to come to them), as felt through the articulated inertia of those
// outward ("past"): [004] section 7.
// Moving base: nu counts its motion in, nu = m^-1 (momentum that belongs to v), and does not depend on its
// acceleration.
// nu' nu / 2 is then the kinetic energy less the least that the robot can have on that base, all joints giving way;
// nu' epsilon is not v' tau, and C does work.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

// M(q) factored: the transforms and their inverses, O(n) each, without forming U. With mimic joints: dense factors.
// Threads: one at a time, for what is const too (it uses scratch memory inside).
class DiagonalForm {
 public:
  explicit DiagonalForm(const Model& model);
  DiagonalForm(const Model& model, ConstVector q) : DiagonalForm(model) { update(q); }
  DiagonalForm(DiagonalForm&&) noexcept;
  DiagonalForm& operator=(DiagonalForm&&) noexcept;
  ~DiagonalForm();

  void update(ConstVector q);  // throws NumericalError where M is singular

  Vector xi(ConstVector v) const;
  Vector nu(ConstVector v) const;
  Vector velocity_from_xi(ConstVector xi) const;
  Vector velocity_from_nu(ConstVector nu) const;
  Vector kappa(ConstVector tau) const;
  Vector epsilon(ConstVector tau) const;
  Vector force_from_kappa(ConstVector kappa) const;
  Vector force_from_epsilon(ConstVector epsilon) const;

  // The factors themselves, O(n^2). U is unit triangular in the order of the bodies; D is block diagonal, a block per
  // joint (with mimic joints: diagonal); m = U S with D = S S', S lower triangular.
  Matrix U() const;
  Matrix D() const;
  Matrix m() const;
  Matrix l() const;  // m^-1

  struct Storage;
  Storage& storage() const { return *storage_; }

 private:
  std::unique_ptr<Storage> storage_;
};

// Every term of both equations of motion at a state. F: joint forces (damping, friction, springs) and external
// wrenches, as they stand on the left-hand side.
struct DiagonalTerms {
  Vector xi, nu, kappa, epsilon;
  Vector C_xi, C_nu, G_xi, G_nu, F_xi, F_nu;
  Vector xi_dot, nu_dot;
};
DiagonalTerms diagonal_terms(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                             const ExternalLoads& loads = {});
// The same with the memory of a form that is used again and again; it is brought to q. So are those below.
DiagonalTerms diagonal_terms(DiagonalForm& form, ConstVector q, ConstVector v, ConstVector tau,
                             const ExternalLoads& loads = {});

// Forward dynamics with state (q, xi) or (q, nu), in three sweeps: in, out, in (sheet 4.9; the paper's two would reuse
// velocities of the previous q). Also returns v, from which q moves.
struct QuasiAcceleration {
  Vector v;
  Vector rate;  // xi_dot or nu_dot
};
QuasiAcceleration forward_dynamics_xi(const Model& model, ConstVector q, ConstVector xi, ConstVector tau,
                                      const ExternalLoads& loads = {});
QuasiAcceleration forward_dynamics_nu(const Model& model, ConstVector q, ConstVector nu, ConstVector tau,
                                      const ExternalLoads& loads = {});
QuasiAcceleration forward_dynamics_xi(DiagonalForm& form, ConstVector q, ConstVector xi, ConstVector tau,
                                      const ExternalLoads& loads = {});
QuasiAcceleration forward_dynamics_nu(DiagonalForm& form, ConstVector q, ConstVector nu, ConstVector tau,
                                      const ExternalLoads& loads = {});

// The acceleration from xi_dot: v_dot = U^-T (xi_dot - U_dot' v). Another algorithm for forward dynamics.
Vector forward_dynamics_diagonal(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                 const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
