// Names and other texts reach terminals, tables, source code and files of every format: what could break a line there, or
// make a name look like another, is no part of them. Readers look at the text of a file; this looks at what it means, where
// escapes such as \u202E have become characters, and at robots made by programs.

#include "catena/model/checks.hpp"
#include "catena/model/formatted.hpp"
#include "catena/model/text.hpp"

namespace catena::doctor {
namespace {

// "" if the text is fit.
std::string problem(std::string_view text, bool is_name) {
  if (const auto bad = find_bad(text)) {
    switch (bad->kind) {
      case BadText::Kind::encoding: return formatted("is not UTF-8: it contains {}", bad->what);
      case BadText::Kind::zero: return "contains a zero byte";
      case BadText::Kind::direction: return formatted("contains {}, which changes the direction of writing", bad->what);
    }
  }
  for (std::size_t k = 0; is_name && k < text.size();) {
    const Character c = first_character(text.substr(k));
    if (is_control(c.code)) return formatted("contains a control character, U+{:04X}", static_cast<unsigned>(c.code));
    k += c.bytes;
  }
  return "";
}

}  // namespace

void check_texts(const Description& description, Findings& findings) {
  const auto check = [&](const Source& source, const std::string& owner, const char* what, std::string_view text,
                         bool is_name = true) {
    if (const std::string bad = problem(text, is_name); !bad.empty())
      findings.push_back({Severity::error, "name-characters", source, printable(owner), formatted("{} {}", what, bad),
                          "write it without that character"});
  };
  check(description.source, "", "the robot's name", description.name);
  check(description.source, "", "the robot's origin", description.origin, false);
  for (const Body& body : description.bodies) {
    check(body.source, body.name, "the body's name", body.name);
    for (const Shape& shape : body.shapes) {
      check(body.source, body.name, "the name of a shape", shape.name, false);
      check(body.source, body.name, "the file name of a mesh", shape.mesh, false);
    }
  }
  for (const Joint& joint : description.joints) check(joint.source, joint.name, "the joint's name", joint.name);
  for (const Frame& frame : description.frames) check(frame.source, frame.name, "the frame's name", frame.name);
}

}  // namespace catena::doctor
