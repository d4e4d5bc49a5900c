// Reactions: every body by itself obeys Newton and Euler under the wrenches of its joints, the lumped ones included.
#include "catena/dynamics/reactions.hpp"

#include <Eigen/Geometry>

#include "catena/dynamics/inverse.hpp"
#include "support.hpp"

namespace catena::test {
namespace {

// [moment; force] in world axes about the world's origin.
Vector6 at_world_origin(const Pose& pose, const Vector3& moment, const Vector3& force, const Vector3& point) {
  const Vector3 f = pose.R * force;
  Vector6 out;
  out << pose.R * moment + (pose * point).cross(f), f;
  return out;
}

// What moves a body: m (a_com - g), and the change of its angular momentum, from the kinematics alone.
Vector6 rate_of_momentum(const Inertial& inertial, const Pose& pose, const Vector6& V, const Vector6& A,
                         const Vector3& g) {
  const Vector3 w = V.head<3>(), dw = A.head<3>(), com = pose.R * inertial.com;
  const Vector3 force = inertial.mass * (A.tail<3>() + dw.cross(com) + w.cross(w.cross(com)) - g);
  const Matrix3 J = pose.R * inertial.inertia * pose.R.transpose();
  Vector6 out;
  out << J * dw + w.cross(J * w) + (pose.p + com).cross(force), force;
  return out;
}

TEST(Reactions, BalanceEveryBodyByItself) {
  int fixed = 0;
  for_each_tree([&](const Case& c) {
    const Description& robot = c.model.description();
    ExternalLoads loads;
    loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
    const int last = c.model.frame_count() - 1;
    loads.wrenches.push_back({last, {1, 2, 3}, {4, 5, 6}, {0.1, 0.2, 0.3}, Axes::body});
    loads.wrenches.push_back({last / 2, {1, 0, -1}, {0, 2, 0}, {0.3, 0, 0}, Axes::aligned});
    const Reactions found = reactions(c.model, c.q, c.v, c.a, loads);
    EXPECT_EQ(found.tau, inverse_dynamics(c.model, c.q, c.v, c.a, loads));
    ASSERT_EQ(found.joints.cols(), static_cast<int>(robot.joints.size()));

    Kinematics motion(c.model);
    motion.update(c.q, c.v, c.a, loads.base);
    // by body, and the ground behind them: what acts on it less what its motion takes
    const int ground = static_cast<int>(robot.bodies.size());
    std::vector<Vector6> rest(robot.bodies.size() + 1, Vector6::Zero());
    double size = 1;
    const auto act = [&](const std::string& body, const Vector6& wrench, double sign) {
      rest[body.empty() ? ground : c.model.body(body)] += sign * wrench;
      size = std::max(size, wrench.cwiseAbs().maxCoeff());
    };
    std::vector<bool> carried(robot.bodies.size(), false);
    for (const Joint& joint : robot.joints) {
      fixed += joint.type == JointType::fixed ? 1 : 0;
      carried[c.model.body(joint.child)] = true;
      const Vector6 f = found.joints.col(c.model.joint(joint.name));
      const Vector6 wrench = at_world_origin(motion.pose(joint.child), f.head<3>(), f.tail<3>(), Vector3::Zero());
      act(joint.child, wrench, 1);
      act(joint.parent, wrench, -1);
    }
    for (const Wrench& wrench : loads.wrenches) {
      Pose axes = motion.pose(wrench.frame);
      const Vector3 point = axes * wrench.point;
      if (wrench.axes == Axes::aligned) axes.R = Matrix3::Identity();
      axes.p = point;
      const bool own = wrench.frame < ground;
      act(own ? robot.bodies[wrench.frame].name : robot.frames[wrench.frame - ground].body,
          at_world_origin(axes, wrench.moment, wrench.force, Vector3::Zero()), 1);
    }
    for (const Body& body : robot.bodies) {
      if (!body.inertial) continue;
      act(body.name,
          rate_of_momentum(*body.inertial, motion.pose(body.name), motion.velocity(body.name, Axes::aligned),
                           motion.ordinary_acceleration(body.name, Axes::aligned), c.model.gravity()),
          -1);
    }
    Vector6 on_ground = rest[ground];
    for (int b = 0; b < ground; ++b) {
      if (carried[b]) {
        EXPECT_LE(rest[b].cwiseAbs().maxCoeff(), 1e-12 * size) << robot.bodies[b].name;
      } else {
        on_ground += rest[b];  // a body without a joint is part of the ground
      }
    }
    EXPECT_LE((found.base + on_ground).cwiseAbs().maxCoeff(), 1e-12 * size);
  });
  EXPECT_GT(fixed, 20);
}

TEST(Reactions, ARobotOfOneFixedBodyStandsOnItsBase) {
  Description robot;
  robot.bodies.push_back({"block", Inertial{2, {0.1, 0, 0}, 0.01 * Matrix3::Identity()}});
  robot.bodies.push_back({"lid", Inertial{1, {0, 0, 0}, 0.01 * Matrix3::Identity()}});
  Joint screw = fixed("screws").on("block").at(0.5, 0, 0);
  screw.child = "lid";
  robot.joints.push_back(screw);
  const Model model(robot);
  const Vector none(0);
  const Reactions found = reactions(model, none, none, none);
  EXPECT_EQ(found.tau.size(), 0);
  EXPECT_NEAR(found.joints(5, 0), 9.81, 1e-14);
  Vector6 base;
  base << 0, -9.81 * (2 * 0.1 + 1 * 0.5), 0, 0, 0, 3 * 9.81;
  EXPECT_LE((found.base - base).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(Reactions, NamesAreLookedUp) {
  Description robot = random_tree(7);
  const Model model(robot);
  const Joint& joint = robot.joints.back();
  EXPECT_EQ(model.joint(joint.name), static_cast<int>(robot.joints.size()) - 1);
  EXPECT_EQ(model.body(joint.child), model.frame(joint.child));
  EXPECT_MESSAGE(model.joint(joint.name + "x"), "no joint \"" + joint.name + "x\" in");
  EXPECT_MESSAGE(model.joint(joint.name + "x"), "did you mean");
  EXPECT_MESSAGE(model.body("nothing like it"), "no body \"nothing like it\" in");
  const Kinematics kinematics(model);
  EXPECT_EQ(kinematics.pose(joint.child).p, kinematics.pose(model.frame(joint.child)).p);
  EXPECT_MESSAGE(kinematics.pose("nothing like it"), "no body or frame \"nothing like it\" in");
  EXPECT_MESSAGE(kinematics.pose(-1), "frame -1 does not exist");
}

TEST(Reactions, WorldAxesOfAWrenchAreCalledAligned) {
  const Model model(random_tree(7));
  const Vector v = Vector::Zero(model.nv());
  ExternalLoads loads;
  loads.wrenches.push_back({0, {0, 0, 0}, {0, 0, 1}, {0, 0, 0}, Axes::world});
  EXPECT_MESSAGE(inverse_dynamics(model, neutral_configuration(model), v, v, loads), "use Axes::aligned");
}

}  // namespace
}  // namespace catena::test
