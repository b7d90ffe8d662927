# The GPUs that the CUDA engines have code for. Included by the main CMakeLists.txt, when the compiler is known.
#
# PIOLA_CUDA_ARCHITECTURES is native (the GPUs of this machine), all-major (the first of each generation that nvcc
# knows, for packages), or compute capabilities such as 80;90. By default it is native, and 90 where there is no GPU.
# The newest has PTX besides, of which the driver makes code for newer GPUs.
#
# Sets CMAKE_CUDA_ARCHITECTURES, and cuda_images for messages, such as sm_80+sm_90+ptx_90.
set(PIOLA_CUDA_ARCHITECTURES "" CACHE STRING "GPUs to build for: native, all-major, or compute capabilities as 80;90")

set(wanted "${PIOLA_CUDA_ARCHITECTURES}")
if(wanted STREQUAL "" OR wanted STREQUAL "native")
  execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader OUTPUT_VARIABLE found
    ERROR_QUIET RESULT_VARIABLE code)
  string(REGEX MATCHALL "[0-9]+[.][0-9]" here "${found}")
  string(REPLACE "." "" here "${here}")
  if(code EQUAL 0 AND here)
    set(wanted ${here})
  elseif(wanted STREQUAL "native")
    message(FATAL_ERROR "PIOLA_CUDA_ARCHITECTURES=native, but nvidia-smi finds no GPU")
  else()
    set(wanted 90)
  endif()
elseif(wanted STREQUAL "all-major")
  execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --list-gpu-arch OUTPUT_VARIABLE known COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9]+" known "${known}")
  list(SORT known COMPARE NATURAL)
  list(GET known 0 wanted)
  list(FILTER known INCLUDE REGEX "0$")
  list(APPEND wanted ${known})
endif()
list(REMOVE_DUPLICATES wanted)
list(SORT wanted COMPARE NATURAL)
set(CMAKE_CUDA_ARCHITECTURES)
set(cuda_images)
foreach(capability ${wanted})
  if(NOT capability MATCHES "^[1-9][0-9]+[af]?$")
    message(FATAL_ERROR "PIOLA_CUDA_ARCHITECTURES: '${capability}' is no compute capability, such as 90")
  endif()
  list(APPEND CMAKE_CUDA_ARCHITECTURES ${capability}-real)
  string(APPEND cuda_images "sm_${capability}+")
endforeach()
list(POP_BACK CMAKE_CUDA_ARCHITECTURES)
list(GET wanted -1 newest)
list(APPEND CMAKE_CUDA_ARCHITECTURES ${newest}) # code and PTX
string(APPEND cuda_images "ptx_${newest}")
