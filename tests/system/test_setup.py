"""Setting up a scene is counted first and can be stopped: what cannot fit is refused at once, a signal and a time limit
end it within a second, and nothing is written then.

    test_setup.py PIOLA
"""
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

import small_scenes

FILE = """version: 1
name: fine
method: {{type: mpm, dimension: 3, grid: {{min: [0, 0, 0], max: [1, 1, 1], spacing: {spacing}}}}}
time: {{duration: 1 ms, dt: 1 us}}
geometry:
  - {{name: g, type: ball, center: [0.5, 0.5, 0.5], radius: 0.3}}
materials:
  - {{name: m, model: neo_hookean, density: 1000 kg/m3, E: 10 kPa, nu: 0.3}}
bodies:
  - {{name: b, geometry: g, material: m}}
"""
FEM = """version: 1
name: block
method: {{type: fem, dimension: 3}}
time: {{load_steps: 1}}
geometry:
  - {{name: g, type: box, element: hex8, elements: [{n}, {n}, {n}], min: [0, 0, 0], max: [1, 1, 1]}}
materials:
  - {{name: m, model: neo_hookean, E: 10 kPa, nu: 0.3}}
bodies:
  - {{name: b, geometry: g, material: m}}
boundary:
  - {{name: s, body: b, on: {{group: left}}, type: fixed}}
"""
MOST_SECONDS = 2.0  # of a refusal, and of reading 10 MB
faults = 0


def judge(what: str, good: bool, got: object) -> None:
    global faults
    faults += not good
    print(f"{'ok' if good else 'WRONG'}: {what}: {got}")


def processor_seconds() -> float:
    """What the processes that have ended took of processors so far, which other work on them does not change."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(folder: pathlib.Path, *arguments: str, after: float | None = None, bytes_most: int | None = None):
    """Exit code, seconds from the signal (sent `after` seconds) or the start, text, files that are there."""
    limit = (lambda: resource.setrlimit(resource.RLIMIT_AS, (bytes_most, bytes_most))) if bytes_most else None
    begin = time.monotonic()
    process = subprocess.Popen(arguments, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               preexec_fn=limit)
    if after is not None:
        time.sleep(after)
        process.send_signal(signal.SIGTERM)
        begin = time.monotonic()
    out, err = process.communicate(timeout=120)
    return process.returncode, time.monotonic() - begin, out + err, sorted(p.name for p in folder.iterdir())


def large_files(folder: pathlib.Path, piola: str) -> None:
    """Scenes of many materials, of many bytes, and with a large table."""
    write = lambda file, text: (folder / file).write_text(text)
    many = "".join(f"  - {{name: m{i}, model: neo_hookean, density: 1000 kg/m3, E: 10 kPa, nu: 0.3}}\n"
                   for i in range(3999))
    bodies = "".join(f"  - {{name: b{i}, geometry: g, material: m{i}}}\n" for i in range(3999))
    text = FILE.format(spacing="10 mm")
    write("many.yaml", text[:text.index("materials:")] + "materials:\n" + many + "bodies:\n" + bodies)
    code, seconds, text, files = run(folder, piola, "validate", "many.yaml")
    judge(f"3,999 materials and bodies, {(folder / 'many.yaml').stat().st_size} bytes",
          code in (0, 71) and seconds < MOST_SECONDS, f"exit {code}, {seconds:.2f} s")
    write("huge.yaml", "version: 1\nname: x\nx: [" + ",".join(["0.12345678"] * 950000) + "]\n")
    code, seconds, text, files = run(folder, piola, "validate", "huge.yaml")
    judge(f"a scene of {(folder / 'huge.yaml').stat().st_size} bytes", code == 65 and seconds < MOST_SECONDS,
          f"exit {code}, {seconds:.2f} s")
    random.seed(1)
    write("points.csv", "x,y,z,volume\n" + "".join(f"{random.uniform(0.2, 0.8):.7f},{random.uniform(0.2, 0.8):.7f},"
                                                 f"{random.uniform(0.2, 0.8):.7f},1e-9\n" for _ in range(300000)))
    write("points.yaml", FILE.format(spacing="20 mm").replace("type: ball, center: [0.5, 0.5, 0.5], radius: 0.3",
                                                             "type: points, file: points.csv"))
    before = processor_seconds()
    code, seconds, text, files = run(folder, piola, "validate", "points.yaml")
    cpu = processor_seconds() - before
    judge(f"a table of {(folder / 'points.csv').stat().st_size} bytes, in {MOST_SECONDS} s of a processor",
          code == 0 and cpu < MOST_SECONDS, f"exit {code}, {cpu:.2f} s")


def main() -> int:
    piola = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write = lambda file, text: (folder / file).write_text(text)
        write("tiny.yaml", FILE.format(spacing="0.9 mm"))
        write("fine.yaml", FILE.format(spacing="3 mm"))
        write("coarse.yaml", FILE.format(spacing="9 mm"))
        write("block.yaml", FEM.format(n=900))
        write("mesh.yaml", FEM.format(n=160))
        there = sorted(p.name for p in folder.iterdir())
        for file in ("tiny.yaml", "block.yaml"):
            for command in ("validate", "run"):
                code, seconds, text, files = run(folder, piola, command, file)
                judge(f"{command} {file} is refused with 71 and bytes, within {MOST_SECONDS} s",
                      code == 71 and seconds < MOST_SECONDS and bool(re.search(r"at least \d{9,} bytes", text))
                      and files == there, f"exit {code}, {seconds:.2f} s, {text.strip()[:160]}")
        code, seconds, text, files = run(folder, piola, "validate", "fine.yaml")
        judge("what would take long is counted, and what is left out is reported", code == 0 and "--dry-run" in text and
              seconds < MOST_SECONDS, f"exit {code}, {seconds:.2f} s, {text.strip()[:120]}")
        code, seconds, text, files = run(folder, piola, "run", "coarse.yaml", "--device", "cpu", bytes_most=600 << 20)
        judge("a limit of the process (600 MiB) is known", code == 71 and "bytes" in text and files == there,
              f"exit {code}, {text.strip()[:160]}")
        for file, after in (("fine.yaml", 0.7), ("fine.yaml", 2.0), ("mesh.yaml", 0.7), ("mesh.yaml", 3.0)):
            code, seconds, text, files = run(folder, piola, "run", file, "--device", "cpu", "-q", after=after)
            judge(f"SIGTERM after {after} s ends run {file} with 75 within a second, nothing written",
                  code == 75 and seconds < 1 and "SIGTERM" in text and files == there,
                  f"exit {code}, {seconds:.2f} s, {text.strip()}")
        code, seconds, text, files = run(folder, piola, "grad", "fine.yaml", "--device", "cpu", "-q",
                                         "--max-walltime", "0.5")
        judge("--max-walltime 0.5 ends it within a second more",
              code == 75 and seconds < 1.5 and "time limit" in text and files == there,
              f"exit {code}, {seconds:.2f} s, {text.strip()}")

        walker = small_scenes.words(small_scenes.find("mpm_walker_feedback_small.yaml"))
        before = processor_seconds()
        code, _, text, files = run(folder, piola, "validate", *walker, "--set", "time.duration=1000000 s")
        seconds = processor_seconds() - before
        judge("samples of a billion steps are counted before they are listed", code == 71 and seconds < MOST_SECONDS and
              "bytes" in text and files == there, f"exit {code}, {seconds:.2f} s, {text.strip()[:160]}")
        large_files(folder, piola)
    print(f"{faults} faults (threshold 0)")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
