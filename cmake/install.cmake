# SPDX-License-Identifier: GPL-3.0-or-later
# What cmake --install writes. Components: Runtime (the program and its data), Development (for programs that embed the
# library, and for schedulers), Mpi, Runner. Data is found beside the program (../share/gpusim), so the tree can be moved.
include(CMakePackageConfigHelpers)
set(GPUSIM_SHARE ${CMAKE_INSTALL_DATADIR}/gpusim)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME Runtime)
install(TARGETS gpusim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS gpusim-simgrid gpusim-trace LIBRARY DESTINATION ${GPUSIM_WIRES_FOLDER})
install(DIRECTORY models/ DESTINATION ${GPUSIM_SHARE}/models FILES_MATCHING PATTERN "*.json")
install(DIRECTORY workloads/examples/ DESTINATION ${GPUSIM_SHARE}/workloads/examples OPTIONAL FILES_MATCHING PATTERN "*.json")
install(DIRECTORY workloads/tasks/ DESTINATION ${GPUSIM_SHARE}/workloads/tasks FILES_MATCHING PATTERN "*.json")
install(DIRECTORY workloads/services/ DESTINATION ${GPUSIM_SHARE}/workloads/services FILES_MATCHING PATTERN "*.gz")
install(DIRECTORY traces/h200 traces/h100 DESTINATION ${GPUSIM_SHARE}/traces
  OPTIONAL FILES_MATCHING PATTERN "*.json.gz" PATTERN "probe.json" PATTERN "*.txt")
install(DIRECTORY trust/published/ DESTINATION ${GPUSIM_SHARE}/trust/published
  FILES_MATCHING PATTERN "*.csv" PATTERN "*.json" PATTERN "*.txt" PATTERN "*.md" PATTERN "*.cu")
install(DIRECTORY examples/cuda/ DESTINATION ${GPUSIM_SHARE}/examples/cuda FILES_MATCHING PATTERN "*.cu" PATTERN "support.h")
install(DIRECTORY plots/ DESTINATION ${GPUSIM_SHARE}/plots OPTIONAL
  FILES_MATCHING PATTERN "*.gp" PATTERN "*.json" PATTERN "figures" EXCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/gpusim.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Documents keep their folders, so that what links from one to another holds.
file(GLOB_RECURSE GPUSIM_DOCUMENTS CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} docs/*.md docs/*.svg models/*.md plots/*.md plots/*.svg
  python/*.md schedulers/*.md sim/*.md sweep/*.md traces/*.md trust/*.md workloads/*.md)
foreach(document README.md CONTRIBUTING.md CHANGELOG.md LICENSES.md ${GPUSIM_DOCUMENTS})
  get_filename_component(folder ${document} DIRECTORY)
  install(FILES ${document} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()
install(DIRECTORY docs/schemas DESTINATION ${GPUSIM_SHARE} FILES_MATCHING PATTERN "*.json")
install(PROGRAMS sweep/examples/slurm-array.sh sweep/examples/slurm-mpi.sh DESTINATION ${GPUSIM_SHARE}/sweep/examples)
install(TARGETS gpusim-shared EXPORT gpusim LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT Development)
if(TARGET gpusim-mpi)
  install(TARGETS gpusim-mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT Mpi)
endif()

# The Python package, where Debian's Python looks; pip installs it from python/ elsewhere.
set(GPUSIM_PYTHON lib/python3/dist-packages/gpusim CACHE STRING "Where the Python package is installed, below the prefix")
install(DIRECTORY python/gpusim/ DESTINATION ${GPUSIM_PYTHON} COMPONENT Python FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")

# Completion for shells, from the option tables; zsh looks in other folders on Debian.
if(NOT CMAKE_CROSSCOMPILING)
  set(GPUSIM_COMPLETION ${CMAKE_BINARY_DIR}/generated/completion)
  add_custom_command(OUTPUT ${GPUSIM_COMPLETION}/gpusim ${GPUSIM_COMPLETION}/_gpusim
    COMMAND ${CMAKE_COMMAND} -E make_directory ${GPUSIM_COMPLETION}
    COMMAND ${CMAKE_COMMAND} -E env --unset=GPUSIM_DATA $<TARGET_FILE:gpusim> completion bash > ${GPUSIM_COMPLETION}/gpusim
    COMMAND ${CMAKE_COMMAND} -E env --unset=GPUSIM_DATA $<TARGET_FILE:gpusim> completion zsh > ${GPUSIM_COMPLETION}/_gpusim
    DEPENDS gpusim VERBATIM)
  add_custom_target(gpusim-completion ALL DEPENDS ${GPUSIM_COMPLETION}/gpusim ${GPUSIM_COMPLETION}/_gpusim)
  install(FILES ${GPUSIM_COMPLETION}/gpusim DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${GPUSIM_COMPLETION}/_gpusim DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${GPUSIM_COMPLETION}/_gpusim DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
endif()

# --- for programs that embed the library, and for schedulers ---------------------------------------------
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME Development)
set(GPUSIM_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/gpusim)
install(TARGETS gpusim-static EXPORT gpusim-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Headers alone: a plug-in's functions are the program's that loads it.
add_library(gpusim-plugin INTERFACE)
target_include_directories(gpusim-plugin INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(gpusim-plugin PROPERTIES EXPORT_NAME plugin)
install(TARGETS gpusim-plugin EXPORT gpusim)
install(DIRECTORY include/gpusim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES schedulers/skeleton.c DESTINATION ${GPUSIM_SHARE}/schedulers)
install(DIRECTORY examples/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(EXPORT gpusim NAMESPACE gpusim:: DESTINATION ${GPUSIM_PACKAGE} FILE gpusimTargets.cmake)
install(EXPORT gpusim-static NAMESPACE gpusim:: DESTINATION ${GPUSIM_PACKAGE} FILE gpusimStaticTargets.cmake)
configure_package_config_file(cmake/gpusimConfig.cmake.in ${CMAKE_BINARY_DIR}/generated/gpusimConfig.cmake
  INSTALL_DESTINATION ${GPUSIM_PACKAGE})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/generated/gpusimConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/generated/gpusimConfig.cmake ${CMAKE_BINARY_DIR}/generated/gpusimConfigVersion.cmake
  DESTINATION ${GPUSIM_PACKAGE})
file(RELATIVE_PATH GPUSIM_PC_TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/gpusim.pc.in ${CMAKE_BINARY_DIR}/generated/gpusim.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/generated/gpusim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME Runtime)
