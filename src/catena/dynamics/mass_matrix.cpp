#include "catena/dynamics/mass_matrix.hpp"

#include "catena/dynamics/storage.hpp"

namespace catena {

using namespace kernel;

namespace {

// Runs fill(data, stride) on the result itself, or on full coordinates that are then reduced.
template <class Fill>
void fill_matrix(const Tree& tree, Workspace::Storage& work, MatrixRef out, const Fill& fill) {
  if (tree.couplings.empty()) {
    fill(out.data(), static_cast<int>(out.outerStride()));
    return;
  }
  fill(work.full_matrix.data(), tree.nv_full);
  reduce_matrix(tree, work.full_matrix.data(), tree.nv_full, out);
}

}  // namespace

void mass_matrix(const Model& model, Workspace& workspace, ConstVector q, MatrixRef M) {
  Workspace::Storage& work = prepare(model, workspace);
  require_square(model, M, "M");
  load_coordinates(model, work, q);
  fill_matrix(model.tree(), work, M, [&](double* data, int stride) {
    update_links(model.reduced(), work.q.data(), work.links);
    mass_matrix_sweep(model.reduced().tree, work.links.X, work.composite, data, stride);
  });
}

Matrix mass_matrix(const Model& model, ConstVector q) {
  BorrowedWorkspace workspace(model);
  Matrix M(model.nv(), model.nv());
  mass_matrix(model, workspace, q, M);
  return M;
}

void mass_matrix_inverse(const Model& model, Workspace& workspace, ConstVector q, MatrixRef M_inv) {
  Workspace::Storage& work = prepare(model, workspace);
  require_square(model, M_inv, "M_inv");
  const Tree& tree = model.tree();
  if (!tree.couplings.empty()) {
    mass_matrix(model, workspace, q, work.reduced_matrix);
    work.factor.compute(model, work.reduced_matrix);
    M_inv.setIdentity();
    work.factor.solve_in_place(M_inv);
    require_finite_inverse(model, M_inv);
    return;
  }
  load_coordinates(model, work, q);
  if (by_factor(tree)) {
    factor_mass_matrix(model, work);
    invert_rows(tree, work.rows, work.inverse, M_inv.data(), static_cast<int>(M_inv.outerStride()));
    require_finite_inverse(model, M_inv);
    return;
  }
  update_links(model.reduced(), work.q.data(), work.links);
  riccati_sweep(model.reduced().tree, work.links.X, work.articulated);
  if (work.articulated.singular_body != 0) throw_singular(model, work.articulated.singular_body);
  inverse_matrix_sweeps(model.reduced().tree, work.links.X, work.articulated, M_inv.data(),
                        static_cast<int>(M_inv.outerStride()));
  require_finite_inverse(model, M_inv);
}

Matrix mass_matrix_inverse(const Model& model, ConstVector q) {
  BorrowedWorkspace workspace(model);
  Matrix M_inv(model.nv(), model.nv());
  mass_matrix_inverse(model, workspace, q, M_inv);
  return M_inv;
}

void coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector v, MatrixRef C) {
  Workspace::Storage& work = prepare(model, workspace);
  require_square(model, C, "C");
  const Tree& tree = model.reduced().tree;
  load_coordinates(model, work, q);
  load_velocities(model, work, v);
  update_links(model.reduced(), work.q.data(), work.links);
  std::vector<Motion<double>>& V = work.newton_euler.V;
  V[0] = Motion<double>::zero();
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    Motion<double> s;
    velocity_step(body, work.links.X[k], V[body.parent], work.v.data() + body.v, V[k], s);
  }
  fill_matrix(tree, work, C, [&](double* data, int stride) {
    coriolis_matrix_sweep(tree, work.links.X, V, work.composite, work.composite_bar, data, stride);
  });
}

Matrix coriolis_matrix(const Model& model, ConstVector q, ConstVector v) {
  BorrowedWorkspace workspace(model);
  Matrix C(model.nv(), model.nv());
  coriolis_matrix(model, workspace, q, v, C);
  return C;
}

Matrix mass_matrix_dot(const Model& model, ConstVector q, ConstVector v) {
  const Matrix C = coriolis_matrix(model, q, v);
  return C + C.transpose();
}

}  // namespace catena
