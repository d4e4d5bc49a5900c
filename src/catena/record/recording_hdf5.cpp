// Recordings as HDF5: columns "q.elbow", "q.wrist" become the table "q", one row per instant; "time" a plain list.
// Written in the library's single-writer-multiple-readers mode, which keeps the file readable at any moment; the number
// of rows in the file is written last ("catena.written"), so that rows half written are never taken for whole. The library
// only ever writes to files that were made here; a run is resumed in a copy.
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "catena/model/finding.hpp"
#include "catena/record/hdf5_driver.hpp"
#include "catena/record/recording_hdf5.hpp"
#include "catena/write/file.hpp"

namespace catena::recording {
namespace {

using namespace hdf5;

// A dataset: a list for a column without a dot, a table for all columns with the same beginning.
struct Table {
  std::string name;
  std::vector<int> columns;  // of the recording, in the order of the table's own
  bool flat = false;
  Handle dataset = {};
};

// What is before the first dot, fit to be a name in the file and not taken yet.
std::string table_name(const std::string& column, std::set<std::string>& taken) {
  std::string name = column.substr(0, column.find('.'));
  std::replace(name.begin(), name.end(), '/', '_');  // would make a folder
  if (name.empty()) name = "_";
  while (!taken.insert(name).second) name += '_';
  return name;
}

void create_table(hid_t file, const Table& table, const RecordingHeader& header) {
  const hsize_t width = table.columns.size();
  const hsize_t chunk_rows = std::clamp<hsize_t>(8192 / width, 16, 256);
  const hsize_t none[2] = {0, width}, most[2] = {H5S_UNLIMITED, width}, chunk[2] = {chunk_rows, width};
  const int rank = table.flat ? 1 : 2;
  const Handle space(H5Screate_simple(rank, none, most), H5Sclose), list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const double fill = std::numeric_limits<double>::quiet_NaN();
  ok(H5Pset_chunk(list, rank, chunk));
  ok(H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &fill));
  const Handle set(H5Dcreate2(file, table.name.c_str(), H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT),
                   H5Dclose);
  // A row that comes and goes makes the index of chunks. The library would make it with the first rows, and a kill in
  // that moment can leave a table that names an index which is not in the file.
  const hsize_t one[2] = {1, width};
  const std::vector<double> row(width, fill);
  ok(H5Dset_extent(set, one));
  ok(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, row.data()));
  ok(H5Dset_extent(set, none));
  std::vector<std::string> names, units;
  for (const int k : table.columns) {
    names.push_back(header.columns[static_cast<std::size_t>(k)].name);
    units.push_back(header.columns[static_cast<std::size_t>(k)].unit);
  }
  write_texts(set, "names", names, false);
  write_texts(set, "units", units, false);
  const Handle count = list_space(width);
  const Handle order(H5Acreate2(set, "columns", H5T_STD_I32LE, count, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  ok(H5Awrite(order, H5T_NATIVE_INT, table.columns.data()));
}

std::vector<Table> tables_of(const RecordingHeader& header) {
  std::vector<Table> tables;
  std::map<std::string, std::size_t> begun;
  std::set<std::string> taken;
  for (int pass = 0; pass < 2; ++pass) {  // lists first: "q" keeps its name, the table "q.a" beside it becomes "q_"
    for (std::size_t k = 0; k < header.columns.size(); ++k) {
      const std::string& name = header.columns[k].name;
      const bool flat = name.find('.') == std::string::npos;
      if (flat != (pass == 0)) continue;
      const std::string key = flat ? name : name.substr(0, name.find('.') + 1);
      const auto [at, fresh] = begun.emplace(key, tables.size());
      if (fresh) tables.push_back({table_name(name, taken), {}, flat});
      tables[at->second].columns.push_back(static_cast<int>(k));
    }
  }
  return tables;
}

void create_file(Storage& storage, const RecordingHeader& header, const std::vector<Table>& tables) {
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  ok(H5Pset_attr_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  // A kill can cut a write at a page of memory: descriptions that never cross one are written whole or not at all.
  ok(H5Pset_file_space_strategy(creation, H5F_FSPACE_STRATEGY_PAGE, false, 1));
  ok(H5Pset_file_space_page_size(creation, 4096));
  Handle file(H5Fcreate("recording", H5F_ACC_TRUNC, creation, access_list(storage)), H5Fclose);
  for (const auto& [key, text] : header.notes) write_texts(file, key, {text}, true);
  for (const Table& table : tables) create_table(file, table, header);
  const Handle space = list_space(2), list(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  ok(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY));
  Handle written(H5Dcreate2(file, written_name, H5T_STD_I64LE, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  const std::int64_t none[2] = {0, 0};
  ok(H5Dwrite(written, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, none));
  written.close();
  file.close();
}

// When the new file takes its name.
enum class Show { at_once, with_new_rows, at_the_end };

class Hdf5Recorder final : public Recorder {
 public:
  Hdf5Recorder(Place place, std::string path, RecordingHeader header, Show show)
      : place_(std::move(place)),
        path_(std::move(path)),
        header_(std::move(header)),
        check_(header_),
        show_(show),
        storage_(std::make_shared<Storage>(place_.file())),
        tables_(tables_of(header_)) {
    const Session session;  // ends before the members do
    try {
      open();
      pending_.resize(at_once, static_cast<Eigen::Index>(header_.columns.size()));
      if (show_ == Show::at_once) place_.show();
    } catch (const Failure& failure) {
      close_handles();
      fail_unwritable(path_, failure.reason);
    } catch (...) {  // for example: another program has just made it
      close_handles();
      throw;
    }
  }

  ~Hdf5Recorder() override {
    // A copy that is not whole, or without a new row, vanishes.
    const bool wanted = show_ != Show::with_new_rows || (copied_ && (rows_ > inherited_ || count_ > 0));
    try {
      if (wanted) leave();
    } catch (...) {  // nobody left to tell
    }
    const Session session;
    close_handles();
  }

  void append(const Eigen::Ref<const Eigen::VectorXd>& row) override {
    if (finished_) throw std::invalid_argument("the recording is finished: nothing can be appended");
    if (count_ == at_once) flush();  // only if an earlier one failed
    check_.require(row);
    pending_.row(count_++) = row.transpose();
    if (count_ == at_once) flush();
  }

  void flush() override {
    if (finished_) return;
    const Session session;
    guarded([&] { write_out(); });
    if (show_ == Show::with_new_rows && copied_ && rows_ > inherited_) place_.show();
  }

  void finish() override {
    if (finished_) return;
    write_end();
    const bool wanted = show_ == Show::at_the_end || (copied_ && (rows_ > inherited_ || mend_));
    if (!place_.shown() && wanted) {
      read_back();
      place_.show();
    }
    place_.close();
    finished_ = true;
  }

  std::string leave() override {
    if (finished_) return place_.where();
    if (failed_) return "";  // all stays as the message said
    if (show_ != Show::at_the_end) {
      finish();
      return path_;
    }
    write_end();
    if (rows_ > 0) place_.set_aside();
    place_.close();
    finished_ = true;
    return rows_ > 0 ? place_.where() : "";
  }

  // All rows so far are those of the file that this one is a copy of; it was left open by a run that was killed.
  void copied(bool mend) {
    flush();
    read_back();
    inherited_ = rows_;
    copied_ = true;
    mend_ = mend;
  }

 private:
  static constexpr Eigen::Index at_once = 256;

  void open() {
    create_file(*storage_, header_, tables_);
    settle();
    file_ = Handle(H5Fopen("recording", H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access_list(*storage_)), H5Fclose);
    for (Table& table : tables_) table.dataset = Handle(H5Dopen2(file_, table.name.c_str(), H5P_DEFAULT), H5Dclose);
    written_ = Handle(H5Dopen2(file_, written_name, H5P_DEFAULT), H5Dclose);
    settle();
  }

  template <class Work>
  void guarded(const Work& work) {
    try {
      failed_ = true;
      work();
      failed_ = false;
    } catch (const Failure& failure) {
      fail_unwritable(path_, failure.reason, flushed(), place_);
    }
  }

  // For the message of a failure.
  long flushed() const {
    if (show_ == Show::with_new_rows && !copied_) return 0;
    return static_cast<long>(place_.shown() ? rows_ : rows_ - inherited_);
  }

  void settle() {
    if (const int error = storage_->settle()) throw Failure{std::strerror(error)};
  }

  void write_end() {
    const Session session;
    guarded([&] {
      write_out();
      if (file_ >= 0) close_file();
      settle();
    });
    storage_->release();
    if (const int error = write::synchronize(place_.file())) {
      failed_ = true;
      fail_unwritable(path_, std::strerror(error), flushed(), place_);
    }
  }

  void close_file() {
    for (Table& table : tables_) table.dataset.close();
    written_.close();
    file_.close();
  }

  void close_handles() {
    for (Table& table : tables_) table.dataset = Handle();
    written_ = Handle();
    file_ = Handle();
    H5Eclear2(H5E_DEFAULT);
  }

  void write_out() {
    settle();  // what could not be written before
    rows_ = sent_;
    if (count_ == 0) return;
    const hsize_t rows = sent_ + static_cast<hsize_t>(count_);
    for (Table& table : tables_) {
      const hsize_t size[2] = {rows, table.columns.size()};
      ok(H5Dset_extent(table.dataset, size));
      block_.resize(count_, static_cast<Eigen::Index>(table.columns.size()));
      for (std::size_t k = 0; k < table.columns.size(); ++k) {
        block_.col(static_cast<Eigen::Index>(k)) = pending_.col(table.columns[k]).head(count_);
      }
      write_block(table);
    }
    ok(H5Fflush(file_, H5F_SCOPE_LOCAL));
    hsize_t bytes = 0;
    ok(H5Fget_filesize(file_, &bytes));
    const std::int64_t written[2] = {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(bytes)};
    ok(H5Dwrite(written_, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, written));
    ok(H5Dflush(written_));
    sent_ = rows;  // the library has them, and whatever does not fit into the file now waits in order
    count_ = 0;
    settle();
    rows_ = sent_;
  }

  void write_block(const Table& table) {
    const hsize_t start[2] = {sent_, 0}, size[2] = {static_cast<hsize_t>(count_), table.columns.size()};
    const Handle in_file(H5Dget_space(table.dataset), H5Sclose);
    const Handle in_memory(H5Screate_simple(table.flat ? 1 : 2, size, nullptr), H5Sclose);
    ok(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start, nullptr, size, nullptr));
    ok(H5Dwrite(table.dataset, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, block_.data()));
  }

  // Before the file replaces another one.
  void read_back() {
    failed_ = true;
    hsize_t found = 0;
    bool same = false;
    try {
      recording::read_hdf5(
          place_.file(), place_.where(), [&](const Hdf5Top& top) { same = top.header.columns == header_.columns; },
          [&](const Rows& rows) { found += static_cast<hsize_t>(rows.rows()); });
    } catch (const ModelError& error) {
      fail_unwritable(path_, std::string("what was written does not read back: ") + error.what(), flushed(), place_);
    }
    if (!same || found != rows_) fail_unwritable(path_, "what was written does not read back", flushed(), place_);
    failed_ = false;
  }

  Place place_;
  std::string path_;
  RecordingHeader header_;
  RowCheck check_;
  Show show_;
  std::shared_ptr<Storage> storage_;
  Handle file_;  // closes after what is in it
  std::vector<Table> tables_;
  Handle written_;
  Rows pending_, block_;
  Eigen::Index count_ = 0;                       // of pending rows
  hsize_t sent_ = 0, rows_ = 0, inherited_ = 0;  // given to the library; in the file; those that are a copy
  bool copied_ = false, mend_ = false, failed_ = false, finished_ = false;
};

}  // namespace

std::unique_ptr<Recorder> create_hdf5(write::Claim claim, const RecordingHeader& header) {
  const std::string path = claim.path();
  Place place(std::move(claim));
  if (place.stream()) fail_unwritable(path, "it is no regular file; only CSV can go there");
  const Show show = place.old() < 0 ? Show::at_once : Show::at_the_end;
  return std::make_unique<Hdf5Recorder>(std::move(place), path, header, show);
}

Resumed resume_hdf5(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) fail_unreadable(path, errno);
  Place place{write::Claim(path)};
  const int old = place.old();
  if (old < 0) fail_unreadable(path, ENOENT);
  Resumed out;
  std::unique_ptr<Hdf5Recorder> copy;
  bool killed = false;
  read_hdf5(
      old, path,
      [&](Hdf5Top top) {
        if (!top.foreign.empty()) {
          fail("recording-format", path, "holds \"" + top.foreign + "\", which Catena did not write and would lose",
               "remove that, or record to another file");
        }
        out.rows = top.rows;
        killed = top.open;
        out.header = std::move(top.header);
        copy = std::make_unique<Hdf5Recorder>(std::move(place), path, out.header, Show::with_new_rows);
      },
      [&](const Rows& rows) {
        for (Eigen::Index k = 0; k < rows.rows(); ++k) copy->append(rows.row(k).transpose());
        out.last = rows.row(rows.rows() - 1).transpose();
      });
  copy->copied(killed);
  out.recorder = std::move(copy);
  return out;
}

}  // namespace catena::recording
