// The 3x3 and 6x6 matrices of the formula sheet (0.2) as Eigen matrices, for code that is read beside the papers.
#pragma once

#include <Eigen/Cholesky>

#include "catena/dynamics/storage.hpp"
#include "catena/kinematics/storage.hpp"
#include "catena/reference/operator.hpp"

namespace catena::kernel {

inline Matrix3 skew(const Vector3& a) {
  Matrix3 S;
  S << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return S;
}

inline Matrix6 blocks(const Matrix3& a, const Matrix3& b, const Matrix3& c, const Matrix3& d) {
  Matrix6 m;
  m << a, b, c, d;
  return m;
}

// diag(a, a)
inline Matrix6 twice(const Matrix3& a) { return blocks(a, Matrix3::Zero(), Matrix3::Zero(), a); }

inline Matrix6 crm(const Vector6& V) {
  const Matrix3 w = skew(V.head<3>()), v = skew(V.tail<3>());
  return blocks(w, Matrix3::Zero(), v, w);
}
inline Matrix6 crf(const Vector6& V) { return -crm(V).transpose(); }

// motions: outer -> inner
inline Matrix6 dense(const Transform<double>& X) {
  const Matrix3 Rt = eigen(X.R).transpose();
  return blocks(Rt, Matrix3::Zero(), -Rt * skew(eigen(X.p)), Rt);
}

inline Matrix6 dense(const Inertia<double>& M) {
  const Matrix3 h = skew(eigen(M.h));
  return blocks(eigen(spatial::full(M.J)), h, h.transpose(), M.m * Matrix3::Identity());
}

// H, 6 x d
inline Matrix joint_map(const TreeBody& body) {
  return visit(body, [&](auto joint) {
    Matrix H(6, joint.d);
    for (int c = 0; c < joint.d; ++c) H.col(c) = eigen(joint.template unit<double>(body, c));
    return H;
  });
}

// Blocks of the tree's bodies on the diagonal, [0] unused: 6N x 6N, or in the order of v where a block is d_k wide.
enum class Side { body, joint };
inline Operator on_diagonal(const Tree& tree, const std::vector<Matrix>& values, Side rows = Side::body,
                            Side cols = Side::body) {
  const auto size = [&](Side side) { return side == Side::body ? 6 * (tree.count() - 1) : tree.nv; };
  const auto start = [&](Side side, int k) { return side == Side::body ? 6 * (k - 1) : tree.bodies[k].v; };
  std::vector<Block> list;
  for (int k = 1; k < tree.count(); ++k) list.push_back({start(rows, k), start(cols, k), values[k]});
  return block_diagonal(size(rows), size(cols), std::move(list));
}

// Lower Cholesky factor of D = H' P H + armature of body k. Throws NumericalError naming the joint where D has no safe
// pivot (formula sheet 8).
inline Matrix factor_joint_inertia(const Model& model, int k, const Matrix& D) {
  const Eigen::LLT<Matrix> llt(D);
  const Matrix S = llt.matrixL();
  const int v = model.tree().bodies[k].v;
  for (int c = 0; c < D.cols(); ++c) {
    const double floor = model.tree().pivot_floor[v + c];
    if (llt.info() != Eigen::Success || !(S(c, c) * S(c, c) > floor)) throw_singular(model, k);
  }
  return S;
}

// Mimic joints: v_full = K v, the model's own numbers first.
inline Matrix coupling_matrix(const Tree& tree) {
  Matrix K = Matrix::Identity(tree.nv_full, tree.nv);
  for (const Coupling& c : tree.couplings) K(c.v, c.master_v) = c.ratio;
  return K;
}
inline Vector expanded(const Tree& tree, const Eigen::Ref<const Vector>& v) {
  Vector full = Vector::Zero(tree.nv_full);
  full.head(tree.nv) = v;
  expand_velocities(tree, full.data());
  return full;
}
inline Vector reduced(const Tree& tree, Vector full) {  // K' tau
  reduce_forces(tree, full.data());
  return full.head(tree.nv);
}

// Operators and the complements describe joints that move on their own.
inline void require_uncoupled(const Model& model, const char* what) {
  if (!model.has_couplings()) return;
  throw std::invalid_argument(std::string(what) + " describe the uncoupled robot: " + model.name() +
                              " has mimic joints; make them independent or use the library's "
                              "inverse_dynamics, mass_matrix and forward_dynamics");
}

}  // namespace catena::kernel
