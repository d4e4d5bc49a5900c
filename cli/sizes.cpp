#include "cli/sizes.hpp"

#include <algorithm>

#include "catena/joints/joints.hpp"
#include "catena/model/reduced_tree.hpp"

namespace catena::cli {
namespace {

// Slopes of the joints' own forces, which are added to A_D and B_D: those of friction are differences, 1 - tanh^2.
void add_joint_slopes(const Model& model, ChangeSizes& out) {
  const Tree& tree = model.tree();
  Vector damping = Vector::Zero(tree.nv_full), stiffness = damping;
  for (int i = 0; i < tree.nv_full; ++i)
    damping[i] = tree.terms[i].damping + tree.terms[i].friction * tree.terms[i].inverse_friction_scale;
  for (const Spring& spring : tree.springs) {
    const TreeBody& body = tree.bodies[spring.body];
    stiffness.segment(body.v, kernel::velocity_count(body)).array() += spring.stiffness;
  }
  for (const Coupling& c : tree.couplings) {
    damping[c.master_v] += c.ratio * c.ratio * damping[c.v];
    stiffness[c.master_v] += c.ratio * c.ratio * stiffness[c.v];
  }
  out.A.diagonal() += damping.head(tree.nv);
  for (const Spring& spring : tree.springs) {  // of a spherical joint they turn with it: all of its coordinates
    const TreeBody& body = tree.bodies[spring.body];
    const int count = kernel::velocity_count(body);
    if (body.v + count > tree.nv) continue;  // a mimic joint: on the diagonal of its master
    out.B.block(body.v, body.v, count, count).array() += spring.stiffness;
  }
  out.B.diagonal() += stiffness.head(tree.nv);
}

}  // namespace

// A_D, B_D are the changes of inertia times rates, and of forces that turn with their joint:
//   |A_ij| <= w_i w_j rho      |B_ij| <= forces at i + w_i w_j rho^2 + w_i sum of w_k |a_k|
ChangeSizes inverse_change_sizes(const Sample& s) {
  const Eigen::Index n = s.v.size();
  const Vector& w = s.world_root;
  ChangeSizes out{Matrix(n, n), Matrix(n, n)};
  const double moved = w.dot(s.a.cwiseAbs());
  for (Eigen::Index j = 0; j < n; ++j) {
    for (Eigen::Index i = 0; i < n; ++i) {
      const double rate = std::max(s.rate[i], s.rate[j]);
      out.A(i, j) = w[i] * w[j] * rate;
      out.B(i, j) = s.world_scale[i] + w[i] * (w[j] * rate * rate + moved);
    }
  }
  add_joint_slopes(s.model, out);
  return out;
}

Vector product_sizes(const Vector& root, const Vector& x) { return root * root.dot(x.cwiseAbs()); }

Vector acceleration_sizes(const Sample& s) {
  return s.M_inv.cwiseAbs() * (s.world_scale + product_sizes(s.world_root, s.a));
}

Matrix inverse_sizes(const Sample& s) {
  const Vector u = s.M_inv.cwiseAbs() * s.world_root;
  return u * u.transpose();
}

// M^-1 A_D: roundings of A_D, and of M times |M^-1| |A_D|. B_C also takes over what a is known to: M changes by at most
// w_i w_k with q.
ChangeSizes forward_change_sizes(const Sample& s, const ChangeSizes& inverse, const Matrix& A_D, const Matrix& B_D) {
  const Matrix response = s.M_inv.cwiseAbs();
  const Vector& w = s.world_root;
  const auto through = [&](const Matrix& sizes, const Matrix& X, double known) -> Matrix {
    const Eigen::RowVectorXd product = (w.transpose() * (response * X.cwiseAbs())).array() + known;
    return response * (sizes + w * product);
  };
  return {through(inverse.A, A_D, 0), through(inverse.B, B_D, w.dot(acceleration_sizes(s)))};
}

}  // namespace catena::cli
