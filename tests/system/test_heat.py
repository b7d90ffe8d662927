#!/usr/bin/env python3
"""test_heat.py PIOLA -- bodies with thermal strain: free expansion, clamped bodies, a bimetal strip and a thick tube
compared with closed forms, slices with bodies in space, and Taylor tests of their gradients."""
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PIOLA = ""
DEADLINE = 300  # s, for one command
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
SCENES = DATA.parent.parent / "scenes"
E, NU = 2.0e6, 0.35
LAWS = {"linear": "E: 2 MPa, nu: 0.35", "st_venant_kirchhoff": "E: 2 MPa, nu: 0.35",
        "fixed_corotated": "E: 2 MPa, nu: 0.35", "neo_hookean": "E: 2 MPa, nu: 0.35",
        "neo_hookean_iso": "E: 2 MPa, nu: 0.35", "stable_neo_hookean": "E: 2 MPa, nu: 0.35",
        "hencky": "E: 2 MPa, nu: 0.35", "mooney_rivlin": "c10: 0.3 MPa, c01: 0.07 MPa, bulk: 2.2 MPa",
        "ogden": "mu1: 0.5 MPa, alpha1: 2.2, mu2: -0.1 MPa, alpha2: -2, bulk: 2.2 MPa"}
BLOCK = """version: 1
name: block
method: {type: fem, dimension: %(dimension)d%(plane)s}
materials: [{name: m, model: %(law)s, %(constants)s, expansion: 1e-3 1/K}]
geometry: [{name: g, type: box, element: %(element)s, elements: %(count)s, min: %(min)s, max: %(max)s}]
bodies: [{name: one, geometry: g, material: m, temperature: %(temperature)s%(more)s}]
boundary:
%(boundary)s
observe:
  - {name: tip, type: displacement, body: one, point: %(max)s}
  - {name: stress, type: cauchy_stress, body: one, point: %(middle)s}
  - {name: strain, type: green_strain, body: one, point: %(middle)s}
  - {name: J, type: J, body: one, point: %(middle)s}
  - {name: peak, type: von_mises, body: one, measure: maximum}
  - {name: energy, type: strain_energy, body: one}
"""
SPACE = {"dimension": 3, "plane": "", "element": "hex8", "count": "[2, 2, 1]", "min": "[0, 0, 0]",
         "max": "[0.3, 0.1, 0.2]", "middle": "[0.1, 0.06, 0.05]", "temperature": "100 K", "more": ""}
PLANE = dict(SPACE, dimension=2, element="quad4", count="[3, 2]", min="[0.1, 0]", max="[0.3, 0.1]",
             middle="[0.15, 0.06]")
SIDES = {"x": ("left", "right"), "y": ("bottom", "top"), "z": ("front", "back")}


def supports(free, clamped=""):
    """One side of each axis stays in its plane, of the clamped ones both."""
    lines = [(side, axis) for axis in free + clamped for side in SIDES[axis][:1 + (axis in clamped)]]
    return "\n".join("  - {name: s%d, body: one, on: {group: %s}, type: fixed, axes: [%s]}" % (i, side, axis)
                     for i, (side, axis) in enumerate(lines))


class Heat(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def piola(self, name, scene, *more):
        done = subprocess.run([PIOLA, name, str(scene), "--device", "cpu", "--threads", "1", "-q", "-o",
                               str(self.root / "out"), *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              stdin=subprocess.DEVNULL, text=True, timeout=DEADLINE)
        self.assertEqual(done.returncode, 0, done.stdout)
        return json.loads((self.root / "out" / "result.json").read_text(encoding="utf-8"))

    def observed(self, text, *more):
        """The first samples of all observations."""
        scene = self.root / "scene.yaml"
        scene.write_text(text)
        result = self.piola("run", scene, *more)
        values = {name: one["value"][-1] for name, one in result["observations"].items()}
        return {name: x if isinstance(x, list) else [x] for name, x in values.items()}

    def near(self, what, measured, exact, limit, scale=None):
        measured, exact = ([x] if isinstance(x, float) else list(x) for x in (measured, exact))
        self.assertEqual(len(measured), len(exact))
        error = max(abs(m - x) for m, x in zip(measured, exact)) / (scale or max(abs(x) for x in exact))
        print(f"  {what}: {error:.3g} (limit {limit:.3g})")
        self.assertLessEqual(error, limit, what)

    def test_free_expansion_has_no_stress(self):
        e = 0.1
        for law, constants in LAWS.items():
            linear = law == "linear"
            green, J = e if linear else ((1 + e) ** 2 - 1) / 2, 1 + 3 * e if linear else (1 + e) ** 3
            bodies = [("in space", dict(SPACE, boundary=supports("xyz")), 6),
                      ("projected", dict(SPACE, boundary=supports("xyz"), more=", dilatation: projected"), 6),
                      ("sheet", dict(PLANE, plane=", plane: stress", boundary=supports("xy")), 4),
                      ("ring", dict(PLANE, plane=", plane: axisymmetric", boundary=supports("y")), 4)]
            for name, scene, numbers in bodies:
                o = self.observed(BLOCK % dict(scene, law=law, constants=constants))
                tip = [e * x for x in ((0.3, 0.1, 0.2) if numbers == 6 else (0.2, 0.1))]
                if name == "ring":
                    tip[0] = e * 0.3
                self.near(f"{law}, {name}: place", o["tip"], tip, 1e-9)
                self.near(f"{law}, {name}: stress", o["stress"] + o["peak"], [0.0] * (numbers + 1), 1e-8, E * e)
                self.near(f"{law}, {name}: strain", o["strain"], [green] * 3 + [0] * (numbers - 3), 1e-9)
                self.near(f"{law}, {name}: volume", o["J"], J, 1e-9)
                self.near(f"{law}, {name}: energy", o["energy"], 0.0, 1e-8, E * e * e * 0.006)

    def test_clamped_bodies_have_the_stress_of_the_elastic_part(self):
        e, lame, mu = 0.1, E * NU / (1 + NU) / (1 - 2 * NU), E / 2 / (1 + NU)
        all_ways = dict(SPACE, boundary=supports("", "xyz"))
        pressure = {"linear": -E * e / (1 - 2 * NU), "hencky": -(3 * lame + 2 * mu) * math.log(1 + e) * (1 + e) ** 3,
                    "neo_hookean": (mu * ((1 + e) ** -2 - 1) - 3 * lame * math.log(1 + e)) * (1 + e) ** 3}
        for law, exact in pressure.items():
            for more in ("", ", dilatation: projected"):
                o = self.observed(BLOCK % dict(all_ways, law=law, constants=LAWS[law], more=more))
                self.near(f"{law}{more}, clamped in all directions", o["stress"], [exact] * 3 + [0.0] * 3, 1e-12)
            slices = dict(PLANE, boundary=supports("", "xy"))
            o = self.observed(BLOCK % dict(slices, law=law, constants=LAWS[law]))
            self.near(f"{law}, clamped slice", o["stress"], [exact] * 3 + [0.0], 1e-12)
        o = self.observed(BLOCK % dict(SPACE, boundary=supports("yz", "x"), law="linear", constants=LAWS["linear"]))
        self.near("bar between walls", o["stress"], [-E * e] + [0.0] * 5, 1e-10)
        o = self.observed(BLOCK % dict(PLANE, boundary=supports("xy"), law="linear", constants=LAWS["linear"]))
        self.near("free slice: zz", o["stress"], [0.0, 0.0, -E * e, 0.0], 1e-10)
        self.near("free slice: place", o["tip"], [(1 + NU) * e * 0.2, (1 + NU) * e * 0.1], 1e-10)
        sheet = dict(PLANE, plane=", plane: stress", boundary=supports("", "xy"))
        o = self.observed(BLOCK % dict(sheet, law="linear", constants=LAWS["linear"]))
        self.near("clamped sheet", o["stress"], [-E * e / (1 - NU)] * 2 + [0.0] * 2, 1e-12)
        self.near("clamped sheet: strain", o["strain"], [0.0, 0.0, e * (1 + NU) / (1 - NU), 0.0], 1e-12)

    def test_slices_are_those_of_bodies_in_space(self):
        """A slice in plane strain is a body in space between two walls, of which the temperature varies."""
        for law, constants in LAWS.items():
            for more in ("", ", dilatation: projected"):
                parts = dict(law=law, constants=constants, temperature="100 K*(1 + x/0.3 m - 3*y/0.3 m)", more=more)
                two = self.observed(BLOCK % dict(PLANE, boundary=supports("", "x") + "\n" + "  - {name: b, body: one, "
                                                 "on: {group: bottom}, type: fixed, axes: [y]}", **parts))
                three = self.observed(BLOCK % dict(
                    SPACE, boundary=supports("y", "xz"), count="[3, 2, 1]", min="[0.1, 0, 0]", max="[0.3, 0.1, 0.05]",
                    middle="[0.15, 0.06, 0.02]", **parts))
                if more:  # in the plane the third direction stays as it is: another projection
                    self.assertGreater(abs(two["tip"][1] - three["tip"][1]), 0)
                    self.near(f"{law}, projected", two["tip"], three["tip"][:2], 0.01)
                    continue
                self.near(f"{law}: place", two["tip"], three["tip"][:2], 1e-9)
                self.near(f"{law}: stress", two["stress"], three["stress"][:4], 1e-8)
                self.near(f"{law}: energy", two["energy"], three["energy"][0] / 0.05, 1e-9)

    def test_small_heat_is_in_proportion(self):
        scene = BLOCK % dict(SPACE, boundary=supports("yz", "x"), law="linear", constants=LAWS["linear"],
                             temperature="scale*(1 + x/(0.3 m))")
        at = [self.observed("constants: {scale: %r K}\n" % T + scene) for T in (1e-9, 100.0)]
        self.near("1 nK and 100 K: place", [x * 1e11 for x in at[0]["tip"]], at[1]["tip"], 1e-10)
        self.near("1 nK and 100 K: stress", [x * 1e11 for x in at[0]["stress"]], at[1]["stress"], 1e-10)

    def test_a_bimetal_strip_bends_as_timoshenko_says(self):
        """Timoshenko 1925; the ends, and the width of plane stress, are beyond his theory, by about h/L."""
        result = self.piola("optimize", SCENES / "fem_bimetal.yaml")
        n, h, L = 103 / 141, 2e-3, 0.1
        exact, of_one = (4e-3 / (24 * alpha / (h * (14 + n + 1 / n)) * L * L / 2) for alpha in (17.8e-6, 19e-6))
        found = result["parameters"]["bodies.one.temperature"]["value"]
        self.near("temperature at which the tip is 4 mm down", found, exact, 0.01)
        self.assertGreater(abs(found / of_one - 1), 0.03)  # with an expansion of one layer alone

    def test_a_bar_that_is_heated_at_once_rings(self):
        """From the free end of a bar a wave takes the stress -E e away with the velocity c, while the end moves at
        e c; from the fixed end it comes back after 2 L/c (Timoshenko and Goodier 1970, section 170)."""
        scene = """version: 1
name: bar
method: {type: fem, dimension: 2, plane: stress}
time: {integrator: %(integrator)s, duration: 1.5 s, dt: %(dt)s}
materials: [{name: m, model: linear, E: 1 MPa, nu: 0, density: 1e6, expansion: 1e-5 1/K}]
geometry: [{name: g, type: box, element: quad4, elements: [100, 1], min: [0, 0], max: [1, 0.01]}]
bodies: [{name: one, geometry: g, material: m, temperature: 100 K}]
boundary:
  - {name: root, body: one, on: {group: left}, type: fixed, axes: [x]}
  - {name: floor, body: one, on: {group: bottom}, type: fixed, axes: [y]}
  - {name: lid, body: one, on: {group: top}, type: displacement, axes: [y], value: 10 um, curve: now}
curves: [{name: now, time: [0, 1], value: [1, 1]}]
observe: [{name: tip, type: displacement, body: one, on: {group: right}, at: [0.5, 1, 1.5]}]
"""
        for integrator, dt in (("newmark", "5 ms"), ("leapfrog", "2 ms")):
            (self.root / "bar.yaml").write_text(scene % {"integrator": integrator, "dt": dt})
            tip = self.piola("run", self.root / "bar.yaml")["observations"]["tip"]["value"]
            self.near(f"{integrator}: the end at 0.5, 1 and 1.5 L/c", [x[0] for x in tip], [5e-4, 1e-3, 1.5e-3], 0.01)

    def test_a_hot_tube_has_the_stresses_of_elasticity(self):
        """A thick tube, hot inside, T(r) = T0 ln(b/r)/ln(b/a), that cannot become longer (Timoshenko and Goodier 1970,
        section 151). The temperature of an element is that in its middle."""
        a, b, T0, young, nu, alpha = 0.05, 0.1, 200.0, 200e9, 0.3, 1.1e-5
        scene = """version: 1
name: tube
method: {type: fem, dimension: 2, plane: axisymmetric}
materials: [{name: m, model: linear, E: 200 GPa, nu: 0.3, expansion: 11e-6 1/K}]
geometry: [{name: g, type: box, element: quad8, elements: [%(n)d, 1], min: [0.05, 0], max: [0.1, 0.01]}]
bodies: [{name: one, geometry: g, material: m, temperature: 200 K*log(0.1 m/x)/log(2)}]
boundary:
  - {name: floor, body: one, on: {group: bottom}, type: fixed, axes: [y]}
  - {name: lid, body: one, on: {group: top}, type: fixed, axes: [y]}
observe:
  - {name: s, type: cauchy_stress, body: one, point: [%(r).17g, 5 mm]}
  - {name: u, type: displacement, body: one, point: [0.1, 0]}
"""
        def moment(r):  # integral of T r from a to r
            part = [x * x / 2 * (math.log(b / x) + 0.5) for x in (a, r)]
            return T0 / math.log(b / a) * (part[1] - part[0])
        errors = []
        for n in (9, 27):
            r = a + (b - a) / n * (n // 2 + 0.5)
            T = T0 * math.log(b / r) / math.log(b / a)
            f = alpha * young / (1 - nu) / r**2
            radial = f * ((r * r - a * a) / (b * b - a * a) * moment(b) - moment(r))
            hoop = f * ((r * r + a * a) / (b * b - a * a) * moment(b) + moment(r) - T * r * r)
            axial = nu * (radial + hoop) - young * alpha * T
            outside = (1 + nu) * alpha * 2 * b / (b * b - a * a) * moment(b)
            o = self.observed(scene % {"n": n, "r": r})
            exact = [radial, axial, hoop, 0.0]
            errors.append(max(abs(x - y) for x, y in zip(o["s"], exact)) / abs(hoop))
            self.near(f"{n} elements: rr, zz along the axis, hoop", o["s"], exact, 0.02 * 100 / n**2, abs(axial))
            self.near(f"{n} elements: outer radius", o["u"][0], outside, 0.1 / n**2)
        print(f"  errors {errors[0]:.3g} and {errors[1]:.3g}: ratio {errors[0] / errors[1]:.3g} (9 in theory)")
        self.assertGreater(errors[0] / errors[1], 8)

    def test_heat_that_leaves_nothing_is_rejected(self):
        """What expressions and meshes make of temperatures is known once there are elements."""
        cold = "at (0.075, 0.025, 0.1) %s K times the expansion is a free strain of %s; one above -1 is needed"
        rejected = {"-1 K*1e3": cold % (-1000, -1), "2e4 K*(y/(0.1 m) - 0.5)": cold % (-5000, -5),
                    "1 K/(x/(1 m) - 0.075)": "at (0.075, 0.025, 0.1) it is inf K; it must be finite"}
        for temperature, words in rejected.items():
            scene = self.root / "scene.yaml"
            scene.write_text(BLOCK % dict(SPACE, boundary=supports("xyz"), law="linear", constants=LAWS["linear"],
                                          temperature=temperature))
            done = subprocess.run([PIOLA, "run", str(scene), "-q", "-o", str(self.root / "out")],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
                                  timeout=DEADLINE)
            self.assertEqual(done.returncode, 65, done.stdout)
            self.assertIn(f"scene.yaml:6:61: error: bodies[0].temperature: {words}", done.stdout)

    def test_gradients_pass_the_taylor_test(self):
        for scene in (DATA / "good_scenes" / "heated_2d.yaml", DATA / "good_scenes" / "heated_motion.yaml",
                      DATA / "good_scenes" / "heated_rings.yaml"):
            done = subprocess.run([PIOLA, "check", str(scene), "--device", "cpu", "--threads", "1", "-o",
                                   str(self.root / "check")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, text=True, timeout=DEADLINE)
            print(f"  check {scene.name}: exit {done.returncode} (threshold 0)")
            self.assertEqual(done.returncode, 0, done.stdout)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    PIOLA = os.path.abspath(sys.argv[1])
    names = sys.argv[2:]
    load = unittest.defaultTestLoader
    suite = load.loadTestsFromNames(names, Heat) if names else load.loadTestsFromTestCase(Heat)
    sys.exit(0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1)
