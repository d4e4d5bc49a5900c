// Structure is compared by name, because formats order bodies and joints in their own ways and hang roots on the ground by
// fixed joints; numbers of poses are compared by who can compute with them (catena convert).
#include "catena/write/read_back.hpp"

#include <algorithm>
#include <map>

namespace catena::write {
namespace {

// name -> what must not change.
using Parts = std::map<std::string, std::string>;

Parts bodies_of(const Description& d) {
  Parts out;
  for (const Body& body : d.bodies) out[body.name] = body.inertial ? std::to_string(body.inertial->mass) : "no mass";
  return out;
}

Parts joints_of(const Description& d) {
  Parts out;
  for (const Joint& joint : d.joints) {
    if (joint.type == JointType::fixed) continue;
    out[joint.name] = std::string(name_of(joint.type)) + " from '" + joint.parent + "' to '" + joint.child + "'";
  }
  return out;
}

Parts frames_of(const Description& d) {
  Parts out;
  for (const Frame& frame : d.frames) out[frame.name] = "on '" + frame.body + "'";
  return out;
}

[[noreturn]] void fail(const std::string& path, std::string message) {
  throw ModelError(Finding{Severity::error,
                           "write-differs",
                           {path, 0},
                           "",
                           "nothing was written, because it would not read back as this robot: " + std::move(message),
                           "correct the robot, or choose the other format"});
}

void compare(const char* kind, const Parts& meant, const Parts& back, const std::string& path) {
  for (const auto& [name, what] : meant) {
    const auto found = back.find(name);
    if (found == back.end()) fail(path, std::string("the ") + kind + " '" + name + "' is lost");
    if (found->second != what)
      fail(path, std::string("the ") + kind + " '" + name + "' (" + what + ") becomes " + found->second);
  }
  for (const auto& [name, what] : back)
    if (!meant.count(name)) fail(path, std::string("a ") + kind + " '" + name + "' appears");
}

}  // namespace

void require_same(const Description& meant, const read::Reading& back, const std::string& path) {
  const auto error = std::find_if(back.findings.begin(), back.findings.end(),
                                  [](const Finding& f) { return f.severity == Severity::error; });
  if (error != back.findings.end()) fail(path, (error->body.empty() ? "" : "'" + error->body + "': ") + error->message);
  compare("body", bodies_of(meant), bodies_of(back.description), path);
  compare("joint", joints_of(meant), joints_of(back.description), path);
  compare("frame", frames_of(meant), frames_of(back.description), path);
}

}  // namespace catena::write
