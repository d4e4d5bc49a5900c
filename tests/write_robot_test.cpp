// The writers: what is written is read back as the same robot, and files are replaced whole.
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/read/robot.hpp"
#include "catena/read/toml.hpp"
#include "catena/read/urdf.hpp"
#include "catena/write/file.hpp"
#include "catena/write/read_back.hpp"
#include "catena/write/toml.hpp"
#include "catena/write/urdf.hpp"
#include "read_support.hpp"
#include "support.hpp"

namespace catena::write {
namespace {

using test::Folder;

Description back_from_urdf(const Description& d) {
  const std::string text = urdf(d);
  const read::Reading r = read::urdf(text, "back.urdf");
  EXPECT_TRUE(r.findings.empty()) << test::all(r.findings) << text;
  return r.description;
}

Description back_from_toml(const Description& d) {
  const std::string text = toml(d);
  const read::Reading r = read::toml(text, "back.toml");
  EXPECT_TRUE(r.findings.empty()) << test::all(r.findings) << text;
  return r.description;
}

// The same coordinates, limits, joint forces and poses of the frames in the list.
void expect_same(const Description& a, const Description& b, const std::vector<std::string>& frames, double tolerance) {
  const Model from(a), to(b);
  ASSERT_EQ(from.position_names(), to.position_names());
  EXPECT_EQ(from.gravity(), to.gravity());
  EXPECT_NEAR(from.total_mass(), to.total_mass(), tolerance * from.total_mass());
  const Vector q = random_configuration(from, 5), v = random_vector(from, 6), a_ = random_vector(from, 7);
  EXPECT_CLOSE(mass_matrix(to, q), mass_matrix(from, q), tolerance);
  EXPECT_CLOSE(inverse_dynamics(to, q, v, a_), inverse_dynamics(from, q, v, a_), tolerance);
  for (const std::string& frame : frames) {
    const Pose x = Kinematics(from, q).pose(from.frame(frame)), y = Kinematics(to, q).pose(to.frame(frame));
    EXPECT_TRUE(x.p.isApprox(y.p, 1e-12) && x.R.isApprox(y.R, 1e-12)) << frame;
  }
}

std::vector<std::string> names_of(const std::vector<Frame>& frames) {
  std::vector<std::string> names;
  for (const Frame& frame : frames) names.push_back(frame.name);
  return names;
}

// Every joint type, term, limit and shape there is.
Description everything() {
  const Inertial solid{.mass = 1.3, .com = {0.1, -0.2, 0.3}, .inertia = Matrix3(Vector3(0.3, 0.4, 0.5).asDiagonal())};
  Description d;
  d.name = "every <thing> & \"more\"";
  d.origin = "a test\twith a tab";
  d.gravity = {0.1, 0.2, -9.7};
  Joint joints[] = {free("base"),      fixed("weld"),          revolute("r"),
                    continuous("c"),   prismatic("p"),         helical("h", 0.05),
                    cylindrical("cy"), planar("pl"),           universal("u", Vector3(1, 0, 0), Vector3(0, 1, 0)),
                    spherical("s"),    prismatic("one_sided"), revolute("slave"),
                    gimbal("g", "zxz")};
  std::string parent;
  for (Joint& joint : joints) {
    const int k = static_cast<int>(d.joints.size());
    joint.parent = parent;
    joint.child = "body_" + joint.name;
    joint.placement = {rotation_from_rpy(0.1 * k, 0.2, -0.3), Vector3(0.1, 0.02 * k, 0.3)};
    joint.body_in_joint = {rotation_from_rpy(0.4, -0.1 * k, 0.2), Vector3(0.01 * k, 0.2, 0.1)};
    if (joint.type != JointType::universal) joint.axis = Vector3(1, 2, k).normalized();
    Body body{joint.child, solid};
    body.shapes.push_back({.kind = static_cast<Shape::Kind>(k % 5),
                           .pose = joint.placement,
                           .size = {0.1, 0.2, 0},
                           .mesh = k % 5 == 4 ? "m.stl" : "",
                           .scale = Vector3::Ones(),
                           .rgba = Colour(0.1f, 0.2f, 0.3f, 1),
                           .name = "shape",
                           .collision = k % 2 == 1});
    d.bodies.push_back(body);
    d.joints.push_back(joint);
    parent = joint.child;
  }
  d.joints[2].limited(-1, 2, 3, 4).damped(0.5).friction(0.2, 0.03).geared(1e-3, 20).spring(5, 0.1);
  d.joints[3].limits.effort = 7;
  d.joints[10].limits.lower = -0.5;
  d.joints[11].mimics("r", -2, 0.3);
  d.frames.push_back({"tool", "body_s", {rotation_from_rpy(0.1, 0.2, 0.3), Vector3(1, 2, 3)}, {}});
  return d;
}

TEST(Writers, KeepEveryJointTypeTermAndFrame) {
  const Description d = everything();
  expect_same(d, back_from_toml(d), {"tool", "body_slave"}, 1e-14);
  expect_same(d, back_from_urdf(d), {"tool"}, 1e-12);
  expect_same(d, back_from_toml(back_from_urdf(d)), {"tool"}, 1e-12);
}

TEST(Writers, KeepWhatDynamicsDoesNotSee) {
  const Description d = everything();
  for (const Description& back : {back_from_toml(d), back_from_urdf(d)}) {
    EXPECT_EQ(back.name, d.name);
    EXPECT_EQ(back.origin, d.origin);
    ASSERT_EQ(back.joints.size(), d.joints.size());
    ASSERT_EQ(back.bodies.size(), d.bodies.size());
    EXPECT_EQ(back.frames.size(), 1u);
    for (std::size_t i = 0; i < d.joints.size(); ++i) {
      const Joint &a = d.joints[i], &b = back.joints[i];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.type, b.type) << a.name;
      EXPECT_EQ(a.parent, b.parent) << a.name;
      EXPECT_EQ(a.limits.lower, b.limits.lower) << a.name;
      EXPECT_EQ(a.limits.upper, b.limits.upper) << a.name;
      EXPECT_EQ(a.limits.velocity, b.limits.velocity) << a.name;
      EXPECT_EQ(a.limits.effort, b.limits.effort) << a.name;
      EXPECT_EQ(a.terms.friction_scale, b.terms.friction_scale) << a.name;
      EXPECT_EQ(a.terms.rest, b.terms.rest) << a.name;
      EXPECT_EQ(a.sequence, b.sequence) << a.name;
      const Shape &s = d.bodies[i].shapes[0], &t = back.bodies[i].shapes.at(0);
      EXPECT_EQ(s.kind, t.kind);
      EXPECT_EQ(s.collision, t.collision);
      EXPECT_EQ(s.mesh, t.mesh);
      EXPECT_EQ(s.name, t.name);
      EXPECT_TRUE((*s.rgba == *t.rgba).all());
    }
  }
}

TEST(Writers, KeepRandomTrees) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Description d = random_tree(seed);
    const std::vector<std::string> frames = names_of(d.frames);
    expect_same(d, back_from_toml(d), frames, 1e-14);
    expect_same(d, back_from_urdf(d), frames, 1e-11);
  }
}

TEST(Writers, KeepDhTables) {
  const Description d = read::robot("stanford_arm").description;
  const Description u = back_from_urdf(d);
  expect_same(d, u, {}, 1e-13);
  expect_same(d, back_from_toml(u), {}, 1e-13);
  expect_same(d, back_from_toml(d), {"link6"}, 1e-15);
}

TEST(Writers, KeepTheOrderOfJointsAndSeveralRoots) {
  const Inertial solid{.mass = 1, .com = Vector3::Zero(), .inertia = Matrix3::Identity()};
  Description d;
  d.bodies = {{"world", {}}, {"tip", solid}, {"other", solid}, {"mid", solid}};
  d.joints = {revolute("late"), prismatic("early"), revolute("aside")};
  d.joints[0].on("mid").child = "tip";
  d.joints[1].on("world").child = "mid";
  d.joints[2].child = "other";
  expect_same(d, back_from_toml(d), {"tip", "other"}, 1e-15);
  expect_same(d, back_from_urdf(d), {"tip", "other"}, 1e-15);
}

TEST(UrdfWriter, SurvivesGimbalLock) {
  const Inertial solid{.mass = 1, .com = {0.1, 0.2, 0.3}, .inertia = Matrix3::Identity()};
  for (const double pitch : {1.5707963267948966, -1.5707963267948966, 1.57079632, 1.5707}) {
    Description d;
    d.bodies = {{"a", solid}};
    d.joints = {revolute("j").turned(0.3, pitch, 0.7)};
    d.joints[0].child = "a";
    expect_same(d, back_from_urdf(d), {"a"}, 1e-14);
  }
}

TEST(TomlWriter, RefusesWhatBodyTablesCannotSay) {
  Description d;
  d.bodies = {{"a", {}}};
  d.joints = {fixed("one"), fixed("two")};
  d.joints[0].child = d.joints[1].child = "a";
  EXPECT_THROW(toml(d), std::invalid_argument);
}

// A name that a program made and no file can hold; a number that could not be read.
TEST(RobotFiles, AreReplacedOnlyByWhatReadsBack) {
  const Folder folder;
  for (const char* ending : {"toml", "urdf"}) {
    const std::string path = folder.file(std::string("robot.") + ending, "good");
    const auto put = [&](const Description& d, const Judge& judge = {}) {
      ending == std::string("toml") ? toml_file(d, path, judge) : urdf_file(d, path, judge);
    };
    Description bad = everything();
    bad.bodies[0].name = bad.joints[0].child = "link\xff";
    bad.joints[1].parent = bad.bodies[0].name;
    EXPECT_THROW(put(bad), ModelError);
    EXPECT_EQ(test::slurp(path), "good");
    Description hollow = everything();
    hollow.bodies[2].inertial->mass = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(put(hollow), ModelError);
    EXPECT_EQ(test::slurp(path), "good");
    EXPECT_THROW(put(everything(), [](const Description&) { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_EQ(test::slurp(path), "good");
    std::size_t bodies = 0;
    put(everything(), [&](const Description& back) { bodies = back.bodies.size(); });
    EXPECT_EQ(bodies, everything().bodies.size());
    EXPECT_NE(test::slurp(path), "good");
  }
  EXPECT_EQ(folder.count(), 2u) << "no temporary files";
}

TEST(RobotFiles, AreComparedWithWhatWasMeant) {
  const Description meant = everything();
  read::Reading back{everything(), {}};
  EXPECT_NO_THROW(require_same(meant, back, "f"));
  const auto differs = [&](auto change) {
    back.description = everything();
    change(back.description);
    EXPECT_THROW(require_same(meant, back, "f"), ModelError);
  };
  differs([](Description& d) { d.bodies.pop_back(); });
  differs([](Description& d) { d.bodies[1].inertial->mass *= 2; });
  differs([](Description& d) { d.bodies[1].inertial.reset(); });
  differs([](Description& d) { d.joints[2].type = JointType::prismatic; });
  differs([](Description& d) { d.joints[4].parent = ""; });
  differs([](Description& d) { d.frames.push_back({"more", d.bodies[0].name, {}, {}}); });
  back = {everything(), {{Severity::error, "x", {}, "", "bad", ""}}};
  EXPECT_THROW(require_same(meant, back, "f"), ModelError);
}

TEST(ReplaceFile, ReplacesWholeFilesAndKeepsTheirMode) {
  const Folder folder;
  const std::string path = folder.file("a.txt", "old");
  ::chmod(path.c_str(), 0640);
  replace_file(path, "new");
  EXPECT_EQ(test::slurp(path), "new");
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(ReplaceFile, FollowsLinks) {
  const Folder folder;
  const std::string path = folder.file("a.txt", "old"), link = folder.path("link");
  ASSERT_EQ(::symlink(path.c_str(), link.c_str()), 0);
  replace_file(link, "new");
  EXPECT_EQ(test::slurp(path), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
}

TEST(ReplaceFile, KeepsAFileThatAppearedSinceTheClaim) {
  const Folder folder;
  const Claim claim(folder.path("a.txt"));
  const std::string path = folder.file("a.txt", "old");
  EXPECT_THROW(replace_file(claim, "new"), ModelError);
  EXPECT_EQ(test::slurp(path), "old");
  EXPECT_EQ(folder.count(), 1u);
  replace_file(folder.path("b.txt"), "new");
  EXPECT_EQ(test::slurp(folder.path("b.txt")), "new");
}

TEST(ReplaceFile, SaysWhatFailedAndLeavesNothingBehind) {
  const Folder folder;
  EXPECT_THROW(replace_file(folder.path("none/a.txt"), "x"), ModelError);
  EXPECT_THROW(replace_file(folder.path(""), "x"), ModelError);
  EXPECT_EQ(folder.count(), 0u);
}

}  // namespace
}  // namespace catena::write
