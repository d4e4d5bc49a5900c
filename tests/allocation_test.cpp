// After set-up no dynamics call allocates: malloc is counted while they run. (A program of its own: it replaces malloc.)
#include <gtest/gtest.h>

#include <cstdlib>

#include "catena/batch/rollout.hpp"
#include "catena/compile/plain.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/dynamics/reactions.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/machine/machine_code.hpp"
#include "catena/read/robot.hpp"
#include "random_case.hpp"

extern "C" void* __libc_malloc(std::size_t size);

namespace {
bool counting = false;
int allocations = 0;
}  // namespace

extern "C" void* malloc(std::size_t size) {
  if (counting) ++allocations;
  return __libc_malloc(size);
}

namespace catena::test {
namespace {

template <class F>
int allocations_of(const F& call) {
  allocations = 0;
  counting = true;
  call();
  counting = false;
  return allocations;
}

TEST(Allocation, TheCounterSeesVectorsAndMatrices) {
  EXPECT_GT(allocations_of([] { std::vector<double>(100).front() = 1; }), 0);
  EXPECT_GT(allocations_of([] { Matrix::Zero(10, 10).eval(); }), 0);
}

TEST(Allocation, NoDynamicsCallAllocatesAfterSetUp) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {  // couplings, joint terms and every joint type among them
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    Workspace workspace(c.model);
    LinearWorkspace linear(c.model);
    Kinematics kinematics(c.model);
    Vector tau(c.model.nv()), a(c.model.nv()), q_next(c.model.nq()), v(c.model.nv());
    Matrix M(c.model.nv(), c.model.nv()), A(M), B(M), J(6, c.model.nv());
    ExternalLoads loads;
    loads.wrenches.push_back({0, {1, 2, 3}, {4, 5, 6}, {0.1, 0.2, 0.3}, Axes::aligned});
    Reactions found;
    reactions(c.model, workspace, c.q, c.v, c.a, found, loads);
    EXPECT_EQ(allocations_of([&] {
                inverse_dynamics(c.model, workspace, c.q, c.v, c.a, tau, loads);
                reactions(c.model, workspace, c.q, c.v, c.a, found, loads);
                forward_dynamics(c.model, workspace, c.q, c.v, tau, a, loads);
                mass_matrix(c.model, workspace, c.q, M);
                mass_matrix_inverse(c.model, workspace, c.q, M);
                coriolis_matrix(c.model, workspace, c.q, c.v, M);
                kinematics.update(c.q, c.v, c.a);
                kinematics.jacobian(0, Axes::world, J);
                kinematics.jacobian_dot(0, Axes::body, J);
                integrate(c.model, c.q, c.v, q_next);
                difference(c.model, c.q, q_next, v);
                inverse_dynamics_jvp(c.model, linear, c.q, c.v, c.a, c.v, c.a, c.v, tau, loads);
                linearize_inverse(c.model, linear, c.q, c.v, c.a, M, A, B, loads);
              }),
              0);
    if (c.model.has_couplings()) continue;
    EXPECT_EQ(allocations_of([&] {
                forward_dynamics_jvp(c.model, linear, c.q, c.v, c.a, c.v, c.a, c.v, a, loads);
                linearize_forward(c.model, linear, c.q, c.v, c.a, a, M, A, B, loads);
              }),
              0);
  }
}

TEST(Allocation, CallsThatReturnTheirResultAllocateNothingElse) {
  const Model model = read::load("arm7");
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2), a = random_vector(model, 3);
  const auto all = [&] {
    inverse_dynamics(model, q, v, a);               // 1
    forward_dynamics(model, q, v, a);               // 1
    gravity_forces(model, q);                       // 1
    mass_matrix(model, q);                          // 1
    mass_matrix_inverse(model, q);                  // 1
    coriolis_matrix(model, q, v);                   // 1
    linearize_inverse(model, q, v, a);              // 3
    linearize_forward(model, q, v, a);              // 4
    inverse_dynamics_jvp(model, q, v, a, v, v, v);  // 1
  };
  all();  // makes the workspaces that the model lends from now on
  EXPECT_EQ(allocations_of(all), 14);
  const Model copy = model;  // shares them
  EXPECT_EQ(allocations_of([&] { inverse_dynamics(copy, q, v, a); }), 1);
}

TEST(Allocation, NoBatchOnOneThreadAllocatesAfterSetUp) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    if (c.model.nv() == 0) continue;
    const int nv = c.model.nv(), count = 5;
    const Matrix q = c.q.replicate(1, count), v = c.v.replicate(1, count), x = c.a.replicate(1, count);
    Matrix y(nv, count), q_end(c.model.nq(), count), v_end(nv, count), M(nv * nv, count), A(M), B(M);
    for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
      Batch inverse(c.model, Function::inverse, {backend}), forward(c.model, Function::forward, {backend}),
          linear(c.model, Function::linearize_forward, {backend});
      Rollout rollout(c.model, {RolloutOptions::rk4, 1e-4, backend});
      rollout(q, v, x, 1, q_end, v_end);  // sizes its memory
      EXPECT_EQ(allocations_of([&] {
                  inverse({q, v, x}, {y});
                  forward({q, v, x}, {y});
                  linear({q, v, x}, {y, M, A, B});
                  rollout(q, v, x, 3, q_end, v_end);
                }),
                0);
    }
  }
}

TEST(Allocation, NoBatchOfFramesOrQuasiVelocitiesAllocatesAfterSetUp) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    if (c.model.nv() == 0) continue;
    const int nv = c.model.nv(), count = 5;
    const Matrix q = c.q.replicate(1, count), v = c.v.replicate(1, count), x = c.a.replicate(1, count);
    Matrix y(nv, count), z(nv, count);
    for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
      for (const Function function : {Function::jacobian, Function::pose}) {
        Batch batch(c.model, function, {backend});
        std::vector<Matrix> results;
        for (const ProgramBlock& block : batch.blocks().outputs) results.push_back(Matrix::Zero(block.size(), count));
        const std::vector<ConstStates> in = {q};
        const std::vector<States> out(results.begin(), results.end());
        EXPECT_EQ(allocations_of([&] { batch(in, out); }), 0) << function_name(function);
        double largest = 0;
        for (const Matrix& result : results) largest = std::max(largest, result.cwiseAbs().maxCoeff());
        EXPECT_GT(largest, 0);
      }
      if (c.model.has_couplings()) continue;
      Batch xi(c.model, Function::xi, {backend}), back(c.model, Function::force_from_kappa, {backend}),
          forward(c.model, Function::forward_xi, {backend});
      EXPECT_EQ(allocations_of([&] {
                  xi({q, v}, {y});
                  back({q, v}, {y});
                  forward({q, v, x}, {y, z});
                }),
                0);
    }
  }
}

TEST(Allocation, NoCompiledCallAllocates) {
  const Model model(chain(20));
  const CompiledFunction pose(model, Function::pose);
  const Vector q = random_configuration(model, 1);
  Vector out = Vector::Zero(pose.program().output_count());
  const int made = allocations_of([&] {
    pose({q.data(), static_cast<std::size_t>(q.size())}, {out.data(), static_cast<std::size_t>(out.size())});
  });
  if (pose.is_machine_code()) {
    EXPECT_EQ(made, 0);
  }
  EXPECT_NE(out[12], 0);
}

// Too long to compile: the plain library computes, and needs no more memory for it than when it is called itself.
TEST(Allocation, NoCompiledCallThatIsLeftToThePlainLibraryAllocates) {
  const Model model = read::load("humanoid");
  for (const std::vector<std::string>& outputs : {std::vector<std::string>{}, {"A_C"}}) {
    const CompiledFunction slopes(model, Function::linearize_forward, outputs);
    ASSERT_EQ(slopes.is_machine_code(), false);
    const Vector in = random_inputs(model, slopes.program(), 1);
    Vector out = Vector::Zero(slopes.program().output_count());
    const int made = allocations_of([&] {
      slopes({in.data(), static_cast<std::size_t>(in.size())}, {out.data(), static_cast<std::size_t>(out.size())});
    });
    EXPECT_EQ(made, 0);
    EXPECT_EQ(out, plain_values(model, slopes.program(), in));
  }
}

}  // namespace
}  // namespace catena::test
