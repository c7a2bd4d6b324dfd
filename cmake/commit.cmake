# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=... -DOUT=... -P commit.cmake: writes GPUSIM_COMMIT, the commit of the checkout ("+" behind it where files
# differ from it), or "" where there is none. The file is left alone when it says so already.
set(commit "")
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE failed ERROR_QUIET)
  if(failed)
    set(commit "")
  else()
    execute_process(COMMAND git -C ${SOURCE} diff-index --quiet HEAD RESULT_VARIABLE differs ERROR_QUIET)
    if(differs)
      string(APPEND commit "+")
    endif()
  endif()
endif()
set(text "#define GPUSIM_COMMIT \"${commit}\"\n")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT old STREQUAL text)
  file(WRITE ${OUT} "${text}")
endif()
