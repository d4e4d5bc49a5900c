// The doctor's parts, one per kind of trouble. Internal to the doctor: users call check() and mend().
// Each part adds its findings in the order of the description.
#pragma once

#include "catena/model/description.hpp"

namespace catena::doctor {

// Who carries whom, by index into Description::bodies and ::joints; -1 is the ground or none.
struct Topology {
  std::vector<int> joint_of;  // body -> the joint that carries it
  std::vector<int> parent;    // body -> parent body
  std::vector<int> order;     // bodies, parents first
  std::vector<int> master;    // joint -> the joint it mimics
  bool sound = true;          // every body is reached once and every mimic joint ends at an independent one
};

// Relative slack of the inertia tests, against the largest principal moment: numbers printed with six digits may break
// the triangle inequality of a flat plate or the sign of a slender rod's zero by a few 1e-6. Real defects sit far
// above it: in the public set example-robot-data the mildest is 1e-2.
constexpr double inertia_slack = 1e-5;
// An axis printed with four digits is within 1e-3 of unit length.
constexpr double axis_slack = 1e-3;
constexpr double rotation_slack = 1e-9;
constexpr double symmetry_slack = 1e-9;
// Shorter than this an axis has no direction.
constexpr double shortest_axis = 1e-9;
// Sharper friction than this is a division by zero in disguise.
constexpr double least_friction_scale = 1e-12;

bool needs_axis(JointType type);
bool is_rotation(const Matrix3& R);
bool is_finite(const Matrix3& m);
// Smallest of the principal moments and of the principal second moments, relative to the largest moment: at least
// -inertia_slack for a valid inertia.
double validity(const Matrix3& inertia);
Vector3 principal_moments(const Matrix3& inertia);  // of its symmetric part, ascending
bool is_asymmetric(const Matrix3& inertia);
bool is_point_mass(const Inertial& inertial);   // no size: zero inertia, or numbers that stand for it
bool breaks_physics(const Inertial& inertial);  // no distribution of mass has this inertia

Source place(const Body& body);  // of its inertial if known

void check_texts(const Description& description, Findings& findings);
Topology check_topology(const Description& description, Findings& findings);
void check_numbers(const Description& description, Findings& findings);
void check_joints(const Description& description, Findings& findings);
void check_inertias(const Description& description, Findings& findings);
// These need a sound topology and finite numbers.
void check_proportions(const Description& description, const Topology& topology, Findings& findings);
void check_mass_matrix(const Description& description, const Topology& topology, Findings& findings);

}  // namespace catena::doctor
