"""wheel_bundle.py -- what build_wheel.py bundles: the libraries that programs need, with names of their own, and their
licences. It needs ldd, dpkg-query and patchelf, so that it runs on Debian and what is like it.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

# What a Linux with glibc and Python has anyhow: of the list that manylinux allows only glibc and the libraries of gcc.
# The rest of that list (X11, expat, zlib) is bundled too, for containers do not have it.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux-[\w-]+|lib(c|m|dl|pthread|rt|resolv|util|mvec|anl|gcc_s|stdc\+\+))\.so\b")
DOCUMENTS, COMMON = pathlib.Path("/usr/share/doc"), pathlib.Path("/usr/share/common-licenses")


class WheelError(Exception):
    """What keeps a wheel from being built; its text says what is wrong and what would be right."""


def run(*command):
    """The output of a command, which may lie beside this Python; WheelError with what it said if it fails."""
    path = os.pathsep.join([str(pathlib.Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, "PATH": path})
    if done.returncode:
        raise WheelError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def program(name):
    """The path of a program that lies beside this Python, or on PATH."""
    beside = pathlib.Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if not found:
        raise WheelError(f"there is no program {name}; pip install -r tests/requirements.txt has it")
    return found


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path):
    """The names of libraries that a program or library names itself."""
    return run(program("patchelf"), "--print-needed", path).split()


def closure(files, elsewhere=re.compile("$^")):
    """{name: real path} of all libraries that the files need, those of the system and of `elsewhere` left out."""
    found = {}
    for file in files:
        for line in run("ldd", file).splitlines():
            match = re.match(r"\s+(\S+) => (/\S+|not found)", line)
            if not match or SYSTEM.match(match[1]) or elsewhere.match(match[1]):
                continue
            if match[2] == "not found":
                raise WheelError(f"{file} needs {match[1]}, which is not on this machine")
            found[match[1]] = pathlib.Path(match[2]).resolve()
    return found


def mark(path):
    """Eight digits of the bytes of a file, with which auditwheel marks the names of copies."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]


def origin(file, folder):
    """The folder relative to that of the file, as the loader reads it."""
    return "/".join(["$ORIGIN", *[".."] * len(file.parent.relative_to(folder.parent).parts), folder.name])


def graft(tree, libraries, folder, more=()):
    """Completes what auditwheel has copied into the folder of a tree: copies what is lacking of libraries {name: path},
    libx.so.1 as libx-0123abcd.so.1, so that no other one in a process takes its place, and makes all programs and
    libraries of the tree use the copies. `more` are further search paths of those outside the folder. Returns {name of
    the copy: path}."""
    there = {match[1]: file.name for file in folder.glob("*") if (match := re.search("-([0-9a-f]{8})[.]", file.name))}
    names = {}
    for name, path in libraries.items():
        digits = mark(path)
        base, dot, rest = name.partition(".")
        names[name] = there.get(digits) or f"{base}-{digits}{dot}{rest}"
        if digits not in there:
            folder.mkdir(exist_ok=True)
            shutil.copyfile(path, folder / names[name])
    for file in [path for path in tree.rglob("*") if path.is_file() and is_elf(path)]:
        words = ["--set-soname", file.name] if file.parent == folder else []
        for name in needed(file):
            if name in names:
                words += ["--replace-needed", name, names[name]]
        paths = ["$ORIGIN"] if file.parent == folder else [origin(file, folder), *more]
        run(program("patchelf"), *words, "--force-rpath", "--set-rpath", ":".join(paths), file)
    return {names[name]: path for name, path in libraries.items()}


def newest_glibc(files):
    """The newest minor version of glibc 2 whose symbols the files need."""
    found = {0}
    for file in files:
        found |= set(map(int, re.findall(r"\bGLIBC_2[.](\d+)", run("readelf", "-V", file))))
    return max(found)


def owners(paths):
    """{path: (package, version)} of the Debian packages to which files belong."""
    names = {}
    for path in paths:
        names[str(path)] = path
        names[re.sub("^/usr(?=/lib)", "", str(path))] = path  # as packed before /lib was a link
    said = subprocess.run(["dpkg-query", "-S", *names], capture_output=True, text=True).stdout
    found = {}
    for line in said.splitlines():
        owner, _, name = line.partition(": ")
        if name in names and not owner.startswith("diversion "):
            found[names[name]] = owner.split(",")[0].split(":")[0]
    missing = sorted(str(path) for path in paths if path not in found)
    if missing:
        raise WheelError(f"no Debian package has {', '.join(missing)}, so that its licence is not known")
    said = run("dpkg-query", "-W", "-f", "${Package} ${Version}\n", *set(found.values()))
    versions = dict(line.split() for line in said.splitlines())
    return {path: (package, versions[package]) for path, package in found.items()}


def licences(copies, documents=DOCUMENTS):
    """{file name: text} of the licences of bundled files {new name: path}: one of each package, those to which they
    refer, and a list of what is bundled from which package."""
    packages = owners(copies.values())
    out, common = {}, set()
    for package in sorted({package for package, _ in packages.values()}):
        file = documents / package / "copyright"
        if not file.is_file():
            raise WheelError(f"there is no {file}, the licence of what the wheel bundles")
        text = file.read_text(errors="replace")
        out[f"{package}.txt"] = text
        common |= set(re.findall(r"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])", text))
    for name in sorted(common):
        if (COMMON / name).is_file():
            out[f"common-licenses/{name}"] = (COMMON / name).read_text(errors="replace")
    lines = [f"{name}\t{packages[path][0]}\t{packages[path][1]}" for name, path in sorted(copies.items())]
    out["bundled.txt"] = "\n".join(["file\tDebian package, whose source has the text\tversion", *lines, ""])
    return out
