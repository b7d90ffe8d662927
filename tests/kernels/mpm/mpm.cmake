# Tests of the kernels of particles that need no harness. Included by kernels.cmake.

foreach(precision ${test_precisions})
  foreach(dimension 2 3)
    kernel_test(test_transfer unit engine_static ${precision} ${dimension} kernels/mpm/test_transfer.c)
  endforeach()
endforeach()
