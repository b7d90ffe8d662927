# Tests of what simulations of both methods share. Included by tests/CMakeLists.txt after engine_test().

engine_test(test_adjoint_norms)
engine_test(test_subnormals)
