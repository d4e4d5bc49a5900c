#include "cli/packed.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace catena::cli {
namespace {

std::string base64(const std::vector<unsigned char>& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned have = static_cast<unsigned>(std::min<std::size_t>(3, bytes.size() - i));
    unsigned word = 0;
    for (unsigned k = 0; k < 3; ++k) word = word << 8 | (k < have ? bytes[i + k] : 0u);
    for (unsigned k = 0; k < 4; ++k) text += k <= have ? digits[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

// Little-endian on every machine.
template <class Word, class Number>
std::string packed(const std::vector<double>& numbers) {
  std::vector<unsigned char> bytes;
  bytes.reserve(numbers.size() * sizeof(Word));
  for (const double x : numbers) {
    const Word word = std::bit_cast<Word>(static_cast<Number>(x));
    for (std::size_t k = 0; k < sizeof(Word); ++k) bytes.push_back(static_cast<unsigned char>(word >> (8 * k)));
  }
  return base64(bytes);
}

}  // namespace

std::string packed_doubles(const std::vector<double>& numbers) { return packed<std::uint64_t, double>(numbers); }
std::string packed_floats(const std::vector<double>& numbers) { return packed<std::uint32_t, float>(numbers); }

}  // namespace catena::cli
