"""fault_cases.py -- the commands of fault_campaign.py, and their scenes."""

MPM = """version: 1
name: tiny
description: a small block that falls
method: {type: mpm, dimension: 2, precision: f64, grid: {spacing: 0.25 m, min: [0, 0], max: [2, 2]}}
time: {dt: 2 ms, duration: 12 ms}
gravity: [0, -9.81]
materials: [{name: soft, model: neo_hookean, E: 10 kPa, nu: 0.3, density: 1000 kg/m3}]
geometry: [{name: block, type: box, min: [0.8, 0.8], max: [1.3, 1.3]}]
bodies: [{name: one, geometry: block, material: soft, velocity: [0.5 m/s, 0]}]
observe: [{name: centre, type: mean_position, body: one}]
design:
  - {name: throw, target: bodies.one.velocity, bounds: [-5 m/s, 5 m/s]}
  - {name: stiffness, target: materials.soft.E}
objective: [{type: target, of: centre, value: [1.2, 0.9]}]
optimizer: {type: mma, max_iterations: 3}
gradient: {check: {directions: 1}}
output: {states: {every: 4 ms, fields: [velocity, J]}}
"""
FEM = """version: 1
name: panel
description: a sheared panel, static
method: {type: fem, dimension: 2, precision: f64}
materials: [{name: rubber, model: neo_hookean_iso, mu: 4 kPa, lambda: 6 kPa}]
geometry: [{name: plate, type: quadrilateral, corners: [0, 0, 1, 0, 1, 1, 0, 1], elements: [2, 2], element: quad4}]
bodies: [{name: panel, geometry: plate, material: rubber}]
solver: {linear: direct}
boundary: [{name: clamp, body: panel, on: {group: left}, type: fixed}]
loads: [{name: shear, body: panel, on: {group: right}, type: force, value: [0 N, 50 N]}]
observe: [{name: edge, type: displacement, body: panel, on: {min: [1, 1], max: [1, 1]}}]
design: [{name: stiffness, target: materials.rubber.mu, per: element, transform: log, bounds: [1 kPa, 10 kPa]}]
objective: [{type: maximize, of: edge.y}]
optimizer: {type: lbfgs, max_iterations: 3}
gradient: {check: {directions: 1}}
"""
# The first from three starts, and a study of it.
STARTS = MPM.replace("soft.E}", "soft.E, bounds: [5 kPa, 20 kPa]}").replace("max_iterations: 3", "max_iterations: 1, "
                                                                         "multi_start: 3")
STUDY = """version: 1
name: two
experiments: [{name: slow, scene: one.yaml}, {name: fast, scene: one.yaml, set: {"bodies[0].velocity": [1, 0]}}]
design: [{name: stiffness, target: materials.soft.E, initial: 9 kPa, bounds: [5 kPa, 20 kPa]}]
optimizer: {type: lbfgs, max_iterations: 1}
"""
DEVICE = ["--device", "cpu", "--threads", "1"]


class Case:
    """A command in a folder. `before`: commands that fill the folder; `files`: what it writes, patterns; `only`: kinds
    of calls that fail, if not all; `sweep`: it has processes of its own, of members. A study has its scene in one.yaml.
    """

    def __init__(self, name, arguments, files=(), scene=MPM, before=(), stdout=False, codes=(0,), refusals=(), only=(),
                 sweep=False):
        self.name, self.arguments, self.files, self.stdout = name, [str(a) for a in arguments], list(files), stdout
        self.scene, self.before, self.codes, self.refusals = scene, before, codes, refusals
        self.sweep, self.only = sweep, only


def cases():
    out = ["-o", "out"]
    runs = ["out/states.vtkhdf"]
    earlier = (["run", "scene.yaml", *DEVICE, *out, "-q", "--set", "time.duration=8 ms"],)
    earlier_fem = (["run", "scene.yaml", *DEVICE, *out, "-q"],)
    whole = (["run", "scene.yaml", *DEVICE, *out, "-q"],)
    resume = ["--resume", "auto", "-q"]
    sweep = ["scene.yaml", *DEVICE, *out, "-q", "--jobs", "2", "--over", "materials.soft.E=8kPa..12kPa:3"]
    swept = ["out/sweep.csv", "out/sweep.h5", "out/members/*/states.vtkhdf"]
    return [
        Case("validate", ["validate", "scene.yaml", "--json"], stdout=True),
        Case("params", ["params", "scene.yaml"], stdout=True),
        Case("run", ["run", "scene.yaml", *DEVICE, *out, "-q"], runs, before=earlier),
        Case("run_json", ["run", "scene.yaml", *DEVICE, *out, "-q", "--json", "--log-json", "log.json"], runs,
             before=earlier),
        Case("grad", ["grad", "scene.yaml", *DEVICE, *out, "-q"], runs, before=earlier),
        Case("check", ["check", "scene.yaml", *DEVICE, *out, "-q"], before=earlier, codes=(0, 1)),
        Case("optimize", ["optimize", "scene.yaml", *DEVICE, *out, *resume], [*runs, "out/history.vtkhdf"],
             before=earlier, codes=(0, 1)),
        Case("fem_run", ["run", "scene.yaml", *DEVICE, *out, "-q"], runs, FEM, earlier_fem),
        Case("fem_grad", ["grad", "scene.yaml", *DEVICE, *out, "-q"], runs, FEM, earlier_fem),
        Case("fem_optimize", ["optimize", "scene.yaml", *DEVICE, *out, *resume], [*runs, "out/history.vtkhdf"], FEM,
             earlier_fem, codes=(0, 1)),
        Case("sweep", ["sweep", *sweep], swept, before=(["sweep", *sweep, "--members", "0..0"],), sweep=True),
        Case("starts", ["optimize", "scene.yaml", *DEVICE, *out, "-q", "--jobs", "2"],
             [*swept, *runs, "out/history.vtkhdf"], STARTS, codes=(0, 1), sweep=True),
        Case("report", ["report", "out", "-o", "a.html"], ["a.html"], STUDY,
             (["optimize", "scene.yaml", *DEVICE, *out, "-q"],), only=["malloc"]),
        Case("info", ["info", "out/states.vtkhdf"], before=whole, stdout=True),
        Case("render", ["render", "out/states.vtkhdf", "-o", "a.png", "--size", "320x180", "--threads", "1"],
             ["a.png"], before=whole),
        Case("render_fem", ["render", "out/states.vtkhdf", "-o", "a.png", "--size", "320x180", "--threads", "1"],
             ["a.png"], FEM, whole),
        Case("film", ["film", "out/states.vtkhdf", "-o", "a.png", "--size", "320x180", "--threads", "1"], ["a.png"],
             before=whole),
        Case("plot", ["plot", "out", "--curve", "centre", "-o", "a.svg"], ["a.svg"], before=whole, only=["malloc"]),
        *[Case(f"export_{to}", ["export", "out/states.vtkhdf", "--to", to, "-o", name], [files],
               before=whole, stdout=True)
          for to, name, files in (("vtu", "a.vtu", "a.vtu"), ("csv", "a.csv", "a.csv"), ("npy", "a", "a/*"))],
        Case("doctor", ["doctor", "--json"], refusals=(1,)),  # engines fail its own tests
    ]
