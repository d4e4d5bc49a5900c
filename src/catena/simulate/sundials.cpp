// Methods of SUNDIALS, which stays inside this file: CVODES (Adams, BDF with our Jacobian) and ARKStep (Verner 6(5)).
#include <arkode/arkode_arkstep.h>

#include <cmath>

#include "catena/simulate/integrator.hpp"
#include "catena/simulate/sundials.hpp"

namespace catena {
namespace {

using namespace sundials;

struct Bridge {
  System& system;
  Guard guard = {};
};

int rate(double t, N_Vector x, N_Vector x_dot, void* user) {
  auto& bridge = *static_cast<Bridge*>(user);
  return bridge.guard.run([&] { bridge.system.rate(t, N_VGetArrayPointer(x), N_VGetArrayPointer(x_dot)); });
}

int jacobian(double t, N_Vector x, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector, N_Vector) {
  auto& bridge = *static_cast<Bridge*>(user);
  return bridge.guard.run([&] {
    const Eigen::Index n = bridge.system.size();
    Eigen::Map<Matrix> map(SUNDenseMatrix_Data(J), n, n);
    bridge.system.jacobian(t, N_VGetArrayPointer(x), map);
  });
}

class Sundials : public Integrator {
 public:
  explicit Sundials(System& system) : bridge_{system} {
    x_ = Vector::Zero(system.size());
    vector_ = N_VMake_Serial(system.size(), x_.data(), context_.c);
    if (vector_ == nullptr) throw std::bad_alloc();
  }
  ~Sundials() override { N_VDestroy(vector_); }

 protected:
  void check(int flag, double time) { bridge_.guard.check(flag, time); }

  Context context_;
  Bridge bridge_;
  N_Vector vector_ = nullptr;
};

class Cvodes : public Sundials {
 public:
  Cvodes(System& system, Method method, const Accuracy& accuracy) : Sundials(system) {
    memory_ = CVodeCreate(method == Method::bdf ? CV_BDF : CV_ADAMS, context_.c);
    if (memory_ == nullptr) throw std::bad_alloc();
    CVodeSetErrHandlerFn(memory_, quiet, nullptr);
    CVodeInit(memory_, rate, 0, vector_);
    CVodeSStolerances(memory_, accuracy.rtol, accuracy.atol);
    CVodeSetUserData(memory_, &bridge_);
    CVodeSetMaxNumSteps(memory_, -1);
    if (method == Method::bdf) {
      matrix_ = SUNDenseMatrix(system.size(), system.size(), context_.c);
      solver_ = SUNLinSol_Dense(vector_, matrix_, context_.c);
      CVodeSetLinearSolver(memory_, solver_, matrix_);
      CVodeSetJacFn(memory_, jacobian);
    } else {
      fixed_point_ = SUNNonlinSol_FixedPoint(vector_, 0, context_.c);
      CVodeSetNonlinearSolver(memory_, fixed_point_);
    }
    output_ = N_VNewEmpty_Serial(system.size(), context_.c);
  }
  ~Cvodes() override {
    CVodeFree(&memory_);
    if (solver_ != nullptr) SUNLinSolFree(solver_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    if (fixed_point_ != nullptr) SUNNonlinSolFree(fixed_point_);
    N_VDestroy(output_);
  }

  void restart(double time, ConstVector x) override {
    begin(time, x);
    check(CVodeReInit(memory_, time, vector_), time);
  }

  void step(double limit) override {
    CVodeSetStopTime(memory_, limit);
    double t = time_;
    const int flag = CVode(memory_, limit, vector_, &t, CV_ONE_STEP);
    check(flag, time_);
    arrive(flag == CV_TSTOP_RETURN ? limit : t);
    long failures = 0;
    CVodeGetNumErrTestFails(memory_, &failures);
    rejected_ = failures;
  }

  bool dense() const override { return true; }
  void interpolate(double time, VectorRef x) override {
    N_VSetArrayPointer(x.data(), output_);
    check(CVodeGetDky(memory_, time, 0, output_), time);
  }

 private:
  void* memory_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  SUNNonlinearSolver fixed_point_ = nullptr;
  N_Vector output_ = nullptr;
};

// ERKStep of Debian 12 runs its tables with wrong orders; ARKStep is right.
class Verner : public Sundials {
 public:
  Verner(System& system, const Accuracy& accuracy) : Sundials(system) {
    memory_ = ARKStepCreate(rate, nullptr, 0, vector_, context_.c);
    if (memory_ == nullptr) throw std::bad_alloc();
    ARKStepSetErrHandlerFn(memory_, quiet, nullptr);
    ARKStepSetTableNum(memory_, ARKODE_DIRK_NONE, ARKODE_VERNER_8_5_6);
    ARKStepSStolerances(memory_, accuracy.rtol, accuracy.atol);
    ARKStepSetUserData(memory_, &bridge_);
    ARKStepSetMaxNumSteps(memory_, -1);
  }
  ~Verner() override { ARKStepFree(&memory_); }

  void restart(double time, ConstVector x) override {
    begin(time, x);
    check(ARKStepReset(memory_, time, vector_), time);
  }

  void step(double limit) override {
    ARKStepSetStopTime(memory_, limit);
    double t = time_;
    const int flag = ARKStepEvolve(memory_, limit, vector_, &t, ARK_ONE_STEP);
    check(flag, time_);
    arrive(flag == ARK_TSTOP_RETURN ? limit : t);
    long failures = 0;
    ARKStepGetNumErrTestFails(memory_, &failures);
    rejected_ = failures;
  }

 private:
  void* memory_ = nullptr;
};

}  // namespace

std::unique_ptr<Integrator> make_sundials(System& system, Method method, const Accuracy& accuracy) {
  if (method == Method::verner65) return std::make_unique<Verner>(system, accuracy);
  return std::make_unique<Cvodes>(system, method, accuracy);
}

}  // namespace catena
