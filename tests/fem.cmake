# Tests of the FEM engine, for f32 and f64, 2D and 3D. Included by CMakeLists.txt of this folder after engine_test().

foreach(name test_fem_determinism test_fem_faults test_fem_physics test_fem_tangent)
  engine_test(${name})
  list(APPEND fem_tests ${${name}_tests})
endforeach()

kernel_test(test_fem_halving unit engine_static f64 2 test_fem_halving.c ${PROJECT_SOURCE_DIR}/solvers/schedule.c
  ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
list(APPEND fem_tests test_fem_halving_f64_2d)
kernel_test(test_fem_plane_stress unit engine_static f64 2 test_fem_plane_stress.c
  ${PROJECT_SOURCE_DIR}/solvers/schedule.c ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
list(APPEND fem_tests test_fem_plane_stress_f64_2d)

foreach(name test_fem_amount test_fem_morph)
  foreach(dimension 2 3)
    kernel_test(${name} unit engine_static f64 ${dimension} ${name}.c ${PROJECT_SOURCE_DIR}/solvers/schedule.c
      ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
    list(APPEND fem_tests ${name}_f64_${dimension}d)
  endforeach()
endforeach()

foreach(dimension 2 3)
  kernel_test(test_fem_convergence unit engine_static f64 ${dimension} test_fem_convergence.c
    ${PROJECT_SOURCE_DIR}/solvers/schedule.c ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
  list(APPEND fem_tests test_fem_convergence_f64_${dimension}d)
endforeach()

foreach(dimension 2 3)
  kernel_test(test_fem_projection unit engine_static f64 ${dimension} test_fem_projection.c
    ${PROJECT_SOURCE_DIR}/solvers/schedule.c ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
  list(APPEND fem_tests test_fem_projection_f64_${dimension}d)
endforeach()

foreach(dimension 2 3)
  kernel_test(test_fem_rigid unit engine_static f64 ${dimension} test_fem_rigid.c
    ${PROJECT_SOURCE_DIR}/solvers/schedule.c ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
  list(APPEND fem_tests test_fem_rigid_f64_${dimension}d)
endforeach()

# Differences of J need double precision; tables of elements need no engine that runs.
foreach(dimension 2 3)
  kernel_test(test_fem_dynamics unit engine_static f64 ${dimension} test_fem_dynamics.c
    ${PROJECT_SOURCE_DIR}/solvers/schedule.c ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
  list(APPEND fem_tests test_fem_dynamics_f64_${dimension}d)
  kernel_test(test_fem_gradient unit engine_static f64 ${dimension} test_fem_gradient.c
    ${PROJECT_SOURCE_DIR}/solvers/schedule.c ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
  list(APPEND fem_tests test_fem_gradient_f64_${dimension}d)
  foreach(precision ${test_precisions})
    kernel_test(test_fem_element unit engine_static ${precision} ${dimension} test_fem_element.c)
  endforeach()
endforeach()

# With the library of direct solves beside them.
foreach(dimension 2 3)
  foreach(precision ${test_precisions})
    kernel_test(test_fem_direct unit engine_static ${precision} ${dimension} test_fem_direct.c
      ${PROJECT_SOURCE_DIR}/solvers/schedule.c ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
    list(APPEND fem_tests test_fem_direct_${precision}_${dimension}d)
    add_dependencies(test_fem_direct_${precision}_${dimension}d ${DIRECTS})
  endforeach()
  kernel_test(test_fem_transfers unit engine_static f64 ${dimension} test_fem_transfers.c
    ${PROJECT_SOURCE_DIR}/solvers/schedule.c ${PROJECT_SOURCE_DIR}/solvers/adjoint.c)
  list(APPEND fem_tests test_fem_transfers_f64_${dimension}d)
  add_dependencies(test_fem_transfers_f64_${dimension}d ${DIRECTS})
endforeach()

foreach(target ${fem_tests})
  target_sources(${target} PRIVATE fem_case.c fem_case_mesh.c fem_taylor.c ${PROJECT_SOURCE_DIR}/host/taylor.c)
  # more threads than cores: waiting threads must not spin
  set_tests_properties(${target} PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive" TIMEOUT 600)
endforeach()

set_tests_properties(test_fem_amount_f64_3d test_fem_gradient_f64_3d test_fem_dynamics_f64_3d PROPERTIES LABELS "unit;slow")

# The same with device memory closed to the host.
foreach(name test_fem_determinism test_fem_faults)
  add_test(NAME ${name}_f64_3d_guarded COMMAND ${name}_f64_3d)
  set_tests_properties(${name}_f64_3d_guarded PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive;PIOLA_GUARD=1" TIMEOUT 600 LABELS "unit;slow")
endforeach()
