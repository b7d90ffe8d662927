#!/usr/bin/env python3
"""check_estimate.py BUILD NVCC_VERSION PIOLA [--write] -- what a step of particles takes on a GPU at the least, by the
instructions of its kernels and the bytes that they move.

- The table `estimate` of docs/performance.md is what the objects and `PIOLA bench mpm` say; --write writes it. It names
  the version of nvcc that made it, and is compared with objects of that version alone.
- The estimates are at most what FORWARD_NS and GRADIENT_NS say.

The objects are those of tests/estimate/gpu_case.cu, in which nothing but the case is left: 3D, f32, neo-Hookean, 8
particles per cell, all cells of a block occupied. Instructions are those of a warp. A loop's count is multiplied by its
passes, by the rules of the two functions *_of_block; what a loop holds is counted whole, the ends of unrolled loops
and the reports of faults too, so that the count errs upwards.
"""
import json
import pathlib
import re
import subprocess
import sys

import check_registers
import house
import sass

PAGE = "docs/performance.md"
# An H200: multiprocessors, warps that each issues an instruction of per cycle, cycles per second (GPU's boost clock);
# bytes per second that a copy reaches of the 4.8e12 in the data sheet (H200, NVIDIA 2024).
ISSUES, MEMORY = 132 * 4 * 1.98e9, 4.3e12
FORWARD_NS, GRADIENT_NS = 0.2, 0.8
PER_CELL, CELLS, WARP, TILE_NODES, TILES = 8, 64, 32, 216, 8
DIMENSIONS = 3
SPREAD = 27  # floating-point instructions of a particle in a lane that sums nodes, spread_run of mpm_team.h
FORWARD = ("mpm_p2g", "mpm_node_velocity", "mpm_g2p")
ADJOINT = ("mpm_p2g_adj", "mpm_g2p_adj")


def spread_passes(code, particles):
    """Passes of the loop over the particles of a cell, which takes several at a time."""
    at_a_time = code.count(particles, sass.FLOAT) / SPREAD
    return PER_CELL / max(at_a_time, 1)


def particles_of_block(code):
    """Instructions for the particles of a block in its kernels: a loop over batches of a warp's particles is the
    largest one inside. Inside that, the loop over cells has another one, over their particles; small ones look for a
    cell. Loops beside the batches are over the nodes of the tile, a warp of them at a time."""
    team = max(code.outer, key=lambda loop: len(loop.body))
    batch = max(team.inside, key=lambda loop: len(loop.body))
    tile = -(-TILE_NODES // WARP)
    total = team.own() + sum(tile * len(loop.body) for loop in team.inside if loop is not batch)
    batches, cells = PER_CELL * CELLS // WARP, WARP // PER_CELL
    each = batch.own()
    for loop in batch.inside:
        if loop.inside:
            each += cells * (loop.own() + sum(spread_passes(code, inner) * len(inner.body) for inner in loop.inside))
        else:
            each += (cells if len(loop.body) <= 20 else 1) * len(loop.body)
    return total + batches * each


def sums_of_block(code):
    """Instructions for the nodes of a block in mpm_node_velocity: a loop over the tiles that they are in has another
    one inside; others are over the nodes. The loop over nodes at walls, which has three inside, is left out: few blocks
    are at walls."""
    team = max(code.outer, key=lambda loop: len(loop.body))
    nodes = CELLS // WARP
    total = team.own()
    for loop in team.inside:
        if len(loop.inside) == DIMENSIONS:
            continue
        inner = sum(nodes * len(i.body) for i in loop.inside)
        total += TILES * (loop.own() + inner) if loop.inside else nodes * len(loop.body)
    return total


def count(build):
    """{kernel: instructions of a warp per particle}; empty where there are no objects."""
    found = {}
    for file in pathlib.Path(build).glob("tests/CMakeFiles/gpu_case.dir/estimate/gpu_case.cu.o"):
        for image in check_registers.images(file.read_bytes()):
            for name, at, size, _ in check_registers.sections(image):
                kernel = check_registers.kernel_of(name[6:]) if name.startswith(".text.") else None
                if kernel:
                    code = sass.Kernel(image[at:at + size])
                    of_block = sums_of_block if kernel[1] == "case_node_velocity" else particles_of_block
                    found["mpm" + kernel[1][4:]] = of_block(code) / (PER_CELL * CELLS)
    return found


def traffic(piola):
    """{kernel: bytes per particle}, with "forward" and "gradient" those of all kernels."""
    run = subprocess.run([piola, "bench", "mpm", "--dimension", "3", "--precision", "f32", "--particles", "100000",
                          "--steps", "1", "--json"], check=True, capture_output=True, text=True)
    said = json.loads(run.stdout)
    found = {k["name"]: k["bytes"] for k in said["kernels"] if "bytes" in k}
    return {**found, **{k: said["bytes"]["per_particle_step"][k] for k in ("forward", "gradient")}}


def least(instructions, moved):
    """ns per particle: the slower of issuing the instructions and moving the bytes."""
    return 1e9 * max(instructions / ISSUES, moved / MEMORY)


def estimates(instructions, moved):
    """(forward, gradient), ns per particle and step: hot kernels one after the other, and the bytes of all others. A
    gradient that keeps its states runs each step forward once."""
    def sweep(kernels, total):
        rest = max(total - sum(moved[k] for k in kernels), 0)
        return sum(least(instructions[k], moved[k]) for k in kernels) + least(0, rest)
    forward = sweep(FORWARD, moved["forward"])
    return forward, forward + sweep(ADJOINT, moved["gradient"] - moved["forward"])


def markdown(version, instructions, moved):
    forward, gradient = estimates(instructions, moved)
    lines = [f"nvcc {version}, sm_{check_registers.ARCH}; *estimated*, not measured:", "",
             "| kernel, 3D, f32 | instructions of a warp per particle | bytes per particle | ns, *estimated* |",
             "|---|--:|--:|--:|"]
    for kernel in dict.fromkeys(FORWARD + ADJOINT):
        lines.append(f"| `{kernel}` | {instructions[kernel]:.1f} | {moved[kernel]:.0f} | "
                     f"{least(instructions[kernel], moved[kernel]):.3f} |")
    lines += [f"| a step forward | | {moved['forward']:.0f} | **{forward:.2f}** |",
              f"| a step of a gradient, forward and adjoint | | {moved['gradient']:.0f} | **{gradient:.2f}** |"]
    return "\n".join(lines) + "\n"


def faults_of(version, instructions, moved, page):
    forward, gradient = estimates(instructions, moved)
    faults = []
    for what, ns, most in (("forward", forward, FORWARD_NS), ("gradient", gradient, GRADIENT_NS)):
        print(f"{what}: {ns:.3f} ns is estimated, at most {most} is wanted")
        if ns > most:
            faults.append(f"{what}: {ns:.3f} ns is more than {most}")
    match = re.search(r"<!-- table estimate -->\n(.*?)<!-- end -->", page, re.S)
    if not match:
        return faults + [f"{PAGE}: no '<!-- table estimate -->'"]
    if not match.group(1).startswith(f"nvcc {version},"):
        print(f"not compared: {PAGE} has the instructions of another nvcc than {version}")
    elif match.group(1) != markdown(version, instructions, moved):
        faults.append(f"{PAGE}: other estimates; --write mends the table")
    return faults


def control(version, instructions, moved):
    """Planted faults: twice the instructions and bytes of every kernel, and a table that differs by one of them."""
    page = f"<!-- table estimate -->\n{markdown(version, instructions, moved)}<!-- end -->"
    slow = {k: 4 * n for k, n in instructions.items()}, {k: 4 * n for k, n in moved.items()}
    other = {**instructions, "mpm_g2p": instructions["mpm_g2p"] + 1}
    return (not faults_of(version, instructions, moved, page) and len(faults_of(version, *slow, page)) == 3 and
            len(faults_of(version, other, moved, page)) == 1)


def main():
    words = [a for a in sys.argv[1:] if a != "--write"]
    if len(words) != 3:
        print(__doc__)
        return 2
    build, version, piola = words
    instructions = count(build)
    if not instructions:
        house.not_checked(f"{build} has no object of tests/estimate/gpu_case.cu for sm_{check_registers.ARCH}")
    moved = traffic(piola)
    if "--write" in sys.argv:
        page = re.sub(r"(<!-- table estimate -->\n).*?(<!-- end -->)",
                      lambda m: m.group(1) + markdown(version, instructions, moved) + m.group(2), house.read(PAGE),
                      flags=re.S)
        (house.ROOT / PAGE).write_text(page)
    faults = faults_of(version, instructions, moved, house.read(PAGE))
    if not faults and not control(version, instructions, moved):
        faults = ["negative control: a planted fault was not found"]
    return house.finish("estimate", faults, len(instructions))


if __name__ == "__main__":
    sys.exit(main())
