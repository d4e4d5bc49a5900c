// Programs specialised to a robot: the library's numbers to rounding, the literature's counts or fewer.
#include "catena/compile/program.hpp"

#include "catena/compile/count.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"

namespace catena {
namespace {

// The blocks of a function's results from the plain library. x: a or tau.
std::vector<Matrix> plain(const Model& model, Function function, const Vector& q, const Vector& v, const Vector& x) {
  switch (function) {
    case Function::inverse: return {inverse_dynamics(model, q, v, x)};
    case Function::gravity: return {gravity_forces(model, q)};
    case Function::bias: return {bias_forces(model, q, v)};
    case Function::mass_matrix: return {mass_matrix(model, q)};
    case Function::mass_matrix_inverse: return {mass_matrix_inverse(model, q)};
    case Function::forward: return {forward_dynamics(model, q, v, x)};
    case Function::linearize_inverse: {
      const InverseLinearization l = linearize_inverse(model, q, v, x);
      return {l.M, l.A_D, l.B_D};
    }
    case Function::linearize_forward: {
      const ForwardLinearization l = linearize_forward(model, q, v, x);
      return {l.a, l.M_inv, l.A_C, l.B_C};
    }
  }
  return {};
}

bool behind_an_inverse(Function function) {
  return function == Function::mass_matrix_inverse || function == Function::forward ||
         function == Function::linearize_forward;
}

std::vector<Matrix> compiled(const Program& program, const Vector& q, const Vector& v, const Vector& x) {
  Vector all(q.size() + v.size() + x.size()), out(program.output_count());
  all << q, v, x;
  const std::span<const double> in(all.data(), static_cast<std::size_t>(program.input_count()));
  evaluate(program, in, {out.data(), static_cast<std::size_t>(out.size())});
  std::vector<Matrix> blocks;
  for (const ProgramBlock& block : program.outputs) {
    blocks.push_back(Eigen::Map<const Matrix>(out.data() + block.first, block.rows, block.columns));
  }
  return blocks;
}

void expect_agreement(const Model& model, Function function, const Vector& q, const Vector& v, const Vector& x) {
  SCOPED_TRACE(function_name(function));
  const std::vector<Matrix> expected = plain(model, function, q, v, x);
  const std::vector<Matrix> got = compiled(trace(model, function), q, v, x);
  ASSERT_EQ(got.size(), expected.size());
  const double condition = behind_an_inverse(function) ? test::condition_number(mass_matrix(model, q)) : 1;
  double largest = 0;
  for (const Matrix& block : expected) largest = std::max(largest, block.cwiseAbs().maxCoeff());
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (expected[k].cwiseAbs().maxCoeff() < 1e-15 * largest) {  // zero but for rounding
      EXPECT_LT(got[k].cwiseAbs().maxCoeff(), 1e-15 * largest);
    } else {
      EXPECT_CLOSE(got[k], expected[k], 1e-12 + 1e-14 * condition);
    }
  }
}

TEST(Program, AgreesWithTheLibraryOnBuiltInRobots) {
  for (const char* name : {"stanford_arm", "puma560", "planar_3r", "gantry", "arm7", "quadruped"}) {
    SCOPED_TRACE(name);
    const Model model = read::load(name);
    for (const Function function : functions()) {
      expect_agreement(model, function, random_configuration(model, 1), random_vector(model, 2),
                       random_vector(model, 3));
    }
  }
}

TEST(Program, AgreesWithTheLibraryOnRandomTrees) {
  TreeOptions options;
  options.max_bodies = 7;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Description description = random_tree(seed, options);
    for (Joint& joint : description.joints) {
      if (joint.type == JointType::spherical || joint.type == JointType::free || joint.type == JointType::planar) {
        joint.terms.stiffness = 0;
      }
    }
    const Model model(description);
    if (model.nv() == 0) continue;
    const Vector q = random_configuration(model, seed), v = random_vector(model, seed + 100, 2),
                 x = random_vector(model, seed + 200, 3);
    for (const Function function : functions()) expect_agreement(model, function, q, v, x);
  }
}

TEST(Program, ComputesOnlyTheOutputsAskedFor) {
  const Model model = read::load("arm7");
  const Program all = trace(model, Function::linearize_inverse),
                some = trace(model, Function::linearize_inverse, {"M"});
  ASSERT_EQ(some.outputs.size(), 1u);
  EXPECT_LT(some.operations().total(), all.operations().total() / 2);
  EXPECT_THROW(trace(model, Function::inverse, {"M"}), std::invalid_argument);
}

TEST(Program, RefusesWrongSizesAndUnknownNames) {
  const Program program = trace(read::load("planar_3r"), Function::inverse);
  std::vector<double> in(8), out(3);
  EXPECT_THROW(evaluate(program, in, out), std::invalid_argument);
  EXPECT_THROW(function_from_name("inverted"), std::invalid_argument);
  EXPECT_EQ(function_from_name("bias"), Function::bias);
}

TEST(Program, NamesTheSpringThatCannotBeCompiled) {
  try {
    trace(read::load("joints"), Function::inverse);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("ball"), std::string::npos) << error.what();
  }
}

// Issue targets: 142 multiplications and 99 additions for the Stanford arm; 92n - 127 and 81n - 117 for general chains.
TEST(ProgramCounts, InverseDynamicsOfTheStanfordArm) {
  const Operations o = trace(read::load("stanford_arm"), Function::inverse).operations();
  EXPECT_LE(o.mul, 94);
  EXPECT_LE(o.add, 76);
  EXPECT_EQ(o.div, 0);
}

TEST(ProgramCounts, InverseDynamicsOfGeneralChains) {
  for (const int n : {6, 7, 12}) {
    const Operations o = trace(Model(counted_chain(n, CountedChain::general)), Function::inverse).operations();
    EXPECT_LE(o.mul, 92 * n - 127) << n;
    EXPECT_LE(o.add, 81 * n - 117) << n;
  }
  for (const int n : {5, 6, 8, 10}) {  // what docs/compile.md says
    const Operations o = trace(Model(counted_chain(n, CountedChain::general)), Function::inverse).operations();
    EXPECT_EQ(o.mul, 81 * n - 106) << n;
    EXPECT_EQ(o.add, 70 * n - 95) << n;
    const Operations p = trace(Model(counted_chain(n, CountedChain::perpendicular)), Function::inverse).operations();
    EXPECT_EQ(p.mul, 56 * n - 82) << n;
    EXPECT_EQ(p.add, 54 * n - 84) << n;
  }
}

// Saha's Table 2: his own 201n - 335, 193n - 361 and Featherstone's 199n - 198, 174n - 173.
TEST(ProgramCounts, ForwardDynamicsOfGeneralChains) {
  for (const int n : {6, 12}) {
    const Operations o = trace(Model(counted_chain(n, CountedChain::general)), Function::forward).operations();
    EXPECT_LE(o.mul + o.div, std::min(201 * n - 335, 199 * n - 198)) << n;
    EXPECT_LE(o.add, std::min(193 * n - 361, 174 * n - 173)) << n;
  }
}

}  // namespace
}  // namespace catena
