"""Arguments of scipy.optimize.minimize and least_squares for a problem.

    found = scipy.optimize.minimize(**piola.scipy.minimize_args(problem))
    x = piola.scipy.values(problem, found.x)

Both work with scaled variables, which are about 1: methods of SciPy compare steps in all variables with one number.
"""
from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ._views import Array, Evaluation
from .errors import UsageError
from .problem import Problem

__all__ = ["least_squares_args", "minimize_args", "scaled", "values"]


class _Scale:
    """The map of scaled variables t to values x: x = base + size t, or x = base exp(t) where the scene's design has
    `transform: log`; t is 0 at the start. size is the width of the bounds where both are finite, otherwise |start|,
    or 1 where that is 0."""

    def __init__(self, problem: Problem):
        v = problem.variables
        bounded = np.isfinite(v.lower) & np.isfinite(v.upper) & (v.upper > v.lower)
        with np.errstate(invalid="ignore"):
            width = np.where(bounded, v.upper - v.lower, np.abs(v.start))
        self.logarithmic = v.logarithmic
        self.base = v.start
        self.size: Array = np.where(width > 0, width, 1.0)

    def values(self, t: Array) -> Array:
        x = self.base + self.size * t
        x[self.logarithmic] = self.base[self.logarithmic] * np.exp(t[self.logarithmic])
        return x

    def slope(self, x: Array) -> Array:
        """(variables,) dx/dt."""
        return np.where(self.logarithmic, x, self.size)

    def scaled(self, x: Array) -> Array:
        t = (x - self.base) / self.size
        with np.errstate(divide="ignore"):
            t[self.logarithmic] = np.log(np.maximum(x[self.logarithmic], 0) / self.base[self.logarithmic])
        return t


def values(problem: Problem, t: Any) -> Array:
    """Values x (variables,) of the design in SI units, of scaled variables t (variables,), such as `x` of a result of
    SciPy."""
    return _Scale(problem).values(np.asarray(t, dtype=np.float64))


def scaled(problem: Problem, x: Any) -> Array:
    """Scaled variables (variables,) of values x (variables,) of the design in SI units."""
    return _Scale(problem).scaled(np.array(x, dtype=np.float64))


def _bounds(problem: Problem, scale: _Scale) -> tuple[Array, Array]:
    """The bounds of the scaled variables; a logarithmic one may not be 0, so that its bound is -inf then."""
    v = problem.variables
    return scale.scaled(np.array(v.lower)), scale.scaled(np.array(v.upper))


class _Memory:
    """The last evaluation: SciPy requests the objective and the constraints of one point one after the other. Each is
    computed once, and each thread receives what belongs to its point."""

    def __init__(self, problem: Problem, scale: _Scale):
        self.problem, self.scale = problem, scale
        self._lock = threading.Lock()
        self._last: tuple[bytes, Evaluation] | None = None

    def at(self, t: Any) -> tuple[Evaluation, Array]:
        """The evaluation at scaled variables, and dx/dt there."""
        x = self.scale.values(np.asarray(t, dtype=np.float64))
        key = x.tobytes()
        with self._lock:
            last = self._last
        if last is None or last[0] != key:
            last = key, self.problem.evaluation(x)
            with self._lock:
                self._last = last
        return last[1], self.scale.slope(x)

    def objective(self, t: Any) -> tuple[float, Array]:
        """J, and dJ/dt (variables,)."""
        found, slope = self.at(t)
        assert found.J is not None and found.gradient is not None
        return found.J, found.gradient * slope

    def room(self, t: Any) -> Array:
        """(constraints,) -c, which SciPy keeps at 0 or above."""
        return -self.at(t)[0].constraints

    def room_slope(self, t: Any) -> Array:
        """(constraints, variables) -dc/dt."""
        found, slope = self.at(t)
        assert found.constraint_gradients is not None
        return -found.constraint_gradients * slope


def minimize_args(problem: Problem) -> dict[str, Any]:
    """Arguments of scipy.optimize.minimize for the objective of a problem: fun with its gradient, x0, bounds, and the
    constraints of the scene, if it has some, as dicts of inequalities (for SLSQP, COBYQA or trust-constr).

    Variables are scaled: values() returns those of the design. Raises UsageError if the scene has no objective, or no
    design variables.
    """
    scale = _scale_of(problem)
    if not problem.has_objective:
        raise UsageError("the scene has no objective to minimise")
    memory = _Memory(problem, scale)
    lower, upper = _bounds(problem, scale)
    made: dict[str, Any] = {"fun": memory.objective, "x0": np.zeros(len(problem.variables)), "jac": True,
                            "bounds": list(zip(lower.tolist(), upper.tolist()))}
    if problem.constraint_count:
        made["constraints"] = [{"type": "ineq", "fun": memory.room, "jac": memory.room_slope}]
    return made


def least_squares_args(problem: Problem, targets: Any, sigma: Any = 1.0) -> dict[str, Any]:
    """Arguments of scipy.optimize.least_squares for residuals (y - target)/sigma of all values y of the observations.

    Args:
        problem: the problem; its objective is not used.
        targets: (samples,) what the observations should be, as Problem.samples has them; a scalar is that of each. NaN
            leaves a value out.
        sigma: (samples,), or one number: by which the differences are divided, in the units of the observations.

    Variables are scaled: values() returns those of the design. Raises UsageError for another number of targets.
    """
    scale = _scale_of(problem)
    count = problem.sample_count
    try:
        wanted = np.broadcast_to(np.asarray(targets, dtype=np.float64), (count,))
        error = np.broadcast_to(np.asarray(sigma, dtype=np.float64), (count,))
    except ValueError:
        raise UsageError(f"targets have shape {np.shape(targets)} and sigma {np.shape(sigma)}; the observations have "
                         f"{count} values") from None
    used = np.isfinite(wanted)

    def residuals(t: Any) -> Array:
        y = problem.evaluation(scale.values(np.asarray(t, dtype=np.float64)), gradient=False).samples
        made: Array = ((y - wanted) / error)[used]
        return made

    def jacobian(t: Any) -> Array:
        x = scale.values(np.asarray(t, dtype=np.float64))
        made: Array = (problem.jacobian(x) * scale.slope(x) / error[:, None])[used]
        return made

    return {"fun": residuals, "x0": np.zeros(len(problem.variables)), "jac": jacobian,
            "bounds": _bounds(problem, scale)}


def _scale_of(problem: Problem) -> _Scale:
    if not len(problem.variables):
        raise UsageError("the scene has no design variables")
    return _Scale(problem)
