"""A problem as a function of JAX: derivatives are those of differences, with and without jit, vmap and float64."""
import os
import pathlib
import signal
import threading

import jax
import jax.numpy as jnp
import numpy as np
import piola
import piola.jax
import pytest
from conftest import BALL, BEAM, assert_requested_only, changed, run_section
from jax.test_util import check_grads

jax.config.update("jax_enable_x64", True)
EXACT = changed(BEAM, solver={"tolerance": 1e-14, "adjoint_tolerance": 1e-14})  # as differences need it
SIZES = {"ball": {"E": 2e4, "speed": 1, "weight": 1e3}, "beam": {"loads.push.value.x": 20, "depth": 0.5, "E": 4e4}}


@pytest.fixture(params=["ball", "beam"])
def sized(request):
    """A problem, and sizes of inputs of it."""
    with piola.Problem({"ball": BALL, "beam": EXACT}[request.param], device="cpu") as problem:
        yield problem, SIZES[request.param]


def squeezed(problem, name):
    d = problem.designs[name]
    return jnp.asarray(problem.variables.start[d.variables].reshape(d.shape).squeeze())


def test_check_grads(sized):
    problem, sizes = sized
    simulate = piola.jax.function(problem, list(sizes))
    starts = [squeezed(problem, name) for name in sizes]
    J0, y0 = simulate(*starts)

    def outputs(*t):
        J, y = simulate(*(s + size * own for s, size, own in zip(starts, sizes.values(), t)))
        return J / J0, [v / abs(y0[name]).max() for name, v in y.items()]

    @jax.custom_vjp
    def planted(*t):
        return outputs(*t)

    planted.defvjp(lambda *t: jax.vjp(outputs, *t), lambda pull, bar: tuple(1.01 * s for s in pull(bar)))
    t = [jnp.zeros_like(s) for s in starts]
    for function in (outputs, jax.jit(outputs)):
        check_grads(function, t, order=1, modes=["rev"], eps=1e-5, atol=1e-7, rtol=1e-6)
    with pytest.raises(AssertionError):
        check_grads(planted, t, order=1, modes=["rev"], eps=1e-5, atol=1e-7, rtol=1e-6)


def test_bits_are_those_of_the_problem_with_and_without_jit(problem):
    simulate, x = piola.jax.function(problem), jnp.asarray(problem.variables.start)
    wanted, gradient = problem.evaluate()
    observed = {name: o.values for name, o in problem.observations.items()}

    def value(x):
        return simulate(x)[0]

    for f in (simulate, jax.jit(simulate)):
        J, y = f(x)
        assert float(J) == wanted and J.shape == () and J.dtype == jnp.float64
        assert {n: np.asarray(v).tobytes() for n, v in y.items()} == {n: v.tobytes() for n, v in observed.items()}
        assert all(y[n].shape == observed[n].shape for n in y)
    for f in (jax.grad(value), jax.jit(jax.grad(value))):
        assert np.asarray(f(x)).tobytes() == gradient.tobytes()
    bar = {name: np.random.default_rng(7).random(v.shape) for name, v in observed.items()}
    J, pull = jax.vjp(simulate, x)
    pulled = problem.pullback(None, 3.0, bar)
    jitted = jax.jit(lambda x, bar: jax.vjp(simulate, x)[1](bar))(x, (jnp.asarray(3.0), bar))
    assert np.asarray(pull((jnp.asarray(3.0), bar))[0]).tobytes() == pulled.tobytes()
    assert np.asarray(jitted[0]).tobytes() == pulled.tobytes()


def test_vmap_computes_one_after_the_other(ball):
    simulate, x = piola.jax.function(ball, ["speed"]), jnp.asarray([[1.0, -2], [0.5, -1], [2, -2.5]])

    def loss(speed):
        J, y = simulate(speed)
        return J + 1e-3 * y["energy"].sum()

    one_by_one = [jax.value_and_grad(loss)(own) for own in x]
    for f in (jax.vmap(jax.value_and_grad(loss)), jax.jit(jax.vmap(jax.value_and_grad(loss)))):
        values, slopes = f(x)
        assert values.shape == (3,) and slopes.shape == (3, 2)
        np.testing.assert_allclose(values, [v for v, _ in one_by_one], rtol=1e-15)
        np.testing.assert_array_equal(slopes, [s for _, s in one_by_one])
    rows = jax.jacrev(lambda x: simulate(x)[1]["place"])(x[0])
    values = ball.variables.start.copy()
    own = ball.designs["speed"].variables
    values[own] = x[0]
    of_place = ball.jacobian(values)[:rows.shape[0] * 2, own].reshape(rows.shape)
    np.testing.assert_allclose(rows, of_place, rtol=1e-9, atol=1e-12)


def test_fields_are_arrays_of_jax(ball):
    ball.evaluate()
    found = jnp.from_dlpack(ball.tensor("velocity"))
    assert found.dtype == jnp.float64 and np.asarray(found).tobytes() == ball.field("velocity").tobytes()
    ball.close()
    assert float(jnp.abs(found).max()) > 0


def test_forward_and_second_derivatives_are_errors(ball):
    simulate, x = piola.jax.function(ball), jnp.asarray(ball.variables.start)
    with pytest.raises(TypeError, match="custom_vjp"):
        jax.jvp(lambda x: simulate(x)[0], (x,), (x,))
    with pytest.raises(ValueError, match="(?i)pure callbacks do not support JVP"):
        jax.hessian(lambda x: simulate(x)[0])(x)


def test_it_is_imported_on_request_and_says_what_is_missing(monkeypatch):
    assert_requested_only(monkeypatch, "jax", "piola.jax needs JAX: install the package jax")


def test_errors(ball):
    simulate = piola.jax.function(ball, ["speed", "weight"])
    speed = jnp.asarray([1.0, -2.0])
    for given, named, text in (((speed,), {}, "1 inputs are given; the function has 2"),
                               ((speed[0], speed[0]), {}, r"input 'speed' has shape \(\); it must have \(2,\)"),
                               ((speed, 1), {}, "'weight' must be an array of floating-point numbers, not of int"),
                               ((speed,), {"E": speed}, "'E' is no input; the inputs are speed, weight")):
        with pytest.raises(piola.UsageError, match=text):
            simulate(*given, **named)
    with pytest.raises(Exception, match="particle"):
        jax.block_until_ready(jax.jit(simulate)(500 * speed, 1000.0))
    assert np.isfinite(simulate(speed, 1000.0)[0]), "it computes after an error"
    with pytest.raises(piola.NameUnknownError, match="no target of the design 'colour'"):
        piola.jax.function(ball, ["colour"])


def test_ctrl_c_ends_a_sweep():
    """In the main thread, where JAX on a CPU calls back; its exception has KeyboardInterrupt in the message."""
    with piola.Problem(changed(BALL, time={"dt": "0.5 ms", "duration": "60 s"}), device="cpu") as problem:
        simulate, x = piola.jax.function(problem), jnp.asarray(problem.variables.start)
        evaluation, ended = problem.evaluation, []

        def interrupted(*given, **named):
            assert threading.current_thread() is threading.main_thread()
            timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            try:
                found = evaluation(*given, **named)
                ended.append(True)
                return found
            finally:
                timer.join()

        problem.evaluation = interrupted
        for f in (simulate, jax.jit(simulate)):
            with pytest.raises(Exception, match="KeyboardInterrupt"):
                jax.block_until_ready(f(x))
        assert not ended
        problem.evaluation = evaluation
        problem.begin()
        assert problem.step(2).step == 2, "the problem can be used afterwards"


def test_float32_is_rounded_float64(ball):
    with jax.enable_x64(False):
        simulate, x = piola.jax.function(ball), jnp.asarray(ball.variables.start)
        J, slope = jax.jit(jax.value_and_grad(lambda x: simulate(x)[0]))(x)
        assert x.dtype == J.dtype == slope.dtype == jnp.float32
    wanted, gradient = ball.evaluate(np.asarray(x, dtype=np.float64))
    assert float(J) == np.float32(wanted)
    np.testing.assert_array_equal(slope, gradient.astype(np.float32))


def test_large_fields_and_threads_do_not_wait_for_each_other():
    """Callbacks with large arguments, from several threads, while JAX's own threads are busy."""
    scene = changed(BEAM, geometry=[{**BEAM["geometry"][0], "elements": [240, 120]}], constraints=[], objective=[],
                    time={"load_steps": 1, "duration": "1 s"}, observe=[
                        {"name": "size", "type": "volume", "body": "beam"}], loads=[],
                    design=[{"name": "depth", "target": "bodies.beam.thickness", "per": "element"}])
    with piola.Problem(scene, device="cpu") as problem:
        simulate, x = piola.jax.function(problem), jnp.asarray(problem.variables.start)
        assert x.size == 240 * 120
        f = jax.jit(jax.grad(lambda x: simulate(jnp.sin(x @ jnp.ones((x.size, 1)) * 0) + x)[1]["size"].sum()))
        found = {}
        threads = [threading.Thread(target=lambda k=k: found.update({k: np.asarray(f(x))})) for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    np.testing.assert_allclose(found[0], 0.5 / x.size, rtol=1e-12)
    np.testing.assert_array_equal(found[0], found[1])


def test_the_section_of_the_page_runs(monkeypatch):
    monkeypatch.chdir(pathlib.Path(__file__).resolve().parents[2])
    count, names = run_section("python_functions.md", "JAX")
    assert count == 1 and names["loss"](names["velocity"]) > 0
