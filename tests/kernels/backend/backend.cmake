# Tests of every kernel in a backend: the harness (see kernel_cases.h). Included by kernels.cmake.

set(every_kernel_sources kernels/backend/test_every_kernel_real.c kernels/base/kernel_cases_io.c)
# These compute for long enough to be worth -O2. An argument of a kernel that a case never sets has a pattern, by which
# tests/cuda_stand_in/ knows it.
include(CheckCCompilerFlag)
check_c_compiler_flag(-ftrivial-auto-var-init=pattern HAS_PATTERN) # GCC 12
set_source_files_properties(${every_kernel_sources} PROPERTIES COMPILE_OPTIONS
  "$<IF:$<BOOL:${PIOLA_SANITIZE}>,-O1,-O2>;$<$<BOOL:${HAS_PATTERN}>:-ftrivial-auto-var-init=pattern>")
set_source_files_properties(kernels/backend/test_every_kernel_dual.cpp PROPERTIES
  COMPILE_DEFINITIONS "PIO_DUAL=\"tests/kernels/base/dual.h\"")

# The CPU engine in a layout of fields, blocks of so many items (PIO_BLOCK in kernels/base/vec.h; 1 is what ships): the
# module <name>_<...>_module, and <name>_<...> for unit tests. Without contraction: which product of a sum gcc contracts
# depends on the text around it, of F_00 n_0 + F_01 n_1 in the fibres of mpm_p2g one or the other, as the layout is.
# Without it the text says every rounding, for any instruction set and level of optimisation.
add_library(no_contraction INTERFACE)
target_compile_options(no_contraction INTERFACE -ffp-contract=off) # after piola_flags, which says =fast
function(engine_of_layout name block precision dimension)
  set(plain piola_engine_cpu_${precision}_${dimension}d_${BASE_ISA}_objects)
  set(name ${name}_${precision}_${dimension}d)
  set(sources ${ENGINE_SOURCES} ${DEVICE_SOURCES} ${CPU_KERNELS} ${CPU_SOURCES})
  get_target_property(definitions ${plain} COMPILE_DEFINITIONS)
  get_target_property(options ${plain} COMPILE_OPTIONS)
  list(TRANSFORM sources PREPEND ${PROJECT_SOURCE_DIR}/)
  add_library(${name}_objects OBJECT ${sources})
  target_compile_definitions(${name}_objects PRIVATE ${definitions} PIO_BLOCK=${block})
  target_compile_options(${name}_objects PRIVATE -O2 ${options})
  add_library(${name} STATIC EXCLUDE_FROM_ALL $<TARGET_OBJECTS:${name}_objects>)
  target_compile_definitions(${name} INTERFACE PIO_BLOCK=${block})
  add_library(${name}_module MODULE $<TARGET_OBJECTS:${name}_objects>)
  foreach(target ${name}_objects ${name} ${name}_module)
    target_link_libraries(${target} PUBLIC piola_flags no_contraction OpenMP::OpenMP_C)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C C_VISIBILITY_PRESET hidden)
  endforeach()
endfunction()

# The CPU backend once more, without contraction to FMA, in programs that say so: what the comparison with the GPU is
# tested with where there is none.
set(uncontracted $<BOOL:$<TARGET_PROPERTY:PIO_UNCONTRACTED>>)
list(TRANSFORM CPU_KERNELS PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE plain_sources)
list(APPEND plain_sources ${PROJECT_SOURCE_DIR}/kernels/backend/cpu.c)
set_source_files_properties(${plain_sources} PROPERTIES
  COMPILE_OPTIONS $<${uncontracted}:-ffp-contract=off>
  COMPILE_DEFINITIONS "$<${uncontracted}:pio_backend_cpu=pio_backend_plain>;$<${uncontracted}:PIO_CPU_TAG=_plain>")

foreach(precision ${test_precisions})
  foreach(dimension 2 3)
    set(dots)
    if(precision STREQUAL "f64" AND NOT PIOLA_SANITIZE)
      set(dots kernels/backend/kernel_dots.c kernels/backend/test_every_kernel_dual.cpp)
    endif()
    add_library(kernel_cases_${precision}_${dimension}d OBJECT EXCLUDE_FROM_ALL ${every_kernel_sources})
    target_compile_definitions(kernel_cases_${precision}_${dimension}d PRIVATE PIO_REAL=${real_${precision}}
      PIO_DIM=${dimension})
    target_link_libraries(kernel_cases_${precision}_${dimension}d PRIVATE piola_flags OpenMP::OpenMP_C)
    set(cases $<TARGET_OBJECTS:kernel_cases_${precision}_${dimension}d>)
    if(PIOLA_HOST) # these need cmocka
      kernel_test(test_every_kernel unit engine_static ${precision} ${dimension} kernels/backend/test_every_kernel.c
        ${cases} ${dots})
      if(dimension EQUAL 3 AND PIOLA_SANITIZE)
        slow_with_sanitizers(test_every_kernel_${precision}_3d) # minutes; the plane has the same text
      endif()
      if(precision STREQUAL "f64" AND dimension EQUAL 2 AND PIOLA_LONG AND NOT PIOLA_SANITIZE)
        engine_of_layout(engine_records 1 f64 2) # test_layout compares both, bit for bit
        engine_of_layout(engine_blocks 16 f64 2)
        kernel_test(test_every_kernel_blocks unit engine_blocks f64 2 kernels/backend/test_every_kernel.c
          ${every_kernel_sources})
      endif()
    endif()

    if(NOT PIOLA_SANITIZE AND dimension EQUAL 2)
      kernel_test(test_every_kernel_plain unit engine_static ${precision} ${dimension}
        kernels/backend/test_every_kernel_gpu.c ${cases} ${plain_sources})
      set(target test_every_kernel_plain_${precision}_${dimension}d)
      if(TARGET ${target})
        target_compile_definitions(${target} PRIVATE TEST_OTHER_BACKEND=pio_backend_plain)
        set_target_properties(${target} PROPERTIES PIO_UNCONTRACTED ON)
      endif()
    endif()

    if(TARGET cuda_kernels_${precision}_${dimension}d)
      gpu_test(test_every_kernel_gpu ${precision} ${dimension} kernels/backend/test_every_kernel_gpu.c ${cases})
      if(TARGET piola_product_cusparse)
        gpu_test(test_product_gpu ${precision} ${dimension} solvers/linear/test_product_gpu.c)
        add_dependencies(test_product_gpu_${precision}_${dimension}d piola_product_cusparse)
      endif()
      if(PIOLA_HOST AND precision STREQUAL "f64")
        gpu_test(test_pairings_gpu f64 ${dimension} solvers/linear/test_pairings.c)
        target_compile_definitions(test_pairings_gpu_f64_${dimension}d PRIVATE CASE_BACKEND=pio_backend_cuda)
        add_dependencies(test_pairings_gpu_f64_${dimension}d ${DIRECTS})
      endif()
    endif()
  endforeach()
endforeach()

# Negative control: one more line in the list of kernels, and no case for it.
add_test(NAME kernel_without_case_does_not_compile
  COMMAND ${CMAKE_C_COMPILER} -std=gnu11 -D_GNU_SOURCE -DPIO_REAL=double -DPIO_DIM=2 -DPIO_TEST_KERNEL_WITHOUT_CASE
    -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/include -fsyntax-only
    ${CMAKE_CURRENT_SOURCE_DIR}/kernels/backend/test_every_kernel_real.c)
set_tests_properties(kernel_without_case_does_not_compile PROPERTIES LABELS unit ENVIRONMENT "LC_ALL=C"
  PASS_REGULAR_EXPRESSION "case_kernel_without_case. undeclared")
