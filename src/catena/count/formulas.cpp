// Counts as polynomials in n, fitted on chains of a few lengths and verified on others.
#include <cmath>
#include "catena/count/count.hpp"

#include "catena/kinematics/configuration.hpp"

namespace catena {

Description counted_chain(int joints, CountedChain shape) {
  Description general = chain(joints, {.shape = ChainShape::general});
  if (shape == CountedChain::general) return general;
  if (shape == CountedChain::denavit_hartenberg) {
    for (std::size_t k = 0; k < general.joints.size(); ++k) {
      const double alpha = 0.7 + 0.1 * static_cast<double>(k), a = 0.1, d = 0.2;
      Pose& placement = general.joints[k].placement;
      placement.R << 1, 0, 0, 0, std::cos(alpha), -std::sin(alpha), 0, std::sin(alpha), std::cos(alpha);  // an exact 1
      placement.p = {a, -d * std::sin(alpha), d * std::cos(alpha)};
    }
    general.joints.front().placement = {};  // frame 0 is where it serves best
    return general;
  }
  Description out = chain(joints, {.shape = ChainShape::perpendicular});
  for (std::size_t k = 0; k < out.bodies.size(); ++k) out.bodies[k].inertial = general.bodies[k].inertial;
  return out;
}

namespace {

// Short chains are special: what is constant at the ground and at the tip reaches further than one link.
constexpr int fitted_from = 6, fitted_to = 9;
constexpr int verified[] = {10, 11, 14};

using Counts = std::vector<AlgorithmCount>;

const Operations& whole(const AlgorithmCount& count) { return count.operations; }

// of(counts of one algorithm): the operations meant
template <class Of>
Formula fit(const std::string& name, const std::vector<Counts>& fitted, const std::vector<Counts>& more,
            std::size_t index, const Of& of) {
  const auto polynomial = [&](const char* what, long long Operations::*member) {
    std::vector<long long> values;
    for (const Counts& counts : fitted) values.push_back(of(counts[index]).*member);
    const Polynomial p = Polynomial::through(fitted_from, values);
    for (std::size_t i = 0; i < more.size(); ++i) {
      if (p(verified[i]) == static_cast<double>(of(more[i][index]).*member)) continue;
      throw NumericalError("the " + std::string(what) + " of " + name + " are no cubic in n: " + p.text() +
                               " fails at n = " + std::to_string(verified[i]),
                           "");
    }
    return p;
  };
  return {name,
          polynomial("multiplications", &Operations::mul),
          polynomial("additions", &Operations::add),
          polynomial("divisions", &Operations::div),
          polynomial("square roots", &Operations::sqrt),
          polynomial("sines and cosines", &Operations::trig)};
}

bool holds(const Formula& f, const Operations& o, int n) {
  return f.mul(n) == static_cast<double>(o.mul) && f.add(n) == static_cast<double>(o.add) &&
         f.div(n) == static_cast<double>(o.div) && f.sqrt(n) == static_cast<double>(o.sqrt) &&
         f.trig(n) == static_cast<double>(o.trig);
}

}  // namespace

std::vector<AlgorithmFormula> count_formulas(CountedChain shape) {
  const auto count = [&](int n) { return count_operations(Model(counted_chain(n, shape))); };
  std::vector<Counts> fitted, more, shorter;
  for (int n = fitted_from; n <= fitted_to; ++n) fitted.push_back(count(n));
  for (const int n : verified) more.push_back(count(n));
  for (int n = 1; n < fitted_from; ++n) shorter.push_back(count(n));

  std::vector<AlgorithmFormula> out;
  for (std::size_t k = 0; k < fitted.front().size(); ++k) {
    const AlgorithmCount& first = fitted.front()[k];
    AlgorithmFormula f{fit(first.name, fitted, more, k, whole), first.title, fitted_from, {}};
    while (f.from > 1 && holds(f, shorter[static_cast<std::size_t>(f.from - 2)][k].operations, f.from - 1)) --f.from;
    for (const SweepCount& sweep : first.sweeps) {
      const auto of = [&](const AlgorithmCount& counts) {
        for (const SweepCount& other : counts.sweeps)
          if (other.name == sweep.name) return other.operations;
        return Operations();
      };
      f.sweeps.push_back(fit(sweep.name, fitted, more, k, of));
    }
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace catena
