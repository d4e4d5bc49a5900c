#include "catena/read/leftovers.hpp"

#include <tinyxml2.h>

#include <algorithm>

#include "catena/read/number.hpp"

namespace catena::read {
namespace {

constexpr std::size_t lines_kept = 5;

void comments_in(const tinyxml2::XMLNode& node, Leftovers& list) {
  for (const tinyxml2::XMLNode* child = node.FirstChild(); child; child = child->NextSibling()) {
    if (child->ToComment()) add_leftover(list, "comment", child->GetLineNum());
    comments_in(*child, list);
  }
}

void walk(const tinyxml2::XMLNode& node, const Log& log, Leftovers& list) {
  for (const tinyxml2::XMLNode* child = node.FirstChild(); child; child = child->NextSibling()) {
    if (child->ToText()) add_leftover(list, "text between elements", child->GetLineNum());
    if (child->ToUnknown()) add_leftover(list, "<!...> declaration", child->GetLineNum());
    const tinyxml2::XMLElement* const element = child->ToElement();
    if (!element) continue;
    const std::string name = "<" + std::string(element->Name()) + ">";
    if (!log.used(element)) {
      add_leftover(list, name, element->GetLineNum());
      continue;
    }
    for (const auto* a = element->FirstAttribute(); a; a = a->Next()) {
      if (!log.used(a)) add_leftover(list, "attribute " + quote(a->Name()) + " of " + name, a->GetLineNum());
    }
    walk(*element, log, list);
  }
}

void walk(const Value& value, const Log& log, Leftovers& list) {
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const Value& item = value.items[i];
    const bool keyed = value.kind == Value::Kind::table;
    if (item.kind == Value::Kind::null) continue;  // says nothing
    if (keyed && !log.used(&item)) {
      add_leftover(list, "key " + quote(value.keys[i]), item.line);
    } else if (item.kind == Value::Kind::table && !log.used(&item)) {
      add_leftover(list, "entry of a list", item.line);
    } else {
      walk(item, log, list);
    }
  }
}

// Most first.
Leftovers sorted(Leftovers list) {
  std::stable_sort(list.begin(), list.end(), [](const Leftover& a, const Leftover& b) { return a.count > b.count; });
  return list;
}

}  // namespace

void add_leftover(Leftovers& list, const std::string& what, int line) {
  auto found = std::find_if(list.begin(), list.end(), [&](const Leftover& one) { return one.what == what; });
  if (found == list.end()) found = list.insert(list.end(), Leftover{what});
  ++found->count;
  if (line > 0 && found->lines.size() < lines_kept) found->lines.push_back(line);
}

Leftovers xml_leftovers(const tinyxml2::XMLNode& document, const Log& log) {
  Leftovers list;
  walk(document, log, list);
  comments_in(document, list);  // those inside of an element that is left over too
  return sorted(std::move(list));
}

Leftovers table_leftovers(const Value& document, const Log& log) {
  Leftovers list;
  walk(document, log, list);
  return sorted(std::move(list));
}

void add_toml_comments(std::string_view text, Leftovers& list) {
  int line = 1;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') ++line;
    if (c == '#') {
      add_leftover(list, "comment", line);
      i = std::min(text.find('\n', i), text.size()) - 1;
    }
    if (c != '"' && c != '\'') continue;
    // A string, in which # means nothing; it is known to be closed, for the text has been parsed.
    const std::string end(text.substr(i, 3) == std::string(3, c) ? 3 : 1, c);
    for (i += end.size(); i < text.size() && text.substr(i, end.size()) != end; ++i) {
      if (text[i] == '\\' && c == '"') ++i;
      if (i < text.size() && text[i] == '\n') ++line;
    }
    i += end.size() - 1;
    while (end.size() == 3 && i + 1 < text.size() && text[i + 1] == c) ++i;  // """a"""" ends in a quote of its own
  }
}

}  // namespace catena::read
