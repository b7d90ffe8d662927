#!/usr/bin/env python3
"""make_abi.py [--check] -- writes tools/python/piola/_abi.py: the structs, enums and functions of include/piola*.h for
ctypes. With --check nothing is written, and the exit code is 1 if the file is not what the headers say.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"
OUT = HERE / "piola" / "_abi.py"
HEADERS = ("piola_status.h", "piola.h", "piola_problem.h")  # each needs those before it alone

PLAIN = {"int": "c_int", "bool": "c_bool", "double": "c_double", "size_t": "c_size_t", "int64_t": "c_int64"}
HEAD = '''"""Structs, enums and functions of the headers of Piola, for ctypes; written by tools/python/make_abi.py."""
from ctypes import (POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p)
from enum import IntEnum
from typing import Any
'''


class Headers:
    """What the headers declare, in their order: enums, structs and functions."""

    def __init__(self, texts):
        self.version, self.enums, self.structs, self.functions, self.opaque = "", {}, {}, {}, set()
        for text in texts:
            self.read(text)

    def read(self, text):
        found = re.search(r'#define PIOLA_VERSION "([^"]+)"', text)
        self.version = found.group(1) if found else self.version
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = re.sub(r"^\s*#.*$", " ", text, flags=re.M)
        text = re.sub(r'extern "C" \{', " ", text)
        for match in re.finditer(r"typedef enum (\w+) \{(.*?)\} \w+;", text, re.S):
            self.enums[match.group(1)] = self.values(match.group(2))
        for match in re.finditer(r"typedef struct (\w+) \{(.*?)\} \w+;", text, re.S):
            self.structs[match.group(1)] = list(self.members(match.group(2)))
        self.opaque |= set(re.findall(r"typedef struct (\w+) \1;", text))
        text = re.sub(r"typedef[^;{]*\{.*?\}[^;]*;|typedef[^;]*;|extern const[^;]*;", " ", text, flags=re.S)
        for match in re.finditer(r"([\w ]+?[ *]+)(piola_\w+)\(([^()]*)\);", text):
            result, name, arguments = (" ".join(part.split()) for part in match.groups())
            parts = [] if arguments == "void" else [a.strip() for a in arguments.split(",")]
            self.functions[name] = (result, [re.fullmatch(r"(.*?)\w+", a).group(1).strip() for a in parts])

    @staticmethod
    def values(body):
        found, at = {}, 0
        for item in (item.strip() for item in body.split(",")):
            if item:
                name, _, value = (part.strip() for part in item.partition("="))
                at = int(value) if value else at
                found[name] = at
                at += 1
        return found

    @staticmethod
    def members(body):
        """(name, type with its stars, number of items or 0) of each member; a line may declare several."""
        for line in (line.strip() for line in body.split(";")):
            if not line:
                continue
            first, *others = line.split(",")
            base, stars, name, items = re.fullmatch(r"(.*?\w)\s*((?:\*|const|\s)*?)\s*(\w+)(?:\[(\d+)\])?",
                                                    " ".join(first.split())).groups()
            if base.endswith(" const"):
                base, stars = base[:-6], "const " + stars
            yield name, base + " " + stars, int(items or 0)
            for other in others:
                stars, name, items = re.fullmatch(r"((?:\*|const|\s)*?)\s*(\w+)(?:\[(\d+)\])?", other.strip()).groups()
                yield name, base + " " + stars, int(items or 0)

    def ctype(self, text):
        """The name of a type of ctypes, of "const char *const *" and so on."""
        words = re.sub(r"\bconst\b", " ", text)
        stars, base = words.count("*"), words.replace("*", " ").strip()
        if base == "char" and stars:
            kind, stars = "c_char_p", stars - 1
        elif base in self.opaque and stars or base == "void" and stars:
            kind, stars = "c_void_p", stars - 1
        elif base == "void":
            return "None"
        elif base == "char":
            kind = "c_char"
        elif base in self.enums:
            kind = "c_int"
        else:
            kind = PLAIN.get(base, base)
            if kind == base and base not in self.structs:
                raise SystemExit(f"make_abi.py: no type for '{text}'")
        return "POINTER(" * stars + kind + ")" * stars


def wrapped(head, items, tail):
    """Lines of at most 120 characters: head, items with commas, tail."""
    lines, at = [], head
    for i, item in enumerate(items):
        piece = item + (", " if i + 1 < len(items) else tail)
        if len(at) + len(piece.rstrip()) > 120:
            lines.append(at.rstrip())
            at = " " * 8
        at += piece
    return lines + [at if items else head + tail]


def text_of(h):
    lines = [HEAD, f'VERSION = "{h.version}"', ""]
    for name, values in h.enums.items():
        lines += ["", f"class {name}(IntEnum):"]
        lines += [f"    {key} = {value}" for key, value in values.items()]
        lines.append("")
    for name, members in h.structs.items():
        pairs = [f'("{member}", {h.ctype(kind)}{f" * {items}" if items else ""})' for member, kind, items in members]
        lines += ["", f"class {name}(Structure):", *wrapped("    _fields_ = [", pairs, "]"), ""]
    lines += ["", "# name: (type of the result, types of the arguments)"]
    lines.append("FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {")
    for name, (result, arguments) in h.functions.items():
        lines += wrapped(f'    "{name}": ({h.ctype(result)}, [', [h.ctype(a) for a in arguments], "]),")
    return "\n".join(lines) + "\n}\n"


def main():
    text = text_of(Headers([(INCLUDE / name).read_text() for name in HEADERS]))
    if sys.argv[1:] == ["--check"]:
        same = OUT.exists() and OUT.read_text() == text
        print(f"{OUT.name} {'is' if same else 'is NOT'} what the headers say")
        return 0 if same else 1
    OUT.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
