// Pinocchio's own generated code (pinocchio_recorder.hpp). What is timed is the call of it on a state that lies ready. The
// libraries are kept beside this module, in the folder `generated`, and used again for the same robot.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cppad/cg/configure.hpp>
#include <pinocchio/config.hpp>

#include <filesystem>
#include <map>

#include "bench/peers/pinocchio_recorder.hpp"

namespace catena::peers {
namespace {

// Of all numbers that make the robot, the function and the flags.
std::string key_of(const pin::Model& model, Function function) {
  std::string text = fmt::format("{} {} {} {}", static_cast<int>(function), CATENA_PEER_COMPILER, CATENA_PEER_FLAGS,
                                 PINOCCHIO_VERSION);
  const auto add = [&](const auto& numbers) {
    for (Eigen::Index k = 0; k < numbers.size(); ++k) text += fmt::format(" {:a}", numbers(k));
  };
  add(model.gravity.linear());
  for (std::size_t k = 1; k < model.joints.size(); ++k) {
    text += fmt::format(" {} {}", model.joints[k].shortname(), model.parents[k]);
    const Eigen::Matrix4d placement = model.jointPlacements[k].toHomogeneousMatrix();
    const Eigen::Matrix<double, 10, 1> inertia = model.inertias[k].toDynamicParameters();
    add(placement.reshaped()), add(inertia);
  }
  return fmt::format("{:016x}", std::hash<std::string>()(text));
}

std::filesystem::path folder_of_this_module() {
  Dl_info info;
  static const char here = 0;
  if (dladdr(&here, &info) == 0) throw std::runtime_error("where is this module?");
  return std::filesystem::path(info.dli_fname).parent_path();
}

struct GeneratedState : PeerState {
  Eigen::VectorXd q_v_a, q_v_tau;
};

class PinocchioGenerated : public Adapter<PinocchioGenerated, GeneratedState> {
 public:
  explicit PinocchioGenerated(const Robot& robot) : Adapter(robot), model_(model_of(robot)) {}

  // Makes the library on the way.
  bool has(Function function) const override {
    if (programs_.contains(function)) return programs_[function].call != nullptr;
    const std::filesystem::path folder = folder_of_this_module() / "generated";
    std::filesystem::create_directories(folder);
    const std::string file = folder / key_of(model_, function);
    Program& program = programs_[function];
    if (!std::filesystem::exists(file + ".so") && !make_generated_library(model_, function, file)) return false;
    void* const module = dlopen((file + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const symbol = module ? dlsym(module, generated_symbol) : nullptr;
    if (!symbol) throw std::runtime_error(dlerror());
    program.call = reinterpret_cast<GeneratedFunction>(symbol);
    program.outputs = Eigen::VectorXd::Zero(generated_outputs(model_, function));
    return true;
  }

  void place(const Eigen::VectorXd& q, const Eigen::VectorXd&, GeneratedState& state) const {
    place_state(model_, robot_, q, state);
  }
  void finish(GeneratedState& state) const {
    state.q_v_a.resize(model_.nq + 2 * model_.nv);
    state.q_v_a << state.q, state.v, state.a;
    state.q_v_tau = state.q_v_a;
    state.q_v_tau.tail(model_.nv) = state.tau;
  }

  void run(Function function, const GeneratedState& s) {
    Program& program = programs_.find(function)->second;
    const bool takes_forces = function == Function::forward || function == Function::linearize_forward;
    const double* const in[] = {(takes_forces ? s.q_v_tau : s.q_v_a).data()};
    double* const out[] = {program.outputs.data()};
    program.call(in, out, {});
  }

  std::vector<Eigen::MatrixXd> blocks(Function function) const {
    const double* at = programs_.find(function)->second.outputs.data();
    const Eigen::Index n = model_.nv;
    const auto matrix = [&](Eigen::Index columns) -> Eigen::MatrixXd {
      return Eigen::Map<const Eigen::MatrixXd>(std::exchange(at, at + n * columns), n, columns);
    };
    const auto symmetric = [&] {
      Eigen::MatrixXd upper = Eigen::MatrixXd::Zero(n, n);
      for (Eigen::Index j = 0; j < n; ++j)
        for (Eigen::Index i = 0; i <= j; ++i) upper(i, j) = *at++;
      return whole(upper);
    };
    std::vector<Eigen::MatrixXd> all;
    switch (function) {
      case Function::inverse:
      case Function::forward: return {matrix(1)};
      case Function::mass_matrix:
      case Function::mass_matrix_inverse: return {symmetric()};
      case Function::linearize_inverse:
        all.push_back(symmetric()), all.push_back(matrix(n)), all.push_back(matrix(n));
        return all;
      case Function::linearize_forward:
        all.push_back(matrix(1)), all.push_back(symmetric()), all.push_back(-matrix(n)), all.push_back(-matrix(n));
        return all;
      default: return {matrix(n)};
    }
  }

 private:
  struct Program {
    GeneratedFunction call = nullptr;  // null: too long
    Eigen::VectorXd outputs;
  };
  pin::Model model_;
  mutable std::map<Function, Program> programs_;
};

}  // namespace
}  // namespace catena::peers

CATENA_PEER {
  entry = catena::peers::entry_of<catena::peers::PinocchioGenerated>("Pinocchio, generated", PINOCCHIO_VERSION,
                                                                     CPPAD_CG_VERSION " with -ffast-math");
}
