// How near each way comes to what the processor can do: operations, time, and their quotient beside the measured peak.
// What limits each way, and what was measured: docs/roofline.md.
#include <fmt/format.h>

#include <cstring>
#include <iostream>
#include <memory>

#include "bench/contest.hpp"
#include "bench/peak.hpp"
#include "catena/count/count.hpp"
#include "catena/read/robot.hpp"
#include "catena/write/file.hpp"
#include "cli/backends.hpp"
#include "cli/output.hpp"
#include "cli/table.hpp"

namespace {

using namespace catena;

constexpr const char* usage = R"(usage: roofline [ROBOT] [--states N] [--rounds N] [--csv FILE]

ROBOT: a file (.urdf, .toml) or a built-in robot; without one: arm7. Joint terms are taken off.
  --states N   in a batch (256)
  --rounds N   turns that each backend takes (31)
  --csv FILE   every number
)";

// A sine and a cosine together take as many operations as this, polynomials and reduction of the angle.
constexpr long long operations_of_sincos = 45;

struct Line {
  Function function;
  const char* title;
  const char* algorithm;  // of the plain kernels: AlgorithmCount::name
};
constexpr Line lines[] = {
    {Function::inverse, "inverse", "inverse_reduced"},     {Function::mass_matrix, "M", "mass_matrix_reduced"},
    {Function::forward, "forward", "forward_reduced"},     {Function::coriolis_matrix, "C", "coriolis_matrix"},
    {Function::linearize_inverse, "∂inverse", "linear_2"}, {Function::linearize_forward, "∂forward", "linear_4"}};

long long flops(const Operations& o) { return o.mul + o.add + o.div + o.sqrt + o.trig / 2 * operations_of_sincos; }

struct Arguments {
  std::string robot = "arm7", csv;
  int states = 256, rounds = 31;
};

Arguments parse(const std::vector<std::string>& words) {
  Arguments out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (++i == words.size()) throw cli::UsageError(words[i - 1] + " wants a value");
      return words[i];
    };
    if (words[i] == "--states")
      out.states = std::max(1, std::atoi(value().c_str()));
    else if (words[i] == "--rounds")
      out.rounds = std::max(1, std::atoi(value().c_str()));
    else if (words[i] == "--csv")
      out.csv = value();
    else if (words[i].starts_with("-"))
      throw cli::UsageError("unknown option " + words[i]);
    else
      out.robot = words[i];
  }
  return out;
}

void run(const Arguments& arguments) {
  const Model model(race::bare(read::load(arguments.robot).description()));
  const cli::States states(model, arguments.states);
  const std::vector<AlgorithmCount> counts = count_operations(model, false);
  const race::Peak peak = race::measure_peak();

  cli::Output out{cli::Options{}};
  out.line(
      fmt::format("peak: {:.1f} GFLOP/s one number at a time, {:.1f} in vectors of {}; writing {:.1f} GB/s in "
                  "the second cache, {:.1f} in memory",
                  peak.scalar, peak.vector, peak.width, peak.near_writes, peak.far_writes));
  out.title(fmt::format("{}, nv = {}: per state", model.name(), model.nv()));
  cli::Table table({"", "", ">operations", ">ns", ">GFLOP/s", ">of peak", ">bytes", ">GB/s"});
  std::string csv = "function,way,operations,ns,gflops,peak_fraction,bytes,gb_per_s\n";
  for (const Line& line : lines) {
    const CompiledFunction compiled(model, line.function);
    std::vector<cli::Backend> backends = cli::catena_backends(model, line.function, states, &compiled);
    cli::take_turns(backends, states.count, arguments.rounds);
    const Signature blocks = signature(model, line.function);
    const ProgramBlock &in = blocks.inputs.back(), &result = blocks.outputs.back();
    const int bytes = 8 * (in.first + in.size() + result.first + result.size());
    for (const cli::Backend& backend : backends) {
      const bool program = backend.name == "compiled" || backend.name == "batch";
      long long operations = flops(compiled.program().operations());
      for (const AlgorithmCount& count : counts) {
        if (!program && count.name == line.algorithm) operations = flops(count.operations);
      }
      const bool vectors = backend.name == "batch" || backend.name == "lanes";
      const double ns = cli::quantile(backend.ns, 0.5), rate = static_cast<double>(operations) / ns;
      const double part = rate / (vectors ? peak.vector : peak.scalar), traffic = bytes / ns;
      const bool first = &backend == &backends.front();
      table.row({first ? line.title : "", backend.name, std::to_string(operations), fmt::format("{:.0f}", ns),
                 fmt::format("{:.1f}", rate), peak.scalar > 0 ? fmt::format("{:.0f} %", 100 * part) : "–",
                 std::to_string(bytes), fmt::format("{:.1f}", traffic)});
      csv += fmt::format("{},{},{},{:.1f},{:.2f},{:.3f},{},{:.2f}\n", function_name(line.function), backend.name,
                         operations, ns, rate, part, bytes, traffic);
    }
  }
  table.print(out);
  out.deliver();
  if (!arguments.csv.empty()) write::replace_file(arguments.csv, csv);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1 && std::strcmp(argv[1], "--help") == 0) return std::cout << usage, 0;
    run(parse({argv + 1, argv + argc}));
  } catch (const cli::UsageError& error) {
    std::cerr << error.what() << "\n" << usage;
    return cli::usage_failure;
  } catch (const std::exception& error) {
    std::cerr << "roofline: " << error.what() << "\n";
    return cli::data_failure;
  }
}
