#!/usr/bin/env python3
"""Make the measurements in the folders `data` of scenes by running the scenes that use them with the true values.

    build/venv/bin/python tools/python/make_data.py build/release/piola

The dam breaks need nothing but Python; the motion of the markers is read from states.vtkhdf and needs h5py. What the
scenes start from, and all else, is the scenes' own; only the true values stand here.
"""
import json
import os
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


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for make, folder, scene, name in (
            (dam, FULL, "mpm_dam_viscosity.yaml", "dam_front.csv"),
            (dam, SMALL, "mpm_dam_viscosity_small.yaml", "dam_front_small.csv"),
            (markers, FULL, "mpm_modulus.yaml", "markers.csv"),
            (markers, SMALL, "mpm_modulus_small.yaml", "markers_small.csv"),
            (motion, FULL, "mpm_two_materials.yaml", "two_materials.csv"),
            (motion, SMALL, "mpm_two_materials_small.yaml", "two_materials_small.csv"),
            (tension, FULL, "fem_tension_id.yaml", "tension"),
            (seal, FULL, "fem_seal.yaml", "seal_force.csv"),
            (surface, FULL, "fem_field_id.yaml", "field_surface.csv")):
        make(sys.argv[1], os.path.join(folder, scene), name)


if __name__ == "__main__":
    main()
