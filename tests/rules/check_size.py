#!/usr/bin/env python3
"""check_size.py -- files read best under 500 lines, functions under 60 between their braces, with at most 7 arguments.

Arguments are counted in C text, of definitions and of prototypes."""
import ast
import re
import sys

sys.dont_write_bytecode = True
import house

FILE_LINES, FUNCTION_LINES, ARGUMENTS = 500, 60, 7
ALLOWED = {  # "file" or "file: function" -> why it is longer, or takes more
    # Builders of cases, whose arguments are the case.
    **{name: "builds a case of its arguments" for name in (
        "tests/kernels/base/kernel_cases.h: case_gradient_of",
        "tests/kernels/fem/kernel_cases_fem_face.h: fem_total_adjoint",
        "tests/kernels/base/kernel_cases_host.h: design_sums",
        "tests/kernels/base/kernel_cases_io.c: case_gradient_of",
        "tests/kernels/base/kernel_cases_io.c: fetch",
        "tests/solvers/fem/fem_case.c: fem_case_design",
        "tests/solvers/fem/fem_case.h: fem_case_design",
        "tests/solvers/fem/fem_case.h: fem_case_grid",
        "tests/solvers/fem/fem_case_mesh.c: face_place",
        "tests/solvers/fem/fem_case_mesh.c: fem_case_grid",
        "tests/solvers/mpm/mpm_case.c: fill",
        "tests/solvers/mpm/test_mpm_control.c: judge",
        "tests/solvers/mpm/test_mpm_signals.c: integrals_of")},
    # These stay: they have the arguments of NVIDIA's libraries.
    **{f"tests/cuda_stand_in/{file}: {name}": "is a function of NVIDIA's libraries, or gets its arguments"
       for files, names in (
           (("cudss.h", "cudss_stand_in.c"), ("cudssMatrixCreateCsr",)),
           (("cusolverSp.h", "cusolver_stand_in.c"), ("cusolverSpXcsrpermHost", "cusolverSpXcsrperm_bufferSizeHost")),
           (("cusolverSp_LOWLEVEL_PREVIEW.h", "cusolver_stand_in.c"), (
               "cusolverSpDcsrcholBufferInfo", "cusolverSpDcsrcholFactor", "cusolverSpDcsrqrBufferInfo",
               "cusolverSpDcsrqrFactor", "cusolverSpDcsrqrSetup", "cusolverSpXcsrqrAnalysis")),
           (("cusparse.h", "cusparse_stand_in.c"), (
               "cusparseCreateConstBsr", "cusparseCreateSpVec", "cusparseSpMV", "cusparseSpMV_bufferSize",
               "cusparseSpMV_preprocess")),
           (("cusparse_stand_in.c",), ("right_call",)))
       for file in files for name in names},
}


def c_functions(text):
    """(name, lines) of each function: from the brace in column 1, or at the end of its head, to the one in column 1."""
    lines = house.without_comments(text).split("\n")
    start = None
    for i, line in enumerate(lines):
        if line == "{":
            start = i
        elif re.match(r"[A-Za-z].*\)\s*(const\s*)?\{$", line) and not re.match(r"(typedef|enum|struct|union)\b", line):
            start = i
        elif re.match(r"\}\s*$", line) and start is not None:
            head = " ".join(lines[max(0, start - 4):start + 1])
            names = re.findall(r"(\w+)\s*\(", head.rsplit(";", 1)[-1].rsplit("}", 1)[-1])
            yield (names[0] if names else f"line {start + 1}"), i - start - 1
            start = None


# A function's head, up to the parenthesis before its arguments.
HEAD = re.compile(r"^(?!typedef\b)[A-Za-z_][\w\s*&:<>]*?\b(\w+)\s*\(", re.M)
ATTRIBUTE = re.compile(r"__attribute__\(\(\w+(?:\([^()]*\))?\)\)|__\w+__\(\w+\)")


def arguments(text, start):
    """How many there are behind the parenthesis that ends at `start`, and what follows the one that closes it."""
    depth, commas, at = 1, 0, start
    while depth and at < len(text):
        depth += (text[at] in "([{") - (text[at] in ")]}")
        commas += depth == 1 and text[at] == ","
        at += 1
    return (commas + 1 if text[start:at - 1].strip() not in ("", "void") else 0), text[at:].lstrip()[:1]


def c_arguments(text):
    """(name, arguments) of each function that begins in column 1: of its definition or prototype."""
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", "", house.without_comments(text, strings=True), flags=re.M)
    text = ATTRIBUTE.sub("", text)
    for head in HEAD.finditer(text):
        count, behind = arguments(text, head.end())
        if behind in ("{", ";", ":"):
            yield head.group(1), count


def python_functions(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.name, node.end_lineno - node.lineno


def check(texts):
    faults = []
    for name, text in texts.items():
        lines = text.count("\n")
        if lines >= FILE_LINES and name not in ALLOWED:
            faults.append(f"{name}: {lines} lines; under {FILE_LINES} read best")
        functions = []
        if name.endswith((".c", ".h", ".cu", ".cuh", ".cpp")):
            functions = c_functions(text)
        elif name.endswith(".py"):
            functions = python_functions(text)
        if name.endswith((".c", ".h", ".cu", ".cuh", ".cpp")):
            taken = {function: count for function, count in c_arguments(text) if count > ARGUMENTS}
            faults += [f"{name}: {function} takes {count} arguments; at most {ARGUMENTS}, or a struct, read best"
                       for function, count in taken.items() if f"{name}: {function}" not in ALLOWED]
        for function, length in functions:
            if length >= FUNCTION_LINES and f"{name}: {function}" not in ALLOWED:
                faults.append(f"{name}: {function} has {length} lines; under {FUNCTION_LINES} read best")
    return faults


PLANTED = [
    ("host/a.c", "int x;\n" * 500, "500 lines"),
    ("host/a.c", "static int f(int a)\n{\n" + "    a++;\n" * 60 + "}\n", "f has 60 lines"),
    ("tests/a.cpp", "int f() {\n" + "    a++;\n" * 60 + "}\n", "f has 60 lines"),
    ("host/a.h", "int f(int a, int b, int c, int d,\n      int e, int (*g)(int, int), int h, int i);\n", "f takes 8"),
    ("kernels/a.cu", "template <typename A>\nstatic int *f(" + "A a, " * 8 + "A b)\n{\n}\n", "f takes 9 arguments"),
    ("tools/a.py", "def f():\n" + "    pass\n" * 60, "f has 60 lines"),
]


def main():
    house.control(check, PLANTED)
    names = house.files(".c", ".h", ".cu", ".cuh", ".cpp", ".py", ".sh", ".def", ".cmake", "CMakeLists.txt")
    faults = check({name: house.read(name) for name in names})
    stale = [f"{entry}: allowed, but is not there" for entry in ALLOWED if entry.split(":")[0] not in names]
    return house.finish("size", faults + stale, len(names))


if __name__ == "__main__":
    sys.exit(main())
