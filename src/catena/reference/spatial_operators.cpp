// The sweeps behind the spatial operators, in dense blocks. Source: formula sheet 4.1, 4.4, 4.7.
// Every quantity of body k is in frame k; vectors here are indexed by tree body, 0 is the ground.
#include "catena/reference/spatial_operators.hpp"

#include "catena/reference/dense.hpp"

namespace catena {

using namespace kernel;

struct SpatialOperators::Parts {
  using Per = std::vector<Matrix>;

  Parts(const Model& model_in, ConstVector q, ConstVector v, const BaseMotion& base);

  const Model& model;
  const Tree& tree;
  int count;
  Per X, H, M, J, P, D, S, G, tau_bar, P_plus, Omega, crf_V, W, R, P_ring, lambda_dot, D_ring, S_ring, G_ring;
  std::vector<Vector6> V, s, g;

  Operator diagonal(const Per& values, Side rows = Side::body, Side cols = Side::body) const {
    return on_diagonal(tree, values, rows, cols);
  }
  std::shared_ptr<const Links> links(bool articulated) const {
    Links out;
    for (int k = 1; k < count; ++k) {
      out.parent.push_back(tree.bodies[k].parent - 1);
      out.link.push_back(articulated ? Matrix(X[k].transpose() * tau_bar[k]) : Matrix(X[k].transpose()));
    }
    return std::make_shared<const Links>(std::move(out));
  }
  Vector stacked(const std::vector<Vector6>& per) const {
    Vector x(6 * (count - 1));
    for (int k = 1; k < count; ++k) x.segment<6>(6 * (k - 1)) = per[k];
    return x;
  }

 private:
  void sweep_outward(ConstVector q, ConstVector v, const BaseMotion& base);
  void sweep_articulated();
  void sweep_rates();
};

SpatialOperators::Parts::Parts(const Model& model_in, ConstVector q, ConstVector v, const BaseMotion& base)
    : model(model_in), tree(model_in.tree()), count(tree.count()) {
  require_uncoupled(model, "spatial operators");
  require_configuration(model, q);
  require_velocity(model, v, "v");
  for (Per* per : {&X, &H, &M, &J, &P, &D, &S, &G, &tau_bar, &P_plus, &Omega, &crf_V, &W, &R, &P_ring, &lambda_dot,
                   &D_ring, &S_ring, &G_ring}) {
    per->resize(count);
  }
  for (auto* per : {&V, &s, &g}) per->assign(count, Vector6::Zero());
  sweep_outward(q, v, base);
  sweep_articulated();
  sweep_rates();
}

// outward:  V = X V_parent + H v     s = crm(V) H v     g = X g_parent
void SpatialOperators::Parts::sweep_outward(ConstVector q, ConstVector v, const BaseMotion& base) {
  Positions<double> positions(tree);
  const Vector q_copy = q;
  update_positions(tree, q_copy.data(), positions);
  V[0] << base.angular_velocity, base.velocity;
  g[0] << Vector3::Zero(), eigen(tree.gravity);
  std::vector<Matrix3> R_world(count, Matrix3::Identity());
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    X[k] = dense(positions.X[k]);
    H[k] = joint_map(body).transpose();
    M[k] = dense(tree.inertias[k].M);
    const Vector6 VJ = H[k].transpose() * v.segment(body.v, H[k].rows());
    V[k] = X[k] * V[body.parent] + VJ;
    s[k] = crm(V[k]) * VJ;
    g[k] = X[k] * g[body.parent];
    Omega[k] = crf(VJ);
    crf_V[k] = crf(V[k]);
    W[k] = twice(skew(V[k].head<3>()));
    R_world[k] = R_world[body.parent] * eigen(positions.X[k].R);
    R[k] = twice(R_world[k]);
  }
}

// inward:  P = M + sum X' P+ X     D = H P H' + J     G = P H' D^-1     tau_bar = 1 - G H     P+ = P - G (P H')'
void SpatialOperators::Parts::sweep_articulated() {
  for (int k = 1; k < count; ++k) P[k] = M[k];
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    const Eigen::Index d = H[k].rows();
    Vector armature(d);
    for (Eigen::Index c = 0; c < d; ++c) armature[c] = tree.terms[body.v + c].armature;
    J[k] = armature.asDiagonal();
    const Matrix PH = P[k] * H[k].transpose();
    D[k] = H[k] * PH + J[k];
    S[k] = factor_joint_inertia(model, k, D[k]);
    G[k] = D[k].llt().solve(PH.transpose()).transpose();
    tau_bar[k] = Matrix::Identity(6, 6) - G[k] * H[k];
    P_plus[k] = P[k] - G[k] * PH.transpose();
    P_plus[k] = (0.5 * (P_plus[k] + P_plus[k].transpose())).eval();
    if (body.parent > 0) P[body.parent] += X[k].transpose() * P_plus[k] * X[k];
  }
}

namespace {

// The derivative of the lower Cholesky factor: S_dot = S Low(S^-1 D_dot S^-T), Low: strictly lower part plus half of
// the diagonal (sheet 4.7).
Matrix cholesky_derivative(const Matrix& S, const Matrix& D_dot) {
  const auto L = S.triangularView<Eigen::Lower>();
  const Matrix left = L.solve(D_dot);
  Matrix inner = L.solve(left.transpose()).transpose();
  inner.diagonal() *= 0.5;
  return S * Matrix(inner.triangularView<Eigen::Lower>());
}

}  // namespace

// inward:  P_ring += X' (tau_bar P_ring tau_bar' + Omega P+ + P+ Omega') X  (the safer form, valid with armature)
void SpatialOperators::Parts::sweep_rates() {
  for (int k = 1; k < count; ++k) P_ring[k] = Matrix::Zero(6, 6);
  for (int k = count - 1; k > 0; --k) {
    const Matrix turned = Omega[k] * P[k];
    lambda_dot[k] = P_ring[k] + turned + turned.transpose();
    D_ring[k] = H[k] * P_ring[k] * H[k].transpose();
    S_ring[k] = cholesky_derivative(S[k], D_ring[k]);
    G_ring[k] = D[k].llt().solve(H[k] * P_ring[k] * tau_bar[k].transpose()).transpose();
    const int parent = tree.bodies[k].parent;
    if (parent == 0) continue;
    const Matrix carried = Omega[k] * P_plus[k];
    P_ring[parent] +=
        X[k].transpose() * (tau_bar[k] * P_ring[k] * tau_bar[k].transpose() + carried + carried.transpose()) * X[k];
  }
}

SpatialOperators::SpatialOperators(const Model& model, ConstVector q)
    : SpatialOperators(model, q, Vector::Zero(model.nv())) {}

SpatialOperators::SpatialOperators(const Model& model, ConstVector q, ConstVector v, const BaseMotion& base)
    : SpatialOperators(model, Parts(model, q, v, base)) {}

SpatialOperators::SpatialOperators(const Model& model, const Parts& x)
    : bodies(x.count - 1),
      E_phi(shift(x.links(false))),
      Phi(sweep(x.links(false))),
      H(x.diagonal(x.H, Side::joint, Side::body)),
      M(x.diagonal(x.M)),
      J(x.diagonal(x.J, Side::joint, Side::joint)),
      P(x.diagonal(x.P)),
      D(x.diagonal(x.D, Side::joint, Side::joint)),
      S(x.diagonal(x.S, Side::joint, Side::joint)),
      G(x.diagonal(x.G, Side::body, Side::joint)),
      tau_bar(x.diagonal(x.tau_bar)),
      P_plus(x.diagonal(x.P_plus)),
      K(E_phi * G),
      E_psi(shift(x.links(true))),
      Psi(sweep(x.links(true))),
      Omega(x.diagonal(x.Omega)),
      crf_V(x.diagonal(x.crf_V)),
      W(x.diagonal(x.W)),
      R(x.diagonal(x.R)),
      P_ring(x.diagonal(x.P_ring)),
      lambda_dot(x.diagonal(x.lambda_dot)),
      D_ring(x.diagonal(x.D_ring, Side::joint, Side::joint)),
      S_ring(x.diagonal(x.S_ring, Side::joint, Side::joint)),
      G_ring(x.diagonal(x.G_ring, Side::body, Side::joint)),
      V(x.stacked(x.V)),
      s(x.stacked(x.s)),
      g(x.stacked(x.g)),
      model_(model) {}

Operator SpatialOperators::crf_H(int i) const {
  const Tree& tree = model_.tree();
  for (int k = 1; k < tree.count(); ++k) {
    const Matrix map = joint_map(tree.bodies[k]);
    const int c = i - tree.bodies[k].v;
    if (c < 0 || c >= map.cols()) continue;
    return block_diagonal(6 * bodies, 6 * bodies, {{6 * (k - 1), 6 * (k - 1), crf(map.col(c))}});
  }
  throw std::invalid_argument("velocity component " + std::to_string(i) + " does not exist: " + model_.name() +
                              " has " + std::to_string(tree.nv));
}

namespace {

// Frames may share a body, so this is not a block diagonal: B gathers, B' scatters.
struct Attachment : Operator::Node {
  Attachment(int bodies, int frames) : Node(6 * bodies, 6 * frames) {}
  Matrix apply(Operator::Columns x) const override {
    Matrix y = Matrix::Zero(rows(), x.cols());
    for (std::size_t f = 0; f < body.size(); ++f) {
      if (body[f] > 0) y.middleRows<6>(6 * (body[f] - 1)) += pose[f].transpose() * x.middleRows<6>(6 * f);
    }
    return y;
  }
  Matrix apply_transposed(Operator::Columns y) const override {
    Matrix x = Matrix::Zero(cols(), y.cols());
    for (std::size_t f = 0; f < body.size(); ++f) {
      if (body[f] > 0) x.middleRows<6>(6 * f) = pose[f] * y.middleRows<6>(6 * (body[f] - 1));
    }
    return x;
  }
  std::vector<int> body;  // tree body; 0: on the ground, where nothing moves
  std::vector<Matrix6> pose;
};

}  // namespace

Operator SpatialOperators::at(const std::vector<int>& frames) const {
  const Tree& tree = model_.tree();
  auto node = std::make_shared<Attachment>(bodies, static_cast<int>(frames.size()));
  for (const int frame : frames) {
    if (frame < 0 || frame >= model_.frame_count()) {
      throw std::invalid_argument("frame " + std::to_string(frame) + " does not exist: " + model_.name() + " has " +
                                  std::to_string(model_.frame_count()) + " (ask model.frame(name))");
    }
    node->body.push_back(tree.frames[frame].body);
    node->pose.push_back(dense(tree.frames[frame].pose));
  }
  return Operator(std::move(node));
}

}  // namespace catena
