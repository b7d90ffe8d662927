#!/usr/bin/env python3
"""test_notebooks.py PIOLA [--write] -- runs the notebooks of docs/notebooks, or makes them.

They are the tutorials of docs/tutorial.md for Jupyter, one each, with what they print and draw: files become cells
%%writefile, commands cells %%sh, and `piola render` is the picture of the Python package. The cells of a notebook must
be those of the page. They are run in their order in a new empty folder, without Jupyter: both what is printed and what
the notebook has must be what the page `prints` (as in test_tutorial.py), and pictures the notebook's to within MOST
levels of 255 in the mean. `--write` makes the notebooks anew. Of outputs they have the lines that the page has: others
differ from machine to machine.

Negative controls: a changed cell, number and picture are each found.
"""
import ast
import base64
import contextlib
import copy
import io
import json
import os
import pathlib
import re
import shlex
import sys
import tempfile

import numpy
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkIOImage import vtkPNGReader

import test_tutorial as tutorial

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE, FOLDER = SOURCE / "docs" / "tutorial.md", SOURCE / "docs" / "notebooks"
NAMES = ("throw", "material", "gradient_field")  # by the order of the tutorials
MOST = 1.0  # levels; processors differ in the last bits, and a pixel of an edge may fall to either side
BEGIN = ("This notebook is a tutorial of [docs/tutorial.md](../tutorial.md). It needs the command `piola` on the "
         "`PATH` and the Python package piola; it writes into the folder in which Jupyter was started. Lines that are "
         "left out of an output are three dots.")
OPEN = "piola.open"
# After the cell that reads the file of the last tutorial with h5py.
OPENED, OPEN_TEXT = 'file = h5py.File("out/block/states.vtkhdf")', (
    f"`{OPEN}()` reads the same file, or the one of a run's folder, with shapes and units:")
OPEN_CELL = f"""import {OPEN.rpartition(".")[0]}

states = {OPEN}("out/block")
print(states.field("velocity"))
print("grad_E:", states.fields["grad_E"].meaning, "in", states.unit("grad_E"))
print("the same values:", np.array_equal(states.field("velocity")[:], velocity))
print("height at the end: %.4f m" % states[-1].positions[:, 2].mean())
"""
OPEN_PRINTS = """Field('velocity', shape (31, 1000, 3), unit 'm/s', points, every frame)
grad_E: derivative of the objective with respect to the Young's modulus of each particle in 1/Pa
the same values: True
height at the end: 0.2914 m
"""


class Cell:
    """A cell of a notebook, and what the page says that it prints."""

    def __init__(self, kind, source):
        self.kind, self.source, self.prints = kind, source.strip("\n"), ""


def picture(command):
    """`piola render FILE --option value ... -o NAME` as the statement of the Python package."""
    words = shlex.split(command)
    options = dict(zip(words[3::2], words[4::2]))
    options.setdefault("--size", "640x360")  # a notebook is small
    del options["-o"]
    given = [f"{key[2:]}={value if value.isdigit() else json.dumps(value)}" for key, value in options.items()]
    return f'import {OPEN.rpartition(".")[0]}\n\n{OPEN}({json.dumps(words[2])}).picture({", ".join(given)})'


def code_cells(kind, text, above):
    """The cells of a fenced block."""
    if kind in ("yaml", "csv"):
        return [Cell("file", f"%%writefile {tutorial.WRITE.search(above).group(1)}\n{text}")]
    if kind == "python":
        return [Cell("python", text)]
    commands = [line for line in text.splitlines() if line.startswith("piola render ")]
    rest = "".join(f"{line}\n" for line in text.splitlines() if line not in commands)
    return [*([Cell("sh", f"%%sh\n{rest}")] if rest else []), *(Cell("picture", picture(c)) for c in commands)]


def prose(lines):
    """Text of the page for a notebook, one folder below: no picture, as it is drawn, and headings one level up."""
    text = re.sub(r"^!\[.*\]\(.*\)\n\n?", "", "\n".join(lines), flags=re.M)
    text = re.sub(r"^#(#+ )", r"\1", text, flags=re.M)
    return re.sub(r"\]\((?!https?:)", "](../", text).strip("\n")


def convert(part):
    """The cells of a tutorial, which begins with its heading."""
    cells, lines, above = [], [], ""
    pieces = re.split(r"^```(\w*)\n(.*?)^```\n", part, flags=re.M | re.S)
    for text, kind, block in zip(pieces[::3], [*pieces[1::3], ""], [*pieces[2::3], ""]):
        text = prose(text.split("\n"))
        if text:
            lines = [line for line in text.split("\n\n") if line]
            above = " ".join(lines[-1].split("\n"))
            cells.append(Cell("text", text))
        if kind == "prints":
            last = cells[-1]
            if last.kind != "picture":
                last.prints = block
            if OPENED in last.source:
                cells += [Cell("text", OPEN_TEXT), Cell("python", OPEN_CELL)]
                cells[-1].prints = OPEN_PRINTS
        elif kind:
            cells += code_cells(kind, block, above)
    cells.insert(1, Cell("text", BEGIN))
    return cells


def page_cells():
    """[tutorials] of the cells that the page makes."""
    parts = re.split(r"^(?=## )", PAGE.read_text(), flags=re.M)[1:]
    assert len(parts) == len(NAMES), f"the page has {len(parts)} tutorials, not {len(NAMES)}"
    return [convert(part) for part in parts]


# ---- running


def run_python(source, session):
    """Run a cell; returns what it printed and the value of a last expression."""
    tree = ast.parse(source)
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(tree, "cell", "exec"), session)  # pylint: disable=exec-used
        value = eval(compile(last, "cell", "eval"), session) if last else None  # pylint: disable=eval-used
    return said.getvalue(), value


def run(cells, folder):
    """[cells] of (text, picture as PNG or None) of cells that are run in a folder."""
    found, session = [], {}
    os.chdir(folder)
    for cell in cells:
        first, _, rest = cell.source.partition("\n")
        text, png = "", None
        if cell.kind == "file":
            name = first.split()[1]
            text = f"Writing {name}\n"
            pathlib.Path(name).write_text(rest + "\n")
        elif cell.kind == "sh":
            block = tutorial.Block("sh", 0, "")
            block.text = rest + "\n"
            text = tutorial.run_shell(block, folder, {**os.environ, "OMP_WAIT_POLICY": "passive"})
        elif cell.kind in ("python", "picture"):
            text, value = run_python(cell.source, session)
            png = getattr(value, "_repr_png_", lambda: None)()
            text += "" if value is None else repr(value)
        found.append((text, png))
    os.chdir("/")
    return found


# ---- notebooks


def shortened(shown, printed):
    """Lines of `printed` that the page shows, with `...` for what it leaves out; None if they do not agree."""
    if not shown or not shown[0]:
        return [] if not any(printed) else None
    if shown[0] == "...":
        for k in range(len(printed) + 1):
            rest = shortened(shown[1:], printed[k:])
            if rest is not None:
                return ["...", *rest]
        return None
    if not printed or not tutorial.lines_agree(shown[0], printed[0]):
        return None
    rest, line = shortened(shown[1:], printed[1:]), printed[0]
    if shown[0].endswith("..."):
        count = len(tutorial.TOKEN.findall(shown[0].removesuffix("...")))
        line = line[:list(tutorial.TOKEN.finditer(line))[count - 1].end()] + "..."
    return None if rest is None else [line, *rest]


def outputs(cell, text, png, count):
    """The outputs of a cell, as a notebook has them."""
    if cell.kind == "sh":
        kept = shortened(cell.prints.strip("\n").split("\n"), text.strip("\n").split("\n")) if cell.prints else []
        assert kept is not None, f"the page says\n{cell.prints}but this was printed:\n{text}"
        text = "\n".join([*kept, ""]) if kept else ""
    if png is not None:
        data = {"image/png": base64.b64encode(png).decode() + "\n", "text/plain": [text]}
        return [{"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}]
    return [{"name": "stdout", "output_type": "stream", "text": text.splitlines(True)}] if text else []


def notebook(cells, found):
    """The notebook of cells and what was found when they ran."""
    made, count = [], 0
    for cell, (text, png) in zip(cells, found):
        source = cell.source.splitlines(True)
        if cell.kind == "text":
            made.append({"cell_type": "markdown", "metadata": {}, "source": source})
            continue
        count += 1
        made.append({"cell_type": "code", "execution_count": count, "metadata": {},
                     "outputs": outputs(cell, text, png, count), "source": source})
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": made, "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}}, "nbformat": 4,
            "nbformat_minor": 4}


def pixels(png):
    """[height][width][3] levels of a picture."""
    reader = vtkPNGReader()
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        file.write(png)
        file.flush()
        reader.SetFileName(file.name)
        reader.Update()
    image = reader.GetOutput()
    width, height, _ = image.GetDimensions()
    return vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[..., :3].astype(float)


def difference(one, other):
    """The mean difference of two pictures, in levels of 255; that of different sizes is 255."""
    return numpy.abs(one - other).mean() if one.shape == other.shape else 255.0


def stored(kept):
    """Text and picture of a cell in a notebook."""
    text, png = "", None
    for output in kept.get("outputs", []):
        text += "".join(output.get("text", output.get("data", {}).get("text/plain", [])))
        if "image/png" in output.get("data", {}):
            png = base64.b64decode(output["data"]["image/png"])
    return text, png


def faults(kept, cells, found):
    """What is wrong with a notebook whose cells are `cells`, which gave `found`."""
    wrong = []
    if ["".join(c["source"]) for c in kept["cells"]] != [c.source for c in cells]:
        return ["its cells are not those of the page; --write makes it anew"]
    for number, (has, cell, (text, png)) in enumerate(zip(kept["cells"], cells, found)):
        had, drawn = stored(has)
        if cell.prints:
            wrong += [f"cell {number}: the page says\n{cell.prints}but {what}:\n{says}"
                      for what, says in (("this was printed", text), ("the notebook has", had))
                      if not tutorial.agree(cell.prints.strip("\n").split("\n"), says.strip("\n").split("\n"))]
        elif cell.kind not in ("sh", "text") and had != text:
            wrong.append(f"cell {number}: the notebook has\n{had}\nbut this was found:\n{text}")
        if (png is None) != (drawn is None):
            wrong.append(f"cell {number}: a picture is missing")
        elif png is not None:
            off = difference(pixels(png), pixels(drawn))
            wrong += [f"cell {number}: the picture is off by {off:.3g} levels"] if off > MOST else []
    return wrong


def controls(kept, cells, found):
    """Spoil a cell and a number of a notebook; each has to be found. A picture on its head has to differ."""
    for what in "cell", "number":
        spoiled = copy.deepcopy(kept)
        for has, cell in zip(spoiled["cells"], cells):
            if what == "cell" and cell.kind == "sh":
                has["source"] = [*has["source"], "\n# more"]
            elif what == "number" and cell.prints:
                has["outputs"][0]["text"] = [re.sub(r"\d", "7", line) for line in has["outputs"][0]["text"]]
        assert faults(spoiled, cells, found), f"negative control: a spoiled {what} was not found"
    for _, png in found:
        if png is not None:
            off = difference(pixels(png), pixels(png)[::-1])
            print(f"a picture on its head is off by {off:.1f} levels, threshold {MOST}")
            assert off > MOST


def main():
    os.environ["PATH"] = f"{pathlib.Path(sys.argv[1]).resolve().parent}{os.pathsep}{os.environ['PATH']}"
    sys.path.insert(0, str(SOURCE / "tools" / "python"))
    write, wrong = sys.argv[2:] == ["--write"], 0
    for name, cells in zip(NAMES, page_cells()):
        path = FOLDER / f"{name}.ipynb"
        with tempfile.TemporaryDirectory() as folder:
            found = run(cells, pathlib.Path(folder))
        if write:
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(notebook(cells, found), indent=1, ensure_ascii=False) + "\n")
        kept = json.loads(path.read_text())
        said = faults(kept, cells, found)
        wrong += len(said)
        if not said:
            controls(kept, cells, found)
        print(f"{path.name}: {len(cells)} cells, {sum(png is not None for _, png in found)} pictures, "
              f"{path.stat().st_size / 1e3:.0f} kB, {len(said)} faults", *said, sep="\n  ", flush=True)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
