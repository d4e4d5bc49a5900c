// What the tests of recordings share: a small recording whose rows can be told apart.
#pragma once

#include <cmath>
#include <functional>

#include "catena/record/recording.hpp"
#include "read_support.hpp"

namespace catena::test {

inline RecordingHeader arm_header() {
  return {{{"time", "s"}, {"q.elbow", "rad"}, {"q.wrist", "m"}, {"v.elbow", "rad/s"}, {"energy.kinetic", "J"}},
          {{"model", "arm"}, {"hash", "00ff"}}};
}

// Row k of a recording in which every number is different and uses all its digits.
inline Eigen::VectorXd row_of(long k, std::size_t columns) {
  Eigen::VectorXd row(static_cast<Eigen::Index>(columns));
  for (Eigen::Index c = 0; c < row.size(); ++c) row[c] = std::sin(1.0 + double(k)) * std::pow(7.0, double(c - 2));
  row[0] = double(k) / 1000;
  return row;
}

inline void expect_rows(const Recording& recording, long rows, const std::string& what) {
  ASSERT_EQ(recording.values.rows(), rows) << what;
  for (long k = 0; k < rows; ++k) {
    const Eigen::VectorXd expected = row_of(k, recording.header.columns.size());
    ASSERT_EQ(Eigen::VectorXd(recording.values.row(k).transpose()), expected) << what << ", row " << k;
  }
}

inline std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ModelError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    EXPECT_FALSE(error.findings()[0].remedy.empty()) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no ModelError";
  return "";
}

}  // namespace catena::test
