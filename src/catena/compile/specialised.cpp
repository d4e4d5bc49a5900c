#include "catena/compile/specialised.hpp"

#include <algorithm>

namespace catena {

std::vector<Specialised> count_specialised(const Model& model) {
  constexpr int ceiling = 40;
  std::vector<Specialised> all = {
      {Function::inverse, {"inverse", "inverse_reduced", "inverse_dh", "inverse_denoc", "inverse_noc"}, {}},
      {Function::bias, {"bias"}, {}},
      {Function::mass_matrix, {"mass_matrix", "mass_matrix_reduced"}, {}},
      {Function::coriolis_matrix, {"coriolis_matrix"}, {}},
      {Function::mass_matrix_inverse, {"mass_matrix_inverse"}, {}},
      {Function::forward,
       {"forward_articulated", "forward_reduced", "forward_composite", "forward_denoc", "forward_noc"},
       {}},
      {Function::linearize_inverse, {"linear_2"}, {}},
      {Function::linearize_forward, {"linear_4", "linear_6", "linear_6T"}, {}},
      {Function::nu, {"nu"}, {}},
      {Function::epsilon, {"epsilon"}, {}},
      {Function::forward_nu, {"forward_nu", "kozlowski_nu"}, {}},
      {Function::xi, {"xi"}, {}},
      {Function::kappa, {"kappa"}, {}},
      {Function::forward_xi, {"forward_xi", "kozlowski_xi"}, {}},
      {Function::velocity_from_nu, {}, {}},
      {Function::velocity_from_xi, {}, {}},
      {Function::force_from_epsilon, {}, {}},
      {Function::force_from_kappa, {}, {}},
      {Function::pose, {"pose"}, {}},
      {Function::jacobian, {"jacobian"}, {}},
  };
  std::vector<Specialised> out;
  if (model.nv() == 0 || model.nv() > ceiling) return out;
  const std::vector<Function> possible = functions(model);
  for (Specialised& s : all) {
    if (std::find(possible.begin(), possible.end(), s.function) == possible.end()) continue;
    std::vector<std::string> outputs;
    if (of_frames(s.function)) outputs.push_back(model.frame_name(model.tip_frame()));
    s.operations = trace(model, s.function, outputs).operations();
    out.push_back(s);
  }
  return out;
}

}  // namespace catena
