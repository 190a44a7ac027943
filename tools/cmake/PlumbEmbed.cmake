# SPDX-License-Identifier: Apache-2.0
# plumb_embed(out.cpp FILE data.json NAME plumb::registry::kR1Records): at build time writes the file's bytes
# as a constant, one string literal a line, so that the program opens no file. To be declared where it is
# used:  namespace plumb::registry { extern const std::string_view kR1Records; }

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  file(READ ${INPUT} text)
  string(FIND "${text}" ")plumb\"" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${INPUT} contains )plumb\", with which its string literal would end; write it otherwise")
  endif()
  string(REGEX MATCH "^(.*)::([^:]+)$" matched ${NAME})
  set(namespace ${CMAKE_MATCH_1})
  set(variable ${CMAKE_MATCH_2})
  string(REPLACE "\n" "\n)plumb\"\n    R\"plumb(" text "${text}")
  file(WRITE ${OUTPUT} "// SPDX-License-Identifier: Apache-2.0
// Written by the build from ${TITLE}.
#include <string_view>

namespace ${namespace} {
extern const std::string_view ${variable};
const std::string_view ${variable} =
    R\"plumb(${text})plumb\";
}  // namespace ${namespace}
")
  return()
endif()

set(PLUMB_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(plumb_embed output)
  cmake_parse_arguments(EMBED "" "FILE;NAME" "" ${ARGN})
  cmake_path(ABSOLUTE_PATH EMBED_FILE BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
  file(RELATIVE_PATH title ${CMAKE_SOURCE_DIR} ${EMBED_FILE})
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D INPUT=${EMBED_FILE} -D OUTPUT=${output} -D NAME=${EMBED_NAME}
            -D TITLE=${title} -P ${PLUMB_EMBED_SCRIPT}
    DEPENDS ${EMBED_FILE} ${PLUMB_EMBED_SCRIPT} VERBATIM)
endfunction()
