# embed_models(TARGET FILE...): writes one C++ source that holds the text of each file and adds it to the target, so that
# the installed library and tool need no files beside them. Runs at configure time; a changed file configures again.
function(embed_models target)
  set(rows "")
  foreach(file IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    get_filename_component(name "${file}" NAME_WE)
    file(READ "${CMAKE_CURRENT_SOURCE_DIR}/${file}" text)
    string(APPEND rows "    {\"${name}\", \"${file}\", R\"model(${text})model\"},\n")
  endforeach()
  set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded_models.cpp")
  file(WRITE "${source}.new" "// Written by cmake/embed.cmake from models/.
#include \"catena/read/embedded.hpp\"

namespace catena::read {
namespace {

constexpr Embedded robots[] = {
${rows}};

}  // namespace

std::span<const Embedded> embedded() { return robots; }

}  // namespace catena::read
")
  configure_file("${source}.new" "${source}" COPYONLY)  # touches the source only if the text changed
  target_sources(${target} PRIVATE "${source}")
endfunction()
