// Nodes of operator expressions: leaves with their own sweeps, and sums, products, multiples, transposes of nodes.
#include "catena/reference/operator.hpp"

#include <Eigen/LU>

namespace catena {
namespace {

using Columns = Operator::Columns;
using Node = Operator::Node;
using NodePtr = std::shared_ptr<const Node>;

[[noreturn]] void throw_sizes(const char* what, const Node& a, const Node& b) {
  const auto size = [](const Node& x) { return std::to_string(x.rows()) + " x " + std::to_string(x.cols()); };
  throw std::invalid_argument(std::string("cannot ") + what + " operators of size " + size(a) + " and " + size(b));
}

struct Identity : Node {
  Identity(int n, double factor_in) : Node(n, n), factor(factor_in) {}
  Matrix apply(Columns x) const override { return factor * x; }
  Matrix apply_transposed(Columns y) const override { return factor * y; }
  NodePtr inverse() const override { return factor == 0 ? nullptr : std::make_shared<Identity>(rows(), 1 / factor); }
  double factor;
};

struct Product : Node {
  Product(NodePtr a_in, NodePtr b_in) : Node(a_in->rows(), b_in->cols()), a(std::move(a_in)), b(std::move(b_in)) {}
  Matrix apply(Columns x) const override { return a->apply(b->apply(x)); }
  Matrix apply_transposed(Columns y) const override { return b->apply_transposed(a->apply_transposed(y)); }
  NodePtr inverse() const override {
    const NodePtr a_inv = a->inverse(), b_inv = b->inverse();
    return a_inv && b_inv ? std::make_shared<Product>(b_inv, a_inv) : nullptr;
  }
  NodePtr a, b;
};

// a + factor b
struct Sum : Node {
  Sum(NodePtr a_in, NodePtr b_in, double factor_in)
      : Node(a_in->rows(), a_in->cols()), a(std::move(a_in)), b(std::move(b_in)), factor(factor_in) {}
  Matrix apply(Columns x) const override { return a->apply(x) + factor * b->apply(x); }
  Matrix apply_transposed(Columns y) const override { return a->apply_transposed(y) + factor * b->apply_transposed(y); }
  NodePtr a, b;
  double factor;
};

struct Multiple : Node {
  Multiple(double factor_in, NodePtr a_in) : Node(a_in->rows(), a_in->cols()), factor(factor_in), a(std::move(a_in)) {}
  Matrix apply(Columns x) const override { return factor * a->apply(x); }
  Matrix apply_transposed(Columns y) const override { return factor * a->apply_transposed(y); }
  NodePtr inverse() const override {
    const NodePtr a_inv = a->inverse();
    return a_inv && factor != 0 ? std::make_shared<Multiple>(1 / factor, a_inv) : nullptr;
  }
  double factor;
  NodePtr a;
};

struct Transposed : Node {
  explicit Transposed(NodePtr a_in) : Node(a_in->cols(), a_in->rows()), a(std::move(a_in)) {}
  Matrix apply(Columns x) const override { return a->apply_transposed(x); }
  Matrix apply_transposed(Columns y) const override { return a->apply(y); }
  NodePtr inverse() const override {
    const NodePtr a_inv = a->inverse();
    return a_inv ? std::make_shared<Transposed>(a_inv) : nullptr;
  }
  NodePtr a;
};

struct BlockDiagonal : Node {
  BlockDiagonal(int rows, int cols, std::vector<Block> blocks_in) : Node(rows, cols), blocks(std::move(blocks_in)) {}
  Matrix apply(Columns x) const override {
    Matrix y = Matrix::Zero(rows(), x.cols());
    for (const Block& b : blocks) {
      y.middleRows(b.row, b.values.rows()).noalias() = b.values * x.middleRows(b.col, b.values.cols());
    }
    return y;
  }
  Matrix apply_transposed(Columns y) const override {
    Matrix x = Matrix::Zero(cols(), y.cols());
    for (const Block& b : blocks) {
      x.middleRows(b.col, b.values.cols()).noalias() = b.values.transpose() * y.middleRows(b.row, b.values.rows());
    }
    return x;
  }
  NodePtr inverse() const override {
    Eigen::Index covered = 0;
    std::vector<Block> inverses;
    for (const Block& b : blocks) {
      if (b.values.rows() != b.values.cols()) return nullptr;
      covered += b.values.rows();
      const Eigen::FullPivLU<Matrix> lu(b.values);
      if (!lu.isInvertible()) throw NumericalError("a block of a block-diagonal operator has no inverse", "");
      inverses.push_back({b.col, b.row, lu.inverse()});
    }
    if (covered != rows() || covered != cols()) return nullptr;
    return std::make_shared<BlockDiagonal>(cols(), rows(), std::move(inverses));
  }
  std::vector<Block> blocks;
};

struct Shift : Node {
  explicit Shift(std::shared_ptr<const Links> links_in)
      : Node(6 * static_cast<int>(links_in->parent.size()), 6 * static_cast<int>(links_in->parent.size())),
        links(std::move(links_in)) {}
  Matrix apply(Columns x) const override {
    Matrix y = Matrix::Zero(rows(), x.cols());
    for (int k = 0; k < rows() / 6; ++k) {
      const int parent = links->parent[k];
      if (parent >= 0) y.middleRows<6>(6 * parent).noalias() += links->link[k] * x.middleRows<6>(6 * k);
    }
    return y;
  }
  Matrix apply_transposed(Columns y) const override {
    Matrix x = Matrix::Zero(rows(), y.cols());
    for (int k = 0; k < rows() / 6; ++k) {
      const int parent = links->parent[k];
      if (parent >= 0) x.middleRows<6>(6 * k).noalias() = links->link[k].transpose() * y.middleRows<6>(6 * parent);
    }
    return x;
  }
  std::shared_ptr<const Links> links;
};

struct Sweep : Shift {
  using Shift::Shift;
  // inward:  y = x + E y
  Matrix apply(Columns x) const override {
    Matrix y = x;
    for (int k = rows() / 6 - 1; k >= 0; --k) {
      const int parent = links->parent[k];
      if (parent >= 0) y.middleRows<6>(6 * parent).noalias() += links->link[k] * y.middleRows<6>(6 * k);
    }
    return y;
  }
  // outward:  x = y + E' x
  Matrix apply_transposed(Columns y) const override {
    Matrix x = y;
    for (int k = 0; k < rows() / 6; ++k) {
      const int parent = links->parent[k];
      if (parent >= 0) x.middleRows<6>(6 * k).noalias() += links->link[k].transpose() * x.middleRows<6>(6 * parent);
    }
    return x;
  }
  NodePtr inverse() const override {
    return std::make_shared<Sum>(std::make_shared<Identity>(rows(), 1), std::make_shared<Shift>(links), -1);
  }
};

Operator sum(const Operator& a, const Operator& b, double factor) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) throw_sizes("add", *a.node(), *b.node());
  return Operator(std::make_shared<Sum>(a.node(), b.node(), factor));
}

Operator number_like(double number, const Operator& a) {
  if (a.rows() != a.cols()) {
    throw std::invalid_argument("a number can be added only to a square operator, not to one of size " +
                                std::to_string(a.rows()) + " x " + std::to_string(a.cols()));
  }
  return Operator(std::make_shared<Identity>(a.rows(), number));
}

void check_links(const Links& links) {
  if (links.parent.size() != links.link.size()) throw std::invalid_argument("each body needs a parent and a link");
  for (int k = 0; k < static_cast<int>(links.parent.size()); ++k) {
    if (links.parent[k] < -1 || links.parent[k] >= k) throw std::invalid_argument("parents come before children");
  }
}

}  // namespace

Matrix Operator::apply(Columns x) const {
  if (x.rows() != cols()) {
    throw std::invalid_argument("an operator of size " + std::to_string(rows()) + " x " + std::to_string(cols()) +
                                " cannot be applied to " + std::to_string(x.rows()) + " numbers");
  }
  return node_->apply(x);
}

Matrix Operator::matrix() const { return node_->apply(Matrix::Identity(cols(), cols())); }

Operator operator*(const Operator& a, const Operator& b) {
  if (a.cols() != b.rows()) throw_sizes("multiply", *a.node(), *b.node());
  return Operator(std::make_shared<Product>(a.node(), b.node()));
}
Operator operator+(const Operator& a, const Operator& b) { return sum(a, b, 1); }
Operator operator-(const Operator& a, const Operator& b) { return sum(a, b, -1); }
Operator operator-(const Operator& a) { return -1 * a; }
Operator operator*(double factor, const Operator& a) { return Operator(std::make_shared<Multiple>(factor, a.node())); }
Operator operator+(double number, const Operator& a) { return number_like(number, a) + a; }
Operator operator-(double number, const Operator& a) { return number_like(number, a) - a; }
Operator operator+(const Operator& a, double number) { return a + number_like(number, a); }
Operator operator-(const Operator& a, double number) { return a - number_like(number, a); }
Vector operator*(const Operator& a, const Vector& x) { return a.apply(x); }

Operator identity(int n) { return Operator(std::make_shared<Identity>(n, 1)); }
Operator transpose(const Operator& a) { return Operator(std::make_shared<Transposed>(a.node())); }

Operator inverse(const Operator& a) {
  NodePtr node = a.rows() == a.cols() ? a.node()->inverse() : nullptr;
  if (!node) throw std::invalid_argument("this operator's inverse is not known without forming its matrix");
  return Operator(std::move(node));
}

Operator block_diagonal(int rows, int cols, std::vector<Block> blocks) {
  std::vector<bool> row_used(rows, false), col_used(cols, false);
  const auto claim = [](std::vector<bool>& used, int first, Eigen::Index count) {
    for (Eigen::Index i = first; i < first + count; ++i) {
      if (i < 0 || i >= static_cast<Eigen::Index>(used.size()) || used[i]) {
        throw std::invalid_argument("the blocks of a block-diagonal operator overlap or leave its size");
      }
      used[i] = true;
    }
  };
  for (const Block& b : blocks) {
    claim(row_used, b.row, b.values.rows());
    claim(col_used, b.col, b.values.cols());
  }
  return Operator(std::make_shared<BlockDiagonal>(rows, cols, std::move(blocks)));
}

double log_determinant(const Operator& a) {
  const auto* node = dynamic_cast<const BlockDiagonal*>(a.node().get());
  if (node == nullptr) throw std::invalid_argument("log_determinant is for block-diagonal operators");
  double sum = 0;
  for (const Block& b : node->blocks) {
    if (b.values.rows() != b.values.cols()) throw std::invalid_argument("log_determinant needs square blocks");
    const Matrix LU = b.values.fullPivLu().matrixLU();
    sum += LU.diagonal().array().abs().log().sum();
  }
  return sum;
}

Operator shift(std::shared_ptr<const Links> links) {
  check_links(*links);
  return Operator(std::make_shared<Shift>(std::move(links)));
}
Operator sweep(std::shared_ptr<const Links> links) {
  check_links(*links);
  return Operator(std::make_shared<Sweep>(std::move(links)));
}

}  // namespace catena
