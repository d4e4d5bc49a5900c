// The splits of explain.hpp in spatial operators, which read as the papers' equations do. Tables of n x n and n x links
// numbers are asked for, so that an O(n) sweep for each column is as good as can be.
#include "catena/reference/explain.hpp"

#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/reference/dense.hpp"
#include "catena/reference/spatial_operators.hpp"

namespace catena {

using namespace kernel;

namespace {

void require_explainable(const Model& model, const BaseMotion& base) {
  if (model.has_couplings()) {
    throw std::invalid_argument("the terms are explained link by link, and mimic joints tie links together: " +
                                model.name() + " has some; make them independent to have its terms explained");
  }
  for (const Vector3& x : {base.angular_velocity, base.velocity, base.angular_acceleration, base.acceleration}) {
    if (!x.isZero(0)) throw std::invalid_argument("the terms are explained for a base at rest: this one moves");
  }
}

// One name a link. A joint of several links (universal, gimbal) has a velocity component for each.
std::vector<std::string> link_names(const Model& model) {
  const Tree& tree = model.tree();
  const std::vector<std::string> components = model.velocity_names();
  std::vector<std::string> names;
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    names.push_back(velocity_count(body) == 1 ? components[static_cast<std::size_t>(body.v)] : tree.joint_names[k]);
  }
  return names;
}

// A stacked vector as one column a link, so that a product keeps apart what comes from each: 6N x N.
Matrix by_link(const Vector& stacked) {
  const Eigen::Index links = stacked.size() / 6;
  Matrix columns = Matrix::Zero(stacked.size(), links);
  for (Eigen::Index m = 0; m < links; ++m) columns.col(m).segment<6>(6 * m) = stacked.segment<6>(6 * m);
  return columns;
}

// A stacked vector as 6 x N.
Matrix six_by_link(const Vector& stacked) { return stacked.reshaped(6, stacked.size() / 6); }

// The rows of a table summed by where its columns belong, as seen from the row's joint. Columns: by velocity component
// or by link. Entries of links on another branch are zero: no operator here leads from one branch to another.
enum class ColumnsBy { component, link };
PartsByPlace by_place(const Tree& tree, const Matrix& table, ColumnsBy columns) {
  const auto cell = [&](int row, int column) {  // per row of the first body, of all columns of the second
    const TreeBody &r = tree.bodies[row], &c = tree.bodies[column];
    const bool link = columns == ColumnsBy::link;
    return table.block(r.v, link ? column - 1 : c.v, velocity_count(r), link ? 1 : velocity_count(c)).rowwise().sum();
  };
  const auto rows = [&](Vector& part, int k) { return part.segment(tree.bodies[k].v, velocity_count(tree.bodies[k])); };
  PartsByPlace parts;
  for (Vector* part : {&parts.outboard, &parts.present, &parts.inboard}) part->setZero(table.rows());
  for (int k = 1; k < tree.count(); ++k) {
    rows(parts.present, k) += cell(k, k);
    for (int inward = tree.bodies[k].parent; inward > 0; inward = tree.bodies[inward].parent) {
      rows(parts.outboard, inward) += cell(inward, k);
      rows(parts.inboard, k) += cell(k, inward);
    }
  }
  return parts;
}

// (5.3)  xi = v + G' V+ = U' v
void explain_rates(const SpatialOperators& o, const Vector& v, DiagonalExplanation& out) {
  const Vector V_plus = transpose(o.E_phi) * o.V;
  out.own_rate = v;
  out.carried_rate = transpose(o.G) * V_plus;
  out.own_nu = transpose(o.S) * out.own_rate;
  out.carried_nu = transpose(o.S) * out.carried_rate;
  out.rate_shares = transpose(o.U()).apply(v.asDiagonal().toDenseMatrix());
  out.V_plus = six_by_link(o.R * V_plus);
}

// (5.4)  tau = kappa + H z,  z = Psi K tau
void explain_moments(const SpatialOperators& o, const Vector& tau, DiagonalExplanation& out) {
  const Vector z = o.Psi * (o.K * tau);
  out.passed_on = o.H * z;
  out.kappa = tau - out.passed_on;
  out.moment_shares = o.U_inv().apply(tau.asDiagonal().toDenseMatrix());
  out.z = six_by_link(o.R * z);
}

// Lemma 7.3. The inboard term with E_phi before it: H Psi E_phi Omega P+ is H Psi Omega P+ where H Omega P+ = 0, as at
// every joint but a spherical one with rotors.
void explain_coriolis(const SpatialOperators& o, DiagonalExplanation& out) {
  const Vector xi = out.own_rate + out.carried_rate;
  const Vector past = o.P_ring * (transpose(o.H) * xi);
  const Vector future = -1 * (o.Omega * (o.P_plus * (transpose(o.E_phi) * o.V)));
  const Vector present = o.crf_V * (o.M * o.V);
  const Operator gather = o.H * o.Psi;
  out.C_xi_outboard = gather.apply(by_link(past));
  out.C_xi_present = gather.apply(by_link(present));
  out.C_xi_inboard = (gather * o.E_phi).apply(by_link(future));
  out.C_xi = {out.C_xi_outboard.rowwise().sum(), out.C_xi_present.rowwise().sum(), out.C_xi_inboard.rowwise().sum()};

  const Operator S_inv = inverse(o.S);
  out.C_nu = {S_inv * out.C_xi.outboard - transpose(o.S_ring) * xi, S_inv * out.C_xi.present, S_inv * out.C_xi.inboard};
}

// (48) for every joint type: the terms of Lemma 7.3 with V = Psi' H' xi and xi = S'^-1 nu taken out to the right.
void explain_components(const SpatialOperators& o, DiagonalExplanation& out) {
  const Operator carried = o.E_phi * o.Omega * o.P_plus * transpose(o.E_phi) * transpose(o.Psi);
  const Operator c_xi = o.H * o.Psi * (o.P_ring - carried) * transpose(o.H);
  const Operator S_inv = inverse(o.S);
  out.c_xi = c_xi.matrix();
  out.c_nu = ((S_inv * c_xi - transpose(o.S_ring)) * transpose(S_inv)).matrix();
  out.bias_xi = out.C_xi.present;
  out.bias_nu = out.C_nu.present;
}

// Of a summand Y of S^-1 c_xi S'^-1, on the diagonal: less what S_dot' S'^-1 takes off for it. Zero where d = 1.
Matrix skew_part(const Matrix& Y) {
  Matrix L = Y + Y.transpose();
  L.diagonal() *= 0.5;
  return Y - Matrix(L.triangularView<Eigen::Lower>()).transpose();
}

// The tree body whose joint has this velocity component.
int body_of_component(const Tree& tree, int component) {
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    if (component >= body.v && component < body.v + velocity_count(body)) return k;
  }
  throw std::invalid_argument("no velocity component " + std::to_string(component) + ": there are 0 to " +
                              std::to_string(tree.nv - 1));
}

ReducedManipulators reduced_manipulators(const Model& model, ConstVector q, const Matrix& D, const Vector& nu) {
  const Tree& tree = model.tree();
  const Matrix M = mass_matrix(model, q);
  ReducedManipulators out;
  out.articulated = D;
  out.locked = Matrix::Zero(model.nv(), model.nv());
  out.links = out.mass = out.gives_way = Vector::Zero(model.nv());
  out.energy = 0.5 * nu.cwiseAbs2();
  std::vector<double> links(tree.count(), 1), mass(tree.count());
  for (int k = tree.count() - 1; k > 0; --k) {
    const TreeBody& body = tree.bodies[k];
    mass[k] += tree.inertias[k].M.m;
    links[body.parent] += links[k], mass[body.parent] += mass[k];
    const int d = velocity_count(body);
    out.locked.block(body.v, body.v, d, d) = M.block(body.v, body.v, d, d);
    for (int i = body.v; i < body.v + d; ++i) {
      out.links[i] = links[k], out.mass[i] = mass[k];
      out.gives_way[i] = 1 - D(i, i) / M(i, i);
    }
  }
  return out;
}

// -f_ext of the links, stacked.
Vector wrenches_taken(const Model& model, ConstVector q, const ExternalLoads& loads) {
  const int count = model.tree().count();
  Vector taken = Vector::Zero(6 * (count - 1));
  Workspace workspace(model);
  load_state(model, workspace.storage(), q, loads);
  const Force<double>* f_ext = collect_wrenches(model, loads, workspace.storage());
  for (int k = 1; f_ext != nullptr && k < count; ++k) taken.segment<6>(6 * (k - 1)) = -eigen(f_ext[k]);
  return taken;
}

// [000] section 5: H Psi in place of H Phi.
BiasCarried bias_carried(const SpatialOperators& o) {
  const Vector b = o.crf_V * (o.M * o.V), Ma = o.M * (transpose(o.Phi) * o.s);
  const Operator rigid = o.H * o.Phi, articulated = o.H * o.Psi;
  return {rigid * b, articulated * b, rigid * Ma, articulated * Ma};
}

}  // namespace

DiagonalExplanation explain_diagonal(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                     const BaseMotion& base) {
  require_explainable(model, base);
  require_velocity(model, tau, "tau");
  const SpatialOperators o(model, q, v);
  DiagonalExplanation out;
  out.links = link_names(model);
  explain_rates(o, v, out);
  explain_moments(o, tau, out);
  explain_coriolis(o, out);
  explain_components(o, out);
  out.reduced = reduced_manipulators(model, q, o.D.matrix(), out.own_nu + out.carried_nu);
  return out;
}

// (48), with A = H Psi E_phi, whose block (k, m) is zero unless link m lies strictly outboard of joint k:
//   c_xi(k, i) = sum over m of  A(k, m) P+(m) Omega'(m) A'(i, m)      i = k, or outboard of it
//                             - A(k, m) Omega(m) P+(m) A'(i, m)       i inboard of k
CoefficientRow explain_coefficients(const Model& model, ConstVector q, ConstVector v, int component) {
  require_explainable(model, {});
  const Tree& tree = model.tree();
  const int k = body_of_component(tree, component), first = tree.bodies[k].v, d = velocity_count(tree.bodies[k]);
  const SpatialOperators o(model, q, v);
  const Matrix A = (o.H * o.Psi * o.E_phi).matrix();
  Matrix right = (o.P_plus * transpose(o.Omega)).apply(A.transpose());
  const Matrix inboard = (o.Omega * o.P_plus).apply(A.transpose());
  for (int j = tree.bodies[k].parent; j > 0; j = tree.bodies[j].parent) {
    const int v_j = tree.bodies[j].v, d_j = velocity_count(tree.bodies[j]);
    right.middleCols(v_j, d_j) = -inboard.middleCols(v_j, d_j);
  }
  const Operator S_inv = inverse(o.S);
  const Matrix S_k_inv = S_inv.matrix().block(first, first, d, d);
  CoefficientRow out = {Matrix::Zero(o.bodies, model.nv()), Matrix::Zero(o.bodies, model.nv())};
  for (int m = 0; m < o.bodies; ++m) {
    const Matrix rows = A.block(first, 6 * m, d, 6) * right.middleRows(6 * m, 6);  // all components of joint k
    Matrix normalized = S_k_inv * S_inv.apply(rows.transpose()).transpose();
    normalized.middleCols(first, d) = skew_part(normalized.middleCols(first, d)).eval();
    out.xi.row(m) = rows.row(component - first);
    out.nu.row(m) = normalized.row(component - first);
  }
  return out;
}

// inward:  R = M + sum X' R X, beside the P of the operators; then from the tree's frames to those of the links.
InertiasAtJoints inertias_at_joints(const Model& model, ConstVector q) {
  require_explainable(model, {});
  const Tree& tree = model.tree();
  const SpatialOperators o(model, q);
  const Matrix P = o.P.apply(Matrix::Identity(6, 6).replicate(o.bodies, 1));
  Positions<double> positions(tree);
  const Vector q_copy = q;
  update_positions(tree, q_copy.data(), positions);
  std::vector<Inertia<double>> R(tree.count(), Inertia<double>::zero());
  for (int k = 1; k < tree.count(); ++k) R[k] = tree.inertias[k].M;
  for (int k = tree.count() - 1; k > 0; --k) R[tree.bodies[k].parent] += apply_transposed(positions.X[k], R[k]);

  InertiasAtJoints out;
  for (const Coordinate& c : tree.coordinates) {
    const int k = tree.joint_body[c.index];
    const Transform<double>& link = tree.frames[tree.joint_frame[c.index]].pose;
    const Matrix6 turn = twice(eigen(link.R));
    out.joints.push_back(c.index);
    out.origins.push_back(-eigen(link.R).transpose() * eigen(link.p));
    out.articulated.push_back(turn.transpose() * P.middleRows(6 * (k - 1), 6) * turn);
    out.composite.push_back(turn.transpose() * dense(R[k]) * turn);
  }
  return out;
}

// (38)  tau = H Phi M Phi' H' v_dot + H Phi M Phi' a + H Phi b, column by column as in (39), and what (38) neglects.
TorqueExplanation explain_torque(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                                 const ExternalLoads& loads) {
  require_explainable(model, loads.base);
  require_velocity(model, a, "a");
  const SpatialOperators o(model, q, v);
  const Operator gather = o.H * o.Phi, inertia = gather * o.M * transpose(o.Phi);
  const Matrix accelerations = a.asDiagonal().toDenseMatrix();
  TorqueExplanation out;
  out.links = link_names(model);
  out.tau = inverse_dynamics(model, q, v, a, loads);
  out.by_acceleration = (inertia * transpose(o.H) + o.J).apply(accelerations);
  out.by_bias_acceleration = inertia.apply(by_link(o.s));
  out.by_bias_force = gather.apply(by_link(o.crf_V * (o.M * o.V)));
  out.by_weight = gather.apply(by_link(-1 * (o.M * o.g)));
  out.by_wrench = gather.apply(by_link(wrenches_taken(model, q, loads)));
  out.joint_terms = joint_forces(model, q, v);

  const auto split = [&](const Matrix& table) { return by_place(model.tree(), table, ColumnsBy::link); };
  out.acceleration = by_place(model.tree(), out.by_acceleration, ColumnsBy::component);
  out.bias_acceleration = split(out.by_bias_acceleration);
  out.bias_force = split(out.by_bias_force);
  out.weight = split(out.by_weight);
  out.wrench = split(out.by_wrench);
  out.coriolis = out.bias_acceleration.sum() + out.bias_force.sum();
  out.bias = bias_carried(o);
  return out;
}

}  // namespace catena
