#!/usr/bin/env python3
"""test_cuda_stand_in.py PIOLA FOLDER PRECISION METHOD -- gradients of scenes by the CUDA engine of a folder, which is
built with the stand-in for CUDA.

Blocks and lanes in three orders, in two of which streams wait until the host waits for them, and once without graphs:
J, observations and gradients must be equal to the bit. Against the CPU they must be equal to rounding. METHOD is fem
or mpm.
"""
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import h5py
import small_scenes

# Scenes, and what is set in them: fewer steps, or another solver.
SCENES = {
    "fem": [
        ("fem_cook_small", []),
        ("fem_cook_small", ["solver.linear=pcg", "solver.product=own"]),
        ("fem_cook_small", ["solver.linear=pcg", "solver.product=cusparse"]),
        ("fem_field_id_small", []),
        ("fem_swing_small", []),
        ("fem_long_swing_small", []),
        ("fem_long_swing_euler_small", ["time.duration=60 ms"]),
    ],
    "mpm": [
        ("mpm_throw_small", ["time.duration=20 ms"]),
        ("mpm_throw_bounce_small", ["time.duration=20 ms"]),
        ("mpm_crawler_small", ["time.duration=5 ms"]),
        ("mpm_sand_column_small", ["time.duration=16 ms"]),
        ("mpm_long_bounce_small", ["time.duration=1 ms"]),
        ("mpm_long_flow_small", ["time.duration=10 ms"]),
    ],
}
ORDERS = [{"STAND_IN_ORDER": "forward"}, {"STAND_IN_ORDER": "backward", "STAND_IN_DEFER": "1"},
          {"STAND_IN_ORDER": "random", "STAND_IN_DEFER": "1"}, {"STAND_IN_ORDER": "forward", "PIOLA_GRAPH": "0"}]
# At most how many of the steps forward, adjoint and inverse of a gradient are no graph: the first two to four of each
# kind, which the graphs are made from, for any number of steps. The flow keeps more states in f32 than in f64, and what
# its steps restore or run again makes kinds of them. Other scenes have iterations with a library's products, or
# elimination, and no graphs.
WITHOUT_GRAPH = {"mpm_throw_small": 6, "mpm_throw_bounce_small": 6, "mpm_crawler_small": 6, "mpm_sand_column_small": 6,
                 "mpm_long_bounce_small": 6, "mpm_long_flow_small": 10, "fem_long_swing_small": 7}
# What a further step of a gradient of particles and its adjoint give the device to do where every state is kept: 15 and
# 50 launches, and 3 copies or fills, in two graphs, and the host waits for none of it.
OF_A_STEP = {"launches": 65, "copies": 3, "waits": 0, "graphs": 2}
COMPARED = ("exit", "objective", "terms", "constraints", "observations", "parameters")
# Largest relative difference from the CPU: kernels may differ by 2e-5 and 1e-12 each (test_every_kernel_gpu.c), here
# they were seen to come to 2e-5 and 2e-13. A gradient that is scaled by 1.0001 is beyond both.
BOUND = {"f32": 5e-5, "f64": 1e-10}
COUNTS = re.compile(r"(\d+) (launches|blocks|copies|waits|graphs|queued)")


def numbers(value):
    """All numbers of lists within lists."""
    return [n for v in value for n in numbers(v)] if isinstance(value, list) else [float(value)]


def gradient(result):
    return [n for _, p in sorted(result["parameters"].items()) for n in numbers(p["gradient"])]


def difference(a, b):
    """|a - b| / |a| of two lists."""
    return math.dist(a, b) / max(math.hypot(*a), 1e-300)


class StandIn(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)

    def grad(self, scene, wanted, device, engines=None, **environment):
        """What result.json says, and what the stand-in counted."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.temporary.name)) / "out"
        sets = [word for text in [f"method.precision={PRECISION}", *wanted] for word in ("--set", text)]
        if engines:
            environment = {"PIOLA_ENGINES": str(engines), "STAND_IN_REPORT": "1", **environment}
        done = subprocess.run([PIOLA, "grad", *small_scenes.words(small_scenes.SMALL / f"{scene}.yaml"), "--device",
                               device, "--threads", "1", "-q", "-o", folder, *sets], capture_output=True, text=True,
                              check=False, env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, f"{scene}: {done.stderr}")
        counted = re.search("CUDA stand-in: .* queued", done.stderr)
        result = json.loads((folder / "result.json").read_text())
        for parameter in result["parameters"].values():
            if "dataset" in parameter: # one number for each element or particle
                with h5py.File(folder / parameter["file"]) as file:
                    parameter["gradient"] = file[parameter["dataset"] + "/grad"][()].ravel().tolist()
        return result, {name: int(n) for n, name in COUNTS.findall(counted.group())} if counted else {}

    def orders_and_cpu(self, scene, wanted, engines):
        on_cpu = [w for w in wanted if "cusparse" not in w]
        cpu, _ = self.grad(scene, on_cpu, "cpu")
        texts, graphs = [], []
        for order in ORDERS:
            result, counts = self.grad(scene, wanted, "cuda", engines, **order)
            self.assertEqual(result["engine"]["device"], "cuda")
            self.assertIn("no GPU", result["engine"]["device_name"])
            graphs.append(counts["graphs"])
            self.assertGreater(counts["queued"], 10 if "STAND_IN_DEFER" in order else 0,
                               "launches that waited in a stream")
            texts.append(json.dumps({key: result.get(key) for key in COMPARED}, sort_keys=True))
        same = sum(text == texts[0] for text in texts)
        by_j = difference([cpu["objective"]], [result["objective"]])
        by_gradient = difference(gradient(cpu), gradient(result))
        print(f"{scene} {' '.join(wanted)}: {counts['launches']} launches of {counts['blocks']} blocks, {graphs[0]} "
              f"graphs, {same} of {len(ORDERS)} runs with equal bits; from the CPU J differs by {by_j:.1e}, its "
              f"gradient by {by_gradient:.1e} (bound {BOUND[PRECISION]:.0e})", flush=True)
        self.assertEqual(same, len(ORDERS), f"{scene}: bits depend on the order of blocks or lanes")
        if "solver.product=own" in wanted: # as many as there are iterations
            self.assertGreater(graphs[0], 1, scene)
        else:
            steps = sum(result["certificate"][f"{kind}_steps_run"] for kind in ("forward", "adjoint", "inverse"))
            least = steps - WITHOUT_GRAPH[scene] if scene in WITHOUT_GRAPH else 0
            self.assertTrue(least <= graphs[0] <= (steps if least else 0), f"{scene}: {graphs[0]} of {steps} steps")
        self.assertEqual(graphs[1:], [graphs[0], graphs[0], 0], "the same in every order, and none by PIOLA_GRAPH=0")
        self.assertLessEqual(max(by_j, by_gradient), BOUND[PRECISION], scene)
        return result

    def test_orders_give_equal_bits_and_the_cpu_the_same_numbers(self):
        for scene, wanted in SCENES[METHOD]:
            result = self.orders_and_cpu(scene, wanted, FOLDER)
            if wanted == ["solver.linear=pcg", "solver.product=cusparse"]:
                self.assertIn("cuSPARSE", json.dumps(result["solver"]))

    def test_the_benchmark_runs(self):
        words = {"fem": ["--cells", "8"], "mpm": ["--particles", "2000", "--steps", "2"]}[METHOD]
        done = subprocess.run([PIOLA, "bench", METHOD, "--device", "cuda", "--dimension", "2", "--precision", PRECISION,
                               "--json", *words], capture_output=True, text=True, check=False,
                              env={**os.environ, "PIOLA_ENGINES": str(FOLDER)})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["engine"]["device"], "cuda")

    @unittest.skipUnless("mpm" in sys.argv, "of particles")
    def test_what_a_step_of_a_gradient_gives_the_device_to_do(self):
        for graph in ("1", "0"):
            _, of_20 = self.grad("mpm_crawler_small", ["time.duration=5 ms"], "cuda", FOLDER, PIOLA_GRAPH=graph)
            _, of_40 = self.grad("mpm_crawler_small", ["time.duration=10 ms"], "cuda", FOLDER, PIOLA_GRAPH=graph)
            more = {name: (of_40[name] - of_20[name]) / 20 for name in OF_A_STEP}
            print(f"PIOLA_GRAPH={graph}: a further step and its adjoint are {more}", flush=True)
            self.assertEqual(more, {**OF_A_STEP, "graphs": OF_A_STEP["graphs"] * int(graph)})

    @unittest.skipUnless("fem" in sys.argv, "of meshes")
    def test_each_library_of_elimination(self):
        alone = pathlib.Path(self.temporary.name) / "without cuDSS"
        alone.mkdir()
        for file in FOLDER.glob("*.so"):
            if "cudss" not in file.name:
                (alone / file.name).symlink_to(file)
        for engines, library in ((FOLDER, "cuDSS"), (alone, "cuSOLVER")):
            result = self.orders_and_cpu("fem_cook_small", ["solver.linear=direct"], engines)
            self.assertIn(library, result["solver"]["linear"])

    def test_a_difference_is_found(self):
        """The negative control: of numbers, of bits."""
        scene, wanted = SCENES[METHOD][0]
        result, _ = self.grad(scene, wanted, "cuda", FOLDER)
        other, _ = self.grad(scene, [*wanted, "loads[0].value[1]=1.000001" if METHOD == "fem" else
                                     "gravity[1]=-9.8101"], "cuda", FOLDER)
        self.assertNotEqual(result["objective"], other["objective"])
        spoiled = [1.0001 * g for g in gradient(result)]
        self.assertGreater(difference(gradient(result), spoiled), BOUND[PRECISION])

    def test_it_is_no_gpu_and_not_installed(self):
        """No engine beside the command is one of the stand-in, and no rule of installation names it."""
        build = pathlib.Path(PIOLA).parent
        ours = FOLDER / f"piola_engine_cuda_{PRECISION}_2d.so"
        for module in [*build.glob("piola_*.so"), pathlib.Path(PIOLA), ours]:
            self.assertEqual(b"libcuda_stand_in" in module.read_bytes(), module == ours, module)
        for rules in build.rglob("cmake_install.cmake"):
            self.assertNotRegex(rules.read_text(), r'file\(INSTALL[^)]*stand_in', rules)


if __name__ == "__main__":
    PIOLA, PRECISION, METHOD = sys.argv[1], sys.argv[3], sys.argv[4]
    FOLDER = pathlib.Path(sys.argv[2]).resolve()
    unittest.main(argv=sys.argv[:1])
