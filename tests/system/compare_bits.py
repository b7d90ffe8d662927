#!/usr/bin/env python3
"""compare_bits.py OLD NEW [SCENE ...] -- two builds of the command give the same objective and gradients, bit for bit.

OLD and NEW are two programs `piola`, each beside its engines; the scenes are those of
tests/data/small_scenes unless some are named, and both programs take them from there. Both run `grad` on one thread of
the CPU with one instruction set, and what result.json says of the objective, its terms, observations, constraints and
design variables is compared as text, in which a number has all its digits. For changes that move code and must change
nothing; the control is a third run, with a gravity changed in its last digits, which must differ.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import small_scenes

COMPARED = ("exit", "objective", "terms", "constraints", "observations", "parameters")


def computed(piola, scene, folder, *more):
    """The parts of result.json that are compared, as text; of a failure the message."""
    done = subprocess.run([piola, "grad", *small_scenes.words(scene), "--device", "cpu", "--threads", "1", "--isa",
                           "x86-64-v3", "-q", "-o", folder, *more], capture_output=True, text=True)
    path = pathlib.Path(folder) / "result.json"
    if not path.exists():
        return f"exit {done.returncode}: {done.stderr}"
    result = json.loads(path.read_text())
    return json.dumps({key: result.get(key) for key in COMPARED}, sort_keys=True)


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    old, new = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
    scenes = [pathlib.Path(name).resolve() for name in sys.argv[3:]] or sorted(small_scenes.SMALL.glob("*.yaml"))
    different, noticed = 0, 0
    for scene in scenes:
        with tempfile.TemporaryDirectory() as folder:
            texts = [computed(piola, scene, f"{folder}/{name}") for name, piola in (("old", old), ("new", new))]
            spoiled = computed(new, scene, f"{folder}/spoiled", "--set", "gravity[1]=-9.810001")
        same = texts[0] == texts[1]
        different += not same
        noticed += spoiled not in texts and '"exit": 0' in spoiled
        print(f"{scene.name:40} {len(texts[0]):8} characters: {'the same' if same else 'DIFFERENT'}", flush=True)
    print(f"{different} of {len(scenes)} scenes differ (threshold 0); another gravity was noticed in {noticed} "
          "(at least 1)")
    return 1 if different or not noticed else 0


if __name__ == "__main__":
    sys.exit(main())
