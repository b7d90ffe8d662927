# What `cmake --install` gives and `cpack` packs. Included by the main CMakeLists.txt.
#
# PREFIX/bin/piola, PREFIX/lib/libpiola.{so,a}, the engines in PREFIX/lib/piola, where the library and the command look
# for them wherever the prefix is moved; header, pkg-config file, CMake package, manual pages, completion for shells,
# scenes, and the schemas of scenes and of what commands write as JSON.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(engine_folder ${CMAKE_INSTALL_LIBDIR}/piola)
set(share_folder ${CMAKE_INSTALL_DATADIR}/piola)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/piola)

# ---- the shared library: the objects of the static one, and of their symbols only those of piola.h
add_library(piola_shared SHARED $<TARGET_OBJECTS:piola_host>)
target_include_directories(piola_shared INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(piola_shared PRIVATE $<BUILD_INTERFACE:piola_flags> OpenMP::OpenMP_C PkgConfig::HDF5
  PkgConfig::NLOPT PkgConfig::YAML ZLIB::ZLIB ${CMAKE_DL_LIBS})
target_link_options(piola_shared PRIVATE LINKER:--version-script=${CMAKE_CURRENT_LIST_DIR}/piola.map)
set_target_properties(piola_shared PROPERTIES OUTPUT_NAME piola EXPORT_NAME piola LINKER_LANGUAGE C
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LINK_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/piola.map)
set_target_properties(piola_host PROPERTIES OUTPUT_NAME piola)

# ---- manual pages, completion, schema: from the tables of the command
add_executable(piola_manual tools/manual.c tools/help.c tools/options.c tools/tables.c)
target_link_libraries(piola_manual PRIVATE piola_host)
set(manual_folder ${CMAKE_BINARY_DIR}/manual)
file(MAKE_DIRECTORY ${manual_folder})
add_custom_command(OUTPUT ${manual_folder}/piola.1 ${manual_folder}/piola.schema.json
  COMMAND piola_manual ${manual_folder}
  COMMAND sh -c "exec '$<TARGET_FILE:piola>' schema >'${manual_folder}/piola.schema.json'"
  DEPENDS piola_manual piola VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual_folder}/piola.1)

# ---- files that say where all is, relative to themselves
set(private_libraries -lm -ldl)
foreach(library ${HDF5_LINK_LIBRARIES} ${NLOPT_LINK_LIBRARIES} ${YAML_LINK_LIBRARIES} ${ZLIB_LIBRARIES}
    ${OpenMP_C_LIBRARIES})
  cmake_path(GET library STEM name)
  cmake_path(GET library PARENT_PATH folder)
  if(name MATCHES "^lib(.*)")
    list(APPEND private_libraries -L${folder} -l${CMAKE_MATCH_1})
  endif()
endforeach()
list(REMOVE_DUPLICATES private_libraries)
list(JOIN private_libraries " " private_libraries)
cmake_path(SET up NORMALIZE "/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
cmake_path(RELATIVE_PATH up BASE_DIRECTORY "/" OUTPUT_VARIABLE down)
string(REGEX REPLACE "[^/]+" ".." up ${down})
set(engine_from_programs ${engine_folder})
cmake_path(RELATIVE_PATH engine_from_programs BASE_DIRECTORY ${CMAKE_INSTALL_BINDIR})
configure_file(${CMAKE_CURRENT_LIST_DIR}/piola.pc.in ${CMAKE_BINARY_DIR}/piola.pc @ONLY)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/piola-config.cmake.in ${CMAKE_BINARY_DIR}/piola-config.cmake
  INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/piola-config-version.cmake COMPATIBILITY SameMinorVersion)

set_source_files_properties(host/base/modules.c PROPERTIES COMPILE_DEFINITIONS
  "PIO_FROM_PROGRAMS=\"${engine_from_programs}\"")

# ---- what goes where
install(TARGETS piola RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS piola_shared EXPORT piola LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES $<TARGET_FILE:piola_host> DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS ${ENGINES} ${DIRECTS} LIBRARY DESTINATION ${engine_folder})
install(FILES include/piola.h include/piola_dlpack.h include/piola_problem.h include/piola_status.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/piola.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(EXPORT piola NAMESPACE piola:: FILE piola-targets.cmake DESTINATION ${package_folder})
install(FILES ${CMAKE_BINARY_DIR}/piola-config.cmake ${CMAKE_BINARY_DIR}/piola-config-version.cmake
  DESTINATION ${package_folder})
install(DIRECTORY ${manual_folder}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES ${manual_folder}/piola.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME piola)
install(FILES ${manual_folder}/_piola DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${manual_folder}/piola.schema.json docs/reference/reports.schema.json docs/reference/result.schema.json
  DESTINATION ${share_folder})
install(DIRECTORY scenes DESTINATION ${share_folder})
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})

# ---- a Debian package: it needs the packages that the libraries found above belong to
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME piola)
set(CPACK_PACKAGE_CONTACT "Piola developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "differentiable solver for soft bodies and fluids")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3")
find_program(DPKG_QUERY dpkg-query)
if(DPKG_QUERY)
  # owner_of(result library): the package of the file that the linker's name leads to, under the name with which it was
  # packed (in /usr/lib or /lib); empty if there is none
  function(owner_of result library)
    set(${result} "" PARENT_SCOPE)
    if(NOT EXISTS ${library})
      return()
    endif()
    file(REAL_PATH ${library} file)
    cmake_path(GET file FILENAME name)
    execute_process(COMMAND ${DPKG_QUERY} -S "*/${name}" OUTPUT_VARIABLE owner OUTPUT_STRIP_TRAILING_WHITESPACE
      ERROR_QUIET)
    if(owner MATCHES "^([^:,\n]+)")
      set(${result} ${CMAKE_MATCH_1} PARENT_SCOPE)
    endif()
  endfunction()
  set(packages libc6)
  foreach(library ${HDF5_LINK_LIBRARIES} ${NLOPT_LINK_LIBRARIES} ${YAML_LINK_LIBRARIES} ${ZLIB_LIBRARIES}
      ${OpenMP_C_LIBRARIES} ${MUMPS_LIBRARY} ${ARPACK_LIBRARY})
    owner_of(owner ${library})
    list(APPEND packages ${owner})
  endforeach()
  list(FILTER packages EXCLUDE REGEX "-dev$|^gcc-|^libgcc-")
  list(APPEND packages libgomp1)
  list(REMOVE_DUPLICATES packages)
  list(JOIN packages ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
  if(TARGET piola_text_cairo)
    string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", fonts-dejavu-core")
  endif()
  foreach(library ${CAIRO_LINK_LIBRARIES} ${VPX_LINK_LIBRARIES}) # all but pictures and WebM goes without these
    owner_of(owner ${library})
    if(owner AND NOT owner MATCHES "-dev$")
      string(APPEND CPACK_DEBIAN_PACKAGE_RECOMMENDS ", ${owner}")
    endif()
  endforeach()
  message(STATUS "A Debian package would depend on: ${CPACK_DEBIAN_PACKAGE_DEPENDS}; recommended are "
    "${CPACK_DEBIAN_PACKAGE_RECOMMENDS}")
endif()
if(cuda_engines AND NOT PIOLA_CUDA_ARCHITECTURES STREQUAL "all-major")
  message(STATUS "A package of this build would have CUDA engines for ${cuda_images}; the preset package has them for "
    "every generation of GPUs")
endif()
include(CPack)
