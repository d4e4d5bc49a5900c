// The sweeps behind the operators of the linearized dynamics, in dense blocks. Source: formula sheet 3.1, 3.6 to 3.8.
// Every quantity of body k is in frame k; vectors here are indexed by tree body, 0 is the ground.
#include "catena/reference/linear_operators.hpp"

#include "catena/reference/dense.hpp"

namespace catena {

using namespace kernel;

namespace {

using Per = std::vector<Matrix>;

Per transforms(const Tree& tree, ConstVector q) {
  Positions<double> positions(tree);
  const Vector q_copy = q;
  update_positions(tree, q_copy.data(), positions);
  Per X(tree.count());
  for (int k = 1; k < tree.count(); ++k) X[k] = dense(positions.X[k]);
  return X;
}

Per blocks_of(const Operator& diagonal) {
  const Matrix whole = diagonal.matrix();
  Per out(1 + whole.rows() / 6);
  for (Eigen::Index k = 1; 6 * k <= whole.rows(); ++k) out[k] = whole.block<6, 6>(6 * (k - 1), 6 * (k - 1));
  return out;
}

// Q[F] with Q[F] x = -crf(x) F.
Matrix6 Q_of(const Vector6& F) {
  const Matrix3 force = skew(F.tail<3>());
  return blocks(skew(F.head<3>()), force, force, Matrix3::Zero());
}

Vector stacked(const std::vector<Vector6>& per) {
  Vector x(6 * (per.size() - 1));
  for (std::size_t k = 1; k < per.size(); ++k) x.segment<6>(6 * static_cast<Eigen::Index>(k - 1)) = per[k];
  return x;
}

}  // namespace

struct LinearOperators::Parts {
  Parts(const Model& model, const SpatialOperators& o, ConstVector q, ConstVector v, ConstVector a,
        const BaseMotion& base);

  std::vector<Vector6> alpha, f;
  Per H_dot, H_v, H_ddot, f_H, M_bar, P_hat;
};

LinearOperators::Parts::Parts(const Model& model, const SpatialOperators& o, ConstVector q, ConstVector v,
                              ConstVector a, const BaseMotion& base)
    : alpha(model.tree().count()), f(alpha.size()) {
  require_velocity(model, a, "a");
  const Tree& tree = model.tree();
  const int count = tree.count();
  const Per X = transforms(tree, q), M = blocks_of(o.M), tau_bar = blocks_of(o.tau_bar);
  Per H_t(count);
  for (Per* per : {&H_dot, &H_v, &H_ddot, &f_H, &M_bar, &P_hat}) per->resize(count);

  // outward:  alpha = X alpha_parent + H' a + crm(V) H' v     on the ground the base's, less gravity
  alpha[0] << base.angular_acceleration,
      base.acceleration - base.angular_velocity.cross(base.velocity) - eigen(tree.gravity);
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    H_t[k] = joint_map(body);
    const Eigen::Index d = H_t[k].cols();
    const Vector6 V = o.V.segment<6>(6 * (k - 1)), V_joint = H_t[k] * v.segment(body.v, d);
    const Vector6 V_plus = V - V_joint, alpha_plus = X[k] * alpha[body.parent], MV = M[k] * V;
    alpha[k] = alpha_plus + H_t[k] * a.segment(body.v, d) + crm(V) * V_joint;
    const Matrix H_dot_t = crm(V_plus) * H_t[k];
    H_dot[k] = H_dot_t.transpose();
    H_v[k] = (H_dot_t + crm(V) * H_t[k]).transpose();
    H_ddot[k] = (crm(alpha_plus) * H_t[k] + crm(V_plus) * H_dot_t).transpose();
    M_bar[k] = 0.5 * (crf(V) * M[k] - M[k] * crm(V) - Q_of(MV));
    f[k] = M[k] * alpha[k] + crf(V) * MV;
  }
  // inward:  f_parent += X' f     P_hat_parent += X' tau_bar P_hat X
  P_hat = M_bar;
  for (int k = count - 1; k > 0; --k) {
    f_H[k] = -Q_of(f[k]) * H_t[k];
    const int parent = tree.bodies[k].parent;
    if (parent == 0) continue;
    f[parent] += X[k].transpose() * f[k];
    P_hat[parent] += X[k].transpose() * tau_bar[k] * P_hat[k] * X[k];
  }
}

LinearOperators::LinearOperators(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                                 const BaseMotion& base)
    : LinearOperators([&] {
        SpatialOperators operators(model, q, v, base);
        const Parts parts(model, operators, q, v, a, base);
        return LinearOperators(model, std::move(operators), parts);
      }()) {}

LinearOperators::LinearOperators(const Model& model, SpatialOperators operators, const Parts& x)
    : o(std::move(operators)),
      alpha(stacked(x.alpha)),
      f(stacked(x.f)),
      H_dot(on_diagonal(model.tree(), x.H_dot, Side::joint, Side::body)),
      H_v(on_diagonal(model.tree(), x.H_v, Side::joint, Side::body)),
      H_ddot(on_diagonal(model.tree(), x.H_ddot, Side::joint, Side::body)),
      f_H(on_diagonal(model.tree(), x.f_H, Side::body, Side::joint)),
      M_bar(on_diagonal(model.tree(), x.M_bar)),
      P_hat(on_diagonal(model.tree(), x.P_hat)),
      G_hat(transpose(P_hat) * transpose(o.H) * inverse(o.D)),
      K_hat(o.E_phi * G_hat),
      Y_A(2 * P_hat * transpose(o.H) + o.P * transpose(H_v)),
      Y_B(2 * P_hat * transpose(H_dot) + o.P * transpose(H_ddot) + f_H) {}

struct SerialLinearOperators::Parts {
  Parts(const Model& model, const LinearOperators& x);

  Per Upsilon, Upsilon_plus, J_hat;
  const Tree& tree;
};

// outward:  Upsilon+ = X Upsilon_parent X'     Upsilon = tau_bar' Upsilon+ tau_bar + H' D^-1 H
//           J_hat = tau_bar' X J_hat_parent X^-1 + H' G_hat'
SerialLinearOperators::Parts::Parts(const Model& model, const LinearOperators& x) : tree(model.tree()) {
  for (int k = 1; k < tree.count(); ++k) {
    if (tree.bodies[k].parent != k - 1) {
      throw std::invalid_argument(
          "Lemma 4.9 is for a serial chain, and siblings couple through M^-1: " + model.name() +
          " is a tree; Lemmas 4.6 and 4.7 hold for it (docs/operators.md has them, with the term "
          "- M_inv*H*f_H of joints with several degrees of freedom)");
    }
  }
  const SpatialOperators& o = x.o;
  const Operator H_t = transpose(o.H);
  const Per tau_bar = blocks_of(o.tau_bar), own = blocks_of(H_t * inverse(o.D) * o.H),
            source = blocks_of(H_t * transpose(x.G_hat));
  const Matrix E_phi = o.E_phi.matrix();
  Upsilon = own, J_hat = source;
  Upsilon_plus.assign(tree.count(), Matrix::Zero(6, 6));
  for (int k = 2; k < tree.count(); ++k) {
    const Matrix6 X = E_phi.block<6, 6>(6 * (k - 2), 6 * (k - 1)).transpose();
    Upsilon_plus[k] = X * Upsilon[k - 1] * X.transpose();
    Upsilon[k] += tau_bar[k].transpose() * Upsilon_plus[k] * tau_bar[k];
    J_hat[k] += tau_bar[k].transpose() * X * J_hat[k - 1] * X.inverse();
  }
}

SerialLinearOperators::SerialLinearOperators(const Model& model, const LinearOperators& x)
    : SerialLinearOperators(x, Parts(model, x)) {}

SerialLinearOperators::SerialLinearOperators(const LinearOperators& x, const Parts& parts)
    : Upsilon(on_diagonal(parts.tree, parts.Upsilon)),
      Upsilon_plus(on_diagonal(parts.tree, parts.Upsilon_plus)),
      J_hat(on_diagonal(parts.tree, parts.J_hat)),
      L(inverse(x.o.D) + transpose(x.o.G) * Upsilon_plus * x.o.G),
      u(L * x.o.H - transpose(x.o.G) * Upsilon_plus),
      E_A(transpose(x.H_v) - Upsilon * x.Y_A + 2 * J_hat * transpose(x.o.H)),
      E_B(transpose(x.H_ddot) - Upsilon * x.Y_B + 2 * J_hat * transpose(x.H_dot)),
      Q(2 * (x.K_hat - transpose(J_hat) * x.o.K)) {}

}  // namespace catena
