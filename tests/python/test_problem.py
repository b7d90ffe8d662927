"""A problem in Python: its design, evaluations, derivatives, observations, constraints, fields and single steps."""
import numpy as np
import piola
import pytest
from conftest import BALL, BEAM


def measured(what, value, threshold):
    print(f"{what}: measured {value:.3e}, threshold {threshold:.3e}")
    return value


def directions(problem, seed):
    """A direction in which each variable moves by up to a thousandth of itself."""
    start = problem.variables.start
    random = np.random.default_rng(seed)
    return random.uniform(-1e-3, 1e-3, start.size) * np.where(start == 0, 1, start)


def slope(function, x, way):
    """The derivative along `way` by differences of the fourth order."""
    two, one, minus, half = (function(x + t * way) for t in (2, 1, -1, -2))
    return (half - 8 * minus + 8 * one - two) / 12


def test_variables_have_names_units_bounds_and_start(ball):
    variables = ball.variables
    assert variables.names == ("materials.soft.E", "bodies.ball.velocity.x", "bodies.ball.velocity.y",
                               "materials.soft.density")
    assert variables.units == ("Pa", "m/s", "m/s", "kg/m3")
    np.testing.assert_array_equal(variables.start, [2e4, 1, -2, 1000])
    np.testing.assert_array_equal(variables.lower[:3], [5e3, -3, -3])
    np.testing.assert_array_equal(variables.upper, [5e4, 3, 3, np.inf])
    assert variables["bodies.ball.velocity.y"].start == -2 and variables[-1].name == "materials.soft.density"
    assert [v.unit for v in variables[:2]] == ["Pa", "m/s"] and variables[0].logarithmic and len(variables) == 4
    with pytest.raises(ValueError):
        variables.start[0] = 1
    with pytest.raises(IndexError):
        variables[4]


def test_designs_give_slices_and_shapes(beam):
    assert [d.path for d in beam.designs] == ["materials.soft.E", "bodies.beam.thickness", "loads.push.value.x"]
    depth = beam.designs["depth"]
    assert depth is beam.designs["bodies.beam.thickness"] and depth.filtered and depth.per == "element"
    assert beam.variables.start[depth.variables].reshape(depth.shape).shape == (32, 1)


def test_gradient_has_the_slope_of_differences(problem):
    x, way = problem.variables.start.copy(), directions(problem, 1)
    J, gradient = problem.evaluate(x)
    rate = slope(problem.value, x, way)
    threshold = 1e-7  # differences: derivatives of a higher order jump where particles cross cells
    assert J == problem.value(x)
    assert measured("gradient", abs(gradient @ way / rate - 1), threshold) < threshold
    wrong = gradient.copy()
    wrong[np.argmax(abs(gradient * way))] *= 1.01
    assert measured("planted fault", abs(wrong @ way / rate - 1), threshold) > threshold


def test_pullback_and_jacobian_agree_with_differences(problem):
    x, way = problem.variables.start.copy(), directions(problem, 2)
    jacobian = problem.jacobian(x)
    bar = np.random.default_rng(3).uniform(-1, 1, jacobian.shape[0])
    pulled = problem.pullback(x, samples_bar=bar)
    error = abs(pulled - bar @ jacobian).max() / abs(pulled).max()
    assert measured("rows of the Jacobian", error, 1e-10) < 1e-10
    rate = slope(lambda at: problem.evaluation(at, gradient=False).samples, x, way)
    error = np.linalg.norm(jacobian @ way - rate) / np.linalg.norm(rate)
    assert measured("columns of the Jacobian", error, 1e-7) < 1e-7
    jacobian[np.unravel_index(np.argmax(abs(jacobian * way)), jacobian.shape)] *= 1.01
    error = np.linalg.norm(jacobian @ way - rate) / np.linalg.norm(rate)
    assert measured("planted fault", error, 1e-7) > 1e-7
    np.testing.assert_array_equal(problem.pullback(x, J_bar=1), problem.evaluate(x)[1])


def test_pullback_takes_observations_by_name(ball):
    values = ball.simulate()
    bar = {"energy": np.ones_like(values["energy"].values)}
    flat = np.concatenate([np.zeros(values["place"].values.size), np.ones(values["energy"].values.size)])
    np.testing.assert_array_equal(ball.pullback(samples_bar=bar), ball.pullback(samples_bar=flat))
    with pytest.raises(piola.NameUnknownError, match="there are: place, energy"):
        ball.pullback(samples_bar={"speed": 1})
    with pytest.raises(piola.UsageError, match="shape"):
        ball.pullback(samples_bar={"energy": np.ones(17)})
    with pytest.raises(piola.UsageError, match="shape"):
        ball.pullback(samples_bar=np.ones(17))


def test_observations_have_times_values_and_units(ball):
    ball.evaluate()
    place = ball.observations["place"]
    np.testing.assert_allclose(place.times, [0.005, 0.01, 0.015, 0.02], rtol=1e-12)
    assert place.values.shape == (4, 2) and place.unit == "m" and list(ball.observations) == ["place", "energy"]
    parts = [ball.observations[name].values.ravel() for name in ball.observations]
    np.testing.assert_array_equal(ball.samples, np.concatenate(parts))
    mass, position = ball.field("mass"), ball.field("position")
    error = abs(mass @ position / mass.sum() - place.values[-1]).max()
    assert measured("mean of the positions", error, 1e-13) < 1e-13
    with pytest.raises(piola.NameUnknownError, match="no observation 'speed'; there are: place, energy"):
        ball.observations["speed"]


def test_nothing_is_read_before_an_evaluation(ball):
    with pytest.raises(piola.UsageError):
        ball.observations["place"]
    with pytest.raises(piola.UsageError):
        ball.field("velocity")


def test_constraints_have_values_and_gradients(beam):
    x, way = beam.variables.start.copy(), directions(beam, 4)
    beam.value(x)
    assert beam.constraints[0].gradient is None
    all_of = beam.evaluation(x)
    only = beam.constraints[0]
    assert len(beam.constraints) == 1 and beam.constraints[only.name].value == all_of.constraints[0]
    rate = slope(lambda at: beam.evaluation(at, gradient=False).constraints[0], x, way)
    error = abs(all_of.constraint_gradients[0] @ way / rate - 1)
    assert measured("gradient of a constraint", error, 1e-9) < 1e-9
    np.testing.assert_array_equal(only.gradient, all_of.constraint_gradients[0])
    assert measured("planted fault", abs(all_of.gradient @ way / rate - 1), 1e-9) > 1e-9


def test_fields_have_names_of_snapshots(problem):
    gradient = problem.evaluate()[1]
    E = problem.field("grad_E")
    error = abs(E.sum() / gradient[0] - 1)
    assert measured("gradients of the items add up", error, 1e-12) < 1e-12
    infos = {info.name: info for info in problem.fields.describe()}
    assert infos["grad_E"].unit == "1/Pa" and infos["velocity"].unit == "m/s"
    for name, info in infos.items():
        values = problem.field(name)
        assert values.shape == ((info.items,) if info.components == 1 else (info.items, info.components)), name
    assert set(infos) == set(problem.fields) and "speed" not in problem.fields
    with pytest.raises(piola.NameUnknownError, match="no field 'speed'; there are: .*velocity"):
        problem.field("speed")


def test_field_of_a_gradient_needs_a_gradient(ball):
    ball.value()
    with pytest.raises(piola.UsageError, match="gradient"):
        ball.field("grad_E")


def test_states_have_the_bits_of_the_evaluation(problem):
    name = "position" if "position" in problem.fields and "displacement" not in problem.fields else "displacement"
    problem.value()
    last = problem.field(name)
    states = [(s.step, s.time, s.field(name)) for s in problem.states(every=3)]
    assert [s[0] for s in states] == [*range(0, problem.steps, 3), problem.steps]
    np.testing.assert_array_equal(states[-1][2], last)
    assert states[-1][1] == problem.time and not np.array_equal(states[-2][2], last)
    problem.evaluation(gradient=False)


def test_steps_are_those_of_the_caller(ball):
    state = ball.begin()
    assert (state.step, state.time) == (0, 0)
    later = ball.step(4)
    assert later.step == ball.step_number == 4 and later.time == pytest.approx(0.002, rel=1e-12)
    with pytest.raises(piola.UsageError, match="gone on"):
        state.field("position")
    with pytest.raises(piola.UsageError, match="beyond the last"):
        ball.step(1000)
    with pytest.raises(piola.UsageError, match="beyond the last"):
        ball.step(2**64 + 1)
    with pytest.raises(piola.UsageError, match="negative"):
        ball.step(-1)
    for wrong in (1.5, "1", None):
        with pytest.raises(piola.UsageError, match="whole number"):
            ball.step(wrong)
        with pytest.raises(piola.UsageError, match="whole number"):
            next(ball.states(every=wrong))
    assert ball.step(np.int64(1)).step == 5
    ball.value()
    with pytest.raises(piola.UsageError):
        ball.step()


def test_a_run_that_another_call_ends_says_so(ball):
    states = ball.states()
    next(states)
    ball.value()
    with pytest.raises(piola.UsageError, match="another call"):
        next(states)


def test_values_of_another_shape_are_refused(ball):
    for wrong in (np.zeros(3), np.zeros((4, 1)), 1.0):
        with pytest.raises(piola.UsageError, match=r"\(4,\)"):
            ball.evaluate(wrong)
    with pytest.raises(piola.UsageError, match="materials.soft.E"):
        ball.evaluate([-1, 1, 1, 1])
    assert ball.evaluate([2e4, 1, -2, 1000])[0] == ball.value()


def test_what_is_no_array_of_real_numbers_is_refused(ball):
    """A complex number would lose its imaginary part."""
    start = ball.variables.start
    for wrong, text in ((start + 1j, "complex128"), ("abc", "<U3"), (["2e4", "1", "-2", "1000"], "U4"),
                        ({"E": 2e4}, "dict"), ([[1, 2], [3]], "inhomogeneous"), ([np.nan, 1, 1, 1], "cannot be nan")):
        with pytest.raises(piola.UsageError, match=text):
            ball.evaluate(wrong)
    for bar in (np.ones(9) * 1j, {"energy": "1"}, "abc"):
        with pytest.raises(piola.UsageError, match="samples_bar.* must be an array of real numbers"):
            ball.pullback(samples_bar=bar)
    for whole in (np.array([20000, 1, -2, 1000], dtype=np.int16), [20000, 1, -2, 1000]):
        assert ball.value(whole) == ball.value(start)


def test_names_of_fields_are_strings(ball):
    """A name ends at a NUL character in C: "velocity\\0x" would be the velocity."""
    ball.value()
    for wrong, text in (("velocity\0x", "NUL"), (3, "must be a string"), (None, "must be a string")):
        for read in (ball.field, ball.tensor, ball.fields.__getitem__):
            with pytest.raises(piola.UsageError, match=text):
                read(wrong)
        assert wrong not in ball.fields
    assert "velocity" in ball.fields and ball.field("velocity").shape == ball.field("position").shape


def test_a_scene_without_objective_can_be_simulated():
    scene = BALL.copy()
    del scene["objective"]
    with piola.Problem(scene, device="cpu") as problem:
        assert not problem.has_objective and problem.simulate()["energy"].values > 0
        assert problem.evaluation().J is None and problem.jacobian().shape == (9, 4)
        with pytest.raises(piola.UsageError, match="no objective"):
            problem.evaluate()


def test_overrides_change_the_scene():
    with piola.Problem(BALL, set={"materials.soft.E": 3e4, "bodies.ball.velocity": [0, "5 cm/s"]},
                       device="cpu") as problem:
        np.testing.assert_allclose(problem.variables.start, [3e4, 0, 0.05, 1000])


def test_a_scene_is_a_path_a_text_or_a_dict(tmp_path):
    path = tmp_path / "beam.yaml"
    path.write_text(BEAM.text())
    values = []
    for scene, text in ((path, None), (str(path), None), (BEAM.text(), None), (dict(BEAM), None),
                        ("name.yaml", BEAM.text())):
        with piola.Problem(scene, device="cpu", text=text) as problem:
            values.append(problem.value())
    assert len(set(values)) == 1
