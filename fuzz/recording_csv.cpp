// Recordings as CSV: read, and resumed from a copy.
#include "catena/record/recording.hpp"

#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace catena;
  const std::string path = fuzz::file_of(fuzz::text_of(data, size), ".csv");
  long rows = -1;
  try {
    const Recording recording = read_recording(path);
    FUZZ_REQUIRE(recording.values.allFinite());
    FUZZ_REQUIRE(recording.values.cols() == static_cast<Eigen::Index>(recording.header.columns.size()));
    rows = recording.values.rows();
  } catch (const ModelError& error) {
    fuzz::judge(error.findings());
  }
  try {
    const Resumed resumed = resume_recording(path);
    FUZZ_REQUIRE(resumed.rows == rows);  // what can be resumed can be read
    FUZZ_REQUIRE(resumed.last.allFinite());
    if (resumed.rows > 0) resumed.recorder->append(resumed.last);
    resumed.recorder->finish();
    FUZZ_REQUIRE(read_recording(path).values.rows() == rows + (rows > 0 ? 1 : 0));
  } catch (const ModelError& error) {
    fuzz::judge(error.findings());
  }
  return 0;
}
