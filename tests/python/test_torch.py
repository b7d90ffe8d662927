"""A problem as a function of PyTorch: derivatives are those of differences, whatever tensors go in and threads come."""
import copy
import os
import pathlib
import pickle
import signal
import sys
import threading

import numpy as np
import piola
import piola.torch
import pytest
import torch
from conftest import BALL, BEAM, assert_requested_only, changed, run_section
from torch.autograd import gradcheck

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECK = {"eps": 1e-5, "atol": 1e-7, "rtol": 1e-6}  # of variables and outputs that are about 1

FIELDS = changed(BALL, geometry=[{"name": "disc", "type": "ball", "center": [0.5, 0.12], "radius": 0.1}], design=[
    {"name": "E", "target": "materials.soft.E", "per": "particle", "transform": "log"},
    {"name": "place", "target": "bodies.ball.position"}, {"name": "speed", "target": "bodies.ball.velocity"}])
EXACT = changed(BEAM, solver={"tolerance": 1e-14, "adjoint_tolerance": 1e-14})  # as differences need it
SHAPE = changed(EXACT, design=[{"name": "E", "target": "materials.soft.E", "per": "element"},
                              {"name": "shape", "target": "bodies.beam.rest_position", "per": "node"},
                              {"name": "push", "target": "loads.push.value"}], constraints=[])
MUSCLE = changed(FIELDS, actuators=[{"name": "fibres", "body": "ball", "fibre": [1, 0]}], control=[
    {"name": "mind", "type": "network", "actuators": "fibres", "hidden": 6, "limit": "5 kPa", "inputs": [
        {"type": "phase", "frequency": "20 Hz"}, {"type": "mean_velocity", "of": "ball", "scale": 1}]}], design=[
            {"name": "mind", "target": "control.mind.weights"}, {"name": "limit", "target": "control.mind.limit"},
            {"name": "gravity", "target": "gravity"}])


class Counted:
    """Counts the calls of a problem that compute."""

    def __init__(self, problem, monkeypatch):
        self.sweeps = [0, 0]  # forward, adjoint
        evaluation, pullback = problem.evaluation, problem.pullback

        def evaluate(x=None, gradient=True):
            self.sweeps = [self.sweeps[0] + 1, self.sweeps[1] + gradient]
            return evaluation(x, gradient)

        def pull(*arguments):
            self.sweeps = [n + 1 for n in self.sweeps]
            return pullback(*arguments)

        monkeypatch.setattr(problem, "evaluation", evaluate)
        monkeypatch.setattr(problem, "pullback", pull)

    def since(self):
        taken, self.sweeps = self.sweeps, [0, 0]
        return taken


def start_of(problem, requires_grad=False):
    return torch.tensor(problem.variables.start, dtype=torch.float64, requires_grad=requires_grad)


def scaled(simulate, starts, sizes):
    """Outputs that are about 1 as a function of changes of the inputs relative to their sizes."""
    J0, y0 = simulate(*starts)
    scales = [1 / J0.detach(), *(1 / v.detach().abs().max() for v in y0.values())]

    def outputs(*t):
        J, y = simulate(*(s + size * own for s, size, own in zip(starts, sizes, t)))
        return tuple(v * scale for v, scale in zip((J, *y.values()), scales))

    return outputs


def with_fault(outputs, k, fault):
    """The same outputs, whose derivative by input k is too large by this part of it."""

    def planted(*arguments):
        own = arguments[k]
        return outputs(*arguments[:k], own + fault * (own - own.detach()), *arguments[k + 1:])

    return planted


def slope_along(outputs, k, ways):
    """The derivative of the sum of all outputs along a way of input k, and how much that of differences differs."""

    def along(t):
        return sum(v.sum() for v in outputs(*(t * way if i == k else 0 * way for i, way in enumerate(ways))))

    t, h = torch.zeros((), dtype=torch.float64, requires_grad=True), 1e-4
    along(t).backward()
    rate = (along(-2 * h) - 8 * along(-h) + 8 * along(h) - along(2 * h)).item() / (12 * h)
    return rate, abs(t.grad.item() / rate - 1)


def assert_gradcheck(simulate, sizes):
    designs = simulate.problem.designs
    starts = [torch.tensor(simulate.problem.variables.start[designs[n].variables]).reshape(shape)
              for n, shape in zip(simulate.inputs, simulate.shapes)]
    t = [torch.zeros(shape, dtype=torch.float64, requires_grad=True) for shape in simulate.shapes]
    outputs = scaled(simulate, starts, sizes)
    assert gradcheck(outputs, t, **CHECK)
    assert not gradcheck(with_fault(outputs, len(t) - 1, 0.01), t, raise_exception=False, **CHECK)


def test_gradcheck_of_particles(ball):
    simulate = piola.torch.function(ball, inputs=["E", "speed", "weight"])
    assert simulate.inputs == ("E", "speed", "weight") and simulate.shapes == ((), (2,), ())
    assert_gradcheck(simulate, (2e4, 1, 1e3))


def test_gradcheck_of_a_mesh():
    with piola.Problem(EXACT, device="cpu") as problem:
        simulate = piola.torch.function(problem, inputs=["loads.push.value.x", "depth", "materials.soft.E"])
        assert simulate.shapes == ((), (32,), ())
        assert_gradcheck(simulate, (20, 0.5, 4e4))


@pytest.mark.parametrize("scene,sizes", [(FIELDS, (2e4, 0.01, 1)), (SHAPE, (4e4, 0.1, 20)), (MUSCLE, (1, 5e3, 10))],
                         ids=["ball", "beam", "muscle"])
def test_fields_places_velocities_loads_and_networks_have_the_slopes_of_differences(scene, sizes):
    with piola.Problem(scene, device="cpu") as problem:
        simulate = piola.torch.function(problem, [d.name for d in problem.designs])
        starts = [torch.tensor(problem.variables.start[d.variables]).reshape(s)
                  for d, s in zip(problem.designs, simulate.shapes)]
        assert len(starts[0]) >= 32 and len(starts) == 3
        outputs = scaled(simulate, starts, sizes)
        generator = torch.Generator().manual_seed(3)
        ways = [torch.rand(s.shape, generator=generator, dtype=torch.float64) - 0.5 for s in starts]
        for k, name in enumerate(simulate.inputs):
            rate, error = slope_along(outputs, k, ways)
            planted = slope_along(with_fault(outputs, k, 1e-6), k, ways)[1]
            print(f"{name}: slope {rate:.4e}; measured {error:.2e}, threshold 1e-7; with a fault of 1e-6 {planted:.2e}")
            assert error < 1e-7 < planted


def test_the_whole_design_has_the_bits_of_evaluate(problem, monkeypatch):
    x = start_of(problem, True)
    simulate = piola.torch.function(problem)
    J, observed = simulate(x)
    J.backward()
    wanted, gradient = problem.evaluate()
    assert J.item() == wanted and x.grad.numpy().tobytes() == gradient.tobytes()
    assert J.shape == () and observed.keys() == problem.observations.keys()
    for name, values in observed.items():
        assert values.detach().numpy().tobytes() == problem.observations[name].values.tobytes()
        assert values.shape == problem.observations[name].values.shape
    with torch.no_grad():
        assert simulate(x)[0].item() == wanted and not simulate(x)[0].requires_grad


def test_cotangents_of_all_outputs_are_pulled_back(problem):
    simulate, x, bars = piola.torch.function(problem), start_of(problem, True), {}
    J, y = simulate(x)
    generator = torch.Generator().manual_seed(4)
    for name, values in y.items():
        bars[name] = torch.rand(values.shape, generator=generator, dtype=torch.float64)
    (3 * J + sum((bars[name] * y[name]).sum() for name in y)).backward()
    wanted = problem.pullback(None, 3.0, {name: bar.numpy() for name, bar in bars.items()})
    np.testing.assert_array_equal(x.grad.numpy(), wanted)
    gradient = problem.evaluate()[1]
    by_row = 3 * gradient + torch.cat([bar.reshape(-1) for bar in bars.values()]).numpy() @ problem.jacobian()
    np.testing.assert_allclose(wanted, by_row, rtol=1e-9, atol=1e-9 * abs(by_row).max())


def test_costs_are_those_of_the_page(ball, monkeypatch):
    simulate, counted = piola.torch.function(ball), Counted(ball, monkeypatch)
    x = start_of(ball, True)
    (2 * simulate(x)[0]).backward()
    first = x.grad.clone()
    assert counted.since() == [1, 1]
    simulate(x)[1]["energy"].sum().backward()
    assert counted.since() == [2, 2], "the first time that observations are differentiated"
    simulate(x)[1]["energy"].sum().backward()
    assert counted.since() == [2, 1]
    x.grad = None
    (2 * simulate(x)[0]).backward()
    assert counted.since() == [2, 1] and torch.equal(x.grad, first), "other costs, the same bits"
    simulate(x)[0].backward()
    assert counted.since() == [1, 1]
    simulate(x.detach())
    assert counted.since() == [1, 0]


def test_costs_with_constraints(beam, monkeypatch):
    simulate, counted, x = piola.torch.function(beam), Counted(beam, monkeypatch), start_of(beam, True)
    for _ in range(2):
        simulate(x)[0].backward()
        assert counted.since() == [2, 1]


def test_types_and_strides(ball):
    E, speed, weight = (start_of(ball)[d.variables] for d in ball.designs)
    simulate = piola.torch.function(ball, ["E", "speed", "weight"])
    wanted, _ = simulate(E, speed, weight)
    wide = torch.stack([speed, speed], dim=1)
    strided = wide[:, 0].requires_grad_()
    assert not strided.is_contiguous()
    J, _ = simulate(E, weight=weight, speed=strided)
    assert J == wanted
    small = E.float().requires_grad_()
    J, y = simulate(small, strided, weight)
    assert J.dtype == torch.float64, "the widest type"
    J.backward()
    assert small.grad.dtype == torch.float32 and small.grad.shape == (1,) and strided.grad.shape == (2,)
    J, y = simulate(small, speed.float(), weight.float())
    assert J.dtype == y["place"].dtype == torch.float32 and abs(J / wanted - 1) < 1e-6
    assert simulate(E.reshape(1, 1), speed.reshape(1, 2), weight)[0] == wanted


def test_it_is_imported_on_request_and_says_what_is_missing(monkeypatch):
    assert_requested_only(monkeypatch, "torch", "piola.torch needs PyTorch: install the package torch")


def test_errors(ball):
    speed = torch.tensor([1.0, -2.0])
    for names, text in ((["E", "materials.soft.E"], "'E' and 'materials.soft.E' have the same variables"),
                        (["colour"], "no target of the design 'colour'; there are: E, .*speed"),
                        ("E", "a list of names"), ([], "a list of names")):
        with pytest.raises(piola.UsageError, match=text):
            piola.torch.function(ball, names)
    simulate = piola.torch.function(ball, ["speed", "weight"])
    for given, named, text in (((speed,), {}, "1 inputs are given; the function has 2: speed, weight"),
                               ((speed[0], speed[0]), {}, r"input 'speed' has shape \(\); it must have \(2,\)"),
                               ((speed, 1.0), {}, "'weight' must be a tensor of floating-point numbers, not float"),
                               ((speed, torch.tensor(2)), {}, "not torch.int64"),
                               ((speed,), {"speed": speed}, "'speed' is given twice"),
                               ((speed,), {"E": speed}, "'E' is no input; the inputs are speed, weight")):
        with pytest.raises(piola.UsageError, match=text):
            simulate(*given, **named)
    with pytest.raises(piola.NumericalError):
        simulate(500 * speed, torch.tensor(1000.0))
    x = start_of(ball, True)
    (slope,) = torch.autograd.grad(piola.torch.function(ball)(x)[0], x, create_graph=True)
    with pytest.raises(piola.UsageError, match="first derivatives alone"):
        (x * slope).sum().backward()
    with pytest.raises(piola.UsageError, match="cotangent 0 of the observations is inf"):
        piola.torch.function(ball)(x)[1]["place"].mul(np.inf).sum().backward()


def test_what_has_no_objective_or_no_design():
    scene = BALL.copy()
    del scene["objective"]
    with piola.Problem(scene, device="cpu") as problem:
        x = start_of(problem, True)
        J, y = piola.torch.function(problem)(x)
        assert J is None
        y["place"].sum().backward()
        np.testing.assert_array_equal(x.grad.numpy(), problem.pullback(samples_bar={"place": np.ones((4, 2))}))
    with piola.Problem(changed(BEAM, design=[]), device="cpu") as problem:
        with pytest.raises(piola.UsageError, match="no design variables"):
            piola.torch.function(problem)


def test_threads_of_autograd_have_the_same_bits(ball):
    """Four threads go forward and backward through one problem at different values."""
    simulate = piola.torch.function(ball)
    alone, together = {}, {}

    def work(k, found):
        x = (start_of(ball) * (1 + 0.02 * k)).requires_grad_()
        for _ in range(3):
            x.grad = None
            J, y = simulate(x)
            (J + 1e-3 * y["energy"].sum() * (k % 2)).backward()
        found[k] = J.item(), x.grad.numpy().tobytes()

    for k in range(4):
        work(k, alone)
    threads = [threading.Thread(target=work, args=(k, together)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert alone == together and len({J for J, _ in alone.values()}) == 4


def test_ctrl_c_ends_the_backward_part():
    with piola.Problem(changed(BALL, time={"dt": "0.5 ms", "duration": "12 s"}), device="cpu") as problem:
        simulate, x = piola.torch.function(problem), start_of(problem, True)
        loss = simulate(x)[1]["energy"].sum()
        pullback = problem.pullback

        def interrupted(*arguments):
            timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
            timer.start()
            try:
                return pullback(*arguments)
            finally:
                timer.join()

        problem.pullback = interrupted
        with pytest.raises(KeyboardInterrupt):
            loss.backward()
        assert x.grad is None


def test_fields_are_tensors_without_a_copy(ball):
    ball.evaluate()
    found = torch.from_dlpack(ball.tensor("velocity"))
    kept = found.clone()
    assert found.dtype == torch.float64 and found.numpy().tobytes() == ball.field("velocity").tobytes()
    ball.evaluate(ball.variables.start * 1.01)
    assert torch.equal(found, kept) and ball.field("velocity").tobytes() != kept.numpy().tobytes()
    ball.close()
    assert torch.equal(found, kept)


def test_it_is_a_module_that_is_copied_and_pickled(ball):
    class Velocity(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.speed = torch.nn.Parameter(torch.tensor([1.0, -2.0], dtype=torch.float64))

        def forward(self):
            return self.speed

    model = torch.nn.Sequential(Velocity(), piola.torch.function(ball, ["speed"]))
    assert [n for n, _ in model.named_parameters()] == ["0.speed"] and "inputs=['speed']" in repr(model)
    wanted = model[1](model[0]())[0].item()
    for made in (copy.deepcopy(model[1]), pickle.loads(pickle.dumps(model[1]))):
        assert made.problem is not ball and made(model[0]())[0].item() == wanted


@pytest.fixture
def examples(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "tools/python/examples")
    for name in ("neural_controller", "neural_material"):
        assert len((ROOT / f"tools/python/examples/{name}.py").read_text().splitlines()) < 60
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_a_controller_learns_to_move_a_crawler(examples):
    import neural_controller

    controller, losses = neural_controller.train(8, duration=0.25)
    activations = controller(torch.zeros(1, dtype=torch.float64))
    print(f"loss {losses[0]:.4f} to {losses[-1]:.4f}: measured {losses[-1] / losses[0]:.3f}, threshold 0.9")
    assert losses[-1] < 0.9 * losses[0] and 0.9 < losses[0] < 1.1 and activations.abs().max() < 4000


def test_a_field_of_material_learns_an_inclusion(examples):
    import neural_material

    E, losses = neural_material.train(20)
    row, column = divmod(int(E.argmax()), 20)
    print(f"loss: measured {losses[-1]:.2e}, threshold 0.01; stiffest element in row {row}, column {column}")
    assert losses[-1] < 0.01 and losses[0] == 1
    assert 8 <= row <= 13 and 9 <= column <= 14, "the inclusion has the rows 8 to 13 and the columns 9 to 14"


def test_the_section_of_the_page_runs(monkeypatch):
    monkeypatch.chdir(ROOT)
    count, names = run_section("python_functions.md", "PyTorch")
    assert count == 1 and names["velocity"].grad.abs().max() > 0
