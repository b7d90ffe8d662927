"""Readers of .vtkhdf files: with h5py where it is installed, else with the command `piola`.

Both say what a file holds (`Contents`) and read the fields, points and cells of one frame, with the shapes of `piola
export --to npy`: [rows] of numbers, [rows][d] of vectors, [rows][d][d] of matrices, in the file's precision and in
SI units.
"""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, NamedTuple

import numpy

from .errors import BadSceneError, ClosedError, UnavailableError, UsageError, exception_of

# The words of files for when a field is given, and those of `piola info`.
WHEN = {"frame": "every frame", "static": "whole file", "adjoint": "adjoint frames"}
GROUPS = {"PointData": "points", "CellData": "cells", "FieldData": "integration points"}


class FieldInfo(NamedTuple):
    """What a file says of a field."""

    name: str
    unit: str  # SI, such as "m/s"; "1" or "" of a plain number
    where: str  # "points", "cells" or "integration points"
    components: int  # numbers of one row, 1 to 9
    when: str  # "every frame", "adjoint frames" (NaN where there is none) or "whole file"
    meaning: str
    of: str  # of a derivative the path of what it is a derivative with respect to, else ""


class Cells(NamedTuple):
    """Cells of a mesh: nodes of cell c are connectivity[offsets[c]:offsets[c + 1]], in the order of VTK."""

    types: numpy.ndarray  # [cells] kinds, as VTK numbers them
    offsets: numpy.ndarray  # [cells + 1]
    connectivity: numpy.ndarray  # [offsets[-1]] numbers of points, from 0

    def by_type(self) -> dict[int, numpy.ndarray]:
        """Nodes of each kind of cell, {VTK's number: [cells of the kind][nodes]}."""
        nodes = {}
        for kind in numpy.unique(self.types):
            first = self.offsets[:-1][self.types == kind]
            last = self.offsets[1:][self.types == kind]
            nodes[int(kind)] = self.connectivity[first[:, None] + numpy.arange(last[0] - first[0])]
        return nodes


class Design(NamedTuple):
    """A designed quantity: [...] its value and dJ/dvalue; of a history [iterations][...]."""

    value: numpy.ndarray
    gradient: numpy.ndarray
    unit: str
    gradient_unit: str


class Contents(NamedTuple):
    """What a file holds."""

    kind: str  # "states", "history" or "checkpoint"
    complete: bool  # False: the run was cut off, or still writes
    dimension: int  # 2 or 3
    mesh: bool  # a mesh, not particles
    times: numpy.ndarray  # [frames] s, or the iterations of a history
    fields: dict[str, FieldInfo]  # by name
    rows: dict[str, int]  # of "points", "cells" and "integration points"
    manifest: dict[str, str]  # program, version, engine, command_line ...


def shape_of(components: int, dimension: int) -> tuple[int, ...]:
    """The shape of one row: () of a number, (n,) of n, (d, d) of a matrix; one of 9 in 2D has three rows."""
    side = 3 if components == 9 else dimension
    if components == side * side:
        return (side, side)
    return (components,) if components > 1 else ()


def command() -> str:
    """The path of the command `piola`: $PIOLA_COMMAND, else the package's own, else the one on $PATH.

    Raises UnavailableError where there is none.
    """
    own = pathlib.Path(__file__).parent / "bin" / "piola"
    found = os.environ.get("PIOLA_COMMAND") or (str(own) if own.exists() else shutil.which("piola"))
    if not found or not shutil.which(found):
        raise UnavailableError(f"the command {found or 'piola'} is not there: put its folder on $PATH, name it in "
                               "$PIOLA_COMMAND, or, to read files, pip install h5py")
    return found


def call(*words: Any) -> str:
    """Run `piola WORDS`, and return what it prints. Raises the exception of its exit code, with its message."""
    done = subprocess.run([command(), *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if not line.startswith("piola: '")]  # where there is more
        text = "\n".join(lines).strip().removeprefix("piola: ").removeprefix("error: ")
        raise exception_of(done.returncode, text or f"piola {words[0]} ended with exit code {done.returncode}")
    return done.stdout


class CommandReader:
    """Reads with `piola info` and `piola export`; the last frames lie in a temporary folder, at most KEPT bytes."""

    name = "command"
    KEPT = 1 << 28

    def __init__(self, path: pathlib.Path) -> None:
        """Read what the file holds, after its bytes were compared with their checksums."""
        self.path = path
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._sizes: dict[int, int] = {}  # bytes of each frame in the folder, the oldest first
        found = json.loads(call("info", "--json", path))
        if "kind" not in found or "times" not in found:
            raise BadSceneError(f"{path}: not a file of states, as states.vtkhdf")
        fields = [FieldInfo(f["name"], f["unit"], f["location"] + "s", f["components"], f["when"], f["meaning"],
                            f["of"] or "") for f in found["fields"]]
        points = found.get("points", found.get("particles", 0))
        self.contents = Contents(
            found["kind"], found["complete"], found["dimension"], "cells" in found, numpy.array(found["times"], "f8"),
            {f.name: f for f in fields}, {"points": points, "cells": found.get("cells", points),
                                          "integration points": found.get("integration_points", 0)},
            found["manifest"])

    def _load(self, name: str, frame: int) -> numpy.ndarray:
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="piola-")
        place = pathlib.Path(self._folder.name) / str(frame)
        if frame not in self._sizes:
            call("export", "--to", "npy", "--frame", frame, "--no-verify", "-o", place, self.path)
            self._sizes[frame] = sum(file.stat().st_size for file in place.iterdir())
            while len(self._sizes) > 1 and sum(self._sizes.values()) > self.KEPT:
                oldest = next(iter(self._sizes))
                shutil.rmtree(place.parent / str(oldest))
                del self._sizes[oldest]
        return numpy.load(place / f"{name}.npy")

    def _any(self) -> int:
        """A frame for what all frames have."""
        return next(iter(self._sizes), 0)

    def field(self, name: str, frame: int) -> numpy.ndarray:
        """[rows], [rows][d] or [rows][d][d] of a field in a frame."""
        return self._load(name, frame)

    def dtype(self, name: str) -> numpy.dtype:
        """The type of a field's numbers."""
        return self._load(name, self._any()).dtype

    def points(self, frame: int) -> numpy.ndarray:
        """[points][d] m; of a mesh at rest."""
        return self._load("grid-points", frame)

    def cells(self) -> Cells | None:
        """Cells of a mesh; None of particles."""
        if not self.contents.mesh:
            return None
        return Cells(*(self._load("grid-" + part, self._any()) for part in Cells._fields))

    def objective(self) -> dict[str, numpy.ndarray]:
        """The command does not print all iterations."""
        raise ImportError("objective and designs of a .vtkhdf file are read with h5py: pip install h5py")

    def designs(self) -> dict[str, Design]:
        """The command does not print all iterations."""
        raise ImportError("objective and designs of a .vtkhdf file are read with h5py: pip install h5py")

    def close(self) -> None:
        """Remove the temporary folder."""
        if self._folder is not None:
            self._folder.cleanup()
        self._folder, self._sizes = None, {}


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


class H5Reader:
    """Reads with h5py. The file stays open; checksums are not compared."""

    name = "h5py"

    def __init__(self, path: pathlib.Path) -> None:
        """Read what the file holds."""
        import h5py  # pylint: disable=import-outside-toplevel
        self.path = path
        try:
            self._file = h5py.File(path, "r")
        except OSError as error:
            raise BadSceneError(f"{path}: not an HDF5 file that can be read, as states.vtkhdf is: {error}") from error
        try:
            self.contents = self._contents()
        except (KeyError, ValueError, AttributeError, TypeError) as error:
            self._file.close()
            raise BadSceneError(f"{path}: an HDF5 file, but not one of Piola's states: {error}") from error

    def _contents(self) -> Contents:
        grid, own = self._file["VTKHDF"], self._file["piola"]
        if _text(own.attrs["layout"]) != "piola-1":
            raise ValueError(f"its layout is {_text(own.attrs['layout'])!r}, not 'piola-1'")
        frames, points = int(grid["Steps"].attrs["NSteps"]), int(own.attrs["n_points"])
        fields = {}
        for group, where in GROUPS.items():
            for name, data in grid[group].items():
                said = {key: _text(data.attrs.get(key, b"")) for key in ("units", "when", "meaning", "of")}
                fields[name] = FieldInfo(name, said["units"], where, int(data.attrs["components"]),
                                         WHEN[said["when"]], said["meaning"], said["of"])
        return Contents(
            _text(own.attrs["kind"]), bool(own.attrs["complete"]), int(own.attrs["dimension"]),
            "n_cells" in own.attrs, grid["Steps/Values"][:frames], fields,
            {"points": points, "cells": int(own.attrs.get("n_cells", points)),
             "integration points": int(own.attrs.get("n_integration_points", 0))},
            {key: _text(value) for key, value in own["manifest"].attrs.items()})

    @property
    def _data(self) -> Any:
        """The open file. Raises ClosedError."""
        if not self._file:
            raise ClosedError(f"{self.path} is closed: what was not read before cannot be read any more")
        return self._file

    def _group(self, name: str) -> str:
        where = self.contents.fields[name].where
        return next(group for group, place in GROUPS.items() if place == where)

    def field(self, name: str, frame: int) -> numpy.ndarray:
        """[rows], [rows][d] or [rows][d][d] of a field in a frame."""
        info, group = self.contents.fields[name], self._group(name)
        first = 0
        if info.when != "whole file":
            first = int(self._data[f"VTKHDF/Steps/{group}Offsets/{name}"][frame])
        values = self._data[f"VTKHDF/{group}/{name}"][first:first + self.contents.rows[info.where]]
        shape = shape_of(info.components, self.contents.dimension)
        if values.ndim == 2 and values.shape[1] != info.components:  # padded for VTK, which knows 3 dimensions only
            values = values.reshape(len(values), *(3 for _ in shape))
            inside = (slice(None), *(slice(n) for n in shape))
            values = values[inside]
        return numpy.ascontiguousarray(values.reshape(len(values), *shape))

    def dtype(self, name: str) -> numpy.dtype:
        """The type of a field's numbers."""
        return self._data[f"VTKHDF/{self._group(name)}/{name}"].dtype

    def points(self, frame: int) -> numpy.ndarray:
        """[points][d] m; of a mesh at rest."""
        first = int(self._data["VTKHDF/Steps/PointOffsets"][frame])
        points = self._data["VTKHDF/Points"][first:first + self.contents.rows["points"]]
        return numpy.ascontiguousarray(points[:, :self.contents.dimension])

    def cells(self) -> Cells | None:
        """Cells of a mesh; None of particles."""
        if not self.contents.mesh:
            return None
        grid = self._data["VTKHDF"]
        return Cells(grid["Types"][:], grid["Offsets"][:], grid["Connectivity"][:])

    def objective(self) -> dict[str, numpy.ndarray]:
        """J as "value", and the other numbers of the objective by name."""
        group = self._data["piola/objective"]
        found = {"value": group["value"][()]} if "value" in group else {}
        return found | {name: data[()] for name, data in group["terms"].items()}

    def designs(self) -> dict[str, Design]:
        """Designed quantities by path."""
        return {path: Design(group["value"][()], group["grad"][()], _text(group["value"].attrs["units"]),
                             _text(group["grad"].attrs["units"]))
                for path, group in self._data["piola/gradient"].items()}

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def reader_of(path: pathlib.Path, which: str | None) -> "H5Reader | CommandReader":
    """A reader of a file: `which` is "h5py", "command", or None for h5py where it is installed, else the command.

    Raises BadSceneError where the file cannot be read, and ImportError or UnavailableError where the reader is missing.
    """
    if which not in (None, "h5py", "command"):
        raise UsageError(f"reader is 'h5py', 'command' or None, not {which!r}")
    there = importlib.util.find_spec("h5py") is not None
    if which == "h5py" and not there:
        raise ImportError("h5py is not installed: pip install h5py, or reader='command'")
    return CommandReader(path) if which == "command" or not there else H5Reader(path)
