// What the tests share: reference files as robots and states, and comparisons relative to the largest entry.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "catena/dynamics/inverse.hpp"
#include "catena/model/builder.hpp"
#include "catena/model/generate.hpp"

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

// A random model and a state of it; everything follows from the seed.
struct Case {
  Model model;
  Vector q, v, a;
};
Case random_case(std::uint64_t seed, const TreeOptions& options = {});

}  // namespace catena::test
