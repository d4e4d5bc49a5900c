// The pictures of `catena diagonalize --plot` and `catena linearize --plot`.
#pragma once

#include "catena/reference/explain.hpp"
#include "cli/drawing.hpp"
#include "cli/number_tables.hpp"

namespace catena::cli {

// The tables of Kozlowski's (48), normalized and not, and below them the row of one component taken apart as his Fig. 1
// lays it out: columns are the joints i, rows the links m of the sum. nu, xi: what the columns are multiplied with.
struct CoefficientTables {
  int component = 0;
  CoefficientRow row;
  Vector nu, xi;
};
TableFigure coefficient_figure(const Model& model, const DiagonalExplanation& e, const CoefficientTables& tables);

// Forces over one component of q, and of v, as they are and as the linearization has them; accelerations likewise.
struct Tangents {
  int component = 0;
  Vector q, v, a, tau;
  Matrix dtau_dq, dtau_dv, da_dq, da_dv;
};
Figure tangent_figure(const Model& model, const Tangents& at, const ExternalLoads& loads);

// Throws UsageError with near names. option: whose value it is.
int component_named(const Model& model, const std::string& option, const std::string& name);

}  // namespace catena::cli
