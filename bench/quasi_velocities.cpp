// The numbers of docs/studies/quasi_velocities.md: every one as a row of a CSV file.
#include "bench/quasi_velocities.hpp"

#include <fmt/format.h>

#include <iostream>

#include "catena/write/file.hpp"
#include "cli/backends.hpp"
#include "cli/output.hpp"

namespace {

using namespace catena;

constexpr const char* usage = "usage: quasi_velocities FILE.csv [--quick]\n";

class Rows {
 public:
  explicit Rows(std::string path) : path_(std::move(path)) {}
  void add(const std::string& robot, int nv, const std::string& motion, const char* velocities,
           const std::string& quantity, double setting, double value) {
    text_ += fmt::format("{},{},{},{},{},{:g},{:.6g}\n", robot, nv, motion, velocities, quantity, setting, value);
  }
  void write() const { write::replace_file(cli::claim_file(path_, true), text_); }

 private:
  std::string path_, text_ = "robot,nv,motion,velocities,quantity,setting,value\n";
};

// All backends of the three functions take turns; of each the fastest round.
void measure_times(const std::string& name, const Model& model, int rounds, Rows& rows) {
  const cli::States states(model, 256);
  std::vector<std::unique_ptr<CompiledFunction>> compiled;
  std::vector<cli::Backend> backends;
  std::vector<std::size_t> owner;
  for (std::size_t k = 0; k < 3; ++k) {
    compiled.push_back(std::make_unique<CompiledFunction>(model, study::functions[k]));
    std::vector<cli::LeftOut> left_out;
    for (cli::Backend& backend :
         cli::catena_backends(model, study::functions[k], states, compiled.back().get(), {}, &left_out)) {
      backends.push_back(std::move(backend));
      owner.push_back(k);
    }
    for (const cli::LeftOut& missing : left_out)
      std::cerr << fmt::format("{}: {} has no {}: {}\n", name, study::names[k], missing.backend, missing.why);
  }
  cli::take_turns(backends, states.count, rounds);
  for (std::size_t b = 0; b < backends.size(); ++b)
    rows.add(name, model.nv(), "", study::names[owner[b]], "ns " + backends[b].name, 0,
             cli::quantile(backends[b].ns, 0));
}

void measure_runs(const std::string& name, bool gravity, const std::vector<double>& tolerances, int starts,
                  Rows& rows) {
  const Model model = study::conservative(name, gravity);
  const std::string motion = gravity ? "gravity" : "free";
  std::vector<Vector> ends;
  for (int s = 1; s <= starts; ++s) ends.push_back(study::truth(model, static_cast<std::uint64_t>(s)));
  const auto add = [&](const std::string& prefix, double setting, Velocities velocities, const auto& run) {
    double steps = 0, rejected = 0, evaluations = 0, energy = 0, error = 0;
    for (int s = 1; s <= starts; ++s) {
      const study::Run one = run(static_cast<std::uint64_t>(s));
      steps += static_cast<double>(one.steps) / starts, rejected += static_cast<double>(one.rejected) / starts;
      evaluations += static_cast<double>(one.evaluations) / starts;
      energy += std::log10(std::max(1e-17, one.energy_error)) / starts;
      error +=
          std::log10(std::max(1e-17, (one.q - ends[static_cast<std::size_t>(s - 1)]).cwiseAbs().maxCoeff())) / starts;
    }
    const char* const key = study::names[study::place_of(velocities)];
    rows.add(name, model.nv(), motion, key, prefix + "steps", setting, steps);
    rows.add(name, model.nv(), motion, key, prefix + "rejected", setting, rejected);
    rows.add(name, model.nv(), motion, key, prefix + "evaluations", setting, evaluations);
    rows.add(name, model.nv(), motion, key, prefix + "energy error", setting, std::pow(10, energy));
    rows.add(name, model.nv(), motion, key, prefix + "error of q", setting, std::pow(10, error));
  };
  for (const Velocities velocities : study::all_velocities) {
    for (const double tolerance : tolerances)
      add("", tolerance, velocities,
          [&](std::uint64_t seed) { return study::run_to(model, velocities, seed, tolerance); });
    for (const double step : {4e-3, 1e-3})
      add("rk4 ", step, velocities,
          [&](std::uint64_t seed) { return study::run(model, velocities, seed, Method::rk4, {.step = step}); });
  }
}

void study_robot(const std::string& name, bool quick, Rows& rows) {
  const Model model = study::conservative(name, true);
  std::cerr << name << ": costs\n";
  const std::array<study::Cost, 3> costs = study::costs(model);
  const study::Errors errors = study::errors(model, quick ? 50 : 1000);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto add = [&](const char* quantity, double value) {
      rows.add(name, model.nv(), "", study::names[k], quantity, 0, value);
    };
    add("multiplications", static_cast<double>(costs[k].algorithm.mul + costs[k].algorithm.div));
    add("additions", static_cast<double>(costs[k].algorithm.add));
    add("square roots", static_cast<double>(costs[k].algorithm.sqrt));
    add("operations", static_cast<double>(costs[k].algorithm.total()));
    add("program operations", static_cast<double>(costs[k].program.total()));
    add("median error", errors.median(k));
    add("largest error", errors.largest(k));
  }
  std::cerr << name << ": times\n";
  measure_times(name, model, quick ? 5 : 101, rows);
  for (const bool gravity : {false, true}) {
    std::cerr << name << ": motions" << (gravity ? ", gravity" : "") << '\n';
    measure_runs(
        name, gravity,
        quick ? std::vector<double>{1e-6, 1e-8} : std::vector<double>{1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11},
        quick ? 2 : 10, rows);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool quick = words.size() == 2 && words[1] == "--quick";
  if (words.empty() || words.size() > 2 || (words.size() == 2 && !quick)) {
    std::cerr << usage;
    return 2;
  }
  try {
    Rows rows(words[0]);
    for (const char* robot : {"planar_3r", "stanford_arm", "puma560", "arm7", "chain:12", "chain:30"})
      study_robot(robot, quick, rows);
    rows.write();
  } catch (const std::exception& error) {
    std::cerr << "quasi_velocities: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
