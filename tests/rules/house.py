"""house.py -- what the checkers of the house rules share: our files, their text without comments, and reporting."""
import os
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDERS = ("include", "kernels", "solvers", "host", "tools", "tests", "scenes", "docs")
# Where words and comments keep the rules of CONTRIBUTING.md, as check_words.py and check_prototypes.py hold.
CLEAN = ("include/", "kernels/", "solvers/", "host/", "tools/", "scenes/", "tests/data/", "tests/host/",
         "tests/kernels/", "tests/python/", "tests/solvers/", "tests/system/")
NOT_CHECKED = 77  # the exit code that ctest shows as "Skipped"


def files(*suffixes):
    """Our files, relative to the root, in order: those in FOLDERS and the top level; all, or with these suffixes."""
    top = [p for p in ROOT.iterdir() if p.is_file() and p.name != ".git"] + [ROOT / ".ci/run"]
    inside = [p for f in FOLDERS for p in (ROOT / f).rglob("*") if p.is_file() and "__pycache__" not in p.parts]
    names = [p.relative_to(ROOT).as_posix() for p in top + inside if p.is_file()]
    return sorted(n for n in names if not suffixes or n.endswith(suffixes))


def read(name):
    """The text of a file of ours; bytes that are no UTF-8 are replaced (bad scenes have some on purpose)."""
    return (ROOT / name).read_bytes().decode("utf-8", errors="replace")


_TOKEN = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)


def without_comments(text, strings=False):
    """C text with comments blanked, and with `strings` also what is within quotes. Lines and columns stay."""

    def blank(match):
        token = match.group()
        if token[0] == "/" or (strings and len(token) > 1):
            return re.sub(r"[^\n]", " ", token)
        return token

    return _TOKEN.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def not_checked(why):
    """End: not checked. That is a failure where CI=true, because there everything must be checked."""
    print(f"not checked: {why}")
    sys.exit(1 if os.environ.get("CI") == "true" else NOT_CHECKED)


def finish(what, faults, count):
    """Print the faults and end with the exit code."""
    for fault in faults:
        print(fault)
    print(f"{what}: {len(faults)} faults in {count} files")
    sys.exit(1 if faults else 0)


def control(check, planted):
    """The negative control: `check({name: text})` must find each planted fault, and say these words."""
    for name, text, words in planted:
        said = check({name: text})
        if not any(words in s for s in said):
            print(f"negative control: a planted fault in {name} was not found ('{words}'): {text!r}; said {said}")
            sys.exit(1)
    print(f"negative control: {len(planted)} planted faults were found")
