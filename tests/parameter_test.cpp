// Parameters of a robot as inputs: programs, compiled functions, batches and rollouts give what the plain library gives for
// the robot built with those numbers.
#include "catena/model/parameter.hpp"

#include <cmath>

#include "catena/batch/batch.hpp"
#include "catena/batch/rollout.hpp"
#include "catena/compile/plain.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/machine/machine_code.hpp"
#include "catena/model/random.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"

namespace catena {
namespace {

using test::message_of;

// Every second or so of all that the robot has; springs of joints that turn in three directions are not compiled.
std::vector<std::string> some_names(const Model& model, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> out;
  for (const Parameter& parameter : parameters(model)) {
    if (parameter.kind >= Parameter::Kind::stiffness && parameter.kind <= Parameter::Kind::rest &&
        velocity_count(model.description().joints[static_cast<std::size_t>(parameter.index)].type) > 1)
      continue;
    if (random.chance(0.3)) out.push_back(parameter.name);
  }
  return out;
}

void expect_agreement(const Model& model, Function function, const std::vector<std::string>& names,
                      std::uint64_t seed) {
  SCOPED_TRACE(function_name(function));
  const Program program = trace(model, function, {}, names);
  const Vector in = random_inputs(model, program, seed), expected = plain_values(model, program, in);
  Vector out(program.output_count());
  evaluate(program, {in.data(), static_cast<std::size_t>(in.size())},
           {out.data(), static_cast<std::size_t>(out.size())});
  const double bound = 10 * rounding_bound(model, program, in),
               largest = std::max(expected.cwiseAbs().maxCoeff(), model.total_mass());
  for (const ProgramBlock& b : program.outputs) {
    const Vector have = out.segment(b.first, b.size()), want = expected.segment(b.first, b.size());
    const double size = want.cwiseAbs().maxCoeff();
    EXPECT_LE((have - want).cwiseAbs().maxCoeff(), bound * (size < 1e-13 * largest ? largest : size)) << b.name;
  }
}

TEST(Parameters, AsInputsGiveWhatTheRobotWithThoseNumbersGives) {
  TreeOptions options;
  options.max_bodies = 6;
  const std::uint64_t seeds = test::leaves_out_long_tests() ? 8 : 40;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE(seed);
    const Model model(random_tree(seed, options));
    const std::vector<std::string> names = some_names(model, seed);
    if (names.empty()) continue;
    for (const Function function : functions(model)) expect_agreement(model, function, names, seed);
  }
}

TEST(Parameters, AsInputsOfBuiltInRobots) {
  for (const char* name : {"stanford_arm", "planar_3r", "gantry", "arm7", "quadruped", "joints"}) {
    SCOPED_TRACE(name);
    const Model model = read::load(name);
    for (const Function function : {Function::inverse, Function::forward, Function::linearize_inverse}) {
      const std::vector<Function> can = functions(model);
      if (std::find(can.begin(), can.end(), function) == can.end()) continue;
      expect_agreement(model, function, {"gravity", model.frame_name(model.tip_frame()) + ".payload"}, 3);
      expect_agreement(model, function, some_names(model, 5), 5);
    }
  }
}

// A robot of which one number changes is the robot whose file has that number.
TEST(Parameters, ChangeTheDescription) {
  const Model arm = read::load("arm7");
  const std::string joint = arm.description().joints.back().name, body = arm.description().bodies.back().name;
  const std::string heavy = arm.description().bodies[3].name, tip = arm.frame_name(arm.tip_frame());
  const Model changed = with_parameters(arm, {{heavy + ".mass", 3.25},
                                              {heavy + ".com.y", -0.125},
                                              {heavy + ".inertia.xz", 0.001},
                                              {"gravity.z", -1.62},
                                              {tip + ".payload.mass", 2}});
  const Inertial& inertial = *changed.description().bodies[3].inertial;
  EXPECT_EQ(inertial.mass, 3.25);
  EXPECT_EQ(inertial.com.y(), -0.125);
  EXPECT_EQ(inertial.inertia(0, 2), 0.001);
  EXPECT_EQ(inertial.inertia(2, 0), 0.001);
  EXPECT_EQ(changed.gravity().z(), -1.62);
  EXPECT_NEAR(changed.total_mass(), arm.total_mass() + 2 + 3.25 - arm.description().bodies[3].inertial->mass, 1e-12);
  EXPECT_EQ(changed.nv(), arm.nv());
}

TEST(Parameters, OfAJointActOnEachOfItsComponents) {
  const Model model = read::load("joints");
  for (const Coordinate& c : model.coordinates()) {
    SCOPED_TRACE(c.joint);
    const Model damped = with_parameters(model, {{c.joint + ".damping", 1000}});
    const Vector q = neutral_configuration(model), zero = Vector::Zero(model.nv()), v = Vector::Ones(model.nv());
    const Vector more = inverse_dynamics(damped, q, v, zero) - inverse_dynamics(model, q, v, zero);
    for (int i = 0; i < model.nv(); ++i) EXPECT_EQ(std::abs(more[i]) > 900, i >= c.v && i < c.v + c.nv) << i;
  }
}

struct Drawn {
  Drawn(const Model& model, Function function, const std::vector<std::string>& names, int states) {
    program.function = function;
    const Signature blocks = signature(model, function, {}, names);
    program.inputs = blocks.inputs, program.outputs = blocks.outputs, program.parameters = blocks.parameters;
    all = Matrix(program.input_count(), states);
    for (int b = 0; b < states; ++b) all.col(b) = random_inputs(model, program, 1 + 7u * static_cast<unsigned>(b));
    for (const ProgramBlock& block : program.inputs) inputs.push_back(all.middleRows(block.first, block.size()));
  }
  Program program;
  Matrix all;
  std::vector<Matrix> inputs;
};

TEST(Parameters, EachStateOfABatchHasItsOwn) {
  const Model model = read::load("arm7");
  const std::string tip = model.frame_name(model.tip_frame()), joint = model.description().joints[3].name;
  const std::vector<std::string> names = {tip + ".payload", joint + ".damping", joint + ".friction"};
  for (const BatchOptions::Backend backend : {BatchOptions::automatic, BatchOptions::plain}) {
    for (const Function function : {Function::gravity, Function::inverse, Function::forward, Function::mass_matrix}) {
      SCOPED_TRACE(function_name(function));
      const int states = 21;
      const Drawn drawn(model, function, names, states);
      Batch batch(model, function, {.backend = backend, .parameters = names});
      ASSERT_EQ(batch.blocks().inputs.back().name, parameters_block);
      ASSERT_EQ(batch.blocks().inputs.back().rows, 12);
      Matrix out(batch.blocks().outputs[0].size(), states);
      const std::vector<ConstStates> in(drawn.inputs.begin(), drawn.inputs.end());
      batch(in, std::vector<States>{out});
      for (int b = 0; b < states; ++b) {
        const Vector state = drawn.all.col(b), expected = plain_values(model, drawn.program, state);
        EXPECT_CLOSE(Vector(out.col(b)), expected, 10 * rounding_bound(model, drawn.program, state)) << b;
        EXPECT_GT((expected - plain_values(model, drawn.program, drawn.all.col((b + 1) % states))).norm(), 1e-3);
      }
    }
  }
}

TEST(Parameters, OfACompiledFunctionAreAnArgument) {
  const Model model = read::load("puma560");
  const std::string body = model.description().bodies.back().name;
  const CompiledFunction forward(model, Function::forward, {}, {body + ".inertial", "gravity"});
  ASSERT_EQ(forward.program().parameters.size(), 13u);
  for (std::uint64_t seed = 1; seed < 20; ++seed) {
    Vector in = random_inputs(model, forward.program(), seed), a(model.nv());
    if (seed % 4 == 0) in[0] += 2e5 * 3.14159265358979;  // beyond what machine code takes
    forward({in.data(), static_cast<std::size_t>(in.size())}, {a.data(), static_cast<std::size_t>(a.size())});
    EXPECT_CLOSE(a, plain_values(model, forward.program(), in), 10 * rounding_bound(model, forward.program(), in));
  }
}

TEST(Parameters, EachTrajectoryOfARolloutHasItsOwn) {
  const Model model = read::load("arm7");
  const std::string tip = model.frame_name(model.tip_frame());
  const std::vector<std::string> names = {tip + ".payload.mass", "gravity.z"};
  const int count = 9, steps = 20;
  Matrix q(model.nq(), count), v(model.nv(), count), numbers(2, count);
  for (int b = 0; b < count; ++b) {
    q.col(b) = random_configuration(model, 3), v.col(b) = Vector::Zero(model.nv());
    numbers.col(b) << 0.5 * b, -9.81 + b;
  }
  for (const auto method : {RolloutOptions::euler, RolloutOptions::rk4}) {
    Rollout rollout(model, {.method = method, .parameters = names});
    Matrix q_end(model.nq(), count), v_end(model.nv(), count);
    rollout(q, v, {}, steps, q_end, v_end, {}, numbers);
    for (int b = 0; b < count; ++b) {
      const Model own = with_parameters(model, {{names[0], numbers(0, b)}, {names[1], numbers(1, b)}});
      Rollout alone(own, {.method = method});
      Matrix q_alone(model.nq(), 1), v_alone(model.nv(), 1);
      alone(Matrix(q.col(b)), Matrix(v.col(b)), {}, steps, q_alone, v_alone);
      EXPECT_CLOSE(Vector(q_end.col(b)), Vector(q_alone.col(0)), 1e-10) << b;
      EXPECT_CLOSE(Vector(v_end.col(b)), Vector(v_alone.col(0)), 1e-10) << b;
    }
    EXPECT_GT((v_end.col(0) - v_end.col(1)).norm(), 1e-3);
  }
}

TEST(Parameters, ThatAreNotConstantsLeaveTheOthersFolded) {
  const Model model = read::load("arm7");
  const std::string body = model.description().bodies.back().name;
  const auto operations = [&](const std::vector<std::string>& names) {
    return static_cast<double>(trace(model, Function::forward, {}, names).operations().total());
  };
  const double constants = operations({});
  EXPECT_GT(operations({body + ".inertial"}), constants);
  EXPECT_LT(operations({body + ".inertial", model.description().joints.back().name + ".damping"}), 1.6 * constants);
}

TEST(Parameters, BadOnesAreRefusedByName) {
  const Model arm = read::load("arm7");
  const std::string body = arm.description().bodies[2].name;
  const auto asked = [&](const std::vector<std::string>& names) {
    return message_of<std::invalid_argument>([&] { parameters(arm, names); });
  };
  EXPECT_NE(asked({body + ".mas"}).find(body + ".mass"), std::string::npos);
  EXPECT_NE(asked({body + ".mass", body + ".inertial"}).find(body + ".mass is named twice"), std::string::npos);
  EXPECT_NE(message_of<std::invalid_argument>([&] {
              with_parameters(arm, {{"gravity", 1}});
            }).find("gravity.z"),
            std::string::npos);
  EXPECT_THROW(with_parameters(arm, {{body + ".mass", -1}}), ModelError);
  EXPECT_THROW(with_parameters(arm, {{"gravity.x", std::nan("")}}), ModelError);
  for (const BatchOptions::Backend backend : {BatchOptions::automatic, BatchOptions::plain}) {
    Batch batch(arm, Function::inverse, {.backend = backend, .parameters = {body + ".mass"}});
    const Drawn drawn(arm, Function::inverse, {body + ".mass"}, 6);
    Matrix out(arm.nv(), 6), masses = drawn.inputs[3];
    const auto run = [&] { batch({drawn.inputs[0], drawn.inputs[1], drawn.inputs[2], masses}, {out}); };
    masses(0, 4) = -1;
    EXPECT_NE(message_of<std::invalid_argument>(run).find("state 4: "), std::string::npos);
    masses(0, 4) = std::nan("");
    EXPECT_NE(message_of<std::invalid_argument>(run).find("state 4: "), std::string::npos);
  }
  EXPECT_THROW(Batch(arm, Function::inverse, {.backend = BatchOptions::lanes, .parameters = {"gravity"}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace catena
