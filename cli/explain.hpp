// --explain of `catena diagonalize` and `catena inverse`: the terms split into what they are made of, in tables and
// words, or as the object "explain" of the JSON.
#pragma once

#include "catena/reference/explain.hpp"
#include "cli/json.hpp"
#include "cli/output.hpp"

namespace catena::cli {

// Throws DataError where the tables would be too large to read.
void require_explainable_size(const Model& model);

void print_explanation(Output& out, const Model& model, const DiagonalExplanation& e);
void print_explanation(Output& out, const Model& model, const TorqueExplanation& e, bool with_wrenches);
Json explanation_json(const DiagonalExplanation& e);
Json explanation_json(const TorqueExplanation& e);

}  // namespace catena::cli
