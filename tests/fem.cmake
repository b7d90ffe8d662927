# Tests of the FEM engine. Included by CMakeLists.txt of this folder after engine_test().

engine_test(test_fem_physics)
set(fem_tests)
foreach(dimension 2 3)
  foreach(precision f32 f64)
    list(APPEND fem_tests test_fem_physics_${precision}_${dimension}d)
    kernel_test(test_fem_element unit engine_static ${precision} ${dimension} test_fem_element.c)
  endforeach()
  foreach(name test_fem_gradient test_fem_tangent) # differences of J need double precision
    kernel_test(${name} unit engine_static f64 ${dimension} ${name}.c ${PROJECT_SOURCE_DIR}/solvers/schedule.c
      ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
    list(APPEND fem_tests ${name}_f64_${dimension}d)
  endforeach()
endforeach()

foreach(target ${fem_tests})
  target_sources(${target} PRIVATE fem_case.c fem_case_mesh.c ${PROJECT_SOURCE_DIR}/host/taylor.c)
  # more threads than cores: waiting threads must not spin
  set_tests_properties(${target} PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive" TIMEOUT 600)
endforeach()
