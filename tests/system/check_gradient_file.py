"""Read with h5py what `piola grad scenes/mpm_jelly_small.yaml` wrote into the current folder, and hold it against
result.json.

Usage: check_gradient_file.py states.vtkhdf result.json
"""
import json
import sys

import h5py
import numpy as np

faults = 0


def expect(what, holds, measured):
    global faults
    faults += not holds
    print(f"{'ok    ' if holds else 'FAULT '} {what}: {measured}")


with h5py.File(sys.argv[1]) as file, open(sys.argv[2]) as text:
    result = json.load(text)
    points = file["VTKHDF/PointData"]
    frames = int(file["VTKHDF/Steps"].attrs["NSteps"])
    n = int(file["VTKHDF/NumberOfPoints"][0])
    adjoint = points["adj_velocity"][:].reshape(frames, n, 3)
    gradient, stiffness = points["grad_velocity"][:], points["grad_E"][:]
    expect("every frame has its adjoint", np.isfinite(adjoint).all(),
           f"{np.isnan(adjoint).any(axis=(1, 2)).sum()} NaN of {frames}")
    expect("the adjoint of frame 0 is the gradient", np.array_equal(adjoint[0], gradient),
           np.abs(adjoint[0] - gradient).max())
    expect("gradients are not zero", np.abs(stiffness).max() > 0 and np.abs(gradient).max() > 0,
           np.abs(stiffness).max())
    # the objective is the height of the centre of mass: at the end only position matters, by mass, which is equal here
    last = points["adj_position"][:].reshape(frames, n, 3)[-1]
    error = np.abs(last - [0, 0, -1.0 / n]).max() * n
    expect("adj_position at the end is that of the objective", error < 1e-6, f"{error:.1e} < 1e-6")
    design = file["piola/gradient/materials.jelly.E/grad"][:]
    expect("the design's gradient is the field", np.allclose(design, stiffness, rtol=1e-6, atol=0),
           np.abs(design - stiffness).max())
    velocity = points["velocity"][:].reshape(frames, n, 3)
    expect("velocity of every frame is finite", np.isfinite(velocity).all(), velocity.shape)
    value = float(file["piola/objective/value"][()])
    expect("the objective is that of result.json", value == result["objective"], f"{value} and {result['objective']}")
    certificate = json.loads(file["piola/certificate/json"][()])
    expect("the certificate counts the steps", certificate["adjoint_steps_run"] == certificate["steps"] > 0,
           certificate["steps"])
    control = adjoint[0].copy()
    control[0, 0] += 1e-3
    expect("a changed value would be seen", not np.array_equal(control, gradient), "negative control")
sys.exit(faults > 0)
