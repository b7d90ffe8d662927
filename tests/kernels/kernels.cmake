# Tests of the kernels, in files of their rooms. Included by tests/CMakeLists.txt.

# With sanitizers, the same text is tested in double precision only and not against dual numbers: more would take
# minutes and show nothing new.
set(test_precisions f32 f64)
if(PIOLA_SANITIZE)
  set(test_precisions f64)
endif()

# kernel_test(name label engine precision dimension sources...): `engine` is the first part of the name of a library.
# It is not built where long.cmake leaves it out.
function(kernel_test name label engine precision dimension)
  set(target ${name}_${precision}_${dimension}d)
  is_left_out(left_out ${target})
  if(left_out)
    return()
  endif()
  add_executable(${target} ${ARGN})
  set(dual 0)
  if(precision STREQUAL "f64" AND NOT PIOLA_SANITIZE AND NOT engine STREQUAL "engine_blocks")
    set(dual 1)
  endif()
  target_compile_definitions(${target} PRIVATE PIO_REAL=${real_${precision}} PIO_DIM=${dimension} TEST_DUAL=${dual})
  target_link_libraries(${target} PRIVATE ${engine}_${precision}_${dimension}d piola_flags OpenMP::OpenMP_C
    $<TARGET_NAME_IF_EXISTS:PkgConfig::CMOCKA>)
  # How work is divided among threads is the same text for both precisions: in CI, f32 has 2, 3 and 8 of them for every
  # variant of a case, f64 8 for the first three.
  if(CMAKE_CROSSCOMPILING OR (precision STREQUAL "f64" AND NOT PIOLA_LONG))
    target_compile_definitions(${target} PRIVATE TEST_FEW_THREADS=1)
  endif()
  add_test(NAME ${target} COMMAND ${target})
  set_tests_properties(${target} PROPERTIES LABELS ${label} SKIP_RETURN_CODE 77)
endfunction()

# gpu_test(name precision dimension sources...): with the engine's CUDA kernels besides.
function(gpu_test name precision dimension)
  kernel_test(${name} gpu engine_static ${precision} ${dimension} ${ARGN})
  set(target ${name}_${precision}_${dimension}d)
  target_link_libraries(${target} PRIVATE cuda_kernels_${precision}_${dimension}d)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CUDA CUDA_RUNTIME_LIBRARY Static)
endfunction()

include(kernels/backend/backend.cmake)
if(PIOLA_HOST) # the others need cmocka
  include(kernels/contact/contact.cmake)
  include(kernels/material/material.cmake)
  include(kernels/mpm/mpm.cmake)
  include(kernels/fem/fem.cmake)
endif()
