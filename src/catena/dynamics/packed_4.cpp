// The only file with this code: compiled for vectors of four (CMakeLists.txt).
#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "catena/dynamics/packed.hpp"
#include "catena/spatial/lanes.hpp"

namespace catena::kernel {
namespace {

using S = spatial::Lanes<4>;
using spatial::read;
using spatial::write;

// The halves of a vector changed over: z . x y. The first half twice, the second half twice. On its own the compiler
// would take the one instruction that moves any number anywhere, which waits twice as long as these.
#ifdef __x86_64__
CATENA_INLINE S halves_changed(const S& a) { return S(_mm256_permute2f128_pd(a.x, a.x, 0x01)); }
CATENA_INLINE S first_half(const S& a) { return S(_mm256_permute2f128_pd(a.x, a.x, 0x00)); }
CATENA_INLINE S second_half(const S& a) { return S(_mm256_permute2f128_pd(a.x, a.x, 0x11)); }
#else
CATENA_INLINE S halves_changed(const S& a) { return S(__builtin_shufflevector(a.x, a.x, 2, 3, 0, 1)); }
CATENA_INLINE S first_half(const S& a) { return S(__builtin_shufflevector(a.x, a.x, 0, 1, 0, 1)); }
CATENA_INLINE S second_half(const S& a) { return S(__builtin_shufflevector(a.x, a.x, 2, 3, 2, 3)); }
#endif

// A vector in the two orders that a cross product takes.
struct Cycled {
  S yzx, zxy;

  CATENA_INLINE explicit Cycled(const S& a) {
    const S changed = halves_changed(a);
    const S yz(__builtin_shufflevector(a.x, changed.x, 1, 4, 2, 6));
    yzx = S(__builtin_shufflevector(yz.x, changed.x, 0, 1, 6, 3));
    zxy = S(__builtin_shufflevector(changed.x, a.x, 0, 4, 3, 6));
  }
  CATENA_INLINE explicit Cycled(const Cycle& a) : yzx(read<4>(a + 1)), zxy(read<4>(a + 2)) {}
};
CATENA_INLINE S cross(const Cycled& a, const Cycled& b) { return a.yzx * b.zxy - a.zxy * b.yzx; }

// Each number of a vector in all places of another.
struct Spread {
  S x, y, z;

  CATENA_INLINE explicit Spread(const S& a) {
    const S xy = first_half(a), z_ = second_half(a);
    x = S(__builtin_shufflevector(xy.x, xy.x, 0, 0, 2, 2));
    y = S(__builtin_shufflevector(xy.x, xy.x, 1, 1, 3, 3));
    z = S(__builtin_shufflevector(z_.x, z_.x, 0, 0, 2, 2));
  }
  // From memory: nothing that others wait for hangs on it, and shuffles are scarcer than loads. (The compiler is told
  // that it does not know what is there, or it would take the numbers from the register just written.)
  CATENA_INLINE explicit Spread(Packed3& a) {
    asm("" : "+m"(a));
    x = S(a[0]), y = S(a[1]), z = S(a[2]);
  }
  CATENA_INLINE explicit Spread(const Cycle& a) : x(a[0]), y(a[1]), z(a[2]) {}
};

CATENA_INLINE S swapped(const S& a) { return S(__builtin_shufflevector(a.x, a.x, 1, 0, 3, 2)); }
CATENA_INLINE S only_z(double z) { return S(S::Vector{0, 0, 1, 0}) * S(z); }
CATENA_INLINE S along_x_against_y(double s) { return S(S::Vector{1, -1, 0, 0}) * S(s); }

struct Columns {
  S x, y, z;
  CATENA_INLINE Columns(const S& x_in, const S& y_in, const S& z_in) : x(x_in), y(y_in), z(z_in) {}
  CATENA_INLINE explicit Columns(const Packed3 (&c)[3]) : x(read<4>(c[0])), y(read<4>(c[1])), z(read<4>(c[2])) {}
};
// sum + M v. What body after body waits for is v: the sum is begun with all that is there already.
CATENA_INLINE S add_product(const S& sum, const Columns& M, const Spread& v) {
  return ((sum + M.x * v.x) + M.y * v.y) + M.z * v.z;
}
CATENA_INLINE S product(const Columns& M, const Spread& v) { return (M.x * v.x + M.y * v.y) + M.z * v.z; }

CATENA_INLINE Vec3<double> unpack(const Packed3& v) { return {v[0], v[1], v[2]}; }
CATENA_INLINE void put(const Vec3<double>& v, Packed3& out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

// R = placement Rot_z
CATENA_INLINE void turn(double sine, double cosine, PackedBody& out) {
  const S c = S(cosine) * S(S::Vector{1, 1, 0, 0}) + S(S::Vector{0, 0, 1, 0}), s = along_x_against_y(sine);
  for (int i = 0; i < 3; ++i) {
    const S row = read<4>(out.placement_row[i]);
    write<4>(out.row[i], row * c + swapped(row) * s);
  }
  const S x = read<4>(out.placement_x), y = read<4>(out.placement_y);
  write<4>(out.axis[0], x * S(cosine) + y * S(sine));
  write<4>(out.axis[1], y * S(cosine) - x * S(sine));
}
__attribute__((noinline)) void place(const TreeBody& body, const double* q, double sine, double cosine,
                                     PackedBody& out) {
  const Transform<double> X =
      visit(body, [&](auto joint) CATENA_INLINE_LAMBDA { return joint.pose(body, q + body.q, sine, cosine); });
  const Mat3<double>& R = X.R;
  put({R.cx.x, R.cy.x, R.cz.x}, out.row[0]);
  put({R.cx.y, R.cy.y, R.cz.y}, out.row[1]);
  put({R.cx.z, R.cy.z, R.cz.z}, out.row[2]);
  put(R.cx, out.axis[0]), put(R.cy, out.axis[1]), put(R.cz, out.axis[2]);
  for (int i = 0; i < 6; i += 3) out.p[i] = X.p.x, out.p[i + 1] = X.p.y, out.p[i + 2] = X.p.z;
}

// What a joint adds to the motion of its body, as Joint::swing and Joint::add say; a may be null.
__attribute__((noinline)) void add_joint(const TreeBody& body, const double* v, const double* a, PackedBody& out) {
  Vec3<double> w = unpack(out.w);
  Motion<double> alpha = {unpack(out.dw), unpack(out.a)};
  visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
    joint.swing(body, w, alpha, v + body.v);
    if (a != nullptr) joint.add(body, alpha, a + body.v);
  });
  put(w, out.w), put(alpha.w, out.dw), put(alpha.v, out.a);
}

// The columns of a joint with another map than the revolute's.
__attribute__((noinline)) void start_columns(const Tree& tree, int k, const PackedBody& own, PackedColumn* columns) {
  const TreeBody& body = tree.bodies[k];
  const auto& J = own.R_J;
  const Inertia<double> R = {own.R_m, unpack(own.R_h), {J[0][0], J[1][1], J[2][2], J[0][1], J[0][2], J[1][2]}};
  visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
    for (int c = 0; c < joint.d; ++c) {
      const Force<double> F = joint.times_column(body, R, c);
      PackedColumn& column = columns[tree.depth_first.place[body.v + c]];
      put(F.n, column.n), put(F.f, column.f);
    }
  });
}

// R_parent += X' R X: J turned and, with h' = h + m p / 2, J + 2 (p . h') 1 - p h'' - h' p'
CATENA_INLINE void add_composite(const Columns& R, PackedBody& own, PackedBody& parent) {
  const S h = product(R, Spread(own.R_h)), p = read<4>(own.p), m(own.R_m);
  const S half = h + p * (m * 0.5);
  const Spread p_s(own.p), half_s(half);
  const S twice = (p_s.x * half_s.x + p_s.y * half_s.y + p_s.z * half_s.z) * 2.0;
  const Columns T(product(R, Spread(own.R_J[0])), product(R, Spread(own.R_J[1])), product(R, Spread(own.R_J[2])));
  const auto add = [&](int i, const S& unit, const S& p_i, const S& half_i) CATENA_INLINE_LAMBDA {
    const S shift = (twice * unit - p * half_i) - half * p_i;
    write<4>(parent.R_J[i], add_product(read<4>(parent.R_J[i]) + shift, T, Spread(own.row[i])));
  };
  add(0, S(S::Vector{1, 0, 0, 0}), p_s.x, half_s.x);
  add(1, S(S::Vector{0, 1, 0, 0}), p_s.y, half_s.y);
  add(2, S(S::Vector{0, 0, 1, 0}), p_s.z, half_s.z);
  write<4>(parent.R_h, read<4>(parent.R_h) + (h + p * m));
  parent.R_m += own.R_m;
}

// A body's motion, ready for products.
struct Swing3 {
  S w, dw, a;
  Cycled w_c, dw_c;

  CATENA_INLINE Swing3(const S& w_in, const S& dw_in, const S& a_in) : w(w_in), dw(dw_in), a(a_in), w_c(w), dw_c(dw) {}
  CATENA_INLINE explicit Swing3(const PackedBody& body) : Swing3(read<4>(body.w), read<4>(body.dw), read<4>(body.a)) {}
};

// f = m a + dw x h + w x (w x h)     n = J dw + w x J w + h x a
CATENA_INLINE void inertial_force(const Swing3& s, PackedBody& out) {
  const Cycled h(out.h);
  const Columns J(out.J);
  write<4>(out.f, (cross(s.dw_c, h) + cross(s.w_c, Cycled(cross(s.w_c, h)))) + s.a * S(out.m));
  write<4>(out.n,
           (product(J, Spread(out.dw)) + cross(s.w_c, Cycled(product(J, Spread(out.w))))) + cross(h, Cycled(s.a)));
}

// Calls put(i, j, M_ij) for each component j and each i further out, itself included. With armature.
// inward, body by body, with all columns of the bodies further out in the frame of this one:
//   F_k = R_k H_k     M_jk = H_j' F_k     F <- X' F     R_parent += X' R X
template <class Put>
CATENA_INLINE void mass_entries(const Tree& tree, PackedBody* b, PackedColumn* columns, const Put& put) {
  const int count = tree.count();
  const TreeBody* const bodies = tree.bodies.data();
  const DepthFirst& order = tree.depth_first;
  for (int k = 1; k < count; ++k) {
    for (int i = 0; i < 3; ++i) write<4>(b[k].R_J[i], read<4>(b[k].J[i]));
    write<4>(b[k].R_h, read<4>(b[k].h));
    b[k].R_m = b[k].m;
  }
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = bodies[k];
    PackedBody& own = b[k];
    const int place = order.place[body.v], end = order.end[place];
    if (body.kind == JointKind::revolute) [[likely]] {
      write<4>(columns[place].n, read<4>(own.R_J[2]));
      write<4>(columns[place].f, swapped(read<4>(own.R_h)) * along_x_against_y(-1));
      put(body.v, body.v, own.R_J[2][2] + tree.terms[body.v].armature);
      for (int c = place + 1; c < end; ++c) put(order.component[c], body.v, columns[c].n[2]);
    } else {
      start_columns(tree, k, own, columns);
      visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
        for (int c = 0; c < joint.d; ++c) {
          const Force<double> F = {unpack(columns[place + c].n), unpack(columns[place + c].f)};
          for (int r = 0; r < c; ++r) put(body.v + c, body.v + r, joint.project(body, F, r));
          put(body.v + c, body.v + c, joint.project(body, F, c) + tree.terms[body.v + c].armature);
        }
        for (int c = place + joint.d; c < end; ++c) {
          const Force<double> F = {unpack(columns[c].n), unpack(columns[c].f)};
          const int i = order.component[c];
          for (int r = 0; r < joint.d; ++r) put(i, body.v + r, joint.project(body, F, r));
        }
      });
    }
    if (body.parent == 0) continue;
    const Columns R(own.axis);
    const Cycled p(own.p);
    for (int c = place; c < end; ++c) {
      const S f = product(R, Spread(columns[c].f));
      write<4>(columns[c].n, add_product(cross(p, Cycled(f)), R, Spread(columns[c].n)));
      write<4>(columns[c].f, f);
    }
    add_composite(R, own, b[body.parent]);
  }
}

}  // namespace

void place_packed(const Tree& tree, const double* q, Positions<double>& angles, Packed& packed) {
  PackedBody* const out = packed.bodies.data();
  const int turning = static_cast<int>(tree.angles.size()), count = tree.count();
  double *const angle = angles.angle.data(), *const sine = angles.sine.data(), *const cosine = angles.cosine.data();
  for (int i = 0; i < turning; ++i) angle[i] = q[tree.angles[i]];
  for (int i = 0; i < turning; i += 4) {
    S s, c;
    sincos(read<4>(angle + i), s, c);
    write<4>(sine + i, s), write<4>(cosine + i, c);
  }
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = tree.bodies[k];
    if (body.kind == JointKind::revolute) [[likely]]
      turn(sine[body.angle], cosine[body.angle], out[k]);
    else if (body.angle >= 0)
      place(body, q, sine[body.angle], cosine[body.angle], out[k]);
    else
      place(body, q, 0, 1, out[k]);
  }
}

void mass_matrix_packed(const Tree& tree, Packed& packed, double* M, int stride) {
  const std::ptrdiff_t next = stride;
  if (tree.longest_path < tree.nv_full) {
    for (int j = 0; j < tree.nv_full; ++j) {
      for (int i = 0; i < tree.nv_full; ++i) M[i + j * next] = 0;
    }
  }
  mass_entries(tree, packed.bodies.data(), packed.columns.data(),
               [=](int i, int j, double value) CATENA_INLINE_LAMBDA { M[i + j * next] = M[j + i * next] = value; });
}

void mass_rows_packed(const Tree& tree, Packed& packed, TreeRows<double>& rows) {
  const Step* const steps = tree.steps.data();
  mass_entries(tree, packed.bodies.data(), packed.columns.data(),
               [&rows, steps](int i, int j, double value)
                   CATENA_INLINE_LAMBDA { rows.row(i)[steps[j].depth] = value; });
}

void inverse_packed(const Tree& tree, const double* v, const double* a, const Motion<double>& V_0,
                    const Motion<double>& alpha_0, const Force<double>* f_ext, Packed& packed, double* tau) {
  const int count = tree.count();
  const TreeBody* const bodies = tree.bodies.data();
  PackedBody* const b = packed.bodies.data();
  put(V_0.w, b[0].w), put(alpha_0.w, b[0].dw), put(alpha_0.v + spatial::cross(V_0.w, V_0.v), b[0].a);

  // outward:  w = R' w_parent + w_J      dw = R' dw_parent + w x w_J + dw_J
  //           a = R' (a_parent + dw_parent x p + w_parent x (w_parent x p)) + what the joint adds
  Swing3 swing(b[0]);
  inertial_force(swing, b[0]);
  for (int k = 1; k < count; ++k) {
    const TreeBody& body = bodies[k];
    PackedBody& own = b[k];
    if (body.parent != k - 1) swing = Swing3(b[body.parent]);
    const Columns Rt(own.row);
    const Cycled p(own.p);
    const S bend = cross(swing.dw_c, p) + cross(swing.w_c, Cycled(cross(swing.w_c, p)));
    alignas(32) Packed3 bent;
    write<4>(bent, bend);
    const S acceleration = add_product(product(Rt, Spread(bent)), Rt, Spread(swing.a));
    if (body.kind == JointKind::revolute) [[likely]] {
      const S w = add_product(only_z(v[body.v]), Rt, Spread(swing.w));
      const S dw = add_product(only_z(a == nullptr ? 0 : a[body.v]), Rt, Spread(swing.dw)) +
                   swapped(w) * along_x_against_y(v[body.v]);
      write<4>(own.w, w), write<4>(own.dw, dw), write<4>(own.a, acceleration);
      swing = Swing3(w, dw, acceleration);
    } else {
      write<4>(own.w, product(Rt, Spread(swing.w))), write<4>(own.dw, product(Rt, Spread(swing.dw))),
          write<4>(own.a, acceleration);
      add_joint(body, v, a, own);
      swing = Swing3(own);
    }
    inertial_force(swing, own);
  }
  if (f_ext != nullptr) {
    for (int k = 0; k < count; ++k) {
      put(unpack(b[k].n) - f_ext[k].n, b[k].n), put(unpack(b[k].f) - f_ext[k].f, b[k].f);
    }
  }

  // inward:  tau = H' f     f_parent += X' f.  The wrench of the body before waits in registers: it most often goes on.
  S n = read<4>(b[count - 1].n), force = read<4>(b[count - 1].f);
  for (int k = count - 1; k > 0; --k) {
    const TreeBody& body = bodies[k];
    const PackedBody& own = b[k];
    if (body.kind == JointKind::revolute) [[likely]] {
      tau[body.v] = n[2];
    } else {
      const Force<double> wrench = {unpack(own.n), unpack(own.f)};
      visit(body, [&](auto joint) CATENA_INLINE_LAMBDA {
        for (int i = 0; i < joint.d; ++i) tau[body.v + i] = joint.project(body, wrench, i);
      });
    }
    PackedBody& parent = b[body.parent];
    const Columns R(own.axis);
    const S turned = product(R, Spread(force));
    n = add_product(read<4>(parent.n) + cross(Cycled(own.p), Cycled(turned)), R, Spread(n));
    force = read<4>(parent.f) + turned;
    write<4>(parent.f, force), write<4>(parent.n, n);
    if (body.parent != k - 1) n = read<4>(b[k - 1].n), force = read<4>(b[k - 1].f);
  }
}

}  // namespace catena::kernel
