// JSON of the command line tool: keys in the order they are added, doubles with every digit they need.
#include "cli/json.hpp"

#include <fmt/format.h>

#include <cmath>

#include "catena/model/text.hpp"

namespace catena::cli {

namespace {

void append_text(std::string& to, std::string_view text) {
  to += '"';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto [length, code] = first_character(text.substr(i));
    if (length == 0) {
      to += "\\ufffd";
    } else if (code == '"' || code == '\\') {
      to += '\\', to += text[i];
    } else if (is_control(code) || changes_direction(code)) {
      to += fmt::format("\\u{:04x}", static_cast<unsigned>(code));
    } else {
      to += text.substr(i, length);
    }
    if (length > 1) i += length - 1;
  }
  to += '"';
}

// fmt's default is the shortest text that reads back as the same double: at most 17 significant digits.
void append_number(std::string& to, double value) {
  if (!std::isfinite(value)) throw NumericalError("a result is not a finite number", "");
  fmt::format_to(std::back_inserter(to), "{}", value);
}

template <class Row>
void append_array(std::string& to, const Row& row) {
  to += '[';
  for (Eigen::Index i = 0; i < row.size(); ++i) {
    if (i > 0) to += ", ";
    append_number(to, row(i));
  }
  to += ']';
}

}  // namespace

Json& Json::key(std::string_view name) {
  if (!body_.empty()) body_ += ", ";
  append_text(body_, name);
  body_ += ": ";
  return *this;
}
Json& Json::add(std::string_view name, double value) {
  key(name);
  append_number(body_, value);
  return *this;
}
Json& Json::add(std::string_view name, const Eigen::Ref<const Vector>& vector) {
  key(name);
  append_array(body_, vector);
  return *this;
}
Json& Json::add_matrix(std::string_view name, const Matrix& matrix) {
  key(name);
  body_ += '[';
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    if (r > 0) body_ += ", ";
    append_array(body_, matrix.row(r));
  }
  body_ += ']';
  return *this;
}
Json& Json::add(std::string_view name, const std::vector<std::string>& texts) {
  key(name);
  body_ += '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) body_ += ", ";
    append_text(body_, texts[i]);
  }
  body_ += ']';
  return *this;
}
Json& Json::add(std::string_view name, std::string_view text) {
  key(name);
  append_text(body_, text);
  return *this;
}
Json& Json::add_bool(std::string_view name, bool value) {
  key(name);
  body_ += value ? "true" : "false";
  return *this;
}
Json& Json::add_int(std::string_view name, long long value) {
  key(name);
  body_ += fmt::format("{}", value);
  return *this;
}
Json& Json::add(std::string_view name, const Json& object) {
  key(name);
  body_ += object.text();
  return *this;
}
Json& Json::add(std::string_view name, const std::vector<Json>& objects) {
  key(name);
  body_ += '[';
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (i > 0) body_ += ", ";
    body_ += objects[i].text();
  }
  body_ += ']';
  return *this;
}
Json& Json::add_null(std::string_view name) {
  key(name);
  body_ += "null";
  return *this;
}

}  // namespace catena::cli
