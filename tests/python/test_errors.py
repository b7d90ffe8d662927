"""Errors are exceptions with the message, the status and the failure of the library."""
import ctypes
import pathlib
import pickle

import piola
import pytest
from conftest import BALL, BEAM, changed
from piola import _abi, errors
from piola._library import library

ROOT = pathlib.Path(__file__).resolve().parents[2]


def error_of(scene, kind=piola.Error, **options):
    with pytest.raises(kind) as caught:
        with piola.Problem(scene, device=options.pop("device", "cpu"), **options) as problem:
            problem.evaluate()
    print(f"    {caught.value}")
    return caught.value


def test_a_bad_scene_has_file_line_and_column():
    text = BALL.text().replace("E: 20 kPa", "E: 20 kg")
    line = text[:text.index("E: 20 kg")].count("\n") + 1
    error = error_of("some/made.yaml", piola.BadSceneError, text=text)
    column = len(text.splitlines()[line - 1].partition("E: ")[0]) + 1
    assert (error.file, error.line, error.status) == ("some/made.yaml", line, 65)
    assert error.column in (column, column + 3) and "materials[0].E" in error.message and error.failure is None


def test_a_missing_file_is_no_input():
    error = error_of("there/is/none.yaml", piola.NoInputError)
    assert isinstance(error, FileNotFoundError) and error.status == 66 and "none.yaml" in str(error)


def test_options_that_cannot_be_are_usage_errors():
    assert "lump" in str(error_of(BALL, piola.UsageError, device="lump"))
    assert "there are:" in str(error_of(BALL, piola.NameUnknownError, pace=3))
    assert "NUL" in str(error_of("a\0b", piola.UsageError))
    assert "list" in str(error_of(BALL, piola.UsageError, allow="folder"))
    assert "mapping" in str(error_of(BALL, piola.UsageError, set=["time.dt=1 ms"]))
    assert "threads" in str(error_of(BALL, piola.UsageError, threads="many"))
    assert "out of range" in str(error_of(BALL, piola.UsageError, threads=2**40))
    for wrong in ({"threads": -1}, {"threads": 10**6}, {"memory": -1}, {"memory": float("nan")}, {"max_walltime": -1}):
        name, value = next(iter(wrong.items()))
        assert name in str(error_of(BALL, piola.UsageError, **wrong)), "that many threads would end the process"
    assert "is a study" in str(error_of(ROOT / "scenes/study_throw.yaml", piola.UsageError))


def test_options_of_commands_are_refused_and_all_others_read(tmp_path):
    """Each member of piola_options is read by Problem, or refused by its name with where it belongs."""
    read = {"scene": None, "text": None, "sets": None, "device": None, "precision": "f32", "threads": 1, "memory": 1e9,
            "isa": None, "allow": [tmp_path], "log_json": tmp_path / "log.json", "max_walltime": 60.0,
            "directory": tmp_path / "states"}
    with piola.Problem(BALL, **{name: value for name, value in read.items() if value is not None}) as problem:
        problem.value()
    for name, kind in _abi.piola_options._fields_:
        if name not in read and not name.startswith("n_"):
            value = {ctypes.c_char_p: "piola run", ctypes.c_int: 1, ctypes.c_bool: name != "resume"}[kind]
            error = error_of(BALL, piola.UsageError, **{name: value})
            assert error.status == 2 and f"does not read the option {name}, which is of " in str(error)
    assert not (tmp_path / "states").exists() and (tmp_path / "log.json").stat().st_size > 0


def test_unavailable_devices_and_refused_paths(tmp_path):
    assert error_of(BALL, device="cpu", isa="pdp-11").status in (2, 69)
    outside = changed(BALL, objective=[{"type": "misfit", "of": "place", "sigma": "1 mm", "data": {
        "file": "/etc/hostname", "time": "t", "columns": ["x", "y"]}}])
    assert isinstance(error_of(outside, piola.RefusedError), PermissionError)


def test_memory_that_does_not_suffice():
    error = error_of(BALL, piola.OutOfMemoryError, memory=1000)
    assert isinstance(error, MemoryError) and error.status == 71


def test_a_failed_computation_has_kind_item_and_step():
    fast = BALL.copy()
    fast["bodies"][0]["velocity"] = ["400 m/s", 0]
    del fast["design"][1]["bounds"]
    failure = error_of(fast, piola.NumericalError).failure
    assert failure.kind in ("cfl", "left_grid", "time_step") and failure.of == "particle"
    assert failure.item >= 0 and failure.step >= 0 and failure.cause == "none"
    pushed = changed(BEAM, time={"load_steps": 1}, observe=[{"name": "work", "type": "compliance"}], constraints=[],
                     objective=[{"type": "minimize", "of": "work"}], design=BEAM["design"][:1])
    pushed["solver"] = {"max_iterations": 1}
    error = error_of(pushed, piola.NumericalError)
    assert error.status == 76 and isinstance(error, ArithmeticError) and error.failure.kind == "newton_limit"


def test_a_problem_stays_usable_after_an_error(ball):
    J = ball.value()
    with pytest.raises(piola.NumericalError):
        ball.value([2e4, 300, 0, 1000])
    assert ball.value() == J


def test_names_of_failures_are_those_of_the_library():
    kinds = [k for k in _abi.piola_failure_kind if k.name != "PIOLA_FAILURES"]
    struct = _abi.piola_failure(step=-1, residual=float("nan"))
    for kind in kinds[1:]:
        struct.kind = kind
        assert errors.failure_of(struct).kind == library().piola_failure_name(kind).decode()
    struct.kind = 0
    assert errors.failure_of(struct) is None and len(kinds) > 20


def test_every_status_has_a_class_of_its_own():
    classes = {status: type(errors.exception_of(status, "text")) for status in _abi.piola_status if status}
    assert len(set(classes.values())) == len(classes) == 14 and piola.Error not in classes.values()
    assert all(issubclass(c, piola.Error) and c.status == status for status, c in classes.items())


def test_errors_are_pickled():
    failure = piola.Failure("cfl", "none", "particle", 3, 7, None)
    for error in (errors.exception_of(76, "too fast", failure), errors.exception_of(65, "a.yaml:3:4: error: E: bad"),
                  errors.exception_of(66, "no file"), piola.ClosedError("closed")):
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error) and vars(again) == vars(error)


def test_a_closed_problem_says_so(ball):
    ball.close()
    ball.close()
    with pytest.raises(piola.ClosedError):
        ball.value()
    assert "closed" in repr(ball)
