// The natural orthogonal complement over a scalar: bodies in world components, T and T_dot, and the dynamics with them.
// Source: [002] (7.54)-(7.58), formula sheet 1.6. Dense as the book has it, but for what is zero by structure: T has
// blocks for a body and the joints that carry it, M is block diagonal.
#pragma once

#include "catena/model/tree.hpp"
#include "catena/reference/columns.hpp"

namespace catena::kernel {

// World components, twists at the mass centres; [0] is the ground, its point the world's origin.
template <class S>
struct WorldBodies {
  std::vector<Square3<S>> R, inertia;
  std::vector<Column3<S>> o, c;  // origin, mass centre
  std::vector<Six<S>> t;         // [w; c_dot]
  std::vector<Six<S>> p;         // by velocity component: the joint's twist at the mass centre

  WorldBodies(const Tree& tree, const std::vector<Transform<S>>& X, const S* v, const Six<S>& t_0)
      : R(tree.count(), Square3<S>(Square3<S>::Identity())),
        inertia(tree.count()),
        o(tree.count(), Six<S>::zero().a),
        c(o),
        t(tree.count(), Six<S>::zero()),
        p(tree.nv_full, Six<S>::zero()) {
    begin_sweep(v, "outward: bodies in the world");
    t[0] = t_0;
    for (int k = 1; k < tree.count(); ++k) {
      const TreeBody& body = tree.bodies[k];
      const CentralInertia own = central(tree.inertias[k].M);
      R[k] = R[body.parent] * square(X[k].R);
      o[k] = o[body.parent] + R[body.parent] * column(X[k].p);
      const Column3<S> d = R[k] * own.c.template cast<S>();
      c[k] = o[k] + d;
      inertia[k] = turned_symmetric<S>(R[k], own.inertia.template cast<S>());
      t[k] = t[body.parent];
      t[k].b += t[k].a.cross(c[k] - c[body.parent]);
      visit(body, [&](auto joint) {
        for (int i = 0; i < joint.d; ++i) {
          const Motion<double> H = joint.template unit<double>(body, i);
          const Column3<S> w = R[k] * column(H.w).template cast<S>();
          p[body.v + i] = {w, R[k] * column(H.v).template cast<S>() - d.cross(w)};
          t[k].add(p[body.v + i], v[body.v + i]);
        }
      });
    }
  }
};

// Velocity components of a body and of the joints that carry it.
inline std::vector<int> carrying(const Tree& tree, int body) {
  std::vector<int> out;
  for (int k = body; k > 0; k = tree.bodies[k].parent) {
    for (int i = tree.bodies[k].v; i < tree.bodies[k].v + velocity_count(tree.bodies[k]); ++i) out.push_back(i);
  }
  return out;
}

template <class S>
struct Complement {
  std::vector<std::vector<Six<S>>> T, T_dot;  // [body][column]: zero unless the joint carries the body

  // T_ij = [e; e x (c_i - o_j)], p carried to c_i; p rotates with its body
  Complement(const Tree& tree, const WorldBodies<S>& bodies, const S* any_state)
      : T(tree.count(), std::vector<Six<S>>(tree.nv_full, Six<S>::zero())), T_dot(T) {
    begin_sweep(any_state, "T and its rate");
    std::vector<Six<S>> p_dot(tree.nv_full, Six<S>::zero());
    for (int i = 1; i < tree.count(); ++i) {
      const TreeBody& body = tree.bodies[i];
      for (int column = body.v; column < body.v + velocity_count(body); ++column) {
        const Six<S>& p = bodies.p[column];
        p_dot[column] = {bodies.t[i].a.cross(p.a), bodies.t[i].a.cross(p.b)};
      }
      for (int j = i; j > 0; j = tree.bodies[j].parent) {
        const TreeBody& joint = tree.bodies[j];
        for (int column = joint.v; column < joint.v + velocity_count(joint); ++column) {
          const Six<S>& p = bodies.p[column];
          T[i][column] = p, T_dot[i][column] = p_dot[column];
          if (i == j) continue;
          const Column3<S> arm = bodies.c[i] - bodies.c[j], arm_rate = bodies.t[i].b - bodies.t[j].b;
          T[i][column].b += p.a.cross(arm);
          T_dot[i][column].b += p_dot[column].a.cross(arm) + p.a.cross(arm_rate);
        }
      }
    }
  }
};

// (7.58): out <- I = T' M T, column after column of a square of size n, without armature
template <class S>
void noc_inertia(const Tree& tree, const WorldBodies<S>& bodies, const Complement<S>& x, int n, S* out) {
  for (int i = 1; i < tree.count(); ++i) {
    const std::vector<int> columns = carrying(tree, i);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const Six<S>& column = x.T[i][columns[c]];
      const Six<S> momentum = {bodies.inertia[i] * column.a, column.b * S(tree.inertias[i].M.m)};
      for (std::size_t r = c; r < columns.size(); ++r) {
        out[columns[r] + columns[c] * n] += dot(x.T[i][columns[r]], momentum);
      }
    }
  }
  for (int i = 1; i < tree.count(); ++i) {  // the other triangle
    const std::vector<int> columns = carrying(tree, i);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      for (std::size_t r = c; r < columns.size(); ++r) {
        out[columns[c] + columns[r] * n] = out[columns[r] + columns[c] * n];
      }
    }
  }
}

// (7.57): tau = T' (M (T a + T_dot v + t_dot_base) + W M t - w), the base's gravity subtracted from t_dot_base; a may be
// null for zero. t_dot_base(i), w(i): functions of the body.
template <class S, class Rate, class Wrench>
void noc_forces(const Tree& tree, const WorldBodies<S>& bodies, const Complement<S>& x, const S* v, const S* a,
                const Rate& t_dot_base, const Wrench& add_wrench, S* tau) {
  for (int i = 0; i < tree.nv_full; ++i) tau[i] = S(0);
  for (int i = 1; i < tree.count(); ++i) {
    const std::vector<int> columns = carrying(tree, i);
    Six<S> t_dot = t_dot_base(i);
    for (const int c : columns) {
      t_dot.add(x.T_dot[i][c], v[c]);
      if (a != nullptr) t_dot.add(x.T[i][c], a[c]);
    }
    const Column3<S>& w = bodies.t[i].a;
    const Column3<S> momentum = bodies.inertia[i] * w;
    Six<S> wrench = {bodies.inertia[i] * t_dot.a + w.cross(momentum), t_dot.b * S(tree.inertias[i].M.m)};
    add_wrench(i, wrench);
    for (const int c : columns) tau[c] += dot(x.T[i][c], wrench);
  }
}

}  // namespace catena::kernel
