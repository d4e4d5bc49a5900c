// Simulation in long double, to have digits to spare where double is what is tested: accelerations from the mass matrix
// (not the articulated sweeps that the library simulates with), steps by extrapolated midpoint rules of high order.
#pragma once

#include <Eigen/Dense>
#include <functional>

#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/kinematics/moving.hpp"
#include "catena/reference/textbook_kernel.hpp"
#include "support.hpp"

namespace catena::test {

using Extended = long double;
using ExtendedVector = Eigen::Matrix<Extended, Eigen::Dynamic, 1>;
using ExtendedMatrix = Eigen::Matrix<Extended, Eigen::Dynamic, Eigen::Dynamic>;
// Joint forces at (t, q, v).
using ExtendedForces = std::function<ExtendedVector(Extended time, const ExtendedVector& q, const ExtendedVector& v)>;

class ExtendedSimulation {
 public:
  ExtendedSimulation(const Model& model, ExtendedForces forces)
      : model_(model), forces_(std::move(forces)), positions_(tree()), newton_(tree()), composite_(tree().count()) {}

  // q and v after `steps` equal steps.
  std::pair<Vector, Vector> run(const Vector& q, const Vector& v, Extended duration, int steps) {
    ExtendedVector x(q.size() + v.size());
    x << q.cast<Extended>(), v.cast<Extended>();
    const Extended h = duration / steps;
    for (int k = 0; k < steps; ++k) x = step(k * h, x, h);
    Vector q_end = x.head(q.size()).cast<double>();
    normalize(model_, q_end);
    return {q_end, x.tail(v.size()).cast<double>()};
  }

 private:
  const Tree& tree() const { return model_.tree(); }

  ExtendedVector rate(Extended time, const ExtendedVector& x) {
    const int nq = tree().nq, nv = tree().nv, n = tree().nv_full;
    const ExtendedVector q = x.head(nq), v = x.tail(nv), tau = forces_(time, q, v);
    ExtendedVector q_full = ExtendedVector::Zero(tree().nq_full), v_full = ExtendedVector::Zero(n);
    q_full.head(nq) = q, v_full.head(nv) = v;
    kernel::expand_positions(tree(), q_full.data());
    kernel::expand_velocities(tree(), v_full.data());
    kernel::update_positions(tree(), q_full.data(), positions_);
    const auto& g = tree().gravity;
    const kernel::Motion<Extended> lift = {{0, 0, 0}, {-g.x, -g.y, -g.z}};
    const ExtendedVector zero = ExtendedVector::Zero(n);
    ExtendedVector bias = zero;
    kernel::inverse_sweeps<Extended>(tree(), positions_.X, v_full.data(), zero.data(), kernel::Motion<Extended>::zero(),
                                     lift, nullptr, newton_, bias.data());
    kernel::add_joint_forces(tree(), q_full.data(), v_full.data(), bias.data());
    kernel::reduce_forces(tree(), bias.data());
    ExtendedMatrix M(n, n);
    kernel::mass_matrix_sweep(tree(), positions_.X, composite_, M.data(), n);
    for (const Coupling& c : tree().couplings) M.row(c.master_v) += Extended(c.ratio) * M.row(c.v);
    for (const Coupling& c : tree().couplings) M.col(c.master_v) += Extended(c.ratio) * M.col(c.v);
    ExtendedVector out(nq + nv), rates(tree().nq_full);
    kernel::position_rates(tree(), q_full.data(), v_full.data(), rates.data());
    out.head(nq) = rates.head(nq);
    out.tail(nv) = M.topLeftCorner(nv, nv).llt().solve(tau - bias.head(nv));
    return out;
  }

  // Gragg's modified midpoint rule with 2, 4, ... substeps, extrapolated in h^2: order 2 `levels`.
  ExtendedVector step(Extended time, const ExtendedVector& x, Extended h) {
    constexpr int levels = 7;
    std::vector<ExtendedVector> table(levels);
    const ExtendedVector first = rate(time, x);
    for (int j = 0; j < levels; ++j) {
      const int n = 2 * (j + 1);
      const Extended s = h / n;
      ExtendedVector before = x, now = x + s * first;
      for (int k = 1; k < n; ++k) {
        ExtendedVector next = before + 2 * s * rate(time + k * s, now);
        before = std::move(now);
        now = std::move(next);
      }
      table[j] = (now + before + s * rate(time + h, now)) / 2;
      for (int k = j - 1; k >= 0; --k) {
        const Extended ratio = Extended(n) / (2 * (k + 1));
        table[k] = table[k + 1] + (table[k + 1] - table[k]) / (ratio * ratio - 1);
      }
    }
    return table[0];
  }

  Model model_;
  ExtendedForces forces_;
  kernel::Positions<Extended> positions_;
  kernel::NewtonEuler<Extended> newton_;
  std::vector<kernel::Inertia<Extended>> composite_;
};

}  // namespace catena::test
