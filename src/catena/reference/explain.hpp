// What the terms of the equations of motion mean, as numbers: each whole split into the parts that the papers speak of.
// Source: [004] (5.3), (5.4), Lemma 7.3, section 4 (reduced manipulators); [000] (38), (39), (48), section 5; formula
// sheet 4.2, 4.3, 4.7, 4.8. On a base at rest, without mimic joints: both throw std::invalid_argument otherwise.
// Seen from a joint, outboard is what it carries (the papers' past), inboard what carries it (their future); links of
// another branch are neither, and have no part in it. Rows are in the order of v, columns by link in the order of
// `links`, the moving bodies of the tree: a universal or gimbal joint moves two or three, the last with the mass.
#pragma once

#include "catena/dynamics/workspace.hpp"

#pragma GCC visibility push(default)
namespace catena {

// By where it comes from, n numbers each.
struct PartsByPlace {
  Vector outboard, present, inboard;
  Vector sum() const { return outboard + present + inboard; }
};

// The reduced manipulator A_k behind each component k of nu: link k and everything outboard, on joint k, with what is
// inboard locked.
struct ReducedManipulators {
  Vector links, mass;  // how many links it has; kg
  Matrix articulated;  // D: inertia about the joint with the joints further out free; block diagonal
  Matrix locked;       // the same with those joints locked: H' R H and the rotors, the diagonal blocks of M(q)
  Vector gives_way;    // 1 - D / locked, the share of the inertia that the free joints keep from joint k: 0 to 1
  Vector energy;       // nu(k)^2 / 2, J: they add up to the kinetic energy
};

struct DiagonalExplanation {
  std::vector<std::string> links;  // each link by the name of the joint that moves it

  // (5.3)  xi = own + carried: v, and G' V+ that the motion of the inboard links carries in. nu = S' xi likewise.
  Vector own_rate, carried_rate, own_nu, carried_nu;
  Matrix rate_shares;  // U' diag(v): row k, what the rate of each joint brings to xi(k)
  Matrix V_plus;       // 6 x links: velocity of the link inboard of each joint at the link's origin, world axes

  // (5.4)  tau = kappa + passed_on: the working moment, and H' z that the drives of the outboard joints ask for.
  Vector kappa, passed_on;
  Matrix moment_shares;  // U^-1 diag(tau): column j, what the moment applied at joint j adds to each working moment
  Matrix z;              // 6 x links: wrench that holds each link still against the outboard drives, likewise

  // Lemma 7.3  C_xi = H Psi [ P_ring H' xi  -  Omega P+ V+  +  crf(V) M V ]: outboard, inboard, present. What stands in
  // the brackets at link m depends on the joints outboard of m (P_ring), on all inboard of it (V+), on link m itself;
  // H Psi gathers it for joint k from link k and those beyond. C_nu = S^-1 C_xi - S_dot' xi; S changes with the joints
  // outboard.
  PartsByPlace C_xi, C_nu;
  Matrix C_xi_outboard, C_xi_present, C_xi_inboard;  // n x links: what joint k gathers from link m

  // (48)  C_nu = c_nu nu + bias_nu, c_nu skew;  C_xi = c_xi xi + bias_xi, c_xi + c_xi' = D_dot. The bias,
  // H Psi crf(V) M V, which the paper leaves out of its table, is the present part above.
  Matrix c_nu, c_xi;
  Vector bias_nu, bias_xi;

  ReducedManipulators reduced;
};
DiagonalExplanation explain_diagonal(const Model& model, ConstVector q, ConstVector v, ConstVector tau,
                                     const BaseMotion& base = {});

// One row k of the tables of (48), summand by summand, as Kozlowski's Fig. 1 lays it out: the sum over m has a summand
// for each link m outboard of both k and i. links x n each; their columns add up to row k of c_xi and c_nu.
struct CoefficientRow {
  Matrix xi, nu;
};
// component: of v. Throws std::invalid_argument also where there is none.
CoefficientRow explain_coefficients(const Model& model, ConstVector q, ConstVector v, int component);

// How the robot from each moving joint outward resists motion of the link that the joint moves: 6 x 6, moment and force
// (angular part first) for each acceleration of that link from rest, at the joint's origin on it and in its axes.
// articulated is P, the joints further out left free; composite is the inertia of one rigid body, those joints locked.
// As quadratic forms articulated <= composite, equal at tips. Without rotors, which turn with their joint alone.
struct InertiasAtJoints {
  std::vector<int> joints;       // of the description
  std::vector<Vector3> origins;  // of the joint, in the frame of the link
  std::vector<Matrix> articulated, composite;
};
InertiasAtJoints inertias_at_joints(const Model& model, ConstVector q);

// What b and a, the velocity-dependent wrenches and accelerations of the links, ask of the joints. Carried inward
// rigidly by H Phi they are joint forces, through joints that give way, by H Psi = U^-1 H Phi, working moments. The
// difference is what the outboard joints keep from joint k by giving way.
struct BiasCarried {
  Vector force_rigid, force_articulated;                // H Phi b,           H Psi b
  Vector acceleration_rigid, acceleration_articulated;  // H Phi M Phi' a,    H Psi M Phi' a
};

// Kozlowski (39), every joint: tau is the sum of the rows of the five tables and the joint's own forces. Which part of
// the Coriolis force stands under a and which under b depends on the links' origins; their sum does not.
struct TorqueExplanation {
  std::vector<std::string> links;  // each link by the name of the joint that moves it
  Vector tau;                      // of inverse_dynamics

  Matrix by_acceleration;       // n x n:     M(q) diag(joint accelerations), rotors included
  Matrix by_bias_acceleration;  // n x links: H Phi M Phi' a, a = crm(V) H v, by the joint where a arises
  Matrix by_bias_force;         // n x links: H Phi b, b = crf(V) M V, by link
  Matrix by_weight;             // n x links: -H Phi M g
  Matrix by_wrench;             // n x links: -H Phi f_ext
  Vector joint_terms;           // damping, friction, springs

  PartsByPlace acceleration, bias_acceleration, bias_force, weight, wrench;  // the tables' rows summed by place
  Vector coriolis;                                                           // those of a and b together
  BiasCarried bias;
};
TorqueExplanation explain_torque(const Model& model, ConstVector q, ConstVector v, ConstVector a,
                                 const ExternalLoads& loads = {});

}  // namespace catena
#pragma GCC visibility pop
