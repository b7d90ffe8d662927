#!/usr/bin/env python3
"""test_wheel.py CMAKE BUILD [--package FOLDER] [--long] -- the wheel of a build works where nothing else of it is.

tools/python/build_wheel.py makes the wheel, and auditwheel names it. pip installs it, without network, into a virtual
environment that has NumPy alone; there the command and the Python package compute gradients, with no compiler on PATH.
Every library that a file of the wheel loads must be in the wheel, glibc and those of gcc excepted; a wheel that lacks
one is the negative control. qemu-user is a processor without AVX2, where an error is to be reported.

With --long, `auditwheel show` judges the wheel once more, and piola-cuda13 is made of CUDA engines, if the build has
any; otherwise of libraries that this test compiles. No GPU is needed: it is not tried on one.
"""
import argparse
import email
import importlib.util
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path += [str(ROOT / "tools/python"), str(ROOT / "tests/rules")]
import house
import wheel_bundle

GIVEN = argparse.Namespace()
BUILDER = ROOT / "tools/python/build_wheel.py"
# J is the mean x at T = 0.05 s, so dJ/dv_x is T, and dJ/dv_y is 0.
PARTICLES = """version: 1
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
# J is the work of a load on a linear body, in which displacements are proportional to 1/E, so dJ/dE = -J/E.
MESH = """version: 1
name: bar
method: {type: fem, dimension: 2, plane: stress}
materials: [{name: steel, model: linear, E: 200 GPa, nu: 0}]
geometry: [{name: box, type: box, element: quad4, elements: [4, 2], min: [0, 0], max: [2, 1]}]
bodies: [{name: bar, geometry: box, material: steel, thickness: 1 mm}]
boundary: [{name: wall, body: bar, on: {group: left}, type: fixed}]
loads: [{name: pull, body: bar, on: {group: right}, type: traction, value: [1 MPa, 0]}]
solver: {linear: direct}
observe: [{name: work, type: compliance}]
design: [{name: modulus, target: materials.steel.E}]
objective: [{type: minimize, of: work}]
"""
# Prints J and its gradient, and the libraries that are loaded after that.
PROGRAM = """import json, sys
import piola
problem = piola.Problem(sys.argv[1], device="cpu")
J, g = problem.evaluate([1.0, 0.0])
files = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
print(json.dumps({"module": piola.__file__, "J": float(J), "g": [float(x) for x in g], "files": sorted(files)}))
"""
# The same exception for every processor that is too old: its status is that of the command.
OLD = """import sys
import piola
try:
    piola.Problem(sys.argv[1], device="cpu")
except piola.Error as error:
    print(error)
    sys.exit(int(error.status))
"""


def clean(**more):
    """An environment without search paths."""
    environment = {k: v for k, v in os.environ.items()
                   if not k.startswith(("PIOLA_", "PYTHON", "LD_", "PIP_")) and k != "VIRTUAL_ENV"}
    return {**environment, "OMP_WAIT_POLICY": "passive", **more}


def run(*command, code=0, environment=None):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300,
                          env=environment or clean(), check=False)
    if done.returncode != code:
        raise AssertionError(f"{command} ended with {done.returncode}, not {code}\n{done.stdout}\n{done.stderr}")
    return done.stdout if code == 0 else done.stdout + done.stderr


def need(program):
    found = shutil.which(program)
    if not found:
        if os.environ.get("CI") == "true":
            raise AssertionError(f"there is no {program}; tools/check.sh installs it")
        raise unittest.SkipTest(f"not checked: there is no {program}; tools/check.sh installs it")
    return found


def builder(prefix, out, *more, code=0):
    return run(sys.executable, BUILDER, GIVEN.build, "--prefix", prefix, "--package", GIVEN.package, "-o", out,
               "--level", 1, *more, code=code)


def programs(site):
    """The programs and libraries of the wheel, in a folder of installed packages."""
    return [path for top in ("piola", "piola.libs") for path in sorted((site / top).rglob("*"))
            if path.is_file() and wheel_bundle.is_elf(path)]


def strangers(site):
    """Sentences on libraries that come from elsewhere than the wheel, and on search paths that lead out of it."""
    found = []
    for file in programs(site):
        name = file.relative_to(site).as_posix()
        paths = re.findall(r"\(R(?:UN)?PATH\).*\[(.*)\]", run("readelf", "-d", file))
        for path in ":".join(paths).split(":"):
            target = pathlib.Path(os.path.normpath(path.replace("$ORIGIN", str(file.parent))))
            if path and not (path.startswith("$ORIGIN") and target.is_relative_to(site)):
                found.append(f"{name} searches {path}")
        for library, place in re.findall(r"^\s+(\S+) => (/\S+|not found)", run("ldd", file), re.M):
            inside = pathlib.Path(place).is_relative_to(site)
            if not (inside or wheel_bundle.SYSTEM.match(library)):
                found.append(f"{name} loads {library} from {place}")
    return found


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="piola-wheel-")
        cls.addClassCleanup(temporary.cleanup)
        cls.work = pathlib.Path(temporary.name).resolve()
        cls.prefix = cls.work / "prefix"
        run(GIVEN.cmake, "--install", GIVEN.build, "--prefix", cls.prefix, "--strip")
        cls.modules = next(cls.prefix.rglob("libpiola.so")).parent / "piola"
        cls.cuda = cls.work / "cuda/lib/piola"
        cls.cuda.mkdir(parents=True)
        for module in cls.modules.glob("piola_*_cu[ds]*.so"):
            module.rename(cls.cuda / module.name)
        print(builder(cls.prefix, cls.work / "wheels"), end="")
        cls.wheel, = (cls.work / "wheels").glob("*.whl")
        cls.environment = cls.work / "environment"
        run(sys.executable, "-m", "venv", "--without-pip", cls.environment)
        cls.site, = cls.environment.glob("lib/python3.*/site-packages")
        numpy = pathlib.Path(importlib.util.find_spec("numpy").origin).parent.parent
        for path in (*numpy.glob("numpy"), *numpy.glob("numpy.libs"), *numpy.glob("numpy-*.dist-info")):
            (cls.site / path.name).symlink_to(path)
        run(sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", cls.environment / "bin/python",
            "install", "--no-index", "--find-links", cls.work / "wheels", "--no-compile", "piola")
        cls.info, = cls.site.glob("piola-*.dist-info")
        shutil.move(cls.prefix, cls.work / "gone")  # nothing may look there
        (cls.work / "particles.yaml").write_text(PARTICLES)
        (cls.work / "mesh.yaml").write_text(MESH)

    def piola(self, *words, code=0):
        """The command in an environment whose PATH has no compiler."""
        return run(self.environment / "bin/piola", *words, code=code,
                   environment=clean(PATH=str(self.environment / "bin")))

    def python(self, program, *words, before=(), code=0):
        file = self.work / f"{self.id()}.py"
        file.write_text(program)
        return run(*before, self.environment / "bin/python", file, *words, code=code,
                   environment=clean(PATH=str(self.environment / "bin")))

    def slopes(self, name):
        """(J, the gradient) as the command has it."""
        self.piola("grad", self.work / f"{name}.yaml", "--device", "cpu", "-q", "-o", self.work / name)
        result = json.loads((self.work / name / "result.json").read_text())
        slopes = [parameter["gradient"] for parameter in result["parameters"].values()]
        return result["objective"], [x for s in slopes for x in (s if isinstance(s, list) else [s])]

    def test_the_tag_is_that_of_the_glibc_that_is_needed(self):
        match = re.match(r"piola-[\d.]+-py3-none-manylinux_2_(\d+)_x86_64[.]whl$", self.wheel.name)
        self.assertTrue(match, self.wheel.name)
        newest = 2, wheel_bundle.newest_glibc(programs(self.site))
        machine = tuple(map(int, platform.libc_ver()[1].split(".")))
        print(f"symbols of glibc up to {newest}, tag (2, {match[1]}), this machine {machine}")
        self.assertLessEqual(newest, (2, int(match[1])))
        self.assertLessEqual((2, int(match[1])), machine)
        self.assertIn(f"Tag: py3-none-manylinux_2_{match[1]}_x86_64", (self.info / "WHEEL").read_text())
        if GIVEN.long:
            path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
            said = run(wheel_bundle.program("auditwheel"), "show", self.wheel, environment=clean(PATH=path))
            self.assertIn(f'platform tag: "manylinux_2_{match[1]}_x86_64"', " ".join(said.split()))

    def test_every_library_is_in_the_wheel(self):
        files = programs(self.site)
        print(f"{len(files)} programs and libraries; the wheel has {self.wheel.stat().st_size / 2**20:.1f} MiB")
        self.assertGreater(len(files), 20)
        self.assertEqual(strangers(self.site), [])

    def test_control_a_library_left_out_and_a_path_elsewhere_are_found(self):
        copy = self.work / "copy"
        shutil.copytree(self.site / "piola", copy / "piola")
        shutil.copytree(self.site / "piola.libs", copy / "piola.libs")
        left_out, = copy.glob("piola.libs/libyaml-*")
        left_out.unlink()
        found = strangers(copy)
        self.assertIn(f"piola/bin/piola loads {left_out.name} from not found", found)
        run(wheel_bundle.program("patchelf"), "--set-rpath", GIVEN.build, copy / "piola/bin/piola")
        self.assertIn(f"piola/bin/piola searches {GIVEN.build}", strangers(copy))

    def test_licences_of_all_that_is_bundled_are_there(self):
        folder = self.info / "licenses"
        rows = [row.split("\t") for row in (folder / "bundled.txt").read_text().splitlines()[1:]]
        bundled = [*(self.site / "piola.libs").iterdir(), *(self.site / "piola/lib/piola/fonts").glob("*")]
        self.assertEqual(sorted(row[0] for row in rows), sorted(path.name for path in bundled))
        for library, package, version in rows:
            self.assertTrue(version, library)
            self.assertGreater(len((folder / f"{package}.txt").read_text()), 200, package)
        self.assertIn("Apache License", (folder / "LICENSE").read_text())
        self.assertTrue((folder / "common-licenses/GPL-3").exists())  # those of gcc's libraries refer to it
        listed = email.message_from_string((self.info / "METADATA").read_text()).get_all("License-File")
        self.assertEqual(sorted(listed), sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*")
                                                if p.is_file()))

    def test_numpy_alone_is_required_and_the_rest_are_extras(self):
        listing = "import importlib.metadata, json; print(json.dumps(importlib.metadata.requires('piola')))"
        required = json.loads(self.python(listing))
        self.assertEqual([r for r in required if "extra" not in r], ["numpy>=1.24"])
        extras = {re.search("extra == '(.*)'", r)[1] for r in required if "extra" in r}
        given = email.message_from_string((self.info / "METADATA").read_text()).get_all("Provides-Extra")
        self.assertEqual(sorted(given), sorted(extras))
        self.assertLessEqual({"scipy", "torch", "jax"}, extras)
        self.assertTrue(all((self.site / f"piola/{name}.py").exists() for name in extras), extras)

    def test_control_a_licence_that_is_missing_is_an_error(self):
        library = next(pathlib.Path("/usr/lib").rglob("libyaml-0.so.2")).resolve()
        copies = {"libyaml-0-0.so.2": library}
        self.assertIn("libyaml-0-2.txt", wheel_bundle.licences(copies))
        with self.assertRaisesRegex(wheel_bundle.WheelError, "libyaml-0-2/copyright, the licence of what"):
            wheel_bundle.licences(copies, documents=self.work)
        with self.assertRaisesRegex(wheel_bundle.WheelError, "no Debian package has .*piola"):
            wheel_bundle.owners([library, self.work / "piola.so"])

    def test_the_command_runs_its_engines_and_modules(self):
        self.assertRegex(self.wheel.name, f"^piola-{self.piola('--version').split()[1]}-")
        doctor = json.loads(self.piola("doctor", "--json"))
        engines = {e["name"].rsplit("_", 1)[0] for e in doctor["engines"] if e["runs"]}
        self.assertLessEqual({"cpu_f32_2d", "cpu_f32_3d", "cpu_f64_2d", "cpu_f64_3d"}, engines)
        built = {p.name for p in (self.work / "gone").rglob("piola_*.so")}
        self.assertEqual({p.name for p in (self.site / "piola/lib/piola").glob("*.so")},
                         built - {"piola_mpi_openmpi.so"})
        found = {m["library"] for m in doctor["modules"] if m["found"]}
        wanted = {"MUMPS", "ARPACK"} | ({"libvpx"} if "piola_video_vpx.so" in built else set())
        self.assertLessEqual(wanted, found)

    def test_pictures_have_the_font_of_the_wheel(self):
        fonts = self.site / "piola/lib/piola/fonts"
        if not (self.site / "piola/lib/piola/piola_text_cairo.so").exists():
            self.skipTest("not checked: cairo is not built")
        self.piola("run", self.work / "particles.yaml", "--device", "cpu", "-q", "-o", self.work / "run")
        pictures = []
        for name in "regular", "bold":
            picture = self.work / f"{name}.png"
            self.piola("render", self.work / "run/states.vtkhdf", "-o", picture)
            pictures.append(picture.read_bytes())
            if name == "regular":  # the letters of the next picture are others if the font is that of the wheel
                shutil.copy(fonts / "DejaVuSans.ttf", self.work)
                shutil.copy(fonts / "DejaVuSans-Bold.ttf", fonts / "DejaVuSans.ttf")
        shutil.copy(self.work / "DejaVuSans.ttf", fonts)
        self.assertTrue(pictures[0] != pictures[1], "the letters are not those of the font in the wheel")

    def test_gradients_of_the_command_are_exact(self):
        _, slopes = self.slopes("particles")
        print(f"particles: dJ/dv = {slopes}, exact 0.05 and 0, threshold 1e-13")
        self.assertTrue(abs(slopes[0] - 0.05) <= 1e-13 and abs(slopes[1]) <= 1e-13, slopes)
        objective, (slope,) = self.slopes("mesh")
        print(f"mesh, by MUMPS: dJ/dE over -J/E - 1 = {slope / (-objective / 200e9) - 1:.1e}, threshold 1e-9")
        self.assertLessEqual(abs(slope / (-objective / 200e9) - 1), 1e-9)

    def test_without_the_package_the_command_says_what_is_missing(self):
        lonely = self.work / "lonely"
        run(sys.executable, "-m", "venv", "--without-pip", lonely)
        shutil.copy(self.environment / "bin/piola", lonely / "piola")
        said = run(lonely / "bin/python", lonely / "piola", "--version", code=69)
        self.assertIn("install the wheel piola anew", said)

    def test_the_python_package_computes_with_what_the_wheel_has(self):
        said = json.loads(self.python(PROGRAM, self.work / "particles.yaml"))
        self.assertTrue(said["module"].startswith(str(self.site)), said["module"])
        self.assertTrue(abs(said["g"][0] - 0.05) <= 1e-13 and abs(said["g"][1]) <= 1e-13, said["g"])
        ours = [f for f in said["files"] if re.search("/(piola_|libpiola|libhdf5|libyaml|libnlopt|libgomp)", f)]
        self.assertGreaterEqual(len(ours), 6)
        self.assertEqual([f for f in ours if not f.startswith(str(self.site))], [])

    def test_an_old_processor_gets_a_message(self):
        emulator = [need("qemu-x86_64"), "-cpu"]
        words = [self.site / "piola/bin/piola", "run", self.work / "particles.yaml", "--device", "cpu", "-q", "-o"]
        wanted = "cannot run cpu_f64_2d_x86-64-v3, which needs AVX2 and FMA"
        for processor in "qemu64", "Nehalem", "SandyBridge":
            said = run(*emulator, processor, *words, self.work / processor, code=69)
            self.assertIn(wanted, said)
        self.assertIn("no engine runs on this machine", run(*emulator, "Nehalem", words[0], "doctor", code=69))
        said = self.python(OLD, self.work / "particles.yaml", before=[*emulator, "Nehalem"], code=69)
        self.assertIn(wanted, said)
        run(*emulator, "max", *words, self.work / "max")  # the control: with AVX2 the same emulator runs it
        run(*emulator, "Nehalem", words[0], "validate", self.work / "particles.yaml")
        run(*emulator, "Nehalem", words[0], "info", self.work / "max/states.vtkhdf")

    def test_an_instruction_set_that_is_required_and_lacking_is_an_error(self):
        gone = self.work / "lacking"
        shutil.copytree(self.work / "gone", gone, symlinks=True)
        for module in gone.rglob("piola_engine_cpu_f32_2d_x86-64-v4.so"):
            module.unlink()
        said = builder(gone, self.work / "none", "--require", "v3,v4", code=1)
        self.assertRegex(said, "the build lacks .*cpu_f32_2d_x86-64-v4.*PIOLA_ALL_ENGINES=ON")
        self.assertEqual(list((self.work / "none").glob("*")), [])

    def stand_ins(self):
        """Modules for CUDA, and the libraries of CUDA that they need, by the compiler."""
        (self.work / "one.c").write_text("int one(void) { return 1; }\n")
        compiler = [need("cc"), "-shared", "-fPIC", self.work / "one.c", "-Wl,--no-as-needed", "-o"]
        libraries = [self.work / f"lib{name}.so.12" for name in ("cusolver", "cusparse")]
        for library in libraries:
            run(*compiler, library, f"-Wl,-soname,{library.name}")
        run(*compiler, self.cuda / "piola_engine_cuda_f32_3d.so", "-lm")
        run(*compiler, self.cuda / "piola_direct_cusolver.so", *libraries)

    def test_engines_for_cuda_are_a_wheel_that_needs_those_of_nvidia(self):
        if not (GIVEN.long and list(self.cuda.iterdir())):
            shutil.rmtree(self.cuda)
            self.cuda.mkdir()
            self.stand_ins()
        code = f"import build_wheel, pathlib as p; build_wheel.build_cuda(p.Path({str(self.cuda)!r}), '1.2', " \
               f"p.Path({str(self.work / 'cuda')!r}), 1)"
        print(run(sys.executable, "-c", code, environment=clean(PYTHONPATH=str(ROOT / "tools/python"))), end="")
        wheel, = (self.work / "cuda").glob("piola_cuda13-1.2-py3-none-manylinux*_x86_64.whl")
        site = self.work / "cuda/site"
        shutil.unpack_archive(wheel, site, "zip")
        text = email.message_from_string((site / "piola_cuda13-1.2.dist-info/METADATA").read_text())
        self.assertEqual(text.get_all("Requires-Dist"),
                         ["piola==1.2", "nvidia-cusolver>=12,<13", "nvidia-cusparse>=12,<13"])
        theirs = site / "nvidia/cu13/lib"
        theirs.mkdir(parents=True)
        for name in "libcusolver.so.12", "libcusparse.so.12":
            shutil.copy(self.work / name if (self.work / name).exists() else self.library_of_cuda(name), theirs)
        self.assertEqual([line for line in strangers(site) if re.search("loads libcu(solver|sparse)", line)], [])
        (theirs / "libcusparse.so.12").rename(theirs / "away")  # the control
        self.assertTrue([line for line in strangers(site) if "loads libcusparse.so.12" in line])

    def library_of_cuda(self, name):
        """Where CUDA itself has a library, on a machine that has CUDA."""
        return next(pathlib.Path("/usr/local").glob(f"cuda*/**/{name}")).resolve()


def main():
    global GIVEN
    parser = argparse.ArgumentParser()
    parser.add_argument("cmake")
    parser.add_argument("build", type=lambda name: pathlib.Path(name).resolve())
    parser.add_argument("--package", default=ROOT / "tools/python/piola")
    parser.add_argument("--long", action="store_true")
    GIVEN, rest = parser.parse_known_args()
    if not importlib.util.find_spec("auditwheel"):
        house.not_checked("there is no auditwheel beside this Python; tools/check.sh installs it")
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
