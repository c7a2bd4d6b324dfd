# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=... -DOUT=... -P model.cmake: writes GPUSIM_MODEL, the hash of all sources that decide on results,
# so that a results file tells rows of different models apart (sweep/key.h). Rendering and commands are left out.
file(GLOB sources ${SOURCE}/sim/*.[ch] ${SOURCE}/sim/*.def ${SOURCE}/models/*.[ch] ${SOURCE}/schedulers/*.[ch]
  ${SOURCE}/schedulers/*.def ${SOURCE}/workloads/*.[ch] ${SOURCE}/workloads/*.def)
list(FILTER sources EXCLUDE REGEX "/sim/(cli|report|gantt|csv|slices|text|output|validate|main)[^/]*$")
list(APPEND sources ${SOURCE}/sim/cli_setup.c)
list(SORT sources)
set(all "")
foreach(source ${sources})
  file(SHA256 ${source} hash)
  get_filename_component(name ${source} NAME)
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 model "${all}")
string(SUBSTRING ${model} 0 16 model)
file(WRITE ${OUT} "#define GPUSIM_MODEL \"${model}\"\n")
