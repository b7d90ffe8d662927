#!/usr/bin/env python3
"""test_debian.py CMAKE BUILD -- the package of cpack installs on a fresh Debian 12, and works there.

debootstrap makes a root of Debian 12 with nothing but what apt needs, in a folder of its own. There apt installs the
package with what it depends on, the command computes gradients of particles and of a mesh with direct solves, and a
removal leaves nothing. The libraries of all that was installed must be there; without one of the packages that it
depends on they are not, which is the negative control.

It needs root, the program debootstrap, Debian 12 (what the package depends on is that of the machine that built it) and
the network; where one is missing it says "not checked", and with CI=true fails.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

MIRROR, SUITE = "http://deb.debian.org/debian", "bookworm"
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
faults = 0


def judge(sentence, holds, measured):
    global faults
    faults += not holds
    print(f"{'ok    ' if holds else 'FAILED'} {sentence}: {measured}", flush=True)


def not_checked(why):
    print(f"not checked: {why}")
    sys.exit(1 if os.environ.get("CI") == "true" else 77)


def last_lines(done, n=12):
    return "\n".join((done.stdout + done.stderr).splitlines()[-n:])


def run(*command, **more):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=800, **more)


def must(*command, **more):
    """Runs what has to work; what it printed is the reason if it does not."""
    done = run(*command, **more)
    if done.returncode:
        sys.exit(f"FAILED: {' '.join(map(str, command))} ended with {done.returncode}:\n{last_lines(done)}")
    return done.stdout


def requirements():
    """Ends with "not checked" where a root of Debian 12 cannot be made, or the package is not for one."""
    if os.geteuid() != 0:
        not_checked("a fresh Debian is made by root")
    for program in "debootstrap", "unshare", "chroot", "dpkg-deb":
        if not shutil.which(program):
            not_checked(f"there is no {program}")
    release = pathlib.Path("/etc/os-release").read_text()
    if "ID=debian\n" not in release or 'VERSION_ID="12"' not in release:
        not_checked("this machine is no Debian 12, so its package is for another system")
    done = run("unshare", "--mount", "--pid", "--fork", "true")
    if done.returncode:
        not_checked(f"this machine makes no name spaces: {done.stderr.strip()}")
    try:
        urllib.request.urlopen(f"{MIRROR}/dists/{SUITE}/Release", timeout=60).close()
    except (urllib.error.URLError, OSError) as why:
        not_checked(f"{MIRROR} cannot be reached: {why}")


class Root:
    """A fresh system in a folder; what runs there sees its own processes alone, and /proc ends with it."""

    def __init__(self, folder):
        self.folder = folder
        must("debootstrap", "--variant=minbase", SUITE, folder, MIRROR)
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
        must(*self.words("apt-get", "update", "-q"))

    def words(self, *command):
        script = f'mount -t proc proc "{self.folder}/proc" && exec chroot "{self.folder}" "$@"'
        variables = ("env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C", "HOME=/root",
                     "DEBIAN_FRONTEND=noninteractive", "OMP_WAIT_POLICY=passive",
                     *(f"{name}={value}" for name, value in os.environ.items() if name.lower().endswith("_proxy")))
        return ("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", script, "sh", *variables, *command)

    def run(self, *command):
        return run(*self.words(*command))

    def installed_files(self):
        names = must(*self.words("dpkg", "-L", "piola")).splitlines()
        return [name for name in names if (self.folder / name[1:]).is_file()]

    def missing_libraries(self):
        """What the programs and libraries of the package want and do not find; modules for CUDA need its libraries."""
        missing = set()
        for name in self.installed_files():
            if re.search("_(cuda|cusolver|cusparse|cudss)", name):
                continue
            with open(self.folder / name[1:], "rb") as file:
                if file.read(4) == b"\x7fELF":
                    said = self.run("ldd", name)
                    missing |= {line.split()[0] for line in said.stdout.splitlines() if "not found" in line}
        return sorted(missing)

    def gradient(self, name, scene):
        """(exit code, result.json) of the scene's gradient."""
        (self.folder / f"root/{name}.yaml").write_text(scene)
        done = self.run("piola", "grad", f"/root/{name}.yaml", "--device", "cpu", "-q", "-o", f"/root/{name}")
        if done.returncode:
            print(last_lines(done))
        result = self.folder / f"root/{name}/result.json"
        return done.returncode, json.loads(result.read_text()) if result.exists() else {}


def slopes_of(result):
    """dJ/dvalue of every value of the design."""
    slopes = [parameter["gradient"] for parameter in result["parameters"].values()]
    return [x for slope in slopes for x in (slope if isinstance(slope, list) else [slope])]


def check_work(root):
    code, particles = root.gradient("flight", PARTICLES)
    x, y = slopes_of(particles) if code == 0 else (0, 0)
    judge("a gradient of particles is 0.05 and 0, to 1e-13", abs(x - 0.05) <= 1e-13 and abs(y) <= 1e-13,
          f"exit {code}, {x!r}, {y!r}")
    code, mesh = root.gradient("bar", MESH)
    slope, exact = (*slopes_of(mesh), -mesh["objective"] / 200e9) if code == 0 else (0, 1)
    judge("a gradient of a mesh with direct solves is -J/E, to 1e-9", abs(slope / exact - 1) <= 1e-9,
          f"exit {code}, {slope!r}, {exact!r}")
    done = root.run("piola", "doctor", "--json")
    engines = [e["name"] for e in json.loads(done.stdout)["engines"] if e["runs"]] if done.returncode == 0 else []
    judge("piola doctor passes, and engines of both precisions and dimensions run", done.returncode == 0 and
          {e.rsplit("_", 1)[0] for e in engines} >= {"cpu_f32_2d", "cpu_f32_3d", "cpu_f64_2d", "cpu_f64_3d"}, engines)


def check_package(root, package):
    shutil.copy(package, root.folder / "tmp/piola.deb")
    (root.folder / "tmp/piola.deb").chmod(0o644)
    before = set(must(*root.words("dpkg-query", "-W", "-f", "${Package}\n")).split())
    done = root.run("dpkg", "--install", "--refuse-downgrade", "/tmp/piola.deb")
    judge("control: dpkg alone, without what the package depends on, refuses it", done.returncode != 0,
          f"exit {done.returncode}")
    must(*root.words("dpkg", "--purge", "piola"))
    done = root.run("apt-get", "install", "-y", "-q", "--no-install-recommends", "/tmp/piola.deb")
    judge("apt installs the package", done.returncode == 0, f"exit {done.returncode}")
    if done.returncode:
        sys.exit(last_lines(done))
    added = sorted(set(must(*root.words("dpkg-query", "-W", "-f", "${Package}\n")).split()) - before)
    print(f"       with {len(added) - 1} packages: {' '.join(added)}")
    wanted = must("dpkg-deb", "--field", package, "Version").strip()
    said = root.run("piola", "--version").stdout.strip()
    judge("the command is there, of that version", said == f"piola {wanted}", said)
    missing = root.missing_libraries()
    judge("every library of its programs is there", not missing, missing)
    done = root.run("dpkg", "--verify", "piola")
    judge("its files are those of the package", done.returncode == 0 and not done.stdout, repr(done.stdout))
    check_work(root)
    must(*root.words("dpkg", "--remove", "--force-depends", "libyaml-0-2"))
    missing = root.missing_libraries()
    judge("control: without libyaml-0-2 a library is missing", missing == ["libyaml-0.so.2"], missing)
    must(*root.words("apt-get", "install", "-y", "-q", "--fix-broken"))
    files = root.installed_files()
    must(*root.words("apt-get", "purge", "-y", "-q", "piola"))
    left = [name for name in files if (root.folder / name[1:]).exists()]
    judge("a removal leaves no file of the package", len(files) > 50 and not left, f"{len(files)} files, {left} left")


def main():
    cmake, build = sys.argv[1], pathlib.Path(sys.argv[2])
    requirements()
    with tempfile.TemporaryDirectory(prefix="piola-debian-") as temporary:
        folder = pathlib.Path(temporary)
        folder.chmod(0o755)
        must(pathlib.Path(cmake).with_name("cpack"), "-G", "DEB", "--config", build / "CPackConfig.cmake",
             "-B", folder / "package")
        package, = (folder / "package").glob("*.deb")
        (folder / "root").mkdir()
        check_package(Root(folder / "root"), package)
    print(f"{faults} faults (threshold 0)")
    return faults != 0


if __name__ == "__main__":
    sys.exit(main())
