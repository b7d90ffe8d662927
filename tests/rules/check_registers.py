#!/usr/bin/env python3
"""check_registers.py BUILD NVCC_VERSION [--write] -- what kernels take of a GPU, by the objects of a build.

- The table `registers` of docs/performance.md is what the objects of f32 and f64 in 3D say; --write writes it. It names
  the version of nvcc that made it, and is compared with objects of that version alone: another one allocates otherwise.
  Where PIOLA_ALL_ENGINES is OFF, what is built is compared: of f32 in 3D at least.
- In f32 a hot kernel of particles spills nothing and leaves room for 16 warps; the adjoint of p2g for any law, which
  does neither, is in the table alone.
- No kernel takes more local memory than the backend leaves to the driver (LOCAL_BYTES of kernels/backend/cuda.cu).

The reader knows as much of a fat binary as it needs: the images for sm_90 are ELF files that are not compressed, and
their sections .nv.info hold registers and stack of each kernel, .nv.shared.KERNEL the shared memory. The same numbers
come from `cuobjdump --dump-resource-usage`.
"""
import pathlib
import re
import struct
import sys

import house

PAGE = "docs/performance.md"
ARCH = 90
FATBIN, ELF, CUBIN = b"\x50\xed\x55\xba", b"\x7fELF", 2  # magic numbers, and the kind of entry that is machine code
REGISTERS, STACK = 0x2F, 0x12  # attributes of .nv.info: EIATTR_REGCOUNT, EIATTR_MIN_STACK_SIZE
# Of sm_90 (CUDA C++ Programming Guide 13.0, compute capabilities; CUDA Occupancy Calculator): registers of each of four
# parts of a multiprocessor, bytes of shared memory, of which each block has 1,024 reserved, and the most warps.
PART_REGISTERS, UNIT, PARTS, SHARED, SHARED_UNIT, RESERVED, MOST_WARPS = 16384, 256, 4, 228 * 1024, 128, 1024, 64
COLUMNS, ABSENT = 4, "not built"  # of each precision in the table, and what stands for a kernel that is not there
WARPS_OF_BLOCK = {"map": 8, "team": 4, "sum": 2, "scan": 2}
HOT, LEAST_WARPS = ("mpm_p2g", "mpm_g2p", "mpm_g2p_adj", "mpm_p2g_adj", "mpm_node_sum", "mpm_node_velocity"), 16
SHOWN = ("mpm_p2g", "mpm_node_velocity", "mpm_node_sum", "mpm_grid", "mpm_g2p", "mpm_g2p_adj", "mpm_grid_adj",
         "mpm_p2g_adj", "mpm_p2g_rest_adj", "fem_force", "fem_force_adj", "fem_tangent", "fem_tangent_projected",
         "bsr_apply", "pcg_update", "krylov_dot")


def images(data):
    """The ELF images for ARCH in the fat binaries of an object."""
    at = data.find(FATBIN)
    while at >= 0:
        header, size = struct.unpack_from("<HQ", data, at + 6)
        entry, end = at + header, at + header + size
        while entry < end:
            kind, _, header, size = struct.unpack_from("<HHIQ", data, entry)
            arch = struct.unpack_from("<I", data, entry + 28)[0]
            body = data[entry + header:entry + header + size]
            if kind == CUBIN and arch == ARCH and body.startswith(ELF):
                yield body
            entry += header + size
        at = data.find(FATBIN, end)


def sections(image):
    """(name, offset, size, link) of each section."""
    table, = struct.unpack_from("<Q", image, 40)
    size, count, names = struct.unpack_from("<HHH", image, 58)
    rows = [struct.unpack_from("<IIQQQQI", image, table + i * size) for i in range(count)]
    text = rows[names][4]
    return [(string(image, text + r[0]), r[4], r[5], r[6]) for r in rows]


def string(image, at):
    return image[at:image.index(b"\0", at)].decode()


def usage(image):
    """{symbol: {REGISTERS: n, STACK: bytes, "shared": bytes}} of one image."""
    all_sections, found = sections(image), {}
    symbols = next(s for s in all_sections if s[0] == ".symtab")
    names = all_sections[symbols[3]][1]
    for name, at, size, _ in all_sections:
        if name.startswith(".nv.shared.") and "reserved" not in name:
            found.setdefault(name[11:], {})["shared"] = size
        end = at + size if name == ".nv.info" else at
        while at < end:
            form, attribute, length = struct.unpack_from("<BBH", image, at)
            at += 4
            if form != 4:  # the value is in place of the length
                continue
            if attribute in (REGISTERS, STACK):
                symbol, value = struct.unpack_from("<II", image, at)
                text = struct.unpack_from("<I", image, symbols[1] + 24 * symbol)[0]
                found.setdefault(string(image, names + text), {})[attribute] = value
            at += length
    return found


def kernel_of(symbol):
    """(form, kernel) of an instance of a template of cuda_grids.cuh, or None: its last template argument is a function
    of the file, _ZN <file's length> <file> <name's length> <name> E."""
    match = re.match(r"_Z\d+(map|team|sum|scan)_gridI.*?XadL_ZN(\d+)", symbol)
    if not match:
        return None
    rest = symbol[match.end() + int(match.group(2)):]
    digits = re.match(r"\d+", rest).group()
    return match.group(1), rest[len(digits):len(digits) + int(digits)]


def warps(form, registers, shared):
    """Warps that a multiprocessor of sm_90 holds of a kernel."""
    block = WARPS_OF_BLOCK[form]
    of_warp = -(-registers * 32 // UNIT) * UNIT
    by_registers = PARTS * (PART_REGISTERS // of_warp) // block
    by_shared = SHARED // (-(-max(shared, RESERVED) // SHARED_UNIT) * SHARED_UNIT)
    return min(by_registers, by_shared, MOST_WARPS // block) * block


def engine(build, precision, dimension):
    """{kernel: (registers, stack, shared, warps)} of the objects of an engine; empty where there are none."""
    folder = pathlib.Path(build) / f"CMakeFiles/cuda_kernels_{precision}_{dimension}d.dir/kernels/backend"
    found = {}
    for file in sorted(folder.glob("cuda_*.cu.o")):
        for image in images(file.read_bytes()):
            for symbol, has in usage(image).items():
                kernel = kernel_of(symbol)
                if kernel and REGISTERS in has:
                    shared = has.get("shared", 0)
                    found[kernel[1]] = (has[REGISTERS], has.get(STACK, 0), max(shared - RESERVED, 0),
                                        warps(kernel[0], has[REGISTERS], shared))
    return found


def markdown(version, engines):
    lines = [f"nvcc {version}, sm_{ARCH}:", "", "| kernel, 3D | f32: registers | stack | shared | warps "
             "| f64: registers | stack | shared | warps |", "|---|" + "--:|" * 8]
    for kernel in SHOWN:
        cells = [n if n == ABSENT else f"{n:,}" for precision in ("f32", "f64")
                 for n in engines[precision, 3].get(kernel, [ABSENT] * COLUMNS)]
        lines.append(f"| `{kernel}` | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def table_cells(table, engines):
    """The cells of a table of markdown(), without the columns of an engine that is not built."""
    rows = [line.split("|") for line in table.splitlines()]
    if not engines["f64", 3]:
        rows = [row[:2 + COLUMNS] for row in rows]
    return rows


def hot_faults(dimension, kernels):
    for kernel in HOT:
        _, stack, _, room = kernels[kernel]
        where = f"{kernel}, f32, {dimension}D"
        if stack:
            yield f"{where}: {stack} bytes of stack: it spills"
        if room < LEAST_WARPS:
            yield f"{where}: room for {room} warps, at least {LEAST_WARPS} are wanted"


def stack_faults(engines, most):
    return [f"{kernel}, {key[0]}, {key[1]}D: {has[1]} bytes of local memory, and LOCAL_BYTES is {most}"
            for key, kernels in engines.items() for kernel, has in kernels.items() if has[1] > most]


def table_faults(version, engines, page):
    match = re.search(r"<!-- table registers -->\n(.*?)<!-- end -->", page, re.S)
    if not match:
        return [f"{PAGE}: no '<!-- table registers -->'"]
    made_by = match.group(1).split(",")[0]
    if made_by != f"nvcc {version}":
        print(f"not compared: {PAGE} has the registers of {made_by}, and this build is of nvcc {version}")
        return []
    wanted, there = (table_cells(t, engines) for t in (markdown(version, engines), match.group(1)))
    return [] if wanted == there else [f"{PAGE}: other registers; --write mends the table"]


def control(engines):
    """Planted faults: a spill, too many registers, a stack beyond LOCAL_BYTES, another count in the table of a build
    without f64; which by itself is no fault.
    """
    good = engines["f32", 3]
    alone = {**engines, ("f64", 3): {}}
    page = f"<!-- table registers -->\n{markdown('0', alone)}<!-- end -->"
    other = {**alone, ("f32", 3): {**good, "mpm_p2g": (1, 2, 3, 4)}}
    return (list(hot_faults(3, {**good, "mpm_p2g": (64, 8, 0, 32)})) and
            list(hot_faults(3, {**good, "mpm_node_sum": (255, 0, 0, warps("map", 255, 0))})) and
            list(hot_faults(3, {**good, "mpm_g2p": (163, 0, 0, 12)})) and
            stack_faults({("f64", 3): {"k": (1, 99)}}, 98) and
            not table_faults("0", alone, page) and table_faults("0", other, page) and
            warps("team", 72, 0) == 28 and warps("map", 72, 0) == 24 and warps("team", 32, 20480) == 44)


def main():
    words = [a for a in sys.argv[1:] if a != "--write"]
    if len(words) != 2:
        print(__doc__)
        return 2
    build, version = words
    engines = {(p, d): engine(build, p, d) for p in ("f32", "f64") for d in (2, 3)}
    absent = ["_".join((p, f"{d}d")) for (p, d), kernels in engines.items() if not kernels]
    if not engines["f32", 3] or "--write" in sys.argv and not engines["f64", 3]:
        house.not_checked(f"{build} has no objects of the CUDA engines in 3D for sm_{ARCH}")
    if absent:
        print(f"not compared: {build} has no CUDA engine of {', '.join(absent)} (PIOLA_ALL_ENGINES)")
    if not control(engines):
        print("negative control: a planted fault was not found")
        return 1
    if "--write" in sys.argv:
        page = re.sub(r"(<!-- table registers -->\n).*?(<!-- end -->)",
                      lambda m: m.group(1) + markdown(version, engines) + m.group(2), house.read(PAGE), flags=re.S)
        (house.ROOT / PAGE).write_text(page)
    most = int(re.search(r"LOCAL_BYTES = (\d+)", house.read("kernels/backend/cuda.cu")).group(1))
    faults = [f for d in (2, 3) if engines["f32", d] for f in hot_faults(d, engines["f32", d])]
    faults += stack_faults(engines, most) + table_faults(version, engines, house.read(PAGE))
    return house.finish("registers", faults, sum(len(e) for e in engines.values()))


if __name__ == "__main__":
    sys.exit(main())
