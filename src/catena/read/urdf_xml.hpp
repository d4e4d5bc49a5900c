// XML documents and elements read with every mistake logged; and the shapes of a URDF link.
#pragma once

#include <initializer_list>
#include <map>
#include <optional>

#include "catena/read/reading.hpp"

namespace tinyxml2 {
class XMLDocument;
class XMLElement;
}  // namespace tinyxml2

namespace catena::read {

using Element = tinyxml2::XMLElement;

// False, and an error in the log, for a text beyond any robot that would take the parser too long.
bool bearable(std::string_view text, Log& log);
// The text with its processing instructions (<?...?>, but for the <?xml?> on top) blanked out, lines as they were, and the
// line of each: the parser takes none inside of elements. Empty if there are none. Character references that stand for no
// character are errors.
std::string without_instructions(std::string_view text, std::vector<int>& lines, Log& log);
// The root <robot>; nullptr and an error in the log if there is none to read.
const Element* robot_element(const tinyxml2::XMLDocument& document, Log& log);

// Findings about one link or joint; bad numbers count as severity.
class Xml {
 public:
  Xml(Log& log, std::string owner, Severity severity = Severity::error)
      : log_(log), owner_(std::move(owner)), severity_(severity) {}

  // nullptr if there is none; a warning if there are several: the first counts.
  const Element* child(const Element& parent, const char* name);
  // Notes children and attributes that mean nothing here (names with a colon belong to others and pass).
  void expect(const Element& element, std::initializer_list<const char*> attributes,
              std::initializer_list<const char*> children);

  std::optional<std::string> text(const Element& element, const char* attribute);
  std::optional<std::string> required_text(const Element& element, const char* attribute);
  // Absent: nothing. Bad: logged, and NaN so that nobody computes with it.
  std::optional<double> number(const Element& element, const char* attribute);
  double required_number(const Element& element, const char* attribute);
  std::optional<Vector3> vector(const Element& element, const char* attribute);
  // As many numbers as least..most.
  std::optional<std::vector<double>> numbers(const Element& element, const char* attribute, std::size_t least,
                                             std::size_t most);
  // <origin xyz rpy> of an element; identity if there is none.
  Pose origin(const Element& parent);

  void report(const char* code, const Element& element, std::string message, std::string remedy);
  void report(Severity severity, const char* code, int line, std::string message, std::string remedy);

  Log& log() { return log_; }
  const std::string& owner() const { return owner_; }

 private:
  Log& log_;
  std::string owner_;
  Severity severity_;
};

// Named colours: those of the robot, and those that a link defines on the way. What no shape refers to is left over.
struct Material {
  Colour rgba;
  const Element* element;
};
using Materials = std::map<std::string, Material>;

void read_material(const Element& element, Xml& xml, Materials& materials);

// The <visual> and <collision> of a link. Mistakes are warnings: dynamics never looks at shapes.
std::vector<Shape> read_link_shapes(const Element& link, const std::string& owner, Log& log, Materials& materials);

}  // namespace catena::read
