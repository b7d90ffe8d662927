#!/usr/bin/env python3
"""check_headers.py CC CXX [INCLUDE_FOLDER ...] -- every header compiles alone.

A header of host/ or solvers/ that a source includes before anything else compiles alone if that source does, which the
build shows, and any that a header of its own top folder includes first if that one does. The others, as C11: those of
solvers/ for both precisions and both dimensions, those of kernels/ in single precision and 2D; as C++17 too those of
include/, and those of kernels/ in double precision and 3D. The folders are those of libraries (HDF5, CUDA); without
CUDA's, its header is left out, and that said.
"""
import concurrent.futures
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import house

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-D_GNU_SOURCE", "-I.", "-Iinclude"]
C11 = ["-xc", "-std=c11", "-Wpedantic", "-Wconversion", "-Wdouble-promotion", "-Wshadow", "-Wstrict-prototypes"]
# math.h: nvcc, the C++ compiler that kernel text is for, includes it before the first line.
CXX17 = ["-xc++", "-std=c++17", "-Wshadow", "-include", "math.h"]
# What a header lacks depends on the precision or on the dimension, not on the pair; engines are built for every pair.
BUILDS = [[f"-DPIO_REAL={real}", f"-DPIO_DIM={dimension}", "-DPIO_BACKEND=pio_backend_cpu"]
          for real, dimension in (("float", 2), ("double", 3))]

OF_CUDA = "kernels/backend/cuda_calls.h"


def jobs(headers, cc, cxx, folders):
    """(name, text to compile, command) of every compilation."""
    system = [word for folder in folders if folder for word in ("-isystem", folder)]
    for name, text in headers:
        as_c = {"kernels": BUILDS[:1], "solvers": BUILDS}.get(top(name), [[]])
        as_cxx = {"kernels": BUILDS[1:], "include": [[]]}.get(top(name), [])
        for build in as_c:
            yield name, text, [cc, *C11, *WARNINGS, *build, *system, "-"]
        for build in as_cxx:
            yield name, text, [cxx, *CXX17, *WARNINGS, *build, *system, "-"]


def first_headers(names):
    """(header, file): what comes first in each file, but for comments and a guard, where that is a header of ours."""
    comment = re.compile(r"/\*.*?\*/", re.S)
    first = re.compile(r'\s*(?:#ifndef (\w+)\n#define \1\n\s*)?#include "([^"]+)"')
    found = ((first.match(comment.sub("", house.read(n))), n) for n in names)
    return {(match.group(2), n) for match, n in found if match}


def top(name):
    return name.split("/")[0]


def compile_one(job):
    name, text, command = job
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=house.ROOT)
    return f"{name} does not compile alone: {' '.join(command)}\n{done.stderr}" if done.returncode else None


def compile_all(work):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [fault for fault in pool.map(compile_one, work) if fault]


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    cc, cxx, folders = sys.argv[1], sys.argv[2], sys.argv[3:]
    control = [("host/planted.h", "static inline size_t planted(void) { return 1; }\n"),
               ("kernels/planted.h", '#include "kernels/base/base.h"\n'
                                     "PIO_FN real planted(real x) { return x * 0.1; }\n"),
               ("include/planted.h", "int class;\n")]
    for name, text in control:
        if not compile_all(list(jobs([(name, text)], cc, cxx, folders))):
            print(f"negative control: {name} compiles, but should not")
            return 1
    print(f"negative control: {len(control)} planted faults were found")
    names = [n for n in house.files(".h") if top(n) != "tests"]
    sources = [n for n in house.files(".c") if top(n) != "tests"]
    shown = {h for h, _ in first_headers(sources) if top(h) in ("host", "solvers")}
    shown |= {h for h, n in first_headers(names) if top(h) == top(n)}
    print(f"{len(shown)} headers are the first of a source or of a header")
    if not any(os.path.exists(os.path.join(folder, "cuda_runtime_api.h")) for folder in folders):
        print(f"not checked: {OF_CUDA}: no folder has CUDA's headers")
        names.remove(OF_CUDA)
    work = list(jobs([(n, f'#include "{n}"\n') for n in names if n not in shown], cc, cxx, folders))
    print(f"{len(work)} compilations")
    return house.finish("headers", compile_all(work), len(names))


if __name__ == "__main__":
    sys.exit(main())
