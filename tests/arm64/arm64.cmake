# What a build for 64-bit ARM passes under an emulator (toolchain.cmake): the target arm64_tests, which builds what the
# tests labelled arm64 need and no more. Included by tests/CMakeLists.txt after all tests.

set(PIOLA_REFERENCE ${PROJECT_SOURCE_DIR}/build/release/piola CACHE FILEPATH
  "The command for x86-64 beside its engines, with whose gradients those of arm64 are compared")

# All kernels; equal bits of whole runs for any number of threads; gradients, direct solves, reversible integrators; and
# of the host what depends on the sign of a char, on the order of bytes or on a table where x86-64 has an instruction.
set(arm64_programs
  test_fem_determinism_f64_2d test_fem_direct_f64_3d test_fem_gradient_f64_2d test_fem_reversible_f32_2d
  test_mpm_determinism_f32_2d test_mpm_determinism_f64_2d test_mpm_gradient_f64_2d test_mpm_reversible_f64_2d
  test_byte_input test_config test_decimal test_json test_mesh_read test_scene_bad test_sha256 test_snapshot)
foreach(precision f32 f64)
  foreach(dimension 2 3)
    list(APPEND arm64_programs test_every_kernel_${precision}_${dimension}d)
  endforeach()
endforeach()
venv_test(arm64 arm64 ${CMAKE_CURRENT_SOURCE_DIR}/arm64/test_arm64.py $<TARGET_FILE:piola> ${PIOLA_REFERENCE}
  ${CMAKE_CROSSCOMPILING_EMULATOR})
script_test(arm64_vectors arm64 ${CMAKE_CURRENT_SOURCE_DIR}/arm64/check_neon.py ${CMAKE_C_COMPILER} ${CMAKE_NM}
  ${CMAKE_OBJDUMP} ${CMAKE_BINARY_DIR})
set_property(TEST ${arm64_programs} APPEND PROPERTY LABELS arm64)
set_tests_properties(${arm64_programs} arm64 PROPERTIES TIMEOUT 2400)
add_custom_target(arm64_tests DEPENDS piola engines ${arm64_programs})
