// The doctor's round: connections and numbers first; what needs a sound tree of finite numbers only after that.
// Findings keep the order of the description within each part.
#include "catena/model/doctor.hpp"

#include <algorithm>

#include "catena/model/checks.hpp"

namespace catena {

Findings check(const Description& description) {
  Findings findings;
  doctor::check_texts(description, findings);
  const doctor::Topology topology = doctor::check_topology(description, findings);
  doctor::check_numbers(description, findings);
  doctor::check_joints(description, findings);
  doctor::check_inertias(description, findings);
  if (topology.sound && !has_errors(findings)) {
    doctor::check_proportions(description, topology, findings);
    doctor::check_mass_matrix(description, topology, findings);
  }
  const bool moves = std::any_of(description.joints.begin(), description.joints.end(),
                                 [](const Joint& j) { return j.type != JointType::fixed; });
  if (!moves && !description.bodies.empty()) {
    findings.push_back({Severity::note, "nothing-moves", description.source, "",
                        "no joint of this robot moves, so it has no coordinates",
                        "put it on a floating base if the whole body moves"});
  }
  return findings;
}

}  // namespace catena
