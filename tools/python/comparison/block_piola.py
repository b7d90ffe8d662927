#!/usr/bin/env python3
"""block_piola.py PIOLA [--cells N] [--steps N] [--threads N] [--budget BYTES]  -- the block of block.py by `piola run`
and `piola grad`; with a budget the gradient keeps as many states as that holds. Times are those of the
commands, with reading the scene and writing results."""
import json
import pathlib
import subprocess
import tempfile

import block
import measure

SCENE = """version: 1
name: block
description: a free block that spins
method:
  type: mpm
  dimension: 3
  grid: {{spacing: {h}, min: [0, 0, 0], max: [{top}, {top}, {top}], walls: slip}}
time: {{dt: {dt}, duration: {end}}}
materials:
  - {{name: rubber, model: neo_hookean, E: {E}, nu: {nu}, density: {density}}}
geometry:
  - {{name: cube, type: box, min: [{low}, {low}, {low}], max: [{high}, {high}, {high}]}}
bodies:
  - {{name: block, geometry: cube, material: rubber, angular_velocity: {spin}}}
observe:
  - {{name: energy, type: kinetic_energy, body: block}}
design:
  - {{name: stiffness, target: materials.rubber.E, per: particle}}
objective:
  - {{type: minimize, of: energy}}
{memory}
output: {{states: {{every: {end}, fields: [velocity]}}}}
"""


def scene(options):
    low, end = block.margin(options.cells) * block.SPACING, options.steps * block.DT
    memory = f"gradient: {{memory: {{budget: {options.budget}, strategy: checkpoint}}}}" if options.budget else ""
    return SCENE.format(h=block.SPACING, top=round(block.nodes(options.cells) * block.SPACING, 6), dt=block.DT,
                        end=round(end, 9), E=block.E, nu=block.NU, density=block.DENSITY, low=round(low, 6),
                        high=round(low + options.cells * block.SPACING, 6), spin=list(block.SPIN), memory=memory)


def run(options, command, folder):
    """((wall-clock, CPU) time in s of the whole command, result.json, the sum of dJ/dE over all particles or None)"""

    def call():
        subprocess.run([options.piola, command, "block.yaml", "-o", "out", "--quiet",
                        "--threads", str(options.threads)],
                       cwd=folder, check=True)
        return json.loads((folder / "out/result.json").read_text())

    _, time, result = measure.least(options.repeat, call)
    gradient = None
    if command == "grad":
        subprocess.run([options.piola, "export", "out/states.vtkhdf", "--to", "csv", "-o", "last.csv"], cwd=folder,
                       check=True, capture_output=True)
        rows = [line.split(",") for line in (folder / "last.csv").read_text().split("\n") if line]
        column = next(i for i, title in enumerate(rows[0]) if "grad_E" in title)
        gradient = sum(float(row[column]) for row in rows[1:])
    return time, result, gradient


def main():
    parser = block.options()
    parser.add_argument("piola")
    parser.add_argument("--budget", default="", help="bytes of memory for the gradient, such as '64 MiB'")
    options = parser.parse_args()
    options.piola = str(pathlib.Path(options.piola).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "block.yaml").write_text(scene(options))
        forward, result, gradient = run(options, "run", folder)
        whole = None
        if not options.forward_only:
            whole, result, gradient = run(options, "grad", folder)
    block.report(options, "piola", result["program"], (result["objective"], gradient), (forward, whole))


if __name__ == "__main__":
    main()
