// TOML by way of toml11. It clamps numbers that overflow and counts lines from the top of the file for every value,
// so both are taken from the stretch of text it remembers for each value.
#include "catena/read/toml.hpp"

#include <algorithm>
#include <sstream>
#include <toml.hpp>

#include "catena/read/leftovers.hpp"
#include "catena/read/number.hpp"
#include "catena/read/tables.hpp"
#include "catena/read/value.hpp"

namespace catena::read {
namespace {

// toml11 needs about a second per megabyte.
constexpr std::size_t longest_text = 4u << 20;

// The line at which brackets or dotted keys nest too deeply for a recursive parser; 0 if nowhere.
int too_deep(std::string_view text) {
  int line = 1, depth = 0, dots = 0;
  const auto skip_string = [&](std::size_t& i) {
    const char quote = text[i];
    const bool multiline = text.substr(i, 3) == std::string(3, quote);
    const std::size_t width = multiline ? 3 : 1;
    for (i += width; i < text.size(); ++i) {
      if (text[i] == '\n') {
        if (!multiline) return --i, void();  // not closed: the parser will say so
        ++line;
      } else if (text[i] == '\\' && quote == '"') {
        ++i;
        if (i < text.size() && text[i] == '\n') ++line;
      } else if (text.substr(i, width) == std::string(width, quote)) {
        i += width - 1;
        return;
      }
    }
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '\n': ++line, dots = 0; break;
      case '#': i = std::min(text.find('\n', i), text.size()) - 1; break;
      case '"':
      case '\'': skip_string(i); break;
      case '[':
      case '{': ++depth, dots = 0; break;
      case ']':
      case '}': depth = std::max(0, depth - 1), dots = 0; break;
      case ',':
      case '=': dots = 0; break;
      case '.': ++dots; break;
      default: break;
    }
    if (depth > deepest_nesting || dots > deepest_nesting) return line;
  }
  return 0;
}

class Converter {
 public:
  explicit Converter(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '\n') line_ends_.push_back(i);
    }
  }

  Value convert(const toml::value& from, int line_of_parent) const {
    Value to;
    const auto* region = dynamic_cast<const toml::detail::region*>(toml::detail::get_region(from));
    to.line = region ? line_at(static_cast<std::size_t>(region->first() - region->begin())) : line_of_parent;
    switch (from.type()) {
      case toml::value_t::boolean:
        to.kind = Value::Kind::boolean;
        to.boolean = from.as_boolean();
        break;
      case toml::value_t::integer:
      case toml::value_t::floating:
        to.kind = Value::Kind::number;
        to.text = region ? region->str() : "";
        to.text.erase(std::remove(to.text.begin(), to.text.end(), '_'), to.text.end());
        break;
      case toml::value_t::string:
        to.kind = Value::Kind::text;
        to.text = from.as_string().str;
        break;
      case toml::value_t::array:
        to.kind = Value::Kind::list;
        for (const toml::value& item : from.as_array()) to.items.push_back(convert(item, to.line));
        break;
      case toml::value_t::table:
        to.kind = Value::Kind::table;
        convert_table(from, to);
        break;
      case toml::value_t::empty: break;
      default: to.kind = Value::Kind::other; break;
    }
    return to;
  }

 private:
  // toml11 keeps tables unordered; the file's order makes findings come in the file's order.
  void convert_table(const toml::value& from, Value& to) const {
    std::vector<std::pair<const std::string*, Value>> entries;
    for (const auto& [key, item] : from.as_table()) entries.emplace_back(&key, convert(item, to.line));
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
      return a.second.line != b.second.line ? a.second.line < b.second.line : *a.first < *b.first;
    });
    for (auto& [key, item] : entries) {
      to.keys.push_back(*key);
      to.items.push_back(std::move(item));
    }
  }

  int line_at(std::size_t offset) const {
    return 1 + static_cast<int>(std::lower_bound(line_ends_.begin(), line_ends_.end(), offset) - line_ends_.begin());
  }

  std::vector<std::size_t> line_ends_;
};

// toml11's messages are drawings of several lines; the first says what, the arrow's label says why.
std::string in_one_line(const std::string& message) {
  std::string text = message.substr(0, message.find('\n'));
  if (text.starts_with("[error] ")) text.erase(0, 8);
  if (text.starts_with("toml::") && text.find(": ") != std::string::npos) text.erase(0, text.find(": ") + 2);
  while (text.ends_with('.')) text.pop_back();
  const std::size_t arrow = message.find("^---");
  if (arrow != std::string::npos) {
    const std::string label(
        trimmed(std::string_view(message).substr(arrow + 4, message.find('\n', arrow) - arrow - 4)));
    if (!label.empty() && label != "here") text += ": " + label;
  }
  return text;
}

}  // namespace

Value toml_document(std::string_view text, Log& log) {
  if (text.size() > longest_text) {
    log.error("file-too-large", 0, "", "is larger than 4 MB, more than TOML is meant for", "use JSON or URDF");
    return {};
  }
  if (const int line = too_deep(text)) {
    log.error("toml-nesting", line, "", "lists or tables are nested too deeply", "a robot needs no such nesting");
    return {};
  }
  try {
    std::istringstream in{std::string(text)};
    return Converter(text).convert(toml::parse(in, log.file()), 1);
  } catch (const toml::exception& e) {
    log.error("toml-syntax", static_cast<int>(e.location().line()), "", "not valid TOML: " + in_one_line(e.what()),
              "correct the line");
  } catch (const std::exception& e) {
    log.error("toml-syntax", 0, "", "not valid TOML: " + in_one_line(e.what()), "correct the file");
  }
  return {};
}

Reading toml(std::string_view text, const std::string& file, bool with_leftovers) {
  Log log(file);
  if (with_leftovers) log.keep_account();
  const Value document = toml_document(text, log);
  if (document.kind == Value::Kind::null) return {{}, log.findings()};
  Reading reading = robot_from_tables(document, std::move(log));
  if (with_leftovers) add_toml_comments(text, reading.leftovers);
  return reading;
}

}  // namespace catena::read
