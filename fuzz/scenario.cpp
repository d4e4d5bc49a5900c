// Scenarios. What they name (robots, motions) is looked for in the folder in which the fuzzer runs, which is empty.
#include "catena/simulate/scenario.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena;
  try {
    const Scenario scenario = scenario_from_text(std::string(fuzz::text_of(data, size)), "s.toml");
    fuzz::judge(scenario.findings);
    FUZZ_REQUIRE(scenario.q.allFinite() && scenario.v.allFinite());
  } catch (const ModelError& error) {
    FUZZ_REQUIRE(has_errors(error.findings()));
    fuzz::judge(error.findings());
  }
  return 0;
}
