#!/usr/bin/env python3
"""test_doctor.py PIOLA -- piola doctor lists optional modules, and says of one that is missing what brings it."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PIOLA = ""
MODULES = {"cairo": ("text_cairo", "libcairo2"), "libvpx": ("video_vpx", "libvpx7"),
           "Open MPI": ("mpi_openmpi", "libopenmpi3"), "MUMPS": ("direct_mumps", "libmumps-seq-5.5"),
           "ARPACK": ("eigen_arpack", "libarpack2")}


class Doctor(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.engines, self.built = pathlib.Path(temporary.name), pathlib.Path(PIOLA).parent
        engine = min(self.built.glob("piola_engine_cpu_f64_2d_*.so"))  # one is enough, and its self-test short
        (self.engines / engine.name).symlink_to(engine)

    def run_doctor(self, *more, **others):
        environment = {**os.environ, "PIOLA_ENGINES": str(self.engines), "OMP_WAIT_POLICY": "passive", **others}
        done = subprocess.run([PIOLA, "doctor", *more], capture_output=True, text=True, env=environment, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def modules(self, **others):
        return {m["library"]: m for m in json.loads(self.run_doctor("--json", **others))["modules"]}

    def link(self, library):
        """Whether the module is built here; then the folder has it."""
        name = f"piola_{MODULES[library][0]}.so"
        built = (self.built / name).exists()
        if built:
            (self.engines / name).symlink_to(self.built / name)
        return built

    def test_a_module_is_found_where_its_file_is_and_only_there(self):
        for library, module in self.modules().items():
            self.assertFalse(module["found"], library)
            self.assertIn(f"piola_{MODULES[library][0]}.so", module["why"])
        built = {library for library in MODULES if self.link(library)}
        self.assertIn("MUMPS", built)  # it is always built
        modules = self.modules()
        self.assertEqual(set(modules), set(MODULES))
        self.assertEqual({library for library in modules if modules[library]["found"]}, built)
        self.assertEqual({modules[library]["why"] for library in built}, {None})

    def test_what_is_missing_has_its_reason_and_the_package_that_brings_it(self):
        text = self.run_doctor().split("Optional modules")[1]
        for library, (name, package) in MODULES.items():
            line = next(line for line in text.splitlines() if f"piola_{name}.so" in line)
            self.assertIn(f"install it (Debian: {package}; to build Piola with it, lib", line, library)
        (self.engines / "piola_video_vpx.so").write_text("no library")
        self.assertIn("file too short", self.modules()["libvpx"]["why"])

    def test_a_module_of_another_table_is_not_found(self):
        if not self.link("Open MPI"):
            self.skipTest("not checked: Open MPI is not built")
        (self.engines / "piola_video_vpx.so").symlink_to(self.built / "piola_mpi_openmpi.so")
        modules = self.modules()
        self.assertTrue(modules["Open MPI"]["found"])
        self.assertFalse(modules["libvpx"]["found"])

    def test_without_a_font_there_is_no_text_and_the_font_is_named(self):
        if not self.link("cairo"):
            self.skipTest("not checked: cairo is not built")
        self.assertTrue(self.modules()["cairo"]["found"])
        cairo = self.modules(PIOLA_FONTS="/nowhere")["cairo"]
        self.assertEqual((cairo["found"], cairo["package"]), (False, "fonts-dejavu-core"))
        self.assertIn("/nowhere", cairo["why"])


if __name__ == "__main__":
    PIOLA = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
