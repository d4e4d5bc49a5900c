// Counts as polynomials in n, fitted on chains of a few lengths and verified on others.
#include "catena/count/count.hpp"
#include "catena/kinematics/configuration.hpp"

namespace catena {

Description counted_chain(int joints, CountedChain shape) {
  Description general = chain(joints, {.shape = ChainShape::general});
  if (shape == CountedChain::general) return general;
  Description out = chain(joints, {.shape = ChainShape::perpendicular});
  for (std::size_t k = 0; k < out.bodies.size(); ++k) out.bodies[k].inertial = general.bodies[k].inertial;
  return out;
}

Polynomial AlgorithmFormula::total() const { return mul + add + div + sqrt + trig; }

namespace {

// Short chains are special: what is constant at the ground and at the tip reaches further than one link.
constexpr int fitted_from = 6, fitted_to = 9;
constexpr int verified[] = {10, 11, 14};

Polynomial fit(const std::string& name, const char* what, long long Operations::*member,
               const std::vector<std::vector<AlgorithmCount>>& fitted,
               const std::vector<std::vector<AlgorithmCount>>& more, std::size_t index) {
  std::vector<long long> values;
  for (const auto& counts : fitted) values.push_back(counts[index].operations.*member);
  const Polynomial p = Polynomial::through(fitted_from, values);
  for (std::size_t i = 0; i < more.size(); ++i) {
    if (p(verified[i]) == static_cast<double>(more[i][index].operations.*member)) continue;
    throw NumericalError("the " + std::string(what) + " of " + name + " are no cubic in n: " + p.text() +
                             " fails at n = " + std::to_string(verified[i]),
                         "");
  }
  return p;
}

}  // namespace

std::vector<AlgorithmFormula> count_formulas(CountedChain shape) {
  const auto count = [&](int n) { return count_operations(Model(counted_chain(n, shape))); };
  std::vector<std::vector<AlgorithmCount>> fitted, more;
  for (int n = fitted_from; n <= fitted_to; ++n) fitted.push_back(count(n));
  for (const int n : verified) more.push_back(count(n));
  std::vector<std::vector<AlgorithmCount>> shorter;
  for (int n = 1; n < fitted_from; ++n) shorter.push_back(count(n));

  std::vector<AlgorithmFormula> out;
  for (std::size_t k = 0; k < fitted.front().size(); ++k) {
    const AlgorithmCount& first = fitted.front()[k];
    const auto polynomial = [&](const char* what, long long Operations::*member) {
      return fit(first.name, what, member, fitted, more, k);
    };
    AlgorithmFormula f{first.name,
                       first.title,
                       polynomial("multiplications", &Operations::mul),
                       polynomial("additions", &Operations::add),
                       polynomial("divisions", &Operations::div),
                       polynomial("square roots", &Operations::sqrt),
                       polynomial("sines and cosines", &Operations::trig),
                       fitted_from};
    for (int n = fitted_from - 1; n >= 1; --n) {
      const Operations& o = shorter[static_cast<std::size_t>(n - 1)][k].operations;
      const bool holds = f.mul(n) == static_cast<double>(o.mul) && f.add(n) == static_cast<double>(o.add) &&
                         f.div(n) == static_cast<double>(o.div) && f.sqrt(n) == static_cast<double>(o.sqrt) &&
                         f.trig(n) == static_cast<double>(o.trig);
      if (!holds) break;
      f.from = n;
    }
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace catena
