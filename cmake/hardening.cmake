# What makes a fault in the binaries hard to use (docs/hardening.md; tests/check_hardening reads it from the files).
# Kernels are left as they are: they read no bytes from outside, and a guard on each stack frame would slow them down.
include(CheckPIESupported)
include(CheckLinkerFlag)
check_pie_supported()

set(hardened_compile "")
set(hardened_link "")
if(NOT CATENA_SANITIZE AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
  # Without optimization the library of C cannot check sizes, and says so.
  set(hardened_compile -fstack-protector-strong $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
                       $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  set(hardened_link -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  # Shadow stacks (CET): says that calls and returns come in pairs, which holds for all that is linked in.
  check_linker_flag(CXX -Wl,-z,shstk CATENA_LINKS_SHADOW_STACKS)
  if(CATENA_LINKS_SHADOW_STACKS AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
    list(APPEND hardened_link -Wl,-z,shstk)
  endif()
endif()

# A program or a shared library.
function(harden target)
  target_compile_options(${target} PRIVATE ${hardened_compile})
  target_link_options(${target} PRIVATE ${hardened_link})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
