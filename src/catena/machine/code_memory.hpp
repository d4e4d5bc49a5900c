// Memory for machine code: written once, then read and run. At no time can a page be both written and run, and once the
// code stands nothing can write to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace catena::compile {

class CodeMemory {
 public:
  CodeMemory() = default;
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;
  ~CodeMemory();

  // The address that code of this size will run at, not to be touched before run(); null where there is no memory.
  const void* reserve(std::size_t bytes);
  // Puts the code there, at most as many bytes as reserved. False where the system does not let code be made.
  bool run(std::span<const std::uint8_t> code);

 private:
  bool run_from_file(std::span<const std::uint8_t> code);
  bool run_from_memory(std::span<const std::uint8_t> code);

  void* begin_ = nullptr;
  std::size_t size_ = 0;  // whole pages
};

}  // namespace catena::compile
