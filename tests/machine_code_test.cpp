// Machine code: the interpreter's numbers to rounding, one state and many, within and beyond the vector's width.
#include "catena/machine/machine_code.hpp"

#include "catena/compile/plain.hpp"
#include "catena/compile/tracing.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/machine/emit.hpp"
#include "catena/model/random.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"
#include "tags.hpp"

namespace catena {
namespace {

std::span<const double> numbers(const Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
std::span<double> numbers(Vector& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

void expect_plain(const Model& model, const CompiledFunction& f, std::uint64_t seed) {
  const Vector in = random_inputs(model, f.program(), seed);
  const Vector expected = plain_values(model, f.program(), in);
  const double bound = rounding_bound(model, f.program(), in),
               largest = std::max(expected.cwiseAbs().maxCoeff(), model.total_mass());
  Vector out(f.program().output_count());
  f(numbers(in), numbers(out));
  for (const ProgramBlock& b : f.program().outputs) {
    const double size = expected.segment(b.first, b.size()).cwiseAbs().maxCoeff();
    EXPECT_LE((out - expected).segment(b.first, b.size()).cwiseAbs().maxCoeff(),
              bound * (size < 1e-15 * largest ? largest : size))
        << b.name;
  }
}

TEST(MachineCode, IsMadeWhereTheProcessorCan) {
  const CompiledFunction f(read::load("arm7"), Function::inverse);
  EXPECT_EQ(f.is_machine_code(), compile::widest_lanes() > 0);
  EXPECT_EQ(f.lanes(), std::max(1, compile::widest_lanes()));
}

TEST(MachineCode, AgreesWithTheLibrary) {
  for (const char* name : {"stanford_arm", "puma560", "planar_3r", "gantry", "arm7", "ur_like", "quadruped"}) {
    SCOPED_TRACE(name);
    const Model model = read::load(name);
    for (const Function function : functions(model)) {
      SCOPED_TRACE(function_name(function));
      const CompiledFunction f(model, function);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) expect_plain(model, f, seed);
    }
  }
}

TEST(MachineCode, AgreesWithTheLibraryOnRandomTrees) {
  LONG_TEST();
  TreeOptions options;
  options.max_bodies = 6;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    const Model model(random_tree(seed, options));
    for (const Function function : functions(model)) {
      SCOPED_TRACE(function_name(function));
      expect_plain(model, CompiledFunction(model, function), seed);
    }
  }
}

// One state by vectors of four, where the processor would take eight.
TEST(MachineCode, AgreesWithTheInterpreterInEveryWidth) {
  for (const char* name : {"stanford_arm", "arm7", "quadruped"}) {
    const Model model = read::load(name);
    for (const Function function : functions()) {
      const Program program = trace(model, function);
      const Vector in = random_inputs(model, program, 3);
      Vector expected(program.output_count());
      evaluate(program, numbers(in), numbers(expected));
      for (const int width : {4, 8}) {
        if (width > compile::widest_lanes()) continue;
        for (const int lanes : {1, width}) {
          SCOPED_TRACE(testing::Message() << name << " " << function_name(function) << " " << width << " " << lanes);
          const auto code = compile::emit(program, lanes, width);
          const bool friction =
              std::ranges::any_of(program.code.nodes, [](auto& x) { return x.op == compile::Op::tanh; });
          if (in_quasi_velocities(function) && friction) {
            EXPECT_EQ(code, nullptr) << "friction of velocities that come from sines";
            continue;
          }
          ASSERT_NE(code, nullptr);
          std::vector<double> wide(in.size() * lanes), out(expected.size() * lanes);
          for (int i = 0; i < in.size(); ++i) std::fill_n(wide.begin() + i * lanes, lanes, in[i]);
          const double* from[3] = {};
          std::vector<double*> to(program.outputs.size());
          for (std::size_t b = 0; b < program.inputs.size(); ++b) from[b] = &wide[program.inputs[b].first * lanes];
          for (std::size_t b = 0; b < program.outputs.size(); ++b) to[b] = &out[program.outputs[b].first * lanes];
          code->entry(from, to.data());
          const double bound = rounding_bound(model, program, in);
          for (int l = 0; l < lanes; ++l) {
            const Vector one = Eigen::Map<Vector, 0, Eigen::InnerStride<>>(out.data() + l, expected.size(),
                                                                           Eigen::InnerStride<>(lanes));
            EXPECT_CLOSE(one, expected, bound);
          }
        }
      }
    }
  }
}

TEST(MachineCode, TakesAnyNumberOfFrames) {
  for (const int bodies : {5, 200}) {
    const Model model(chain(bodies));
    const CompiledFunction f(model, Function::pose);
    ASSERT_EQ(f.program().outputs.size(), static_cast<std::size_t>(model.frame_count()));
    ASSERT_EQ(f.is_machine_code(), compile::widest_lanes() > 0);
    expect_plain(model, f, 1);
  }
}

// sin, cos, tanh of one input
Program functions_of_one_input() {
  compile::Graph graph;
  const compile::Traced x(graph, graph.input(0));
  compile::Traced s, c;
  sincos(x, s, c);
  Program program;
  program.inputs = {{"x", 1}};
  program.outputs = {{"y", 3}};
  const std::vector<int> results = {s.node(graph), c.node(graph), tanh(x).node(graph)};
  program.code = compile::arrange({graph, results});
  return program;
}

TEST(MachineCode, ComputesSinesCosinesAndTanhToRounding) {
  const CompiledFunction f(functions_of_one_input());
  Random random(5);
  const auto check = [&](double x) {
    double y[3];
    f({&x, 1}, y);
    const double expected[3] = {std::sin(x), std::cos(x), std::tanh(x)};
    for (int i = 0; i < 3; ++i) {
      const double ulp = std::nextafter(std::abs(expected[i]), 2.0) - std::abs(expected[i]);
      EXPECT_LE(std::abs(y[i] - expected[i]), (i == 2 ? 4 : 2) * ulp) << "function " << i << " of " << x;
    }
  };
  for (int k = 0; k < 20000; ++k) {
    check(random.between(-4, 4));
    check(random.between(-1, 1) * 1e-3);
    check(random.between(-1e5, 1e5));
    check(random.between(-40, 40));
  }
  for (int k = -40; k <= 40; ++k) check(k * 1.5707963267948966);
  for (const double x : {0.0, 1e-300, 1e-20, -1e-8, 700.0, 1e9, -3e12}) check(x);
}

// Arguments that are read in a row (scaled, shifted, with gaps), and arguments that must be gathered.
TEST(MachineCode, ReadsArgumentsInRowsOrOneByOne) {
  for (const bool gathered : {false, true}) {
    compile::Graph graph;
    std::vector<int> results;
    for (int i = 0; i < 11; ++i) {
      if (i == 4) continue;
      compile::Traced x(graph, graph.input(i)), s, c;
      if (i % 3 == 1) x = x * 0.5 + 0.25;
      if (gathered && i > 0) x = x * compile::Traced(graph, graph.input(i - 1));
      sincos(x, s, c);
      results.push_back((s * 2.0 + c).node(graph));
      if (i < 9) results.push_back(tanh(x).node(graph));
    }
    Program program;
    program.inputs = {{"x", 11}};
    program.outputs = {{"y", static_cast<int>(results.size())}};
    program.code = compile::arrange({graph, results});
    const Vector in = Vector::LinSpaced(11, -2.0, 2.5);
    Vector expected(program.output_count()), out(program.output_count());
    evaluate(program, numbers(in), numbers(expected));
    for (const int width : {4, 8}) {
      const auto code = compile::emit(program, 1, width);
      if (code == nullptr) continue;
      const double* const from[] = {in.data()};
      double* const to[] = {out.data()};
      code->entry(from, to);
      EXPECT_CLOSE(out, expected, 1e-15) << width << gathered;
    }
  }
}

TEST(MachineCode, LetsNaNThrough) {
  const CompiledFunction f(functions_of_one_input());
  double x = std::nan(""), y[3];
  f({&x, 1}, y);
  for (const double value : y) EXPECT_TRUE(std::isnan(value));
  x = HUGE_VAL;
  f({&x, 1}, y);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[2], 1);
}

TEST(CompiledModel, IsTheRobotWithOtherMeans) {
  const Model model = read::load("quadruped");
  const CompiledModel compiled(model);
  const Vector q = random_configuration(model, 1), v = random_vector(model, 2), x = random_vector(model, 3);
  Vector out(model.nv());
  Matrix M(model.nv(), model.nv());
  compiled.inverse_dynamics(q, v, x, out);
  EXPECT_CLOSE(out, inverse_dynamics(model, q, v, x), 1e-12);
  compiled.gravity_forces(q, out);
  EXPECT_CLOSE(out, gravity_forces(model, q), 1e-12);
  compiled.bias_forces(q, v, out);
  EXPECT_CLOSE(out, bias_forces(model, q, v), 1e-12);
  compiled.mass_matrix(q, M);
  EXPECT_CLOSE(M, mass_matrix(model, q), 1e-12);
  compiled.forward_dynamics(q, v, x, out);
  EXPECT_CLOSE(out, forward_dynamics(model, q, v, x), 1e-12 + 1e-14 * test::condition_number(M));
}

TEST(CompiledModel, RefusesWrongSizesOverlapAndWhatWasNotAskedFor) {
  const Model model = read::load("planar_3r");
  const CompiledModel compiled(model, {Function::inverse});
  Vector q = Vector::Zero(3), out(3), four(4);
  EXPECT_THROW(compiled.inverse_dynamics(q, q, four, out), std::invalid_argument);
  EXPECT_THROW(compiled.inverse_dynamics(q, q, q, four), std::invalid_argument);
  EXPECT_THROW(compiled.inverse_dynamics(q, q, out, out), std::invalid_argument);
  EXPECT_THROW(compiled.forward_dynamics(q, q, q, out), std::invalid_argument);
}

TEST(CompiledModel, LeavesToThePlainLibraryWhatIsTooLongToCompile) {
  const Model model(chain(60));
  const CompiledFunction f(model, Function::linearize_inverse);
  EXPECT_GT(f.program().operations().total(), compiled_operations_limit);
  EXPECT_FALSE(f.is_machine_code());
  expect_plain(model, f, 1);
}

}  // namespace
}  // namespace catena
