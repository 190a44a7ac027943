# SPDX-License-Identifier: Apache-2.0
# How every target of the project is built.

add_library(plumb_options INTERFACE)
target_include_directories(plumb_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(plumb_options INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Werror -ffp-contract=off
  -ffile-prefix-map=${CMAKE_SOURCE_DIR}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build)
# Of clang, -Wconversion asks for more than of g++; both shall ask the same.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(plumb_options INTERFACE -Wno-sign-conversion)
endif()
# g++ 12 sees overlapping copies in "text" + std::string at -O3 (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(plumb_options INTERFACE -Wno-restrict)
endif()

# plumb_library(plumb_reference_base SOURCES a.cpp b.cpp LINKS plumb_x)
function(plumb_library name)
  cmake_parse_arguments(LIB "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${name} STATIC ${LIB_SOURCES})
  target_link_libraries(${name} PUBLIC plumb_options ${LIB_LINKS})
endfunction()

# plumb_test(x LINKS plumb_reference_x [LABELS unit] [SOURCES more.cpp]): builds x_test.cpp; of y/x the target is
# y_x_test.
function(plumb_test name)
  if(NOT PLUMB_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(TEST "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  if(NOT TEST_LABELS)
    set(TEST_LABELS unit)
  endif()
  string(REPLACE "/" "_" target ${name}_test)
  add_executable(${target} ${name}_test.cpp ${TEST_SOURCES})
  target_link_libraries(${target} PRIVATE plumb_options ${TEST_LINKS} GTest::gtest_main)
  gtest_discover_tests(${target} TEST_PREFIX ${name}. PROPERTIES LABELS "${TEST_LABELS}"
    DISCOVERY_TIMEOUT 60)
endfunction()
