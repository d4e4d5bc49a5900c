// HDF5 recordings: what reading and writing share.
#pragma once

#include <functional>

#include "catena/record/recording_files.hpp"

namespace catena::recording {

constexpr const char* written_name = "catena.written";  // [rows, bytes of the file then]; other names have no dot

// What stands before the rows.
struct Hdf5Top {
  RecordingHeader header;
  long rows = 0;
  bool open = false;    // its writer runs, or was killed
  std::string foreign;  // something in the file that Catena did not write, if there is any
};

// Reads a file that may be damaged or hostile, block by block, in a child process: the HDF5 library never sees it in this
// one. Nothing is taken that Catena does not write: links, data in other files, virtual datasets, filters, other types and
// layouts. Numbers are finite and time does not run backwards. Throws ModelError.
void read_hdf5(int file, const std::string& path, const std::function<void(Hdf5Top)>& begin,
               const std::function<void(const Rows&)>& block);

}  // namespace catena::recording
