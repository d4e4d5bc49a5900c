// Set-up shared by all dynamics calls: argument checks, coordinates into full coordinates, wrenches into body axes.
#include "catena/dynamics/workspace.hpp"

#include <algorithm>

#include "catena/dynamics/joint_terms.hpp"
#include "catena/dynamics/storage.hpp"
#include "catena/kinematics/storage.hpp"

namespace catena {

using namespace kernel;

Workspace::Storage::Storage(const Model& robot)
    : model(robot),
      q(model.tree().nq_full, 0.0),
      v(model.tree().nv_full, 0.0),
      a(v),
      tau(v),
      positions(model.tree()),
      links(model.reduced()),
      newton_euler(model.tree()),
      articulated(model.tree()),
      composite(model.tree().count()),
      composite_bar(model.tree().count()),
      wide(model.tree()),
      rows(model.tree()),
      inverse(model.tree()),
      f_ext(model.tree().count(), Force<double>::zero()) {
  const Tree& tree = model.tree();
  if (tree.couplings.empty()) return;
  factor = MassFactor(tree);
  full_matrix.resize(static_cast<std::size_t>(tree.nv_full) * tree.nv_full);
  reduced_matrix.resize(tree.nv, tree.nv);
}

Workspace::Workspace(const Model& model) : storage_(std::make_unique<Storage>(model)) {}
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
Workspace::~Workspace() = default;

namespace kernel {

Workspace::Storage& prepare(const Model& model, Workspace& workspace) {
  Workspace::Storage& work = workspace.storage();
  if (&work.model.tree() == &model.tree()) [[likely]]
    return work;
  const Tree &own = work.model.tree(), &tree = model.tree();
  if (own.count() != tree.count() || own.nv_full != tree.nv_full || own.nq_full != tree.nq_full ||
      own.ancestors != tree.ancestors || own.angles != tree.angles) {
    throw std::invalid_argument("the workspace was made for another model than " + model.name());
  }
  work.links = LinkPoses<double>(model.reduced());
  work.model = model;
  return work;
}

namespace {

// Copies numbers. False if they are not as many as wanted, not finite or large: then to be looked at one by one.
bool take(const ConstVector& from, int count, double* to) {
  if (from.size() != count) return false;
  const double* const x = from.data();
  double even = 0, odd = 0;
  int k = 0;
  for (; k + 1 < count; k += 2) {
    to[k] = x[k], to[k + 1] = x[k + 1];
    even += x[k] * x[k], odd += x[k + 1] * x[k + 1];
  }
  if (k < count) to[k] = x[k], even += x[k] * x[k];
  return even + odd <= largest_input * largest_input;
}

void load_numbers(const Model& model, const ConstVector& from, const char* what, std::vector<double>& to) {
  if (!take(from, model.tree().nv, to.data())) require_velocity(model, from, what);  // says what is wrong
}

}  // namespace

void load_coordinates(const Model& model, Workspace::Storage& work, const ConstVector& q) {
  const Tree& tree = model.tree();
  if (!take(q, tree.nq, work.q.data()) || tree.nq != tree.nv) require_configuration(model, q);
  expand_positions(tree, work.q.data());
}

void load_positions(const Model& model, Workspace::Storage& work, const ConstVector& q) {
  load_coordinates(model, work, q);
  update_positions(model.tree(), work.q.data(), work.positions);
}

void load_state(const Model& model, Workspace::Storage& work, const ConstVector& q, const ExternalLoads& loads) {
  load_coordinates(model, work, q);
  if (!loads.wrenches.empty()) update_positions(model.tree(), work.q.data(), work.positions);
}

void load_velocities(const Model& model, Workspace::Storage& work, const ConstVector& v) {
  load_numbers(model, v, "v", work.v);
  expand_velocities(model.tree(), work.v.data());
}

void load_accelerations(const Model& model, Workspace::Storage& work, const ConstVector& a) {
  load_numbers(model, a, "a", work.a);
  expand_velocities(model.tree(), work.a.data());
}

void load_driving_forces(const Model& model, Workspace::Storage& work, const ConstVector& tau) {
  load_numbers(model, tau, "tau", work.tau);
  const Tree& tree = model.tree();
  if (!tree.has_terms) return;
  std::fill(work.a.begin(), work.a.end(), 0.0);
  add_joint_forces(tree, work.q.data(), work.v.data(), work.a.data());
  for (int i = 0; i < tree.nv; ++i) work.tau[i] -= work.a[i];
}

void require_square(const Model& model, const MatrixRef& M, const char* what) {
  if (M.rows() == model.nv() && M.cols() == model.nv()) return;
  throw std::invalid_argument(std::string(what) + " must be nv x nv = " + std::to_string(model.nv()) + " x " +
                              std::to_string(model.nv()));
}

Motion<double> base_velocity(const ExternalLoads& loads) {
  return ground_velocity(loads.base.angular_velocity, loads.base.velocity);
}

Motion<double> base_acceleration(const Model& model, const ExternalLoads& loads) {
  const BaseMotion& base = loads.base;
  return ground_acceleration(base.angular_velocity, base.velocity, base.angular_acceleration,
                             base.acceleration - model.gravity());
}

BodyAcceleration<double> ground_body_acceleration(const Model& model, const ExternalLoads& loads) {
  const BaseMotion& base = loads.base;
  const auto rests = [](const Vector3& x) { return x.x() == 0 && x.y() == 0 && x.z() == 0; };
  if (rests(base.angular_velocity) && rests(base.angular_acceleration) && rests(base.acceleration) &&
      rests(base.velocity)) [[likely]]
    return resting_ground<double>(model.reduced().tree);
  return moving_ground(model.reduced(), base_velocity(loads), base_acceleration(model, loads));
}

Motion<double> in_reduced_frame(const Model& model, const Motion<double>& of_ground) {
  return apply(model.reduced().frames[0], of_ground);
}

Force<double> wrench_on_body(const Model& model, const Wrench& wrench, const Workspace::Storage& work) {
  const Tree& tree = model.tree();
  const TreeFrame& frame = tree.frames[wrench.frame];
  Force<double> f = {vec3(wrench.moment), vec3(wrench.force)};
  if (wrench.axes != Axes::body) {
    Mat3<double> R = frame.pose.R;  // frame's axes in the world
    for (int k = frame.body; k > 0; k = tree.bodies[k].parent) R = work.positions.X[k].R * R;
    f = {spatial::transposed_times(R, f.n), spatial::transposed_times(R, f.f)};
  }
  f.n += cross(vec3(wrench.point), f.f);
  return spatial::apply_transposed(frame.pose, f);
}

Force<double>* collect_wrenches(const Model& model, const ExternalLoads& loads, Workspace::Storage& work) {
  if (loads.wrenches.empty()) return nullptr;
  const Tree& tree = model.tree();
  std::fill(work.f_ext.begin(), work.f_ext.end(), Force<double>::zero());
  for (const Wrench& wrench : loads.wrenches) {
    if (wrench.frame < 0 || wrench.frame >= static_cast<int>(tree.frames.size())) {
      throw std::invalid_argument("a wrench acts on frame " + std::to_string(wrench.frame) + ", which " + model.name() +
                                  " does not have");
    }
    const double size = wrench.force.squaredNorm() + wrench.moment.squaredNorm() + wrench.point.squaredNorm();
    if (!(size <= largest_input * largest_input)) {
      const std::string& on = tree.frames[wrench.frame].name;
      require_bounded(wrench.force, "the wrench on " + on);
      require_bounded(wrench.moment, "the wrench on " + on);
      require_bounded(wrench.point, "the point of the wrench on " + on);
    }
    if (wrench.axes == Axes::world) {
      throw std::invalid_argument(
          "the wrench on " + tree.frames[wrench.frame].name +
          " has Axes::world, which means the world's origin, but it acts at a point of its frame: "
          "for world axes there use Axes::aligned");
    }
    work.f_ext[tree.frames[wrench.frame].body] += wrench_on_body(model, wrench, work);
  }
  return work.f_ext.data();
}

const Force<double>* in_reduced_frames(const Model& model, Force<double>* f_ext) {
  if (f_ext == nullptr) return nullptr;
  const ReducedTree& reduced = model.reduced();
  for (std::size_t k = 0; k < reduced.frames.size(); ++k) {
    f_ext[k] = spatial::apply_inverse_transposed(reduced.frames[k], f_ext[k]);
  }
  return f_ext;
}

void reduce_matrix(const Tree& tree, double* full, int stride, MatrixRef out) {
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> F(full, tree.nv_full, tree.nv_full, Eigen::OuterStride<>(stride));
  for (const Coupling& c : tree.couplings) F.col(c.master_v) += c.ratio * F.col(c.v);
  for (const Coupling& c : tree.couplings) F.row(c.master_v) += c.ratio * F.row(c.v);
  out = F.topLeftCorner(tree.nv, tree.nv);
}

void throw_singular_component(const Model& model, int component) {
  const std::vector<TreeBody>& bodies = model.tree().bodies;
  int body = model.tree().count() - 1;
  while (body > 1 && (component < bodies[body].v || component >= bodies[body].v + velocity_count(bodies[body]))) --body;
  throw_singular(model, body);
}

void factor_mass_matrix(const Model& model, Workspace::Storage& work) {
  update_links(model.reduced(), work.q.data(), work.links);
  mass_rows_sweep(model.reduced().tree, work.links.X, work.composite, work.rows);
  factor_rows(model, work);
}

void factor_rows(const Model& model, Workspace::Storage& work) {
  const int bad = factor_rows(model.tree(), work.rows);
  if (bad >= 0) throw_singular_component(model, bad);
}

void throw_not_finite(const Model& model) {
  throw NumericalError("overflow: a result for " + model.name() +
                           " is too large to compute with; the state or the robot's numbers are too large, or its "
                           "inertias too small",
                       "");
}

void throw_singular(const Model& model, int body) {
  const std::string& joint = model.tree().joint_names[body];
  throw NumericalError("the mass matrix of " + model.name() + " is singular at joint " + joint +
                           ": nothing beyond it resists its motion in this pose; give the bodies inertia or the joint "
                           "a rotor inertia",
                       joint);
}

}  // namespace kernel
}  // namespace catena
