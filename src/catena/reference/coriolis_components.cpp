// Kozlowski's component form (48) with the sign corrected: formula sheet 4.8.
//   c_ki = -sum over m strictly below i of  w_km . P_m (VJ_m x w_im) / sqrt(D_k D_i),   w_im = Psi(i, m)' H_i
// for k a strict ancestor of i; c_ik = -c_ki.
#include "catena/reference/coriolis_components.hpp"

#include <cmath>

#include "catena/dynamics/storage.hpp"
#include "catena/reference/textbook_kernel.hpp"

namespace catena {

using namespace kernel;

Matrix coriolis_components(const Model& model, ConstVector q, ConstVector v) {
  const Tree& tree = model.tree();
  for (int k = 1; k < tree.count(); ++k) {
    if (tree.bodies[k].multi >= 0 || model.has_couplings() || tree.terms[tree.bodies[k].v].armature != 0) {
      throw std::invalid_argument(
          "the component form (48) is for one-degree joints without mimics or rotor inertia; joint " +
          tree.joint_names[k] + " is not");
    }
  }
  require_velocity(model, v, "v");
  require_configuration(model, q);
  Positions<double> positions(tree);
  update_positions(tree, q.data(), positions);
  // In the frames of the bodies as they are: single terms of the sum depend on which body has which inertia.
  Articulated<double> art(tree);
  textbook_riccati_sweep(tree, positions.X, art, [](int, auto, const auto&) {});
  if (art.singular_body != 0) throw_singular(model, art.singular_body);

  Matrix c = Matrix::Zero(model.nv(), model.nv());
  // w[i][m], row by row: Psi(i, m)' H_i for m = i and below; w of a child = tau_bar' X w of its parent.
  std::vector<std::vector<Motion<double>>> w(tree.count());
  for (int i = 1; i < tree.count(); ++i) {
    w[i].assign(tree.count(), Motion<double>::zero());
    std::vector<bool> below(tree.count(), false);
    below[i] = true;
    w[i][i] = visit(tree.bodies[i], [&](auto joint) { return joint.template unit<double>(tree.bodies[i], 0); });
    for (int m = i + 1; m < tree.count(); ++m) {
      const TreeBody& body = tree.bodies[m];
      if (!below[body.parent]) continue;
      below[m] = true;
      Motion<double> seen = apply(positions.X[m], w[i][body.parent]);
      const double carried[6] = {-dot(seen, art.PH[body.v]) * art.D_inv[body.v]};
      visit(body, [&](auto joint) { joint.add(body, seen, carried); });
      w[i][m] = seen;
    }
  }
  for (int i = 1; i < tree.count(); ++i) {
    const TreeBody& inner = tree.bodies[i];
    for (int m = i + 1; m < tree.count(); ++m) {
      const TreeBody& body = tree.bodies[m];
      Motion<double> VJ = Motion<double>::zero();
      visit(body, [&](auto joint) { joint.add(body, VJ, v.data() + body.v); });
      const Force<double> f = art.P[m] * cross(VJ, w[i][m]);
      for (int k = inner.parent; k > 0; k = tree.bodies[k].parent) {
        const TreeBody& outer = tree.bodies[k];
        c(outer.v, inner.v) -= dot(w[k][m], f) * std::sqrt(art.D_inv[outer.v] * art.D_inv[inner.v]);
      }
    }
    for (int k = inner.parent; k > 0; k = tree.bodies[k].parent) {
      c(inner.v, tree.bodies[k].v) = -c(tree.bodies[k].v, inner.v);
    }
  }
  return c;
}

}  // namespace catena
