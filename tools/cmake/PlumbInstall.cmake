# SPDX-License-Identifier: Apache-2.0
# What cmake --install puts: the command, its kernels, and what a kernel of somebody else's is built with.
include(CMakePackageConfigHelpers)

add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/plumb.1
  COMMAND ${CMAKE_COMMAND} -D PLUMB=$<TARGET_FILE:plumb> -D OUTPUT=${CMAKE_BINARY_DIR}/plumb.1
          -D VERSION=${PROJECT_VERSION} -P ${CMAKE_CURRENT_LIST_DIR}/PlumbManPage.cmake
  DEPENDS plumb ${CMAKE_CURRENT_LIST_DIR}/PlumbManPage.cmake VERBATIM)
add_custom_target(plumb_man ALL DEPENDS ${CMAKE_BINARY_DIR}/plumb.1)

# The name under which the package exports it is plumbline::kernel_abi.
add_library(plumb_kernel_abi INTERFACE)
target_include_directories(plumb_kernel_abi INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(plumb_kernel_abi PROPERTIES EXPORT_NAME kernel_abi)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/plumbline)
install(TARGETS plumb plumb_kernel_abi EXPORT plumbline)
if(TARGET plumb_kernels)
  install(TARGETS plumb_kernels LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(FILES ${CMAKE_SOURCE_DIR}/conformance/abi/plumb_kernel.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/plumbline)
install(EXPORT plumbline NAMESPACE plumbline:: FILE plumblineTargets.cmake DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_SOURCE_DIR}/tools/cmake/plumblineConfig.cmake.in ${CMAKE_BINARY_DIR}/plumblineConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/plumblineConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/plumblineConfig.cmake ${CMAKE_BINARY_DIR}/plumblineConfigVersion.cmake
  DESTINATION ${package_folder})
install(FILES ${CMAKE_BINARY_DIR}/plumb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
