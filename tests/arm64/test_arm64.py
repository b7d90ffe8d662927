#!/usr/bin/env python3
"""test_arm64.py PIOLA REFERENCE EMULATOR... -- the command for 64-bit ARM, run by the words EMULATOR, computes what
REFERENCE computes, the command for x86-64.

Gradients of small scenes, in f32 and f64: the objective, and every array of derivatives, of which each difference is
measured in the 2-norm and relative to that of x86-64. Two builds round differently, because a compiler orders and
contracts operations otherwise; what a scene makes of a rounding is measured on x86-64 alone: it is A eps(f32), the
largest relative difference between the results of f32 and of f64 there. The bound of a precision is MARGIN A eps of it.

MARGIN: each build has a rounding error of about A eps, and A is a sample of one; at most 1.7 A eps was seen. Reversible
integrators round their states to a lattice, too, whose quanta are the same in f64 as in f32, so that their error in f64
is no multiple of eps: there up to 1.7e-11 was seen, and the bound is LATTICE. The bounds themselves stay
below MOST, so that a scene which amplifies roundings beyond all use is no test; a derivative that lost a term, has one
flipped sign, or in f64 is wrong by a factor of 1.0001, is beyond that.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "system"))
import compare_bits
import numpy
import small_scenes

# Scenes, and what is set in them to take seconds under an emulator.
SCENES = [
    ("fem_cantilever_shape_small", []),
    ("fem_cook_small", []),
    ("fem_field_id_small", []),
    ("fem_swing_small", []),
    ("fem_long_swing_small", []),
    ("fem_long_swing_euler_small", []),
    ("mpm_throw_small", []),
    ("mpm_throw_bounce_small", []),
    ("mpm_crawler_small", []),
    ("mpm_two_materials_small", []),
    ("mpm_walker_feedback_small", []),
    ("mpm_jelly_small", ["time.duration=100 ms"]),
    ("mpm_pour_small", ["time.duration=50 ms"]),
    ("mpm_long_flow_small", ["time.duration=40 ms"]),
    ("mpm_long_bounce_small", []),
]
ON_A_LATTICE = {"fem_long_swing_small", "fem_long_swing_euler_small", "mpm_long_bounce_small"}
EPS = {"f32": 2.0**-23, "f64": 2.0**-52}
MARGIN, LATTICE, MOST = 8, 1e-10, {"f32": 2e-2, "f64": 1e-10}
# A scene of each method, and another load by so much that it is beyond the bound of that precision.
OTHER_LOADS = [("fem_cook_small", {"f32": "loads[0].value[1]=1.05", "f64": "loads[0].value[1]=1.0000001"}),
               ("mpm_throw_small", {"f32": "gravity[1]=-9.9", "f64": "gravity[1]=-9.8100001"})]


def difference(old, new):
    """|new - old| / |old| of two arrays."""
    old, new = numpy.asarray(old, float), numpy.asarray(new, float)
    return numpy.linalg.norm(new - old) / max(numpy.linalg.norm(old), 1e-300)


def largest_difference(old, new):
    """Of two dictionaries of arrays; infinite where one has what the other has not."""
    if old.keys() != new.keys():
        return numpy.inf
    return max(difference(old[key], new[key]) for key in old)


class Arm64(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)

    def grad(self, command, scene, precision, sets, *more):
        """{name: array} of the objective and of all derivatives, and what is compared as text."""
        folder = tempfile.mkdtemp(dir=self.temporary.name)
        words = [word for text in sets for word in ("--set", text)]
        done = subprocess.run([*command, "grad", *small_scenes.words(small_scenes.SMALL / f"{scene}.yaml"), "--device",
                               "cpu", "--precision", precision, "-q", "-o", folder, *words, *more],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, f"{scene}: {done.stderr}")
        result = json.loads((pathlib.Path(folder) / "result.json").read_text())
        found = {"objective": [result["objective"]]}
        for name, parameter in result["parameters"].items():
            if "gradient" in parameter:
                found[name] = parameter["gradient"]
        for (_, name), array in compare_bits.field_gradients(folder).items():
            if numpy.issubdtype(array.dtype, numpy.floating) and not name.endswith("/value"):
                found[name] = array
        return found, json.dumps({key: result.get(key) for key in compare_bits.COMPARED}, sort_keys=True)

    def arm(self, scene, precision, sets, threads=1):
        return self.grad(ARM, scene, precision, sets, "--threads", str(threads))

    def x86(self, scene, precision, sets):
        return self.grad([REFERENCE], scene, precision, sets, "--threads", "1", "--isa", "x86-64-v3")[0]

    def bounds(self, scene, reference):
        """{precision: bound} of a scene, from the results of x86-64 in each precision."""
        amplified = largest_difference(reference["f64"], reference["f32"]) / EPS["f32"]
        bounds = {precision: MARGIN * amplified * EPS[precision] for precision in EPS}
        if scene in ON_A_LATTICE:
            bounds["f64"] = LATTICE
        for precision, bound in bounds.items():
            self.assertLessEqual(bound, MOST[precision], f"{scene}: in {precision} this bound shows nothing")
        return bounds

    def test_gradients_are_those_of_x86(self):
        for scene, sets in SCENES:
            reference = {precision: self.x86(scene, precision, sets) for precision in EPS}
            bounds = self.bounds(scene, reference)
            for precision, old in reference.items():
                new, text = self.arm(scene, precision, sets)
                measured = largest_difference(old, new)
                again, other_text = self.arm(scene, precision, sets, 3)
                same = text == other_text and all(numpy.array_equal(new[key], again[key]) for key in new)
                print(f"{' '.join([scene, *sets])} {precision}: J differs by "
                      f"{difference(old['objective'], new['objective']):.1e}, {len(old) - 1} arrays of derivatives by "
                      f"at most {measured:.1e} (bound {bounds[precision]:.1e}); with 3 threads "
                      f"{'the same bits' if same else 'OTHER BITS'}", flush=True)
                self.assertGreater(len(old), 1)
                self.assertLessEqual(measured, bounds[precision], f"{scene} {precision}")
                self.assertTrue(same, f"{scene} {precision}: 3 threads give other bits than 1")

    def test_a_difference_is_found(self):
        """The negative control: another load, and damaged derivatives."""
        for scene, loads in OTHER_LOADS:
            sets = dict(SCENES)[scene]
            reference = {precision: self.x86(scene, precision, sets) for precision in EPS}
            bounds = self.bounds(scene, reference)
            for precision, old in reference.items():
                measured = largest_difference(old, self.arm(scene, precision, [*sets, loads[precision]])[0])
                print(f"{scene} {precision}, {loads[precision]}: {measured:.1e} (beyond {bounds[precision]:.1e})")
                self.assertGreater(measured, bounds[precision])
                for name, array in old.items():
                    if not numpy.any(array):
                        continue
                    flipped = numpy.array(array, float).ravel()
                    flipped[numpy.argmax(numpy.abs(flipped))] *= -1
                    lost = numpy.array(array, float).ravel()
                    lost[numpy.argmax(numpy.abs(lost))] = 0
                    for damaged in (flipped, lost):
                        self.assertGreater(difference(numpy.ravel(array), damaged), bounds[precision], name)
                    if precision == "f64":
                        self.assertGreater(difference(array, 1.0001 * numpy.asarray(array)), bounds[precision], name)
                self.assertEqual(largest_difference(old, {"objective": old["objective"]}), numpy.inf)

    def test_the_doctor_passes_with_its_four_engines(self):
        done = subprocess.run([*ARM, "doctor", "--json"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        doctor = json.loads(done.stdout)
        runs = sorted(e["name"] for e in doctor["engines"] if e["runs"])
        print("engines:", *runs)
        self.assertEqual(runs, [f"cpu_{p}_{d}d_aarch64" for p in EPS for d in (2, 3)])
        # of the first processor in proc/cpuinfo, which sysroot.sh writes
        self.assertEqual({e["device"] for e in doctor["engines"] if e["runs"]},
                         {"implementer 0x41, part 0xd0c, variant 0x3, revision 1"})
        self.assertEqual([s["name"] for s in doctor["instruction_sets"] if s["default"]], ["aarch64"])
        text = subprocess.run([*ARM, "doctor"], capture_output=True, text=True, check=False).stdout
        self.assertIn("4 of 4 engines that run pass the self-test", text)
        self.assertRegex(text, r"MUMPS \d")

    def test_it_is_a_program_for_arm64(self):
        """ELF's machine 183 is AArch64; the reference has another."""
        machines = [int.from_bytes(pathlib.Path(path).read_bytes()[18:20], "little") for path in (ARM[-1], REFERENCE)]
        print("machines of the programs:", machines)
        self.assertEqual(machines[0], 183)
        self.assertNotEqual(machines[1], 183)


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    ARM, REFERENCE = [*sys.argv[3:], sys.argv[1]], sys.argv[2]
    unittest.main(argv=sys.argv[:1], verbosity=2)
