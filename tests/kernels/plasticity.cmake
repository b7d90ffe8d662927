# Tests of plasticity: included after kernels.cmake, which has kernel_test, and engine_test().

set_source_files_properties(kernels/test_plasticity_dual.cpp PROPERTIES
  COMPILE_DEFINITIONS "PIO_DUAL=\"tests/kernels/dual.h\"")
engine_test(test_mpm_plastic f64)
slow_with_sanitizers(test_mpm_plastic_f64_3d)

foreach(dimension 2 3)
  if(NOT PIOLA_SANITIZE OR dimension EQUAL 2)
    kernel_test(test_plasticity unit engine_static f64 ${dimension} kernels/test_plasticity.c
      kernels/test_plasticity_dual.cpp)
  endif()
endforeach()
foreach(precision f32 f64)
  kernel_test(test_bulkley unit engine_static ${precision} 2 kernels/test_bulkley.c)
endforeach()
script_test(plastic unit ${CMAKE_CURRENT_SOURCE_DIR}/system/test_plastic.py $<TARGET_FILE:piola>)
slow_with_sanitizers(plastic)
