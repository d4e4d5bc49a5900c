// Parts of a scenario that know the robot: motion, input, wrenches. Inside of simulate/scenario*.cpp.
#pragma once

#include "catena/model/names.hpp"
#include "catena/read/fields.hpp"
#include "catena/simulate/scenario.hpp"
#include "catena/simulate/scenario_robot.hpp"

namespace catena::scenario {

// A file name relative to the folder of the scenario.
std::string beside(const std::string& file, const std::string& name);

std::shared_ptr<const Trajectory> read_motion(const Scenario& scenario, const read::Value& table, read::Log& log);
// recipe: of the scenario's robot, from which the controller's own model is made where it assumes something else.
void read_input(Scenario& scenario, const RobotRecipe& recipe, const read::Value& table, read::Log& log);
std::vector<WrenchTimeSeries> read_wrenches(const Scenario& scenario, const read::Value& list, read::Log& log);

std::optional<bool> flag(read::Fields& fields, const char* key);

// Where the scenario's robot cannot be read, another one stands in for it and `robot` is empty: what is wrong with any
// robot is told, what could be right with the true one is not.
inline bool robot_known(const Scenario& scenario) { return !scenario.robot.empty(); }
// read::quantity; where another robot stands in, only that the numbers are numbers.
Vector quantity(const Scenario& scenario, const read::Value& value, const char* what, const char* key, read::Log& log);

// A finding about a file that the scenario names. Where that file could not be read at all, the place is the scenario's.
Finding placed(Finding finding, read::Fields& fields, const char* key);

inline bool several(const read::Value& value) {
  return value.kind == read::Value::Kind::list || value.kind == read::Value::Kind::table;
}

// The frame that a table names, in this model.
std::optional<int> frame_of(const Scenario& scenario, const Model& model, read::Fields& fields);

// A key is missing, whatever the robot.
struct Incomplete : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

// What the library refuses becomes an error with a line; mistakes in a file that the table names keep their own place.
template <class Work>
void guarded(const Scenario& scenario, read::Fields& fields, const char* code, Work work) {
  try {
    work();
  } catch (const ModelError& error) {
    for (const Finding& finding : error.findings())
      if (robot_known(scenario) || !finding.code.starts_with("column-"))
        fields.log().add(placed(finding, fields, "file"));
  } catch (const Incomplete& error) {
    fields.error(code, fields.line(), error.what(), "correct this table");
  } catch (const NumericalError& error) {
    if (robot_known(scenario)) fields.error(code, fields.line(), error.what(), "change the weights or the pose");
  } catch (const std::invalid_argument& error) {
    if (robot_known(scenario)) fields.error(code, fields.line(), error.what(), "correct this table");
  }
}

// One of the words, or an error that lists them.
template <std::size_t N>
std::optional<std::size_t> choice(read::Fields& fields, const char* key, const char* const (&words)[N]) {
  const auto text = fields.text(key);
  if (!text) return std::nullopt;
  for (std::size_t i = 0; i < N; ++i)
    if (*text == words[i]) return i;
  std::string all;
  for (const char* word : words) all += all.empty() ? word : std::string(", ") + word;
  fields.error(
      "word-unknown", fields.line(key),
      std::string(key) + " cannot be '" + *text + "'" + did_you_mean(*text, {std::begin(words), std::end(words)}),
      "write one of: " + all);
  return std::nullopt;
}

// A word that decides which other keys there are (separated by blanks).
struct Form {
  const char* word;
  const char* keys;
};

void allow(read::Fields& fields, const char* keys);

// The same for words with keys of their own. Where the word is unknown, the keys of all of them may be meant.
template <std::size_t N>
std::optional<std::size_t> choice(read::Fields& fields, const char* key, const Form (&forms)[N]) {
  const char* words[N];
  for (std::size_t i = 0; i < N; ++i) words[i] = forms[i].word;
  const auto found = choice(fields, key, words);
  for (std::size_t i = 0; i < N; ++i)
    if (!found || *found == i) allow(fields, forms[i].keys);
  return found;
}

}  // namespace catena::scenario
