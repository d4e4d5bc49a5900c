// Memory of machine code: what the system says of its pages.
#include "catena/machine/code_memory.hpp"

#include <cstdint>
#include <fstream>
#include <sstream>

#include "catena/machine/emit.hpp"
#include "catena/machine/machine_code.hpp"
#include "catena/read/robot.hpp"
#include "support.hpp"

namespace catena {
namespace {

struct Mapping {
  std::uintptr_t begin = 0, end = 0;
  std::string permissions, device;
  unsigned long inode = 0;  // of the file behind it; 0: none

  bool allows(char what) const { return permissions.find(what) != std::string::npos; }
  bool holds(std::uintptr_t address) const { return begin <= address && address < end; }
};

std::vector<Mapping> mappings() {
  std::vector<Mapping> out;
  std::ifstream file("/proc/self/maps");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Mapping m;
    char dash = 0;
    std::string offset;
    words >> std::hex >> m.begin >> dash >> m.end >> m.permissions >> offset >> m.device >> std::dec >> m.inode;
    out.push_back(m);
  }
  return out;
}

std::uintptr_t address_of(compile::Entry entry) { return reinterpret_cast<std::uintptr_t>(entry); }

void expect_only_run(std::uintptr_t address) {
  const std::vector<Mapping> all = mappings();
  const auto own = std::find_if(all.begin(), all.end(), [&](const Mapping& m) { return m.holds(address); });
  ASSERT_NE(own, all.end());
  EXPECT_TRUE(own->allows('x'));
  EXPECT_FALSE(own->allows('w'));
  for (const Mapping& m : all) {
    EXPECT_FALSE(m.allows('w') && m.allows('x')) << std::hex << m.begin;
    const bool same_file = own->inode != 0 && m.inode == own->inode && m.device == own->device;
    EXPECT_FALSE(same_file && m.allows('w')) << "the code can be written to at " << std::hex << m.begin;
  }
}

TEST(CodeMemory, NothingCanWriteToMachineCode) {
  if (compile::widest_lanes() == 0) GTEST_SKIP() << "no machine code on this processor";
  const Model arm = read::load("arm7");
  std::vector<CompiledFunction> compiled;
  for (const Function function : functions(arm)) compiled.emplace_back(arm, function);
  int count = 0;
  for (const CompiledFunction& f : compiled) {
    SCOPED_TRACE(function_name(f.program().function));
    if (!f.is_machine_code()) continue;  // a few are not
    ++count;
    expect_only_run(address_of(f.lanes_entry()));
    if (f.program().guarded) continue;  // it has a result more than its blocks tell: CompiledFunction adds the block
    expect_only_run(address_of(compile::emit(f.program(), 1)->entry));
  }
  EXPECT_GE(count, 10);
}

TEST(CodeMemory, IsGivenBack) {
  if (compile::widest_lanes() == 0) GTEST_SKIP() << "no machine code on this processor";
  const Model arm = read::load("planar_3r");
  std::uintptr_t address = 0;
  {
    const CompiledFunction f(arm, Function::gravity);
    address = address_of(f.lanes_entry());
  }
  for (const Mapping& m : mappings()) EXPECT_FALSE(m.holds(address) && m.allows('x'));
}

TEST(CodeMemory, TakesCodeOfItsSizeOnly) {
  const std::vector<std::uint8_t> code = {0xc3};
  compile::CodeMemory none;
  EXPECT_FALSE(none.run(code));  // nothing reserved
  compile::CodeMemory small;
  ASSERT_NE(small.reserve(1), nullptr);
  EXPECT_FALSE(small.run(std::vector<std::uint8_t>(1 << 20, 0xc3)));
  EXPECT_TRUE(small.run(code));
}

}  // namespace
}  // namespace catena
