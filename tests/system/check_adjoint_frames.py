"""Read with h5py the adjoint frames of two scenes of finite elements, and hold them against the gradients beside them.

Usage: check_adjoint_frames.py swing/states.vtkhdf cook/states.vtkhdf
  swing: tests/data/small_scenes/fem_swing_small.yaml, Newmark, with adjoint frames every 20 ms
  cook:  tests/data/small_scenes/fem_cook_small.yaml, static, with adjoint frames
"""
import sys

import h5py
import numpy as np

faults = 0


def expect(what, holds, measured):
    global faults
    faults += not holds
    print(f"{'ok    ' if holds else 'FAULT '} {what}: {measured}")


def read(file):
    points = file["VTKHDF/PointData"]
    frames = int(file["VTKHDF/Steps"].attrs["NSteps"])
    n = int(file["VTKHDF/NumberOfPoints"][0])
    return points, frames, n, file["VTKHDF/Steps/Values"][:], lambda name: points[name][:].reshape(frames, n, 3)


def check_attributes(points, name, of, units):
    attributes = {k: points[name].attrs[k].decode() for k in ("of", "units", "when", "objective")}
    expect(f"{name} says what it is", attributes["of"] == of and attributes["units"] == units
           and attributes["when"] == "adjoint" and attributes["objective"], attributes)


with h5py.File(sys.argv[1]) as file:
    points, frames, n, times, field = read(file)
    displacement, velocity, force = field("adj_displacement"), field("adj_velocity"), field("adj_force")
    check_attributes(points, "adj_displacement", "displacement", "1/m")
    check_attributes(points, "adj_velocity", "velocity", "1/(m/s)")
    check_attributes(points, "adj_force", "force", "1/N")
    wanted = np.isclose(times / 0.02, np.round(times / 0.02)) | (np.arange(frames) == frames - 1)
    for name, values in (("adj_displacement", displacement), ("adj_velocity", velocity), ("adj_force", force)):
        finite = np.isfinite(values).all(axis=(1, 2))
        expect(f"{name} is there every 20 ms, and nowhere else", np.array_equal(finite, wanted)
               and np.isnan(values[~wanted]).all(), f"{finite.sum()} of {frames} frames")
    for name, values in (("displacement", displacement), ("velocity", velocity)):
        gradient = points["grad_" + name][:]
        error = np.abs(values[0] - gradient).max() / np.abs(gradient).max()
        expect(f"adj_{name} of the first frame is grad_{name}", error <= 1e-14,
               f"{error:.1e} <= 1e-14, of {np.abs(gradient).max():.3g}")
    rest = file["VTKHDF/Points"][:n]
    total = displacement[-1].sum(axis=0)
    expect("at the end, moving all nodes up moves the tip as far", np.abs(total - [0, 1, 0]).max() < 1e-12, total)
    expect("at the end only the tip is observed",
           not displacement[-1][rest[:, 0] < 1 - 1e-9].any() and not velocity[-1].any(), "0")
    expect("nothing is where the clamp holds", not any(np.nan_to_num(v)[:, rest[:, 0] < 1e-9].any()
                                                       for v in (displacement, velocity)), "0")
    shift = np.abs(displacement[wanted][1:] - displacement[wanted][:-1]).max()
    expect("frames differ (negative control)", shift > 1e-3 * np.abs(displacement[0]).max(), shift)

with h5py.File(sys.argv[2]) as file:
    points, frames, n, times, field = read(file)
    force, displacement = field("adj_force"), field("adj_displacement")
    expect("a static scene has no adj_velocity", "adj_velocity" not in points, sorted(k for k in points if "adj" in k))
    rest = file["VTKHDF/Points"][:n]
    observed = np.flatnonzero(displacement[-1][:, 1])
    expect("J = -u_y of the middle of the loaded edge",
           len(observed) == 1 and np.allclose(rest[observed[0]], [48, 52, 0])
           and displacement[-1][observed[0], 1] == -1, rest[observed].tolist())
    edge = np.flatnonzero(np.isclose(rest[:, 0], 48))
    weight = np.where(np.isclose(rest[edge, 1], 44) | np.isclose(rest[edge, 1], 60), 0.5, 1.0)
    weight /= weight.sum()  # of a uniform traction, elements being linear and equally long
    by_adjoint = weight @ force[-1][edge, :2]
    gradient = file["piola/gradient/loads.shear.value/grad"][:]
    error = np.abs(by_adjoint / gradient - 1).max()
    expect("adj_force along the load is dJ/d(its value)", error < 1e-9, f"{error:.1e} < 1e-9, of {gradient}")
    expect("without the ends' weights it is not (negative control)",
           np.abs(force[-1][edge, :2].mean(axis=0) / gradient - 1).max() > 1e-4, "seen")
    expect("at the start there is nothing", not force[0].any() and not displacement[0].any(), times[0])
sys.exit(faults > 0)
