// Curvature of the mass matrix: brute-force numbers, closed forms of sheet 4.11, differences of the Coriolis matrix.
#include <Eigen/Dense>
#include <Eigen/Geometry>
#include <numbers>

#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/curvature.hpp"
#include "catena/linear/metric_derivatives.hpp"
#include "catena/spatial/dual.hpp"
#include "dual.hpp"
#include "support.hpp"

namespace catena::test {
namespace {

using std::numbers::pi;

TEST(Curvature, MatchesTheReferenceNumbers) {
  const Json file = read_reference("curvature");
  ASSERT_GE(file.at("cases").size(), 6u);
  for (const Json& entry : file.at("cases")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const Model model(description_from(entry));
    const Curvature here = curvature(model, vector_from(entry.at("q")));
    const Json& expected = entry.at("R_hijk_independent");
    ASSERT_EQ(here.symbols.size(), expected.size());
    bool flat = true;
    double largest = 0;
    for (const auto& [key, value] : expected.items()) largest = std::max(largest, std::abs(value.get<double>()));
    for (const RiemannSymbol& s : here.symbols) {
      std::string key;
      for (const int index : {s.h, s.i, s.j, s.k}) key += static_cast<char>('1' + index);
      const double value = expected.at(key).get<double>();
      EXPECT_LE(std::abs(s.value - value), s.bound) << key;
      EXPECT_LE(s.bound, 1e-9) << key;  // a bound that says something
      EXPECT_NEAR(s.value, value, 1e-12 * largest) << key;
      flat = flat && value == 0;
    }
    EXPECT_EQ(here.flat(), flat);
  }
}

// M = [a + 2 b cos q2, d + b cos q2; ., d]
Description planar_2r(double b_com, const Pose& mount = {}) {
  const Inertial upper{1, {0.5, 0, 0}, Vector3(0, 1.0 / 12, 1.0 / 12).asDiagonal()};
  const Inertial lower{1, {b_com, 0, 0}, Vector3(0, 1.0 / 12, 1.0 / 12).asDiagonal()};
  Joint shoulder = revolute("shoulder");
  shoulder.placement = mount;
  return Builder("planar 2R")
      .add_body("upper", upper, shoulder)
      .add_body("lower", lower, revolute("elbow").on("upper").at(1, 0, 0))
      .description();
}

TEST(Curvature, OfPlanarTwoLinkArmsHasItsClosedForm) {
  for (const double q2 : {0.0, 0.3, 0.7, pi / 3, pi / 2, 2.5}) {
    for (const double c : {0.5, 0.2, -0.4}) {
      const double b = c, d = 1.0 / 12 + c * c, a = 1.0 / 12 + 0.25 + 1 + d, cosine = std::cos(q2);
      const double R = b * cosine * (a * d - b * b - d * d) / (a * d - d * d - b * b * cosine * cosine);
      const Curvature here = curvature(Model(planar_2r(c)), Eigen::Vector2d(0.4, q2));
      ASSERT_EQ(here.symbols.size(), 1u);
      EXPECT_NEAR(here.symbols[0].value, R, here.symbols[0].bound);
      const double K = R / here.M.determinant();
      const SectionalCurvature sectional = sectional_curvature(here);
      EXPECT_NEAR(sectional.lowest, K, 1e-12 * (1 + std::abs(K)));
      EXPECT_NEAR(sectional.highest, K, 1e-12 * (1 + std::abs(K)));
      EXPECT_NEAR(sectional.planes(0, 1), K, 1e-12 * (1 + std::abs(K)));
      EXPECT_NEAR(sectional.scalar, 2 * K, 1e-12 * (1 + std::abs(K)));
    }
  }
  const SectionalCurvature sixty = sectional_curvature(curvature(Model(planar_2r(0.5)), Eigen::Vector2d(0, pi / 3)));
  EXPECT_NEAR(sixty.highest, 0.33322314049587, 1e-13);
}

// Zero at a right angle, but not on an open set.
TEST(Curvature, ThatVanishesAtOnePoseIsNotFlatness) {
  const Model arm(planar_2r(0.5));
  EXPECT_TRUE(curvature(arm, Eigen::Vector2d(0, pi / 2)).flat());
  const Flatness found = flatness(arm);
  EXPECT_FALSE(found.flat);
  EXPECT_FALSE(found.curvature.flat());
  EXPECT_EQ(found.q.size(), 2);
}

TEST(Curvature, IsZeroWhenTheSecondMassCentreIsOnItsAxisHoweverTheArmIsMounted) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Pose mount;
    mount.R = Eigen::AngleAxisd(1.7 * static_cast<double>(seed), Vector3(1, 2, 3).normalized()).toRotationMatrix();
    mount.p = {0.3, -0.1, 0.2};
    Description arm = planar_2r(0, mount);
    EXPECT_TRUE(flatness(Model(arm), 4, seed).flat);
    // A counterweight that cancels the lower link's first moment: sums that vanish only to rounding.
    arm = planar_2r(0.3, mount);
    const Matrix3 turned = mount.R.transpose();
    Joint weld = fixed("weld").on("lower");
    weld.placement = {turned, {0.1, 0.2, 0.7}};
    weld.child = "weight";
    arm.bodies.push_back({"weight", Inertial{3, turned.transpose() * (Vector3(-0.1, 0, 0) - weld.placement.p),
                                             Vector3(0.1, 0.1, 0.1).asDiagonal()}});
    arm.joints.push_back(weld);
    EXPECT_TRUE(flatness(Model(arm), 4, seed).flat);
    // A tenth of a millimetre off balance is seen.
    arm.bodies.back().inertial->com += turned.transpose() * Vector3(1e-4, 0, 0);
    EXPECT_FALSE(flatness(Model(arm), 4, seed).flat);
  }
}

TEST(Curvature, IsZeroForSlidesInAnyDirections) {
  TreeOptions options;
  options.types = {JointType::prismatic, JointType::fixed};
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_TRUE(flatness(Model(random_tree(seed, options)), 2, seed).flat);
  }
}

TEST(Curvature, OfThePolarArmVanishesOnlyWithoutInertiaAboutTheAxis) {
  for (const double I0 : {0.0, 1e-6, 0.7}) {
    const double m = 1.5, r = 0.8;
    // The point mass itself has no inertia, so that M = diag(I0 + m r^2, m).
    Builder arm("polar");
    arm.add_body("turret", {I0 > 0 ? 1.0 : 0, {0, 0, 0}, Vector3(I0, I0, I0).asDiagonal()}, revolute("turn"));
    arm.add_body("mass", {m, {0, 0, 0}, Matrix3::Zero()}, prismatic("reach").on("turret").along(1, 0, 0));
    const Curvature here = curvature(arm.build(), Eigen::Vector2d(0.2, r));
    EXPECT_NEAR(here.symbols.at(0).value, -I0 * m / (I0 + m * r * r), here.symbols[0].bound);
    EXPECT_EQ(here.flat(), I0 == 0);
  }
}

// C(q, e_i)_hk = [ik, h], and R_hijk = d_j [ik, h] - d_k [ij, h] + {l; ij}[hk, l] - {l; ik}[hj, l]: all n^4 symbols by
// another route. Couplings, cylindrical and universal joints included.
TEST(Curvature, AgreesWithDifferencesOfTheCoriolisMatrix) {
  TreeOptions options;
  options.types = {JointType::revolute,    JointType::prismatic, JointType::helical,
                   JointType::cylindrical, JointType::universal, JointType::fixed};
  options.max_bodies = 5;
  for (std::uint64_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed, options);
    const int n = c.model.nv();
    const Curvature here = curvature(c.model, c.q);
    ASSERT_EQ(static_cast<int>(here.symbols.size()), n * n * (n * n - 1) / 12);
    const ChristoffelSymbols symbols = christoffel_symbols(c.model, c.q);
    const auto first = [&](const Vector& q, int i) { return coriolis_matrix(c.model, q, Vector::Unit(n, i)); };
    std::vector<std::vector<Matrix>> slopes(n, std::vector<Matrix>(n));  // [i][j]: d_j of C(q, e_i)
    double scale = 1;
    for (int i = 0; i < n; ++i) {
      const Matrix C = first(c.q, i);
      for (int j = 0; j < n; ++j) {
        const auto at = [&](double t) { return first(c.q + t * Vector::Unit(n, j), i); };
        const double h = 1e-3;
        slopes[i][j] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
        const double rounding = 1e-13 * (1 + here.M.cwiseAbs().maxCoeff());
        for (int k = 0; k < n; ++k) EXPECT_NEAR(symbols.first[k](i, j), C(k, j), rounding);
        scale = std::max({scale, slopes[i][j].cwiseAbs().maxCoeff(), symbols.second[i].cwiseAbs().maxCoeff()});
      }
    }
    for (int h = 0; h < n; ++h)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
          for (int k = 0; k < n; ++k) {
            double expected = slopes[i][j](h, k) - slopes[i][k](h, j);
            for (int l = 0; l < n; ++l) {
              expected +=
                  symbols.second[l](i, j) * symbols.first[l](h, k) - symbols.second[l](i, k) * symbols.first[l](h, j);
            }
            EXPECT_NEAR(here.symbol(h, i, j, k), expected, 1e-9 * scale * scale) << h << i << j << k;
          }
    if (HasFailure()) return;
  }
}

// For three coordinates every plane lies between the eigenvalues, and they are reached.
TEST(Curvature, EigenvaluesBoundThePlanes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Model arm(chain(3, {ChainShape::general, seed + 1}));
    const Curvature here = curvature(arm, random_configuration(arm, seed));
    const SectionalCurvature sectional = sectional_curvature(here);
    double lowest = 1e300, highest = -1e300;
    const auto plane = [&](const Vector& a, const Vector& b) {
      double R = 0;
      for (int h = 0; h < 3; ++h)
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k) R += here.symbol(h, i, j, k) * a[h] * b[i] * a[j] * b[k];
      const double aa = a.dot(here.M * a), bb = b.dot(here.M * b), ab = a.dot(here.M * b);
      return R / (aa * bb - ab * ab);
    };
    for (std::uint64_t t = 0; t < 300; ++t) {
      const double K = plane(random_vector(arm, 1000 * seed + 2 * t), random_vector(arm, 1000 * seed + 2 * t + 1));
      lowest = std::min(lowest, K), highest = std::max(highest, K);
    }
    const double width = sectional.highest - sectional.lowest, slack = 1e-9 * (1 + width);
    EXPECT_GE(lowest, sectional.lowest - slack);
    EXPECT_LE(highest, sectional.highest + slack);
    EXPECT_GT(highest - lowest, 0.5 * width);
    EXPECT_NEAR(plane(Vector::Unit(3, 0), Vector::Unit(3, 2)), sectional.planes(0, 2), slack);
  }
}

// The bounds are bounds: derivatives of M by another scalar stay within them, and they are no idle ones.
TEST(Curvature, MajorantsHoldForDualNumbers) {
  TreeOptions options;
  options.types = one_degree_joint_types();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = random_case(seed, options);
    const kernel::Metric metric = kernel::metric_derivatives(c.model, c.q);
    const kernel::Metric sizes = kernel::metric_majorants(c.model, c.q);
    const double u = kernel::rounding_factor(c.model);
    EXPECT_LT(u, 1e-11);
    for (int l = 0; l < c.model.nv(); ++l) {
      const Matrix other = mass_matrix_derivative(c.model, c.q, Vector::Unit(c.model.nv(), l));
      EXPECT_TRUE(((metric.first[l] - other).array().abs() <= u * sizes.first[l].array()).all());
      EXPECT_TRUE((metric.first[l].array().abs() <= (1 + u) * sizes.first[l].array()).all());
      for (int m = 0; m < c.model.nv(); ++m) {
        EXPECT_TRUE((metric.by(l, m).array().abs() <= (1 + u) * sizes.by(l, m).array()).all());
      }
    }
    EXPECT_TRUE((metric.M.array().abs() <= (1 + u) * sizes.M.array()).all());
    EXPECT_CLOSE(metric.M, mass_matrix(c.model, c.q), 1e-14);
  }
}

TEST(Curvature, OfALongChainHasUsefulBounds) {
  const Model arm(chain(12));
  const Curvature here = curvature(arm, random_configuration(arm, 1));
  ASSERT_EQ(here.symbols.size(), 12u * 12 * (12 * 12 - 1) / 12);
  EXPECT_FALSE(here.flat());
  double value = 0, bound = 0;
  for (const RiemannSymbol& s : here.symbols) {
    value = std::max(value, std::abs(s.value));
    bound = std::max(bound, s.bound);
  }
  EXPECT_LT(bound, 1e-6 * value);
}

TEST(Curvature, RefusesJointsWhoseVelocityIsNoRate) {
  Builder brick("brick");
  brick.add_body("brick", {2, {0, 0, 0}, box_inertia(2, 1, 2, 3)}, spherical("ball"));
  const Model model = brick.build();
  try {
    curvature(model, neutral_configuration(model));
    ADD_FAILURE() << "accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("ball"), std::string::npos);
  }
  EXPECT_THROW(flatness(Model(chain(2)), 0), std::invalid_argument);
  EXPECT_TRUE(flatness(Model(chain(1))).flat);
}

TEST(DualOfDuals, FollowsTheChainRule) {
  using First = spatial::Dual<double>;
  using Second = spatial::Dual<First>;
  const double x = 0.7, y = 1.3;
  // f = sqrt(x y) tanh(y) / (x + sin x cos y): second derivatives by differences of the first ones.
  const auto f = [](const Second& a, const Second& b) {
    Second sa, ca, sb, cb;
    sincos(a, sa, ca);
    sincos(b, sb, cb);
    return sqrt(a * b) * tanh(b) / (a + sa * cb);
  };
  const auto by_x = [&](double at_x, double at_y) { return f({{at_x, 1}, {0, 0}}, {{at_y, 0}, {1, 0}}).x.d; };
  const Second result = f({{x, 1}, {0, 0}}, {{y, 0}, {1, 0}});
  const auto slope = [](const auto& g, double h) { return (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h); };
  EXPECT_NEAR(result.d.d, slope([&](double t) { return by_x(x, y + t); }, 1e-3), 1e-10);
  EXPECT_NEAR(result.x.d, slope([&](double t) { return f(x + t, y).x.x; }, 1e-3), 1e-10);
  EXPECT_NEAR(result.d.x, slope([&](double t) { return f(x, y + t).x.x; }, 1e-3), 1e-10);
  EXPECT_NEAR(f({{x, 1}, {1, 0}}, y).d.d, slope([&](double t) { return by_x(x + t, y); }, 1e-3), 1e-10);
}

}  // namespace
}  // namespace catena::test
