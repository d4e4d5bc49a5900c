// Calls into the HDF5 library (C interface, 1.10 and later).
#include "catena/record/hdf5_calls.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace catena::hdf5 {

static_assert(std::is_same_v<hid_t, std::int64_t> && std::is_same_v<herr_t, int>);

namespace {

std::recursive_mutex& turn() {
  static std::recursive_mutex mutex;
  return mutex;
}

Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  ok(H5Tset_size(type, H5T_VARIABLE));
  ok(H5Tset_cset(type, H5T_CSET_UTF8));
  return type;
}

}  // namespace

Session::Session() : alone_(turn()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

// The innermost reason; the system's own words if it has some.
void fail_call() {
  std::string reason;
  H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_DOWNWARD,
      [](unsigned, const H5E_error2_t* error, void* out) -> herr_t {
        if (error->desc && *error->desc) *static_cast<std::string*>(out) = error->desc;
        return 0;
      },
      &reason);
  H5Eclear2(H5E_DEFAULT);
  const std::string mark = "error message = '";
  if (const std::size_t at = reason.find(mark); at != std::string::npos) {
    reason = reason.substr(at + mark.size(), reason.find('\'', at + mark.size()) - at - mark.size());
  }
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  throw Failure{reason.empty() ? "HDF5 gives no reason" : reason};
}

Handle list_space(std::size_t count) {
  const hsize_t size = count;
  return {H5Screate_simple(1, &size, nullptr), H5Sclose};
}

void write_texts(std::int64_t object, const std::string& name, const std::vector<std::string>& texts, bool single) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const Handle type = string_type();
  const Handle space = single ? Handle(H5Screate(H5S_SCALAR), H5Sclose) : list_space(texts.size());
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  ok(H5Awrite(attribute, type, pointers.data()));
}

std::vector<std::string> read_texts(std::int64_t attribute, std::uint64_t most) {
  const Handle stored(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
  if (H5Tget_class(stored) != H5T_STRING) return {};
  const auto count = static_cast<std::size_t>(ok(H5Sget_simple_extent_npoints(space)));
  const std::size_t each = H5Tget_size(stored);  // of variable length: of what refers to it
  if (each == 0 || count > most / each) throw Failure{"a text in it is longer than the file"};
  std::vector<std::string> out;
  if (ok(H5Tis_variable_str(stored)) > 0) {
    std::vector<char*> pointers(count, nullptr);
    const Handle type = string_type();
    ok(H5Aread(attribute, type, pointers.data()));
    for (const char* text : pointers) out.emplace_back(text ? text : "");
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, pointers.data());
  } else {
    std::vector<char> text(count * each);
    ok(H5Aread(attribute, stored, text.data()));
    for (std::size_t k = 0; k < count; ++k) out.emplace_back(&text[k * each], ::strnlen(&text[k * each], each));
  }
  return out;
}

}  // namespace catena::hdf5
