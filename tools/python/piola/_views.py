"""What a problem consists of, and what an evaluation returns."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from .errors import NameUnknownError, UsageError

if TYPE_CHECKING:
    from .problem import Problem

Array = npt.NDArray[np.float64]
Item = TypeVar("Item")


def unknown(what: str, name: object, names: Sequence[str]) -> NameUnknownError:
    """The error that there is nothing of a name, with the names that there are."""
    listed = ", ".join(names[:40]) + (f", ... ({len(names)} of them)" if len(names) > 40 else "")
    return NameUnknownError(f"there is no {what} '{name}'; " + (f"there are: {listed}" if names else "there is none"))


def fixed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array, which cannot be written to any more."""
    array.flags.writeable = False
    return array


@dataclass(frozen=True)
class Variable:
    """A design variable.

    Attributes:
        name: such as "bodies.ball.velocity.x".
        unit: SI unit of its values, "" if they have none.
        start, lower, upper: starting value and bounds in that unit; an infinite bound: there is none.
        logarithmic: the scene says `transform: log`: its values must be above 0.
    """

    name: str
    unit: str
    start: float
    lower: float
    upper: float
    logarithmic: bool


class Variables(Sequence[Variable]):
    """The design variables of a problem, by number or by name.

    Attributes:
        names: [variables] their names.
        units: [variables] SI units of their values.
        start: (variables,) starting values, SI.
        lower, upper: (variables,) bounds, SI; infinite: there is none.
        logarithmic: (variables,) whether values must be above 0 (`transform: log`).
    """

    def __init__(self, names: Sequence[str], units: Sequence[str], arrays: dict[str, npt.NDArray[Any]]):
        self.names = tuple(names)
        self.units = tuple(units)
        self.start: Array = fixed(arrays["start"])
        self.lower: Array = fixed(arrays["lower"])
        self.upper: Array = fixed(arrays["upper"])
        self.logarithmic: npt.NDArray[np.bool_] = fixed(arrays["logarithmic"])

    def __len__(self) -> int:
        return len(self.names)

    def index_of(self, name: str) -> int:
        """The number of the variable of this name. Raises NameUnknownError."""
        if name not in self.names:
            raise unknown("design variable", name, self.names)
        return self.names.index(name)

    @overload
    def __getitem__(self, i: int | str) -> Variable: ...
    @overload
    def __getitem__(self, i: slice) -> list[Variable]: ...

    def __getitem__(self, i: int | str | slice) -> Variable | list[Variable]:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        k = self.index_of(i) if isinstance(i, str) else range(len(self))[i]
        return Variable(self.names[k], self.units[k], float(self.start[k]), float(self.lower[k]),
                        float(self.upper[k]), bool(self.logarithmic[k]))

    def __repr__(self) -> str:
        return f"<piola.Variables: {len(self)}: {', '.join(self.names[:6])}{', ...' if len(self) > 6 else ''}>"


@dataclass(frozen=True)
class Design:
    """A target of the scene's design: a quantity that the design changes.

    Attributes:
        name: of its entry in the scene's `design`.
        path: of the quantity: "materials.soft.E".
        unit: SI unit of the values, "" if they have none.
        per: what has values of its own: "target", "element", "node", ...
        variables: slice of its variables among all; x[variables].reshape(shape) has its values.
        shape: (groups, components) of its values.
        filtered: its variables are those before a filter.
        logarithmic: values must be above 0, and `transform` is log.
        tied: its variables are those of the first target of its entry.
    """

    name: str
    path: str
    unit: str
    per: str
    variables: slice
    shape: tuple[int, int]
    filtered: bool
    logarithmic: bool
    tied: bool


@dataclass(frozen=True)
class Observation:
    """Values of an observation in the last evaluation.

    Attributes:
        name: in the scene's `observe`.
        unit: SI unit of the values, "" if they have none.
        times: (samples,) in s, the middle of a window.
        values: (samples, components) in that unit.
    """

    name: str
    unit: str
    times: Array
    values: Array


@dataclass(frozen=True)
class Constraint:
    """A constraint c <= 0 in the last evaluation.

    Attributes:
        name: of the constraint.
        value: c, relative to the bound.
        gradient: (variables,) dc/dx, 1 per unit of the variable; None after an evaluation without gradients.
    """

    name: str
    value: float
    gradient: Array | None


@dataclass(frozen=True)
class FieldInfo:
    """A field of a problem.

    Attributes:
        name: such as "velocity" or "grad_E".
        unit: SI unit, "" if the library does not state one.
        items, components: shape of its values.
    """

    name: str
    unit: str
    items: int
    components: int


@dataclass(frozen=True)
class Evaluation:
    """All that one evaluation returns.

    Attributes:
        J: objective; None if the scene has none.
        gradient: (variables,) dJ/dx, J's unit per that of the variable; None if it was not requested.
        samples: (samples,) values of all observations, [observation][sample][component], SI.
        constraints: (constraints,) values c, of which c <= 0 is required.
        constraint_gradients: (constraints, variables) dc/dx; None if gradients were not requested.
    """

    J: float | None
    gradient: Array | None
    samples: Array
    constraints: Array
    constraint_gradients: Array | None


class Named(Sequence[Item], Generic[Item]):
    """Items with names, in the order of the scene: by number, or by name."""

    def __init__(self, what: str, items: Sequence[Item], keys: Sequence[Sequence[str]]):
        self._what, self._items, self._keys = what, tuple(items), keys

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the items."""
        return tuple(key[0] for key in self._keys)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self._items)

    def __contains__(self, item: object) -> bool:
        return item in self._items or any(item in key for key in self._keys)

    @overload
    def __getitem__(self, i: int | str) -> Item: ...
    @overload
    def __getitem__(self, i: slice) -> Sequence[Item]: ...

    def __getitem__(self, i: int | str | slice) -> Item | Sequence[Item]:
        if not isinstance(i, str):
            return self._items[i]
        for item, key in zip(self._items, self._keys):
            if i in key:
                return item
        raise unknown(self._what, i, sorted({name for key in self._keys for name in key}))

    def __repr__(self) -> str:
        return f"<piola: {len(self)} x {self._what}: {', '.join(self.names[:6])}{', ...' if len(self) > 6 else ''}>"


class State:
    """A state in a run of single steps, while the problem is there.

    Attributes:
        step: number of the state, from 0.
        time: its time in s.
    """

    def __init__(self, problem: Problem, serial: int, step: int, time: float):
        self._problem, self._serial = problem, serial
        self.step, self.time = step, time

    def field(self, name: str) -> Array:
        """A field of this state, as Problem.field(). Raises UsageError when the problem has gone on."""
        problem = self._problem

        def read(_: object) -> Array:  # in the problem's thread, where no other call comes between
            if problem._serial != self._serial:
                raise UsageError(f"the problem has gone on from state {self.step}: read fields before the next state")
            return problem.field(name)

        return problem._do(read)

    def __repr__(self) -> str:
        return f"<piola.State {self.step}, {self.time:g} s>"
