# Tests with calls that fail: a library that is loaded before the command, and a campaign over what it can make fail.
# Included by tests/CMakeLists.txt. With sanitizers malloc is theirs: the campaign is for other builds.

if(NOT PIOLA_SANITIZE)
  add_library(fault_shim MODULE system/fault_shim.c system/fault_left.c)
  target_link_libraries(fault_shim PRIVATE piola_flags PkgConfig::HDF5 ${CMAKE_DL_LIBS})
  set_target_properties(fault_shim PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  script_test(faults unit ${CMAKE_CURRENT_SOURCE_DIR}/system/fault_campaign.py $<TARGET_FILE:piola>
    $<TARGET_FILE:fault_shim> ${fault_points}) # of 330,000; check.sh --faults takes 10,000 and 3,000
endif()
