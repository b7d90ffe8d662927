#!/usr/bin/env python3
"""fault_campaign.py PIOLA SHIM [--points N] [--seed S] [--jobs J] [--json FILE] [--case NAME] [--kind KIND]
[--point CASE/KIND/N/HOW] [--leaks N] -- does anything get lost, or go unsaid, when a call fails?

Runs commands on small scenes with one call of the system, of HDF5 or of a device failing, or with the process killed
there (fault_shim.c). A point is (case, kind of call, its number, how it fails). After every point:

 - the exit code is one that the README names for such a failure, or 0 with the very bytes of an undisturbed run;
 - the standard error names what was tried and why it failed;
 - nothing crashes or hangs, and no result.json says 0 where the exit code does not;
 - files of an earlier run are as they were, or are whole and new;
 - no temporary file stays; the same command, run again, ends with the bits of an undisturbed run.

--leaks N searches N further points, evenly over the kinds, for what the command does not give back (fault_leaks.py).

The points are drawn from all there are, evenly over kinds and cases; N = 0 takes all. Ends with 1 where a point
fails."""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import fault_leaks
from fault_cases import MPM, STUDY, cases

FAILURES = {65, 66, 69, 70, 71, 73, 74, 76}
# What a failing call of each kind may end with, when it is not made good.
CODES = {"malloc": {71}, "mmap": {71}, "allocate": {71}, "launch": {69}, "open": {66, 69, 73, 74}, "read": {66, 74},
         "write": {73, 74}, "pwrite": {73, 74}, "sync": {73, 74}, "rename": {73, 74}, "unlink": {73, 74}, "mkdir": {73},
         "truncate": {73, 74}, "lock": {73, 74}, "hdf5": {65, 66, 73, 74}}
CAUSES = {"malloc": ["memory", "could not allocate"], "mmap": ["memory"], "allocate": ["memory"],
          "open": ["Too many open files"], "read": ["Input/output error"], "write": ["No space left"],
          "pwrite": ["No space left"], "sync": ["Input/output error"], "rename": ["Input/output error"],
          "unlink": ["Input/output error"], "mkdir": ["Permission denied"],
          "truncate": ["Input/output error", "No space left"], "lock": ["No locks"],
          "hdf5": ["injected", ".vtkhdf", ".h5"], "launch": ["Input/output error"]}
HOWS = {"malloc": ["once", "on"], "write": ["once", "on", "short", "torn", "kill"],
        "pwrite": ["once", "on", "short", "torn", "kill"], "sync": ["once", "on", "kill"], "rename": ["once", "kill"],
        "unlink": ["once", "on", "kill"], "open": ["once", "on"], "hdf5": ["once", "on"]}
COMPARED = ("exit", "objective", "parameters", "check", "members", "best")
MEMBERS_FAILED = 78  # of a sweep: the process of a member failed, or was killed
KILLED = ("torn", "kill")
# What a killed process leaves: the lock of a folder, which the next run takes over, and files under names that no other
# run takes.
GUARDED = " bytes were refused, and "  # a library has crashed or ended the program, and the command said so
REST = re.compile(r"(\.part|/?\.[^/]*\.tmp|/\.piola-lock)$")


def whole_csv(data):
    """A line for the names and one for each of three members."""
    return data.endswith(b"\n") and data.count(b"\n") == 4


def whole_h5(data):
    """As long as its superblock says (HDF5's format specification, version 3.0, II.A)."""
    at = 40 if data[8:9] in (b"\0", b"\1") else 28
    at += 4 if data[8:9] == b"\1" else 0
    return data[:8] == b"\x89HDF\r\n\x1a\n" and int.from_bytes(data[at:at + 8], "little") == len(data)


# What a sweep writes of the members that are done, however many these are.
TABLES = {"out/sweep.csv": whole_csv, "out/sweep.h5": whole_h5}


def digest(folder, patterns):
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_file() and any(fnmatch.fnmatch(name, p) for p in patterns):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
    return found


def listing(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def reported(case, folder):
    """result.json of this command, or None; of a sweep, whose sweep.json lists its members."""
    if "out" not in case.arguments or case.arguments[0] in ("plot", "report"):
        return None
    try:
        name = "sweep.json" if case.arguments[0] == "sweep" else "result.json"
        return json.loads((folder / "out" / name).read_text())
    except FileNotFoundError:
        return None


def causes_of_members(where):
    """What a sweep says of members that failed, beside its messages."""
    logs = [where / "out" / "sweep.csv", *sorted(where.glob("out/members/*/log.txt"))]
    return "".join(path.read_text(errors="replace") for path in logs if path.exists())


def stems(fired):
    """The names of the files that failing calls were about, without their endings; "" of a call that knows none."""
    calls = [call.split() for call in fired.split("; ")]
    return [pathlib.Path(words[-1]).name.lstrip(".").split(".")[0] if len(words) > 2 else "" for words in calls]


def says_no_end(case, now, how, text):
    """Whether the result of members may have another code than the command: it is of an earlier moment."""
    if not case.sweep or now is None:
        return False
    # with a folder that cannot be synced, and no file that can be written instead, the table stays: it is right
    table = how == "on" and "sweep.json: written, but its folder could not be synced" in text
    # likewise the result of starts that failed; one of success would be removed
    result = "result.json: written, but its folder could not be synced" in text and now["exit"] not in (0, 1)
    return now["exit"] is None or table or result


class Campaign:
    def __init__(self, piola, shim, folder):
        self.piola, self.shim, self.folder = str(piola), str(shim), pathlib.Path(folder)
        self.golden, self.local = {}, threading.local()

    def run(self, arguments, where, fault=None, log=None, timeout=30, extra=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PIOLA_FAULT")}
        environment.update(OMP_NUM_THREADS="1", LC_ALL="C.UTF-8", NO_COLOR="1")
        environment["LD_PRELOAD"] = self.shim  # without a fault it makes clocks stand still, no more
        if log:
            environment["PIOLA_FAULT_LOG"] = str(log)
        if fault:
            environment["PIOLA_FAULT"] = fault
        environment.update(extra or {})
        return subprocess.run([self.piola, *arguments], cwd=where, env=environment, capture_output=True,
                              timeout=timeout)

    def prepare(self, case):
        """The folder as a run finds it, what an undisturbed run makes of it, and how many calls of each kind it has."""
        template, golden = self.folder / "templates" / case.name, self.folder / "golden" / case.name
        template.mkdir(parents=True)
        (template / "scene.yaml").write_text(case.scene)
        if case.scene == STUDY:
            (template / "one.yaml").write_text(MPM)
        for arguments in case.before:
            done = self.run(arguments, template)
            if done.returncode:
                sys.exit(f"{case.name}: {arguments} ended with {done.returncode}: {done.stderr.decode()}")
        shutil.copytree(template, golden)
        log = self.folder / f"count_{case.name}"
        done = self.run(case.arguments, golden, log=log)
        if done.returncode not in case.codes:
            sys.exit(f"{case.name} ended with {done.returncode}: {done.stderr.decode()}")
        counts = {}
        for _, kind, count in map(str.split, log.read_text().splitlines()):
            # the command's own count is the last; processes of a sweep go on from it where they begin
            counts[kind] = max(counts.get(kind, 0), int(count)) if case.sweep else int(count)
        for name, whole in TABLES.items() if case.sweep else ():
            data = (golden / name).read_bytes()
            if not whole(data) or whole(data[:-1]):
                sys.exit(f"negative control: {name} is called whole where its last byte is missing, or not where it is")
        self.golden[case.name] = {
            "before": digest(template, case.files), "after": digest(golden, case.files), "list": listing(golden),
            "stdout": done.stdout, "code": done.returncode, "reported": reported(case, golden)}
        return counts

    def copy(self, case, where):
        """The folder as a run finds it."""
        if where.exists():
            shutil.rmtree(where)
        shutil.copytree(self.folder / "templates" / case.name, where)

    def content(self, case, where):
        """The numbers of the last frames: where memory is short HDF5 leaves out compression, and the bytes differ for
        that."""
        found = {}
        for name in (name for name in digest(where, case.files) if not REST.search(name)):
            arrays = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "npy"
            export = ["export", name, "--to", "npy", "-o", str(arrays)]
            if name.endswith(".vtkhdf") and self.run(export, where).returncode == 0:
                found[name] = digest(arrays, ["*.npy"])
            else:
                found[name] = hashlib.sha256((where / name).read_bytes()).hexdigest()
        return found

    def same(self, case, where, done, wrong, what):
        golden = self.golden[case.name]
        here = {k: v for k, v in digest(where, case.files).items() if not REST.search(k)}
        there = self.folder / "golden" / case.name
        if here != golden["after"] and self.content(case, where) != self.content(case, there):
            wrong.append(f"{what}: files differ from an undisturbed run's")
        if case.stdout and done.stdout != golden["stdout"]:
            wrong.append(f"{what}: standard output differs from an undisturbed run's")
        now, then = reported(case, where), golden["reported"]
        if (now is None) != (then is None):
            wrong.append(f"{what}: result.json is {'missing' if now is None else 'there'}")
        elif then is not None and [now.get(k) for k in COMPARED] != [then.get(k) for k in COMPARED]:
            wrong.append(f"{what}: result.json differs from an undisturbed run's")

    def judge(self, case, kind, how, where, done, fired):
        wrong, golden = [], self.golden[case.name]
        code, text = done.returncode, done.stderr.decode(errors="replace")
        member = case.sweep and (code == MEMBERS_FAILED or how in KILLED and code == 71)  # 71: one that plans
        killed = code == -9 or member and how in KILLED
        text += causes_of_members(where) if member else ""
        if how in KILLED and code == -9 or member:
            pass
        elif code < 0:
            return [f"crash, signal {-code}"]
        elif code == golden["code"] and "/proc/" in fired:
            pass  # a fact of the machine that the files then do not name
        elif code == golden["code"]:
            self.same(case, where, done, wrong, "it ends as undisturbed")
        elif code in case.refusals:
            return wrong
        elif code not in FAILURES:
            wrong.append(f"exit {code} is not documented for a failure")
        elif code not in CODES[kind]:
            wrong.append(f"exit {code} where {sorted(CODES[kind])} is right")
        if code not in (-9, golden["code"]):
            if not text.strip() and not (kind == "write" and how == "on"):
                wrong.append("no message")
            elif not any(cause in text for cause in (["signal 9"] if killed else CAUSES[kind])):
                wrong.append("the message does not name the cause")
            elif kind in ("open", "rename", "mkdir") and how == "once" and not any(s in text for s in stems(fired)):
                wrong.append("the message does not name the file")
        try:
            now = reported(case, where)
        except ValueError:
            wrong.append("result.json is damaged")
            now = None
        # a folder that cannot be opened cannot be locked, and what lies there may be another run's: it stays
        earlier = self.folder / "templates" / case.name
        untouched = kind in ("open", "lock") and now is not None and now == reported(case, earlier)
        begun = says_no_end(case, now, how, text)
        if now is not None and code >= 0 and now["exit"] != code and not untouched and not begun:
            wrong.append(f"result.json says {now['exit']}, the exit code is {code}")
        here = digest(where, case.files)
        for name, was in golden["before"].items():
            whole = code == golden["code"]  # compared above
            right = here.get(name) in (was, golden["after"].get(name)) or whole and name in here
            if "/proc/" not in fired and not right:
                wrong.append(f"{name} of an earlier run is lost or damaged")
        if killed:
            for name in here:
                if name in TABLES:  # of the members that are done
                    wrong += [] if TABLES[name]((where / name).read_bytes()) else [f"{name} is there and not whole"]
                elif not REST.search(name) and here[name] not in [golden[w].get(name) for w in ("before", "after")]:
                    wrong.append(f"{name} is there and not whole")
        elif kind != "unlink":
            left = [name for name in listing(where) if REST.search(name) or name not in golden["list"]
                    and "partial" not in name and not (member and name.endswith("/failure.json"))]
            if GUARDED in text:  # as with a kill, nobody was there to remove it
                left = [name for name in left if not REST.search(name)]
            if left:
                wrong.append(f"left behind: {left[0]}")
        return wrong

    def point(self, case, kind, number, how, rerun):
        if not hasattr(self.local, "where"):
            self.local.where = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        where, log = self.local.where / "work", self.local.where / "log"
        self.copy(case, where)
        log.unlink(missing_ok=True)
        report = {"case": case.name, "kind": kind, "number": number, "how": how, "fired": "", "code": None,
                  "wrong": []}
        try:
            done = self.run(case.arguments, where, f"{kind}:{number}:{how}", log)
        except subprocess.TimeoutExpired:
            report["wrong"] = ["it hangs"]
            return report
        lines = log.read_text(errors="replace").splitlines() if log.exists() else []
        # calls in children too
        report["fired"] = "; ".join(dict.fromkeys(line[6:] for line in lines if line.startswith("fired")))
        report["code"], report["stderr"] = done.returncode, done.stderr.decode(errors="replace")[-600:]
        if not report["fired"]:
            return report
        report["wrong"] = self.judge(case, kind, how, where, done, report["fired"])
        if rerun:
            again = self.run(case.arguments, where)
            golden = self.golden[case.name]
            report["again"] = again.returncode
            if again.returncode != golden["code"]:
                report["wrong"].append(f"run again: exit {again.returncode}: "
                                       f"{again.stderr.decode(errors='replace')[-300:]}")
            else:
                self.same(case, where, again, report["wrong"], "run again")
            left = sorted(set(listing(where)) - set(golden["list"]))
            if case.sweep and kind == "unlink":  # a member that is done is not run again, nor is its lock removed
                left = [name for name in left if not name.endswith("/.piola-lock")]
            if done.returncode == -9 or how in KILLED or GUARDED.encode() in done.stderr:
                report["rests"] = [name for name in left if REST.search(name)]
                left = [name for name in left if name not in report["rests"]]
            if left:
                report["wrong"].append(f"run again: left behind: {left[0]}")
        return report


def planted(campaign, case):
    """Whether judge() finds what is planted in the folder of an undisturbed run: outcomes that are wrong."""
    def outcome(code, text, spoil=None, kind="malloc"):
        where = campaign.folder / "planted"
        shutil.copytree(campaign.folder / "golden" / case.name, where)
        result = where / "out" / "result.json"
        result.write_text(result.read_text().replace('"exit": 0', f'"exit": {code}'))
        if spoil:
            spoil(where, result)
        done = subprocess.CompletedProcess([], code, b"", text.encode())
        found = campaign.judge(case, kind, "once", where, done, "")
        shutil.rmtree(where)
        return found

    good = "piola: error: no memory for a test: 8 bytes"
    if outcome(71, good) or outcome(0, ""):
        sys.exit("negative control: a right outcome is called wrong")
    wrong = {
        "a crash": outcome(-11, good), "no message": outcome(71, ""), "no cause": outcome(71, "piola: error: failed"),
        "another code": outcome(74, good), "no code": outcome(255, good),
        "a result of success": outcome(
            71, good, lambda w, r: r.write_text(r.read_text().replace('"exit": 71', '"exit": 0'))),
        "a spoilt file": outcome(0, "", lambda w, r: (w / case.files[0]).write_bytes(b"spoilt")),
        "a lost file": outcome(71, good, lambda w, r: (w / case.files[0]).unlink()),
        "a file left behind": outcome(71, good, lambda w, r: (w / "out" / "x.tmp").write_text("")),
    }
    missed = [name for name, found in wrong.items() if not found]
    if missed:
        sys.exit(f"negative control: not found: {missed}")
    print(f"negative control: {len(wrong)} planted outcomes were found")


def drawn(strata, points, seed):
    """About `points` of them: as many of each stratum as of any other, as far as it has them; spread over its
    numbers."""
    total = sum(len(s) for s in strata)
    if points == 0 or points >= total:
        return [p for s in strata for p in s]
    chance, chosen, rest = random.Random(seed), [], points
    for i, stratum in enumerate(sorted(strata, key=len)):
        take = min(len(stratum), rest // (len(strata) - i))
        rest -= take
        step = len(stratum) / take if take else 0
        chosen += [stratum[int((k + chance.random()) * step)] for k in range(take)]
    return chosen


def by_kind(strata, points, seed):
    """`points` of them that no kill ends, as many of each kind as of any other."""
    kinds = collections.defaultdict(list)
    for stratum in strata:
        kinds[stratum[0][1]] += [p for p in stratum if p[3] not in KILLED]
    return drawn(list(kinds.values()), points, seed)


def summary(results, seconds):
    fired = [r for r in results if r["fired"]]
    print(f"{len(results)} points, {len(fired)} of which came to be, in {seconds:.0f} s; "
          f"{sum('again' in r for r in results)} of them were run again; {sum(bool(r.get('rests')) for r in results)} "
          "killed exports or pictures left a file under a name of their own")
    for kind in dict.fromkeys(r["kind"] for r in fired):
        codes = collections.Counter(r["code"] for r in fired if r["kind"] == kind)
        bad = sum(bool(r["wrong"]) for r in fired if r["kind"] == kind)
        print(f"  {kind:9} {sum(codes.values()):6} points, exit codes " +
              ", ".join(f"{c}: {n}" for c, n in sorted(codes.items(), key=lambda x: str(x[0]))) + f"; {bad} wrong")
    wrong = [r for r in results if r["wrong"]]
    kinds = collections.Counter((r["kind"], w.split(":")[0]) for r in wrong for w in r["wrong"])
    for (kind, what), n in kinds.most_common(40):
        one = next(r for r in wrong if r["kind"] == kind and any(w.startswith(what) for w in r["wrong"]))
        print(f"WRONG {n:5} x {kind}: {what}; one is {one['case']}/{kind}/{one['number']}/{one['how']} "
              f"({one['fired']})")
    return not wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("piola", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("shim", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--points", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--case", action="append")
    parser.add_argument("--without", action="append", default=[], metavar="CASE")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--point")
    parser.add_argument("--leaks", type=int, default=0, metavar="N")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    known = {case.name: case for case in cases()}
    start = time.monotonic()
    memory = "/dev/shm"  # where a sync costs nothing
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        campaign = Campaign(given.piola, given.shim, folder)
        if given.point:
            name, kind, number, how = given.point.split("/")
            campaign.prepare(known[name])
            print(json.dumps(campaign.point(known[name], kind, int(number), how, True), indent=1))
            return 0
        strata = []
        for name, case in known.items():
            if name in given.without or given.case and name not in given.case:
                continue
            for kind, count in campaign.prepare(case).items():
                if kind in (given.kind or [kind]) and kind in (case.only or [kind]):
                    strata += [[(case, kind, n + 1, how) for n in range(count)] for how in HOWS.get(kind, ["once"])
                               if count]
        print(f"{sum(map(len, strata))} points in {len(strata)} kinds of {len(known)} commands")
        if not given.case or "run" in given.case:
            planted(campaign, known["run"])
        points = drawn(strata, given.points, given.seed)
        with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
            results = list(pool.map(lambda p: campaign.point(*p[1], p[1][3] in KILLED or p[0] % 4 == 0),
                                    enumerate(points)))
        good = summary(results, time.monotonic() - start)
        if given.leaks:
            good &= fault_leaks.search(campaign, by_kind(strata, given.leaks, given.seed), given.jobs, known["run"])
    if given.json:
        given.json.write_text(json.dumps(results, indent=1))
    kinds = {r["kind"] for r in results}
    fired = all(sum(r["kind"] == k and bool(r["fired"]) for r in results) for k in kinds)
    return 0 if good and results and fired else 1


if __name__ == "__main__":
    sys.exit(main())
