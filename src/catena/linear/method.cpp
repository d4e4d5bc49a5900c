// Which of the papers' algorithms a robot has.
#include <stdexcept>

#include "catena/dynamics/factor_kernel.hpp"
#include "catena/linear/storage.hpp"

namespace catena {

using namespace kernel;

namespace {

// Empty where the robot has it.
std::string why_not(const Model& model, LinearMethod method) {
  const std::string& name = model.name();
  const bool articulated = method == LinearMethod::algorithm_5 || method == LinearMethod::algorithm_6 ||
                           method == LinearMethod::algorithm_6t;
  if (articulated && model.has_couplings()) {
    return std::string("Algorithm ") + name_of(method) + " does not know mimic joints, which " + name +
           " has: use Algorithm " + (method == LinearMethod::algorithm_5 ? "3" : "4");
  }
  if (method == LinearMethod::algorithm_6 && !is_chain_of_single_joints(model.tree())) {
    return "Algorithm 6 is for serial chains of joints with one degree of freedom, which " + name +
           " is not: use Algorithm 6T";
  }
  return {};
}

LinearMethod checked(const Model& model, LinearMethod method) {
  const std::string why = why_not(model, method);
  if (!why.empty()) throw std::invalid_argument(why);
  return method;
}

}  // namespace

const char* name_of(LinearMethod method) {
  switch (method) {
    case LinearMethod::automatic: return "auto";
    case LinearMethod::algorithm_3: return "3";
    case LinearMethod::algorithm_4: return "4";
    case LinearMethod::algorithm_5: return "5";
    case LinearMethod::algorithm_6: return "6";
    case LinearMethod::algorithm_6t: return "6T";
  }
  throw std::invalid_argument("no such method of linearization");
}

const std::vector<LinearMethod>& linear_methods() {
  static const std::vector<LinearMethod> all = {LinearMethod::algorithm_3, LinearMethod::algorithm_4,
                                                LinearMethod::algorithm_5, LinearMethod::algorithm_6,
                                                LinearMethod::algorithm_6t};
  return all;
}

LinearMethod linear_method(const std::string& name) {
  if (name == name_of(LinearMethod::automatic)) return LinearMethod::automatic;
  if (name == "6t") return LinearMethod::algorithm_6t;
  for (const LinearMethod method : linear_methods()) {
    if (name == name_of(method)) return method;
  }
  throw std::invalid_argument("no linearization is called '" + name + "': auto, 3, 4, 5, 6 or 6T");
}

bool has_linear_method(const Model& model, LinearMethod method) { return why_not(model, method).empty(); }

LinearMethod method_for_matrices(const Model& model, LinearMethod method) {
  // On chains the n^2 of Algorithm 6 is ahead of the n^3 of the products from here on (docs/linearization.md).
  constexpr int longest_multiplied_chain = 40;
  if (method != LinearMethod::automatic) return checked(model, method);
  if (model.nv() > longest_multiplied_chain && is_chain_of_single_joints(model.tree()))
    return LinearMethod::algorithm_6;
  return model.has_couplings() || by_factor(model.tree()) ? LinearMethod::algorithm_4 : LinearMethod::algorithm_6t;
}

LinearMethod kernel::method_for_direction(const Model& model, LinearMethod method) {
  if (method == LinearMethod::automatic) {
    return model.has_couplings() ? LinearMethod::algorithm_3 : LinearMethod::algorithm_5;
  }
  if (method != LinearMethod::algorithm_3 && method != LinearMethod::algorithm_5) {
    throw std::invalid_argument(std::string("Algorithm ") + name_of(method) +
                                " is for matrices: of one direction use 3 or 5");
  }
  return checked(model, method);
}

}  // namespace catena
