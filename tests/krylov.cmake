# Tests of the linear solvers, for f32 and f64, 2D and 3D. Included by CMakeLists.txt of this folder after engine_test().

engine_test(test_krylov)
# more threads than cores: waiting threads must not spin
set_tests_properties(${test_krylov_tests} PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive" TIMEOUT 600)

# The same with device memory closed to the host.
add_test(NAME test_krylov_f64_2d_guarded COMMAND test_krylov_f64_2d)
set_tests_properties(test_krylov_f64_2d_guarded PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive;PIOLA_GUARD=1" TIMEOUT 600 LABELS "unit;slow")
