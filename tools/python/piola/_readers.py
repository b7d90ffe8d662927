"""Mappings that read a problem when an item is requested, and what they read."""
from __future__ import annotations

import ctypes
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _abi
from ._options import encoded
from ._views import Array, Constraint, FieldInfo, Observation, unknown
from .errors import UsageError

if TYPE_CHECKING:
    from .problem import Problem, _Handle

_DOUBLES = ctypes.POINTER(ctypes.c_double)


def text_of(data: bytes) -> str:
    """A string of the library; what is no UTF-8, as names of files may be, is escaped as Python does for files."""
    return data.decode("utf-8", errors="surrogateescape")


def pointer(array: Array | None) -> Any:
    """The address of an array, which must live longer; None for NULL."""
    return None if array is None else array.ctypes.data_as(_DOUBLES)


@dataclass(frozen=True)
class Place:
    """Where the values of an observation are among the samples.

    Attributes:
        name: of the observation.
        samples: slice of its values among all.
        shape: (samples, components) of its values.
    """

    name: str
    samples: slice
    shape: tuple[int, int]


def places_of(h: _Handle) -> tuple[Place, ...]:
    """The place of each observation, in the order of the scene."""
    info, found, at = _abi.piola_observation_info(), [], 0
    for i in range(h.get("piola_observations")):
        h.call("piola_observation", i, ctypes.byref(info))
        shape = (int(info.samples), int(info.components))
        found.append(Place(text_of(info.name), slice(at, at + shape[0] * shape[1]), shape))
        at = found[-1].samples.stop
    return tuple(found)


def samples_of(h: _Handle) -> Array:
    """(samples,) the values of all observations of the last evaluation, SI."""
    values = np.empty(h.get("piola_samples"))
    for i, place in enumerate(places_of(h)):
        own = values[place.samples]
        h.call("piola_read_observation", i, None, 0, pointer(own), own.size)
    return values


def observation_of(h: _Handle, i: int) -> Observation:
    """Observation i of the last evaluation."""
    info = _abi.piola_observation_info()
    h.call("piola_observation", i, ctypes.byref(info))
    times, values = np.empty(info.samples), np.empty((info.samples, info.components))
    h.call("piola_read_observation", i, pointer(times), times.size, pointer(values), values.size)
    return Observation(text_of(info.name), text_of(info.unit), times, values)


def constraints_of(h: _Handle, gradients: bool | None) -> list[Constraint]:
    """The constraints of the last evaluation; None: with gradients if it had some."""
    found, name, c = [], ctypes.create_string_buffer(512), ctypes.c_double()
    for i in range(h.get("piola_constraints")):
        h.call("piola_constraint", i, name, len(name), ctypes.byref(c))
        slope: Array | None = None
        if gradients is not False:
            slope = np.empty(h.get("piola_variables"))
            try:
                h.call("piola_constraint_gradient", i, pointer(slope), slope.size)
            except UsageError:  # the last evaluation had no gradients
                if gradients:
                    raise
                slope = None
        found.append(Constraint(text_of(name.value), c.value, slope))
    return found


class Observations(Mapping[str, Observation]):
    """The observations of a problem by name, each read from the last evaluation when it is requested."""

    def __init__(self, problem: Problem):
        self._problem = problem
        self._names = [place.name for place in problem._do(places_of)]

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __getitem__(self, name: str) -> Observation:
        if name not in self._names:
            raise unknown("observation", name, self._names)
        i = self._names.index(name)
        return self._problem._do(lambda h: observation_of(h, i))

    def __repr__(self) -> str:
        return f"<piola: observations {', '.join(self._names)}>"


class Fields(Mapping[str, Array]):
    """The fields of a problem by name, each read when it is requested."""

    def __init__(self, problem: Problem):
        self._problem = problem

    def describe(self) -> list[FieldInfo]:
        """Name, unit and shape of each field."""

        def read(h: _Handle) -> list[FieldInfo]:
            info, found = _abi.piola_field_info(), []
            for i in range(h.get("piola_fields")):
                h.call("piola_field", i, ctypes.byref(info))
                found.append(FieldInfo(text_of(info.name), text_of(info.unit), info.items, info.components))
            return found

        return self._problem._do(read)

    def _names(self) -> list[str]:
        return [info.name for info in self.describe()]

    def __len__(self) -> int:
        return len(self._names())

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or "\0" in name:
            return False
        key = encoded("the name of a field", name)
        return bool(self._problem._do(lambda h: h.get("piola_components", key)))

    def __getitem__(self, name: str) -> Array:
        key = encoded("the name of a field", name)

        def read(h: _Handle) -> Array | None:
            items, components = h.get("piola_items", key), h.get("piola_components", key)
            if not components:
                return None
            values = np.empty((items, components))
            h.call("piola_read", key, pointer(values), values.size)
            return values[:, 0] if components == 1 else values

        found = self._problem._do(read)
        if found is None:
            raise unknown("field", name, self._names())
        return found

    def __repr__(self) -> str:
        return f"<piola: fields {', '.join(self._names())}>"
