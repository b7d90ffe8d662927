# Tests of the kernels of meshes that need no harness. Included by kernels.cmake.

foreach(precision ${test_precisions})
  foreach(dimension 2 3)
    kernel_test(test_fem_element unit engine_static ${precision} ${dimension} kernels/fem/test_fem_element.c)
    kernel_test(test_fem_lump unit engine_static ${precision} ${dimension} kernels/fem/test_fem_lump.c)
  endforeach()
endforeach()
