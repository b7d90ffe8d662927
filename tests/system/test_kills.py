#!/usr/bin/env python3
"""test_kills.py PIOLA DISK_LOG [--kills N] [--power-cuts N] [--seed N] -- an optimisation that is killed, at any
instant or in the middle of any write of its record, or whose machine loses power, is resumed and ends with the bits of
one that was left alone.

DISK_LOG is the library of tests/system/disk_log.c. A power cut is replayed from its log: what was synced is there; of
what was not, each write may be there, missing, torn at any byte or zeros, and of the changes of names, which a file
system keeps in order, any first part is. The record of the resumed run has the bytes of the other, its result the same
numbers, and nothing else is left in the folder.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "tools" / "python"))
import read_record

SCENE = """version: 1
name: tiny
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.1, min: [0, 0], max: [2, 1], walls: separate}}
time: {dt: 1 ms, duration: 20 ms}
gravity: [0, -9.81]
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000}]
geometry: [{name: disc, type: ball, center: [0.5, 0.5], radius: 0.2}]
bodies: [{name: ball, geometry: disc, material: soft, velocity: [1, 1], angular_velocity: 3}]
observe: [{name: place, type: mean_position, body: ball}]
design: [{name: speed, target: bodies.ball.velocity, initial: [0.5, 0.5 m/s], bounds: [-3 m/s, 3]}]
objective: [{type: target, of: place, value: [0.52, 0.51]}]
optimizer: {type: adam, learning_rate: 0.1, max_iterations: 6}
"""
ENDED = (0, 1)  # converged, or not in so many iterations
RECORD = "evaluations.record"
HEAD = struct.Struct("<BIIqQ")


class Scene:
    """Runs of one scene, and how the one that was left alone ended."""

    def __init__(self, piola, library, folder):
        self.piola, self.library, self.folder = piola, library, folder
        self.scene = folder / "tiny.yaml"
        self.scene.write_text(SCENE, encoding="utf-8")
        self.out = folder / "out"
        self.environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"}
        begin = time.monotonic()
        self.finish("golden")
        self.seconds = time.monotonic() - begin
        self.golden = self.end()

    def start(self, **more):
        logged = {"LD_PRELOAD": str(self.library), "DISK_LOG_FOLDER": str(self.out)} if more else {}
        environment = {**self.environment, **logged,
                       **{key: str(value) for key, value in more.items()}}
        return subprocess.Popen([self.piola, "optimize", self.scene, "-o", self.out, "--device", "cpu",
                                 "--threads", "1", "--resume", "auto", "-v"],
                                env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def finish(self, what):
        """To its end; what it said."""
        process = self.start()
        said = process.communicate(timeout=300)[1]
        if process.returncode not in ENDED:
            sys.exit(f"{what}: exit {process.returncode}\n{said}")
        return said

    def end(self):
        """What must not depend on kills: the record's bytes, the result without times, the names of all files."""
        result = json.loads((self.out / "result.json").read_text(encoding="utf-8"))
        for key in ("seconds", "memory"):
            del result[key]
        del result["optimizer"]["replayed"]
        return (self.out / RECORD).read_bytes(), result, sorted(p.name for p in self.out.iterdir())

    def compare(self, what):
        for got, want, part in zip(self.end(), self.golden, ("record", "result", "files")):
            if got != want:
                sys.exit(f"{what}: another {part}: {got!r} instead of {want!r}")

    def clear(self):
        shutil.rmtree(self.out, ignore_errors=True)


def kill_at_random_instants(scene, n, draw):
    """Each run is killed at a random instant, and the resumed one with probability 0.3 again."""
    kills = early = 0
    while kills < n:
        scene.clear()
        while True:
            process = scene.start()
            try:
                process.communicate(timeout=draw.uniform(0, 1.1 * scene.seconds))
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
                early += not (scene.out / RECORD).exists()
            if draw.random() > 0.3:
                break
        scene.finish(f"kill {kills}")
        scene.compare(f"kill {kills}")
    print(f"{kills} kills at random instants, {early} of them before there was a record: "
          "all resumed with the same bits")


def kill_at_every_write(scene, ways):
    """Before, within and after every call that changes the record or its names."""
    done = 0
    for how in ways:
        call = 1
        while True:
            scene.clear()
            process = scene.start(DISK_LOG_KILL=call, DISK_LOG_HOW=how, DISK_LOG_ONLY=RECORD)
            process.communicate(timeout=300)
            if process.returncode in ENDED:
                break
            if process.returncode != -signal.SIGKILL:
                sys.exit(f"call {call}, {how}: exit {process.returncode}")
            scene.finish(f"call {call}, {how}")
            scene.compare(f"call {call}, {how}")
            call, done = call + 1, done + 1
    if done < 24 * len(ways):
        sys.exit(f"only {done} calls were found")
    print(f"{done} kills at calls that write the record ({', '.join(ways)}): all resumed with the same bits")


def read_log(data):
    """[(what, name, other name, place, bytes)]"""
    at, calls = 0, []
    while at < len(data):
        what, first, second, place, size = HEAD.unpack_from(data, at)
        at += HEAD.size
        names = data[at:at + first].decode(), data[at + first:at + first + second].decode()
        at += first + second
        calls.append((chr(what), *names, place, data[at:at + size]))
        at += size
    return calls


class Disk:
    """What a disk holds while the calls are made: of each file what was synced, and what was done since."""

    def __init__(self):
        self.synced, self.since = {}, []  # names to files: on the disk, and the changes since
        self.names = {}                   # as programs see them

    def call(self, what, name, other, place, data):
        name, other = os.path.basename(name), os.path.basename(other)
        if what == "C":
            self.names[name] = {"synced": b"", "since": []}
            self.since.append(("set", name, self.names[name]))
        elif what in "WT" and name in self.names:
            self.names[name]["since"].append((what, place, data))
        elif what == "S" and name in self.names:
            file = self.names[name]
            for change in file["since"]:
                file["synced"] = self.apply(file["synced"], *change)
            file["since"] = []
        elif what == "R" and name in self.names:
            self.names[other] = self.names.pop(name)
            self.since.append(("move", name, other))
        elif what == "U":
            self.names.pop(name, None)
            self.since.append(("drop", name, None))
        elif what == "D":
            self.synced, self.since = dict(self.names), []

    @staticmethod
    def apply(content, what, place, data):
        if what == "T":
            return content[:place].ljust(place, b"\0")
        return content[:place].ljust(place, b"\0") + data + content[place + len(data):]

    def after_power_cut(self, draw):
        """{name: bytes}: one of the states that may be found."""
        names = dict(self.synced)
        for change, name, to in self.since[:draw.randint(0, len(self.since))]:
            if change == "set":
                names[name] = to
            elif change == "move" and name in names:
                names[to] = names.pop(name)
            elif change == "drop":
                names.pop(name, None)
        return {name: self.content(file, draw) for name, file in names.items()}

    def content(self, file, draw):
        content = file["synced"]
        for what, place, data in file["since"]:
            fate = draw.choice(("there", "there", "missing", "torn", "zeros"))
            if fate == "missing":
                continue
            if what == "W" and fate == "torn":
                data = data[:draw.randint(0, len(data))]
            elif what == "W" and fate == "zeros":
                data = b"\0" * len(data)
            content = self.apply(content, what, place, data)
        return content


def cut_the_power(scene, n, draw):
    """Resume from states in which the disk may be found, of a run that was left alone and of one that resumed."""
    log = scene.folder / "log"
    scene.clear()
    process = scene.start(DISK_LOG=log, DISK_LOG_KILL=16, DISK_LOG_HOW="half", DISK_LOG_ONLY=RECORD)
    process.communicate(timeout=300)
    process = scene.start(DISK_LOG=log)
    process.communicate(timeout=300)
    calls, states, torn = read_log(log.read_bytes()), set(), 0
    if process.returncode not in ENDED or len(calls) < 30:
        sys.exit(f"the run to be replayed: exit {process.returncode}, {len(calls)} calls")
    for cut in range(n):
        disk = Disk()
        for call in calls[:draw.randint(1, len(calls))]:
            disk.call(*call)
        found = disk.after_power_cut(draw)
        states.add(tuple(sorted((name, hash(data)) for name, data in found.items())))
        if "result.json" in found:
            json.loads(found["result.json"])  # whole or not there
        scene.clear()
        scene.out.mkdir()
        for name, data in found.items():
            (scene.out / name).write_bytes(data)
        said = scene.finish(f"power cut {cut}")
        torn += "were cut off" in said
        scene.compare(f"power cut {cut}")
    print(f"{n} power cuts from a log of {len(calls)} calls, {len(states)} different states, {torn} with a torn end of "
          "the record: all resumed with the same bits")


def spoil(scene):
    """Negative control: a run that trusts what it must not would be found. One bit of J in the record, with its
    checksums made right."""
    import zlib
    scene.clear()
    scene.finish("control")
    record = bytearray((scene.out / RECORD).read_bytes())
    seed, = struct.unpack_from("<I", record, 28)
    at = 32 + struct.unpack_from("<Q", record, 16)[0]
    record[at + 32 + 2 * 8 + 5] ^= 1  # of J: two variables come before it
    size, = struct.unpack_from("<Q", record, at + 16)
    struct.pack_into("<I", record, at + 24, zlib.crc32(record[at + 32:at + 32 + size], seed))
    struct.pack_into("<I", record, at + 28, zlib.crc32(record[at:at + 28], seed))
    (scene.out / RECORD).write_bytes(record)
    scene.finish("control")
    if scene.end() == scene.golden:
        sys.exit("control: a false record was not found by the comparison")
    print("negative control: a false J with right checksums ends with other bits")


def read(scene):
    """tools/python/read_record.py finds all evaluations, every cut and every flipped bit."""
    data, result, _ = scene.golden
    record = read_record.Record(data)
    found = read_record.evaluations(record, 2)
    best = min(e["J"] for e in found.values())
    if sorted(found) != list(range(result["optimizer"]["evaluations"])) or best != result["objective"]:
        sys.exit(f"the reader found {found}, the result is {result}")
    first = data.index(read_record.MARK)
    for cut in range(first, len(data)):
        part = read_record.Record(data[:cut])
        n = len(part.rows)
        if part.rows != record.rows[:n] or part.damaged or part.rest > cut or n == len(record.rows):
            sys.exit(f"the reader of a file cut at byte {cut}: {part.rows}")
    flips = 0
    for bit in range(0, 8 * len(data), 5):
        spoiled = bytearray(data)
        spoiled[bit // 8] ^= 1 << bit % 8
        try:
            rows = read_record.Record(bytes(spoiled)).rows
        except ValueError:
            rows = []
        lost = [row for row in record.rows if row not in rows]
        if len(rows) + len(lost) != len(record.rows) or len(lost) != (1 if bit // 8 >= first else len(record.rows)):
            sys.exit(f"the reader did not find flipped bit {bit}, or lost more than its row")
        flips += 1
    print(f"the reader found {len(found)} evaluations, {len(data) - first} cuts and {flips} flipped bits")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("piola", type=pathlib.Path)
    parser.add_argument("disk_log", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=20, help="at random instants (default: 20)")
    parser.add_argument("--power-cuts", type=int, default=20, help="states of the disk (default: 20)")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(given.piola.resolve(), given.disk_log.resolve(), pathlib.Path(folder).resolve())
        print(f"a run takes {scene.seconds:.3f} s and records {len(scene.golden[0])} bytes", flush=True)
        read(scene)
        spoil(scene)
        kill_at_every_write(scene, ("before", "half", "after") if given.kills > 100 else ("half",))
        kill_at_random_instants(scene, given.kills, draw)
        cut_the_power(scene, given.power_cuts, draw)


if __name__ == "__main__":
    main()
