#!/usr/bin/env python3
"""check_neon.py CC NM OBJDUMP BUILD -- the hot kernels of particles are vector code in the arm64 engines of a build.

What tests/rules/check_vectors.py counts in loops of x86-64 is counted here in whole functions: instructions of
floating-point arithmetic on vectors (v0.4s, v0.2d), and on scalars. Registers of arm64 have 16 bytes and those of
x86-64 32 and 64, so that a kernel has no fewer instructions on vectors than there; the least number is that of
check_vectors.py, half of the fewest that were counted of any engine there. Scalars are printed, and have no bound: most
are of laws that stand beside the loops. As a negative control, a small lane loop is compiled with
and without vectors, for this processor.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "rules"))
import check_vectors
import house

ENGINE = re.compile(r"piola_engine_cpu_(f32|f64)_([23])d_aarch64\.so$")
INSTRUCTION = re.compile(r"^ *[0-9a-f]+:\t(\S+)\s*(\S*)", re.M)
ARITHMETIC = re.compile(r"f(?:add|sub|mul|div|ml[as]|n?m(?:add|sub)|nmul|sqrt|abd|addp|(?:max|min)(?:nm)?)")
CONTROL_LEAST = 4


def counts(nm, objdump, file, kernel):
    """(instructions on vectors, on scalars) of a kernel's loop on the CPU, with its parallel part; None without it."""
    names = [s for s in check_vectors.symbols(nm, file) if re.fullmatch(rf"{kernel}_cpu(?:_part)?(?:\..*)?", s)]
    found = [operand for name in names
             for mnemonic, operand in INSTRUCTION.findall(check_vectors.output(
                 objdump, "-d", "--no-show-raw-insn", f"--disassemble={name}", file)) if ARITHMETIC.fullmatch(mnemonic)]
    vectors = sum(bool(re.match(r"v\d+\.(?:2d|[24]s)", operand)) for operand in found)
    return (vectors, len(found) - vectors) if names else None


def faults(where, count, least):
    """What is wrong with a kernel that wants `least` instructions on vectors."""
    if count is None:
        yield f"{where}: inconclusive: no such function"
    elif count[0] < least:
        yield f"{where}: {count[0]} instructions on vectors, at least {least} are wanted"


def control(cc, nm, objdump):
    """Why the counter is not to be trusted, or None."""
    with tempfile.TemporaryDirectory() as folder:
        source, file = pathlib.Path(folder) / "lanes.c", pathlib.Path(folder) / "lanes.o"
        source.write_text(check_vectors.CONTROL)
        found = []
        for flags in ((), ("-fno-tree-vectorize",)):
            subprocess.run([cc, "-O3", *flags, "-c", source, "-o", file], check=True)
            found.append(counts(nm, objdump, file, "lanes"))
        absent = counts(nm, objdump, file, "nothing")
    print(f"negative control: with vectors {found[0]} (vectors, scalars), without {found[1]}")
    if list(faults("", found[0], CONTROL_LEAST)) or found[0][1]:
        return "a lane loop with vectors is not seen as one"
    if not list(faults("", found[1], CONTROL_LEAST)) or not found[1][1] or not list(faults("", absent, 0)):
        return "a lane loop without vectors, or none, is not noticed"
    return None


def main():
    if len(sys.argv) != 5:
        print(__doc__)
        return 2
    cc, nm, objdump, build = sys.argv[1:]
    wrong = control(cc, nm, objdump)
    if wrong:
        print(f"negative control: {wrong}")
        return 1
    engines = sorted(file for file in pathlib.Path(build).iterdir() if ENGINE.match(file.name))
    found = [] if len(engines) == 4 else [f"inconclusive: {build} has {len(engines)} CPU engines, not 4"]
    for file in engines:
        for kernel, (*least, _) in check_vectors.LIMITS.items():
            count, fewest = counts(nm, objdump, file, kernel), least[int(ENGINE.match(file.name).group(2)) - 2]
            where = f"{file.stem[17:]} {kernel}"
            print(f"{where}: (vectors, scalars) {count}, at least {fewest} on vectors")
            found += faults(where, count, fewest)
    return house.finish("vectors of arm64", found, len(engines))


if __name__ == "__main__":
    sys.exit(main())
