// Fields: a table read by key, with every mistake logged: wrong type, wrong size, bad number, unknown key.
#pragma once

#include <initializer_list>
#include <optional>

#include "catena/read/value.hpp"

namespace catena::read {

class Fields {
 public:
  // owner: the body or joint concerned, for messages. The table must outlive this.
  Fields(const Value& table, Log& log, std::string owner = {});

  // The value of a key; nullptr if absent or null. Marks the key as known.
  const Value* value(const char* key);

  std::optional<double> number(const char* key);
  std::optional<std::string> text(const char* key);
  std::optional<Vector3> vector(const char* key);
  std::optional<Matrix3> matrix(const char* key);  // three rows of three
  // As many numbers as one of the counts.
  std::optional<std::vector<double>> numbers(const char* key, std::initializer_list<std::size_t> counts);
  const Value* table(const char* key);
  const Value* list(const char* key);

  // A number of a list or table found otherwise; what: how to call it in messages.
  std::optional<double> number(const Value& value, const std::string& what);
  std::optional<std::vector<double>> numbers(const Value& value, const std::string& what,
                                             std::initializer_list<std::size_t> counts);

  bool has(const char* key) { return value(key) != nullptr; }

  // Reports the keys nobody asked for, with the nearest known ones: as told where there is no near one; otherwise an
  // error where that is what was told, and a warning where it was not.
  void finish(Severity when_not_near = Severity::warning);

  int line() const { return table_.line; }
  int line(const char* key) const;
  const std::string& owner() const { return owner_; }
  Log& log() { return log_; }

  // An error in this table.
  void error(const char* code, int line, std::string message, std::string remedy);

 private:
  void wrong_type(const Value& value, const std::string& what, const char* wanted);

  const Value& table_;
  Log& log_;
  std::string owner_;
  std::vector<std::string> known_;
};

}  // namespace catena::read
