#!/usr/bin/env python3
"""test_components.py PIOLA -- a component of each vector of a scene can be designed alone: its derivative is that which
the whole vector has there, with particles and with meshes, in 2D and in 3D.

The adjoint sweep is the same, bit for bit, so that the derivatives are equal but for the map between a variable and its
value: the bound is a few roundings of it.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml
from check_schema import Loader

PIOLA = ""
GOOD = pathlib.Path(__file__).resolve().parent.parent / "data" / "good_scenes"
NUMBER = r'"([-+]?\.?\d[^",:#\[\]{}]*)"'  # with a unit, which a scene has without quotes
SCENES = ("touched_2d", "touched_3d", "obstacles_3d")
BOUND = 1e-14  # relative


class Components(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(GOOD / "parts", self.root / "parts")

    def piola(self, command, scene, *more):
        (self.root / "scene.yaml").write_text(re.sub(NUMBER, r"\1", json.dumps(scene)))
        done = subprocess.run([PIOLA, command, str(self.root / "scene.yaml"), *more], capture_output=True, text=True,
                              timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def derivative(self, scene, path):
        """The derivative of J with respect to a path, designed alone: a number, or a list."""
        self.piola("grad", {**scene, "design": [{"name": "v", "target": path}]}, "-o", str(self.root / "out"),
                   "--device", "cpu", "--threads", "1", "--resume", "never")
        result = json.loads((self.root / "out" / "result.json").read_text())
        shutil.rmtree(self.root / "out")
        return next(iter(result["parameters"].values()))["gradient"]

    def test_a_component_has_the_derivative_that_the_vector_has_there(self):
        paths, other = 0, 0
        for name in SCENES:
            scene = yaml.load((GOOD / f"{name}.yaml").read_text(), Loader)
            scene = {key: value for key, value in scene.items() if key not in ("constraints", "output", "optimizer")}
            observed = {one["name"] for one in scene["observe"]}
            scene["objective"] = [term for term in scene["objective"] if term["of"].split(".")[0] in observed]
            for one in json.loads(self.piola("params", scene, "--json"))["parameters"]:
                if one["shape"] not in ([2], [3]) or ".motion." in one["path"]:  # values at times are no vector
                    continue
                whole = self.derivative(scene, one["path"])
                paths += 1
                for axis, component in zip("xyz", whole):
                    alone = self.derivative(scene, f"{one['path']}.{axis}")
                    self.assertLessEqual(abs(alone - component), BOUND * abs(component),
                                         f"{name}: {one['path']}.{axis}")
                other += len(set(whole)) > 1
        print(f"  {paths} vectors (at least 20), of which {other} (at least 15) have components that differ")
        self.assertGreaterEqual(paths, 20)
        self.assertGreaterEqual(other, 15)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv.pop())
    unittest.main(verbosity=2)
