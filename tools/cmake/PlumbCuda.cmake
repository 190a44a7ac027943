# SPDX-License-Identifier: Apache-2.0
# Finds a CUDA compiler; nothing but the CUDA kernels needs one. Sets PLUMB_CUDA_ARCHITECTURES, empty when
# there is none, and PLUMB_CUDA_SUMMARY, the line that the configure step ends on.

set(PLUMB_CUDA AUTO CACHE STRING "AUTO: use a CUDA compiler when there is one; REQUIRED; OFF")
set_property(CACHE PLUMB_CUDA PROPERTY STRINGS AUTO REQUIRED OFF)
set(PLUMB_CUDA_ARCHITECTURES "")
set(PLUMB_CUDA_SUMMARY "CUDA kernels: not built for a device (PLUMB_CUDA is OFF)")
if(NOT PLUMB_CUDA STREQUAL "OFF")
  # The toolkit's own folder is on few people's PATH.
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    find_program(PLUMB_NVCC nvcc HINTS /usr/local/cuda/bin /opt/cuda/bin)
    mark_as_advanced(PLUMB_NVCC)
    if(PLUMB_NVCC)
      set(CMAKE_CUDA_COMPILER ${PLUMB_NVCC})
    endif()
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80 90 100)
    endif()
    set(CMAKE_CUDA_STANDARD 20)
    enable_language(CUDA)
    set(PLUMB_CUDA_ARCHITECTURES ${CMAKE_CUDA_ARCHITECTURES})
    list(JOIN PLUMB_CUDA_ARCHITECTURES ", " architectures)
    set(PLUMB_CUDA_SUMMARY
      "CUDA kernels: architectures ${architectures} (nvcc ${CMAKE_CUDA_COMPILER_VERSION})")
  elseif(PLUMB_CUDA STREQUAL "REQUIRED")
    message(FATAL_ERROR "PLUMB_CUDA is REQUIRED and no CUDA compiler was found. Put nvcc on PATH or set "
      "CMAKE_CUDA_COMPILER; with PLUMB_CUDA=AUTO everything else is built without one.")
  else()
    set(PLUMB_CUDA_SUMMARY "CUDA kernels: not built for a device (no nvcc)")
  endif()
endif()
