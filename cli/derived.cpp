#include "cli/derived.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "catena/diagonal/diagonal.hpp"
#include "catena/read/robot.hpp"
#include "catena/read/toml.hpp"
#include "catena/simulate/simulation.hpp"
#include "cli/options.hpp"

namespace catena::cli {
namespace {

const char* source_of(const std::string& quantity) { return quantity == "xi" || quantity == "nu" ? "v" : "tau"; }

// Where the columns of a quantity are, in the order of the robot's components; -1 for one that is missing.
std::vector<int> columns_holding(const Model& model, const Recording& recording, const char* prefix) {
  std::vector<int> places;
  for (const Column& column : columns_of(model, std::string(prefix)))
    places.push_back(recording.header.column(column.name));
  return places;
}

bool complete(const std::vector<int>& places) { return std::find(places.begin(), places.end(), -1) == places.end(); }

Vector recorded_row(const Recording& recording, const std::vector<int>& places, long row) {
  Vector x(static_cast<Eigen::Index>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i) x[static_cast<Eigen::Index>(i)] = recording.values(row, places[i]);
  return x;
}

Vector derived(const DiagonalForm& form, const std::string& quantity, const Vector& from) {
  return quantity == "xi"      ? form.xi(from)
         : quantity == "nu"    ? form.nu(from)
         : quantity == "kappa" ? form.kappa(from)
                               : form.epsilon(from);
}

}  // namespace

Model recorded_robot(const Recording& recording, const std::string& path) {
  if (const std::string* text = recording.header.note("robot"))
    return read::build(read::toml(*text, fmt::format("{}: robot", path)));
  if (const std::string* name = recording.header.note("model")) return read::load(*name);
  throw DataError(
      fmt::format("{} does not say whose motion it is: record with `catena simulate MODEL --output FILE`", path));
}

bool is_derived(const std::string& quantity) {
  return quantity == "xi" || quantity == "nu" || quantity == "kappa" || quantity == "epsilon";
}

bool can_derive(const Model& model, const Recording& recording, const std::string& quantity) {
  return complete(columns_holding(model, recording, "q")) &&
         complete(columns_holding(model, recording, source_of(quantity)));
}

DerivedColumns derive_columns(const Model& model, const Recording& recording,
                              const std::vector<std::string>& quantities, const std::vector<long>& rows) {
  DerivedColumns out;
  for (const std::string& quantity : quantities) {
    if (!can_derive(model, recording, quantity))
      throw DataError(fmt::format("{}.<joint> follows from q.<joint> and {}.<joint>, which the recording lacks",
                                  quantity, source_of(quantity)));
    for (Column& column : columns_of(model, quantity)) out.columns.push_back(std::move(column));
  }
  out.values.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(out.columns.size()));
  const std::vector<int> q = columns_holding(model, recording, "q"), v = columns_holding(model, recording, "v"),
                         tau = columns_holding(model, recording, "tau");
  DiagonalForm form(model);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Vector configuration = recorded_row(recording, q, rows[r]);
    normalize(model, configuration);  // as many digits as the file has
    form.update(configuration);
    Eigen::Index at = 0;
    for (const std::string& quantity : quantities) {
      const std::vector<int>& from = source_of(quantity) == std::string("v") ? v : tau;
      out.values.row(static_cast<Eigen::Index>(r)).segment(at, model.nv()) =
          derived(form, quantity, recorded_row(recording, from, rows[r])).transpose();
      at += model.nv();
    }
  }
  return out;
}

}  // namespace catena::cli
