# Tests of the MPM engine, for f32 and f64, 2D and 3D. Included by CMakeLists.txt of this folder after engine_test().

foreach(name test_mpm_physics test_mpm_walls test_mpm_gradient test_mpm_control test_mpm_determinism test_mpm_faults)
  engine_test(${name})
endforeach()

# one to three minutes of processor time with sanitizers
set_tests_properties(test_mpm_control_f64_3d test_mpm_determinism_f64_3d test_mpm_gradient_f64_3d test_mpm_physics_f64_2d
  test_mpm_physics_f64_3d PROPERTIES LABELS "unit;slow")

guarded_test(test_mpm_determinism_f64_2d)
guarded_test(test_mpm_faults_f64_2d)

# Engines of both layouts of fields, loaded one beside the other; mpm_case.c runs the one that the test has chosen.
foreach(dimension ${variant_dimensions})
  set(target test_layout_f64_${dimension}d)
  set(plain piola_engine_cpu_f64_${dimension}d_${BASE_ISA})
  set(blocks engine_blocks_f64_${dimension}d_module)
  add_executable(${target} test_layout.c mpm_case.c ${PROJECT_SOURCE_DIR}/solvers/schedule.c
    ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
  target_compile_definitions(${target} PRIVATE PIO_REAL=double PIO_DIM=${dimension} "piola_engine=(*layout_engine)"
    TEST_PLAIN_ENGINE="$<TARGET_FILE:${plain}>" TEST_BLOCKS_ENGINE="$<TARGET_FILE:${blocks}>")
  target_link_libraries(${target} PRIVATE piola_flags PkgConfig::CMOCKA ${CMAKE_DL_LIBS})
  add_dependencies(${target} ${plain} ${blocks})
  add_test(NAME ${target} COMMAND ${target})
  set_tests_properties(${target} PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive" TIMEOUT 600)
endforeach()

# Schedules and the driver, on a mock engine.
add_executable(test_schedule test_schedule.c ${PROJECT_SOURCE_DIR}/solvers/schedule.c
  ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
target_link_libraries(test_schedule PRIVATE piola_flags PkgConfig::CMOCKA)
add_test(NAME test_schedule COMMAND test_schedule)
