// What linearized and diagonalized dynamics cost: build/bench/linear_bench. docs/linearization.md shows the results.
// ratio/*: whole matrices against the dynamics they belong to, timed in turn so that a busy machine disturbs both.
// order_n/*: algorithms that should take the same time per link however long the chain.
#include <benchmark/benchmark.h>

#include <ctime>

#include "bench/chain_state.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/linear/linearize.hpp"

namespace {

using namespace catena;

using State = ChainState;

// Of processor time: others may have the machine in between.
double seconds(const auto& call, int times) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  for (int i = 0; i < times; ++i) call();
  return now() - start;
}

// The time of `call`, and as a counter its ratio to that of `unit`.
void compare(benchmark::State& state, const auto& unit, const auto& call) {
  const int units = 200, calls = 20;
  double unit_time = 0, call_time = 0;
  for (auto _ : state) {
    unit_time += seconds(unit, units) / units;
    const double elapsed = seconds(call, calls) / calls;
    call_time += elapsed;
    state.SetIterationTime(elapsed);
  }
  state.counters["ratio"] = call_time / unit_time;
}

void algorithm_2(benchmark::State& state) {
  State s(static_cast<int>(state.range(0)));
  const int n = s.model.nv();
  Workspace dynamics(s.model);
  LinearWorkspace linear(s.model);
  Matrix M(n, n), A_D(n, n), B_D(n, n);
  compare(
      state, [&] { inverse_dynamics(s.model, dynamics, s.q, s.v, s.a, s.tau); },
      [&] { linearize_inverse(s.model, linear, s.q, s.v, s.a, M, A_D, B_D); });
}

void algorithm_6T(benchmark::State& state) {
  State s(static_cast<int>(state.range(0)));
  const int n = s.model.nv();
  Workspace dynamics(s.model);
  LinearWorkspace linear(s.model);
  Matrix M_inv(n, n), A_C(n, n), B_C(n, n);
  compare(
      state, [&] { forward_dynamics(s.model, dynamics, s.q, s.v, s.tau, s.a); },
      [&] { linearize_forward(s.model, linear, s.q, s.v, s.tau, s.a, M_inv, A_C, B_C); });
}

void on_chain(benchmark::State& state, const State& s, const auto& call) {
  for (auto _ : state) call();
  using Counter = benchmark::Counter;
  const double calls_links = static_cast<double>(state.iterations()) * s.model.nv();
  state.counters["per link"] = Counter(calls_links, Counter::kIsRate | Counter::kInvert);
}

void inverse(benchmark::State& state) {  // the yardstick of the others
  State s(static_cast<int>(state.range(0)));
  Workspace dynamics(s.model);
  on_chain(state, s, [&] { inverse_dynamics(s.model, dynamics, s.q, s.v, s.a, s.tau); });
}
void forward(benchmark::State& state) {
  State s(static_cast<int>(state.range(0)));
  Workspace dynamics(s.model);
  on_chain(state, s, [&] { forward_dynamics(s.model, dynamics, s.q, s.v, s.tau, s.a); });
}
void algorithm_1(benchmark::State& state) {
  State s(static_cast<int>(state.range(0)));
  LinearWorkspace linear(s.model);
  Vector dtau(s.model.nv());
  on_chain(state, s, [&] { inverse_dynamics_jvp(s.model, linear, s.q, s.v, s.a, s.change, s.change, s.change, dtau); });
}
void algorithm_5(benchmark::State& state) {
  State s(static_cast<int>(state.range(0)));
  LinearWorkspace linear(s.model);
  Vector da(s.model.nv());
  on_chain(state, s, [&] { forward_dynamics_jvp(s.model, linear, s.q, s.v, s.tau, s.change, s.change, s.change, da); });
}

void with_form(benchmark::State& state, const auto& call) {
  const State s(static_cast<int>(state.range(0)));
  DiagonalForm form(s.model);
  on_chain(state, s, [&] { call(s, form); });
}
void transforms(benchmark::State& state) {  // q -> the factors, then nu, xi, epsilon, kappa and back
  with_form(state, [](const State& s, DiagonalForm& form) {
    form.update(s.q);
    benchmark::DoNotOptimize(form.velocity_from_xi(form.xi(s.v)));
    benchmark::DoNotOptimize(form.velocity_from_nu(form.nu(s.v)));
    benchmark::DoNotOptimize(form.force_from_kappa(form.kappa(s.tau)));
    benchmark::DoNotOptimize(form.force_from_epsilon(form.epsilon(s.tau)));
  });
}
void coriolis_recursions(benchmark::State& state) {  // C(q, xi), C(q, nu) and all other terms
  with_form(state, [](const State& s, DiagonalForm& form) {
    benchmark::DoNotOptimize(diagonal_terms(form, s.q, s.v, s.tau).C_nu.data());
  });
}
void forward_xi(benchmark::State& state) {
  with_form(state, [](const State& s, DiagonalForm& form) {
    benchmark::DoNotOptimize(forward_dynamics_xi(form, s.q, s.v, s.tau).rate.data());
  });
}
void forward_nu(benchmark::State& state) {
  with_form(state, [](const State& s, DiagonalForm& form) {
    benchmark::DoNotOptimize(forward_dynamics_nu(form, s.q, s.v, s.tau).rate.data());
  });
}

using Timed = void (*)(benchmark::State&);

}  // namespace

int main(int argc, char** argv) {
  const std::pair<const char*, Timed> ratios[] = {{"ratio/algorithm_2", algorithm_2},
                                                  {"ratio/algorithm_6T", algorithm_6T}};
  for (const auto& [name, timed] : ratios) {
    auto* bench = benchmark::RegisterBenchmark(name, timed)->UseManualTime()->Unit(benchmark::kMicrosecond);
    for (const int n : {6, 12, 30, 60, 120}) bench->Arg(n);
  }
  const std::pair<const char*, Timed> linear[] = {
      {"order_n/inverse_dynamics", inverse},    {"order_n/forward_dynamics", forward},
      {"order_n/algorithm_1", algorithm_1},     {"order_n/algorithm_5", algorithm_5},
      {"order_n/nu_xi_transforms", transforms}, {"order_n/coriolis_recursions", coriolis_recursions},
      {"order_n/forward_xi", forward_xi},       {"order_n/forward_nu", forward_nu}};
  for (const auto& [name, timed] : linear) {
    auto* bench = benchmark::RegisterBenchmark(name, timed)->Unit(benchmark::kMicrosecond);
    for (const int n : {100, 1000, 10000}) bench->Arg(n);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
