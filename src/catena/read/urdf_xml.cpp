// XML elements read strictly. Lines are those of the attribute where there is one.
#include "catena/read/urdf_xml.hpp"

#include <tinyxml2.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>

#include "catena/model/names.hpp"
#include "catena/model/text.hpp"
#include "catena/read/number.hpp"

namespace catena::read {
namespace {

int line_of(const Element& element, const char* attribute) {
  const tinyxml2::XMLAttribute* found = element.FindAttribute(attribute);
  return found ? found->GetLineNum() : element.GetLineNum();
}

bool listed(const char* name, std::initializer_list<const char*> names) {
  return std::any_of(names.begin(), names.end(), [&](const char* other) { return std::strcmp(name, other) == 0; });
}

bool foreign(const char* name) { return std::strchr(name, ':') != nullptr || std::strncmp(name, "xmlns", 5) == 0; }

std::string with_brackets(const Element& element) { return "<" + std::string(element.Name()) + ">"; }

// The first element or attribute that xacro has not expanded yet.
const Element* unexpanded(const Element& e) {
  if (std::strncmp(e.Name(), "xacro:", 6) == 0) return &e;
  for (const auto* a = e.FirstAttribute(); a; a = a->Next()) {
    if (std::strstr(a->Value(), "${")) return &e;
  }
  if (std::strcmp(e.Name(), "gazebo") == 0) return nullptr;  // plugins have a language of their own
  for (const Element* c = e.FirstChildElement(); c; c = c->NextSiblingElement()) {
    if (const Element* found = unexpanded(*c)) return found;
  }
  return nullptr;
}

}  // namespace

const Element* Xml::child(const Element& parent, const char* name) {
  const Element* first = parent.FirstChildElement(name);
  if (!first) return nullptr;
  log_.use(first);
  if (const Element* second = first->NextSiblingElement(name)) {
    report(Severity::warning, "element-doubled", second->GetLineNum(),
           with_brackets(parent) + " has more than one <" + name + ">; the first counts", "remove the others");
  }
  return first;
}

void Xml::expect(const Element& element, std::initializer_list<const char*> attributes,
                 std::initializer_list<const char*> children) {
  for (const auto* a = element.FirstAttribute(); a; a = a->Next()) {
    if (listed(a->Name(), attributes) || foreign(a->Name())) continue;
    if (!log_.first(with_brackets(element) + a->Name())) continue;
    const std::vector<std::string> known(attributes.begin(), attributes.end());
    report(Severity::note, "attribute-unknown", a->GetLineNum(),
           "the attribute " + quote(a->Name()) + " of " + with_brackets(element) + " means nothing here" +
               (near_names(a->Name(), known).empty() ? "" : suggestion(a->Name(), known)),
           "it is ignored, here and wherever else it stands");
  }
  for (const Element* c = element.FirstChildElement(); c; c = c->NextSiblingElement()) {
    if (listed(c->Name(), children) || foreign(c->Name())) continue;
    if (!log_.first(with_brackets(element) + with_brackets(*c))) continue;
    const std::vector<std::string> known(children.begin(), children.end());
    report(Severity::note, "element-unknown", c->GetLineNum(),
           "the element " + quote(c->Name()) + " of " + with_brackets(element) + " means nothing here" +
               (near_names(c->Name(), known).empty() ? "" : suggestion(c->Name(), known)),
           "it is ignored, here and wherever else it stands");
  }
}

std::optional<std::string> Xml::text(const Element& element, const char* attribute) {
  const char* value = element.Attribute(attribute);
  if (!value) return std::nullopt;
  log_.use(element.FindAttribute(attribute));
  return std::string(value);
}

std::optional<std::string> Xml::required_text(const Element& element, const char* attribute) {
  const auto value = text(element, attribute);
  if (value && !trimmed(*value).empty()) return value;
  report("attribute-missing", element, with_brackets(element) + " has no " + attribute,
         std::string("write ") + attribute + "=\"...\"");
  return std::nullopt;
}

std::optional<std::vector<double>> Xml::numbers(const Element& element, const char* attribute, std::size_t least,
                                                std::size_t most) {
  const char* value = element.Attribute(attribute);
  if (!value) return std::nullopt;
  log_.use(element.FindAttribute(attribute));
  const int line = line_of(element, attribute);
  const std::string where = with_brackets(element) + " " + attribute;
  const auto tokens = words(value);
  if (tokens.size() < least || tokens.size() > most) {
    const std::string wanted =
        least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
    report(severity_, "number-count", line,
           where + "=\"" + std::string(beginning(value, 60)) + "\" has " + std::to_string(tokens.size()) +
               " numbers instead of " + wanted,
           "write " + wanted + (most == 1 ? " number" : " numbers separated by blanks"));
    return std::vector<double>(most, std::numeric_limits<double>::quiet_NaN());
  }
  std::vector<double> out;
  for (const auto token : tokens) {
    const Number number = parse_number(token);
    if (!number.ok()) {
      report(severity_, number.code, line, where + ": " + quote(token) + " " + number.problem, "write a finite number");
    }
    out.push_back(number.ok() ? number.value : std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

std::optional<double> Xml::number(const Element& element, const char* attribute) {
  const auto one = numbers(element, attribute, 1, 1);
  if (!one) return std::nullopt;
  return (*one)[0];
}

double Xml::required_number(const Element& element, const char* attribute) {
  const auto value = number(element, attribute);
  if (value) return *value;
  report("attribute-missing", element, with_brackets(element) + " has no " + attribute,
         std::string("write ") + attribute + "=\"...\"");
  return std::numeric_limits<double>::quiet_NaN();
}

std::optional<Vector3> Xml::vector(const Element& element, const char* attribute) {
  const auto three = numbers(element, attribute, 3, 3);
  if (!three) return std::nullopt;
  return Vector3((*three)[0], (*three)[1], (*three)[2]);
}

Pose Xml::origin(const Element& parent) {
  Pose pose;
  const Element* element = child(parent, "origin");
  if (!element) return pose;
  expect(*element, {"xyz", "rpy"}, {});
  if (const auto xyz = vector(*element, "xyz")) pose.p = *xyz;
  if (const auto rpy = vector(*element, "rpy"); rpy && !rpy->isZero(0)) {
    pose.R = rotation_from_rpy((*rpy)[0], (*rpy)[1], (*rpy)[2]);
  }
  return pose;
}

void Xml::report(const char* code, const Element& element, std::string message, std::string remedy) {
  report(severity_, code, element.GetLineNum(), std::move(message), std::move(remedy));
}

void Xml::report(Severity severity, const char* code, int line, std::string message, std::string remedy) {
  log_.add(severity, code, line, owner_, std::move(message), std::move(remedy));
}

// tinyxml2 compares every attribute of an element with every other and keeps some 150 bytes per element: what is far
// beyond any robot is refused before it is parsed.
bool bearable(std::string_view text, Log& log) {
  constexpr int most_attributes = 1000, most_elements = 4'000'000;
  const auto skip = [&text](std::size_t from, std::string_view end) {
    return std::min(text.find(end, from), text.size() - end.size()) + end.size();
  };
  int elements = 0;
  for (std::size_t i = text.find('<'); i < text.size(); i = text.find('<', i)) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("<!--") || rest.starts_with("<![CDATA[") || rest.starts_with("<?")) {
      i = skip(i, rest[1] == '?' ? "?>" : rest[2] == '-' ? "-->" : "]]>");
      continue;
    }
    int attributes = 0;
    for (++i; i < text.size() && text[i] != '>'; ++i) {
      if (text[i] == '=') ++attributes;
      if (text[i] == '"' || text[i] == '\'') i = std::min(text.find(text[i], i + 1), text.size());
    }
    if (attributes > most_attributes || ++elements > most_elements) {
      log.error("xml-size", 0, "",
                attributes > most_attributes ? "an element has more than a thousand attributes"
                                             : "there are more than four million elements",
                "check that this is the right file");
      return false;
    }
  }
  return true;
}

namespace {

// The end of a reference to zero or to what is no character ("&#0;", "&#xD800;"); nothing for any other one.
std::optional<std::size_t> end_of_bad_reference(std::string_view text, std::size_t i) {
  const std::size_t end = text.substr(i, 4096).find(';');
  if (!text.substr(i).starts_with("&#") || end == std::string_view::npos) return std::nullopt;
  const bool hex = text[i + 2] == 'x';
  const std::string_view digits = text.substr(i + (hex ? 3 : 2), end - (hex ? 3 : 2));
  std::uint32_t code = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, hex ? 16 : 10);
  if (stop != digits.data() + digits.size() || digits.empty()) return std::nullopt;
  const bool character = error == std::errc() && code != 0 && code <= 0x10FFFF && (code < 0xD800 || code > 0xDFFF);
  if (character) return std::nullopt;
  return i + end + 1;
}

}  // namespace

std::string without_instructions(std::string_view text, std::vector<int>& lines, Log& log) {
  if (text.find("<?", 1) == std::string_view::npos && text.find("&#") == std::string_view::npos) return "";
  constexpr std::size_t most = 20;
  std::string out(text);
  int line = 1;
  std::size_t counted = 0;  // line is that of this place
  const auto line_at = [&](std::size_t place) {
    line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                        text.begin() + static_cast<std::ptrdiff_t>(place), '\n'));
    counted = place;
    return line;
  };
  const auto after = [&](std::size_t from, std::string_view end) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  bool in_element = false;
  char quotes = 0;  // around an attribute's value
  for (std::size_t i = 0; i < text.size() && log.findings().size() < most;) {
    const std::string_view rest = text.substr(i);
    if (const auto stop = rest[0] == '&' ? end_of_bad_reference(text, i) : std::nullopt) {
      log.error("xml-character", line_at(i), "", std::string(text.substr(i, *stop - i)) + " stands for no character",
                "remove it");
      i = *stop;
    } else if (in_element) {
      if (quotes != 0 ? rest[0] == quotes : rest[0] == '"' || rest[0] == '\'') quotes = quotes != 0 ? '\0' : rest[0];
      if (quotes == 0 && rest[0] == '>') in_element = false;
      ++i;
    } else if (rest.starts_with("<!--")) {
      i = after(i, "-->");
    } else if (rest.starts_with("<![CDATA[")) {
      i = after(i, "]]>");
    } else if (rest.starts_with("<?")) {
      const std::size_t end = after(i, "?>");
      const bool declaration =
          rest.size() > 5 && rest.starts_with("<?xml") && std::strchr(" \t\r\n?", rest[5]) != nullptr;
      if (!declaration && text.substr(end - 2, 2) == "?>") {
        lines.push_back(line_at(i));
        std::replace_if(
            out.begin() + static_cast<std::ptrdiff_t>(i), out.begin() + static_cast<std::ptrdiff_t>(end),
            [](char c) { return c != '\n'; }, ' ');
      }
      i = end;
    } else {
      in_element = rest[0] == '<';
      ++i;
    }
  }
  return lines.empty() ? "" : out;
}

const Element* robot_element(const tinyxml2::XMLDocument& document, Log& log) {
  if (document.Error()) {
    if (document.ErrorID() == tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED) {
      log.error("xml-nesting", document.ErrorLineNum(), "", "elements are nested too deeply",
                "a robot needs no such nesting");
    } else {
      std::string name = document.ErrorName();
      if (name.starts_with("XML_ERROR_")) name.erase(0, 10);
      std::replace(name.begin(), name.end(), '_', ' ');
      std::transform(name.begin(), name.end(), name.begin(),
                     [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
      log.error("xml-syntax", document.ErrorLineNum(), "", "not valid XML (" + name + ")",
                "correct the markup; was the file written to its end?");
    }
    return nullptr;
  }
  for (const tinyxml2::XMLNode* node = document.FirstChild(); node; node = node->NextSibling()) {
    if (node->ToUnknown() && std::strstr(node->Value(), "ENTITY")) {
      log.error("xml-entities", node->GetLineNum(), "", "the file declares XML entities, which are not expanded",
                "write their text out");
      return nullptr;
    }
    if (node->ToText()) {
      log.error("xml-syntax", node->GetLineNum(), "", "there is text outside of the elements", "remove it");
      return nullptr;
    }
  }
  const Element* root = document.RootElement();
  if (!root || std::strcmp(root->Name(), "robot") != 0) {
    const std::string name = root ? root->Name() : "";
    log.error("xml-no-robot", root ? root->GetLineNum() : 0, "",
              root ? "the file holds <" + name + ">, not a URDF <robot>" : "the file holds no XML element",
              name == "sdf"      ? "this is an SDF file; convert it to URDF"
              : name == "mujoco" ? "this is a MuJoCo file; convert it to URDF"
                                 : "check that this is the right file");
    return nullptr;
  }
  if (const Element* second = root->NextSiblingElement()) {
    log.error("xml-syntax", second->GetLineNum(), "", "there is a second root element", "keep one <robot>");
    return nullptr;
  }
  if (const Element* macro = unexpanded(*root)) {
    log.error("xacro", macro->GetLineNum(), "", "this is a xacro file whose macros are not expanded",
              "expand it first: xacro " + log.file() + " > robot.urdf");
    return nullptr;
  }
  return root;
}

}  // namespace catena::read
