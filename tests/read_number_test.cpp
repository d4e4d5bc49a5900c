// Strict numbers: what is one, and why the rest is none.
#include <gtest/gtest.h>

#include "catena/read/number.hpp"

namespace catena::read {
namespace {

TEST(StrictNumber, ReadsWhatIsANumber) {
  const std::pair<const char*, double> good[] = {{"1", 1},     {"+2.5", 2.5}, {"-0.5", -0.5},      {".5", 0.5},
                                                 {"5.", 5},    {"1e3", 1000}, {"-1.5E-2", -0.015}, {"1e-400", 0},
                                                 {"0e999", 0}, {"0.1", 0.1},  {"1e-320", 1e-320}};
  for (const auto& [text, value] : good) {
    const Number number = parse_number(text);
    EXPECT_TRUE(number.ok()) << text << " " << number.problem;
    EXPECT_EQ(number.value, value) << text;
  }
}

TEST(StrictNumber, SaysWhyTheRestIsNone) {
  const std::pair<const char*, const char*> bad[] = {{"", "number-unparsable"},
                                                     {"+", "number-unparsable"},
                                                     {"-", "number-unparsable"},
                                                     {"+-1", "number-unparsable"},
                                                     {"abc", "number-unparsable"},
                                                     {"1.5kg", "number-unparsable"},
                                                     {"1,5", "number-unparsable"},
                                                     {"0x10", "number-unparsable"},
                                                     {"1.5e", "number-unparsable"},
                                                     {"1 2", "number-unparsable"},
                                                     {"nan", "number-nan"},
                                                     {"-NaN", "number-nan"},
                                                     {"inf", "number-infinite"},
                                                     {"-Infinity", "number-infinite"},
                                                     {"1e400", "number-overflow"},
                                                     {"-1e400", "number-overflow"},
                                                     {"0.001e400", "number-overflow"},
                                                     {"1e99999999999999999999", "number-overflow"}};
  for (const auto& [text, code] : bad) {
    const Number number = parse_number(text);
    ASSERT_FALSE(number.ok()) << text;
    EXPECT_STREQ(number.code, code) << text;
    EXPECT_FALSE(number.problem.empty()) << text;
  }
  EXPECT_NE(parse_number("1,5").problem.find("comma"), std::string::npos);
  EXPECT_NE(parse_number("1.5kg").problem.find("'kg'"), std::string::npos);
}

TEST(StrictNumber, SplitsAtAnyBlank) {
  EXPECT_EQ(words(" 1\t2\n3  "), (std::vector<std::string_view>{"1", "2", "3"}));
  EXPECT_TRUE(words(" \n").empty());
}

TEST(StrictNumber, QuotesWithoutControlCharacters) {
  EXPECT_EQ(quote("a\x1b[31m\n"), "'a?[31m?'");
  EXPECT_EQ(quote(std::string(100, 'x')).size(), 45u);
}

}  // namespace
}  // namespace catena::read
