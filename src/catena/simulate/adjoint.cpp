// Adjoint sensitivities: the motion forward, then l backward along it, and the integrals of the gradient with it.
// Stretches between instants where the input is not smooth are gone through one by one, the last one first; each is run
// forward again for its own sake, so that memory does not grow with their number.
#include "catena/simulate/sensitivity.hpp"
#include "catena/simulate/variation_calls.hpp"

namespace catena {
namespace {

using namespace sundials;

constexpr long steps_between_checkpoints = 200;

struct CostCalls : VariationCalls {
  const Cost& cost;
  Vector q, v, tau, by_q, by_v, by_tau;

  CostCalls(Variation& variation_in, const Cost& cost_in) : VariationCalls{variation_in}, cost(cost_in) {
    q.resize(variation.model().nq());
    for (Vector* x : {&v, &tau, &by_q, &by_v, &by_tau}) x->resize(variation.model().nv());
  }
};

CostCalls& calls_of(void* user) { return static_cast<CostCalls&>(*static_cast<VariationCalls*>(user)); }

int running_cost(double t, N_Vector x, N_Vector cost, void* user) {
  CostCalls& calls = calls_of(user);
  return calls.guard.run([&] {
    calls.variation.unpack(map(x), calls.q, calls.v);
    calls.variation.actuate(t, calls.q, calls.v, calls.tau);
    map(cost)[0] = calls.cost.running(t, calls.q, calls.v, calls.tau);
  });
}

// l' = -A' l - dL/d(q, v), where L also changes through the controller's forces
int adjoint_rate(double t, N_Vector x, N_Vector l, N_Vector l_dot, void* user) {
  CostCalls& calls = calls_of(user);
  return calls.guard.run([&] {
    const System::Linear& linear = calls.variation.at(t, N_VGetArrayPointer(x));
    calls.cost.running_gradient(t, linear.q, linear.v, linear.tau, calls.by_q, calls.by_v, calls.by_tau);
    const Eigen::Index nv = linear.v.size();
    Eigen::Map<Vector> out = map(l_dot);
    out.noalias() = -(linear.A.transpose() * map(l));
    out.head(nv) -= calls.by_q + linear.K_q.transpose() * calls.by_tau;
    out.tail(nv) -= calls.by_v + linear.K_v.transpose() * calls.by_tau;
  });
}

int adjoint_jacobian(double t, N_Vector x, N_Vector, N_Vector, SUNMatrix J, void* user, N_Vector, N_Vector, N_Vector) {
  CostCalls& calls = calls_of(user);
  return calls.guard.run([&] { map(J) = -calls.variation.at(t, N_VGetArrayPointer(x)).A.transpose(); });
}

// Backward in time, hence the sign: -(M^-1 l_v)' G, and for the inputs -dL/dtau G
int gradient_rate(double t, N_Vector x, N_Vector l, N_Vector gradient, void* user) {
  CostCalls& calls = calls_of(user);
  return calls.guard.run([&] {
    const System::Linear& linear = calls.variation.at(t, N_VGetArrayPointer(x));
    const Matrix& G = calls.variation.forces();
    const Eigen::Index inputs = calls.variation.inputs();
    Eigen::Map<Vector> out = map(gradient);
    out.noalias() = -(G.transpose() * (linear.M_inv * map(l).tail(linear.v.size())));
    if (inputs == 0) return;
    calls.cost.running_gradient(t, linear.q, linear.v, linear.tau, calls.by_q, calls.by_v, calls.by_tau);
    out.head(inputs).noalias() -= G.leftCols(inputs).transpose() * calls.by_tau;
  });
}

// One stretch: forward, then if wanted backward.
class Stretch {
 public:
  Stretch(CostCalls& calls, const SensitivityProblem& problem, double begin, double end, const Vector& x)
      : calls_(calls),
        newton_(problem.method == Method::bdf),
        accuracy_(problem.accuracy),
        begin_(begin),
        end_(end),
        x_(x) {
    calls_.variation.enter(end);
    x_vector_ = wrap(x_, context_);
    cost_vector_ = wrap(cost_, context_);
    corrector_.emplace(newton_, x_vector_.get(), context_);
    cvodes_ = own<CvodesHandle>(CVodeCreate(newton_ ? CV_BDF : CV_ADAMS, context_.c));
    void* c = cvodes_.get();
    CVodeSetErrHandlerFn(c, quiet, nullptr);
    check(CVodeInit(c, VariationCalls::rate, begin, x_vector_.get()));
    CVodeSetUserData(c, static_cast<VariationCalls*>(&calls_));
    CVodeSetMaxNumSteps(c, -1);
    check(CVodeSStolerances(c, accuracy_.rtol, accuracy_.atol));
    if (newton_) {
      check(CVodeSetLinearSolver(c, corrector_->linear.get(), corrector_->matrix.get()));
      check(CVodeSetJacFn(c, VariationCalls::jacobian));
    } else {
      check(CVodeSetNonlinearSolver(c, corrector_->fixed_point.get()));
    }
    check(CVodeQuadInit(c, running_cost, cost_vector_.get()));
    check(CVodeQuadSStolerances(c, accuracy_.rtol, accuracy_.atol));
    check(CVodeSetQuadErrCon(c, SUNTRUE));
    // Polynomials of the method's own order: cubics would lose four digits at these tolerances.
    check(CVodeAdjInit(c, steps_between_checkpoints, CV_POLYNOMIAL));
    check(CVodeSetStopTime(c, end));
    double reached = begin;
    int checkpoints = 0;
    check(CVodeF(c, end, x_vector_.get(), &reached, CV_NORMAL, &checkpoints));
    check(CVodeGetQuad(c, &reached, cost_vector_.get()));
    CVodeGetNumSteps(c, &steps_);
  }

  // l and the gradient at the end in, at the beginning out.
  void backward(Vector& l, Vector& gradient) {
    void* c = cvodes_.get();
    const VectorHandle l_vector = wrap(l, context_);
    const Corrector corrector(newton_, l_vector.get(), context_);
    VectorHandle gradient_vector;
    int which = 0;
    check(CVodeCreateB(c, newton_ ? CV_BDF : CV_ADAMS, &which));
    check(CVodeInitB(c, which, adjoint_rate, end_, l_vector.get()));
    check(CVodeSetUserDataB(c, which, static_cast<VariationCalls*>(&calls_)));
    check(CVodeSStolerancesB(c, which, accuracy_.rtol, accuracy_.atol));
    check(CVodeSetMaxNumStepsB(c, which, -1));
    if (newton_) {
      check(CVodeSetLinearSolverB(c, which, corrector.linear.get(), corrector.matrix.get()));
      check(CVodeSetJacFnB(c, which, adjoint_jacobian));
    } else {
      check(CVodeSetNonlinearSolverB(c, which, corrector.fixed_point.get()));
    }
    if (gradient.size() > 0) {
      gradient_vector = wrap(gradient, context_);
      check(CVodeQuadInitB(c, which, gradient_rate, gradient_vector.get()));
      check(CVodeQuadSStolerancesB(c, which, accuracy_.rtol, accuracy_.atol));
      check(CVodeSetQuadErrConB(c, which, SUNTRUE));
    }
    check(CVodeB(c, begin_, CV_NORMAL));
    double reached = end_;
    check(CVodeGetB(c, which, &reached, l_vector.get()));
    if (gradient_vector) check(CVodeGetQuadB(c, which, &reached, gradient_vector.get()));
    long steps = 0;
    CVodeGetNumSteps(CVodeGetAdjCVodeBmem(c, which), &steps);
    steps_ += steps;
  }

  const Vector& x() const { return x_; }
  double cost() const { return cost_[0]; }
  long steps() const { return steps_; }

 private:
  void check(int flag) { calls_.guard.check(flag, begin_); }

  Context context_;
  CostCalls& calls_;
  bool newton_;
  Accuracy accuracy_;
  double begin_, end_;
  Vector x_, cost_ = Vector::Zero(1);
  VectorHandle x_vector_, cost_vector_;
  std::optional<Corrector> corrector_;
  CvodesHandle cvodes_;
  long steps_ = 0;
};

}  // namespace

CostGradient cost_gradient(const SensitivityProblem& problem, const Cost& cost) {
  Variation variation(problem);
  CostCalls calls(variation, cost);
  const std::vector<double> pauses = variation.pauses();
  const int nv = problem.model.nv();
  CostGradient out;
  out.parameters = variation.names();
  out.q.resize(problem.model.nq()), out.v.resize(nv);

  std::vector<Vector> x = {variation.start()};
  std::optional<Stretch> stretch;
  for (std::size_t k = 0; k + 1 < pauses.size(); ++k) {
    stretch.emplace(calls, problem, pauses[k], pauses[k + 1], x.back());
    x.push_back(stretch->x());
    out.value += stretch->cost();
    out.steps += stretch->steps();
  }
  variation.unpack(x.back(), out.q, out.v);
  out.value += cost.final(out.q, out.v);

  Vector l(2 * nv), forced = Vector::Zero(variation.forced());
  cost.final_gradient(out.q, out.v, l.head(nv), l.tail(nv));
  for (std::size_t k = pauses.size() - 1; k-- > 0;) {
    if (k + 2 < pauses.size()) stretch.emplace(calls, problem, pauses[k], pauses[k + 1], x[k]);
    const long before = k + 2 < pauses.size() ? 0 : stretch->steps();
    stretch->backward(l, forced);
    out.steps += stretch->steps() - before;
  }
  const auto starts = static_cast<Eigen::Index>(variation.starts().size());
  out.gradient.resize(starts + forced.size());
  for (Eigen::Index c = 0; c < starts; ++c) out.gradient[c] = l[variation.starts()[static_cast<std::size_t>(c)]];
  out.gradient.tail(forced.size()) = forced;
  return out;
}

}  // namespace catena
