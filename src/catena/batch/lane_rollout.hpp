// Fixed steps in lanes, the methods of simulate/fixed_step.cpp: semi-implicit Euler on the configuration space, and the
// classical Runge-Kutta method on the numbers of q and v with quaternions scaled back to unit length.
#pragma once

#include "catena/batch/engine.hpp"
#include "catena/batch/lane_integrate.hpp"
#include "catena/batch/lane_memory.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/kinematics/moving.hpp"

namespace catena::batch {
namespace {

// accelerate(q, v, tau, a): false where the mass matrix is singular; reads nq, nv, nv numbers, writes nv.
template <int N, class Accelerate>
class LaneRollout {
 public:
  using S = spatial::Lanes<N>;

  LaneRollout(const Tree& tree, std::vector<S>& memory, const Accelerate& accelerate)
      : tree_(tree), accelerate_(accelerate) {
    const std::size_t nq = tree.nq_full, nv = tree.nv_full;
    memory.resize(6 * nq + 8 * nv, S(0));  // once
    S* next = memory.data();
    const auto take = [&](std::size_t count) { return std::exchange(next, next + count); };
    q_ = take(nq), v_ = take(nv), tau_ = take(nv);
    q_before_ = take(nq), v_before_ = take(nv);
    trial_q_ = take(nq), trial_v_ = take(nv);
    q_rate_ = take(nq), v_rate_ = take(nv);
    q_sum_ = take(nq), v_sum_ = take(nv);
    velocity_ = take(nv);
  }

  RolloutEnd run(const RolloutPlan& plan, std::ptrdiff_t first, int count) {
    using Memory = LaneMemory<N>;
    const int nq = tree_.nq, nv = tree_.nv;
    Memory::load(plan.q, first, count, q_);
    Memory::load(plan.v, first, count, v_);
    for (int i = 0; i < nv; ++i) tau_[i] = S(0);
    std::ptrdiff_t records = 0;
    for (std::ptrdiff_t step = 0; step < plan.steps; ++step) {
      Trouble trouble = Trouble::none;
      if (plan.tau.states.data != nullptr && (step == 0 || plan.tau.stride != 0)) {
        Memory::load(plan.tau.at(step), first, count, tau_);
        if (!within_bounds(tau_, nv)) trouble = Trouble::input;
      }
      copy(q_, nq, q_before_);
      copy(v_, nv, v_before_);
      if (trouble == Trouble::none && !(plan.rk4 ? runge_kutta(plan.step) : euler(plan.step)))
        trouble = Trouble::singular;
      if (trouble == Trouble::none && !(within_bounds(q_, nq) && within_bounds(v_, nv))) trouble = Trouble::not_finite;
      if (trouble != Trouble::none) {
        write(plan.q_end, q_before_, first, count);
        write(plan.v_end, v_before_, first, count);
        return {trouble, step};
      }
      if (plan.record_every > 0 && (step + 1) % plan.record_every == 0) {
        write(plan.q_record.at(records), q_, first, count);
        write(plan.v_record.at(records), v_, first, count);
        ++records;
      }
    }
    write(plan.q_end, q_, first, count);
    write(plan.v_end, v_, first, count);
    return {};
  }

 private:
  static void write(const States& to, const S* from, std::ptrdiff_t first, int count) {
    if (to.data != nullptr) LaneMemory<N>::store(from, to, first, count);
  }
  static void copy(const S* from, int count, S* to) {
    for (int i = 0; i < count; ++i) to[i] = from[i];
  }
  static bool within_bounds(const S* x, int count) {
    S sum = S(0);
    for (int i = 0; i < count; ++i) sum += x[i] * x[i];
    return all_greater(S(largest_input * largest_input), sum);
  }

  bool euler(double h) {
    if (!accelerate_(q_, v_, tau_, v_rate_)) return false;
    for (int i = 0; i < tree_.nv; ++i) {
      v_[i] += v_rate_[i] * h;
      velocity_[i] = v_[i] * h;
    }
    integrate_in_place(tree_, q_, velocity_);
    return true;
  }

  // x += h/6 (k1 + 2 (k2 + k3) + k4)
  bool runge_kutta(double h) {
    const int nq = tree_.nq, nv = tree_.nv;
    for (int stage = 0; stage < 4; ++stage) {
      const S *q = stage == 0 ? q_ : trial_q_, *v = stage == 0 ? v_ : trial_v_;
      if (!accelerate_(q, v, tau_, v_rate_)) return false;
      kernel::position_rates(tree_, q, v, q_rate_);
      const double weight = stage == 0 || stage == 3 ? 1 : 2, ahead = stage == 2 ? h : 0.5 * h;
      for (int i = 0; i < nq; ++i) {
        q_sum_[i] = stage == 0 ? q_rate_[i] : q_sum_[i] + q_rate_[i] * weight;
        trial_q_[i] = q_[i] + q_rate_[i] * ahead;
      }
      for (int i = 0; i < nv; ++i) {
        v_sum_[i] = stage == 0 ? v_rate_[i] : v_sum_[i] + v_rate_[i] * weight;
        trial_v_[i] = v_[i] + v_rate_[i] * ahead;
      }
    }
    for (int i = 0; i < nq; ++i) q_[i] += q_sum_[i] * (h / 6);
    for (int i = 0; i < nv; ++i) v_[i] += v_sum_[i] * (h / 6);
    normalize_in_place(tree_, q_);
    return true;
  }

  const Tree& tree_;
  Accelerate accelerate_;
  S *q_, *v_, *tau_, *q_before_, *v_before_, *trial_q_, *trial_v_, *q_rate_, *v_rate_, *q_sum_, *v_sum_, *velocity_;
};

}  // namespace
}  // namespace catena::batch
