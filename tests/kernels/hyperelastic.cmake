# Tests of the hyperelastic laws: included after kernels.cmake, which has kernel_test, and where there is cmocka.

set_source_files_properties(kernels/test_hyperelastic_dual.cpp PROPERTIES
  COMPILE_DEFINITIONS "PIO_DUAL=\"tests/kernels/dual.h\"")
foreach(dimension 2 3)
  foreach(precision ${test_precisions})
    kernel_test(test_hyperelastic unit engine_static ${precision} ${dimension} kernels/test_hyperelastic.c)
    kernel_test(test_hyperelastic_project unit engine_static ${precision} ${dimension}
      kernels/test_hyperelastic_project.c)
  endforeach()
  kernel_test(test_hyperelastic_derivatives unit engine_static f64 ${dimension} kernels/test_hyperelastic_derivatives.c
    kernels/test_hyperelastic_dual.cpp)
endforeach()
foreach(dimension 2 3)
  kernel_test(test_hyperelastic_stress unit engine_static f64 ${dimension} kernels/test_hyperelastic_stress.c
    kernels/test_hyperelastic_dual.cpp)
endforeach()
