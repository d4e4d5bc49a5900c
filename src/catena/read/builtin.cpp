// Built-in robots: looks names up in the embedded files, or makes the robot a name such as "chain:100" asks for.
#include "catena/read/builtin.hpp"

#include <algorithm>
#include <charconv>

#include "catena/model/generate.hpp"
#include "catena/read/embedded.hpp"

namespace catena::read {
namespace {

constexpr int longest_chain = 1'000'000;  // about 3 GB of memory; beyond it a typing error is likelier than a wish

const Embedded* find(const std::string& name) {
  const auto robots = embedded();
  const auto it = std::find_if(robots.begin(), robots.end(), [&name](const Embedded& e) { return e.name == name; });
  return it == robots.end() ? nullptr : &*it;
}

[[noreturn]] void refuse(const std::string& name, const std::string& message) {
  throw ModelError(Finding{Severity::error,
                           "generated-name",
                           {},
                           "",
                           "\"" + name + "\": " + message,
                           "write chain:COUNT, chain:COUNT:planar, chain:COUNT:perpendicular or random:SEED"});
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Description make_chain(const std::string& name, std::string_view arguments) {
  const std::size_t colon = arguments.find(':');
  const auto count = number<int>(arguments.substr(0, colon));
  if (!count || *count < 1 || *count > longest_chain)
    refuse(name, "the number of links must be a whole number from 1 to " + std::to_string(longest_chain));
  ChainOptions options;
  if (colon != std::string_view::npos) {
    const std::string_view shape = arguments.substr(colon + 1);
    if (shape == "planar")
      options.shape = ChainShape::planar;
    else if (shape == "perpendicular")
      options.shape = ChainShape::perpendicular;
    else if (shape != "general")
      refuse(name, "unknown shape of chain");
  }
  return chain(*count, options);
}

}  // namespace

std::vector<std::string> builtin_names() {
  std::vector<std::string> names;
  for (const Embedded& robot : embedded()) names.emplace_back(robot.name);
  return names;
}

std::optional<std::string_view> builtin_text(const std::string& name) {
  const Embedded* robot = find(name);
  if (robot == nullptr) return std::nullopt;
  return robot->text;
}

std::string builtin_file_name(const std::string& name) {
  const Embedded* robot = find(name);
  return robot == nullptr ? std::string() : std::string(robot->file);
}

std::optional<Description> builtin_description(const std::string& name) {
  const std::string_view text = name;
  if (text.starts_with("chain:")) return make_chain(name, text.substr(6));
  if (text.starts_with("random:")) {
    const auto seed = number<std::uint64_t>(text.substr(7));
    if (!seed) refuse(name, "the seed must be a whole number, not negative");
    return random_tree(*seed);
  }
  return std::nullopt;
}

std::vector<std::string> generated_name_patterns() {
  return {"chain:COUNT", "chain:COUNT:planar", "chain:COUNT:perpendicular", "random:SEED"};
}

}  // namespace catena::read
