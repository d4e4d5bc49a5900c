// What the tests share: reference files as robots and states, and comparisons relative to the largest entry.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "catena/dynamics/inverse.hpp"
#include "catena/model/builder.hpp"
#include "random_case.hpp"
#include "tags.hpp"

namespace catena::test {

using Json = nlohmann::json;

Json read_reference(const std::string& name);  // tests/data/reference/<name>.json

Matrix matrix_from(const Json& rows);
Vector vector_from(const Json& numbers);
Matrix3 matrix3_from(const Json& rows);
Vector3 vector3_from(const Json& numbers);

// A system of a reference file, read without the library's readers.
Description description_from(const Json& system);
Vector configuration_from(const Json& q);  // numbers, {R} or {R, p} -> q with quaternions

// |x - expected| <= tolerance * max(1e-300, largest |expected|), entry by entry.
::testing::AssertionResult near_relative(const Matrix& x, const Matrix& expected, double tolerance);

#define EXPECT_CLOSE(x, expected, tolerance) EXPECT_TRUE(::catena::test::near_relative(x, expected, tolerance))

double condition_number(const Matrix& M);  // symmetric positive definite

#define EXPECT_MESSAGE(call, part)                                                                           \
  EXPECT_NE(::catena::test::message_of<std::exception>([&] { (void)(call); }).find(part), std::string::npos) \
      << ::catena::test::message_of<std::exception>([&] { (void)(call); })

// What a call that must fail says.
template <class Error, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

// A reference file as a fixture: its robot, its state, its numbers.
class ReferenceFile : public ::testing::TestWithParam<const char*> {
 protected:
  Json file = read_reference(GetParam());
  const Json& values = file.at("values");
  Model model{description_from(file)};
  Vector q = configuration_from(file.at("state").at("q"));
  Vector v = vector_from(file.at("state").at("v"));
  Vector a = vector_from(file.at("state").at("a"));
  Vector tau = vector_from(values.at("tau"));
  double inverse_tolerance = 1e-14 * condition_number(reference("M")) + 1e-12;  // behind an inverse of M

  Matrix reference(const char* name) const;  // a vector as one column
  // What the tables "with_wrench" and "moving_base" are about, if the file has them.
  std::optional<ExternalLoads> follower_wrench() const;
  std::optional<ExternalLoads> moving_base() const;
};

#define ON_REFERENCE_FILES(fixture, ...)                                   \
  INSTANTIATE_TEST_SUITE_P(Files, fixture, ::testing::Values(__VA_ARGS__), \
                           [](const auto& file) { return std::string(file.param); })
#define ON_ALL_REFERENCE_FILES(fixture)                                                                              \
  ON_REFERENCE_FILES(fixture, "planar_3r", "stanford_arm", "chain_6r", "chain_rprpr", "chain_8mixed", "tree_9_1dof", \
                     "tree_multidof")

// Size of the terms that cancel in tau: errors are relative to them, not to tau itself.
double force_scale(const Case& c);

// A fifth of them with sanitizers, unless every test is asked for.
template <class Law>
void for_each_tree(const Law& law, const TreeOptions& options = {}, std::uint64_t count = 300) {
  if (leaves_out_long_tests()) count = (count + 4) / 5;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    law(random_case(seed, options));
    if (::testing::Test::HasFailure()) return;  // one seed tells enough
  }
}

}  // namespace catena::test
