#!/usr/bin/env python3
"""gpu_scenes.py PIOLA [--device NAME] [SCENE ...] -- gradients of the small scenes on a GPU: twice with graphs and once
without them, equal to the bit, and against the CPU within the bound of the precision.

Prints a line per scene and precision, and exits with 1 where one of them fails. `--device cpu` compares the CPU with
itself, which shows that the comparison runs. Needs h5py. tools/gpu_check.sh runs it.
"""
import concurrent.futures
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import h5py
import small_scenes

# Small scenes, and what is set in them: another solver, or fewer steps, where the difference of two roundings grows
# with every step.
SCENES = [
    ("fem_cantilever_shape_small", []),
    ("fem_cook_small", []),
    ("fem_cook_small", ["solver.linear=pcg", "solver.product=own"]),
    ("fem_cook_small", ["solver.linear=pcg", "solver.product=cusparse"]),
    ("fem_cook_small", ["solver.linear=direct"]),
    ("fem_field_id_small", []),
    ("fem_swing_small", []),
    ("fem_long_swing_small", []),
    ("fem_long_swing_euler_small", ["time.duration=60 ms"]),
    ("mpm_throw_small", ["time.duration=20 ms"]),
    ("mpm_throw_bounce_small", ["time.duration=20 ms"]),
    ("mpm_two_materials_small", []),
    ("mpm_crawler_small", ["time.duration=5 ms"]),
    ("mpm_sand_column_small", ["time.duration=16 ms"]),
    ("mpm_snowball_small", ["time.duration=2 ms"]),
    ("mpm_taylor_bar_small", []),
    ("mpm_long_bounce_small", ["time.duration=1 ms"]),
    ("mpm_long_flow_small", ["time.duration=10 ms"]),
]
COMPARED = ("exit", "objective", "terms", "constraints", "observations", "parameters")
# Largest relative difference of J and of its gradient from the CPU's, as of the stand-in (test_cuda_stand_in.py). J of
# some scenes is what is left of displacements where those of a measurement are subtracted, and its rounding as many
# times larger.
BOUND = {"f32": 5e-5, "f64": 1e-10}
AMPLIFIED = {"fem_field_id_small": 20}


def numbers(value):
    """All numbers of lists within lists."""
    return [n for v in value for n in numbers(v)] if isinstance(value, list) else [float(value)]


def gradient(result):
    return [n for _, p in sorted(result["parameters"].items()) for n in numbers(p["gradient"])]


def difference(a, b):
    """|a - b| / |a| of two lists."""
    return math.dist(a, b) / max(math.hypot(*a), 1e-300)


def grad(scene, precision, wanted, device, **environment):
    """What result.json says, with the gradients of fields; or a sentence that says why there is none."""
    sets = [word for text in [f"method.precision={precision}", *wanted] for word in ("--set", text)]
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out"
        done = subprocess.run([PIOLA, "grad", *small_scenes.words(small_scenes.SMALL / f"{scene}.yaml"), "--device",
                               device, "--threads", "2", "-q", "-o", out, *sets], capture_output=True, text=True,
                              check=False, env={**os.environ, **environment}, timeout=300)
        if done.returncode:
            return f"{device} ended with {done.returncode}: {done.stderr.strip()}"
        result = json.loads((out / "result.json").read_text())
        for parameter in result["parameters"].values():
            if "dataset" in parameter:  # one number for each element or particle
                with h5py.File(out / parameter["file"]) as file:
                    parameter["gradient"] = file[parameter["dataset"] + "/grad"][()].ravel().tolist()
    return result


def compare(case):
    """A line, and whether the case passed."""
    (scene, wanted), precision, device = case
    name = f"{scene} {precision} {' '.join(wanted)}"
    cpu = grad(scene, precision, [w for w in wanted if "cusparse" not in w], "cpu")
    runs = [grad(scene, precision, wanted, device, PIOLA_GRAPH=graph) for graph in "110"]
    for run in (cpu, *runs):
        if isinstance(run, str):
            return f"FAILED {name}: {run}", False
    texts = [json.dumps({key: run.get(key) for key in COMPARED}, sort_keys=True) for run in runs]
    same = sum(text == texts[0] for text in texts)
    by_j = difference([cpu["objective"]], [runs[0]["objective"]])
    by_gradient = difference(gradient(cpu), gradient(runs[0]))
    bound = BOUND[precision] * AMPLIFIED.get(scene, 1)
    passed = same == len(runs) and runs[0]["engine"]["device"] == device and max(by_j, by_gradient) <= bound
    return (f"{'' if passed else 'FAILED '}{name}: {same} of {len(runs)} runs with equal bits; from the CPU J differs "
            f"by {by_j:.1e}, its gradient by {by_gradient:.1e} (bound {bound:.0e})", passed)


def main(words):
    device = "cuda"
    if words[:1] == ["--device"]:
        device, words = words[1], words[2:]
    cases = [(case, precision, device) for case in SCENES for precision in BOUND if not words or case[0] in words]
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        results = []
        for line, passed in pool.map(compare, cases):
            print(line, flush=True)
            results.append(passed)
    print(f"{sum(results)} of {len(results)} passed")
    return 0 if results and all(results) else 1


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = sys.argv[1]
    sys.exit(main(sys.argv[2:]))
