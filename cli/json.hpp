// Numbers for programs: a JSON object, written as it is filled. Strings are made valid UTF-8; a number that is NaN or
// infinite throws NumericalError, because JSON has no word for it and silence would be worse.
#pragma once

#include <string_view>

#include "catena/kinematics/configuration.hpp"

namespace catena::cli {

// An ordered JSON object, written as it is filled. Doubles are written so that they read back bit for bit.
class Json {
 public:
  Json& add(std::string_view key, double value);
  Json& add(std::string_view key, const Eigen::Ref<const Vector>& vector);
  Json& add_matrix(std::string_view key, const Matrix& matrix);
  Json& add(std::string_view key, const std::vector<std::string>& texts);
  Json& add(std::string_view key, std::string_view text);
  Json& add(std::string_view key, const char* text) { return add(key, std::string_view(text)); }
  Json& add_bool(std::string_view key, bool value);
  Json& add_int(std::string_view key, long long value);
  Json& add(std::string_view key, const Json& object);
  Json& add(std::string_view key, const std::vector<Json>& objects);
  Json& add_null(std::string_view key);

  std::string text() const { return "{" + body_ + "}"; }

 private:
  Json& key(std::string_view name);
  std::string body_;
};

}  // namespace catena::cli
