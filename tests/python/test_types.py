"""The types of the package, and of a program that uses it, are right by mypy, which finds planted faults."""
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """import numpy as np
import numpy.typing as npt

import piola

with piola.Problem("a.yaml", set={"time.dt": 0.1}, threads=2) as problem:
    J, gradient = problem.evaluate()
    slope: npt.NDArray[np.float64] = J * gradient
    values = problem.observations["place"].values + problem.pullback(samples_bar={"place": np.ones(3)})
    lower: float = problem.variables["E"].lower
    names: list[str] = [design.path for design in problem.designs]
states = piola.open("states.vtkhdf")
times: float = states[0].time
"""
# File, what is replaced by what, and what mypy says of it.
FAULTS = (
    ("piola/problem.py", "return int(self._do(lambda h: h.get(\"piola_samples\")))", "return str(3)", "return-value"),
    ("piola/scipy.py", "from __future__ import annotations", "from __future__ import annotations\n\nnot_typed = []",
     "var-annotated"),
    ("piola/states_show.py", "def save(self, path: str | os.PathLike[str]) -> None:", "def save(self, path):",
     "no-untyped-def"),
    ("program.py", "J * gradient", "problem.value()", "assignment"),
    ("program.py", "threads=2", "threads=\"two\"", "arg-type"),
    ("program.py", "[\"E\"].lower", "[\"E\"].lowest", "attr-defined"))


@pytest.fixture
def package(tmp_path):
    shutil.copytree(ROOT / "tools/python/piola", tmp_path / "piola", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def faults_of(folder):
    """The faults, [file, kind], that mypy finds in a package and in a program that uses it."""
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "tools/python/mypy.ini", "--cache-dir",
               folder / "cache", "--no-error-summary", "piola", "program.py"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    print(ended.stdout, ended.stderr)
    found = sorted(re.findall(r"^(\S+?):\d+: error: .*\[([\w-]+)\]$", ended.stdout, re.M))
    assert not ended.stderr and ended.returncode == bool(found) and len(found) == ended.stdout.count(": error:")
    return found


def test_mypy_finds_no_fault_and_all_that_are_planted(package):
    found = faults_of(package)
    print(f"faults of types: measured {len(found)}, threshold 0")
    assert found == []
    for name, right, wrong, _ in FAULTS:
        text = (package / name).read_text()
        assert text.count(right) == 1, f"{name}: {right}"
        (package / name).write_text(text.replace(right, wrong))
    assert faults_of(package) == sorted((name, kind) for name, _, _, kind in FAULTS)
