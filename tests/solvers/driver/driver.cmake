# Tests of schedules: windows of long horizons on engines, the rest on a mock engine. Included by tests/CMakeLists.txt.

engine_test(test_window f64)

foreach(name test_schedule test_checkpoint)
  add_executable(${name} solvers/driver/${name}.c ${PROJECT_SOURCE_DIR}/solvers/driver/schedule.c
    ${PROJECT_SOURCE_DIR}/solvers/driver/checkpoint.c ${PROJECT_SOURCE_DIR}/solvers/driver/driver.c
    ${PROJECT_SOURCE_DIR}/solvers/engine/clock.c ${PROJECT_SOURCE_DIR}/solvers/engine/fail.c)
  target_link_libraries(${name} PRIVATE piola_flags PkgConfig::CMOCKA)
  add_test(NAME ${name} COMMAND ${name})
endforeach()
