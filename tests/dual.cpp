#include "dual.hpp"

#include <Eigen/Geometry>

#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/inverse_kernel.hpp"
#include "catena/dynamics/joint_terms.hpp"

namespace catena::test {
namespace {

struct Dual {
  double x = 0, d = 0;

  Dual() = default;
  Dual(double value) : x(value) {}  // NOLINT(google-explicit-constructor): constants enter formulas unnoticed
  Dual(double value, double derivative) : x(value), d(derivative) {}
  Dual& operator+=(const Dual& b) { return *this = {x + b.x, d + b.d}; }
  Dual& operator-=(const Dual& b) { return *this = {x - b.x, d - b.d}; }
  friend Dual operator+(const Dual& a, const Dual& b) { return {a.x + b.x, a.d + b.d}; }
  friend Dual operator-(const Dual& a, const Dual& b) { return {a.x - b.x, a.d - b.d}; }
  friend Dual operator-(const Dual& a) { return {-a.x, -a.d}; }
  friend Dual operator*(const Dual& a, const Dual& b) { return {a.x * b.x, a.x * b.d + a.d * b.x}; }
  friend Dual operator/(const Dual& a, const Dual& b) { return {a.x / b.x, (a.d - a.x / b.x * b.d) / b.x}; }
  friend bool operator<(const Dual& a, const Dual& b) { return a.x < b.x; }
  friend Dual sqrt(const Dual& a) { return {std::sqrt(a.x), 0.5 * a.d / std::sqrt(a.x)}; }
  friend Dual tanh(const Dual& a) { return {std::tanh(a.x), a.d * (1 - std::tanh(a.x) * std::tanh(a.x))}; }
  friend Dual atan2(const Dual& y, const Dual& x) {
    return {std::atan2(y.x, x.x), (x.x * y.d - y.x * x.d) / (x.x * x.x + y.x * y.x)};
  }
};

[[maybe_unused]] void sincos(const Dual& a, Dual& sine, Dual& cosine) {
  sine = {std::sin(a.x), std::cos(a.x) * a.d};
  cosine = {std::cos(a.x), -std::sin(a.x) * a.d};
}

// q moving with v, in full coordinates: quaternions by q_dot = q (w, 0) / 2, positions of free and planar joints turned.
std::vector<Dual> moving_configuration(const Model& model, const Vector& q, const Vector& v) {
  const Tree& tree = model.tree();
  std::vector<Dual> moving(tree.nq_full);
  for (const Coordinate& c : model.coordinates()) {
    Vector rate = Vector::Zero(c.nq);
    const auto quaternion_rate = [&](int first, const Vector3& w) {
      const Vector3 u = q.segment<3>(c.q + first);
      const double s = q[c.q + first + 3];
      rate.segment<3>(first) = 0.5 * (s * w + u.cross(w));
      rate[first + 3] = -0.5 * u.dot(w);
    };
    if (c.type == JointType::spherical) {
      quaternion_rate(0, v.segment<3>(c.v));
    } else if (c.type == JointType::free) {
      quaternion_rate(3, v.segment<3>(c.v));
      const Eigen::Quaterniond rotation(Eigen::Vector4d(q.segment<4>(c.q + 3)));
      rate.head<3>() = rotation.normalized() * Vector3(v.segment<3>(c.v + 3));
    } else if (c.type == JointType::planar) {
      const double s = std::sin(q[c.q]), k = std::cos(q[c.q]);
      rate << v[c.v], k * v[c.v + 1] - s * v[c.v + 2], s * v[c.v + 1] + k * v[c.v + 2];
    } else {
      rate = v.segment(c.v, c.nv);
    }
    for (int i = 0; i < c.nq; ++i) moving[c.q + i] = {q[c.q + i], rate[i]};
  }
  kernel::expand_positions(tree, moving.data());
  return moving;
}

}  // namespace

Matrix mass_matrix_derivative(const Model& model, const Vector& q, const Vector& v) {
  const Tree& tree = model.tree();
  const std::vector<Dual> moving = moving_configuration(model, q, v);
  kernel::Positions<Dual> positions(tree);
  kernel::update_positions(tree, moving.data(), positions);
  std::vector<kernel::Inertia<Dual>> composite(tree.count());
  std::vector<Dual> M(tree.nv_full * tree.nv_full);
  kernel::mass_matrix_sweep(tree, positions.X, composite, M.data(), tree.nv_full);
  Matrix M_dot(tree.nv_full, tree.nv_full);
  for (Eigen::Index i = 0; i < M_dot.size(); ++i) M_dot.data()[i] = M[i].d;
  for (const Coupling& c : tree.couplings) M_dot.col(c.master_v) += c.ratio * M_dot.col(c.v);
  for (const Coupling& c : tree.couplings) M_dot.row(c.master_v) += c.ratio * M_dot.row(c.v);
  return M_dot.topLeftCorner(tree.nv, tree.nv);
}

namespace {

// Inverse dynamics with joint terms through the kernels; q, v, a: full coordinates, couplings not yet expanded.
template <class S>
std::vector<S> kernel_inverse_dynamics(const Tree& tree, std::vector<S> q, std::vector<S> v, std::vector<S> a) {
  kernel::expand_positions(tree, q.data());
  kernel::expand_velocities(tree, v.data());
  kernel::expand_velocities(tree, a.data());
  kernel::Positions<S> positions(tree);
  kernel::update_positions(tree, q.data(), positions);
  kernel::NewtonEuler<S> work(tree);
  std::vector<S> tau(tree.nv_full);
  const auto& g = tree.gravity;
  const kernel::Motion<S> lift = {{S(0), S(0), S(0)}, {S(-g.x()), S(-g.y()), S(-g.z())}};
  kernel::inverse_sweeps<S>(tree, positions.X, v.data(), a.data(), kernel::Motion<S>::zero(), lift, nullptr, work,
                            tau.data());
  for (int i = 0; i < tree.nv_full; ++i) tau[i] += tree.terms[i].armature * a[i];
  kernel::add_joint_forces(tree, q.data(), v.data(), tau.data());
  kernel::reduce_forces(tree, tau.data());
  return tau;
}

}  // namespace

Vector extended_inverse_dynamics(const Model& model, const Vector& q, const Vector& v, const Vector& a) {
  const Tree& tree = model.tree();
  const auto full = [](const Vector& x, int size) {
    std::vector<long double> y(size);
    std::copy(x.begin(), x.end(), y.begin());
    return y;
  };
  const auto tau = kernel_inverse_dynamics<long double>(tree, full(q, tree.nq_full), full(v, tree.nv_full),
                                                        full(a, tree.nv_full));
  Vector rounded(tree.nv);
  for (int i = 0; i < tree.nv; ++i) rounded[i] = static_cast<double>(tau[i]);
  return rounded;
}

Vector inverse_dynamics_derivative(const Model& model, const Vector& q, const Vector& v, const Vector& a,
                                   const Vector& dq, const Vector& dv, const Vector& da) {
  const Tree& tree = model.tree();
  std::vector<Dual> v_dual(tree.nv_full), a_dual(tree.nv_full);
  for (int i = 0; i < tree.nv; ++i) v_dual[i] = {v[i], dv[i]}, a_dual[i] = {a[i], da[i]};
  const auto tau = kernel_inverse_dynamics<Dual>(tree, moving_configuration(model, q, dq), v_dual, a_dual);
  Vector derivative(tree.nv);
  for (int i = 0; i < tree.nv; ++i) derivative[i] = tau[i].d;
  return derivative;
}

namespace {

// Chains of mimics resolved: joint -> (master that carries a coordinate, ratio, offset).
struct Link {
  std::string master;
  double ratio = 1, offset = 0;
};

Link resolve(const Description& robot, const Joint& joint) {
  if (!joint.mimic) return {joint.name, 1, 0};
  for (const Joint& other : robot.joints) {
    if (other.name != joint.mimic->joint) continue;
    const Link up = resolve(robot, other);
    return {up.master, joint.mimic->ratio * up.ratio, joint.mimic->ratio * up.offset + joint.mimic->offset};
  }
  throw std::logic_error("dangling mimic");
}

}  // namespace

Matrix coupling_matrix(const Model& coupled, const Model& uncoupled) {
  Matrix E = Matrix::Zero(uncoupled.nv(), coupled.nv());
  for (const Coordinate& c : uncoupled.coordinates()) {
    const Link link = resolve(coupled.description(), coupled.description().joints[c.index]);
    const Coordinate& master = coupled.coordinate(link.master);
    for (int i = 0; i < c.nv; ++i) E(c.v + i, master.v + i) = link.ratio;
  }
  return E;
}

Vector uncoupled_configuration(const Model& coupled, const Model& uncoupled, const Vector& q) {
  Vector full(uncoupled.nq());
  for (const Coordinate& c : uncoupled.coordinates()) {
    const Link link = resolve(coupled.description(), coupled.description().joints[c.index]);
    const Coordinate& master = coupled.coordinate(link.master);
    for (int i = 0; i < c.nq; ++i) full[c.q + i] = link.ratio * q[master.q + i] + link.offset;
  }
  return full;
}

Vector body_bias_forces(const Model& model, const Vector& q, const Vector& v) {
  const Tree& tree = model.tree();
  kernel::Positions<double> positions(tree);
  kernel::update_positions(tree, q.data(), positions);
  std::vector<kernel::Motion<double>> V(tree.count(), kernel::Motion<double>::zero());
  std::vector<kernel::Force<double>> f(tree.count(), kernel::Force<double>::zero());
  kernel::Motion<double> s;
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    kernel::velocity_step(body, positions.X[k], V[body.parent], v.data() + body.v, V[k], s);
    f[k] = cross(V[k], body.M * V[k]);
  }
  Vector tau(tree.nv);
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    kernel::visit(body, [&](auto joint) {
      for (int i = 0; i < joint.d; ++i) tau[body.v + i] = joint.project(body, f[k], i);
    });
    f[body.parent] += apply_transposed(positions.X[k], f[k]);
  }
  return tau;
}

}  // namespace catena::test
