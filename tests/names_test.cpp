// A name that does not exist is answered with the one that was meant, wherever names are given.
#include "catena/model/names.hpp"

#include "catena/compile/program.hpp"
#include "catena/control/inputs.hpp"
#include "catena/read/robot.hpp"
#include "catena/simulate/scenario.hpp"
#include "tool_support.hpp"

namespace catena {
namespace {

template <class F>
std::string message_of(const F& call) {
  try {
    call();
  } catch (const ModelError& error) {
    return test::all(error.findings());
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

#define EXPECT_MEANT(call, name)                                                                    \
  EXPECT_NE(message_of([&] { (void)(call); }).find("did you mean \"" name "\""), std::string::npos) \
      << message_of([&] { (void)(call); })

TEST(Names, NearOnesAreThoseThatASlipExplains) {
  EXPECT_EQ(near_names("foward", {"inverse", "forward", "forward_nu"}), (std::vector<std::string>{"forward"}));
  EXPECT_EQ(near_names("Q", {"q", "v"}), (std::vector<std::string>{"q"}));
  EXPECT_TRUE(near_names("a", {"q", "v", "nu"}).empty());  // a letter for another is no slip
  EXPECT_TRUE(near_names("", {"q", "v"}).empty());
  EXPECT_EQ(did_you_mean("alinged", {"aligned", "body"}), " (did you mean \"aligned\"?)");
  EXPECT_EQ(did_you_mean("elsewhere", {"aligned", "body"}), "");
}

TEST(Names, OfFunctionsAndTheirOutputs) {
  const Model arm = read::load("arm7");
  EXPECT_MEANT(function_from_name("foward"), "forward");
  EXPECT_NE(message_of([] { function_from_name("fly"); }).find("there are inverse, gravity"), std::string::npos);
  EXPECT_MEANT(signature(arm, Function::linearize_forward, {"a", "Minv"}), "M_inv");
  EXPECT_MEANT(signature(arm, Function::pose, {"lnk3"}), "link3");
}

TEST(Names, OfWhatIsRecorded) {
  const Model arm = read::load("arm7");
  SimulationOptions options;
  options.extra = {"nuu"};
  EXPECT_MEANT(Simulation(arm, zero_input(arm), options), "nu");
}

TEST(Names, InScenarios) {
  const std::string head = "model = \"planar_3r\"\nduration = 1\n";
  EXPECT_MEANT(scenario_from_text(head + "[integrator]\nmethod = \"dopri\"\n", "x.toml"), "dopri5");
  EXPECT_MEANT(scenario_from_text(head + "[input]\nkind = \"computed_torqe\"\n", "x.toml"), "computed_torque");
  EXPECT_MEANT(scenario_from_text(head + "[motion]\nlaw = \"cicloidal\"\n", "x.toml"), "cycloidal");
}

class NamesInFiles : public test::ToolTest {};

TEST_F(NamesInFiles, OfJointsShapesAndConventions) {
  const std::string body = "[[body]]\nname = \"link\"\nmass = 1\ncom = [0, 0, 0]\ninertia = [1, 1, 1]\n";
  EXPECT_MEANT(read::load(write("joint.toml", body + "joint = \"revolut\"\n")), "revolute");
  EXPECT_MEANT(read::load(write("shape.toml", body + "joint = \"free\"\nshapes = [{kind = \"spere\", size = [1]}]\n")),
               "sphere");
  EXPECT_MEANT(read::load(write("dh.toml",
                                "[units]\nangle = \"rad\"\nlength = \"m\"\n[dh]\nconvention = \"modifed\"\n"
                                "[[dh.link]]\njoint = \"revolute\"\na = 1\nalpha = 0\nd = 0\n")),
               "modified");
  EXPECT_MEANT(read::load(write("joint.urdf",
                                "<robot name='x'><link name='a'/><link name='b'/><joint name='j' type='prismatc'>"
                                "<parent link='a'/><child link='b'/></joint></robot>")),
               "prismatic");
}

TEST_F(NamesInFiles, OfTheToolsOptions) {
  expect_failure("forward arm7 --method artculated", 2, "did you mean \"articulated\"");
  expect_failure("simulate planar_3r --duration 0.1 --integrator dopri", 2, "did you mean \"dopri5\"");
  expect_failure("simulate planar_3r --duration 0.1 --limits bonce", 2, "did you mean \"bounce\"");
  expect_failure("generate arm7 --function foward", 2, "did you mean \"forward\"");
  expect_failure("completion bsh", 2, "did you mean \"bash\"");
}

}  // namespace
}  // namespace catena
