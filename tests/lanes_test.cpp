// Sine, cosine and tanh in lanes against long double, in units in the last place; no lane sees another.
#include <array>
#include <cmath>
#include <limits>

#include "catena/batch/engine.hpp"
#include "catena/model/random.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"

namespace catena {
namespace {

// |have - want| in units in the last place of want.
double ulps(double have, long double want) {
  const double rounded = std::abs(static_cast<double>(want));
  const double unit = std::nextafter(rounded, std::numeric_limits<double>::infinity()) - rounded;
  return static_cast<double>(std::abs(have - want) / unit);
}

class LanesTest : public ::testing::Test {
 protected:
  template <class Check>
  void on_vectors(const Check& check) {
    for (const int width : batch::widths()) {
      SCOPED_TRACE(width);
      const auto engine = batch::make_engine(
          model, batch::make_job(model, Function::inverse, signature(model, Function::inverse)), width);
      ASSERT_EQ(engine->width(), width);
      check(*engine, width);
    }
  }
  Model model = read::load("planar_3r");
};

TEST_F(LanesTest, SinesAndCosinesAreWithinTwoUnitsAndAHalf) {
  on_vectors([](const batch::Engine& engine, int width) {
    Random random(3);
    double worst = 0;
    for (int k = 0; k < 40000; ++k) {
      std::array<double, 8> x{}, s{}, c{};
      const double reach = k % 4 == 0 ? 1e5 : k % 4 == 1 ? 1e-3 : k % 4 == 2 ? 4 : 100;
      for (int l = 0; l < width; ++l) x[l] = random.between(-reach, reach);
      if (k < 200) x[0] = k * 1.5707963267948966;
      engine.sincos(x.data(), s.data(), c.data());
      for (int l = 0; l < width; ++l) {
        const long double angle = x[l];
        worst = std::max({worst, ulps(s[l], std::sin(angle)), ulps(c[l], std::cos(angle))});
      }
    }
    EXPECT_LE(worst, 2.5);
  });
}

TEST_F(LanesTest, TanhIsWithinFourUnits) {
  on_vectors([](const batch::Engine& engine, int width) {
    Random random(4);
    double worst = 0;
    for (int k = 0; k < 40000; ++k) {
      std::array<double, 8> x{}, t{};
      const double reach = k % 4 == 0 ? 40 : k % 4 == 1 ? 1e-6 : k % 4 == 2 ? 1 : 1e4;
      for (int l = 0; l < width; ++l) x[l] = random.between(-reach, reach);
      engine.tanh(x.data(), t.data());
      for (int l = 0; l < width; ++l) worst = std::max(worst, ulps(t[l], std::tanh(static_cast<long double>(x[l]))));
    }
    EXPECT_LE(worst, 4);
  });
}

TEST_F(LanesTest, FarAnglesNaNAndInfinityStayInTheirLanes) {
  on_vectors([](const batch::Engine& engine, int width) {
    const double far[] = {1e5, -3e7, 1e22, std::nan(""), HUGE_VAL};
    for (const double strange : far) {
      std::array<double, 8> x{}, s{}, c{}, t{}, s_plain{}, c_plain{}, t_plain{};
      for (int l = 0; l < width; ++l) x[l] = 0.3 * l - 0.7;
      engine.sincos(x.data(), s_plain.data(), c_plain.data());
      engine.tanh(x.data(), t_plain.data());
      x[1] = strange;
      engine.sincos(x.data(), s.data(), c.data());
      engine.tanh(x.data(), t.data());
      for (int l = 0; l < width; ++l) {
        if (l == 1) continue;
        EXPECT_EQ(s[l], s_plain[l]);
        EXPECT_EQ(c[l], c_plain[l]);
        EXPECT_EQ(t[l], t_plain[l]);
      }
      if (std::isfinite(strange)) {
        EXPECT_EQ(s[1], std::sin(strange));
        EXPECT_EQ(c[1], std::cos(strange));
        EXPECT_EQ(t[1], std::copysign(1.0, strange));
      } else {
        EXPECT_TRUE(std::isnan(s[1]) && std::isnan(c[1]));
        EXPECT_EQ(std::isnan(t[1]), std::isnan(strange));
      }
    }
  });
}

TEST_F(LanesTest, ZeroKeepsItsSign) {
  on_vectors([](const batch::Engine& engine, int width) {
    std::array<double, 8> x{}, t{};
    x[width - 1] = -0.0;
    engine.tanh(x.data(), t.data());
    EXPECT_FALSE(std::signbit(t[0]));
    EXPECT_TRUE(std::signbit(t[width - 1]));
  });
}

}  // namespace
}  // namespace catena
