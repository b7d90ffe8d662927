#!/usr/bin/env python3
"""check_docs.py PIOLA [--write] -- the Markdown pages say what the code says. PIOLA is the command that was built.

    <!-- table NAME --> ... <!-- end -->    equals what is made of the sources or of the command: kernels, fields,
                                            mesh-fields, units, rooms, room-tests, designs, keys-mpm, keys-fem,
                                            keys-study, commands, exit-codes, result, reports, gallery,
                                            help-COMMAND. `--write` puts it there.
Commands, options, files, links and variables that a page names exist; counts that it quotes are true. README.md is
short, docs/README.md links to every page of docs/, docs/scene.md lists every scene, a decision has its context,
choice and cost, lines and pictures are small. Every scene that ships has its picture in the gallery, and every picture
its scene; scenes of layouts, shapes and studies have their reports there, pages that need nothing else, are small and
name no folder of a machine. Commits that its measurements name are here.
"""
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import check_rooms
import house
import schema_tables

sys.path.insert(0, str(house.ROOT / "tools/python"))
import gallery_reports
import make_gallery

REQUIRED = {
    "docs/architecture.md": ("rooms", "room-tests"),
    "docs/command.md": ("commands",),
    "docs/gallery.md": ("gallery",),
    "docs/reference/commands.md": ("help-run", "help-grad", "help-check", "help-optimize", "help-sweep",
                                   "help-params", "help-validate", "help-schema", "help-info", "help-render",
                                   "help-film", "help-plot", "help-export", "help-report", "help-doctor", "help-bench"),
    "docs/reference/designs.md": ("designs",),
    "docs/reference/exit-codes.md": ("exit-codes",),
    "docs/reference/fields.md": ("fields", "mesh-fields"),
    "docs/reference/kernels.md": ("kernels",),
    "docs/reference/keys-fem.md": ("keys-fem",),
    "docs/reference/keys-mpm.md": ("keys-mpm",),
    "docs/reference/keys-study.md": ("keys-study",),
    "docs/reference/reports.md": ("reports",),
    "docs/reference/result.md": ("result",),
    "docs/scene.md": ("units",),
}
README_LINES, LINE_LENGTH, PICTURE_BYTES = 200, 120, 100_000
DECISION = ("Context", "Choice", "Cost")
TABLE = re.compile(r"(<!-- table ([\w-]+) -->\n)(.*?)(<!-- end -->)", re.S)
FENCE = re.compile(r"^```[^\n]*\n(.*?)^```", re.S | re.M)
COUNT = re.compile(r"\b(\d[\d,]*) (bad scenes|good scenes|kernels|commands)\b")
# What the tests of the table of designs mean to a reader.
OWNERS = {
    "has_weight": "scenes in which something has a density", "is_apic": "`time.integrator: apic`",
    "has_contact": "particles with `contact`, by `time.integrator: apic`", "of_particles": "particles",
    "has_grid_contact": "scenes with `contact` of model `grid`, by `time.integrator: apic`",
    "has_repulsion": "scenes with `contact` of model `potential`",
    "of_mesh": "meshes", "has_touch": "meshes with `contact`",
    "has_velocity": "bodies in motion, without an expression",
    "has_displacement": "meshes in motion, without an expression",
    "has_thickness": "meshes in 2D, without an expression",
    "has_relative_density": "bodies with `relative_density`, without an expression",
    "has_choice": "meshes with `interpolation.second`",
    "has_expansion": "meshes, where a body has a temperature and the material an expansion",
    "has_temperature": "meshes with a material that expands, without an expression",
    "damps": "meshes in motion, except by `reversible_leapfrog`", "is_signal": "constants and sines",
    "is_sine": "sines", "has_knots": "signals with knots", "is_network": "networks",
    "is_no_spring": "loads other than springs and foundations, without an expression",
    "is_spring": "springs and foundations", "is_prescribed": "type `displacement`, without an expression",
    "is_turned": "type `rotation`, without an expression",
    **{f"{a}_{end}_rubs": "faces of type `slip` and `separate`, by `time.integrator: apic`"
       for a in "xyz" for end in ("min", "max")},
    "has_size": "all but planes", "shifts_x": "motions with `x`", "shifts_y": "motions with `y`",
    "shifts_z": "motions with `z`", "turns": "motions with `angle`",
    "is_no_ball": "all but balls", "slides": "particles, `slip` and `separate`",
    "separates": "particles, `separate` of model `grid`",
    "has_potential": "meshes; particles, model `potential`",
    "has_distance": "meshes, all but closed surfaces; particles, model `potential`",
    "pio_law_constant_of": "constants of the law",
    "pio_plastic_constant_of": "constants of the plastic law",
}
OWN_PATH = re.compile(rf"(?:{'|'.join(house.FOLDERS)}|\.ci)/[\w./*-]*")


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in rows]) + "\n"


def kernels():
    forms = {"MAP": "one item each", "TEAM": "a team of lanes each", "SUM": "sum in a fixed tree",
             "SCAN": "prefix sums"}
    rows = []
    groups = re.findall(r'^#include "(kernels/\w+/\w+_kernels.def)"$', house.read("kernels/kernels.def"), re.M)
    for form, name, rest in re.findall(r"^(MAP|TEAM|SUM|SCAN)\((\w+), (.*)\)$",
                                       "\n".join(map(house.read, groups)), re.M):
        reason = re.fullmatch(r'(BY|NONE)\("(.*)"\)', rest)
        says = {"HAS": f"`{name}_adj`", "IS": "is one"}.get(rest)
        rows.append((f"`{name}`", forms[form],
                     says or {"BY": "by ", "NONE": "none: "}[reason.group(1)] + reason.group(2)))
    return rows


def fields():
    rows, text = [], house.without_comments(house.read("kernels/mpm/mpm_fields.def"))
    for name, unit, meaning in re.findall(r'^(?:MADE_)?INT_FIELD\((\w+), "(.*?)", "(.*)"\)$', text, re.M):
        rows.append((f"`{name}`", "1", "all", unit, meaning))
    for name, parts, when, unit, meaning in re.findall(r'^(?:MADE_)?FIELD\((\w+), ([^,]+), (\w+), "(.*?)", "(.*)"\)$',
                                                       text, re.M):
        kept = {"ALWAYS": "all", "SOLID": "solids", "FLUID": "fluids", "AFFINE": "all of apic",
                "PLASTIC": "plastic solids", "PLANE": "plastic solids in 2D"}[when]
        rows.append((f"`{name}`", re.sub(r" ?\* ?", " x ", parts), kept, unit, meaning))
    return rows


def mesh_fields():
    have = {"ALWAYS": "all", "RATES": "all motions, and static runs with friction", "IMPLICIT": "implicit motions",
            "BDF2": "BDF2"}
    kept = {"NEWMARK": "Newmark", "REACTION": "where a reaction is observed"}
    rows, text = [], house.without_comments(house.read("kernels/fem/fem_fields.def"))
    for name, when, held, unit, meaning in re.findall(r'^FIELD\(\w+, (\w+), (\w+), ([^"]+), "(.*?)", "(.*)"\)$',
                                                      text, re.M):
        slot = "always" if held == when else " and ".join(kept[h] for h in held.split(" || "))
        rows.append((f"`{name}`", have[when], slot, unit, meaning))
    return rows


def designs():
    """The rows of the table of design paths."""
    lists = {"ALL": "", "MATERIAL": "materials.NAME.", "BODY": "bodies.NAME.", "CONTROL": "control.NAME.",
             "LOAD": "loads.NAME.", "BOUNDARY": "boundary.NAME.", "OBSTACLE": "obstacles.NAME.",
             "CONSTANT": "constants.NAME"}
    shapes = {"NUMBER": "number", "VECTOR": "vector", "ROTATION": "rotation", "FEW": "as given", "LIST": "list"}
    velocity = re.search(r"#define PIO_LEAST_VELOCITY (\S+)", house.read("solvers/engine/engine_mpm.h"))[1]
    rows, text = [], house.without_comments(house.read("host/scene/design_table.c"))
    for owner, key, rest in re.findall(r'\{SCENE_OWNER_(\w+), (NULL|"[^"]+"), (.*?)\},\n(?! {5})', text, re.S):
        unit = re.search(r"CFG_(\w+)", rest)[1].lower().replace("_", " ")
        shape = re.search(r"DESIGN_(\w+)", rest)
        least = re.search(r"(FROM|ABOVE)\((\w+)\)", rest)
        between = re.search(r"\.range = \{CFG_FROM \| CFG_UP_TO, (\S+), (\S+)\}", rest)
        has = re.search(r"\.(?:has|constant) = (\w+)", rest)
        legal = "any"
        if least:
            bound = least[2].replace("PIO_LEAST_VELOCITY", velocity)
            legal = {"FROM": "at least ", "ABOVE": "above "}[least[1]] + bound
        if between:
            legal = f"at least {between[1]} and at most {between[2]}"
        where = OWNERS[has[1]] if has else "all"
        quantity = {"one": "plain number", "any": "that of the load"}.get(unit, unit)
        if owner == "MATERIAL":
            quantity = legal = "that of the key"
        if owner == "CONSTANT":
            key, quantity, where = "", "that of the constant", "meshes"
        many = (shapes[shape[1]] if shape else "number") + (", or one component" if ".parts = true" in rest else "")
        rows.append((f"`{lists[owner]}{key.replace('NULL', 'KEY').strip(chr(34))}`", many, quantity, legal, where))
    return rows


def units():
    """The units of scene files, by quantity; the first of each is that of the SI."""
    of = {}
    for name in house.files(".c"):
        if name.startswith("host/config/"):
            for unit, quantity in re.findall(r'\{"([^"]+)", CFG_([A-Z_]+), -?\d+, [^}"]+\}', house.read(name)):
                of.setdefault(quantity.lower().replace("_", " "), []).append(f"`{unit}`")
    return [(quantity, ", ".join(names)) for quantity, names in of.items()]


def rooms():
    """The rooms in the order of check_rooms.py: each with the sentence of its main header, and the rooms whose files it
    includes."""
    reads = {room: set() for room in check_rooms.LEVEL}
    for name in house.files(".c", ".h", ".cu", ".cuh", ".def"):
        source = check_rooms.room_of(name)
        for target in check_rooms.INCLUDE.findall(house.without_comments(house.read(name))) if source in reads else ():
            reads[source].add(check_rooms.room_of(target))
    rows = []
    for room, known in reads.items():
        layers = [(top, [r for r in check_rooms.LEVEL if r in known - {room} and r.startswith(top + "/")])
                  for top in check_rooms.ORDER]
        text = "; ".join(f"{top}: " + ", ".join(r.split("/")[1] for r in inside) for top, inside in layers if inside)
        sentence = check_rooms.sentence(room, house.read(f"{room}/{check_rooms.MAIN[room]}"))
        rows.append((f"`{room}`", sentence, text or "nothing"))
    return rows


class Command:
    """What the command says about itself."""

    def __init__(self, program):
        self.program = program
        self.help = self.ask("--help")
        self.schema = self.ask("schema", "--markdown").strip("\n") + "\n"
        self.commands = self.section(self.help, "Commands", 20)
        self.names = [c.split()[0] for c, _ in self.commands]
        self.helps = {name: self.ask(name, "--help") for name in self.names}
        self.options = {name: set(re.findall(r"^ {2,}(?:-\w, +)?(--[\w-]+)", text, re.M)) |
                        set(re.findall(r"^ +(-\w), +--", text, re.M)) for name, text in self.helps.items()}
        self.options[""] = set.union(*self.options.values())

    def ask(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=True).stdout

    @staticmethod
    def section(text, title, column):
        """[(entry, meaning)] of a section of the help, whose meanings stand at `column`."""
        rows = []
        for line in re.search(rf"^{title}:\n(.*?)(?:\n\n|\Z)", text, re.S | re.M).group(1).rstrip("\n").split("\n"):
            if line[:column].strip():
                # an entry may reach beyond the column: then it stands alone
                rows.append(re.split(r" {2,}", line.strip() + "  ", 1))
            else:
                rows[-1][1] += " " + line.strip()
        return [(entry, meaning.strip()) for entry, meaning in rows]

    def size(self, scene):
        """What `piola validate` says of the size of a scene file."""
        said = self.ask("validate", str(house.ROOT / scene))
        return re.findall(r"no errors \((.*)\)", said)[-1]  # of a study it comes after its experiments

    def keys(self, kind):
        """The table of the keys of studies, or of scenes of one method, of the three that the command prints."""
        title = "^Studies:\n\n" if kind == "study" else rf"^Scenes of `method: \{{type: {kind}\}}`:\n\n"
        return re.search(title + r"(.*?\n)(?:\n|\Z)", self.schema, re.S | re.M).group(1)

    def table(self, name, old=""):
        """What stands in the table `name`, of which `old` is what the page has; None: there is no such table."""
        if name == "commands":
            return table(("command", "what it does"), [(f"`piola {c}`", m) for c, m in self.commands])
        if name == "exit-codes":
            return table(("code", "meaning"), self.section(self.help, "Exit codes", 6))
        if name in ("keys-mpm", "keys-fem", "keys-study"):
            return self.keys(name[5:])
        if name == "units":
            return table(("quantity", "units"), units())
        if name == "designs":
            return table(("path", "values", "quantity", "range", "where"), designs())
        if name == "gallery":
            return make_gallery.markdown(self.size)
        if name == "rooms":
            return table(("room", "what it holds", "reads"), rooms())
        if name == "room-tests":
            return table(("room", "tested by"), [(f"`{room}`", f"`{name}`")
                                                 for room, name in check_rooms.TESTED_BY.items()])
        if name.startswith("help-") and name[5:] in self.names:
            return "```\n" + self.helps[name[5:]].strip("\n") + "\n```\n"
        if name in schema_tables.NAMES:
            return schema_tables.markdown(name, table)
        if name in ("registers", "estimate"):
            return old  # of the objects of a build, by check_registers.py and check_estimate.py
        if name == "kernels":
            return table(("kernel", "form", "derivative"), kernels())
        if name == "fields":
            return table(("field", "components", "particles", "unit", "meaning"), fields())
        if name == "mesh-fields":
            return table(("field", "integrators", "in a slot", "unit", "meaning"), mesh_fields())
        return None


def code_of(text):
    """The code of a page: lines of fenced blocks, and what stands within a line."""
    rest = text
    for match in FENCE.finditer(text):
        block = re.sub(r"\\\n\s*", " ", match.group(1))
        for line in block.split("\n"):
            yield line
        rest = rest.replace(match.group(), "\n" * match.group().count("\n"))
    for match in re.finditer(r"(?<!`)`([^`]+)`(?!`)", rest):
        yield " ".join(match.group(1).split())


def option_faults(code, command):
    """Options in a line of code that the command does not have; the line may hold several commands."""
    for part in re.split(r"&&|\|\||[;|]|#", code):
        called = re.match(r"\s*(?:\$ )?(?:\w+=\S* )*(?:\S*/)?piola ([a-z]+)\b(.*)", part)
        options = re.findall(r"(?<!\S)(--[a-z][\w-]*|-[a-z])(?![\w-])", called.group(2) if called else part)
        if called and called.group(1) not in command.names:
            yield f"there is no command 'piola {called.group(1)}'"
        elif called:
            yield from (f"piola {called.group(1)} has no {o}" for o in options
                        if o not in command.options[called.group(1)])
        elif re.match(r"\s*--[a-z]", part):
            yield from (f"no command has {o}" for o in options if o not in command.options[""])


def headings(text):
    """The anchors of a page's headings."""
    titles = re.findall(r"^#+ +(.*)$", FENCE.sub("", text), re.M)
    return {re.sub(r"[^\w -]", "", title.replace("`", "").lower()).replace(" ", "-") for title in titles}


def link_faults(name, text):
    for match in re.finditer(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)", text):
        path, anchor = match.groups()
        target = (house.ROOT / name).parent.joinpath(path) if path else None
        if target and not target.exists():
            yield text.find(match.group()), f"links to {path}, which is not there"
        elif anchor and anchor not in headings(target.read_text() if target else text):
            yield text.find(match.group()), f"links to {match.group()[2:-1]}: there is no heading of that name"


def form_faults(name, text):
    """How a page is made: its length, its lines, the parts of a decision."""
    lines = FENCE.sub(lambda m: "\n" * m.group().count("\n"), text).split("\n")
    if name == "README.md" and text.count("\n") > README_LINES:
        yield 0, f"has {text.count(chr(10))} lines; at most {README_LINES}"
    for line in lines:
        if len(line) > LINE_LENGTH and not line.startswith("|"):
            yield text.find(line), f"a line of {len(line)} characters; at most {LINE_LENGTH}"
    if name.startswith("docs/decisions/"):
        for part in DECISION:
            if f"\n**{part}.** " not in text:
                yield 0, f"a decision has no '**{part}.**'"


def scene_faults(pages):
    """Every scene that ships stands in the list of docs/scene.md."""
    text = pages.get("docs/scene.md", "")
    names = sorted(p.relative_to(house.ROOT).as_posix() for p in (house.ROOT / "scenes").glob("*.yaml"))
    return [f"docs/scene.md: {name} is not listed" for name in names if f"`{name}`" not in text]


def index_faults(pages):
    """Every page of docs/ is reached from its index by one link, decisions by their titles."""
    index = pages.get("docs/README.md", "")
    links = re.findall(r"\]\(([^)#\s]+)", index)
    for title, link in re.findall(r"\[([^\]]+)\]\((decisions/[^)]+)\)", index):
        if not pages.get(f"docs/{link}", "").startswith(f"# {title}\n"):
            yield f"docs/README.md: {link} has another title than '{title}'"
    for name in pages:
        if name.startswith("docs/") and name != "docs/README.md" and name[5:] not in links:
            yield f"{name}: docs/README.md does not link to it"


def picture_faults(sizes):
    return [f"{name}: {size} bytes; at most {PICTURE_BYTES}" for name, size in sizes.items() if size > PICTURE_BYTES]


def gallery_control():
    """Whether what lacks an entry, a picture, a measurement or a report is found, and what belongs to no scene."""
    scenes = ["study_a", "study_b", "c"]  # the third has no report
    there = {key: scenes for key in ("entries", "pictures", "measured")} | {"reports": scenes[:2]}
    if list(make_gallery.faults(scenes, **there)):
        return False
    return all(len(list(make_gallery.faults(scenes, **{**there, key: names}))) == 1
               for key, all_of in there.items() for names in (all_of[1:], [*all_of, "study_d"]))


def git(*words):
    return subprocess.run(["git", "-C", str(house.ROOT), *words], capture_output=True, text=True)


def commit_faults(names):
    """Commits that this one does not descend from; None where there is no history, as in an archive of sources."""
    if not shutil.which("git") or git("rev-parse", "--is-shallow-repository").stdout.strip() != "false":
        return None
    return [f"{make_gallery.MEASURED}: no commit {name} leads here" for name in sorted(names)
            if git("merge-base", "--is-ancestor", name, "HEAD").returncode]


def measured_commits():
    """What is wrong with the commits that measurements of the gallery name."""
    faults = commit_faults(make_gallery.commits())
    if faults is None:
        print("commits of measurements: not checked, for there is no whole history of git")
        return []
    if len(commit_faults(["0" * 40])) != 1:
        sys.exit("negative control: a commit that is not there was not found")
    return faults


def page_faults(name, text, command, sources):
    counts = {"bad scenes": len(list((house.ROOT / "tests/data/bad_scenes").glob("*.yaml"))),
              "good scenes": len(list((house.ROOT / "tests/data/good_scenes").glob("*.yaml"))),
              "kernels": len(kernels()), "commands": len(command.names)}
    for match in TABLE.finditer(text):
        want = command.table(match.group(2), match.group(3))
        if want != match.group(3):
            yield match.start(), f"table {match.group(2)} is not what the sources say; --write mends it"
    if text.count("<!-- table ") != len(TABLE.findall(text)):
        yield 0, "a table has no '<!-- end -->'"
    prose = TABLE.sub("", text)
    for code in code_of(prose):
        where = max(text.find(code), 0)
        yield from ((where, fault) for fault in option_faults(code, command))
        for path in OWN_PATH.findall(code) if " " not in code else []:
            if code.startswith(path) and not list(house.ROOT.glob(path.rstrip("/"))):
                yield where, f"there is no {path}"
    yield from link_faults(name, text)
    for match in COUNT.finditer(prose):
        if int(match.group(1).replace(",", "")) != counts[match.group(2)]:
            yield text.find(match.group()), f"says {match.group()}: there are {counts[match.group(2)]}"
    for word in sorted(set(re.findall(r"\bPIOLA_[A-Z_]+\b", prose))):
        if not re.search(rf"\b{word}\b", sources):
            yield text.find(word), f"names {word}, which no source has"


def check(pages, command, sources):
    faults = [f"{name}:{house.line_of(text, at)}: {fault}" for name, text in pages.items()
              for at, fault in (*page_faults(name, text, command, sources), *form_faults(name, text))]
    for name, tables in REQUIRED.items():
        there = {m.group(2) for m in TABLE.finditer(pages.get(name, ""))}
        faults += [f"{name}: no '<!-- table {wanted} -->'" for wanted in tables if wanted not in there]
    return faults + list(index_faults(pages)) + scene_faults(pages)


PLANTED = [
    ("a.md", "<!-- table kernels -->\n| x |\n<!-- end -->\n", "table kernels"),
    ("a.md", "<!-- table nothing -->\n<!-- end -->\n", "table nothing"),
    ("a.md", "<!-- table kernels -->\n", "has no '<!-- end -->'"),
    ("a.md", "`piola run x.yaml --no-such-option`\n", "piola run has no --no-such-option"),
    ("a.md", "```\ncd x && build/release/piola run x.yaml \\\n  --frame 3\n```\n", "piola run has no --frame"),
    ("a.md", "`piola nothing`\n", "no command"),
    ("a.md", "with `--no-such-option`\n", "no command has"),
    ("a.md", "see `tools/no_such_file.py`\n", "there is no tools/no_such_file.py"),
    ("a.md", "[x](tools/no_such_file.py)\n", "links to"),
    ("a.md", "<!-- table nothing -->\n[x](gallery/nothing.html)\n<!-- end -->\n", "links to gallery/nothing.html"),
    ("a.md", "rejects 3 bad scenes\n", "says 3 bad scenes"),
    ("a.md", "set `PIOLA_NO_SUCH` to\n", "no source has"),
    ("a.md", "# Here\n[x](#nowhere)\n", "no heading of that name"),
    ("docs/README.md", "[x](command.md#no-such-heading)\n", "no heading of that name"),
    ("docs/architecture.md", "<!-- table rooms -->\n| `host/attic` | old things | nothing |\n<!-- end -->\n",
     "table rooms"),
    ("docs/reference/keys-mpm.md", "| `E` |\n", "no '<!-- table keys-mpm -->'"),
    ("docs/reference/designs.md", "| `gravity` |\n", "no '<!-- table designs -->'"),
    ("docs/scene.md", "`scenes/fem_cook.yaml`\n", "docs/scene.md: scenes/mpm_throw.yaml is not listed"),
    ("docs/lost.md", "Nobody links here.\n", "docs/README.md does not link to it"),
    ("docs/README.md", "[001 Old](decisions/001-engines-as-modules.md)\n", "has another title than '001 Old'"),
    ("docs/decisions/001-a.md", "# A\n\n**Context.** x\n**Choice.** y\n", "no '**Cost.**'"),
    ("docs/a.md", "word " * 40 + "\n", "a line of 200 characters"),
    ("CHANGELOG.md", "- " + "x" * 119 + "\n", "a line of 121 characters"),
    ("README.md", "x\n" * 201, "has 201 lines"),
]


def write(pages, command):
    for name, text in pages.items():
        new = TABLE.sub(lambda m: m.group(1) + (command.table(m.group(2), m.group(3)) or m.group(3)) + m.group(4), text)
        if new != text:
            (house.ROOT / name).write_text(new)
            print(f"{name}: tables written")


def main():
    words = [a for a in sys.argv[1:] if a != "--write"]
    if len(words) != 1:
        print(__doc__)
        return 2
    command = Command(words[0])
    sources = "\n".join(house.read(n) for n in house.files(".c", ".h", ".sh", ".txt", ".cmake", ".json", ".py")
                        if not n.endswith(".py") or n.startswith("tools/"))  # of the tests, planted ones are no sources
    if "--write" in sys.argv:
        write({name: house.read(name) for name in house.files(".md")}, command)
    house.control(lambda texts: check(texts, command, sources), PLANTED)
    if not picture_faults({"docs/a.png": PICTURE_BYTES + 1}):
        print("negative control: a picture that is too large was not found")
        return 1
    if not gallery_control():
        print("negative control: a scene without its picture, or a picture without its scene, was not found")
        return 1
    if not gallery_reports.control():
        print("negative control: a fault of a report was not found, or one that is none")
        return 1
    pages = {name: house.read(name) for name in house.files(".md")}
    pictures = {name: (house.ROOT / name).stat().st_size for name in house.files(".png") if name.startswith("docs/")}
    found = check(pages, command, sources) + picture_faults(pictures) + make_gallery.all_faults() + measured_commits()
    return house.finish("docs", found, len(pages))


if __name__ == "__main__":
    sys.exit(main())
