// catena linearize: how forces and accelerations change with the state, at a consistent point (a and tau belong together).
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "catena/dynamics/inverse.hpp"
#include "catena/linear/linearize.hpp"
#include "catena/model/text.hpp"
#include "catena/record/recording.hpp"
#include "catena/write/toml.hpp"
#include "cli/commands.hpp"
#include "cli/explain_pictures.hpp"
#include "cli/robot.hpp"
#include "cli/state.hpp"
#include "cli/table.hpp"
#include "cli/trajectory.hpp"

namespace catena::cli {
namespace {

constexpr int linearize_ceiling = 1'500;  // a dozen matrices and their text stay below 2 GB

struct LinearPart {
  const char* name;
  const char* title;
  const char* meaning;
  const Matrix* matrix;
};

std::vector<std::string> state_names(const Model& model) {
  std::vector<std::string> names;
  for (const std::string& name : model.velocity_names()) names.push_back("δq " + name);
  for (const std::string& name : model.velocity_names()) names.push_back("δv " + name);
  return names;
}

LinearMethod asked_method(const std::string& name) {
  if (name.empty()) return LinearMethod::automatic;
  try {
    return linear_method(name);
  } catch (const std::invalid_argument& error) {
    throw UsageError(fmt::format("--method: {}", error.what()));
  }
}

// "A.dq.shoulder.dv.elbow": the row's number of x = (dq, dv), then the column's; what x (or its rate, where the time is
// continuous) has per unit of the column.
std::vector<Column> columns_along(const Model& model, bool sampled) {
  const std::vector<std::string> names = model.velocity_names();
  const std::vector<Units> units = velocity_units(model);
  std::vector<Column> x, rate, u;
  for (std::size_t i = 0; i < names.size(); ++i) x.push_back({"dq." + names[i], units[i].position});
  for (std::size_t i = 0; i < names.size(); ++i) x.push_back({"dv." + names[i], units[i].velocity});
  for (std::size_t i = 0; i < names.size(); ++i) u.push_back({"dtau." + names[i], units[i].force});
  for (const Units& unit : units) rate.push_back({"", unit.velocity});
  for (const Units& unit : units) rate.push_back({"", unit.acceleration});
  std::vector<Column> out = {{"time", "s"}};
  const auto add = [&](const char* matrix, const std::vector<Column>& columns) {
    for (std::size_t r = 0; r < x.size(); ++r) {
      for (const Column& column : columns)
        out.push_back({fmt::format("{}.{}.{}", matrix, x[r].name, column.name),
                       unit_per(sampled ? x[r].unit : rate[r].unit, column.unit)});
    }
  };
  add("A", x), add("B", u);
  return out;
}

// Rows as a table of CSV, or of a recording (HDF5): names, units and the robot inside.
class AlongWriter {
 public:
  AlongWriter(const Options& options, const Model& model, Output& out) : out_(out) {
    const std::vector<Column> columns = columns_along(model, options.step.has_value());
    const std::string meaning =
        fmt::format("{} of {}, x = (dq, dv), u = dtau", options.step ? "x(t + h) = A x + B u" : "x_dot = A x + B u",
                    printable(model.name()));
    row_.resize(static_cast<Eigen::Index>(columns.size()));
    if (is_hdf5(options.output)) {
      RecordingHeader header{columns,
                             {{"catena", CATENA_VERSION},
                              {"model", catena::printable(options.model)},
                              {"hash", fmt::format("{:016x}", model.hash())},
                              {"settings", catena::printable(fmt::format("{}, along {}", meaning, options.trajectory))},
                              {"robot", write::toml(model.description())}}};
      if (options.step) header.notes.emplace_back("step", fmt::format("{}", *options.step));
      std::optional<write::Claim> claim = out.use_screen();
      recorder_ = claim ? create_recording(std::move(*claim), header) : create_recording(options.output, header);
      return;
    }
    out.line("# " + meaning);
    if (options.step) out.line(fmt::format("# h = {} s", number(*options.step, 17)));
    std::vector<std::string> cells;
    for (const Column& column : columns) cells.push_back(csv_cell(column.name));
    out.line(fmt::format("{}", fmt::join(cells, ",")));
  }
  static bool is_hdf5(const std::string& file) { return file.ends_with(".h5") || file.ends_with(".hdf5"); }

  void row(double time, const StateSpace& system) {
    row_ << time, Matrix(system.A.transpose()).reshaped(), Matrix(system.B.transpose()).reshaped();
    if (recorder_) return recorder_->append(row_);
    std::string line = fmt::format("{}", row_[0]);
    for (const double x : row_.tail(row_.size() - 1)) fmt::format_to(std::back_inserter(line), ",{}", x);
    out_.line(line);
  }
  void finish(const std::string& file, Eigen::Index rows) {
    if (!recorder_) return;
    recorder_->finish();
    out_.line(fmt::format("A and B at {} in {}; next: catena plot {} --show A",
                          counted(static_cast<std::size_t>(rows), "instant"), file, file));
  }

 private:
  Output& out_;
  Vector row_;
  std::unique_ptr<Recorder> recorder_;
};

// A(t) and B(t) along a nominal motion, with the forces that it takes, at each row of it: CSV, HDF5 or JSON.
int linearize_along(const Options& options, const Model& model, LinearMethod method, Output& out) {
  if (!options.tau.empty())
    throw UsageError("--trajectory brings its own motion, and the forces follow: leave out --tau");
  if (out.json() && AlongWriter::is_hdf5(options.output))
    throw UsageError(fmt::format("--output {}: with --json comes JSON: name it .json", options.output));
  const ExternalLoads loads = read_loads(model, options);
  const read::TrajectoryRows rows = trajectory_rows(options, model, out);
  if (rows.time.size() == 0)
    throw DataError(fmt::format("{}: A and B belong to times: no column time", options.trajectory));
  const Eigen::Index count = rows.q.rows();
  std::vector<Json> list;
  std::optional<AlongWriter> writer;
  if (!out.json()) writer.emplace(options, model, out);
  Progress progress("linearize", count);
  for (Eigen::Index k = 0; k < count; ++k) {
    const Vector q = rows.q.row(k), v = rows.v.row(k), a = rows.a.row(k);
    StateSpace system;
    try {
      const Vector tau = inverse_dynamics(model, q, v, a, loads);
      system = state_space(model, v, linearize_forward(model, q, v, tau, loads, method));
    } catch (const std::invalid_argument& error) {
      throw DataError(fmt::format("{}: {}", place_of_row(options, rows, k), error.what()));
    } catch (const NumericalError& error) {
      throw NumericalError(fmt::format("{}: {}", place_of_row(options, rows, k), error.what()), "");
    }
    if (options.step) system = discretize(system, *options.step);
    require_finite(system.A, "the state matrix"), require_finite(system.B, "the input matrix");
    if (writer)
      writer->row(rows.time(k), system);
    else
      list.push_back(Json().add("time", rows.time(k)).add_matrix("A", system.A).add_matrix("B", system.B));
    if (k % 64 == 0) progress.step(k);
  }
  if (writer) {
    writer->finish(options.output, count);
    return success;
  }
  Json json;
  add_joints(json, model);
  json.add("states", state_names(model)).add("rows", list).add("method", std::string(name_of(method)));
  if (options.step) json.add("step", *options.step);
  json.add("warnings", out.warnings());
  out.line(json.text());
  return success;
}

}  // namespace

int run_linearize(const Options& options, Output& out) {
  const Robot robot = load_robot(options);
  const Model& model = robot.model;
  if (model.nv() > linearize_ceiling)
    throw DataError(fmt::format("the linearization of {} has matrices of {} × {} numbers, too large to print",
                                model.name(), model.nv(), model.nv()));
  const LinearMethod method = method_for_matrices(model, asked_method(options.method));
  if (!options.trajectory.empty() && !options.plot.empty())
    throw UsageError("--plot is about one state: leave --trajectory out");
  if (!options.along.empty() && options.plot.empty())
    throw UsageError("--along is the joint that moves in --plot FILE");
  if (!options.trajectory.empty()) return linearize_along(options, model, method, out);
  if (!options.to.empty() || options.every) throw UsageError("--to and --every need --trajectory PROFILE:T");
  const std::optional<PictureFile> picture = claim_picture(options.plot, options.force);
  State state = read_state(model, options, out);
  const ExternalLoads loads = read_loads(model, options);
  // Forces given: their acceleration. Otherwise the acceleration (zero by default) and the forces that cause it.
  const bool from_forces = given_of(state, options, Given::acceleration) == Given::forces;
  if (!from_forces) state.tau = inverse_dynamics(model, state.q, state.v, state.a, loads);
  const ForwardLinearization forward = linearize_forward(model, state.q, state.v, state.tau, loads, method);
  state.a = forward.a;
  const InverseLinearization inverse = linearize_inverse(model, state.q, state.v, state.a, loads);
  StateSpace system = state_space(model, state.v, forward);
  if (options.step) system = discretize(system, *options.step);
  const std::vector<LinearPart> parts = {
      {"mass_matrix", "M = ∂tau/∂a", "Mass matrix.", &inverse.M},
      {"A_D", "A_D = ∂tau/∂v", "Column j: how the forces change when joint j moves faster.", &inverse.A_D},
      {"B_D", "B_D = ∂tau/∂q", "Column j: how the forces change when joint j is elsewhere (v and a held).",
       &inverse.B_D},
      {"mass_matrix_inverse", "M⁻¹ = ∂a/∂tau", "Column j: the accelerations a unit force in joint j adds.",
       &forward.M_inv},
      {"A_C", "A_C = −∂a/∂v", "How velocities brake the accelerations; M⁻¹ A_D.", &forward.A_C},
      {"B_C", "B_C = −∂a/∂q", "How displacements are pulled back; M⁻¹ B_D.", &forward.B_C},
  };
  for (const LinearPart& part : parts) require_finite(*part.matrix, part.title);
  require_finite(system.A, "the state matrix"), require_finite(system.B, "the input matrix");
  std::string drawn;
  if (picture) {
    const Tangents tangents = {options.along.empty() ? 0 : component_named(model, "--along", options.along),
                               state.q,
                               state.v,
                               state.a,
                               state.tau,
                               inverse.dtau_dq(),
                               inverse.dtau_dv(),
                               forward.da_dq(),
                               forward.da_dv()};
    drawn = written(*picture, draw(tangent_figure(model, tangents, loads), picture->format));
  }

  if (out.json()) {
    Json json;
    add_joints(json, model);
    for (const LinearPart& part : parts) json.add_matrix(part.name, *part.matrix);
    // the same by their usual names, with their usual signs
    json.add_matrix("dtau_dq", inverse.dtau_dq()).add_matrix("dtau_dv", inverse.dtau_dv());
    json.add_matrix("da_dq", forward.da_dq()).add_matrix("da_dv", forward.da_dv());
    json.add_matrix("da_dtau", forward.da_dtau());
    json.add_matrix("A", system.A).add_matrix("B", system.B);
    if (options.step) json.add("step", *options.step);
    json.add("method", std::string(name_of(method)));
    if (picture) json.add("picture", picture->path);
    json.add("state", Json().add("q", state.q).add("v", state.v).add("a", state.a).add("tau", state.tau));
    json.add("warnings", out.warnings());
    out.line(json.text());
    return success;
  }
  const std::vector<std::string> names = model.velocity_names();
  out.line(out.paint(Tone::title, fmt::format("Linearized dynamics of {}", printable(model.name()))));
  out.explain("δtau = M δa + A_D δv + B_D δq, and solved for the acceleration: δa = M⁻¹ δtau − A_C δv − B_C δq.");
  out.explain(fmt::format("M, A_D, B_D by Algorithm 2; M⁻¹, A_C, B_C by Algorithm {} (--method).", name_of(method)));
  print_state_line(out, model, state, true, !from_forces, from_forces);
  print_loads(out, model, loads);
  for (const LinearPart& part : parts) {
    out.title(part.title);
    out.explain(part.meaning);
    print_matrix(out, names, *part.matrix);
  }
  out.title(options.step ? fmt::format("State matrix over a step of {} s, input held", number(*options.step))
                         : "State matrix A of x = (δq, δv): ẋ = A x + B δtau");
  out.explain(options.step ? "x(t + h) = A x(t) + B δtau, exact for the linear system; B is in the JSON output."
                           : "B is M⁻¹ below zeros. --step H gives the pair of the sampled system.");
  print_matrix(out, state_names(model), system.A);
  if (picture) out.line(), out.line(fmt::format("  {}", drawn));
  return success;
}

}  // namespace catena::cli
