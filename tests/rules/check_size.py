#!/usr/bin/env python3
"""check_size.py -- files read best under 500 lines, functions under 60 between their braces."""
import ast
import re
import sys

sys.dont_write_bytecode = True
import house

FILE_LINES, FUNCTION_LINES = 500, 60
ALLOWED = {}  # "file" or "file: function" -> why it is longer


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
        if name.endswith((".c", ".h", ".cu", ".cpp")):
            functions = c_functions(text)
        elif name.endswith(".py"):
            functions = python_functions(text)
        for function, length in functions:
            if length >= FUNCTION_LINES and f"{name}: {function}" not in ALLOWED:
                faults.append(f"{name}: {function} has {length} lines; under {FUNCTION_LINES} read best")
    return faults


PLANTED = [
    ("host/a.c", "int x;\n" * 500, "500 lines"),
    ("host/a.c", "static int f(int a)\n{\n" + "    a++;\n" * 60 + "}\n", "f has 60 lines"),
    ("tests/a.cpp", "int f() {\n" + "    a++;\n" * 60 + "}\n", "f has 60 lines"),
    ("tools/a.py", "def f():\n" + "    pass\n" * 60, "f has 60 lines"),
]


def main():
    house.control(check, PLANTED)
    names = house.files(".c", ".h", ".cu", ".cpp", ".py", ".sh", ".def", ".cmake", "CMakeLists.txt")
    faults = check({name: house.read(name) for name in names})
    stale = [f"{entry}: allowed to be long, but is not there" for entry in ALLOWED if entry.split(":")[0] not in names]
    return house.finish("size", faults + stale, len(names))


if __name__ == "__main__":
    sys.exit(main())
