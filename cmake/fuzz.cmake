# SPDX-License-Identifier: GPL-3.0-or-later
# -DGPUSIM_FUZZ=ON with clang: one program fuzz-NAME per line of tests/fuzz/targets.def, all our code instrumented and
# under the address and undefined-behaviour sanitizers. tests/fuzz/run.sh runs them.
if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "GPUSIM_FUZZ=ON needs libFuzzer: configure with -DCMAKE_C_COMPILER=clang")
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS tests/fuzz/targets.def)
file(STRINGS tests/fuzz/targets.def GPUSIM_FUZZ_LINES REGEX "^X\\(")
foreach(line ${GPUSIM_FUZZ_LINES})
  string(REGEX REPLACE "^X\\(([a-z]+)\\)$" "\\1" name ${line})
  add_executable(fuzz-${name} tests/fuzz/entry.c tests/fuzz/targets_file.c tests/fuzz/targets_sweep.c tests/fuzz/targets_spec.c
    tests/fuzz/targets_sql.c)
  target_compile_definitions(fuzz-${name} PRIVATE GSIM_FUZZ_TARGET=gsim_fuzz_${name})
  target_link_libraries(fuzz-${name} PRIVATE gpusimcore)
  target_link_options(fuzz-${name} PRIVATE -fsanitize=fuzzer)
  list(APPEND GPUSIM_FUZZ_TARGETS fuzz-${name})
endforeach()
add_custom_target(fuzz DEPENDS ${GPUSIM_FUZZ_TARGETS})
