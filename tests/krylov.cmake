# Tests of the linear solvers, for f32 and f64, 2D and 3D. Included by CMakeLists.txt of this folder after engine_test().

engine_test(test_krylov)
foreach(precision f32 f64)
  foreach(dimension 2 3)
    # more threads than cores: waiting threads must not spin
    set_tests_properties(test_krylov_${precision}_${dimension}d PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive" TIMEOUT 600)
  endforeach()
endforeach()

# a minute and more of processor time with sanitizers
set_tests_properties(test_krylov_f32_3d test_krylov_f64_3d PROPERTIES LABELS "unit;slow")

# The same with device memory closed to the host.
add_test(NAME test_krylov_f64_2d_guarded COMMAND test_krylov_f64_2d)
set_tests_properties(test_krylov_f64_2d_guarded PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive;PIOLA_GUARD=1" TIMEOUT 600)
