# Tests of contact, functions of a pair of surface parts: beside a search for distances, crossings by the roots of
# volumes, and dual numbers. Included by kernels.cmake.

set_source_files_properties(kernels/contact/test_pair_dual.cpp PROPERTIES
  COMPILE_DEFINITIONS "PIO_DUAL=\"tests/kernels/base/dual.h\"")

foreach(dimension 2 3)
  foreach(precision ${test_precisions})
    foreach(name test_pair test_pair_path)
      kernel_test(${name} unit engine_static ${precision} ${dimension} kernels/contact/${name}.c)
    endforeach()
  endforeach()
  if(NOT PIOLA_SANITIZE)
    kernel_test(test_pair_derivatives unit engine_static f64 ${dimension} kernels/contact/test_pair_derivatives.c
      kernels/contact/test_pair_dual.cpp)
  endif()
endforeach()
