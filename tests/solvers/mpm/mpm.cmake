# Tests of the MPM engine, for f32 and f64, 2D and 3D. Included by tests/CMakeLists.txt after engine_test().

foreach(name test_mpm_physics test_mpm_walls test_mpm_gradient test_mpm_control test_mpm_determinism test_mpm_faults
    test_mpm_reversible test_mpm_reversible_gradient test_mpm_reversible_physics)
  engine_test(${name})
endforeach()

# Single precision in 2D alone, and with sanitizers no 3D: the text is the same.
foreach(name test_mpm_obstacle test_mpm_obstacle_node test_mpm_push test_mpm_viscosity test_mpm_flip test_mpm_contact
    test_mpm_feedback test_mpm_signals test_mpm_front test_mpm_wall_friction)
  engine_test(${name} f64)
  if(f32 IN_LIST test_precisions)
    one_engine_test(${name} f32 2)
  endif()
  slow_with_sanitizers(${name}_f64_3d)
endforeach()

# one to three minutes of processor time with sanitizers
slow_with_sanitizers(test_mpm_control_f64_3d test_mpm_determinism_f64_3d test_mpm_gradient_f64_2d
  test_mpm_gradient_f64_3d test_mpm_physics_f64_2d test_mpm_physics_f64_3d test_mpm_reversible_f64_3d
  test_mpm_reversible_gradient_f64_3d test_mpm_reversible_physics_f64_3d test_mpm_walls_f64_3d)
slow_with_sanitizers(test_mpm_contact_f64_2d test_mpm_contact_f64_3d test_mpm_flip_f64_3d test_mpm_viscosity_f64_3d)

# Differences of J need double precision.
engine_test(test_mpm_laws f64)
slow_with_sanitizers(test_mpm_laws_f64_3d)
# half a minute of code that the other tests of 2D cover
slow_with_sanitizers(test_mpm_laws_f64_2d test_mpm_determinism_f64_2d test_mpm_reversible_gradient_f64_2d)

one_engine_test(test_mpm_feedback_refused f64 2)
one_engine_test(test_mpm_obstacle_gradient f64 2) # 3D: obstacles_3d.yaml, which scenes_check checks
one_engine_test(test_mpm_together f64 2)
one_engine_test(test_mpm_push_limits f64 2)
one_engine_test(test_mpm_repel f64 2)
if(PIOLA_LONG AND TARGET test_mpm_repel_f64_2d) # minutes; without it, four places in a cell and 0.3 s
  target_compile_definitions(test_mpm_repel_f64_2d PRIVATE TEST_LONG)
endif()
slow_with_sanitizers(test_mpm_repel_f64_2d)
foreach(name test_mpm_repel_limits test_mpm_repel_gradient test_mpm_rub test_mpm_push_gradient)
  engine_test(${name} f64)
  slow_with_sanitizers(${name}_f64_3d)
endforeach()
slow_with_sanitizers(test_mpm_rub_f64_2d)
foreach(name test_mpm_target test_mpm_plastic)
  engine_test(${name} f64)
  slow_with_sanitizers(${name}_f64_3d)
endforeach()

engine_test(test_mpm_slots)
slow_with_sanitizers(test_mpm_slots_f64_3d)

guarded_test(test_mpm_determinism_f64_2d)
guarded_test(test_mpm_slots_f64_2d)
guarded_test(test_mpm_faults_f64_2d)

# Engines of both layouts of fields, loaded one beside the other; mpm_case.c runs the one that the test has chosen. It
# compares numbers: the other layout with sanitizers would be a whole engine more for one test.
if(TARGET engine_blocks_f64_2d_module)
  add_executable(test_layout_f64_2d solvers/mpm/test_layout.c solvers/mpm/mpm_case.c
    ${PROJECT_SOURCE_DIR}/solvers/driver/schedule.c ${PROJECT_SOURCE_DIR}/solvers/driver/driver.c
    ${PROJECT_SOURCE_DIR}/solvers/engine/clock.c ${PROJECT_SOURCE_DIR}/solvers/engine/fail.c)
  target_compile_definitions(test_layout_f64_2d PRIVATE PIO_REAL=double PIO_DIM=2 "piola_engine=(*layout_engine)"
    TEST_PLAIN_ENGINE="$<TARGET_FILE:engine_records_f64_2d_module>"
    TEST_BLOCKS_ENGINE="$<TARGET_FILE:engine_blocks_f64_2d_module>")
  target_link_libraries(test_layout_f64_2d PRIVATE piola_flags PkgConfig::CMOCKA ${CMAKE_DL_LIBS})
  add_dependencies(test_layout_f64_2d engine_records_f64_2d_module engine_blocks_f64_2d_module)
  add_test(NAME test_layout_f64_2d COMMAND test_layout_f64_2d)
  set_tests_properties(test_layout_f64_2d PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive" TIMEOUT 600)
endif()
