# Tests of the laws of materials, functions of one point: beside published values, identities and dual numbers. Included
# by kernels.cmake.

set_source_files_properties(kernels/material/test_material_dual.cpp kernels/material/test_hyperelastic_dual.cpp
  kernels/material/test_plasticity_dual.cpp PROPERTIES COMPILE_DEFINITIONS "PIO_DUAL=\"tests/kernels/base/dual.h\"")

foreach(precision ${test_precisions})
  foreach(dimension 2 3)
    set(dual)
    if(precision STREQUAL "f64" AND NOT PIOLA_SANITIZE)
      set(dual kernels/material/test_material_dual.cpp)
    endif()
    kernel_test(test_material unit engine_static ${precision} ${dimension} kernels/material/test_material.c ${dual})
  endforeach()
endforeach()

if(NOT PIOLA_SANITIZE) # pure functions of a few numbers, which tests of engines run with sanitizers too
  foreach(dimension 2 3)
    foreach(precision ${test_precisions})
      foreach(name test_hyperelastic test_hyperelastic_project)
        kernel_test(${name} unit engine_static ${precision} ${dimension} kernels/material/${name}.c)
      endforeach()
    endforeach()
    foreach(name test_hyperelastic_derivatives test_hyperelastic_stress)
      kernel_test(${name} unit engine_static f64 ${dimension} kernels/material/${name}.c
        kernels/material/test_hyperelastic_dual.cpp kernels/material/hyper_in_space.c)
    endforeach()
  endforeach()
  kernel_test(test_hyperelastic_third unit engine_static f64 2 kernels/material/test_hyperelastic_third.c
    kernels/material/hyper_in_space.c)
endif()

foreach(dimension 2 3)
  if(NOT PIOLA_SANITIZE OR dimension EQUAL 2)
    kernel_test(test_plasticity unit engine_static f64 ${dimension} kernels/material/test_plasticity.c
      kernels/material/test_plasticity_dual.cpp)
  endif()
endforeach()
foreach(dimension 2 3)
  foreach(precision ${test_precisions})
    kernel_test(test_series unit engine_static ${precision} ${dimension} kernels/material/test_series.c)
  endforeach()
endforeach()
foreach(precision f32 f64)
  kernel_test(test_bulkley unit engine_static ${precision} 2 kernels/material/test_bulkley.c)
endforeach()
