// Catena beside other libraries: time per call of what each of them can compute, on the same robots and states.
// How it is done and what it showed: docs/benchmarks.md.
#include <fmt/format.h>

#include <iostream>

#include "bench/report.hpp"
#include "catena/model/generate.hpp"
#include "catena/read/robot.hpp"
#include "catena/write/file.hpp"
#include "cli/output.hpp"

namespace {

using namespace catena;

constexpr const char* usage =
    R"(usage: race [ROBOT...] [--floating] [--csv FILE] [--plot FILE.svg] [--rounds N]
            [--states N] [--threads N] [--fastest]
       race --growth [...]
       race --batches [ROBOT] [...]

ROBOT: a file (.urdf, .toml) or a built-in robot; without any: arm7, quadruped, humanoid.
  --floating   puts a free joint under each robot
  --growth     chains of 10 to 100 000 links instead of robots: time per link
  --batches    Catena alone, 1 to 1 000 000 states of one robot (arm7): time per state; takes 2 GB of memory
  --csv FILE   every number
  --plot FILE  a picture (SVG)
  --rounds N   turns that each takes (15)
  --states N   random states (256)
  --fastest    of each its fastest round instead of the median: for a busy machine
  --threads N  batches on one thread and on N, too; give them states enough
)";

struct Arguments {
  std::vector<std::string> robots;
  bool floating = false, growth = false, batches = false, fastest = false, help = false;
  std::string csv, plot;
  int rounds = 15, states = 256, threads = 1;
};

Arguments parse(const std::vector<std::string>& words) {
  Arguments arguments;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto value = [&] {
      if (++i == words.size()) throw cli::UsageError(words[i - 1] + " wants a value");
      return words[i];
    };
    if (words[i] == "--floating")
      arguments.floating = true;
    else if (words[i] == "--growth")
      arguments.growth = true;
    else if (words[i] == "--batches")
      arguments.batches = true;
    else if (words[i] == "--help")
      arguments.help = true;
    else if (words[i] == "--csv")
      arguments.csv = value();
    else if (words[i] == "--plot")
      arguments.plot = value();
    else if (words[i] == "--rounds")
      arguments.rounds = std::max(1, std::atoi(value().c_str()));
    else if (words[i] == "--fastest")
      arguments.fastest = true;
    else if (words[i] == "--states")
      arguments.states = std::max(1, std::atoi(value().c_str()));
    else if (words[i] == "--threads")
      arguments.threads = std::max(1, std::atoi(value().c_str()));
    else if (words[i].starts_with("-"))
      throw cli::UsageError("unknown option " + words[i]);
    else
      arguments.robots.push_back(words[i]);
  }
  if (arguments.robots.empty()) arguments.robots = {"arm7", "quadruped", "humanoid"};
  return arguments;
}

std::vector<race::Contest> race_robots(const Arguments& arguments, const std::vector<peers::Entry>& peers) {
  std::vector<race::Contest> contests;
  for (const std::string& robot : arguments.robots) {
    const Model model = read::load(robot, {.floating = arguments.floating});
    race::Rules rules;
    rules.rounds = arguments.rounds, rules.states = arguments.states, rules.threads = arguments.threads;
    const std::string name = model.name() + (arguments.floating ? ", floating" : "");
    contests.push_back(race::hold(name, race::bare(model.description()), peers, rules));
    race::print_table(contests.back(), arguments.fastest);
  }
  return contests;
}

// The peers leave at 300 links: some of them take memory that grows with the third power.
std::vector<race::Contest> race_chains(const Arguments& arguments, const std::vector<peers::Entry>& peers) {
  std::vector<race::Contest> contests;
  for (const int n : {10, 30, 100, 300, 1000, 3000, 10'000, 30'000, 100'000}) {
    race::Rules rules;
    rules.functions = {Function::inverse, Function::forward};
    rules.states = std::max(8, 2000 / n);  // full lanes
    rules.rounds = arguments.rounds;
    rules.compiled = n <= 100;
    rules.returning = false;
    rules.tolerance = 1e-6;  // the mass matrix of a long chain is ill-conditioned
    contests.push_back(race::hold(fmt::format("chain of {}", n), race::bare(chain(n)),
                                  n <= 300 ? peers : std::vector<peers::Entry>{}, rules));
  }
  return contests;
}
const race::Growth chains = {"Time per link of a chain", "links", "link",
                             &race::Contest::nv,         true,    {Function::inverse, Function::forward}};

std::vector<race::Contest> race_batches(const Arguments& arguments) {
  const Model model = read::load(arguments.robots.front(), {.floating = arguments.floating});
  std::vector<race::Contest> contests;
  for (const int states : {1, 3, 10, 30, 100, 300, 1000, 3000, 10'000, 30'000, 100'000, 300'000, 1'000'000}) {
    race::Rules rules;
    rules.functions = {Function::inverse, Function::forward, Function::mass_matrix};
    rules.states = states;
    rules.returning = false;
    rules.rounds = states < 100'000 ? arguments.rounds : std::min(arguments.rounds, 5);
    contests.push_back(race::hold(model.name(), race::bare(model.description()), {}, rules));
  }
  return contests;
}
const race::Growth batches = {
    "Time per state of a batch", "states", "state",
    &race::Contest::states,      false,    {Function::inverse, Function::forward, Function::mass_matrix}};

}  // namespace

int main(int argc, char** argv) {
  try {
    const Arguments arguments = parse({argv + 1, argv + argc});
    if (arguments.help) return std::cout << usage, 0;
    const std::vector<peers::Entry> peers = arguments.batches ? std::vector<peers::Entry>{} : race::installed_peers();
    race::print_loads(peers);
    const race::Growth* const growth = arguments.growth ? &chains : arguments.batches ? &batches : nullptr;
    const std::vector<race::Contest> contests = arguments.growth    ? race_chains(arguments, peers)
                                                : arguments.batches ? race_batches(arguments)
                                                                    : race_robots(arguments, peers);
    if (growth != nullptr) race::print_growth(contests, *growth);
    if (!arguments.csv.empty()) write::replace_file(arguments.csv, race::csv(contests));
    if (!arguments.plot.empty())
      write::replace_file(arguments.plot,
                          growth != nullptr ? race::growth_picture(contests, *growth) : race::picture(contests));
  } catch (const cli::UsageError& error) {
    std::cerr << error.what() << "\n" << usage;
    return cli::usage_failure;
  } catch (const std::exception& error) {
    std::cerr << "race: " << error.what() << "\n";
    return cli::data_failure;
  }
}
