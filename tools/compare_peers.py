#!/usr/bin/env python3
"""compare_peers.py PIOLA [--commit TEXT] [--particles N] [--steps N] [--repeat N] [--kernels moments|plain|both]

Measures Piola and Warp on one core, in turns, and prints a table; tools/compare_peers.sh, which calls this with a
Python that has Warp, says what is compared and what the exit codes mean. The cases are in
tools/python/comparison/bench_case.py and the Warp programs in bench_warp.py, beside it.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import tempfile
import traceback

COMPARISON = pathlib.Path(__file__).resolve().parent / "python/comparison"
sys.path.insert(0, str(COMPARISON))
import bench_case as case

AIMS = {"forward": 2.7, "gradient": 4.4}  # Warp's time over Piola's
# What `piola bench` does not print of its case, as host/bench/bench_case.c writes it; bench_case.py says the same.
SOURCE = ("enum { MARGIN = 6, PAD = 2 };", "spacing = 0.01, density = 1000, modulus = 1e5, poisson = 0.3;",
          "courant = 0.2;", "(double)(PAD + margin + cell % o->cells) + uniform(&state);",
          "0.3 - 0.2 * a + 0.2 * (uniform(&state) - 0.5) + turn;", "gravity[dim - 1] = -9.81;")
# Rounding in f32 lets what both compute differ by some 1e-5 of it; a modulus that is wrong by 1e-3 shows.
TOLERANCE = 1e-4
DIFFERENT, MISSED, FAILED = 1, 3, 70


def call(command, **more):
    """The last line of what a command prints that is JSON, or all of it, as an object. Ends with FAILED if it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        print(f"compare_peers: exit code {done.returncode}: {' '.join(map(str, command))}", file=sys.stderr)
        sys.exit(FAILED)
    text = done.stdout.strip()
    return json.loads(text if text.startswith("{") else text.split("\n")[-1]) if text else None


def warp(*options):
    return call([sys.executable, COMPARISON / "bench_warp.py", *options])


def piola_bench(o):
    return call([o.piola, "bench", "mpm", "--device", "cpu", "--precision", "f32", "--dimension", 3, "--law",
                 "neo_hookean", "--per-cell", case.PER_CELL, "--particles", o.particles, "--steps", o.steps,
                 "--threads", 1, "--json"])


def piola_check(o):
    """What bench_warp.py --check prints, by `piola grad`."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        case.write_scene(folder)
        call([o.piola, "grad", "check.yaml", "-o", "out", "--quiet", "--device", "cpu", "--threads", 1], cwd=folder)
        result = json.loads((folder / "out/result.json").read_text())
    slopes = {path: p["gradient"] for path, p in result["parameters"].items()}
    centre = result["observations"]["centre"]["value"][0]
    return {"J": result["objective"], "path": list(centre - case.check_block()[0].mean(axis=0)),
            "dJ/dE": slopes["materials.rubber.E"], "dJ/dnu": slopes["materials.rubber.nu"],
            "dJ/dv": slopes["bodies.block.velocity"]}


# ---- do both compute the same? --------------------------------------------------------------------------------


def norm(values):
    return sum(value * value for value in values)**0.5


def numbers(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


class Agreement:
    """Compares numbers, prints those that differ, and remembers whether there were any."""

    def __init__(self):
        self.wrong, self.largest = 0, 0.0

    def near(self, what, value, reference):
        """Within TOLERANCE of the reference, as vectors."""
        a, b = numbers(value), numbers(reference)
        difference = norm([x - y for x, y in zip(a, b, strict=True)]) / norm(b)
        self.largest = max(self.largest, difference)
        if not difference <= TOLERANCE:
            self.differ(what, f"{value} and {reference}: by {difference:.2g}, allowed are {TOLERANCE:g}")

    def equal(self, what, value, reference):
        if value != reference:
            self.differ(what, f"{value} and {reference}")

    def differ(self, what, how):
        print(f"DIFFERENT {what}: {how}")
        self.wrong += 1

    def end(self, what):
        if self.wrong:
            print(f"The programs did not compute the same {what}; nothing is compared.")
            sys.exit(DIFFERENT)
        print(f"same      {what}: within {self.largest:.1g} (allowed: {TOLERANCE:g})", flush=True)


def compare_blocks(o):
    """The block that spins, by Piola and by each Warp program."""
    piola, agreement = piola_check(o), Agreement()
    for kernels in o.kernels:
        found = warp("--check", "--kernels", kernels)
        for what, reference in piola.items():
            agreement.near(f"{what} of the spinning block, Warp ({kernels}) and Piola", found[what], reference)
    agreement.end(f"spinning block ({', '.join(piola)})")


def compare_source():
    """The words of bench_case.c: when they change, so must bench_case.py."""
    agreement = Agreement()
    text = (COMPARISON.parents[2] / "host/bench/bench_case.c").read_text()
    for words in SOURCE:
        if words not in text:
            agreement.differ("case: host/bench/bench_case.c has no longer", f"'{words}'")
    if agreement.wrong:
        agreement.end("benchmark case")


def compare_cases(piola, found):
    """The case that is timed: what `piola bench` prints of it, and what each Warp program, {kernels: result}, has."""
    agreement, its = Agreement(), piola["case"]
    expected = {"law": "neo_hookean", "per_cell": case.PER_CELL}
    for key, value in expected.items():
        agreement.equal(f"{key}, Piola and the case", its[key], value)
    for key, value in {"device": "cpu", "precision": "f32", "dimension": 3}.items():
        agreement.equal(f"{key}, Piola and the case", piola["engine"][key], value)
    agreement.near("duration and d(mean x)/d(v0), Piola", piola["check"]["slope"], piola["check"]["exact"])
    for kernels, result in found.items():
        both = f"Warp ({kernels}) and Piola"
        agreement.equal(f"particles, {both}", result["particles"], its["particles"])
        agreement.equal(f"cells and nodes, {both}", result["occupied"], [its["cells"], its["nodes"]])
        agreement.near(f"duration, {both}", result["duration"], piola["check"]["exact"])
        agreement.near(f"d(mean x)/d(v0), {both}", result["slope"], [piola["check"]["slope"], 0, 0])
        agreement.near(f"path of the centre, Warp ({kernels}) and free fall", result["moved"], result["fall"])
    agreement.end(f"benchmark case ({its['particles']} particles, {its['cells']} cells, {its['nodes']} nodes, "
                  f"d(mean x)/d(v0) = {piola['check']['slope']:.7g} s)")


# ---- the measurement ------------------------------------------------------------------------------------------


def take_turns(o):
    """({name: {"forward": ns, "gradient": ns}} of the least CPU times, what Piola printed last, {kernels: result})."""
    least, found = {}, {}
    for number in range(o.repeat):
        piola = piola_bench(o)
        times = piola["threads"][0]["ns_per_particle_step"]
        turns = {"Piola": {name: times[name]["best"] for name in AIMS}}
        cells = round((piola["case"]["particles"] / case.PER_CELL)**(1 / 3))
        for kernels in o.kernels:
            found[kernels] = warp("--kernels", kernels, "--cells", cells, "--steps", o.steps, "--repeat",
                                  piola["case"]["repetitions"])
            turns[f"Warp, {kernels}"] = {name: found[kernels][f"{name}_ns"] for name in AIMS}
        if number == 0:
            compare_cases(piola, found)
        for name, turn in turns.items():
            had = least.setdefault(name, turn)
            least[name] = {key: min(turn[key], had[key]) for key in AIMS}
            print(f"round {number + 1:<3} {name:<14} forward {turn['forward']:7.1f} ns, "
                  f"gradient {turn['gradient']:7.1f} ns", flush=True)
    return least, piola, found


def processor():
    """Model of the processor, as Linux names it."""
    fields = {}
    if os.path.exists("/proc/cpuinfo"):
        for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].split("\n"):
            key, _, value = line.partition(":")
            fields[key.strip()] = value.strip()
    family = f" (family {fields['cpu family']} model {fields['model']})" if "cpu family" in fields else ""
    return fields.get("model name", platform.machine()) + family


def report(o, least, piola, found):
    """Print the table. Returns whether the aims are met."""
    its, engine = piola["case"], piola["engine"]
    version = next(iter(found.values()))["version"]
    print(f"""
{its['particles']} particles, 3D neo-Hookean, f32, 8 per cell, {its['steps']} steps; least CPU time of {o.repeat} x \
{its['repetitions']} on one core of an
{processor()}, {datetime.datetime.now(datetime.timezone.utc):%F}. {piola['program']}, \
{engine['isa']}, sources at commit {o.commit};
Warp {version}, Python {platform.python_version()}. Peak memory of Warp {found[o.kernels[0]]['peak_MB']:.0f} MB.

| ns per particle-step | forward | whole gradient |
| --- | --: | --: |""")
    for name, times in least.items():
        print(f"| {name} | {times['forward']:.1f} | {times['gradient']:.1f} |")
    ratio = {}
    for name, times in least.items():
        if name != "Piola":
            over = {key: times[key] / least["Piola"][key] for key in AIMS}
            ratio = {key: min(over[key], ratio.get(key, over[key])) for key in AIMS}
            print(f"| {name}, over Piola | {over['forward']:.2f} | {over['gradient']:.2f} |")
    print()
    for key, aim in AIMS.items():
        verdict = "met" if ratio[key] >= aim else "MISSED"
        print(f"{key:<9} {ratio[key]:.2f} times as fast as the fastest Warp program; the aim is {aim}: {verdict}")
    return all(ratio[key] >= aim for key, aim in AIMS.items())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("piola", type=pathlib.Path)
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--particles", type=int, default=1000000)
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--kernels", choices=("moments", "plain", "both"), default="both")
    o = parser.parse_args()
    o.piola = o.piola.resolve()
    o.kernels = ("moments", "plain") if o.kernels == "both" else (o.kernels,)
    if hasattr(os, "sched_setaffinity"):  # both programs inherit the one core
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    compare_source()
    compare_blocks(o)
    if not report(o, *take_turns(o)):
        sys.exit(MISSED)


if __name__ == "__main__":
    try:
        main()
    except Exception:  # Python would end with 1, which says that the programs differ
        traceback.print_exc()
        sys.exit(FAILED)
