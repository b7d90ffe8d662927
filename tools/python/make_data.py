#!/usr/bin/env python3
"""Make the measurements in the folders `data` of scenes by running the scenes that use them with the true values, and
the mesh of the tuning fork.

    build/venv/bin/python tools/python/make_data.py build/release/piola [NAME...]

NAME is a file that is made, such as seal_force.csv; without, all are. The dam breaks need nothing
but Python; the motion of the markers is read from states.vtkhdf and needs h5py. What the scenes start from, and all
else, is the scenes' own; only the true values stand here.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

SOURCE = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FULL = os.path.join(SOURCE, "scenes")
SMALL = os.path.join(SOURCE, "tests", "data", "small_scenes")  # these include the full ones
TRUE_VISCOSITY = "5 Pa.s"
TRUE_CONSTANTS = ["E=12 kPa", "nu=0.35"]
MARKERS = 24
TRUE_TENSION = ["materials[0].E=120 kPa", "materials[0].nu=0.3", "materials[1].E=400 kPa", "materials[1].nu=0.42"]
TENSION_MARKERS = 12
TRUE_BLOCK = "[{name: truth, target: materials.rubber.E, per: group, groups: block, initial: 40 kPa}]"
TRUE_SEAL = "2.4 MPa"
TRUE_SILICONE = ["materials[0].c10=180 kPa", "materials[0].c01=40 kPa"]
SILICONE = {"tension": ("force", 0, 0.04), "shear": ("force", 0, 2.0), "inflation": ("height", 1, 1e-4)}
SILICONE_SEED = 21  # of the noise, whose standard deviation is the last of each line of SILICONE, SI
TRUE_SLOPE = "0.35"
TRUE_BALL = {"E": 12e6, "nu": 0.45, "radius": 0.02}  # SI
PLATE = [2e-6 * step for step in range(1, 11)]  # depths in the ball, m, one each second
NOISE = {"slope": (22, 3e-4), "ball": (23, 0.002)}  # seeds, and standard deviations, SI
TRUE_INCLUSION = "[{on: {min: [45 mm, 40 mm], max: [75 mm, 70 mm]}, material: stiff}]"


def truth(piola, scene, folder, sets):
    """Run the scene without its design and objective, which need the data that are about to be made."""
    command = [piola, "run", scene, "--allow", FULL, "-q", "-o", folder]
    own = [] if any(text.startswith("design=") for text in sets) else ["design=[]"]
    for text in own + ["objective=[]"] + sets:
        command += ["--set", text]
    subprocess.run(command, check=True)
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as file:
        return json.load(file)


def write(scene, name, columns, rows):
    """A CSV with 9 digits, in the folder `data` beside the scene."""
    path = os.path.join(os.path.dirname(scene), "data", name)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(columns) + "\n")
        for row in rows:
            file.write(",".join("%.9g" % value for value in row) + "\n")
    print("%s: %d rows" % (os.path.relpath(path), len(rows)))


def dam(piola, scene, name):
    """The front at the times at which the scene observes it."""
    with tempfile.TemporaryDirectory() as folder:
        front = truth(piola, scene, folder, ["materials[0].viscosity=" + TRUE_VISCOSITY])["observations"]["front"]
    write(scene, name, ["time", "front"], [[t, v[0]] for t, v in zip(front["time"], front["value"])])


def markers(piola, scene, name):
    """The places of some particles, spread over the body, at every frame but the first."""
    import h5py  # only here: the dam breaks do without

    with tempfile.TemporaryDirectory() as folder:
        truth(piola, scene, folder, ["observe=[]"] + ["materials[0]." + text for text in TRUE_CONSTANTS])
        with h5py.File(os.path.join(folder, "states.vtkhdf"), "r") as file:
            times = file["VTKHDF/Steps/Values"][:]
            particles = int(file["VTKHDF/NumberOfPoints"][0])
            points = file["VTKHDF/Points"][:].reshape(len(times), particles, 3)
    chosen = [(2 * k + 1) * particles // (2 * MARKERS) for k in range(MARKERS)]
    rows = [[times[f], p, *points[f, p]] for f in range(1, len(times)) for p in chosen]
    write(scene, name, ["time", "particle", "x", "y", "z"], rows)


def motion(piola, scene, name):
    """The places of all particles at every frame but the first, to 0.1 um."""
    import h5py

    with tempfile.TemporaryDirectory() as folder:
        truth(piola, scene, folder, ["observe=[]", "design=" + TRUE_BLOCK])
        with h5py.File(os.path.join(folder, "states.vtkhdf"), "r") as file:
            times = file["VTKHDF/Steps/Values"][:]
            particles = int(file["VTKHDF/NumberOfPoints"][0])
            points = file["VTKHDF/Points"][:].reshape(len(times), particles, 3)
    rows = [[times[f], p, *points[f, p].round(7)] for f in range(1, len(times)) for p in range(particles)]
    write(scene, name, ["time", "particle", "x", "y", "z"], rows)


def tension(piola, scene, name):
    """The force at the grip, and the places of some nodes of the mesh at every step."""
    import h5py

    with tempfile.TemporaryDirectory() as folder:
        force = truth(piola, scene, folder, ["observe=[{name: force, type: reaction, boundary: grip, every: 1 s}]"]
                      + TRUE_TENSION)["observations"]["force"]
        with h5py.File(os.path.join(folder, "states.vtkhdf"), "r") as file:
            times = file["VTKHDF/Steps/Values"][:]
            rest = file["VTKHDF/Points"][:]
            moved = rest + file["VTKHDF/PointData/displacement"][:].reshape(len(times), len(rest), 3)
    chosen = [(2 * k + 1) * len(rest) // (2 * TENSION_MARKERS) for k in range(TENSION_MARKERS)]
    write(scene, name + "_force.csv", ["time", "force"], [[t, v[0]] for t, v in zip(force["time"], force["value"])])
    write(scene, name + "_markers.csv", ["time", "node", "x", "y"],
          [[times[f], n, *moved[f, n, :2]] for f in range(1, len(times)) for n in chosen])


def seal(piola, scene, name):
    """The force that presses the seal, at every step."""
    with tempfile.TemporaryDirectory() as folder:
        force = truth(piola, scene, folder, ["materials[0].E=" + TRUE_SEAL])["observations"]["force"]
    write(scene, name, ["time", "force"], [[t, v[1]] for t, v in zip(force["time"], force["value"])])


def surface(piola, scene, name):
    """The places of the nodes of the free sides of a sheet that holds an inclusion, under every load."""
    import h5py

    with tempfile.TemporaryDirectory() as folder:
        truth(piola, scene, folder, ["observe=[]", "bodies[0].regions=" + TRUE_INCLUSION])
        with h5py.File(os.path.join(folder, "states.vtkhdf"), "r") as file:
            times = file["VTKHDF/Steps/Values"][:]
            rest = file["VTKHDF/Points"][:]
            moved = rest + file["VTKHDF/PointData/displacement"][:].reshape(len(times), len(rest), 3)
    least, most = rest.min(axis=0), rest.max(axis=0)
    chosen = [n for n in range(len(rest)) if rest[n, 0] in (least[0], most[0]) or rest[n, 1] == most[1]]
    write(scene, name, ["time", "node", "x", "y"],
          [[times[f], n, *moved[f, n, :2]] for f in range(1, len(times)) for n in chosen if rest[n, 1] > least[1]])


# Lines of the fork's grid, mm, and elements between them: prong, gap, stem, gap, prong; along it stem, yoke, prongs.
FORK_X = ((-14, -6, 3), (-6, -4, 1), (-4, 4, 3), (4, 6, 1), (6, 14, 3))
FORK_Y = ((-52, -12, 12), (-12, 0, 4), (0, 120, 30))


def lines(parts):
    """Places of the corners and of the middles of the elements, and the part of each element."""
    places, part = [parts[0][0]], []
    for k, (low, high, n) in enumerate(parts):
        places += [low + (high - low) * (i + 1) / (2 * n) for i in range(2 * n)]
        part += [k] * n
    return places, part


def fork():
    """The mesh of the fork, quad8 in mm, with groups of its body, of the end of its stem and of the sides of its
    prongs."""
    (x, across), (y, along) = lines(FORK_X), lines(FORK_Y)
    cells = [(i, j) for j, q in enumerate(along) for i, p in enumerate(across) if (p == 2, True, p in (0, 4))[q]]
    rings = ((0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1))
    quads = [[(2 * i + a, 2 * j + b) for a, b in rings] for i, j in cells]
    places = sorted({place for quad in quads for place in quad}, key=lambda place: place[::-1])
    number = {place: n + 1 for n, place in enumerate(places)}
    end = [[(2 * i, 0), (2 * i + 2, 0), (2 * i + 1, 0)] for i, j in cells if j == 0]
    sides = [[(2 * i + s, 2 * j), (2 * i + s, 2 * j + 2), (2 * i + s, 2 * j + 1)] for i, j in cells for s in (0, 2)
             if along[j] == 2 and (i + (s - 1), j) not in cells]
    groups = ((1, 8, "end", end), (1, 8, "sides", sides), (2, 16, "fork", quads))
    path = os.path.join(FULL, "data", "fork.msh")
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n%d\n" % len(groups))
        for n, (dimension, _, name, _) in enumerate(groups):
            file.write('%d %d "%s"\n' % (dimension, n + 1, name))
        file.write("$EndPhysicalNames\n$Nodes\n%d\n" % len(number))
        for place, n in sorted(number.items(), key=lambda item: item[1]):
            file.write("%d %.9g %.9g 0\n" % (n, x[place[0]], y[place[1]]))
        every = [(kind, g + 1, nodes) for g, (_, kind, _, items) in enumerate(groups) for nodes in items]
        file.write("$EndNodes\n$Elements\n%d\n" % len(every))
        for n, (kind, group, nodes) in enumerate(every):
            file.write("%d %d 2 %d %d %s\n" % (n + 1, kind, group, group, " ".join(str(number[p]) for p in nodes)))
        file.write("$EndElements\n")
    print("%s: %d elements" % (os.path.relpath(path), len(quads)))


def silicone(piola, scene, name):
    """What the experiment observes, with normally distributed noise, beside its scene."""
    column, component, sigma = SILICONE[name]
    noise = random.Random(SILICONE_SEED * 100 + sorted(SILICONE).index(name))
    with tempfile.TemporaryDirectory() as folder:
        seen = truth(piola, scene, folder, TRUE_SILICONE)["observations"]
    (curve,) = seen.values()
    path = os.path.join(os.path.dirname(scene), name + ".csv")
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("time,%s\n" % column)
        for t, y in zip(curve["time"], curve["value"]):
            file.write("%.9g,%.6g\n" % (t, y[component] + noise.gauss(0, sigma)))
    print("%s: %d rows" % (os.path.relpath(path), len(curve["time"])))


def incline(piola, scene, name):
    """The way of the block down the slope, with noise."""
    seed, sigma = NOISE["slope"]
    noise = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        way = truth(piola, scene, folder, ["obstacles[0].friction=" + TRUE_SLOPE])["observations"]["way"]
    write(scene, name, ["time", "x"], [[t, round(v[0] + noise.gauss(0, sigma), 6)]
                                       for t, v in zip(way["time"], way["value"])])


def hertz(_, scene, name):
    """The force that a plate takes which squeezes a ball, by the formula of Hertz (1881), with noise."""
    seed, sigma = NOISE["ball"]
    noise = random.Random(seed)
    law = 4 / 3 * TRUE_BALL["E"] / (1 - TRUE_BALL["nu"]**2) * TRUE_BALL["radius"]**0.5
    write(scene, name, ["time", "force"], [[step + 1, round(law * depth**1.5 + noise.gauss(0, sigma), 5)]
                                           for step, depth in enumerate(PLATE)])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wanted = sys.argv[2:]
    if not wanted or "fork.msh" in wanted:
        fork()
    for make, folder, scene, name in (
            (dam, FULL, "mpm_dam_viscosity.yaml", "dam_front.csv"),
            (dam, SMALL, "mpm_dam_viscosity_small.yaml", "dam_front_small.csv"),
            (markers, FULL, "mpm_modulus.yaml", "markers.csv"),
            (markers, SMALL, "mpm_modulus_small.yaml", "markers_small.csv"),
            (motion, FULL, "mpm_two_materials.yaml", "two_materials.csv"),
            (motion, SMALL, "mpm_two_materials_small.yaml", "two_materials_small.csv"),
            (tension, FULL, "fem_tension_id.yaml", "tension"),
            (incline, FULL, "fem_incline.yaml", "incline_way.csv"),
            (hertz, FULL, "fem_hertz.yaml", "hertz_force.csv"),
            (seal, FULL, "fem_seal.yaml", "seal_force.csv"),
            (silicone, FULL, "silicone/tension.yaml", "tension"),
            (silicone, FULL, "silicone/shear.yaml", "shear"),
            (silicone, FULL, "silicone/inflation.yaml", "inflation"),
            (surface, FULL, "fem_field_id.yaml", "field_surface.csv")):
        if not wanted or name in wanted:
            make(sys.argv[1], os.path.join(folder, scene), name)


if __name__ == "__main__":
    main()
