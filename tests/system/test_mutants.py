"""Damaged scenes through the command: `piola validate` of 200 of them ends with a documented code within 2 s, and
neither validate nor a run that is refused leaves a file.

    test_mutants.py PIOLA TEST_MUTANTS [COUNT]
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import small_scenes

DOCUMENTED = {0, 65, 66, 71, 77}
MOST_SECONDS = 2.0
LARGE = "fem_cube_million.yaml", "fem_cube_million_small.yaml"  # whose mesh, or that of a mutant, alone takes seconds


def contents(folder: pathlib.Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def main() -> int:
    piola, mutants = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    wrong, slowest, accepted, codes = 0, 0.0, 0, {}
    with tempfile.TemporaryDirectory() as name:
        # Small scenes include full ones by a path from their folder, so both folders are copied as they lie. Mutants of
        # either are written beside the small ones, and find the data of the full ones there too.
        full, folder = (pathlib.Path(name) / p.relative_to(small_scenes.SOURCE)
                        for p in (small_scenes.FULL, small_scenes.SMALL))
        shutil.copytree(small_scenes.FULL, full)
        for scenes in small_scenes.FULL, small_scenes.SMALL:
            shutil.copytree(scenes, folder, dirs_exist_ok=True)
        for large in LARGE:
            (folder / large).unlink()
        subprocess.run([mutants, "--write", str(count), str(folder)], check=True, capture_output=True)
        before = contents(folder)
        files = sorted(folder.glob("mutant_*.yaml"))
        for path in files:
            begin = time.monotonic()
            got = subprocess.run([piola, "validate", path.name, "--allow", full], cwd=folder, capture_output=True)
            seconds = time.monotonic() - begin
            slowest = max(slowest, seconds)
            accepted += got.returncode == 0
            codes[got.returncode] = codes.get(got.returncode, 0) + 1
            answered = got.returncode == 0 or got.stderr.strip()
            if got.returncode not in DOCUMENTED or not answered or seconds > MOST_SECONDS:
                print(f"{path.name}: exit {got.returncode} after {seconds:.2f} s: {got.stderr[-300:]!r}")
                print(path.read_bytes()[:3000])
                wrong += 1
            if got.returncode and path.stem.endswith("0"):  # one in ten of the refused: a run leaves nothing either
                command = "grad" if b"experiments" in path.read_bytes() else "run"  # which takes no studies
                ran = subprocess.run([piola, command, path.name, "--device", "cpu", "--allow", full], cwd=folder,
                                     capture_output=True)
                if ran.returncode != got.returncode:
                    print(f"{path.name}: validate ends with {got.returncode}, {command} with {ran.returncode}")
                    wrong += 1
        left = contents(folder) - before
        if left:
            print(f"files were written: {sorted(left)[:10]}")
            wrong += 1
        print(f"{len(files)} mutants through the command: exit codes {dict(sorted(codes.items()))}, {accepted} "
              f"accepted, slowest {slowest:.2f} s (threshold {MOST_SECONDS:g} s), {len(left)} files written "
              f"(threshold 0), {wrong} faults (threshold 0)")
    return 1 if wrong or len(files) != count or not 0 < accepted < count else 0


if __name__ == "__main__":
    sys.exit(main())
