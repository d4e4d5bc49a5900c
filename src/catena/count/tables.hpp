// The papers' tables row by row beside our count of the same step, and from which n on an O(n) method wins.
#pragma once

#include "catena/count/count.hpp"

#pragma GCC visibility push(default)
namespace catena {

// A step of the paper: what it prints, corrected where the remark says so, and what our code takes for it.
struct TableRow {
  std::string row;      // as printed
  Polynomial mul, add;  // printed; mul with divisions
  Polynomial own_mul, own_add;
  std::string remark;
  bool printed = true;  // false: the paper has no such row
  bool sum = false;     // a sum of rows above
};
struct CountTable {
  std::string title;
  std::string counted;  // by which code, on which chains
  std::vector<TableRow> rows;
};

// fast takes fewer operations than slow from this n on; 0: never. mul with divisions and roots; where only sums are
// printed, all alone.
struct Crossover {
  std::string fast, slow, source;
  bool counted = false;  // by us; otherwise by the printed formulas
  int mul = 0, add = 0, all = 0;
  bool only_sum = false;
};

// All that needs no robot. Takes a good tenth of a second.
struct PaperCounts {
  std::vector<AlgorithmFormula> general, denavit_hartenberg, perpendicular;
  std::vector<CountTable> tables;
  std::vector<Crossover> crossovers;

  // Ours that belongs to a printed count, for its kind of chain.
  const AlgorithmFormula& formula_of(const PrintedCount& printed) const;
  // ours / printed, all operations but sines and cosines
  double ratio(const PrintedCount& printed, int n) const;
};
PaperCounts paper_counts();

}  // namespace catena
#pragma GCC visibility pop
