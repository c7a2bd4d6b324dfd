# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=... -DOUT=... -P model.cmake: writes GPUSIM_MODEL, the hash of all sources that decide on results,
# so that a results file tells rows of different models apart (sweep/key.h). Rendering and commands are left out.
file(GLOB_RECURSE sources ${SOURCE}/include/gpusim/*.h ${SOURCE}/include/gpusim/*.def ${SOURCE}/sim/*.[ch] ${SOURCE}/sim/*.def
  ${SOURCE}/schedulers/*.[ch] ${SOURCE}/schedulers/*.def ${SOURCE}/workloads/*.[ch] ${SOURCE}/workloads/*.def)
list(FILTER sources EXCLUDE REGEX "/sim/(report/(report|json|gantt|csv|slices|chrome)|base/(text|output|jobs))[^/]*$")
list(APPEND sources ${SOURCE}/cli/setup.c)
list(SORT sources)
set(all "")
foreach(source ${sources})
  file(SHA256 ${source} hash)
  file(RELATIVE_PATH name ${SOURCE} ${source})
  string(APPEND all "${name} ${hash}\n")
endforeach()
string(SHA256 model "${all}")
string(SUBSTRING ${model} 0 16 model)
file(WRITE ${OUT} "#define GPUSIM_MODEL \"${model}\"\n")
