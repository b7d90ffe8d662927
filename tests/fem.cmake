# Tests of the FEM engine, for f32 and f64, 2D and 3D. Included by CMakeLists.txt of this folder after engine_test().

foreach(name test_fem_gradient test_fem_physics test_fem_tangent)
  engine_test(${name})
  foreach(precision f32 f64)
    foreach(dimension 2 3)
      set(target ${name}_${precision}_${dimension}d)
      target_sources(${target} PRIVATE fem_case.c fem_case_mesh.c ${PROJECT_SOURCE_DIR}/host/taylor.c)
      # more threads than cores: waiting threads must not spin
      set_tests_properties(${target} PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive" TIMEOUT 600)
    endforeach()
  endforeach()
endforeach()

# Tables of elements: no engine runs.
foreach(precision f32 f64)
  foreach(dimension 2 3)
    kernel_test(test_fem_element unit engine_static ${precision} ${dimension} test_fem_element.c)
  endforeach()
endforeach()
