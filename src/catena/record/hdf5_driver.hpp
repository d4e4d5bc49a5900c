// The file below the HDF5 library: an open descriptor instead of a name, and writes that never fail.
//
// The library cannot close a file that it failed to write, and reopens files by their names. Here it gets a driver of its
// own ("virtual file driver"): from the first write that fails on, all writes wait in memory, in their order, so that the
// file stays what it would be had the program been killed then - which recordings survive - and the library notices
// nothing. The writer asks after each flush, and may try again when there is space.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "catena/record/hdf5_calls.hpp"

namespace catena::hdf5 {

class Storage : public std::enable_shared_from_this<Storage> {
 public:
  explicit Storage(int file);  // must stay open longer than the library's use of it

  int settle();    // writes what waits: 0, or the error of the first write that fails still
  void release();  // space that was reserved and is not used

  // For the driver.
  std::uint64_t end() const { return end_; }
  bool read(std::uint64_t at, char* data, std::size_t size) const;
  void write(std::uint64_t at, const char* data, std::size_t size);
  void resize(std::uint64_t size);

 private:
  struct Change {  // bytes at a place, or the end of the file if there are none
    std::uint64_t at = 0;
    std::vector<char> bytes;
  };
  int apply(std::uint64_t at, const char* data, std::size_t size);
  int apply_size(std::uint64_t size);
  int reserve(std::uint64_t end);

  int file_;
  std::uint64_t end_ = 0;       // of the file as the library sees it
  std::uint64_t reserved_ = 0;  // bytes of the disk that are the file's, whether it uses them yet or not
  bool can_reserve_ = true;
  std::vector<Change> waiting_;
};

// Access to the storage, whatever name the library is given.
Handle access_list(Storage& storage);

}  // namespace catena::hdf5
