// catena bench: time per call of this robot's functions, by the plain library, by machine code made for the robot, and on
// many states at once by the kernels in lanes and by that code. Results are compared before anything is timed; the backends
// take turns, so that a noisy machine disturbs all of them alike.
#include <fmt/format.h>

#include "catena/compile/plain.hpp"
#include "cli/backends.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/table.hpp"

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
  bool traced = false;  // there is a program, whose operations these are
  long long operations = 0;
  std::vector<LeftOut> left_out;
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

// Threads have to be woken: they need more to do than the other backends.
void measure_threads(const Model& model, const std::vector<std::string>& outputs, Row& row) {
  constexpr long long most_bytes = 32'000'000;  // of results
  const ProgramBlock last = signature(model, row.function, outputs).outputs.back();
  const long long numbers = last.first + last.size();
  const auto count = static_cast<int>(std::clamp<long long>(most_bytes / (8 * numbers), states, threaded_states));
  const States in(model, count);
  std::vector<Backend> backends = {threaded_backend(model, row.function, in, 1, outputs),
                                   threaded_backend(model, row.function, in, 2, outputs)};
  take_turns(backends, count, rounds);
  row.one_thread = quantile(backends[0].ns, 0.5), row.two_threads = quantile(backends[1].ns, 0.5);
}

Row measure(const Model& model, Function function, const std::vector<std::string>& outputs) {
  Row row;
  row.function = function;
  const auto start = Clock::now();
  const std::unique_ptr<CompiledFunction> compiled = compile_or_leave_out(model, function, outputs, row.left_out);
  row.compile_ms = 1e3 * seconds_since(start);
  const States in(model, states);
  if (compiled) {
    row.traced = true;
    row.operations = compiled->program().operations().total();
    row.difference = compare(model, *compiled, in.by_state);
  }
  std::vector<Backend> backends = catena_backends(model, function, in, compiled.get(), outputs, &row.left_out);
  if (std::optional<Backend> returning = returning_backend(model, function, in))
    backends.push_back(std::move(*returning));
  take_turns(backends, states, rounds);
  const Backend& plain = backends.front();
  const auto ratios = [&](const Backend& backend) {
    std::vector<double> out;
    for (std::size_t k = 0; k < rounds; ++k) out.push_back(plain.ns[k] / backend.ns[k]);
    return out;
  };
  for (const Backend& backend : backends) {
    const double median = quantile(backend.ns, 0.5);
    if (backend.name == "plain") row.plain = median;
    if (backend.name == "returning") row.returning = median;
    if (backend.name == "lanes") row.lanes = median;
    if (backend.name == "compiled" && compiled->is_machine_code()) {
      row.compiled = median;
      const std::vector<double> r = ratios(backend);
      row.ratio = quantile(r, 0.5), row.ratio_low = quantile(r, 0), row.ratio_high = quantile(r, 1);
    }
    if (backend.name == "batch") row.batch = median, row.batch_ratio = quantile(ratios(backend), 0.5);
  }
  measure_threads(model, outputs, row);
  return row;
}

Json json_of(const Row& row) {
  Json json;
  json.add("function", function_name(row.function)).add("plain_ns", row.plain);
  if (row.lanes > 0) json.add("lanes_ns", row.lanes);
  if (row.returning > 0) json.add("returning_ns", row.returning);
  if (row.compiled > 0) json.add("compiled_ns", row.compiled);
  if (row.batch > 0) json.add("batch_ns", row.batch);
  if (row.compiled > 0) json.add("ratio", row.ratio);
  json.add("one_thread_ns", row.one_thread).add("two_threads_ns", row.two_threads);
  json.add("compile_ms", row.compile_ms);
  if (row.traced) json.add_int("operations", row.operations).add("difference", row.difference);
  if (row.left_out.empty()) return json;
  Json reasons;
  for (const LeftOut& left : row.left_out) reasons.add(left.backend, left.why);
  return json.add("left_out", reasons);
}

// Why a dash stands in the table: each reason once, with the functions and backends it holds for.
void print_left_out(Output& out, const std::vector<Row>& rows) {
  std::vector<std::pair<std::string, std::string>> reasons;  // why, who
  for (const Row& row : rows) {
    std::vector<std::pair<std::string, std::string>> of_row;  // why, backends
    const auto append = [](auto& list, const std::string& why, const std::string& who) {
      for (auto& [known, all] : list)
        if (known == why) return void(all += ", " + who);
      list.emplace_back(why, who);
    };
    for (const LeftOut& left : row.left_out) append(of_row, left.why, left.backend);
    for (const auto& [why, backends] : of_row)
      append(reasons, why, fmt::format("{} ({})", function_name(row.function), backends));
  }
  for (const auto& [why, who] : reasons) out.explain(printable(fmt::format("– {}: {}", who, why)));
}

}  // namespace

int run_bench(const Options& options, Output& out) {
  const Model model = load_robot(options).model;
  if (model.nv() == 0) throw DataError(fmt::format("{} has no joint that moves", printable(model.name())));
  std::vector<Row> rows;
  const std::vector<Function> common = {
      Function::inverse,           Function::mass_matrix,       Function::forward,  Function::mass_matrix_inverse,
      Function::linearize_inverse, Function::linearize_forward, Function::jacobian, Function::pose};
  for (const Function function : asked_functions(options, model, common)) {
    std::vector<std::string> outputs = asked_outputs(options, model, function);
    if (outputs.empty() && of_frames(function)) outputs.push_back(model.frame_name(model.tip_frame()));
    rows.push_back(measure(model, function, outputs));
  }

  if (out.json()) {
    std::vector<Json> list;
    for (const Row& row : rows) list.push_back(json_of(row));
    out.line(Json().add("robot", model.name()).add_int("nv", model.nv()).add("functions", list).text());
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("{}: nanoseconds per state", printable(model.name()))));
  Table table({"function", ">plain", ">returning", ">lanes", ">compiled", ">batch", ">2 threads", ">plain/compiled",
               ">plain/batch", ">operations", ">compile [ms]"});
  const auto time = [](double ns) { return ns > 0 ? fmt::format("{:.0f}", ns) : "–"; };
  for (const Row& row : rows) {
    table.row({function_name(row.function), time(row.plain), time(row.returning), time(row.lanes), time(row.compiled),
               time(row.batch), fmt::format("{:.0f} ({:.1f})", row.two_threads, row.one_thread / row.two_threads),
               row.compiled > 0 ? fmt::format("{:.1f} ({:.1f}–{:.1f})", row.ratio, row.ratio_low, row.ratio_high) : "–",
               row.batch > 0 ? fmt::format("{:.1f}", row.batch_ratio) : "–",
               row.traced ? fmt::format("{}", row.operations) : "–", fmt::format("{:.2f}", row.compile_ms)});
  }
  table.print(out);
  print_left_out(out, rows);
  const std::string frames = options.frames.empty() ? fmt::format("{}, the tip of the robot (--frames names others)",
                                                                  model.frame_name(model.tip_frame()))
                                                    : "those of --frames";
  out.explain(printable(fmt::format(
      "Plain: the library, any robot, with a workspace. Returning: its short form, with a workspace that the model "
      "lends (–: there is none). Lanes: its kernels on {0} states, several side by side. Compiled: machine code made "
      "for "
      "this robot, one state a call. Batch: that code on {0} states. 2 threads: a batch of {2} (fewer where results "
      "are "
      "large), in brackets how many times as fast as on one thread. Medians of {1} rounds in turns, in brackets the "
      "range "
      "of the ratio; results were compared first. Jacobian and pose: of {3}.",
      states, rounds, threaded_states, frames)));
  return success;
}

}  // namespace catena::cli
