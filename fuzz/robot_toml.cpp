// Robots as TOML.
#include "catena/read/toml.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  catena::fuzz::judge(catena::read::toml(catena::fuzz::text_of(data, size), "f"));
  return 0;
}
