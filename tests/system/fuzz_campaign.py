#!/usr/bin/env python3
"""fuzz_campaign.py FUZZ COVERAGE [--minutes M] [--jobs N] [--folder F] -- every reader under libFuzzer, and how much of
it was reached.

FUZZ and COVERAGE are piola_fuzz and piola_fuzz_coverage (tests/system/fuzz.cmake). Each target has M minutes, address
and undefined-behaviour sanitizers, 1 GiB and 10 s for one input; it begins with the files of tests/ that its reader is
given, and with what earlier runs found (F/NAME). Then the coverage of lines of the reader's sources is counted over all
inputs that were kept. A crash, a leak, a time-out or an answer that is not documented ends the campaign with exit code
1; the input is in F/NAME-found."""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests" / "data"
HOST = ROOT / "host"
TARGETS = {  # name: (seeds, their suffixes, dictionary, sources of the reader)
    "scene": (("good_scenes", "bad_scenes"), (".yaml",), "scene.dict",
              ("config*.c", "scene*.c", "expression*.c", "dimension.c")),
    "mesh": (("good_meshes", "bad_meshes", "bad_scenes/parts"), (".msh",), "mesh.dict",
             ("mesh_msh*.c", "mesh_stream.c", "mesh.c", "mesh_finish.c", "mesh_sort.c", "mesh_map.c", "mesh_cells.c",
              "mesh_check.c", "mesh_faces.c")),
    "surface": (("corpus/surface", "bad_scenes/parts", "good_scenes/parts"), (".stl", ".obj", ".ply"), None,
                ("surface_*.c", "byte_input.c", "decimal.c", "ply.c")),
    "table": (("corpus/table", "bad_scenes/parts", "good_scenes/parts"), (".csv", ".ply"), None,
              ("csv.c", "csv_load.c", "csv_ply.c", "ply.c", "decimal.c")),
    "point": (("corpus/table", "bad_scenes/parts", "good_scenes/parts"), (".csv", ".ply"), None, ("fill_points.c",)),
    "weights": (("good_scenes/parts",), (".vtkhdf",), None, ("control_weights.c", "guarded.c")),
    "record": (("corpus/record",), (".rec",), None, ("record.c",)),
    "snapshot": (("good_scenes/parts",), (".vtkhdf",), None,
                 ("snapshot_open.c", "snapshot_checked.c", "snapshot_array.c", "snapshot_summed.c",
                  "snapshot_digest.c", "guarded.c")),
}


def seeds_of(name, folder):
    """The seeds of a target, copied into one folder."""
    folders, suffixes, _, _ = TARGETS[name]
    folder.mkdir(parents=True, exist_ok=True)
    for source in folders:
        for path in sorted((DATA / source).iterdir()):
            if path.suffix in suffixes and path.is_file():
                (folder / f"{source.replace('/', '-')}-{path.name}").write_bytes(path.read_bytes())
    if not any(folder.iterdir()):
        sys.exit(f"{name}: there are no seeds")
    return folder


def fuzz(name, program, minutes, folder):
    """(inputs that were run, seconds, the log's end when it failed)"""
    kept, found = folder / name, folder / f"{name}-found"
    for path in (kept, found):
        path.mkdir(parents=True, exist_ok=True)
    dictionary = TARGETS[name][2]
    command = [program, f"-max_total_time={round(60 * minutes)}", "-max_len=65536", "-timeout=10", "-rss_limit_mb=1024",
               "-verbosity=1", "-print_final_stats=1", f"-artifact_prefix={found}/",
               *([f"-dict={DATA / 'corpus' / dictionary}"] if dictionary else []),
               kept, seeds_of(name, folder / f"{name}-seeds")]
    run = subprocess.run(command, env={**os.environ, "PIOLA_FUZZ_TARGET": name}, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, check=False)
    log = run.stdout.decode(errors="replace")
    (folder / f"{name}.log").write_text(log, encoding="utf-8")
    done = re.search(r"^Done (\d+) runs in (\d+) second", log, re.M)
    if run.returncode or not done:
        return 0, 0, log[-4000:]
    return int(done[1]), int(done[2]), ""


def coverage(name, program, folder):
    """Lines of the reader's sources: (reached, all)."""
    raw, data = folder / f"{name}.profraw", folder / f"{name}.profdata"
    subprocess.run([program, "-runs=0", folder / name, folder / f"{name}-seeds"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env={**os.environ, "PIOLA_FUZZ_TARGET": name, "LLVM_PROFILE_FILE": str(raw)})
    subprocess.run(["llvm-profdata", "merge", "-o", data, raw], check=True)
    sources = [path for pattern in TARGETS[name][3] for path in sorted(HOST.rglob(pattern))]
    report = subprocess.run(["llvm-cov", "export", "-summary-only", "-format=lcov", f"-instr-profile={data}", program,
                             *sources], check=True, capture_output=True, text=True).stdout
    return tuple(sum(int(n) for n in re.findall(rf"^{key}:(\d+)$", report, re.M)) for key in ("LH", "LF"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fuzz", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("coverage", type=lambda p: pathlib.Path(p).resolve())
    parser.add_argument("--minutes", type=float, default=60, help="for each target (default: 60)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="targets at a time")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/fuzz_inputs"))
    options = parser.parse_args()
    if not options.minutes > 0:
        parser.error("--minutes is to be above 0; to libFuzzer 0 is without end")
    failed, inputs, seconds = [], 0, 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        runs = {name: pool.submit(fuzz, name, options.fuzz, options.minutes, options.folder) for name in TARGETS}
        for name, run in runs.items():
            n, s, why = run.result()
            if why:
                failed.append(name)
                print(f"{name}: FAILED, see {options.folder / (name + '.log')} and "
                      f"{options.folder / (name + '-found')}\n{why}", flush=True)
                continue
            reached, lines = coverage(name, options.coverage, options.folder)
            if not 0 < reached <= lines:
                sys.exit(f"{name}: {reached} of {lines} lines were reached: the counts are wrong")
            inputs, seconds = inputs + n, seconds + s
            print(f"fuzzed {name}: {n} inputs in {s / 60:.1f} min, {reached} of {lines} lines of its reader reached "
                  f"({100 * reached / lines:.0f} %)", flush=True)
    print(f"fuzzed in all: {inputs} inputs in {seconds / 3600:.2f} h, {len(failed)} targets failed (threshold 0)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
