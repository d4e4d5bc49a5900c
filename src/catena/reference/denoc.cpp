// The complement's matrices, and I and C element by element. Source: formula sheet 2.1, 2.2.
#include "catena/reference/denoc.hpp"

#include "catena/reference/dense.hpp"

namespace catena {

using namespace kernel;

Denoc::Denoc(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads)
    : model_(model), q_(q), bodies_(centred_bodies(model, q, v, loads)) {}

Matrix6 Denoc::B(int i, int j) const {
  return blocks(Matrix3::Identity(), Matrix3::Zero(), skew(bodies_[j].c - bodies_[i].c), Matrix3::Identity());
}
Matrix6 Denoc::B_dot(int i, int j) const {
  return blocks(Matrix3::Zero(), Matrix3::Zero(), skew(bodies_[j].c_dot() - bodies_[i].c_dot()), Matrix3::Zero());
}
Matrix6 Denoc::Omega(int i) const { return twice(skew(bodies_[i].omega())); }
Matrix6 Denoc::M_dot(int i) const { return bodies_[i].W() * bodies_[i].M(); }

Matrix Denoc::N_l() const {
  const int size = 6 * (count() - 1);
  Matrix N = Matrix::Zero(size, size);
  for (int i = 1; i < count(); ++i) {
    for (int j = i; j > 0; j = bodies_[j].parent) N.block<6, 6>(6 * (i - 1), 6 * (j - 1)) = B(i, j);
  }
  return N;
}

Matrix Denoc::N_d() const {
  Matrix N = Matrix::Zero(6 * (count() - 1), model_.tree().nv_full);
  for (int i = 1; i < count(); ++i) N.block(6 * (i - 1), bodies_[i].v, 6, p(i).cols()) = p(i);
  return N * coupling_matrix(model_.tree());
}

// inward:  M~_parent += B' M~ B
std::vector<Matrix6> Denoc::M_tilde() const {
  std::vector<Matrix6> M(count(), Matrix6::Zero());
  for (int i = 1; i < count(); ++i) M[i] = bodies_[i].M();
  for (int i = count() - 1; i > 0; --i) {
    const Matrix6 link = B(i, bodies_[i].parent);
    M[bodies_[i].parent] += link.transpose() * M[i] * link;
  }
  return M;
}

// inward:  only the angular block differs from zero, so B' M_dot~ B = M_dot~
std::vector<Matrix6> Denoc::M_dot_tilde() const {
  std::vector<Matrix6> M(count(), Matrix6::Zero());
  for (int i = 1; i < count(); ++i) M[i] = M_dot(i);
  for (int i = count() - 1; i > 0; --i) M[bodies_[i].parent] += M[i];
  return M;
}

// inward:  H~_i,parent = M~_i B_dot_i,parent + children_i     children_parent += B' H~_i,parent
std::vector<Matrix6> Denoc::children_H_tilde() const {
  const std::vector<Matrix6> M = M_tilde();
  std::vector<Matrix6> children(count(), Matrix6::Zero());
  for (int i = count() - 1; i > 0; --i) {
    const int parent = bodies_[i].parent;
    const Matrix6 H = M[i] * B_dot(i, parent) + children[i];
    children[parent] += B(i, parent).transpose() * H;
  }
  return children;
}

// I_ij = p_i' M~_i B_ij p_j for j an ancestor of i or i itself
Matrix Denoc::generalized_inertia() const {
  const std::vector<Matrix6> M = M_tilde();
  Matrix I = Matrix::Zero(model_.tree().nv_full, model_.tree().nv_full);
  for (int i = 1; i < count(); ++i) {
    const Matrix row = p(i).transpose() * M[i];
    for (int j = i; j > 0; j = bodies_[j].parent) {
      const Matrix block = row * B(i, j) * p(j);
      I.block(bodies_[i].v, bodies_[j].v, block.rows(), block.cols()) = block;
      I.block(bodies_[j].v, bodies_[i].v, block.cols(), block.rows()) = block.transpose();
    }
  }
  for (int c = 0; c < model_.tree().nv_full; ++c) I(c, c) += model_.tree().terms[c].armature;
  return coupled(I);
}

// j an ancestor of i:      c_ij = p_i' (M~_i B_ij Omega_j + H~_ij + M_dot~_i) p_j
// i ancestor of j or j:    c_ij = p_i' (B_ji' (M~_j Omega_j + children_j) + M_dot~_j) p_j
Matrix Denoc::convective_inertia() const {
  const std::vector<Matrix6> M = M_tilde(), M_dots = M_dot_tilde(), children = children_H_tilde();
  Matrix C = Matrix::Zero(model_.tree().nv_full, model_.tree().nv_full);
  for (int k = 1; k < count(); ++k) {
    const Matrix6 own = M[k] * Omega(k) + children[k];
    for (int j = k; j > 0; j = bodies_[j].parent) {
      const Matrix above = p(j).transpose() * (B(k, j).transpose() * own + M_dots[k]) * p(k);
      C.block(bodies_[j].v, bodies_[k].v, above.rows(), above.cols()) = above;
      if (j == k) continue;
      const Matrix6 H = M[k] * B_dot(k, j) + children[k];
      const Matrix below = p(k).transpose() * (M[k] * B(k, j) * Omega(j) + H + M_dots[k]) * p(j);
      C.block(bodies_[k].v, bodies_[j].v, below.rows(), below.cols()) = below;
    }
  }
  return coupled(C);
}

// K' X K, where mimic joints make v_full = K v
Matrix Denoc::coupled(const Matrix& X) const {
  if (!model_.has_couplings()) return X;
  const Matrix K = coupling_matrix(model_.tree());
  return K.transpose() * X * K;
}

// inward:  tau_i = p_i' w~_i     w~_parent += B' w~
Vector Denoc::generalized_force(const std::vector<Vector6>& wrenches) const {
  if (static_cast<int>(wrenches.size()) != count()) {
    throw std::invalid_argument("one wrench per body of the tree is needed, the ground included: " +
                                std::to_string(count()));
  }
  std::vector<Vector6> w = wrenches;
  Vector tau = Vector::Zero(model_.tree().nv_full);
  for (int i = count() - 1; i > 0; --i) {
    tau.segment(bodies_[i].v, p(i).cols()) = p(i).transpose() * w[i];
    w[bodies_[i].parent] += B(i, bodies_[i].parent).transpose() * w[i];
  }
  return reduced(model_.tree(), std::move(tau));
}

}  // namespace catena
