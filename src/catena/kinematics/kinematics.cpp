// Poses, velocities, accelerations, and the sums over all bodies.
// Source: formula sheet 0.2 and 1.5; 6-vectors of body k in frame k, converted to the asked axes at the end.
#include "catena/kinematics/kinematics.hpp"

#include <Eigen/Geometry>

#include "catena/kinematics/spring.hpp"
#include "catena/kinematics/storage.hpp"

namespace catena {

using namespace kernel;

namespace kernel {

Motion<double> ground_velocity(const Vector3& angular, const Vector3& linear) { return {vec3(angular), vec3(linear)}; }

Motion<double> ground_acceleration(const Vector3& angular_velocity, const Vector3& velocity, const Vector3& angular,
                                   const Vector3& linear) {
  const double size =
      angular_velocity.squaredNorm() + velocity.squaredNorm() + angular.squaredNorm() + linear.squaredNorm();
  if (!(size <= largest_input * largest_input)) {
    require_bounded(angular_velocity, "the angular velocity of the base");
    require_bounded(velocity, "the velocity of the base");
    require_bounded(angular, "the angular acceleration of the base");
    require_bounded(linear, "the acceleration of the base");
  }
  return {vec3(angular), vec3(linear - angular_velocity.cross(velocity))};
}

}  // namespace kernel

Kinematics::Storage::Storage(const Model& model_in)
    : model(model_in),
      q(tree().nq_full, 0.0),
      v(tree().nv_full, 0.0),
      a(tree().nv_full, 0.0),
      positions(tree()),
      world(tree().count(), Transform<double>::identity()),
      V(tree().count(), Motion<double>::zero()),
      s(V),
      alpha(V) {}

int FrameRef::in(const Model& model) const {
  if (name_ != nullptr) return model.frame(name_);
  if (index_ < 0 || index_ >= model.frame_count()) {
    throw std::invalid_argument("frame " + std::to_string(index_) + " does not exist: " + model.name() + " has " +
                                std::to_string(model.frame_count()) + " (ask model.frame(name))");
  }
  return index_;
}

Kinematics::Kinematics(const Model& model) : storage_(std::make_unique<Storage>(model)) {
  update(neutral_configuration(model));
}
Kinematics::Kinematics(const Model& model, ConstVector q) : storage_(std::make_unique<Storage>(model)) { update(q); }
Kinematics::Kinematics(const Model& model, ConstVector q, ConstVector v) : storage_(std::make_unique<Storage>(model)) {
  update(q, v);
}
Kinematics::Kinematics(const Model& model, ConstVector q, ConstVector v, ConstVector a)
    : storage_(std::make_unique<Storage>(model)) {
  update(q, v, a);
}
Kinematics::Kinematics(Kinematics&&) noexcept = default;
Kinematics& Kinematics::operator=(Kinematics&&) noexcept = default;
Kinematics::~Kinematics() = default;

namespace {

// outward: poses in the world
void sweep_positions(Kinematics::Storage& x, ConstVector q) {
  require_configuration(x.model, q);
  const Tree& tree = x.tree();
  Eigen::Map<Vector>(x.q.data(), tree.nq) = q;
  expand_positions(tree, x.q.data());
  update_positions(tree, x.q.data(), x.positions);
  for (int k = 1; k < tree.count(); ++k) x.world[k] = x.world[tree.bodies[k].parent] * x.positions.X[k];
}

// outward: V = X V_parent + H v
void sweep_velocities(Kinematics::Storage& x, ConstVector v, const BaseMotion& base) {
  require_velocity(x.model, v, "v");
  const Tree& tree = x.tree();
  Eigen::Map<Vector>(x.v.data(), tree.nv) = v;
  expand_velocities(tree, x.v.data());
  x.V[0] = ground_velocity(base.angular_velocity, base.velocity);
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    velocity_step(body, x.positions.X[k], x.V[body.parent], x.v.data() + body.v, x.V[k], x.s[k]);
  }
}

// outward: alpha = X alpha_parent + H a + s
void sweep_accelerations(Kinematics::Storage& x, const BaseMotion& base) {
  const Tree& tree = x.tree();
  x.alpha[0] = ground_acceleration(base.angular_velocity, base.velocity, base.angular_acceleration, base.acceleration);
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    x.alpha[k] = apply(x.positions.X[k], x.alpha[body.parent]) + x.s[k];
    visit(body, [&](auto joint) { joint.add(body, x.alpha[k], x.a.data() + body.v); });
  }
}

Vector6 in_axes(const Motion<double>& V_body, const Transform<double>& frame_in_world, Axes axes) {
  switch (axes) {
    case Axes::body: return eigen(V_body);
    case Axes::world: return eigen(apply_inverse(frame_in_world, V_body));
    case Axes::aligned: break;
  }
  return eigen(Motion<double>{frame_in_world.R * V_body.w, frame_in_world.R * V_body.v});
}

}  // namespace

void Kinematics::update(ConstVector q) {
  sweep_positions(*storage_, q);
  std::fill(storage_->v.begin(), storage_->v.end(), 0.0);
  std::fill(storage_->V.begin(), storage_->V.end(), Motion<double>::zero());
  std::fill(storage_->s.begin(), storage_->s.end(), Motion<double>::zero());
  std::fill(storage_->alpha.begin(), storage_->alpha.end(), Motion<double>::zero());
}

void Kinematics::update(ConstVector q, ConstVector v, const BaseMotion& base) {
  sweep_positions(*storage_, q);
  sweep_velocities(*storage_, v, base);
  std::fill(storage_->a.begin(), storage_->a.end(), 0.0);
  sweep_accelerations(*storage_, base);
}

void Kinematics::update(ConstVector q, ConstVector v, ConstVector a, const BaseMotion& base) {
  require_velocity(storage_->model, a, "a");
  sweep_positions(*storage_, q);
  sweep_velocities(*storage_, v, base);
  Eigen::Map<Vector>(storage_->a.data(), storage_->tree().nv) = a;
  expand_velocities(storage_->tree(), storage_->a.data());
  sweep_accelerations(*storage_, base);
}

Pose Kinematics::pose(FrameRef frame) const {
  const TreeFrame& f = storage_->frame(frame);
  const auto T = storage_->world[f.body] * f.pose;
  return {eigen(T.R), eigen(T.p)};
}

Vector6 Kinematics::velocity(FrameRef frame, Axes axes) const {
  const TreeFrame& f = storage_->frame(frame);
  return in_axes(apply(f.pose, storage_->V[f.body]), storage_->world[f.body] * f.pose, axes);
}

Vector6 Kinematics::acceleration(FrameRef frame, Axes axes) const {
  const TreeFrame& f = storage_->frame(frame);
  return in_axes(apply(f.pose, storage_->alpha[f.body]), storage_->world[f.body] * f.pose, axes);
}

Vector6 Kinematics::ordinary_acceleration(FrameRef frame, Axes axes) const {
  Vector6 acceleration_of_point = acceleration(frame, axes);
  const Vector6 V = velocity(frame, axes);
  const Vector3 w = V.head<3>(), u = V.tail<3>();
  acceleration_of_point.tail<3>() += w.cross(u);
  return acceleration_of_point;
}

Vector3 Kinematics::center_of_mass() const {
  const Tree& tree = storage_->tree();
  Vec3<double> moment = Vec3<double>::zero();
  double mass = 0;
  for (int k = 0; k < tree.count(); ++k) {
    const Inertia<double>& M = tree.inertias[k].M;
    moment += storage_->world[k].R * M.h + storage_->world[k].p * M.m;
    mass += M.m;
  }
  return mass > 0 ? Vector3(eigen(moment) / mass) : Vector3::Zero();
}

Vector3 Kinematics::center_of_mass_velocity() const {
  const double mass = storage_->tree().total_mass;
  return mass > 0 ? Vector3(momentum().tail<3>() / mass) : Vector3::Zero();
}

Vector6 Kinematics::momentum() const {
  const Tree& tree = storage_->tree();
  Force<double> total = Force<double>::zero();  // about the world's origin
  for (int k = 0; k < tree.count(); ++k) {
    total += apply_transposed(storage_->world[k], tree.inertias[k].M * storage_->V[k]);
  }
  total.n -= cross(vec3(center_of_mass()), total.f);
  return eigen(total);
}

double Kinematics::kinetic_energy() const {
  const Tree& tree = storage_->tree();
  double twice = 0;
  for (int k = 0; k < tree.count(); ++k) twice += dot(storage_->V[k], tree.inertias[k].M * storage_->V[k]);
  for (int i = 0; i < tree.nv_full; ++i) twice += tree.terms[i].armature * storage_->v[i] * storage_->v[i];
  return 0.5 * twice;
}

double Kinematics::potential_energy() const {
  const Tree& tree = storage_->tree();
  double energy = -tree.total_mass * storage_->model.gravity().dot(center_of_mass());
  for (const Spring& spring : tree.springs) energy += spring_energy(tree, spring, storage_->q.data());
  return energy;
}

}  // namespace catena
