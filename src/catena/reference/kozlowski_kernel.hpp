// Kozlowski's recursions of the diagonalized equations, step by step as his Tab. 2 counts them, over a scalar: the
// normalized ones with state (theta, nu), the unnormalized ones with (theta, xi). Each step is marked with the name of
// its row. Revolute and prismatic joints without armature; trees. Source: [000] sec. 4 and 6; formula sheet 4.1, 4.3, 4.6, 4.7 (paper form),
// with its corrections. The library itself runs diagonal/kernel.hpp, which needs no lambda_dot and no X.
#pragma once

#include "catena/model/tree.hpp"
#include "catena/reference/columns.hpp"

namespace catena::kernel {

template <class S>
using Column6 = Eigen::Matrix<S, 6, 1, Eigen::DontAlign>;
template <class S>
using Square6 = Eigen::Matrix<S, 6, 6, Eigen::DontAlign>;

template <class S>
Column6<S> stacked(const Column3<S>& a, const Column3<S>& b) {
  Column6<S> out;
  out << a, b;
  return out;
}
// A symmetric matrix from its entries (r, c), r <= c.
template <class S, class Entry>
Square6<S> symmetric6(const Entry& entry) {
  Square6<S> out;
  for (int c = 0; c < 6; ++c) {
    for (int r = 0; r <= c; ++r) out(r, c) = out(c, r) = entry(r, c);
  }
  return out;
}
// X' P X of a symmetric P: by the rotation A and the translation Phi, one after the other
template <class S>
Square6<S> to_parent(const Transform<S>& X, const Square6<S>& P) {
  const Square3<S> R = square(X.R);
  const Column3<S> p = column(X.p);
  const Square3<S> M = turned_symmetric<S>(R, P.template bottomRightCorner<3, 3>());
  const Square3<S> H = turned<S>(R, P.template topRightCorner<3, 3>());
  const Square3<S> J = turned_symmetric<S>(R, P.template topLeftCorner<3, 3>());
  Square3<S> K;
  for (int c = 0; c < 3; ++c) K.col(c) = H.col(c) + p.cross(Column3<S>(M.col(c)));
  Square6<S> out;
  out.template topLeftCorner<3, 3>() = symmetric<S>([&](int r, int c) {
    return S(J(r, c) + cross_component<S>(p, H.row(c).transpose(), r) + cross_component<S>(p, K.row(r).transpose(), c));
  });
  out.template topRightCorner<3, 3>() = K;
  out.template bottomLeftCorner<3, 3>() = K.transpose();
  out.template bottomRightCorner<3, 3>() = M;
  return out;
}

template <class S>
struct Kozlowski {
  std::vector<Square6<S>> P, psi, lambda_dot;
  std::vector<Column6<S>> G, V, y, z;  // y: what the children give it, then its own
  std::vector<S> D, root, theta_dot;   // root: D^-1/2, normalized only

  explicit Kozlowski(const Tree& tree)
      : P(tree.count(), Square6<S>(Square6<S>::Constant(S(0)))),
        psi(P),
        lambda_dot(P),
        G(tree.count(), Column6<S>(Column6<S>::Constant(S(0)))),
        V(G),
        y(G),
        z(G),
        D(tree.count(), S(0)),
        root(D),
        theta_dot(D) {}
};

// rate <- nu_dot or xi_dot at (q, state), state nu or xi; and theta_dot, in the order of v. tau: without joint forces.
template <bool normalized, class S>
void kozlowski_sweeps(const Tree& tree, const std::vector<Transform<S>>& X, const S* state, const S* tau,
                      Kozlowski<S>& out, S* rate) {
  using std::sqrt;
  const int count = tree.count();
  const auto axis = [&](int k) { return is<Prismatic>(tree.bodies[k]) ? 5 : 2; };  // the component that H picks

  // P(k) = M(k) + sum Psi P Psi*,  D = H P H*,  G = P H* / D,  Psi = Phi A (1 - G H)
  for (int k = 1; k < count; ++k) {
    const Inertia<double>& M = tree.inertias[k].M;
    const Eigen::Vector3d h = column(M.h);
    Square6<double> own = Square6<double>::Zero();
    own.topLeftCorner<3, 3>() = square(spatial::full(M.J));
    for (int c = 0; c < 3; ++c) own.block<3, 1>(0, 3 + c) = h.cross(Eigen::Vector3d::Unit(c));
    own.bottomLeftCorner<3, 3>() = own.topRightCorner<3, 3>().transpose();
    own.bottomRightCorner<3, 3>() = M.m * Eigen::Matrix3d::Identity();
    out.P[k] = own.template cast<S>();
  }
  for (int k = count - 1; k > 0; --k) {
    const int h = axis(k), parent = tree.bodies[k].parent;
    const Square6<S>& P = out.P[k];
    Column6<S>& G = out.G[k];
    out.D[k] = P(h, h);
    begin_sweep(tau, "G");
    for (int i = 0; i < 6; ++i) G[i] = i == h ? S(1) : S(P(i, h) / out.D[k]);
    if (parent == 0) continue;
    begin_sweep(tau, "P");
    const Square6<S> P_plus =
        symmetric6<S>([&](int r, int c) { return r == h || c == h ? S(0) : S(P(r, c) - G[r] * P(c, h)); });
    const Square6<S> moved = to_parent(X[k], P_plus);
    out.P[parent] = symmetric6<S>([&](int r, int c) { return S(out.P[parent](r, c) + moved(r, c)); });
    begin_sweep(tau, "ψ");
    const Square3<S> R = square(X[k].R);
    const Column3<S> p = column(X[k].p);
    Square6<S>& psi = out.psi[k];
    psi.template topLeftCorner<3, 3>() = psi.template bottomRightCorner<3, 3>() = R;
    for (int c = 0; c < 3; ++c) psi.template block<3, 1>(0, 3 + c) = p.cross(Column3<S>(R.col(c)));
    Column6<S> past = -G;  // (1 - G H) of the column h
    past[h] = S(0);
    const Column3<S> force = R * past.template tail<3>();
    psi.col(h) = stacked<S>(R * past.template head<3>() + p.cross(force), force);
  }

  // outward:  V+ = Phi* V,  theta_dot = D^-1/2 nu - G* A^-1 V+,  V = A^-1 V+ + H* theta_dot
  std::vector<Column3<S>> gravity(count);
  gravity[0] = Column3<S>(S(tree.gravity.x), S(tree.gravity.y), S(tree.gravity.z));
  std::vector<S> xi(count, S(0));
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    const int h = axis(k);
    const Square3<S> R = square(X[k].R);
    const Column6<S>& before = out.V[body.parent];
    const Column3<S> w = before.template head<3>(), v = before.template tail<3>();
    begin_sweep(tau, "V⁺");
    const Column3<S> v_plus = v + w.cross(column(X[k].p));
    begin_sweep(tau, "V");
    Column6<S> V = stacked<S>(R.transpose() * w, R.transpose() * v_plus);
    begin_sweep(tau, "θ̇");
    xi[k] = state[body.v];
    if constexpr (normalized) {
      out.root[k] = S(1) / sqrt(out.D[k]);
      xi[k] = out.root[k] * state[body.v];
    }
    S carried = V[h];
    for (int i = 0; i < 6; ++i) {
      if (i != h) carried += out.G[k][i] * V[i];
    }
    out.theta_dot[body.v] = xi[k] - carried;
    begin_sweep(tau, "V");
    V[h] += out.theta_dot[body.v];
    out.V[k] = V;
    begin_sweep(tau, "b");
    gravity[k] = R.transpose() * gravity[body.parent];
  }

  // inward:  X = Omega P,  lambda_dot = sum Psi lambda_dot Psi* + X + X*,  z, epsilon, z+, y, C
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    const int h = axis(k);
    const Square6<S>& P = out.P[k];
    const Column6<S>&V = out.V[k], &G = out.G[k];
    const Column3<S> w = V.template head<3>(), v = V.template tail<3>();

    begin_sweep(tau, "b");  // the bias forces V x M V, the weight with them
    const Inertia<double>& M = tree.inertias[k].M;
    const Column3<S> first = column(M.h).template cast<S>();
    const Square3<S> inertia = square(spatial::full(M.J)).template cast<S>();
    const Column3<S> w_v = w.cross(v), w_h = w.cross(first), momentum = inertia * w;
    const Column6<S> b = stacked<S>(w.cross(momentum) + first.cross(w_v) - first.cross(gravity[k]),
                                    w_v * S(M.m) + w.cross(w_h) - gravity[k] * S(M.m));

    begin_sweep(tau, "X");  // Omega turns x and y of moments and forces, or makes moments of forces
    const S& speed = out.theta_dot[body.v];
    const auto moved = [&](int r) { return h == 2 ? r % 3 != 2 : r == 3 || r == 4; };
    const Square6<S> scaled =
        symmetric6<S>([&](int r, int c) { return moved(r) || moved(c) ? S(P(r, c) * speed) : S(0); });
    Square6<S> turn = Square6<S>::Constant(S(0));
    for (int c = 0; c < 6; ++c) {
      if (h == 2) {
        turn(0, c) = -scaled(1, c), turn(1, c) = scaled(0, c), turn(3, c) = -scaled(4, c), turn(4, c) = scaled(3, c);
      } else {
        turn(0, c) = -scaled(4, c), turn(1, c) = scaled(3, c);
      }
    }

    begin_sweep(tau, "λ̇");
    const Square6<S> L =
        symmetric6<S>([&](int r, int c) { return S(out.lambda_dot[k](r, c) + (turn(r, c) + turn(c, r))); });

    begin_sweep(tau, normalized ? "ε" : "κ");
    const S kappa = tau[body.v] - out.z[k][h];
    const S force = normalized ? S(out.root[k] * kappa) : kappa;

    begin_sweep(tau, "y");
    Column6<S>& y = out.y[k];
    if constexpr (normalized) {
      Column6<S> seen = V;  // (1 - G H)* A^-1 V+
      seen[h] -= xi[k];
      const Square6<S> skew = turn - Square6<S>(turn.transpose());
      y += b * S(2) - skew * V - L * seen;
    } else {
      y += b + L.col(h) * xi[k] - turn * V;
    }
    begin_sweep(tau, normalized ? "C(θ,ν)" : "C(θ,ξ)");
    const S C = normalized ? S(out.root[k] * (y[h] * S(0.5))) : y[h];
    begin_sweep(tau, normalized ? "ν̇" : "ξ̇");
    rate[body.v] = force - C;
    if constexpr (!normalized) rate[body.v] = rate[body.v] / out.D[k];
    if (body.parent == 0) continue;

    begin_sweep(tau, "z⁺");
    const Square3<S> R = square(X[k].R);
    const S gain = normalized ? S(force * (out.root[k] * out.D[k])) : kappa;
    Column6<S> z_plus = out.z[k];
    for (int i = 0; i < 6; ++i) {
      if (i == h) {
        z_plus[i] = tau[body.v];
      } else {
        z_plus[i] += G[i] * gain;
      }
    }
    const Column3<S> moment = R * z_plus.template head<3>(), push = R * z_plus.template tail<3>();
    begin_sweep(tau, "z");
    out.z[body.parent] += stacked<S>(moment + column(X[k].p).cross(push), push);

    begin_sweep(tau, "y");
    Column6<S> passed = y;
    if constexpr (normalized) passed += L * V;
    out.y[body.parent] += out.psi[k] * passed;

    begin_sweep(tau, "λ̇");  // (1 - G H) lambda_dot (1 - G H)*: nothing along H is left
    Column6<S> half = L.col(h);
    for (int i = 0; i < 6; ++i) {
      if (i != h) half[i] -= G[i] * (L(h, h) * S(0.5));
    }
    const Square6<S> projected = symmetric6<S>(
        [&](int r, int c) { return r == h || c == h ? S(0) : S(L(r, c) - G[r] * half[c] - half[r] * G[c]); });
    const Square6<S> carried = to_parent(X[k], projected);
    out.lambda_dot[body.parent] =
        symmetric6<S>([&](int r, int c) { return S(out.lambda_dot[body.parent](r, c) + carried(r, c)); });
  }
}

}  // namespace catena::kernel
