// Forward sensitivities: CVODES carries the state, and S beside it with the state held (staggered), so that the linear
// dynamics is made once for all columns and all corrections of a step.
#include "catena/simulate/sensitivity.hpp"

#include <algorithm>

#include "catena/simulate/variation_calls.hpp"
#include "catena/trajectory/slack.hpp"

namespace catena {
namespace {

using namespace sundials;

struct Columns : VariationCalls {
  Matrix S = {}, S_dot = {};  // gathered: one product instead of one for each column
};

// Each s: a change of x, quaternions and all: CVODES corrects s and x with the same matrix.
int sensitivity_rate(int count, double t, N_Vector x, N_Vector, N_Vector* s, N_Vector* s_dot, void* user, N_Vector,
                     N_Vector) {
  auto& columns = static_cast<Columns&>(*static_cast<VariationCalls*>(user));
  return columns.guard.run([&] {
    const System::Linear& linear = columns.variation.at(t, N_VGetArrayPointer(x));
    const Matrix& G = columns.variation.forces();
    columns.S.resize(columns.variation.size(), count);
    for (Eigen::Index i = 0; i < count; ++i) columns.S.col(i) = map(s[i]);
    columns.S_dot.noalias() = columns.variation.jacobian() * columns.S;
    columns.S_dot.bottomRightCorner(linear.v.size(), G.cols()).noalias() += linear.M_inv * G;
    for (Eigen::Index i = 0; i < count; ++i) map(s_dot[i]) = columns.S_dot.col(i);
  });
}

class Forward {
 public:
  Forward(Variation& variation, Method method, const Accuracy& accuracy)
      : calls_{{variation}},
        x_(variation.start()),
        S_(Matrix::Zero(x_.size(), static_cast<Eigen::Index>(variation.names().size()))) {
    const std::vector<Eigen::Index>& starts = variation.starts();
    const Matrix T = variation.tangents(x_.data());
    for (std::size_t c = 0; c < starts.size(); ++c) S_.col(static_cast<Eigen::Index>(c)) = T.col(starts[c]);
    x_vector_ = wrap(x_, context_);
    for (Eigen::Index c = 0; c < S_.cols(); ++c) {
      columns_.push_back(wrap(S_.col(c), context_));
      raw_columns_.push_back(columns_.back().get());
    }
    const int count = static_cast<int>(S_.cols());
    const bool newton = method == Method::bdf;
    corrector_.emplace(newton, x_vector_.get(), context_);
    cvodes_ = own<CvodesHandle>(CVodeCreate(newton ? CV_BDF : CV_ADAMS, context_.c));
    void* c = cvodes_.get();
    std::vector<double> atol(raw_columns_.size(), accuracy.atol);
    CVodeSetErrHandlerFn(c, quiet, nullptr);
    check(CVodeInit(c, VariationCalls::rate, 0, x_vector_.get()));
    CVodeSetUserData(c, static_cast<VariationCalls*>(&calls_));
    CVodeSetMaxNumSteps(c, -1);
    check(CVodeSStolerances(c, accuracy.rtol, accuracy.atol));
    check(CVodeSensInit(c, count, CV_STAGGERED, sensitivity_rate, raw_columns_.data()));
    check(CVodeSensSStolerances(c, accuracy.rtol, atol.data()));
    check(CVodeSetSensErrCon(c, SUNTRUE));
    if (newton) {
      check(CVodeSetLinearSolver(c, corrector_->linear.get(), corrector_->matrix.get()));
      check(CVodeSetJacFn(c, VariationCalls::jacobian));
    } else {
      S_solver_ = own<SolverHandle>(SUNNonlinSol_FixedPointSens(count, x_vector_.get(), 0, context_.c));
      check(CVodeSetNonlinearSolver(c, corrector_->fixed_point.get()));
      check(CVodeSetNonlinearSolverSensStg(c, S_solver_.get()));
    }
  }

  // A stretch in which everything is smooth begins here and ends there.
  void enter(double begin, double end) {
    calls_.variation.enter(end);
    if (begin > 0) {
      check(CVodeReInit(cvodes_.get(), begin, x_vector_.get()));
      check(CVodeSensReInit(cvodes_.get(), CV_STAGGERED, raw_columns_.data()));
    }
    check(CVodeSetStopTime(cvodes_.get(), end));
    time_ = begin;
  }
  void go_to(double time) {
    if (time - time_ <= slack(time)) return;
    double reached = time_;
    check(CVode(cvodes_.get(), time, x_vector_.get(), &reached, CV_NORMAL));
    check(CVodeGetSens(cvodes_.get(), &reached, raw_columns_.data()));
    time_ = time;
  }
  void leave() {
    long steps = 0;
    CVodeGetNumSteps(cvodes_.get(), &steps);
    steps_ += steps;
  }

  const Vector& x() const { return x_; }
  const Matrix& S() const { return S_; }
  long steps() const { return steps_; }

 private:
  void check(int flag) { calls_.guard.check(flag, time_); }

  Context context_;
  Columns calls_;
  Vector x_;
  Matrix S_;
  VectorHandle x_vector_;
  std::vector<VectorHandle> columns_;
  std::vector<N_Vector> raw_columns_;
  std::optional<Corrector> corrector_;
  SolverHandle S_solver_;
  CvodesHandle cvodes_;
  double time_ = 0;
  long steps_ = 0;
};

void require_times(const std::vector<double>& times, double duration) {
  for (std::size_t k = 0; k < times.size(); ++k)
    if (!(times[k] >= 0 && times[k] <= duration) || (k > 0 && !(times[k] > times[k - 1])))
      throw std::invalid_argument("the times must increase and lie between 0 and the duration: look at number " +
                                  std::to_string(k + 1));
}

}  // namespace

TrajectorySensitivity trajectory_sensitivity(const SensitivityProblem& problem, std::vector<double> times) {
  if (times.empty()) times = {problem.duration};
  require_times(times, problem.duration);
  Variation variation(problem);
  Forward forward(variation, problem.method, problem.accuracy);
  TrajectorySensitivity out;
  const int nq = problem.model.nq(), nv = problem.model.nv();
  for (const char* part : {"q.", "v."})
    for (const std::string& name : problem.model.velocity_names()) out.rows.push_back(part + name);
  out.parameters = variation.names();
  const auto keep = [&](double time) {
    out.times.push_back(time);
    out.q.emplace_back(nq), out.v.emplace_back(nv);
    variation.unpack(forward.x(), out.q.back(), out.v.back());
    out.S.push_back(variation.cotangents(forward.x().data()) * forward.S());
  };
  std::size_t next = 0;
  if (times[0] == 0) keep(times[next++]);
  const std::vector<double> pauses = variation.pauses();
  for (std::size_t k = 0; k + 1 < pauses.size() && next < times.size(); ++k) {
    forward.enter(pauses[k], pauses[k + 1]);
    for (; next < times.size() && times[next] < pauses[k + 1]; ++next) {
      forward.go_to(times[next]);
      keep(times[next]);
    }
    if (next < times.size()) forward.go_to(pauses[k + 1]);
    if (next < times.size() && times[next] == pauses[k + 1]) keep(times[next++]);
    forward.leave();
  }
  out.steps = forward.steps();
  return out;
}

}  // namespace catena
