// catena bench: time per call of this robot's functions, by the plain library, by machine code made for the robot, and on
// many states at once by the kernels in lanes and by that code. Results are compared before anything is timed; the ways
// take turns, so that a noisy machine disturbs all of them alike.
#include <fmt/format.h>

#include "catena/compile/plain.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/table.hpp"
#include "cli/ways.hpp"

namespace catena::cli {
namespace {

constexpr int states = 256;  // random ones, prepared outside the timed loops
constexpr int threaded_states = 4096;
constexpr int rounds = 15;

struct Row {
  Function function{};
  double plain = 0, returning = 0, lanes = 0, compiled = 0, batch = 0;  // ns; 0: there is none
  double one_thread = 0, two_threads = 0;                               // ns, of a larger batch
  double ratio = 0, ratio_low = 0, ratio_high = 0, batch_ratio = 0;
  double compile_ms = 0, difference = 0;
  long long operations = 0;
};

// Throws NumericalError where the compiled function and the plain one differ by more than rounding.
double compare(const Model& model, const CompiledFunction& compiled, const Matrix& in) {
  const Program& program = compiled.program();
  Vector out(program.output_count());
  double worst = 0;
  for (int b = 0; b < 8; ++b) {
    const Vector inputs = in.col(b).head(program.input_count());
    compiled({inputs.data(), static_cast<std::size_t>(inputs.size())},
             {out.data(), static_cast<std::size_t>(out.size())});
    const Vector plain = plain_values(model, program, inputs);
    for (const ProgramBlock& block : program.outputs) {
      const Vector want = plain.segment(block.first, block.size()), have = out.segment(block.first, block.size());
      const double size = want.cwiseAbs().maxCoeff();
      if (size > 0) worst = std::max(worst, (want - have).cwiseAbs().maxCoeff() / size);
    }
    if (!(worst <= rounding_bound(model, program, inputs)))
      throw NumericalError(fmt::format("{}: the compiled function differs from the plain one by {:.1e}",
                                       function_name(program.function), worst),
                           "");
  }
  return worst;
}

// Threads start with each call: they need more to do than the other ways.
void measure_threads(const Model& model, const std::vector<std::string>& outputs, long long numbers, Row& row) {
  constexpr long long most_bytes = 32'000'000;  // of results
  const auto count = static_cast<int>(std::clamp<long long>(most_bytes / (8 * numbers), states, threaded_states));
  const States in(model, count);
  std::vector<Way> ways = {threaded_way(model, row.function, in, 1, outputs),
                           threaded_way(model, row.function, in, 2, outputs)};
  take_turns(ways, count, rounds);
  row.one_thread = quantile(ways[0].ns, 0.5), row.two_threads = quantile(ways[1].ns, 0.5);
}

Row measure(const Model& model, Function function, const std::vector<std::string>& outputs) {
  Row row;
  row.function = function;
  const auto start = Clock::now();
  const CompiledFunction compiled(model, function, outputs);
  row.compile_ms = 1e3 * seconds_since(start);
  const Program& program = compiled.program();
  row.operations = program.operations().total();
  const States in(model, states);
  row.difference = compare(model, compiled, in.by_state);
  std::vector<Way> ways = catena_ways(model, function, in, &compiled, outputs);
  if (std::optional<Way> returning = returning_way(model, function, in)) ways.push_back(std::move(*returning));
  take_turns(ways, states, rounds);
  const auto times = [&](const char* name) -> const std::vector<double>* {
    for (const Way& way : ways)
      if (way.name == name) return &way.ns;
    return nullptr;
  };
  const auto median = [&](const char* name) { return times(name) ? quantile(*times(name), 0.5) : 0; };
  row.plain = median("plain"), row.returning = median("returning"), row.lanes = median("lanes");
  measure_threads(model, outputs, program.output_count(), row);
  if (!compiled.is_machine_code()) return row;
  row.compiled = median("compiled"), row.batch = median("batch");
  std::vector<double> ratios, batch_ratios;
  for (std::size_t k = 0; k < rounds; ++k) {
    ratios.push_back((*times("plain"))[k] / (*times("compiled"))[k]);
    batch_ratios.push_back((*times("plain"))[k] / (*times("batch"))[k]);
  }
  row.ratio = quantile(ratios, 0.5), row.ratio_low = quantile(ratios, 0), row.ratio_high = quantile(ratios, 1);
  row.batch_ratio = quantile(batch_ratios, 0.5);
  return row;
}

}  // namespace

int run_bench(const Options& options, Output& out) {
  const Model model = load_robot(options).model;
  if (model.nv() == 0) throw DataError(fmt::format("{} has no joint that moves", printable(model.name())));
  std::vector<Row> rows;
  const std::vector<Function> possible = functions(model);
  const std::vector<Function> common = {
      Function::inverse,           Function::mass_matrix,       Function::forward,  Function::mass_matrix_inverse,
      Function::linearize_inverse, Function::linearize_forward, Function::jacobian, Function::pose};
  for (const Function function : asked_functions(options, model, common)) {
    if (std::find(possible.begin(), possible.end(), function) == possible.end()) {
      if (options.functions.empty()) continue;
      throw DataError(fmt::format("{} of {} is not compiled", function_name(function), printable(model.name())));
    }
    std::vector<std::string> outputs = asked_outputs(options, model, function);
    if (outputs.empty() && of_frames(function)) outputs.push_back(model.frame_name(model.frame_count() - 1));
    rows.push_back(measure(model, function, outputs));
  }

  if (out.json()) {
    std::vector<Json> list;
    for (const Row& row : rows) {
      Json& json = list.emplace_back();
      json.add("function", function_name(row.function)).add("plain_ns", row.plain).add("lanes_ns", row.lanes);
      if (row.returning > 0) json.add("returning_ns", row.returning);
      if (row.compiled > 0) json.add("compiled_ns", row.compiled).add("batch_ns", row.batch).add("ratio", row.ratio);
      json.add("one_thread_ns", row.one_thread).add("two_threads_ns", row.two_threads);
      json.add("compile_ms", row.compile_ms).add_int("operations", row.operations).add("difference", row.difference);
    }
    out.line(Json().add("robot", model.name()).add_int("nv", model.nv()).add("functions", list).text());
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("{}: nanoseconds per state", printable(model.name()))));
  Table table({"function", ">plain", ">returning", ">lanes", ">compiled", ">batch", ">2 threads", ">plain/compiled",
               ">plain/batch", ">operations", ">compile [ms]"});
  for (const Row& row : rows) {
    const bool code = row.compiled > 0;
    table.row({function_name(row.function), fmt::format("{:.0f}", row.plain),
               row.returning > 0 ? fmt::format("{:.0f}", row.returning) : "–", fmt::format("{:.0f}", row.lanes),
               code ? fmt::format("{:.0f}", row.compiled) : "–", code ? fmt::format("{:.0f}", row.batch) : "–",
               fmt::format("{:.0f} ({:.1f})", row.two_threads, row.one_thread / row.two_threads),
               code ? fmt::format("{:.1f} ({:.1f}–{:.1f})", row.ratio, row.ratio_low, row.ratio_high) : "–",
               code ? fmt::format("{:.1f}", row.batch_ratio) : "–", fmt::format("{}", row.operations),
               fmt::format("{:.2f}", row.compile_ms)});
  }
  table.print(out);
  out.explain(fmt::format(
      "Plain: the library, any robot, with a workspace. Returning: its short form, which makes a workspace in every "
      "call. Lanes: its kernels on {0} states, several side by side. Compiled: machine code made for this robot, one "
      "state a call. Batch: that code on {0} states. 2 threads: a batch of {2} (fewer where results are large), in "
      "brackets how many times as fast as on one thread. Medians of {1} rounds in turns, in brackets the range of the "
      "ratio; results were compared first. –: too long to compile, or friction of velocities from sines, or no such "
      "form. Jacobian and pose: of the last frame, or those of --frames.",
      states, rounds, threaded_states));
  return success;
}

}  // namespace catena::cli
