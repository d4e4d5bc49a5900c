#include "cli/what_else.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "catena/read/csv.hpp"
#include "catena/read/number.hpp"
#include "catena/read/value.hpp"
#include "catena/simulate/scenario.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t enough = 1 << 20;  // bytes: notes, units and names of any table, and any state by hand

std::string beginning_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(enough, '\0');
  file.read(text.data(), static_cast<std::streamsize>(enough));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

Finding other(const std::string& path, const std::string& what, std::string remedy) {
  return {Severity::error, "not-a-robot", {path, 0}, "", "this is " + what + ", not a robot", std::move(remedy)};
}

Finding table(const std::string& path, const std::string& word, std::string_view text) {
  bool robot_inside = false;
  std::vector<std::string> names;
  while (!text.empty() && names.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = read::trimmed(text.substr(0, end));
    robot_inside = robot_inside || line.starts_with("# robot: ");
    if (!line.empty() && line.front() != '#') names = read::csv_names(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const auto any = [&](auto test) { return std::any_of(names.begin(), names.end(), test); };
  const bool time = any([](const std::string& name) { return name == "time"; });
  const bool motion = any([](const std::string& name) { return name.starts_with("q."); });
  if (robot_inside && time)
    return other(
        path, "a recording",
        fmt::format("draw it with `catena plot {0}`, or see it with `catena view {0} --output page.html`", word));
  std::string remedy = motion ? fmt::format("give a motion to `catena inverse ROBOT --trajectory {}`", word) : "";
  if (time) remedy += fmt::format("{}draw it with `catena plot {}`", motion ? ", or " : "", word);
  return other(path, "a table of numbers", remedy.empty() ? "check that this is the right file" : remedy);
}

bool is_number(const read::Value& value) { return value.kind == read::Value::Kind::number; }

bool numbers_only(const read::Value& value) {
  return is_number(value) || (value.kind == read::Value::Kind::list && !value.items.empty() &&
                              std::all_of(value.items.begin(), value.items.end(), is_number));
}

// TOML or JSON, by its ending or else by its content, as the readers have it.
std::optional<Finding> document(const std::string& path, const std::string& word, const std::string& text) {
  const std::string_view begin = read::trimmed(text);
  if (begin.starts_with('<')) return std::nullopt;
  read::Log log(path);
  const bool json = path.ends_with(".json") || (!path.ends_with(".toml") && begin.starts_with('{'));
  const read::Value value = json ? read::json_document(text, log) : read::toml_document(text, log);
  const auto has = [&](const char* key) { return value.find(key) != nullptr; };
  if (has("body") || has("bodies") || has("dh")) return std::nullopt;  // a robot, though not a sound one
  const read::Value* model = value.find("model");
  if (json && ((model != nullptr && model->kind == read::Value::Kind::text) || has("duration")))
    return other(path, "a scenario in JSON, which no command reads",
                 "write it as TOML (model = \"arm7\", duration = 1, ...) and run that with `catena simulate`");
  // Without headings: positions by joint name, or all of them in a list.
  const bool positions = value.kind == read::Value::Kind::list
                             ? numbers_only(value)
                             : !value.items.empty() && !has("gravity") &&
                                   std::all_of(value.items.begin(), value.items.end(), numbers_only);
  if (has("q") || has("v") || has("a") || has("tau") || positions)
    return other(path, "a state", fmt::format("give it to `catena inverse ROBOT --state {}`", word));
  return std::nullopt;
}

}  // namespace

std::string shell_word(const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c > 127 || std::isalnum(c) != 0 ||
           std::string_view("_-./:+,=@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain && !text.empty()) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::optional<Finding> what_else(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  const std::string word = shell_word(path), text = beginning_of(path);
  if (text.starts_with("\x89HDF\r\n\x1a\n"))
    return other(
        path, "an HDF5 file",
        fmt::format("draw a recording with `catena plot {0}`, or see it with `catena view {0} --output page.html`",
                    word));
  if (is_scenario(path))
    return other(path, "a scenario",
                 fmt::format("run it with `catena simulate {}`, which lists every mistake of it", word));
  if (path.ends_with(".csv") || path.ends_with(".CSV")) return table(path, word, text);
  return text.size() < enough ? document(path, word, text) : std::nullopt;
}

}  // namespace catena::cli
