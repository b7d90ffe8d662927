#!/usr/bin/env python3
"""build_wheel.py BUILD [-o FOLDER] [--require v3,v4] -- makes the wheel piola of a build, and of one with CUDA engines
the wheel piola-cuda13.

The wheel has the Python package, the shared library, the command, the engines and the modules that the build has, and
every library that these need but glibc and those of gcc, with their licences. It depends on NumPy alone and needs no
compiler. `auditwheel` gives it the tag manylinux of the glibc that it needs. The module for mpirun is left out: it has
to be of the Open MPI whose mpirun starts it.

piola-cuda13 adds CUDA engines and direct solves and products on GPUs to the folder of the engines; CUDA's libraries are
those of NVIDIA's wheels. It has not been tried on a GPU.

  -o FOLDER        where the wheels go (BUILD/wheels)
  --require LIST   fails unless there are CPU engines of these instruction sets (v3, v4) in f32 and f64, 2D and 3D
  --package FOLDER the Python package (piola beside this script)
  --prefix FOLDER  what `cmake --install` made, instead of BUILD
  --level N        of compression, 0 to 9 (6)
"""
import argparse
import base64
import hashlib
import pathlib
import re
import shutil
import sys
import tempfile
import zipfile

sys.dont_write_bytecode = True
from wheel_bundle import WheelError, closure, graft, is_elf, licences, needed, newest_glibc, program, run

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CUDA = re.compile(r"piola_(engine_cuda_\w+|direct_cusolver|product_cusparse)[.]so$")
LEFT_OUT = re.compile(r"piola_(mpi_\w+|direct_cudss)[.]so$")
ENGINE = re.compile(r"piola_engine_(?:cpu_(f32|f64)_([23])d_x86-64-(v[34])|cuda_(?:f32|f64)_[23]d)[.]so$")
# CUDA's libraries and the wheels of CUDA 13 that have them, each version of which begins with the number in the name
# of the library; all put them into nvidia/cu13/lib.
NVIDIA = {"libcusolver": "nvidia-cusolver", "libcusparse": "nvidia-cusparse", "libcublas": "nvidia-cublas",
          "libcublasLt": "nvidia-cublas", "libnvJitLink": "nvidia-nvjitlink", "libcudart": "nvidia-cuda-runtime"}
NVIDIA_NAME = re.compile(r"(lib\w+)[.]so[.](\d+)$")
FONTS = pathlib.Path("/usr/share/fonts/truetype/dejavu")  # Debian's package fonts-dejavu-core
NVIDIA_FOLDER = "$ORIGIN/../../../nvidia/cu13/lib"  # from piola/lib/piola
LAUNCHER = '''#!python
"""Runs the command that lies in the package piola, which is not imported: the command needs no NumPy."""
import importlib.util
import os
import sys

package = importlib.util.find_spec("piola")
folder = package.submodule_search_locations[0] if package and package.submodule_search_locations else ""
program = os.path.join(folder, "bin", "piola")
if not os.access(program, os.X_OK):
    print(f"piola: there is no program {program}; install the wheel piola anew", file=sys.stderr)
    sys.exit(69)
os.execv(program, ["piola", *sys.argv[1:]])
'''
# What `pip install piola[NAME]` brings beside NumPy, for the modules of the package that need it.
EXTRAS = {"scipy": ["scipy"], "torch": ["torch"], "jax": ["jax"], "states": ["h5py", "pyvista", "xarray"]}
SUMMARY = "differentiable solver for soft bodies and fluids"
ABOUT = {
    "piola": """Differentiable simulation of soft bodies, solids and fluids: material points and finite elements, with
exact gradients. The wheel has the library, the command `piola` and all that they need; the licences of the libraries in
it are in the folder `licenses` of its metadata, and `bundled.txt` there names their sources.
""",
    "piola-cuda13": """CUDA engines of Piola, for GPUs of NVIDIA. They have not been tried on a GPU yet.
""",
}


def metadata(name, version, requires, texts, extras=()):
    """The text of METADATA; extras {name: what it requires}."""
    optional = [line for extra in extras for line in (
        f"Provides-Extra: {extra}", *(f"Requires-Dist: {r} ; extra == '{extra}'" for r in extras[extra]))]
    lines = ["Metadata-Version: 2.4", f"Name: {name}", f"Version: {version}", f"Summary: {SUMMARY}",
             "License-Expression: Apache-2.0", *(f"License-File: {text}" for text in sorted(texts)),
             "Requires-Python: >=3.10", *(f"Requires-Dist: {requirement}" for requirement in requires),
             *optional, "Description-Content-Type: text/markdown", "", ABOUT[name]]
    return "\n".join(lines)


def pack(tree, wheel, level):
    """Zips the tree as a wheel, with RECORD."""
    dist_info, = tree.glob("*.dist-info")
    (dist_info / "RECORD").unlink(missing_ok=True)
    record = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as file:
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            name = path.relative_to(tree).as_posix()
            digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{path.stat().st_size}")
            file.write(path, name)
        record.append(f"{dist_info.name}/RECORD,,\n")
        file.writestr(f"{dist_info.name}/RECORD", "\n".join(record))


def describe(tree, name, version, requires, texts, extras=()):
    """Writes the metadata of a wheel, with licences {file name: text} and extras {name: what it requires}."""
    folder = tree / f"{name.replace('-', '_')}-{version}.dist-info"
    texts = {"LICENSE": (ROOT / "LICENSE").read_text(), **texts}
    for file, text in texts.items():
        path = folder / "licenses" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "METADATA").write_text(metadata(name, version, requires, texts, extras))


def audit(tree, name, version, exclude=()):
    """Lets auditwheel copy libraries into the tree and judge which glibc it needs. Returns the name of the wheel."""
    stem = f"{name.replace('-', '_')}-{version}"
    describe(tree, name, version, [], {})
    (tree / f"{stem}.dist-info/WHEEL").write_text("Wheel-Version: 1.0\nGenerator: tools/python/build_wheel.py\n"
                                                  "Root-Is-Purelib: false\nTag: py3-none-linux_x86_64\n")
    with tempfile.TemporaryDirectory() as temporary:
        plain, audited = pathlib.Path(temporary) / f"{stem}-py3-none-linux_x86_64.whl", pathlib.Path(temporary) / "out"
        pack(tree, plain, 0)
        words = [word for library in exclude for word in ("--exclude", library)]
        run(program("auditwheel"), "repair", "--zip-compression-level", 0, *words, "-w", audited, plain)
        made, = audited.glob("*.whl")
        modes = {path.relative_to(tree): path.stat().st_mode for path in tree.rglob("*") if path.is_file()}
        shutil.unpack_archive(made, tree, "zip")
        for path, mode in modes.items():
            (tree / path).chmod(mode)
        return made.name


def finish(tree, name, out, level):
    """Packs the tree as a wheel of that name; where what graft() added needs a newer glibc than auditwheel saw, its tag
    becomes the newer one. Returns the path of the wheel."""
    newest = newest_glibc(path for path in tree.rglob("*") if path.is_file() and is_elf(path))
    if newest > max(map(int, re.findall(r"manylinux_2_(\d+)_", name))):
        tag = f"py3-none-manylinux_2_{newest}_x86_64"
        name = re.sub("py3-none-.*", f"{tag}.whl", name)
        file, = tree.glob("*.dist-info/WHEEL")
        file.write_text(re.sub("(?m)^Tag: .*\n", "", file.read_text()).rstrip() + f"\nTag: {tag}\n")
    out.mkdir(parents=True, exist_ok=True)
    pack(tree, out / name, level)
    return out / name


def copy_package(package, to):
    """The sources of the Python package."""
    if not (package / "__init__.py").is_file():
        raise WheelError(f"there is no Python package in {package}; --package names its folder")
    for path in package.rglob("*"):
        if path.suffix == ".py" or path.name == "py.typed":
            (to / path.relative_to(package)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, to / path.relative_to(package))


def copy_modules(modules, to):
    """Engines and modules for CPUs, and with the module for text its font. Returns what was copied {name: source}."""
    copied = {}
    for module in sorted(modules.glob("*.so")):
        if LEFT_OUT.match(module.name):
            print(f"left out: {module.name}")
        elif not CUDA.match(module.name):
            copied[module.name] = module
    if "piola_text_cairo.so" in copied:
        copied |= {f"fonts/{name}": FONTS / name for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")}
    for name, source in copied.items():
        if not source.is_file():
            raise WheelError(f"there is no {source}; Debian's package fonts-dejavu-core has it")
        (to / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, to / name)
    print(f"modules: {', '.join(name.removesuffix('.so') for name in copied if not ENGINE.match(name))}")
    return copied


def check_engines(modules, require):
    """Says which engines there are; WheelError if one of the required instruction sets is lacking."""
    there = {match.groups() for name in modules if (match := ENGINE.match(name)) and match[3]}
    lacking = [f"cpu_{precision}_{dimension}d_x86-64-{isa}" for isa in require
               for precision in ("f32", "f64") for dimension in "23" if (precision, dimension, isa) not in there]
    if lacking:
        raise WheelError(f"the build lacks {', '.join(lacking)}; configure it with -DPIOLA_ALL_ENGINES=ON")
    if not there:
        raise WheelError("the build has no CPU engine; build the target engines")
    for isa in ("v3", "v4"):
        names = sorted(f"{precision} {dimension}D" for precision, dimension, i in there if i == isa)
        print(f"CPU engines for x86-64-{isa}: {', '.join(names) or 'none'}")


def blas_of(rows):
    """The Debian package of the BLAS that is bundled: direct solves are as fast as it is."""
    found = re.search(r"^lib(?:open)?blas\S*\t(\S+)", rows, re.M)
    return found[1] if found else "none"


def build_cpu(prefix, package, version, out, level=6):
    """The wheel piola from an installed prefix. Returns its path."""
    library, = (p for p in prefix.rglob("libpiola.so.*") if not p.is_symlink())
    with tempfile.TemporaryDirectory() as temporary:
        tree = pathlib.Path(temporary)
        inside = tree / "piola"
        copy_package(package, inside)
        (inside / "bin").mkdir()
        copied = copy_modules(library.parent / "piola", inside / "lib/piola")
        shutil.copy(prefix / "bin/piola", inside / "bin")
        shutil.copyfile(library, inside / "lib/libpiola.so")
        libraries = closure(path for path in inside.rglob("*") if path.is_file() and is_elf(path))
        name = audit(tree, "piola", version)
        bundled = graft(tree, libraries, tree / "piola.libs")
        bundled |= {pathlib.Path(name).name: path for name, path in copied.items() if name.startswith("fonts/")}
        scripts = tree / f"piola-{version}.data/scripts"
        scripts.mkdir(parents=True)
        (scripts / "piola").write_text(LAUNCHER)
        (scripts / "piola").chmod(0o755)
        texts = licences(bundled)
        print(f"bundled: {len(bundled)} libraries and fonts, {len(texts) - 1} licences; BLAS is that of "
              f"{blas_of(texts['bundled.txt'])}")
        describe(tree, "piola", version, ["numpy>=1.24"], texts, EXTRAS)
        return finish(tree, name, out, level)


def build_cuda(prefix, version, out, level=6):
    """The wheel piola-cuda13 from an installed prefix, or None where the build has no CUDA engines."""
    found = sorted(module for module in prefix.rglob("piola_*.so") if CUDA.match(module.name))
    if not any(ENGINE.match(module.name) for module in found):
        print("CUDA engines: none, so there is no wheel piola-cuda13")
        return None
    with tempfile.TemporaryDirectory() as temporary:
        tree = pathlib.Path(temporary)
        inside = tree / "piola/lib/piola"
        inside.mkdir(parents=True)
        files = [inside / module.name for module in found]
        requires = {}
        for module, file in zip(found, files):
            shutil.copyfile(module, file)
            for match in filter(None, map(NVIDIA_NAME.match, needed(file))):
                if match[1] in NVIDIA:
                    number = int(match[2])
                    requires[NVIDIA[match[1]]] = f"{NVIDIA[match[1]]}>={number},<{number + 1}"
        theirs = re.compile("(" + "|".join(NVIDIA) + ")[.]so")
        libraries = closure(files, theirs)
        name = audit(tree, "piola-cuda13", version, [f"{library}.so.*" for library in NVIDIA])
        bundled = graft(tree, libraries, tree / "piola_cuda13.libs", [NVIDIA_FOLDER])
        requires = [f"piola=={version}", *(requires[wheel] for wheel in sorted(requires))]
        describe(tree, "piola-cuda13", version, requires, licences(bundled) if bundled else {})
        print(f"CUDA: {', '.join(file.stem for file in files)}; it needs {', '.join(requires)}")
        return finish(tree, name, out, level)


def build(prefix, package, out, require=(), level=6):
    """Both wheels from an installed prefix. Returns the paths of those that there are."""
    version = run(prefix / "bin/piola", "--version").split()[1]
    check_engines([module.name for module in prefix.rglob("piola_engine_*.so")], require)
    wheels = [build_cpu(prefix, package, version, out, level), build_cuda(prefix, version, out, level)]
    for wheel in filter(None, wheels):
        print(f"{wheel}: {wheel.stat().st_size / 2**20:.1f} MiB")
    return [wheel for wheel in wheels if wheel]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                     usage="build_wheel.py BUILD [options]")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("-o", "--out", type=pathlib.Path)
    parser.add_argument("--require", default="", help=argparse.SUPPRESS)
    parser.add_argument("--package", type=pathlib.Path, default=HERE / "piola", help=argparse.SUPPRESS)
    parser.add_argument("--prefix", type=pathlib.Path, help=argparse.SUPPRESS)
    parser.add_argument("--level", type=int, default=6, choices=range(10), help=argparse.SUPPRESS)
    given = parser.parse_args()
    require = [isa for isa in given.require.split(",") if isa]
    if unknown := [isa for isa in require if isa not in ("v3", "v4")]:
        parser.error(f"--require {','.join(unknown)}: v3 and v4 are the instruction sets of CPU engines")
    try:
        with tempfile.TemporaryDirectory() as temporary:
            prefix = given.prefix
            if not prefix:
                prefix = pathlib.Path(temporary) / "prefix"
                run(shutil.which("cmake") or "cmake", "--install", given.build, "--prefix", prefix, "--strip")
            build(prefix, given.package, given.out or given.build / "wheels", require, given.level)
    except WheelError as error:
        print(f"build_wheel.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
