# SPDX-License-Identifier: Apache-2.0
# plumb_build_facts(out.cpp): writes the values of tools/plumb/build_facts.h at every build, and the file only
# when one of them changed.

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  set(commit unknown)
  set(dirty false)
  find_program(GIT git)
  # A clone that another user owns is read all the same, and its index is not written.
  set(git ${CMAKE_COMMAND} -E env GIT_OPTIONAL_LOCKS=0
    ${GIT} -c safe.directory=${SOURCE} -c core.fsmonitor=false -C ${SOURCE})
  # .git stands here, or these files lie in somebody else's repository.
  if(GIT AND EXISTS ${SOURCE}/.git)
    execute_process(COMMAND ${git} rev-parse --short=12 HEAD
      OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      set(commit ${head})
      execute_process(COMMAND ${git} status --porcelain OUTPUT_VARIABLE changes ERROR_QUIET)
      if(NOT changes STREQUAL "")
        set(dirty true)
      endif()
    endif()
  endif()

  # Every source and data file of the registry, by name, so that order and place of the checkout do not matter.
  file(GLOB_RECURSE files RELATIVE ${SOURCE} LIST_DIRECTORIES false ${SOURCE}/reference/registry/*)
  list(FILTER files INCLUDE REGEX "\\.(json|cpp|h|in)$")
  list(FILTER files EXCLUDE REGEX "_test\\.cpp$")
  list(SORT files)
  set(sums "")
  foreach(file IN LISTS files)
    file(SHA256 ${SOURCE}/${file} sum)
    string(APPEND sums "${sum}  ${file}\n")
  endforeach()
  string(SHA256 digest "${sums}")

  file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// SPDX-License-Identifier: Apache-2.0
// Written by the build.
#include "tools/plumb/build_facts.h"

namespace plumb::tools::facts {

const std::string_view kCommit = "@commit@";
const bool kDirty = @dirty@;
const std::string_view kRegistryDigest = "@digest@";

}  // namespace plumb::tools::facts
]])
  return()
endif()

set(PLUMB_BUILD_INFO_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(plumb_build_facts output)
  add_custom_target(plumb_build_facts
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR} -D OUTPUT=${output} -P ${PLUMB_BUILD_INFO_SCRIPT}
    BYPRODUCTS ${output} VERBATIM COMMENT "Asking git for the commit")
endfunction()
