#include "catena/reference/mass_centres.hpp"

#include "catena/reference/dense.hpp"

namespace catena {

using namespace kernel;

Matrix6 CentredBody::M() const { return blocks(inertia, Matrix3::Zero(), Matrix3::Zero(), mass * Matrix3::Identity()); }
Matrix6 CentredBody::W() const { return blocks(skew(omega()), Matrix3::Zero(), Matrix3::Zero(), Matrix3::Zero()); }
Vector6 CentredBody::weight(const Vector3& gravity) const {
  Vector6 x;
  x << Vector3::Zero(), mass * gravity;
  return x;
}

std::vector<CentredBody> centred_bodies(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads) {
  require_uncoupled(model, "orthogonal complements");
  require_velocity(model, v, "v");
  const Tree& tree = model.tree();
  Workspace workspace(model);
  Workspace::Storage& work = workspace.storage();
  load_positions(model, work, q);
  const Force<double>* f_ext = collect_wrenches(model, loads, work);

  std::vector<CentredBody> bodies(tree.count());
  std::vector<Matrix3> R(tree.count(), Matrix3::Identity());  // of each body in the world
  bodies[0].t << loads.base.angular_velocity, loads.base.velocity;
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& from = tree.bodies[k];
    const CentredBody& parent = bodies[from.parent];
    CentredBody& body = bodies[k];
    body.parent = from.parent;
    body.v = from.v;
    R[k] = R[from.parent] * eigen(work.positions.X[k].R);
    body.o = parent.o + R[from.parent] * eigen(work.positions.X[k].p);
    const spatial::Inertia<double>& M = tree.inertias[k].M;
    body.mass = M.m;
    const Vector3 c = body.mass > 0 ? Vector3(eigen(M.h) / body.mass) : Vector3(Vector3::Zero());
    body.c = body.o + R[k] * c;
    const Matrix3 J = eigen(spatial::full(M.J)) + body.mass * skew(c) * skew(c);
    body.inertia = R[k] * J * R[k].transpose();
    const Vector3 d = body.c - body.o;
    // the columns of H rotated to the world and carried from o to c
    const Matrix H = twice(R[k]) * joint_map(from);
    body.p = H;
    body.p.bottomRows<3>() -= skew(d) * H.topRows<3>();
    body.t = parent.t + body.p * v.segment(from.v, H.cols());
    body.t.tail<3>() += parent.omega().cross(body.c - parent.c);
    if (f_ext != nullptr) {
      const Vector6 f = twice(R[k]) * eigen(f_ext[k]);
      body.w << f.head<3>() - d.cross(f.tail<3>()), f.tail<3>();
    }
  }
  return bodies;
}

}  // namespace catena
