// The curvature of the kinetic energy's metric M(q): do global coordinates exist in which M is constant, so that the
// diagonalized equations have no Coriolis terms? Only if every Riemann symbol vanishes on an open set.
// Source: formula sheet 4.11 (Lemma 2.2 of Jain and Rodriguez, "Diagonalized Lagrangian robot dynamics").
// Derivatives of M are exact, by nested dual numbers in the mass matrix kernel. Needs v = dq/dt: all joints but
// planar, spherical and free ones, which throw std::invalid_argument naming the joint. Indices are those of v.
#pragma once

#include <cstdint>

#include "catena/kinematics/configuration.hpp"

#pragma GCC visibility push(default)
namespace catena {

//  first[k](i, j) = [ij, k]  = (d_j M_ik + d_i M_jk - d_k M_ij) / 2
// second[l](i, j) = {l; ij} = sum_k M^-1_lk [ij, k]
struct ChristoffelSymbols {
  std::vector<Matrix> first, second;
};
ChristoffelSymbols christoffel_symbols(const Model& model, ConstVector q);

// R_hijk of the first kind, antisymmetric in (h, i) and in (j, k), symmetric under exchange of the pairs; the unit
// sphere has R_1212 = +det M.
struct RiemannSymbol {
  int h = 0, i = 0, j = 0, k = 0;
  double value = 0;
  double bound = 0;  // rounding: a value below it cannot be told from zero. Derived, see docs/linearization.md.
};

struct Curvature {
  Matrix M;
  // The n^2 (n^2 - 1) / 12 independent ones: h < i, j < k, (h, i) <= (j, k), without the h < j < k < i that follow from
  // R_hijk + R_hjki + R_hkij = 0.
  std::vector<RiemannSymbol> symbols;

  bool flat() const;                                // every symbol within its bound, at this q
  double symbol(int h, int i, int j, int k) const;  // any of the n^4, from the independent ones
};
// O(n^4) numbers. Throws NumericalError where the mass matrix is singular.
Curvature curvature(const Model& model, ConstVector q);

// Sectional curvatures K = R(s, s) / (|a|^2 |b|^2 - (a . b)^2) of the planes s = a ^ b of joint velocities.
struct SectionalCurvature {
  Matrix planes;  // (h, i): of the plane of coordinates h and i; its diagonal is zero
  // Extreme eigenvalues of the curvature operator: they bound all planes, and for n <= 3 planes reach them.
  double lowest = 0, highest = 0;
  double scalar = 0;  // scalar curvature: twice the sum of the eigenvalues
};
// For n = 2 all are the Gauss curvature K = R_1212 / det M. O(n^6).
SectionalCurvature sectional_curvature(const Curvature& curvature);

// How far from flat, pair of joints by pair of joints. (h, i): by which angle (rad) a velocity turns that is carried
// parallel around a small rectangle of coordinates h and i, divided by the rectangle's area dq_h dq_i; symmetric, zero
// diagonal. All zero: flat. It counts the symbols that sectional curvatures leave out, R_hijk with (j, k) another plane;
// for n = 2 it is |K| sqrt(det M). Units: 1 for two rotations, 1/m for a rotation and a slide, 1/m^2 for two slides.
// A symbol within its rounding bound counts as zero.
Matrix pair_curvature(const Curvature& curvature);

// The same over the workspace, times the area of the two joints' ranges (limits, or what random_configuration takes in
// their place), so that it has no unit but rad: the curvature added up over the motions of both. mean: of the samples;
// largest: as if all poses were like the worst of them.
struct PairCurvature {
  Matrix mean, largest;
  Vector range;  // of each coordinate, rad or m
  int samples = 0;
};
PairCurvature pair_curvature(const Model& model, int samples = 20, std::uint64_t seed = 1);

// Flat on an open set: symbols are analytic in q, so that one that vanishes at random configurations vanishes
// everywhere with probability one; one that does not vanish somewhere settles the question.
struct Flatness {
  bool flat = true;  // at every sample
  int samples = 0;
  Vector q;             // the sample whose symbols exceed their bounds most
  Curvature curvature;  // there
};
Flatness flatness(const Model& model, int samples = 8, std::uint64_t seed = 1);

}  // namespace catena
#pragma GCC visibility pop
