// catena verify: independent algorithms compared at random states, with the digits of agreement.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/joints/joints.hpp"
#include "catena/linear/linearize.hpp"
#include "cli/checks_backends.hpp"
#include "cli/commands.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

struct Verdict {
  double error = 0, bound = 0;
  std::uint64_t seed = 0;  // of the worst state
  bool ran = false, passed = true;
};

// The state that comes nearest to its bound, or exceeds it most, speaks for all.
void merge(Verdict& verdict, const Difference& outcome, std::uint64_t seed, const char* name) {
  if (!std::isfinite(outcome.error) || !std::isfinite(outcome.bound))
    throw NumericalError(fmt::format("check {} at seed {} is not a finite number", name, seed), "");
  verdict.passed &= outcome.error <= outcome.bound;
  if (!verdict.ran || outcome.error * verdict.bound > verdict.error * outcome.bound)
    verdict.error = outcome.error, verdict.bound = outcome.bound, verdict.seed = seed;
  verdict.ran = true;
}

// Programs of larger robots take minutes to make.
constexpr int backends_limit = 100;

// q' = v, as curvature needs it.
bool coordinates_add(const Model& model) {
  return std::all_of(model.coordinates().begin(), model.coordinates().end(),
                     [](const Coordinate& c) { return kernel::visit(c.type, [](auto joint) { return joint.adds; }); });
}

std::string digits(double error) {
  return error == 0 ? "all" : fmt::format("{:.1f}", std::max(0.0, -std::log10(error)));
}

}  // namespace

int run_verify(const Options& options, Output& out) {
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  if (model.nv() == 0) throw DataError(fmt::format("{} has no joint that moves: nothing to verify", model.name()));
  const Subject subject(model);
  const unsigned possible = (model.nv() <= dense_limit ? matrices : 0) | (subject.chain ? serial : 0) |
                            (model.has_couplings() ? 0 : uncoupled) |
                            (has_linear_method(model, LinearMethod::algorithm_6) ? chain_of_single_joints : 0) |
                            (model.nv() <= small_limit ? small : 0) |
                            (model.nv() <= adding_limit && coordinates_add(model) ? adding : 0);

  std::vector<Verdict> verdicts(checks().size());
  std::optional<BackendChecks> backends;
  if (model.nv() <= backends_limit) backends.emplace(model);
  double worst_condition = 1;
  {
    Progress progress("verify", options.states);
    for (int k = 0; k < options.states; ++k) {
      const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(k);
      Sample sample(subject, seed);
      worst_condition = std::max(worst_condition, sample.condition);
      for (std::size_t i = 0; i < checks().size(); ++i) {
        const Check& check = checks()[i];
        if (check.needs & ~possible) continue;
        try {
          merge(verdicts[i], check.run(sample), seed, check.name);
        } catch (const NumericalError& error) {  // whose check it was
          if (std::string(error.what()).starts_with("check ")) throw;
          throw NumericalError(fmt::format("check {} at seed {}: {}", check.name, seed, error.what()), error.body());
        }
      }
      if (backends) backends->run(sample, seed);
      progress.step(k + 1);
    }
  }

  bool passed = true;
  std::vector<Json> list;
  Table table({"", "check", ">digits", ">error", ">bound", "meaning"});
  const auto report = [&](const std::string& name, const auto& verdict, const std::string& meaning,
                          const std::string& where) {
    passed &= verdict.passed;
    list.push_back(Json()
                       .add("name", name)
                       .add("error", verdict.error)
                       .add("bound", verdict.bound)
                       .add_bool("passed", verdict.passed)
                       .add_int("seed", static_cast<long long>(verdict.seed)));
    table.row({verdict.passed ? "ok" : "FAIL", name, digits(verdict.error), rough(verdict.error), rough(verdict.bound),
               meaning + where},
              verdict.passed ? Tone::plain : Tone::bad);
  };
  std::string skipped;
  for (std::size_t i = 0; i < checks().size(); ++i) {
    const Check& check = checks()[i];
    const Verdict& verdict = verdicts[i];
    if (!verdict.ran) {
      skipped += (skipped.empty() ? "" : ", ") + std::string(check.name);
      continue;
    }
    const bool void_bound = verdict.bound >= 1;  // M is singular to working precision: no digit is left to check
    report(check.name, verdict, check.meaning,
           !verdict.passed ? fmt::format(" (seed {})", verdict.seed)
           : void_bound    ? " (a bound above 1 proves nothing)"
                           : "");
  }
  if (backends) {
    for (const BackendChecks::Verdict& verdict : backends->verdicts()) {
      const std::string functions = counted(static_cast<std::size_t>(verdict.functions), "function");
      report(verdict.name, verdict, functions + " by " + verdict.meaning,
             verdict.passed ? "" : fmt::format(" ({}, seed {})", function_name(verdict.worst), verdict.seed));
    }
  }
  const int code = passed ? success : numerical_failure;
  if (out.json()) {
    Json json;
    json.add_bool("passed", passed).add("checks", list).add_int("states", options.states);
    out.line(json.text());
    return code;
  }
  out.line(out.paint(Tone::title,
                     fmt::format("Verification of {} at {} (seed {})", printable(model.name()),
                                 counted(static_cast<std::size_t>(options.states), "random state"), options.seed)));
  table.print(out);
  out.line();
  out.explain(
      "error: worst over the states, relative to the forces or velocities at play. bound: ε = 2.2e-16 times the "
      "roundings along the "
      "longest path, 16 (n + 10); of accelerations also times the amplification by M⁻¹.");
  if (verdicts[0].ran)
    out.line(fmt::format("  largest condition number of M (joints scaled by the inertia they carry): {}",
                         number(worst_condition, 3)));
  if (!skipped.empty())
    out.explain(fmt::format("Left out, because this robot {}: {}.",
                            model.nv() > dense_limit ? fmt::format("has more than {} coordinates (n × n matrices), or "
                                                                   "mimic joints, or is no plain serial chain",
                                                                   dense_limit)
                                                     : fmt::format("has mimic joints, or is no plain serial chain of "
                                                                   "revolute and prismatic joints, or has more than {} "
                                                                   "coordinates (curvature: more than {}, or joints "
                                                                   "whose v is not dq/dt)",
                                                                   small_limit, adding_limit),
                            skipped));
  if (backends) {
    for (const BackendChecks::Plain& plain : backends->plain())
      out.explain(fmt::format("No machine code, the plain kernels run: {} ({}).", plain.functions, plain.why));
    if (!backends->without_c().empty()) out.explain(fmt::format("Generated C not checked: {}.", backends->without_c()));
  } else {
    out.explain(fmt::format("Backends left out: more than {} coordinates.", backends_limit));
  }
  out.line(passed ? out.paint(Tone::good, fmt::format("  passed: {}", counted(list.size(), "check")))
                  : out.paint(Tone::bad, "  FAILED: see the lines above"));
  return code;
}

}  // namespace catena::cli
