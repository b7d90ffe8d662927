#!/usr/bin/env python3
"""test_design_keys.py PIOLA -- every key of a design entry and of how a body's stiffness follows what is designed, and
every type of a term that is of designs, is optimised with and Taylor-checked: the entries of the scenes below, each
alone, have them all, as the JSON Schema lists them."""
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
DEADLINE = 120  # s, for one command
NUMBER = r'"([-+]?\.?\d[^",:#\[\]{}]*)"'  # with a unit, which a scene has without quotes
GAIN = 1e-6  # by how much J falls at least, in parts of its magnitude at the start
# The entries of good scenes, by their names, that are checked and optimised, each without the others.
ENTRIES = (("topology_2d", "layout"), ("topology_mapped", "layout slab stiff"), ("topology_mapped_3d", "*"),
           ("plane_stress", "*"), ("lattices_2d", "whole"), ("lattice_of_two_2d", "*"), ("lattice_3d", "form"),
           ("meshes_2d", "shape"), ("filled_2d", "layout halves stiffness"), ("groups_2d", "mass"),
           ("shared_2d", "*"), ("terms_2d", "throw stiffness"), ("mixed_2d", "layout"),
           ("three_materials_2d", "layout blend"))
# Particles that fall: what no entry of those has.
BALL = """version: 1
name: ball
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 50 mm, min: [0, 0], max: [1, 1]}}
time: {dt: 1 ms, duration: 10 ms}
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: ball, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: thrown, geometry: ball, material: soft, angular_velocity: 20}]
observe: [{name: energy, type: kinetic_energy, body: thrown}]
design:
  - {name: one, target: materials.soft.E, per: target, transform: linear, bounds: [5 kPa, 50 kPa]}
  - {name: each, target: materials.soft.E, per: body, bounds: [5 kPa, 50 kPa]}
objective: [{type: minimize, of: energy}]
"""
# A block that swings: keys and terms of meshes that no good scene has in an entry alone.
BLOCK = """version: 1
name: block
method: {type: fem, dimension: 3, precision: f64}
time: {integrator: newmark, dt: 2 ms, duration: 20 ms}
materials: [{name: soft, model: neo_hookean, E: 50 kPa, nu: 0.3, density: 1000}]
geometry: [{name: box, type: box, element: hex8, elements: [3, 2, 2], min: [0, 0, 0], max: [0.6, 0.2, 0.2]}]
bodies: [{name: beam, geometry: box, material: soft}]
boundary: [{name: wall, body: beam, on: {group: left}, type: fixed}]
gravity: [0, 0, -9.81]
observe:
  - {name: tip, type: displacement, body: beam, on: {group: right}, at: [10 ms, 20 ms]}
  - {name: path, type: displacement, body: beam, on: {group: right}, every: 4 ms}
design:
  - {name: E, target: materials.soft.E, per: target, transform: linear, bounds: [20 kPa, 100 kPa]}
  - {name: roof, target: bodies.beam.rest_position, per: node, on: {min: [0.1, 0, 0.2], max: [0.6, 0.2, 0.2]}, along: z,
     mesh_update: linear_elastic, bounds: [-2 cm, 2 cm]}
  - {name: own, target: materials.soft.E, per: body, initial: 40 kPa, bounds: [20 kPa, 100 kPa]}
  - {name: end, target: bodies.beam.rest_position, per: node, on: {group: right}, along: x, mesh_update: none,
     bounds: [-2 cm, 2 cm]}
  - {name: free, target: bodies.beam.rest_position, per: node, on: {group: right}, along: all, bounds: [-2 cm, 2 cm]}
  - {name: cage, target: bodies.beam.rest_position, per: lattice, bounds: [-1 cm, 1 cm], along: z,
     lattice: {cells: [2, 1, 1], min: [-0.1, -0.1, -0.1], max: [0.7, 0.3, 0.3]}}
objective:
  - {type: absolute, of: tip.z, value: 0, width: 1 mm}
  - {type: integral, of: path.z, weight: 1}
  - {type: maximize, of: tip.z}
  - {type: pnorm, of: path.z, p: 8}
"""
# Types of terms that are of observations alone; other tests are of them.
OF_OBSERVATIONS = {"target", "misfit"}


def needed(definitions, schema):
    """The keys below a schema, with a dot before those of mappings, and `key=word` for each word of an enumeration."""
    if "$ref" in schema:
        return needed(definitions, definitions[schema["$ref"].rsplit("/", 1)[1]])
    keys = {f"={word}" for word in schema.get("enum", ())}
    for key, one in schema.get("properties", {}).items():
        below = needed(definitions, one)
        keys |= {key} | {key + name if name.startswith("=") else f"{key}.{name}" for name in below}
    for one in (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *filter(None, [schema.get("items")])):
        keys |= needed(definitions, one)
    return keys


def used(value):
    """The keys of an entry of a scene, as `needed` writes them; words of any key, whether enumerated or not."""
    if isinstance(value, dict):
        below = {key: used(one) for key, one in value.items()}
        return set(below) | {key + name if name.startswith("=") else f"{key}.{name}"
                             for key, names in below.items() for name in names}
    if isinstance(value, list):
        return set().union(*map(used, value))
    return {f"={value}"}


def interpolated(scene):
    """What `used` lists of the interpolations of bodies whose relative density or choice is designed."""
    paths = [path for entry in scene["design"] for key in ("target", "targets") for path in [entry.get(key, [])]]
    designed = {path for one in paths for path in ([one] if isinstance(one, str) else one)}
    return set().union(*(used({"type": "simp", **body.get("interpolation", {})}) for body in scene["bodies"]
                         if designed & {f"bodies.{body['name']}.{key}" for key in ("relative_density", "choice")}))


def missing(definitions, scenes):
    """What the schema has of entries, interpolations and terms of meshes and of particles that no scene of its method
    has."""
    lacks = []
    for method, end in (("mpm", ""), ("fem", "_of_a_mesh")):
        own = [scene for scene in scenes if scene["method"]["type"] == method]
        want = needed(definitions, definitions[f"design_variable{end}"])
        have = set().union(*(used(scene["design"]) for scene in own))
        body = definitions["meshed_body" if method == "fem" else "body"]
        formulas = needed(definitions, body["properties"]["interpolation"]) - set().union(*map(interpolated, own))
        types = {one["properties"]["type"]["const"] for one in definitions[f"term{end}"]["oneOf"]} - OF_OBSERVATIONS
        terms = {term["type"] for scene in own for term in scene["objective"]}
        lacks += sorted(f"{method}: design: {key}" for key in want - have)
        lacks += sorted(f"{method}: interpolation: {key}" for key in formulas)
        lacks += sorted(f"{method}: term: {key}" for key in types - terms)
    return lacks


def alone(scene, entry):
    """The scene with one entry of its design, without terms of others, constraints and outputs."""
    others = {one["name"] for one in scene["design"]} - {entry["name"]}
    observed = {one["name"] for one in scene["observe"]}
    terms = [term for term in scene["objective"] if term["of"] not in others - observed]
    kept = {key: value for key, value in scene.items() if key not in ("constraints", "output")}
    return {**kept, "design": [entry], "objective": terms, "optimizer": {"type": "lbfgs", "max_iterations": 3}}


def chosen():
    """Pairs of a name and a scene with one entry."""
    texts = [((GOOD / f"{name}.yaml").read_text(), name, wanted) for name, wanted in ENTRIES]
    for text, name, wanted in (*texts, (BLOCK, "block", "*"), (BALL, "ball", "*")):
        scene = yaml.load(text, Loader)
        for entry in scene["design"]:
            if wanted == "*" or entry["name"] in wanted.split():
                yield f"{name}.{entry['name']}", alone(scene, entry)


class DesignKeys(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        shutil.copytree(GOOD / "parts", self.root / "parts")

    def piola(self, command, codes=(0,)):
        """The result of a command with the scene; a check has one random direction beside the others."""
        one = ("--set", "gradient.check.directions=1") if command == "check" else ()
        done = subprocess.run([PIOLA, command, str(self.root / "scene.yaml"), "-o", str(self.root / command),
                               "--device", "cpu", "--threads", "1", *one], capture_output=True, text=True,
                              timeout=DEADLINE, check=False)
        self.assertIn(done.returncode, codes, done.stdout + done.stderr)
        return json.loads((self.root / command / "result.json").read_text())

    def test_each_entry_passes_the_taylor_test_and_lowers_the_objective(self):
        for name, scene in chosen():
            with self.subTest(name):
                for command in ("check", "optimize"):
                    shutil.rmtree(self.root / command, ignore_errors=True)
                (self.root / "scene.yaml").write_text(re.sub(NUMBER, r"\1", json.dumps(scene)))
                check = self.piola("check")["check"]
                largest = max(abs(row["adjoint"]) for row in check["rows"])
                start = check["objective"] if "objective" in check else self.piola("grad")["objective"]
                end = self.piola("optimize", (0, 1))["objective"]  # 1: a few iterations do not converge
                print(f"  {name}: slope {largest:.3g} (above 0), J {start:.8g} -> {end:.8g}", flush=True)
                self.assertGreater(largest, 0)
                self.assertLess(end, start - GAIN * abs(start))

    def test_each_key_of_the_schema_is_in_an_entry_that_is_optimised(self):
        schema = json.loads(subprocess.run([PIOLA, "schema"], capture_output=True, check=True).stdout)
        definitions, scenes = schema["definitions"], [scene for _, scene in chosen()]
        lacks = missing(definitions, scenes)
        print(f"  {len(lacks)} keys without a scene (threshold 0): {lacks}")
        self.assertEqual(lacks, [])
        # Negative controls: a key that is new, and scenes without those of lattices.
        definitions["design_variable"]["properties"]["hue"] = {"anyOf": [{"enum": ["red"]}]}
        self.assertEqual(missing(definitions, scenes), ["mpm: design: hue", "mpm: design: hue=red"])
        del definitions["design_variable"]["properties"]["hue"]
        fewer = [scene for scene in scenes if "lattice" not in scene["design"][0]]
        self.assertIn("fem: design: lattice.cells", missing(definitions, fewer))
        one = [scene for scene in scenes if scene["name"] != "three-materials"]
        self.assertEqual(missing(definitions, one), ["fem: interpolation: least", "fem: interpolation: second"])


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv[1])
    names = sys.argv[2:]
    load = unittest.defaultTestLoader
    suite = load.loadTestsFromNames(names, DesignKeys) if names else load.loadTestsFromTestCase(DesignKeys)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
