# Tests of the linear solvers, for f32 and f64, 2D and 3D; on a GPU they are in kernels/backend/backend.cmake. Included
# by tests/CMakeLists.txt after engine_test().

engine_test(test_krylov)
engine_test(test_krylov_launches)
one_engine_test(test_krylov_interrupted f64 2)
guarded_test(test_krylov_interrupted_f64_2d)

# Graphs of a multilevel preconditioner, which are whole numbers: the same for every precision and dimension.
one_engine_test(test_amg_graph f64 2)
one_engine_test(test_amg_pattern f64 2)

# Direct solves, and every method beside the others.
engine_test(test_direct)
engine_test(test_pairings)
foreach(precision ${test_precisions})
  foreach(dimension 2 3)
    needs(test_direct_${precision}_${dimension}d ${DIRECTS})
    needs(test_pairings_${precision}_${dimension}d ${DIRECTS})
  endforeach()
endforeach()
guarded_test(test_direct_f64_2d)

# Eigenproblems by a library.
one_engine_test(test_eigen f64 2)
needs(test_eigen_f64_2d ${DIRECTS})

# Products by a library, with libraries of their own.
set(samples)
foreach(sample right forward unturned failing old absent)
  string(TOUPPER ${sample} kind)
  set(name piola_product_sample_${sample})
  add_library(${name} MODULE solvers/linear/product_sample.c)
  target_compile_definitions(${name} PRIVATE SAMPLE=${kind})
  target_link_libraries(${name} PRIVATE piola_flags)
  set_target_properties(${name} PROPERTIES PREFIX "" C_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  list(APPEND samples ${name})
endforeach()

foreach(name test_product test_fem_product)
  engine_test(${name})
  foreach(precision ${test_precisions})
    foreach(dimension 2 3)
      needs(${name}_${precision}_${dimension}d ${samples})
    endforeach()
  endforeach()
  guarded_test(${name}_f64_2d)
endforeach()

slow_with_sanitizers(test_fem_product_f64_3d)

# The comparison of test_product_gpu.c without a GPU: with a right library, and with a wrong one, which it must find.
foreach(sample right unturned)
  set(target test_product_${sample}_f64_2d)
  kernel_test(test_product_${sample} unit engine_static f64 2 solvers/linear/test_product_gpu.c)
  target_compile_definitions(${target} PRIVATE TEST_LIBRARY="sample_${sample}")
  add_dependencies(${target} ${samples})
endforeach()
set_tests_properties(test_product_unturned_f64_2d PROPERTIES PASS_REGULAR_EXPRESSION "FAILED A.T: own .*[\n]2 failed")
