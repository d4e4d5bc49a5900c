// Batches: the plain library's numbers, whatever the way, the width, the layout, the number of states and of threads.
#include "catena/batch/batch.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cmath>

#include "catena/batch/engine.hpp"
#include "catena/compile/plain.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/machine/machine_code.hpp"
#include "catena/read/builtin.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"

namespace catena {
namespace {

using test::message_of;

// Random inputs of a function, a column per state, and the plain library's outputs.
struct Sample {
  Sample(const Model& model, Function function, int states, std::uint64_t seed = 1) {
    program.function = function;
    const Signature blocks = signature(model, function);
    program.inputs = blocks.inputs, program.outputs = blocks.outputs;
    Matrix in(program.input_count(), states);
    for (int b = 0; b < states; ++b) in.col(b) = random_inputs(model, program, seed + 7u * static_cast<unsigned>(b));
    for (const ProgramBlock& block : program.inputs) inputs.push_back(in.middleRows(block.first, block.size()));
    for (const ProgramBlock& block : program.outputs) outputs.push_back(Matrix::Constant(block.size(), states, -77));
  }
  void run(Batch& batch) {
    const std::vector<ConstStates> in(inputs.begin(), inputs.end());
    const std::vector<States> out(outputs.begin(), outputs.end());
    batch(in, out);
  }
  Vector input(int state) const {
    Vector out(program.input_count());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      out.segment(program.inputs[k].first, program.inputs[k].size()) = inputs[k].col(state);
    }
    return out;
  }
  void expect_plain(const Model& model, int state) const {
    const Vector in = input(state), expected = plain_values(model, program, in);
    const double bound = rounding_bound(model, program, in);
    const double largest = std::max(expected.cwiseAbs().maxCoeff(), model.total_mass());
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      const ProgramBlock& block = program.outputs[k];
      const Vector want = expected.segment(block.first, block.size()), have = outputs[k].col(state);
      const double size = want.cwiseAbs().maxCoeff();
      EXPECT_LE((have - want).cwiseAbs().maxCoeff(), bound * (size < 1e-13 * largest ? largest : size))
          << block.name << " of state " << state;
    }
  }

  Program program;
  std::vector<Matrix> inputs, outputs;
};

void expect_plain(const Model& model, Function function, const BatchOptions& options, int states,
                  std::uint64_t seed = 1) {
  SCOPED_TRACE(std::string(function_name(function)) + ", width " + std::to_string(options.width));
  Batch batch(model, function, options);
  Sample sample(model, function, states, seed);
  sample.run(batch);
  for (int b = 0; b < states; ++b) sample.expect_plain(model, b);
}

TEST(Batch, AgreesWithTheLibraryOnEveryBuiltInRobot) {
  for (const std::string& robot : read::builtin_names()) {
    SCOPED_TRACE(robot);
    const Model model = read::load(robot);
    for (const Function function : functions()) {
      if (!batch::runs_in_lanes(model.tree(), function)) continue;
      for (const int width : batch::widths()) expect_plain(model, function, {BatchOptions::lanes, 1, width}, 3);
    }
  }
}

TEST(Batch, AgreesWithTheLibraryOnRandomTrees) {
  TreeOptions options;
  options.max_bodies = 8;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    const Model model(random_tree(seed, options));
    const std::vector<int> widths = batch::widths();
    const int width = widths[seed % widths.size()];
    for (const Function function : functions()) {
      if (batch::runs_in_lanes(model.tree(), function)) {
        expect_plain(model, function, {BatchOptions::lanes, 1, width}, width + 1, seed);
      } else {
        EXPECT_THROW(Batch(model, function, {BatchOptions::lanes}), std::invalid_argument);
        EXPECT_EQ(Batch(model, function).backend(), BatchOptions::plain);
        expect_plain(model, function, {}, 2, seed);
      }
    }
  }
}

TEST(Batch, RunsMachineCodeWhereItCanBeMade) {
  for (const char* name : {"arm7", "quadruped", "gantry"}) {
    const Model model = read::load(name);
    for (const Function function : functions(model)) {
      Batch batch(model, function);
      const bool code = CompiledFunction(model, function).is_machine_code();
      EXPECT_EQ(batch.backend(), code ? BatchOptions::compiled : BatchOptions::lanes)
          << name << function_name(function);
      expect_plain(model, function, {}, 6);
    }
  }
}

TEST(Batch, ComputesTheOutputsAskedFor) {
  const Model model = read::load("arm7");
  for (const BatchOptions::Backend backend : {BatchOptions::plain, BatchOptions::lanes, BatchOptions::automatic}) {
    Batch batch(model, Function::linearize_forward, {.backend = backend, .outputs = {"B_C", "M_inv"}});
    ASSERT_EQ(batch.blocks().outputs.size(), 2u);
    EXPECT_EQ(batch.blocks().outputs[0].name, "M_inv");
    EXPECT_EQ(batch.blocks().outputs[1].first, 49);
    Sample sample(model, Function::linearize_forward, 19);
    sample.program.outputs = batch.blocks().outputs;
    sample.outputs = {Matrix(49, 19), Matrix(49, 19)};
    sample.run(batch);
    for (int b = 0; b < 19; ++b) sample.expect_plain(model, b);
  }
  EXPECT_THROW(Batch(model, Function::forward, {.outputs = {"M_inv"}}), std::invalid_argument);
  EXPECT_THROW(Batch(model, Function::forward, {.outputs = {"a", "a"}}), std::invalid_argument);
}

// [R p] or the Jacobian of the frame that a block is named after, by Kinematics itself.
Vector frame_numbers(const Model& model, Function function, const std::string& frame, ConstVector q) {
  const Kinematics kinematics(model, q);
  if (function == Function::jacobian) {
    const Matrix J = kinematics.jacobian(model.frame(frame), Axes::aligned);
    return Eigen::Map<const Vector>(J.data(), J.size());
  }
  const Pose pose = kinematics.pose(model.frame(frame));
  Matrix Rp(3, 4);
  Rp << pose.R, pose.p;
  return Eigen::Map<const Vector>(Rp.data(), 12);
}

TEST(Batch, ComputesTheFramesAskedFor) {
  for (const std::string& robot : read::builtin_names()) {
    SCOPED_TRACE(robot);
    const Model model = read::load(robot);
    const int last = model.frame_count() - 1;
    // not in order; a body that follows another joint where there is one
    const std::vector<std::string> wanted = {robot == "joints" ? "finger" : model.frame_name(last),
                                             model.frame_name(last / 2)};
    for (const Function function : {Function::jacobian, Function::pose}) {
      const Sample sample(model, function, 9);
      for (const BatchOptions::Backend backend : {BatchOptions::plain, BatchOptions::lanes, BatchOptions::automatic}) {
        Batch batch(model, function, {.backend = backend, .outputs = wanted});
        const std::vector<ProgramBlock>& blocks = batch.blocks().outputs;
        ASSERT_EQ(blocks.size(), 2u);
        EXPECT_EQ(blocks[0].name, wanted[1]);
        EXPECT_EQ(blocks[1].name, wanted[0]);
        EXPECT_EQ(blocks[1].first, blocks[0].size());
        EXPECT_EQ(blocks[0].rows, function == Function::jacobian ? 6 : 3);
        EXPECT_EQ(blocks[0].columns, function == Function::jacobian ? model.nv() : 4);
        const int size = blocks[0].size();
        Matrix first(size, 9), second = Matrix::Constant(2 * size, 3 * 9, 5.0);
        // every second number of every third state
        batch({sample.inputs[0]}, {first, States(second.data(), size, 9, 2, 3 * 2 * size)});
        Matrix alone(size, 9);
        batch({sample.inputs[0]}, {States(), alone});
        for (int b = 0; b < 9; ++b) {
          const Vector q = sample.inputs[0].col(b);
          EXPECT_CLOSE(Vector(first.col(b)), frame_numbers(model, function, wanted[1], q), 1e-12);
          const Vector strided = Eigen::Map<Vector, 0, Eigen::InnerStride<2>>(second.col(3 * b).data(), size);
          EXPECT_CLOSE(strided, frame_numbers(model, function, wanted[0], q), 1e-12);
          EXPECT_TRUE(alone.col(b) == strided);
          EXPECT_EQ(second(1, 3 * b), 5);
          EXPECT_EQ(second(0, 3 * b + 1), 5);
        }
      }
    }
  }
}

TEST(Batch, NamesFramesThatAreNearTheOneAskedFor) {
  const Model model = read::load("arm7");
  for (const BatchOptions::Backend backend : {BatchOptions::plain, BatchOptions::lanes, BatchOptions::automatic}) {
    const std::string message = message_of<std::invalid_argument>(
        [&] { Batch(model, Function::jacobian, {.backend = backend, .outputs = {"flenge"}}); });
    EXPECT_NE(message.find("flange"), std::string::npos) << message;
    EXPECT_THROW(Batch(model, Function::pose, {.backend = backend, .outputs = {"link1", "link1"}}),
                 std::invalid_argument);
  }
}

TEST(Batch, TransformsToQuasiVelocitiesAndBack) {
  for (const char* name : {"arm7", "quadruped", "gantry"}) {
    SCOPED_TRACE(name);
    const Model model = read::load(name);
    const int nv = model.nv(), states = 7;
    for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
      const Sample sample(model, Function::xi, states);
      const Matrix &q = sample.inputs[0], &given = sample.inputs[1];
      Matrix quasi(nv, states), back(nv, states);
      const auto round_trip = [&](Function there, Function here, const auto& expected) {
        SCOPED_TRACE(function_name(there));
        Batch(model, there, {backend})({q, given}, {quasi});
        Batch(model, here, {backend})({q, quasi}, {back});
        for (int b = 0; b < states; ++b) {
          const DiagonalForm form(model, q.col(b));
          const double bound = rounding_bound(model, sample.program, sample.input(b));
          EXPECT_CLOSE(Vector(quasi.col(b)), expected(form, Vector(given.col(b))), bound);
          EXPECT_CLOSE(Vector(back.col(b)), Vector(given.col(b)), bound);
        }
      };
      using Form = const DiagonalForm&;
      round_trip(Function::xi, Function::velocity_from_xi, [](Form f, const Vector& v) { return f.xi(v); });
      round_trip(Function::nu, Function::velocity_from_nu, [](Form f, const Vector& v) { return f.nu(v); });
      round_trip(Function::kappa, Function::force_from_kappa, [](Form f, const Vector& tau) { return f.kappa(tau); });
      round_trip(Function::epsilon, Function::force_from_epsilon,
                 [](Form f, const Vector& tau) { return f.epsilon(tau); });
    }
  }
}

TEST(Batch, TakesAnyNumberOfStates) {
  const Model model = read::load("quadruped");
  for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
    Batch batch(model, Function::forward, {backend});
    for (const int states : {0, 1, 3, batch.width(), batch.width() + 1, 100, 333}) {
      Sample sample(model, Function::forward, states);
      sample.run(batch);
      for (int b = 0; b < states; ++b) sample.expect_plain(model, b);
    }
  }
}

TEST(Batch, GivesTheSameBitsWhereverAStateStandsAndOnAnyNumberOfThreads) {
  const Model model = read::load("arm7");
  for (const Function function : {Function::inverse, Function::forward, Function::linearize_forward,
                                  Function::forward_xi, Function::kappa, Function::jacobian, Function::pose}) {
    for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
      Batch one(model, function, {backend});
      Sample all(model, function, 53);
      all.inputs[0](2, 10) = 3e6;  // beyond what vectors reduce: no other state may notice
      all.run(one);
      for (const int threads : {2, 3, 8}) {
        Batch many(model, function, {backend, threads});
        Sample again(model, function, 53);
        again.inputs = all.inputs;
        again.run(many);
        for (std::size_t k = 0; k < all.outputs.size(); ++k) EXPECT_TRUE(all.outputs[k] == again.outputs[k]) << threads;
      }
      for (const int state : {0, 9, 10, 11, 52}) {
        Sample alone(model, function, 1);
        for (std::size_t k = 0; k < all.inputs.size(); ++k) alone.inputs[k] = all.inputs[k].col(state);
        alone.run(one);
        for (std::size_t k = 0; k < all.outputs.size(); ++k) {
          EXPECT_TRUE(alone.outputs[k] == all.outputs[k].col(state)) << function_name(function) << " " << state;
        }
      }
      for (const int b : {9, 10, 11}) all.expect_plain(model, b);
    }
  }
}

TEST(Batch, KeepsItsThreadsAndMakesOthersAfterAFork) {
  const Model model = read::load("arm7");
  Batch one(model, Function::forward), three(model, Function::forward, {.threads = 3});
  Sample expected(model, Function::forward, 100), sample(model, Function::forward, 100);
  expected.run(one);
  for (int k = 0; k < 50; ++k) {
    sample.outputs[0].setConstant(-77);
    sample.run(three);
    ASSERT_EQ(sample.outputs[0], expected.outputs[0]);
  }
  const pid_t child = fork();  // none of the threads are in it
  if (child == 0) {
    alarm(60);
    sample.outputs[0].setConstant(-77);
    sample.run(three);
    _exit(sample.outputs[0] == expected.outputs[0] ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  sample.run(three);
  EXPECT_EQ(sample.outputs[0], expected.outputs[0]);
}

TEST(Batch, ReadsAndWritesAnyLayout) {
  const Model model = read::load("quadruped");
  const int nq = model.nq(), nv = model.nv(), states = 11;
  Batch inverse(model, Function::inverse, {BatchOptions::lanes}), mass(model, Function::mass_matrix);
  Sample sample(model, Function::inverse, states), matrices(model, Function::mass_matrix, states);
  sample.run(inverse);
  matrices.run(mass);
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor q = sample.inputs[0], v = sample.inputs[1], a = sample.inputs[2];  // a row per number

  RowMajor tau(nv, states), M(nv * nv, states);
  inverse({q, v, a}, {tau});
  EXPECT_TRUE(tau == sample.outputs[0]);
  tau.setZero();
  inverse({numbers_in_rows(q.data(), nq, states), numbers_in_rows(v.data(), nv, states),
           numbers_in_rows(a.data(), nv, states)},
          {numbers_in_rows(tau.data(), nv, states)});
  EXPECT_TRUE(tau == sample.outputs[0]);
  mass({q}, {M});
  EXPECT_TRUE(M == matrices.outputs[0]);

  const Matrix& by_state = sample.inputs[0];  // columns: rows in C order
  Matrix out(nv, states);
  inverse({states_in_rows(by_state.data(), nq, states), v, a}, {states_in_rows(out.data(), nv, states)});
  EXPECT_TRUE(out == sample.outputs[0]);

  Matrix wide = Matrix::Constant(2 * nv, 3 * states, 5.0);  // every second number of every third state
  inverse({q, v, a}, {States(wide.data(), nv, states, 2, 3 * 2 * nv)});
  for (int b = 0; b < states; ++b) {
    for (int i = 0; i < nv; ++i) EXPECT_EQ(wide(2 * i, 3 * b), sample.outputs[0](i, b));
    EXPECT_EQ(wide(1, 3 * b), 5);
    EXPECT_EQ(wide(0, 3 * b + 1), 5);
  }

  const Vector still = Vector::Zero(nv);  // one v for all states
  inverse({q, ConstStates(still.data(), nv, states, 1, 0), a}, {out});
  for (int b = 0; b < states; ++b) {
    EXPECT_CLOSE(Vector(out.col(b)), inverse_dynamics(model, by_state.col(b), still, sample.inputs[2].col(b)), 1e-12);
  }
}

TEST(Batch, LeavesOutputsThatAreNotWanted) {
  const Model model = read::load("arm7");
  for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic, BatchOptions::plain}) {
    Batch batch(model, Function::linearize_forward, {backend});
    Sample sample(model, Function::linearize_forward, 5);
    sample.run(batch);
    Matrix A_C(49, 5);
    batch({sample.inputs[0], sample.inputs[1], sample.inputs[2]}, {States(), States(), A_C, States()});
    EXPECT_TRUE(A_C == sample.outputs[2]);
  }
}

TEST(Batch, NamesTheStateThatIsWrong) {
  const Model model = read::load("quadruped");
  for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
    for (const int threads : {1, 3}) {
      Batch batch(model, Function::forward, {backend, threads});
      Sample sample(model, Function::forward, 30);
      const auto message = [&] { return message_of<std::invalid_argument>([&] { sample.run(batch); }); };
      sample.inputs[1](8, 27) = std::nan("");
      EXPECT_EQ(message().rfind("state 27: v is not a number at ", 0), 0) << message();
      sample.inputs[2](3, 21) = HUGE_VAL;
      EXPECT_EQ(message().rfind("state 21: tau is infinite at ", 0), 0) << message();
      sample.inputs[0](4, 13) += 0.1;
      EXPECT_EQ(message().rfind("state 13: the quaternion ", 0), 0) << message();
      EXPECT_NE(message().find("normalize it"), std::string::npos);
      for (int b = 0; b < 12; ++b) sample.expect_plain(model, b);
    }
  }
}

TEST(Batch, RefusesThreadsThatNoProcessorHas) {
  const Model model = read::load("planar_3r");
  const auto message = [&](int threads) {
    return message_of<std::invalid_argument>([&] { Batch(model, Function::inverse, {.threads = threads}); });
  };
  EXPECT_EQ(message(0), "a batch needs at least one thread, not 0");
  EXPECT_EQ(message(most_threads + 1), "a batch runs on at most 1024 threads, not 1025");
  EXPECT_NO_THROW(Batch(model, Function::inverse, {.threads = most_threads}));
}

TEST(Batch, RefusesWrongShapes) {
  const Model model = read::load("arm7");
  Batch batch(model, Function::inverse);
  Matrix x = Matrix::Zero(7, 4), small = Matrix::Zero(6, 4), fewer = Matrix::Zero(7, 3), tau(7, 4);
  EXPECT_THROW(batch({x, x}, {tau}), std::invalid_argument);
  EXPECT_THROW(batch({x, x, small}, {tau}), std::invalid_argument);
  EXPECT_THROW(batch({x, fewer, x}, {tau}), std::invalid_argument);
  EXPECT_THROW(batch({x, x, x}, {fewer}), std::invalid_argument);
  EXPECT_THROW(batch({x, x, ConstStates()}, {tau}), std::invalid_argument);
  EXPECT_THROW(Batch(model, Function::inverse, {BatchOptions::lanes, 0}), std::invalid_argument);
  EXPECT_THROW(Batch(model, Function::inverse, {BatchOptions::lanes, 1, 3}), std::invalid_argument);
  EXPECT_NE(message_of<std::invalid_argument>([&] {
              batch({x, x, small}, {tau});
            }).find("a has 6 numbers"),
            std::string::npos);
}

// A point mass at the end of two hinges in line: turning about the line moves nothing. Other poses are fine.
TEST(Batch, NamesTheStateAndJointWhereTheMassMatrixIsSingular) {
  Builder builder("whip");
  builder.add_body("arm", {0, Vector3::Zero(), Matrix3::Zero()}, revolute("roll").about(1, 0, 0));
  builder.add_body("tip", {1, {0.5, 0, 0}, Matrix3::Zero()}, revolute("bend").on("arm").at(0.5, 0, 0).about(0, 0, 1));
  const Model model = builder.build();
  for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::automatic}) {
    for (const Function function : {Function::forward, Function::mass_matrix_inverse, Function::linearize_forward,
                                    Function::forward_xi, Function::velocity_from_nu}) {
      Batch batch(model, function, {backend});
      Sample sample(model, function, 9);
      for (int b = 0; b < 9; ++b) sample.inputs[0](1, b) = 1 + 0.1 * b;
      sample.run(batch);
      sample.inputs[0].col(6).setZero();
      const auto message = message_of<NumericalError>([&] { sample.run(batch); });
      EXPECT_EQ(message.rfind("state 6: the mass matrix of whip is singular at joint ", 0), 0)
          << function_name(function) << ": " << message;
    }
  }
}

}  // namespace
}  // namespace catena
