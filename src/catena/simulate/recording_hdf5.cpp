// Recordings as HDF5: columns "q.elbow", "q.wrist" become the table "q", one row per instant; "time" a plain list.
// Written in the library's single-writer-multiple-readers mode, which keeps the file readable at any moment; the number
// of rows in the file is written last ("catena.written"), so that rows half written are never taken for whole.
#include <fcntl.h>
#include <hdf5.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <set>

#include "catena/simulate/hdf5_calls.hpp"
#include "catena/simulate/recording_files.hpp"

namespace catena::recording {
namespace {

using namespace hdf5;

constexpr const char* written_name = "catena.written";  // [rows, bytes of the file then]; other names have no dot

Handle access_list() {
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  ok(H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110));  // older ones have no such mode
  ok(H5Pset_file_locking(list, true, true));                         // go on where the file system has no locks
  ok(H5Pset_metadata_read_attempts(list, 20));  // each waits twice as long as the one before: a millisecond in all
  return list;
}

struct Table {
  Handle dataset;
  std::vector<int> columns;  // of the recording, in the order of the table's own
  hsize_t rows = 0;          // in the file; after a kill tables may be longer than what counts
  int rank = 2;
};

// What is before the first dot, fit to be a name in the file and not taken yet.
std::string table_name(const std::string& column, std::set<std::string>& taken) {
  std::string name = column.substr(0, column.find('.'));
  std::replace(name.begin(), name.end(), '/', '_');  // would make a folder
  if (name.empty()) name = "_";
  while (!taken.insert(name).second) name += '_';
  return name;
}

void create_table(hid_t file, const std::string& name, const std::vector<int>& columns, bool flat,
                  const RecordingHeader& header) {
  const hsize_t width = columns.size();
  const hsize_t chunk_rows = std::clamp<hsize_t>(8192 / width, 16, 256);
  const hsize_t none[2] = {0, width}, most[2] = {H5S_UNLIMITED, width}, chunk[2] = {chunk_rows, width};
  const int rank = flat ? 1 : 2;
  const Handle space(H5Screate_simple(rank, none, most), H5Sclose), list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const double fill = std::numeric_limits<double>::quiet_NaN();
  ok(H5Pset_chunk(list, rank, chunk));
  ok(H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &fill));
  const Handle set(H5Dcreate2(file, name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  // A row that comes and goes makes the index of chunks. The library would make it with the first rows, and a kill in
  // that moment can leave a table that names an index which is not in the file.
  const hsize_t one[2] = {1, width};
  const std::vector<double> row(width, fill);
  ok(H5Dset_extent(set, one));
  ok(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row.data()));
  ok(H5Dset_extent(set, none));
  std::vector<std::string> names, units;
  for (const int k : columns) {
    names.push_back(header.columns[static_cast<std::size_t>(k)].name);
    units.push_back(header.columns[static_cast<std::size_t>(k)].unit);
  }
  write_texts(set, "names", names, false);
  write_texts(set, "units", units, false);
  const Handle count = list_space(width);
  const Handle order(H5Acreate2(set, "columns", H5T_STD_I32LE, count, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  ok(H5Awrite(order, H5T_NATIVE_INT, columns.data()));
}

void create_file(const std::string& path, const RecordingHeader& header) {
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  ok(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  // A kill can cut a write at a page of memory: descriptions that never cross one are written whole or not at all.
  ok(H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, false, 1));
  ok(H5Pset_file_space_page_size(creation, 4096));
  const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access_list()), H5Fclose);
  for (const auto& [key, text] : header.notes) write_texts(file, key, {text}, true);

  // A list for each column without a dot, a table for all columns with the same beginning.
  std::vector<std::pair<std::string, std::vector<int>>> tables;
  std::map<std::string, std::size_t> begun;
  std::set<std::string> taken;
  for (int pass = 0; pass < 2; ++pass) {  // lists first: "q" keeps its name, the table "q.a" beside it becomes "q_"
    for (std::size_t k = 0; k < header.columns.size(); ++k) {
      const std::string& name = header.columns[k].name;
      const bool flat = name.find('.') == std::string::npos;
      if (flat != (pass == 0)) continue;
      const std::string key = flat ? name : name.substr(0, name.find('.') + 1);
      const auto [at, fresh] = begun.emplace(key, tables.size());
      if (fresh) tables.emplace_back(table_name(name, taken), std::vector<int>());
      tables[at->second].second.push_back(static_cast<int>(k));
    }
  }
  for (const auto& [name, columns] : tables) {
    const bool flat = header.columns[static_cast<std::size_t>(columns[0])].name.find('.') == std::string::npos;
    create_table(file, name, columns, flat, header);
  }

  const Handle space = list_space(2), list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  ok(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY));
  const Handle written(H5Dcreate2(file, written_name, H5T_STD_I64LE, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  const std::int64_t none[2] = {0, 0};
  ok(H5Dwrite(written, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, none));
}

struct File {
  Handle file;
  Handle written;
  RecordingHeader header;
  std::vector<Table> tables;
  hsize_t rows = 0;
};

Table open_table(hid_t file, const std::string& name, std::map<int, Column>& columns) {
  Table table{Handle(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose), {}, 0, 2};
  if (H5Aexists(table.dataset, "columns") <= 0) return table;
  const Handle space(H5Dget_space(table.dataset), H5Sclose);
  table.rank = ok(H5Sget_simple_extent_ndims(space));
  if (table.rank != 1 && table.rank != 2) throw Failure{"\"" + name + "\" is not a table"};
  hsize_t size[2] = {0, 1};
  ok(H5Sget_simple_extent_dims(space, size, nullptr));
  table.rows = size[0];
  const auto texts = [&](const char* what) {
    return read_texts(Handle(H5Aopen(table.dataset, what, H5P_DEFAULT), H5Aclose));
  };
  const std::vector<std::string> names = texts("names"), units = texts("units");
  const Handle order(H5Aopen(table.dataset, "columns", H5P_DEFAULT), H5Aclose);
  const Handle count(H5Aget_space(order), H5Sclose);
  if (names.size() != size[1] || units.size() != size[1] ||
      H5Sget_simple_extent_npoints(count) != static_cast<hssize_t>(size[1])) {
    throw Failure{"the names or units of \"" + name + "\" do not fit"};
  }
  table.columns.resize(names.size());
  ok(H5Aread(order, H5T_NATIVE_INT, table.columns.data()));
  for (std::size_t k = 0; k < names.size(); ++k) columns[table.columns[k]] = {names[k], units[k]};
  return table;
}

File contents(Handle handle) {
  File out;
  out.file = std::move(handle);
  H5O_info_t about{};
  ok(H5Oget_info(out.file, &about));
  for (hsize_t k = 0; k < about.num_attrs; ++k) {
    const Handle note(H5Aopen_by_idx(out.file, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, k, H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose);
    std::string key(static_cast<std::size_t>(ok(H5Aget_name(note, 0, nullptr))), '\0');
    ok(H5Aget_name(note, key.size() + 1, key.data()));
    if (const auto text = read_texts(note); text.size() == 1) out.header.notes.emplace_back(key, text[0]);
  }

  if (H5Lexists(out.file, written_name, H5P_DEFAULT) <= 0) throw Failure{"it is not a recording"};
  out.written = Handle(H5Dopen2(out.file, written_name, H5P_DEFAULT), H5Dclose);
  if (H5Sget_simple_extent_npoints(Handle(H5Dget_space(out.written), H5Sclose)) != 2) {
    throw Failure{"it is not a recording"};
  }
  std::int64_t written[2] = {0, 0};
  ok(H5Dread(out.written, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, written));
  out.rows = static_cast<hsize_t>(std::max<std::int64_t>(written[0], 0));

  std::map<int, Column> columns;
  std::size_t count = 0;
  H5G_info_t group{};
  ok(H5Gget_info(out.file, &group));
  for (hsize_t k = 0; k < group.nlinks; ++k) {
    const auto name_of = [&](char* text, std::size_t size) {
      return ok(H5Lget_name_by_idx(out.file, ".", H5_INDEX_NAME, H5_ITER_INC, k, text, size, H5P_DEFAULT));
    };
    std::string name(static_cast<std::size_t>(name_of(nullptr, 0)), '\0');
    name_of(name.data(), name.size() + 1);
    H5L_info_t link{};
    ok(H5Lget_info(out.file, name.c_str(), &link, H5P_DEFAULT));
    if (name == written_name || link.type != H5L_TYPE_HARD) continue;
    H5O_info_t object{};
    if (H5Oget_info_by_name(out.file, name.c_str(), &object, H5P_DEFAULT) < 0) {
      throw Failure{"\"" + name + "\" cannot be read"};
    }
    if (object.type != H5O_TYPE_DATASET) continue;  // somebody's addition
    Table table = open_table(out.file, name, columns);
    if (table.columns.empty()) continue;
    count += table.columns.size();
    out.rows = std::min(out.rows, table.rows);
    out.tables.push_back(std::move(table));
  }
  if (count == 0 || columns.size() != count || columns.begin()->first != 0 ||
      columns.rbegin()->first != static_cast<int>(count) - 1) {
    throw Failure{"columns are missing or double"};
  }
  for (auto& [index, column] : columns) out.header.columns.push_back(std::move(column));
  return out;
}

// The file as its writer was killed: HDF5 no longer compares its length with what it should be.
void check_length(const File& file, const std::string& path) {
  std::int64_t written[2] = {0, 0};
  ok(H5Dread(file.written, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, written));
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || status.st_size < written[1]) throw Failure{"its end is missing"};
}

[[noreturn]] void fail_unusable(const std::string& path, const std::string& reason) {
  fail("recording-damaged", path, "is no recording that can be read: " + reason,
       "check that it was copied whole and written by Catena");
}

// A running or killed writer's mark (file format, superblock version 3: consistency flags at byte 11).
bool marked_as_open(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) fail_unreadable(path, errno);
  char start[12] = {};
  std::ifstream(path, std::ios::binary).read(start, sizeof start);
  return start[8] >= 3 && (start[11] & 1) != 0;
}

// Rows [begin, begin + count) of a table in the file, and their place in memory.
void transfer(const Table& table, hsize_t begin, hsize_t count, double* block, bool write) {
  const hsize_t start[2] = {begin, 0}, size[2] = {count, table.columns.size()};
  const Handle in_file(H5Dget_space(table.dataset), H5Sclose);
  const Handle in_memory(H5Screate_simple(table.rank, size, nullptr), H5Sclose);
  ok(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, nullptr, size, nullptr));
  ok(write ? H5Dwrite(table.dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, block)
           : H5Dread(table.dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, block));
}

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows read_rows(const File& file, hsize_t begin, hsize_t count) {
  constexpr hsize_t at_once = 4096;
  Rows out(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(file.header.columns.size()));
  Rows block;
  for (const Table& table : file.tables) {
    for (hsize_t done = 0; done < count; done += at_once) {
      const hsize_t now = std::min(at_once, count - done);
      block.resize(static_cast<Eigen::Index>(now), static_cast<Eigen::Index>(table.columns.size()));
      transfer(table, begin + done, now, block.data(), false);
      auto rows = out.middleRows(static_cast<Eigen::Index>(done), block.rows());
      for (std::size_t k = 0; k < table.columns.size(); ++k) {
        rows.col(table.columns[k]) = block.col(static_cast<Eigen::Index>(k));
      }
    }
  }
  return out;
}

class Hdf5Recorder final : public Recorder {
 public:
  Hdf5Recorder(File file, Descriptor lock, std::string path)
      : file_(std::move(file)), lock_(std::move(lock)), path_(std::move(path)) {
    pending_.resize(at_once, static_cast<Eigen::Index>(file_.header.columns.size()));
  }

  ~Hdf5Recorder() override {
    const Session session;
    try {
      write_out();
      for (Table& table : file_.tables) {  // rows that a killed run had not finished, and that were not needed again
        const hsize_t size[2] = {file_.rows, table.columns.size()};
        if (table.rows > file_.rows) ok(H5Dset_extent(table.dataset, size));
      }
    } catch (const Failure&) {
      H5Eclear2(H5E_DEFAULT);
    }
    file_ = {};
    struct stat status {};
    if (reserved_ > 0 && ::fstat(lock_.number(), &status) == 0) {
      [[maybe_unused]] const int released = ::ftruncate(lock_.number(), status.st_size);
    }
  }

  void append(const Eigen::Ref<const Eigen::VectorXd>& row) override {
    check_row(file_.header, row);
    if (count_ == at_once) flush();  // only if an earlier one failed
    pending_.row(count_++) = row.transpose();
    if (count_ == at_once) flush();
  }

  void flush() override {
    const Session session;
    try {
      write_out();
    } catch (const Failure& failure) {
      fail_unwritable(path_, failure.reason);
    }
  }

 private:
  static constexpr Eigen::Index at_once = 256;

  // The library cannot close a file that it failed to write: it is only asked to write where there is space.
  void reserve() {
#ifdef FALLOC_FL_KEEP_SIZE
    hsize_t size = 0;
    ok(H5Fget_filesize(file_.file, &size));
    // A block of rows may begin one chunk more in each table; what describes them is small.
    const hsize_t needed = size + 2 * sizeof(double) * static_cast<hsize_t>(pending_.size()) + 65536;
    if (needed <= reserved_) return;
    const hsize_t wanted = needed + (hsize_t(1) << 20);
    const auto begin = static_cast<off_t>(size);
    if (::fallocate(lock_.number(), FALLOC_FL_KEEP_SIZE, begin, static_cast<off_t>(wanted - size)) == 0) {
      reserved_ = wanted;
    } else if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) {
      throw Failure{std::strerror(errno)};
    }  // else the file system has no such thing
#endif
  }

  void write_out() {
    if (count_ == 0) return;
    reserve();
    const hsize_t rows = file_.rows + static_cast<hsize_t>(count_);
    for (Table& table : file_.tables) {
      const hsize_t size[2] = {rows, table.columns.size()};
      if (table.rows < rows) {
        ok(H5Dset_extent(table.dataset, size));
        table.rows = rows;
      }
      block_.resize(count_, static_cast<Eigen::Index>(table.columns.size()));
      for (std::size_t k = 0; k < table.columns.size(); ++k) {
        block_.col(static_cast<Eigen::Index>(k)) = pending_.col(table.columns[k]).head(count_);
      }
      transfer(table, file_.rows, static_cast<hsize_t>(count_), block_.data(), true);
    }
    ok(H5Fflush(file_.file, H5F_SCOPE_LOCAL));
    hsize_t bytes = 0;
    ok(H5Fget_filesize(file_.file, &bytes));
    const std::int64_t written[2] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(bytes)};
    ok(H5Dwrite(file_.written, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, written));
    ok(H5Dflush(file_.written));
    file_.rows = rows;
    count_ = 0;
  }

  File file_;
  Descriptor lock_;
  std::string path_;
  Rows pending_, block_;
  hsize_t reserved_ = 0;  // bytes of the disk that are the file's, whether it uses them yet or not
  Eigen::Index count_ = 0;
};

}  // namespace

std::unique_ptr<Recorder> create_hdf5(const std::string& path, const RecordingHeader& header) {
  const Session session;
  const std::string target = behind_links(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(target, ignored)) fail_unwritable(path, std::strerror(EISDIR));
  // Made beside its place, so that a program killed in this moment leaves no half file.
  const std::string temporary = target + "." + std::to_string(::getpid());
  try {
    create_file(temporary, header);
    std::filesystem::rename(temporary, target);
    Descriptor lock = open_to_append(target);
    Handle file(H5Fopen(target.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access_list()), H5Fclose);
    return std::make_unique<Hdf5Recorder>(contents(std::move(file)), std::move(lock), path);
  } catch (const Failure& failure) {
    ::unlink(temporary.c_str());
    fail_unwritable(path, failure.reason);
  } catch (const std::filesystem::filesystem_error& error) {
    ::unlink(temporary.c_str());
    fail_unwritable(path, error.code().message());
  }
}

Recording read_hdf5(const std::string& path) {
  const Session session;
  const bool open = marked_as_open(path);
  try {
    const unsigned mode = H5F_ACC_RDONLY | (open ? H5F_ACC_SWMR_READ : 0u);
    File file = contents(Handle(H5Fopen(path.c_str(), mode, access_list()), H5Fclose));
    if (open) check_length(file, path);
    Recording out;
    out.values = read_rows(file, 0, file.rows);
    out.header = std::move(file.header);
    return out;
  } catch (const Failure& failure) {
    fail_unusable(path, failure.reason);
  }
}

Resumed resume_hdf5(const std::string& path) {
  const Session session;
  const bool killed = marked_as_open(path);
  Descriptor lock = open_to_append(path);
  try {
    const Handle access = access_list();
    if (killed) {  // take its mark away; and the file may be longer than it says
      const hbool_t yes = true;
      ok(H5Pset(access, "clear_status_flags", &yes));
      ok(H5Pset(access, "skip_eof_check", &yes));
    }
    File file = contents(Handle(H5Fopen(path.c_str(), H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access), H5Fclose));
    if (killed) {
      check_length(file, path);
      ok(H5Fincrement_filesize(file.file, 0));  // new chunks go behind everything the killed writer wrote
    }
    Resumed out;
    out.rows = static_cast<long>(file.rows);
    if (file.rows > 0) out.last = read_rows(file, file.rows - 1, 1).row(0).transpose();
    out.header = file.header;
    out.recorder = std::make_unique<Hdf5Recorder>(std::move(file), std::move(lock), path);
    return out;
  } catch (const Failure& failure) {
    fail_unusable(path, failure.reason);
  }
}

}  // namespace catena::recording
