// States as TOML, JSON or CSV: the first byte says which.
#include "catena/read/state.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena;
  if (size == 0) return -1;
  static constexpr const char* endings[] = {".toml", ".json", ".csv"};
  const std::string path = fuzz::file_of(fuzz::text_of(data, size).substr(1), endings[data[0] % 3]);
  try {
    const read::State state = read::state(fuzz::robot(), path);
    for (const auto* part : {&state.q, &state.v, &state.a, &state.tau}) FUZZ_REQUIRE(!*part || (*part)->allFinite());
  } catch (const ModelError& error) {
    fuzz::judge(error.findings());
  }
  return 0;
}
