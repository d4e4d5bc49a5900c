// The engine over lanes: gather states, check them, run the kernels or the machine code, scatter results.
// Included by one source file per width. All that does not mention Lanes has to be inlined or internal: what these
// files leave behind as weak symbols is made for their instruction set (tools/check_lanes).
#pragma once

#include "catena/batch/engine.hpp"
#include "catena/batch/lane_dynamics.hpp"
#include "catena/batch/lane_memory.hpp"
#include "catena/batch/lane_rollout.hpp"
#include "catena/joints/joints.hpp"

namespace catena::batch {
namespace {

template <int N>
class LaneEngine final : public Engine {
 public:
  using S = spatial::Lanes<N>;

  LaneEngine(const Tree& tree, const ReducedTree& reduced, const Job& job)
      : Engine(job),
        tree_(tree),
        dynamics_(tree, reduced, job_),
        kept_(job_.outputs.size()),
        out_(job_.outputs.size()) {
    int numbers = 0;
    for (const int count : job_.inputs) numbers += count;
    for (const int count : job_.outputs) numbers += count;
    const int fitting = tile_bytes / static_cast<int>(sizeof(S)) / numbers;
    vectors_ = fitting < least_vectors ? least_vectors : fitting < most_vectors ? fitting : most_vectors;
    tile_.resize(static_cast<std::size_t>(vectors_) * numbers, S(0));
    for (int k = 0; k < output_count(); ++k) kept_[k] = dynamics_.result(k);
  }

  int width() const override { return N; }
  int tile() const override { return N * vectors_; }

  Trouble compute(const ConstStates* inputs, const States* outputs, std::ptrdiff_t first, int count) override {
    const int vectors = (count + N - 1) / N;
    S *in[most_input_blocks], *free = tile_.data();
    S size = S(0);
    for (int k = 0; k < static_cast<int>(most_input_blocks); ++k) {
      in[k] = free;
      if (input_numbers(k) == 0) continue;
      LaneMemory<N>::load_tile(inputs[k], first, count, in[k]);
      const int numbers = vectors * input_numbers(k);
      size += sum(in[k], numbers, [](const S& x) CATENA_INLINE_LAMBDA { return x * x; });
      free += numbers;
    }
    if (!all_greater(S(largest_input * largest_input), size)) return Trouble::input;
    for (int g = 0; g < vectors; ++g) {
      if (!unit_quaternions(in[0] + g * tree_.nq)) return Trouble::input;
      if (has_parameters() && !possible(in[job_.inputs.size() - 1] + g * job_.inputs.back())) return Trouble::input;
    }
    const int blocks = output_count();
    for (int k = 0; k < blocks; ++k) {
      out_[k] = free;
      free += vectors * output_numbers(k);
    }
    for (int g = 0; g < vectors; ++g) {
      const Trouble trouble = job_.program != nullptr ? call_program(in, g) : run_kernels(in, outputs, g);
      if (trouble != Trouble::none) return trouble;
      if (job_.program == nullptr) keep_results(outputs, g, first, count);
    }
    for (int k = 0; k < blocks; ++k) {
      if (job_.program == nullptr && !by_rows(outputs[k])) continue;
      if (outputs[k].data != nullptr) LaneMemory<N>::store_tile(out_[k], outputs[k], first, count);
    }
    return Trouble::none;
  }

  RolloutEnd roll_out(const RolloutPlan& plan, std::ptrdiff_t first) override {
    const std::ptrdiff_t left = plan.q.states - first;
    const int count = left < N ? static_cast<int>(left) : N;
    S size = S(0);
    load(plan.q, first, count, dynamics_.q.data(), size);
    load(plan.v, first, count, dynamics_.v.data(), size);
    if (!all_greater(S(largest_input * largest_input), size) || !unit_quaternions(dynamics_.q.data()))
      return {Trouble::input, 0};
    if (has_parameters()) {
      S numbers = S(0);
      load(plan.parameters, first, count, tile_.data(), numbers);
      if (!all_greater(S(largest_input * largest_input), numbers) || !possible(tile_.data()))
        return {Trouble::input, 0};
    }
    const auto accelerate = [this](const S* q, const S* v, const S* tau, S* a) { return accelerations(q, v, tau, a); };
    LaneRollout<N, decltype(accelerate)> rollout(tree_, rollout_memory_, accelerate);
    return rollout.run(plan, first, count);
  }

  void sincos(const double* angle, double* sine, double* cosine) const override {
    S s, c;
    using spatial::sincos;
    sincos(spatial::read<N>(angle), s, c);
    spatial::write<N>(sine, s);
    spatial::write<N>(cosine, c);
  }
  void tanh(const double* x, double* out) const override {
    using spatial::tanh_smooth;
    spatial::write<N>(out, tanh_smooth(spatial::read<N>(x)));
  }

 private:
  // A program or kernels, and what goes in and out, fit the first cache, or at least whole cache lines are written.
  static constexpr int tile_bytes = 20'000, least_vectors = N < 8 ? 8 / N : 1, most_vectors = 64 / N;

  int input_numbers(int k) const { return k < static_cast<int>(job_.inputs.size()) ? job_.inputs[k] : 0; }
  int output_count() const { return static_cast<int>(job_.outputs.size()); }
  int output_numbers(int k) const { return job_.outputs[k]; }

  // Four sums at a time: an addition has to wait for the one before it.
  template <class Term>
  static CATENA_INLINE S sum(const S* x, int count, const Term& term) {
    S a = S(0), b = S(0), c = S(0), d = S(0);
    int i = 0;
    for (; i + 4 <= count; i += 4) a += term(x[i]), b += term(x[i + 1]), c += term(x[i + 2]), d += term(x[i + 3]);
    for (; i < count; ++i) a += term(x[i]);
    return a + b + (c + d);
  }
  // size: sum of squares.
  static CATENA_INLINE void load(const ConstStates& from, std::ptrdiff_t first, int count, S* to, S& size) {
    LaneMemory<N>::load(from, first, count, to);
    const int numbers = static_cast<int>(from.numbers);
    for (int i = 0; i < numbers; ++i) size += to[i] * to[i];
  }
  static CATENA_INLINE bool finite(const S* x, int count) {
    return all_greater(S(1), sum(x, count, [](const S& y) CATENA_INLINE_LAMBDA { return y * 0.0; }));
  }

  CATENA_INLINE bool unit_quaternions(const S* q) const {
    if (tree_.nq == tree_.nv) return true;
    bool good = true;
    for (const Coordinate& c : tree_.coordinates) {
      const int quaternion = facts_of(c.type).quaternion;
      if (quaternion < 0) continue;
      const S* const p = q + c.q + quaternion;
      const S length = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
      good = good && all_greater(S(1e-6), absolute(length - 1.0));
    }
    return good;
  }

  bool has_parameters() const { return !job_.least.empty(); }
  // No mass below zero: what else the doctor minds is the caller's business.
  bool possible(const S* parameters) const {
    bool good = true;
    const int count = static_cast<int>(job_.least.size());
    for (int i = 0; i < count; ++i) good = good && all_greater(parameters[i], S(job_.least[i]));
    return good;
  }

  // Vector g of the tile.
  Trouble run_kernels(S* const (&in)[most_input_blocks], const States* outputs, int g) {
    LaneDynamics<N>& d = dynamics_;
    S* const arguments[] = {d.q.data(), d.v.data(), d.x.data()};
    for (int k = 0; k < 3; ++k) {
      const int numbers = input_numbers(k);
      for (int i = 0; i < numbers; ++i) arguments[k][i] = in[k][g * numbers + i];
    }
    expand_positions(tree_, d.q.data());
    if (input_numbers(1) > 0) expand_velocities(tree_, d.v.data());
    if (input_numbers(2) > 0) expand_velocities(tree_, d.x.data());
    if (!run(outputs)) return Trouble::singular;
    if (!job_.tests_results) return Trouble::none;
    const int blocks = output_count();
    bool good = true;
    for (int k = 0; k < blocks; ++k) good = good && finite(kept_[k], output_numbers(k));
    return good ? Trouble::none : Trouble::not_finite;
  }
  // What goes out row by row waits in the tile for the other vectors.
  static CATENA_INLINE bool by_rows(const States& output) { return output.state_stride == 1; }
  void keep_results(const States* outputs, int g, std::ptrdiff_t first, int count) const {
    const int blocks = output_count(), left = count - g * N;
    for (int k = 0; k < blocks; ++k) {
      if (outputs[k].data == nullptr) continue;
      if (!by_rows(outputs[k])) {
        LaneMemory<N>::store(kept_[k], outputs[k], first + g * N, left < N ? left : N);
        continue;
      }
      const int numbers = output_numbers(k);
      for (int i = 0; i < numbers; ++i) out_[k][g * numbers + i] = kept_[k][i];
    }
  }
  bool run(const States* outputs) {
    dynamics_.wanted = outputs;
    return evaluate_by(dynamics_, job_.function);
  }

  // By machine code where there is any, with the lanes that it may not know by the kernels.
  bool accelerations(const S* q, const S* v, const S* tau, S* a) {
    LaneDynamics<N>& d = dynamics_;
    S doubt = S(1);  // below 1: none
    if (job_.program != nullptr) {
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
      const double* const in[most_input_blocks] = {
          reinterpret_cast<const double*>(near), reinterpret_cast<const double*>(v),
          reinterpret_cast<const double*>(tau), reinterpret_cast<const double*>(tile_.data())};  // the parameters
      S pivots = S(0);
      double* const out[2] = {reinterpret_cast<double*>(a), reinterpret_cast<double*>(&pivots)};
      job_.program(in, out);
      doubt += where_less(pivots, S(1), S(0), S(1));
      if (all_greater(S(1), doubt)) return true;
      if (has_parameters()) return false;  // the kernels do not know them
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

  // Machine code takes angles within a range only, and says no more of the pivots than that all are safe: other states
  // are left to the plain library.
  Trouble call_program(S* const (&in)[most_input_blocks], int g) {
    const S* const q = in[0] + g * tree_.nq;
    S largest_angle = S(0);
    for (const int angle : tree_.angles) {
      if (angle < tree_.nq) largest_angle += absolute(q[angle]);
    }
    for (const Coupling& c : tree_.couplings) largest_angle += absolute(q[c.master_q]);
    if (!all_greater(S(spatial::largest_reduced_angle), largest_angle)) return Trouble::input;
    constexpr int most = most_input_blocks;
    const double* arguments[most];
    for (int k = 0; k < most; ++k) arguments[k] = reinterpret_cast<const double*>(in[k] + g * input_numbers(k));
    const int blocks = output_count();
    for (int k = 0; k < blocks; ++k) results_[k] = reinterpret_cast<double*>(out_[k] + g * output_numbers(k));
    S doubt = S(0);
    results_[blocks] = reinterpret_cast<double*>(&doubt);
    job_.program(arguments, results_.data());
    if (!all_greater(S(1), doubt)) return Trouble::singular;
    if (!job_.tests_results) return Trouble::none;
    bool good = true;
    for (int k = 0; k < blocks; ++k) good = good && finite(out_[k] + g * output_numbers(k), output_numbers(k));
    return good ? Trouble::none : Trouble::not_finite;
  }

  const Tree& tree_;
  LaneDynamics<N> dynamics_;
  std::vector<const S*> kept_;  // where the kernels leave each output
  std::vector<S*> out_;         // where each waits in the tile
  int vectors_ = 1;             // of states in a tile
  std::vector<S> tile_;         // inputs, then outputs, one vector of states after the other
  std::vector<S> rollout_memory_;
};

}  // namespace
}  // namespace catena::batch
