// The papers' own recursions with the counting scalar: what their tables count, run by itself.
#include "catena/count/count_angeles.hpp"
#include "catena/count/count_run.hpp"
#include "catena/reference/denoc_kernel.hpp"
#include "catena/reference/dh_kernel.hpp"
#include "catena/reference/kozlowski_kernel.hpp"
#include "catena/reference/noc_kernel.hpp"

namespace catena::compile {
namespace {

Six<S> ground_rate(const Tree& tree) {
  Six<S> out = Six<S>::zero();
  out.b = Column3<S>(S(-tree.gravity.x), S(-tree.gravity.y), S(-tree.gravity.z));
  return out;
}

// tau of the bodies by Saha's recursion; a null for none
DenocLinks<S> denoc(Run& x, const S* a) {
  DenocLinks<S> links(x.tree, x.positions.X, x.v.data());
  denoc_inverse(x.tree, links, x.v.data(), a, Six<S>::zero(), ground_rate(x.tree),
                static_cast<const Force<S>*>(nullptr), x.result.data());
  return links;
}
void inverse_denoc(Run& x) {
  denoc(x, x.a.data());
  x.joint_terms(x.result.data(), x.a.data());
}
void forward_denoc(Run& x) {
  const DenocLinks<S> links = denoc(x, nullptr);
  x.joint_terms(x.result.data(), nullptr);
  x.begin("φ");
  for (int i = 0; i < x.n; ++i) x.result[i] = x.tau[i] - x.result[i];
  denoc_solve(x.tree, links, denoc_eliminate(x.tree, links, x.v.data()), x.result.data(), x.result.data());
}

struct Shaped {
  WorldBodies<S> bodies;
  Complement<S> shape;
};
Shaped noc(Run& x, const S* a) {
  WorldBodies<S> bodies(x.tree, x.positions.X, x.v.data(), Six<S>::zero());
  Complement<S> shape(x.tree, bodies, x.v.data());
  x.begin("inertial wrenches and Tᵀ");
  noc_forces(
      x.tree, bodies, shape, x.v.data(), a, [&](int) { return ground_rate(x.tree); }, [](int, Six<S>&) {},
      x.result.data());
  return {std::move(bodies), std::move(shape)};
}
void inverse_noc(Run& x) {
  noc(x, x.a.data());
  x.joint_terms(x.result.data(), x.a.data());
}
void forward_noc(Run& x) {
  const Shaped parts = noc(x, nullptr);
  x.joint_terms(x.result.data(), nullptr);
  x.begin("TᵀMT");
  std::vector<S> I = x.square();
  noc_inertia(x.tree, parts.bodies, parts.shape, x.n, I.data());
  for (int i = 0; i < x.n; ++i) I[i + i * x.n] += x.tree.terms[i].armature;
  x.solve(I);
}

template <bool normalized>
void kozlowski(Run& x) {
  x.take_off_joint_forces();
  Kozlowski<S> steps(x.tree);
  kozlowski_sweeps<normalized>(x.tree, x.positions.X, x.v.data(), x.tau.data(), steps, x.result.data());
}

struct Algorithm {
  const char* name;
  const char* title;
  void (*run)(Run&);
};
const Algorithm complements[] = {
    {"inverse_denoc", "inverse dynamics, Saha's recursion at the mass centres", inverse_denoc},
    {"forward_denoc", "forward dynamics, Saha's elimination U D Uᵀ", forward_denoc},
    {"inverse_noc", "inverse dynamics, Angeles' complement T", inverse_noc},
    {"forward_noc", "forward dynamics, Angeles' complement T, L D L'", forward_noc},
};
const Algorithm steps[] = {
    {"kozlowski_nu", "forward dynamics, Kozłowski's normalized recursion step by step", kozlowski<true>},
    {"kozlowski_xi", "forward dynamics, Kozłowski's unnormalized recursion step by step", kozlowski<false>},
};

bool has_kozlowski_joints(const Tree& tree) {
  for (int k = 1; k < tree.count(); ++k) {
    const TreeBody& body = tree.bodies[k];
    if (!is<Revolute>(body) && !is<Prismatic>(body)) return false;
    if (tree.terms[body.v].armature != 0) return false;
  }
  return true;
}

std::optional<AlgorithmCount> count_dh(const Model& model, bool fold) {
  const std::optional<DhChain> chain = dh_chain(model);
  if (!chain) return std::nullopt;
  Run x(model, fold);
  x.tally = Tally(fold);  // these sweeps make their own rotations
  const Vector3 up = chain->base.acceleration - chain->base.gravity;
  const Column3<S> rest(S(0), S(0), S(0));
  const DhGround<S> ground = {chain->base.delta, rest, rest, rest, Column3<S>(up.cast<S>())};
  DhState<S> state(x.n);
  dh_sweeps(chain->links, ground, x.q.data(), x.v.data(), x.a.data(), rest, rest, state, x.result.data());
  x.joint_terms(x.result.data(), x.a.data());
  return x.count("inverse_dh", "inverse dynamics, Angeles' recursion in Denavit-Hartenberg frames");
}

}  // namespace

std::vector<SweepCount> count_angeles(int joints, bool prismatic) {
  std::vector<DhLink> links(static_cast<std::size_t>(joints));
  for (DhLink& link : links) {
    link.prismatic = prismatic;
    link.a = 0.3, link.alpha = 0.7, link.mass = 2;
    (prismatic ? link.theta : link.b) = 0.2;
    link.rho = {0.1, 0.2, 0.3};
    link.inertia << 3, 0.1, 0.2, 0.1, 4, 0.3, 0.2, 0.3, 5;
  }
  Tally tally(true);
  const auto three = [&](double x) { return Column3<S>(S(x, tally), S(2 * x, tally), S(3 * x, tally)); };
  const DhGround<S> ground = {{0.1, 0.2, 0.3}, three(0.1), three(0.2), three(0.3), three(0.4)};
  const std::vector<S> state(links.size(), S(0.5, tally));
  std::vector<S> tau(links.size(), S(0));
  DhState<S> work(joints);
  dh_positions(links, ground.delta, three(0.7), state.data());
  dh_sweeps(links, ground, state.data(), state.data(), state.data(), three(0.5), three(0.6), work, tau.data());
  return tally.sweeps();
}

std::vector<AlgorithmCount> count_papers(const Model& model, bool fold) {
  std::vector<AlgorithmCount> out;
  const auto add = [&](const Algorithm& algorithm) {
    Run run(model, fold);
    algorithm.run(run);
    out.push_back(run.count(algorithm.name, algorithm.title));
  };
  if (const std::optional<AlgorithmCount> dh = count_dh(model, fold)) out.push_back(*dh);
  if (model.has_couplings()) return out;
  for (const Algorithm& algorithm : complements) add(algorithm);
  if (has_kozlowski_joints(model.tree())) {
    for (const Algorithm& algorithm : steps) add(algorithm);
  }
  return out;
}

}  // namespace catena::compile
