"""A problem as a function for JAX, with reverse-mode derivatives.

    simulate = piola.jax.function(problem, inputs=["E", "throw"])
    slope = jax.grad(lambda E, velocity: simulate(E, velocity)[0])(E, velocity)
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

try:
    import jax
    import jax.numpy as jnp
except ImportError as _error:
    raise ImportError("piola.jax needs JAX: install the package jax", name="jax") from _error

from ._function import Computation, Layout
from ._views import Array
from .errors import UsageError
from .problem import Problem

__all__ = ["function"]


def _called(host: Callable[..., Any], shapes: Sequence[tuple[int, ...]], *arguments: Any) -> Any:
    """Calls a function of NumPy arrays that returns arrays of these shapes, of the type of the first argument."""
    kind = arguments[0].dtype

    def rounded(*given: Any) -> Any:
        return tuple(np.asarray(r, dtype=kind) for r in host(*(np.asarray(a) for a in given)))

    return jax.pure_callback(rounded, tuple(jax.ShapeDtypeStruct(s, kind) for s in shapes), *arguments,
                             vmap_method="sequential")


def _core(computation: Computation, variables: int, samples: int) -> Any:
    """The function of all values of the design that returns J and the values of all observations."""

    def value(x: Any) -> tuple[Any, ...]:
        return computation.forward(x, False)[:2]

    def value_ahead(x: Any) -> tuple[Any, ...]:
        J, y, gradient = computation.forward(x, True)
        return J, y, np.full(variables, np.nan) if gradient is None else gradient

    def pull(x: Any, gradient: Any, J_bar: Any, y_bar: Any) -> tuple[Array]:
        kept = gradient if np.isfinite(gradient).all() else None
        return (computation.backward(x, float(J_bar), y_bar, kept, gradient.dtype),)

    def simulate(x: Any) -> tuple[Any, Any]:
        J, y = _called(value, ((), (samples,)), x)
        return J, y

    def forward(x: Any) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        J, y, gradient = _called(value_ahead, ((), (samples,), (variables,)), x)
        return (J, y), (x, gradient)

    def backward(kept: tuple[Any, Any], bar: tuple[Any, Any]) -> tuple[Any]:
        (slope,) = _called(pull, ((variables,),), *kept, *bar)
        return (slope,)

    evaluate: Any = jax.custom_vjp(simulate)
    evaluate.defvjp(forward, backward)
    return evaluate


def function(problem: Problem, inputs: Sequence[str] | None = None) -> Callable[..., tuple[Any, dict[str, Any]]]:
    """A problem as a function of arrays, which `jax.grad` differentiates, and which works under `jit` and `vmap`.

    Args:
        problem: the problem.
        inputs: names of what is an input: entries of the scene's design, or paths such as "materials.soft.E"; the rest
            of the design keeps its start. None: one input, all values of the design, (variables,).

    Returns:
        A function f: `J, observations = f(*arrays)`, with arguments in order or by name, in SI units, in the shape
        (groups, components) of `problem.designs[name]` without lengths of 1; an entry of several quantities has the
        variables of one after the other. J has shape (), or is None if the scene has no objective; observations are a
        dict of arrays (samples, components), SI.

    Values are of float64 where `jax_enable_x64` is set, otherwise rounded to float32. `vmap` computes one member after
    the other. Costs are those of piola.torch; there are no second and no forward-mode derivatives. NameUnknownError,
    and UsageError if two inputs have the same variables, or the scene has none.
    """
    layout, computation = Layout(problem, inputs), Computation(problem)
    total = layout.outputs[-1].samples.stop if layout.outputs else 0
    evaluate = _core(computation, len(problem.variables), total)

    def simulate(*given: Any, **named: Any) -> tuple[Any, dict[str, Any]]:
        arrays = [jnp.asarray(a) for a in layout.arranged(given, named)]
        kind = jax.dtypes.canonicalize_dtype(np.float64)
        for i, array in enumerate(arrays):
            if not jnp.issubdtype(array.dtype, jnp.floating):
                raise UsageError(f"input '{layout.inputs[i].name}' must be an array of floating-point numbers, "
                                 f"not of {array.dtype}")
            layout.check_shape(i, array.shape)
        flat = [a.astype(kind).reshape(-1) for a in arrays]
        x = jnp.concatenate([flat[p] if isinstance(p, int) else jnp.asarray(layout.start[p], dtype=kind)
                             for p in layout.pieces])
        J, y = evaluate(x)
        values = {o.name: y[o.samples].reshape(o.shape) for o in layout.outputs}
        return J if computation.has_objective else None, values

    return simulate
