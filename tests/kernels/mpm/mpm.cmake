# Tests of the kernels of particles that need no harness. Included by kernels.cmake.

foreach(precision ${test_precisions})
  foreach(dimension 2 3)
    kernel_test(test_transfer unit engine_static ${precision} ${dimension} kernels/mpm/test_transfer.c)
  endforeach()
endforeach()

# The same text by instruction set: what a CPU does in registers depends on it.
list(GET test_precisions 0 precision)
foreach(dimension 2 3)
  foreach(isa ${CPU_ISAS})
    set(name test_lanes_${isa})
    kernel_test(${name} unit engine_static ${precision} ${dimension} kernels/mpm/test_lanes.c)
    if(isa MATCHES "^x86" AND TARGET ${name}_${precision}_${dimension}d)
      target_compile_options(${name}_${precision}_${dimension}d PRIVATE -march=${isa})
      if(isa STREQUAL "x86-64-v4")
        target_compile_definitions(${name}_${precision}_${dimension}d PRIVATE TEST_NEEDS_V4=1)
      endif()
    endif()
  endforeach()
endforeach()
