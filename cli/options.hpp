// What the user typed, as plain data: filled by arguments.cpp (the only file that knows the parser), read by commands.
// A text option that is empty was not given.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace catena::cli {

// Exit codes; scripts rely on them.
constexpr int success = 0, usage_failure = 2, data_failure = 3, numerical_failure = 4;

// The command line itself is wrong (exit code 2).
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
// A file or a state is wrong (exit code 3), where the library has not said so already.
struct DataError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string command;
  std::vector<std::string> words;  // behind it, a list of numbers as one

  // the robot
  std::string model;
  bool floating = false;
  std::string gravity;
  bool no_friction = false, no_damping = false, no_joint_terms = false;
  bool strict = false;

  // the state
  std::string q, v, a, tau;
  std::string state_file;
  std::optional<std::uint64_t> random;
  std::vector<std::string> wrenches;
  std::string base_twist, base_acceleration;

  // output
  bool json = false;
  std::string output;
  bool force = false;

  // single commands
  bool joint_wrenches = false;           // inverse
  bool explain = false;                  // inverse, diagonalize
  std::string plot;                      // diagonalize, linearize, operators: picture to draw besides
  std::string row, along;                // of which component: diagonalize --plot; linearize --plot
  std::string trajectory, to;            // inverse
  std::string method;                    // forward, inverse, linearize
  bool sweeps = false, tables = false;   // count
  std::vector<std::string> only;         // matrices; operators to show
  std::vector<std::string> expressions;  // operators
  std::string npz;                       // likewise: file of matrices
  bool dh = false;                       // info
  bool flat = false;                     // curvature: coordinates too
  std::string from;                      // likewise: where they are zero
  int states = 20;                       // verify, convert, curvature
  std::uint64_t seed = 1;                // likewise
  std::optional<double> step;            // linearize: sampled system, seconds
  std::string fix;                       // doctor
  std::string target;                    // convert: file to write; generate: folder or name; completion: shell

  // simulate
  std::optional<double> duration, every, integration_step, rtol;
  std::string integrator, coordinates, at_limits;
  std::vector<std::string> record;       // besides q, v, tau and energies: a, nu, xi
  std::vector<std::string> sensitivity;  // by what to differentiate the run
  std::string sensitivity_file;          // where the derivatives at every row go
  std::vector<std::string> payloads;     // FRAME:MASS,...
  bool resume = false;
  // generate, bench
  std::vector<std::string> functions, frames;  // frames: of jacobian and pose
  std::vector<std::string> parameters;         // that generated functions take
  bool single = false, cpp = false;
  // plot, view
  std::vector<std::string> show;  // plot: what to draw
  std::string title;
};

}  // namespace catena::cli
