# Tests of products by a library, for f32 and f64, 2D and 3D, with libraries of their own; of cuSPARSE's on a GPU they
# are in kernels.cmake. Included by tests/CMakeLists.txt after engine_test().

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
