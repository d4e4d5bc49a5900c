#include "catena/linear/regressor.hpp"

#include <Eigen/QR>
#include <algorithm>

#include "catena/kinematics/storage.hpp"
#include "catena/linear/storage.hpp"

namespace catena {

using namespace kernel;

Vector10 inertial_parameters(const Inertial& inertial) {
  const double m = inertial.mass;
  const Vector3& c = inertial.com;
  const Matrix3 symmetric = 0.5 * (inertial.inertia + inertial.inertia.transpose());
  const Matrix3 J = symmetric + m * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  Vector10 out;
  out << m, m * c, J(0, 0), J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2);
  return out;
}

Inertial inertial_from_parameters(const Vector10& parameters) {
  const double m = parameters[0];
  if (!(m > 0)) throw std::invalid_argument("inertial parameters without a positive mass have no centre of mass");
  const Vector3 c = parameters.segment<3>(1) / m;
  Matrix3 J;
  J << parameters[4], parameters[7], parameters[8],  //
      parameters[7], parameters[5], parameters[9],   //
      parameters[8], parameters[9], parameters[6];
  return {m, c, J - m * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose())};
}

Vector inertial_parameters(const Model& model) {
  const std::vector<Body>& bodies = model.description().bodies;
  Vector out = Vector::Zero(10 * static_cast<Eigen::Index>(bodies.size()));
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    if (bodies[b].inertial) out.segment<10>(10 * b) = inertial_parameters(*bodies[b].inertial);
  }
  return out;
}

std::vector<std::string> inertial_parameter_names(const Model& model) {
  std::vector<std::string> names;
  for (const Body& body : model.description().bodies) {
    for (const char* part : {"m", "mx", "my", "mz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz"}) {
      names.push_back(body.name + "." + part);
    }
  }
  return names;
}

namespace {

// The ten columns of a body that sits at a frame: the wrench each parameter asks for, carried to the joints below.
void fill_columns(const Tree& tree, const WorldSweep<double>& world, const TreeFrame& frame, MatrixRef out) {
  out.setZero();
  if (frame.body == 0) return;
  const Transform<double> pose = world.world[frame.body] * frame.pose;
  const Motion<double> V = apply(pose, world.V[frame.body]), alpha = apply(pose, world.alpha[frame.body]);
  for (int c = 0; c < 10; ++c) {
    const auto one = [c](int index) { return index == c ? 1.0 : 0.0; };
    const Inertia<double> unit = {one(0), {one(1), one(2), one(3)}, {one(4), one(5), one(6), one(7), one(8), one(9)}};
    const Force<double> f = spatial::apply_transposed(pose, unit * alpha + cross(V, unit * V));
    for (int k = frame.body; k > 0; k = tree.bodies[k].parent) {
      const TreeBody& body = tree.bodies[k];
      const int last = body.v + velocity_count(body);
      for (int r = body.v; r < last; ++r) out(r, c) = dot(world.column[r].H, f);
    }
  }
}

void require_frame(const Model& model, int frame) {
  if (frame >= 0 && frame < model.frame_count()) return;
  throw std::invalid_argument("frame " + std::to_string(frame) + " does not exist in " + model.name());
}

}  // namespace

Matrix joint_torque_regressor(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                              const ExternalLoads& loads) {
  BorrowedLinearWorkspace workspace(model);
  prepare_world(model, workspace->storage(), q, v, a, loads);
  const Tree& tree = model.reduced().tree;
  const int count = static_cast<int>(model.description().bodies.size());
  Matrix full(tree.nv_full, 10 * count);
  for (int b = 0; b < count; ++b) {
    fill_columns(tree, workspace->storage().world, tree.frames[b], full.middleCols(10 * b, 10));
  }
  return reduce_rows(tree, std::move(full));
}

Matrix payload_regressor(const Model& model, int frame, ConstVector q, ConstVector v, ConstVector a,
                         const ExternalLoads& loads) {
  require_frame(model, frame);
  BorrowedLinearWorkspace workspace(model);
  prepare_world(model, workspace->storage(), q, v, a, loads);
  const Tree& tree = model.reduced().tree;
  Matrix full(tree.nv_full, 10);
  fill_columns(tree, workspace->storage().world, tree.frames[frame], full);
  return reduce_rows(tree, std::move(full));
}

namespace {

// m, m c and J have different units: each kind is scaled so that its largest column has length one. A column of
// rounding errors stays small, as it would not if every column were scaled by itself.
Vector column_scales(const Matrix& Y) {
  const auto kind = [](Eigen::Index column) { return column % 10 == 0 ? 0 : column % 10 < 4 ? 1 : 2; };
  Vector3 largest = Vector3::Zero();
  for (Eigen::Index c = 0; c < Y.cols(); ++c) largest[kind(c)] = std::max(largest[kind(c)], Y.col(c).norm());
  Vector scales(Y.cols());
  for (Eigen::Index c = 0; c < Y.cols(); ++c) scales[c] = largest[kind(c)] > 0 ? 1 / largest[kind(c)] : 1;
  return scales;
}

}  // namespace

BaseParameters base_parameters(const Model& model, std::uint64_t seed) {
  const int n = model.nv(), columns = 10 * static_cast<int>(model.description().bodies.size());
  BaseParameters out;
  out.combination.resize(0, columns);
  if (n == 0 || columns == 0) return out;
  const int states = 2 * columns / n + 10;  // twice as many rows as unknowns
  Matrix Y(states * n, columns);
  for (int s = 0; s < states; ++s) {
    const std::uint64_t own = seed + 3 * static_cast<std::uint64_t>(s);
    Y.middleRows(s * n, n) = joint_torque_regressor(model, random_configuration(model, own),
                                                    random_vector(model, own + 1, 3), random_vector(model, own + 2, 3));
  }
  const Vector scales = column_scales(Y);
  const Eigen::ColPivHouseholderQR<Matrix> qr(Y * scales.asDiagonal());
  const Vector pivots = qr.matrixQR().diagonal().cwiseAbs();
  if (!(pivots[0] > 0)) return out;
  // Entries of Y carry some hundred roundings (they pass through every joint below); QR adds sqrt(rows) more.
  const double threshold = 100 * std::numeric_limits<double>::epsilon() * (model.tree().count() + std::sqrt(Y.rows()));
  Eigen::Index rank = 0;
  while (rank < pivots.size() && pivots[rank] > threshold * pivots[0]) ++rank;
  out.last_kept = pivots[rank - 1] / pivots[0];
  out.first_dropped = rank < pivots.size() ? pivots[rank] / pivots[0] : 0;

  // Y P = Q [R1 R2]: the dropped columns are R1^-1 R2 times the kept ones.
  const Matrix R = qr.matrixQR().topRows(rank).triangularView<Eigen::Upper>();
  const Matrix K = R.leftCols(rank).triangularView<Eigen::Upper>().solve(R);
  const auto& order = qr.colsPermutation().indices();
  std::vector<int> kept(static_cast<std::size_t>(rank));
  for (Eigen::Index i = 0; i < rank; ++i) kept[i] = static_cast<int>(i);
  std::sort(kept.begin(), kept.end(), [&](int i, int j) { return order[i] < order[j]; });
  out.combination.resize(rank, columns);
  for (Eigen::Index i = 0; i < rank; ++i) {
    out.independent.push_back(order[kept[i]]);
    for (Eigen::Index c = 0; c < columns; ++c) {
      const double entry = std::abs(K(kept[i], c)) > threshold ? K(kept[i], c) : 0;
      out.combination(i, order[c]) = entry * scales[order[kept[i]]] / scales[order[c]];
    }
  }
  return out;
}

}  // namespace catena
