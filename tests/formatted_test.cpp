// Messages with numbers in them: the patterns of std::format as far as they are used.
#include "catena/model/formatted.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace catena {
namespace {

TEST(Formatted, PutsTextsAndCountsInTheirPlaces) {
  const std::string name = "elbow";
  EXPECT_EQ(formatted("nothing"), "nothing");
  EXPECT_EQ(formatted("{}", name), "elbow");
  EXPECT_EQ(formatted("'{}' and {} of {}: {}", name, 3, std::size_t{12}, "ok"), "'elbow' and 3 of 12: ok");
  EXPECT_EQ(formatted("{} {}", -7, std::string_view("x")), "-7 x");
  EXPECT_EQ(formatted("U+{:04X}, 0x{:02x}", 0x202eu, 0xau), "U+202E, 0x0a");
}

TEST(Formatted, WritesNumbersAsOthersDo) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {0.0,  -0.0,   1.0,     9.81, -1e-7, 1e5,  1e6,      123456.5, 1234567.0, 2.0 / 3,
                         1e20, 5e-324, 1.7e308, 0.1,  1e-4,  1e-5, 99999.95, infinity, -infinity, std::nan("")}) {
    EXPECT_EQ(formatted("{:g}", x), fmt::format("{:g}", x));
    EXPECT_EQ(formatted("{:.3g}", x), fmt::format("{:.3g}", x));
    EXPECT_EQ(formatted("{:.9g}", x), fmt::format("{:.9g}", x));
    EXPECT_EQ(formatted("{:.0f}", x), fmt::format("{:.0f}", x));
  }
}

}  // namespace
}  // namespace catena
