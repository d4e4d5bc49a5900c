# embed_viewer(TARGET): builds viewer/ into one page with npm and puts it into the target, as viewer_page().
# Where npm is missing or cannot load what it needs, the target is built all the same and the page is empty; the next
# build with npm tries again.
function(embed_viewer target)
  set(from "${CMAKE_CURRENT_SOURCE_DIR}/viewer")
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/viewer")
  set(source "${folder}/viewer_page.cpp")
  file(WRITE "${source}.new" "// Written by cmake/viewer.cmake.
#include \"cli/viewer_page.hpp\"

__asm__(\".section .rodata\\n\"
        \"catena_viewer_page:\\n\"
        \".incbin \\\"${folder}/page.html\\\"\\n\"
        \"catena_viewer_page_end:\\n\"
        \".byte 0\\n\"
        \".previous\\n\");
extern const char page_begin __asm__(\"catena_viewer_page\");
extern const char page_end __asm__(\"catena_viewer_page_end\");

namespace catena::cli {

std::string_view viewer_page() { return {&page_begin, static_cast<std::size_t>(&page_end - &page_begin)}; }

}  // namespace catena::cli
")
  configure_file("${source}.new" "${source}" COPYONLY)  # touches the source only if the text changed
  target_sources(${target} PRIVATE "${source}")
  # Compiled by itself: among others in one unit it would not be seen that the page has changed.
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${folder}/page.html" SKIP_PRECOMPILE_HEADERS ON
                                                     SKIP_UNITY_BUILD_INCLUSION ON)

  find_program(CATENA_NPM npm)
  find_program(CATENA_NODE NAMES node nodejs)
  if(NOT CATENA_NPM OR NOT CATENA_NODE)
    message(STATUS "npm not found: catena view will be missing (Debian: nodejs npm)")
    if(NOT EXISTS "${folder}/page.html")
      file(WRITE "${folder}/page.html" "")
    endif()
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${from}/src/*" "${from}/test/*")
  list(APPEND sources "${from}/package.json" "${from}/package-lock.json" "${from}/.npmrc" "${from}/build.mjs")
  # "built" is written only if all went well, so that a failed attempt is made again.
  add_custom_command(
    OUTPUT "${folder}/built" BYPRODUCTS "${folder}/page.html"
    COMMAND "${CMAKE_COMMAND}" -DNPM=${CATENA_NPM} -DNODE=${CATENA_NODE} -DFROM=${from} -DFOLDER=${folder}
            -DTESTS=${CATENA_TESTS} -P "${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_viewer.cmake"
    DEPENDS ${sources} "${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_viewer.cmake"
    COMMENT "Building the viewer's page"
    VERBATIM)
  add_custom_target(catena_viewer DEPENDS "${folder}/built")
  add_dependencies(${target} catena_viewer)
endfunction()

# The page in a real browser; skipped where there is none.
function(test_viewer target)
  find_program(CATENA_CHROMIUM NAMES chromium chromium-browser google-chrome)
  if(NOT CATENA_NPM OR NOT CATENA_NODE OR NOT CATENA_CHROMIUM)
    message(STATUS "no npm or no Chromium: the viewer's tests will not run (Debian: nodejs npm chromium)")
    return()
  endif()
  add_test(NAME viewer.browser COMMAND "${CATENA_NPM}" test
           WORKING_DIRECTORY "${CMAKE_BINARY_DIR}/viewer")
  set_tests_properties(viewer.browser PROPERTIES
    ENVIRONMENT "CATENA_BINARY=$<TARGET_FILE:${target}>;CHROMIUM=${CATENA_CHROMIUM}"
    TIMEOUT 300 PROCESSORS 2 LABELS browser)
endfunction()
