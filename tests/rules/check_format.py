#!/usr/bin/env python3
"""check_format.py [CLANG_FORMAT ...] -- all C, C++ and CUDA files are formatted as .clang-format says; lines are short.

No line of the files in SHORT is longer than the ColumnLimit of .clang-format. The first program given, or else found
on the path, that is of the version the files were formatted with is used: other versions break lines at other places.
`--write` formats the files.
"""
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import house

VERSION = "14"
FORMATTED = (".c", ".h", ".cu", ".cuh", ".cpp")
SOURCES = (*FORMATTED, ".def")
SCRIPTS = (".py", ".sh", ".cmake", "CMakeLists.txt", ".ci/run")
# Files whose lines are counted; bad scenes quote a message, and have its fault at a column, on purpose.
SHORT = (*SCRIPTS, *SOURCES, ".yaml")
ON_PURPOSE = "tests/data/bad_scenes/"
LIMIT = int(re.search(r"^ColumnLimit: (\d+)$", house.read(".clang-format"), re.M).group(1))
PLANTED = [("tools/a.sh", "true\n" + "#" * (LIMIT + 1) + "\n", f"a.sh:2: {LIMIT + 1} characters"),
           ("scenes/a.yaml", "# " + "x" * LIMIT + "\n", f"a.yaml:1: {LIMIT + 2} characters"),
           ("tests/CMakeLists.txt", "#" * 2 * LIMIT, f"CMakeLists.txt:1: {2 * LIMIT} characters")]
PLANTED_TORN = [("host/a.h", "typedef struct {\n    const int\n        *a; /* of a */\n} b;\n", "tears in two"),
                ("host/a.h", "typedef struct {\n    int64_t\n        a; /* of a */\n} b;\n", "tears in two"),
                ("host/a.h", "typedef struct {\n    int32_t a\n        [3]; /* of a */\n} b;\n", "tears in two"),
                ("host/a.h", "typedef struct {\n    double *a, *c,\n        *d; /* of a */\n} b;\n", "tears in two")]


def find(candidates):
    for candidate in candidates:
        path = shutil.which(candidate)
        said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout if path else ""
        match = re.search(r"version (\d+)\.", said)
        if match and match.group(1) == VERSION:
            return path
    return None


def long_lines(texts):
    return [f"{name}:{i}: {len(line)} characters in a line; at most {LIMIT}"
            for name, text in texts.items() for i, line in enumerate(text.split("\n"), 1) if len(line) > LIMIT]


# Two lines of one declaration, of which the second ends with its comment: `int64_t`, `int a,` or `int a` and the rest.
TORN = re.compile(r"^ +(?!return\b)\w[\w *,\[\]]*\n +[\w *,\[\]]+; +/\*", re.M)


def torn(texts):
    return [f"{name}:{house.line_of(text, match.start())}: a declaration that its comment tears in two; put it above"
            for name, text in texts.items() if name.endswith((".c", ".h")) for match in TORN.finditer(text)]


def unformatted(program, names, text=None):
    """{file: number of places} that are not formatted; `text` instead of the one file's own, when given."""
    command = [program, "-style=file", "--dry-run", *(["--assume-filename=" + names[0]] if text else names)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=house.ROOT)
    places = re.findall(r"^(\S+?):\d+:\d+: warning: code should be clang-formatted", done.stderr, re.M)
    if done.returncode or (done.stderr and not places):
        sys.exit(f"{program} ended with {done.returncode}: {done.stderr[:500]}")
    return {place: places.count(place) for place in sorted(set(places))}


def main():
    house.control(long_lines, PLANTED)
    house.control(torn, PLANTED_TORN)
    names = house.files(*FORMATTED)
    short = [name for name in house.files(*SHORT) if not name.startswith(ON_PURPOSE)]
    texts = {name: house.read(name) for name in short}
    faults = long_lines(texts) + torn(texts)
    candidates = [a for a in sys.argv[1:] if a != "--write"] + [f"clang-format-{VERSION}", "clang-format"]
    program = find(candidates)
    if not program and faults:
        return house.finish("length of lines", faults, len(short))
    if not program:
        house.not_checked(f"no clang-format {VERSION} among: {' '.join(candidates)}")
    if "--write" in sys.argv:
        return subprocess.run([program, "-style=file", "-i", *names], cwd=house.ROOT).returncode
    if not unformatted(program, ["host/planted.c"], "int f() { return 1; }\n"):
        print("negative control: a planted fault was not found")
        return 1
    print("negative control: 1 planted fault was found")
    faults += [f"{name}: {count} places are not formatted; tests/rules/check_format.py --write mends them"
               for name, count in unformatted(program, names).items()]
    return house.finish("format", faults, len({*short, *names}))


if __name__ == "__main__":
    sys.exit(main())
