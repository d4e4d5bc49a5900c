// catena plot: curves of a recorded run as SVG or PNG. Chooses columns by name (docs/formats.md), one panel for each
// quantity and unit; drawing.cpp draws.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "catena/model/names.hpp"
#include "catena/record/recording.hpp"
#include "catena/write/file.hpp"
#include "cli/commands.hpp"
#include "cli/derived.hpp"
#include "cli/drawing.hpp"
#include "cli/json.hpp"
#include "cli/table.hpp"

namespace catena::cli {
namespace {

struct Quantity {
  const char *word, *prefix, *title, *symbol;
};
constexpr Quantity quantities[] = {
    {"position", "q", "Position", "q"},         {"velocity", "v", "Velocity", "v"},
    {"acceleration", "a", "Acceleration", "a"}, {"force", "tau", "Joint force", "τ"},
    {"nu", "nu", "Quasi-velocity", "ν"},        {"xi", "xi", "Total joint rate", "ξ"},
    {"kappa", "kappa", "Working moment", "κ"},  {"epsilon", "epsilon", "Normalized working moment", "ε"}};
const std::vector<std::string> panel_words = {"position", "velocity", "acceleration", "force",   "energy",
                                              "balance",  "phase",    "quasi",        "working", "explain",
                                              "nu",       "xi",       "kappa",        "epsilon"};
// Beside each other in the two columns of a picture: rates, forces, and both weighted by the inertia that is felt.
struct Combination {
  const char* word;
  std::vector<std::string> quantities;
};
const Combination combinations[] = {{"quasi", {"velocity", "nu"}},
                                    {"working", {"force", "epsilon"}},
                                    {"explain", {"velocity", "xi", "force", "kappa", "nu", "epsilon"}}};
constexpr std::size_t most_panels = 60;

// "ball" of "ball.2"; a joint without components is its own stem.
std::string stem(const std::string& joint) {
  const std::size_t dot = joint.rfind('.');
  const bool component = dot != std::string::npos && dot + 1 < joint.size() &&
                         joint.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return component ? joint.substr(0, dot) : joint;
}

class Plotter {
 public:
  Plotter(const Options& options, const Recording& recording) : options_(options), recording_(recording) {
    time_ = recording.header.column("time");
    if (time_ < 0)
      throw DataError(
          fmt::format("{} has no column \"time\": name one column time (seconds) in its first row", options.model));
    if (recording.values.rows() == 0) throw DataError(fmt::format("{} has no rows: nothing to draw", options.model));
    for (const Column& column : columns()) {
      with_units_ = with_units_ || !column.unit.empty();
      const std::size_t dot = column.name.find('.');
      if (dot != std::string::npos && column.name.rfind("energy.", 0) != 0)
        styles_.try_emplace(column.name.substr(dot + 1), static_cast<int>(styles_.size()));
    }
  }

  std::vector<Panel> panels() {
    if (options_.show.empty()) {
      for (const char* word : {"position", "velocity", "force"})
        if (has(quantity(word)->prefix)) add_quantity(*quantity(word));
      if (recording_.header.column("energy.kinetic") >= 0) add_energy();
      if (panels_.empty()) add_all();
    }
    for (const std::string& word : options_.show) add(word);
    if (panels_.size() > most_panels)
      throw DataError(fmt::format("{} panels are too many for one picture: choose, for example --show phase.<joint>",
                                  panels_.size()));
    return std::move(panels_);
  }

 private:
  using Indices = std::vector<int>;

  const std::vector<Column>& columns() const { return recording_.header.columns; }
  const Column& column(int i) const { return columns()[static_cast<std::size_t>(i)]; }
  static const Quantity* quantity(const std::string& word) {
    for (const Quantity& q : quantities)
      if (word == q.word || word == q.prefix) return &q;
    return nullptr;
  }

  Indices with_prefix(const std::string& prefix) const {
    Indices found;
    for (std::size_t i = 0; i < columns().size(); ++i)
      if (columns()[i].name.rfind(prefix + ".", 0) == 0) found.push_back(static_cast<int>(i));
    return found;
  }
  bool has(const std::string& prefix) const { return !with_prefix(prefix).empty(); }

  std::string labelled(const std::string& symbol, const std::string& unit) const {
    if (!with_units_) return symbol;
    const std::string shown = replaced(replaced(unit, "^2", "²"), "sqrt(J)", "√J");
    return fmt::format("{} [{}]", symbol, shown.empty() ? "1" : shown);
  }
  std::string time_label() const { return labelled("time", column(time_).unit); }

  std::vector<Point> curve(int x, int y) const {
    std::vector<Point> points(static_cast<std::size_t>(recording_.values.rows()));
    for (std::size_t r = 0; r < points.size(); ++r) {
      const auto row = static_cast<Eigen::Index>(r);
      points[r] = {recording_.values(row, x), recording_.values(row, y)};
    }
    return points;
  }
  double largest(const Indices& indices) const {
    double size = 0;
    for (const int i : indices)
      for (Eigen::Index r = 0; r < recording_.values.rows(); ++r)
        if (const double value = std::abs(recording_.values(r, i)); value <= largest_drawn)
          size = std::max(size, value);
    return size;
  }
  // What the numbers of a column are to be measured by: motions by 1 rad, 1 m, 1 s; energies, which are small in small
  // robots, by the largest of them; forces by that too, as N m is J.
  double scale_of(const std::string& prefix) const {
    if (prefix == "q" || prefix == "v" || prefix == "a" || prefix == "xi") return 1;
    const bool force = prefix == "tau" || prefix == "kappa";
    const double energy = prefix == "energy" || force ? largest(with_prefix("energy")) : 0;
    return force ? std::max(energy, largest(with_prefix("tau"))) : energy;
  }

  // Twice asked for is drawn once.
  void add(const std::string& key, Panel panel) {
    if (drawn_.insert(key).second) panels_.push_back(std::move(panel));
  }

  void add(const std::string& word) {
    if (word == "energy") return add_energy();
    if (word == "balance") return add_balance();
    for (const Combination& combination : combinations)
      if (word == combination.word) return add_combination(combination);
    if (word == "phase" || word.rfind("phase.", 0) == 0) return add_phase(word);
    if (const int i = recording_.header.column(word); i >= 0) return add_column(i);
    if (const Quantity* known = quantity(word)) {
      if (!has(known->prefix))
        throw DataError(
            fmt::format("{} has no columns {}.<joint>, which --show {} draws", options_.model, known->prefix, word));
      return add_quantity(*known);
    }
    if (has(word)) return add_quantity({word.c_str(), word.c_str(), word.c_str(), word.c_str()});
    std::vector<std::string> names = panel_words;
    for (const Column& c : columns()) names.push_back(c.name);
    throw UsageError(fmt::format("--show: no quantity and no column \"{}\"{}", word, suggestion(word, names)));
  }

  std::string joint_of(int i) const {  // "ball.0" of "q.ball.0"; all of a name that has no dot
    const std::string& name = column(i).name;
    return name.substr(name.find('.') == std::string::npos ? 0 : name.find('.') + 1);
  }
  int style_of(int i, std::size_t otherwise) const {
    const auto style = styles_.find(joint_of(i));
    return style == styles_.end() ? static_cast<int>(otherwise) : style->second;
  }

  // One panel for each unit, in the order of the file.
  void add_by_unit(const Indices& indices, const Quantity& q, bool whole_names) {
    std::vector<std::string> units;
    for (const int i : indices)
      if (std::find(units.begin(), units.end(), column(i).unit) == units.end()) units.push_back(column(i).unit);
    for (const std::string& unit : units) {
      Panel panel{q.title, time_label(), labelled(q.symbol, unit), {}, scale_of(q.prefix)};
      for (const int i : indices)
        if (column(i).unit == unit)
          panel.series.push_back(
              {whole_names ? column(i).name : joint_of(i), curve(time_, i),
               whole_names ? static_cast<int>(panel.series.size()) : style_of(i, panel.series.size())});
      add(fmt::format("{} [{}]", q.prefix, unit), std::move(panel));
    }
  }
  void add_quantity(const Quantity& q) { add_by_unit(with_prefix(q.prefix), q, false); }

  void add_column(int i) {
    const std::string& name = column(i).name;
    const std::string prefix = name.substr(0, name.find('.'));
    const Quantity* known = prefix == name ? nullptr : quantity(prefix);
    Panel panel{
        name, time_label(), labelled(known == nullptr ? name : known->symbol, column(i).unit), {}, scale_of(prefix)};
    panel.series.push_back({"", curve(time_, i), style_of(i, 0) % solid_styles});
    add(name, std::move(panel));
  }

  // A table without our names: everything over time.
  void add_all() {
    Indices all;
    for (int i = 0; i < static_cast<int>(columns().size()); ++i)
      if (i != time_) all.push_back(i);
    if (all.empty()) throw DataError(fmt::format("{} has no column besides time", options_.model));
    add_by_unit(all, {"", "", "All columns", "value"}, true);
  }

  int energy_column(const char* name, const char* word) const {
    const int i = recording_.header.column(fmt::format("energy.{}", name));
    if (i < 0)
      throw DataError(fmt::format("{} has no column energy.{}, which --show {} needs: `catena simulate` records it",
                                  options_.model, name, word));
    return i;
  }

  void add_energy() {
    const int kinetic = energy_column("kinetic", "energy"), potential = energy_column("potential", "energy");
    const double scale = scale_of("energy");
    Panel panel{"Energy", time_label(), labelled("E", column(kinetic).unit), {}, scale};
    panel.series = {{"kinetic", curve(time_, kinetic), 0}, {"potential", curve(time_, potential), 1}};
    Series sum{"total", panel.series[0].points, 6};
    for (std::size_t r = 0; r < sum.points.size(); ++r) sum.points[r].y += panel.series[1].points[r].y;
    panel.series.push_back(std::move(sum));
    int style = 2;
    for (const char* name : {"work", "dissipated"}) {
      const int i = recording_.header.column(fmt::format("energy.{}", name));
      if (i >= 0 && largest({i}) > 1e-12 * scale) panel.series.push_back({name, curve(time_, i), style});
      ++style;
    }
    add("energy", std::move(panel));
  }

  void add_balance() {
    const int balance = energy_column("balance", "balance");
    add("balance", {"Error of the energy balance",
                    time_label(),
                    labelled("ΔE", column(balance).unit),
                    {{"", curve(time_, balance), 0}},
                    scale_of("energy")});
  }

  void add_combination(const Combination& combination) {
    for (const std::string& quantity : combination.quantities)
      if (is_derived(quantity) || has(Plotter::quantity(quantity)->prefix)) add(quantity);
  }

  // Only where v is the rate of q (docs/conventions.md): not where there are quaternions, with more positions than
  // velocities, nor in planar joints (angle, x, y), whose velocities are in body axes.
  std::vector<std::string> joints_with_rates() const {
    std::map<std::string, std::string> positions, velocities;  // units of the components of a joint
    for (const int i : with_prefix("q")) positions[stem(joint_of(i))] += column(i).unit + ",";
    for (const int i : with_prefix("v")) velocities[stem(joint_of(i))] += ",";
    std::vector<std::string> joints;
    for (const int i : with_prefix("q")) {
      const std::string joint = joint_of(i);
      const std::string& units = positions[stem(joint)];
      const auto components = static_cast<std::size_t>(std::count(units.begin(), units.end(), ','));
      if (units != "rad,m,m," && components == velocities[stem(joint)].size() &&
          recording_.header.column("v." + joint) >= 0)
        joints.push_back(joint);
    }
    return joints;
  }

  void add_phase(const std::string& word) {
    const std::string wanted = word.size() > 6 ? word.substr(6) : "";
    const std::vector<std::string> joints = joints_with_rates();
    if (joints.empty())
      throw DataError(fmt::format("{} has no joint with both q.<joint> and v.<joint>, which --show {} draws",
                                  options_.model, word));
    if (!wanted.empty() && std::find(joints.begin(), joints.end(), wanted) == joints.end())
      throw UsageError(
          fmt::format("--show {}: no joint \"{}\" with a phase plot{}", word, wanted, suggestion(wanted, joints)));
    for (const std::string& joint : joints) {
      if (!wanted.empty() && joint != wanted) continue;
      const int q = recording_.header.column("q." + joint), v = recording_.header.column("v." + joint);
      add("phase." + joint, {fmt::format("Phase of {}", joint),
                             labelled("q", column(q).unit),
                             labelled("v", column(v).unit),
                             {{"", curve(q, v), styles_[joint] % solid_styles}},
                             1,
                             true});
    }
  }

  const Options& options_;
  const Recording& recording_;
  int time_ = -1;
  bool with_units_ = false;
  std::map<std::string, int> styles_;  // a joint looks the same in every panel
  std::set<std::string> drawn_;
  std::vector<Panel> panels_;
};

std::string default_title(const Options& options, const RecordingHeader& header) {
  const std::string* model = header.note("model");
  return std::filesystem::path(model != nullptr && !model->empty() ? *model : options.model).stem().string();
}

// Columns that --show asks for and the file lacks, computed from those it has and the robot inside.
void add_derived(const Options& options, Recording& recording) {
  std::vector<std::string> wanted = options.show, missing;
  for (const Combination& combination : combinations)
    if (std::find(options.show.begin(), options.show.end(), combination.word) != options.show.end())
      wanted.insert(wanted.end(), combination.quantities.begin(), combination.quantities.end());
  for (const std::string& word : wanted) {
    const std::string quantity = word.substr(0, word.find('.'));
    if (!is_derived(quantity) || std::find(missing.begin(), missing.end(), quantity) != missing.end()) continue;
    const std::vector<Column>& columns = recording.header.columns;
    if (std::none_of(columns.begin(), columns.end(),
                     [&](const Column& c) { return c.name.rfind(quantity + ".", 0) == 0; }))
      missing.push_back(quantity);
  }
  if (missing.empty()) return;
  if (recording.header.note("robot") == nullptr && recording.header.note("model") == nullptr)
    throw DataError(fmt::format(
        "{} has no columns {}.<joint> and no robot to compute them with: record = [\"nu\"] in the scenario, "
        "or `catena simulate --record nu`, writes those of nu; any recording of `catena simulate` has its "
        "robot",
        options.model, missing.front()));
  std::vector<long> rows(static_cast<std::size_t>(recording.values.rows()));
  std::iota(rows.begin(), rows.end(), 0L);
  const DerivedColumns derived = derive_columns(recorded_robot(recording, options.model), recording, missing, rows);
  const Eigen::Index before = recording.values.cols();
  recording.values.conservativeResize(Eigen::NoChange, before + derived.values.cols());
  recording.values.rightCols(derived.values.cols()) = derived.values;
  for (const Column& column : derived.columns) recording.header.columns.push_back(column);
}

}  // namespace

int run_plot(const Options& options, Output& out) {
  const std::filesystem::path target = options.output.empty()
                                           ? std::filesystem::path(options.model).replace_extension(".svg")
                                           : std::filesystem::path(options.output);
  const PictureFormat format = picture_format("--output", target.string());
  if (target == options.model)
    throw UsageError(fmt::format("{} is where the picture would go: name a recording (.csv, .h5)", options.model));
  std::optional<write::Claim> claim = out.use_screen();
  if (!claim) claim = claim_file(target.string(), options.force);

  Recording recording = read_recording(options.model);
  add_derived(options, recording);
  Figure figure;
  figure.panels = Plotter(options, recording).panels();
  figure.title = options.title.empty() ? default_title(options, recording.header) : printable(options.title);
  const Picture picture = draw(figure, format);
  write::replace_file(*claim, picture.content);

  std::vector<std::string> names;
  for (const Panel& panel : figure.panels)
    names.push_back(fmt::format("{}: {} over {}", panel.title, panel.y_label, panel.x_label));
  if (out.json()) {
    Json json;
    json.add("file", target.string()).add("panels", names);
    json.add_int("width", picture.width).add_int("height", picture.height);
    json.add_int("rows", recording.values.rows());
    out.line(json.text());
    return success;
  }
  out.line(fmt::format("{}: {} panel{}, {} × {} pixels, {}", printable(target.string()), names.size(),
                       names.size() == 1 ? "" : "s", picture.width, picture.height,
                       size_in_words(picture.content.size())));
  return success;
}

}  // namespace catena::cli
