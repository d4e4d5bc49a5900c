// Jacobians: column by column from the frame towards the ground; mimic joints add to their master's column.
// Column of joint k seen from frame f: fXk H_k. Its derivative: crm(V_k - V_axes) of it, where V_axes is the motion of
// the axes it is expressed in.
#include "catena/kinematics/storage.hpp"

namespace catena {

using namespace kernel;

namespace {

struct Column {
  int v = 0;  // of the model
  double ratio = 1;
};

Column column_of(const Tree& tree, int v_full) {
  if (v_full < tree.nv) return {v_full, 1};
  for (const Coupling& c : tree.couplings) {
    if (c.v == v_full) return {c.master_v, c.ratio};
  }
  return {};
}

// Calls emit(body, component, fXk H e) for all joints between the frame and the ground; fXk: body k -> frame f.
template <class Emit>
void for_each_column(const Kinematics::Storage& x, const TreeFrame& f, const Emit& emit) {
  const Tree& tree = x.tree();
  Transform<double> frame_in_body = f.pose;
  for (int k = f.body; k > 0; k = tree.bodies[k].parent) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) {
      for (int i = 0; i < joint.d; ++i) {
        emit(k, body.v + i, apply(frame_in_body, joint.template unit<double>(body, i)), frame_in_body);
      }
    });
    frame_in_body = x.positions.X[k] * frame_in_body;
  }
}

// The axes of the result as a pose of the frame f in them, and their own velocity in those axes.
struct ResultAxes {
  Transform<double> frame_in_axes;
  Motion<double> V;
};

ResultAxes result_axes(const Kinematics::Storage& x, const TreeFrame& f, Axes axes) {
  const Transform<double> world = x.world[f.body] * f.pose;
  const Motion<double> V = apply(f.pose, x.V[f.body]);
  switch (axes) {
    case Axes::body: return {Transform<double>::identity(), V};
    case Axes::world: return {world, Motion<double>::zero()};
    case Axes::aligned: break;
  }
  return {{world.R, Vec3<double>::zero()}, {Vec3<double>::zero(), world.R * V.v}};
}

void require_shape(const Kinematics::Storage& x, const MatrixRef& J, Eigen::Index rows) {
  if (J.rows() != rows || J.cols() != x.tree().nv) {
    throw std::invalid_argument("the Jacobian must be " + std::to_string(rows) +
                                " x nv = " + std::to_string(x.tree().nv));
  }
}

}  // namespace

void Kinematics::jacobian(FrameRef frame, Axes axes, MatrixRef J) const {
  const TreeFrame& f = storage_->frame(frame);
  require_shape(*storage_, J, 6);
  const ResultAxes to = result_axes(*storage_, f, axes);
  J.setZero();
  for_each_column(*storage_, f, [&](int, int v, const Motion<double>& h, const Transform<double>&) {
    const Column c = column_of(storage_->tree(), v);
    J.col(c.v) += c.ratio * eigen(apply_inverse(to.frame_in_axes, h));
  });
}

void Kinematics::jacobian_dot(FrameRef frame, Axes axes, MatrixRef J_dot) const {
  const TreeFrame& f = storage_->frame(frame);
  require_shape(*storage_, J_dot, 6);
  const ResultAxes to = result_axes(*storage_, f, axes);
  J_dot.setZero();
  for_each_column(*storage_, f, [&](int k, int v, const Motion<double>& h, const Transform<double>& frame_in_body) {
    const Column c = column_of(storage_->tree(), v);
    const Motion<double> V_k = apply_inverse(to.frame_in_axes, apply(frame_in_body, storage_->V[k]));
    J_dot.col(c.v) += c.ratio * eigen(cross(V_k - to.V, apply_inverse(to.frame_in_axes, h)));
  });
}

Matrix Kinematics::jacobian(FrameRef frame, Axes axes) const {
  Matrix J(6, storage_->tree().nv);
  jacobian(frame, axes, J);
  return J;
}

Matrix Kinematics::jacobian_dot(FrameRef frame, Axes axes) const {
  Matrix J_dot(6, storage_->tree().nv);
  jacobian_dot(frame, axes, J_dot);
  return J_dot;
}

// A unit rate of joint k moves the composite body beyond it: m c_dot = linear momentum.
Matrix Kinematics::center_of_mass_jacobian() const {
  const Tree& tree = storage_->tree();
  Matrix J = Matrix::Zero(3, tree.nv);
  if (!(tree.total_mass > 0)) return J;
  std::vector<Inertia<double>> composite(tree.count());
  for (int k = 0; k < tree.count(); ++k) composite[k] = tree.inertias[k].M;
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) {
      for (int i = 0; i < joint.d; ++i) {
        const Column c = column_of(tree, body.v + i);
        const Force<double> momentum = joint.times_column(body, composite[k], i);
        J.col(c.v) += eigen(storage_->world[k].R * momentum.f) * (c.ratio / tree.total_mass);
      }
    });
    composite[body.parent] += apply_transposed(storage_->positions.X[k], composite[k]);
  }
  return J;
}

}  // namespace catena
