# Tests of direct solves, for f32 and f64, 2D and 3D. Included by CMakeLists.txt of this folder after engine_test().

engine_test(test_direct)
foreach(target ${test_direct_tests})
  add_dependencies(${target} ${DIRECTS})
  set_tests_properties(${target} PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive" TIMEOUT 600)
endforeach()

# The same with device memory closed to the host.
add_test(NAME test_direct_f64_2d_guarded COMMAND test_direct_f64_2d)
set_tests_properties(test_direct_f64_2d_guarded PROPERTIES ENVIRONMENT "OMP_WAIT_POLICY=passive;PIOLA_GUARD=1" TIMEOUT 600 LABELS "unit;slow")
