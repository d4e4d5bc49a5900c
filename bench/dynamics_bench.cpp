// Time per call of the plain path: robots one can name, and chains that grow. Run: build/bench/dynamics_bench
// States are prepared outside the timed loop. For chains the counter "per link" should stay flat.
#include <benchmark/benchmark.h>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/read/robot.hpp"

namespace {

using namespace catena;

struct State {
  explicit State(const std::string& robot)
      : model(read::load(robot)),
        workspace(model),
        q(random_configuration(model, 1)),
        v(random_vector(model, 2)),
        a(random_vector(model, 3)),
        tau(inverse_dynamics(model, q, v, a)) {}

  Model model;
  Workspace workspace;
  Vector q, v, a, tau;
};

void per_link(benchmark::State& state, const State& s) {
  using Counter = benchmark::Counter;
  const double calls_links = static_cast<double>(state.iterations()) * s.model.nv();
  state.counters["per link"] = Counter(calls_links, Counter::kIsRate | Counter::kInvert);
}

void inverse(benchmark::State& state, const std::string& robot) {
  State s(robot);
  for (auto _ : state) inverse_dynamics(s.model, s.workspace, s.q, s.v, s.a, s.tau);
  per_link(state, s);
}

void forward(benchmark::State& state, const std::string& robot) {
  State s(robot);
  for (auto _ : state) forward_dynamics(s.model, s.workspace, s.q, s.v, s.tau, s.a);
  per_link(state, s);
}

template <void (*Fill)(const Model&, Workspace&, ConstVector, MatrixRef)>
void matrix(benchmark::State& state, const std::string& robot) {
  State s(robot);
  Matrix M(s.model.nv(), s.model.nv());
  for (auto _ : state) Fill(s.model, s.workspace, s.q, M);
  per_link(state, s);
}

void coriolis(benchmark::State& state, const std::string& robot) {
  State s(robot);
  Matrix C(s.model.nv(), s.model.nv());
  for (auto _ : state) coriolis_matrix(s.model, s.workspace, s.q, s.v, C);
  per_link(state, s);
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* robot : {"arm7", "quadruped", "humanoid", "chain:100", "chain:1000", "chain:10000"}) {
    const std::string name = robot;
    benchmark::RegisterBenchmark(("inverse/" + name).c_str(), inverse, name);
    benchmark::RegisterBenchmark(("forward/" + name).c_str(), forward, name);
    if (name.ends_with("000")) continue;  // n x n matrices of long chains are not what these robots are for
    benchmark::RegisterBenchmark(("mass_matrix/" + name).c_str(), matrix<mass_matrix>, name);
    benchmark::RegisterBenchmark(("mass_matrix_inverse/" + name).c_str(), matrix<mass_matrix_inverse>, name);
    benchmark::RegisterBenchmark(("coriolis_matrix/" + name).c_str(), coriolis, name);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
