# Tests of long horizons: norms of the adjoint, its overflow, windows. Included by tests/CMakeLists.txt.

engine_test(test_window f64)
engine_test(test_adjoint_norms)

# Schedules and the driver, on a mock engine.
foreach(name test_schedule test_checkpoint)
  add_executable(${name} solvers/driver/${name}.c ${PROJECT_SOURCE_DIR}/solvers/driver/schedule.c
    ${PROJECT_SOURCE_DIR}/solvers/driver/checkpoint.c ${PROJECT_SOURCE_DIR}/solvers/driver/driver.c
    ${PROJECT_SOURCE_DIR}/solvers/engine/clock.c ${PROJECT_SOURCE_DIR}/solvers/engine/fail.c)
  target_link_libraries(${name} PRIVATE piola_flags PkgConfig::CMOCKA)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
