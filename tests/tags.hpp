// Tags of tests, each the first line of the test that has it. (Those of whole programs are labels: tests/CMakeLists.txt.)
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

namespace catena::test {

// Built with sanitizers, and not asked for every test (./test --all).
inline bool leaves_out_long_tests() {
#ifdef CATENA_SANITIZED
  return std::getenv("CATENA_LONG_TESTS") == nullptr;
#else
  return false;
#endif
}

}  // namespace catena::test

// A long sum that touches no memory in a new way. Seconds in the ordinary build, where it always runs; up to a minute with
// sanitizers, where it is left to ./test --all.
#define LONG_TEST()                            \
  if (::catena::test::leaves_out_long_tests()) \
  GTEST_SKIP() << "long, and built with sanitizers: runs in ./test --all (CATENA_LONG_TESTS=1)"
