"""Optimisers of SciPy find what is known: a throw, a design that made the data; gradients and constraints are right."""
import numpy as np
import piola
import piola.scipy
import pytest
import scipy.optimize
from conftest import BALL, BEAM, changed


def test_scaled_variables_return_to_values(problem):
    x = problem.variables.start * 1.01
    t = piola.scipy.scaled(problem, x)
    np.testing.assert_allclose(piola.scipy.values(problem, t), x, rtol=1e-14)
    np.testing.assert_array_equal(piola.scipy.values(problem, np.zeros(x.size)), problem.variables.start)
    assert abs(t).max() < 1


def test_gradient_in_scaled_variables_has_the_slope_of_differences(problem):
    made = piola.scipy.minimize_args(problem)
    way = np.random.default_rng(5).uniform(-1, 1, len(problem.variables)) * 1e-4
    fun = made["fun"]
    rate = (fun(-2 * way)[0] - 8 * fun(-way)[0] + 8 * fun(way)[0] - fun(2 * way)[0]) / 12
    gradient = fun(made["x0"])[1]
    error = abs(gradient @ way / rate - 1)
    wrong = gradient.copy()
    wrong[np.argmax(abs(gradient * way))] *= 1.01
    print(f"measured {error:.3e}, planted fault {abs(wrong @ way / rate - 1):.3e}, threshold 1e-7")
    assert error < 1e-7 < abs(wrong @ way / rate - 1)
    lower, upper = np.array(made["bounds"]).T
    np.testing.assert_allclose(piola.scipy.values(problem, np.where(np.isfinite(lower), lower, 0)),
                               np.where(np.isfinite(problem.variables.lower) & np.isfinite(lower),
                                        problem.variables.lower, problem.variables.start), rtol=1e-14)
    assert np.all(lower <= 0) and np.all(upper >= 0)


def test_minimize_finds_the_throw():
    """A ball in free flight reaches the place to which one velocity leads, x(T) = x(0) + v T + g h^2 N (N + 1)/2."""
    scene = changed(BALL, design=[{"name": "speed", "target": "bodies.ball.velocity"}], objective=[
        {"type": "target", "of": "place", "value": [0.53, 0.51]}], observe=[
            {"name": "place", "type": "mean_position", "body": "ball"}])
    scene["geometry"][0]["center"] = [0.5, 0.5]
    with piola.Problem(scene, device="cpu") as problem:
        problem.begin()
        start = problem.field("mass") @ problem.field("position") / problem.field("mass").sum()
        found = scipy.optimize.minimize(**piola.scipy.minimize_args(problem), method="L-BFGS-B",
                                        options={"ftol": 0, "gtol": 1e-12})
        exact = ([0.53, 0.51] - start - [0, -9.81 * 0.5e-3**2 * 40 * 41 / 2]) / 0.02
        error = abs(piola.scipy.values(problem, found.x) - exact).max()
    print(f"velocity: measured {error:.3e} m/s, threshold 1e-6; {found.nfev} evaluations")
    assert error < 1e-6 and abs(exact).max() > 0.1


def test_least_squares_find_the_design_that_made_the_data(ball):
    true = ball.variables.start * [1.3, 1.1, 0.9, 1]
    targets = ball.evaluation(true, gradient=False).samples
    made = piola.scipy.least_squares_args(ball, targets, sigma=abs(targets) / 100)
    found = scipy.optimize.least_squares(**made, xtol=1e-12, ftol=1e-15, gtol=1e-15)
    error = abs(ball.evaluation(piola.scipy.values(ball, found.x), gradient=False).samples / targets - 1).max()
    first = abs(ball.evaluation(gradient=False).samples / targets - 1).max()
    print(f"observations: measured {error:.3e}, threshold 1e-8; at the start {first:.3e}")
    assert error < 1e-8 < first
    targets[0] = np.nan
    assert piola.scipy.least_squares_args(ball, targets)["fun"](found.x).size == targets.size - 1
    with pytest.raises(piola.UsageError, match="9 values"):
        piola.scipy.least_squares_args(ball, np.ones(4))


def test_constraints_are_kept(beam):
    made = piola.scipy.minimize_args(beam)
    constraint = made["constraints"][0]
    way = np.random.default_rng(6).uniform(-1, 1, len(beam.variables)) * 1e-4
    rate = (constraint["fun"](way) - constraint["fun"](-way)) / 2
    error = abs(constraint["jac"](made["x0"]) @ way / rate - 1).max()
    print(f"slope of a constraint: measured {error:.3e}, threshold 1e-6")
    assert error < 1e-6
    found = scipy.optimize.minimize(**made, method="SLSQP", options={"maxiter": 8, "ftol": 1e-14})
    assert found.fun < made["fun"](made["x0"])[0] and constraint["fun"](found.x).min() > -1e-6


def test_scenes_that_have_nothing_to_optimise_are_refused():
    scene = BALL.copy()
    del scene["objective"]
    with piola.Problem(scene, device="cpu") as problem, pytest.raises(piola.UsageError, match="no objective"):
        piola.scipy.minimize_args(problem)
    scene = changed(BEAM, constraints=[], design=[])
    with piola.Problem(scene, device="cpu") as problem, pytest.raises(piola.UsageError, match="no design"):
        piola.scipy.minimize_args(problem)
