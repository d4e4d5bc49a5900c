# The library in parts: a static library each (catena_core, catena_io, ...), and a switch for each but the core.

# catena_switch(PART "PARTS IT NEEDS" TEXT): the option CATENA_PART; an error if it is on without what it needs. Parts come
# in the order in which they need each other.
macro(catena_switch part needs text)
  option(CATENA_${part} "${text}" ON)
  foreach(need ${needs})
    if(CATENA_${part} AND NOT CATENA_${need})
      message(FATAL_ERROR "CATENA_${part}=ON needs CATENA_${need}=ON: switch that on too, or CATENA_${part} off")
    endif()
  endforeach()
  string(TOLOWER "core;${needs}" catena_needs_of_${part})
endmacro()

# catena_needs_all(SWITCH...): what is built from every part.
function(catena_needs_all)
  foreach(user ${ARGN})
    foreach(part IO REFERENCE COMPILE BATCH SIMULATE)
      if(CATENA_${user} AND NOT CATENA_${part})
        message(FATAL_ERROR "CATENA_${user}=ON needs all parts of Catena, and CATENA_${part} is OFF: "
                            "switch that on, or CATENA_${user} off")
      endif()
    endforeach()
  endforeach()
endfunction()

# catena_part(NAME FOLDERS folder... HEADERS header... [LINKS target...] [PACKAGES package...] [HARDENED expression] [PLAIN])
#   FOLDERS   of src/catena: all their source files
#   HEADERS   the public ones, which are installed; each says so itself (#pragma GCC visibility, tools/check_headers)
#   LINKS     targets of other libraries; those of headers alone as $<BUILD_INTERFACE:...>, so that they end with the build
#   PACKAGES  what cmake/libraries.cmake must find for whoever links the part
#   HARDENED  the files that see bytes from outside (cmake/hardening.cmake); they are compiled in a target of their own,
#             catena_NAME_outside, unless all are
#   PLAIN     no kernels in it: it is compiled quickly, as the hardened files are
function(catena_part name)
  cmake_parse_arguments(PARSE_ARGV 1 in "PLAIN" HARDENED "FOLDERS;HEADERS;LINKS;PACKAGES")
  string(TOUPPER ${name} switch)
  if(NOT CATENA_${switch})
    return()
  endif()
  set(needs ${catena_needs_of_${switch}})
  list(REMOVE_ITEM needs "")
  set(files "")
  foreach(folder ${in_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} src/catena/${folder}/*.cpp)
    list(APPEND files ${found})
  endforeach()
  set(outside "")
  if(in_HARDENED)
    set(outside ${files})
    list(FILTER outside INCLUDE REGEX "${in_HARDENED}")
    list(REMOVE_ITEM files ${outside})
  endif()
  set(targets catena_${name})
  if(outside AND files)
    add_library(catena_${name}_outside OBJECT ${outside})
    list(APPEND targets catena_${name}_outside)
    add_library(catena_${name} STATIC ${files} $<TARGET_OBJECTS:catena_${name}_outside>)
    harden(catena_${name}_outside)
  else()
    add_library(catena_${name} STATIC ${files} ${outside})
    if(outside)
      harden(catena_${name})
    endif()
  endif()
  add_library(catena::${name} ALIAS catena_${name})
  foreach(target ${targets})
    catena_compile(${target})
    target_link_libraries(${target} PRIVATE ${in_LINKS} $<BUILD_INTERFACE:catena_warnings>)
    foreach(need ${needs})
      target_link_libraries(${target} PUBLIC catena_${need})
    endforeach()
    # Eigen and the standard library once, not once a file: a third of the time to build. (tools/check_headers still
    # compiles headers alone.) A precompiled header serves those that have its options.
    if(target MATCHES "_outside$" OR NOT files)
      set(first catena_core_outside)
      quickly(${target} -O1)
    elseif(in_PLAIN)
      set(first catena_compile)  # the first of them
      quickly(${target} -O2)
    else()
      set(first catena_core)
    endif()
    if(target STREQUAL first)
      target_precompile_headers(${target} PRIVATE <Eigen/Core> <Eigen/Geometry> <Eigen/Cholesky> <algorithm> <memory>
                                                  <string> <vector>)
    else()
      target_precompile_headers(${target} REUSE_FROM ${first})
    endif()
    unite(${target})
  endforeach()
  set_property(GLOBAL APPEND PROPERTY catena_parts ${name})
  set_property(GLOBAL APPEND PROPERTY catena_targets ${targets})
  set_property(GLOBAL APPEND PROPERTY catena_links ${in_LINKS})
  set_property(GLOBAL APPEND_STRING PROPERTY catena_rows
               "set(catena_needs_${name} ${needs})\nset(catena_packages_${name} ${in_PACKAGES})\n")
  foreach(header ${in_HEADERS})
    get_filename_component(folder ${header} DIRECTORY)
    install(FILES src/catena/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/catena/${folder} COMPONENT dev)
  endforeach()
endfunction()

# How the library is compiled, and what its users see of that.
function(catena_compile target)
  catena_interface(${target})
  # Kernels: contraction and no errno cost nothing in accuracy; NaN and infinity keep their meaning.
  target_compile_options(${target} PRIVATE -ffp-contract=fast -fno-math-errno -fno-trapping-math)
  # For the Python module and for libcatena.so. Without interposition of symbols it costs the tool nothing: calls take
  # the same number of instructions (tools/check_instructions). Public headers say what is seen from outside.
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
endfunction()

function(catena_interface target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Eigen's vectors cross the interface, and with -mavx Eigen gets their memory in another way than without: one way for
  # all (malloc, which aligns to 16 bytes on 64-bit systems), so that a program may be built with -march=native and the
  # library not, or the other way round. The first definition alone does not do it in Eigen 3.4.
  target_compile_definitions(${target} PUBLIC EIGEN_MAX_ALIGN_BYTES=16 EIGEN_MALLOC_ALREADY_ALIGNED=1)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                              $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC Eigen3::Eigen)
endfunction()

# What reads, writes, explains and simulates: most of the time to compile it goes into the types of Eigen's expressions,
# which the files of a folder share.
function(quickly target level)
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${level}>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wshadow)  # in these folders it holds for united files too
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CATENA_UNITE})
endfunction()

# With CMAKE_UNITY_BUILD (preset dev) the files of every folder are compiled as one: clang then goes through Eigen once a
# folder, in half the time, and clang-tidy in a third. Preset release still compiles each file of the kernels alone, where
# the time goes into optimization.
function(unite target)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    get_filename_component(folder "${folder}" NAME)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
endfunction()

# After the last part. catena: all of them, for the tool, the tests and Python, which see the inside too. catena::catena is
# that or, with BUILD_SHARED_LIBS, one library libcatena.so made of the same object files, of which the public headers'
# functions and classes alone are seen; the installed targets catena::core, ... then all mean that one library.
function(catena_whole)
  get_property(parts GLOBAL PROPERTY catena_parts)
  get_property(targets GLOBAL PROPERTY catena_targets)
  get_property(links GLOBAL PROPERTY catena_links)
  add_library(catena INTERFACE)
  foreach(part ${parts})
    target_link_libraries(catena INTERFACE catena_${part})
  endforeach()
  set(config ${CMAKE_INSTALL_LIBDIR}/cmake/catena)
  list(TRANSFORM targets REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_library(catena_shared SHARED EXCLUDE_FROM_ALL ${targets})
  catena_interface(catena_shared)
  target_link_libraries(catena_shared PRIVATE ${links})
  target_link_options(catena_shared PRIVATE ${hardened_link} -Wl,--exclude-libs,ALL
                      -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map)
  if(CATENA_COMPILE)
    target_sources(catena_shared PRIVATE cmake/standard_error.cpp)
    target_link_options(catena_shared PRIVATE -Wl,--wrap=stderr)
  endif()
  set_target_properties(catena_shared PROPERTIES OUTPUT_NAME catena EXPORT_NAME catena VERSION ${PROJECT_VERSION}
                        LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/exports.map
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} LINKER_LANGUAGE CXX)
  if(BUILD_SHARED_LIBS)
    set_target_properties(catena_shared PROPERTIES EXCLUDE_FROM_ALL OFF)
    add_library(catena::catena ALIAS catena_shared)
    install(TARGETS catena_shared EXPORT catena LIBRARY COMPONENT lib NAMELINK_COMPONENT dev)
    install(EXPORT catena NAMESPACE catena:: DESTINATION ${config} FILE catenaTargets.cmake COMPONENT dev)
  else()
    add_library(catena::catena ALIAS catena)
    foreach(part ${parts})
      set_target_properties(catena_${part} PROPERTIES EXPORT_NAME ${part})
      install(TARGETS catena_${part} EXPORT catena_${part} ARCHIVE COMPONENT dev)
      install(EXPORT catena_${part} NAMESPACE catena:: DESTINATION ${config} FILE catena_${part}.cmake COMPONENT dev)
    endforeach()
  endif()
  get_property(rows GLOBAL PROPERTY catena_rows)
  set(shared OFF)
  if(BUILD_SHARED_LIBS)
    set(shared ON)
  endif()
  configure_package_config_file(cmake/catenaConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/catenaConfig.cmake
                                INSTALL_DESTINATION ${config})
  write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/catenaConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/catenaConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/catenaConfigVersion.cmake
                cmake/libraries.cmake
          DESTINATION ${config} COMPONENT dev)
endfunction()
