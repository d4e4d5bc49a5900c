#include "catena/reference/workbench.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/model/names.hpp"
#include "catena/model/text.hpp"
#include "catena/model/tree.hpp"
#include "catena/reference/denoc.hpp"
#include "catena/reference/expression.hpp"
#include "catena/reference/linear_operators.hpp"
#include "catena/reference/noc.hpp"

namespace catena {

struct Workbench::Storage {
  Model model;
  Vector q, v, a;
  ExternalLoads loads;
  std::optional<SpatialOperators> operators;
  std::optional<LinearOperators> linear_;
  std::optional<SerialLinearOperators> serial_;
  std::optional<InverseLinearization> inverse_;
  std::optional<ForwardLinearization> forward_;
  std::optional<Denoc> denoc_;
  std::optional<DenocFactors> factors_;
  std::optional<NaturalComplement> complement;
  std::map<std::string, WorkbenchValue> values;  // by whole name

  Storage(const Model& model_in, ConstVector q_in, ConstVector v_in, const Vector& a_in, const ExternalLoads& loads_in)
      : model(model_in), q(q_in), v(v_in), a(a_in), loads(loads_in) {
    require_configuration(model, q);
    require_velocity(model, v, "v");
    if (a.size() == 0) a.setZero(model.nv());
    require_velocity(model, a, "a");
  }
  const SpatialOperators& soa() { return operators ? *operators : operators.emplace(model, q, v, loads.base); }
  const LinearOperators& linear() { return linear_ ? *linear_ : linear_.emplace(model, q, v, a, loads.base); }
  const SerialLinearOperators& serial() { return serial_ ? *serial_ : serial_.emplace(model, linear()); }
  // Wrenches stay out of these, as they do of the operators.
  ExternalLoads moving_base() const { return {loads.base, {}}; }
  const InverseLinearization& inverse() {
    return inverse_ ? *inverse_ : inverse_.emplace(linearize_inverse(model, q, v, a, moving_base()));
  }
  const ForwardLinearization& forward() {
    const auto linearized = [&] {
      return linearize_forward(model, q, v, inverse_dynamics(model, q, v, a, moving_base()), moving_base());
    };
    return forward_ ? *forward_ : forward_.emplace(linearized());
  }
  const Denoc& denoc() { return denoc_ ? *denoc_ : denoc_.emplace(model, q, v, loads); }
  const DenocFactors& factors() { return factors_ ? *factors_ : factors_.emplace(denoc().eliminate()); }
  const NaturalComplement& noc() {
    return complement ? *complement : complement.emplace(natural_complement(model, q, v, loads));
  }
};

namespace {

using Source = Matrix (*)(Workbench::Storage&);

struct Row {
  WorkbenchName name;
  Source matrix;
};

// A 6N x 6N matrix with the blocks of a body, or a 6N x n one with those of its joint, on the diagonal.
Matrix on_diagonal(const Denoc& denoc, const std::vector<Matrix6>& blocks) {
  Matrix out = Matrix::Zero(6 * (denoc.count() - 1), 6 * (denoc.count() - 1));
  for (int i = 1; i < denoc.count(); ++i) out.block<6, 6>(6 * (i - 1), 6 * (i - 1)) = blocks[i];
  return out;
}
Matrix on_diagonal(const Denoc& denoc, int components, const std::vector<Matrix>& blocks) {
  Matrix out = Matrix::Zero(6 * (denoc.count() - 1), components);
  for (int i = 1; i < denoc.count(); ++i) out.block(6 * (i - 1), denoc.body(i).v, 6, blocks[i].cols()) = blocks[i];
  return out;
}
template <class Block>
Matrix each_body(const Denoc& denoc, const Block& block) {
  std::vector<Matrix6> blocks(denoc.count());
  for (int i = 1; i < denoc.count(); ++i) blocks[i] = block(i);
  return on_diagonal(denoc, blocks);
}
// Blocks at (body, its parent).
template <class Block>
Matrix to_parents(const Denoc& denoc, const Block& block) {
  Matrix out = Matrix::Zero(6 * (denoc.count() - 1), 6 * (denoc.count() - 1));
  for (int i = 1; i < denoc.count(); ++i) {
    const int parent = denoc.body(i).parent;
    if (parent > 0) out.block<6, 6>(6 * (i - 1), 6 * (parent - 1)) = block(i, parent);
  }
  return out;
}

using S = Workbench::Storage;
constexpr Space n = Space::components, b = Space::bodies, one = Space::one;

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {{"M", "mass matrix, armature included", n, n}, [](S& s) { return mass_matrix(s.model, s.q); }},
      {{"M_inv", "its inverse", n, n}, [](S& s) { return mass_matrix_inverse(s.model, s.q); }},
      {{"M_dot", "its rate of change", n, n}, [](S& s) { return mass_matrix_dot(s.model, s.q, s.v); }},
      {{"C", "Coriolis matrix, M_dot = C + C^T", n, n}, [](S& s) { return coriolis_matrix(s.model, s.q, s.v); }},
      {{"v", "joint velocities", n, one}, [](S& s) -> Matrix { return s.v; }},
      {{"gravity", "gravity forces, base at rest", n, one},
       [](S& s) -> Matrix { return gravity_forces(s.model, s.q); }},
      {{"coriolis", "Coriolis and centrifugal forces C v, base at rest", n, one},
       [](S& s) -> Matrix { return coriolis_forces(s.model, s.q, s.v); }},
      {{"a", "joint accelerations", n, one}, [](S& s) -> Matrix { return s.a; }},
      {{"A_D", "d tau / d v, joint terms included", n, n}, [](S& s) { return s.inverse().A_D; }},
      {{"B_D", "d tau / d q, joint terms included", n, n}, [](S& s) { return s.inverse().B_D; }},
      {{"A_C", "-d a / d v, joint terms included", n, n}, [](S& s) { return s.forward().A_C; }},
      {{"B_C", "-d a / d q, joint terms included", n, n}, [](S& s) { return s.forward().B_C; }},

      {{"soa.E_phi", "rigid shift: a body's wrench seen at its parent", b, b},
       [](S& s) { return s.soa().E_phi.matrix(); }},
      {{"soa.Phi", "(1 - E_phi)^-1, rigid sweep from tip to base", b, b}, [](S& s) { return s.soa().Phi.matrix(); }},
      {{"soa.H", "joint maps, transposed: spatial velocity of a body = H^T v", n, b},
       [](S& s) { return s.soa().H.matrix(); }},
      {{"soa.M", "spatial inertias of the bodies", b, b}, [](S& s) { return s.soa().M.matrix(); }},
      {{"soa.J", "armature", n, n}, [](S& s) { return s.soa().J.matrix(); }},
      {{"soa.P", "articulated inertias", b, b}, [](S& s) { return s.soa().P.matrix(); }},
      {{"soa.D", "H P H^T + J, articulated inertia about each joint", n, n}, [](S& s) { return s.soa().D.matrix(); }},
      {{"soa.S", "root of D, D = S S^T", n, n}, [](S& s) { return s.soa().S.matrix(); }},
      {{"soa.G", "gain P H^T D^-1", b, n}, [](S& s) { return s.soa().G.matrix(); }},
      {{"soa.tau_bar", "1 - G H", b, b}, [](S& s) { return s.soa().tau_bar.matrix(); }},
      {{"soa.P_plus", "tau_bar P, what is left of P past the joint", b, b},
       [](S& s) { return s.soa().P_plus.matrix(); }},
      {{"soa.K", "shifted gain E_phi G", b, n}, [](S& s) { return s.soa().K.matrix(); }},
      {{"soa.E_psi", "articulated shift E_phi tau_bar", b, b}, [](S& s) { return s.soa().E_psi.matrix(); }},
      {{"soa.Psi", "(1 - E_psi)^-1, articulated sweep", b, b}, [](S& s) { return s.soa().Psi.matrix(); }},
      {{"soa.U", "1 + H Phi K, M = U D U^T", n, n}, [](S& s) { return s.soa().U().matrix(); }},
      {{"soa.U_inv", "1 - H Psi K", n, n}, [](S& s) { return s.soa().U_inv().matrix(); }},
      {{"soa.m", "U S, M = m m^T", n, n}, [](S& s) { return s.soa().m().matrix(); }},
      {{"soa.l", "m^-1", n, n}, [](S& s) { return s.soa().l().matrix(); }},
      {{"soa.Omega", "crf(H^T v) of each joint", b, b}, [](S& s) { return s.soa().Omega.matrix(); }},
      {{"soa.crf_V", "crf(V) of each body: wrenches of a moving body", b, b},
       [](S& s) { return s.soa().crf_V.matrix(); }},
      {{"soa.W", "angular velocities, [w]x twice for each body", b, b}, [](S& s) { return s.soa().W.matrix(); }},
      {{"soa.R", "axes of the bodies in the world", b, b}, [](S& s) { return s.soa().R.matrix(); }},
      {{"soa.P_ring", "rate of P in body axes", b, b}, [](S& s) { return s.soa().P_ring.matrix(); }},
      {{"soa.lambda_dot", "P_ring + Omega P + P Omega^T", b, b}, [](S& s) { return s.soa().lambda_dot.matrix(); }},
      {{"soa.D_ring", "rate of D", n, n}, [](S& s) { return s.soa().D_ring.matrix(); }},
      {{"soa.S_ring", "rate of S", n, n}, [](S& s) { return s.soa().S_ring.matrix(); }},
      {{"soa.G_ring", "rate of G in body axes", b, n}, [](S& s) { return s.soa().G_ring.matrix(); }},
      {{"soa.U_dot", "rate of U", n, n}, [](S& s) { return s.soa().U_dot().matrix(); }},
      {{"soa.m_dot", "rate of m", n, n}, [](S& s) { return s.soa().m_dot().matrix(); }},
      {{"soa.V", "spatial velocities of the bodies, body axes", b, one}, [](S& s) -> Matrix { return s.soa().V; }},
      {{"soa.s", "crm(V) H^T v, velocity-product accelerations", b, one}, [](S& s) -> Matrix { return s.soa().s; }},
      {{"soa.g", "gravity in body axes", b, one}, [](S& s) -> Matrix { return s.soa().g; }},
      {{"soa.alpha", "spatial accelerations of the bodies less gravity", b, one},
       [](S& s) -> Matrix { return s.linear().alpha; }},
      {{"soa.f", "forces that the joints pass on, Phi (M alpha + crf(V) M V)", b, one},
       [](S& s) -> Matrix { return s.linear().f; }},
      {{"soa.f_H", "crf(h) f of each joint direction h, the paper's H_bar^T f", b, n},
       [](S& s) { return s.linear().f_H.matrix(); }},
      {{"soa.H_dot", "rate of H: crm(V of the parent) H^T, transposed", n, b},
       [](S& s) { return s.linear().H_dot.matrix(); }},
      {{"soa.H_v", "H_dot + (crm(V) H^T)^T; one-degree joints: 2 H_dot", n, b},
       [](S& s) { return s.linear().H_v.matrix(); }},
      {{"soa.H_ddot", "second rate of H: crm(alpha of the parent) H^T + crm(V of the parent) H_dot^T, transposed", n,
        b},
       [](S& s) { return s.linear().H_ddot.matrix(); }},
      {{"soa.M_bar", "(M_dot - Q[M V]) / 2 of each body", b, b}, [](S& s) { return s.linear().M_bar.matrix(); }},
      {{"soa.P_hat", "M_bar + E_psi P_hat E_phi^T (4.12)", b, b}, [](S& s) { return s.linear().P_hat.matrix(); }},
      {{"soa.G_hat", "P_hat^T H^T D^-1 (4.12)", b, n}, [](S& s) { return s.linear().G_hat.matrix(); }},
      {{"soa.K_hat", "E_phi G_hat", b, n}, [](S& s) { return s.linear().K_hat.matrix(); }},
      {{"soa.Y_A", "2 P_hat H^T + P H_v^T (4.14)", b, n}, [](S& s) { return s.linear().Y_A.matrix(); }},
      {{"soa.Y_B", "2 P_hat H_dot^T + P H_ddot^T + f_H (4.14)", b, n}, [](S& s) { return s.linear().Y_B.matrix(); }},
      {{"soa.Upsilon", "(4.19), serial chains", b, b}, [](S& s) { return s.serial().Upsilon.matrix(); }},
      {{"soa.Upsilon_plus", "that of the parent, seen from the body", b, b},
       [](S& s) { return s.serial().Upsilon_plus.matrix(); }},
      {{"soa.J_hat", "J of (4.22), serial chains", b, b}, [](S& s) { return s.serial().J_hat.matrix(); }},
      {{"soa.L", "D^-1 + G^T Upsilon_plus G (4.22)", n, n}, [](S& s) { return s.serial().L.matrix(); }},
      {{"soa.u", "L H - G^T Upsilon_plus, U of (4.22)", n, b}, [](S& s) { return s.serial().u.matrix(); }},
      {{"soa.E_A", "H_v^T - Upsilon Y_A + 2 J_hat H^T (4.22)", b, n}, [](S& s) { return s.serial().E_A.matrix(); }},
      {{"soa.E_B", "H_ddot^T - Upsilon Y_B + 2 J_hat H_dot^T (4.22)", b, n},
       [](S& s) { return s.serial().E_B.matrix(); }},
      {{"soa.Q", "2 (K_hat - J_hat^T K) (4.22)", b, n}, [](S& s) { return s.serial().Q.matrix(); }},

      {{"denoc.N_l", "links: twists = N_l N_d v, mass centres, world axes", b, b},
       [](S& s) { return s.denoc().N_l(); }},
      {{"denoc.N_d", "joints", b, n}, [](S& s) { return s.denoc().N_d(); }},
      {{"denoc.B", "twist of the parent carried to the body", b, b},
       [](S& s) { return to_parents(s.denoc(), [&](int i, int j) { return s.denoc().B(i, j); }); }},
      {{"denoc.B_dot", "rate of B", b, b},
       [](S& s) { return to_parents(s.denoc(), [&](int i, int j) { return s.denoc().B_dot(i, j); }); }},
      {{"denoc.p", "joint maps of the bodies, as in N_d", b, n}, [](S& s) { return s.denoc().N_d(); }},
      {{"denoc.M", "inertias about the mass centres", b, b},
       [](S& s) { return each_body(s.denoc(), [&](int i) { return s.denoc().body(i).M(); }); }},
      {{"denoc.Omega", "angular velocities: p_dot = Omega p", b, b},
       [](S& s) { return each_body(s.denoc(), [&](int i) { return s.denoc().Omega(i); }); }},
      {{"denoc.M_tilde", "composite inertias (23b)", b, b},
       [](S& s) { return on_diagonal(s.denoc(), s.denoc().M_tilde()); }},
      {{"denoc.M_hat", "articulated inertias, columns beyond eliminated (47)", b, b},
       [](S& s) { return on_diagonal(s.denoc(), s.factors().M_hat); }},
      {{"denoc.psi_hat", "M_hat p", b, n},
       [](S& s) { return on_diagonal(s.denoc(), s.model.nv(), s.factors().psi_hat); }},
      {{"denoc.psi", "psi_hat m_hat^-1", b, n},
       [](S& s) { return on_diagonal(s.denoc(), s.model.nv(), s.factors().psi); }},
      {{"denoc.I", "generalized inertia (24), armature included", n, n},
       [](S& s) { return s.denoc().generalized_inertia(); }},
      {{"denoc.C", "convective inertia (29), base at rest", n, n}, [](S& s) { return s.denoc().convective_inertia(); }},
      {{"denoc.U", "I = U D U^T by elimination", n, n}, [](S& s) { return s.denoc().U(s.factors()); }},
      {{"denoc.D", "its pivots", n, n}, [](S& s) { return s.denoc().D(s.factors()); }},

      {{"noc.K", "constraints: K t = 0, on a moving base k", b, b}, [](S& s) { return s.noc().K; }},
      {{"noc.T", "natural orthogonal complement: t = T v, K T = 0", b, n}, [](S& s) { return s.noc().T; }},
      {{"noc.T_dot", "its rate", b, n}, [](S& s) { return s.noc().T_dot; }},
      {{"noc.M", "inertias about the mass centres", b, b}, [](S& s) { return s.noc().M; }},
      {{"noc.W", "angular velocities, [w]x and 0 for each body", b, b}, [](S& s) { return s.noc().W; }},
      {{"noc.A", "wrenches of the motors = A tau", b, n}, [](S& s) { return s.noc().A; }},
      {{"noc.t", "twists of the mass centres, world axes", b, one}, [](S& s) -> Matrix { return s.noc().t; }},
      {{"noc.k", "K t on a moving base, else 0", b, one}, [](S& s) -> Matrix { return s.noc().k; }},
      {{"noc.w_G", "weights", b, one}, [](S& s) -> Matrix { return s.noc().w_G; }},
      {{"noc.w_W", "other wrenches from outside", b, one}, [](S& s) -> Matrix { return s.noc().w_W; }},
  };
  return all;
}

std::string_view short_name(std::string_view name) {
  const std::size_t dot = name.find('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

}  // namespace

Workbench::Workbench(const Model& model, ConstVector q, ConstVector v, const ExternalLoads& loads, const Vector& a)
    : storage_(std::make_unique<Storage>(model, q, v, a, loads)) {
  if (model.tree().count() - 1 > most_bodies) {
    throw std::invalid_argument(model.name() + " has " + std::to_string(model.tree().count() - 1) +
                                " moving bodies: its operators as matrices are for robots of up to " +
                                std::to_string(most_bodies));
  }
}
Workbench::Workbench(Workbench&&) noexcept = default;
Workbench& Workbench::operator=(Workbench&&) noexcept = default;
Workbench::~Workbench() = default;

const Model& Workbench::model() const { return storage_->model; }

const std::vector<WorkbenchName>& Workbench::names() {
  static const std::vector<WorkbenchName> all = [] {
    std::vector<WorkbenchName> out;
    for (const Row& row : rows()) out.push_back(row.name);
    return out;
  }();
  return all;
}

std::string Workbench::resolved(const std::string& name, const std::string& family) {
  for (const std::string& whole : {family + "." + name, name}) {
    for (const WorkbenchName& known : names()) {
      if (known.name == whole) return whole;
    }
  }
  for (const WorkbenchName& known : names()) {
    if (short_name(known.name) == name) return known.name;
  }
  std::set<std::string> candidates;
  for (const WorkbenchName& known : names()) candidates.insert({known.name, std::string(short_name(known.name))});
  throw ExpressionError("no operator is called '" + printable(name) + "'" +
                        did_you_mean(name, {candidates.begin(), candidates.end()}) +
                        "; `catena operators ROBOT` lists them");
}

const WorkbenchValue& Workbench::value(const std::string& name) const {
  const std::string whole = resolved(name);
  const auto found = storage_->values.find(whole);
  if (found != storage_->values.end()) return found->second;
  const auto row = std::find_if(rows().begin(), rows().end(), [&](const Row& r) { return r.name.name == whole; });
  try {
    return storage_->values.emplace(whole, WorkbenchValue{row->matrix(*storage_), row->name.rows, row->name.columns})
        .first->second;
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(whole + " does not exist for " + storage_->model.name() + ": " + error.what());
  }
}

Evaluation Workbench::evaluate(const std::string& expression, const std::string& family) const {
  Evaluation out =
      reference::evaluate(expression, [&](const std::string& name) { return value(resolved(name, family)); });
  if (!out.value.values.allFinite() || !std::isfinite(out.size)) {
    throw NumericalError("the numbers of the expression overflow", "");
  }
  return out;
}

std::vector<std::string> Workbench::labels(Space space) const {
  if (space == Space::one) return {""};
  if (space == Space::components) return storage_->model.velocity_names();
  const Tree& tree = storage_->model.tree();
  std::vector<std::string> out;
  for (int k = 1; k < tree.count(); ++k) {
    for (const char* part : {"rx", "ry", "rz", "x", "y", "z"}) out.push_back(tree.joint_names[k] + "." + part);
  }
  return out;
}

}  // namespace catena
