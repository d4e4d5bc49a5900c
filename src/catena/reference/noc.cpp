#include "catena/reference/noc.hpp"

#include "catena/dynamics/inverse.hpp"
#include "catena/reference/dense.hpp"

namespace catena {

using namespace kernel;

namespace {

void require_simple(const Model& model, const BaseMotion& base) {
  const Tree& tree = model.tree();
  for (int k = 1; k < tree.count(); ++k) {
    if (is<Revolute>(tree.bodies[k]) || is<Prismatic>(tree.bodies[k])) continue;
    throw std::invalid_argument("the natural orthogonal complement is for revolute and prismatic joints; joint " +
                                tree.joint_names[k] + " of " + model.name() + " is neither");
  }
  if (!base.angular_velocity.isZero(0) || !base.velocity.isZero(0) || !base.angular_acceleration.isZero(0) ||
      !base.acceleration.isZero(0)) {
    throw std::invalid_argument("the natural orthogonal complement is for a base at rest");
  }
}

// Rows of joint i. Revolute: the difference of angular velocities is along e, and the point o of the axis moves with
// both bodies. Prismatic: equal angular velocities, and the difference of velocities at c is along e.
void constrain(NaturalComplement& out, const CentredBody& body, const CentredBody& parent, int row, bool turns) {
  const Matrix3 zero = Matrix3::Zero(), one = Matrix3::Identity();
  const Vector3 e = turns ? body.p.col(0).head<3>() : body.p.col(0).tail<3>();
  out.K.block<6, 6>(row, row) =
      turns ? blocks(skew(e), zero, skew(body.c - body.o), one) : blocks(one, zero, zero, skew(e));
  if (body.parent == 0) return;
  out.K.block<6, 6>(row, 6 * (body.parent - 1)) = turns
                                                      ? blocks(-skew(e), zero, skew(body.o - parent.c), -one)
                                                      : blocks(-one, zero, skew(e) * skew(body.c - parent.c), -skew(e));
}

// Column of joint j in the rows of body i, which it carries.
void shape_twist(NaturalComplement& out, const CentredBody& i, const CentredBody& j, int row, bool turns) {
  if (turns) {
    const Vector3 e = j.p.col(0).head<3>(), e_dot = j.omega().cross(e), arm = i.c - j.o;
    out.T.block<6, 1>(row, j.v) << e, e.cross(arm);
    out.T_dot.block<6, 1>(row, j.v) << e_dot, e_dot.cross(arm) + e.cross(i.c_dot() - j.o_dot());
  } else {
    const Vector3 e = j.p.col(0).tail<3>();
    out.T.block<6, 1>(row, j.v) << Vector3::Zero(), e;
    out.T_dot.block<6, 1>(row, j.v) << Vector3::Zero(), j.omega().cross(e);
  }
}

// A unit motor force of joint i acts on body i and, reversed, on its parent: a couple or a force at o.
void push(NaturalComplement& out, const CentredBody& body, const CentredBody& parent, int row, bool turns) {
  const auto at = [&](const Vector3& c) {
    Vector6 w;
    if (turns) {
      w << body.p.col(0).head<3>(), Vector3::Zero();
    } else {
      const Vector3 e = body.p.col(0).tail<3>();
      w << (body.o - c).cross(e), e;
    }
    return w;
  };
  out.A.block<6, 1>(row, body.v) += at(body.c);
  if (body.parent > 0) out.A.block<6, 1>(6 * (body.parent - 1), body.v) -= at(parent.c);
}

}  // namespace

NaturalComplement natural_complement(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads) {
  require_simple(model, loads.base);
  const std::vector<CentredBody> bodies = centred_bodies(model, q, v, loads);
  const Tree& tree = model.tree();
  const int size = 6 * (tree.count() - 1), n = tree.nv;
  NaturalComplement out;
  out.K = out.M = out.W = Matrix::Zero(size, size);
  out.T = out.T_dot = out.A = Matrix::Zero(size, n);
  out.t = out.w_G = out.w_W = Vector::Zero(size);
  const auto turns = [&](int k) { return is<Revolute>(tree.bodies[k]); };
  for (int i = 1; i < tree.count(); ++i) {
    const CentredBody& body = bodies[i];
    const int row = 6 * (i - 1);
    constrain(out, body, bodies[body.parent], row, turns(i));
    push(out, body, bodies[body.parent], row, turns(i));
    for (int j = i; j > 0; j = bodies[j].parent) shape_twist(out, body, bodies[j], row, turns(j));
    out.M.block<6, 6>(row, row) = body.M();
    out.W.block<6, 6>(row, row) = body.W();
    out.t.segment<6>(row) = body.t;
    out.w_G.segment<6>(row) = body.weight(model.gravity());
    out.w_W.segment<6>(row) = body.w;
  }
  return out;
}

Vector NaturalComplement::bias(ConstVector v) const {
  return T.transpose() * (M * (T_dot * v) + W * (M * (T * v)) - w_G - w_W);
}

Vector NaturalComplement::constraint_wrenches(ConstVector v, ConstVector a) const {
  const Vector tau = generalized_inertia() * a + bias(v);
  return M * (T * a + T_dot * v) + W * (M * t) - A * tau - w_G - w_W;
}

namespace {

Vector armature_of(const Model& model) {
  Vector J(model.nv());
  for (int i = 0; i < model.nv(); ++i) J[i] = model.tree().terms[i].armature;
  return J;
}

}  // namespace

Vector inverse_dynamics_noc(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                            const ExternalLoads& loads) {
  require_velocity(model, a, "a");
  const NaturalComplement x = natural_complement(model, q, v, loads);
  return x.generalized_inertia() * a + x.bias(v) + armature_of(model).cwiseProduct(a) + joint_forces(model, q, v);
}

Vector forward_dynamics_noc(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                            const ExternalLoads& loads) {
  require_velocity(model, tau, "tau");
  const NaturalComplement x = natural_complement(model, q, v, loads);
  Matrix I = x.generalized_inertia();
  I.diagonal() += armature_of(model);
  return kernel::MassFactor(model, I).solve(tau - x.bias(v) - joint_forces(model, q, v));
}

}  // namespace catena
