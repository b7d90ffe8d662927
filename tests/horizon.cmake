# Tests of long horizons: norms of the adjoint, its overflow, windows. Included by CMakeLists.txt of this folder.

engine_test(test_window f64)
engine_test(test_adjoint_norms)
