// Motions as CSV.
#include "catena/read/csv.hpp"
#include "catena/read/state.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena;
  try {
    const read::TrajectoryRows rows = read::trajectory(fuzz::robot(), fuzz::file_of(fuzz::text_of(data, size), ".csv"), {});
    for (const auto* part : {&rows.q, &rows.v, &rows.a, &rows.tau})
      FUZZ_REQUIRE(part->size() == 0 || (part->rows() == rows.size() && part->allFinite()));
  } catch (const ModelError& error) {
    fuzz::judge(error.findings());
  }
  return 0;
}
