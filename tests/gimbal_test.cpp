// The gimbal joint: three angles in a stated sequence. It is three revolute joints with massless bodies between them, and
// it is a spherical joint in other coordinates.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <numbers>

#include "catena/batch/batch.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/machine/machine_code.hpp"
#include "catena/model/doctor.hpp"
#include "catena/read/toml.hpp"
#include "catena/read/urdf.hpp"
#include "read_support.hpp"
#include "support.hpp"

namespace catena {
namespace {

const char* const sequences[] = {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx", "xyx", "xzx", "yxy", "yzy", "zxz", "zyz"};

Vector3 axis_of(char letter) { return Vector3::Unit(letter - 'x'); }

Inertial solid(double mass) {
  return {.mass = mass, .com = {0.05, -0.1, 0.2}, .inertia = Matrix3(Vector3(0.03, 0.04, 0.05).asDiagonal())};
}

const Pose seat = {rotation_from_rpy(0.3, -0.4, 0.5), Vector3(0.1, 0.2, 0.3)};
const Pose body_in_joint = {rotation_from_rpy(-0.2, 0.6, 0.1), Vector3(0.02, -0.05, 0.1)};

void give_terms(Joint& joint) { joint.damped(0.3).friction(0.1, 0.2).geared(1e-4, 8).spring(2, 0.15); }

void hang(Description& d, Joint joint, const std::string& parent, const std::string& child, double mass) {
  joint.parent = parent;
  joint.child = child;
  d.joints.push_back(joint);
  d.bodies.push_back(mass > 0 ? Body{child, solid(mass)} : Body{child, std::nullopt});
}

// upper arm - (gimbal) - middle - (revolute) - lower
Description with_gimbal(const std::string& sequence, bool terms) {
  Description d;
  hang(d, revolute("first").about(0, 1, 0), "", "upper", 1);
  Joint joint = gimbal("hip", sequence);
  joint.placement = seat, joint.body_in_joint = body_in_joint;
  if (terms) give_terms(joint);
  hang(d, joint, "upper", "middle", 0.7);
  hang(d, revolute("last").at(0, 0, 0.4).about(1, 0, 0), "middle", "lower", 0.4);
  return d;
}

Description with_revolutes(const std::string& sequence, bool terms) {
  Description d;
  hang(d, revolute("first").about(0, 1, 0), "", "upper", 1);
  std::string parent = "upper";
  for (std::size_t i = 0; i < 3; ++i) {
    Joint joint = continuous("hip" + std::to_string(i));
    joint.axis = axis_of(sequence[i]);
    if (i == 0) joint.placement = seat;
    if (i == 2) joint.body_in_joint = body_in_joint;
    if (terms) give_terms(joint);
    const std::string child = i == 2 ? "middle" : "between" + std::to_string(i);
    hang(d, joint, parent, child, i == 2 ? 0.7 : 0);
    parent = child;
  }
  hang(d, revolute("last").at(0, 0, 0.4).about(1, 0, 0), "middle", "lower", 0.4);
  return d;
}

struct State {
  Vector q, v, a, tau;
};
State state_of(const Model& model) {
  State s{random_configuration(model, 3), random_vector(model, 4), random_vector(model, 5), random_vector(model, 6)};
  s.q[2] = 0.7;  // no lock in any sequence
  return s;
}

TEST(Gimbal, IsThreeRevoluteJointsInARow) {
  for (const std::string sequence : sequences) {
    for (const bool terms : {false, true}) {
      SCOPED_TRACE(sequence);
      const Model gimbal(with_gimbal(sequence, terms)), chain(with_revolutes(sequence, terms));
      ASSERT_EQ(gimbal.nq(), 5);
      ASSERT_EQ(gimbal.nv(), 5);
      const auto [q, v, a, tau] = state_of(gimbal);
      EXPECT_CLOSE(mass_matrix(gimbal, q), mass_matrix(chain, q), 1e-14);
      EXPECT_CLOSE(inverse_dynamics(gimbal, q, v, a), inverse_dynamics(chain, q, v, a), 1e-14);
      EXPECT_CLOSE(forward_dynamics(gimbal, q, v, tau), forward_dynamics(chain, q, v, tau), 1e-12);
      const InverseLinearization inverse = linearize_inverse(gimbal, q, v, a),
                                 expected = linearize_inverse(chain, q, v, a);
      EXPECT_CLOSE(inverse.dtau_dq(), expected.dtau_dq(), 1e-13);
      EXPECT_CLOSE(inverse.dtau_dv(), expected.dtau_dv(), 1e-13);
      const ForwardLinearization forward = linearize_forward(gimbal, q, v, tau),
                                 wanted = linearize_forward(chain, q, v, tau);
      EXPECT_CLOSE(forward.da_dq(), wanted.da_dq(), 1e-11);
      EXPECT_CLOSE(forward.da_dv(), wanted.da_dv(), 1e-11);
      EXPECT_CLOSE(forward.M_inv, wanted.M_inv, 1e-11);
    }
  }
}

TEST(Gimbal, RunsInEveryBackend) {
  for (const std::string sequence : {"zyx", "zxz"}) {
    SCOPED_TRACE(sequence);
    const Model model(with_gimbal(sequence, true));
    const auto [q, v, a, tau] = state_of(model);
    for (const BatchOptions::Backend backend : {BatchOptions::lanes, BatchOptions::compiled}) {
      Vector out(model.nv());
      Batch(model, Function::inverse, {.backend = backend})({q, v, a}, {out});
      EXPECT_CLOSE(out, inverse_dynamics(model, q, v, a), 1e-13);
      Batch(model, Function::forward, {.backend = backend})({q, v, tau}, {out});
      EXPECT_CLOSE(out, forward_dynamics(model, q, v, tau), 1e-12);
    }
    const ForwardLinearization expected = linearize_forward(model, q, v, tau);
    const CompiledFunction compiled(model, Function::linearize_forward);
    Vector a_found(5);
    Matrix M_inv(5, 5), A_C(5, 5), B_C(5, 5);
    const double* const in[] = {q.data(), v.data(), tau.data()};
    double* const out[] = {a_found.data(), M_inv.data(), A_C.data(), B_C.data()};
    ASSERT_EQ(compiled.program().outputs.size(), 4u);
    compiled.call(in, out);
    EXPECT_CLOSE(a_found, expected.a, 1e-12);
    EXPECT_CLOSE(M_inv, expected.M_inv, 1e-11);
    EXPECT_CLOSE(A_C, expected.A_C, 1e-11);
    EXPECT_CLOSE(B_C, expected.B_C, 1e-11);
  }
}

// Rot(axis, q0) Rot(axis, q1) Rot(axis, q2), each axis moved by the turns before it.
TEST(Gimbal, TurnsAboutMovedAxes) {
  for (const std::string sequence : sequences) {
    SCOPED_TRACE(sequence);
    const Model model(with_gimbal(sequence, false));
    const Vector q = random_configuration(model, 8);
    Kinematics kinematics(model);
    kinematics.update(q);
    Pose turn;
    for (int i = 0; i < 3; ++i) turn.R *= rotation_about(axis_of(sequence[static_cast<std::size_t>(i)]), q[1 + i]);
    const Pose expected = kinematics.pose(model.frame("upper")) * seat * turn * body_in_joint;
    EXPECT_CLOSE(kinematics.pose(model.frame("middle")).R, expected.R, 1e-14);
    EXPECT_CLOSE(kinematics.pose(model.frame("middle")).p, expected.p, 1e-14);
  }
}

// The same body on a spherical joint: w = H v, dw = H a + ..., tau = H' (moment).
TEST(Gimbal, IsASphericalJointInOtherCoordinates) {
  for (const std::string sequence : sequences) {
    SCOPED_TRACE(sequence);
    Description d;
    hang(d, gimbal("hip", sequence), "", "leg", 0.7);
    const Model angles(d);
    d.joints[0].type = JointType::spherical;
    const Model ball(d);
    const Vector3 q(0.4, 0.9, -1.1), v(0.5, -0.8, 1.2), a(2, -1, 0.5);
    Kinematics kinematics(angles);
    kinematics.update(q, v, a);
    const int leg = angles.frame("leg");
    const Matrix H = kinematics.jacobian(leg, Axes::body).topRows<3>();
    const Vector orientation = Eigen::Quaterniond(kinematics.pose(leg).R).coeffs();
    const Vector w = kinematics.velocity(leg, Axes::body).head<3>(),
                 dw = kinematics.acceleration(leg, Axes::body).head<3>();
    const Vector moment = inverse_dynamics(ball, orientation, w, dw);
    EXPECT_CLOSE(inverse_dynamics(angles, q, v, a), Vector(H.transpose() * moment), 1e-13);
    EXPECT_CLOSE(mass_matrix(angles, q), Matrix(H.transpose() * mass_matrix(ball, orientation) * H), 1e-13);
    EXPECT_CLOSE(forward_dynamics(angles, q, v, Vector(H.transpose() * moment)), Vector(a), 1e-11);
  }
}

// Third axis on the first: a rate has nothing to turn. Joint forces are still there, and rotors make up for it.
TEST(Gimbal, LocksWhereTwoOfItsAxesMeet) {
  const double quarter = 0.5 * std::numbers::pi;
  for (const auto& [sequence, second] :
       {std::pair("zyx", quarter), std::pair("xzy", -quarter), std::pair("zxz", 0.0)}) {
    SCOPED_TRACE(sequence);
    const Model model(with_gimbal(sequence, false)), driven(with_gimbal(sequence, true));
    Vector q = Vector::Constant(5, 0.3), rates = Vector::Constant(5, 0.2);
    q[2] = second;
    EXPECT_TRUE(inverse_dynamics(model, q, rates, rates).allFinite());
    const std::string said =
        test::message_of<NumericalError>([&] { forward_dynamics(model, q, rates, Vector::Zero(5)); });
    EXPECT_NE(said.find("hip"), std::string::npos) << said;
    EXPECT_TRUE(forward_dynamics(driven, q, rates, Vector::Zero(5)).allFinite());
  }
}

TEST(Gimbal, NamesItsThreeAngles) {
  const Model model(with_gimbal("zyx", false));
  const std::vector<std::string> names = {"first", "hip.0", "hip.1", "hip.2", "last"};
  EXPECT_EQ(model.position_names(), names);
  EXPECT_EQ(model.velocity_names(), names);
}

std::string in_toml(const std::string& sequence) {
  return "name = \"r\"\n[[body]]\nname = \"leg\"\njoint = \"gimbal\"\n" + sequence +
         "mass = 1\ninertia = [1, 1, 1]\ncom = [0, 0, 0]\n";
}
std::string in_urdf(const std::string& extension) {
  return "<robot name=\"r\">\n<link name=\"base\"/>\n<link name=\"leg\"><inertial><mass value=\"1\"/><inertia "
         "ixx=\"1\" "
         "ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>\n<joint name=\"hip\" type=\"gimbal\">\n"
         "<parent link=\"base\"/>\n<child link=\"leg\"/>\n" +
         extension + "</joint>\n</robot>\n";
}

TEST(Gimbal, IsReadWithItsSequence) {
  const read::Reading table = read::toml(in_toml("sequence = \"zxz\"\n"), "f");
  EXPECT_FALSE(has_errors(table.findings)) << test::all(table.findings);
  EXPECT_EQ(table.description.joints[0].type, JointType::gimbal);
  EXPECT_EQ(table.description.joints[0].sequence, "zxz");
  const read::Reading tree = read::urdf(in_urdf("<catena sequence=\"yxz\"/>\n"), "f");
  EXPECT_FALSE(has_errors(tree.findings)) << test::all(tree.findings);
  EXPECT_EQ(tree.description.joints[0].type, JointType::gimbal);
  EXPECT_EQ(tree.description.joints[0].sequence, "yxz");
}

TEST(Gimbal, RefusesWhatIsNoSequence) {
  for (const char* bad : {"", "x", "xyzx", "XYZ", "xyw", "x y", "xxz", "zyy"}) {
    SCOPED_TRACE(bad);
    const std::string text = bad;
    EXPECT_FINDING(read::toml(in_toml("sequence = \"" + text + "\"\n"), "f").findings, error, "sequence-invalid", 5);
    EXPECT_FINDING(read::urdf(in_urdf("<catena sequence=\"" + text + "\"/>\n"), "f").findings, error,
                   "sequence-invalid", 7);
    Description d = with_gimbal("zyx", false);
    d.joints[1].sequence = text;
    EXPECT_FINDING(check(d), error, "sequence-invalid", 0);
    EXPECT_THROW(Model{d}, ModelError);
  }
  EXPECT_FINDING(read::toml(in_toml(""), "f").findings, error, "sequence-missing", 2);
  EXPECT_FINDING(read::urdf(in_urdf(""), "f").findings, error, "sequence-missing", 4);
}

}  // namespace
}  // namespace catena
