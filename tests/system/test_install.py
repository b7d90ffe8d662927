#!/usr/bin/env python3
"""test_install.py CMAKE BUILD -- what is installed works wherever it is moved, and the Debian package holds it.

Installs into an empty prefix, moves that, and uses it from there alone: the command, a C program by pkg-config, a C++
program by find_package, manual pages, completion. A program needs pkg-config, cpack needs dpkg; where one is missing,
its test is skipped, with CI=true it fails.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CMAKE, BUILD = "", pathlib.Path()
ENVIRONMENT = {k: v for k, v in os.environ.items()
               if k not in ("PIOLA_ENGINES", "LD_LIBRARY_PATH", "PKG_CONFIG_PATH", "CMAKE_PREFIX_PATH")}
SCENE = """version: 1
name: flight
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: slip}}
time: {dt: 1 ms, duration: 50 ms}
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 0]}]
observe: [{name: place, type: mean_position, body: ball}]
design: [{name: speed, target: bodies.ball.velocity, bounds: [-3 m/s, 3]}]
objective: [{type: minimize, of: place.x}]
"""
# J is the mean x at T = 0.05 s, so dJ/dv_x is T, and dJ/dv_y is 0.
PROGRAM = r"""
#include <piola.h>
#include <piola_dlpack.h>
#include <math.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    piola_options options = piola_options_default();
    piola_error error = {};
    piola_problem *problem = NULL;
    double J = 0, gradient[2] = {0, 0};
    options.scene = argv[argc - 1];
    options.device = "cpu";
    if (piola_open(&problem, &options, &error) || piola_evaluate(problem, NULL, &J, gradient, 2, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    piola_close(problem);
    printf("dJ/dv = %.17g %.17g, exact 0.05 0\n", gradient[0], gradient[1]);
    return !(fabs(gradient[0] - 0.05) <= 1e-13 && fabs(gradient[1]) <= 1e-13);
}
"""
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(uses_piola LANGUAGES CXX)
find_package(piola 0.1 REQUIRED)
add_executable(uses_piola main.cpp)
target_link_libraries(uses_piola PRIVATE piola::piola)
"""


def run(*command, code=0, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300,
                          env={**ENVIRONMENT, **more})
    if done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
    return done.stdout if code == 0 else done.stderr


def need(program):
    found = shutil.which(program)
    if not found:
        if os.environ.get("CI") == "true":
            raise AssertionError(f"there is no {program}")
        raise unittest.SkipTest(f"there is no {program}")
    return found


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.temporary.name)
        run(CMAKE, "--install", BUILD, "--prefix", folder / "first")
        cls.prefix = folder / "elsewhere" / "piola"
        cls.prefix.parent.mkdir()
        (folder / "first").rename(cls.prefix)
        cls.lib = next(cls.prefix.rglob("libpiola.so")).parent
        cls.work = folder / "work"
        cls.work.mkdir()
        (cls.work / "scene.yaml").write_text(SCENE)
        (cls.work / "main.c").write_text(PROGRAM)
        (cls.work / "main.cpp").write_text(PROGRAM)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_the_command_finds_its_engines(self):
        out = self.work / "out"
        run(self.prefix / "bin/piola", "grad", self.work / "scene.yaml", "--device", "cpu", "-q", "-o", out)
        self.assertEqual(json.loads((out / "result.json").read_text())["exit"], 0)
        engines = json.loads(run(self.prefix / "bin/piola", "doctor", "--json"))["engines"]
        self.assertEqual(sum(e["runs"] for e in engines if e["name"].startswith("cpu_f64_3d")) > 0, True)
        self.assertNotIn("..", " ".join(e["reason"] or "" for e in engines))

    def test_without_engines_the_command_says_where_it_looked(self):
        lonely = self.work / "bin" / "piola"
        lonely.parent.mkdir()
        shutil.copy(self.prefix / "bin/piola", lonely)
        said = run(lonely, "run", self.work / "scene.yaml", "--device", "cpu", "-o", self.work / "none", code=69)
        self.assertRegex(said, r"no CPU engine runs: .*there is no \S*/piola_engine_cpu_f64_2d_\S+[.]so")

    def test_a_c_program_is_built_by_pkg_config(self):
        tool = need("pkg-config")
        path = {"PKG_CONFIG_PATH": str(self.lib / "pkgconfig")}
        flags = run(tool, "--cflags", "--libs", "piola", **path).split()
        self.assertEqual(run(tool, "--modversion", "piola", **path).strip(),
                         run(self.prefix / "bin/piola", "--version").split()[1])
        program = self.work / "by_pkg_config"
        run("cc", "-std=gnu11", self.work / "main.c", "-o", program, *flags, "-lm", f"-Wl,-rpath,{self.lib}")
        print(run(program, self.work / "scene.yaml"), end="")

    def test_a_program_of_the_static_library_learns_where_engines_are(self):
        tool = need("pkg-config")
        flags = run(tool, "--cflags", "--libs", "--static", "piola",
                    PKG_CONFIG_PATH=str(self.lib / "pkgconfig")).split()
        program = self.work / "static"
        flags = [str(self.lib / "libpiola.a") if flag == "-lpiola" else flag for flag in flags]
        run("cc", "-std=gnu11", self.work / "main.c", "-o", program, *flags)
        self.assertNotIn("libpiola.so", run("ldd", program))
        print(run(program, self.work / "scene.yaml", PIOLA_ENGINES=str(self.lib / "piola")), end="")

    def test_a_cpp_program_is_built_by_find_package(self):
        project = self.work / "project"
        project.mkdir()
        shutil.copy(self.work / "main.cpp", project)
        (project / "CMakeLists.txt").write_text(PROJECT)
        run(CMAKE, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run(CMAKE, "--build", project / "build")
        print(run(project / "build/uses_piola", self.work / "scene.yaml"), end="")

    def test_the_shared_library_exports_the_interface_alone(self):
        symbols = [line.split()[-1].split("@")[0]
                   for line in run("nm", "-D", "--defined-only", self.lib / "libpiola.so").splitlines()]
        self.assertGreater(len(symbols), 30)
        self.assertEqual([s for s in symbols if not s.startswith("piola_")], [])
        self.assertIn("libpiola.so.0.1", run("readelf", "-d", self.lib / "libpiola.so"))
        self.assertNotIn("RUNPATH", run("readelf", "-d", self.prefix / "bin/piola"))

    def test_pages_completion_scenes_and_schema_are_there(self):
        commands = [c for c in ("run", "grad", "check", "optimize", "sweep", "params", "validate", "schema", "info",
                                "render", "film", "export", "doctor", "bench")]
        for page in ("piola", *(f"piola-{c}" for c in commands)):
            text = (self.prefix / f"share/man/man1/{page}.1").read_text()
            self.assertIn(".SH EXIT STATUS", text)
        completion = self.prefix / "share/bash-completion/completions/piola"
        script = f'. "{completion}"; COMP_WORDS=(piola render --f); COMP_CWORD=2; _piola; echo "${{COMPREPLY[@]}}"'
        self.assertIn("--field", run("bash", "-c", script).split())
        script = f'. "{completion}"; COMP_WORDS=(piola run --device c); COMP_CWORD=3; _piola; echo "${{COMPREPLY[@]}}"'
        self.assertEqual(run("bash", "-c", script).split(), ["cuda", "cpu"])
        self.assertIn("#compdef piola", (self.prefix / "share/zsh/site-functions/_piola").read_text())
        json.loads((self.prefix / "share/piola/piola.schema.json").read_text())
        for name, key in (("result", "certificate"), ("reports", "doctor")):
            schema = json.loads((self.prefix / f"share/piola/{name}.schema.json").read_text())
            self.assertIn(key, schema["$defs"])
        installed = sorted((self.prefix / "share/piola/scenes").rglob("*.*"))
        self.assertEqual([p.name for p in installed if "small" in p.name], [])  # those are of tests
        for scene in (p for p in installed if p.suffix == ".yaml"):
            run(self.prefix / "bin/piola", "validate", scene)
        self.assertGreater(len(installed), 20)

    def test_the_debian_package_holds_the_same(self):
        need("dpkg-deb")
        folder = self.work / "package"
        folder.mkdir()
        run(pathlib.Path(CMAKE).with_name("cpack"), "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", folder)
        package, = folder.glob("*.deb")
        self.assertIn("libhdf5", run("dpkg-deb", "--field", package, "Depends"))
        run("dpkg-deb", "-x", package, folder / "root")

        def names(top):
            return sorted(p.relative_to(top).as_posix() for p in top.rglob("*") if not p.is_dir())

        self.assertEqual(names(folder / "root/usr"), names(self.prefix))
        run(folder / "root/usr/bin/piola", "run", self.work / "scene.yaml", "--device", "cpu", "-q",
            "-o", self.work / "deb")


if __name__ == "__main__":
    CMAKE, BUILD = sys.argv[1], pathlib.Path(sys.argv[2])
    unittest.main(argv=sys.argv[:1], verbosity=2)
