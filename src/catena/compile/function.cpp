#include "catena/compile/function.hpp"

#include <algorithm>
#include <utility>

#include "catena/model/names.hpp"

namespace catena {

namespace {

// In the order of the enumeration.
const std::vector<FunctionEntry>& function_table() {
  using F = Function;
  static const std::vector<FunctionEntry> entries = {
      {.function = F::inverse,
       .name = "inverse",
       .inputs = {"q", "v", "a"},
       .outputs = {"tau"},
       .meaning = "Inverse dynamics: joint forces tau that make the robot move with acceleration a, M a + bias.",
       .joint_terms = true},
      {.function = F::gravity,
       .name = "gravity",
       .inputs = {"q"},
       .outputs = {"tau"},
       .meaning = "Joint forces that hold the robot still against gravity, without joint terms."},
      {.function = F::coriolis,
       .name = "coriolis",
       .inputs = {"q", "v"},
       .outputs = {"tau"},
       .meaning = "Coriolis and centrifugal forces alone."},
      {.function = F::bias,
       .name = "bias",
       .inputs = {"q", "v"},
       .outputs = {"tau"},
       .meaning = "Joint forces for a = 0: Coriolis, gravity, damping, friction and springs.",
       .joint_terms = true},
      {.function = F::mass_matrix,
       .name = "mass_matrix",
       .inputs = {"q"},
       .outputs = {"M"},
       .meaning = "Mass matrix M, nv x nv, rotor inertias included."},
      {.function = F::mass_matrix_inverse,
       .name = "mass_matrix_inverse",
       .inputs = {"q"},
       .outputs = {"M_inv"},
       .meaning = "Inverse of the mass matrix, nv x nv.",
       .inverse_mass = true},
      {.function = F::coriolis_matrix,
       .name = "coriolis_matrix",
       .inputs = {"q", "v"},
       .outputs = {"C"},
       .meaning = "Coriolis matrix C, nv x nv: C v are the Coriolis and centrifugal forces, dM/dt - 2 C is skew."},
      {.function = F::forward,
       .name = "forward",
       .inputs = {"q", "v", "tau"},
       .outputs = {"a"},
       .meaning = "Forward dynamics: acceleration a that joint forces tau cause.",
       .joint_terms = true,
       .inverse_mass = true},
      {.function = F::linearize_inverse,
       .name = "linearize_inverse",
       .inputs = {"q", "v", "a"},
       .outputs = {"M", "A_D", "B_D"},
       .meaning = "d tau = M da + A_D dv + B_D dq about the state, nv x nv each; dq as integrate() moves q.",
       .joint_terms = true,
       .linearization = true},
      {.function = F::linearize_forward,
       .name = "linearize_forward",
       .inputs = {"q", "v", "tau"},
       .outputs = {"a", "M_inv", "A_C", "B_C"},
       .meaning = "a itself, and da = M_inv d tau - A_C dv - B_C dq about the state, nv x nv each.",
       .joint_terms = true,
       .inverse_mass = true,
       .linearization = true},
      {.function = F::nu,
       .name = "nu",
       .inputs = {"q", "v"},
       .outputs = {"nu"},
       .meaning = "Quasi-velocities nu, in which the mass matrix is 1: the kinetic energy is nu' nu / 2.",
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::epsilon,
       .name = "epsilon",
       .inputs = {"q", "tau"},
       .outputs = {"epsilon"},
       .meaning = "Forces epsilon that belong to nu: the power is nu' epsilon.",
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::forward_nu,
       .name = "forward_nu",
       .inputs = {"q", "nu", "tau"},
       .outputs = {"v", "nu_dot"},
       .meaning = "Forward dynamics in quasi-velocities: v, with which q moves, and the rate of nu.",
       .joint_terms = true,
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::xi,
       .name = "xi",
       .inputs = {"q", "v"},
       .outputs = {"xi"},
       .meaning = "Quasi-velocities xi, in which the mass matrix is diagonal: nu without square roots.",
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::kappa,
       .name = "kappa",
       .inputs = {"q", "tau"},
       .outputs = {"kappa"},
       .meaning = "Forces kappa that belong to xi: the power is xi' kappa.",
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::forward_xi,
       .name = "forward_xi",
       .inputs = {"q", "xi", "tau"},
       .outputs = {"v", "xi_dot"},
       .meaning = "Forward dynamics in quasi-velocities: v, with which q moves, and the rate of xi.",
       .joint_terms = true,
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::velocity_from_nu,
       .name = "velocity_from_nu",
       .inputs = {"q", "nu"},
       .outputs = {"v"},
       .meaning = "Joint velocities from the quasi-velocities nu.",
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::velocity_from_xi,
       .name = "velocity_from_xi",
       .inputs = {"q", "xi"},
       .outputs = {"v"},
       .meaning = "Joint velocities from the quasi-velocities xi.",
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::force_from_epsilon,
       .name = "force_from_epsilon",
       .inputs = {"q", "epsilon"},
       .outputs = {"tau"},
       .meaning = "Joint forces from epsilon.",
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::force_from_kappa,
       .name = "force_from_kappa",
       .inputs = {"q", "kappa"},
       .outputs = {"tau"},
       .meaning = "Joint forces from kappa.",
       .inverse_mass = true,
       .quasi_velocities = true},
      {.function = F::jacobian,
       .name = "jacobian",
       .inputs = {"q"},
       .outputs = {},
       .meaning = "Jacobians, 6 x nv a frame: J v is [angular; linear] velocity of its origin, in world axes."},
      {.function = F::pose,
       .name = "pose",
       .inputs = {"q"},
       .outputs = {},
       .meaning = "Poses, 3 x 4 a frame: [R p], the frame's axes x, y, z and its origin in the world."},
  };
  return entries;
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const FunctionEntry& known : function_table()) out.emplace_back(known.name);
  return out;
}

}  // namespace

const FunctionEntry& entry(Function function) { return function_table()[static_cast<std::size_t>(function)]; }

const char* unit_of(const std::string& block) {
  static constexpr std::pair<const char*, const char*> units[] = {
      {"q", "rad or m"}, {"v", "rad/s or m/s"}, {"a", "rad/s^2 or m/s^2"}, {"tau", "N m or N"}};
  const auto known = std::ranges::find_if(units, [&](const auto& unit) { return block == unit.first; });
  return known == std::end(units) ? "" : known->second;
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list;
    for (const FunctionEntry& known : function_table()) list.push_back(known.function);
    return list;
  }();
  return all;
}

const char* function_name(Function function) { return entry(function).name; }

Function function_from_name(const std::string& name) {
  std::string list;
  for (const FunctionEntry& known : function_table()) {
    if (name == known.name) return known.function;
    list += (list.empty() ? "" : ", ") + std::string(known.name);
  }
  throw std::invalid_argument("no function '" + name + "' to compile" + did_you_mean(name, names()) + "; there are " +
                              list);
}

}  // namespace catena
