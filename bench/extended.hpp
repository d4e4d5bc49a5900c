// Forward dynamics and their linearization in 113 bits, to have digits to spare where double is what is studied. On the
// user's tree, not the reduced one, so that what the reduction rounds counts as an error of the methods that use it.
#pragma once

#include <Eigen/Dense>
#include <boost/multiprecision/cpp_bin_float.hpp>

#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/joint_terms.hpp"
#include "catena/dynamics/ldl_kernel.hpp"
#include "catena/dynamics/workspace.hpp"
#include "catena/kinematics/moving.hpp"
#include "catena/reference/textbook_kernel.hpp"
#include "catena/spatial/dual.hpp"

namespace catena::spatial {

// A scalar of the kernels.
class Quad {
 public:
  using Number = boost::multiprecision::cpp_bin_float_quad;

  Quad() = default;
  Quad(double value) : value_(value) {}  // NOLINT(google-explicit-constructor): constants enter formulas unnoticed
  explicit Quad(const Number& value) : value_(value) {}
  explicit operator double() const { return static_cast<double>(value_); }

  friend Quad operator+(const Quad& a, const Quad& b) { return Quad(Number(a.value_ + b.value_)); }
  friend Quad operator-(const Quad& a, const Quad& b) { return Quad(Number(a.value_ - b.value_)); }
  friend Quad operator*(const Quad& a, const Quad& b) { return Quad(Number(a.value_ * b.value_)); }
  friend Quad operator/(const Quad& a, const Quad& b) { return Quad(Number(a.value_ / b.value_)); }
  friend Quad operator-(const Quad& a) { return Quad(Number(-a.value_)); }
  Quad& operator+=(const Quad& b) { return *this = *this + b; }
  Quad& operator-=(const Quad& b) { return *this = *this - b; }
  Quad& operator*=(const Quad& b) { return *this = *this * b; }
  Quad& operator/=(const Quad& b) { return *this = *this / b; }
  friend bool operator<(const Quad& a, const Quad& b) { return a.value_ < b.value_; }
  friend bool operator>(const Quad& a, const Quad& b) { return b < a; }
  friend bool operator==(const Quad& a, const Quad& b) { return a.value_ == b.value_; }
  friend Quad sqrt(const Quad& a) { return Quad(Number(boost::multiprecision::sqrt(a.value_))); }
  friend Quad tanh(const Quad& a) { return Quad(Number(boost::multiprecision::tanh(a.value_))); }
  friend Quad atan2(const Quad& b, const Quad& a) {
    return Quad(Number(boost::multiprecision::atan2(b.value_, a.value_)));
  }
  friend void sincos(const Quad& angle, Quad& sine, Quad& cosine) {
    sine = Quad(Number(boost::multiprecision::sin(angle.value_)));
    cosine = Quad(Number(boost::multiprecision::cos(angle.value_)));
  }

 private:
  Number value_ = 0;
};

}  // namespace catena::spatial

namespace catena {

using spatial::Quad;
using QuadVector = std::vector<Quad>;

inline QuadVector extended(ConstVector x) { return {x.begin(), x.end()}; }
inline Vector rounded(const QuadVector& x) {
  Vector out(static_cast<Eigen::Index>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i) out[static_cast<Eigen::Index>(i)] = static_cast<double>(x[i]);
  return out;
}

class ExtendedDynamics {
 public:
  explicit ExtendedDynamics(const Model& model) : model_(model) {}

  // tau by Newton-Euler; S: Quad, or a dual number of it.
  template <class S>
  std::vector<S> inverse(const std::vector<S>& q, const std::vector<S>& v, const std::vector<S>& a) const {
    const std::vector<S> q_full = positions(q), v_full = velocities(v), a_full = velocities(a);
    kernel::Positions<S> places(tree());
    kernel::update_positions(tree(), q_full.data(), places);
    kernel::NewtonEuler<S> work(tree());
    std::vector<S> tau(static_cast<std::size_t>(tree().nv_full));
    kernel::inverse_sweeps<S>(tree(), places.X, v_full.data(), a_full.data(), kernel::Motion<S>::zero(), lift<S>(),
                              nullptr, work, tau.data());
    for (int i = 0; i < tree().nv_full; ++i) tau[i] += a_full[i] * tree().terms[i].armature;
    kernel::add_joint_forces(tree(), q_full.data(), v_full.data(), tau.data());
    kernel::reduce_forces(tree(), tau.data());
    tau.resize(static_cast<std::size_t>(tree().nv));
    return tau;
  }

  // Articulated bodies; without mimic joints.
  QuadVector forward(const QuadVector& q, const QuadVector& v, const QuadVector& tau) const {
    kernel::Positions<Quad> places(tree());
    kernel::update_positions(tree(), q.data(), places);
    const std::size_t n = static_cast<std::size_t>(tree().nv);
    QuadVector own(n), a(n);
    kernel::add_joint_forces(tree(), q.data(), v.data(), own.data());
    for (std::size_t i = 0; i < n; ++i) own[i] = tau[i] - own[i];
    kernel::TextbookArticulated<Quad> work(tree());
    kernel::forward_sweeps<Quad>(tree(), places.X, v.data(), own.data(), kernel::Motion<Quad>::zero(), lift<Quad>(),
                                 nullptr, work, a.data());
    return a;
  }

  // Composite bodies, column-major.
  QuadVector mass_matrix(const QuadVector& q) const {
    const QuadVector q_full = positions(q);
    kernel::Positions<Quad> places(tree());
    kernel::update_positions(tree(), q_full.data(), places);
    std::vector<kernel::Inertia<Quad>> composite(static_cast<std::size_t>(tree().count()));
    const int n = tree().nv_full, nv = tree().nv;
    QuadVector full(static_cast<std::size_t>(n) * n), M(static_cast<std::size_t>(nv) * nv);
    kernel::mass_matrix_sweep(tree(), places.X, composite, full.data(), n);
    for (const Coupling& c : tree().couplings)
      for (int j = 0; j < n; ++j) full[c.master_v + j * n] += full[c.v + j * n] * c.ratio;
    for (const Coupling& c : tree().couplings)
      for (int i = 0; i < n; ++i) full[i + c.master_v * n] += full[i + c.v * n] * c.ratio;
    for (int j = 0; j < nv; ++j)
      for (int i = 0; i < nv; ++i) M[i + j * nv] = full[i + j * n];
    return M;
  }

  const Tree& tree() const { return model_.tree(); }

  template <class S>
  std::vector<S> positions(std::vector<S> q) const {
    q.resize(static_cast<std::size_t>(tree().nq_full));
    kernel::expand_positions(tree(), q.data());
    return q;
  }
  template <class S>
  std::vector<S> velocities(std::vector<S> v) const {
    v.resize(static_cast<std::size_t>(tree().nv_full));
    kernel::expand_velocities(tree(), v.data());
    return v;
  }

 private:
  template <class S>
  kernel::Motion<S> lift() const {
    const auto& g = tree().gravity;
    return {{S(0), S(0), S(0)}, {S(-g.x), S(-g.y), S(-g.z)}};
  }

  Model model_;
};

}  // namespace catena
