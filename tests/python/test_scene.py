"""Scenes as dicts: the YAML of a scene has the values of the dict, and the library reads it."""
import math
import pickle

import numpy as np
import piola
import pytest
import yaml
from conftest import BALL, BEAM
from piola.scene import flow

VALUES = [1, -3, 0, True, False, None, 1.5, 1e-5, 1e300, -0.1, 5e-324, "1 kPa", "-3 m/s", "1e3 kg/m3", "10", "1e6",
          "true", "null", "~", "", " x", "x ", "a: b", "a #b", "#", "- a", "-", "[a]", "{", "a,b", "'q'", '"q"', "\\n",
          "two\nlines", "tab\t", "\u00b5m", "\U0001f40d", "yes", "0x1f", "0o17", ".5", "?", "? a", "& a", "*a", "!tag",
          "%a", "@a", "`a", "|", ">", "materials.*.E", "bodies/one.stl", "../up.yaml", "/root.yaml", "a:b", ":",
          "\x00b", "\x7f", "1:30", "=", "<<", "2026-01-01", "(t - 1)*2", "<= 3"]


class Core(yaml.SafeLoader):
    """Scalars of YAML 1.2, as the library reads them: a number needs no point, `yes` and dates are strings."""


Core.yaml_implicit_resolvers = {}
for tag, pattern, first in (("bool", r"true|True|TRUE|false|False|FALSE", "tTfF"),
                            ("null", r"~|null|Null|NULL|", "~nN"),
                            ("int", r"[-+]?\d+", "-+0123456789"),
                            ("float", r"[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|[-+]?\.inf|\.nan",
                             "-+.0123456789")):
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", __import__("re").compile(f"^(?:{pattern})$"), list(first))


def read(text):
    return yaml.load(text, Core)


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_is_read_as_it_was_written(value):
    for made in (read(flow(value)), read(flow([value, value]))[1], read(flow({"key": value}))["key"],
                 read(piola.Scene({"key": value, "list": [{"a": value}, {"b": {"c": [value]}}]}).text())["key"]):
        assert made == value and type(made) is type(value)


def test_units_are_plain_scalars():
    for text in ("1 kPa", "-3 m/s", "0.5 ms", "1000 kg/m3", "9.81 m/s2", "1 Pa.s", "5 1/s", "1e-3 kg.m2/s"):
        assert flow(text) == text


def test_numbers_of_numpy_and_special_ones():
    assert flow(np.float64(0.1)) == "0.1" and flow(np.float32(0.5)) == "0.5" and flow(np.int64(3)) == "3"
    assert flow(np.bool_(True)) == "true" and flow(np.array([[1.0, 2.0], [3.0, 4.0]])) == "[[1.0, 2.0], [3.0, 4.0]]"
    assert flow(math.inf) == ".inf" and flow(-math.inf) == "-.inf" and flow(math.nan) == ".nan"


def test_nested_structures_are_read_as_they_were_written():
    value = {"a": [[1, 2], [3, [4]]], "b": [{"c": {"d": []}, "e": {}}, {"f": [{"g": (1, 2)}]}], "h": {}, "i": []}
    expected = {"a": [[1, 2], [3, [4]]], "b": [{"c": {"d": []}, "e": {}}, {"f": [{"g": [1, 2]}]}], "h": {}, "i": []}
    assert read(piola.Scene(value).text()) == expected == read(flow(value))
    for scene in (BALL, BEAM):
        assert read(scene.text()) == read(flow(scene))


def test_what_is_no_data_is_refused():
    for value in (object(), {"a": {1, 2}}, b"bytes", {"a": lambda: 0}, {1: 2}):
        with pytest.raises(piola.UsageError):
            flow(value)


def test_a_scene_is_copied_deeply():
    scene = BALL.copy()
    scene["materials"][0]["E"] = 1
    again = pickle.loads(pickle.dumps(scene))
    assert BALL["materials"][0]["E"] == "20 kPa" and again == scene and again.file == "scene.yaml"


def test_a_sweep_is_a_loop():
    values = []
    for E in (1e4, 2e4, 4e4):
        scene = BALL.copy()
        scene["materials"][0]["E"] = E
        with piola.Problem(scene, device="cpu") as problem:
            values.append(problem.value())
            assert problem.variables.start[0] == E
    assert len(set(values)) == 3


def test_paths_begin_in_the_folder_of_the_scene(tmp_path):
    (tmp_path / "places.csv").write_text("t,x,y\n0.005,0.5,0.2\n0.01,0.5,0.2\n0.015,0.5,0.2\n0.02,0.5,0.2\n")
    scene = piola.Scene({**BALL, "objective": [{"type": "misfit", "of": "place", "sigma": "1 mm", "data": {
        "file": "places.csv", "time": "t", "columns": ["x", "y"]}}]}, file=tmp_path / "made.yaml")
    with piola.Problem(scene, device="cpu") as problem:
        assert problem.value() > 0
