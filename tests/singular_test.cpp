// One test for a singular mass matrix: every route and backend gives up at the same poses and names the same joint.
#include <cmath>
#include <functional>
#include <numbers>

#include "catena/batch/batch.hpp"
#include "catena/batch/engine.hpp"
#include "catena/batch/rollout.hpp"
#include "catena/control/inputs.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/machine/machine_code.hpp"
#include "catena/model/tree.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/methods.hpp"
#include "catena/reference/noc.hpp"
#include "catena/reference/spatial_operators.hpp"
#include "catena/simulate/simulation.hpp"
#include "support.hpp"
#include "tags.hpp"

namespace catena::test {
namespace {

// A point mass on two crossed axes: nothing resists the first joint where the mass lies on its axis, q = pi/2 of the
// second. On an arm of `before` links, and with a joint that another follows, if coupled.
Model gimbal(int before, bool coupled) {
  Builder builder("gimbal");
  builder.gravity(0, 0, 0);
  const Inertial link{1, {0.1, 0, 0}, box_inertia(1, 0.2, 0.1, 0.1)}, none{}, point{1, {1, 0, 0}, Matrix3::Zero()};
  const double across = before > 20 ? 0.01 : 0.2;  // a long arm stays within reach
  std::string last;
  for (int k = 0; k < before; ++k) {
    const std::string name = "link" + std::to_string(k);
    Joint joint = revolute("arm" + std::to_string(k)).at(across, 0, 0).about(0, k % 2, 1 - k % 2);
    builder.add_body(name, link, last.empty() ? joint : joint.on(last));
    last = name;
  }
  Joint yaw = revolute("yaw").about(0, 0, 1);
  builder.add_body("a", none, last.empty() ? yaw : yaw.on(last).at(across, 0, 0));
  builder.add_body("b", point, revolute("pitch").on("a").about(0, 1, 0));
  if (coupled) {
    builder.add_body("wheel", link, revolute("wheel").at(2, 0, 0));
    builder.add_body("other", link, revolute("other").at(3, 0, 0).mimics("wheel", -0.5));
  }
  return builder.build();
}

struct Route {
  std::string name;
  std::function<void(const Model&, const Vector& q, const Vector& v, const Vector& tau)> run;
};

void run_batch(const Model& model, Function function, const BatchOptions& options, const Vector& q, const Vector& v,
               const Vector& tau) {
  Batch batch(model, function, options);
  std::vector<Matrix> in, out;
  for (std::size_t k = 0; k < batch.blocks().inputs.size(); ++k) {
    in.push_back((k == 0 ? q : k == 1 ? v : tau).replicate(1, 5));
  }
  for (const ProgramBlock& block : batch.blocks().outputs) out.emplace_back(block.size(), 5);
  batch(std::vector<ConstStates>(in.begin(), in.end()), std::vector<States>(out.begin(), out.end()));
  for (const Matrix& x : out) EXPECT_TRUE(x.allFinite());
}

// Those of every robot, and those of robots without couplings.
std::vector<Route> routes(const Model& model) {
  std::vector<Route> out = {
      {"forward", [](auto& m, auto& q, auto& v, auto& tau) { forward_dynamics(m, q, v, tau); }},
      {"articulated", [](auto& m, auto& q, auto& v, auto& tau) { forward_dynamics(m, q, v, tau); }},
      {"composite", [](auto& m, auto& q, auto& v, auto& tau) { forward_dynamics_composite(m, q, v, tau); }},
      {"columns", [](auto& m, auto& q, auto& v, auto& tau) { forward_dynamics_newton_columns(m, q, v, tau); }},
      {"symmetric", [](auto& m, auto& q, auto& v, auto& tau) { forward_dynamics_newton_symmetric(m, q, v, tau); }},
      {"inverse of M", [](auto& m, auto& q, auto&, auto&) { mass_matrix_inverse(m, q); }},
      {"linearize", [](auto& m, auto& q, auto& v, auto& tau) { linearize_forward(m, q, v, tau); }},
      {"linearize with a wrench",
       [](auto& m, auto& q, auto& v, auto& tau) {
         ExternalLoads pushed;
         pushed.wrenches.emplace_back();
         linearize_forward(m, q, v, tau, pushed);
       }},
      {"one direction", [](auto& m, auto& q, auto& v, auto& tau) { forward_dynamics_jvp(m, q, v, tau, v, v, v); }},
      {"diagonal form", [](auto& m, auto& q, auto&, auto&) { DiagonalForm(m, q); }},
      {"diagonal", [](auto& m, auto& q, auto& v, auto& tau) { forward_dynamics_diagonal(m, q, v, tau); }},
  };
  for (const Function function : functions(model)) {
    if (!uses_inverse_mass_matrix(function)) continue;
    const std::string name = function_name(function);
    out.push_back({"machine code: " + name, [function](auto& m, auto& q, auto& v, auto& tau) {
                     const CompiledFunction f(m, function);
                     Vector in(f.program().input_count()), result(f.program().output_count());
                     in.head(m.nq()) = q;
                     if (in.size() > m.nq()) in.segment(m.nq(), m.nv()) = v;
                     if (in.size() > m.nq() + m.nv()) in.tail(m.nv()) = tau;
                     f({in.data(), static_cast<std::size_t>(in.size())},
                       {result.data(), static_cast<std::size_t>(result.size())});
                     EXPECT_TRUE(result.allFinite());
                   }});
    out.push_back({"batch of machine code: " + name, [function](auto& m, auto& q, auto& v, auto& tau) {
                     run_batch(m, function, {BatchOptions::automatic}, q, v, tau);
                   }});
    for (const int width : batch::widths()) {
      out.push_back({"lanes: " + name, [function, width](auto& m, auto& q, auto& v, auto& tau) {
                       run_batch(m, function, {BatchOptions::lanes, 1, width}, q, v, tau);
                     }});
    }
  }
  for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
    out.push_back({"rollout", [backend](auto& m, auto& q, auto& v, auto& tau) {
                     Rollout rollout(m, {.step = 1e-6, .backend = backend});
                     Vector q_end(m.nq()), v_end(m.nv());
                     rollout(q, v, tau, 1, q_end, v_end);
                   }});
  }
  if (model.has_couplings()) return out;
  const std::vector<Route> uncoupled = {
      {"operators", [](auto& m, auto& q, auto&, auto&) { SpatialOperators(m, q); }},
      {"DeNOC", [](auto& m, auto& q, auto& v, auto& tau) { forward_dynamics_denoc(m, q, v, tau); }},
      {"NOC", [](auto& m, auto& q, auto& v, auto& tau) { forward_dynamics_noc(m, q, v, tau); }},
  };
  out.insert(out.end(), uncoupled.begin(), uncoupled.end());
  return out;
}

// How far from the pose that is singular. The floor of the pivot, cos^2 q, is 64 eps of what the first joint carries:
// within a factor 4 of it rounding decides.
void expect_same_judgement(const Model& model) {
  const int pitch = model.coordinate("pitch").q, yaw = model.coordinate("yaw").v;
  const double floor = model.tree().pivot_floor[yaw];
  for (const double pivot : {0.0, 1e-30, floor / 100, floor / 4, 4 * floor, 1e3 * floor, 0.3}) {
    Vector q = Vector::Constant(model.nq(), 0.3);
    q[pitch] = 0.5 * std::numbers::pi - std::asin(std::sqrt(pivot));
    const Vector v = Vector::Constant(model.nv(), 1e-3), tau = Vector::Constant(model.nv(), 1e-3);
    for (const Route& route : routes(model)) {
      SCOPED_TRACE(route.name + " of " + std::to_string(model.nv()) + " joints, pivot " +
                   std::to_string(pivot / floor) + " floors");
      if (pivot > floor) {
        EXPECT_NO_THROW(route.run(model, q, v, tau));
        continue;
      }
      try {
        route.run(model, q, v, tau);
        ADD_FAILURE() << "not noticed";
      } catch (const NumericalError& error) {
        EXPECT_NE(std::string(error.what()).find("singular at joint yaw"), std::string::npos) << error.what();
        EXPECT_EQ(error.body(), "yaw");
      }
    }
  }
}

TEST(SingularMassMatrix, IsNoticedByAllRoutesAlike) { expect_same_judgement(gimbal(0, false)); }
TEST(SingularMassMatrix, IsNoticedBehindAnArm) { expect_same_judgement(gimbal(3, false)); }
TEST(SingularMassMatrix, IsNoticedWhereJointsFollowOthers) { expect_same_judgement(gimbal(1, true)); }
TEST(SingularMassMatrix, IsNoticedOnAChainTooLongForAFactor) {
  const Model model = gimbal(101, false);
  Vector q = Vector::Constant(model.nq(), 0.1), one = Vector::Ones(model.nv());
  q[model.coordinate("pitch").q] = 0.5 * std::numbers::pi;
  EXPECT_THROW(forward_dynamics(model, q, one, one), NumericalError);
  EXPECT_THROW(mass_matrix_inverse(model, q), NumericalError);
  EXPECT_THROW(linearize_forward(model, q, one, one), NumericalError);
  EXPECT_THROW(run_batch(model, Function::mass_matrix_inverse, {BatchOptions::lanes}, q, one, one), NumericalError);
  EXPECT_THROW(run_batch(model, Function::forward, {BatchOptions::lanes}, q, one, one), NumericalError);
  q[model.coordinate("pitch").q] = 0.5;
  EXPECT_NO_THROW(linearize_forward(model, q, one, one));
}

// What generated C returns.
TEST(SingularMassMatrix, IsNoticedByPrograms) {
  const Model model = gimbal(0, false);
  for (const Function function : {Function::forward, Function::mass_matrix_inverse, Function::linearize_forward}) {
    const Program program = trace_guarded(model, function);
    ASSERT_TRUE(program.guarded);
    for (const bool singular : {true, false}) {
      Program doubt = program;
      doubt.outputs.push_back({"doubt", 1, 1, program.output_count()});
      Vector in = Vector::Constant(program.input_count(), 0.1), out(doubt.output_count());
      in[1] = singular ? 0.5 * std::numbers::pi : 0.3;
      evaluate(doubt, {in.data(), static_cast<std::size_t>(in.size())},
               {out.data(), static_cast<std::size_t>(out.size())});
      EXPECT_EQ(!(out[out.size() - 1] < 1), singular) << function_name(function);
    }
  }
  EXPECT_FALSE(trace_guarded(model, Function::inverse).guarded);
}

TEST(SingularMassMatrix, EndsASimulation) {
  const Model model = gimbal(0, false);
  SimulationOptions options;
  options.duration = 1e-3;
  Simulation simulation(model, zero_input(model), options);
  simulation.start(Eigen::Vector2d(0.1, 0.5 * std::numbers::pi), Eigen::Vector2d(0.1, 0));
  EXPECT_THROW(simulation.run([](ConstVector) {}), NumericalError);
}

// A joint is named where the trouble is, not where it ends up.
TEST(SingularMassMatrix, NamesTheJointAndNotThoseBeforeIt) {
  const Model model = gimbal(4, false);
  Vector q = Vector::Constant(model.nq(), 0.3), zero = Vector::Zero(model.nv());
  q[model.coordinate("pitch").q] = 0.5 * std::numbers::pi;
  for (const auto& call : std::vector<std::function<void()>>{[&] { forward_dynamics(model, q, zero, zero); },
                                                             [&] { mass_matrix_inverse(model, q); },
                                                             [&] { linearize_forward(model, q, zero, zero); }}) {
    EXPECT_NE(message_of<NumericalError>(call).find("singular at joint yaw"), std::string::npos);
  }
}

// A long chain is as regular as a short one: what is far away is not held against a joint.
TEST(SingularMassMatrix, IsNotSeenInLongChains) {
  LONG_TEST();
  for (const ChainShape shape : {ChainShape::general, ChainShape::perpendicular, ChainShape::planar}) {
    const Model model(chain(5000, {.shape = shape}));
    const Vector q = random_configuration(model, 1), zero = Vector::Zero(model.nv());
    EXPECT_NO_THROW(forward_dynamics(model, q, zero, zero));
  }
}

}  // namespace
}  // namespace catena::test
