// The commands: one function each, one file each. They fill the Output and return the exit code; errors are thrown.
#pragma once

#include "cli/options.hpp"
#include "cli/output.hpp"

namespace catena::cli {

int run_info(const Options& options, Output& out);
int run_models(const Options& options, Output& out);
int run_doctor(const Options& options, Output& out);
int run_convert(const Options& options, Output& out);
int run_inverse(const Options& options, Output& out);
int run_forward(const Options& options, Output& out);
int run_matrices(const Options& options, Output& out);
int run_operators(const Options& options, Output& out);
int run_linearize(const Options& options, Output& out);
int run_diagonalize(const Options& options, Output& out);
int run_curvature(const Options& options, Output& out);
int run_count(const Options& options, Output& out);
int run_generate(const Options& options, Output& out);
int run_verify(const Options& options, Output& out);
int run_simulate(const Options& options, Output& out);
int run_plot(const Options& options, Output& out);
int run_view(const Options& options, Output& out);
int run_bench(const Options& options, Output& out);
int run_demo(const Options& options, Output& out);
int run_completion(const Options& options, Output& out);

}  // namespace catena::cli
