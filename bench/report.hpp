// What a race says: tables on the screen, every number in a CSV file, a picture.
#pragma once

#include "bench/contest.hpp"

namespace catena::race {

// On the screen: processor, compilers and flags: one line each.
void print_loads(const std::vector<peers::Entry>& peers);
// Medians, or of each way its fastest round, which on a busy machine is what comes back from run to run.
void print_table(const Contest& contest, bool fastest = false);

std::string csv(const std::vector<Contest>& contests);
// Dots on a scale of logarithms, a panel for each robot; between the quartiles a line.
std::string picture(const std::vector<Contest>& contests);

// What grows from contest to contest, and by what time is divided.
struct Growth {
  std::string title, of, per;       // "Time per link of a chain", "links", "link"
  int Contest::*size;               // of each contest: its place on the axis
  bool divided = false;             // time by it
  std::vector<Function> functions;  // a panel each
};
void print_growth(const std::vector<Contest>& contests, const Growth& growth);
std::string growth_picture(const std::vector<Contest>& contests, const Growth& growth);

}  // namespace catena::race
