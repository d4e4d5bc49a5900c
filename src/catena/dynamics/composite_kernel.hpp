// The mass matrix by composite bodies, and the Coriolis matrix by the same sweep.
// Source: formula sheet 2.2 (24) for M; for C the first half of Algorithm 2 (3.4) with C = A_D / 2, in body frames:
// C = H Phi (M Phi' H_dot + M_bar Phi' H), so that C v = coriolis forces and M_dot = C + C'.
#pragma once

#include "catena/dynamics/factor_kernel.hpp"
#include "catena/kinematics/link_pose.hpp"

namespace catena::kernel {

// M_bar of sheet 3.1 is [A, 0; -[b]x, 0]: twelve numbers. Sums over bodies and changes of frame keep that form.
template <class S>
struct VelocityInertia {
  Mat3<S> A;
  Vec3<S> b;
};

// A = -[w]x (tr(J)/2 1 - J) - [h]x [u]x     b = m u + w x h, the linear momentum
template <class C, class S>
CATENA_INLINE VelocityInertia<S> velocity_inertia(const Inertia<C>& M, const Motion<S>& V) {
  const Vec3<S>& w = V.w;
  const auto half = (M.J.xx + M.J.yy + M.J.zz) * 0.5;
  // columns of J - tr(J)/2 1
  const Mat3<C> K = {{M.J.xx - half, M.J.xy, M.J.xz}, {M.J.xy, M.J.yy - half, M.J.yz}, {M.J.xz, M.J.yz, M.J.zz - half}};
  Mat3<S> A = cross(w, K);
  // -[h]x [u]x = (h . u) 1 - u h'
  const auto hu = dot(M.h, V.v);
  A.cx -= V.v * M.h.x, A.cy -= V.v * M.h.y, A.cz -= V.v * M.h.z;
  A.cx.x += hu, A.cy.y += hu, A.cz.z += hu;
  return {A, V.v * M.m - cross(M.h, w)};
}

// X' M_bar X
template <class S>
CATENA_INLINE VelocityInertia<S> apply_transposed(const Transform<S>& X, const VelocityInertia<S>& B) {
  VelocityInertia<S> out = {rotate(X.R, B.A), X.R * B.b};
  shift(X.p, out);
  return out;
}

template <class T, class S>
CATENA_INLINE void turn_up_z(const T& t, VelocityInertia<S>& B) {
  turn_up_z(t, B.A), turn_up_z(t, B.b);
}
template <class T, class S>
CATENA_INLINE void turn_up_x(const T& t, VelocityInertia<S>& B) {
  turn_up_x(t, B.A), turn_up_x(t, B.b);
}
template <class S>
CATENA_INLINE void rotate_up(const Mat3<S>& R, VelocityInertia<S>& B) {
  B.A = rotate(R, B.A), B.b = R * B.b;
}
template <class V, class S>
CATENA_INLINE void shift(const Vec3<V>& p, VelocityInertia<S>& B) {  // - [p]x [b]x = (p . b) 1 - b p'
  const S pb = dot(p, B.b);
  B.A.cx -= B.b * p.x, B.A.cy -= B.b * p.y, B.A.cz -= B.b * p.z;
  B.A.cx.x += pb, B.A.cy.y += pb, B.A.cz.z += pb;
}
template <class V, class S>
CATENA_INLINE void shift_x(const V& x, VelocityInertia<S>& B) {
  const S pb = B.b.x * x;
  B.A.cx.y -= B.b.y * x, B.A.cx.z -= B.b.z * x;
  B.A.cy.y += pb, B.A.cz.z += pb;
}
template <class V, class S>
CATENA_INLINE void shift_z(const V& z, VelocityInertia<S>& B) {
  const S pb = B.b.z * z;
  B.A.cz.x -= B.b.x * z, B.A.cz.y -= B.b.y * z;
  B.A.cx.x += pb, B.A.cy.y += pb;
}

// M_bar h and M_bar' h
template <class S>
CATENA_INLINE Force<S> operator*(const VelocityInertia<S>& B, const Motion<S>& h) {
  return {B.A * h.w, -cross(B.b, h.w)};
}
template <class S>
CATENA_INLINE Vec3<S> transposed_times(const VelocityInertia<S>& B, const Motion<S>& h) {
  return spatial::transposed_times(B.A, h.w) + cross(B.b, h.v);
}

// Calls row_of(i)(j, M_ij) for each component i and each j on its way to the ground, itself included. With armature.
// A pose is a LinkPose on the reduced tree, or a Transform in the user's frames, as operations are counted.
template <class Pose, class S, class C, class RowOf>
CATENA_INLINE void mass_matrix_entries(const BasicTree<C>& tree, const std::vector<Pose>& X,
                                       std::vector<Inertia<S>>& composite, const RowOf& row_of) {
  const int count = tree.count();
  const TreeBody* const bodies = tree.bodies.data();
  const Pose* const pose = X.data();
  Inertia<S>* const R = composite.data();
  for (int k = 1; k < count; ++k) {
    R[k] = Inertia<S>::zero();
    R[k] += tree.inertias[k].M;
  }
  // inward:  R = M + sum X' R X     M_kk = H' R H     M_jk = H_j' F, F = R H carried to the ancestors j
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int c = 0; c < joint.d; ++c) {
        Force<S> F = joint.times_column(body, R[k], c);
        const auto put = row_of(body.v + c);
        for (int r = 0; r < c; ++r) put(body.v + r, joint.project(body, F, r));
        put(body.v + c, joint.project(body, F, c) + tree.terms[body.v + c].armature);
        for (int j = k; bodies[j].parent > 0;) {
          F = apply_transposed(pose[j], F);
          j = bodies[j].parent;
          const TreeBody& ancestor = bodies[j];
          visit(ancestor, [&](auto other) CATENA_INLINE_LAMBDA {
            for (int r = 0; r < other.d; ++r) put(ancestor.v + r, other.project(ancestor, F, r));
          });
        }
      }
    });
    if (body.parent > 0) R[body.parent] += apply_transposed(pose[k], R[k]);
  }
}

// M: full coordinates, column-major with the given stride, both triangles.
template <class Pose, class S, class C>
CATENA_INLINE void mass_matrix_sweep(const BasicTree<C>& tree, const std::vector<Pose>& X,
                                     std::vector<Inertia<S>>& composite, S* M, int stride) {
  const std::ptrdiff_t next = stride;
  if (tree.longest_path < tree.nv_full) {
    for (int j = 0; j < tree.nv_full; ++j) {
      for (int i = 0; i < tree.nv_full; ++i) M[i + j * next] = S(0);
    }
  }
  mass_matrix_entries(tree, X, composite, [M, next](int i) CATENA_INLINE_LAMBDA {
    S *const row = M + i, *const column = M + i * next;
    return [row, column, next](int j, const S& value) CATENA_INLINE_LAMBDA { row[j * next] = column[j] = value; };
  });
}
template <class Pose, class S, class C>
CATENA_INLINE void mass_rows_sweep(const BasicTree<C>& tree, const std::vector<Pose>& X,
                                   std::vector<Inertia<S>>& composite, TreeRows<S>& rows) {
  const Ancestor* const ancestors = tree.ancestors.data();
  mass_matrix_entries(tree, X, composite, [&rows, ancestors](int i) CATENA_INLINE_LAMBDA {
    S* const row = rows.row(i);
    return [row, ancestors](int j, const S& value) CATENA_INLINE_LAMBDA { row[ancestors[j].depth] = value; };
  });
}

// C: full coordinates, column-major. V: velocities of the bodies.
template <class Pose, class S, class Number>
CATENA_INLINE void coriolis_matrix_sweep(const BasicTree<Number>& tree, const std::vector<Pose>& X,
                                         const std::vector<Motion<S>>& V, std::vector<Inertia<S>>& composite,
                                         std::vector<VelocityInertia<S>>& composite_bar, S* C, int stride) {
  const int count = tree.count(), n = tree.nv_full;
  const std::ptrdiff_t next = stride;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) C[i + j * next] = S(0);
  }
  for (int k = 1; k < count; ++k) {
    composite[k] = Inertia<S>::zero();
    composite[k] += tree.inertias[k].M;
    composite_bar[k] = velocity_inertia(tree.inertias[k].M, V[k]);
  }
  // inward, for each column h of H_k:   F = R h     F_C = R crm(V) h + R_bar h     g = R_bar' h
  //   C_kk = h' F_C     C_jk = h_j' F_C     C_kj = F' crm(V_j) h_j + g' h_j
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
      for (int c = 0; c < joint.d; ++c) {
        const int column = body.v + c;
        const Motion<S> h = joint.template unit<S>(body, c);
        Force<S> F = joint.times_column(body, composite[k], c);
        Force<S> F_C = composite[k] * cross(V[k], h) + composite_bar[k] * h;
        Vec3<S> g = transposed_times(composite_bar[k], h);
        for (int r = 0; r < joint.d; ++r) C[body.v + r + column * next] = joint.project(body, F_C, r);
        for (int j = k; tree.bodies[j].parent > 0;) {
          F = apply_transposed(X[j], F);
          F_C = apply_transposed(X[j], F_C);
          g = turn_up(X[j], g);
          j = tree.bodies[j].parent;
          const TreeBody& ancestor = tree.bodies[j];
          // F' crm(V) h_j = (crm(V)' F)' h_j = -(crf(V) F)' h_j
          Force<S> row = cross(V[j], F) * -1.0;
          row.n += g;
          visit(ancestor, [&](auto other) CATENA_INLINE_LAMBDA {
            for (int r = 0; r < other.d; ++r) {
              C[ancestor.v + r + column * next] = other.project(ancestor, F_C, r);
              C[column + (ancestor.v + r) * next] = other.project(ancestor, row, r);
            }
          });
        }
      }
    });
    if (body.parent > 0) {
      composite[body.parent] += apply_transposed(X[k], composite[k]);
      const VelocityInertia<S> up = apply_transposed(X[k], composite_bar[k]);
      composite_bar[body.parent].A += up.A;
      composite_bar[body.parent].b += up.b;
    }
  }
}

// The same for double.
void mass_rows_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X, std::vector<Inertia<double>>& composite,
                     TreeRows<double>& rows);
void mass_matrix_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X,
                       std::vector<Inertia<double>>& composite, double* M, int stride);
void coriolis_matrix_sweep(const Tree& tree, const std::vector<LinkPose<double>>& X,
                           const std::vector<Motion<double>>& V, std::vector<Inertia<double>>& composite,
                           std::vector<VelocityInertia<double>>& composite_bar, double* C, int stride);

}  // namespace catena::kernel
