#include "catena/write/npz.hpp"

#include <array>
#include <bit>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <stdexcept>

namespace catena::write {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand in memory");

template <class Number>
void put(std::string& out, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof number);
}

// Of a zip archive: CRC-32 with the reversed polynomial 0xEDB88320.
std::uint32_t checksum(const std::string& bytes) {
  static const std::array<std::uint32_t, 256> table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int k = 0; k < 8; ++k) c = (c & 1) != 0 ? 0xEDB88320u ^ (c >> 1) : c >> 1;
      t[i] = c;
    }
    return t;
  }();
  std::uint32_t c = 0xFFFFFFFFu;
  for (const char byte : bytes) c = table[(c ^ static_cast<unsigned char>(byte)) & 0xFF] ^ (c >> 8);
  return c ^ 0xFFFFFFFFu;
}

// One array: magic, version 1.0, a header padded to 64 bytes, the numbers column by column.
std::string npy(const Eigen::MatrixXd& x) {
  std::string header = "{'descr': '<f8', 'fortran_order': True, 'shape': (" + std::to_string(x.rows()) + ", " +
                       std::to_string(x.cols()) + "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  put(out, static_cast<std::uint16_t>(header.size()));
  out += header;
  out.append(reinterpret_cast<const char*>(x.data()), sizeof(double) * static_cast<std::size_t>(x.size()));
  return out;
}

std::string file_name(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '_';
  return out + ".npy";
}

// What the entry at the file and the one in the directory at the end have in common.
std::string common(const std::string& name, const std::string& bytes) {
  std::string out;
  put(out, std::uint16_t{20});          // version that is needed
  put(out, std::uint16_t{0});           // flags
  put(out, std::uint16_t{0});           // stored
  put(out, std::uint32_t{0x00210000});  // 1 January 1980: the same matrices give the same file
  put(out, checksum(bytes));
  put(out, static_cast<std::uint32_t>(bytes.size()));
  put(out, static_cast<std::uint32_t>(bytes.size()));
  put(out, static_cast<std::uint16_t>(name.size()));
  put(out, std::uint16_t{0});  // no extra field
  return out;
}

}  // namespace

std::string npz(const std::vector<std::pair<std::string, Eigen::MatrixXd>>& arrays) {
  std::string out, directory;
  for (const auto& [key, matrix] : arrays) {
    const std::string name = file_name(key), bytes = npy(matrix), shared = common(name, bytes);
    put(directory, std::uint32_t{0x02014b50});
    put(directory, std::uint16_t{20});
    directory += shared;
    put(directory, std::uint16_t{0});  // no comment
    put(directory, std::uint16_t{0});  // first disk
    put(directory, std::uint16_t{0});
    put(directory, std::uint32_t{0});
    put(directory, static_cast<std::uint32_t>(out.size()));
    directory += name;
    put(out, std::uint32_t{0x04034b50});
    out += shared + name + bytes;
    if (out.size() > 0x7FFFFFFFu) throw std::invalid_argument("more than 2 GB of matrices in one .npz file");
  }
  const auto start = static_cast<std::uint32_t>(out.size()), size = static_cast<std::uint32_t>(directory.size());
  const auto count = static_cast<std::uint16_t>(arrays.size());
  out += directory;
  put(out, std::uint32_t{0x06054b50});
  put(out, std::uint16_t{0});
  put(out, std::uint16_t{0});
  put(out, count);
  put(out, count);
  put(out, size);
  put(out, start);
  put(out, std::uint16_t{0});
  return out;
}

}  // namespace catena::write
