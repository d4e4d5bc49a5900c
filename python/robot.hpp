// What Python calls a Model: the library's, with its calls and the memory they keep.
// Everything here is used with the interpreter's lock held, batches apart.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "call.hpp"
#include "catena/diagonal/diagonal.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/linear/linearize.hpp"

namespace catena::python {

// A robot with several joints, on which to look up what a function takes and gives.
const Model& example_model();

class Robot {
 public:
  explicit Robot(Model given) : model(std::move(given)) {}

  const Model model;

  // A function of one state or many: the plain library, or a batch.
  py::object compute(Function function, const py::args& args, const py::kwargs& kwargs);
  // One state by the plain library.
  void compute_plain(Function function, Pointers in, OutPointers out);
  // The same with external loads; linearized forward dynamics by any of its algorithms.
  void compute_loaded(Function function, Pointers in, OutPointers out, const ExternalLoads& loads,
                      LinearMethod method = LinearMethod::automatic);

  Kinematics& kinematics();
  Workspace& workspace();
  LinearWorkspace& linear_workspace();
  DiagonalForm& diagonal_form();

 private:
  std::map<Function, Call> calls_;
  std::map<Function, std::unique_ptr<SharedBatch>> batches_;
  std::optional<Workspace> workspace_;
  std::optional<LinearWorkspace> linear_workspace_;
  std::optional<DiagonalForm> diagonal_form_;
  std::optional<Kinematics> kinematics_;
};

// Throws std::invalid_argument where an argument is not finite, or a quaternion not of unit length.
std::vector<std::string> names_of(const std::vector<Parameter>& parameters);
void require_input(const Model& model, const Block& block, const double* numbers);

// Functions on which external loads act.
bool takes_loads(Function function);

void define_model(py::module_& module);
void define_kinematics(py::class_<Robot>& robot);
void define_files(py::module_& module, py::class_<Robot>& robot);
void define_simulation(py::module_& module);
void define_tool(py::module_& module);
void define_diagonal(py::class_<Robot>& robot);
void define_linear(py::module_& module, py::class_<Robot>& robot);
void define_regressors(py::class_<Robot>& robot);
void define_sensitivity(py::class_<Robot>& robot);
void define_curvature(py::class_<Robot>& robot);
void define_compile(py::module_& module, py::class_<Robot>& robot);
void define_batch(py::module_& module, py::class_<Robot>& robot);
void define_rollout(py::module_& module, py::class_<Robot>& robot);
void define_operators(py::module_& module, py::class_<Robot>& robot);
void define_explanations(py::class_<Robot>& robot);

}  // namespace catena::python
