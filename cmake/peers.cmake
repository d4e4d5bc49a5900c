# Other libraries of robot dynamics, each used where it is installed and never required.

# find_peer(NAME LIBRARY HEADER [FOLDER]): the target peer_NAME where both are found, the header perhaps inside a FOLDER.
# By file: the package of MuJoCo has a CMake configuration that names a folder it does not bring.
function(find_peer name library header)
  find_library(CATENA_PEER_${name} ${library})
  find_path(CATENA_PEER_${name}_INCLUDE ${header} PATH_SUFFIXES ${ARGN})
  mark_as_advanced(CATENA_PEER_${name} CATENA_PEER_${name}_INCLUDE)
  if(TARGET peer_${name})
    return()
  endif()
  if(NOT CATENA_PEER_${name} OR NOT CATENA_PEER_${name}_INCLUDE)
    message(STATUS "Peer ${name}: not installed")
    return()
  endif()
  add_library(peer_${name} INTERFACE)
  target_include_directories(peer_${name} SYSTEM INTERFACE ${CATENA_PEER_${name}_INCLUDE})
  target_link_libraries(peer_${name} INTERFACE ${CATENA_PEER_${name}})
endfunction()
