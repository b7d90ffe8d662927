#!/usr/bin/env python3
"""check_vectors.py CC NM OBJDUMP BUILD -- the hot kernels are vector code in the CPU engines of a build.

A compiler that gives up a lane loop (FULL_LANES, RUN_LANES, NODE_LANES of base.h), or takes packs apart (pack.h), says
nothing, and no result is wrong: the kernel is slower. So the machine code of each kernel of LIMITS is disassembled, its
loops are found, and in them the instructions of floating-point arithmetic are counted: scalar ones, and packed ones
with the bytes of their registers.

Counted is what stands in loops, except those whose own instructions, not only those of loops within, call a function,
and the loops within these: they are the laws of other materials, and they run lane by lane. Copies and comparisons are
no arithmetic. What remains has four bounds, each with room for other text and other compilers:
- packed instructions, at least: half of the fewest that were measured of any engine of that dimension;
- scalar ones, at most, as a share of all: 1.3 times the largest share that was measured, and 5% where that was none.
  A lane loop with a branch that a compiler could not remove is seen here. What is scalar by design are laws without
  calls, and reports;
- scalar ones in one straight loop, a loop without a branch: at most STRAIGHT, where 1 was measured, an addition at an
  index. Lane loops are straight, so that one which lost its vectors is seen here, in a kernel of any length;
- the mean bytes of packed ones: at least BYTES, where 28 to 64 were measured. Registers of 16 bytes alone are seen
  here, which compilers fill with neighbouring statements of a loop that they left scalar.

A lane loop with a call in it is left out like a law: it is seen only when packed instructions become too few.

Measured with gcc 12.2, of 8 engines. As a negative control, a small lane loop is compiled with and without vectors.
"""
import collections
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import check_rooms
import house

# {kernel: (fewest packed instructions in 2D, in 3D, largest share of scalar ones)}
LIMITS = {"mpm_p2g": (45, 110, 0.20), "mpm_g2p": (50, 200, 0.16), "mpm_g2p_adj": (130, 460, 0.05),
          "mpm_p2g_adj": (180, 560, 0.16), "mpm_p2g_rest_adj": (550, 1550, 0.08), "mpm_plastic": (325, 510, 0.05),
          "mpm_plastic_adj": (575, 1030, 0.05), "fem_tangent": (94, 139, 0.05)}
STRAIGHT, BYTES = 4, 20
ENGINE = re.compile(r"piola_engine_cpu_(f32|f64)_([23])d_x86-64-\w+\.so$")

INSTRUCTION = re.compile(r"^ *([0-9a-f]+):\t(?:(?:notrack|bnd|lock|rep\w*|cs|ds|data16) +)*(\S+) *(.*)$", re.M)
TARGET = re.compile(r"([0-9a-f]+) <")
ARITHMETIC = re.compile(r"v?(?:add|sub|mul|div|sqrt|min|max|addsub|hadd|hsub|rcp(?:14)?|rsqrt(?:14)?|"
                        r"fn?m(?:add|sub|addsub|subadd)(?:132|213|231))([sp])[sd]")
COPIES = re.compile(r"<(?:__)?mem(?:cpy|move|set)(?:_chk)?@")  # functions that a loop may call: they compute nothing
ENDS = re.compile(r"<(?:__stack_chk_fail|abort)@")  # functions that do not return

Code = collections.namedtuple("Code", "instructions blocks arrows")  # blocks: (begin, end); arrows: {block: {blocks}}
# Of the code that is counted; `straight` is the most scalar instructions in one straight loop.
Count = collections.namedtuple("Count", "loops packed bytes scalar straight")

CONTROL = """
float law(float x);
void lanes_cpu(float *x, const float *y, int batches)
{
    for (int b = 0; b < batches; b++, x += 32, y += 32)
        _Pragma("GCC ivdep") _Pragma("GCC unroll 1") for (int j = 0; j < 32; j++)
            x[j] = (x[j] + y[j]) * (x[j] - 2.f * y[j]) / (1.f + y[j]);
}
void laws_cpu(float *x, int n)
{
    for (int j = 0; j < n; j++) x[j] = law(x[j] + 1.f) * 2.f;
}
"""


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


def symbols(nm, file):
    """The names of the functions of a file."""
    return [row.split()[2] for row in output(nm, "--defined-only", file).splitlines() if row.split()[1] in "tT"]


def disassembled(objdump, file, symbol):
    """[(address, mnemonic, operands)] of a function."""
    text = output(objdump, "-d", "-M", "att", "--no-show-raw-insn", f"--disassemble={symbol}", file)
    return [(int(a, 16), name, operands) for a, name, operands in INSTRUCTION.findall(text)]


def ends(name, operands):
    """Whether the instruction behind this one is not reached from it."""
    return name.startswith(("jmp", "ret", "ud2", "hlt")) or (name.startswith("call") and bool(ENDS.search(operands)))


def code_of(instructions):
    """The blocks of a function that its beginning reaches; behind an indirect jump are all blocks that nothing else
    reaches. Other parts of the function, as .cold ones, are not there, and neither are blocks that only they reach."""
    place = {address: i for i, (address, _, _) in enumerate(instructions)}
    jumps, begins = {}, {0}
    for i, (_, name, operands) in enumerate(instructions):
        if name.startswith("j"):
            target = TARGET.match(operands)
            jumps[i] = place.get(int(target.group(1), 16)) if target else None
        if name.startswith("j") or ends(name, operands):
            begins.add(i + 1)
    begins = sorted(begins | {i for i in jumps.values() if i is not None} - {len(instructions)})
    begins = [i for i in begins if i < len(instructions)]
    blocks, number = list(zip(begins, begins[1:] + [len(instructions)])), {i: n for n, i in enumerate(begins)}
    arrows, indirect = {n: set() for n in range(len(blocks))}, []
    for n, (_, end) in enumerate(blocks):
        _, name, operands = instructions[end - 1]
        if jumps.get(end - 1) is not None:
            arrows[n].add(number[jumps[end - 1]])
        if name.startswith("jmp") and operands.startswith("*"):
            indirect.append(n)
        if not ends(name, operands) and end in number:
            arrows[n].add(number[end])
    orphans = set(arrows) - set().union({0}, *arrows.values())
    for n in indirect:
        arrows[n] |= orphans
    reached, todo = {0} & set(arrows), [0] if arrows else []
    while todo:
        new = arrows[todo.pop()] - reached
        reached |= new
        todo += new
    return Code(instructions, blocks, {n: arrows[n] for n in reached})


def loops(arrows):
    """The loops of a graph, each a set of blocks: those that reach each other, and in each of them likewise those that
    do so without its entries (Steensgaard 1993)."""
    circles = [set(c) for c in check_rooms.circles(arrows)]
    inside = set().union(*circles)
    found = []
    for loop in circles + [{n} for n, to in arrows.items() if n in to and n not in inside]:
        entries = {n for a, to in arrows.items() if a not in loop for n in to & loop} or {min(loop)}
        found += [loop] + loops({n: arrows[n] & loop - entries for n in loop})
    return found


def own_code(code, found):
    """[(loop, its instructions that are in no loop within)]."""
    bodies = [[] for _ in found]
    for n in code.arrows:
        around = [i for i, loop in enumerate(found) if n in loop]
        if around:
            begin, end = code.blocks[n]
            bodies[min(around, key=lambda i: len(found[i]))] += code.instructions[begin:end]
    return list(zip(found, bodies))


def calls(body):
    return any(name.startswith("call") and not COPIES.search(operands) for _, name, operands in body)


def width(operands):
    return 64 if "%zmm" in operands else 32 if "%ymm" in operands else 16


def counted(instructions):
    """The Count of a function."""
    code = code_of(instructions)
    bodies = own_code(code, loops(code.arrows))
    lane_by_lane = [loop for loop, body in bodies if calls(body)]
    packed, scalar, straight, size = 0, 0, 0, 0
    for loop, body in bodies:
        if any(loop <= other for other in lane_by_lane):
            continue
        kinds = [(match.group(1), operands) for match, operands in
                 ((ARITHMETIC.fullmatch(name), operands) for _, name, operands in body) if match]
        singles = sum(kind == "s" for kind, _ in kinds)
        packed += len(kinds) - singles
        scalar += singles
        size += sum(width(operands) for kind, operands in kinds if kind == "p")
        if len(loop) == 1:
            straight = max(straight, singles)
    return Count(len(bodies), packed, size, scalar, straight)


def kernel_count(nm, objdump, file, kernel):
    """The Count of a kernel's loop on the CPU, whose part of one thread is a function, or None without it."""
    names = [s for s in symbols(nm, file) if re.fullmatch(rf"{kernel}_cpu(?:_part)?(?:\..*)?", s) and ".cold" not in s]
    parts = [counted(disassembled(objdump, file, name)) for name in names]
    return Count(*(sum(n) for n in list(zip(*parts))[:4]), max(p.straight for p in parts)) if parts else None


def measured(count):
    """(share of scalar instructions, mean bytes of packed ones)."""
    return count.scalar / max(count.packed + count.scalar, 1), count.bytes / max(count.packed, 1)


def faults(where, count, least, most):
    """What is wrong with a kernel; `least` packed instructions and at most the share `most` of scalar ones."""
    if count is None or not count.loops:
        yield f"{where}: inconclusive: {'no such function' if count is None else 'no loops were found'}"
        return
    share, size = measured(count)
    if count.packed < least:
        yield f"{where}: {count.packed} packed instructions, at least {least} are wanted"
    if share > most:
        yield f"{where}: {share:.1%} of its arithmetic is scalar, at most {most:.0%} may be"
    if count.straight > STRAIGHT:
        yield f"{where}: a straight loop has {count.straight} scalar instructions, at most {STRAIGHT} may be"
    if size < BYTES:
        yield f"{where}: packed instructions have {size:.1f} bytes, at least {BYTES} are wanted"


def control(cc, nm, objdump):
    """Why the counter is not to be trusted, or None: a lane loop that lost its vectors is a fault, one that has them is
    none, a law that is called is not counted, and each bound finds what is beyond it."""
    with tempfile.TemporaryDirectory() as folder:
        source, vectors, none = (pathlib.Path(folder) / name for name in ("lanes.c", "vectors.o", "none.o"))
        source.write_text(CONTROL)
        for file, flags in ((vectors, ()), (none, ("-fno-tree-vectorize",))):
            subprocess.run([cc, "-O3", "-march=x86-64-v3", *flags, "-c", source, "-o", file], check=True)
        good, bad = (kernel_count(nm, objdump, file, "lanes") for file in (vectors, none))
        law = kernel_count(nm, objdump, vectors, "laws")
    print(f"negative control: with vectors {good.packed} packed and {good.scalar} scalar instructions, without "
          f"{bad.packed} and {bad.scalar}")
    if list(faults("", good, 4, 0)) or good.bytes != 32 * good.packed:
        return f"a lane loop with vectors is not seen as one: {good}"
    if bad.packed or len(list(faults("", bad, 1, 0.9))) != 4:
        return f"a lane loop without vectors is not seen as one: {bad}"
    if not law.loops or law.packed or law.scalar:
        return f"a law that is called is counted: {law}"
    fine = Count(9, 100, 3200, 10, 1)
    planted = (None, fine._replace(loops=0), fine._replace(packed=70), fine._replace(scalar=50),
               fine._replace(straight=STRAIGHT + 1), fine._replace(bytes=1600))
    if list(faults("", fine, 80, 0.2)) or not all(list(faults("", count, 80, 0.2)) for count in planted):
        return "a planted fault was not found"
    return None


def main():
    if len(sys.argv) != 5:
        print(__doc__)
        return 2
    cc, nm, objdump, build = sys.argv[1:]
    if platform.machine() not in ("x86_64", "AMD64"):
        house.not_checked(f"this reads machine code of x86-64, and the machine is {platform.machine()}")
    sys.setrecursionlimit(100000)  # of check_rooms.circles, which goes from block to block
    wrong = control(cc, nm, objdump)
    if wrong:
        print(f"negative control: {wrong}")
        return 1
    engines = sorted(file for file in pathlib.Path(build).iterdir() if ENGINE.match(file.name))
    found = [] if engines else [f"inconclusive: {build} has no CPU engines"]
    for file in engines:
        for kernel, (*least, most) in LIMITS.items():
            count = kernel_count(nm, objdump, file, kernel)
            where, fewest = f"{file.stem[17:]} {kernel}", least[int(ENGINE.match(file.name).group(2)) - 2]
            if count:
                share, size = measured(count)
                print(f"{where}: packed {count.packed} (at least {fewest}) of {size:.1f} bytes (at least {BYTES}), "
                      f"scalar {share:.1%} (at most {most:.0%}), {count.straight} in a straight loop "
                      f"(at most {STRAIGHT})")
            found += faults(where, count, fewest, most)
    return house.finish("vectors", found, len(engines))


if __name__ == "__main__":
    sys.exit(main())
