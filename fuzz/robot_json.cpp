// Robots as JSON.
#include "catena/read/json.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  catena::fuzz::judge(catena::read::json(catena::fuzz::text_of(data, size), "f"));
  return 0;
}
