#!/usr/bin/env python3
"""figures.py PIOLA COMMIT [--threads N] [--particles N] [--cells N] [--runs N] [--only NAME,...] [--old COMMIT:PIOLA]
    [--dry-run]
Measure the figures of README.md and docs/performance.md that stand behind marks, and write them there.

    <!-- figures NAME --> ... <!-- end -->    is a text of FORMS, filled with what was measured

tools/figures.sh calls it. tests/rules/check_figures.py holds the pages to the forms.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MARK = re.compile(r"(<!-- figures ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.S)
# What a field of a form may be, other than a number.
WORDS = {"machine": r"[\w\s().,@/+-]+?", "commit": r"[0-9a-f]{7,}(?:-dirty)?", "old": r"[0-9a-f]{7,}",
         "date": r"\d{4}-\d\d-\d\d"}
NUMBER = r"\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?"
SMALL_SCENE = "scenes/mpm_throw.yaml"
# Cases that an earlier commit's command is compared in, {name: (text, options of `piola bench mpm`)}.
CASES = {
    "plain": ("3D, neo-Hookean, f32, 8 particles per cell", ""),
    "per_cell_1": ("1 particle per cell", "--per-cell 1"),
    "per_cell_2": ("2 particles per cell", "--per-cell 2"),
    "per_cell_4": ("4 particles per cell", "--per-cell 4"),
    "per_cell_16": ("16 particles per cell", "--per-cell 16"),
    "flat": ("2D, 4 particles per cell", "--dimension 2"),
    "fluid": ("linear fluid", "--law linear_fluid"),
    "corotated": ("fixed corotated", "--law fixed_corotated"),
    "von_mises": ("Hencky with von Mises plasticity", "--plasticity von_mises"),
    "sand": ("Hencky with Drucker-Prager plasticity", "--plasticity drucker_prager"),
    "double": ("f64", "--precision f64"),
}
# {name: (page, paragraph, rows of the table)}. In README.md the table stands alone.
FORMS = {
    "particles": ("docs/performance.md", "`piola bench mpm --threads {threads}`: {particles} particles, 3D "
                  "neo-Hookean, f32, 8 particles per cell, sorted; {cells} occupied cells. Best of five on {machine}, "
                  "commit {commit}, {date}:", """\
| | one thread | {threads} threads |
|---|--:|--:|
| forward, CPU time | {forward_1} ns per particle-step | {forward_n} |
| adjoint, CPU time | {adjoint_1} ns | {adjoint_n} |
| whole gradient, CPU time | {gradient_1} ns, {ratio_1} times forward | {gradient_n} |
| speed-up of the wall time, forward and gradient | | {speed_forward}, {speed_gradient} |
| state kept per particle and step | {state} bytes | |
"""),
    "meshes": ("docs/performance.md", "`piola bench fem --threads {threads}`: one load step of a clamped cube, "
               "{cells}x{cells}x{cells} hex8 elements ({unknowns} unknowns), neo-Hookean, f64, to 1e-10, and its "
               "gradient with respect to the moduli of every element. It took {newton} Newton iterations with "
               "{iterations} iterations of the linear solver, and {adjoint_iterations} for the adjoint; best of "
               "three on {machine}, commit {commit}, {date}:", """\
| | one thread | {threads} threads |
|---|--:|--:|
| forward | {forward_1} s | {forward_n} s |
| gradient | {gradient_1} s | {gradient_n} s |
| peak memory, of the engine and of the process | | {arena} and {process} GB |
"""),
    "start": ("docs/performance.md", "`piola run " + SMALL_SCENE + "` with a duration of one step, from the start of "
              "the process to its end: median of {runs} runs on {machine}, commit {commit}, {date}; parts as `seconds` "
              "of `result.json` has them:", """\
| | time |
|---|--:|
| all | {all} ms |
| loading the program and its libraries (`piola --version`) | {load} ms |
| reading the scene, making the model | {scene} ms |
| loading the engine | {engine} ms |
| planning, creating the simulation | {plan} ms |
| opening the files of the results | {files} ms |
| the step, and two frames | {forward} ms |
| completing the files, with `fsync` | {finish} ms |
"""),
    "ratios": ("docs/performance.md", "Against commit {old}, in one run and in turns: `piola bench mpm --threads 1 "
               "--particles {particles}`, CPU time of one core, ns per particle-step; the least of {rounds} rounds of "
               "best of five, on {machine}, commit {commit}, {date}:", """\
| case | forward, {old} | now | times as fast | whole gradient, {old} | now | times as fast |
|---|--:|--:|--:|--:|--:|--:|
""" + "".join(f"| {text} | " + " | ".join(f"{{{what}_{name}}}" for what in (
        "old_forward", "forward", "speed_forward", "old_gradient", "gradient", "speed_gradient")) + " |\n"
              for name, (text, _) in CASES.items())),
    "readme": ("README.md", "", """\
| what | measured | on |
|---|---|---|
| {particles} particles, 3D, f32: a forward run, and one with its gradient | {forward} and {gradient} ns of CPU time \
per particle and step | {machine}, {commit}, {date} |
| the same with {threads} threads: speed-up, forward and gradient | {speed_forward} and {speed_gradient} | the same |
| a load step of {unknowns} unknowns, f64, to 1e-10, {threads} threads: forward, and its gradient | {mesh_forward} s \
and {mesh_gradient} s | {mesh_machine}, {mesh_commit}, {mesh_date} |
"""),
}


def form_text(name, fields):
    """The text of a figure, its paragraph wrapped. `fields`: {field: text}."""
    _, paragraph, rows = FORMS[name]
    head = textwrap.fill(paragraph.format(**fields), 120, break_on_hyphens=False)
    return (head + "\n\n" if head else "") + rows.format(**fields)


def form_pattern(name):
    """A pattern of that text, with any figures and any wrapping."""
    _, paragraph, rows = FORMS[name]
    parts = re.split(r"\{(\w+)\}", " ".join((paragraph + " " + rows).split()))
    text = "".join(WORDS.get(p.removeprefix("mesh_"), NUMBER) if i % 2 else re.escape(p) for i, p in enumerate(parts))
    return re.compile(text.replace("\\ ", r"\s+"))


def processor():
    """Model of the processor, as Linux names it, with its family and the number of processors that may be used."""
    fields = {}
    if os.path.exists("/proc/cpuinfo"):
        for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].split("\n"):
            key, _, value = line.partition(":")
            fields[key.strip()] = value.strip()
    family = f" (family {fields['cpu family']} model {fields['model']})" if "cpu family" in fields else ""
    cores = len(os.sched_getaffinity(0))
    return f"{cores} core{'s' if cores > 1 else ''} of {fields.get('model name', platform.machine())}{family}"


def bench(o, *words):
    print("+", "piola bench", *words, flush=True)
    done = subprocess.run([o.piola, "bench", *map(str, words), "--device", "cpu", "--json"], stdout=subprocess.PIPE,
                          check=True, text=True)
    return json.loads(done.stdout)


def measure_particles(o):
    report = bench(o, "mpm", "--particles", o.particles, "--threads", o.threads)
    first, last = report["threads"][0], report["threads"][-1]
    fields = {"particles": f"{report['case']['particles']:,}", "cells": f"{report['case']['cells']:,}",
              "state": f"{report['bytes']['state_per_particle']:.0f}",
              "ratio_1": f"{first['gradient_over_forward']:.2f}"}
    for key, row in (("1", first), ("n", last)):
        for part in ("forward", "adjoint", "gradient"):
            fields[f"{part}_{key}"] = f"{row['ns_per_particle_step'][part]['best']:.1f}"
    for part in ("forward", "gradient"):
        one, all_threads = (row["wall_seconds_per_step"][part]["best"] for row in (first, last))
        fields[f"speed_{part}"] = f"{one / all_threads:.2f}"
    return fields


def measure_meshes(o):
    report = bench(o, "fem", "--cells", o.cells, "--threads", o.threads)
    first, last = report["threads"][0], report["threads"][-1]
    solver, memory = report["solver"], report["bytes"]
    fields = {"cells": str(report["case"]["cells"]), "unknowns": f"{report['case']['unknowns']:,}",
              "newton": str(solver["newton_iterations"]), "iterations": str(solver["linear_iterations"]),
              "adjoint_iterations": str(solver["adjoint_iterations"]), "arena": f"{1e-9 * memory['arena']:.3g}",
              "process": f"{1e-9 * memory['process_peak']:.3g}"}
    for key, row in (("1", first), ("n", last)):
        fields[f"forward_{key}"] = f"{row['forward_seconds']['best']:.3g}"
        fields[f"gradient_{key}"] = f"{row['adjoint_seconds']['best']:.3g}"
    return fields


def measure_start(o):
    """Median wall-clock times of small runs, ms."""
    rows = []
    for number in range(o.runs + 1):
        with tempfile.TemporaryDirectory() as folder:
            began = time.perf_counter()
            subprocess.run([o.piola, "--version"], stdout=subprocess.DEVNULL, check=True)
            load = time.perf_counter() - began
            began = time.perf_counter()
            subprocess.run([o.piola, "run", ROOT / SMALL_SCENE, "--set", "time.duration=0.5 ms", "--device", "cpu",
                            "--threads", str(o.threads), "-o", folder, "-qq"], check=True)
            row = {"all": time.perf_counter() - began, "load": load}
            row.update(json.loads((pathlib.Path(folder) / "result.json").read_text())["seconds"])
            rows += [row] if number else []  # the first one reads files that are not in memory
    fields = {key: f"{1e3 * statistics.median(row[key] for row in rows):.1f}" for key in rows[0]}
    return {**fields, "runs": str(o.runs)}


def measure_ratios(o):
    """Times of each of CASES by the command of an earlier commit and by this one, which take turns."""
    old_commit, _, old_piola = o.old.partition(":")
    fields = {"old": old_commit, "rounds": str(o.rounds)}
    for name, (_, options) in CASES.items():
        least = {}
        for _ in range(o.rounds):
            for key, piola in (("old_", old_piola), ("", o.piola)):
                report = bench(argparse.Namespace(piola=piola), "mpm", "--particles", o.ratio_particles, "--threads",
                               1, *options.split())
                fields.setdefault("particles", f"{report['case']['particles']:,}")
                for part in ("forward", "gradient"):
                    time_of = report["threads"][0]["ns_per_particle_step"][part]["best"]
                    least[key + part] = min(time_of, least.get(key + part, time_of))
        for part in ("forward", "gradient"):
            fields[f"old_{part}_{name}"] = f"{least['old_' + part]:.1f}"
            fields[f"{part}_{name}"] = f"{least[part]:.1f}"
            fields[f"speed_{part}_{name}"] = f"{least['old_' + part] / least[part]:.2f}"
    return fields


MEASURES = {"particles": measure_particles, "meshes": measure_meshes, "start": measure_start, "ratios": measure_ratios}


def measured(o):
    """{name: fields} of the figures that --only names."""
    every = {"machine": processor(), "commit": o.commit, "date": f"{datetime.datetime.now(datetime.timezone.utc):%F}",
             "threads": str(o.threads)}
    wanted = o.only.split(",") if o.only else [name for name in FORMS if name != "ratios" or o.old]
    needed = {"readme": ("particles", "meshes")}
    found = {name: {**every, **MEASURES[name](o)} for name in MEASURES
             if any(name in needed.get(want, (want,)) for want in wanted)}
    if "readme" in wanted:
        of, mesh = found["particles"], found["meshes"]
        found["readme"] = {**of, "forward": of["forward_1"], "gradient": of["gradient_1"], "unknowns": mesh["unknowns"],
                           **{f"mesh_{key}": mesh[key] for key in ("machine", "commit", "date")},
                           "mesh_forward": mesh["forward_n"], "mesh_gradient": mesh["gradient_n"]}
    return {name: fields for name, fields in found.items() if name in wanted}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("piola")
    parser.add_argument("commit")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--particles", type=int, default=1000000)
    parser.add_argument("--cells", type=int, default=31)
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--only", help="names of figures, of: " + ", ".join(FORMS))
    parser.add_argument("--old", help="of `ratios`: a commit, a colon, and the command that was built from it")
    parser.add_argument("--rounds", type=int, default=2, help="of `ratios`")
    parser.add_argument("--ratio-particles", type=int, default=500000, help="of `ratios`")
    parser.add_argument("--dry-run", action="store_true", help="print the texts, and write no page")
    o = parser.parse_args()
    unknown = set(o.only.split(",") if o.only else ()) - set(FORMS)
    if unknown:
        parser.error(f"no figures are called {', '.join(sorted(unknown))}")
    if "ratios" in (o.only or "") and not o.old:
        parser.error("ratios need --old COMMIT:PIOLA")
    texts = {name: form_text(name, fields) for name, fields in measured(o).items()}
    for name, text in texts.items():
        print(f"\n<!-- figures {name} -->\n{text}<!-- end -->")
    for page in sorted({FORMS[name][0] for name in texts} if not o.dry_run else ()):
        old = (ROOT / page).read_text()
        (ROOT / page).write_text(MARK.sub(lambda m: m[1] + texts.get(m[2], m[3]) + m[4], old))
    return 0


if __name__ == "__main__":
    sys.exit(main())
