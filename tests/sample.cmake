# Which engines are built when PIOLA_ALL_ENGINES is OFF, as in the short `tools/check.sh`: all engines of the CPU for
# the base instruction set; of the second one and of CUDA so many that each compiler compiles every line for either
# precision or dimension. A line is compiled wrongly for f32 in 2D, say, if it is for f32 in 3D or for f64 in 2D; what
# depends on both at once is found by `tools/check.sh --long`, which builds all. Included by CMakeLists.txt.

set(SAMPLED_ENGINES "_cpu_.*_${BASE_ISA}$" "_cpu_f32_3d_" "_cuda_f32_3d$" "_cuda_f64_2d$")

# is_sampled(result engine): is it built?
function(is_sampled result engine)
  set(${result} ${PIOLA_ALL_ENGINES} PARENT_SCOPE)
  foreach(pattern ${SAMPLED_ENGINES})
    if(engine MATCHES "${pattern}")
      set(${result} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()
