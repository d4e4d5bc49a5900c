// What the adapters share: states in the peer's coordinates, and results back in ours. Theirs = T ours for velocities,
// with T' T = 1; T may turn with q, and T_dot v then separates their accelerations from ours.
#pragma once

#include <Eigen/Dense>

#include "bench/peers/peer.hpp"

namespace catena::peers {

// How the adapter was compiled; `library` says how the library was, if it is not compiled with it.
inline std::string build_of(const std::string& library) {
#ifdef __clang__
  const std::string compiler = "clang " __clang_version__;
#else
  const std::string compiler = "g++ " __VERSION__;
#endif
  const std::string own = compiler.substr(0, compiler.find(' ', compiler.find(' ') + 1)) + " " CATENA_PEER_FLAGS;
  return library.empty() ? own : library + ", called from " + own;
}

template <class Class>
Entry entry_of(const std::string& name, const std::string& version, const std::string& library) {
  return {name, version, build_of(library), [](const Robot& robot) -> Peer* { return new Class(robot); }};
}

struct PeerState {
  Eigen::VectorXd q, v, a, tau;  // theirs
  Eigen::MatrixXd T;
  Eigen::VectorXd turning;  // T_dot v
};

// Derived has: has(f); place(q, v, state), which sets q, T and turning; finish(state), if the peer has vectors of its own;
// run(f, state), what is timed; and blocks(f), the results of the last run as they are.
template <class Derived, class State = PeerState>
class Adapter : public Peer {
 public:
  explicit Adapter(const Robot& robot) : robot_(robot) {}

  void prepare(const double* states, int count) final {
    const int nq = robot_.nq, nv = robot_.nv;
    states_.clear();
    for (int b = 0; b < count; ++b, states += nq + 2 * nv) {
      const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(states, nq);
      const Eigen::VectorXd v = Eigen::Map<const Eigen::VectorXd>(states + nq, nv);
      const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(states + nq + nv, nv);
      State state;
      state.turning = Eigen::VectorXd::Zero(nv);
      self().place(q, v, state);
      state.v = state.T * v, state.a = state.T * x + state.turning, state.tau = state.T * x;
      if constexpr (requires { self().finish(state); }) self().finish(state);
      states_.push_back(std::move(state));
    }
  }

  void work(Function function) final {
    for (const State& state : states_) self().run(function, state);
  }

  std::vector<double> answer(Function function, int number) final {
    const State& state = states_.at(static_cast<std::size_t>(number));
    self().run(function, state);
    const bool has_vector =
        function == Function::inverse || function == Function::forward || function == Function::linearize_forward;
    std::vector<double> all;
    for (const Eigen::MatrixXd& theirs : self().blocks(function)) {
      const bool is_vector = has_vector && all.empty();
      const bool is_acceleration = is_vector && function != Function::inverse;
      Eigen::MatrixXd ours = state.T.transpose() * (is_acceleration ? Eigen::MatrixXd(theirs - state.turning) : theirs);
      if (!is_vector) ours = ours * state.T;
      all.insert(all.end(), ours.data(), ours.data() + ours.size());
    }
    return all;
  }

 protected:
  const Robot robot_;

 private:
  Derived& self() { return static_cast<Derived&>(*this); }
  std::vector<State> states_;
};

}  // namespace catena::peers
