// Derivatives by the robot's own numbers, against robots built again with those numbers changed.
#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <functional>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/linear/parameters.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"
#include "tags.hpp"

namespace catena {

// How a test's name shows it.
void PrintTo(ParameterKind kind, std::ostream* out) { *out << static_cast<int>(kind); }

}  // namespace catena

namespace catena::test {
namespace {

ExternalLoads everything(const Model& model) {
  ExternalLoads loads;
  loads.base = {{0.3, -0.5, 0.7}, {0.2, 0.4, -0.6}, {1.1, -0.3, 0.2}, {-0.4, 0.8, 0.5}};
  loads.wrenches.push_back({model.frame_count() - 1, {1, 2, 3}, {4, 5, 6}, {0.1, 0.2, 0.3}, Axes::aligned});
  loads.wrenches.push_back({model.frame_count() / 2, {1, 0, -1}, {0, 2, 0}, {0.3, 0, 0}, Axes::body});
  return loads;
}

using Change = std::function<void(Description&, double)>;  // moves one parameter by t

// Central differences of fourth order over robots built again.
Vector slope(const Description& robot, const Change& change, const std::function<Vector(const Model&)>& value,
             double h) {
  const auto at = [&](double t) {
    Description changed = robot;
    change(changed, t);
    return value(Model(changed));
  };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

// x = [turn; shift]: the exponential of a turn, or of a shift.
Pose step(int component, double t) {
  Pose pose;
  if (component < 3) {
    pose.R = Eigen::AngleAxisd(t, Vector3::Unit(component)).toRotationMatrix();
  } else {
    pose.p[component - 3] = t;
  }
  return pose;
}

struct Columns {
  ParameterKind kind;
  std::vector<Change> changes;
  double h;
};

Columns changes_of(const Description& robot, ParameterKind kind) {
  Columns out{kind, {}, 1e-3};
  if (kind == ParameterKind::gravity) {
    for (int i = 0; i < 3; ++i) out.changes.push_back([i](Description& r, double t) { r.gravity[i] += t; });
    return out;
  }
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const auto add = [&](auto change) {
      out.changes.push_back([j, change](Description& r, double t) { change(r.joints[j], t); });
    };
    if (kind == ParameterKind::placement || kind == ParameterKind::body_pose) {
      for (int c = 0; c < 6; ++c) {
        add([c, kind](Joint& joint, double t) {
          Pose& pose = kind == ParameterKind::placement ? joint.placement : joint.body_in_joint;
          pose = pose * step(c, t);
        });
      }
      continue;
    }
    if (robot.joints[j].type == JointType::fixed) continue;
    switch (kind) {
      case ParameterKind::damping: add([](Joint& k, double t) { k.terms.damping += t; }); break;
      case ParameterKind::friction: add([](Joint& k, double t) { k.terms.friction += t; }); break;
      case ParameterKind::friction_scale: add([](Joint& k, double t) { k.terms.friction_scale += t; }); break;
      case ParameterKind::stiffness: add([](Joint& k, double t) { k.terms.stiffness += t; }); break;
      case ParameterKind::rest: add([](Joint& k, double t) { k.terms.rest += t; }); break;
      default:
        add([](Joint& k, double t) {
          k.terms.rotor_inertia = k.terms.armature() + t;
          k.terms.gear_ratio = 1;
        });
    }
  }
  if (kind == ParameterKind::friction_scale || kind == ParameterKind::armature) out.h = 1e-4;
  return out;
}

// Terms that every joint has: negative values would be refused when a difference steps below zero.
// Planar and free joints take no rotor, so that they stay out where rotors are changed.
Description with_all_terms(std::uint64_t seed, ParameterKind kind) {
  const auto takes_rotor = [](JointType type) { return type != JointType::planar && type != JointType::free; };
  TreeOptions options;
  if (kind == ParameterKind::armature) std::erase_if(options.types, [&](JointType type) { return !takes_rotor(type); });
  Description robot = random_tree(seed, options);
  for (Joint& joint : robot.joints) {
    if (joint.type == JointType::fixed) continue;
    JointTerms& terms = joint.terms;
    if (terms.damping == 0) terms.damping = 0.3;
    if (terms.friction == 0) terms.friction = 0.2, terms.friction_scale = 0.3;
    if (takes_rotor(joint.type) && terms.armature() < 0.05) terms.rotor_inertia = 0.05, terms.gear_ratio = 1;
    if (terms.stiffness == 0) terms.stiffness = 1;
  }
  return robot;
}

class ParameterDerivatives : public ::testing::TestWithParam<ParameterKind> {};

TEST_P(ParameterDerivatives, OfInverseAndForwardDynamicsMatchRobotsBuiltAgain) {
  const bool one_of_each_sort = GetParam() == ParameterKind::armature || GetParam() >= ParameterKind::rest;
  if (!one_of_each_sort) LONG_TEST();
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Description robot = with_all_terms(seed, GetParam());
    const Model model(robot);
    const Vector q = random_configuration(model, seed + 1000), v = random_vector(model, seed + 2000, 2),
                 a = random_vector(model, seed + 3000, 3);
    const ExternalLoads loads = everything(model);
    const Vector tau = inverse_dynamics(model, q, v, a, loads);
    const Columns columns = changes_of(robot, GetParam());
    const Sensitivity inverse = inverse_sensitivity(model, columns.kind, q, v, a, loads);
    const Sensitivity forward = forward_sensitivity(model, columns.kind, q, v, tau, loads);
    ASSERT_EQ(inverse.derivative.cols(), static_cast<Eigen::Index>(columns.changes.size()));
    ASSERT_EQ(inverse.names.size(), columns.changes.size());
    const double scale = 1 + tau.cwiseAbs().maxCoeff() + inverse.derivative.cwiseAbs().maxCoeff();
    const double amplified = scale * mass_matrix_inverse(model, q).cwiseAbs().maxCoeff();
    for (std::size_t c = 0; c < columns.changes.size(); ++c) {
      const Vector expected = slope(
          robot, columns.changes[c], [&](const Model& changed) { return inverse_dynamics(changed, q, v, a, loads); },
          columns.h);
      EXPECT_LE((inverse.derivative.col(c) - expected).cwiseAbs().maxCoeff(), 1e-9 * scale) << inverse.names[c];
      const Vector expected_a = slope(
          robot, columns.changes[c], [&](const Model& changed) { return forward_dynamics(changed, q, v, tau, loads); },
          columns.h);
      EXPECT_LE((forward.derivative.col(c) - expected_a).cwiseAbs().maxCoeff(), 1e-7 * amplified) << forward.names[c];
      if (HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ParameterDerivatives,
                         ::testing::Values(ParameterKind::placement, ParameterKind::body_pose, ParameterKind::armature,
                                           ParameterKind::damping, ParameterKind::friction,
                                           ParameterKind::friction_scale, ParameterKind::stiffness, ParameterKind::rest,
                                           ParameterKind::gravity),
                         [](const auto& kind) { return "Kind" + std::to_string(static_cast<int>(kind.param)); });

TEST(ParameterLaws, ByInertiaAreTheRegressorAndItsSolution) {
  LONG_TEST();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed);
    const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a);
    const Matrix Y = joint_torque_regressor(c.model, c.q, c.v, c.a), M = mass_matrix(c.model, c.q);
    const Sensitivity forward = forward_sensitivity(c.model, ParameterKind::inertia, c.q, c.v, tau);
    EXPECT_CLOSE(M * forward.derivative, -Y, 1e-12 + 1e-13 * condition_number(M));
    // One body heavier by t in every parameter: differences of forward dynamics.
    const std::vector<Body>& bodies = c.model.description().bodies;
    for (std::size_t b = 0; b < bodies.size(); ++b) {
      if (!bodies[b].inertial) continue;
      const Change change = [b](Description& robot, double t) {
        robot.bodies[b].inertial->mass *= 1 + t;
        robot.bodies[b].inertial->inertia *= 1 + t;
      };
      const Vector expected = slope(
          c.model.description(), change, [&](const Model& changed) { return forward_dynamics(changed, c.q, c.v, tau); },
          1e-3);
      const Vector got = forward.derivative.middleCols(10 * b, 10) * inertial_parameters(*bodies[b].inertial);
      EXPECT_LE((got - expected).cwiseAbs().maxCoeff(),
                1e-9 * (1 + c.a.cwiseAbs().maxCoeff() + expected.cwiseAbs().maxCoeff()) * condition_number(M));
    }
  }
}

TEST(ParameterLaws, ByPayloadMatchALoadedRobot) {
  const Case c = random_case(4);
  const int frame = 0;
  const Vector tau = inverse_dynamics(c.model, c.q, c.v, c.a);
  const Inertial payload{1, {0.05, 0.1, -0.2}, Vector3(0.02, 0.03, 0.04).asDiagonal()};
  const Change change = [&](Description& robot, double t) {
    Inertial part = payload;
    part.mass *= std::abs(t);
    part.inertia *= std::abs(t);
    robot.bodies.push_back({"payload", part});
    Joint grip = fixed("grip").on(c.model.frame_name(frame));
    grip.child = "payload";
    robot.joints.push_back(grip);
  };
  // A payload cannot be negative: one-sided differences of second order.
  const auto at = [&](double t) {
    Description loaded = c.model.description();
    if (t > 0) change(loaded, t);
    return forward_dynamics(Model(loaded), c.q, c.v, tau);
  };
  const double h = 1e-5;
  const Vector expected = (4 * at(h) - at(2 * h) - 3 * at(0)) / (2 * h);
  const Sensitivity forward = forward_payload_sensitivity(c.model, frame, c.q, c.v, tau);
  EXPECT_EQ(forward.names.at(9), "payload.Jyz");
  EXPECT_GT(expected.norm(), 0.1);
  EXPECT_CLOSE(forward.derivative * inertial_parameters(payload), expected, 1e-6);
}

Pose screw(int axis, double angle, double length) {
  Pose pose = step(axis, angle);
  pose.p[axis] = length;
  return pose;
}

struct DhRow {
  double a, b, alpha, theta;
};

// A chain as the readers make it from a DH table.
Description dh_arm(DhConvention convention, const std::vector<DhRow>& rows, const Pose& base) {
  Description robot;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const DhRow& row = rows[k];
    Joint joint = k == 1 ? prismatic("j1") : revolute("j" + std::to_string(k));
    joint.child = "link" + std::to_string(k);
    if (k > 0) joint.parent = "link" + std::to_string(k - 1);
    const Pose before = k == 0 ? base : Pose{};
    if (convention == DhConvention::standard) {
      joint.placement = before * screw(2, row.theta, row.b);
      joint.body_in_joint = screw(0, row.alpha, row.a);
    } else {
      joint.placement = before * screw(0, row.alpha, row.a) * screw(2, row.theta, row.b);
    }
    robot.bodies.push_back(
        {joint.child,
         Inertial{1.0 + 0.2 * static_cast<double>(k), {0.1, 0.2, -0.1}, Vector3(0.02, 0.03, 0.04).asDiagonal()}});
    robot.joints.push_back(joint);
  }
  return robot;
}

TEST(DhDerivatives, MatchChainsBuiltAgainInBothConventions) {
  const std::vector<DhRow> rows = {
      {0.3, 0.2, 0.7, 0.1}, {0.1, -0.3, -1.2, 0.4}, {0.25, 0.1, 1.5, -0.9}, {0, 0.15, -0.6, 2.0}};
  const Pose base = screw(1, 0.4, 0.3) * screw(0, 0.2, 0.1);
  for (const DhConvention convention : {DhConvention::standard, DhConvention::modified}) {
    const Model model(dh_arm(convention, rows, base));
    const Vector q = random_configuration(model, 1), v = random_vector(model, 2, 2), a = random_vector(model, 3, 3);
    ExternalLoads loads;
    loads.wrenches.push_back({3, {1, 2, 3}, {4, 5, 6}, {0.1, 0.2, 0.3}, Axes::aligned});
    const Sensitivity inverse = inverse_dh_sensitivity(model, convention, q, v, a, loads, base);
    const Vector tau = inverse_dynamics(model, q, v, a, loads);
    const Sensitivity forward = forward_dh_sensitivity(model, convention, q, v, tau, loads, base);
    EXPECT_CLOSE(mass_matrix(model, q) * forward.derivative, -inverse.derivative, 1e-10);
    double DhRow::*const members[] = {&DhRow::a, &DhRow::b, &DhRow::alpha, &DhRow::theta};
    for (int c = 0; c < 16; ++c) {
      const auto at = [&](double t) {
        std::vector<DhRow> moved = rows;
        moved[c / 4].*members[c % 4] += t;
        return inverse_dynamics(Model(dh_arm(convention, moved, base)), q, v, a, loads);
      };
      const double h = 1e-3;
      const Vector expected = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
      EXPECT_LE((inverse.derivative.col(c) - expected).cwiseAbs().maxCoeff(), 1e-9 * (1 + tau.cwiseAbs().maxCoeff()))
          << inverse.names[c];
    }
    EXPECT_EQ(inverse.names.at(6), "link1.alpha");
  }
}

// The offset of a joint's own variable is a change of q.
TEST(DhDerivatives, OffsetsOfTheVariablesAreChangesOfQ) {
  for (const char* name : {"stanford_arm", "puma560"}) {
    const Model model = read::load(name);
    const Vector q = random_configuration(model, 1), v = random_vector(model, 2, 2), a = random_vector(model, 3, 3);
    const Sensitivity dh = inverse_dh_sensitivity(model, DhConvention::standard, q, v, a);
    const Matrix B_D = linearize_inverse(model, q, v, a).B_D;
    for (const Coordinate& c : model.coordinates()) {
      const bool slides = c.type == JointType::prismatic;
      const double stiffness = model.description().joints[c.index].terms.stiffness;
      Vector expected = B_D.col(c.v);
      expected[c.v] -= stiffness;
      // by the whole matrix: the last joint of the PUMA turns a link that is alike all round, its column is zero
      const Vector difference = dh.derivative.col(4 * c.v + (slides ? 1 : 3)) - expected;
      EXPECT_LE(difference.cwiseAbs().maxCoeff(), 1e-13 * B_D.cwiseAbs().maxCoeff()) << name << " " << c.joint;
    }
  }
}

TEST(DhDerivatives, NameTheJointThatHasAnotherForm) {
  Description robot = dh_arm(DhConvention::standard, {{0.3, 0.2, 0.7, 0.1}, {0.1, -0.3, -1.2, 0.4}}, {});
  const Vector zero = Vector::Zero(2);
  try {
    inverse_dh_sensitivity(Model(robot), DhConvention::modified, zero, zero, zero);
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("j0"), std::string::npos);
  }
  robot.joints[1].axis = Vector3::UnitX();
  EXPECT_THROW(inverse_dh_sensitivity(Model(robot), DhConvention::standard, zero, zero, zero), std::invalid_argument);
}

// Stretched out: the Jacobian is singular, the derivatives are not.
TEST(ParameterLaws, AreFiniteAtSingularPoses) {
  const Model arm(chain(6, {ChainShape::planar}));
  const Vector zero = Vector::Zero(6), v = Vector::Ones(6);
  for (const ParameterKind kind : {ParameterKind::inertia, ParameterKind::placement, ParameterKind::body_pose}) {
    EXPECT_TRUE(forward_sensitivity(arm, kind, zero, v, zero).derivative.allFinite());
  }
}

}  // namespace
}  // namespace catena::test
