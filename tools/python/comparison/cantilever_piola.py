#!/usr/bin/env python3
"""cantilever_piola.py PIOLA [--cells N] [--threads N] [--linear NAME]  -- the bar of cantilever.py by `piola run` and
`piola grad`. Times are those of the commands: with reading the scene, and for `grad` with writing the gradient."""
import json
import pathlib
import subprocess
import tempfile

import cantilever
import measure

SCENE = """version: 1
name: cantilever
description: a bar that is pulled down
method: {{type: fem, dimension: 3, precision: f64}}
solver: {{linear: {linear}}}
geometry:
  - {{name: bar, type: box, min: [0, 0, 0], max: {size}, element: hex8, elements: {elements}}}
materials:
  - {{name: rubber, model: neo_hookean, E: {E}, nu: {nu}}}
bodies:
  - {{name: bar, geometry: bar, material: rubber}}
boundary:
  - {{name: clamp, body: bar, on: {{group: left}}, type: fixed}}
loads:
  - {{name: weight, body: bar, on: {{group: right}}, type: traction, value: [0, 0, {traction}]}}
observe:
  - {{name: tip, type: displacement, body: bar, on: {{group: right}}}}
design:
  - {{name: stiffness, target: materials.rubber.E, per: element}}
objective:
  - {{type: minimize, of: tip.z}}
"""


def call(options, command, folder, modulus):
    """result.json of a command."""
    text = SCENE.format(linear=options.linear, size=list(cantilever.SIZE), E=modulus, nu=cantilever.NU,
                        elements=list(cantilever.elements(options.cells)), traction=cantilever.TRACTION)
    (folder / "bar.yaml").write_text(text)
    subprocess.run([options.piola, command, "bar.yaml", "-o", "out", "--threads", str(options.threads), "--quiet"],
                   cwd=folder, check=True)
    return json.loads((folder / "out/result.json").read_text())


def gradient_sum(options, folder):
    """dJ/dE of every element, summed."""
    subprocess.run([options.piola, "export", "out/states.vtkhdf", "--to", "csv", "-o", "last.csv"], cwd=folder,
                   check=True, capture_output=True)
    rows = [line.split(",") for line in (folder / "last_cells.csv").read_text().split("\n") if line]
    column = next(i for i, title in enumerate(rows[0]) if "grad_E" in title)
    return sum(float(row[column]) for row in rows[1:])


def main():
    parser = cantilever.options()
    parser.add_argument("piola")
    parser.add_argument("--linear", default="auto", help="who solves linear equations: auto, pcg, direct")
    options = parser.parse_args()
    options.piola = str(pathlib.Path(options.piola).resolve())
    modulus, step = cantilever.E, cantilever.STEP
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        low, high = (call(options, "run", folder, modulus * (1 + sign * step))["objective"] for sign in (-1, 1))
        _, forward, _ = measure.least(options.repeat, lambda: call(options, "run", folder, modulus))
        times, whole, result = measure.least(options.repeat, lambda: call(options, "grad", folder, modulus))
        gradient = gradient_sum(options, folder)
    cantilever.report(options, f"piola {result['solver']['linear']}", result["program"],
                      (result["objective"], gradient, (high - low) / (2 * step * modulus)),
                      (forward, whole, times[0]))


if __name__ == "__main__":
    main()
