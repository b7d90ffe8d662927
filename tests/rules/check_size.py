#!/usr/bin/env python3
"""check_size.py -- files read best under 500 lines, functions under 60 between their braces, with at most 7 arguments.

Arguments are counted in C text, of definitions and of prototypes."""
import ast
import re
import sys

sys.dont_write_bytecode = True
import house

FILE_LINES, FUNCTION_LINES, ARGUMENTS = 500, 60, 7
# Functions of NVIDIA's libraries, which their stand-ins have as they are.
NVIDIA = re.compile(r"tests/cuda_stand_in/[^:]*: (cuda|cudss|cusolverSp|cusparse)[A-Z]\w*$")


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
        if lines >= FILE_LINES:
            faults.append(f"{name}: {lines} lines; under {FILE_LINES} read best")
        functions = []
        if name.endswith((".c", ".h", ".cu", ".cuh", ".cpp")):
            functions = c_functions(text)
        elif name.endswith(".py"):
            functions = python_functions(text)
        if name.endswith((".c", ".h", ".cu", ".cuh", ".cpp")):
            taken = {function: count for function, count in c_arguments(text) if count > ARGUMENTS}
            faults += [f"{name}: {function} takes {count} arguments; at most {ARGUMENTS}, or a struct, read best"
                       for function, count in taken.items() if not NVIDIA.match(f"{name}: {function}")]
        for function, length in functions:
            if length >= FUNCTION_LINES:
                faults.append(f"{name}: {function} has {length} lines; under {FUNCTION_LINES} read best")
    return faults


PLANTED = [
    ("host/a.c", "int x;\n" * 500, "500 lines"),
    ("host/a.c", "static int f(int a)\n{\n" + "    a++;\n" * 60 + "}\n", "f has 60 lines"),
    ("tests/a.cpp", "int f() {\n" + "    a++;\n" * 60 + "}\n", "f has 60 lines"),
    ("host/a.h", "int f(int a, int b, int c, int d,\n      int e, int (*g)(int, int), int h, int i);\n", "f takes 8"),
    ("kernels/a.cu", "template <typename A>\nstatic int *f(" + "A a, " * 8 + "A b)\n{\n}\n", "f takes 9 arguments"),
    ("tests/cuda_stand_in/a.c", "static int right_call(" + "int a, " * 7 + "int b)\n{\n}\n", "right_call takes 8"),
    ("tools/a.py", "def f():\n" + "    pass\n" * 60, "f has 60 lines"),
]


def main():
    house.control(check, PLANTED)
    names = house.files(".c", ".h", ".cu", ".cuh", ".cpp", ".py", ".sh", ".def", ".cmake", "CMakeLists.txt")
    faults = check({name: house.read(name) for name in names})
    return house.finish("size", faults, len(names))


if __name__ == "__main__":
    sys.exit(main())
