# Tests of direct solves, and of every method beside the others, for f32 and f64, 2D and 3D. Included by
# tests/CMakeLists.txt after engine_test().

engine_test(test_direct)
engine_test(test_pairings)
foreach(precision ${test_precisions})
  foreach(dimension 2 3)
    needs(test_direct_${precision}_${dimension}d ${DIRECTS})
    needs(test_pairings_${precision}_${dimension}d ${DIRECTS})
  endforeach()
endforeach()
guarded_test(test_direct_f64_2d)
