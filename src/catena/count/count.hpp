// Operation counts: our own kernels run with the counting scalar, for one robot and as formulas in the number of
// joints.
// Source of the printed counts beside them: formula sheet section 6, with its corrections.
#pragma once

#include "catena/count/counting.hpp"
#include "catena/count/polynomial.hpp"
#include "catena/model/generate.hpp"
#include "catena/model/model.hpp"

#pragma GCC visibility push(default)
namespace catena {

struct AlgorithmCount {
  std::string name;   // "inverse", "forward_articulated", ...: keys of `catena count --json`
  std::string title;  // what it computes
  Operations operations;
  std::vector<SweepCount> sweeps;  // in the order they first run; their sum is operations
};

// Every algorithm this robot can run: articulated, linearized (5, 6, 6T), diagonalized ones and the complements need a
// robot without mimic joints; "linear_6" a chain of one-degree joints, "inverse_dh" one serial chain of revolute and
// prismatic joints, "kozlowski_…" such joints without armature. Joint terms and gravity as in the model, base at rest,
// no wrenches. fold: see Tally.
std::vector<AlgorithmCount> count_operations(const Model& model, bool fold = true);

// Revolute chains, inertias general: general placements; frames after Denavit and Hartenberg (modified), each turned
// about x alone, as the papers count; axes at right angles with links along x.
enum class CountedChain { general, denavit_hartenberg, perpendicular };
Description counted_chain(int joints, CountedChain shape);

struct Formula {
  std::string name;
  Polynomial mul, add, div, sqrt, trig;  // in n
  Polynomial total() const { return mul + add + div + sqrt + trig; }
  Polynomial operations() const { return mul + add + div + sqrt; }  // as the papers count: sines and cosines not
};
struct AlgorithmFormula : Formula {
  std::string title;
  int from = 0;                 // smallest n from which it holds
  std::vector<Formula> sweeps;  // they hold from n = 6 at least
};
// Fitted on n = 6..9, verified on n = 10, 11 and 14; throws NumericalError if an algorithm's count is no polynomial of
// degree 3 or less.
std::vector<AlgorithmFormula> count_formulas(CountedChain shape);

// A count printed in the papers, corrected where the formula sheet found it inconsistent.
struct PrintedCount {
  const char* algorithm;  // ours that does the same: AlgorithmFormula::name
  const char* task;       // "inverse dynamics", "forward dynamics", ...
  const char* method;     // as the paper names it
  const char* source;
  bool perpendicular;   // counted for parallel and perpendicular axes
  Polynomial mul, add;  // mul includes divisions; zero degree with value at n = 6 only if at_six_only
  Polynomial flops;     // where the paper gives only the sum
  bool at_six_only;
  const char* remark;

  bool only_sum() const { return mul.is_zero(); }
  Polynomial total() const { return only_sum() ? flops : mul + add; }
};
const std::vector<PrintedCount>& printed_counts();

}  // namespace catena
#pragma GCC visibility pop
