// Time per call of every method of the papers' tables on revolute chains of 6, 12 and 30 joints, one run:
// build/bench/methods_bench. Compare within a run; docs/counts.md shows ratios.
#include <benchmark/benchmark.h>

#include "bench/chain_state.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/dh_newton_euler.hpp"
#include "catena/reference/methods.hpp"

namespace {

using namespace catena;

using State = ChainState;

using Method = Vector (*)(const Model&, ConstVector, ConstVector, ConstVector, const ExternalLoads&);

void inverse_method(benchmark::State& state, Method method, int n) {
  const State s(n);
  for (auto _ : state) benchmark::DoNotOptimize(method(s.model, s.q, s.v, s.a, {}));
}
void forward_method(benchmark::State& state, Method method, int n) {
  const State s(n);
  for (auto _ : state) benchmark::DoNotOptimize(method(s.model, s.q, s.v, s.tau, {}));
}
void inverse_dh(benchmark::State& state, int n) {
  const State s(n);
  const DhChain dh = *dh_chain(s.model);
  for (auto _ : state) benchmark::DoNotOptimize(dh_newton_euler(dh.links, dh.base, s.q, s.v, s.a));
}
void conjugate_gradient(benchmark::State& state, int n) {
  const State s(n);
  int iterations = 0;
  for (auto _ : state) iterations = forward_dynamics_conjugate_gradient(s.model, s.q, s.v, s.tau).iterations;
  state.counters["steps"] = iterations;
}
void forward_xi(benchmark::State& state, int n) {
  const State s(n);
  const Vector xi = DiagonalForm(s.model, s.q).xi(s.v);
  for (auto _ : state) benchmark::DoNotOptimize(forward_dynamics_xi(s.model, s.q, xi, s.tau));
}
void forward_nu(benchmark::State& state, int n) {
  const State s(n);
  const Vector nu = DiagonalForm(s.model, s.q).nu(s.v);
  for (auto _ : state) benchmark::DoNotOptimize(forward_dynamics_nu(s.model, s.q, nu, s.tau));
}

}  // namespace

int main(int argc, char** argv) {
  const Method plain_inverse = inverse_dynamics, plain_forward = forward_dynamics;  // picks the overload
  for (const int n : {6, 12, 30}) {
    const auto name = [n](const char* method) { return std::string(method) + "/" + std::to_string(n); };
    benchmark::RegisterBenchmark(name("inverse/newton_euler").c_str(), inverse_method, plain_inverse, n);
    benchmark::RegisterBenchmark(name("inverse/dh").c_str(), inverse_dh, n);
    benchmark::RegisterBenchmark(name("inverse/denoc").c_str(), inverse_method, inverse_dynamics_denoc, n);
    benchmark::RegisterBenchmark(name("inverse/kalman").c_str(), inverse_method, inverse_dynamics_kalman, n);
    benchmark::RegisterBenchmark(name("forward/articulated").c_str(), forward_method, plain_forward, n);
    benchmark::RegisterBenchmark(name("forward/composite").c_str(), forward_method, forward_dynamics_composite, n);
    benchmark::RegisterBenchmark(name("forward/denoc").c_str(), forward_method, forward_dynamics_denoc, n);
    benchmark::RegisterBenchmark(name("forward/diagonal").c_str(), forward_method, forward_dynamics_diagonal, n);
    benchmark::RegisterBenchmark(name("forward/xi").c_str(), forward_xi, n);
    benchmark::RegisterBenchmark(name("forward/nu").c_str(), forward_nu, n);
    benchmark::RegisterBenchmark(name("forward/newton_columns").c_str(), forward_method,
                                 forward_dynamics_newton_columns, n);
    benchmark::RegisterBenchmark(name("forward/newton_symmetric").c_str(), forward_method,
                                 forward_dynamics_newton_symmetric, n);
    benchmark::RegisterBenchmark(name("forward/conjugate_gradient").c_str(), conjugate_gradient, n);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
