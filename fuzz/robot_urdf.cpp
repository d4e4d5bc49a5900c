// Robots as URDF.
#include "catena/read/urdf.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  catena::fuzz::judge(catena::read::urdf(catena::fuzz::text_of(data, size), "f"));
  return 0;
}
