"""The structs and functions of the package are those of the headers, by the generator and by a C compiler."""
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys

import piola
import pytest
from piola import _abi
from piola._library import library

ROOT = pathlib.Path(__file__).resolve().parents[2]
STRUCTS = [c for c in vars(_abi).values() if isinstance(c, type) and issubclass(c, ctypes.Structure)
           and c is not ctypes.Structure]
ENUMS = [c for c in vars(_abi).values() if isinstance(c, type) and issubclass(c, _abi.IntEnum)
         and c is not _abi.IntEnum]


def test_the_generated_file_is_what_the_headers_say(tmp_path):
    command = [sys.executable, ROOT / "tools/python/make_abi.py", "--check"]
    assert subprocess.run(command).returncode == 0
    copy = tmp_path / "tools/python"
    shutil.copytree(ROOT / "include", tmp_path / "include")
    shutil.copytree(ROOT / "tools/python/piola", copy / "piola")
    shutil.copy(ROOT / "tools/python/make_abi.py", copy)
    header = tmp_path / "include/piola_problem.h"
    header.write_text(header.read_text().replace("size_t n_samples;", "int n_samples;"))
    planted = subprocess.run([sys.executable, copy / "make_abi.py", "--check"], stdout=subprocess.DEVNULL)
    assert planted.returncode == 1


def c_lines():
    """A C program that prints sizes, offsets and values; and what it should print."""
    lines, expected = [], []
    for struct in STRUCTS:
        name = struct.__name__
        lines.append(f'printf("%zu\\n", sizeof({name}));')
        expected.append(ctypes.sizeof(struct))
        for member, _ in struct._fields_:
            lines.append(f'printf("%zu %zu\\n", offsetof({name}, {member}), sizeof((({name} *)0)->{member}));')
            field = getattr(struct, member)
            expected.append(f"{field.offset} {field.size}")
    for enum in ENUMS:
        for value in enum:
            lines.append(f'printf("%d\\n", (int){value.name});')
            expected.append(int(value))
    return lines, [str(e) for e in expected]


def test_sizes_offsets_and_values_are_those_of_c(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    lines, expected = c_lines()
    text = "#include <piola.h>\n#include <stdio.h>\nint main(void)\n{\n" + "\n".join(lines) + "\nreturn 0;\n}\n"
    (tmp_path / "abi.c").write_text(text)
    subprocess.run([compiler, "-std=c11", f"-I{ROOT}/include", tmp_path / "abi.c", "-o", tmp_path / "abi"], check=True)
    printed = subprocess.run([tmp_path / "abi"], capture_output=True, text=True, check=True).stdout.split("\n")[:-1]
    wrong = sum(a != b for a, b in zip(printed, expected))
    print(f"sizes, offsets, values: {len(expected)} compared, {wrong} differ, threshold 0")
    assert printed == expected and len(STRUCTS) > 15 and len(ENUMS) == 3
    expected[1] = "8 8"
    assert printed != expected


def test_every_function_of_the_headers_is_there():
    text = "".join((ROOT / "include" / name).read_text() for name in ("piola.h", "piola_problem.h", "piola_status.h"))
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    names = set(re.findall(r"\b(piola_\w+)\(", text))
    assert names == set(_abi.FUNCTIONS) and len(names) > 50
    assert all(getattr(library(), name) for name in names)


def test_names_of_fields_are_those_of_the_engines():
    """Each field of an engine is listed by problem_fields.c, but for parameters and cotangents."""
    text = "".join((ROOT / name).read_text() for name in (
        "solvers/mpm/mpm_fields.c", "solvers/fem/fem_fields.c", "solvers/fem/fem_stress.c"))
    names = set(re.findall(r'\{"(\w+)", (?:\{|DERIVED_|PIO_POINT|POINT_)', text)) | set(
        re.findall(r'\[PIO_\w+\] = "(\w+)"', text)) | set(
        re.findall(r"^FIELD\(\w+, (\w+),", (ROOT / "kernels/fem/fem_fields.def").read_text(), re.M))
    listed = set(re.findall(r'\{"(\w+)", "', (ROOT / "host/command/problem_fields.c").read_text()))
    hidden = {name for name in names if re.match(r"adj_|grad_|parameter_\d|yield_\d|offset$", name)}
    assert names - hidden == listed and len(listed) > 25


def units_that_scenes_do_not_have(fields):
    """Units of fields, whatever engine has them, that neither a value of a scene nor an observation can have."""
    table = (ROOT / "docs/scene.md").read_text().partition("| quantity | units |")[2].partition("<!-- end -->")[0]
    words = (ROOT / "host/scene/words.c").read_text().partition("pio_observable_units[]")[2].partition("};")[0]
    known = {"", *re.findall(r"`(.*?)`", table), *re.findall(r'= "(.*?)"', words)}
    assert {"kg/m3", "m/s2", "J/m3", "Pa.s", "1/K"} <= known
    return sorted(set(re.findall(r'\{"\w+", "(.*?)"\}', fields)) - known)


def test_units_of_fields_are_spelled_as_in_scenes():
    listed = (ROOT / "host/command/problem_fields.c").read_text()
    wrong = units_that_scenes_do_not_have(listed)
    print(f"units of fields that scenes spell differently: {wrong}, none should be")
    assert wrong == [] and units_that_scenes_do_not_have(listed.replace('"kg/m3"', '"kg/m^3"')) == ["kg/m^3"]


def test_a_library_of_another_version_is_refused(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    functions = "".join(f"void {name}(void) {{}}\n" for name in _abi.FUNCTIONS if name != "piola_version")
    for text, message in ((functions + 'const char *piola_version(void) { return "0.0.9"; }\n', "is version 0.0.9"),
                          ("int nothing;\n", "has no function")):
        (tmp_path / "other.c").write_text(text)
        other = tmp_path / "libother.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-w", tmp_path / "other.c", "-o", other], check=True)
        code = f"import os; os.environ['PIOLA_LIBRARY'] = {str(other)!r}\nimport piola; piola.Problem('a.yaml')"
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert ended.returncode == 1 and "LibraryError" in ended.stderr and message in ended.stderr
    missing = f"import os; os.environ['PIOLA_LIBRARY'] = '{tmp_path}/none.so'\nimport piola; piola.Problem('a.yaml')"
    ended = subprocess.run([sys.executable, "-c", missing], capture_output=True, text=True)
    assert "PIOLA_LIBRARY" in ended.stderr and piola.__version__ == _abi.VERSION
