# Libraries whose own CMake files ask for much more than is used (SUNDIALS: MPI and PETSc; HDF5: whichever variant comes
# first): found by name, as catena::sundials, catena::hdf5, catena::asmjit and catena::cairo. The installed package uses
# this file too.
function(catena_library name header suffixes libraries debian)
  if(TARGET catena::${name})
    return()
  endif()
  find_path(CATENA_${name}_INCLUDE ${header} PATH_SUFFIXES ${suffixes})
  set(found "")
  foreach(library IN LISTS libraries)
    find_library(CATENA_${library}_LIBRARY ${library})
    if(NOT CATENA_${library}_LIBRARY OR NOT CATENA_${name}_INCLUDE)
      message(FATAL_ERROR "Catena needs ${name}: install it (Debian: ${debian})")
    endif()
    list(APPEND found ${CATENA_${library}_LIBRARY})
  endforeach()
  add_library(catena::${name} INTERFACE IMPORTED)
  target_include_directories(catena::${name} SYSTEM INTERFACE ${CATENA_${name}_INCLUDE})
  target_link_libraries(catena::${name} INTERFACE ${found})
endfunction()

catena_library(sundials cvodes/cvodes.h "" "sundials_cvodes;sundials_arkode" libsundials-dev)
catena_library(hdf5 hdf5.h hdf5/serial hdf5_serial libhdf5-dev)
catena_library(asmjit asmjit/x86.h "" asmjit libasmjit-dev)
