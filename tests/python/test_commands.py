"""Commands from Python: each in a process of its own, with the result as a dict and the end as an exception."""
import ctypes
import os
import pathlib
import signal
import threading

import numpy as np
import piola
import pytest
from conftest import BALL, changed
from piola._abi import piola_error
from piola._library import library

ROOT = pathlib.Path(__file__).resolve().parents[2]
RANGE = "{} threads: it must be a number from 1 to 4096, or 0 for as many as OpenMP offers"
OPTIMIZER = {"type": "lbfgs", "max_iterations": 60}


@pytest.fixture
def scene(tmp_path):
    made = changed(BALL, optimizer=OPTIMIZER, output={"states": {"every": "5 ms"}})
    return made.write(tmp_path / "ball.yaml")


def test_grad_writes_the_gradient_of_the_problem(scene, tmp_path, capfd, ball):
    result = piola.grad(scene, directory=tmp_path / "out", device="cpu", threads=1)
    J, gradient = ball.evaluate()
    assert result["exit"] == 0 and result["objective"] == J
    E = result["parameters"]["materials.soft.E"]
    assert gradient[0] in np.ravel(E["gradient"])
    assert (tmp_path / "out/result.json").exists() and (tmp_path / "out/states.vtkhdf").exists()
    out = capfd.readouterr()
    assert (out.out, out.err) == ("", "")
    piola.render(tmp_path / "out/states.vtkhdf", tmp_path / "a.png", field="velocity", width=320, height=240)
    piola.film(tmp_path / "out/states.vtkhdf", tmp_path / "b.png", fps=10, width=320, height=240)
    piola.export(tmp_path / "out/states.vtkhdf", "csv", output=tmp_path / "c.csv", frame=0)
    piola.report(tmp_path / "out", tmp_path / "d.html")
    piola.plot(tmp_path / "out", tmp_path / "e.svg", curves=["place.x"])
    sizes = [(tmp_path / name).stat().st_size for name in ("a.png", "b.png", "c.csv", "d.html", "e.svg")]
    assert min(sizes) > 300


def test_run_check_validate_and_log(scene, tmp_path, capfd):
    assert piola.run(scene, directory=tmp_path / "run", set={"time.duration": "10 ms"}, device="cpu",
                     log=True)["exit"] == 0
    logged = capfd.readouterr()
    assert "engine: cpu f64 2D" in logged.err and logged.out == ""
    assert piola.check(scene, directory=tmp_path / "check", device="cpu")["exit"] == 0
    best = piola.optimize(scene, directory=tmp_path / "best", device="cpu", set={"optimizer.max_iterations": 2})
    assert best["optimizer"]["iterations"] == 2
    resolved = piola.validate(scene)
    assert resolved["materials"][0]["E"] == 2e4 and resolved["time"]["dt"] == 5e-4


def test_errors_of_commands_are_exceptions(scene, tmp_path):
    with pytest.raises(piola.NoInputError) as caught:
        piola.run(tmp_path / "none.yaml")
    assert caught.value.status == 66 and caught.value.result["exit"] == 66
    assert str(caught.value).startswith("cannot read")
    with pytest.raises(piola.BadSceneError) as caught:
        piola.validate(scene, set={"materials.soft.colour": 3, "bodies.ball.colour": 4})
    print(caught.value)
    assert str(caught.value).count("colour") >= 2
    with pytest.raises(piola.NoAnswerError) as caught:
        piola.check(scene, directory=tmp_path / "c", device="cpu", set={"gradient.check.tolerance": 1e-15})
    assert caught.value.result["command"] == "check" and caught.value.result["exit"] == 1
    with pytest.raises(piola.NumericalError) as caught:
        piola.run(scene, directory=tmp_path / "r", device="cpu", set={"design": [], "objective": [], "bodies": [
            {**BALL["bodies"][0], "velocity": ["400 m/s", 0]}]})
    assert caught.value.failure.kind == "cfl" and caught.value.failure.of == "particle"
    with pytest.raises(piola.UsageError, match="write"):
        piola.run(BALL)
    with pytest.raises(piola.UsageError, match="there are:"):
        piola.run(scene, pace=3)
    with pytest.raises(piola.UsageError, match="over must be a list of strings"):
        piola.sweep(scene, "materials.soft.nu=0.2,0.3")
    with pytest.raises(piola.UsageError, match="cannot be passed on"):
        piola.run(scene, memory=object())


def test_numbers_of_threads_have_one_range(scene, tmp_path):
    """4097 threads are refused wherever a number of threads is an option; 4096 are not, so that a file is missed."""
    ball, states, folder = str(scene).encode(), b"none.vtkhdf", str(tmp_path).encode()
    options = {"render": {"file": states, "output": b"a.png"}, "report": {"folder": folder}, "bench": {},
               "bench_fem": {}, "bench_memory": {"precision": b"f64"}, "": {"scene": ball, "device": b"cpu"}}
    calls = [(name, f"piola_{name}") for name in ("render", "report", "bench_fem", "bench_memory")]
    calls += [("bench", "piola_bench_mpm"), *(("", f"piola_{name}") for name in ("run", "grad", "check", "optimize"))]
    for name, function in calls:
        for threads in (-1, 4097):
            struct, error = getattr(library(), f"piola_{name}_options_default".replace("__", "_"))(), piola_error()
            for member, value in options[name].items():
                setattr(struct, member, value)
            struct.threads = threads
            status = getattr(library(), function)(ctypes.byref(struct), ctypes.byref(error))
            assert (status, error.message.decode()) == (2, RANGE.format(threads)), function
    for call in (lambda n: piola.sweep(scene, ["materials.soft.nu=0.2,0.3"], threads=n),
                 lambda n: piola.grad(ROOT / "scenes/study_throw.yaml", directory=tmp_path / "s", threads=n, jobs=2),
                 lambda n: piola.film("none.vtkhdf", tmp_path / "b.png", threads=n)):
        with pytest.raises(piola.UsageError) as caught:
            call(4097)
        assert str(caught.value) == RANGE.format(4097)
    for call in (lambda n: piola.render("none.vtkhdf", tmp_path / "a.png", threads=n),
                 lambda n: piola.film("none.vtkhdf", tmp_path / "b.png", threads=n),
                 lambda n: piola.report(tmp_path / "none", threads=n)):
        with pytest.raises(piola.NoInputError):
            call(4096)


def test_a_sweep_runs_after_this_process_has_computed(scene, tmp_path, ball):
    ball.value()
    result = piola.sweep(scene, ["materials.soft.nu=0.2,0.3"], directory=tmp_path / "sweep", what="run", device="cpu",
                         threads=1)
    assert result["finished"] == 2 and result["failed"] == 0
    with pytest.raises(piola.MembersFailedError) as caught:
        piola.sweep(scene, ["materials.soft.E=2e4,2e12"], set={"design": [], "objective": []}, what="run",
                    directory=tmp_path / "failed", device="cpu", threads=1)
    assert caught.value.result["failed"] == 1


def test_ctrl_c_lets_the_command_end_and_write(scene, tmp_path):
    out = tmp_path / "out"
    timer = threading.Thread(target=lambda: (_until(lambda: out.exists()), os.kill(os.getpid(), signal.SIGINT)))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        piola.run(scene, directory=out, device="cpu", set={"time.duration": "60 s", "output.states.every": "1 s",
                                                           "observe": [], "objective": [], "design": []})
    timer.join()
    text = (out / "result.json").read_text()
    assert '"exit": 75' in text and "SIGINT" in text


def _until(true):
    while not true():
        threading.Event().wait(0.02)
