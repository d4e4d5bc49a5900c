// HDF5 recordings are read in a child process. The child checks the structure and sends what it finds through a pipe;
// this process checks sizes and numbers again.
#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <system_error>

#include "catena/record/hdf5_driver.hpp"
#include "catena/record/recording_child.hpp"
#include "catena/record/recording_hdf5.hpp"

namespace catena::recording {
namespace {

using namespace hdf5;

constexpr hsize_t rows_at_once = 4096;

struct StoredTable {
  Handle dataset;
  std::vector<int> columns;  // of the recording, in the order of the table's own
  hsize_t rows = 0;          // in the file; of a killed run tables may be longer than what counts
  int rank = 2;
};

struct StoredFile {
  Handle file;
  Hdf5Top top;
  std::vector<StoredTable> tables;
};

// A running writer makes it longer meanwhile.
std::uint64_t size_of(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

[[noreturn]] void refuse(const std::string& name, const char* what) { throw Failure{"\"" + name + "\" " + what}; }

// The layout that Catena writes, and nothing outside of the file.
void require_plain(hid_t dataset, const std::string& name, hid_t type, H5D_layout_t layout) {
  const Handle list(H5Dget_create_plist(dataset), H5Pclose), stored(H5Dget_type(dataset), H5Tclose);
  if (H5Pget_external_count(list) != 0) refuse(name, "lies in another file");
  const H5D_layout_t found = H5Pget_layout(list);
  if (found == H5D_VIRTUAL) refuse(name, "is put together from other files");
  if (H5Pget_nfilters(list) != 0) refuse(name, "is compressed or filtered (h5repack -f NONE undoes it)");
  if (found != layout || ok(H5Tequal(stored, type)) <= 0)
    refuse(name, "has a layout or type that Catena does not write");
}

std::vector<std::string> texts_of(const StoredTable& table, const char* what, std::uint64_t size) {
  return read_texts(Handle(H5Aopen(table.dataset, what, H5P_DEFAULT), H5Aclose), size);
}

// Without columns: not one of Catena's.
StoredTable open_table(hid_t file, const std::string& name, std::uint64_t bytes, std::map<int, Column>& columns) {
  StoredTable table{Handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose), {}, 0, 2};
  if (H5Aexists(table.dataset, "columns") <= 0) return table;
  require_plain(table.dataset, name, H5T_IEEE_F64LE, H5D_CHUNKED);
  const Handle space(H5Dget_space(table.dataset), H5Sclose), list(H5Dget_create_plist(table.dataset), H5Pclose);
  table.rank = ok(H5Sget_simple_extent_ndims(space));
  if (table.rank != 1 && table.rank != 2) refuse(name, "is not a table");
  hsize_t size[2] = {0, 1}, chunk[2] = {1, 1};
  ok(H5Sget_simple_extent_dims(space, size, nullptr));
  ok(H5Pget_chunk(list, table.rank, chunk));
  table.rows = size[0];
  const std::uint64_t most = bytes / sizeof(double);
  if (size[1] == 0 || size[1] > most || chunk[0] == 0 || chunk[1] == 0 || chunk[0] > most / chunk[1])
    refuse(name, "is larger than the file");
  const std::vector<std::string> names = texts_of(table, "names", bytes), units = texts_of(table, "units", bytes);
  const Handle order(H5Aopen(table.dataset, "columns", H5P_DEFAULT), H5Aclose);
  const Handle count(H5Aget_space(order), H5Sclose), stored(H5Aget_type(order), H5Tclose);
  if (names.size() != size[1] || units.size() != size[1] || ok(H5Tequal(stored, H5T_STD_I32LE)) <= 0 ||
      H5Sget_simple_extent_npoints(count) != static_cast<hssize_t>(size[1])) {
    throw Failure{"the names or units of \"" + name + "\" do not fit"};
  }
  table.columns.resize(names.size());
  ok(H5Aread(order, H5T_NATIVE_INT, table.columns.data()));
  for (std::size_t k = 0; k < names.size(); ++k) columns[table.columns[k]] = {names[k], units[k]};
  return table;
}

void read_notes(StoredFile& out, std::uint64_t bytes) {
  H5O_info_t about{};
  ok(H5Oget_info(out.file, &about));
  for (hsize_t k = 0; k < about.num_attrs; ++k) {
    const Handle note(H5Aopen_by_idx(out.file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, k, H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
    const auto length = static_cast<std::uint64_t>(ok(H5Aget_name(note, 0, nullptr)));
    if (length > bytes) throw Failure{"a note's name is longer than the file"};
    std::string key(length, '\0');
    ok(H5Aget_name(note, key.size() + 1, key.data()));
    if (const auto text = read_texts(note, bytes); text.size() == 1) {
      out.top.header.notes.emplace_back(key, text[0]);
    } else {
      out.top.foreign = key;
    }
  }
}

// Rows and, of a run that goes on or was killed, the length that the file must have.
hsize_t read_written(const StoredFile& out, int descriptor) {
  if (H5Lexists(out.file, written_name, H5P_DEFAULT) <= 0) throw Failure{"it is not a recording"};
  H5L_info_t link{};
  ok(H5Lget_info(out.file, written_name, &link, H5P_DEFAULT));
  if (link.type != H5L_TYPE_HARD) refuse(written_name, "is a link");
  const Handle written(H5Dopen2(out.file, written_name, H5P_DEFAULT), H5Dclose);
  require_plain(written, written_name, H5T_STD_I64LE, H5D_CONTIGUOUS);
  if (H5Sget_simple_extent_npoints(Handle(H5Dget_space(written), H5Sclose)) != 2)
    throw Failure{"it is not a recording"};
  std::int64_t values[2] = {0, 0};
  ok(H5Dread(written, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, values));
  if (out.top.open && values[1] > static_cast<std::int64_t>(size_of(descriptor))) throw Failure{"its end is missing"};
  return static_cast<hsize_t>(std::max<std::int64_t>(values[0], 0));
}

StoredFile contents(Handle handle, bool open, int descriptor) {
  StoredFile out;
  out.file = std::move(handle);
  out.top.open = open;
  hsize_t rows = read_written(out, descriptor);
  const std::uint64_t bytes = size_of(descriptor);
  read_notes(out, bytes);
  std::map<int, Column> columns;
  std::size_t count = 0;
  H5G_info_t group{};
  ok(H5Gget_info(out.file, &group));
  for (hsize_t k = 0; k < group.nlinks; ++k) {
    const auto name_of = [&](char* text, std::size_t size) {
      return ok(H5Lget_name_by_idx(out.file, ".", H5_INDEX_NAME, H5_ITER_INC, k, text, size, H5P_DEFAULT));
    };
    const auto length = static_cast<std::uint64_t>(name_of(nullptr, 0));
    if (length > bytes) throw Failure{"a name is longer than the file"};
    std::string name(length, '\0');
    name_of(name.data(), name.size() + 1);
    if (name == written_name) continue;
    if (name.empty() || name.find('/') != std::string::npos) throw Failure{"a name in it is no name"};
    H5L_info_t link{};
    ok(H5Lget_info(out.file, name.c_str(), &link, H5P_DEFAULT));
    if (link.type != H5L_TYPE_HARD) refuse(name, "is a link to another place or file");
    H5O_info_t object{};
    if (H5Oget_info_by_name(out.file, name.c_str(), &object, H5P_DEFAULT) < 0) refuse(name, "cannot be read");
    StoredTable table;
    if (object.type == H5O_TYPE_DATASET) table = open_table(out.file, name, bytes, columns);
    if (table.columns.empty() || object.num_attrs != 3) out.top.foreign = name;
    if (table.columns.empty()) continue;
    count += table.columns.size();
    rows = std::min(rows, table.rows);
    out.tables.push_back(std::move(table));
  }
  if (count == 0 || columns.size() != count || columns.begin()->first != 0 ||
      columns.rbegin()->first != static_cast<int>(count) - 1) {
    throw Failure{"columns are missing or double"};
  }
  if (rows > bytes / sizeof(double) / count) throw Failure{"it has more rows than bytes"};
  out.top.rows = static_cast<long>(rows);
  for (auto& [index, column] : columns) out.top.header.columns.push_back(std::move(column));
  return out;
}

void read_block(const StoredFile& file, hsize_t begin, Rows& rows) {
  Rows block;
  for (const StoredTable& table : file.tables) {
    block.resize(rows.rows(), static_cast<Eigen::Index>(table.columns.size()));
    const hsize_t start[2] = {begin, 0}, size[2] = {static_cast<hsize_t>(rows.rows()), table.columns.size()};
    const Handle in_file(H5Dget_space(table.dataset), H5Sclose);
    const Handle in_memory(H5Screate_simple(table.rank, size, nullptr), H5Sclose);
    ok(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, nullptr, size, nullptr));
    ok(H5Dread(table.dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, block.data()));
    for (std::size_t k = 0; k < table.columns.size(); ++k)
      rows.col(table.columns[k]) = block.col(static_cast<Eigen::Index>(k));
  }
}

// A running or killed writer's mark (file format, superblock version 3: consistency flags at byte 11).
bool marked_as_open(int file) {
  unsigned char start[12] = {};
  return ::pread(file, start, sizeof start, 0) == sizeof start && start[8] >= 3 && (start[11] & 1) != 0;
}

// What comes next through the pipe.
enum Tag : std::uint64_t { tag_failure, tag_top, tag_rows, tag_done };

// In the child.
void send_contents(const Sender& out, int descriptor) {
  try {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    H5PLset_loading_state(0);  // no code that a file names
    const bool open = marked_as_open(descriptor);
    const auto storage = std::make_shared<Storage>(descriptor);
    const Handle access = access_list(*storage);
    const unsigned mode = H5F_ACC_RDONLY | (open ? H5F_ACC_SWMR_READ : 0u);
    const StoredFile file = contents(Handle(H5Fopen("recording", mode, access), H5Fclose), open, descriptor);
    const Hdf5Top& top = file.top;
    out.number(tag_top);
    out.number(static_cast<std::uint64_t>(top.rows));
    out.number(top.open ? 1 : 0);
    out.text(top.foreign);
    out.number(top.header.columns.size());
    for (const Column& column : top.header.columns) out.text(column.name), out.text(column.unit);
    out.number(top.header.notes.size());
    for (const auto& [key, text] : top.header.notes) out.text(key), out.text(text);
    Rows block;
    const auto all = static_cast<hsize_t>(top.rows);
    for (hsize_t begin = 0; begin < all; begin += rows_at_once) {
      block.resize(static_cast<Eigen::Index>(std::min(rows_at_once, all - begin)),
                   static_cast<Eigen::Index>(top.header.columns.size()));
      read_block(file, begin, block);
      out.number(tag_rows);
      out.number(static_cast<std::uint64_t>(block.rows()));
      out.bytes(block.data(), sizeof(double) * static_cast<std::size_t>(block.size()));
    }
    out.number(tag_done);
  } catch (const Failure& failure) {
    out.number(tag_failure);
    out.text(failure.reason.substr(0, 1000));
  } catch (...) {
    out.number(tag_failure);
    out.text("it needs more memory than its size allows");
  }
  ::_exit(0);  // without closing anything
}

[[noreturn]] void fail_unusable(const std::string& path, const std::string& reason) {
  fail("recording-damaged", path, "is no recording that can be read: " + reason,
       "check that it was copied whole and written by Catena");
}

// What the child says is believed no more than the file.
class Receiver {
 public:
  Receiver(Child& child, std::uint64_t bytes) : child_(&child), left_(bytes) {}

  std::uint64_t number() {
    std::uint64_t value = 0;
    if (!child_->number(value)) throw Failure{ended()};
    return value;
  }
  std::string text() {
    const std::uint64_t size = number();
    if (size > left_) throw Failure{"its texts are longer than the file"};
    left_ -= size;
    std::string out(size, '\0');
    bytes(out.data(), size);
    return out;
  }
  void bytes(void* data, std::size_t size) {
    if (!child_->read(data, size)) throw Failure{ended()};
  }
  // Each of the things that are counted needs a byte of the file at least.
  std::uint64_t count(std::uint64_t most) {
    const std::uint64_t value = number();
    if (value > most) throw Failure{"it holds more than its size allows"};
    return value;
  }

 private:
  std::string ended() {
    const std::string fate = child_->fate();
    return fate.empty() ? "reading it broke off" : fate;
  }
  Child* child_;
  std::uint64_t left_;
};

Hdf5Top receive_top(Receiver& in, std::uint64_t bytes) {
  Hdf5Top top;
  const std::uint64_t rows = in.count(bytes);
  top.open = in.number() != 0;
  top.foreign = in.text();
  const std::uint64_t columns = in.count(bytes);
  if (columns == 0 || rows > bytes / sizeof(double) / columns) throw Failure{"it holds more than its size allows"};
  top.rows = static_cast<long>(rows);
  for (std::uint64_t k = 0; k < columns; ++k) {
    std::string name = in.text();
    top.header.columns.push_back({std::move(name), in.text()});
  }
  for (std::uint64_t k = in.count(bytes); k > 0; --k) {
    std::string key = in.text();
    top.header.notes.emplace_back(std::move(key), in.text());
  }
  return top;
}

void receive(Child& child, int file, const std::string& path, const std::function<void(Hdf5Top)>& begin,
             const std::function<void(const Rows&)>& block) {
  Receiver in(child, 1000);
  const auto next = [&] {
    const std::uint64_t tag = in.number();
    if (tag == tag_failure) throw Failure{in.text()};
    return tag;
  };
  if (next() != tag_top) throw Failure{"reading it went wrong"};
  const std::uint64_t bytes = size_of(file);
  in = Receiver(child, bytes);
  Hdf5Top top = receive_top(in, bytes);
  try {
    check_header(top.header);
  } catch (const std::invalid_argument& error) {
    throw Failure{error.what()};
  }
  const RecordingHeader header = top.header;
  const long all = top.rows;
  begin(std::move(top));
  RowCheck check(header);
  Rows rows;
  for (long done = 0; done < all;) {
    if (next() != tag_rows) throw Failure{"reading it went wrong"};
    const std::uint64_t now = in.count(rows_at_once);
    if (now == 0 || now > static_cast<std::uint64_t>(all - done)) throw Failure{"reading it went wrong"};
    rows.resize(static_cast<Eigen::Index>(now), static_cast<Eigen::Index>(header.columns.size()));
    in.bytes(rows.data(), sizeof(double) * static_cast<std::size_t>(rows.size()));
    if (const RowCheck::Fault fault = check.check(rows); fault.row >= 0) {
      fail("recording-damaged", path, fmt::format("row {}: {}", done + fault.row + 1, fault.what),
           "check that Catena wrote it; record anew");
    }
    block(rows);
    done += rows.rows();
  }
  if (next() != tag_done) throw Failure{"reading it went wrong"};
}

}  // namespace

void read_hdf5(int file, const std::string& path, const std::function<void(Hdf5Top)>& begin,
               const std::function<void(const Rows&)>& block) {
  const Descriptor input(::fcntl(file, F_DUPFD_CLOEXEC, 3));  // not one of the three standard files
  if (input.number() < 0) fail_unreadable(path, errno);
  try {
    std::optional<Child> child;
    {
      const Session alone;  // no thread is inside the library at this moment
      child.emplace(size_of(file), [&](const Sender& out) { send_contents(out, input.number()); });
    }
    receive(*child, file, path, begin, block);
  } catch (const Failure& failure) {
    fail_unusable(path, failure.reason);
  } catch (const std::system_error& error) {
    fail("file-unreadable", path, "cannot be read: no process for it: " + error.code().message(),
         "free some memory, or raise the limit of processes");
  }
}

Recording read_hdf5(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.number() < 0) fail_unreadable(path, errno);
  Recording out;
  Eigen::Index next = 0;
  read_hdf5(
      file.number(), path,
      [&](Hdf5Top top) {
        out.values.resize(top.rows, static_cast<Eigen::Index>(top.header.columns.size()));
        out.header = std::move(top.header);
      },
      [&](const Rows& rows) {
        out.values.middleRows(next, rows.rows()) = rows;
        next += rows.rows();
      });
  return out;
}

}  // namespace catena::recording
