"""States for xarray and PyVista, where these are installed, and films by the command `piola`."""
import importlib
import os
import pathlib
import tempfile
import typing

import numpy

from . import states_read
from .errors import UsageError

if typing.TYPE_CHECKING:
    from .states import States

AXES = "xyz"
VERTEX = 1  # VTK's number of a cell of one point
PLACES = {"points": "point", "cells": "cell", "integration points": "integration_point"}


def _need(package: str) -> typing.Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise ImportError(f"{package} is not installed: pip install {package}") from error


# ---- xarray


def _dimensions(shape: tuple[int, ...], dimension: int) -> tuple[str, ...]:
    """Names of the axes of one row: vectors have `axis`, matrices `row` and `column`; others say their lengths."""
    if shape == (dimension,):
        return ("axis",)
    if len(shape) == 2:
        return ("row", "column") if shape[0] == dimension else ("row3", "column3")
    return tuple(f"component{n}" for n in shape)


def to_xarray(states: "States", names: typing.Sequence[str] | None) -> typing.Any:
    """See States.to_xarray."""
    xarray = _need("xarray")
    axes, over = list(AXES[:states.dimension]), states.time_name
    data = {}
    for name in states.fields if names is None else names:
        field = states.field(name)
        rows = field.shape[1:] if field.per_frame else field.shape
        dims = (PLACES[field.info.where], *_dimensions(rows[1:], states.dimension))
        said = {"units": field.unit, "long_name": field.info.meaning}
        if field.info.of:
            said["of"] = field.info.of
        data[name] = ((over, *dims) if field.per_frame else dims, field[:], said)
    if len(states):
        places = numpy.stack([frame.positions for frame in states])
        data["positions"] = ((over, "point", "axis"), places, {"units": "m", "long_name": "position"})
    coordinates: dict[str, typing.Any] = {over: (over, states.times, {"units": "s" if over == "time" else "1"})}
    used = {dim for dims, *_ in data.values() for dim in dims}
    coordinates |= {dim: axes for dim in ("axis", "row", "column") if dim in used}
    coordinates |= {dim: list(AXES) for dim in ("row3", "column3") if dim in used}
    return xarray.Dataset(data, coordinates, {"path": str(states.path), "kind": states.kind, **states.manifest})


# ---- PyVista


def _padded(values: numpy.ndarray) -> numpy.ndarray:
    """Values as VTK has them: vectors with 3 components, matrices with 9; others as they are."""
    if values.ndim == 3:
        wide = numpy.zeros((len(values), 3, 3), values.dtype)
        wide[:, :values.shape[1], :values.shape[2]] = values
        return wide.reshape(-1, 9)
    if values.ndim == 2 and values.shape[1] == 2:
        return numpy.pad(values, ((0, 0), (0, 1)))
    return values


def to_pyvista(states: "States", number: int, deformation: float) -> typing.Any:
    """See States.to_pyvista."""
    pyvista = _need("pyvista")
    frame, cells = states[number], states.cells
    points = frame.points
    if states.is_mesh and "displacement" in frame:
        points = points + deformation * frame["displacement"]
    points = numpy.pad(points, ((0, 0), (0, 3 - points.shape[1])))
    if cells is None:
        count = len(points)
        listed = numpy.stack([numpy.ones(count, "i8"), numpy.arange(count)], axis=1).ravel()
        types = numpy.full(count, VERTEX, "u1")
    else:  # before the nodes of each cell stands how many they are
        types = cells.types.astype("u1")
        listed = numpy.insert(cells.connectivity, cells.offsets[:-1], numpy.diff(cells.offsets))
    grid = pyvista.UnstructuredGrid(listed, types, points)
    into = {"points": grid.point_data, "cells": grid.cell_data, "integration points": grid.field_data}
    for name, info in states.fields.items():
        into[info.where][name] = _padded(frame[name])
    grid.field_data["TimeValue"] = [frame.time]
    return grid


def coloured(states: "States", name: str | None, number: int) -> tuple[str, numpy.ndarray]:
    """What colours show, [rows], and its title: the magnitude of a field, or an entry, as "velocity.x" or "F.xy".

    `name` None is velocity, else displacement, else the first field.
    """
    fields = states.fields
    if name is None:
        name = next((n for n in ("velocity", "displacement", *fields) if n in fields), "velocity")
    field, _, entry = name.partition(".")
    values = states[number][field]
    if entry:
        at = tuple(AXES.find(letter) for letter in entry)
        if len(at) != values.ndim - 1 or not all(0 <= k < n for k, n in zip(at, values.shape[1:])):
            what = ("is a number, without entries",
                    "is a vector, whose entries have one letter of xyz, as in velocity.x",
                    "is a matrix, whose entries have two letters of xyz, as in F.xy")[min(values.ndim, 3) - 1]
            raise UsageError(f"{name}: {field} {what}")
        inside = (slice(None), *at)
        values = values[inside]
    elif values.ndim > 1:
        values = numpy.linalg.norm(values.reshape(len(values), -1), axis=1)
    return f"{name} [{states.unit(field) or '1'}]", values


def plot(states: "States", name: str | None, number: int, *, picture: str | os.PathLike[str] | None = None,
         show: bool = True, deformation: float = 1.0, size: tuple[int, int] = (1280, 720),
         **mesh: typing.Any) -> typing.Any:
    """See States.plot. `show` False opens no window, for a plotter that gets more; `deformation` is that of a mesh,
    `size` [2] in pixels, and other options are those of pyvista.Plotter.add_mesh(), as clim=(0, 3) or cmap="viridis".
    """
    pyvista = _need("pyvista")
    title, values = coloured(states, name, number)
    grid = to_pyvista(states, number, deformation)
    where = states.fields[title.split(" [")[0].split(".")[0]].where
    if where == "integration points":
        raise UsageError(f"{title}: values at integration points are not drawn; see states.field()")
    (grid.cell_data if where == "cells" else grid.point_data)[title] = values
    plotter = pyvista.Plotter(off_screen=True if picture is not None else None, window_size=list(size))
    if not states.is_mesh:
        mesh = {"render_points_as_spheres": True, "point_size": 8.0} | mesh
    plotter.add_mesh(grid, scalars=title, **mesh)
    frame = states[number]
    plotter.add_text(f"{frame.time:g} s" if states.time_name == "time" else f"iteration {frame.time:g}", font_size=10)
    if states.dimension == 2:
        plotter.view_xy()
    if picture is not None:
        plotter.screenshot(os.fspath(picture))
    elif show:
        plotter.show()
    return plotter


# ---- pictures and films of the command


class Picture:
    """A picture, as PNG; Jupyter shows it, and `save(path)` writes it."""

    def __init__(self, png: bytes, title: str) -> None:
        """`png` are the bytes of a file, `title` says what it shows."""
        self.png, self.title = png, title

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file."""
        pathlib.Path(path).write_bytes(self.png)

    def _repr_png_(self) -> bytes:
        """What Jupyter shows."""
        return self.png

    def __repr__(self) -> str:
        """What it shows."""
        return f"Picture({self.title})"


def _words(options: dict[str, typing.Any]) -> list[typing.Any]:
    """Options for the command: hide_below="E=1" is --hide-below E=1; True is a word alone, None and False are none."""
    words: list[typing.Any] = []
    for key, value in options.items():
        option = "--" + key.replace("_", "-")
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, value]
    return words


def picture(states: "States", name: str | None, number: int, options: dict[str, typing.Any]) -> Picture:
    """See States.picture."""
    frame = states[number].number
    with tempfile.TemporaryDirectory(prefix="piola-") as folder:
        path = pathlib.Path(folder) / "picture.png"
        states_read.call("render", states.path, "-o", path, "--frame", frame, *_words({"field": name} | options))
        return Picture(path.read_bytes(), f"{str(states.path)!r}, frame {frame}")


def film(states: "States", path: str | os.PathLike[str], name: str | None,
         options: dict[str, typing.Any]) -> pathlib.Path:
    """See States.film."""
    step = int(states.numbers[1]) if len(states) > 1 else 1
    if list(states.numbers) != list(range(0, states.frames_of_file, step)):
        raise UsageError(f"{states.path}: a film is of all frames or of every n-th, as states[::n]")
    options = {"field": name, "every": step if step > 1 else None} | options
    states_read.call("film", states.path, "-o", path, *_words(options))
    return pathlib.Path(path)
