// Angeles' recursion in Denavit-Hartenberg frames against brute force, and against the recursion in body frames.
#include "catena/reference/dh_newton_euler.hpp"

#include "support.hpp"

namespace catena::test {
namespace {

// Reference arms with moving base and tip wrench: every joint wrench and every kinematic quantity.
TEST(DhNewtonEuler, MatchesBruteForceInAllJointWrenches) {
  const Json file = read_reference("newton_euler_dh");
  for (const Json& arm : file.at("cases")) {
    const std::string joints = arm.at("joints").get<std::string>();
    SCOPED_TRACE(joints);
    std::vector<DhLink> links(joints.size());
    for (std::size_t i = 0; i < links.size(); ++i) {
      const Json& dh = arm.at("dh");
      const bool prismatic = joints[i] == 'P';
      links[i].prismatic = prismatic;
      links[i].a = dh.at("a").at(i).get<double>();
      links[i].alpha = dh.at("alpha").at(i).get<double>();
      links[i].b = prismatic ? 0 : dh.at("b").at(i).get<double>();
      links[i].theta = prismatic ? dh.at("theta").at(i).get<double>() : 0;
      links[i].mass = arm.at("mass").at(i).get<double>();
      links[i].rho = vector3_from(arm.at("rho_in_Fip1").at(i));
      links[i].inertia = matrix3_from(arm.at("inertia_about_Ci_in_Fip1").at(i));
    }
    DhBase base;
    base.delta = vector3_from(arm.at("delta0_in_F1"));
    base.gravity = vector3_from(arm.at("gravity_in_F1"));
    base.angular_velocity = vector3_from(arm.at("base").at("w0"));
    base.angular_acceleration = vector3_from(arm.at("base").at("wdot0"));
    base.velocity = vector3_from(arm.at("base").at("cdot0"));
    base.acceleration = vector3_from(arm.at("base").at("cddot0"));
    const Json& tip = arm.at("tip_wrench_at_Cn_in_Fnp1");
    const DhResult result =
        dh_newton_euler(links, base, vector_from(arm.at("q")), vector_from(arm.at("qd")), vector_from(arm.at("qdd")),
                        vector3_from(tip.at("f")), vector3_from(tip.at("n")));
    const Json& expected = arm.at("results");
    EXPECT_CLOSE(result.tau, vector_from(expected.at("tau")), 1e-12);
    for (std::size_t i = 0; i < links.size(); ++i) {
      EXPECT_CLOSE(result.force[i], vector3_from(expected.at("joint_force_fP_in_Fi").at(i)), 1e-12);
      EXPECT_CLOSE(result.moment[i], vector3_from(expected.at("joint_moment_nP_in_Fi_about_Ai").at(i)), 1e-12);
      EXPECT_CLOSE(result.omega[i], vector3_from(expected.at("omega_in_Fip1").at(i)), 1e-12);
      EXPECT_CLOSE(result.omega_dot[i], vector3_from(expected.at("omegadot_in_Fip1").at(i)), 1e-12);
      EXPECT_CLOSE(result.c_dot[i], vector3_from(expected.at("cdot_in_Fip1").at(i)), 1e-12);
      EXPECT_CLOSE(result.c_ddot[i], vector3_from(expected.at("cddot_minus_g_in_Fip1").at(i)), 1e-12);
    }
  }
}

TEST(DhNewtonEuler, AgreesWithTheRecursionInBodyFramesOnRandomArms) {
  TreeOptions options;
  options.serial = true;
  options.several_roots = options.couplings = options.terms = options.shuffled = false;
  options.types = {JointType::revolute, JointType::prismatic, JointType::continuous, JointType::fixed};
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = random_case(seed, options);
    const auto chain = dh_chain(c.model);
    if (!chain) continue;
    ++tried;
    const DhResult result = dh_newton_euler(chain->links, chain->base, c.q, c.v, c.a);
    // The feet of common normals may lie far away; their distance costs digits.
    double reach = 1;
    for (const DhLink& link : chain->links) reach += std::abs(link.a) + std::abs(link.b);
    EXPECT_CLOSE(result.tau, inverse_dynamics(c.model, c.q, c.v, c.a), 1e-13 * reach * reach);
  }
  EXPECT_GT(tried, 150);
}

// base . table . tool is the pose by kinematics; for the modified convention with the links' screws in its own order.
TEST(DhChain, WithItsFramesAtBothEndsGivesThePosesOfTheLastLink) {
  TreeOptions options;
  options.serial = true;
  options.several_roots = options.couplings = options.terms = options.shuffled = false;
  options.types = {JointType::revolute, JointType::prismatic, JointType::continuous, JointType::fixed};
  int tried = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    const Case c = random_case(seed, options);
    const auto chain = dh_chain(c.model);
    if (!chain) continue;
    ++tried;
    const auto screw = [](const Vector3& axis, double angle, double shift) {
      Pose pose;
      pose.R = rotation_about(axis, angle);
      pose.p = shift * axis;
      return pose;
    };
    Pose modified = chain->first;
    DhLink before;
    for (std::size_t i = 0; i < chain->links.size(); ++i) {
      const DhLink& link = chain->links[i];
      const double q = c.q[static_cast<Eigen::Index>(i)];
      modified = modified * screw(Vector3::UnitX(), before.alpha, before.a) *
                 screw(Vector3::UnitZ(), link.theta + (link.prismatic ? 0 : q), link.b + (link.prismatic ? q : 0));
      before = link;
    }
    const Kinematics kinematics(c.model, c.q);
    ASSERT_FALSE(chain->tools.empty());
    bool tip = false;
    for (const DhChain::Tool& tool : chain->tools) {
      const Pose expected = kinematics.pose(tool.frame);
      for (const Pose& found : {dh_tip(*chain, c.q) * tool.pose, modified * tool.pose}) {
        EXPECT_LE((found.R - expected.R).cwiseAbs().maxCoeff(), 1e-12);
        EXPECT_LE((found.p - expected.p).cwiseAbs().maxCoeff(), 1e-12 * (1 + expected.p.cwiseAbs().maxCoeff()));
      }
      tip = tip || tool.frame == c.model.tip_frame();
    }
    EXPECT_TRUE(tip);
  }
  EXPECT_GT(tried, 50);
}

TEST(DhNewtonEuler, DeclinesTreesCouplingsAndOtherJoints) {
  Builder tree("tree");
  const Inertial box{1, Vector3::Zero(), box_inertia(1, 0.1, 0.2, 0.3)};
  tree.add_body("trunk", box, revolute("waist"));
  tree.add_body("left", box, revolute("left").on("trunk").at(0, 1, 0));
  tree.add_body("right", box, revolute("right").on("trunk").at(0, -1, 0));
  EXPECT_FALSE(dh_chain(tree.build()));
  Builder ball("ball");
  ball.add_body("ball", box, spherical("ball"));
  EXPECT_FALSE(dh_chain(ball.build()));
}

}  // namespace
}  // namespace catena::test
