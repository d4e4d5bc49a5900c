// States and motions of a robot by joint name, from JSON, TOML or CSV. Layout: docs/formats.md.
#pragma once

#include "catena/model/model.hpp"
#include "catena/read/value.hpp"

#pragma GCC visibility push(default)
namespace catena::read {

// What the file gives. Joints it leaves out stand at the neutral position in q and at zero in v, a and tau.
struct State {
  std::optional<Eigen::VectorXd> q, v, a, tau;
};

// Throws ModelError carrying every finding: unknown joints (with near names), wrong sizes, bad numbers.
State state(const Model& model, const std::string& path);

// Why a name means no coordinate: it is that of a joint which mimics another or is fixed, or of none (the nearest of
// `known` is named); and what to write instead.
struct NoCoordinate {
  std::string why, remedy;
};
// The joint at the end of the chain of mimic joints; empty for a joint that mimics none.
std::string leader_of(const Model& model, const std::string& joint);
NoCoordinate why_no_coordinate(const Model& model, const std::string& name, const std::vector<std::string>& known);

// One quantity ("q", "v", "a" or "tau") of a document: a list of all numbers, or a table by joint name.
// key: how messages call it, if not so.
Eigen::VectorXd quantity(const Model& model, const Value& value, std::string_view what, Log& log,
                         const std::string& key = {});

// One row per instant. A quantity that the file does not have is empty (no rows).
struct TrajectoryRows {
  Eigen::VectorXd time;  // empty if the file has no column time or t
  Eigen::MatrixXd q, v, a, tau;
  std::vector<int> lines;  // of the rows in the file

  int size() const { return static_cast<int>(lines.size()); }
};

// What is asked of the times of a motion, besides that they never run backwards.
enum class Times {
  order,               // each row stands alone: times may repeat, or be missing
  rise,                // there is more to compute between the rows: each time is later than the one before
  rise_without_rates,  // v and a are needed, but a file with time and q alone will do: they follow from its spline
};

// Columns: time (or t), q.<joint> (or plain <joint>), v.<joint>, a.<joint>, tau.<joint>; components of a joint with
// several degrees of freedom: q.<joint>.0, q.<joint>.1, ... Columns energy.*, nu.*, xi.* of a recording are skipped.
// Each needed quantity must be there for every joint, and so must one that is there for any. Throws ModelError with
// every mistake of the file: columns, numbers, times. Nothing is differentiated here; see Times.
TrajectoryRows trajectory(const Model& model, const std::string& path,
                          const std::vector<std::string>& needed = {"q", "v", "a"}, Times times = Times::order);

}  // namespace catena::read
#pragma GCC visibility pop
