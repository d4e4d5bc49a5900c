// HDF5 recordings from elsewhere: damaged ones, and those that were made to do harm. None of them is read as if it were
// sound, none takes this program with it, and none makes it read or write another file.
#include <hdf5.h>

#include <chrono>
#include <limits>
#include <random>

#include "recording_support.hpp"

namespace catena {
namespace {

using test::arm_header;
using test::expect_rows;
using test::Folder;
using test::message_of;
using test::row_of;
using test::slurp;

std::string data(const std::string& name) { return std::string(CATENA_TEST_DATA "/recordings/") + name; }

class ForeignHdf5 : public ::testing::Test {
 protected:
  ForeignHdf5() {
    const auto recorder = create_recording(path, arm_header());
    for (long k = 0; k < 10; ++k) recorder->append(row_of(k, 5));
    recorder->finish();
    for (int k = 0; k < 10; ++k) times[k] = k / 1000.0;
  }

  // Takes "time" out of the file and lets somebody make another one there.
  template <class Make>
  void with_other_time(const Make& make) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t old = H5Dopen2(file, "time", H5P_DEFAULT);
    const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t fresh = make(file, list);
    if (fresh >= 0) {
      for (const char* name : {"names", "units", "columns"}) copy_attribute(old, fresh, name);
      H5Dclose(fresh);
    }
    H5Pclose(list);
    H5Dclose(old);
    ASSERT_GE(H5Fclose(file), 0);
  }

  static void copy_attribute(hid_t from, hid_t to, const char* name) {
    const hid_t source = H5Aopen(from, name, H5P_DEFAULT), type = H5Aget_type(source), space = H5Aget_space(source);
    char value[256] = {};
    H5Aread(source, type, value);
    const hid_t target = H5Acreate2(to, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(target, type, value);
    for (const hid_t attribute : {source, target}) H5Aclose(attribute);
    H5Tclose(type), H5Sclose(space);
  }

  void expect_refused(const std::string& part) {
    const std::string before = slurp(path);
    for (const std::string& message :
         {message_of([&] { read_recording(path); }), message_of([&] { resume_recording(path); })}) {
      EXPECT_EQ(message.find(path), 0u) << message;
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
    EXPECT_EQ(slurp(path), before);
  }

  hid_t dataset(hid_t file, hid_t list, hid_t type = H5T_IEEE_F64LE) const {
    H5Ldelete(file, "time", H5P_DEFAULT);
    const hsize_t size = 10, most = H5S_UNLIMITED;
    const bool chunked = H5Pget_layout(list) == H5D_CHUNKED;
    const hid_t space = H5Screate_simple(1, &size, chunked ? &most : nullptr);
    const hid_t set = H5Dcreate2(file, "time", type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (H5Pget_external_count(list) <= 0) H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, times);
    H5Sclose(space);
    return set;
  }
  static void chunk(hid_t list) {
    const hsize_t size = 256;
    H5Pset_chunk(list, 1, &size);
  }

  Folder folder;
  std::string path = folder.path("run.h5");
  double times[10] = {};
};

TEST_F(ForeignHdf5, IsReadIfItIsAsCatenaWritesIt) {  // the frame of the tests below does not by itself spoil it
  with_other_time([&](hid_t file, hid_t list) { return chunk(list), dataset(file, list); });
  expect_rows(read_recording(path), 10, "the same");
  resume_recording(path).recorder->append(row_of(10, 5));
  expect_rows(read_recording(path), 11, "resumed");
}

TEST_F(ForeignHdf5, InAnotherFileIsNeitherReadNorWritten) {
  const std::string other = folder.file("other", std::string(4096, 'x'));
  with_other_time([&](hid_t file, hid_t list) {
    H5Pset_external(list, other.c_str(), 0, 80);
    return dataset(file, list);
  });
  expect_refused("lies in another file");
  EXPECT_EQ(slurp(other), std::string(4096, 'x'));
}

TEST_F(ForeignHdf5, FromVirtualDatasetsIsRefused) {
  const std::string other = folder.path("other.h5");
  std::filesystem::copy_file(path, other);
  with_other_time([&](hid_t file, hid_t list) {
    const hsize_t size = 10;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    H5Pset_virtual(list, space, other.c_str(), "time", space);
    H5Ldelete(file, "time", H5P_DEFAULT);
    const hid_t set = H5Dcreate2(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Sclose(space);
    return set;
  });
  expect_refused("other files");
}

TEST_F(ForeignHdf5, BehindLinksIsRefused) {
  std::filesystem::copy_file(path, folder.path("other.h5"));
  with_other_time([&](hid_t file, hid_t) {
    H5Ldelete(file, "time", H5P_DEFAULT);
    H5Lcreate_external(folder.path("other.h5").c_str(), "time", file, "time", H5P_DEFAULT, H5P_DEFAULT);
    return hid_t(-1);
  });
  expect_refused("link");
  with_other_time([&](hid_t file, hid_t) {
    H5Ldelete(file, "time", H5P_DEFAULT);
    H5Lcreate_soft("/v", file, "time", H5P_DEFAULT, H5P_DEFAULT);
    return hid_t(-1);
  });
  expect_refused("link");
}

TEST_F(ForeignHdf5, ThroughFiltersIsRefusedWithARemedy) {
  with_other_time([&](hid_t file, hid_t list) {
    chunk(list);
    H5Pset_shuffle(list);
    return dataset(file, list);
  });
  expect_refused("h5repack -f NONE");
}

TEST_F(ForeignHdf5, OfAnotherTypeOrLayoutIsRefused) {
  with_other_time([&](hid_t file, hid_t list) { return chunk(list), dataset(file, list, H5T_IEEE_F32LE); });
  expect_refused("type");
  with_other_time([&](hid_t file, hid_t list) { return dataset(file, list); });  // contiguous
  expect_refused("layout");
  with_other_time([&](hid_t file, hid_t list) {
    H5Ldelete(file, "time", H5P_DEFAULT);
    const hsize_t size = 10, most = H5S_UNLIMITED, huge = 1u << 28;
    H5Pset_chunk(list, 1, &huge);
    H5Pset_alloc_time(list, H5D_ALLOC_TIME_INCR);
    const hid_t space = H5Screate_simple(1, &size, &most);
    const hid_t set = H5Dcreate2(file, "time", H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    H5Sclose(space);
    return set;
  });
  expect_refused("larger than the file");
}

TEST_F(ForeignHdf5, WithBadNumbersOrTimesIsRefused) {
  times[7] = std::numeric_limits<double>::infinity();
  with_other_time([&](hid_t file, hid_t list) { return chunk(list), dataset(file, list); });
  expect_refused("row 8: \"time\" is inf");
  times[7] = 0.0055;
  with_other_time([&](hid_t file, hid_t list) { return chunk(list), dataset(file, list); });
  expect_refused("row 8: time runs backwards, from 0.006 s to 0.0055 s");
}

TEST_F(ForeignHdf5, WithABadRowFarDownIsLeftAsItIs) {  // the copy has thousands of rows by then
  const auto recorder = create_recording(path, arm_header());
  for (long k = 0; k < 6000; ++k) recorder->append(row_of(k, 5));
  recorder->finish();
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), set = H5Dopen2(file, "time", H5P_DEFAULT);
  const hsize_t at = 5000, one = 1;
  const hid_t in_file = H5Dget_space(set), in_memory = H5Screate_simple(1, &one, nullptr);
  H5Sselect_hyperslab(in_file, H5S_SELECT_SET, &at, nullptr, &one, nullptr);
  const double bad = std::numeric_limits<double>::quiet_NaN();
  H5Dwrite(set, H5T_NATIVE_DOUBLE, in_memory, in_file, H5P_DEFAULT, &bad);
  H5Sclose(in_file), H5Sclose(in_memory), H5Dclose(set), H5Fclose(file);
  expect_refused("row 5001: \"time\" is nan");
  EXPECT_EQ(folder.count(), 1u);
}

TEST_F(ForeignHdf5, WithAdditionsIsReadButNotResumed) {  // the copy would lose them
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Gclose(H5Gcreate2(file, "mine", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Fclose(file);
  expect_rows(read_recording(path), 10, "with a group");
  const std::string before = slurp(path), message = message_of([&] { resume_recording(path); });
  EXPECT_NE(message.find("\"mine\""), std::string::npos) << message;
  EXPECT_EQ(slurp(path), before);
  EXPECT_EQ(folder.count(), 1u);
}

TEST(DamagedHdf5, ThatBreaksTheLibraryIsAnErrorLikeAnother) {
  for (const char* name : {"overflow.h5", "hang.h5"}) {
    const Folder folder;
    const std::string path = folder.file(name, slurp(data(name)));
    const std::string before = slurp(path);
    const std::string message = message_of([&] { read_recording(path); });
    EXPECT_EQ(message.find(path + ": error: is no recording that can be read"), 0u) << message;
    if (name == std::string("overflow.h5")) message_of([&] { resume_recording(path); });  // the other takes 2 s
    EXPECT_EQ(slurp(path), before);
    EXPECT_EQ(folder.count(), 1u);
  }
}

TEST(DamagedHdf5, WithNumbersThatAreNoneIsRefused) {
  const Folder folder;
  const std::string path = folder.file("inf.h5", slurp(data("inf.h5")));
  for (const std::string& message :
       {message_of([&] { read_recording(path); }), message_of([&] { resume_recording(path); })})
    EXPECT_NE(message.find("is inf"), std::string::npos) << message;
}

// Damage anywhere gives an error, or a table of the same shape (numbers have no check sums).
TEST(DamagedHdf5, IsSurvivedWhereverTheDamageIs) {
  const Folder folder;
  const std::string path = folder.path("run.h5");
  {
    const auto recorder = create_recording(path, arm_header());
    for (long k = 0; k < 300; ++k) recorder->append(row_of(k, 5));
  }
  const std::string whole = slurp(path);
  std::vector<std::size_t> used;  // most of the file are zeros between pages
  for (std::size_t k = 0; k < whole.size(); ++k)
    if (whole[k] != 0) used.push_back(k);
  std::mt19937 random(11);
  int refused = 0;
  for (int trial = 0; trial < 250; ++trial) {
    std::string damaged = whole;
    const std::size_t first = used[random() % used.size()];
    const auto count = trial % 3 == 0 ? 1u : 1u + random() % 8;
    for (unsigned k = 0; k < count && first + k < damaged.size(); ++k)
      damaged[first + k] = static_cast<char>(trial % 2 == 0 ? damaged[first + k] ^ (1 << random() % 8) : int(random()));
    folder.file("run.h5", damaged);
    try {
      const Recording back = read_recording(path);
      EXPECT_EQ(back.header.columns.size(), 5u) << trial;
      EXPECT_LE(back.values.rows(), 300) << trial;
    } catch (const ModelError& error) {
      EXPECT_EQ(std::string(error.what()).find(path), 0u) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(EarlierHdf5, IsReadAndResumed) {
  const Folder folder;
  for (const auto& [name, rows] : {std::pair("version_0_1.h5", 11l), std::pair("version_0_1_killed.h5", 7l)}) {
    const std::string path = folder.file(name, slurp(data(name)));
    const Recording before = read_recording(path);
    ASSERT_EQ(before.values.rows(), rows) << name;
    ASSERT_NE(before.header.note("catena"), nullptr) << name;
    EXPECT_EQ(*before.header.note("catena"), "0.1.0") << name;
    {
      const Resumed resumed = resume_recording(path);
      EXPECT_EQ(resumed.rows, rows) << name;
      Eigen::VectorXd next = resumed.last;
      next[0] += 1;
      resumed.recorder->append(next);
      resumed.recorder->finish();
    }
    const Recording after = read_recording(path);
    EXPECT_EQ(after.header.columns, before.header.columns) << name;
    EXPECT_EQ(after.header.notes, before.header.notes) << name;
    ASSERT_EQ(after.values.rows(), rows + 1) << name;
    EXPECT_EQ(after.values.topRows(rows), before.values) << name;
  }
}

}  // namespace
}  // namespace catena
