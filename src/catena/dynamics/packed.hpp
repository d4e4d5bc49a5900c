// One state in double with a 3-vector in each vector of four numbers, the fourth of no concern: a rotation takes three
// instructions instead of nine, and motion and force of a body stay in registers. Every quantity of body k is in frame
// k. For processors with vectors of four; the others, and robots of very many bodies, take the sweeps over single numbers.
#pragma once

#include "catena/dynamics/composite_kernel.hpp"
#include "catena/dynamics/inverse_kernel.hpp"

namespace catena::kernel {

using Packed3 = double[4];
using Cycle = double[8];  // x y z x y z: the vector itself, yzx and zxy begin at 0, 1 and 2

// Aligned, because a vector that lies in two lines of the cache is written and read again late.
struct alignas(32) PackedBody {
  // constants
  Packed3 placement_row[3], placement_x, placement_y;
  Packed3 J[3];
  Cycle h;
  // pose in the parent: rows and columns of the rotation
  Packed3 row[3], axis[3];
  Cycle p;
  // motion, as in inverse_kernel.hpp, and the parent's wrench
  Packed3 w, dw, a, n, f;
  // composite body: all from this one outward, as if rigid
  Packed3 R_J[3], R_h;
  double R_m, m;  // last, for all else begins at a whole vector
};

// A column of a joint map times the composite inertia, carried to the body where the sweep is.
struct alignas(32) PackedColumn {
  Packed3 n, f;
};

struct Packed {
  std::vector<PackedBody> bodies;     // none where single numbers are better
  std::vector<PackedColumn> columns;  // by place in tree.depth_first

  explicit Packed(const Tree& tree);
  bool in_use() const { return !bodies.empty(); }
  Force<double> wrench(int body) const {
    const PackedBody& b = bodies[body];
    return {{b.n[0], b.n[1], b.n[2]}, {b.f[0], b.f[1], b.f[2]}};
  }
};

// As update_positions: the poses that the others begin with. angles gets their sines and cosines.
void place_packed(const Tree& tree, const double* q, Positions<double>& angles, Packed& packed);
// As inverse_sweeps.
void inverse_packed(const Tree& tree, const double* v, const double* a, const Motion<double>& V_0,
                    const Motion<double>& alpha_0, const Force<double>* f_ext, Packed& packed, double* tau);
// As mass_matrix_sweep and mass_rows_sweep.
void mass_matrix_packed(const Tree& tree, Packed& packed, double* M, int stride);
void mass_rows_packed(const Tree& tree, Packed& packed, TreeRows<double>& rows);

}  // namespace catena::kernel
