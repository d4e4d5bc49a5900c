// The engine over lanes: gather states, check them, run the kernels or the machine code, scatter results.
// Included by one source file per width. All that does not mention Lanes has to be inlined or internal: what these
// files leave behind as weak symbols is made for their instruction set (tools/check_lanes).
#pragma once

#include "catena/batch/engine.hpp"
#include "catena/batch/lane_dynamics.hpp"
#include "catena/batch/lane_memory.hpp"
#include "catena/batch/lane_rollout.hpp"

namespace catena::batch {
namespace {

template <int N>
class LaneEngine final : public Engine {
 public:
  using S = spatial::Lanes<N>;

  LaneEngine(const Tree& tree, Function function, const LaneProgram& program)
      : tree_(tree), function_(function), program_(program), dynamics_(tree, function) {}

  int width() const override { return N; }

  Trouble compute(const ConstStates* inputs, const States* outputs, std::ptrdiff_t first) override {
    const std::ptrdiff_t left = inputs[0].states - first;
    const int count = left < N ? static_cast<int>(left) : N;
    LaneDynamics<N>& d = dynamics_;
    const bool has_v = function_ != Function::gravity && function_ != Function::mass_matrix &&
                       function_ != Function::mass_matrix_inverse;
    const bool has_x = has_third_argument();
    S finite = S(0);
    load(inputs[0], first, count, d.q.data(), finite);
    if (has_v) load(inputs[1], first, count, d.v.data(), finite);
    if (has_x) load(inputs[2], first, count, d.x.data(), finite);
    if (!all_greater(S(1), finite) || !unit_quaternions()) return Trouble::input;
    if (program_.call != nullptr) return call_program(outputs, first, count);

    expand_positions(tree_, d.q.data());
    if (has_v) expand_velocities(tree_, d.v.data());
    if (has_x) expand_velocities(tree_, d.x.data());
    if (!run()) return Trouble::singular;
    S* results[4];
    find_results(results);
    store(results, outputs, first, count);
    return Trouble::none;
  }

  RolloutEnd roll_out(const RolloutPlan& plan, std::ptrdiff_t first) override {
    const std::ptrdiff_t left = plan.q.states - first;
    const int count = left < N ? static_cast<int>(left) : N;
    S finite = S(0);
    load(plan.q, first, count, dynamics_.q.data(), finite);
    load(plan.v, first, count, dynamics_.v.data(), finite);
    if (!all_greater(S(1), finite) || !unit_quaternions()) return {Trouble::input, 0};
    const auto accelerate = [this](const S* q, const S* v, const S* tau, S* a) { return accelerations(q, v, tau, a); };
    LaneRollout<N, decltype(accelerate)> rollout(tree_, rollout_memory_, accelerate);
    return rollout.run(plan, first, count);
  }

  void sincos(const double* angle, double* sine, double* cosine) const override {
    S s, c;
    using spatial::sincos;
    sincos(S(LaneMemory<N>::read(angle)), s, c);
    LaneMemory<N>::write(sine, s.x);
    LaneMemory<N>::write(cosine, c.x);
  }
  void tanh(const double* x, double* out) const override {
    using spatial::tanh_smooth;
    LaneMemory<N>::write(out, tanh_smooth(S(LaneMemory<N>::read(x))).x);
  }

 private:
  bool has_third_argument() const {
    return function_ == Function::inverse || function_ == Function::forward ||
           function_ == Function::linearize_inverse || function_ == Function::linearize_forward ||
           function_ == Function::forward_nu;
  }

  // finite: stays 0 unless something is not.
  static CATENA_INLINE void load(const ConstStates& from, std::ptrdiff_t first, int count, S* to, S& finite) {
    LaneMemory<N>::load(from, first, count, to);
    const int numbers = static_cast<int>(from.numbers);
    for (int i = 0; i < numbers; ++i) finite += to[i] * 0.0;
  }

  CATENA_INLINE bool unit_quaternions() const {
    if (tree_.nq == tree_.nv) return true;
    bool good = true;
    for (const TreeBody& body : tree_.bodies) {
      if (body.kind != JointKind::spherical && body.kind != JointKind::free) continue;
      const S* const p = dynamics_.q.data() + body.q + (body.kind == JointKind::free ? 3 : 0);
      const S length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
      good = good && all_greater(S(1e-6), absolute(length - 1.0));
    }
    return good;
  }

  bool run() {
    LaneDynamics<N>& d = dynamics_;
    switch (function_) {
      case Function::inverse: d.inverse(d.x.data(), true, true); return true;
      case Function::bias: d.inverse(d.x.data(), true, true); return true;  // x stays 0
      case Function::gravity:
      case Function::coriolis: d.inverse(d.x.data(), function_ == Function::gravity, false); return true;  // x, v too
      case Function::mass_matrix: d.mass_matrix(); return true;
      case Function::mass_matrix_inverse: return d.mass_matrix_inverse();
      case Function::coriolis_matrix: d.coriolis_matrix(); return true;
      case Function::forward: return d.forward();
      case Function::linearize_inverse: d.linearize_inverse(); return true;
      case Function::linearize_forward: return d.linearize_forward();
      case Function::nu: return d.nu();
      case Function::epsilon: return d.epsilon();
      case Function::forward_nu: return d.forward_nu();
    }
    return false;
  }

  // Where the kernels leave each output; how many there are.
  int find_results(S* (&out)[4]) {
    LaneDynamics<N>& d = dynamics_;
    switch (function_) {
      case Function::mass_matrix:
      case Function::mass_matrix_inverse:
      case Function::coriolis_matrix: return out[0] = d.M.data(), 1;
      case Function::linearize_inverse: return out[0] = d.M.data(), out[1] = d.A.data(), out[2] = d.B.data(), 3;
      case Function::linearize_forward:
        return out[0] = d.y.data(), out[1] = d.M.data(), out[2] = d.A.data(), out[3] = d.B.data(), 4;
      case Function::forward_nu: return out[0] = d.v.data(), out[1] = d.y.data(), 2;
      default: return out[0] = d.y.data(), 1;
    }
  }
  int output_count() {
    S* unused[4];
    return find_results(unused);
  }
  void store(S* const (&results)[4], const States* outputs, std::ptrdiff_t first, int count) {
    const int blocks = output_count();
    for (int k = 0; k < blocks; ++k) {
      if (outputs[k].data != nullptr) LaneMemory<N>::store(results[k], outputs[k], first, count);
    }
  }

  // By machine code where there is any, with the lanes that it may not know by the kernels.
  bool accelerations(const S* q, const S* v, const S* tau, S* a) {
    LaneDynamics<N>& d = dynamics_;
    S doubt = S(1);  // below 1: none
    if (program_.call != nullptr) {
      doubt = S(0);
      for (const int angle : tree_.angles) {
        if (angle < tree_.nq) doubt += far(q[angle]);
      }
      for (const Coupling& c : tree_.couplings) doubt += far(q[c.master_q]);
      const S* near = q;
      if (!all_greater(S(1), doubt)) {  // for the sake of the other lanes
        for (int i = 0; i < tree_.nq; ++i) d.q[i] = where_less(doubt, S(1), q[i], S(0.5));
        near = d.q.data();
      }
      const double* const in[3] = {reinterpret_cast<const double*>(near), reinterpret_cast<const double*>(v),
                                   reinterpret_cast<const double*>(tau)};
      double* const out[1] = {reinterpret_cast<double*>(a)};
      program_.call(program_.self, in, out);
      S size = S(0);
      for (int i = 0; i < tree_.nv; ++i) size += absolute(a[i]);
      doubt += where_less(size, S(suspicious_size), S(0), S(1));
      if (all_greater(S(1), doubt)) return true;
    }
    for (int i = 0; i < tree_.nq; ++i) d.q[i] = q[i];
    for (int i = 0; i < tree_.nv; ++i) d.v[i] = v[i], d.x[i] = tau[i];
    expand_positions(tree_, d.q.data());
    expand_velocities(tree_, d.v.data());
    const bool regular = d.forward();
    for (int i = 0; i < tree_.nv; ++i) a[i] = where_less(doubt, S(1), a[i], d.y[i]);
    return regular;
  }
  static CATENA_INLINE S far(const S& angle) {
    return where_less(absolute(angle), S(spatial::largest_reduced_angle), S(0), S(1));
  }

  // Machine code takes angles within a range only, and does not test pivots: results of any size to wonder at are left
  // to the plain library, which does.
  Trouble call_program(const States* outputs, std::ptrdiff_t first, int count) {
    LaneDynamics<N>& d = dynamics_;
    for (const int angle : tree_.angles) {
      if (angle < tree_.nq && !all_greater(S(spatial::largest_reduced_angle), absolute(d.q[angle])))
        return Trouble::input;
    }
    for (const Coupling& c : tree_.couplings) {
      if (!all_greater(S(spatial::largest_reduced_angle), absolute(d.q[c.master_q]))) return Trouble::input;
    }
    S* results[4];
    const int blocks = find_results(results);
    if (function_ == Function::forward_nu) results[0] = dynamics_.v_result();
    const double* const in[3] = {lanes(d.q), lanes(d.v), lanes(d.x)};
    double* out[4];
    for (int k = 0; k < blocks; ++k) out[k] = reinterpret_cast<double*>(results[k]);
    program_.call(program_.self, in, out);
    if (behind_inverse()) {
      S largest = S(0);
      for (int k = 0; k < blocks; ++k) {
        const int numbers = static_cast<int>(outputs[k].numbers);
        for (int i = 0; i < numbers; ++i) largest += absolute(results[k][i]);
      }
      if (!all_greater(S(suspicious_size), largest)) return Trouble::singular;
    }
    store(results, outputs, first, count);
    return Trouble::none;
  }
  static const double* lanes(const std::vector<S>& x) { return reinterpret_cast<const double*>(x.data()); }
  bool behind_inverse() const {
    switch (function_) {
      case Function::mass_matrix_inverse:
      case Function::forward:
      case Function::linearize_forward:
      case Function::nu:
      case Function::epsilon:
      case Function::forward_nu: return true;
      default: return false;
    }
  }
  static constexpr double suspicious_size = 1e10;

  const Tree& tree_;
  Function function_;
  LaneProgram program_;
  LaneDynamics<N> dynamics_;
  std::vector<S> rollout_memory_;
};

}  // namespace
}  // namespace catena::batch
