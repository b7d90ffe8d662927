# Readers of foreign bytes under libFuzzer, by clang whatever compiler builds the rest; test_fuzz replays their corpus
# with any compiler.
#
#   cmake -S . -B build/fuzz -DPIOLA_FUZZ=ON && cmake --build build/fuzz --target piola_fuzz
#   PIOLA_FUZZ_TARGET=scene build/fuzz/piola_fuzz -dict=tests/data/corpus/scene.dict -max_total_time=600 \
#     FOLDER tests/data/good_scenes
#
# piola_fuzz_coverage is the same without sanitizers and with counts of lines (tests/system/fuzz_campaign.py).
option(PIOLA_FUZZ "libFuzzer targets, which clang builds" OFF)
if(PIOLA_FUZZ)
  find_program(PIOLA_CLANG NAMES clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14 REQUIRED)
  get_target_property(fuzz_sources piola_host SOURCES)
  # no reader: and clang may have no OpenMP
  list(FILTER fuzz_sources EXCLUDE REGEX "(bench|command|engines|manifest|render)[a-z_0-9]*[.]c$")
  list(APPEND fuzz_sources tests/system/fuzz_targets.c)
  set(fuzz_includes ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include ${HDF5_INCLUDE_DIRS} ${NLOPT_INCLUDE_DIRS}
    ${YAML_INCLUDE_DIRS})
  list(TRANSFORM fuzz_includes PREPEND -I)
  set(fuzz_flags -std=gnu11 -g1 -O1 -w -D_GNU_SOURCE -DPIO_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ${fuzz_includes})
  set(sanitizers -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined)
  set(counts -fprofile-instr-generate -fcoverage-mapping -fsanitize=fuzzer-no-link)
  foreach(way sanitizers counts)
    set(name piola_fuzz)
    if("${way}" STREQUAL "counts")
      set(name piola_fuzz_coverage)
    endif()
    set(objects)
    foreach(source ${fuzz_sources}) # each object has the path of its source: names of files repeat in other rooms
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE path)
      set(object ${CMAKE_BINARY_DIR}/${name}_objects/${source}.o)
      cmake_path(GET object PARENT_PATH folder)
      file(MAKE_DIRECTORY ${folder})
      add_custom_command(OUTPUT ${object} DEPENDS ${path} DEPFILE ${object}.d
        COMMAND ${PIOLA_CLANG} ${fuzz_flags} ${${way}} -MD -MT ${object} -MF ${object}.d -c ${path} -o ${object}
        VERBATIM)
      list(APPEND objects ${object})
    endforeach()
    set(archive ${CMAKE_BINARY_DIR}/${name}_objects/libfuzz.a)
    set(entry ${CMAKE_CURRENT_SOURCE_DIR}/system/fuzz_entry.c)
    add_custom_target(${name} DEPENDS ${objects} # an archive: of it, what readers do not need is not linked
      COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
      COMMAND ${CMAKE_AR} qcs ${archive} ${objects}
      COMMAND ${PIOLA_CLANG} ${fuzz_flags} ${${way}} -fsanitize=fuzzer ${entry} ${archive} ${HDF5_LINK_LIBRARIES}
        ${NLOPT_LINK_LIBRARIES} ${YAML_LINK_LIBRARIES} -lz -ldl -lm -o ${CMAKE_BINARY_DIR}/${name}
      VERBATIM)
  endforeach()
endif()
