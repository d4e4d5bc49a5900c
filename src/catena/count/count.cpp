// Each algorithm of the library once, with the counting scalar: the same kernels in the same order as the entry points.
#include "catena/count/count.hpp"

#include "catena/count/count_run.hpp"
#include "catena/kinematics/frame_kernel.hpp"
#include "catena/linear/algorithm2.hpp"
#include "catena/linear/algorithm6.hpp"
#include "catena/linear/algorithm6t.hpp"
#include "catena/linear/directional_kernel.hpp"
#include "catena/reference/methods_kernel.hpp"

namespace catena {
namespace {

using namespace compile;
using namespace kernel;

struct Algorithm {
  const char* name;
  const char* title;
  bool with_couplings;
  void (*run)(Run&);
  bool on_reduced_tree = false;
};

void columns(Run& x, bool symmetric) {
  x.begin(symmetric ? "columns, half of each" : "columns");
  std::vector<S> M = x.square();
  MassProduct<S> product(x.tree);
  for (int k = 1; k < x.tree.count(); ++k) {
    const TreeBody& body = x.tree.bodies[k];
    for (int c = body.v; c < body.v + velocity_count(body); ++c) {
      std::vector<S> unit(x.n, S(0));
      unit[c] = S(1);
      S* const column = M.data() + c * x.n;
      mass_product(x.tree, x.positions.X, unit.data(), symmetric ? k : 1, product, column);
      if (symmetric) {
        for (int i = 0; i < x.n; ++i) M[c + i * x.n] = column[i];
      }
    }
  }
  x.reduce(M);
  x.solve(M);
}

void conjugate_gradient(Run& x) {
  x.begin("inward: diagonal of M");
  ConjugateGradient<S> solver(x.tree.nv);
  std::vector<S> diagonal(x.n, S(0));
  mass_diagonal(x.tree, x.positions.X, x.composite, diagonal.data());
  for (const Coupling& c : x.tree.couplings) diagonal[c.master_v] += diagonal[c.v] * (c.ratio * c.ratio);
  x.begin("n steps");
  MassProduct<S> product(x.tree);
  std::vector<S> full(x.n, S(0)), image(x.n, S(0));
  for (int i = 0; i < x.tree.nv; ++i) {
    solver.scale[i] = S(1) / diagonal[i];
    solver.r[i] = x.tau[i] - x.result[i];
  }
  solver.start();
  for (int k = 0; k < x.tree.nv; ++k) {
    solver.step([&](const S* p, S* Mp) {
      std::copy_n(p, x.tree.nv, full.begin());
      expand_velocities(x.tree, full.data());
      mass_product(x.tree, x.positions.X, full.data(), 1, product, image.data());
      reduce_forces(x.tree, image.data());
      std::copy_n(image.begin(), x.tree.nv, Mp);
    });
  }
}

void kalman(Run& x) {
  std::vector<Force<S>> P_plus_s(x.tree.count(), Force<S>::zero());
  kalman_inverse_sweeps(x.tree, x.positions.X, x.v.data(), x.a.data(), Motion<S>::zero(), x.alpha_0,
                        static_cast<const Force<S>*>(nullptr), x.articulated, P_plus_s, x.result.data());
  x.joint_terms(x.result.data(), nullptr);
}

void coriolis_matrix(Run& x) {
  x.velocities();
  x.begin("inward: composite inertias");
  std::vector<S> C = x.square();
  std::vector<VelocityInertia<S>> bar(x.tree.count());
  coriolis_matrix_sweep(x.tree, x.positions.X, x.articulated.V, x.composite, bar, C.data(), x.n);
  x.reduce(C);
}

void inverse_dynamics_jvp(Run& x, const std::vector<S>& da) {
  inverse_sweeps(x.tree, x.positions.X, x.v.data(), x.a.data(), Motion<S>::zero(), x.alpha_0,
                 static_cast<const Force<S>*>(nullptr), x.newton_euler, x.result.data());
  kernel::motion_sweep(x.tree, x.positions.X, x.v.data(), x.a.data(), Motion<S>::zero(), x.alpha_0, x.newton_euler);
  Directional<S> out(x.tree);
  kernel::inverse_dynamics_jvp(x.tree, x.positions.X, x.newton_euler, static_cast<const VelocityInertia<S>*>(nullptr),
                               x.dq.data(), x.dv.data(), da.data(), out, x.result.data());
  reduce_forces(x.tree, x.result.data());
}

struct Linearized {
  std::vector<S> M, A, B;
};
Linearized algorithm_2(Run& x) {
  WorldSweep<S> world(x.tree);
  world_sweep(x.tree, x.positions.X, x.v.data(), x.a.data(), Motion<S>::zero(), x.alpha_0,
              static_cast<const Force<S>*>(nullptr), world);
  x.begin("inward: columns");
  Composite<S> sum(x.tree);
  Linearized out{x.square(), x.square(), x.square()};
  linearize_inverse(x.tree, world, static_cast<const VelocityInertia<S>*>(nullptr), sum, out.M.data(), out.A.data(),
                    out.B.data(), x.n);
  for (auto* matrix : {&out.M, &out.A, &out.B}) x.reduce(*matrix);
  return out;
}

void algorithm_4(Run& x) {
  Linearized l = algorithm_2(x);
  const int nv = x.tree.nv;
  x.begin("inverse of M");
  ldl_factor(nv, l.M.data(), x.n);
  std::vector<S> inverse = x.square();
  for (int j = 0; j < nv; ++j) {
    S* const column = inverse.data() + j * x.n;
    column[j] = S(1);
    ldl_solve(nv, l.M.data(), x.n, column);
  }
  x.begin("products with A_D, B_D");
  for (const auto* matrix : {&l.A, &l.B}) {
    for (int j = 0; j < nv; ++j) {
      for (int i = 0; i < nv; ++i) {
        S sum = S(0);
        for (int k = 0; k < nv; ++k) sum += inverse[i + k * x.n] * (*matrix)[k + j * x.n];
      }
    }
  }
}

void algorithm_5(Run& x) {
  inverse_sweeps(x.tree, x.positions.X, x.v.data(), x.a.data(), Motion<S>::zero(), x.alpha_0,
                 static_cast<const Force<S>*>(nullptr), x.newton_euler, x.result.data());
  kernel::motion_sweep(x.tree, x.positions.X, x.v.data(), x.a.data(), Motion<S>::zero(), x.alpha_0, x.newton_euler);
  x.riccati();
  Directional<S> out(x.tree);
  forward_dynamics_jvp(x.tree, x.positions.X, x.newton_euler, x.articulated,
                       static_cast<const VelocityInertia<S>*>(nullptr), x.dq.data(), x.dv.data(), x.tau.data(), out,
                       x.result.data());
}

template <class Columns>
void by_articulated_bodies(Run& x, const Columns& columns) {
  WorldSweep<S> world(x.tree);
  world_sweep(x.tree, x.positions.X, x.v.data(), x.a.data(), Motion<S>::zero(), x.alpha_0,
              static_cast<const Force<S>*>(nullptr), world);
  x.begin("inward: articulated inertias");
  ArticulatedWorld<S> out(x.tree);
  articulated_world_sweep(x.tree, world, static_cast<const VelocityInertia<S>*>(nullptr), out);
  x.begin("columns");
  Linearized l{x.square(), x.square(), x.square()};
  columns(world, out, l);
}
void linear_6(Run& x) {
  by_articulated_bodies(x, [&](const WorldSweep<S>& world, const ArticulatedWorld<S>& bodies, Linearized& l) {
    ChainColumns<S> chain(x.tree);
    kernel::algorithm_6(x.tree, world, false, bodies, chain, l.M.data(), l.A.data(), l.B.data(), x.n);
  });
}
void linear_6t(Run& x) {
  by_articulated_bodies(x, [&](const WorldSweep<S>& world, ArticulatedWorld<S>& bodies, Linearized& l) {
    kernel::algorithm_6t(x.tree, world, false, bodies, l.M.data(), l.A.data(), l.B.data(), x.n);
  });
}

void roots(Run& x) {
  x.riccati();
  x.begin("roots of D");
  update_roots(x.tree, x.articulated, x.diagonal);
}

// xi from v, or v from xi (then v's numbers are taken for xi), and the rate of P.
template <bool from_xi>
void quasi_velocities(Run& x) {
  x.begin("outward: quasi-velocities");
  quasi_velocity_sweep<from_xi>(x.tree, x.positions.X, x.articulated, Motion<S>::zero(),
                                from_xi ? x.result.data() : x.v.data(), from_xi ? x.v.data() : x.result.data(),
                                x.diagonal);
}
void riccati_rate(Run& x, const std::vector<S>& v) {
  x.begin("inward: rate of the Riccati equation");
  riccati_rate_sweep(x.tree, x.positions.X, x.articulated, v.data(), x.diagonal);
}
std::vector<S> coriolis_xi(Run& x) {
  x.begin("inward: Coriolis");
  std::vector<S> C(x.n, S(0));
  coriolis_xi_sweep(x.tree, x.positions.X, x.articulated, static_cast<const Force<S>*>(nullptr), x.diagonal, C.data());
  return C;
}
std::vector<S> gravity_xi(Run& x) {
  x.begin("outward: gravity");
  std::vector<S> G(x.n, S(0));
  gravity_xi_sweep(x.tree, x.positions.X, x.articulated,
                   Vec3<S>{S(x.tree.gravity.x), S(x.tree.gravity.y), S(x.tree.gravity.z)}, x.articulated.alpha,
                   G.data());
  return G;
}
std::vector<S> kappa(Run& x) {
  x.begin("inward: quasi-forces");
  std::vector<S> out(x.n, S(0));
  quasi_force_sweep<false>(x.tree, x.positions.X, x.articulated, x.tau.data(), out.data(), x.diagonal);
  return out;
}
template <Scaling scaling>
void scale(Run& x, const char* sweep, std::vector<S>& numbers) {
  x.begin(sweep);
  rescale<scaling>(x.tree, x.articulated, x.diagonal, numbers.data());
}

void coriolis_nu(Run& x) {
  roots(x);
  quasi_velocities<false>(x);
  riccati_rate(x, x.v);
  std::vector<S> C = coriolis_xi(x);
  x.begin("to nu");
  coriolis_nu_from_xi(x.tree, x.articulated, x.diagonal, x.result.data(), C.data());
}

void forward_xi(Run& x) {
  x.riccati();
  quasi_velocities<true>(x);
  x.take_off_joint_forces();
  riccati_rate(x, x.result);
  // bodies' gravity only: G(theta, xi) itself is not needed
  x.begin("outward: gravity");
  x.articulated.alpha[0] = {Vec3<S>::zero(), {S(x.tree.gravity.x), S(x.tree.gravity.y), S(x.tree.gravity.z)}};
  for (int k = 1; k < x.tree.count(); ++k) {
    x.articulated.alpha[k] = apply(x.positions.X[k], x.articulated.alpha[x.tree.bodies[k].parent]);
  }
  x.begin("inward: rates");
  std::vector<S> rate(x.n, S(0));
  forward_xi_sweep(x.tree, x.positions.X, x.articulated, x.tau.data(), static_cast<const Force<S>*>(nullptr),
                   x.articulated.alpha, x.diagonal, rate.data());
}

void forward_nu(Run& x) {
  roots(x);
  scale<Scaling::nu_to_xi>(x, "nu to xi", x.v);
  quasi_velocities<true>(x);
  x.take_off_joint_forces();
  riccati_rate(x, x.result);
  std::vector<S> C = coriolis_xi(x), G = gravity_xi(x), epsilon = kappa(x);
  x.begin("to nu");
  coriolis_nu_from_xi(x.tree, x.articulated, x.diagonal, x.v.data(), C.data());
  for (int i = 0; i < x.n; ++i) epsilon[i] -= G[i];
  rescale<Scaling::kappa_to_epsilon>(x.tree, x.articulated, x.diagonal, epsilon.data());
  for (int i = 0; i < x.n; ++i) epsilon[i] -= C[i];
}

// Bodies between the tip of the tree and the ground, outward.
std::vector<Transform<S>> world_poses(Run& x) {
  x.begin("outward: poses");
  std::vector<Transform<S>> world(x.tree.count(), Transform<S>::identity());
  std::vector<int> path;
  for (int k = x.tip.body; k > 0; k = x.tree.bodies[k].parent) path.insert(path.begin(), k);
  for (const int k : path) world[k] = world[x.tree.bodies[k].parent] * x.positions.X[k];
  return world;
}

void pose(Run& x) {
  const std::vector<Transform<S>> world = world_poses(x);
  x.begin("frame");
  frame_pose(x.tip, world);
}

void jacobian(Run& x) {
  const std::vector<Transform<S>> world = world_poses(x);
  x.begin("columns");
  std::vector<S> J(static_cast<std::size_t>(6) * x.n, S(0));
  frame_jacobian(x.tree, world, x.tip, J.data());
}

const Algorithm algorithms[] = {
    {"inverse", "inverse dynamics, Newton-Euler in body frames", true, [](Run& x) { x.inverse(x.a.data()); }},
    {"inverse_reduced", "inverse dynamics on the reduced tree, as the library runs it", true,
     [](Run& x) {
       newton_euler_sweeps<S>(x.reduced.tree, x.links.X, x.v.data(), x.a.data(), resting_ground<S>(x.reduced.tree),
                              nullptr, x.newton_euler, x.result.data());
       x.joint_terms(x.result.data(), x.a.data());
     },
     true},
    {"inverse_kalman", "inverse dynamics by filtering and smoothing", true, kalman},
    {"bias", "gravity, Coriolis and joint forces", true, [](Run& x) { x.inverse(nullptr); }},
    {"forward_articulated", "forward dynamics, articulated bodies", false,
     [](Run& x) {
       x.take_off_joint_forces();
       forward_sweeps(x.tree, x.positions.X, x.v.data(), x.tau.data(), Motion<S>::zero(), x.alpha_0,
                      static_cast<const Force<S>*>(nullptr), x.articulated, x.result.data());
     }},
    {"forward_reduced", "forward dynamics on the reduced tree, as the library runs it", false,
     [](Run& x) {
       x.take_off_joint_forces();
       articulated_sweeps<S>(x.reduced.tree, x.links.X, x.v.data(), x.tau.data(), resting_ground<S>(x.reduced.tree),
                             nullptr, x.newton_euler, x.articulated, x.result.data());
     },
     true},
    {"forward_composite", "forward dynamics, composite bodies and L D L'", true,
     [](Run& x) {
       x.inverse(nullptr);
       std::vector<S> M = x.mass_matrix();
       x.solve(M);
     }},
    {"forward_newton_columns", "forward dynamics, columns of M by inverse dynamics", true,
     [](Run& x) { x.inverse(nullptr), columns(x, false); }},
    {"forward_newton_symmetric", "forward dynamics, half columns of M by inverse dynamics", true,
     [](Run& x) { x.inverse(nullptr), columns(x, true); }},
    {"forward_conjugate_gradient", "forward dynamics, n conjugate-gradient steps", true,
     [](Run& x) { x.inverse(nullptr), conjugate_gradient(x); }},
    {"mass_matrix", "mass matrix, composite bodies", true, [](Run& x) { x.mass_matrix(); }},
    {"mass_matrix_reduced", "mass matrix on the reduced tree, as the library runs it", true,
     [](Run& x) {
       x.begin("inward: composite inertias");
       std::vector<S> M = x.square();
       mass_matrix_sweep(x.reduced.tree, x.links.X, x.composite, M.data(), x.n);
       x.reduce(M);
     },
     true},
    {"mass_matrix_inverse", "inverse mass matrix, articulated bodies", false,
     [](Run& x) {
       x.riccati();
       x.begin("columns");
       std::vector<S> inverse = x.square();
       inverse_matrix_sweeps(x.tree, x.positions.X, x.articulated, inverse.data(), x.n);
     }},
    {"coriolis_matrix", "Coriolis matrix", true, coriolis_matrix},
    {"linear_1", "Algorithm 1: change of tau for one change of state", true,
     [](Run& x) { inverse_dynamics_jvp(x, x.da); }},
    {"linear_2", "Algorithm 2: M, A_D, B_D", true, [](Run& x) { algorithm_2(x); }},
    {"linear_3", "Algorithm 3: change of a, by 1 and a solve", true,
     [](Run& x) {
       inverse_dynamics_jvp(x, std::vector<S>(x.n, S(0)));
       std::vector<S> M = x.mass_matrix();
       x.solve(M);
     }},
    {"linear_4", "Algorithm 4: M⁻¹, A_C, B_C, by 2 and products", true, algorithm_4},
    {"linear_5", "Algorithm 5: change of a, articulated bodies", false, algorithm_5},
    {"linear_6", "Algorithm 6: M⁻¹, A_C, B_C, articulated bodies, chains", false, linear_6},
    {"linear_6T", "Algorithm 6T: M⁻¹, A_C, B_C, articulated bodies, trees", false, linear_6t},
    {"nu", "nu from v", false,
     [](Run& x) {
       roots(x);
       quasi_velocities<false>(x);
       scale<Scaling::xi_to_nu>(x, "to nu", x.result);
     }},
    {"xi", "xi from v", false, [](Run& x) { x.riccati(), quasi_velocities<false>(x); }},
    {"epsilon", "epsilon from tau", false,
     [](Run& x) {
       roots(x);
       std::vector<S> forces = kappa(x);
       scale<Scaling::kappa_to_epsilon>(x, "to epsilon", forces);
     }},
    {"kappa", "kappa from tau", false, [](Run& x) { x.riccati(), kappa(x); }},
    {"coriolis_nu", "C(q, nu)", false, coriolis_nu},
    {"coriolis_xi", "C(q, xi)", false,
     [](Run& x) { x.riccati(), quasi_velocities<false>(x), riccati_rate(x, x.v), coriolis_xi(x); }},
    {"forward_nu", "forward dynamics, normalized: nu_dot", false, forward_nu},
    {"forward_xi", "forward dynamics, unnormalized: xi_dot", false, forward_xi},
    {"pose", "pose of the tip frame", true, pose},
    {"jacobian", "Jacobian of the tip frame, world axes at its origin", true, jacobian},
};

}  // namespace

std::vector<AlgorithmCount> count_operations(const Model& model, bool fold) {
  std::vector<AlgorithmCount> out;
  if (model.tree().nv_full == 0) return out;
  for (const Algorithm& algorithm : algorithms) {
    if (!algorithm.with_couplings && model.has_couplings()) continue;
    if (algorithm.run == linear_6 && !is_chain_of_single_joints(model.tree())) continue;
    Run run(model, fold, algorithm.on_reduced_tree);
    algorithm.run(run);
    out.push_back(run.count(algorithm.name, algorithm.title));
  }
  for (AlgorithmCount& count : compile::count_papers(model, fold)) out.push_back(std::move(count));
  return out;
}

}  // namespace catena
