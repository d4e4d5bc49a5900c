#include "catena/reference/mass_centres.hpp"

#include "catena/reference/dense.hpp"
#include "catena/reference/noc_kernel.hpp"

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
  require_velocity(model, v, "v");
  const Tree& tree = model.tree();
  const Vector rates = expanded(tree, v);
  Workspace workspace(model);
  Workspace::Storage& work = workspace.storage();
  load_positions(model, work, q);
  const Force<double>* f_ext = collect_wrenches(model, loads, work);

  const WorldBodies<double> world(tree, work.positions.X, rates.data(),
                                  {loads.base.angular_velocity, loads.base.velocity});
  std::vector<CentredBody> bodies(tree.count());
  for (int k = 0; k < tree.count(); ++k) {
    const TreeBody& from = tree.bodies[k];
    CentredBody& body = bodies[k];
    body.R = world.R[k], body.o = world.o[k], body.c = world.c[k];
    body.t << world.t[k].a, world.t[k].b;
    if (k == 0) continue;
    body.parent = from.parent;
    body.v = from.v;
    body.mass = tree.inertias[k].M.m;
    body.inertia = world.inertia[k];
    body.p.resize(6, velocity_count(from));
    for (int i = 0; i < velocity_count(from); ++i) body.p.col(i) << world.p[from.v + i].a, world.p[from.v + i].b;
    if (f_ext != nullptr) {
      const Vector6 f = twice(body.R) * eigen(f_ext[k]);
      body.w << f.head<3>() - (body.c - body.o).cross(f.tail<3>()), f.tail<3>();
    }
  }
  return bodies;
}

}  // namespace catena
