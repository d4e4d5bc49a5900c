// From argv to Options, with CLI11. Each command gets a parser of its own, built only when it is called for: start-up
// stays short and an error always names the command it belongs to.
#include "cli/arguments.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "catena/compile/program.hpp"
#include "catena/model/names.hpp"
#include "catena/read/number.hpp"

namespace catena::cli {
namespace {

// CLI11 would take -1 for 18446744073709551615.
std::string whole_number(const std::string& text) {
  const bool digits = !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
  return digits ? "" : fmt::format("'{}' is not a whole number from 0 upwards", text);
}

// CLI11 would take nan, inf and 0x10 for numbers. Nothing here is longer than a century, in seconds.
std::string positive_number(const std::string& text) {
  constexpr double most = 4e9;
  const read::Number number = read::parse_number(text);
  if (!number.ok()) return fmt::format("'{}' {}; write a positive number", text, number.problem);
  if (!(number.value > 0)) return fmt::format("must be a positive number, not {}", text);
  return number.value <= most ? "" : fmt::format("'{}' is too large: at most {:g}", text, most);
}

constexpr const char* list_help = "comma or space list; 30deg for degrees; or by name: elbow=0.3,wrist=90deg";

void add_robot(CLI::App& app, Options& o) {
  app.add_option("MODEL", o.model, "robot file (.urdf, .toml, .json) or built-in name (see `catena models`)")
      ->required()
      ->type_name("");
}

void add_physics(CLI::App& app, Options& o) {
  app.add_flag("--floating", o.floating, "put a free joint under the root link; it comes first in q and v")
      ->group("Robot");
  app.add_option("--gravity", o.gravity, "gravity vector in world axes, m/s²: 0,0,-9.81")
      ->type_name("X,Y,Z")
      ->group("Robot");
  app.add_flag("--no-friction", o.no_friction, "leave Coulomb friction out")->group("Robot");
  app.add_flag("--no-damping", o.no_damping, "leave viscous damping out")->group("Robot");
  app.add_flag("--no-joint-terms", o.no_joint_terms, "leave damping, friction, springs and rotor inertia out")
      ->group("Robot");
  app.add_flag("--strict", o.strict, "warnings of the doctor are errors")->group("Robot");
}

void add_positions(CLI::App& app, Options& o) {
  app.add_option("--q", o.q, std::string("positions, rad or m: ") + list_help)->type_name("LIST")->group("State");
  app.add_option("--state", o.state_file, "state by joint name from a JSON, TOML or CSV file")
      ->type_name("FILE")
      ->group("State");
  app.add_option("--random", o.random, "random state within the limits; the same seed gives the same state")
      ->type_name("SEED")
      ->check(whole_number)
      ->group("State");
}
void add_velocities(CLI::App& app, Options& o) {
  app.add_option("--v", o.v, "velocities, rad/s or m/s (default: zero)")->type_name("LIST")->group("State");
}

void add_loads(CLI::App& app, Options& o) {
  app.add_option("--wrench", o.wrenches,
                 "external force and moment on a frame, N and N m, in its own axes (@body, default) or the world's "
                 "(@aligned); repeatable")
      ->type_name("FRAME:FX,FY,FZ[,MX,MY,MZ][@aligned]")
      ->expected(1)
      ->take_all()
      ->group("State");
  app.add_option("--base-twist", o.base_twist, "motion of the ground: angular then linear velocity")
      ->type_name("WX,WY,WZ,VX,VY,VZ")
      ->group("State");
  app.add_option("--base-acceleration", o.base_acceleration, "angular then linear acceleration of the ground")
      ->type_name("6 NUMBERS")
      ->group("State");
}

void add_output(CLI::App& app, Options& o) {
  app.add_flag("--json", o.json, "JSON for programs, every digit")->group("Output");
  app.add_option("--output,-o", o.output, "write to a file instead of the screen")->type_name("FILE")->group("Output");
  app.add_flag("--force", o.force, "replace an existing file")->group("Output");
}

void add_simulation(CLI::App& app, Options& o) {
  app.add_option("MODEL", o.model, "scenario (.toml with duration), robot file or built-in robot")
      ->required()
      ->type_name("");
  app.add_option("--duration", o.duration, "simulated time, s")
      ->type_name("S")
      ->check(positive_number)
      ->group("Simulation");
  app.add_option("--every", o.every, "time between recorded rows, s")
      ->type_name("S")
      ->check(positive_number)
      ->group("Simulation");
  app.add_option("--payload", o.payloads, "a body held by a frame: FRAME:MASS[,CX,CY,CZ[,IXX,IYY,IZZ[,IXY,IXZ,IYZ]]]")
      ->type_name("FRAME:…")
      ->expected(1)
      ->take_all()
      ->group("Simulation");
  app.add_option("--tau", o.tau, "constant joint forces, N m or N (default: zero)")
      ->type_name("LIST")
      ->group("Simulation");
  app.add_option("--integrator", o.integrator,
                 "dopri5 (default), fehlberg78, cash_karp, adams, bdf, verner65; fixed step: rk4, euler")
      ->type_name("NAME")
      ->group("Simulation");
  app.add_option("--step", o.integration_step, "step of rk4 and euler, s")
      ->type_name("S")
      ->check(positive_number)
      ->group("Simulation");
  app.add_option("--rtol", o.rtol, "relative tolerance of the adaptive integrators")
      ->type_name("TOL")
      ->check(positive_number)
      ->group("Simulation");
  app.add_option("--coordinates", o.coordinates, "integrate velocities (or v, default), xi or nu")
      ->type_name("NAME")
      ->group("Simulation");
  app.add_option("--limits", o.at_limits, "at a joint limit: ignore (default), stop, or bounce")
      ->type_name("NAME")
      ->group("Simulation");
  app.add_option("--record", o.record, "record these too: a, nu, xi")
      ->type_name("NAMES")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->group("Output");
  app.add_option("--sensitivity", o.sensitivity,
                 "how the end changes with: initial, tau, inertia, damping, gravity, FRAME.payload, … "
                 "(docs/sensitivities.md)")
      ->type_name("NAMES")
      ->delimiter(',')
      ->expected(1)
      ->take_all()
      ->group("Output");
  app.add_option("--sensitivity-file", o.sensitivity_file, "the same at every row of the run, into a file (.csv, .h5)")
      ->type_name("FILE")
      ->group("Output");
  app.add_flag("--resume", o.resume, "go on with the file that a stopped run left")->group("Output");
}

void add_sampling(CLI::App& app, Options& o) {
  app.add_option("--states", o.states, "random states to compare at")
      ->type_name("N")
      ->check(whole_number)
      ->capture_default_str();
  app.add_option("--seed", o.seed, "seed of the first random state")
      ->type_name("SEED")
      ->check(whole_number)
      ->capture_default_str();
}

void add_functions(CLI::App& app, Options& o, const char* default_functions, const char* default_frames) {
  std::string names;
  for (const Function function : functions()) names += fmt::format("{}, ", function_name(function));
  app.add_option("--function", o.functions, fmt::format("{}or all (default: {})", names, default_functions))
      ->type_name("NAMES")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
  app.add_option("--frames", o.frames, fmt::format("frames of jacobian and pose (default: {})", default_frames))
      ->type_name("NAMES")
      ->delimiter(',')
      ->expected(1)
      ->take_all();
}

void add_trajectory(CLI::App& app, Options& o) {
  app.add_option("--trajectory", o.trajectory,
                 "a whole motion: CSV with columns time, q.<joint>[, v.<joint>, a.<joint>]; or a motion "
                 "profile from --q to --to in T seconds: cycloidal:T, minimum_jerk:T, trapezoidal:T")
      ->type_name("FILE.csv|PROFILE:T")
      ->group("State");
  app.add_option("--to", o.to, std::string("where the profile of --trajectory ends: ") + list_help)
      ->type_name("LIST")
      ->group("State");
  app.add_option("--every", o.every, "time between the samples of the profile, s (default: T/100)")
      ->type_name("S")
      ->check(positive_number)
      ->group("State");
}

void add_plot(CLI::App& app, Options& o, const char* what) {
  app.add_option("--plot", o.plot, what)->type_name("FILE")->group("Output");
}

void add_options(CLI::App& app, const std::string& command, Options& o) {
  if (command == "info") {
    add_robot(app, o), add_physics(app, o);
    app.add_flag("--dh", o.dh, "the Denavit-Hartenberg table of a serial chain, standard and modified");
    add_output(app, o);
  } else if (command == "models" || command == "demo") {
    add_output(app, o);
  } else if (command == "doctor") {
    add_robot(app, o);
    app.add_option("--fix", o.fix, "write the mended robot (.urdf or .toml) and list each change")->type_name("FILE");
    app.add_flag("--strict", o.strict, "warnings are errors: exit code 3");
    app.add_flag("--floating", o.floating, "examine it with a free joint under the root link; --fix writes it so");
    add_output(app, o);
  } else if (command == "convert") {
    add_robot(app, o);
    app.add_option("TARGET", o.target, "file to write; its ending says the format: .urdf or .toml")
        ->required()
        ->type_name("");
    add_sampling(app, o), add_output(app, o);
    app.add_flag("--floating", o.floating, "put a free joint under the root link before writing")->group("Robot");
  } else if (command == "inverse") {
    add_robot(app, o), add_physics(app, o), add_positions(app, o), add_velocities(app, o);
    app.add_option("--a", o.a, "accelerations, rad/s² or m/s² (default: zero)")->type_name("LIST")->group("State");
    add_trajectory(app, o);
    add_loads(app, o);
    app.add_option("--method", o.method, "newton_euler (default), dh, denoc, noc, kalman, lagrange")
        ->type_name("METHOD");
    app.add_flag("--wrenches", o.joint_wrenches, "also the full reaction wrench in every joint")->group("Output");
    app.add_flag("--explain", o.explain, "also tau term by term: which joint, link and motion asks for how much")
        ->group("Output");
    add_output(app, o);
  } else if (command == "forward") {
    add_robot(app, o), add_physics(app, o), add_positions(app, o), add_velocities(app, o);
    app.add_option("--tau", o.tau, "joint forces, N m or N (default: zero)")->type_name("LIST")->group("State");
    add_loads(app, o);
    app.add_option("--method", o.method,
                   "articulated (default), composite, noc, denoc, diagonal, newton_columns, newton_symmetric, "
                   "conjugate_gradient")
        ->type_name("METHOD");
    add_output(app, o);
  } else if (command == "matrices") {
    add_robot(app, o), add_physics(app, o), add_positions(app, o), add_velocities(app, o);
    app.add_option("--only", o.only, "only these, e.g. mass_matrix,gravity")
        ->type_name("NAMES")
        ->delimiter(',')
        ->expected(1)
        ->take_all();
    add_output(app, o);
  } else if (command == "operators") {
    add_robot(app, o);
    app.add_option("EXPRESSION", o.expressions, "of operators, e.g. \"(1+H*Phi*K)*D*(1+H*Phi*K)^T - M\"; repeatable")
        ->type_name("");
    add_physics(app, o), add_positions(app, o), add_velocities(app, o);
    app.add_option("--a", o.a, "accelerations, rad/s² or m/s², for the linearized dynamics (default: zero)")
        ->type_name("LIST")
        ->group("State");
    add_loads(app, o);
    app.add_option("--show", o.only, "print these, e.g. Phi,P,D,noc.K (without: a list of all names)")
        ->type_name("NAMES")
        ->delimiter(',')
        ->expected(1)
        ->allow_extra_args(false)  // what follows are expressions
        ->take_all();
    app.add_option("--npz", o.npz, "write the matrices shown, and those of expressions, for numpy.load")
        ->type_name("FILE")
        ->group("Output");
    add_plot(app, o, "draw the matrices shown, and those of expressions, as coloured tables (.svg, .png)");
    add_output(app, o);
  } else if (command == "linearize" || command == "diagonalize") {
    add_robot(app, o), add_physics(app, o), add_positions(app, o), add_velocities(app, o);
    app.add_option("--a", o.a, "accelerations, rad/s² or m/s²; the forces follow")->type_name("LIST")->group("State");
    app.add_option("--tau", o.tau, "joint forces, N m or N; the accelerations follow")
        ->type_name("LIST")
        ->group("State");
    add_loads(app, o);
    if (command == "linearize") {
      app.add_option("--step", o.step, "state-space pair of the system sampled every so many seconds")
          ->type_name("S")
          ->check(positive_number);
      add_trajectory(app, o);
      app.add_option("--method", o.method, "algorithm of the paper for M⁻¹, A_C, B_C: auto (default), 3, 4, 5, 6, 6T")
          ->type_name("METHOD");
      add_plot(app, o, "draw forces and accelerations as one joint moves, with their tangents (.svg, .png)");
      app.add_option("--along", o.along, "the joint that moves in --plot (default: the first)")
          ->type_name("JOINT")
          ->group("Output");
    } else {
      app.add_flag("--explain", o.explain, "also what each term is made of: own and carried rates, working moments, …")
          ->group("Output");
      add_plot(app, o, "draw the tables of Coriolis coefficients, Kozłowski's (48) and Fig. 1 (.svg, .png)");
      app.add_option("--row", o.row, "the joint whose row --explain and --plot take apart (default: the first)")
          ->type_name("JOINT")
          ->group("Output");
    }
    add_output(app, o);
  } else if (command == "count") {
    app.add_option("MODEL", o.model, "robot file or built-in name; none: formulas in n only")->type_name("");
    app.add_flag("--sweeps", o.sweeps, "each algorithm sweep by sweep");
    app.add_flag("--tables", o.tables, "the papers' tables row by row, beside our count of each step");
    add_physics(app, o), add_output(app, o);
  } else if (command == "generate") {
    add_robot(app, o), add_physics(app, o);
    add_functions(app, o, "inverse", "all");
    app.add_option(
           "--parameters", o.parameters,
           "parameters of the robot that become an argument: forearm.mass, elbow.damping, tool0.payload, gravity, ...")
        ->type_name("NAMES")
        ->delimiter(',')
        ->expected(1)
        ->take_all();
    app.add_flag("--float", o.single, "float instead of double");
    app.add_flag("--cpp", o.cpp, "C++ in a namespace instead of C");
    app.add_flag("--json", o.json, "JSON for programs: files and counts")->group("Output");
    app.add_option("--output,-o", o.target, "folder, or name of the files without ending (default: the robot's)")
        ->type_name("PATH")
        ->group("Output");
    app.add_flag("--force", o.force, "replace existing files")->group("Output");
  } else if (command == "curvature") {
    add_robot(app, o), add_physics(app, o), add_positions(app, o), add_sampling(app, o);
    app.add_flag("--flat", o.flat, "also the coordinates theta(q) in which M is the identity; exit code 4 if not flat");
    app.add_option("--from", o.from, std::string("with --flat, where theta is zero (default: neutral): ") + list_help)
        ->type_name("LIST")
        ->group("State");
    add_output(app, o);
  } else if (command == "bench") {
    add_robot(app, o), add_physics(app, o);
    add_functions(app, o, "the common ones", "the tip of the robot");
    add_output(app, o);
  } else if (command == "verify") {
    add_robot(app, o), add_physics(app, o), add_sampling(app, o), add_output(app, o);
  } else if (command == "simulate") {
    add_simulation(app, o), add_physics(app, o), add_positions(app, o), add_velocities(app, o);
    add_output(app, o);
  } else if (command == "plot") {
    app.add_option("FILE", o.model, "recording of a run (.csv, .h5), or any CSV with a column time")
        ->required()
        ->type_name("");
    app.add_option("--show", o.show,
                   "what to draw, one panel each: position, velocity, force, energy, phase, quasi, working, explain")
        ->type_name("NAMES")
        ->delimiter(',')
        ->expected(1)
        ->take_all();
    app.add_option("--title", o.title, "title of the picture")->type_name("TEXT");
    add_output(app, o);
  } else if (command == "view") {
    app.add_option("FILE", o.model, "recording of a run (.csv, .h5), a robot file, or a built-in robot")
        ->required()
        ->type_name("");
    add_physics(app, o), add_positions(app, o), add_output(app, o);
  } else if (command == "completion") {
    app.add_option("SHELL", o.target, "bash, zsh or fish")->required()->type_name("");
  }
}

std::unique_ptr<CLI::App> make_parser(const Command& command, Options& options) {
  auto app = std::make_unique<CLI::App>(command.about, fmt::format("catena {}", command.name));
  app->get_formatter()->column_width(34);
  app->footer(fmt::format("Examples:\n{}", command.examples));
  add_options(*app, command.name, options);
  // An empty shell variable must not silently mean the default.
  for (CLI::Option* option : app->get_options())
    if (option->get_items_expected_max() > 0)
      option->check([](const std::string& value) { return std::string(value.empty() ? "the value is empty" : ""); });
  return app;
}

bool looks_like_list(std::string_view text) {
  if (text.empty()) return false;
  if (text == "nan" || text == "inf" || text == "-inf") return true;  // to be refused as part of the list
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const std::size_t sign = text[0] == '-' || text[0] == '+' ? 1 : 0;
  if (text.size() > sign && digit(text[sign])) return true;
  return text.size() > sign + 1 && text[sign] == '.' && digit(text[sign + 1]);
}

// Shells split `--q 0 1.57 [2, 3]` into words; a list option takes all the numbers that follow it, brackets or not.
std::vector<std::string> gather_lists(int argc, const char* const* argv) {
  static const std::vector<std::string> lists = {
      "--q", "--v", "--a", "--tau", "--gravity", "--base-twist", "--base-acceleration"};
  std::vector<std::string> arguments;
  for (int i = 0; i < argc; ++i) {
    std::string word = argv[i];
    const std::string flag = word.substr(0, word.find('='));
    const bool is_list = std::find(lists.begin(), lists.end(), flag) != lists.end();
    arguments.push_back(word);
    if (!is_list) continue;
    if (flag == word) {
      if (i + 1 == argc) continue;  // the parser says that a value is missing
      arguments.push_back(argv[++i]);
    }
    std::string& value = arguments.back();
    while (i + 1 < argc && looks_like_list(argv[i + 1])) value += " ", value += argv[++i];
    std::erase_if(value, [](char c) { return c == '[' || c == ']'; });
  }
  return arguments;
}

[[noreturn]] void unknown_flag(const Command& command, const std::vector<std::string>& extras) {
  const std::string& word = extras.front();
  if (!word.starts_with('-'))
    throw UsageError(fmt::format("unexpected argument '{}': see `catena {} --help`", word, command.name));
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names = {"--help"};
  for (const Flag& flag : flags_of(command)) names.push_back(flag.name);
  const auto near = near_names(name, names);
  throw UsageError(fmt::format("unknown option {} of `catena {}`: {}see `catena {} --help`", name, command.name,
                               near.empty() ? "" : fmt::format("did you mean {}? ", near.front()), command.name));
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  const auto near = near_names(name, names);
  throw UsageError(fmt::format("unknown command '{}': {}`catena --help` lists the commands", name,
                               near.empty() ? "" : fmt::format("did you mean `catena {}`? ", near.front())));
}

}  // namespace

Request parse_arguments(int argc, const char* const* argv) {
  Request request;
  const std::string first = argc > 1 ? argv[1] : "--help";
  if (first == "--version" || first == "-V" || first == "version") {
    request.text = version_text();
    return request;
  }
  if (first == "--help" || first == "-h" || (first == "help" && argc == 2)) {
    request.text = overview();
    return request;
  }
  if (first == "help") {
    const char* const asked[] = {argv[0], argv[2], "--help"};
    return parse_arguments(3, asked);
  }
  if (first.starts_with('-'))
    throw UsageError(fmt::format("the command comes first, then {}: catena COMMAND MODEL {} …", first, first));

  const Command& command = find_command(first);
  Options& options = request.options;
  options.command = command.name;
  request.command = &command;
  const auto app = make_parser(command, options);
  std::vector<std::string> arguments = gather_lists(argc - 2, argv + 2);
  options.words = arguments;
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app->parse(arguments);
  } catch (const CLI::CallForHelp&) {
    request.text = app->help();
  } catch (const CLI::ExtrasError&) {
    unknown_flag(command, app->remaining());
  } catch (const CLI::RequiredError& error) {
    throw UsageError(fmt::format("{}: see `catena {} --help`", error.what(), command.name));
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{} (`catena {} --help` shows examples)", error.what(), command.name));
  }
  if (options.states < 1) throw UsageError("--states must be 1 or more");
  return request;
}

std::vector<Flag> flags_of(const Command& command) {
  Options options;
  const auto app = make_parser(command, options);
  std::vector<Flag> flags;
  for (const CLI::Option* option : app->get_options())
    for (const std::string& name : option->get_lnames())
      flags.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
  return flags;
}

}  // namespace catena::cli
