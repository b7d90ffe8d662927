# Tests of plasticity: included after kernels.cmake, which has kernel_test, and where there is cmocka.

set_source_files_properties(test_plasticity_dual.cpp PROPERTIES COMPILE_DEFINITIONS "PIO_DUAL=\"tests/dual.h\"")
foreach(dimension 2 3)
  if(NOT PIOLA_SANITIZE OR dimension EQUAL 2)
    kernel_test(test_plasticity unit engine_static f64 ${dimension} test_plasticity.c test_plasticity_dual.cpp)
  endif()
endforeach()
