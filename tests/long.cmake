# Tests that take long, which `tools/check.sh --long` has and CI has not: CI is to end within 20 minutes on two
# processors. PIOLA_LONG=ON builds and registers them. Each group says what makes its claims in CI. Included by
# tests/CMakeLists.txt before any test.

# Targets by regular expressions.
set(LONG_TESTS
  # Single precision in 3D: the text is that of f64 in 3D and of f32 in 2D.
  "_f32_3d$"
  # In 3D, what the same file tests in 2D; scenes_check has gradients of whole scenes in 3D beside them. Gradients of
  # plain scenes (test_mpm_gradient, test_fem_gradient) and each kernel are tested in 3D in CI, too.
  "^test_fem_(convergence|dilatation|dynamics|field|follow_gradient|integral|modal|morph|projection)_f64_3d$"
  "^test_fem_(contact_seen|pairs_drag|pairs_friction|pairs_implicit|reversible_euler.*|slots)_f64_3d$"
  "^test_mpm_(contact|control|feedback|laws|plastic|repel_limits|reversible|reversible_gradient)_f64_3d$"
  "^test_mpm_(rub|slots|target)_f64_3d$"
  # The layout of fields in blocks, and the rehearsal of the comparison with a GPU without one: test_every_kernel has
  # every kernel in the layout that ships.
  "^test_every_kernel_(blocks|plain)_" "^test_layout_"
  # Device memory closed to the host: the solvers that these call are in other guarded tests, which take seconds.
  "^test_fem_(modal_f64_2d|standby_f64_3d)_guarded$")
# Of the stand-in for CUDA, cuda_stand_in.cmake has f64, 3D and sanitizers here; CI has f32 in 2D. What is built for
# 64-bit ARM is tested by the long check alone (tests/arm64/); its text is that of x86-64.

# With sanitizers, 3D: its text is that of 2D with another DIM, and half of the time to compile.
if(PIOLA_SANITIZE)
  list(APPEND LONG_TESTS "_f64_3d$")
endif()

# is_left_out(result target): is it one of these, and they are not built?
function(is_left_out result target)
  set(${result} OFF PARENT_SCOPE)
  if(NOT PIOLA_LONG AND NOT target MATCHES "_gpu_") # those of a GPU are built, to see that they link
    foreach(pattern ${LONG_TESTS})
      if(target MATCHES "${pattern}")
        set(${result} ON PARENT_SCOPE)
      endif()
    endforeach()
  endif()
endfunction()

# slow_with_sanitizers(test...): those that exist get the label "slow"; see tests/CMakeLists.txt.
function(slow_with_sanitizers)
  foreach(test ${ARGN})
    if(TEST ${test})
      set_tests_properties(${test} PROPERTIES LABELS "unit;slow")
    endif()
  endforeach()
endfunction()

# needs(target dependency...): add_dependencies, where the target is built.
function(needs target)
  if(TARGET ${target})
    add_dependencies(${target} ${ARGN})
  endif()
endfunction()

# What scripts take: a sample of what they can do, or all of it.
if(PIOLA_LONG)
  set(fault_points --points 460 --leaks 40)
  set(all all)
  set(slurm_limits --limit) # time limits of Slurm, which count in minutes
  set(wheel_arguments --long) # `auditwheel show`, which repeats what auditwheel found when it named the wheel
else()
  set(fault_points --points 200 --leaks 16)
  set(all)
  set(slurm_limits)
  set(wheel_arguments)
endif()
