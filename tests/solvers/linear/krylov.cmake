# Tests of the linear solvers, for f32 and f64, 2D and 3D. Included by tests/CMakeLists.txt after engine_test().

engine_test(test_krylov)
one_engine_test(test_krylov_interrupted f64 2)
guarded_test(test_krylov_interrupted_f64_2d)
