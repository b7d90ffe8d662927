#!/usr/bin/env python3
"""check_layers.py -- who may include whom, where devices are known, and the dialect of kernel text.

    include <- kernels <- solvers <- host <- tools, tests      the left may be included by the right
"""
import re
import sys

sys.dont_write_bytecode = True
import house

MAY_INCLUDE = {
    "include": {"include"},
    "kernels": {"kernels"},
    "solvers": {"include", "kernels", "solvers"},
    "host": {"include", "solvers", "host"},
    "tools": {"include", "tools"},
    "tests": {"include", "kernels", "solvers", "host", "tests"},
}
CUDA_FILE = "kernels/backend/cuda.cu"
CUDA_GROUPS = tuple(f"kernels/backend/cuda_{group}.cu" for group in (
    "contact", "mpm_particle", "mpm_scatter", "mpm_gather", "mpm_boundary", "mpm_reversible", "fem_solid", "fem_load",
    "fem_pairs", "fem_observe", "base", "linear"))
CUDA_FILES = (CUDA_FILE, *CUDA_GROUPS, "kernels/backend/cuda_grids.cuh", "kernels/backend/cuda_put.cuh",
              "kernels/backend/cuda_calls.h",
              "kernels/backend/direct_cusolver.c",
              "kernels/backend/direct_cudss.c", "kernels/backend/product_cusparse.c",
              *("tests/cuda_stand_in/" + name for name in (
                  "cuda_runtime.h", "declarations.c", "cudss.h", "cudss_stand_in.c", "cusolverSp.h",
                  "cusolverSp_LOWLEVEL_PREVIEW.h", "cusolver_stand_in.c", "cusparse.h", "cusparse_stand_in.c")))
FILLER = "host/base/fail.h"  # the one function that fills an error: the tools have it from the host, beside piola.h
VOCABULARY = "kernels/base/vocabulary.h"
GRIDS = "kernels/backend/cuda_grids.cuh"
DIALECT = "kernels/base/base.h"  # the few words that differ between compilers, under __CUDACC__

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.M)
CUDA = re.compile(r"\b(cuda[A-Z_]\w*|__(?:global|device|shared|constant|host)__|__syncwarp|__syncthreads|__shfl\w*|"
                  r"threadIdx|blockIdx|blockDim|gridDim|__CUDACC__|__CUDA_ARCH__)\b|<<<")
CUDA_HEADER = re.compile(r"^(cuda|cusparse|cusolver|cublas|cudss|cooperative_groups|thrust)")
ATOMIC = re.compile(r"\batomic[A-Z]\w*\s*\(|\b__atomic_(?!load|signal|thread)\w+|\b__sync_\w+|\b_Atomic\b|"
                    r"\bstd::atomic\b|\bstdatomic\.h\b")
ATOMIC_OMP = re.compile(r"#\s*pragma\s+omp\s[^\n]*\b(atomic|reduction)\b")
ONE_FUNCTION = re.compile(r"^(?:PIO_FN|static __device__)[^{;]*\{.*?^\}", re.M | re.S)
FLOATING_TYPE = re.compile(r"\b(real|wide|narrow|float|double)\b")
FLOATING = re.compile(r"(?<![\w.])(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?[fFlL]?(?!\w)")
INSIDE = re.compile(r"\b(?:[RW]|NARROW)\(")
DIALECT_FAULTS = [
    (re.compile(r"[{,]\s*\.\w+\s*="), "designated initialiser"),
    (re.compile(r"(?:[=,(&?:]|\breturn\b)\s*\(\s*(?:const\s+)?\w+\s*(?:\[\w*\]\s*)?\)\s*\{"), "compound literal"),
    (re.compile(r"\b(?:restrict|_Generic|template|goto|malloc|free|printf)\b"), "not in kernel text"),
    (re.compile(r"\b(?:sqrt|exp|log|pow|sin|cos|tan|floor|ceil|fabs|fmin|fmax|fma)[fl]\s*\("), "suffixed function"),
]


def include_faults(name, text, known):
    folder = name.split("/")[0]
    for match in INCLUDE.finditer(text):
        form, target = match.groups()
        where = f"{name}:{house.line_of(text, match.start())}: "
        if CUDA_HEADER.search(target) and name not in CUDA_FILES:
            yield where + f"includes {target}: only {', '.join(CUDA_FILES)} know CUDA"
        if form == "<":
            continue
        path = next((p for p in (target, "include/" + target) if p in known), None)
        if not path:
            yield where + f"includes \"{target}\", which is not there; paths start at the root or in include/"
        elif path.split("/")[0] not in MAY_INCLUDE[folder] and (folder, path) != ("tools", FILLER):
            yield where + f"includes {path}: {folder}/ may include {', '.join(sorted(MAY_INCLUDE[folder]))}"
        elif folder == "tools" and path.startswith("include/") and path != "include/piola.h":
            yield where + f"includes {path}: tools/ uses piola.h and the filler of errors only"


def atomic_faults(name, text):
    """Sums have a fixed order: no atomic but on integers, in base.h and in the grids; no OpenMP reduction."""
    integer = []
    if name in (DIALECT, GRIDS):
        integer = [m.span() for m in ONE_FUNCTION.finditer(text) if not FLOATING_TYPE.search(m.group())]
    for match in ATOMIC.finditer(text):
        if not any(a <= match.start() < b for a, b in integer):
            place = f"{name}:{house.line_of(text, match.start())}"
            yield f"{place}: atomic '{match.group()}' outside integer code of {DIALECT} and {GRIDS}"
    for match in ATOMIC_OMP.finditer(text):
        yield f"{name}:{house.line_of(text, match.start())}: OpenMP {match.group(1)}: its order is not fixed"


def inside_spans(text):
    """What lies within the parentheses of R(...), W(...) and NARROW(...)."""
    for match in INSIDE.finditer(text):
        depth, at = 1, match.end()
        while depth and at < len(text):
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        yield match.end(), at


def dialect_faults(name, text):
    spans = list(inside_spans(text))
    for match in FLOATING.finditer(text):
        if not any(a <= match.start() < b for a, b in spans):
            literal = match.group()
            yield f"{name}:{house.line_of(text, match.start())}: naked floating literal {literal}: write R({literal})"
    for pattern, what in DIALECT_FAULTS:
        for match in pattern.finditer(text):
            yield f"{name}:{house.line_of(text, match.start())}: {what}: {' '.join(match.group().split())}"


def check(texts, known=frozenset()):
    faults = []
    for name, raw in texts.items():
        text = house.without_comments(raw)
        code = house.without_comments(raw, strings=True)
        folder = name.split("/")[0]
        faults += include_faults(name, text, known or set(texts))
        faults += atomic_faults(name, code) if folder != "tests" else []
        if name not in (*CUDA_FILES, DIALECT) and folder != "tests":
            faults += [f"{name}:{house.line_of(code, m.start())}: CUDA word '{m.group()}' outside kernels/backend"
                       for m in CUDA.finditer(code)]
        if name.startswith("kernels/") and name.endswith(".h") and not name.startswith("kernels/backend/"):
            faults += dialect_faults(name, code)
    return faults


def reached(name, texts):
    """Every file of ours that `name` includes, directly or not."""
    seen, todo = set(), [name]
    while todo:
        text = house.without_comments(texts[todo.pop()])
        for match in INCLUDE.finditer(text):
            for path in (match.group(2), "include/" + match.group(2)):
                if path in texts and path not in seen:
                    seen.add(path)
                    todo.append(path)
    return seen


def real_faults(texts):
    """The host never sees `real`: no kernel header reaches it through a solver's header but VOCABULARY, which has names
    alone. The tools see piola.h and FILLER."""
    for name in texts:
        allowed = {"host": ("include/", "solvers/", "host/"),
                   "tools": ("include/", "tools/", FILLER)}.get(name.split("/")[0])
        for path in sorted(reached(name, texts)) if allowed else []:
            if not path.startswith(allowed) and not (path == VOCABULARY and name.startswith("host/")):
                yield f"{name}: reaches {path} through its includes"


KNOWN = frozenset(["kernels/base/base.h", "solvers/mpm/mpm.h", "host/scene/scene.h", "include/piola.h",
                   "tools/options.h"])
PLANTED = [
    ("kernels/a.h", '#include "solvers/mpm/mpm.h"\n', "may include kernels"),
    ("kernels/a.h", '#include "piola.h"\n', "may include kernels"),
    ("solvers/a.c", '#include "host/scene/scene.h"\n', "may include"),
    ("host/a.c", '#include "kernels/base/base.h"\n', "may include"),
    ("include/a.h", '#include "kernels/base/base.h"\n', "may include include"),
    ("tools/a.c", '#include "host/scene/scene.h"\n', "may include"),
    ("host/a.c", '#include "nowhere.h"\n', "not there"),
    ("solvers/a.c", "#include <cuda_runtime.h>\n", "know CUDA"),
    ("solvers/a.c", "int f(void) { return cudaMalloc(0, 0); }\n", "CUDA word"),
    ("kernels/a.h", "PIO_FN int f(void) { return threadIdx.x; }\n", "CUDA word"),
    ("kernels/a.h", "PIO_FN void f(real *x) { atomicAdd(x, R(1)); }\n", "atomic"),
    (DIALECT, "PIO_FN void f(real *x)\n{\n    atomicAdd(x, R(1));\n}\n", "atomic"),
    (CUDA_FILE, "__global__ void f(double *x) { atomicAdd(x, 1.0); }\n", "atomic"),
    (GRIDS, "static __device__ void f(double *x)\n{\n    atomicAdd(x, 1.0);\n}\n", "atomic"),
    ("kernels/backend/cpu.c", "#pragma omp atomic\nx += 1;\n", "OpenMP atomic"),
    ("solvers/a.c", "#pragma omp parallel for reduction(+ : sum)\n", "OpenMP reduction"),
    ("kernels/fem/a.h", "PIO_FN real f(real x) { return 0.5 * x; }\n", "naked floating literal 0.5"),
    ("kernels/a.h", "PIO_FN real f(real x) { return R(0.5) * x + 1e-3f; }\n", "naked floating literal 1e-3f"),
    ("kernels/a.h", "PIO_FN narrow f(narrow x) { return NARROW(1.5) * x + 2.5; }\n", "naked floating literal 2.5"),
    (DIALECT, "PIO_FN void f(narrow *x)\n{\n    atomicAdd(x, NARROW(1));\n}\n", "atomic"),
    ("kernels/a.h", "static const s t = {.x = 1};\n", "designated"),
    ("kernels/a.h", "PIO_FN s f(int i) { return (s){i}; }\n", "compound"),
    ("kernels/a.h", "PIO_FN real f(real x) { return sqrtf(x); }\n", "suffixed"),
]


def main():
    house.control(lambda texts: check(texts, KNOWN), PLANTED)
    names = house.files(".c", ".h", ".cu", ".cuh", ".cpp", ".def")
    if INCLUDE.findall(house.read(VOCABULARY)) != [("<", "stdint.h")]:
        print(f"{VOCABULARY}: it includes more than names need, <stdint.h>")
        return 1
    texts = {name: house.read(name) for name in names}
    deep = dict(texts, **{"host/planted.c": '#include "solvers/mpm/mpm.h"\n'})
    if not any(fault.startswith("host/planted.c: reaches kernels/") for fault in real_faults(deep)):
        print("negative control: a planted way from host/ to kernels/ was not found")
        return 1
    return house.finish("layers", check(texts) + list(real_faults(texts)), len(names))


if __name__ == "__main__":
    sys.exit(main())
