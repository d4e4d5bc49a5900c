// Helps the user who mistyped a name.
#pragma once

#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace catena {

// The names nearest to a wanted one, best first; only those a typing slip could explain.
std::vector<std::string> near_names(const std::string& wanted, const std::vector<std::string>& names);

// " (did you mean "a" or "b"?)", or nothing where no name is near.
std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& names);

// "; did you mean "a" or "b"?" or "; there are: a, b, ...", ready to be appended to a message.
std::string suggestion(const std::string& wanted, const std::vector<std::string>& names);

}  // namespace catena
#pragma GCC visibility pop
