#include "catena/model/names.hpp"

#include <algorithm>
#include <cctype>

namespace catena {
namespace {

// Edit distance, ignoring case.
int distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same =
          std::tolower(static_cast<unsigned char>(a[i - 1])) == std::tolower(static_cast<unsigned char>(b[j - 1]));
      const int best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (same ? 0 : 1)});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row.back();
}

// "a" or "b"
std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < names.size(); ++k) text += (k ? " or \"" : "\"") + names[k] + "\"";
  return text;
}

}  // namespace

std::vector<std::string> near_names(const std::string& wanted, const std::vector<std::string>& names) {
  std::vector<std::pair<int, std::string>> ranked;
  if (wanted.size() > 200) return {};
  for (const std::string& name : names) {
    if (name.size() > 200) continue;
    const bool contains = wanted.size() > 2 && (name.find(wanted) != std::string::npos);
    const int d = contains ? 1 : distance(wanted, name);
    const int length = static_cast<int>(wanted.size());
    if (d <= 1 + length / 4 && d < length) ranked.emplace_back(d, name);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> near;
  for (std::size_t k = 0; k < std::min<std::size_t>(ranked.size(), 3); ++k) near.push_back(ranked[k].second);
  return near;
}

std::string did_you_mean(const std::string& wanted, const std::vector<std::string>& names) {
  const std::string near = alternatives(near_names(wanted, names));
  return near.empty() ? "" : " (did you mean " + near + "?)";
}

std::string suggestion(const std::string& wanted, const std::vector<std::string>& names) {
  if (const std::string near = alternatives(near_names(wanted, names)); !near.empty())
    return "; did you mean " + near + "?";
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(names.size(), 8); ++k) text += (k ? ", " : "") + names[k];
  if (names.size() > 8) text += ", ...";
  return text.empty() ? "" : "; there are: " + text;
}

}  // namespace catena
