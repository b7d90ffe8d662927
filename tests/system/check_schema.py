#!/usr/bin/env python3
"""check_schema.py SCHEMA.json GOOD_FOLDER BAD_FOLDER MORE_FOLDER... -- the JSON Schema of scenes and studies, judged by
python-jsonschema.

Every scene and study of the good folder and of those at the end must validate. Of the bad scenes, those that only a
schema's means can judge (keys, kinds, ranges) must be refused: this shows that the schema is not empty. So must studies
that are spoiled here.
"""
import json
import pathlib
import re
import sys

import jsonschema
import yaml

# Faults that a JSON Schema can see, in scenes that include a base file.
REFUSED = """unknown_key unknown_key_far key_of_other_variant learning_rate_of_mma missing_unit_shown missing_type
version_2 method_unknown dt_is_list half_seed seed_negative wrong_dimension unknown_unit nu_half
name_malformed enum_close walls_key vector_is_number time_is_text materials_empty E_and_mu E_alone no_stiffness
at_and_every at_of_distance over_three component_malformed optimizer_type field_unknown missing_keys
fem_load_without_on""".split()


# Faults that it can see in a study: what of the text below is replaced, and by what. The first is of particles, the
# last of meshes.
STUDY = """version: 1
name: trials
experiments:
  - {name: slow, scene: throw.yaml, weight: 0.5}
  - {name: fast, scene: throw.yaml, set: {"bodies[0].velocity": [4, 2]}}
design:
  - {name: launch, target: bodies.ball.velocity, initial: [2, 2], bounds: [-5, 5], experiments: slow}
gradient: {check: {directions: 2}, memory: {budget: 1 GB}}
optimizer: {type: lbfgs, max_iterations: 3}
"""
SPOILED = (("weight: 0.5", "weight: -1"), ("weight: 0.5", "weight: heavy"), ("weight: 0.5", "wieght: 1"),
           ("name: slow, ", ""), ("scene: throw.yaml, weight", "weight"), ("name: trials\n", ""),
           ("version: 1", "version: 2"), ("set: {\"bodies[0].velocity\": [4, 2]}", "set: 3"),
           ("type: lbfgs", "type: lbgfs"), ("type: lbfgs,", ""), ("max_iterations: 3", "max_iterations: -3"),
           ("budget: 1 GB", "budget: 1 m"), ("directions", "direction"), ("optimizer", "optimiser"),
           ("design:\n", "design: []\nother:\n"), ("name: slow", "name: a/b"), ("initial:", "inital:"),
           ("bounds: [-5, 5]", "bounds: -5"), ("target: bodies.ball.velocity, ", ""), ("name: launch, ", ""),
           ("name: launch", "name: 3"), ("target: bodies", "targets: bodies.b.velocity, target: bodies"),
           ("target: bodies.ball.velocity", "target: [1, 2]"), ("[2, 2], ", "[2, 2], transform: log10, "),
           ("[2, 2], ", "[2, 2], groups: [a], extrusion: x, "), ("experiments: slow", "experiments: []"),
           ("experiments: slow", "experiments: {name: slow}"), ("experiments: slow", "experiment: slow"),
           ("[2, 2], ", "[2, 2], symmetry: {x: 0.5}, per: group, "),
           ("  - {name: launch, target: bodies.ball.velocity, initial: [2, 2], bounds: [-5, 5], experiments: slow}",
            "  - bodies.ball.velocity"))
# What is right in its place.
SOUND = (("experiments: slow", "experiments: [slow, fast]"), (", experiments: slow", ""),
         ("target: bodies.ball.velocity", "targets: [bodies.ball.velocity, bodies.other.velocity]"),
         ("[2, 2], ", "[2, 2], per: group, "), ("[2, 2], ", "[2, 2], filter: {type: cone, radius: 1 cm}, "))
MESHES = """version: 1
name: beams
experiments: [{name: down, scene: beam.yaml}, {name: up, scene: beam.yaml, projection: {threshold: 0.7}}]
design:
  - name: layout
    target: bodies.beam.relative_density
    per: element
    bounds: [0, 1]
    filter: {type: helmholtz, radius: 1 cm}
    projection: {beta: 1, end: 16, double_every: 20}
    fixed: [{on: {group: top}, value: 1}, {on: {min: [0, 0], max: [1 m, 1 cm]}, value: 0}]
    symmetry: {x: 0.5 m}
    extrusion: z
    experiments: [down, up]
  - {name: roof, target: bodies.beam.rest_position, per: node, on: {group: top}, along: normal}
"""
SPOILED_MESHES = (("type: helmholtz", "type: helmholz"), ("radius: 1 cm", "radius: 1 kg"), ("beta: 1, ", ""),
                  ("double_every: 20", "double_every: 2.5"), ("per: element", "per: group"), (", value: 1}", "}"),
                  ("on: {group: top}, value", "value"), ("symmetry: {x:", "symmetry: {w:"),
                  ("extrusion: z", "extrusion: w"), ("    target: bodies.beam.relative_density\n", ""),
                  ("along: normal", "along: outwards"), ("{threshold: 0.7}", "{threshold: 1}"),
                  ("on: {group: top}, along", "off: {group: top}, along"))


class Loader(yaml.SafeLoader):
    """YAML 1.2's booleans: `on` is a word."""


Loader.yaml_implicit_resolvers = {first: [(tag, pattern) for tag, pattern in resolvers
                                          if tag != "tag:yaml.org,2002:bool"]
                                  for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()}
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("true|false"), list("tf"))


def loads_without_a_place(validator, scene) -> int:
    """Every kind of load but a body_force needs `on`; returns faults. `scene` is a good one of finite elements."""
    wrong = 0
    kinds = {entry["type"]: entry for entry in scene["loads"]}
    for kind, entry in sorted(kinds.items()):
        for place in (True, False):
            load = {key: value for key, value in entry.items() if place or key != "on"}
            legal = validator.is_valid({**scene, "loads": [load]})
            if legal != (kind == "body_force" or "on" in load):
                print(f"a load of type {kind} {'with' if 'on' in load else 'without'} 'on': {legal}")
                wrong += 1
    print(f"{len(kinds)} kinds of loads with and without 'on' (at least 6): {wrong} faults (threshold 0)")
    return wrong + (len(kinds) < 6)


def changed_studies(validator) -> int:
    """Returns how many spoiled studies are accepted, and how many good ones are not."""
    wrong = 0
    cases = ((STUDY, ((("", ""), *SOUND)), True), (STUDY, SPOILED, False), (MESHES, (("", ""),), True),
             (MESHES, SPOILED_MESHES, False))
    for text, changes, good in cases:
        for old, new in changes:
            assert old in text, old
            if validator.is_valid(yaml.load(text.replace(old, new, 1), Loader)) != good:
                print(f"a study with {new!r} for {old!r} is {'refused' if good else 'accepted'}")
                wrong += 1
    print(f"{len(SPOILED) + len(SPOILED_MESHES)} spoiled studies and {2 + len(SOUND)} good ones: {wrong} faults "
          "(threshold 0)")
    return wrong


def main() -> int:
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    wrong = 0
    good = [path for folder in (sys.argv[2], *sys.argv[4:]) for path in sorted(pathlib.Path(folder).glob("*.yaml"))]
    for path in good:
        for error in validator.iter_errors(yaml.load(path.read_text(), Loader)):
            print(f"{path.name}: {error.json_path}: {error.message[:300]}")
            wrong += 1
    for name in REFUSED:
        path = pathlib.Path(sys.argv[3]) / f"{name}.yaml"
        if validator.is_valid(yaml.load(path.read_text(), Loader)):
            print(f"{path.name}: the schema accepts it")
            wrong += 1
    meshes = pathlib.Path(sys.argv[2]) / "meshes_2d.yaml"
    wrong += changed_studies(validator)
    wrong += loads_without_a_place(validator, yaml.load(meshes.read_text(), Loader))
    print(f"{len(good)} good scenes, {len(REFUSED)} bad ones, {wrong} faults (threshold 0)")
    return 1 if wrong or not good else 0


if __name__ == "__main__":
    sys.exit(main())
