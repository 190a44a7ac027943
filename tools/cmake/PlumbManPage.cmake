# SPDX-License-Identifier: Apache-2.0
# Writes plumb.1 from what `plumb --help` and each verb's --help print:
#   cmake -D PLUMB=plumb -D OUTPUT=plumb.1 -D VERSION=0.1.0 -P PlumbManPage.cmake

function(help_of verb output)
  execute_process(COMMAND ${PLUMB} ${verb} --help OUTPUT_VARIABLE text RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${PLUMB} ${verb} --help ended with ${failed}")
  endif()
  set(${output} "${text}" PARENT_SCOPE)
endfunction()

# A block of lines as they are: backslashes, and dots and quotes that begin a line, are not roff's.
function(as_is text output)
  string(REPLACE "\\" "\\e" text "${text}")
  string(REPLACE "-" "\\-" text "${text}")
  string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" text "${text}")
  string(STRIP "${text}" text)
  set(${output} ".nf\n${text}\n.fi\n" PARENT_SCOPE)
endfunction()

help_of("" overview)
string(REGEX REPLACE "\n.*" "" sentence "${overview}")
string(REGEX MATCH "Subcommands:\n(.*)\n\n" matched "${overview}")
string(REGEX MATCHALL "\n  [a-z]+ " verbs "\n${CMAKE_MATCH_1}")
if(verbs STREQUAL "")
  message(FATAL_ERROR "${PLUMB} --help lists no verbs")
endif()

as_is("${overview}" block)
set(page ".TH PLUMB 1 \"\" \"plumbline ${VERSION}\" \"User commands\"\n")
string(APPEND page ".SH NAME\nplumb \\- judge kernels of DeepSeek models against their equations\n")
string(APPEND page ".SH SYNOPSIS\n.B plumb\n.I verb\n[options]\n.SH DESCRIPTION\n${sentence}\n.PP\n${block}")
foreach(verb IN LISTS verbs)
  string(STRIP "${verb}" verb)
  help_of(${verb} text)
  as_is("${text}" block)
  string(TOUPPER ${verb} title)
  string(APPEND page ".SH ${title}\n${block}")
endforeach()
string(APPEND page ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nSet and not empty: no colour, on a terminal neither.\n")
file(WRITE ${OUTPUT} "${page}")
