# Tests of the FEM engine. Included by tests/CMakeLists.txt after engine_test().

foreach(name test_fem_determinism test_fem_direct test_fem_faults test_fem_interrupted test_fem_physics
    test_fem_reversible test_fem_rounding test_fem_slots test_fem_start test_fem_stress
    test_fem_tangent)
  engine_test(${name})
endforeach()

engine_test(test_fem_reversible_euler)

# Differences of J, and rates of convergence, need double precision.
foreach(name test_fem_bounce test_fem_contact test_fem_contact_gradient test_fem_contact_seen
    test_fem_contact_show test_fem_pairs test_fem_pairs_drag test_fem_pairs_far test_fem_pairs_friction
    test_fem_pairs_gradient test_fem_pairs_implicit test_fem_pairs_motion test_fem_field test_fem_integral
    test_fem_convergence test_fem_dilatation test_fem_dynamics test_fem_elastica test_fem_fibre test_fem_follow
    test_fem_follow_gradient
    test_fem_frames test_fem_friction test_fem_gradient test_fem_leapfrog test_fem_modal test_fem_morph
    test_fem_network
    test_fem_reversible_euler_gradient test_fem_projection test_fem_rigid test_fem_sink test_fem_springs
    test_fem_supports test_fem_transfers)
  engine_test(${name} f64)
endforeach()
engine_test(test_fem_reversible_gradient f64)
one_engine_test(test_fem_rates f64 2)
one_engine_test(test_fem_rates f64 3)
foreach(known test_fem_convergence_f64_2d test_fem_convergence_f64_3d test_fem_rates_f64_2d test_fem_rates_f64_3d)
  if(TARGET ${known})
    target_sources(${known} PRIVATE solvers/fem/fem_known.c)
  endif()
endforeach()
if(PIOLA_LONG) # minutes; without it, hex8 of the linear law alone
  target_compile_definitions(test_fem_rates_f64_3d PRIVATE TEST_LONG)
endif()
one_engine_test(test_fem_halving f64 2)
one_engine_test(test_fem_hertz f64 2)
if(PIOLA_LONG AND TARGET test_fem_hertz_f64_2d) # a minute; without it, half as many elements along the contact radius
  target_compile_definitions(test_fem_hertz_f64_2d PRIVATE TEST_LONG)
endif()
one_engine_test(test_fem_plane_stress f64 2)
one_engine_test(test_fem_rings f64 2)
one_engine_test(test_fem_sheets f64 2)
one_engine_test(test_fem_standby f64 3) # in the plane, auto begins with elimination
one_engine_test(test_fem_multigrid f64 2)
one_engine_test(test_fem_multigrid f64 3)
one_engine_test(test_residual_log f64 2)

# hypre solves the same systems where it is: Debian's libhypre-dev, which brings an MPI.
set(hypre_test test_fem_hypre_f64_3d)
if(NOT CMAKE_CROSSCOMPILING)
  find_package(MPI QUIET COMPONENTS C)
  find_path(HYPRE_INCLUDE HYPRE.h PATH_SUFFIXES hypre)
  find_library(HYPRE_LIBRARY HYPRE)
endif()
if(MPI_C_FOUND AND HYPRE_INCLUDE AND HYPRE_LIBRARY)
  one_engine_test(test_fem_hypre f64 3)
  if(TARGET ${hypre_test})
    target_include_directories(${hypre_test} SYSTEM PRIVATE ${HYPRE_INCLUDE})
    target_link_libraries(${hypre_test} PRIVATE ${HYPRE_LIBRARY} MPI::MPI_C)
    # Open MPI: one process, of any user, which starts no other and needs neither ssh nor a network
    set_property(TEST ${hypre_test} APPEND PROPERTY ENVIRONMENT OMPI_ALLOW_RUN_AS_ROOT=1
      OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self OMPI_MCA_plm_rsh_agent= OMPI_MCA_ess_singleton_isolated=1)
  endif()
else()
  message(STATUS "Comparison of linear solves with hypre: no; libhypre-dev or MPI is missing")
  add_test(NAME ${hypre_test} COMMAND sh -c
    "echo 'not checked: there is no hypre; tools/check.sh installs it' && test \"$CI\" != true && exit 77")
  set_tests_properties(${hypre_test} PROPERTIES LABELS unit SKIP_RETURN_CODE 77)
  list(REMOVE_ITEM TEST_FILES solvers/fem/test_fem_hypre.c)
endif()
# With sanitizers, memory that MPI keeps to its end may be reported; other tests cover the code of Piola that runs here.
slow_with_sanitizers(${hypre_test})

foreach(precision ${test_precisions})
  foreach(dimension 2 3)
    needs(test_fem_direct_${precision}_${dimension}d ${DIRECTS})
  endforeach()
endforeach()
needs(test_fem_modal_f64_2d ${DIRECTS})
needs(test_fem_modal_f64_3d ${DIRECTS})
needs(test_fem_rates_f64_2d ${DIRECTS})
needs(test_fem_rates_f64_3d ${DIRECTS})
needs(test_fem_standby_f64_3d ${DIRECTS})
needs(test_fem_dilatation_f64_2d ${DIRECTS})
needs(test_fem_dilatation_f64_3d ${DIRECTS})
needs(test_fem_transfers_f64_2d ${DIRECTS})
needs(test_fem_transfers_f64_3d ${DIRECTS})

# With sanitizers half a minute of processor time and more, of code that the other tests of 2D cover.
slow_with_sanitizers(test_fem_determinism_f64_2d test_fem_dilatation_f64_3d test_fem_slots_f64_2d)
# With sanitizers one to three minutes of processor time, of the same code as in 2D.
foreach(name integral convergence determinism direct dynamics follow_gradient gradient modal morph multigrid physics
    projection rates reversible_euler reversible_euler_gradient slots springs supports)
  slow_with_sanitizers(test_fem_${name}_f64_3d)
endforeach()

guarded_test(test_residual_log_f64_2d)
guarded_test(test_fem_modal_f64_2d)
guarded_test(test_fem_determinism_f64_3d)
guarded_test(test_fem_faults_f64_3d)
guarded_test(test_fem_standby_f64_3d)
guarded_test(test_fem_interrupted_f64_3d)
