"""What the tests of the Python package share: two scenes, of particles and of a mesh, in f64."""
import ast
import copy
import importlib
import pathlib
import re
import subprocess
import sys

import pytest

import piola

BALL = piola.Scene({
    "version": 1,
    "name": "ball",
    "method": {"type": "mpm", "dimension": 2, "precision": "f64",
               "grid": {"spacing": 0.05, "min": [0, 0], "max": [2, 1], "walls": "slip"}},
    "time": {"dt": "0.5 ms", "duration": "20 ms"},
    "gravity": (0, -9.81),
    "materials": [{"name": "soft", "model": "neo_hookean", "E": "20 kPa", "nu": 0.3, "density": 1000}],
    "geometry": [{"name": "disc", "type": "ball", "center": [0.5, 0.22], "radius": 0.2}],
    "bodies": [{"name": "ball", "geometry": "disc", "material": "soft", "velocity": ["1 m/s", "-2 m/s"],
                "angular_velocity": 3}],
    "observe": [{"name": "place", "type": "mean_position", "body": "ball", "every": "5 ms"},
                {"name": "energy", "type": "kinetic_energy", "body": "ball"}],
    "design": [{"name": "E", "target": "materials.soft.E", "bounds": ["5 kPa", "50 kPa"], "transform": "log"},
               {"name": "speed", "target": "bodies.ball.velocity", "bounds": ["-3 m/s", 3]},
               {"name": "weight", "target": "materials.soft.density"}],
    "objective": [{"type": "target", "of": "place", "value": [0.55, 0.25]},
                  {"type": "minimize", "of": "energy", "weight": 1e-3}],
})

BEAM = piola.Scene({
    "version": 1,
    "name": "beam",
    "method": {"type": "fem", "dimension": 2, "plane": "stress", "precision": "f64"},
    "time": {"integrator": "newmark", "dt": "2 ms", "duration": "10 ms"},
    "materials": [{"name": "soft", "model": "neo_hookean", "E": "40 kPa", "nu": 0.3, "density": 1100}],
    "geometry": [{"name": "box", "type": "box", "element": "quad4", "elements": [8, 4], "min": [0, 0],
                  "max": [1, 0.5]}],
    "bodies": [{"name": "beam", "geometry": "box", "material": "soft", "thickness": 0.5}],
    "boundary": [{"name": "root", "body": "beam", "on": {"group": "left"}, "type": "fixed"}],
    "loads": [{"name": "push", "body": "beam", "on": {"group": "right"}, "type": "force", "value": [20, 50]}],
    "observe": [{"name": "end", "type": "displacement", "body": "beam", "on": {"group": "right"}, "every": "4 ms"},
                {"name": "size", "type": "volume", "body": "beam"}],
    "design": [{"name": "E", "target": "materials.soft.E", "transform": "log"},
               {"name": "depth", "target": "bodies.beam.thickness", "bounds": ["0.2 m", "0.8 m"], "per": "element",
                "filter": {"type": "cone", "radius": 0.2}},
               {"name": "push", "target": "loads.push.value.x", "bounds": ["10 N", "30 N"]}],
    "objective": [{"type": "target", "of": "end.y", "value": 0.05}],
    "constraints": [{"of": "size", "max": 1.05, "relative_to": "initial"}],
})


def changed(scene, **keys):
    """A copy of a scene with other values of some top-level keys."""
    made = scene.copy()
    made.update(copy.deepcopy(keys))
    return made


def run_section(page, heading):
    """Runs the blocks of Python below a heading of a page of docs/; returns how many there are, and their names."""
    path = pathlib.Path(__file__).resolve().parents[2] / "docs" / page
    text, names = path.read_text(), {}
    begin = text.index(f"\n## {heading}\n")
    end = text.find("\n## ", begin + 1)
    found = list(re.compile(r"```python\n(.*?)```", re.S).finditer(text, begin, end))
    for block in found:
        tree = ast.increment_lineno(ast.parse(block.group(1)), text.count("\n", 0, block.start(1)))
        exec(compile(tree, str(path), "exec"), names)
    return len(found), names


def assert_requested_only(monkeypatch, name, text):
    """The package imports piola.NAME, and what that needs, on request alone, and says what is missing."""
    code = f"import piola, sys; assert '{name}' not in sys.modules; import piola.{name}; assert '{name}' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    monkeypatch.delitem(sys.modules, f"piola.{name}")
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=text) as caught:
        importlib.import_module(f"piola.{name}")
    assert caught.value.name == name


@pytest.fixture
def ball():
    with piola.Problem(BALL, device="cpu") as problem:
        yield problem


@pytest.fixture
def beam():
    with piola.Problem(BEAM, device="cpu") as problem:
        yield problem


@pytest.fixture(params=["ball", "beam"])
def problem(request):
    """The problem of each scene, one after the other."""
    return request.getfixturevalue(request.param)
