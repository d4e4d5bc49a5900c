// What the callers of SUNDIALS share. Not for public headers: SUNDIALS stays inside.
#pragma once

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "catena/kinematics/configuration.hpp"

namespace catena::sundials {

struct Context {
  SUNContext c = nullptr;
  Context() {
    if (SUNContext_Create(nullptr, &c) != 0) throw std::bad_alloc();
  }
  ~Context() { SUNContext_Free(&c); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

// Exceptions must not pass through C: kept here, and thrown again on the other side.
struct Guard {
  std::exception_ptr error = nullptr;

  template <class Work>
  int run(Work work) {
    try {
      work();
      return 0;
    } catch (const std::invalid_argument&) {
      error = std::current_exception();
      return 1;  // a trial state that is not finite: a shorter step may do
    } catch (...) {
      error = std::current_exception();
      return -1;
    }
  }

  void check(int flag, double time) {
    if (flag >= 0) return;
    if (error) std::rethrow_exception(std::exchange(error, nullptr));
    throw NumericalError("the integrator cannot go on at t = " + std::to_string(time) +
                             " s: try a looser tolerance or another integrator",
                         "");
  }
};

struct Destroy {
  void operator()(N_Vector vector) const { N_VDestroy(vector); }
  void operator()(SUNNonlinearSolver solver) const { SUNNonlinSolFree(solver); }
  void operator()(SUNMatrix matrix) const { SUNMatDestroy(matrix); }
  void operator()(SUNLinearSolver solver) const { SUNLinSolFree(solver); }
  void operator()(void* cvodes) const { CVodeFree(&cvodes); }
};
using VectorHandle = std::unique_ptr<std::remove_pointer_t<N_Vector>, Destroy>;
using SolverHandle = std::unique_ptr<std::remove_pointer_t<SUNNonlinearSolver>, Destroy>;
using MatrixHandle = std::unique_ptr<std::remove_pointer_t<SUNMatrix>, Destroy>;
using LinearSolverHandle = std::unique_ptr<std::remove_pointer_t<SUNLinearSolver>, Destroy>;
using CvodesHandle = std::unique_ptr<void, Destroy>;

template <class Handle>
Handle own(typename Handle::pointer made) {
  if (made == nullptr) throw std::bad_alloc();
  return Handle(made);
}

// How a step's equation is solved: dense Newton for bdf, functional iteration for adams. Outlives the integration.
struct Corrector {
  SolverHandle fixed_point;
  MatrixHandle matrix;
  LinearSolverHandle linear;

  Corrector(bool newton, N_Vector like, const Context& context) {
    if (newton) {
      matrix = own<MatrixHandle>(SUNDenseMatrix(N_VGetLength(like), N_VGetLength(like), context.c));
      linear = own<LinearSolverHandle>(SUNLinSol_Dense(like, matrix.get(), context.c));
    } else {
      fixed_point = own<SolverHandle>(SUNNonlinSol_FixedPoint(like, 0, context.c));
    }
  }
};
inline Eigen::Map<Matrix> map(SUNMatrix dense) {
  return {SUNDenseMatrix_Data(dense), SUNDenseMatrix_Rows(dense), SUNDenseMatrix_Columns(dense)};
}

// The numbers stay where they are.
inline VectorHandle wrap(Eigen::Ref<Vector> numbers, const Context& context) {
  return own<VectorHandle>(N_VMake_Serial(numbers.size(), numbers.data(), context.c));
}
inline Eigen::Map<Vector> map(N_Vector vector) { return {N_VGetArrayPointer(vector), N_VGetLength(vector)}; }

inline void quiet(int, const char*, const char*, char*, void*) {}

}  // namespace catena::sundials
