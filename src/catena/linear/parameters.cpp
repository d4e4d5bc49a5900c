#include "catena/linear/parameters.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/joints/joints.hpp"
#include "catena/kinematics/storage.hpp"
#include "catena/linear/limbs.hpp"

namespace catena {

using namespace kernel;

namespace {

// Six columns for each joint: the limb displaced along the axes of a frame.
Sensitivity displacements(const Model& model, bool before, ConstVector q, ConstVector v, ConstVector a,
                          const ExternalLoads& loads) {
  BorrowedLinearWorkspace workspace(model);
  prepare_world(model, workspace->storage(), q, v, a, loads);
  const WorldSweep<double>& world = workspace->storage().world;
  const Limbs limbs(model, world, loads);
  const Tree& tree = model.reduced().tree;
  const std::vector<Joint>& joints = model.description().joints;
  const char* const suffix[] = {"rx", "ry", "rz", "x", "y", "z"};
  Sensitivity out;
  Matrix full(tree.nv_full, 6 * joints.size());
  const auto pose_of = [&](int body) { return world.world[tree.frames[body].body] * tree.frames[body].pose; };
  for (int j = 0; j < static_cast<int>(joints.size()); ++j) {
    const int child = limbs.child(j), parent = limbs.limb(child).parent;
    Transform<double> frame = pose_of(child);
    if (before) {
      const Pose& placement = joints[j].placement;
      frame = (parent < 0 ? world.world[0] * inverse(model.reduced().frames[0]) : pose_of(parent)) *
              Transform<double>{{vec3(placement.R.col(0)), vec3(placement.R.col(1)), vec3(placement.R.col(2))},
                                vec3(placement.p)};
    }
    for (int c = 0; c < 6; ++c) {
      Motion<double> unit = Motion<double>::zero();
      component(unit, c) = 1;
      limbs.displace(j, apply_inverse(frame, unit), before, full.col(6 * j + c).data());
      out.names.push_back(joints[j].name + (before ? "." : ".body.") + suffix[c]);
    }
  }
  out.derivative = reduce_rows(tree, std::move(full));
  return out;
}

// d tau / d g = -(linear part of R H): gravity is an acceleration of everything beyond the joint.
Sensitivity gravity_columns(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                            const ExternalLoads& loads) {
  BorrowedLinearWorkspace workspace(model);
  LinearWorkspace::Storage& linear = workspace->storage();
  prepare_world(model, linear, q, v, a, loads);
  const Tree& tree = model.reduced().tree;
  const Mat3<double>& ground = model.reduced().frames[0].R;
  std::vector<Inertia<double>>& R = linear.world.M;
  Matrix full(tree.nv_full, 3);
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    const int last = body.v + velocity_count(body);
    for (int r = body.v; r < last; ++r) {
      full.row(r) = -eigen(ground * (R[k] * linear.world.column[r].H).f).transpose();
    }
    R[body.parent] += R[k];
  }
  return {{"gravity.x", "gravity.y", "gravity.z"}, reduce_rows(tree, std::move(full))};
}

const char* name_of_term(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::armature: return "armature";
    case ParameterKind::damping: return "damping";
    case ParameterKind::friction: return "friction";
    case ParameterKind::friction_scale: return "friction_scale";
    case ParameterKind::stiffness: return "stiffness";
    default: return "rest";
  }
}

// tanh(v / scale) and its derivative by the scale; a joint that does not rub may leave the scale out.
double rub(const JointTerms& terms, double v) {
  if (terms.friction_scale > 0) return std::tanh(v / terms.friction_scale);
  return v > 0 ? 1 : v < 0 ? -1 : 0;
}
double rub_by_scale(const JointTerms& terms, double v) {
  if (!(terms.friction_scale > 0)) return 0;
  const double t = std::tanh(v / terms.friction_scale);
  return -(1 - t * t) * v / (terms.friction_scale * terms.friction_scale);
}

// One column for each joint that moves: tau = ... + armature a + damping v + friction tanh(v / scale) + springs.
Sensitivity joint_term_columns(const Model& model, ParameterKind kind, ConstVector q, ConstVector v, ConstVector a) {
  BorrowedWorkspace workspace(model);
  Workspace::Storage& work = workspace->storage();
  load_positions(model, work, q);
  load_velocities(model, work, v);
  require_velocity(model, a, "a");
  std::copy(a.begin(), a.end(), work.a.begin());
  expand_velocities(model.tree(), work.a.data());

  const Tree& tree = model.tree();
  const std::vector<Joint>& joints = model.description().joints;
  Sensitivity out;
  Matrix full = Matrix::Zero(tree.nv_full, joints.size());
  Eigen::Index columns = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const JointTerms& terms = joints[j].terms;
    const int d = velocity_count(joints[j].type);
    if (d == 0) continue;
    auto column = full.col(columns++);
    out.names.push_back(joints[j].name + "." + name_of_term(kind));
    const int body = tree.joint_body[j], first_body = body - facts_of(joints[j].type).bodies + 1;
    const int first = tree.bodies[first_body].v;
    for (int r = first; r < first + d; ++r) {
      if (kind == ParameterKind::armature) column[r] = work.a[r];
      if (kind == ParameterKind::damping) column[r] = work.v[r];
      if (kind == ParameterKind::friction) column[r] = rub(terms, work.v[r]);
      if (kind == ParameterKind::friction_scale) column[r] = terms.friction * rub_by_scale(terms, work.v[r]);
    }
    for (int k = first_body; k <= body; ++k) {
      if (kind == ParameterKind::stiffness) {
        add_spring_force(tree, Spring{k, 1, terms.rest}, work.q.data(), column.data());
      } else if (kind == ParameterKind::rest && tree.bodies[k].multi < 0) {
        column[tree.bodies[k].v] = -terms.stiffness;
      }
    }
  }
  out.derivative = reduce_rows(tree, full.leftCols(columns));
  return out;
}

// da / dp = -M^-1 d tau / dp at the acceleration that tau causes.
template <class Inverse>
Sensitivity solved(const Model& model, ConstVector q, ConstVector v, ConstVector tau, const ExternalLoads& loads,
                   const Inverse& inverse) {
  const Vector a = forward_dynamics(model, q, v, tau, loads);
  Sensitivity out = inverse(a);
  out.derivative = -MassFactor(model, mass_matrix(model, q)).solve(out.derivative);
  return out;
}

}  // namespace

Sensitivity inverse_sensitivity(const Model& model, ParameterKind kind, ConstVector q, ConstVector v, ConstVector a,
                                const ExternalLoads& loads) {
  switch (kind) {
    case ParameterKind::inertia:
      return {inertial_parameter_names(model), joint_torque_regressor(model, q, v, a, loads)};
    case ParameterKind::placement: return displacements(model, true, q, v, a, loads);
    case ParameterKind::body_pose: return displacements(model, false, q, v, a, loads);
    case ParameterKind::gravity: return gravity_columns(model, q, v, a, loads);
    default: return joint_term_columns(model, kind, q, v, a);
  }
}

Sensitivity forward_sensitivity(const Model& model, ParameterKind kind, ConstVector q, ConstVector v, ConstVector tau,
                                const ExternalLoads& loads) {
  return solved(model, q, v, tau, loads,
                [&](const Vector& a) { return inverse_sensitivity(model, kind, q, v, a, loads); });
}

Sensitivity inverse_payload_sensitivity(const Model& model, int frame, ConstVector q, ConstVector v, ConstVector a,
                                        const ExternalLoads& loads) {
  Sensitivity out{{}, payload_regressor(model, frame, q, v, a, loads)};
  for (const char* part : {"m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"}) {
    out.names.push_back(std::string("payload.") + part);
  }
  return out;
}

Sensitivity forward_payload_sensitivity(const Model& model, int frame, ConstVector q, ConstVector v, ConstVector tau,
                                        const ExternalLoads& loads) {
  return solved(model, q, v, tau, loads,
                [&](const Vector& a) { return inverse_payload_sensitivity(model, frame, q, v, a, loads); });
}

namespace {

constexpr double shape_tolerance = 1e-9;  // DH tables come with nine digits or more

[[noreturn]] void throw_not_dh(const Joint& joint, const std::string& what) {
  throw std::invalid_argument("joint " + joint.name + " is not of the DH convention's form: " + what);
}

bool is_screw(const Pose& pose, int axis) {
  const Vector3 e = Vector3::Unit(axis);
  return (pose.R * e - e).norm() < shape_tolerance && (pose.p - pose.p[axis] * e).norm() < shape_tolerance;
}

// placement = Sx Sz: the second screw, past which x points along the common normal.
Pose second_screw(const Joint& joint, const Pose& placement) {
  Pose first, second;
  first.R = rotation_about(Vector3::UnitX(), std::atan2(-placement.R(1, 2), placement.R(2, 2)));
  first.p.x() = placement.p.x();
  second = first.inverse() * placement;
  if (!is_screw(second, 2)) throw_not_dh(joint, "its placement is not a screw along x followed by one along z");
  return second;
}

}  // namespace

Sensitivity inverse_dh_sensitivity(const Model& model, DhConvention convention, ConstVector q, ConstVector v,
                                   ConstVector a, const ExternalLoads& loads, const Pose& base) {
  const Sensitivity placement = displacements(model, true, q, v, a, loads);
  const Sensitivity body = displacements(model, false, q, v, a, loads);
  const std::vector<Joint>& joints = model.description().joints;
  Sensitivity out;
  out.derivative.resize(model.nv(), 4 * static_cast<Eigen::Index>(joints.size()));
  Eigen::Index column = 0;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Joint& joint = joints[j];
    if (joint.type == JointType::fixed) continue;
    const bool simple =
        joint.type == JointType::revolute || joint.type == JointType::continuous || joint.type == JointType::prismatic;
    if (!simple) throw_not_dh(joint, std::string("it is ") + name_of(joint.type));
    if ((joint.axis.normalized() - Vector3::UnitZ()).norm() > shape_tolerance) {
      throw_not_dh(joint, "its axis is not z");
    }
    const bool first = std::none_of(joints.begin(), joints.end(), [&](const Joint& other) {
      return other.type != JointType::fixed && other.child == joint.parent;
    });
    // a and alpha are a translation along and a rotation about x, b and theta along and about z, each where its screw
    // ends.
    const auto at_joint = placement.derivative.middleCols(6 * j, 6);
    Vector d_a, d_alpha;
    if (convention == DhConvention::standard) {
      if (!first && !is_screw(joint.placement, 2)) throw_not_dh(joint, "its placement is not a screw along z");
      if (!is_screw(joint.body_in_joint, 0)) throw_not_dh(joint, "its body_in_joint is not a screw along x");
      d_alpha = body.derivative.col(6 * j);
      d_a = body.derivative.col(6 * j + 3);
    } else {
      if (!is_screw(joint.body_in_joint, 0) || !is_screw(joint.body_in_joint, 2)) {
        throw_not_dh(joint, "its body_in_joint is not the identity");
      }
      const Pose S = second_screw(joint, first ? base.inverse() * joint.placement : joint.placement);
      const Vector3 x = S.R.transpose() * Vector3::UnitX();  // in the joint's frame
      const Vector3 swing = S.R.transpose() * Vector3::UnitX().cross(S.p);
      d_alpha = at_joint.leftCols(3) * x + at_joint.rightCols(3) * swing;
      d_a = at_joint.rightCols(3) * x;
    }
    out.derivative.col(column++) = d_a;
    out.derivative.col(column++) = at_joint.col(5);
    out.derivative.col(column++) = d_alpha;
    out.derivative.col(column++) = at_joint.col(2);
    for (const char* part : {".a", ".b", ".alpha", ".theta"}) out.names.push_back(joint.child + part);
  }
  out.derivative.conservativeResize(Eigen::NoChange, column);
  return out;
}

Sensitivity forward_dh_sensitivity(const Model& model, DhConvention convention, ConstVector q, ConstVector v,
                                   ConstVector tau, const ExternalLoads& loads, const Pose& base) {
  return solved(model, q, v, tau, loads,
                [&](const Vector& a) { return inverse_dh_sensitivity(model, convention, q, v, a, loads, base); });
}

}  // namespace catena
