"""The commands of Piola: run, grad, check, optimize, sweep and those that draw and write files.

Each does what the command of the same name does (`piola run`, ...), in a process of its own, whose signals and output
do not disturb this one. Options are the members of the structs in piola.h. Ctrl-C lets the command write its
checkpoint, and raises KeyboardInterrupt; the same call goes on later.
"""
from __future__ import annotations

import json
import os
import pathlib
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from . import _abi
from ._options import overrides
from ._readers import text_of
from .errors import Failure, InternalError, UsageError, exception_of

Path = str | os.PathLike[str]
_SILENT = 9  # how many times -q


def _start(job: dict[str, Any], log: bool) -> tuple[subprocess.Popen[bytes], int]:
    """The process of a command, and the descriptor from which its end is read."""
    package = str(pathlib.Path(__file__).resolve().parent.parent)
    paths = [package, *filter(None, [os.environ.get("PYTHONPATH")])]
    out, to = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "piola._command"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=None if log else subprocess.PIPE, pass_fds=[to], start_new_session=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)})
    except BaseException:
        os.close(out)
        raise
    finally:
        os.close(to)
    job["descriptor"] = to
    assert process.stdin is not None
    try:
        process.stdin.write(json.dumps(job).encode())
        process.stdin.close()
    except BrokenPipeError:
        pass  # it has ended already, which its exit code says
    process.stdin = None
    return process, out


def _wait(process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """What the process prints to standard output and error until its end; Ctrl-C is passed on to it once, and raised
    when it has ended."""
    try:
        printed, errors = process.communicate()
        return printed, errors or b""
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate()
        except BaseException:
            process.kill()
            process.wait()
            raise
        raise
    except BaseException:
        process.kill()
        process.wait()
        raise


def _call(function: str, structs: Sequence[tuple[str, Mapping[str, Any]]], log: bool) -> bytes:
    """Runs a function of piola.h in a process. Returns what it printed, or raises the exception of its status."""
    job = {"function": function, "structs": [(name, _json(values)) for name, values in structs]}
    process, out = _start(job, log)
    with os.fdopen(out, "rb") as end:
        printed, errors = _wait(process)
        text = end.read()
    if not text:
        raise InternalError(f"the process of {function} ended with {process.returncode} before its command did")
    ended = json.loads(text)
    if ended["status"]:
        failure = Failure(**ended["failure"]) if ended["failure"] else None
        # those of validate() are printed, all of them
        printed_text = text_of(errors).strip().removeprefix("piola: error: ")
        message = ended["message"] or printed_text or f"{function} has printed what is wrong"
        error = exception_of(ended["status"], message, failure)
        error.result = _result(printed)
        raise error
    return printed


def _json(values: Mapping[str, Any]) -> dict[str, Any]:
    """Options as JSON: without those that are None, and with paths as strings."""

    def plain(value: Any) -> Any:
        if isinstance(value, os.PathLike):
            return os.fspath(value)
        if isinstance(value, Mapping):
            return {key: plain(item) for key, item in value.items() if item is not None}
        return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value

    try:
        made: dict[str, Any] = plain(values)
        json.dumps(made)
        return made
    except TypeError as error:
        raise UsageError(f"an option cannot be passed on: {error}") from None


def _result(printed: bytes) -> dict[str, Any] | None:
    """The JSON object that a command printed, or None."""
    try:
        found = json.loads(printed)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _scene(scene: Path, set: Mapping[str, Any] | None, directory: Path | None, log: bool,
           options: Mapping[str, Any]) -> dict[str, Any]:
    """The struct piola_options of a command."""
    if isinstance(scene, Mapping):
        raise UsageError("a command reads the file of a scene: pass scene.write('made.yaml'), which writes one")
    return {"scene": scene, "sets": overrides(set), "directory": directory, "json": True,
            "quiet": 0 if log else _SILENT, **options}


def _simulation(function: str, scene: Path, set: Mapping[str, Any] | None, directory: Path | None, log: bool,
                options: Mapping[str, Any]) -> dict[str, Any]:
    return _result(_call(function, [("piola_options", _scene(scene, set, directory, log, options))], log)) or {}


def run(scene: Path, *, set: Mapping[str, Any] | None = None, directory: Path | None = None, log: bool = False,
        **options: Any) -> dict[str, Any]:
    """Simulates a scene and writes its states, as `piola run` does.

    Args:
        scene: name of the scene's file.
        set: overrides of keys of the scene, such as {"time.dt": "0.1 ms"}.
        directory: folder for the results; None: the scene's output.directory.
        log: print messages and progress to standard error.
        options: members of piola_options in piola.h: device, threads, memory, precision, isa, allow, resume,
            max_walltime, log_json, ...

    Returns:
        What result.json contains (docs/reference/result.md); it is `result` of exceptions, too.
    """
    return _simulation("piola_run", scene, set, directory, log, options)


def grad(scene: Path, *, set: Mapping[str, Any] | None = None, directory: Path | None = None, log: bool = False,
         **options: Any) -> dict[str, Any]:
    """Writes the objective and its gradient, as `piola grad` does; arguments and result are those of run()."""
    return _simulation("piola_grad", scene, set, directory, log, options)


def check(scene: Path, *, set: Mapping[str, Any] | None = None, directory: Path | None = None, log: bool = False,
          **options: Any) -> dict[str, Any]:
    """Compares the gradient with differences, as `piola check` does; arguments and result are those of run().

    Raises NoAnswerError if they disagree, or no difference is exact enough to decide.
    """
    return _simulation("piola_check", scene, set, directory, log, options)


def optimize(scene: Path, *, set: Mapping[str, Any] | None = None, directory: Path | None = None, log: bool = False,
             **options: Any) -> dict[str, Any]:
    """Improves the design, as `piola optimize` does; arguments and result are those of run().

    Raises NoAnswerError if that did not converge.
    """
    return _simulation("piola_optimize", scene, set, directory, log, options)


def sweep(scene: Path, over: Sequence[str] = (), *, set: Mapping[str, Any] | None = None,
          directory: Path | None = None, log: bool = False, **options: Any) -> dict[str, Any]:
    """Runs a scene with many values of its keys, as `piola sweep` does.

    Args:
        scene, set, directory, log: those of run().
        over: what the members vary: "PATH=LOW..HIGH:COUNT" or "PATH=a,b,c".
        options: members of piola_sweep_options (samples, sampling, seed, starts, what, jobs, ...), and of
            piola_options.

    Returns:
        What sweep.json contains. MembersFailedError, with the same in `result`, if members failed.
    """
    if isinstance(over, str):
        raise UsageError(f"over must be a list of strings, not one: [{over!r}]")
    kinds = {member[0] for member in _abi.piola_sweep_options._fields_}
    own = {key: value for key, value in options.items() if key in kinds}
    others = {key: value for key, value in options.items() if key not in kinds}
    structs = [("piola_options", _scene(scene, set, directory, log, others)),
               ("piola_sweep_options", {"over": list(over), **own})]
    return _result(_call("piola_sweep", structs, log)) or {}


def validate(scene: Path, *, set: Mapping[str, Any] | None = None, log: bool = False, **options: Any) -> dict[str, Any]:
    """Finds errors of a scene without simulating it; arguments are those of run().

    Returns:
        The resolved scene, with all defaults, in SI units. BadSceneError has all errors, and the place of the
        first.
    """
    return _simulation("piola_validate", scene, set, None, log, options)


def render(file: Path, output: Path, *, log: bool = False, **options: Any) -> None:
    """Draws one frame of a file of states as a PNG; options are members of piola_render_options (field, frame, ...)."""
    _call("piola_render", [("piola_render_options", {"file": file, "output": output, **options})], log)


def film(file: Path, output: Path, *, fps: float | None = None, every: int | None = None, log: bool = False,
         **options: Any) -> None:
    """Draws the frames of a file of states as a film.

    Args:
        file: file of states, .vtkhdf.
        output: the film to write, whose name ends in .png or .webm.
        fps: frames per second.
        every: frames 0, every, 2 every, ... are drawn.
        options: members of piola_render_options.
    """
    picture = {"file": file, "output": output, **options}
    _call("piola_film", [("piola_film_options", {"picture": picture, "fps": fps, "every": every})], log)


def plot(folder: Path, output: Path, *, log: bool = False, **options: Any) -> None:
    """Draws curves of a folder of results; options are members of piola_plot_options (curves, history, ...)."""
    _call("piola_plot", [("piola_plot_options", {"folder": folder, "output": output, **options})], log)


def report(folder: Path, output: Path | None = None, *, log: bool = False, **options: Any) -> None:
    """Writes one HTML page about a folder of results; None: report.html in that folder."""
    _call("piola_report", [("piola_report_options", {"folder": folder, "output": output, **options})], log)


def export(file: Path, to: str, *, output: Path | None = None, log: bool = False, **options: Any) -> None:
    """Writes one frame of a file of states for other programs.

    Args:
        file: file of states, .vtkhdf.
        to: "vtu", "csv", "npy" or "stl".
        output: the file to write (npy: the folder); None: beside the file of states.
        options: members of piola_export_options (frame, no_verify).
    """
    _call("piola_export", [("piola_export_options", {"file": file, "to": to, "output": output, **options})], log)
