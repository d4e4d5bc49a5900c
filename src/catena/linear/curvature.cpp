#include "catena/linear/curvature.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>

#include "catena/dynamics/mass_factor.hpp"
#include "catena/kinematics/ranges.hpp"
#include "catena/linear/metric_derivatives.hpp"

namespace catena {

using namespace kernel;

namespace {

// [ij, k] for all k, or its majorant.
Vector first_kind(const Metric& metric, Eigen::Index i, Eigen::Index j, bool majorant) {
  const Eigen::Index n = metric.M.rows();
  Vector out(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const double last = metric.first[k](i, j);
    out[k] = 0.5 * (metric.first[j](i, k) + metric.first[i](j, k) + (majorant ? last : -last));
  }
  return out;
}

// c_ij = [ij, .], x_ij = M^-1 c_ij, and what rounding can do to the product x_ij . c_hk. Columns by pair i <= j.
struct Products {
  Matrix c, x;
  Matrix c_error;  // of c, absolute
  Matrix x_absolute;
  Matrix spread;     // (error of M, and of the solve) |x|
  double dot_error;  // relative to |x| . |c|

  Products(const Model& model, const Metric& metric, const Metric& majorants, double u) {
    const Eigen::Index n = metric.M.rows(), pairs = n * (n + 1) / 2;
    c.resize(n, pairs);
    c_error.resize(n, pairs);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = i; j < n; ++j) {
        c.col(pair(i, j)) = first_kind(metric, i, j, false);
        c_error.col(pair(i, j)) = (u + gamma(3)) * first_kind(majorants, i, j, true);
      }
    }
    x = MassFactor(model, metric.M).solve(c);
    x_absolute = x.cwiseAbs();
    // The factor solves a system whose matrix is off by gamma(3n + 1) |L|D|L'| <= gamma(3n + 1) sqrt(M_ii M_jj).
    const Vector root = metric.M.diagonal().cwiseSqrt();
    spread = (u * majorants.M + gamma(3.0 * static_cast<double>(n) + 1) * root * root.transpose()) * x_absolute;
    dot_error = gamma(static_cast<double>(n) + 2);
  }

  static Eigen::Index pair(Eigen::Index i, Eigen::Index j) {
    if (i > j) std::swap(i, j);
    return j * (j + 1) / 2 + i;
  }
  double value(Eigen::Index i, Eigen::Index j, Eigen::Index h, Eigen::Index k) const {
    return x.col(pair(i, j)).dot(c.col(pair(h, k)));
  }
  // First order: d(c' M^-1 d) = x_d . dc + x_c . dd - x_c' dM x_d, each by absolute values.
  double error(Eigen::Index i, Eigen::Index j, Eigen::Index h, Eigen::Index k) const {
    const Eigen::Index a = pair(i, j), b = pair(h, k);
    return x_absolute.col(a).dot(c_error.col(b)) + x_absolute.col(b).dot(c_error.col(a)) +
           x_absolute.col(a).dot(spread.col(b)) + dot_error * x_absolute.col(a).dot(c.col(b).cwiseAbs());
  }
};

// R_hijk = (d_i d_j M_hk + d_h d_k M_ij - d_i d_k M_hj - d_h d_j M_ik) / 2 + {l; ij}[hk, l] - {l; ik}[hj, l]
double second_part(const Metric& m, int h, int i, int j, int k, double sign) {
  return 0.5 * (m.by(i, j)(h, k) + m.by(h, k)(i, j) + sign * (m.by(i, k)(h, j) + m.by(h, j)(i, k)));
}

}  // namespace

ChristoffelSymbols christoffel_symbols(const Model& model, ConstVector q) {
  const Metric metric = metric_derivatives(model, q);
  const Eigen::Index n = metric.M.rows();
  const MassFactor factor(model, metric.M);
  ChristoffelSymbols out{std::vector<Matrix>(n, Matrix(n, n)), std::vector<Matrix>(n, Matrix(n, n))};
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      const Vector c = first_kind(metric, i, j, false), x = factor.solve(c);
      for (Eigen::Index k = 0; k < n; ++k) out.first[k](i, j) = c[k], out.second[k](i, j) = x[k];
    }
  }
  return out;
}

Curvature curvature(const Model& model, ConstVector q) {
  const Metric metric = metric_derivatives(model, q), majorants = metric_majorants(model, q);
  const double u = rounding_factor(model);
  const Products products(model, metric, majorants, u);
  const int n = model.nv();
  Curvature out{metric.M, {}};
  for (int h = 0; h < n; ++h) {
    for (int i = h + 1; i < n; ++i) {
      for (int j = h; j < n; ++j) {
        for (int k = j + 1; k < n; ++k) {
          if (j == h && k < i) continue;  // (h, i) <= (j, k)
          if (h < j && k < i) continue;   // by the cyclic sum
          const double first = products.value(i, j, h, k), second = products.value(i, k, h, j);
          const double value = second_part(metric, h, i, j, k, -1) + first - second;
          const double sizes = second_part(majorants, h, i, j, k, 1);
          const double bound = (u + gamma(6)) * sizes + products.error(i, j, h, k) + products.error(i, k, h, j) +
                               gamma(3) * (std::abs(first) + std::abs(second));
          out.symbols.push_back({h, i, j, k, value, bound});
        }
      }
    }
  }
  return out;
}

bool Curvature::flat() const {
  return std::all_of(symbols.begin(), symbols.end(),
                     [](const RiemannSymbol& s) { return std::abs(s.value) <= s.bound; });
}

double Curvature::symbol(int h, int i, int j, int k) const {
  double sign = 1;
  if (h == i || j == k) return 0;
  if (h > i) std::swap(h, i), sign = -sign;
  if (j > k) std::swap(j, k), sign = -sign;
  if (h > j || (h == j && i > k)) std::swap(h, j), std::swap(i, k);
  if (h < j && k < i) return sign * (symbol(h, j, i, k) - symbol(h, k, i, j));  // R_hijk = -R_hjki - R_hkij
  const auto before = [](const RiemannSymbol& s, const std::array<int, 4>& wanted) {
    return std::array<int, 4>{s.h, s.i, s.j, s.k} < wanted;
  };
  const std::array<int, 4> wanted{h, i, j, k};
  const auto found = std::lower_bound(symbols.begin(), symbols.end(), wanted, before);
  if (found == symbols.end() || h < 0 || std::array<int, 4>{found->h, found->i, found->j, found->k} != wanted) {
    throw std::invalid_argument("the curvature has no symbol with these indices");
  }
  return sign * found->value;
}

SectionalCurvature sectional_curvature(const Curvature& curvature) {
  const Matrix& M = curvature.M;
  const int n = static_cast<int>(M.rows()), planes = n * (n - 1) / 2;
  SectionalCurvature out{Matrix::Zero(n, n), 0, 0, 0};
  if (n < 2) return out;
  // R and the metric of planes, G = M_hj M_ik - M_hk M_ij, as matrices over the planes (h, i).
  Matrix R(planes, planes), G(planes, planes);
  int row = 0;
  for (int h = 0; h < n; ++h) {
    for (int i = h + 1; i < n; ++i, ++row) {
      int column = 0;
      for (int j = 0; j < n; ++j) {
        for (int k = j + 1; k < n; ++k, ++column) {
          R(row, column) = curvature.symbol(h, i, j, k);
          G(row, column) = M(h, j) * M(i, k) - M(h, k) * M(i, j);
        }
      }
      out.planes(h, i) = out.planes(i, h) = R(row, row) / G(row, row);
    }
  }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> solver(R, G, Eigen::EigenvaluesOnly | Eigen::Ax_lBx);
  out.lowest = solver.eigenvalues().minCoeff();
  out.highest = solver.eigenvalues().maxCoeff();
  out.scalar = 2 * solver.eigenvalues().sum();
  return out;
}

// R_hi as a matrix of its last two indices, in axes of unit length: L^-1 R_hi L^-T with M = L L', a rate of rotation.
Matrix pair_curvature(const Curvature& curvature) {
  const int n = static_cast<int>(curvature.M.rows());
  Curvature certain = curvature;
  for (RiemannSymbol& s : certain.symbols) s.value = std::abs(s.value) <= s.bound ? 0 : s.value;
  const Eigen::LLT<Matrix> factor(curvature.M);
  Matrix out = Matrix::Zero(n, n), R(n, n);
  for (int h = 0; h < n; ++h) {
    for (int i = h + 1; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) R(j, k) = certain.symbol(h, i, j, k);
      }
      factor.matrixL().solveInPlace(R);
      R.transposeInPlace();
      factor.matrixL().solveInPlace(R);
      out(h, i) = out(i, h) = R.norm() / std::sqrt(2.0);
    }
  }
  return out;
}

PairCurvature pair_curvature(const Model& model, int samples, std::uint64_t seed) {
  if (samples < 1) throw std::invalid_argument("the curvature over the workspace needs at least one sample");
  const int n = model.nv();
  PairCurvature out{Matrix::Zero(n, n), Matrix::Zero(n, n), {}, samples};
  for (int s = 0; s < samples; ++s) {
    const Matrix here = pair_curvature(curvature(model, random_configuration(model, seed + static_cast<unsigned>(s))));
    out.mean += here / samples;
    out.largest = out.largest.cwiseMax(here);
  }
  const Ranges ranges = drawn_ranges(model);  // q has as many numbers as v: curvature() has seen to it
  out.range = ranges.upper - ranges.lower;
  const Matrix area = out.range * out.range.transpose();
  out.mean.array() *= area.array();
  out.largest.array() *= area.array();
  return out;
}

Flatness flatness(const Model& model, int samples, std::uint64_t seed) {
  if (samples < 1) throw std::invalid_argument("flatness needs at least one sample");
  Flatness out;
  out.samples = samples;
  double worst = -1;
  for (int s = 0; s < samples; ++s) {
    Vector q = random_configuration(model, seed + static_cast<std::uint64_t>(s));
    Curvature here = curvature(model, q);
    double excess = 0;
    for (const RiemannSymbol& symbol : here.symbols) {
      if (symbol.value != 0) excess = std::max(excess, std::abs(symbol.value) / symbol.bound);
    }
    out.flat = out.flat && here.flat();
    if (excess <= worst) continue;
    worst = excess;
    out.q = std::move(q);
    out.curvature = std::move(here);
  }
  return out;
}

}  // namespace catena
