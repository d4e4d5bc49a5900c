// Recordings as HDF5. The HDF5 library reads them in a child process, where it may crash; this process may not, and no
// other file may change. An input is a list of changes to a sound recording, 4 bytes each: the place among the bytes that
// are not zero (2 bytes), the byte added to it, and the new value. Check sums of the changed descriptions are made right
// again, so that the library takes them for what they say.
#include "catena/record/recording.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "fuzz.hpp"

namespace {

using namespace catena;

std::uint32_t rotated(std::uint32_t x, int k) { return (x << k) | (x >> (32 - k)); }

// The library's check sum (Jenkins' lookup3).
std::uint32_t check_sum(const unsigned char* k, std::size_t length) {
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(length), b = a, c = a;
  const auto add = [&](const unsigned char* bytes, std::size_t count) {
    std::uint32_t* words[] = {&a, &b, &c};
    for (std::size_t i = 0; i < count; ++i) *words[i / 4] += static_cast<std::uint32_t>(bytes[i]) << (8 * (i % 4));
  };
  for (; length > 12; length -= 12, k += 12) {
    add(k, 12);
    a -= c, a ^= rotated(c, 4), c += b;
    b -= a, b ^= rotated(a, 6), a += c;
    c -= b, c ^= rotated(b, 8), b += a;
    a -= c, a ^= rotated(c, 16), c += b;
    b -= a, b ^= rotated(a, 19), a += c;
    c -= b, c ^= rotated(b, 4), b += a;
  }
  if (length == 0) return c;
  add(k, length);
  c ^= b, c -= rotated(b, 14);
  a ^= c, a -= rotated(c, 11);
  b ^= a, b -= rotated(a, 25);
  c ^= b, c -= rotated(b, 16);
  a ^= c, a -= rotated(c, 4);
  b ^= a, b -= rotated(a, 14);
  c ^= b, c -= rotated(b, 24);
  return c;
}

struct Base {
  std::string bytes;
  std::vector<std::size_t> used;                          // places that are not zero
  std::vector<std::pair<std::size_t, std::size_t>> sums;  // where a description begins, and its check sum
};

// "OHDR", "OCHK" and the like: where the library's descriptions begin.
bool is_signature(const unsigned char* bytes) {
  return std::all_of(bytes, bytes + 4, [](unsigned char c) { return c >= 'A' && c <= 'Z'; });
}

Base base_of(bool killed) {
  const std::string path = fuzz::file_of("", "-base.h5");
  std::filesystem::remove(path);
  Base base;
  const auto take = [&] {
    std::ifstream in(path, std::ios::binary);
    base.bytes.assign(std::istreambuf_iterator<char>(in), {});
  };
  const RecordingHeader header{{{"time", "s"}, {"q.a", "rad"}, {"q.b", "m"}}, {{"model", "fuzz"}, {"hash", "00ff"}}};
  {
    const auto recorder = create_recording(path, header);
    for (int k = 0; k < 40; ++k) recorder->append(Eigen::Vector3d(k, 0.5 * k, -k));
    recorder->flush();
    if (killed) take();
  }
  if (!killed) take();
  std::filesystem::remove(path);
  const auto* bytes = reinterpret_cast<const unsigned char*>(base.bytes.data());
  for (std::size_t k = 0; k < base.bytes.size(); ++k)
    if (bytes[k] != 0) base.used.push_back(k);
  for (std::size_t begin = 0; begin + 8 < base.bytes.size(); ++begin) {
    if (begin > 0 && !is_signature(bytes + begin)) continue;
    for (std::size_t end = begin + 8; end + 4 <= std::min(base.bytes.size(), begin + 1200); ++end) {
      std::uint32_t stored = 0;
      std::memcpy(&stored, bytes + end, 4);
      if (stored != 0 && stored == check_sum(bytes + begin, end - begin)) base.sums.emplace_back(begin, end);
    }
  }
  FUZZ_REQUIRE(base.sums.size() > 3);
  return base;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Base bases[] = {base_of(false), base_of(true)};
  if (size == 0) return -1;
  const Base& base = bases[data[0] % 2];
  const bool mend = data[0] % 4 < 2;
  std::string bytes = base.bytes;
  for (std::size_t k = 1; k + 4 <= size; k += 4) {
    const std::size_t place = base.used[(data[k] + 256u * data[k + 1]) % base.used.size()] + data[k + 2] % 16u;
    if (place < bytes.size()) bytes[place] = static_cast<char>(data[k + 3]);
  }
  for (const auto& [begin, end] : base.sums) {
    if (!mend || bytes.compare(begin, end - begin, base.bytes, begin, end - begin) == 0) continue;
    const std::uint32_t sum = check_sum(reinterpret_cast<const unsigned char*>(bytes.data()) + begin, end - begin);
    std::memcpy(bytes.data() + end, &sum, sizeof sum);
  }
  const std::string path = fuzz::file_of(bytes, ".h5");
  try {
    const Recording recording = read_recording(path);
    FUZZ_REQUIRE(recording.values.allFinite());
    FUZZ_REQUIRE(recording.values.cols() == static_cast<Eigen::Index>(recording.header.columns.size()));
    FUZZ_REQUIRE(recording.values.size() * sizeof(double) <= bytes.size());
    const Resumed resumed = resume_recording(path);
    FUZZ_REQUIRE(resumed.rows == recording.values.rows());
    if (resumed.rows > 0) resumed.recorder->append(resumed.last);
    resumed.recorder->finish();
    FUZZ_REQUIRE(read_recording(path).values.rows() == resumed.rows + (resumed.rows > 0 ? 1 : 0));
  } catch (const ModelError& error) {
    fuzz::judge(error.findings());
  }
  return 0;
}
