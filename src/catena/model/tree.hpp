// Tree: the robot prepared for the kernels. Bodies are numbered parents first, body 0 is the ground; fixed joints are
// lumped into their parents; each one-degree joint rotates about or slides along its own z axis, and every joint map H
// is made of unit vectors (a helical joint adds its pitch), so that products with H only pick components.
// Kernels see one coordinate per joint component ("full" coordinates): the model's own v first, then one entry for each
// mimic joint: q_full = [q; ratio q[master] + offset].
#pragma once

#include "catena/joints/body.hpp"
#include "catena/model/model.hpp"

namespace catena {

struct Coupling {
  int q = 0, v = 0;                // entry in the full vectors
  int master_q = 0, master_v = 0;  // entry of the model's own vectors
  double ratio = 1, offset = 0;
};

// Components on a path: beyond, sweeps in O(n) per column take less than a factor of the mass matrix along the tree.
inline constexpr int longest_factored_path = 100;

// A pivot of the mass matrix counts as zero below this part of what was added up to it (formula sheet 8).
inline constexpr double pivot_tolerance = 64 * 2.220446049250313e-16;

// One full velocity component on its path to the ground: the component before it (-1: none), and how many there are.
struct Ancestor {
  int above = -1, depth = 0;
  bool operator==(const Ancestor&) const = default;
};

// The full velocity components, each with all components further out directly behind it.
struct DepthFirst {
  std::vector<int> component, body;  // by place
  std::vector<int> place;            // by component
  std::vector<int> first, end;       // places of what lies beyond the joint of this one
  std::vector<int> run;              // places from this one on whose components lie side by side
};

// A frame of the user's: where it sits on a body of the tree.
struct TreeFrame {
  std::string name;
  int body = 0;
  spatial::Transform<double> pose{};  // of the user's frame in the tree body's frame
  int owner = -1;     // the description's body that carries it (a body's own frame: itself); -1: the ground
  bool root = false;  // a body's own, and no joint leads to the body
};

// What the robot is made of and how it hangs together, without its masses and joint terms.
struct Topology {
  std::vector<TreeBody> bodies;  // [0] is the ground
  int nq = 0, nv = 0;            // the model's own
  int nq_full = 0, nv_full = 0;
  int multi_count = 0;      // joints with several degrees of freedom
  std::vector<int> angles;  // full position number of each angle
  std::vector<Coupling> couplings;
  // nv_full: the mass matrix is singular where a pivot is not above its floor: the one test of every algorithm and
  // backend. A constant of the robot, so that all of them judge alike. Of a component that mimics follow: what its own
  // pivot is judged by.
  std::vector<double> pivot_floor;
  std::vector<Ancestor> ancestors;  // nv_full
  std::vector<int> outward;         // all full velocity components, each behind the one above it
  bool in_order = true;             // outward[i] == i
  std::vector<int> tips_first;      // the model's own among them, each before those above it
  DepthFirst depth_first;
  int longest_path = 0;  // components on it

  std::vector<std::string> joint_names;  // by body, as in the description: for messages
  std::vector<Coordinate> coordinates;
  std::vector<TreeFrame> frames;
  std::vector<int> joint_body;      // description joint -> last tree body it moves (fixed: the body it is lumped into)
  std::vector<int> joint_frame;     // description joint -> frame of its child body
  std::vector<int> joint_parent;    // description joint -> frame of its parent body; -1: the ground
  std::vector<int> joints_outward;  // description joints, parents first

  int count() const { return static_cast<int>(bodies.size()); }
};

template <class C>
struct BodyInertia {
  spatial::Inertia<C> M = spatial::Inertia<C>::zero();  // at the body's origin, lumped bodies included
  spatial::Sym3<C> second = spatial::Sym3<C>::zero();   // second moments of mass about the same point
};

// Joint terms of one full velocity component.
template <class C>
struct BasicTerms {
  C armature = C(0), damping = C(0), friction = C(0), inverse_friction_scale = C(0);
};

template <class C>
struct BasicSpring {
  int body = 0;  // whose joint
  C stiffness = C(0), rest = C(0);
};

// The robot's parameters have a type C of their own: double, or the scalar of the evaluation where parameters are among
// its inputs.
template <class C>
struct BasicTree : Topology {
  std::vector<BodyInertia<C>> inertias;  // by body
  std::vector<BasicTerms<C>> terms;      // nv_full
  std::vector<BasicSpring<C>> springs;
  spatial::Vec3<C> gravity = spatial::Vec3<C>::zero();
  bool has_friction = false;
  bool has_terms = false;  // any damping, friction, armature or spring
  C total_mass = C(0);
};
using ComponentTerms = BasicTerms<double>;
using Spring = BasicSpring<double>;
struct Tree : BasicTree<double> {};

// M at the origin of the frame that the inertial is given in.
spatial::Inertia<double> inertia_of(const Inertial& inertial);

std::shared_ptr<const Tree> build_tree(const Description& description);

}  // namespace catena
