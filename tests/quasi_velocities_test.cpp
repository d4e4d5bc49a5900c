// The conclusions of docs/studies/quasi_velocities.md, on few robots and states: what they say is measured again here.
#include "bench/quasi_velocities.hpp"

#include "support.hpp"

namespace catena::test {
namespace {

constexpr std::size_t v = 0, xi = 1, nu = 2;

TEST(QuasiVelocities, CostMoreThanVelocitiesAndTheNormalizedOnesTheMost) {
  for (const char* name : {"planar_3r", "stanford_arm", "puma560", "arm7", "chain:12"}) {
    SCOPED_TRACE(name);
    const std::array<study::Cost, 3> costs = study::costs(study::conservative(name, true));
    const auto algorithm = [&](std::size_t k) { return static_cast<double>(costs[k].algorithm.total()); };
    const auto program = [&](std::size_t k) { return static_cast<double>(costs[k].program.total()); };
    EXPECT_GT(algorithm(xi), 1.5 * algorithm(v));
    EXPECT_LT(algorithm(xi), 2.2 * algorithm(v));
    EXPECT_GT(algorithm(nu), algorithm(xi));
    EXPECT_LT(algorithm(nu), 1.1 * algorithm(xi));
    EXPECT_GT(program(xi), program(v));
    EXPECT_GT(program(nu), program(xi));
    EXPECT_EQ(costs[xi].algorithm.sqrt, 0);
  }
}

TEST(QuasiVelocities, AreAsAccurateAsVelocities) {
  for (const char* name : {"stanford_arm", "puma560", "arm7"}) {
    SCOPED_TRACE(name);
    const study::Errors errors = study::errors(study::conservative(name, true), 60);
    for (const std::size_t k : {xi, nu}) {
      EXPECT_LT(errors.median(k), 2 * errors.median(v));
      EXPECT_GT(errors.median(k), 0.3 * errors.median(v));
    }
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_GT(errors.median(k), 0.1);  // rounding there is: the reference is another
  }
}

// At the same tolerance the three take about as many evaluations and end about as near to the truth, so that none pays
// back what it costs.
TEST(QuasiVelocities, DoNotPayTheirPriceBackInStepsOfTheIntegrator) {
  for (const char* name : {"stanford_arm", "arm7"}) {
    const std::array<study::Cost, 3> costs = study::costs(study::conservative(name, true));
    for (const bool gravity : {false, true}) {
      SCOPED_TRACE(std::string(name) + (gravity ? ", gravity" : ", free"));
      const Model model = study::conservative(name, gravity);
      std::array<double, 3> evaluations{}, error{}, energy{};
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const Vector end = study::truth(model, seed);
        for (std::size_t k = 0; k < 3; ++k) {
          const study::Run run = study::run_to(model, study::all_velocities[k], seed, 1e-7);
          evaluations[k] += static_cast<double>(run.evaluations);
          error[k] += std::log10((run.q - end).cwiseAbs().maxCoeff()) / 4;
          energy[k] = std::max(energy[k], run.energy_error);
        }
      }
      for (const std::size_t k : {xi, nu}) {
        EXPECT_GT(evaluations[k], 0.7 * evaluations[v]);
        EXPECT_LT(evaluations[k], 1.2 * evaluations[v]);
        EXPECT_NEAR(error[k], error[v], std::log10(4.0));
        const auto cost = [&](std::size_t i) { return static_cast<double>(costs[i].program.total()) * evaluations[i]; };
        EXPECT_GT(cost(k), 1.1 * cost(v));
      }
      for (std::size_t k = 0; k < 3; ++k) EXPECT_LT(energy[k], 1e-6);
    }
  }
}

}  // namespace
}  // namespace catena::test
