#!/usr/bin/env python3
"""check_export.py PIOLA FILE... -- exports every frame of the snapshots with PIOLA and reads what comes out with VTK,
NumPy and Python's csv.

Every value is compared with the snapshot, as h5py reads it. Then one value of each export is spoiled, and the
comparison has to see it. Exit code 0 when all is equal, 1 on any difference."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkCommand
from vtkmodules.vtkIOGeometry import vtkSTLReader
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridReader


class Difference(Exception):
    """What was exported is not what the snapshot holds."""


def need(condition, message):
    if not condition:
        raise Difference(message)


def equal(found, wanted, where, exact=True):
    found, wanted = np.asarray(found), np.asarray(wanted)
    need(found.shape == wanted.shape, f"{where}: shape {found.shape}, not {wanted.shape}")
    need(not exact or found.dtype == wanted.dtype, f"{where}: type {found.dtype}, not {wanted.dtype}")
    need(np.array_equal(found, wanted, equal_nan=wanted.dtype.kind == "f"), f"{where}: values differ")
    return found.size


class Frame:
    """One frame of a snapshot, as h5py reads it."""

    def __init__(self, path, frame):
        with h5py.File(path, "r") as file:
            grid, self.dimension = file["VTKHDF"], int(file["piola"].attrs["dimension"])
            self.n, self.mesh = int(grid["NumberOfPoints"][0]), "n_cells" in file["piola"].attrs
            self.time = float(grid["Steps/Values"][frame])
            first = int(grid["Steps/PointOffsets"][frame])
            self.points = grid["Points"][first:first + self.n]
            self.types, self.offsets, self.nodes = grid["Types"][:], grid["Offsets"][:], grid["Connectivity"][:]
            self.fields = {"PointData": {}, "CellData": {}, "FieldData": {}}
            inside = int(file["piola"].attrs.get("n_integration_points", 0))
            self.components, self.units = {}, {}
            for where in self.fields:
                rows = {"PointData": self.n, "CellData": len(self.types), "FieldData": inside}[where]
                for name, data in grid[where].items():
                    at = int(grid["Steps"][where + "Offsets"][name][frame])
                    self.fields[where][name] = data[at:at + rows]
                    self.components[name] = int(data.attrs["components"])
                    self.units[name] = data.attrs["units"].decode()

    def declared(self, where, name):
        """[rows] or [rows, components] without padding, and the columns' letters."""
        data, count, d = self.fields[where][name], self.components[name], self.dimension
        side = 3 if count == 9 else d
        if data.ndim == 1:
            return data, [""]
        if (d, count) == (2, 4):
            data = data.reshape(-1, 3, 3)[:, :2, :2].reshape(-1, 4)
        letters = [f".{i}" for i in range(count)]
        if count == d:
            letters = [f".{a}" for a in "xyz"[:d]]
        elif count == side * side:
            letters = [f".{a}{b}" for a in "xyz"[:side] for b in "xyz"[:side]]
        return data[:, :count], letters


def check_vtu(path, frame):
    complaints = []
    reader = vtkXMLUnstructuredGridReader()
    for event in (vtkCommand.ErrorEvent, vtkCommand.WarningEvent):
        reader.AddObserver(event, lambda *_: complaints.append(path))
    reader.SetFileName(str(path))
    reader.Update()
    grid = reader.GetOutput()
    need(not complaints and grid.GetNumberOfPoints() == frame.n, f"VTK complained {len(complaints)} times")
    count = equal(vtk_to_numpy(grid.GetPoints().GetData()), frame.points, "points")
    count += equal([grid.GetCellType(i) for i in range(grid.GetNumberOfCells())], frame.types, "types", False)
    count += equal(vtk_to_numpy(grid.GetCells().GetOffsetsArray()), frame.offsets, "offsets", False)
    count += equal(vtk_to_numpy(grid.GetCells().GetConnectivityArray()), frame.nodes, "connectivity", False)
    need(grid.GetFieldData().GetArray("TimeValue").GetValue(0) == frame.time, "time")
    for where, data in zip(frame.fields, (grid.GetPointData(), grid.GetCellData(), grid.GetFieldData())):
        names = {data.GetArrayName(i) for i in range(data.GetNumberOfArrays())} - {"TimeValue"}
        need(names == set(frame.fields[where]), where)
        for name, want in frame.fields[where].items():
            count += equal(vtk_to_numpy(data.GetArray(name)), want, name)
    return count


def read_table(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], np.array([[float(v) for v in row] for row in rows[1:]])


def check_table(path, frame, where, first):
    """The table has all columns in order; f32 comes back as the same f32."""
    head, table = read_table(path)
    names, columns = list(first), [c for c in first.values()]
    for name in sorted(frame.fields[where]):
        data, letters = frame.declared(where, name)
        names += [f"{name}{letter} [{frame.units[name] or '1'}]" for letter in letters]
        columns += list(data.reshape(len(data), -1).T)
    need(head == names, f"{path}: columns {head}, not {names}")
    count = 0
    for i, want in enumerate(columns):
        got = table[:, i].astype(want.dtype)
        close = np.allclose(got, want, rtol=1e-6 if want.dtype == "f4" else 1e-14, atol=0, equal_nan=True)
        exact = np.array_equal(got, want, equal_nan=want.dtype.kind == "f")
        need(exact if i >= len(first) else close, f"{path}: column {names[i]} differs")
        count += want.size
    return count


def check_csv(path, frame):
    places = {f"{a} [m]": frame.points[:, k] for k, a in enumerate("xyz"[:frame.dimension])}
    count = check_table(path, frame, "PointData", {"point": np.arange(frame.n), **places})
    cells = path.with_name(path.stem + "_cells" + path.suffix)
    need(cells.exists() == bool(frame.fields["CellData"]), f"{cells}")
    if frame.fields["CellData"]:
        middle = np.array([frame.points[frame.nodes[a:b]].astype("f8").mean(0)
                           for a, b in zip(frame.offsets, frame.offsets[1:])])
        middle[np.abs(middle) < 1e-12] = 0  # sums in another order
        real = frame.points.dtype
        head, table = read_table(cells)
        at = table[:, 2:2 + frame.dimension]
        need(np.allclose(at, middle[:, :frame.dimension], rtol=1e-6, atol=1e-9), "middles of cells")
        places = {f"{a} [m]": at[:, k].astype(real) for k, a in enumerate("xyz"[:frame.dimension])}
        count += check_table(cells, frame, "CellData",
                             {"cell": np.arange(len(frame.types)), "type": frame.types, **places})
    inside = path.with_name(path.stem + "_integration_points" + path.suffix)
    need(inside.exists() == bool(frame.fields["FieldData"]), f"{inside}")
    if frame.fields["FieldData"]:
        rows = len(next(iter(frame.fields["FieldData"].values())))
        count += check_table(inside, frame, "FieldData", {"integration point": np.arange(rows)})
    return count


def check_npy(folder, frame):
    report = json.loads((folder / "fields.json").read_text())
    need(report["program"] == "piola export" and frame.time in (report.get("time"), report.get("iteration")),
         "fields.json")
    listed = {a["file"]: a for a in report["arrays"]}
    need(set(listed) == {p.name for p in folder.glob("*.npy")}, f"{sorted(listed)}")
    count = equal(np.load(folder / "grid-points.npy"), frame.points[:, :frame.dimension], "points")
    if frame.mesh:
        count += equal(np.load(folder / "grid-types.npy"), frame.types, "types")
        count += equal(np.load(folder / "grid-offsets.npy"), frame.offsets, "offsets")
        count += equal(np.load(folder / "grid-connectivity.npy"), frame.nodes, "connectivity")
    for where, fields in frame.fields.items():
        for name in fields:
            data, _ = frame.declared(where, name)
            d = 3 if frame.components[name] == 9 else frame.dimension
            want = data.reshape(-1, d, d) if frame.components[name] == d * d else data
            count += equal(np.load(folder / f"{name}.npy"), want, name)
            need(listed[f"{name}.npy"]["unit"] == frame.units[name], f"unit of {name}")
    return count


def check_stl(path, frame):
    """Every corner of a straight-sided mesh is a node that has moved; VTK merges equal corners."""
    reader = vtkSTLReader()
    reader.SetFileName(str(path))
    reader.Update()
    found = vtk_to_numpy(reader.GetOutput().GetPoints().GetData())
    moved = frame.points.astype("f8") + frame.fields["PointData"]["displacement"]
    need(reader.GetOutput().GetNumberOfCells() > 0, "no triangles")
    nearest = np.array([np.abs(moved - p).sum(1).min() for p in found.astype("f8")])
    fraction = (nearest < 1e-6).mean()
    least = 1.0 if set(frame.types) <= {5, 9, 10, 12} else 0.1
    need(fraction >= least, f"{fraction:.3f} of the corners are nodes, not {least}")
    return found.size


CHECKS = {"vtu": check_vtu, "csv": check_csv, "npy": check_npy, "stl": check_stl}


def spoil(form, target):
    """One value of an export is changed; a surface is moved."""
    if form == "npy":
        path = target / "grid-points.npy"
        data = np.load(path)
        data.flat[data.size - 1] += 1
        np.save(path, data)
    elif form == "csv":
        lines = target.read_text().split("\n")
        row = lines[1].split(",")
        row[1] = repr(float(row[1]) + 1)
        lines[1] = ",".join(row)
        target.write_text("\n".join(lines))
    elif form == "vtu":
        data = bytearray(target.read_bytes())
        data[data.index(b"\n_") + 2 + 8] ^= 1  # the last bit of the first coordinate
        target.write_bytes(data)
    else:
        data = target.read_bytes()
        triangles = np.frombuffer(data[84:], [("corners", "<f4", (4, 3)), ("end", "<u2")]).copy()
        triangles["corners"][:, 1:] += 0.0123
        target.write_bytes(data[:84] + triangles.tobytes())


def export(piola, path, form, frame, target):
    return subprocess.run([piola, "export", path, "--to", form, "--frame", str(frame), "-o", target], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)


def seen(check, target, frame):
    try:
        check(target, frame)
    except (Difference, ValueError):
        return True
    return False


def check_file(piola, path):
    counts = dict.fromkeys(CHECKS, 0)
    with h5py.File(path, "r") as file:
        frames, mesh = int(file["VTKHDF/Steps"].attrs["NSteps"]), "n_cells" in file["piola"].attrs
    with tempfile.TemporaryDirectory() as folder:
        for k in sorted({0, frames // 2, frames - 1}):
            frame = Frame(path, k)
            for form, check in CHECKS.items():
                target = pathlib.Path(folder) / (form if form == "npy" else f"frame.{form}")
                done = export(piola, path, form, k, target)
                if form == "stl" and not mesh:
                    need(done.returncode == 2 and "particles, which have no surface" in done.stderr, done.stderr)
                    continue
                need(done.returncode == 0, done.stderr)
                wrote = [line[6:] for line in done.stdout.splitlines()]
                need(wrote and all(pathlib.Path(w).exists() for w in wrote), f"named {wrote}")
                counts[form] += check(target, frame)
                if k == frames - 1:
                    spoil(form, target)
                    need(seen(check, target, frame), f"spoiling {form} was not seen")
    return counts


def main(piola, paths):
    failures = 0
    for path in paths:
        try:
            counts = check_file(piola, path)
            print(f"{path}: equal: " + ", ".join(f"{n} values of {form}" for form, n in counts.items() if n))
        except (Difference, OSError, KeyError) as error:
            print(f"{path}: {type(error).__name__}: {error}")
            failures += 1
    return 1 if failures or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
