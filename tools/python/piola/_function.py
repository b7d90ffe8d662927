"""What piola.torch and piola.jax share: how inputs make the values of the design, and what these cost."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from ._readers import places_of
from ._views import Array, unknown
from .errors import UsageError
from .problem import Problem

Item = TypeVar("Item")


@dataclass(frozen=True)
class Input:
    """An input of a function.

    Attributes:
        name: of an entry of the design or of a quantity; "x": all design variables.
        variables: slice of its variables among all.
        shape: of its tensor.
    """

    name: str
    variables: slice
    shape: tuple[int, ...]


def _input_of(problem: Problem, name: str) -> Input:
    """The input of this name. Raises NameUnknownError."""
    found = [d for d in problem.designs if name == d.path] or [d for d in problem.designs if name == d.name]
    own = [d for d in found if not d.tied] or found[:1]
    if not own:
        raise unknown("target of the design", name, sorted({n for d in problem.designs for n in (d.path, d.name)}))
    variables = slice(own[0].variables.start, own[-1].variables.stop)
    shape: tuple[int, ...] = tuple(n for n in own[0].shape if n != 1)
    if len(own) > 1:
        shape = (variables.stop - variables.start,)
    return Input(name, variables, shape)


def _inputs_of(problem: Problem, names: Sequence[str] | None) -> tuple[Input, ...]:
    """The inputs of these names. Raises UsageError or NameUnknownError."""
    total = len(problem.variables)
    if total == 0:
        raise UsageError("the scene has no design variables, of which this would be a function")
    if names is None:
        return (Input("x", slice(0, total), (total,)),)
    if isinstance(names, str) or not names:
        raise UsageError(f"inputs must be a list of names of the design, not {names!r}")
    found = tuple(_input_of(problem, name) for name in names)
    in_order = sorted(found, key=lambda i: i.variables.start)
    for a, b in zip(in_order, in_order[1:]):
        if a.variables.stop > b.variables.start:
            raise UsageError(f"the inputs '{a.name}' and '{b.name}' have the same variables: name one of them")
    return found


def _squeezed(shape: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(n) for n in shape if n != 1)


class Layout:
    """The inputs and outputs of a function.

    Attributes:
        inputs: its inputs.
        outputs: one for each observation.
        start: (variables,) values of what is no input.
        pieces: what x is made of, in order: the number of an input, or a slice of `start`.
    """

    def __init__(self, problem: Problem, names: Sequence[str] | None):
        self.inputs = _inputs_of(problem, names)
        self.outputs = problem._do(places_of)
        self.start: Array = problem.variables.start
        self.pieces: list[int | slice] = []
        at = 0
        for i in sorted(range(len(self.inputs)), key=lambda k: self.inputs[k].variables.start):
            own = self.inputs[i].variables
            if own.start > at:
                self.pieces.append(slice(at, own.start))
            self.pieces.append(i)
            at = own.stop
        if at < len(self.start):
            self.pieces.append(slice(at, len(self.start)))

    def arranged(self, given: Sequence[Item], named: Mapping[str, Item]) -> list[Item]:
        """Arguments in the order of the inputs. Raises UsageError if some are missing, too many, or unknown."""
        names = [i.name for i in self.inputs]
        for name in named:
            if name not in names[len(given):]:
                what = "is given twice" if name in names else "is no input"
                raise UsageError(f"'{name}' {what}; the inputs are {', '.join(names)}")
        if len(given) + len(named) != len(names):
            raise UsageError(f"{len(given) + len(named)} inputs are given; the function has {len(names)}: "
                             f"{', '.join(names)}")
        return [*given, *(named[name] for name in names[len(given):])]

    def check_shape(self, i: int, shape: Sequence[int]) -> None:
        """Raises UsageError unless an array of this shape has the values of input i; lengths of 1 do not matter."""
        own = self.inputs[i]
        if _squeezed(shape) != _squeezed(own.shape):
            raise UsageError(f"input '{own.name}' has shape {tuple(shape)}; it must have {own.shape}")


class Computation:
    """Values and pullbacks of a problem, for the forward and the backward part of a function.

    The forward part simulates once. It goes on with an adjoint sweep, for dJ/dx, if the last backward part needed
    nothing else; such a backward part only multiplies then. Otherwise that simulates again, with one adjoint sweep.
    Either way has the same bits.
    """

    def __init__(self, problem: Problem):
        self.problem = problem
        self.has_objective = problem.has_objective
        self._may = self.has_objective and problem.constraint_count == 0  # each constraint would take a sweep, too
        self._ahead = self._may

    def forward(self, x: Any, differentiated: bool) -> tuple[float, Array, Array | None]:
        """J (0 if the scene has no objective), the values of all observations, and dJ/dx if it is computed now.

        Args:
            x: (variables,) values of the design, SI.
            differentiated: whether a backward part can follow.
        """
        with_gradient = differentiated and self._ahead
        found = self.problem.evaluation(x, gradient=with_gradient)
        return 0.0 if found.J is None else found.J, found.samples, found.gradient if with_gradient else None

    def backward(self, x: Any, J_bar: float, samples_bar: Any, gradient: Array | None,
                 digits: Any = np.float64) -> Array:
        """df/dx (variables,) of a function f of J and of the observations.

        Args:
            x: (variables,) values of the design, SI.
            J_bar: df/dJ.
            samples_bar: (samples,) df/dy of the values of all observations; None: 0.
            gradient: dJ/dx, if forward() returned it.
            digits: type to which dJ/dx is rounded before df/dJ multiplies it.
        """
        of_samples = samples_bar is not None and bool(np.any(samples_bar))
        if of_samples:
            self._ahead = False
            return self.problem.pullback(x, J_bar, samples_bar)
        if J_bar == 0:
            return np.zeros(len(self.problem.variables))
        self._ahead = self._may
        if gradient is None:
            gradient = self.problem.pullback(x, 1.0)
        made: Array = J_bar * np.asarray(gradient).astype(digits).astype(np.float64)
        return made
