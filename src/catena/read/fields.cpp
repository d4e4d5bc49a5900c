// A table read by key. Unknown keys are those nobody asked for, so the list of keys is never written twice.
#include "catena/read/fields.hpp"

#include <algorithm>

#include "catena/model/names.hpp"
#include "catena/read/number.hpp"

namespace catena::read {
namespace {

const char* described(const Value& value) {
  switch (value.kind) {
    case Value::Kind::null: return "null";
    case Value::Kind::boolean: return "true or false";
    case Value::Kind::number: return "a number";
    case Value::Kind::text: return "text";
    case Value::Kind::list: return "a list";
    case Value::Kind::table: return "a table";
    case Value::Kind::other: break;
  }
  return "a date or time";
}

std::string counted(std::initializer_list<std::size_t> counts) {
  std::string text;
  for (std::size_t count : counts) text += (text.empty() ? "" : " or ") + std::to_string(count);
  return text;
}

}  // namespace

Fields::Fields(const Value& table, Log& log, std::string owner) : table_(table), log_(log), owner_(std::move(owner)) {
  log_.use(&table);
  if (table.kind != Value::Kind::table) wrong_type(table, "this entry", "a table");
}

const Value* Fields::value(const char* key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.emplace_back(key);
  const Value* found = table_.find(key);
  if (found) log_.use(found);
  return found && found->kind != Value::Kind::null ? found : nullptr;
}

int Fields::line(const char* key) const {
  const Value* found = table_.find(key);
  return found ? found->line : table_.line;
}

std::optional<double> Fields::number(const char* key) {
  const Value* found = value(key);
  return found ? number(*found, key) : std::nullopt;
}

std::optional<double> Fields::number(const Value& found, const std::string& what) {
  if (found.kind != Value::Kind::number) {
    wrong_type(found, what, "a number");
    return std::nullopt;
  }
  const Number number = parse_number(found.text);
  if (!number.ok()) {
    error(number.code, found.line, what + ": " + quote(found.text) + " " + number.problem, "write a finite number");
    return std::nullopt;
  }
  return number.value;
}

std::optional<std::string> Fields::text(const char* key) {
  const Value* found = value(key);
  if (!found) return std::nullopt;
  if (found->kind != Value::Kind::text) {
    wrong_type(*found, key, "text in quotes");
    return std::nullopt;
  }
  return found->text;
}

std::optional<std::vector<double>> Fields::numbers(const char* key, std::initializer_list<std::size_t> counts) {
  const Value* found = value(key);
  return found ? numbers(*found, key, counts) : std::nullopt;
}

std::optional<std::vector<double>> Fields::numbers(const Value& found, const std::string& what,
                                                   std::initializer_list<std::size_t> counts) {
  if (found.kind != Value::Kind::list) {
    wrong_type(found, what, ("a list of " + counted(counts) + " numbers").c_str());
    return std::nullopt;
  }
  if (std::find(counts.begin(), counts.end(), found.items.size()) == counts.end()) {
    error("number-count", found.line,
          what + " has " + std::to_string(found.items.size()) + " entries instead of " + counted(counts),
          "write " + counted(counts) + " numbers");
    return std::nullopt;
  }
  std::vector<double> out;
  bool good = true;
  for (const Value& item : found.items) {
    const auto one = number(item, what);
    good = good && one.has_value();
    out.push_back(one.value_or(0));
  }
  if (!good) return std::nullopt;
  return out;
}

std::optional<Vector3> Fields::vector(const char* key) {
  const auto three = numbers(key, {3});
  if (!three) return std::nullopt;
  return Vector3((*three)[0], (*three)[1], (*three)[2]);
}

std::optional<Matrix3> Fields::matrix(const char* key) {
  const Value* rows = list(key);
  if (!rows) return std::nullopt;
  if (rows->items.size() != 3) {
    error("number-count", rows->line,
          std::string(key) + " has " + std::to_string(rows->items.size()) + " rows instead of 3",
          "write three rows of three numbers");
    return std::nullopt;
  }
  Matrix3 out;
  bool good = true;
  for (int i = 0; i < 3; ++i) {
    const auto row = numbers(rows->items[static_cast<std::size_t>(i)], std::string("a row of ") + key, {3});
    good = good && row.has_value();
    if (row) out.row(i) << (*row)[0], (*row)[1], (*row)[2];
  }
  if (!good) return std::nullopt;
  return out;
}

const Value* Fields::table(const char* key) {
  const Value* found = value(key);
  if (found && found->kind != Value::Kind::table) {
    wrong_type(*found, key, "a table");
    return nullptr;
  }
  return found;
}

const Value* Fields::list(const char* key) {
  const Value* found = value(key);
  if (found && found->kind != Value::Kind::list) {
    wrong_type(*found, key, "a list");
    return nullptr;
  }
  return found;
}

void Fields::finish(Severity when_not_near) {
  constexpr int enough = 20;  // a file full of something else needs no more
  int reported = 0;
  for (std::size_t i = 0; i < table_.keys.size() && reported < enough; ++i) {
    const std::string& key = table_.keys[i];
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    ++reported;
    const bool warn = when_not_near != Severity::error && !near_names(key, known_).empty();
    // Not "and is ignored": where a warning counts as an error, nothing goes on without it.
    log_.add(warn ? Severity::warning : when_not_near, "key-unknown", table_.items[i].line, owner_,
             "the key " + quote(key) + " means nothing here" + suggestion(key, known_), "correct or remove it");
  }
}

void Fields::error(const char* code, int line, std::string message, std::string remedy) {
  log_.error(code, line, owner_, std::move(message), std::move(remedy));
}

void Fields::wrong_type(const Value& found, const std::string& what, const char* wanted) {
  error("key-type", found.line, what + " is " + described(found) + " instead of " + wanted,
        std::string("write ") + wanted);
}

}  // namespace catena::read
