#!/usr/bin/env python3
"""in_venv.py [--packages NAME,...] PYTHON SCRIPT|-m MODULE [ARGUMENT ...] -- runs a script with the Python of
a folder that tools/check.sh makes.

Where that Python or one of its packages is missing it says `not checked` and ends with 77; with CI=true, with 1. The
packages are those that most tests need, or those named.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import house

PACKAGES = ("h5py", "jsonschema", "numpy", "vtk", "yaml")
OF_PYTEST = ("pytest", "scipy")  # for tests/python


def main():
    arguments, packages = sys.argv[1:], PACKAGES
    if arguments[:1] == ["--packages"]:
        packages, arguments = tuple("".join(arguments[1:2]).split(",")), arguments[2:]
    elif "pytest" in arguments:
        packages += OF_PYTEST
    if len(arguments) < 2:
        print(__doc__)
        return 2
    python = arguments[0]
    if not os.access(python, os.X_OK):
        house.not_checked(f"there is no {python}; tools/check.sh makes it")
    code = f"import importlib.util as u; print(*[p for p in {packages!r} if not u.find_spec(p)])"
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True)
    missing = "a working Python" if asked.returncode else asked.stdout.strip()
    if missing:
        house.not_checked(f"{python} lacks: {missing}; tools/check.sh installs it")
    sys.stdout.flush()
    os.execv(python, arguments)


if __name__ == "__main__":
    sys.exit(main())
