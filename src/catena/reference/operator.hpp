// Operator: a linear map that knows how to apply itself, composed with * + - the way the papers write equations.
// Nothing is formed until matrix() is called: op * x costs what the leaves' sweeps cost, O(n) for those of a robot.
// An Operator is a handle on an immutable expression: cheap to copy, safe to share between threads.
#pragma once

#include "catena/kinematics/configuration.hpp"

#pragma GCC visibility push(default)
namespace catena {

using Matrix6 = Eigen::Matrix<double, 6, 6, Eigen::DontAlign>;

class Operator {
 public:
  using Columns = Eigen::Ref<const Matrix>;  // one or more vectors, side by side

  // A leaf or an expression. apply takes cols() rows, apply_transposed takes rows() rows; Operator has checked that.
  class Node {
   public:
    Node(int rows, int cols) : rows_(rows), cols_(cols) {}
    virtual ~Node() = default;
    int rows() const { return rows_; }
    int cols() const { return cols_; }
    virtual Matrix apply(Columns x) const = 0;
    virtual Matrix apply_transposed(Columns y) const = 0;
    // Null where the inverse is not known without forming a matrix.
    virtual std::shared_ptr<const Node> inverse() const { return nullptr; }

   private:
    int rows_, cols_;
  };

  explicit Operator(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

  int rows() const { return node_->rows(); }
  int cols() const { return node_->cols(); }
  const std::shared_ptr<const Node>& node() const { return node_; }

  // The map applied to each column. Throws std::invalid_argument for a wrong number of rows.
  Matrix apply(Columns x) const;
  Matrix matrix() const;  // rows() x cols() numbers: for small robots, to look at

 private:
  std::shared_ptr<const Node> node_;
};

// Sizes that do not fit throw std::invalid_argument.
Operator operator*(const Operator& a, const Operator& b);
Operator operator+(const Operator& a, const Operator& b);
Operator operator-(const Operator& a, const Operator& b);
Operator operator-(const Operator& a);
Operator operator*(double factor, const Operator& a);
// A number stands for that multiple of the identity, as in 1 + H Phi K.
Operator operator+(double number, const Operator& a);
Operator operator-(double number, const Operator& a);
Operator operator+(const Operator& a, double number);
Operator operator-(const Operator& a, double number);
Vector operator*(const Operator& a, const Vector& x);

Operator identity(int n);
Operator transpose(const Operator& a);
// Of block diagonals with square blocks, of (1 - E)^-1 sweeps, and of products, multiples and transposes of these.
// Throws std::invalid_argument for anything else, NumericalError for a singular block.
Operator inverse(const Operator& a);

// Blocks placed at (row, col); they may be rectangular and in any order, but must not share rows or columns.
struct Block {
  int row = 0, col = 0;
  Matrix values;
};
Operator block_diagonal(int rows, int cols, std::vector<Block> blocks);
// Sum of log |det| over the square blocks of a block_diagonal. Throws std::invalid_argument for another operator.
double log_determinant(const Operator& block_diagonal);

// The operators of a tree of 6-vectors: parent[k] < k, or -1 for a body on the ground; link[k] takes body k to its
// parent. shift: E with the block link[k] at (parent[k], k). sweep: (1 - E)^-1, inward; its transpose runs outward.
struct Links {
  std::vector<int> parent;
  std::vector<Matrix6> link;
};
Operator shift(std::shared_ptr<const Links> links);
Operator sweep(std::shared_ptr<const Links> links);

}  // namespace catena
#pragma GCC visibility pop
