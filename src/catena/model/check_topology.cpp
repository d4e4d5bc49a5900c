// Names and connections: every body is carried once, every joint and mimic leads somewhere, nothing closes a loop.
// All walks are iterative, so that a chain of any length is checked without a deep stack.

#include <algorithm>
#include <unordered_map>

#include "catena/model/checks.hpp"
#include "catena/model/formatted.hpp"
#include "catena/model/names.hpp"

namespace catena::doctor {
namespace {

using Index = std::unordered_map<std::string, int>;

std::string first_at(const Source& source) {
  const std::string text = source.text();
  return text.empty() ? "" : " (first at " + text + ")";
}

// Index by name; the first of a doubled name wins.
template <class Part>
Index index_names(const std::vector<Part>& parts, const char* kind, Findings& findings) {
  Index index;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    if (part.name.empty()) {
      findings.push_back({Severity::error, "name-empty", part.source, "", formatted("a {} has no name", kind),
                          formatted("give every {} a name of its own", kind)});
      continue;
    }
    const auto [old, is_new] = index.emplace(part.name, static_cast<int>(i));
    if (is_new) continue;
    findings.push_back({Severity::error, formatted("{}-doubled", kind), part.source, part.name,
                        formatted("two {} have this name{}", kind == std::string("body") ? "bodies" : "joints",
                                  first_at(parts[old->second].source)),
                        "rename one of them"});
  }
  return index;
}

// "correct the name, perhaps to 'upper'"; only for the first few, for each costs a look at every name.
class Speller {
 public:
  template <class Part>
  std::string remedy(const char* kind, const std::string& wanted, const std::vector<Part>& parts) {
    const std::string plain = formatted("add the {} or correct the name", kind);
    if (wanted.empty() || ++asked_ > 20) return plain;
    std::vector<std::string> names;
    for (const Part& part : parts) names.push_back(part.name);
    const std::vector<std::string> near = near_names(wanted, names);
    return near.empty() ? plain : formatted("{}, perhaps to '{}'", plain, near.front());
  }

 private:
  int asked_ = 0;
};

std::string naming(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 5; ++i) text += (i ? ", '" : "'") + names[i] + "'";
  return names.size() > 5 ? formatted("{}, ... ({} in all)", text, names.size()) : text;
}

void connect(const Description& d, const Index& bodies, Topology& t, Speller& speller, Findings& findings) {
  for (std::size_t j = 0; j < d.joints.size(); ++j) {
    const Joint& joint = d.joints[j];
    const auto child = bodies.find(joint.child);
    const auto parent = bodies.find(joint.parent);
    if (child == bodies.end()) {
      findings.push_back({Severity::error, "child-unknown", joint.source, joint.name,
                          joint.child.empty() ? "the joint names no child body"
                                              : formatted("its child '{}' is no body of this robot", joint.child),
                          speller.remedy("body", joint.child, d.bodies)});
      t.sound = false;
    }
    if (!joint.parent.empty() && parent == bodies.end()) {
      findings.push_back({Severity::error, "parent-unknown", joint.source, joint.name,
                          formatted("its parent '{}' is no body of this robot", joint.parent),
                          speller.remedy("body", joint.parent, d.bodies)});
      t.sound = false;
    }
    if (child == bodies.end() || (!joint.parent.empty() && parent == bodies.end())) continue;
    const int body = child->second;
    if (t.joint_of[body] >= 0) {
      findings.push_back({Severity::error, "two-parents", joint.source, joint.child,
                          formatted("joints '{}' and '{}' both carry this body; a tree carries each body once",
                                    d.joints[t.joint_of[body]].name, joint.name),
                          "remove one of the joints; a closed loop cannot be described by a tree"});
      t.sound = false;
      continue;
    }
    t.joint_of[body] = static_cast<int>(j);
    t.parent[body] = joint.parent.empty() ? -1 : parent->second;
  }
}

// Parents first; what is not reached from the ground lies on a loop or hangs on one.
void sort_and_find_loops(const Description& d, Topology& t, Findings& findings) {
  const int n = static_cast<int>(d.bodies.size());
  std::vector<std::vector<int>> children(n);
  for (int b = 0; b < n; ++b) {
    if (t.parent[b] >= 0) children[t.parent[b]].push_back(b);
  }
  std::vector<char> reached(n, 0);
  for (int b = 0; b < n; ++b) {
    if (t.parent[b] < 0) t.order.push_back(b);
  }
  for (std::size_t k = 0; k < t.order.size(); ++k) {
    reached[t.order[k]] = 1;
    for (const int child : children[t.order[k]]) t.order.push_back(child);
  }
  for (int start = 0; start < n; ++start) {
    if (reached[start]) continue;
    std::vector<int> path;
    int b = start;
    for (; !reached[b]; b = t.parent[b]) {
      reached[b] = 1;
      path.push_back(b);
    }
    t.sound = false;
    const auto loop = std::find(path.begin(), path.end(), b);
    if (loop == path.end()) continue;  // hangs on a loop found before
    std::vector<std::string> names;
    for (auto it = loop; it != path.end(); ++it) names.push_back(d.joints[t.joint_of[*it]].name);
    std::reverse(names.begin(), names.end());
    const Joint& joint = d.joints[t.joint_of[b]];
    findings.push_back({Severity::error, "loop", joint.source, joint.child,
                        names.size() == 1
                            ? formatted("joint {} connects the body to itself", naming(names))
                            : formatted("joints {} close a loop that never reaches the ground", naming(names)),
                        "remove one of these joints; a closed loop cannot be described by a tree"});
  }
}

void couple(const Description& d, const Index& joints, Topology& t, Speller& speller, Findings& findings) {
  const auto fail = [&](const Joint& joint, const char* code, std::string message, const std::string& remedy) {
    findings.push_back({Severity::error, code, joint.mimic->source.line ? joint.mimic->source : joint.source,
                        joint.name, std::move(message), remedy});
    t.sound = false;
  };
  for (std::size_t j = 0; j < d.joints.size(); ++j) {
    const Joint& joint = d.joints[j];
    if (!joint.mimic) continue;
    const std::string& name = joint.mimic->joint;
    if (joint.type == JointType::fixed) {
      findings.push_back({Severity::note, "mimic-on-fixed", joint.source, joint.name,
                          formatted("a fixed joint cannot follow '{}'; the mimic has no effect", name),
                          "remove the mimic or give the joint its moving type"});
      continue;
    }
    const auto master = joints.find(name);
    if (master == joints.end()) {
      fail(joint, "mimic-dangling", formatted("it follows '{}', which is no joint of this robot", name),
           speller.remedy("joint", name, d.joints));
    } else if (d.joints[master->second].name == joint.name) {
      fail(joint, "mimic-self", "the joint follows itself", "name the joint that drives it");
    } else if (d.joints[master->second].type == JointType::fixed) {
      fail(joint, "mimic-of-fixed", formatted("it follows '{}', which is fixed and has no position", name),
           "follow a moving joint, or make this joint fixed at its offset");
    } else if (velocity_count(joint.type) != 1 || velocity_count(d.joints[master->second].type) != 1) {
      const Joint& wide = velocity_count(joint.type) != 1 ? joint : d.joints[master->second];
      fail(joint, "mimic-degrees",
           formatted("'{}' is {} with {} degrees of freedom; a mimic joint and its master have one degree each",
                     wide.name, name_of(wide.type), velocity_count(wide.type)),
           "take revolute, continuous, prismatic or helical joints");
    } else {
      t.master[j] = master->second;
      if (joint.mimic->ratio == 0) {
        findings.push_back({Severity::note, "mimic-ratio-zero", joint.source, joint.name,
                            formatted("it follows '{}' with ratio 0: it stays at its offset", name), ""});
      }
    }
  }
}

void find_coupling_cycles(const Description& d, Topology& t, Findings& findings) {
  std::vector<int> seen_by(d.joints.size(), -1);
  for (int start = 0; start < static_cast<int>(d.joints.size()); ++start) {
    int j = start;
    while (j >= 0 && seen_by[j] < 0) {
      seen_by[j] = start;
      j = t.master[j];
    }
    if (j < 0 || seen_by[j] != start) continue;
    std::vector<std::string> names{d.joints[j].name};
    for (int k = t.master[j]; k != j; k = t.master[k]) names.push_back(d.joints[k].name);
    const Joint& joint = d.joints[j];
    findings.push_back({Severity::error, "mimic-cycle", joint.mimic->source.line ? joint.mimic->source : joint.source,
                        joint.name, formatted("joints {} follow one another in a circle", naming(names)),
                        "let one of them move by itself"});
    t.sound = false;
  }
}

void check_frames(const Description& d, const Index& bodies, Speller& speller, Findings& findings) {
  Index names;
  for (std::size_t i = 0; i < d.frames.size(); ++i) {
    const Frame& frame = d.frames[i];
    if (frame.name.empty()) {
      findings.push_back({Severity::error, "name-empty", frame.source, "", "a frame has no name",
                          "give every frame a name of its own"});
    } else if (bodies.count(frame.name) || !names.emplace(frame.name, static_cast<int>(i)).second) {
      findings.push_back({Severity::error, "frame-doubled", frame.source, frame.name,
                          "a body or another frame has this name, and both are looked up by it", "rename the frame"});
    }
    if (!bodies.count(frame.body)) {
      findings.push_back({Severity::error, "frame-unknown-body", frame.source, frame.name,
                          formatted("it sits on '{}', which is no body of this robot", frame.body),
                          speller.remedy("body", frame.body, d.bodies)});
    }
  }
}

void check_roots(const Description& d, const Topology& t, Findings& findings) {
  std::vector<char> carries(d.bodies.size(), 0);
  for (const int parent : t.parent) {
    if (parent >= 0) carries[parent] = 1;
  }
  std::vector<std::string> roots;
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    if (t.joint_of[b] >= 0) continue;
    roots.push_back(d.bodies[b].name);
    if (!carries[b] && d.bodies.size() > 1) {
      findings.push_back({Severity::warning, "body-isolated", d.bodies[b].source, d.bodies[b].name,
                          "no joint carries this body or hangs on it; it is fixed to the ground and moves nothing",
                          "connect it with a joint or remove it"});
    }
  }
  if (roots.size() > 1) {
    findings.push_back({Severity::note, "several-roots", d.source, "",
                        formatted("{} bodies have no joint of their own: {}; each is fixed to the ground", roots.size(),
                                  naming(roots)),
                        "connect them if they belong to one robot"});
  }
}

}  // namespace

Topology check_topology(const Description& d, Findings& findings) {
  Topology t;
  t.joint_of.assign(d.bodies.size(), -1);
  t.parent.assign(d.bodies.size(), -1);
  t.master.assign(d.joints.size(), -1);
  const std::size_t before = findings.size();
  const Index bodies = index_names(d.bodies, "body", findings);
  const Index joints = index_names(d.joints, "joint", findings);
  if (findings.size() != before) t.sound = false;
  if (d.bodies.empty()) {
    findings.push_back(
        {Severity::error, "no-bodies", d.source, "", "the robot has no bodies", "add at least one body"});
    t.sound = false;
  }
  Speller speller;
  connect(d, bodies, t, speller, findings);
  sort_and_find_loops(d, t, findings);
  couple(d, joints, t, speller, findings);
  find_coupling_cycles(d, t, findings);
  check_frames(d, bodies, speller, findings);
  if (t.sound) check_roots(d, t, findings);
  return t;
}

}  // namespace catena::doctor
