#include "cli/run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>

#include "catena/model/text.hpp"
#include "catena/write/toml.hpp"
#include "cli/output.hpp"

namespace catena::cli {
namespace {

volatile std::sig_atomic_t asked_to_stop = 0;

// Ctrl-C and a polite kill end the run after the current step; a second one ends the program.
class StopSignals {
 public:
  StopSignals() {
    asked_to_stop = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { asked_to_stop = 1; };
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(SIGINT, &action, &interrupt_);
    sigaction(SIGTERM, &action, &terminate_);
  }
  ~StopSignals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct sigaction interrupt_ {
  }, terminate_{};
};

using Clock = std::chrono::steady_clock;

// A bar for a person; for programs a line of JSON on stderr every two seconds.
class RunProgress {
 public:
  RunProgress(double from, double duration, bool quiet)
      : bar_("simulating", quiet ? 0 : 10000), from_(from), duration_(duration), last_(Clock::now()) {
    lines_ = !quiet && isatty(STDERR_FILENO) == 0;
  }
  void at(double time) {
    const double done = (time - from_) / (duration_ - from_);
    bar_.step(static_cast<long>(1e4 * done));
    if (!lines_ || Clock::now() - last_ < std::chrono::seconds(2)) return;
    last_ = Clock::now();
    const double elapsed = std::chrono::duration<double>(last_ - start_).count();
    fmt::print(stderr, "{{\"progress\":{:.4f},\"time\":{:.6g},\"seconds_left\":{:.1f}}}\n", done, time,
               done > 0 ? elapsed * (1 - done) / done : 0.0);
  }

 private:
  Progress bar_;
  double from_, duration_;
  bool lines_ = false;
  Clock::time_point last_, start_ = Clock::now();
};

bool exists(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0;
}

bool keeps_rows(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode);
}

void require_same(const RecordingHeader& recorded, const RecordingHeader& wanted, const std::string& path) {
  for (const char* key : {"hash", "settings", "scenario"}) {
    const std::string *a = recorded.note(key), *b = wanted.note(key);
    const std::string was = a ? *a : "", is = b ? *b : "";
    if (was == is) continue;
    throw DataError(fmt::format("{} was recorded with another {}: resume with what it was begun with, or record anew",
                                path, std::string(key) == "hash" ? "robot" : key));
  }
  bool same = recorded.columns.size() == wanted.columns.size();
  for (std::size_t i = 0; same && i < wanted.columns.size(); ++i)
    same = recorded.columns[i].name == wanted.columns[i].name;
  if (!same) throw DataError(fmt::format("{} has other columns than this run: record anew", path));
}

// A run that failed must not take the place of one that did not.
void tell_of_rows(Recorder& recorder, const std::string& path) {
  try {
    const std::string file = recorder.leave();
    if (file.empty() || file == path) return;
    fmt::print(stderr, "catena: warning: {} is as it was; the rows before the failure are in {}\n",
               catena::printable(path), catena::printable(file));
  } catch (const ModelError&) {  // the failure that ends the run is told, not this one
  }
}

}  // namespace

RecordingHeader header_of(const Scenario& scenario, const Simulation& simulation) {
  const SimulationOptions& o = scenario.options;
  static constexpr const char* velocities[] = {"v", "xi", "nu"};
  static constexpr const char* limits[] = {"ignore", "stop", "bounce"};
  std::string settings = is_fixed_step(o.method)
                             ? fmt::format("{}, step {} s", name_of(o.method), o.accuracy.step)
                             : fmt::format("{}, rtol {}, atol {}", name_of(o.method), o.accuracy.rtol, o.accuracy.atol);
  settings += fmt::format(", coordinates {}, limits {}, every {} s", velocities[static_cast<int>(o.velocities)],
                          limits[static_cast<int>(o.at_limit)], o.every);
  return {simulation.columns(),
          {{"catena", CATENA_VERSION},
           {"model", catena::printable(scenario.robot)},
           {"hash", fmt::format("{:016x}", scenario.model.hash())},
           {"settings", settings},
           {"initial_energy", fmt::format("{}", simulation.initial_energy())},
           {"scenario", scenario.text},
           {"robot", write::toml(scenario.model.description())}}};
}

Run run_scenario(const Scenario& scenario, const std::string& path, bool resume, bool quiet,
                 std::optional<write::Claim> claim) {
  Run run;
  run.kept = keeps_rows(path);
  run.resumable = run.kept && !(scenario.actuation.delay > 0);  // as Simulation::resume has it
  Simulation simulation(scenario.model, scenario.controller, scenario.options, scenario.actuation, scenario.wrenches);
  simulation.start(scenario.q, scenario.v);
  run.columns = simulation.columns();
  std::unique_ptr<Recorder> recorder;
  if (!path.empty() && resume && exists(path)) {
    Resumed old = resume_recording(path);
    require_same(old.header, header_of(scenario, simulation), path);
    recorder = std::move(old.recorder);
    if (old.rows > 0) {
      simulation.resume(old.last, simulation.initial_energy());
      run.resumed = simulation.time();
    }
  } else if (!path.empty()) {
    recorder = create_recording(claim ? std::move(*claim) : write::Claim(path), header_of(scenario, simulation));
  }

  const double duration = scenario.options.duration, first = simulation.time();
  double next_kept = first;
  Vector last;
  auto flushed = Clock::now();
  const auto start = flushed;
  const auto record = [&](ConstVector row) {
    if (recorder) {
      recorder->append(row);
      if (const auto now = Clock::now(); now - flushed > std::chrono::milliseconds(250))
        recorder->flush(), flushed = now;
    }
    last = row;
    if (row[0] >= next_kept - 1e-9 * duration) {
      run.rows.push_back(row);
      next_kept += (duration - first) / 10;
    }
  };
  try {
    const StopSignals signals;
    RunProgress progress(first, duration, quiet);
    run.outcome = simulation.run(record, [&](double time) {
      progress.at(time);
      return asked_to_stop == 0;
    });
  } catch (...) {
    if (recorder) tell_of_rows(*recorder, path);
    throw;
  }
  if (recorder) {
    run.file = path;
    run.outcome.finished ? recorder->finish() : void(run.file = recorder->leave());
  }
  run.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (last.size() > 0 && (run.rows.empty() || run.rows.back()[0] != last[0])) run.rows.push_back(last);
  return run;
}

}  // namespace catena::cli
