// What the tests of operators and complements share: robots to try, comparisons with a stated scale, slopes.
#pragma once

#include <Eigen/Dense>

#include "catena/dynamics/mass_matrix.hpp"
#include "catena/reference/spatial_operators.hpp"
#include "support.hpp"

namespace catena::test {

// Every joint type, trees with several roots, no couplings; no joint terms unless asked.
inline TreeOptions uncoupled_trees(bool terms = false) {
  TreeOptions options;
  options.couplings = false;
  options.terms = terms;
  return options;
}
inline TreeOptions one_degree_trees() {
  TreeOptions options = uncoupled_trees();
  options.types = one_degree_joint_types();
  return options;
}
inline TreeOptions one_degree_chains() {
  TreeOptions options = one_degree_trees();
  options.serial = true;
  options.several_roots = false;
  return options;
}

constexpr int tries = 60;            // random robots a law
constexpr double tolerance = 1e-12;  // of what is not behind an inverse

template <class Law>
void for_each_case(const TreeOptions& options, int count, const Law& law) {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(count); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed, options);
    if (c.model.nv() == 0) continue;
    law(c);
    if (::testing::Test::HasFailure()) return;  // one seed tells enough
  }
}

inline double condition(const Case& c) { return condition_number(mass_matrix(c.model, c.q)); }

inline double largest(const Matrix& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

// |x - expected| <= relative (largest |expected| + scale): for differences of terms as large as scale.
inline ::testing::AssertionResult near_scaled(const Matrix& x, const Matrix& expected, double relative, double scale) {
  if (x.rows() != expected.rows() || x.cols() != expected.cols())
    return ::testing::AssertionFailure() << "sizes differ";
  const double error = largest(x - expected), bound = relative * (largest(expected) + scale);
  if (error <= bound) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "error " << error << " exceeds " << bound;
}
inline ::testing::AssertionResult near_scaled(const Operator& x, const Operator& expected, double relative,
                                              double scale) {
  return near_scaled(x.matrix(), expected.matrix(), relative, scale);
}

#define EXPECT_SAME(x, expected, tolerance, scale) \
  EXPECT_TRUE(::catena::test::near_scaled(x, expected, tolerance, scale))

// Do the two differ by more than a hundredth? Printed forms that are wrong must.
inline bool clearly_differ(const Matrix& x, const Matrix& y) {
  return largest(x - y) > 1e-2 * std::max(largest(x), largest(y));
}

// d f(q + t v) / dt at t = 0: fourth order, step chosen so that h^4 and rounding / h meet near 1e-12.
template <class F>
Matrix slope(const Case& c, const F& f) {
  const double h = 1e-4;
  const auto at = [&](double t) -> Matrix { return f(SpatialOperators(c.model, integrate(c.model, c.q, t * c.v))); };
  return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
}

}  // namespace catena::test
