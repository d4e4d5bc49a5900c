// Numbers at the ends of their range: large angles keep all digits, and nothing that is not finite comes out of any
// function or backend without an error.
#include <cmath>
#include <limits>

#include "catena/batch/batch.hpp"
#include "catena/batch/engine.hpp"
#include "catena/batch/rollout.hpp"
#include "catena/compile/plain.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/machine/machine_code.hpp"
#include "catena/model/random.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"

namespace catena::test {
namespace {

// Joints that turn without end, with axes and links in all directions, so that frames are turned about them by all angles.
Model spinning(std::uint64_t seed) {
  TreeOptions options;
  options.types = {JointType::continuous, JointType::helical};
  options.couplings = options.terms = false;
  options.min_bodies = 4;
  Description robot = random_tree(seed, options);
  for (Joint& joint : robot.joints) joint.pitch = 0;  // a slide would grow with the angle
  return Model(robot);
}
// The same pose within a turn, by sines and cosines that are exact for any angle.
Vector within_a_turn(Vector q) {
  for (double& x : q) x = std::atan2(std::sin(x), std::cos(x));
  return q;
}
Vector spun(const Model& model, double angle, std::uint64_t seed) {
  return random_vector(model, seed, 0.1 * angle) + Vector::Constant(model.nq(), angle);
}

TEST(LargeAngles, KeepAllDigitsOfForcesAndInertias) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Model model = spinning(seed);
    if (model.nq() != model.nv()) continue;
    for (const double angle : {1e3, 8e4, 1e7, 1e9, 1e12, 1e15}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << angle << " rad");
      const Vector q = spun(model, angle, seed), near = within_a_turn(q);
      const Vector v = random_vector(model, seed + 1), a = random_vector(model, seed + 2);
      EXPECT_CLOSE(mass_matrix(model, q), mass_matrix(model, near), 1e-13);
      EXPECT_CLOSE(inverse_dynamics(model, q, v, a), inverse_dynamics(model, near, v, a), 1e-12);
      EXPECT_CLOSE(gravity_forces(model, q), gravity_forces(model, near), 1e-12);
    }
  }
}

TEST(LargeAngles, KeepAllDigitsInLanesAndPrograms) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Model model = spinning(seed);
    for (const double angle : {8e4, 1e9, 1e15}) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << angle << " rad");
      const Vector q = spun(model, angle, seed);
      const Matrix expected = mass_matrix(model, within_a_turn(q));
      const Vector numbers = expected.reshaped();
      for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
        Batch batch(model, Function::mass_matrix, {backend});
        Matrix many = q.replicate(1, 9), M(expected.size(), 9);
        batch(std::vector<ConstStates>{many}, std::vector<States>{M});
        EXPECT_CLOSE(M.col(0), numbers, 1e-13);
        EXPECT_CLOSE(M.col(8), numbers, 1e-13);
      }
      Vector M(expected.size());
      const std::span<const double> in(q.data(), static_cast<std::size_t>(q.size()));
      const std::span<double> out(M.data(), static_cast<std::size_t>(M.size()));
      evaluate(trace(model, Function::mass_matrix), in, out);  // what generated C computes
      EXPECT_CLOSE(M, numbers, 1e-13);
      CompiledFunction(model, Function::mass_matrix)(in, out);
      EXPECT_CLOSE(M, numbers, 1e-13);
    }
  }
}

TEST(Extremes, AreRefusedByNameAndBound) {
  const Model model = read::load("arm7");
  const Vector zero = Vector::Zero(7), fast = Vector::Constant(7, 1e154);
  const std::string place = " is 1e+154 at shoulder_yaw (entry 0): beyond 1e+50, where products overflow";
  const auto said = [](const auto& call) { return message_of<std::invalid_argument>(call); };
  EXPECT_EQ(said([&] { inverse_dynamics(model, zero, fast, zero); }).rfind("v" + place, 0), 0u);
  EXPECT_EQ(said([&] { inverse_dynamics(model, zero, zero, fast); }).rfind("a" + place, 0), 0u);
  EXPECT_EQ(said([&] { inverse_dynamics(model, fast, zero, zero); }).rfind("q" + place, 0), 0u);
  EXPECT_EQ(said([&] { forward_dynamics(model, zero, zero, fast); }).rfind("tau" + place, 0), 0u);
  EXPECT_EQ(said([&] { linearize_forward(model, zero, fast, zero); }).rfind("v" + place, 0), 0u);
  EXPECT_EQ(said([&] { Kinematics(model, zero, fast); }).rfind("v" + place, 0), 0u);
  ExternalLoads loads;
  loads.wrenches.emplace_back().force = {0, 1e60, 0};
  EXPECT_NE(said([&] { inverse_dynamics(model, zero, zero, zero, loads); }).find("is 1e+60: beyond 1e+50"),
            std::string::npos);
  loads = {};
  loads.base.angular_velocity = {1e155, 0, 0};
  EXPECT_NE(said([&] { inverse_dynamics(model, zero, zero, zero, loads); }).find("the angular velocity of the base"),
            std::string::npos);
  EXPECT_NE(said([&] { linearize_inverse(model, zero, zero, zero, loads); }).find("of the base is 1e+155"),
            std::string::npos);
  // up to the bound nothing overflows
  const Vector bound = Vector::Constant(7, 1e50);
  EXPECT_TRUE(inverse_dynamics(model, zero, bound, -bound).allFinite());
  EXPECT_TRUE(linearize_inverse(model, bound, bound, bound).B_D.allFinite());
}

// With mimic joints the derivatives are taken at the acceleration found: too large a one is no argument of the caller's.
TEST(Extremes, AnAccelerationNobodyGaveIsNotBlamed) {
  const Model model = read::load("joints");
  const Vector q = neutral_configuration(model), huge = Vector::Constant(model.nv(), 1e50);
  const std::string said = message_of<NumericalError>([&] { linearize_forward(model, q, huge, huge); });
  EXPECT_EQ(said.rfind("overflow: a result for joints", 0), 0u) << said;
}

// Numbers of every size, most of them huge or tiny.
Vector extreme_numbers(Random& random, Eigen::Index count) {
  Vector out(count);
  const double largest_exponent = random.chance(0.5) ? 52 : 308;
  for (double& x : out) {
    x = random.between(-1, 1) * std::pow(10, random.between(-largest_exponent, largest_exponent));
    if (random.chance(0.02)) x = std::numeric_limits<double>::infinity();
    if (random.chance(0.3)) x = random.between(-1, 1);
  }
  return out;
}
Vector extreme_inputs(const Model& model, const Program& program, Random& random, std::uint64_t seed) {
  Vector in = random_inputs(model, program, seed);
  for (const ProgramBlock& block : program.inputs) {
    if (block.name == "q" && (model.nq() != model.nv() || random.chance(0.5))) continue;  // quaternions are unit
    if (random.chance(0.8)) in.segment(block.first, block.size()) = extreme_numbers(random, block.size());
  }
  return in;
}

// Runs call; true if it refused.
template <class Call>
bool refuses(const Call& call) {
  try {
    call();
  } catch (const std::invalid_argument&) {
    return true;
  } catch (const NumericalError&) {
    return true;
  }
  return false;
}

TEST(Extremes, NothingButFiniteNumbersComesOutOfAnyFunctionOrBackend) {
  for (const char* name : {"arm7", "joints", "gantry", "quadruped"}) {
    const Model model = read::load(name);
    int refused = 0, computed = 0;
    for (const Function function : functions()) {
      if (of_frames(function)) continue;
      SCOPED_TRACE(std::string(name) + " " + function_name(function));
      Program program;
      program.function = function;
      const Signature blocks = signature(model, function);
      program.inputs = blocks.inputs, program.outputs = blocks.outputs;
      std::vector<Batch> batches;
      if (batch::runs_in_lanes(model.tree(), function))
        batches.emplace_back(model, function, BatchOptions{BatchOptions::lanes});
      batches.emplace_back(model, function, BatchOptions{BatchOptions::automatic});
      Random random(17);
      for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Vector in = extreme_inputs(model, program, random, seed);
        const auto plain = [&] {
          const Vector out = plain_values(model, program, in);
          EXPECT_TRUE(out.allFinite()) << "plain, seed " << seed;
        };
        (refuses(plain) ? refused : computed) += 1;
        for (Batch& batch : batches) {
          std::vector<Matrix> inputs, outputs;
          for (const ProgramBlock& block : program.inputs) {
            inputs.push_back(in.segment(block.first, block.size()).replicate(1, 3));
          }
          for (const ProgramBlock& block : program.outputs) outputs.emplace_back(block.size(), 3);
          if (refuses([&] {
                batch(std::vector<ConstStates>(inputs.begin(), inputs.end()),
                      std::vector<States>(outputs.begin(), outputs.end()));
              })) {
            continue;
          }
          for (const Matrix& x : outputs) EXPECT_TRUE(x.allFinite()) << "batch, seed " << seed;
        }
      }
    }
    EXPECT_GT(refused, 100) << name;
    EXPECT_GT(computed, 100) << name;
  }
}

TEST(Extremes, NothingButFiniteNumbersComesOutOfRollouts) {
  const Model model = read::load("arm7");
  for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
    for (const auto method : {RolloutOptions::rk4, RolloutOptions::euler}) {
      Rollout rollout(model, {.method = method, .step = 1e-3, .backend = backend});
      Random random(5);
      int refused = 0;
      for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Vector q = random_configuration(model, seed), v = extreme_numbers(random, 7);
        const Vector tau = random.chance(0.5) ? extreme_numbers(random, 7) : Vector(Vector::Zero(7));
        Vector q_end(7), v_end(7);
        if (refuses([&] { rollout(q, v, tau, 3, q_end, v_end); }))
          ++refused;
        else
          EXPECT_TRUE(q_end.allFinite() && v_end.allFinite()) << seed;
      }
      EXPECT_GT(refused, 20);
      EXPECT_LT(refused, 60);
    }
  }
}

}  // namespace
}  // namespace catena::test
