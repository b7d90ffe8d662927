"""Files of states, gradients and histories as NumPy arrays.

    states = piola.open("out/throw/states.vtkhdf")
    len(states), states.times                # frames, and their times [frames] in s
    states.fields["velocity"].unit           # what there is: name, unit, where, components
    states[-1]["velocity"]                   # [points][d] in the last frame
    states.field("velocity")[::10]           # [frames][points][d], read where it is indexed
    for frame in states[:100:10]: frame.time, frame.positions

A number per row is [rows], a vector [rows][d] and a matrix [rows][d][d], in SI units and in the file's precision, in
the order of particles, nodes or elements. NumPy is enough where the command `piola` is; h5py is used where it is
installed. xarray and PyVista are imported by the functions that need them.
"""
import operator
import os
import pathlib
import typing
from collections.abc import Iterator, Mapping, Sequence

import numpy

from . import states_read, states_show
from .errors import NameUnknownError, NoInputError
from .states_read import Cells, Design, FieldInfo

__all__ = ["Cells", "Design", "Field", "FieldInfo", "Frame", "States", "open"]


class Field:
    """A field over frames, read where it is indexed: `field[k]`, `field[2:9, rows]`; numpy.asarray(field) is all of it.

    `shape` is [frames][rows], [frames][rows][d] or [frames][rows][d][d]; of one for the whole file without frames.
    """

    def __init__(self, states: "States", info: FieldInfo) -> None:
        """`states.field(name)` makes it."""
        self._states, self.info = states, info
        contents = states._reader.contents
        row = (contents.rows[info.where], *states_read.shape_of(info.components, contents.dimension))
        self.per_frame = info.when != "whole file"
        self.shape = (len(states), *row) if self.per_frame else row
        self.ndim, self.size = len(self.shape), int(numpy.prod(self.shape, dtype="i8"))

    @property
    def name(self) -> str:
        """The field's name."""
        return self.info.name

    @property
    def unit(self) -> str:
        """The field's unit, in SI."""
        return self.info.unit

    @property
    def dtype(self) -> numpy.dtype:
        """The type of the numbers."""
        return self._states._reader.dtype(self.name)

    def __len__(self) -> int:
        """The length of the first axis."""
        return self.shape[0]

    def __iter__(self) -> Iterator[numpy.ndarray]:
        """One frame after another; of a field for the whole file its rows."""
        return (self[k] for k in range(len(self))) if self.per_frame else iter(self[:])

    def __getitem__(self, key: typing.Any) -> numpy.ndarray:
        """The values at an index as NumPy's; only the frames of the first axis are read."""
        read = self._states._reader.field
        if not self.per_frame:
            return read(self.name, 0)[key]
        parts = key if isinstance(key, tuple) else (key,)
        if not parts or any(part is None or part is Ellipsis for part in parts):
            return self._stack(self._states._frames)[key]
        chosen = self._states._frames[parts[0]]
        if numpy.ndim(chosen) == 0:
            return read(self.name, int(chosen))[parts[1:]]
        if isinstance(parts[0], slice):
            inner = (slice(None), *parts[1:])
            return self._stack(chosen)[inner]
        used, back = numpy.unique(chosen, return_inverse=True)  # lists and masks, which NumPy pairs with later ones
        place = (back.reshape(chosen.shape), *parts[1:])
        return self._stack(used)[place]

    def _stack(self, frames: numpy.ndarray) -> numpy.ndarray:
        values = numpy.empty((len(frames), *self.shape[1:]), self.dtype)
        for k, frame in enumerate(frames):
            values[k] = self._states._reader.field(self.name, int(frame))
        return values

    def __array__(self, dtype: typing.Any = None, copy: bool | None = None) -> numpy.ndarray:
        """All values; they are read, so that copy=False is refused as NumPy refuses it."""
        if copy is False:
            raise ValueError("a field of a file is read, and thus copied")
        return numpy.asarray(self[:], dtype=dtype)

    def __repr__(self) -> str:
        """Name, shape, unit and place."""
        return f"Field({self.name!r}, shape {self.shape}, unit {self.unit!r}, {self.info.where}, {self.info.when})"


class Frame(Mapping[str, numpy.ndarray]):
    """One frame: a mapping of the names of fields to their values, with `number`, `time`, `points` and `positions`."""

    def __init__(self, states: "States", number: int) -> None:
        """`states[number]` makes it; `number` is that in the file."""
        self._states, self.number = states, number
        self.time = float(states._reader.contents.times[number])

    def __getitem__(self, name: str) -> numpy.ndarray:
        """[rows], [rows][d] or [rows][d][d] of a field, in `states.unit(name)`. Raises NameUnknownError."""
        self._states._info(name)
        return self._states._reader.field(name, self.number)

    def __iter__(self) -> Iterator[str]:
        """The names of the fields."""
        return iter(self._states.fields)

    def __len__(self) -> int:
        """The number of fields."""
        return len(self._states.fields)

    @property
    def points(self) -> numpy.ndarray:
        """[points][d] m: where particles are in this frame, or nodes at rest."""
        return self._states._reader.points(self.number)

    @property
    def positions(self) -> numpy.ndarray:
        """[points][d] m: where particles or nodes are in this frame; of a history at the start."""
        moved = self._states.is_mesh and "displacement" in self._states.fields
        return self.points + self["displacement"] if moved else self.points

    def __repr__(self) -> str:
        """Number, time and names."""
        return f"Frame({self.number}, {self._states.time_name} {self.time:g}, {', '.join(self)})"


class States(Sequence[Frame]):
    """The frames of a file, a sequence of `Frame`; a slice of it is one, too. `piola.open()` makes it.

    It holds the file open until `close()`, the end of a `with` block, or its own; it can be pickled.
    """

    def __init__(self, path: pathlib.Path, reader: str | None = None) -> None:
        """See `piola.open`."""
        self.path = path
        self._which = reader
        self._reader = states_read.reader_of(path, reader)
        self._frames = numpy.arange(len(self._reader.contents.times))

    def _part(self, frames: numpy.ndarray) -> "States":
        part = object.__new__(type(self))
        part.path, part._which, part._reader, part._frames = self.path, self._which, self._reader, frames
        return part

    def _info(self, name: str) -> FieldInfo:
        fields = self._reader.contents.fields
        if name not in fields:
            raise NameUnknownError(f"{self.path} has no field {name!r}; it has: {', '.join(fields) or 'none'}")
        return fields[name]

    @property
    def kind(self) -> str:
        """What the file holds: "states", "history" (a frame is an iteration) or "checkpoint"."""
        return self._reader.contents.kind

    @property
    def complete(self) -> bool:
        """False: the run was cut off, or still writes; the frames that are there can be read."""
        return self._reader.contents.complete

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self._reader.contents.dimension

    @property
    def is_mesh(self) -> bool:
        """The items are nodes and cells of a mesh, not particles."""
        return self._reader.contents.mesh

    @property
    def manifest(self) -> dict[str, str]:
        """What made the file: program, version, engine, command line ..."""
        return dict(self._reader.contents.manifest)

    @property
    def reader(self) -> str:
        """What reads the file: "h5py" or "command"."""
        return self._reader.name

    @property
    def times(self) -> numpy.ndarray:
        """[frames] s; of a history the numbers of the iterations."""
        return self._reader.contents.times[self._frames]

    @property
    def numbers(self) -> numpy.ndarray:
        """[frames] numbers of the frames in the file, from 0."""
        return self._frames.copy()

    @property
    def frames_of_file(self) -> int:
        """How many frames the file has; a slice has fewer."""
        return len(self._reader.contents.times)

    @property
    def time_name(self) -> str:
        """What `times` are: "time", in s, or "iteration"."""
        return "iteration" if self.kind == "history" else "time"

    @property
    def fields(self) -> dict[str, FieldInfo]:
        """What the file says of each field, by name: unit, where, components, when, meaning, of."""
        return dict(self._reader.contents.fields)

    def unit(self, name: str) -> str:
        """The SI unit of a field. Raises NameUnknownError."""
        return self._info(name).unit

    def field(self, name: str) -> Field:
        """A field over all frames, read where it is indexed. Raises NameUnknownError."""
        return Field(self, self._info(name))

    @property
    def points(self) -> numpy.ndarray:
        """[points][d] m: particles in the first frame, or nodes at rest. Raises IndexError where there is no frame."""
        return self[0].points

    @property
    def cells(self) -> Cells | None:
        """Cells of a mesh; None of particles."""
        return self._reader.cells()

    @property
    def objective(self) -> dict[str, numpy.ndarray]:
        """J as "value" and the terms of `piola/objective`: one number, of a history [iterations]. Needs h5py."""
        return self._reader.objective()

    @property
    def designs(self) -> dict[str, Design]:
        """Value and gradient of each designed quantity, by path; of a history [iterations][...]. Needs h5py."""
        return self._reader.designs()

    def __len__(self) -> int:
        """The number of frames."""
        return len(self._frames)

    def __getitem__(self, key: typing.Any) -> typing.Any:
        """A frame, from 0, or from the end if negative; of a slice States of these frames."""
        if isinstance(key, str):
            raise TypeError(f"a number of a frame or a slice is needed; states.field({key!r}) is a field over frames")
        if isinstance(key, slice):
            return self._part(self._frames[key])
        if not self._frames.size:
            raise IndexError(f"{self.path}: there is no frame")
        number = operator.index(key)
        if not -len(self) <= number < len(self):
            raise IndexError(f"frame {number} of {len(self)}, from 0 to {len(self) - 1} or -1 to {-len(self)}")
        return Frame(self, int(self._frames[number]))

    def to_xarray(self, fields: Sequence[str] | None = None) -> typing.Any:
        """An xarray.Dataset of some or all fields and of `positions`, in memory, with units as attributes.

        Dimensions are time (of a history iteration), point, cell, integration_point; axis of vectors, row and column
        of matrices. Raises ImportError without xarray, and NameUnknownError.
        """
        return states_show.to_xarray(self, fields)

    def to_pyvista(self, frame: int = -1, deformation: float = 1.0) -> typing.Any:
        """A pyvista.UnstructuredGrid of a frame, with its fields; 2D has z = 0. Raises ImportError without PyVista.

        A mesh is displaced by `deformation` times its field `displacement`; 0 is at rest.
        """
        return states_show.to_pyvista(self, frame, deformation)

    def plot(self, field: str | None = None, frame: int = -1, **options: typing.Any) -> typing.Any:
        """Show a frame with PyVista, coloured by a field: its magnitude, or an entry, as "velocity.x".

        `picture="p.png"` writes a picture instead, which needs no display. See `states_show.plot` for other options.
        Returns the pyvista.Plotter. Raises ImportError without PyVista, and NameUnknownError.
        """
        return states_show.plot(self, field, frame, **options)

    def picture(self, field: str | None = None, frame: int = -1, **options: typing.Any) -> states_show.Picture:
        """A picture of a frame, drawn by `piola render`, which Jupyter shows; needs no display and no PyVista.

        `field` is a name, or an entry of it, as "velocity.x". Options are those of the command: size="800x450",
        deformation=0, azimuth=60, surface="fluids". Raises the exception of the command's exit code, with its message.
        """
        return states_show.picture(self, field, frame, options)

    def film(self, path: str | os.PathLike[str], field: str | None = None, **options: typing.Any) -> pathlib.Path:
        """Write a film, PATH.png (animated PNG) or PATH.webm, with `piola film`; needs no display and no PyVista.

        It has all frames or, of `states[::n]`, every n-th. `field` is a name, or an entry of it, as "velocity.x".
        Options are those of the command: fps=30, size="640x360", hide_below="relative_density=0.5", paths=True.
        Returns the path. Raises the exception of the command's exit code, with its message.
        """
        return states_show.film(self, path, field, options)

    def close(self) -> None:
        """Close the file; what was read stays."""
        self._reader.close()

    def __enter__(self) -> "States":
        """The states themselves."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self.close()

    def __reduce__(self) -> tuple[typing.Any, ...]:
        """Path and frames; the file is opened again where it is unpickled."""
        return _again, (self.path, self._which, self._frames)

    def __repr__(self) -> str:
        """File, frames, times and the names of fields."""
        count = self._reader.contents.rows["points"]
        what = f"{count} points of a mesh" if self.is_mesh else f"{count} particles"
        return (f"States({str(self.path)!r}, {self.kind} in {self.dimension}D, {len(self)} frames, {what}: "
                f"{', '.join(self.fields)})")


def _again(path: pathlib.Path, which: str | None, frames: numpy.ndarray) -> States:
    return States(path, which)._part(frames)


def _find(folder: pathlib.Path) -> pathlib.Path:
    """The file of a run's folder: its states, else its history, else the newest that a run has not finished."""
    for name in "states.vtkhdf", "history.vtkhdf":
        if (folder / name).is_file():
            return folder / name
    cut_off = sorted(folder.glob("*.partial.vtkhdf"), key=lambda path: path.stat().st_mtime)
    if cut_off:
        return cut_off[-1]
    below = sorted(str(path.relative_to(folder)) for path in folder.glob("*/*.vtkhdf"))
    hint = f"; below it there are {', '.join(below[:4])}{' ...' if len(below) > 4 else ''}" if below else ""
    raise NoInputError(f"{folder}: this folder has no states.vtkhdf or history.vtkhdf{hint}")


def open(path: str | os.PathLike[str], *, reader: str | None = None) -> States:  # pylint: disable=redefined-builtin
    """Open states.vtkhdf, history.vtkhdf or another file of Piola's, or the folder of a run, which has one.

    Of a folder it is states.vtkhdf, else history.vtkhdf, else the newest file that was cut off. `reader` is "h5py",
    "command" (`piola info`, which compares checksums, and `piola export`), or None: h5py where it is installed.
    Raises NoInputError where there is no such file, BadSceneError where it is another kind of file, or damaged.
    """
    place = pathlib.Path(path)
    if place.is_dir():
        place = _find(place)
    if not place.exists():
        raise NoInputError(f"{place}: there is no such file")
    return States(place, reader)
