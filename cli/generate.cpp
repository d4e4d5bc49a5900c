// catena generate: a robot's functions as standalone source in C or C++, with a self-test.
#include <fmt/format.h>

#include <filesystem>

#include "catena/source/write_c.hpp"
#include "catena/write/file.hpp"
#include "cli/commands.hpp"
#include "cli/json.hpp"
#include "cli/robot.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

// Straight-line code grows with the robot; beyond this a compiler takes minutes over it.
constexpr long long generate_ceiling = 400'000;

// -o: a folder that exists or ends in '/', else the name of the files, perhaps in a folder.
struct Place {
  std::filesystem::path folder;
  std::string name;
};
Place place_of(const Options& options, const Model& model) {
  const std::filesystem::path path = options.target;
  if (options.target.empty()) return {".", identifier(model.name())};
  std::error_code ignored;
  if (options.target.back() == '/' || std::filesystem::is_directory(path, ignored))
    return {path, identifier(model.name())};
  return {path.parent_path(), identifier(path.stem().string())};
}

void require_parameters(const Options& options, const Model& model) {
  try {
    parameters(model, options.parameters);
  } catch (const std::invalid_argument& error) {
    throw DataError(fmt::format("--parameters: {}", error.what()));
  }
}

}  // namespace

int run_generate(const Options& options, Output& out) {
  const Robot robot = load_robot(options);
  const std::vector<Function> wanted = asked_functions(options, robot.model, {Function::inverse});
  const Place place = place_of(options, robot.model);
  require_parameters(options, robot.model);
  std::vector<write::Claim> claims;
  for (const std::string& name : source_names(place.name, options.cpp))
    claims.push_back(claim_file((place.folder / name).lexically_normal().string(), options.force));
  std::vector<Program> programs;
  for (const Function function : wanted) {
    const std::vector<std::string> outputs = asked_outputs(options, robot.model, function);
    try {
      programs.push_back(trace_guarded(robot.model, function, outputs, options.parameters));
    } catch (const std::invalid_argument& error) {
      throw DataError(fmt::format("{}: {}", function_name(function), error.what()));
    }
    if (programs.back().operations().total() > generate_ceiling)
      throw DataError(fmt::format("{} of {} takes {} operations: straight-line code of that size is of no use",
                                  function_name(function), printable(robot.model.name()),
                                  programs.back().operations().total()));
  }
  const SourceOptions how{place.name, options.single, options.cpp, 3};
  const std::vector<SourceFile> files = write_source(robot.model, programs, how);
  std::error_code failure;
  if (!place.folder.empty()) std::filesystem::create_directories(place.folder, failure);
  std::vector<std::string> paths, texts;
  for (const write::Claim& claim : claims) paths.push_back(claim.path());
  for (const SourceFile& file : files) texts.push_back(file.text);
  write::replace_files(claims, texts);

  if (out.json()) {
    Json counts;
    for (const Program& p : programs) {
      const Operations o = p.operations();
      counts.add(function_name(p.function), Json()
                                                .add_int("mul", o.mul)
                                                .add_int("add", o.add)
                                                .add_int("div", o.div)
                                                .add_int("sqrt", o.sqrt)
                                                .add_int("trig", o.trig));
    }
    out.line(Json().add("header", paths[0]).add("source", paths[1]).add("test", paths[2]).add("counts", counts).text());
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("Source for {}", printable(robot.model.name()))));
  for (const std::string& path : paths) out.line("  " + path);
  out.line();
  Table table({"function", ">mul", ">add", ">div", ">trig", "by"});
  for (const Program& p : programs) {
    const Operations o = p.operations();
    table.row({function_name(p.function), std::to_string(o.mul), std::to_string(o.add), std::to_string(o.div),
               std::to_string(o.trig), p.method});
  }
  table.print(out);
  const char* const compiler = options.cpp ? "c++ -std=c++17" : "cc -std=c99";
  out.explain("The self-test compares with the library at three states:");
  out.line(fmt::format("  {} -O2 {} {} -lm -o self_test && ./self_test", compiler, paths[1], paths[2]));
  return success;
}

}  // namespace catena::cli
