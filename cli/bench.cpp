// catena bench: time per call of this robot's functions, by the plain library, by machine code made for the robot, and by
// that code on many states at once. Results are compared before anything is timed; the ways take turns, so that a noisy
// machine disturbs all of them alike.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "catena/compile/machine_code.hpp"
#include "catena/compile/plain.hpp"
#include "catena/dynamics/forward.hpp"
#include "catena/dynamics/inverse.hpp"
#include "catena/dynamics/mass_matrix.hpp"
#include "catena/linear/linearize.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int states = 256;  // random ones, prepared outside the timed loops
constexpr int rounds = 15;
constexpr double turn = 2e-3;  // s that each way works in a round

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// A way to compute: one call works through all states.
struct Way {
  std::function<void()> work;
  int repeat = 1;
  std::vector<double> ns;  // per state, a number for each round

  void calibrate() {
    work();  // warm
    const auto start = Clock::now();
    work();
    repeat = std::max(1, static_cast<int>(turn / std::max(1e-9, seconds_since(start))));
  }
  void time() {
    const auto start = Clock::now();
    for (int k = 0; k < repeat; ++k) work();
    ns.push_back(1e9 * seconds_since(start) / repeat / states);
  }
  double median() const {
    std::vector<double> sorted = ns;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

struct Row {
  Function function{};
  double plain = 0, compiled = 0, batch = 0;  // ns; 0: there is none
  double ratio = 0, ratio_low = 0, ratio_high = 0, batch_ratio = 0;
  double compile_ms = 0, difference = 0;
  long long operations = 0;
};

// The states, one after the other and side by side.
struct States {
  Matrix by_state;  // a column each
  std::vector<double> by_number;
};

States draw(const Model& model, const Program& program) {
  States out{Matrix(program.input_count(), states), {}};
  for (int b = 0; b < states; ++b)
    out.by_state.col(b) = random_inputs(model, program, static_cast<std::uint64_t>(b) + 1);
  out.by_number.resize(static_cast<std::size_t>(out.by_state.size()));
  for (Eigen::Index i = 0; i < out.by_state.rows(); ++i)
    for (int b = 0; b < states; ++b) out.by_number[static_cast<std::size_t>(i * states + b)] = out.by_state(i, b);
  return out;
}

// The plain library as its users call it in a loop: with a workspace, results in place.
std::function<void()> plain_way(const Model& model, Function function, const Matrix& in) {
  struct Place {
    Workspace workspace;
    LinearWorkspace linear;
    Vector x;
    Matrix A, B, C;
  };
  const int nq = model.nq(), nv = model.nv();
  const auto place = std::make_shared<Place>(
      Place{Workspace(model), LinearWorkspace(model), Vector(nv), Matrix(nv, nv), Matrix(nv, nv), Matrix(nv, nv)});
  const auto each = [&in, nq, nv](auto call) {
    return [&in, nq, nv, call] {
      for (int b = 0; b < states; ++b) call(in.col(b).head(nq), in.col(b).segment(nq, nv), in.col(b).tail(nv));
    };
  };
  const auto alone = [&in](auto call) {
    return [&in, call] {
      for (int b = 0; b < states; ++b) call(in.col(b));
    };
  };
  switch (function) {
    case Function::inverse:
      return each([&model, place](ConstVector q, ConstVector v, ConstVector a) {
        inverse_dynamics(model, place->workspace, q, v, a, place->x);
      });
    case Function::forward:
      return each([&model, place](ConstVector q, ConstVector v, ConstVector tau) {
        forward_dynamics(model, place->workspace, q, v, tau, place->x);
      });
    case Function::mass_matrix:
      return alone([&model, place](ConstVector q) { mass_matrix(model, place->workspace, q, place->A); });
    case Function::mass_matrix_inverse:
      return alone([&model, place](ConstVector q) { mass_matrix_inverse(model, place->workspace, q, place->A); });
    case Function::linearize_inverse:
      return each([&model, place](ConstVector q, ConstVector v, ConstVector a) {
        linearize_inverse(model, place->linear, q, v, a, place->A, place->B, place->C);
      });
    default:
      return each([&model, place](ConstVector q, ConstVector v, ConstVector tau) {
        linearize_forward(model, place->linear, q, v, tau, place->x, place->A, place->B, place->C);
      });
  }
}

// Throws NumericalError where the compiled function and the plain one differ by more than rounding.
double compare(const Model& model, const CompiledFunction& compiled, const Matrix& in) {
  const Program& program = compiled.program();
  Vector out(program.output_count());
  double worst = 0;
  for (int b = 0; b < 8; ++b) {
    const Vector inputs = in.col(b);
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

Row measure(const Model& model, Function function) {
  Row row;
  row.function = function;
  const auto start = Clock::now();
  const CompiledFunction compiled(model, function);
  row.compile_ms = 1e3 * seconds_since(start);
  const Program& program = compiled.program();
  row.operations = program.operations().total();
  const States in = draw(model, program);
  row.difference = compare(model, compiled, in.by_state);
  std::vector<double> out(static_cast<std::size_t>(program.output_count()) * states);

  std::vector<Way> ways(1);
  ways[0].work = plain_way(model, function, in.by_state);
  if (compiled.is_machine_code()) {
    const auto inputs = static_cast<std::size_t>(program.input_count());
    const auto outputs = static_cast<std::size_t>(program.output_count());
    ways.emplace_back().work = [&, inputs, outputs] {
      for (int b = 0; b < states; ++b) compiled({in.by_state.col(b).data(), inputs}, {out.data(), outputs});
    };
    ways.emplace_back().work = [&] { compiled.batch(in.by_number, out, states); };
  }
  for (Way& way : ways) way.calibrate();
  for (int k = 0; k < rounds; ++k)
    for (Way& way : ways) way.time();
  row.plain = ways[0].median();
  if (ways.size() == 1) return row;
  row.compiled = ways[1].median();
  row.batch = ways[2].median();
  std::vector<double> ratios, batch_ratios;
  for (std::size_t k = 0; k < rounds; ++k) {
    ratios.push_back(ways[0].ns[k] / ways[1].ns[k]);
    batch_ratios.push_back(ways[0].ns[k] / ways[2].ns[k]);
  }
  std::sort(ratios.begin(), ratios.end());
  std::sort(batch_ratios.begin(), batch_ratios.end());
  row.ratio = ratios[rounds / 2], row.ratio_low = ratios.front(), row.ratio_high = ratios.back();
  row.batch_ratio = batch_ratios[rounds / 2];
  return row;
}

}  // namespace

int run_bench(const Options& options, Output& out) {
  const Model model = load_robot(options).model;
  if (model.nv() == 0) throw DataError(fmt::format("{} has no joint that moves", printable(model.name())));
  std::vector<Row> rows;
  const std::vector<Function> possible = functions(model);
  for (const Function function :
       {Function::inverse, Function::mass_matrix, Function::forward, Function::mass_matrix_inverse,
        Function::linearize_inverse, Function::linearize_forward})
    if (std::find(possible.begin(), possible.end(), function) != possible.end())
      rows.push_back(measure(model, function));

  if (out.json()) {
    std::vector<Json> list;
    for (const Row& row : rows) {
      Json& json = list.emplace_back();
      json.add("function", function_name(row.function)).add("plain_ns", row.plain);
      if (row.compiled > 0) json.add("compiled_ns", row.compiled).add("batch_ns", row.batch).add("ratio", row.ratio);
      json.add("compile_ms", row.compile_ms).add_int("operations", row.operations).add("difference", row.difference);
    }
    out.line(Json().add("robot", model.name()).add_int("nv", model.nv()).add("functions", list).text());
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("{}: nanoseconds per state, one core", printable(model.name()))));
  Table table(
      {"function", ">plain", ">compiled", ">batch", ">plain/compiled", ">plain/batch", ">operations", ">compile [ms]"});
  for (const Row& row : rows) {
    const bool code = row.compiled > 0;
    table.row({function_name(row.function), fmt::format("{:.0f}", row.plain),
               code ? fmt::format("{:.0f}", row.compiled) : "–", code ? fmt::format("{:.0f}", row.batch) : "–",
               code ? fmt::format("{:.1f} ({:.1f}–{:.1f})", row.ratio, row.ratio_low, row.ratio_high) : "–",
               code ? fmt::format("{:.1f}", row.batch_ratio) : "–", fmt::format("{}", row.operations),
               fmt::format("{:.2f}", row.compile_ms)});
  }
  table.print(out);
  out.explain(fmt::format(
      "Plain: the library, any robot. Compiled: machine code made for this robot, one state a call. Batch: the "
      "same code on {} states at once. Medians of {} rounds in turns, in brackets the range of the ratio; "
      "results were compared first. –: too long to compile.",
      states, rounds));
  return success;
}

}  // namespace catena::cli
