#!/usr/bin/env python3
"""compare_bits.py OLD NEW [SCENE ...] -- two builds of the command give the same objective and gradients, bit for bit.

OLD and NEW are two programs `piola`, each beside its engines; the scenes are those of
tests/data/small_scenes unless some are named, and both programs take them from there. Both run `grad` on one thread of
the CPU with one instruction set. What result.json says of the objective, its terms, observations, constraints and
design variables is compared as text, in which a number has all its digits; of design variables per particle, element
or node it only names a dataset, so that all gradients that the files of the run hold, `/piola/gradient/*` and arrays
`grad_*`, are compared as bytes. For changes that move code and must change nothing; the control is a third run, with a
gravity changed in its last digits, which must differ in the text and in the bytes. Where scenes differ, the relative
differences of the objective, of the design variables' gradients and of the gradient fields are printed: what a change
to the order of sums lists.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy
import small_scenes

COMPARED = ("exit", "objective", "terms", "constraints", "observations", "parameters")


def field_gradients(folder):
    """{file, dataset: array} of each gradient in the files of a run."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.vtkhdf")):
        def visit(name, item):
            gradient = name.startswith("piola/gradient/") or name.rsplit("/", 1)[-1].startswith("grad_")
            if gradient and isinstance(item, h5py.Dataset):
                found[path.name, name] = numpy.asarray(item[()])
        with h5py.File(path) as file:
            file.visititems(visit)
    return found


def computed(piola, scene, folder, *more):
    """The parts of result.json that are compared, as text, and the gradients of files; of a failure the message."""
    done = subprocess.run([piola, "grad", *small_scenes.words(scene), "--device", "cpu", "--threads", "1", "--isa",
                           "x86-64-v3", "-q", "-o", folder, *more], capture_output=True, text=True)
    path = pathlib.Path(folder) / "result.json"
    if not path.exists():
        return f"exit {done.returncode}: {done.stderr}", {}
    result = json.loads(path.read_text())
    return json.dumps({key: result.get(key) for key in COMPARED}, sort_keys=True), field_gradients(folder)


def same_bits(old, new):
    """Whether two arrays have one type, one shape and the same bytes."""
    return (old.dtype, old.shape, old.tobytes()) == (new.dtype, new.shape, new.tobytes())


def same_fields(old, new):
    """Whether two runs have the same gradient fields, to the bit."""
    return old.keys() == new.keys() and all(same_bits(old[key], new[key]) for key in old)


def relative(pairs):
    """The largest |old - new| / |old|, in the 2-norm, of pairs of arrays; `none` where there are none or none is
    finite."""
    found = []
    for old, new in pairs:
        old, new = numpy.asarray(old, float), numpy.asarray(new, float)
        size = numpy.linalg.norm(old)
        if old.shape == new.shape and size > 0:
            found.append(numpy.linalg.norm(old - new) / size)
    return f"{max(found):.1e}" if found else "none"


def differences(old, new):
    """How far two runs are from each other, in words: each run is what `computed` returns."""
    texts = [json.loads(text) if text.startswith("{") else {} for text, _ in (old, new)]
    values = [text.get("objective") for text in texts]
    gradients = [{name: item["gradient"] for name, item in (text.get("parameters") or {}).items() if "gradient" in item}
                 for text in texts]
    return ("relative differences: objective " + relative([values] if None not in values else []) + ", gradients " +
            relative((gradients[0][key], gradients[1][key]) for key in gradients[0].keys() & gradients[1].keys()) +
            ", fields " + relative((old[1][key], new[1][key]) for key in old[1].keys() & new[1].keys()))


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    old, new = (str(pathlib.Path(name).resolve()) for name in sys.argv[1:3])
    scenes = [pathlib.Path(name).resolve() for name in sys.argv[3:]] or sorted(small_scenes.SMALL.glob("*.yaml"))
    different, noticed, fields, in_fields = 0, 0, 0, 0
    for scene in scenes:
        with tempfile.TemporaryDirectory() as folder:
            (text, arrays), other = (computed(piola, scene, f"{folder}/{name}")
                                     for name, piola in (("old", old), ("new", new)))
            spoiled, spoiled_arrays = computed(new, scene, f"{folder}/spoiled", "--set", "gravity[1]=-9.810001")
        same = text == other[0] and same_fields(arrays, other[1])
        different += not same
        fields += len(arrays)
        if '"exit": 0' in spoiled:
            noticed += spoiled not in (text, other[0])
            in_fields += sum(not same_bits(spoiled_arrays.get(key, now), now) for key, now in other[1].items())
        verdict = "the same" if same else "DIFFERENT; " + differences((text, arrays), other)
        print(f"{scene.name:40} {len(text):8} characters, {len(arrays):2} arrays: {verdict}", flush=True)
    print(f"{different} of {len(scenes)} scenes differ (threshold 0); another gravity was noticed in {noticed} "
          f"(at least 1), and in {in_fields} of {fields} arrays (at least 1, where there are any)")
    return 1 if different or not noticed or (fields and not in_fields) else 0


if __name__ == "__main__":
    sys.exit(main())
