// Writing a file so that it is whole or not there: to a temporary beside it, then renamed.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "catena/model/description.hpp"
#include "catena/write/claim.hpp"

#pragma GCC visibility push(default)
namespace catena::write {

// Looks at a robot as it was read back from the text, before a file is replaced by that; throws to keep the old one.
using Judge = std::function<void(const Description& back)>;

// Replaces what was there when the claim was made. Throws ModelError if the file cannot be written, or if another program
// has made one where there was none; what is there then stays as it is.
void replace_file(const Claim& claim, std::string_view text);

// The same for files of one folder that belong together: if any of them cannot be written, or another program has made
// one of them, none is. Programs that write several files take turns.
void replace_files(const std::vector<Claim>& claims, const std::vector<std::string>& texts);

// For files that are written bit by bit.
//
// A new file beside the target, for reading and writing, with the target's permissions if that exists. Its name keeps
// the ending and cannot be foreseen ("run.h5": "run.k2x7w0qm.h5"); a file or link that has it already is never opened.
struct Temporary {
  int file = -1;  // < 0: errno says why
  std::string path;
};
Temporary make_temporary(const std::string& target);

enum class Existing { replace, keep };

// The temporary takes the target's name: 0 or the error (EEXIST: existing files are kept, and there is one).
int take_name(const std::string& temporary, const std::string& target, Existing existing);

// 0 or the error, with the number of bytes that were written before it. A limit on the size of files is an error as any
// other (EFBIG), not a signal that ends the program.
int write_all(int file, std::string_view text, std::size_t& written);

// What was written is on the disk: 0 or the error. Pipes, devices and file systems that know no such thing are fine.
int synchronize(int file);

// The most bytes that a file of this program may have now (RLIMIT_FSIZE).
std::size_t largest_file();

}  // namespace catena::write
#pragma GCC visibility pop
