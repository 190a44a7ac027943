# SPDX-License-Identifier: Apache-2.0
# plumb_stage(x) names a stage once per folder; plumb_stage_table(...) writes the folder's table of
# addresses from the names, so that no source file lists them. Statics that register themselves would be
# dropped by the linker from a static library.

macro(plumb_stage name)
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp OR EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/stages/${name}.cpp
     OR IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${name})
    list(APPEND PLUMB_STAGES ${name})
  endif()
endmacro()

# Writes `output`, in which TEMPLATE's @DECLARATIONS@ and @ENTRIES@ are the lines DECLARATION and ENTRY with
# <stage> replaced by each of NAMES, without NAMES by each stage.
function(plumb_stage_table output)
  cmake_parse_arguments(TABLE "" "TEMPLATE;DECLARATION;ENTRY" "NAMES" ${ARGN})
  if(NOT TABLE_NAMES)
    set(TABLE_NAMES ${PLUMB_STAGES})
  endif()
  set(DECLARATIONS "")
  set(ENTRIES "")
  foreach(stage IN LISTS TABLE_NAMES)
    string(REPLACE "<stage>" ${stage} declaration "${TABLE_DECLARATION}")
    string(REPLACE "<stage>" ${stage} entry "${TABLE_ENTRY}")
    string(APPEND DECLARATIONS "${declaration};\n")
    string(APPEND ENTRIES "      ${entry},\n")
  endforeach()
  configure_file(${TABLE_TEMPLATE} ${output} @ONLY)
endfunction()
