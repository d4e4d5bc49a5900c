// Matrices as NumPy reads them: numpy.load("file.npz")["name"].
#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)
namespace catena::write {

// The bytes of an archive of arrays of doubles, not compressed. Names: letters, digits, '_' and '.'; others become '_'.
std::string npz(const std::vector<std::pair<std::string, Eigen::MatrixXd>>& arrays);

}  // namespace catena::write
#pragma GCC visibility pop
