#!/usr/bin/env python3
"""check_rooms.py NM BUILD -- the rooms of kernels/, solvers/ and host/ stand in an order, and files call each other in
no circle.

A file includes, and calls, only files of its own room and of rooms below (ORDER). Calls are read from the symbols of
the objects in the folder BUILD by the program NM. Within a room too, no file calls a file that calls it, directly or by
others. And the program itself calls, or names in a table, every function that a file shows to others: what only tests
want is theirs. Tests lie in folders that mirror the rooms. Objects whose source is gone, as after a file got another
name, are named and left out.
"""
import collections
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import house

# From the ground up; rooms of one line do not know each other.
ORDER = {
    "kernels": (("base",), ("linear", "material", "control", "contact"), ("mpm", "fem"), ("backend",)),
    "solvers": (("engine",), ("linear", "driver"), ("mpm", "fem")),
    "host": (("base",), ("config", "snapshot", "optimize", "verify"),
             ("data", "mesh", "render", "export", "expression", "sweep"), ("surface", "film", "report"), ("scene",),
             ("model",), ("run",), ("results", "bench"), ("study",), ("command",)),
}
LEVEL = {f"{top}/{room}": level for top, levels in ORDER.items() for level, rooms in enumerate(levels)
         for room in rooms}
# The main header of each room, which begins with the room's sentence: docs/architecture.md has it from there.
MAIN = {
    "kernels/base": "base.h", "kernels/linear": "bsr.h", "kernels/material": "material.h",
    "kernels/control": "control.h", "kernels/contact": "obstacle.h", "kernels/mpm": "mpm.h",
    "kernels/fem": "fem.h", "kernels/backend": "table.h",
    "solvers/engine": "engine.h", "solvers/linear": "linop.h", "solvers/driver": "driver.h", "solvers/mpm": "mpm.h",
    "solvers/fem": "fem.h",
    "host/base": "fail.h", "host/config": "config.h", "host/expression": "expression.h",
    "host/snapshot": "snapshot.h", "host/optimize": "optimizer.h",
    "host/verify": "taylor.h", "host/data": "csv.h", "host/mesh": "mesh.h", "host/render": "render.h",
    "host/export": "export.h", "host/film": "film.h", "host/sweep": "members.h",
    "host/report": "report.h",
    "host/surface": "surface_mesh.h", "host/scene": "scene.h", "host/model": "model.h",
    "host/run": "session.h", "host/results": "result.h", "host/bench": "bench.h",
    "host/study": "problem.h", "host/command": "command.h",
}
# Of the solvers, the host knows the seam of engines, the names that both use, the clock and the filler of errors that
# all share, the driver, and the operator of linear solvers, which names no solver.
SEEN_BY_HOST = ("solvers/engine/engine.h", "solvers/engine/engine_fem.h", "solvers/engine/engine_mpm.h",
                "solvers/engine/engine_obstacle.h", "solvers/engine/vocabulary.h", "solvers/engine/clock",
                "solvers/engine/fail", "solvers/engine/program",
                "solvers/driver/", "solvers/linear/linop")
# What tests the rooms without a test program of their own in tests/ROOM.
TESTED_BY = {
    "kernels/base": "tests/kernels/backend/test_every_kernel.c",
    "kernels/control": "tests/kernels/backend/test_every_kernel.c",
    "kernels/linear": "tests/kernels/backend/test_every_kernel.c",
    "host/bench": "tests/system/test_bench.py",
    "host/command": "tests/system/test_command.py",
    "host/study": "tests/system/test_study.py",
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)
OBJECTS = ("piola_host.dir", "engine_common_f64_2d.dir", "engine_cpu_f64_2d.dir",
           "piola_engine_cpu_f64_2d_*_objects.dir")
# Further objects of the program: the command, and the modules of libraries of linear algebra.
FURTHER = ("piola.dir", "piola_direct_mumps.dir", "piola_eigen_arpack.dir")
PUBLIC = "piola_"  # of the public interface, and tables of modules: others call them; a compiler's own begin with _


def room_of(path):
    return "/".join(path.split("/")[:2])


def arrow_fault(source, target, what):
    """Why a file `source` may not know a file `target`, or None."""
    a, b = room_of(source), room_of(target)
    if a not in LEVEL or b not in LEVEL or a == b:
        return None
    if a.split("/")[0] == b.split("/")[0] and LEVEL[b] >= LEVEL[a]:
        return f"{source}: {what} {target}: {b} is not below {a}"
    if a.startswith("host/") and b.startswith("solvers/") and not target.startswith(SEEN_BY_HOST):
        return f"{source}: {what} {target}: of solvers/ the host knows {', '.join(SEEN_BY_HOST)}"
    return None


def sentence(room, text):
    """What the main header of a room, whose text this is, says of the room; None where it does not begin with that."""
    match = re.match(rf"/\* Room {room}: (.*?)\. \*/\n", text, re.S)
    return re.sub(r"\s*\n \* ", " ", match.group(1)) if match else None


def sentence_faults(texts):
    for room in LEVEL:
        name = f"{room}/{MAIN[room]}"
        if name in texts and not sentence(room, texts[name]):
            yield f"{name}: does not begin with the sentence of its room, /* Room {room}: ... */"


def circles(arrows):
    """The sets of two and more that reach each other, of {file: {files}} (Tarjan 1972)."""
    index, low, stack, on, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on.add(node)
        for other in sorted(arrows.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            circle = []
            while not circle or circle[-1] != node:
                circle.append(stack.pop())
                on.discard(circle[-1])
            if len(circle) > 1:
                found.append(sorted(circle))

    for node in sorted(arrows):
        if node not in index:
            visit(node)
    return found


def include_faults(texts):
    arrows = collections.defaultdict(set)
    for name, text in texts.items():
        for match in INCLUDE.finditer(house.without_comments(text)):
            target = match.group(1)
            arrows[name].add(target)
            fault = arrow_fault(name, target, "includes")
            if fault:
                yield fault
        if room_of(name) not in LEVEL and name.count("/") > 1 and name.split("/")[0] in ORDER:
            yield f"{name}: {room_of(name)} is no room; ORDER in check_rooms.py lists them"
    for circle in circles(arrows):
        yield f"headers include each other in a circle: {', '.join(circle)}"


def call_faults(arrows):
    for name, targets in sorted(arrows.items()):
        for target in sorted(targets):
            fault = arrow_fault(name, target, "calls")
            if fault:
                yield fault
    for circle in circles(arrows):
        yield f"{len(circle)} files call each other in a circle: {', '.join(circle)}"


def unused_faults(defined, wanted, texts):
    """What no other object of the program wants, and its own file does not use either: only tests can."""
    for symbol, source in sorted(defined.items()):
        if room_of(source) not in LEVEL or symbol.startswith((PUBLIC, "_")):
            continue
        if any(symbol in symbols for name, symbols in wanted.items() if name != source):
            continue
        own = house.without_comments(texts.get(source, ""), strings=True)
        if len(re.findall(rf"\b{re.escape(symbol)}\b", own)) < 2:
            yield f"{source}: the program does not use {symbol}; what only tests call belongs to them"


def mirror_faults(names):
    """Tests in no room, and rooms of which neither a test program nor an entry of TESTED_BY says what tests them."""
    tested = set()
    for name in sorted(names):
        room, slash, file = name.removeprefix("tests/").rpartition("/")
        if not slash or not name.startswith("tests/") or room.split("/")[0] not in ORDER:
            continue
        if room not in LEVEL and not file.endswith(".cmake"):
            yield f"{name}: tests mirror the rooms, and {room} is no room"
        if re.match(r"test_\w+\.(c|cpp)$", file):
            tested.add(room)
    for room in LEVEL:
        if (room in tested) == (room in TESTED_BY):
            yield f"tests/{room}: has {'a' if room in tested else 'no'} test program; TESTED_BY says otherwise"
    for room, name in TESTED_BY.items():
        if name not in names:
            yield f"TESTED_BY: {name}, which tests {room}, is not there"


def without_stale(paths, folder, sources):
    """({object: its source} of the objects in the folder whose source is there, the objects whose source is not)."""
    source_of = {path: path.relative_to(folder).as_posix()[:-2] for path in paths}
    return ({path: source for path, source in source_of.items() if source in sources},
            [path for path, source in source_of.items() if source not in sources])


def symbols_of(nm, build, sources):
    """({symbol: file that defines it}, {file: symbols that it wants}), of the library, one engine and the command."""
    defined, wanted = {}, collections.defaultdict(set)
    for pattern in OBJECTS + FURTHER:
        folders = sorted((build / "CMakeFiles").glob(pattern))
        if not folders:
            sys.exit(f"there is no {pattern} in {build}/CMakeFiles: build piola first")
        objects, stale = without_stale(sorted(folders[0].rglob("*.o")), folders[0], sources)
        for path in stale:
            print(f"left out, its source is gone: {path}")
        if not objects:
            sys.exit(f"{folders[0]} has no object of a source that is there: build piola first")
        for path, source in objects.items():
            for line in subprocess.run([nm, "-P", path], capture_output=True, text=True,
                                       check=True).stdout.splitlines():
                symbol, kind = line.split()[:2]
                if kind == "U":
                    wanted[source].add(symbol)
                elif kind.isupper():
                    defined.setdefault(symbol, source)
    return defined, wanted


def calls(defined, wanted):
    """{file: {files whose functions or variables it names}}."""
    return {a: {defined[s] for s in symbols if s in defined and defined[s] != a} for a, symbols in wanted.items()}


PLANTED_INCLUDES = [
    ("host/base/a.c", '#include "host/scene/scene.h"\n', "is not below host/base"),
    ("host/config/a.c", '#include "host/snapshot/snapshot.h"\n', "is not below host/config"),
    ("kernels/fem/a.h", '#include "kernels/mpm/mpm.h"\n', "is not below kernels/fem"),
    ("host/run/a.c", '#include "solvers/fem/fem.h"\n', "of solvers/ the host knows"),
    ("host/attic/a.c", "int a;\n", "is no room"),
]
PLANTED_SENTENCES = [("host/run/session.h", "/* session.h -- a scene on a device. */\n", "sentence of its room")]
PLANTED_CALLS = [
    ({"host/base/a.c": {"host/scene/b.c"}}, "is not below host/base"),
    ({"host/scene/a.c": {"host/scene/b.c"}, "host/scene/b.c": {"host/scene/c.c"}, "host/scene/c.c": {"host/scene/a.c"}},
     "3 files call"),
]
# Each room has a test program, or one that TESTED_BY says; and what is planted beside, or with None instead.
MIRROR = [TESTED_BY.get(room, f"tests/{room}/test_a.c") for room in LEVEL]
PLANTED_MIRROR = [
    ("tests/kernels/test_a.c", MIRROR, "kernels is no room"), ("tests/host/attic/a.h", MIRROR, "is no room"),
    ("tests/host/bench/test_a.c", MIRROR, "tests/host/bench: has a test program"),
    (None, [name for name in MIRROR if not name.startswith("tests/solvers/engine/")], "engine: has no test program"),
    (None, [name for name in MIRROR if not name.endswith("test_bench.py")], "test_bench.py, which tests host/bench"),
]
# Symbols, the objects that want them, and a text: `pio_b` is called by its own file, `pio_c` by nobody.
PLANTED_UNUSED = ({"pio_a": "host/base/a.c", "pio_b": "host/base/b.c", "pio_c": "host/base/b.c"},
                  {"host/base/b.c": {"pio_a"}},
                  {"host/base/b.c": "void pio_b(void) {}\nint f(void) { pio_b(); }\nint pio_c(void); /* pio_c */\n"})


# Objects in a folder: of a source that is there, and of one that was moved elsewhere.
PLANTED_STALE = ([pathlib.Path("b/piola_host.dir/host/base/a.c.o"), pathlib.Path("b/piola_host.dir/host/a.c.o")],
                 pathlib.Path("b/piola_host.dir"), {"host/base/a.c", "a.c"})


def main():
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    house.control(lambda texts: list(include_faults(texts)), PLANTED_INCLUDES)
    house.control(lambda texts: list(sentence_faults(texts)), PLANTED_SENTENCES)
    for arrows, words in PLANTED_CALLS:
        if not any(words in fault for fault in call_faults(arrows)):
            print(f"negative control: planted calls were not found ('{words}')")
            return 1
    if list(mirror_faults(MIRROR)):
        print("negative control: tests that mirror the rooms were rejected")
        return 1
    for name, others, words in PLANTED_MIRROR:
        if not any(words in fault for fault in mirror_faults([*others, *([name] if name else [])])):
            print(f"negative control: a test that mirrors no room was not found ('{words}')")
            return 1
    found = list(unused_faults(*PLANTED_UNUSED))
    if len(found) != 1 or "pio_c" not in found[0]:
        print("negative control: the function that is planted unused, and no other, is to be found")
        return 1
    objects, stale = without_stale(*PLANTED_STALE)
    if list(objects.values()) != ["host/base/a.c"] or [path.name for path in stale] != ["a.c.o"]:
        print("negative control: the object that is planted without a source, and no other, is to be left out")
        return 1
    names = house.files(".c", ".h", ".cu", ".cuh", ".def")
    texts = {name: house.read(name) for name in names if name.split("/")[0] in ORDER}
    defined, wanted = symbols_of(sys.argv[1], pathlib.Path(sys.argv[2]), set(names))
    arrows = calls(defined, wanted)
    if not any(targets for targets in arrows.values()):
        print(f"no call was found in the objects of {sys.argv[2]}")
        return 1
    faults = [*sentence_faults(texts), *include_faults(texts), *call_faults(arrows),
              *unused_faults(defined, wanted, texts), *mirror_faults(house.files())]
    return house.finish("rooms", faults, len(texts))


if __name__ == "__main__":
    sys.exit(main())
