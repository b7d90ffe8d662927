# Tests of files that outlive a kill: the record, the lock on an output folder, files that appear whole. Included by
# CMakeLists.txt.

target_link_options(test_folder PRIVATE -Wl,--wrap=flock) # a file system without locks
foreach(call open write pwrite pread fsync fdatasync ftruncate rename) # calls that the test makes fail
  target_link_options(test_record PRIVATE -Wl,--wrap=${call})
endforeach()

# The command, killed and cut off; and two of them in one folder. With sanitizers a library cannot be loaded before
# theirs.
script_test(folder unit ${CMAKE_CURRENT_SOURCE_DIR}/system/test_folder.py $<TARGET_FILE:piola>)
if(NOT PIOLA_SANITIZE)
  add_library(piola_disk_log MODULE system/disk_log.c)
  target_link_libraries(piola_disk_log PRIVATE piola_flags ${CMAKE_DL_LIBS})
  set_target_properties(piola_disk_log PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  script_test(kills unit ${CMAKE_CURRENT_SOURCE_DIR}/system/test_kills.py $<TARGET_FILE:piola>
    $<TARGET_FILE:piola_disk_log>)
endif()
