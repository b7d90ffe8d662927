#!/usr/bin/env python3
"""in_venv.py PYTHON SCRIPT|-m MODULE [ARGUMENT ...] -- runs a script with the Python of
the folder that tools/check.sh makes.

Where that Python or one of its packages is missing it says `not checked` and ends with 77; with CI=true, with 1.
"""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
import house

PACKAGES = ("h5py", "jsonschema", "numpy", "vtk", "yaml")
OF_PYTEST = ("pytest", "scipy")  # for tests/python


def main():
    if len(sys.argv) < 3:
        print(__doc__)
        return 2
    python = sys.argv[1]
    if not os.access(python, os.X_OK):
        house.not_checked(f"there is no {python}; tools/check.sh makes it")
    packages = PACKAGES + OF_PYTEST * ("pytest" in sys.argv[2:])
    code = f"import importlib.util as u; print(*[p for p in {packages!r} if not u.find_spec(p)])"
    asked = subprocess.run([python, "-c", code], capture_output=True, text=True)
    missing = "a working Python" if asked.returncode else asked.stdout.strip()
    if missing:
        house.not_checked(f"{python} lacks: {missing}; tools/check.sh installs it")
    sys.stdout.flush()
    os.execv(python, [python, *sys.argv[2:]])


if __name__ == "__main__":
    sys.exit(main())
