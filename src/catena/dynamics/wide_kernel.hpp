// Forward dynamics up to M and the bias with a body, then a component, in each of N lanes (wide.hpp). Source: formula
// sheet 1.5, 2.2 (24), in the axes of the ground. Included by files for one instruction set only.
#pragma once

#include "catena/dynamics/wide_lanes.hpp"

namespace catena::kernel::wide {

// R <- R R_turn: a planar rotation of the columns x and y of a pose.
template <class S>
CATENA_INLINE void turn_columns(const S& c, const S& s, S& x, S& y) {
  const S old = x;
  x = old * c + y * s;
  y = y * c - old * s;
}

// A body's pose from its parent's (placed_on in link_pose.hpp), by whole columns.
template <int N>
CATENA_INLINE void place_link(const WidePose& parent, const LinkPose<double>& X, WidePose& own) {
  using S = spatial::Lanes<N>;
  const Link& link = *X.link;
  for (int i = 0; i < 4; i += N) {
    S x = read<N>(parent.cx + i), y = read<N>(parent.cy + i), z = read<N>(parent.cz + i);
    S p = read<N>(parent.p + i) + x * S(link.p.x);
    if (!link.plain) {
      p += y * S(link.p.y) + z * S(link.p.z);
      turn_columns(S(link.beta.c), S(link.beta.s), x, y);
    }
    turn_columns(S(link.alpha.c), S(link.alpha.s), y, z);
    turn_columns(S(X.gamma.c), S(X.gamma.s), x, y);
    if (X.moved != nullptr) {
      const Displacement<double>& moved = *X.moved;
      p += x * S(moved.t.x) + y * S(moved.t.y) + z * S(moved.t.z);
      if (moved.planar) {
        turn_columns(S(moved.own.c), S(moved.own.s), x, y);
      } else {
        const Mat3<double>& R = moved.R;
        const S old_x = x, old_y = y, old_z = z;
        x = old_x * S(R.cx.x) + old_y * S(R.cx.y) + old_z * S(R.cx.z);
        y = old_x * S(R.cy.x) + old_y * S(R.cy.y) + old_z * S(R.cy.z);
        z = old_x * S(R.cz.x) + old_y * S(R.cz.y) + old_z * S(R.cz.z);
      }
    }
    write<N>(own.cx + i, x), write<N>(own.cy + i, y), write<N>(own.cz + i, z);
    write<N>(own.p + i, p + z * S(X.d));
  }
}

// Poses of all bodies in the axes of the ground, and the columns of all joint maps.
template <int N>
CATENA_INLINE void place(const Tree& tree, const std::vector<LinkPose<double>>& X, Wide& w) {
  const int count = tree.count();
  const TreeBody* const bodies = tree.bodies.data();
  WidePose* const world = w.world.data();
  Motion<double>* const H = w.H.data();
  const int* const places = tree.depth_first.place.data();
  w.point = count > 1 ? position(X[1]) : Vec3<double>::zero();
  world[0] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {-w.point.x, -w.point.y, -w.point.z, 0}};
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = bodies[k];
    WidePose& own = world[k];
    place_link<N>(world[body.parent], X[k], own);
    const auto vector = [](const double* c) CATENA_INLINE_LAMBDA { return Vec3<double>{c[0], c[1], c[2]}; };
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      const Transform<double> pose = {{vector(own.cx), vector(own.cy), vector(own.cz)}, vector(own.p)};
      for (int i = 0; i < joint.d; ++i) H[places[body.v + i]] = joint.outer_unit(body, pose, i);
    });
  }
}

// M of each body in the axes of the ground.
template <int N>
CATENA_INLINE Inertia<spatial::Lanes<N>> world_inertia(const Tree& tree, const int (&who)[N], const Wide& w) {
  using S = spatial::Lanes<N>;
  const auto vector = [&](const double(WidePose::*column)[4]) CATENA_INLINE_LAMBDA {
    S numbers[4];
    for (int i = 0; i < 4; i += N) {
      S square[N];
      for (int l = 0; l < N; ++l) square[l] = read<N>(w.world[who[l]].*column + i);
      transpose(square);
      for (int l = 0; l < N; ++l) numbers[i + l] = square[l];
    }
    return Vec3<S>{numbers[0], numbers[1], numbers[2]};
  };
  const Transform<S> pose = {{vector(&WidePose::cx), vector(&WidePose::cy), vector(&WidePose::cz)},
                             vector(&WidePose::p)};
  const Inertia<double>* inertias[N];
  for (int l = 0; l < N; ++l) inertias[l] = &tree.inertias[who[l]].M;
  return spatial::apply_transposed(pose, gather<N, Inertia>(inertias));
}

// outward:  V = V_parent + H v     alpha = alpha_parent + crm(V) H v + H a;   a null for zero
template <int N>
CATENA_INLINE void move(const Tree& tree, const WideState& state, const double* a, Wide& w) {
  const int count = tree.count();
  const TreeBody* const bodies = tree.bodies.data();
  const int* const places = tree.depth_first.place.data();
  const Motion<double>* const H = w.H.data();
  Motion<double>*const V = w.V.data(), *const alpha = w.alpha.data();
  const Transform<double> shift = {Mat3<double>::identity(), w.point};
  V[0] = spatial::apply(shift, state.V_0);
  alpha[0] = spatial::apply(shift, state.alpha_0);
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = bodies[k];
    Motion<double> rate = Motion<double>::zero(), change = Motion<double>::zero();
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int i = 0; i < joint.d; ++i) {
        rate += H[places[body.v + i]] * state.v[body.v + i];
        if (a != nullptr) change += H[places[body.v + i]] * a[body.v + i];
      }
    });
    V[k] = V[body.parent] + rate;
    alpha[k] = alpha[body.parent] + cross(V[k], rate) + change;
  }
}

// Each body by itself: M, M_bar and f = M alpha + M_bar V.
template <int N>
CATENA_INLINE void load_bodies(const Tree& tree, Wide& w) {
  using S = spatial::Lanes<N>;
  each_vector<N>(1, tree.count(), [&](int, const int(&who)[N]) CATENA_INLINE_LAMBDA {
    const Motion<double>*velocities[N], *accelerations[N];
    point_to<N>(w.V.data(), who, velocities), point_to<N>(w.alpha.data(), who, accelerations);
    Load<S> load;
    load.R = world_inertia<N>(tree, who, w);
    const Motion<S> V = gather<N, Motion>(velocities);
    const VelocityInertia<S> M_bar = velocity_inertia(load.R, V);
    load.f = load.R * gather<N, Motion>(accelerations) + M_bar * V;
    load.twice_R_bar = {{M_bar.A.cx * 2.0, M_bar.A.cy * 2.0, M_bar.A.cz * 2.0}, M_bar.b * 2.0};
    Load<double>* loads[N];
    Inertia<double>* inertias[N];
    point_to<N>(w.load.data(), who, loads), point_to<N>(w.M.data(), who, inertias);
    scatter<N, Load>(load, loads);
    scatter<N, Inertia>(load.R, inertias);
  });
}
CATENA_INLINE void sum_loads(const Tree& tree, Wide& w) {
  for (int k = tree.count() - 1; k > 0; --k) {
    const int parent = tree.bodies[k].parent;
    if (parent > 0) add(w.load[parent], w.load[k]);
  }
}

template <int N>
void begin_forward(const Tree& tree, const WideState& state, const double* tau, Wide& w, TreeRows<double>& rows,
                   double* drive) {
  using S = spatial::Lanes<N>;
  const Ancestor* const ancestors = tree.ancestors.data();
  const int* const component = tree.depth_first.component.data();
  place<N>(tree, state.X, w);
  move<N>(tree, state, nullptr, w);
  load_bodies<N>(tree, w);
  sum_loads(tree, w);
  each_vector<N>(0, tree.nv_full, [&](int p, const int(&who)[N]) CATENA_INLINE_LAMBDA {
    const Inertia<double>* inertias[N];
    const Force<double>* forces[N];
    const Motion<double>* columns_[N];
    for (int l = 0; l < N; ++l) {
      const Load<double>& load = w.load[tree.depth_first.body[who[l]]];
      inertias[l] = &load.R, forces[l] = &load.f, columns_[l] = &w.H[who[l]];
    }
    const Motion<S> H = gather<N, Motion>(columns_);
    put_rows<N>(H, w.row(Wide::row_H) + p, w.stride);
    put_rows<N>(gather<N, Inertia>(inertias) * H, w.row(Wide::row_X) + p, w.stride);
    write<N>(w.row(Wide::row_bias) + p, dot(H, gather<N, Force>(forces)));
  });
  for (int r = 0; r < tree.nv_full; ++r) {
    const int depth = ancestors[component[r]].depth, end = tree.depth_first.end[r];
    for (int c = r; c < end; c += N) {
      S m(0.0);
      for (std::ptrdiff_t i = 0, at = 0; i < 6; ++i, at += w.stride) {
        m += S(w.row(Wide::row_H)[at + r]) * read<N>(w.row(Wide::row_X) + at + c);
      }
      for (int l = 0; l < N; ++l) {
        if (c + l < end) rows.row(component[c + l])[depth] = m[l];
      }
    }
    const int i = component[r];
    rows.row(i)[depth] += tree.terms[i].armature;
    drive[i] = tau[i] - w.row(Wide::row_bias)[r];
  }
}

}  // namespace catena::kernel::wide
