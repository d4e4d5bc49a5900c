// What a race says: tables on the screen, every number in a CSV file, a picture.
#pragma once

#include "bench/contest.hpp"

namespace catena::race {

// On the screen: processor, compilers and flags: one line each.
void print_conditions(const std::vector<peers::Entry>& peers);
void print_table(const Contest& contest);

std::string csv(const std::vector<Contest>& contests);
// Dots on a scale of logarithms, a panel for each robot; between the quartiles a line.
std::string picture(const std::vector<Contest>& contests);

// Chains that grow: a contest for each length, time per link.
void print_growth(const std::vector<Contest>& contests);
std::string growth_picture(const std::vector<Contest>& contests);

}  // namespace catena::race
