#!/usr/bin/env python3
"""check_words.py -- what no file of ours has: a path of someone's machine, an address that is not in the list, a
promise instead of code, bytes that are no text, a comment that names a file which is not there; and on pages and in
the rooms of house.CLEAN no word that the glossary replaces.

The glossary is the table in CONTRIBUTING.md. In its second column, words in `code` are never right: they are searched
for with their endings, in comments, texts and names; the others have an ordinary meaning too. `reverse` has a rule of
its own: it is the inverse of a step, so that rooms that know no steps do not say it."""
import re
import sys

sys.dont_write_bytecode = True
import house

ADDRESSES = {  # hosts that our files may name, and what for
    "dmlc.github.io": "DLPack, whose structures piola_dlpack.h has",
    "json-schema.org": "the draft that `piola schema` follows",
    "www.apache.org": "the licence",
    "keepachangelog.com": "the form of the changelog",
    "deb.debian.org": "Debian's packages, among which a long test installs ours",
}
FAULTS = [
    (re.compile(r"(?<![\w.>)\]-])/(?:work|home|root|Users|mnt|srv|opt)/[\w.-]"), "path of one machine"),
    (re.compile(r"/tmp/(?!piola)\w[\w.-]*"), "path of one machine"),
    (re.compile(r"\bhelper-\w+|(?<!--no-)\bsand[- ]?box\w*|\bscratch ?pad\b", re.I), "word about how this was made"),
    (re.compile(r"\b(?:extra-)?index-" r"url\b|\btrusted-" r"host\b|\bhttps?_proxy\b", re.I), "setting of one network"),
    (re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b"), "promise instead of code"),
    (re.compile(r"[ \t]+$", re.M), "blank at the end of a line"),
]
ADDRESS = re.compile(r"\b(?:https?|ftp)://([\w.-]+)")
CLEAN = (*house.CLEAN, "README.md", "docs/")
OTHERS = re.compile(r"\bwp\.Tape\b|\bmesh\.reverse\(\)")  # names of other programs that are words of the glossary
# `reverse` is the inverse of a step; these rooms know no steps, or time them without inverting any
REVERSE = re.compile(r"(?<![A-Za-z])reverse[sd]?(?![A-Za-z])|(?<![A-Za-z])reversing(?![A-Za-z])")
NO_REVERSE = tuple(f"{side}{room}/" for side in ("host/", "tests/host/") for room in (
    "base", "bench", "config", "data", "export", "mesh", "optimize", "render", "snapshot", "surface", "verify")) + (
    "kernels/linear/", "kernels/material/", "solvers/linear/", "host/command/command_bench.c")
# bad scenes and seeds of fuzz targets have odd bytes and blanks
ON_PURPOSE = re.compile(r"tests/data/(bad_scenes|corpus)/|LICENSE$")

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
FILE = re.compile(r"(?<![\w./-])(?:[\w-]+/)*([\w-]+\.(?:c|h|cu|cuh|def|cpp|md|py|sh))(?!\w)")
FOREIGN = re.compile(r"(?:cmocka|tgmath|vtk\w+)\.h")  # files of others that comments name
NAMES = {name.rsplit("/", 1)[-1] for name in house.files()}

ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.M)


def glossary(page):
    """[(pattern, what to write)] of the words in `code` in the second column of the page's table of words."""
    found = []
    for write, words in ROW.findall(page.partition("## Names and words")[2].partition("\n## ")[0]):
        for word in re.findall(r"`([^`]+)`", words):
            first, *rest = word.split()
            forms = f"(?:{first}[sd]?|{first[:-1]}ing)" if first.endswith("e") else f"(?:{first}(?:s|es|d|ed|ing)?)"
            pattern = r"[\s*_]+".join([forms, *rest])
            found.append((re.compile(rf"(?<![A-Za-z]){pattern}(?![A-Za-z])", re.I), write))
    return found


GLOSSARY = glossary(house.read("CONTRIBUTING.md"))


def check(texts):
    faults = [] if GLOSSARY else ["CONTRIBUTING.md: its table of words has no word in `code`"]
    for name, text in texts.items():
        for pattern, what in FAULTS if not ON_PURPOSE.match(name) else FAULTS[:4]:
            for match in pattern.finditer(text):
                faults.append(f"{name}:{house.line_of(text, match.start())}: {what}: '{match.group()}'")
        own = OTHERS.sub(lambda match: " " * len(match.group()), text)
        for pattern, write in GLOSSARY if name.startswith(CLEAN) else ():
            for match in pattern.finditer(own):
                faults.append(f"{name}:{house.line_of(text, match.start())}: '{match.group()}': write {write}")
        for match in REVERSE.finditer(own) if name.startswith(NO_REVERSE) else ():
            faults.append(f"{name}:{house.line_of(text, match.start())}: '{match.group()}' is the inverse of a step; "
                          "there is none here")
        for comment in COMMENT.finditer(text) if name.endswith((".c", ".h", ".cu", ".cuh", ".def", ".cpp")) else ():
            for match in FILE.finditer(comment.group()):
                if match.group(1) not in NAMES and not FOREIGN.fullmatch(match.group(1)):
                    faults.append(f"{name}:{house.line_of(text, comment.start() + match.start())}: a comment names "
                                  f"'{match.group()}', which is not there")
        for match in ADDRESS.finditer(text):
            if match.group(1) not in ADDRESSES:
                faults.append(f"{name}:{house.line_of(text, match.start())}: address '{match.group()}' is not in the "
                              "list of tests/rules/check_words.py")
        if not ON_PURPOSE.match(name) and text and ("\r" in text or "\ufffd" in text or not text.endswith("\n")):
            faults.append(f"{name}: not UTF-8 text with line feeds, the last line too")
    return faults


PLANTED = [
    ("host/a.c", 'open("/ho' 'me/someone/x");\n', "path of one machine"),
    ("host/a.c", 'open("/tm' 'p/other/x");\n', "path of one machine"),
    ("README.md", "made in a sand" "box\n", "how this was made"),
    ("tools/a.sh", "pip install --index-" "url x\n", "one network"),
    ("tools/a.sh", "curl https:" "//example.org/x\n", "address"),
    ("host/a.c", "/* TO" "DO */\n", "promise"),
    ("host/a.c", "int x; \n", "blank"),
    ("host/a.c", "int x;\r\n", "line feeds"),
    ("host/a.c", "int x;", "line feeds"),
    ("host/base/a.c", "/* Tell" "s the number. */\n", "write report"),
    ("host/base/a.c", "void pio_bla" "me(void);\n", "write attribute"),
    ("tests/host/base/a.c", "/* The sweep\n * ba" "ck. */\n", "write adjoint sweep"),
    ("include/a.h", "/* Units that were taken ba" "ck. */\n", "write inverse step"),
    ("tools/a.c", 'puts("what was to' 'ld");\n', "write report"),
    ("solvers/a.c", "pio_ta" "pe_push(log);\n", "write residual log"),
    ("kernels/a.h", "/* See no_such_file" ".md. */\n", "which is not there"),
    ("docs/a.md", "a body is loo" "se\n", "write unconstrained"),
    ("README.md", "pressures that fol" "low\n", "write follower"),
    ("host/results/a.c", 'json("reverse' '_steps_run", n);\n', "write adjoint step"),
    ("kernels/base/a.h", "/* The rever" "se of field_read. */\n", "write the inverse of"),
    ("host/run/a.c", "pio_bal" "ance_report(s);\n", "write equilibrium check"),
    ("host/bench/a.c", "pio_fem_tri" "al_free(&t);\n", "write benchmark case"),
    ("solvers/engine/a.h", "double dou" "bt;\n", "write error"),
    ("host/mesh/a.c", 'fail("node 3 stan' 'ds twice");\n', "write occurs twice"),
    ("host/bench/a.c", "double reverse" "_cpu;\n", "inverse of a step"),
]


def words_of(name):
    """The text of a file, of a page without the pictures in it, whose letters are no words."""
    text = house.read(name)
    return re.sub(r";base64,[A-Za-z0-9+/=]+", ";base64,", text) if name.endswith(".html") else text


def main():
    house.control(check, PLANTED)
    names = house.files()
    names = [n for n in names if not n.endswith((".png", ".vtkhdf"))]
    return house.finish("words", check({name: words_of(name) for name in names}), len(names))


if __name__ == "__main__":
    sys.exit(main())
