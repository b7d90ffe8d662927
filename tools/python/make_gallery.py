#!/usr/bin/env python3
"""make_gallery.py PIOLA [--draw-only] [SCENE ...] -- runs the scenes of scenes/, draws the pictures of docs/gallery/
and writes its reports: all of them, or those named, such as mpm_throw. Results go to out/; with --draw-only those that
are there are drawn.

Each scene has one entry in ENTRIES: the command that runs it and the options that draw it. gallery_reports.py says
which have a report. What was measured is written to docs/gallery/measured.json. `check_docs.py PIOLA --write` makes
docs/gallery.md of the entries, the scene files and that.
"""
import dataclasses
import datetime
import json
import pathlib
import re
import resource
import subprocess
import sys
import textwrap

import gallery_reports

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FOLDER, MEASURED = "docs/gallery", "docs/gallery/measured.json"
SIZE, WIDTH = "800x500", 120


@dataclasses.dataclass(frozen=True)
class Entry:
    """How one scene is run and drawn."""
    scene: str          # the file's name, without its suffix
    command: str        # run, grad or optimize
    shows: str          # what the picture shows, whole sentences
    draw: str           # options of `piola render`
    settings: str = ""  # options of the command, where the scene as it stands would take long; `shows` says so
    file: str = "states"


ENTRIES = (
    Entry("mpm_throw", "optimize",
          "The ball touches the floor in the throw that was found. The colour is the derivative of the "
          "objective, the squared distance from the target, with respect to Young's modulus of each "
          "particle.",
          "--field grad_E --frame 12 --size 900x400"),
    Entry("mpm_throw_bounce", "optimize",
          "The first of two bounces off the rough floor, in the throw that was found. The colour is the "
          "determinant of the deformation gradient: the ball is compressed where it touches.",
          "--field J --frame 13 --size 900x420"),
    Entry("mpm_billiards", "optimize",
          "The third of three collisions, with the aim that was found. The colour is the speed.",
          "--field velocity --frame 35 --size 900x520"),
    Entry("mpm_jelly", "grad",
          "The block on the floor. The colour is the derivative of the objective with respect to the "
          "vertical velocity at that moment: a push upward where it is blue would let the block rise "
          "higher.",
          "--field adj_velocity.z --frame 14 --zoom 1.5 --size 780x480"),
    Entry("mpm_modulus", "optimize",
          "The bar at the end, with the material that was found, stretched by its own weight. The "
          "colour is the determinant of the deformation gradient, the ratio by which the volume has "
          "grown.",
          "--field J --range 0.95,1.2 --azimuth 40 --elevation 10"),
    Entry("mpm_two_materials", "optimize",
          "Young's modulus of each particle of the hanging bar after 60 iterations; the hidden block has 40 "
          "kPa, the bar 12 kPa.",
          "--field materials_rubber_E --azimuth 320",
          settings="--set optimizer.max_iterations=60", file="history"),
    Entry("mpm_dam_viscosity", "optimize",
          "The syrup on its way, with the viscosity that was found. The colour is the speed.",
          "--field velocity --frame 14 --size 900x460"),
    Entry("mpm_pour", "grad",
          "The syrup runs off the dome of jelly. The colour is the speed.",
          "--field velocity --frame 12 --zoom 1.4 --elevation 18 --size 700x440"),
    Entry("mpm_sand_column", "optimize",
          "The heap at the end, with the friction angle that was found. The colour is the derivative of "
          "the objective with respect to the friction angle of each particle.",
          "--field grad_friction_angle --size 900x460"),
    Entry("mpm_snowball", "grad",
          "The snowball at the end, seen from the side of the post that broke it; the post itself is "
          "not drawn. The colour is the plastic change of volume that hardens or softens snow.",
          "--field hardening --frame 80 --zoom 1.6 --azimuth 300 --elevation 25 --size 760x480"),
    Entry("mpm_taylor_bar", "run",
          "The copper rod 80 us after it hit the wall, with the yield stress at which the search "
          "begins. The colour is the accumulated plastic strain. The picture is of a run; the search "
          "takes some ten times as long.",
          "--field hardening --range 0,1.5 --azimuth 30 --zoom 1.2"),
    Entry("mpm_crawler", "optimize",
          "The crawler after 8 of the some 20 iterations that learning takes. The colour is the speed along "
          "its way.",
          "--field velocity.x --frame 96 --size 1000x320",
          settings="--set optimizer.max_iterations=8"),
    Entry("mpm_codesign_crawler", "optimize",
          "The crawler after 0.9 s with the gait and the stiffness that were found together. The colour is Young's "
          "modulus, 10 kPa everywhere at the start.",
          "--field E --frame 72 --size 1000x320"),
    Entry("mpm_topology_jumper", "optimize",
          "The jumper 0.12 s after it began, with the layout that was found. The colour is the relative density; the "
          "back is the muscle.",
          "--field relative_density --size 800x560"),
    Entry("mpm_walker_feedback", "optimize",
          "The walker after 8 of the some 50 iterations that learning takes. The colour is the speed along "
          "its way.",
          "--field velocity.x --frame 100 --zoom 1.5 --elevation 15 --size 900x450",
          settings="--set optimizer.max_iterations=8"),
    Entry("mpm_long_flow", "grad",
          "The syrup while it collapses. The colour is the derivative of the objective, the height of "
          "the middle after 2 s, with respect to the viscosity of each particle.",
          "--field grad_viscosity --frame 3 --size 900x460"),
    Entry("mpm_long_bounce", "grad",
          "The ball in the middle of the contact. The colour is the determinant of the deformation gradient, "
          "the ratio of volumes.",
          "--field J --frame 10 --size 900x460"),
    Entry("fem_tension_id", "optimize",
          "The strip at its largest extension, with the materials that were found. The colour is the "
          "displacement along the strip: the softer left half takes most of it.",
          "--field displacement.x --size 900x360"),
    Entry("fem_cook", "grad",
          "The loaded panel. The colour is the derivative of the objective, minus the deflection, with "
          "respect to the shear modulus of each element.",
          "--field grad_mu"),
    Entry("fem_seal", "optimize",
          "The seal pressed by 2.5 mm. The colour is von Mises' stress: the walls bend beside the crown and "
          "bulge above the foot.",
          "--field von_mises --size 800x460"),
    Entry("fem_bracket", "grad",
          "The bracket under the pressure of its pin. The colour is von Mises' stress: the fillet and the "
          "plate around the bolts carry most.",
          "--field von_mises --azimuth 50 --elevation 25 --size 620x410"),
    Entry("fem_cube_million", "grad",
          "The cube of a million unknowns, sheared and pulled. The colour is the derivative of the objective, the "
          "displacement of an edge, with respect to Young's modulus of each element.",
          "--field grad_E --azimuth 40 --elevation 25"),
    Entry("fem_field_id", "optimize",
          "Young's modulus that was found for each element; the hidden square has 400 kPa and is 30 mm "
          "wide.",
          "--field materials_soft_E", file="history"),
    Entry("topology_mbb", "optimize",
          "The relative density of each element after 100 iterations: half of a beam that is loaded in its middle, at "
          "the left, and rests on its ends. The filter leaves a grey rim.",
          "--field bodies_beam_relative_density --size 900x400", file="history"),
    Entry("topology_mbb_projected", "optimize",
          "The same with a projection that becomes sharper, at the end: an element is full or empty.",
          "--field bodies_beam_relative_density --size 900x400", file="history"),
    Entry("study_robust_mbb", "optimize",
          "The layout as it is drawn, of a design whose eroded and dilated layouts have the same members: none of "
          "them, and no hole, is narrower than about 2 m.",
          "--field relative_density --deformation 0 --range 0,1 --size 900x400",
          file="experiments/intermediate/states"),
    Entry("topology_bridge_3d", "optimize",
          "The bridge that was found: elements that are at least half full. Two arches rise through the deck, carry it "
          "in the middle and stand on the banks; in between is room for the traffic.",
          "--field relative_density --deformation 0 --range 0,1 --hide-below relative_density=0.5 --size 700x370"),
    Entry("topology_compliant_gripper", "optimize",
          "The upper half of the gripper that was found, closed: the rod at the lower left has been pulled to the "
          "left, from x = 0, and the jaw at the lower right has come down from y = 20 mm without turning. Where the "
          "arms are thin they bend as hinges turn.",
          "--field relative_density --range 0,1 --hide-below relative_density=0.5 --size 720x500"),
    Entry("fem_cantilever_shape", "optimize",
          "The cantilever with the edge that was found. The colour is the displacement under the load.",
          "--field displacement --size 800x420"),
    Entry("shape_hook", "optimize",
          "The hook that was found, with as much steel as at the start. The colour is von Mises' stress: the inside of "
          "the bow carries most, and the tip, which carries nothing, has become thin.",
          "--field von_mises --size 460x640"),
    Entry("fem_fork", "optimize",
          "The tone of the fork that was found, 440 Hz: the shape of the second mode, drawn small. The prongs have "
          "become thicker at their roots and thinner at their ends.",
          "--field displacement --frame 2 --deformation -0.001 --size 500x760"),
    Entry("fem_disc_axisymmetric", "optimize",
          "Half the section of the disc that was found, the axis at the left and the plane of symmetry below. The "
          "colour is von Mises' stress, 141 MPa at most and 250 MPa at the start.",
          "--field von_mises --size 900x300"),
    Entry("fem_bimetal", "optimize",
          "The strip at the temperature that was found, 60.2 K above that at which it is straight. The colour is von "
          "Mises' stress: largest at the clamp, and else along the seam, where the layers hold each other back.",
          "--field von_mises --size 900x300"),
    Entry("fem_actuator", "optimize",
          "The finger at the top of the path, with the signals that were found. The colour is the displacement.",
          "--field displacement --frame 10 --size 800x480"),
    Entry("fem_incline", "optimize",
          "The block after half a second on the slope, which x follows, with the friction that was found. The "
          "colour is the speed.",
          "--field velocity --size 800x480"),
    Entry("fem_hertz", "optimize",
          "The lower half of the ball at the highest place of the plate, with the modulus that was found. The colour "
          "is von Mises' stress, up to a tenth of the largest.",
          "--field von_mises --range 0,16000 --size 800x560"),
    Entry("fem_snap_fit", "optimize",
          "The clip below the edge of the frame, with the shape that was found. The colour is von Mises' stress.",
          "--field von_mises --size 900x320"),
    Entry("fem_fold", "optimize",
          "The sheet with the modulus that was found: its end was turned over and laid down on the sheet, which "
          "touches itself there. The colour is the displacement.",
          "--field displacement --size 800x300"),
    Entry("fem_gripper", "optimize",
          "The fingers at the end, with the course of pressure that was found, and the ball that friction holds 25 mm "
          "above the floor. The colour is von Mises' stress: the ribs between the chambers carry most.",
          "--field von_mises --frame 20 --size 600x500"),
    Entry("fem_swing", "grad",
          "The beam after 0.35 s. The colour is the derivative of the objective, the height of the tip, "
          "with respect to Young's modulus of each element: stiffness matters most at the clamp.",
          "--field grad_E --size 800x480"),
    Entry("fem_long_swing", "grad",
          "The beam after 0.6 s. The colour is the derivative of the objective, the height of the tip "
          "after 2 s, with respect to Young's modulus of each element, which reversing 20,000 steps "
          "gave.",
          "--field grad_E --frame 30"),
    Entry("study_silicone", "optimize",
          "The membrane at its highest pressure, with the constants that all three experiments gave: half the section "
          "of a ring. The colour is the derivative of this experiment's objective with respect to c01 of each element.",
          "--field grad_c01 --size 800x400", file="experiments/inflation/states"),
    Entry("study_throw", "optimize",
          "The softest of the eight balls on the floor, in the throw that suits all of them best. The path of its "
          "centre ends below the target, that of the stiffest above. The colour is the determinant of the "
          "deformation gradient.",
          "--field J --frame 12 --targets --paths --size 900x400", file="experiments/E060/states"),
    Entry("fem_long_swing_euler", "grad",
          "The beam after 0.8 s, on its way back. The colour is the speed.",
          "--field velocity --frame 40"),
)


def scene_names():
    """The scenes that ship, without suffix, and the studies that have an entry: of these one experiment is drawn."""
    entries = [e.scene for e in ENTRIES]
    return sorted(p.stem for p in (ROOT / "scenes").glob("*.yaml")
                  if not p.stem.endswith("_small") and (not p.stem.startswith("study_") or p.stem in entries))


def scene_text(name):
    return (ROOT / f"scenes/{name}.yaml").read_text()


def value(name, key):
    """A value of the top level of a scene, without comments; where there is none, that of the scene it includes."""
    text = scene_text(name)
    found = re.search(rf"^{key}:[ ]*(.*\n(?:[ ]+.*\n)*)", text + "\n", re.M)
    if found:
        return re.sub(r" # .*", "", found.group(1)).rstrip()
    parent = re.search(r"^include: (\w+)\.yaml$", text, re.M)
    return value(parent.group(1), key) if parent else ""


def is_study(name):
    return bool(value(name, "experiments"))


def output(name):
    """The folder that a scene writes into."""
    return "out/" + value(name, "name")


def commands(entry):
    """The commands that run a scene, draw it and, if it has one, write its report, as lists of words."""
    run = ["piola", entry.command, f"scenes/{entry.scene}.yaml", *entry.settings.split()]
    draw = ["piola", "render", f"{output(entry.scene)}/{entry.file}.vtkhdf", "-o", f"{FOLDER}/{entry.scene}.png",
            *([] if "--size" in entry.draw else ["--size", SIZE]), *entry.draw.split()]
    report = ["piola", "report", output(entry.scene), "-o", f"{FOLDER}/{entry.scene}.html"]
    return [run, draw] + ([report] if gallery_reports.has_report(entry.scene) else [])


def designed(name):
    """What is designed, in words: the targets of a scene's design."""
    words = []
    for item in re.split(r"^\s*- ", value(name, "design"), flags=re.M)[1:]:
        found = re.search(r"targets?: (\[[^\]]*\]|[\w.]+)", item)
        if not found:  # an item of a list within an entry
            continue
        targets = found.group(1)
        per = re.search(r"\bper: (\w+)", item)
        names = ", ".join(f"`{t}`" for t in re.findall(r"[\w.]+", targets))
        words.append(names + (f" per {per.group(1)}" if per else ""))
    return ", ".join(words)


def objective(name):
    """The terms of a scene's objective, in words."""
    items = re.split(r"^\s*- ", value(name, "objective"), flags=re.M)[1:]
    pairs = [(re.search(r"type: (\w+)", i).group(1), re.search(r"\bof: ([\w.]+)", i).group(1)) for i in items]
    return ", ".join(f"{kind} of `{what}`" for kind, what in pairs)


def of_what(name, size, precision):
    """How a scene is computed and its objective, in words; of a study, its experiments."""
    if is_study(name):
        names = ", ".join(f"`{n}`" for n in re.findall(r"\{name: ([\w.-]+)", value(name, "experiments")))
        how = "a smooth maximum" if "maximum" in value(name, "combine") else "the sum"
        return f"Study: {size}.", f"Objective: {how} of those of {names}."
    method = "finite elements" if "fem" in value(name, "method") else "material point method"
    return f"Method: {method}, {precision}, {size}.", f"Objective: {objective(name)}."


def seconds(number):
    return f"{number:.1f} s" if number < 10 else f"{number:.0f} s"


def section(entry, size, measured):
    """The Markdown of one scene; `size` is what `piola validate` says of it."""
    name = entry.scene
    description = value(name, "description")
    lines = [" ".join(words) for words in commands(entry)]
    for i, line in enumerate(lines):
        if len(line) > WIDTH:
            at = line.rfind(" --", 0, WIDTH - 2)
            lines[i] = line[:at] + " \\\n   " + line[at:]
    code = "\n".join(lines)
    took = f"`piola {entry.command}` took {seconds(measured['cpu'])}"
    if "evaluations" in measured:
        took += f" for {measured['evaluations']} evaluations"
    if "machine" in measured:
        took += f" ({measured['machine']}, commit {measured['commit']}, {measured['date']})"
    method, goal = of_what(name, size, measured.get("precision"))
    facts = [method, f"{goal} Design: {designed(name)}.", f"Measured: {took}."]
    text = [f"## {name}", textwrap.fill(description[0].upper() + description[1:] + ".", WIDTH),
            f"![{name}](gallery/{name}.png)", textwrap.fill(f"*{entry.shows}*", WIDTH),
            *([f"Report: [{name}.html](gallery/{name}.html)."] if gallery_reports.has_report(name) else []),
            *(textwrap.fill(fact, WIDTH, break_long_words=False, break_on_hyphens=False) for fact in facts),
            f"```\n{code}\n```"]
    return "\n\n".join(text) + "\n"


def markdown(size_of):
    """The table `gallery` of docs/gallery.md; size_of(scene file) is what `piola validate` says of it."""
    measured = json.loads((ROOT / MEASURED).read_text())
    head = textwrap.fill(f"Times are CPU times of one thread of an {measured['machine']}, commit {measured['commit']}, "
                         f"{measured['date']}, where no others are named; other programs ran beside.", WIDTH)
    known = [e for e in ENTRIES if e.scene in measured["scenes"] and e.scene in scene_names()]
    return "\n".join([f"\n{head}\n", *(section(e, size_of(f"scenes/{e.scene}.yaml"), measured["scenes"][e.scene])
                                       for e in known)]) + "\n"


def faults(scenes, entries, pictures, measured, reports):
    """What is missing or left over, of lists of names of scenes, entries, pictures, measured runs and reports."""
    reported = [scene for scene in scenes if gallery_reports.has_report(scene)]
    for what, names, wanted in (("entry in tools/python/make_gallery.py", entries, scenes),
                                ("picture in docs/gallery", pictures, scenes),
                                ("measurement in docs/gallery/measured.json", measured, scenes),
                                ("report in docs/gallery", reports, reported)):
        yield from (f"scenes/{scene}.yaml has no {what}" for scene in wanted if scene not in names)
        yield from (f"{name}: the {what} belongs to no scene that has one" for name in names if name not in wanted)


def all_faults():
    folder = ROOT / FOLDER
    return list(faults(scene_names(), [e.scene for e in ENTRIES], sorted(p.stem for p in folder.glob("*.png")),
                       list(json.loads((ROOT / MEASURED).read_text())["scenes"]),
                       sorted(p.stem for p in folder.glob("*.html")))) + gallery_reports.all_faults(folder)


def commits():
    """The commits that measurements name."""
    record = json.loads((ROOT / MEASURED).read_text())
    return {record["commit"], *(own["commit"] for own in record["scenes"].values() if "commit" in own)}


def processor():
    line = re.search(r"^model name\s*: (.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M).group(1)
    line = re.sub(r"\((?:R|TM)\)", "", line)
    numbers = [re.search(rf"^{key}\s*: (\d+)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M).group(1)
               for key in ("cpu family", "model")]
    return f"{' '.join(line.split())} (family {numbers[0]}, model {numbers[1]})"


def processors():
    """CPU time in s of the programs that were run."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def call(program, words, codes=(0,)):
    """Runs a command by the name `piola`, which results keep with its arguments: reports show no folder of ours."""
    done = subprocess.run(words, executable=program, cwd=ROOT)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(words)}: ended with {done.returncode}")


def make(program, entry, run_again=True):
    """Run and draw one scene, and write its report; returns what was measured."""
    run, *pages = commands(entry)
    used = processors()
    if run_again:
        call(program, [*run, "--threads", "1", "--resume", "never", "--quiet"], codes=(0, 1))
    used = processors() - used
    for words in pages:
        call(program, words)
    result = json.loads((ROOT / output(entry.scene) / "result.json").read_text())
    found = {"cpu": round(used, 2)}
    if not is_study(entry.scene):
        found["precision"] = result["engine"]["precision"]
    if "optimizer" in result:
        found["evaluations"] = result["optimizer"]["evaluations"]
    return found


def built_from(program, entry):
    """The commit that the program was built from, as its results say; what was not committed then has no name."""
    said = subprocess.run([program, "info", f"{output(entry.scene)}/{entry.file}.vtkhdf"], cwd=ROOT, check=True,
                          capture_output=True, text=True).stdout
    return re.search(r"^ *commit +(\S+)$", said, re.M).group(1).removesuffix("-dirty")


def keep(scene, found, commit):
    """Write down what was measured of a scene, and where: once for all scenes that were measured together."""
    path = ROOT / MEASURED
    where = {"machine": processor(), "commit": commit, "date": datetime.date.today().isoformat()}
    record = json.loads(path.read_text()) if path.exists() else {**where, "scenes": {}}
    before = {key: record[key] for key in where}
    scenes = {**record["scenes"], scene: found if where == before else {**found, **where}}
    if len(scenes) == len(ENTRIES) and all({**before, **own}.items() >= where.items() for own in scenes.values()):
        before = where
        scenes = {name: {key: own[key] for key in own if key not in where} for name, own in scenes.items()}
    record = {**before, "scenes": {e.scene: scenes[e.scene] for e in ENTRIES if e.scene in scenes}}
    path.write_text(json.dumps(record, indent=1) + "\n")


def main():
    words = [w for w in sys.argv[1:] if w != "--draw-only"]
    if not words or any(w.startswith("-") for w in words):
        print(__doc__)
        return 2
    program, names = str(pathlib.Path(words[0]).resolve()), words[1:] or [e.scene for e in ENTRIES]
    (ROOT / FOLDER).mkdir(exist_ok=True)
    again = "--draw-only" not in sys.argv
    for entry in (e for e in ENTRIES if e.scene in names):
        found = make(program, entry, again)
        sizes = [p.stat().st_size for p in sorted((ROOT / FOLDER).glob(f"{entry.scene}.*"), reverse=True)]
        print(f"{entry.scene}: {found['cpu']} s, {' and '.join(map(str, sizes))} bytes", flush=True)
        if again:
            keep(entry.scene, found, built_from(program, entry))
    return 0


if __name__ == "__main__":
    sys.exit(main())
