#include "catena/reference/noc.hpp"

#include <Eigen/QR>

#include "catena/dynamics/inverse.hpp"
#include "catena/reference/dense.hpp"
#include "catena/reference/noc_kernel.hpp"

namespace catena {

using namespace kernel;

namespace {

WorldBodies<double> in_world(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads) {
  Workspace workspace(model);
  load_positions(model, workspace.storage(), q);
  return {model.tree(), workspace.storage().positions.X, v.data(), {loads.base.angular_velocity, loads.base.velocity}};
}

Matrix at_origin(const CentredBody& body) {  // the joint map at the point o of the axis
  Matrix H = body.p;
  H.bottomRows<3>() += skew(body.c - body.o) * H.topRows<3>();
  return H;
}

// Twists at c carried to another point of the body.
Matrix carried(Matrix twists, const Vector3& from, const Vector3& to) {
  twists.bottomRows<3>() -= skew(to - from) * twists.topRows<3>();
  return twists;
}

// Rows of joint i, as Angeles has them. Revolute: the difference of angular velocities is along e, and the point o of the
// axis moves with both bodies. Prismatic: equal angular velocities, and the difference of velocities at c is along e.
// Any other joint: what of the relative twist at c is not in the range of p.
struct Constraint {
  Matrix6 own, parent;
};
Constraint constraint_of(const CentredBody& body, const CentredBody& parent, const TreeBody& type) {
  const Matrix3 zero = Matrix3::Zero(), one = Matrix3::Identity();
  if (is<Revolute>(type)) {
    const Vector3 e = body.p.col(0).head<3>();
    return {blocks(skew(e), zero, skew(body.c - body.o), one), blocks(-skew(e), zero, skew(body.o - parent.c), -one)};
  }
  if (is<Prismatic>(type)) {
    const Vector3 e = body.p.col(0).tail<3>();
    return {blocks(one, zero, zero, skew(e)), blocks(-one, zero, skew(e) * skew(body.c - parent.c), -skew(e))};
  }
  const Matrix p = body.p;
  const Matrix6 N = Matrix6::Identity() - p * (p.transpose() * p).ldlt().solve(p.transpose());
  return {N, -N * carried(Matrix6::Identity(), parent.c, body.c)};
}

// Unit motor forces of joint i act on body i and, reversed, on its parent: wrenches at o that work on one component
// each, couples for rotations and forces for slides.
void push(NaturalComplement& out, const CentredBody& body, const CentredBody& parent, int row) {
  const Matrix H = at_origin(body);
  const Matrix at_o = (H.transpose() * H).ldlt().solve(H.transpose()).transpose();
  const auto at = [&](const Vector3& c) {
    Matrix w = at_o;
    w.topRows<3>() += skew(body.o - c) * at_o.bottomRows<3>();
    return w;
  };
  out.A.block(row, body.v, 6, H.cols()) += at(body.c);
  if (body.parent > 0) out.A.block(6 * (body.parent - 1), body.v, 6, H.cols()) -= at(parent.c);
}

// What the motion of the ground alone adds to the acceleration of a body that moves with it.
Vector6 carried_acceleration(const BaseMotion& base, const CentredBody& body, const CentredBody& ground) {
  Vector6 out;
  out << base.angular_acceleration, base.acceleration + base.angular_acceleration.cross(body.c - ground.c) +
                                        base.angular_velocity.cross(body.c_dot() - ground.c_dot());
  return out;
}

}  // namespace

NaturalComplement natural_complement(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads) {
  require_uncoupled(model, "natural orthogonal complements");
  const std::vector<CentredBody> bodies = centred_bodies(model, q, v, loads);
  const Tree& tree = model.tree();
  const Complement<double> shape(tree, in_world(model, q, v, loads), v.data());
  const int size = 6 * (tree.count() - 1), n = tree.nv;
  NaturalComplement out;
  out.K = out.M = out.W = Matrix::Zero(size, size);
  out.T = out.T_dot = out.A = Matrix::Zero(size, n);
  out.t = out.w_G = out.w_W = out.k = out.t_dot_base = Vector::Zero(size);
  for (int i = 1; i < tree.count(); ++i) {
    const CentredBody &body = bodies[i], &parent = bodies[body.parent];
    const int row = 6 * (i - 1);
    const Constraint rows = constraint_of(body, parent, tree.bodies[i]);
    out.K.block<6, 6>(row, row) = rows.own;
    if (body.parent > 0) {
      out.K.block<6, 6>(row, 6 * (body.parent - 1)) = rows.parent;
    } else {
      out.k.segment<6>(row) = -rows.parent * parent.t;
    }
    push(out, body, parent, row);
    for (const int c : carrying(tree, i)) {
      out.T.block<6, 1>(row, c) << shape.T[i][c].a, shape.T[i][c].b;
      out.T_dot.block<6, 1>(row, c) << shape.T_dot[i][c].a, shape.T_dot[i][c].b;
    }
    out.t_dot_base.segment<6>(row) = carried_acceleration(loads.base, body, bodies[0]);
    out.M.block<6, 6>(row, row) = body.M();
    out.W.block<6, 6>(row, row) = body.W();
    out.t.segment<6>(row) = body.t;
    out.w_G.segment<6>(row) = body.weight(model.gravity());
    out.w_W.segment<6>(row) = body.w;
  }
  return out;
}

Vector NaturalComplement::bias(ConstVector v) const {
  return T.transpose() * (M * (T_dot * v + t_dot_base) + W * (M * t) - w_G - w_W);
}

Vector NaturalComplement::constraint_wrenches(ConstVector v, ConstVector a) const {
  const Vector tau = generalized_inertia() * a + bias(v);
  return M * (T * a + T_dot * v + t_dot_base) + W * (M * t) - A * tau - w_G - w_W;
}

Vector NaturalComplement::multipliers(ConstVector v, ConstVector a) const {
  Eigen::CompleteOrthogonalDecomposition<Matrix> range(K.transpose());
  range.setThreshold(1e-10);
  return range.solve(constraint_wrenches(v, a));
}

namespace {

Vector armature_of(const Model& model) {
  Vector J(model.nv());
  for (int i = 0; i < model.nv(); ++i) J[i] = model.tree().terms[i].armature;
  return J;
}

// What the dynamics need of the complement, and the forces of (7.57) with the joints' own.
struct Shaped {
  const Model& model;
  const ExternalLoads& loads;
  std::vector<CentredBody> bodies;
  WorldBodies<double> world;
  Complement<double> shape;

  Shaped(const Model& model_in, ConstVector q, ConstVector v, const ExternalLoads& loads_in)
      : model(model_in),
        loads(loads_in),
        bodies((require_uncoupled(model, "natural orthogonal complements"), centred_bodies(model, q, v, loads))),
        world(in_world(model, q, v, loads)),
        shape(model.tree(), world, v.data()) {}

  Vector forces(ConstVector q, ConstVector v, const double* a) const {
    Vector tau(model.nv());
    const auto base = [&](int i) -> Six<double> {
      const Vector6 rate = carried_acceleration(loads.base, bodies[i], bodies[0]);
      return {rate.head<3>(), rate.tail<3>() - model.gravity()};
    };
    const auto subtract_external = [&](int i, Six<double>& wrench) {
      wrench.a -= bodies[i].w.head<3>(), wrench.b -= bodies[i].w.tail<3>();
    };
    noc_forces(model.tree(), world, shape, v.data(), a, base, subtract_external, tau.data());
    return tau + joint_forces(model, q, v);
  }
};

}  // namespace

Vector inverse_dynamics_noc(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                            const ExternalLoads& loads) {
  require_velocity(model, a, "a");
  return Shaped(model, q, v, loads).forces(q, v, a.data()) + armature_of(model).cwiseProduct(a);
}

Vector forward_dynamics_noc(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                            const ExternalLoads& loads) {
  require_velocity(model, tau, "tau");
  const Shaped x(model, q, v, loads);
  Matrix I = Matrix::Zero(model.nv(), model.nv());
  noc_inertia(model.tree(), x.world, x.shape, model.nv(), I.data());
  I.diagonal() += armature_of(model);
  return kernel::MassFactor(model, I).solve(tau - x.forces(q, v, nullptr));
}

}  // namespace catena
