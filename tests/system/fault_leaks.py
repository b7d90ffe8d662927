"""fault_leaks.py -- what a command that fails does not give back: memory, maps, descriptors, identifiers of HDF5.

The other half of fault_campaign.py --leaks. LeakSanitizer is loaded with fault_shim.c before the command as it is
shipped, and looks when the process ends for memory that nothing points to any more; the rest fault_left.c counts when
main() is over. Engines are unloaded by then: their functions are named here, by addr2line, from where they lay. A
process that was killed or ended by _exit (the guard of tools/guard.c) has nothing to say and is not judged. What an
undisturbed command leaves is held against it too."""
import bisect
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import tempfile
import time

# Functions through which memory comes: the caller is looked for behind them.
ALLOCATORS = re.compile(
    r"(__interceptor_)?(malloc|calloc|realloc|memalign|aligned_alloc|posix_memalign|reallocarray|aligned|noted)$")
OURS = re.compile(r"piola$|piola_\w+[\w.-]*\.so$")
# What libraries lose themselves and Piola cannot give back: (library that stands in the stack between the allocator and
# Piola, kinds of faults after which it does, why). Everything else is Piola's to mend. What is left out so is counted
# in the last line.
FOREIGN = (
    (r"libhdf5", {"malloc"}, "HDF5 1.10 loses what it has built where one of its own further allocations is refused"),
)


def library():
    """LeakSanitizer as a library that can be loaded before a program; None where the compiler has none."""
    for compiler in ("gcc", "cc"):
        try:
            said = subprocess.run([compiler, "-print-file-name=liblsan.so"], capture_output=True, text=True,
                                  check=False)
        except FileNotFoundError:
            continue
        path = pathlib.Path(said.stdout.strip())
        if path.is_absolute() and path.exists():
            return str(path.resolve())
    return None


def environment(shim, lsan, folder, stacks):
    """What run() of the campaign adds: a report in `folder` where memory is lost, with whole stacks (slow) or
    without."""
    options = ["leak_check_at_exit=0", "exitcode=0", "allocator_may_return_null=1", f"log_path={folder}/lost",
               *(["fast_unwind_on_malloc=0", "malloc_context_size=40"] if stacks
                 else ["malloc_context_size=2", "symbolize=0"])]
    return {"LD_PRELOAD": f"{shim} {lsan}", "PIOLA_FAULT_LEFT": "1", "LSAN_OPTIONS": ":".join(options)}


class Names:
    """Functions by file and place in it; each is looked up once."""

    def __init__(self):
        self.known = {}

    def of(self, file, place):
        if (file, place) not in self.known:
            said = subprocess.run(["addr2line", "-f", "-e", file, hex(place - 1)], capture_output=True, text=True,
                                  check=False)
            self.known[file, place] = (said.stdout.split("\n") or ["??"])[0]
        return self.known[file, place]


FRAME = re.compile(r"\s+#\d+ (0x[0-9a-f]+)\s*(?:in (\S+))?.*?\(?(?:([^\s()]+)\+(0x[0-9a-f]+)|<unknown module>)?\)?$")


def stacks(report, modules, names):
    """(bytes, [(module, function), ...]) of each leak of a report; functions of Piola and of what it calls, allocators
    left out."""
    bases = sorted(modules)
    found = []
    for line in report.split("\n"):
        head = re.match(r"(Direct|Indirect) leak of (\d+) byte", line)
        if head:
            found.append((int(head[2]), []))
            continue
        frame = FRAME.match(line)
        if not frame or not found:
            continue
        at, function, file, place = int(frame[1], 16), frame[2], frame[3], frame[4]
        if not function and (not file or "liblsan" in file):  # which takes what lies beyond its own end for its own
            i = bisect.bisect_right(bases, at) - 1
            if i >= 0 and at - bases[i] < 1 << 26:
                file, place = modules[bases[i]], hex(at - bases[i])
        if not function and file and place:
            function = names.of(file, int(place, 16))
        function = function or "??"
        if not ALLOCATORS.match(function):
            found[-1][1].append((pathlib.Path(file).name if file else "", function))
    return found


def who(stack, kind):
    """The stack up to Piola's innermost function, or a few frames where there is none; and whose loss it is: "" is
    Piola's to mend."""
    ours = next((i for i, (module, _) in enumerate(stack) if OURS.match(module)), None)
    frames = stack[:6] if ours is None else stack[:ours + 3]
    text = " < ".join(f"{function} ({module})" if not OURS.match(module) else function for module, function in frames)
    above = stack if ours is None else stack[:ours]
    foreign = next((name for name, kinds, _ in FOREIGN if kind in kinds
                    and any(re.match(name, module) for module, _ in above)), "")
    return text, foreign


class Left:
    """What one process left: {what: amount}; `judged` is false where it could not say."""

    def __init__(self, log, folder, names, kind):
        lines = log.read_text(errors="replace").split("\n") if log.exists() else []
        self.judged = any(line.startswith("searched") for line in lines)
        self.ours, self.foreign, self.identifiers = collections.Counter(), collections.Counter(), {}
        kept = {}
        modules = {int(line.split()[1], 16): line.split(None, 2)[2] for line in lines if line.startswith("module ")}
        for line in (line.split(None, 3) for line in lines if line.startswith("left ")):
            if line[1] == "identifier":
                self.identifiers[line[3]] = int(line[2])
            elif line[1] == "kept":
                kept[line[3]] = int(line[2])
            elif line[1] == "descriptor":
                self.ours[f"descriptor of {line[3]}"] += 1
            elif line[1] == "stream":
                self.ours["streams open"] += int(line[2])
            else:
                self.ours["bytes mapped"] += int(line[2])
        if kind:
            self.keep(kept)
        for report in folder.glob("lost.*"):
            for amount, stack in stacks(report.read_text(errors="replace"), modules, names):
                text, library = who(stack, kind)
                if library:
                    self.foreign[f"bytes lost in {library}"] += amount
                else:
                    self.ours[f"bytes lost: {text}"] += amount
            report.unlink()

    def keep(self, kept):
        """What HDF5 failed to close is not Piola's to close: identifiers, what lies in such files, and their
        descriptors."""
        if kept.get("file"):
            kept.update((kind, self.identifiers.get(kind, 0)) for kind in ("group", "data set", "attribute"))
        for kind, n in kept.items():
            self.foreign[f"HDF5 identifiers: {kind}"] += min(n, self.identifiers.get(kind, 0))
            self.identifiers[kind] = max(self.identifiers.get(kind, 0) - n, 0)
        held = [what for what in self.ours
                if re.match(r"descriptor of .*(\.vtkhdf|\.h5|/memfd:snapshot)( \(deleted\))?$", what)]
        for what in held[:kept.get("file", 0)]:
            self.foreign[what] = self.ours.pop(what)

    def against(self, undisturbed):
        """Identifiers that an undisturbed run does not leave count too."""
        for kind, n in self.identifiers.items():
            if n > undisturbed.identifiers.get(kind, 0):
                self.ours[f"HDF5 identifiers: {kind}"] += n - undisturbed.identifiers.get(kind, 0)
        return self


class Search:
    """Commands of a campaign, searched for what they do not give back."""

    def __init__(self, campaign, lsan):
        self.campaign, self.lsan, self.names, self.undisturbed = campaign, lsan, Names(), {}

    def left(self, case, fault=None, forget=None):
        """What the case leaves with this fault, reported with whole stacks where memory is lost."""
        left = self.one(case, fault, forget, False)
        return self.one(case, fault, forget, True) if left.ours or left.foreign else left

    def one(self, case, fault, forget, stacks):
        """One run. `fired` is what came of the fault, "" where it did not come."""
        with tempfile.TemporaryDirectory(dir=self.campaign.folder) as folder:
            folder = pathlib.Path(folder)
            where, log = folder / "work", folder / "log"
            self.campaign.copy(case, where)
            extra = environment(self.campaign.shim, self.lsan, folder, stacks)
            if forget:
                extra["PIOLA_FAULT_FORGET"] = forget
            try:
                done = self.campaign.run(case.arguments, where, fault, log, extra=extra)
            except subprocess.TimeoutExpired:
                done = subprocess.CompletedProcess([], None, b"", b"it hangs")
            lines = log.read_text(errors="replace").split("\n") if log.exists() else []
            left = Left(log, folder, self.names, (fault or "").split(":")[0])
            left.fired = next((line[6:] for line in lines if line.startswith("fired")), "")
            left.name = f"{case.name}/{(fault or 'none').replace(':', '/')}"
            left.code = done.returncode
            if left.code is None:
                left.judged, left.ours["hang"] = True, 1
            left.stderr = done.stderr.decode(errors="replace")
            return left

    def prepare(self, case):
        """What the case leaves undisturbed; None where LeakSanitizer was not heard of."""
        left = self.left(case)
        self.undisturbed[case.name] = left
        return left if left.judged else None

    def point(self, case, kind, number, how):
        return self.left(case, f"{kind}:{number}:{how}").against(self.undisturbed[case.name])

    def planted(self, case):
        """The negative control: what the command is made to forget is found, in the command and in the engine it has
        unloaded."""
        wanted = {"free": ("bytes lost: .*pio_", "bytes lost: .*mpm_"), "munmap": ("bytes mapped",),
                  "close": ("descriptor of .*out",), "fclose": ("descriptor of .*engine", "streams open"),
                  "H5Sclose": ("HDF5 identifiers: space",)}
        for call, patterns in wanted.items():
            left = self.left(case, forget=call).against(self.undisturbed[case.name])
            for pattern in patterns:
                if not any(re.match(pattern, what) for what in left.ours):
                    raise SystemExit(f"negative control: a forgotten {call} is not found: nothing like '{pattern}'")
        print(f"negative control: forgotten calls of {', '.join(wanted)} were found")


def search(campaign, points, jobs, control):
    """Search these points (case, kind, number, how), and their cases without a fault; whether Piola leaves
    nothing."""
    lsan = library()
    looked = Search(campaign, lsan)
    if not lsan or not looked.prepare(control):
        print("not checked: memory that is lost: " + ("LeakSanitizer does not run here" if lsan
                                                      else "the compiler has no liblsan.so"))
        return os.environ.get("CI") != "true"
    if os.path.exists("/dev/nvidiactl"):
        points = [p for p in points if p[0].name != "doctor"]
        print("not checked: what doctor leaves, which starts the driver of a GPU here")
    begin = time.monotonic()
    looked.planted(control)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        undisturbed = list(pool.map(looked.prepare, {p[0].name: p[0] for p in points}.values()))
        if not all(undisturbed):
            raise SystemExit("LeakSanitizer was not heard of after an undisturbed command")
        results = list(pool.map(lambda p: looked.point(*p), points))
    fired = [r for r in results if r.fired]
    judged = [r for r in fired if r.judged]
    found = {}
    for r in undisturbed + judged:
        for what, amount in r.ours.items():
            found.setdefault(re.sub(r"/\S*/work/", "", what), []).append((amount, r))
    total = collections.Counter()
    for what, all_of_it in found.items():
        amount, one = all_of_it[0]
        total[re.split(r":| of ", what)[0]] += sum(a for a, _ in all_of_it)
        print(f"WRONG {len(all_of_it):5} x {amount} {what}; one is {one.name} ({one.fired or 'no fault'})")
    foreign = sum((r.foreign for r in judged), collections.Counter())
    lost = sum(amount for what, amount in foreign.items() if what.startswith("bytes"))
    print(f"{len(results)} points, {len(fired)} of which came to be, were searched for what is lost, in "
          f"{time.monotonic() - begin:.0f} s: {len(judged)} ended by themselves and left {total['bytes lost']} bytes "
          f"that nothing points to, {total['bytes mapped']} bytes mapped, {total['descriptor']} descriptors, "
          f"{total['streams open']} streams, {total['HDF5 identifiers']} identifiers of HDF5; "
          f"{sum(bool(r.foreign) for r in judged)} of them left what HDF5 itself loses or cannot close ({lost} bytes); "
          f"{len(fired) - len(judged)} were ended by the guard and cannot be judged")
    return not found and bool(judged)
