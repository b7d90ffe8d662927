#!/usr/bin/env python3
"""check_snapshot.py FILE... -- reads the files of `test_snapshot --write DIR` with h5py and with VTK.

Compares every object, shape, type, attribute and value with the formulas of snapshot_sample.h, in every frame. Then spoils copies of
the files, one value each, and insists that the comparison sees it. Prints what it compared; exit code 0 when all is equal,
1 on any difference."""
import os
import shutil
import sys
import tempfile

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline
from vtkmodules.vtkIOHDF import vtkHDFReader

# file: kind, dimension, precision, static points, n, frames, finished
CASES = {
    "states3_f32.vtkhdf": ("states", 3, "f32", False, 137, 70, True),
    "states2_f64.vtkhdf": ("states", 2, "f64", False, 50, 5, True),
    "checkpoint2_f32.vtkhdf": ("checkpoint", 2, "f32", False, 1, 3, True),
    "history.vtkhdf": ("history", 3, "f64", True, 40, 66, True),
    "abandoned.partial.vtkhdf": ("states", 3, "f32", False, 30, 4, False),
}
TEXTS = {
    "scene/verbatim": "version: 1\n# café: a comment that must survive\nname: sample\n",
    "scene/resolved": '{"version": 1, "name": "sample"}',
    "manifest/json": '{"program": "piola", "seed": 7}',
    "certificate/json": '{"check": "not checked"}',
}
MANIFEST = {"program": "piola", "engine": "cpu_f32_3d", "command_line": "piola run a b.yaml", "device": "cpu",
            "precision": "f32", "seed": "7", "libraries": "hdf5", "host": "x86-64"}  # and the version


class Difference(Exception):
    """What was read is not what was written."""


def need(condition, message):
    if not condition:
        raise Difference(message)


def value(code, i, c, k):
    """The formula of sample_value(); the arguments broadcast. C's % keeps the sign, but all terms are positive."""
    return ((7 * i + 131 * c + 29 * k + 53 * code) % 1021 - 510) / 8.0


def fields(dimension):
    """name: code, components, units, meaning, of, when, integer"""
    return {
        "velocity": (1, dimension, "m/s", "velocity", None, "frame", False),
        "J": (2, 1, "", "volume ratio", None, "frame", False),
        "F": (3, dimension * dimension, "", "deformation gradient", None, "frame", False),
        "body": (4, 1, "", "number of the body", None, "static", True),
        "rho": (5, 1, "kg/m3", "density at rest", None, "static", False),
        "grad_E": (6, 1, "1/Pa", "dJ/dE", "materials.soft.E", "static", False),
        "adj_velocity": (7, dimension, "s/m", "dJ/dv", "velocity", "adjoint", False),
    }


def expected_field(case, name, k):
    """[n] or [n, stored] of frame k as the file must hold it: padded in 2D, NaN where nothing was written."""
    _, dimension, _, _, n, _, finished = case
    code, components, _, _, _, when, integer = fields(dimension)[name]
    i = np.arange(n)[:, None]
    c = np.arange(components)[None, :]
    if when == "static":
        k = 0
    data = value(code, i, c, k) + np.zeros((n, components))
    if integer:
        data = i % 5 + (1 << 40) + 0 * c if finished else np.full((n, 1), -(1 << 63))
    elif (when == "static" and not finished) or (when == "adjoint" and (k % 2 or not finished)):
        data = np.full((n, components), np.nan)
    if when == "adjoint" and (k % 2 or not finished):
        width = 3 if (dimension, components) == (2, 2) else components
        return np.full((n, width), np.nan) if width > 1 else np.full(n, np.nan)
    if dimension == 2 and components == 2:
        data = np.concatenate([data, np.zeros((n, 1))], axis=1)
    if dimension == 2 and components == 4:
        full = np.zeros((n, 3, 3))
        full[:, :2, :2] = data.reshape(n, 2, 2)
        data = full.reshape(n, 9)
    return data[:, 0] if data.shape[1] == 1 else data


def expected_points(case, k):
    _, dimension, _, static, n, _, _ = case
    data = np.zeros((n, 3))
    data[:, :dimension] = value(0, np.arange(n)[:, None], np.arange(dimension)[None, :], 0 if static else k)
    return data


def equal(found, wanted, where):
    found = np.asarray(found)
    need(found.shape == np.shape(wanted), f"{where}: shape {found.shape}, not {np.shape(wanted)}")
    same = np.array_equal(found, wanted, equal_nan=np.asarray(wanted).dtype.kind == "f")
    need(same, f"{where}: values differ: {found.ravel()[:3]} ..., not {np.ravel(wanted)[:3]} ...")
    return found.size


def text(raw):
    return raw.decode("utf-8") if isinstance(raw, bytes) else raw


def attributes(item, wanted, where):
    found = {key: item.attrs[key] for key in item.attrs}
    need(set(found) == set(wanted), f"{where}: attributes {sorted(found)}, not {sorted(wanted)}")
    for key, want in wanted.items():
        got = text(found[key]) if isinstance(want, str) else found[key]
        need(np.array_equal(got, want), f"{where}: attribute {key} is {got!r}, not {want!r}")
    return len(wanted)


def members(group, wanted, where):
    need(set(group) == set(wanted), f"{where}: members {sorted(group)}, not {sorted(wanted)}")


# ---- with h5py ----------------------------------------------------------------------------------------------

def check_steps(steps, case):
    _, dimension, _, static, n, frames, _ = case
    k = np.arange(frames)
    zero = np.zeros(frames, "i8")
    attributes(steps, {"NSteps": frames}, "Steps")
    members(steps, ["Values", "PointOffsets", "PartOffsets", "NumberOfParts", "CellOffsets", "ConnectivityIdOffsets",
                    "PointDataOffsets", "CellDataOffsets", "FieldDataOffsets"], "Steps")
    members(steps["CellDataOffsets"], [], "CellDataOffsets")
    members(steps["FieldDataOffsets"], [], "FieldDataOffsets")
    wanted = {"Values": 0.125 * k, "PointOffsets": zero if static else k * n, "PartOffsets": zero,
              "NumberOfParts": zero + 1, "CellOffsets": zero[:, None], "ConnectivityIdOffsets": zero[:, None]}
    count = sum(equal(steps[name][:], want, f"Steps/{name}") for name, want in wanted.items())
    members(steps["PointDataOffsets"], fields(dimension), "PointDataOffsets")
    for name, field in fields(dimension).items():
        count += equal(steps["PointDataOffsets"][name][:], zero if field[5] == "static" else k * n, f"offsets of {name}")
    for name in steps:
        if isinstance(steps[name], h5py.Dataset):
            need(steps[name].dtype == ("f8" if name == "Values" else "i8"), f"Steps/{name}: type {steps[name].dtype}")
            need(steps[name].maxshape[0] is None, f"Steps/{name} cannot grow")
    return count


def check_arrays(grid, case):
    _, dimension, precision, static, n, frames, _ = case
    real = "f4" if precision == "f32" else "f8"
    points = grid["Points"]
    count = equal(points[:], np.concatenate([expected_points(case, k) for k in range(1 if static else frames)]), "Points")
    need(points.dtype == real and points.compression is None, "Points: type or compression")
    need(static or points.chunks == (n, 3), f"Points: chunks {points.chunks} do not align with frames")
    members(grid["PointData"], fields(dimension), "PointData")
    for name, (_, components, units, meaning, of, when, integer) in fields(dimension).items():
        data = grid["PointData"][name]
        if when == "static":
            count += equal(data[:], expected_field(case, name, 0), name)
        else:  # the promise of the layout: frames lie in time order, flat
            shaped = data[:].reshape((frames, n) + data.shape[1:])
            count += equal(shaped, np.stack([expected_field(case, name, k) for k in range(frames)]), name)
            need(data.chunks == (n,) + data.shape[1:], f"{name}: chunks {data.chunks} do not align with frames")
            need(data.maxshape[0] is None, f"{name} cannot grow")
        need(data.dtype == ("i8" if integer else real) and data.compression is None, f"{name}: type or compression")
        wanted = {"units": units, "meaning": meaning, "when": when, "components": components}
        attributes(data, {**wanted, "of": of, "objective": "miss"} if of else wanted, name)
    return count


def check_grid(grid, case):
    _, _, _, _, n, _, _ = case
    attributes(grid, {"Type": "UnstructuredGrid", "Version": np.array([2, 0])}, "VTKHDF")
    members(grid, ["NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds", "Connectivity", "Offsets", "Types", "Points",
                   "PointData", "CellData", "FieldData", "Steps"], "VTKHDF")
    members(grid["CellData"], [], "CellData")
    members(grid["FieldData"], [], "FieldData")
    attributes(grid["Points"], {"units": "m"}, "Points")
    count = sum(equal(grid[name][:], [n], name) for name in ("NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"))
    count += equal(grid["Connectivity"][:], np.arange(n), "Connectivity")
    count += equal(grid["Offsets"][:], np.arange(n + 1), "Offsets")
    count += equal(grid["Types"][:], np.ones(n), "Types")
    for name in ("Connectivity", "Offsets", "Types"):
        need(grid[name].compression == "gzip", f"{name} is not compressed")
    return count + check_steps(grid["Steps"], case) + check_arrays(grid, case)


def rows(code, shape, iterations):
    """[iterations, shape], or [shape] when iterations is None."""
    size = int(np.prod(shape, dtype=int))
    data = [value(code, np.arange(size), 0, k).reshape(shape) for k in range(iterations or 1)]
    return data[0] if iterations is None else np.stack(data)


def check_results(piola, case):
    kind, _, _, _, _, frames, finished = case
    iterations = frames if kind == "history" else None
    counted = {"iterations": frames} if iterations else {}
    shapes = {"materials.soft.E": (20, ()), "gravity": (21, (3,)), "control.gait": (22, (4, 3))}
    members(piola["gradient"], shapes if finished else [], "gradient")
    attributes(piola["objective"], {"name": "miss", **(counted if finished else {})}, "objective")
    members(piola["objective"], ["value", "terms"] if finished else ["terms"], "objective")
    count = 0
    if not finished:
        members(piola["certificate"], [], "certificate")
        return attributes(piola["certificate"], {}, "certificate")
    for path, (code, shape) in shapes.items():
        group = piola["gradient"][path]
        attributes(group, counted, path)
        members(group, ["value", "grad"], path)
        count += equal(group["value"][()], rows(code, shape, iterations), path + "/value")
        count += equal(group["grad"][()], rows(code + 10, shape, iterations), path + "/grad")
        attributes(group["value"], {"units": "Pa"}, path + "/value")
        attributes(group["grad"], {"units": "1/Pa", "of": path, "objective": "miss"}, path + "/grad")
    terms = piola["objective/terms"]
    members(terms, ["reach", "effort"], "terms")
    for code, data in ((40, piola["objective/value"]), (41, terms["reach"]), (42, terms["effort"])):
        count += equal(data[()], rows(code, (), iterations), data.name)
    return count + attributes(piola["certificate"], {"adjoint_residual": 0.125, "iterations": 12.0}, "certificate")


def check_piola(piola, case):
    kind, dimension, precision, _, n, _, finished = case
    members(piola, ["scene", "manifest", "gradient", "objective", "certificate"], "piola")
    attributes(piola, {"layout": "piola-1", "kind": kind, "complete": int(finished), "dimension": dimension,
                       "n_points": n, "precision": precision}, "piola")
    version = text(piola["manifest"].attrs["version"])
    attributes(piola["manifest"], {**MANIFEST, "version": version}, "manifest")
    for name, want in TEXTS.items():
        if finished or not name.startswith("certificate"):
            need(text(piola[name][()]) == want, f"{name}: {piola[name][()]!r}, not {want!r}")
    return check_results(piola, case)


def check_h5py(path, case):
    with h5py.File(path, "r") as file:
        members(file, ["VTKHDF", "piola"], "file")
        return check_grid(file["VTKHDF"], case) + check_piola(file["piola"], case)


# ---- with VTK, as ParaView reads ------------------------------------------------------------------------------

def check_vtk(path, case):
    _, dimension, _, _, n, frames, _ = case
    complaints = []
    reader = vtkHDFReader()
    for event in (vtkCommand.ErrorEvent, vtkCommand.WarningEvent):
        reader.AddObserver(event, lambda *_: complaints.append(path))
    reader.SetFileName(path)
    reader.UpdateInformation()
    need(reader.GetNumberOfSteps() == frames, f"VTK sees {reader.GetNumberOfSteps()} steps, not {frames}")
    times = reader.GetOutputInformation(0).Get(vtkStreamingDemandDrivenPipeline.TIME_STEPS())
    count = equal(times, 0.125 * np.arange(frames), "VTK times")
    for k in list(range(frames)) + [0]:  # and back, as a person drags the time bar
        reader.UpdateTimeStep(times[k])
        grid = reader.GetOutputDataObject(0)
        need(grid.IsA("vtkUnstructuredGrid") and grid.GetNumberOfCells() == n, f"VTK, frame {k}: {grid.GetClassName()}")
        need(all(grid.GetCellType(i) == 1 and grid.GetCell(i).GetPointId(0) == i for i in (0, n // 2, n - 1)),
             f"VTK, frame {k}: the cells are not one vertex per point")
        count += equal(vtk_to_numpy(grid.GetPoints().GetData()), expected_points(case, k), f"VTK points, frame {k}")
        data = grid.GetPointData()
        names = {data.GetArrayName(i) for i in range(data.GetNumberOfArrays())}
        need(names == set(fields(dimension)), f"VTK fields {sorted(names)}")
        for name in names:
            count += equal(vtk_to_numpy(data.GetArray(name)), expected_field(case, name, k), f"VTK {name}, frame {k}")
        need(data.GetArray("velocity").GetNumberOfComponents() == 3, "velocity is no vector")
        need(data.GetArray("F").GetNumberOfComponents() == 9, "F is no tensor")
    need(not complaints, f"VTK complained {len(complaints)} times")
    return count


# ---- does the comparison see a wrong value? -------------------------------------------------------------------

def spoil_value(name):
    def spoil(file):
        data = file[name]
        place = tuple(s - 1 for s in data.shape)
        data[place] = 3.25 if np.isnan(data[place]) else data[place] + 0.125
    return spoil


def spoil_offset(file):
    file["VTKHDF/Steps/PointDataOffsets/velocity"][1] = 0


def spoil_attribute(file):
    file["VTKHDF/PointData/velocity"].attrs["units"] = "m"


def spoil_extra(file):
    file["piola/extra"] = 1


SPOILERS = {"a point": (spoil_value("VTKHDF/Points"), True), "a velocity": (spoil_value("VTKHDF/PointData/velocity"), True),
            "an adjoint": (spoil_value("VTKHDF/PointData/adj_velocity"), True),
            "a static field": (spoil_value("VTKHDF/PointData/rho"), True),
            "a time": (spoil_value("VTKHDF/Steps/Values"), True), "an offset": (spoil_offset, True),
            "a gradient": (spoil_value("piola/gradient/gravity/grad"), False),
            "an objective": (spoil_value("piola/objective/value"), False), "a unit": (spoil_attribute, False),
            "an extra object": (spoil_extra, False)}


def seen(check, path, case):
    try:
        check(path, case)
    except Difference:
        return True
    return False


def check_control(path, case):
    """Spoil a copy; h5py must see everything, VTK what ParaView shows."""
    for what, (spoil, shown) in SPOILERS.items():
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "spoiled.vtkhdf")
            shutil.copyfile(path, copy)
            with h5py.File(copy, "r+") as file:
                spoil(file)
            need(seen(check_h5py, copy, case), f"spoiling {what} was not seen by h5py")
            need(not shown or seen(check_vtk, copy, case), f"spoiling {what} was not seen by VTK")
    return len(SPOILERS)


def main(paths):
    failures = 0
    for path in paths:
        case = CASES.get(os.path.basename(path))
        try:
            need(case is not None, "a file of unknown content")
            print(f"{path}: h5py: {check_h5py(path, case)} values, VTK: {check_vtk(path, case)} values: equal")
            if case[6]:
                print(f"{path}: {check_control(path, case)} ways to spoil it were seen")
        except (Difference, OSError, KeyError) as error:
            print(f"{path}: {type(error).__name__}: {error}")
            failures += 1
    if not paths:
        print(__doc__)
    return 1 if failures or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
