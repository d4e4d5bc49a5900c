// Generated source compiles without warnings as C99 (and C++) and passes its own test.
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "catena/model/generate.hpp"
#include "catena/read/robot.hpp"
#include "catena/source/write_c.hpp"
#include "read_support.hpp"

namespace catena {
namespace {

class GeneratedSource : public testing::Test {
 protected:
  int run(const std::string& command) const {
    const int status = std::system(("cd \"" + folder.path("") + "\" && " + command + " >log.txt 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string log() const { return test::slurp(folder.path("log.txt")); }
  void write(const std::vector<SourceFile>& files) const {
    for (const SourceFile& file : files) folder.file(file.name, file.text);
  }
  void expect_good(const Model& model, const std::vector<Function>& wanted, const SourceOptions& options,
                   const std::string& compiler) {
    std::vector<Program> programs;
    for (const Function function : wanted) programs.push_back(trace(model, function));
    const std::vector<SourceFile> files = write_source(model, programs, options);
    write(files);
    EXPECT_EQ(run(compiler + " -Wall -Wextra -Werror -pedantic -O1 " + files[1].name + " " + files[2].name +
                  " -lm -o self_test"),
              0)
        << log();
    EXPECT_EQ(run("./self_test"), 0) << log();
    EXPECT_NE(log().find("ok"), std::string::npos);
  }

  test::Folder folder;
};

TEST_F(GeneratedSource, PassesItsSelfTestInC) {
  for (const char* name : {"stanford_arm", "arm7", "quadruped"}) {
    SCOPED_TRACE(name);
    expect_good(read::load(name), {Function::inverse, Function::gravity, Function::mass_matrix, Function::forward}, {},
                "cc -std=c99");
  }
}

TEST_F(GeneratedSource, OffersEveryFunctionInC) {
  expect_good(read::load("planar_3r"), functions(), {}, "cc -std=c99");
}

TEST_F(GeneratedSource, PassesItsSelfTestInFloat) {
  SourceOptions options;
  options.single = true;
  expect_good(read::load("stanford_arm"), {Function::inverse, Function::forward}, options,
              "cc -std=c99 -Wdouble-promotion");
}

TEST_F(GeneratedSource, PassesItsSelfTestInCpp) {
  SourceOptions options;
  options.cpp = true;
  options.name = "my arm";
  expect_good(read::load("planar_3r"), functions(), options, "c++ -std=c++17");
  EXPECT_TRUE(std::filesystem::exists(folder.path("my_arm.hpp")));
}

// Words of the language, functions of math.h, the input's name, local variables, names that are spelled alike or not at
// all: every frame keeps an argument of its own.
TEST_F(GeneratedSource, NamesArgumentsAfterFrames) {
  Description description = chain(2);
  for (const char* name : {"tool 0", "tool-0", "tool_0_2", "q", "int", "sin", "s0", "t1", "7", "\xc3\xa9", "\xc3\xa8",
                           "a*/b", "say \"hi\" %s"}) {
    description.frames.push_back({name, description.bodies.back().name, {Matrix3::Identity(), {0.1, 0.2, 0.3}}});
  }
  const Model model(description);
  for (const bool cpp : {false, true}) {
    SourceOptions options;
    options.cpp = cpp;
    expect_good(model, {Function::jacobian, Function::pose}, options, cpp ? "c++ -std=c++17" : "cc -std=c99");
  }
  const std::string header = write_source(model, {trace(model, Function::jacobian)}, {})[0].text;
  for (const char* part : {"J_tool_0 ", "J_tool_0_2 ", "J_tool_0_2_2 ", "J_frame ", "J_frame_2 ", "J_7 ", "of tool-0",
                           "Each 6 x 2", "[i + 6 * j]"})
    EXPECT_NE(header.find(part), std::string::npos) << part << "\n" << header;
}

TEST_F(GeneratedSource, OffersOneJoint) {
  expect_good(Model(chain(1)), {Function::mass_matrix, Function::jacobian, Function::pose}, {}, "cc -std=c99");
}

// A self-test that cannot fail proves nothing.
TEST_F(GeneratedSource, FailsItsSelfTestWhenTheSourceIsWrong) {
  const Model model = read::load("planar_3r");
  std::vector<SourceFile> files = write_source(model, {trace(model, Function::inverse)}, {});
  std::string& text = files[1].text;
  const std::size_t at = text.find("tau[2] = ");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 9, "1e-6 + ");
  write(files);
  ASSERT_EQ(run("cc -std=c99 " + files[1].name + " " + files[2].name + " -lm -o self_test"), 0) << log();
  EXPECT_EQ(run("./self_test"), 1) << log();
  EXPECT_NE(log().find("FAILED"), std::string::npos);
}

TEST_F(GeneratedSource, IsWrittenByTheCommandLine) {
  const std::string command = std::string("\"") + CATENA_BINARY + "\" generate ";
  ASSERT_EQ(run(command + "planar_3r --function inverse,forward -o made/"), 0) << log();
  EXPECT_NE(log().find("made/planar_3r.c"), std::string::npos) << log();
  EXPECT_EQ(run("cc -std=c99 made/planar_3r.c made/planar_3r_test.c -lm -o self_test && ./self_test"), 0) << log();
  EXPECT_EQ(run(command + "planar_3r -o made/"), 3) << "existing files are kept";
  EXPECT_EQ(run(command + "planar_3r -o made/ --force"), 0) << log();
  EXPECT_EQ(run(command + "planar_3r -o made/arm --cpp --float --json"), 0) << log();
  EXPECT_TRUE(std::filesystem::exists(folder.path("made/arm.hpp")));
  EXPECT_EQ(run(command + "planar_3r --function inverted"), 2) << log();
  EXPECT_EQ(run(command + "arm7 --function jacobian,pose,xi --frames flange,link2 -o made/"), 0) << log();
  EXPECT_EQ(run("cc -std=c99 made/arm7.c made/arm7_test.c -lm -o self_test && ./self_test"), 0) << log();
  EXPECT_NE(log().find("jacobian: J_flange"), std::string::npos) << log();
  EXPECT_EQ(log().find("link3"), std::string::npos) << log();
  EXPECT_EQ(run(command + "arm7 --function pose --frames flenge -o made/ --force"), 3) << log();
  EXPECT_NE(log().find("flange"), std::string::npos) << log();
  EXPECT_EQ(run(command + "joints -o made/"), 3) << log();
}

TEST(Identifier, MakesNamesThatCAccepts) {
  EXPECT_EQ(identifier("Stanford arm (1969)"), "Stanford_arm_1969");
  EXPECT_EQ(identifier("7-axis"), "robot_7_axis");
  EXPECT_EQ(identifier("été"), "t");
  for (const char* name : {"double", "nan", "sin", "sinf", "NULL", "main", "NAN", "check", "inverse_0", "string"})
    EXPECT_EQ(identifier(name), std::string(name) + "_robot");
  for (const char* name : {"arm7", "UR5", "PUMA_560", "inf", "inverse", "robot_2", "KUKA"})
    EXPECT_EQ(identifier(name), name);
  EXPECT_EQ(identifier(""), "robot");
  EXPECT_EQ(identifier("*/ int x;"), "int_x");
}

// A namespace of C++ stands beside everything that the headers declare.
TEST_F(GeneratedSource, CompilesUnderNamesOfTheLanguage) {
  for (const char* name : {"nan", "double"}) {
    Description description = chain(1);
    description.name = description.joints[0].name = name;
    for (const bool cpp : {false, true}) {
      SCOPED_TRACE(std::string(name) + (cpp ? " in C++" : " in C"));
      SourceOptions options;
      options.cpp = cpp;
      expect_good(Model(description), {Function::inverse}, options, cpp ? "c++ -std=c++17" : "cc -std=c99");
    }
  }
  // What is declared with the headers of the generated files, and words of the language, all in one compilation.
  const std::string headers = "printf '#include <cmath>\\n#include <stdio.h>\\n' | c++ -x c++ ";
  ASSERT_EQ(run("{ " + headers + "-E -dM - | awk '{print $2}' | sed 's/(.*//'; " + headers +
                "-E -P - | grep -oE '[A-Za-z][A-Za-z0-9_]*' | sort -u; }"),
            0);
  std::istringstream words(
      log() +
      " main double inf NULL EOF errno check inverse_0 gravity_12 linux unix std string time xor and_eq co_await "
      "I complex assert signal sinl cosf y0 j1 gamma div abs size_t FILE index read");
  std::set<std::string> names;
  for (std::string word; words >> word;) {
    const std::string name = identifier(word);
    if (name.find("__") == std::string::npos) names.insert(name);
  }
  EXPECT_GT(names.size(), 500u);
  std::string text = "#include <cmath>\n#include <math.h>\n#include <stdio.h>\nstatic int check(int x) { return x; }\n";
  for (const std::string& name : names) text += "namespace " + name + " { inline void inverse() {} }\n";
  folder.file("all.cpp", text + "int main() { return check(0); }\n");
  EXPECT_EQ(run("c++ -std=gnu++17 -fsyntax-only all.cpp"), 0) << log();
}

TEST(GeneratedText, HasNoCharactersOfDirection) {
  Description description = chain(2);
  description.joints[0].name = "a\u202E";
  EXPECT_THROW(Model{description}, ModelError);
}

TEST(GeneratedText, CannotBeBrokenByNames) {
  Description description = chain(2);
  description.name = "arm */ #error ";
  description.joints[0].name = "one */ #error";
  const Model model(description);
  const std::vector<SourceFile> files = write_source(model, {trace(model, Function::inverse)}, {});
  EXPECT_EQ(files[0].name, "arm_error.h");
  for (const SourceFile& file : files) EXPECT_EQ(file.text.find("*/ #error"), std::string::npos);
}

}  // namespace
}  // namespace catena
