// catena operators: the papers' operators as matrices, by name, and expressions of them: a workbench for identities.
#include <fmt/format.h>

#include "catena/reference/workbench.hpp"
#include "catena/write/file.hpp"
#include "catena/write/npz.hpp"
#include "cli/commands.hpp"
#include "cli/number_tables.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

constexpr Eigen::Index shown_whole = 12;  // rows and columns up to which a matrix is printed in one piece
constexpr Eigen::Index shown_blocks = 60;

const char* kind(Space space) {
  switch (space) {
    case Space::one: return "1";
    case Space::components: return "n";
    case Space::bodies: return "6N";
  }
  return "";
}
std::string size_of(const WorkbenchValue& x) {
  return fmt::format("{} × {} = {} × {}", kind(x.rows), kind(x.columns), x.values.rows(), x.values.cols());
}

// The rows or columns that belong together: a body's six, or the components of one joint.
struct Group {
  Eigen::Index first, count;
};
std::vector<Group> groups_of(const Model& model, Space space, Eigen::Index size) {
  std::vector<Group> out;
  if (space == Space::bodies) {
    for (Eigen::Index i = 0; i < size; i += 6) out.push_back({i, 6});
  } else if (space == Space::components) {
    for (const Coordinate& c : model.coordinates()) out.push_back({c.v, c.nv});
  } else {
    out.push_back({0, size});
  }
  return out;
}

// Small matrices whole, larger ones by the blocks that are not zero.
void print_value(Output& out, const Workbench& bench, const WorkbenchValue& x) {
  const std::vector<std::string> rows = bench.labels(x.rows), columns = bench.labels(x.columns);
  if (x.values.rows() <= shown_whole && x.values.cols() <= shown_whole)
    return print_matrix(out, rows, columns, x.values);
  Eigen::Index shown = 0, blocks = 0;
  for (const Group& r : groups_of(bench.model(), x.rows, x.values.rows())) {
    for (const Group& c : groups_of(bench.model(), x.columns, x.values.cols())) {
      const Matrix block = x.values.block(r.first, c.first, r.count, c.count);
      if (block.isZero(0)) continue;
      if (++blocks > shown_blocks) continue;
      ++shown;
      const auto labels = [](const std::vector<std::string>& all, const Group& g) {
        return std::vector<std::string>(all.begin() + g.first, all.begin() + g.first + g.count);
      };
      std::vector<std::string> heads = labels(columns, c);
      if (x.columns == Space::bodies) {  // the body once, above its six
        out.line(fmt::format("  columns of {}:", heads.front().substr(0, heads.front().rfind('.'))));
        for (std::string& head : heads) head = head.substr(head.rfind('.') + 1);
      }
      print_matrix(out, labels(rows, r), heads, block);
      out.line();
    }
  }
  if (blocks == 0) out.line("  zero");
  if (blocks > shown)
    out.explain(fmt::format("{} more blocks are not zero: --json or --npz FILE has all of them.", blocks - shown));
}

// "M is ..., noc.M is another."
void print_namesakes(Output& out, const std::string& whole) {
  const std::string own = whole.substr(whole.find('.') + 1);
  std::string others;
  for (const WorkbenchName& name : Workbench::names()) {
    const std::size_t dot = name.name.find('.');
    if (name.name == whole || name.name.substr(dot == std::string::npos ? 0 : dot + 1) != own) continue;
    others += fmt::format("{}{} ({})", others.empty() ? "" : ", ", name.name, name.meaning);
  }
  if (!others.empty()) out.explain(fmt::format("Of the same name: {}.", others));
}

void print_names(Output& out) {
  out.line(out.paint(Tone::title, "Operators by name"));
  out.explain(
      "soa: spatial operators of Jain and Rodriguez and of Kozłowski, bodies in their own frames. denoc: Saha. noc: "
      "Angeles; both at the mass centres in world axes. n: velocity components, 6N: six numbers for each moving body, "
      "angular part first. The family may be left out where the name is meant that comes first here.");
  Table table({"name", "size", "meaning"});
  for (const WorkbenchName& name : Workbench::names())
    table.row({name.name, fmt::format("{} × {}", kind(name.rows), kind(name.columns)), name.meaning});
  table.print(out);
  out.line();
  out.explain(
      "--show NAMES prints them. Expressions: + - * ( ), ^T or ' for the transpose, ^-1 for the inverse; a number "
      "beside a square matrix is that multiple of the identity.");
}

WorkbenchName named(const std::string& whole) {
  for (const WorkbenchName& name : Workbench::names()) {
    if (name.name == whole) return name;
  }
  return {};
}

std::vector<Json> list_of_names() {
  std::vector<Json> list;
  for (const WorkbenchName& name : Workbench::names()) {
    list.push_back(Json()
                       .add("name", name.name)
                       .add("rows", std::string(kind(name.rows)))
                       .add("columns", std::string(kind(name.columns)))
                       .add("meaning", name.meaning));
  }
  return list;
}

// What is shown, as coloured tables.
TableFigure operator_figure(const Workbench& bench, const std::vector<std::string>& shown,
                            const std::vector<std::string>& expressions, const std::vector<Evaluation>& results) {
  TableFigure figure;
  figure.title = fmt::format("Operators of {}", bench.model().name());
  figure.lines = {"Orange is above zero, blue below, the deeper the larger; what is zero is left empty."};
  const auto add = [&](const std::string& title, const std::string& note, const WorkbenchValue& x) {
    figure.tables.push_back(
        {title, note, "", "", bench.labels(x.rows), bench.labels(x.columns), x.values, {}, {}, "", ""});
  };
  for (const std::string& name : shown) add(name, named(name).meaning, bench.value(name));
  for (std::size_t k = 0; k < results.size(); ++k) {
    WorkbenchValue value = results[k].value;  // noise is what is small beside its terms
    value.values = (value.values.array().abs() > 1e-13 * results[k].size).select(value.values, 0);
    const bool zero = value.values.isZero(0);
    add(expressions[k], zero ? fmt::format("zero; norm {}", rough(results[k].norm(), 2)) : size_of(value), value);
  }
  return figure;
}

}  // namespace

int run_operators(const Options& options, Output& out) {
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  const State state = read_state(model, options, out);
  const ExternalLoads loads = read_loads(model, options);
  const Workbench bench(model, state.q, state.v, loads, state.a);
  std::optional<write::Claim> claim;
  if (!options.npz.empty() && !options.npz.ends_with(".npz"))
    throw UsageError(fmt::format("--npz {}: the name must end in .npz", options.npz));
  if (!options.npz.empty()) claim.emplace(claim_file(options.npz, options.force));

  const std::optional<PictureFile> picture = claim_picture(options.plot, options.force);

  std::vector<std::string> shown;
  for (const std::string& name : options.only) {
    try {
      shown.push_back(Workbench::resolved(name));
    } catch (const ExpressionError& error) {
      throw UsageError(fmt::format("--show: {}", error.what()));
    }
  }
  std::vector<std::pair<std::string, Matrix>> arrays;
  for (const std::string& name : shown) arrays.emplace_back(name, bench.value(name).values);
  std::vector<Evaluation> results;
  for (const std::string& expression : options.expressions) {
    try {
      results.push_back(bench.evaluate(expression));
    } catch (const ExpressionError& error) {
      throw UsageError(options.expressions.size() == 1 ? std::string(error.what())
                                                       : fmt::format("{}: {}", printable(expression), error.what()));
    }
    arrays.emplace_back(fmt::format("expression_{}", results.size()), results.back().value.values);
  }
  const bool only_names = shown.empty() && results.empty();
  if (claim) {
    if (only_names) throw UsageError("--npz writes what --show and expressions name: name something");
    write::replace_file(*claim, write::npz(arrays));
  }

  std::string drawn;
  if (picture) {
    if (only_names) throw UsageError("--plot draws what --show and expressions name: name something");
    drawn = written(*picture, draw(operator_figure(bench, shown, options.expressions, results), picture->format));
  }

  if (out.json()) {
    Json json;
    add_joints(json, model);
    if (only_names) json.add("names", list_of_names());
    if (!shown.empty()) {
      std::vector<Json> list;
      for (const std::string& name : shown) {
        const WorkbenchValue& x = bench.value(name);
        list.push_back(Json()
                           .add("name", name)
                           .add("meaning", named(name).meaning)
                           .add("rows", bench.labels(x.rows))
                           .add("columns", bench.labels(x.columns))
                           .add_matrix("values", x.values));
      }
      json.add("operators", list);
    }
    if (!results.empty()) {
      std::vector<Json> list;
      for (std::size_t k = 0; k < results.size(); ++k) {
        list.push_back(Json()
                           .add("expression", options.expressions[k])
                           .add("norm", results[k].norm())
                           .add("largest", results[k].largest())
                           .add("size", results[k].size)
                           .add_matrix("values", results[k].value.values));
      }
      json.add("expressions", list);
    }
    if (picture) json.add("picture", picture->path);
    json.add("state", Json().add("q", state.q).add("v", state.v).add("a", state.a)).add("warnings", out.warnings());
    out.line(json.text());
    return success;
  }
  if (only_names) {
    print_names(out);
    return success;
  }
  out.line(out.paint(Tone::title, fmt::format("Operators of {}", printable(model.name()))));
  print_state_line(out, model, state, true, false, false);
  print_loads(out, model, loads);
  for (const std::string& name : shown) {
    const WorkbenchValue& x = bench.value(name);
    out.title(fmt::format("{}: {}", name, size_of(x)));
    out.explain(named(name).meaning + ".");
    print_namesakes(out, name);
    print_value(out, bench, x);
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Evaluation& result = results[k];
    out.title(fmt::format("{} : {}", printable(options.expressions[k]), size_of(result.value)));
    if (result.value.is_number()) {
      out.line(
          fmt::format("  = {}, of terms of up to {}", number(result.value.values(0, 0), 16), rough(result.size, 2)));
      continue;
    }
    out.line(fmt::format("  norm {}, largest number {}, of terms of up to {}", rough(result.norm(), 2),
                         rough(result.largest(), 2), rough(result.size, 2)));
    if (result.largest() > 1e-10 * result.size) print_value(out, bench, result.value);
  }
  if (picture) out.line(), out.line(fmt::format("  {}", drawn));
  return success;
}

}  // namespace catena::cli
