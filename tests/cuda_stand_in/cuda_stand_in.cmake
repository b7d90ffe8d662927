# The CUDA engine, its kernels and its libraries without a GPU: kernels/backend/cuda*.cu compiled by the C++ compiler
# against a stand-in for CUDA's runtime. No part of CUDA is needed, and nothing of this is installed. Included by
# tests/CMakeLists.txt after kernels.cmake.

set(stand_in ${CMAKE_CURRENT_SOURCE_DIR}/cuda_stand_in)
set(stand_in_folder ${CMAKE_CURRENT_BINARY_DIR}/cuda_stand_in) # of the engines: nobody finds them by chance

set(stand_in_runtime cuda_stand_in/fibre.cpp cuda_stand_in/blocks.cpp cuda_stand_in/graphs.cpp
  cuda_stand_in/runtime.cpp)

# In CI the engine in f32 and 2D, in the long check those of both precisions and dimensions, and with blocks of threads
# in order, too; with sanitizers f64 in 2D.
set(stand_in_engines f32_2d)
set(stand_in_orders random) # in which blocks of threads run
if(PIOLA_SANITIZE)
  set(stand_in_engines f64_2d)
elseif(PIOLA_LONG)
  set(stand_in_engines f32_2d f64_2d f64_3d)
  set(stand_in_orders forward random)
endif()

# CUDA's sources as C++.
list(TRANSFORM CUDA_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE stand_in_sources)
set_source_files_properties(${stand_in_sources} cuda_stand_in/planted.cu PROPERTIES LANGUAGE CXX)

# stand_in_flags(target): for C and C++ that includes CUDA's headers.
function(stand_in_flags target)
  target_include_directories(${target} BEFORE PRIVATE ${stand_in})
  target_link_libraries(${target} PRIVATE piola_flags)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-math-errno -fno-trapping-math>)
  set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden)
endfunction()

# stand_in_objects(name precision dimension sources...): CUDA's sources as objects.
function(stand_in_objects name precision dimension)
  add_library(${name} OBJECT ${ARGN})
  stand_in_flags(${name})
  target_compile_definitions(${name} PRIVATE __CUDACC__ PIO_REAL=${real_${precision}} PIO_DIM=${dimension})
  target_compile_options(${name} PRIVATE -include cuda_runtime.h -fno-extern-tls-init -Wno-enum-compare
    -Wno-unknown-pragmas -Wno-unused-function)
endfunction()

add_library(cuda_stand_in SHARED ${stand_in_runtime})
target_link_libraries(cuda_stand_in PRIVATE piola_flags)
target_compile_options(cuda_stand_in PRIVATE -O2)

set(stand_in_modules cuda_stand_in)
foreach(module direct_cusolver direct_cudss product_cusparse)
  string(REGEX REPLACE "^[a-z]+_" "" library ${module})
  set(name stand_in_${module})
  add_library(${name} MODULE ${PROJECT_SOURCE_DIR}/kernels/backend/${module}.c cuda_stand_in/${library}_stand_in.c)
  stand_in_flags(${name})
  target_link_libraries(${name} PRIVATE cuda_stand_in ${CMAKE_DL_LIBS})
  set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME piola_${module})
  list(APPEND stand_in_modules ${name})
endforeach()
target_sources(stand_in_direct_cusolver PRIVATE cuda_stand_in/cusparse_stand_in.c)
foreach(name stand_in_direct_cusolver stand_in_direct_cudss)
  target_sources(${name} PRIVATE cuda_stand_in/elimination.c)
  target_compile_definitions(${name} PRIVATE STAND_IN_MUMPS="$<TARGET_FILE:piola_direct_mumps>")
  add_dependencies(${name} piola_direct_mumps)
endforeach()

# stand_in_test(name engine sources...): with that engine and the kernels of the stand-in, beside the modules.
function(stand_in_test name engine)
  string(REGEX MATCH "^(.*)_(.)d$" matched ${engine})
  set(precision ${CMAKE_MATCH_1})
  set(dimension ${CMAKE_MATCH_2})
  set(target ${name}_${engine})
  add_executable(${target} ${ARGN} $<TARGET_OBJECTS:stand_in_kernels_${engine}>)
  target_compile_definitions(${target} PRIVATE PIO_REAL=${real_${precision}} PIO_DIM=${dimension} TEST_DUAL=0)
  target_link_libraries(${target} PRIVATE engine_static_${engine} cuda_stand_in piola_flags OpenMP::OpenMP_C
    PkgConfig::CMOCKA)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${stand_in_folder} LINKER_LANGUAGE CXX)
  add_dependencies(${target} ${stand_in_modules})
endfunction()

foreach(engine ${stand_in_engines})
  string(REGEX MATCH "^(.*)_(.)d$" matched ${engine})
  set(precision ${CMAKE_MATCH_1})
  set(dimension ${CMAKE_MATCH_2})
  stand_in_objects(stand_in_kernels_${engine} ${precision} ${dimension} ${stand_in_sources})
  set(name stand_in_engine_${engine})
  list(TRANSFORM DEVICE_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE device_sources)
  add_library(${name} MODULE ${device_sources} $<TARGET_OBJECTS:engine_common_${engine}>
    $<TARGET_OBJECTS:stand_in_kernels_${engine}>)
  target_compile_definitions(${name} PRIVATE PIO_REAL=${real_${precision}} PIO_DIM=${dimension}
    PIO_BACKEND=pio_backend_cuda PIO_DEVICE_NAME="cuda" PIO_ISA_NAME="stand-in")
  target_link_libraries(${name} PRIVATE piola_flags cuda_stand_in ${CMAKE_DL_LIBS})
  set_target_properties(${name} PROPERTIES PREFIX "" OUTPUT_NAME piola_engine_cuda_${engine} LINKER_LANGUAGE CXX
    C_VISIBILITY_PRESET hidden)
  list(APPEND stand_in_modules ${name})

  stand_in_test(test_every_kernel_stand_in ${engine} kernels/backend/test_every_kernel_gpu.c
    $<TARGET_OBJECTS:kernel_cases_${engine}>)
  if(NOT PIOLA_LONG) # several waves of blocks with the first variant of each case; the others are of one
    target_compile_definitions(test_every_kernel_stand_in_${engine} PRIVATE TEST_LARGE=1)
  endif()
  foreach(order ${stand_in_orders})
    add_test(NAME test_every_kernel_${order}_${engine} COMMAND test_every_kernel_stand_in_${engine})
    set_tests_properties(test_every_kernel_${order}_${engine} PROPERTIES LABELS unit
      ENVIRONMENT "OMP_NUM_THREADS=1;STAND_IN_ORDER=${order};STAND_IN_REPORT=1")
  endforeach()
  stand_in_test(test_queue_stand_in ${engine} cuda_stand_in/test_queue.c)
  stand_in_test(test_product_stand_in ${engine} solvers/linear/test_product_gpu.c)
  stand_in_test(test_pairings_stand_in ${engine} solvers/linear/test_pairings.c)
  target_compile_definitions(test_pairings_stand_in_${engine} PRIVATE CASE_BACKEND=pio_backend_cuda
    CASE_METHODS=PIO_GMRES)
  if(dimension EQUAL 2)
    set(name test_dlpack_stand_in_${engine})
    add_executable(${name} cuda_stand_in/test_dlpack.cpp)
    target_include_directories(${name} PRIVATE ${stand_in})
    target_link_libraries(${name} PRIVATE piola_host cuda_stand_in)
    add_dependencies(${name} stand_in_engine_${engine} ${stand_in_modules})
    add_test(NAME ${name} COMMAND ${name} ${precision})
    set_tests_properties(${name} PROPERTIES LABELS unit
      ENVIRONMENT "OMP_WAIT_POLICY=passive;PIOLA_ENGINES=${stand_in_folder};STAND_IN_ORDER=random;STAND_IN_DEFER=1")
  endif()
  set(label scenes)
  if(PIOLA_SANITIZE) # there, tests of units alone are run
    set(label unit)
  endif()
  foreach(method fem mpm)
    if(dimension EQUAL 2)
      venv_test(cuda_stand_in_${method}_${engine} ${label} ${stand_in}/test_cuda_stand_in.py $<TARGET_FILE:piola>
        ${stand_in_folder} ${precision} ${method})
    endif()
  endforeach()
  foreach(name test_queue_stand_in test_product_stand_in test_pairings_stand_in)
    add_test(NAME ${name}_${engine} COMMAND ${name}_${engine})
    set_tests_properties(${name}_${engine} PROPERTIES LABELS unit
      ENVIRONMENT "OMP_WAIT_POLICY=passive;STAND_IN_ORDER=random;STAND_IN_DEFER=1")
  endforeach()
endforeach()

# Negative controls; once more with switches between lanes by the C library, as on other processors than x86-64.
stand_in_objects(stand_in_planted f32 2 cuda_stand_in/planted.cu)
add_executable(test_planted cuda_stand_in/test_planted.cpp $<TARGET_OBJECTS:stand_in_planted>)
target_link_libraries(test_planted PRIVATE cuda_stand_in piola_flags ${CMAKE_DL_LIBS})
add_library(cuda_stand_in_ucontext SHARED ${stand_in_runtime})
target_link_libraries(cuda_stand_in_ucontext PRIVATE piola_flags)
target_compile_definitions(cuda_stand_in_ucontext PRIVATE STAND_IN_UCONTEXT=1)
add_executable(test_planted_ucontext cuda_stand_in/test_planted.cpp $<TARGET_OBJECTS:stand_in_planted>)
target_link_libraries(test_planted_ucontext PRIVATE cuda_stand_in_ucontext piola_flags ${CMAKE_DL_LIBS})
foreach(name test_planted test_planted_ucontext)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${stand_in_folder})
  add_dependencies(${name} ${stand_in_modules})
  add_test(NAME ${name} COMMAND ${name})
endforeach()
# The modules of libraries bring the other stand-in with them, whose variables the address sanitizer would take for
# definitions that were written twice.
set_tests_properties(test_planted_ucontext PROPERTIES ENVIRONMENT "ASAN_OPTIONS=detect_odr_violation=0")

set_target_properties(${stand_in_modules} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${stand_in_folder})

# The declarations here are CUDA's, where its headers are.
if(cuda_engines)
  set(with_cudss)
  if(TARGET piola_direct_cudss)
    set(with_cudss -DWITH_CUDSS -isystem ${CUDSS_INCLUDE})
  endif()
  list(TRANSFORM CUDAToolkit_INCLUDE_DIRS PREPEND -isystem OUTPUT_VARIABLE cuda_headers)
  add_test(NAME cuda_stand_in_declarations COMMAND ${CMAKE_C_COMPILER} -std=gnu11 -Wall -Wextra -Werror -fsyntax-only
    -I${PROJECT_SOURCE_DIR} ${cuda_headers} ${with_cudss} ${stand_in}/declarations.c)
  set_tests_properties(cuda_stand_in_declarations PROPERTIES LABELS unit)
endif()

# ---- the thread sanitizer, in the long check: lanes are its threads, so that a missing barrier is a race. Kernels are
# compiled with it, the stand-in and the tests are not. The negative control is the first barrier of mpm_p2g left out.
if(PIOLA_LONG AND NOT PIOLA_SANITIZE)
  set(without_barrier ${CMAKE_CURRENT_BINARY_DIR}/cuda_text_without_barrier/kernels/mpm/mpm_p2g.h)
  add_custom_command(OUTPUT ${without_barrier}
    COMMAND ${Python3_EXECUTABLE} ${stand_in}/without_barrier.py ${PROJECT_SOURCE_DIR}/kernels/mpm/mpm_p2g.h
      ${without_barrier}
    DEPENDS ${stand_in}/without_barrier.py ${PROJECT_SOURCE_DIR}/kernels/mpm/mpm_p2g.h VERBATIM)
  add_custom_target(cuda_text_without_barrier DEPENDS ${without_barrier})

  add_library(cuda_stand_in_tsan SHARED ${stand_in_runtime})
  target_link_libraries(cuda_stand_in_tsan PRIVATE piola_flags)
  target_compile_definitions(cuda_stand_in_tsan PRIVATE STAND_IN_TSAN=1)
  set(transfer_source ${stand_in_sources})
  list(FILTER transfer_source INCLUDE REGEX "cuda_mpm_scatter")
  set(other_sources ${stand_in_sources})
  list(REMOVE_ITEM other_sources ${transfer_source})
  stand_in_objects(stand_in_others_tsan f32 2 ${other_sources})
  stand_in_objects(stand_in_transfer_tsan f32 2 ${transfer_source})
  stand_in_objects(stand_in_transfer_without_barrier f32 2 ${transfer_source})
  target_include_directories(stand_in_transfer_without_barrier BEFORE PRIVATE
    ${CMAKE_CURRENT_BINARY_DIR}/cuda_text_without_barrier)
  add_dependencies(stand_in_transfer_without_barrier cuda_text_without_barrier)
  foreach(name stand_in_others_tsan stand_in_transfer_tsan stand_in_transfer_without_barrier)
    target_compile_options(${name} PRIVATE -fsanitize=thread -g1)
  endforeach()
  foreach(name test_every_kernel_threads test_every_kernel_without_barrier)
    set(transfer stand_in_transfer_tsan)
    if(name MATCHES "barrier")
      set(transfer stand_in_transfer_without_barrier)
    endif()
    set(target ${name}_f32_2d)
    add_executable(${target} kernels/backend/test_every_kernel_gpu.c $<TARGET_OBJECTS:kernel_cases_f32_2d>
      $<TARGET_OBJECTS:stand_in_others_tsan> $<TARGET_OBJECTS:${transfer}>)
    target_compile_definitions(${target} PRIVATE PIO_REAL=float PIO_DIM=2 TEST_DUAL=0 TEST_LARGE=0)
    target_link_libraries(${target} PRIVATE engine_static_f32_2d cuda_stand_in_tsan piola_flags OpenMP::OpenMP_C)
    target_link_options(${target} PRIVATE -fsanitize=thread)
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    add_test(NAME ${target} COMMAND ${target})
    set_tests_properties(${target} PROPERTIES LABELS unit TIMEOUT 1800
      ENVIRONMENT "OMP_NUM_THREADS=1;STAND_IN_ORDER=random;TSAN_OPTIONS=halt_on_error=1")
  endforeach()
  set_tests_properties(test_every_kernel_without_barrier_f32_2d PROPERTIES
    PASS_REGULAR_EXPRESSION "ThreadSanitizer: data race.*mpm_p2g")
endif()
