#!/usr/bin/env python3
"""Is a learned control better than chance? Runs a scene with random values of its design, each set scaled so that its
effort is that of the learned control, and prints how far each of them comes.

    piola optimize SCENE -o FOLDER
    random_signals.py PIOLA SCENE FOLDER [--signals 50] [--length METRES]

Each value of the design (a knot, a weight) is drawn evenly from [-s, s]; s is the same for all values of a set, and is
found by trying: --within is by how much the effort may be missed. Bounds of the design do not hold for them; a scene
that designs anything but knots and weights is refused. A set that breaks the body is reported, and another is drawn
for it. Exit 0: the learned control came farther than all; 1: it did not, or the scene cannot run.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

TRIALS = 12  # runs of one set, until its effort is that of the learned control
BROKEN = 76  # exit code of a computation that failed, as where a body is torn


def measured(result, name):
    """The last sample of an observation; name is NAME or NAME.x, .y or .z."""
    name, _, axis = name.partition(".")
    sample = result["observations"][name]["value"][-1]
    return sample["xyz".index(axis) if axis else 0]


class Scene:
    """Runs of a scene with values of its design."""

    def __init__(self, given, learned):
        self.given, self.runs, self.designs = given, 0, {}
        for path, parameter in learned["parameters"].items():
            if path.rpartition(".")[2] not in ("knots", "weights"):
                sys.exit(f"{path} is a design of the scene; only knots and weights are drawn")
            value = parameter["value"]
            self.designs.setdefault(parameter["design"], []).extend(value if isinstance(value, list) else [value])
        self.values = [v for values in self.designs.values() for v in values]

    def run(self, values=()):
        """(place, effort) with these values, or with the scene's own; None where the body breaks."""
        command = [self.given.piola, "run", self.given.scene, "-qq", "--threads", str(self.given.threads),
                   "--device", self.given.device]
        command += [word for path in self.given.allow for word in ("--allow", path)]
        settings, first = list(self.given.set), 0
        for k, own in enumerate(self.designs.values() if values else ()):
            part, first = [float(f"{v:.7g}") for v in values[first:first + len(own)]], first + len(own)
            widest = 2 * max(map(abs, part))
            settings += [f"design[{k}].bounds=[{-widest}, {widest}]", f"design[{k}].initial={part}"]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(command + ["-o", folder] + [word for s in settings for word in ("--set", s)],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
            self.runs += 1
            if done.returncode == BROKEN:
                return None
            if done.returncode:
                sys.exit(done.stderr.strip())
            result = json.loads((pathlib.Path(folder) / "result.json").read_text(encoding="utf-8"))
        return measured(result, self.given.of), measured(result, self.given.effort)

    def scaled(self, values, effort, guess):
        """(place, effort, scale) of the values times the scale that makes this effort; None where the body breaks."""
        low, high, scale = 0, math.inf, guess  # it lies between low and high
        for _ in range(TRIALS):
            found = self.run([scale * v for v in values])
            if found and abs(found[1] - effort) <= self.given.within * effort:
                return *found, scale
            better = scale * math.sqrt(effort / found[1]) if found and found[1] > 0 else 0  # of signals of time: exact
            if found and found[1] < effort:
                low = scale
            else:  # too much effort, or broken, which may be of too much
                high = scale
            scale = better if low < better < high else (low + high) / 2 if high < math.inf else 2 * low
        return None


def compare(given):
    """Print the table; whether the learned control came farther than all."""
    learned = json.loads((pathlib.Path(given.folder) / "result.json").read_text(encoding="utf-8"))
    scene, place, effort = Scene(given, learned), measured(learned, given.of), measured(learned, given.effort)
    start = scene.run()
    if start is None:
        sys.exit("the scene's own control breaks the body")

    def report(name, found):
        way = found[0] - start[0]
        lengths = f" = {way / given.length:5.2f} lengths" if given.length else ""
        print(f"{name:>12} {found[0]:12.5f} {found[1]:12.5g} {way:+12.5f}{lengths}", flush=True)

    print(f"{'control':>12} {given.of:>12} {given.effort:>12}    from initial")
    report("initial", start)
    report("learned", (place, effort))
    guess = math.sqrt(3 * sum(v * v for v in scene.values) / len(scene.values))
    ends, broken, seed = [], 0, given.seed
    while len(ends) < given.signals:
        draw = random.Random(seed)
        found = scene.scaled([draw.uniform(-1, 1) for _ in scene.values], effort, guess)
        if found:
            report(f"random {seed}", found)
            ends.append(found[0])
            guess = found[2]
        else:
            print(f"{f'random {seed}':>12} breaks the body, or cannot have this effort", flush=True)
            broken += 1
            if broken > given.signals:
                sys.exit("too many random sets fail: the effort of the learned control may be out of their reach")
        seed += 1
    ends.sort()
    better = sum(end >= place for end in ends)
    print(f"{given.signals} random ones: best {ends[-1]:.5f}, median {ends[len(ends) // 2]:.5f}, worst {ends[0]:.5f}; "
          f"{broken} more failed; {scene.runs} runs\n{better} of them came as far as the learned one")
    return better == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("piola")
    parser.add_argument("scene")
    parser.add_argument("folder", help="of the optimisation: its result.json has the learned control")
    parser.add_argument("--signals", type=int, default=50, help="how many random sets (default: 50)")
    parser.add_argument("--seed", type=int, default=1, help="of the first set; each has the next")
    parser.add_argument("--of", default="place.x", help="observation that should be large (default: place.x)")
    parser.add_argument("--effort", default="work", help="observation that is to be as learned (default: work)")
    parser.add_argument("--within", type=float, default=0.02,
                        help="of the effort by which it may be missed (default: 0.02)")
    parser.add_argument("--length", type=float, help="length of the body in m, in which distances are printed too")
    parser.add_argument("--set", action="append", default=[], help="PATH=VALUE, as of `piola run`")
    parser.add_argument("--allow", action="append", default=[], help="PATH, as of `piola run`")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--threads", type=int, default=1)
    sys.exit(0 if compare(parser.parse_args()) else 1)


if __name__ == "__main__":
    main()
