#!/usr/bin/env python3
"""check_snapshot.py FILE... -- reads the files of `test_snapshot --write DIR` with h5py and with VTK.

Compares every object, shape, type, attribute and value with the formulas of snapshot_sample.h, in every frame. Then
spoils copies of the files, one value each, and insists that the comparison sees it. Prints what it compared; exit code
0 when all is equal, 1 on any difference."""
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

# file: kind, dimension, precision, static points, n, frames, finished, cells of a mesh
CASES = {
    "states3_f32.vtkhdf": ("states", 3, "f32", False, 137, 70, True, 0),
    "states2_f64.vtkhdf": ("states", 2, "f64", False, 50, 5, True, 0),
    "checkpoint2_f32.vtkhdf": ("checkpoint", 2, "f32", False, 1, 3, True, 0),
    "history.vtkhdf": ("history", 3, "f64", True, 40, 66, True, 0),
    "abandoned.partial.vtkhdf": ("states", 3, "f32", False, 30, 4, False, 0),
    "mesh3_f32.vtkhdf": ("states", 3, "f32", True, 137, 70, True, 60),
    "mesh2_f64.vtkhdf": ("states", 2, "f64", True, 50, 5, True, 71),
    "meshes.vtkhdf": ("history", 3, "f64", True, 140, 6, True, 16),
    "unfinished.partial.vtkhdf": ("states", 2, "f32", True, 41, 4, False, 12),
}
KINDS = [(5, 3), (28, 9), (22, 6), (9, 4), (23, 8), (10, 4), (24, 10), (12, 8), (29, 27), (25, 20)]  # type, nodes
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


def fields(case, where="PointData"):
    """name: code, components, units, meaning, of, when, integer"""
    dimension, mesh = case[1], case[7]
    if not mesh:
        return {} if where != "PointData" else {
            "velocity": (1, dimension, "m/s", "velocity", None, "frame", False),
            "J": (2, 1, "", "volume ratio", None, "frame", False),
            "F": (3, dimension * dimension, "", "deformation gradient", None, "frame", False),
            "body": (4, 1, "", "number of the body", None, "static", True),
            "rho": (5, 1, "kg/m3", "density at rest", None, "static", False),
            "grad_E": (6, 1, "1/Pa", "dJ/dE", "materials.soft.E", "static", False),
            "adj_velocity": (7, dimension, "s/m", "dJ/dv", "velocity", "adjoint", False),
            "stretch": (8, 9, "1", "stretch in space", None, "frame", False),
            "layer": (9, 1, "", "number of the layer", None, "static", True),
        }
    return {
        "PointData": {"displacement": (1, dimension, "m", "displacement", None, "frame", False),
                      "mass": (5, 1, "kg", "lumped mass", None, "static", False)},
        "CellData": {"energy": (2, 1, "J/m3", "elastic energy", None, "frame", False),
                     "stress": (3, dimension * dimension, "Pa", "Cauchy stress", None, "frame", False),
                     "group": (4, 1, "", "number of the group", None, "static", True),
                     "grad_E": (6, 1, "1/Pa", "dJ/dE", "materials.soft.E", "static", False),
                     "adj_stress": (7, dimension * dimension, "1/Pa", "dJ/dsigma", "stress", "adjoint", False)},
        "FieldData": {"stress_points": (8, 9, "Pa", "Cauchy stress", None, "frame", False),
                      "element_points": (9, 1, "", "number of the element", None, "static", True)},
    }[where]


PLACES = ("PointData", "CellData", "FieldData")  # of points, cells, and integration points


def rows_of(case, where):
    return {"PointData": case[4], "CellData": case[7], "FieldData": 2 * case[7] + 1}[where]


def cells(case):
    """types, offsets, connectivity; particles are one vertex each."""
    _, dimension, _, _, n, _, _, mesh = case
    if not mesh:
        return np.ones(n, "u1"), np.arange(n + 1), np.arange(n)
    kinds = KINDS if dimension == 3 else KINDS[:5]
    chosen = [kinds[c % len(kinds)] for c in range(mesh)]
    nodes = [(5 * c + 3 * np.arange(count)) % n for c, (_, count) in enumerate(chosen)]
    return (np.array([t for t, _ in chosen], "u1"), np.cumsum([0] + [count for _, count in chosen]),
            np.concatenate(nodes))


def expected_field(case, where, name, k):
    """[n] or [n, stored] of frame k as the file must hold it: padded in 2D, NaN where nothing was written."""
    _, dimension, _, _, _, _, finished, _ = case
    n = rows_of(case, where)
    code, components, _, _, _, when, integer = fields(case, where)[name]
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
        width = {(2, 2): 3, (2, 4): 9}.get((dimension, components), components)
        return np.full((n, width), np.nan) if width > 1 else np.full(n, np.nan)
    if dimension == 2 and components == 2:
        data = np.concatenate([data, np.zeros((n, 1))], axis=1)
    if dimension == 2 and components == 4:
        full = np.zeros((n, 3, 3))
        full[:, :2, :2] = data.reshape(n, 2, 2)
        data = full.reshape(n, 9)
    return data[:, 0] if data.shape[1] == 1 else data


def expected_points(case, k):
    _, dimension, _, static, n, _, _, _ = case
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
    _, _, _, static, n, frames, _, _ = case
    k = np.arange(frames)
    zero = np.zeros(frames, "i8")
    attributes(steps, {"NSteps": frames}, "Steps")
    members(steps, ["Values", "PointOffsets", "PartOffsets", "NumberOfParts", "CellOffsets", "ConnectivityIdOffsets",
                    "PointDataOffsets", "CellDataOffsets", "FieldDataOffsets",
                    *(["FieldDataSizes"] if case[7] else [])], "Steps")
    wanted = {"Values": 0.125 * k, "PointOffsets": zero if static else k * n, "PartOffsets": zero,
              "NumberOfParts": zero + 1, "CellOffsets": zero[:, None], "ConnectivityIdOffsets": zero[:, None]}
    count = sum(equal(steps[name][:], want, f"Steps/{name}") for name, want in wanted.items())
    for where in PLACES:
        offsets = steps[where + "Offsets"]
        members(offsets, fields(case, where), offsets.name)
        for name, field in fields(case, where).items():
            want = zero if field[5] == "static" else k * rows_of(case, where)
            count += equal(offsets[name][:], want, f"offsets of {name}")
    for name, field in fields(case, "FieldData").items():
        want = np.tile([field[1], rows_of(case, "FieldData")], (frames, 1))
        count += equal(steps["FieldDataSizes"][name][:], want, f"sizes of {name}")
    for name in steps:
        if isinstance(steps[name], h5py.Dataset):
            need(steps[name].dtype == ("f8" if name == "Values" else "i8"), f"Steps/{name}: type {steps[name].dtype}")
            need(steps[name].maxshape[0] is None, f"Steps/{name} cannot grow")
    return count


def make_table():
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return table


CRC_TABLE = make_table()


def crc32c(array):
    """CRC-32C of the bytes of an array or a text."""
    crc = 0xFFFFFFFF
    for byte in array if isinstance(array, bytes) else np.ascontiguousarray(array).tobytes():
        crc = crc >> 8 ^ CRC_TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


def check_sums(file, case):
    """The checksums of every frame are those of the bytes in the file; a static column has -1."""
    _, _, _, static, n, frames, _, _ = case
    table = file["piola/checksums/frames"]
    names, sums = text(table.attrs["columns"]).split(" "), table[:]
    need(sums.shape == (frames, len(names)) and names[:2] == ["Values", "Points"], f"checksums: {names}, {sums.shape}")
    for column, name in enumerate(names):
        where = next((w for w in PLACES if name in file["VTKHDF"][w]), None)
        data = file["VTKHDF/Steps/Values"] if name == "Values" else file["VTKHDF/Points"] if name == "Points" else \
            file["VTKHDF"][where][name]
        rows = 1 if name == "Values" else n if name == "Points" else rows_of(case, where)
        fixed = static if name == "Points" else name != "Values" and fields(case, where)[name][5] == "static"
        for k in {*range(0, frames, 13), frames - 1}:
            want = -1 if fixed else crc32c(data[k * rows:(k + 1) * rows])
            need(sums[k, column] == want, f"checksum of {name}, frame {k}: {sums[k, column]}, not {want}")
    return sums.size


def check_fields(group, case, where):
    _, _, precision, _, _, frames, _, _ = case
    n, real, count = rows_of(case, where), "f4" if precision == "f32" else "f8", 0
    members(group, fields(case, where), where)
    for name, (_, components, units, meaning, of, when, integer) in fields(case, where).items():
        data = group[name]
        if when == "static":
            count += equal(data[:], expected_field(case, where, name, 0), name)
        else:  # the promise of the layout: frames lie in time order, flat
            shaped = data[:].reshape((frames, n) + data.shape[1:])
            count += equal(shaped, np.stack([expected_field(case, where, name, k) for k in range(frames)]), name)
            need(data.chunks == (n,) + data.shape[1:], f"{name}: chunks {data.chunks} do not align with frames")
            need(data.maxshape[0] is None, f"{name} cannot grow")
        need(data.dtype == ("i8" if integer else real) and data.compression is None, f"{name}: type or compression")
        wanted = {"units": units, "meaning": meaning, "when": when, "components": components}
        if when == "static":
            wanted["crc32c"] = crc32c(data[:]) if case[6] else -1
        attributes(data, {**wanted, "of": of, "objective": "miss"} if of else wanted, name)
    return count


def check_points(grid, case):
    _, _, precision, static, n, frames, _, _ = case
    points = grid["Points"]
    count = equal(points[:], np.concatenate([expected_points(case, k) for k in range(1 if static else frames)]),
                  "Points")
    need(points.dtype == ("f4" if precision == "f32" else "f8") and points.compression is None,
         "Points: type or compression")
    need(static or points.chunks == (n, 3), f"Points: chunks {points.chunks} do not align with frames")
    return count


def check_grid(grid, case):
    attributes(grid, {"Type": "UnstructuredGrid", "Version": np.array([2, 0])}, "VTKHDF")
    members(grid, ["NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds", "Connectivity", "Offsets", "Types",
                   "Points", "PointData", "CellData", "FieldData", "Steps"], "VTKHDF")
    attributes(grid["Points"], {"units": "m", **({"crc32c": crc32c(grid["Points"][:])} if case[3] else {})}, "Points")
    types, offsets, connectivity = cells(case)
    wanted = {"NumberOfPoints": [case[4]], "NumberOfCells": [len(types)],
              "NumberOfConnectivityIds": [len(connectivity)],
              "Connectivity": connectivity, "Offsets": offsets, "Types": types}
    count = sum(equal(grid[name][:], want, name) for name, want in wanted.items())
    for name in ("Connectivity", "Offsets", "Types"):
        need(grid[name].compression == "gzip", f"{name} is not compressed")
        attributes(grid[name], {"crc32c": crc32c(grid[name][:])}, name)
        need(grid[name].dtype == ("u1" if name == "Types" else "i8"), f"{name}: type {grid[name].dtype}")
    count += sum(check_fields(grid[where], case, where) for where in PLACES)
    return count + check_steps(grid["Steps"], case) + check_points(grid, case)


def rows(code, shape, iterations):
    """[iterations, shape], or [shape] when iterations is None."""
    size = int(np.prod(shape, dtype=int))
    data = [value(code, np.arange(size), 0, k).reshape(shape) for k in range(iterations or 1)]
    return data[0] if iterations is None else np.stack(data)


def check_results(piola, case):
    kind, _, _, _, _, frames, finished, _ = case
    iterations = frames if kind == "history" else None
    counted = {"iterations": frames} if iterations else {}
    shapes = {"materials.soft.E": (20, ()), "gravity": (21, (3,)), "control.gait": (22, (4, 3))}
    members(piola["gradient"], shapes if finished else [], "gradient")
    attributes(piola["objective"], {"name": "miss", **(counted if finished else {})}, "objective")
    table = ["checksums"] if iterations else []
    members(piola["objective"], ["value", "terms", *table] if finished else ["terms"], "objective")
    count = 0
    if not finished:
        members(piola["certificate"], [], "certificate")
        return attributes(piola["certificate"], {}, "certificate")
    for path, (code, shape) in shapes.items():
        group = piola["gradient"][path]
        attributes(group, counted, path)
        members(group, ["value", "grad", *table], path)
        count += equal(group["value"][()], rows(code, shape, iterations), path + "/value")
        count += equal(group["grad"][()], rows(code + 10, shape, iterations), path + "/grad")
        own = [{} if iterations else {"crc32c": crc32c(group[name][()])} for name in ("value", "grad")]
        attributes(group["value"], {"units": "Pa", **own[0]}, path + "/value")
        attributes(group["grad"], {"units": "1/Pa", "of": path, "objective": "miss", **own[1]}, path + "/grad")
        for k in range(iterations or 0):
            need(list(group["checksums"][k]) == [crc32c(group[name][k]) for name in ("value", "grad")],
                 f"{path}, row {k}")
    terms = piola["objective/terms"]
    members(terms, ["reach", "effort"], "terms")
    for code, data in ((40, piola["objective/value"]), (41, terms["reach"]), (42, terms["effort"])):
        count += equal(data[()], rows(code, (), iterations), data.name)
        if not iterations:
            attributes(data, {"crc32c": crc32c(data[()])}, data.name)
    for k in range(iterations or 0):
        found = [crc32c(data[k]) for data in (piola["objective/value"], terms["effort"], terms["reach"])]
        need(list(piola["objective/checksums"][k]) == found, f"checksums of the objective, row {k}")
    return count + attributes(piola["certificate"], {"adjoint_residual": 0.125, "iterations": 12.0}, "certificate")


def check_piola(piola, case):
    kind, dimension, precision, _, n, _, finished, mesh = case
    members(piola, ["scene", "manifest", "gradient", "objective", "certificate", "checksums"], "piola")
    attributes(piola, {"layout": "piola-1", "kind": kind, "complete": int(finished), "checksums": "crc32c",
                       "dimension": dimension, "n_points": n, "precision": precision,
                       **({"n_cells": mesh, "n_integration_points": rows_of(case, "FieldData")} if mesh else {})},
               "piola")
    version = text(piola["manifest"].attrs["version"])
    attributes(piola["manifest"], {**MANIFEST, "version": version}, "manifest")
    for name, want in TEXTS.items():
        if finished or not name.startswith("certificate"):
            need(text(piola[name][()]) == want, f"{name}: {piola[name][()]!r}, not {want!r}")
            attributes(piola[name], {"crc32c": crc32c(piola[name][()])}, name)
    return check_results(piola, case)


def check_h5py(path, case):
    with h5py.File(path, "r") as file:
        members(file, ["VTKHDF", "piola"], "file")
        return check_grid(file["VTKHDF"], case) + check_piola(file["piola"], case) + check_sums(file, case)


# ---- with VTK, as ParaView reads ------------------------------------------------------------------------------

def check_vtk_frame(grid, case, k):
    types, offsets, connectivity = cells(case)
    need(grid.IsA("vtkUnstructuredGrid"), f"VTK, frame {k}: {grid.GetClassName()}")
    count = equal([grid.GetCellType(i) for i in range(grid.GetNumberOfCells())], types, f"VTK types, frame {k}")
    shown = grid.GetCells()
    count += equal(vtk_to_numpy(shown.GetOffsetsArray()), offsets, f"VTK offsets, frame {k}")
    count += equal(vtk_to_numpy(shown.GetConnectivityArray()), connectivity, f"VTK connectivity, frame {k}")
    count += equal(vtk_to_numpy(grid.GetPoints().GetData()), expected_points(case, k), f"VTK points, frame {k}")
    for where, data in zip(PLACES, (grid.GetPointData(), grid.GetCellData(), grid.GetFieldData())):
        names = {data.GetArrayName(i) for i in range(data.GetNumberOfArrays())}
        if where == "FieldData":
            names.discard("Time")  # VTK's own
        need(names == set(fields(case, where)), f"VTK {where}: {sorted(names)}")
        for name in names:
            want = expected_field(case, where, name, k)
            count += equal(vtk_to_numpy(data.GetArray(name)), want, f"VTK {name}, frame {k}")
    vector, tensor = ("displacement", "stress") if case[7] else ("velocity", "F")
    need(grid.GetPointData().GetArray(vector).GetNumberOfComponents() == 3, f"{vector} is no vector")
    matrices = grid.GetCellData() if case[7] else grid.GetPointData()
    need(matrices.GetArray(tensor).GetNumberOfComponents() == 9, f"{tensor} is no tensor")
    return count


def check_vtk(path, case):
    frames = case[5]
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
        count += check_vtk_frame(reader.GetOutputDataObject(0), case, k)
    need(not complaints, f"VTK complained {len(complaints)} times")
    return count


# ---- does the comparison see a wrong value? -------------------------------------------------------------------

def spoil_value(name):
    def spoil(file):
        data = file[name]
        place = tuple(s - 1 for s in data.shape)
        data[place] = 3.25 if np.isnan(data[place]) else data[place] + (1 if data.dtype.kind == "i" else 0.125)
    return spoil


def spoil_offset(name):
    def spoil(file):
        file["VTKHDF/Steps"][name][1] = 0
    return spoil


def spoil_attribute(name):
    def spoil(file):
        file["VTKHDF"][name].attrs["units"] = "K"
    return spoil


def spoil_extra(file):
    file["piola/extra"] = 1


def spoil_type(file):
    """A triangle among quadrangles, or the other way: VTK trusts the offsets and shows the type."""
    file["VTKHDF/Types"][0] = 9


# (how, whether VTK shows it)
SPOILERS = {"a point": (spoil_value("VTKHDF/Points"), True), "a time": (spoil_value("VTKHDF/Steps/Values"), True),
            "a gradient": (spoil_value("piola/gradient/gravity/grad"), False),
            "an objective": (spoil_value("piola/objective/value"), False), "an extra object": (spoil_extra, False),
            "a checksum": (spoil_value("piola/checksums/frames"), False)}
PARTICLE_SPOILERS = {
    "a velocity": (spoil_value("VTKHDF/PointData/velocity"), True),
    "an adjoint": (spoil_value("VTKHDF/PointData/adj_velocity"), True),
    "a static field": (spoil_value("VTKHDF/PointData/rho"), True),
    "an offset": (spoil_offset("PointDataOffsets/velocity"), True),
    "a unit": (spoil_attribute("PointData/velocity"), False)}
MESH_SPOILERS = {
    "a displacement": (spoil_value("VTKHDF/PointData/displacement"), True),
    "a value of a cell": (spoil_value("VTKHDF/CellData/energy"), True),
    "an adjoint of a cell": (spoil_value("VTKHDF/CellData/adj_stress"), True),
    "a group": (spoil_value("VTKHDF/CellData/group"), True),
    "an offset of cell data": (spoil_offset("CellDataOffsets/energy"), True),
    "a value of an integration point": (spoil_value("VTKHDF/FieldData/stress_points"), True),
    "an element of an integration point": (spoil_value("VTKHDF/FieldData/element_points"), True),
    "an offset of integration points": (spoil_offset("FieldDataOffsets/stress_points"), True),
    "a size": (spoil_value("VTKHDF/Steps/FieldDataSizes/stress_points"), False),
    "a unit": (spoil_attribute("CellData/stress"), False), "a type": (spoil_type, True)}


def seen(check, path, case):
    try:
        check(path, case)
    except Difference:
        return True
    return False


def check_control(path, case):
    """Spoil a copy; h5py must see everything, VTK what ParaView shows."""
    spoilers = {**SPOILERS, **(MESH_SPOILERS if case[7] else PARTICLE_SPOILERS)}
    for what, (spoil, shown) in spoilers.items():
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "spoiled.vtkhdf")
            shutil.copyfile(path, copy)
            with h5py.File(copy, "r+") as file:
                spoil(file)
            need(seen(check_h5py, copy, case), f"spoiling {what} was not seen by h5py")
            need(not shown or seen(check_vtk, copy, case), f"spoiling {what} was not seen by VTK")
    return len(spoilers)


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
