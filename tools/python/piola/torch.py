"""A problem as a function for PyTorch, with derivatives by its autograd.

    simulate = piola.torch.function(problem, inputs=["E", "throw"])
    J, observations = simulate(E, velocity)
    J.backward()
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

try:
    import torch
except ImportError as _error:
    raise ImportError("piola.torch needs PyTorch: install the package torch (Debian: python3-torch)",
                      name="torch") from _error

from ._function import Computation, Layout
from ._views import Array
from .errors import UsageError
from .problem import Problem

__all__ = ["Function", "function"]


class _Evaluate(torch.autograd.Function):
    """J and the values of all observations as a function of all values of the design, in float64 on the CPU."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, computation: Computation, differentiated: bool) -> Any:
        J, samples, gradient = computation.forward(x.detach().numpy(), differentiated)
        ctx.save_for_backward(x)
        ctx.computation, ctx.gradient = computation, gradient
        ctx.set_materialize_grads(False)
        return torch.tensor(J, dtype=torch.float64), torch.from_numpy(samples)

    @staticmethod
    def backward(ctx: Any, J_bar: torch.Tensor | None, samples_bar: torch.Tensor | None) -> Any:
        (x,) = ctx.saved_tensors
        return _Pull.apply(x, J_bar, samples_bar, ctx.computation, ctx.gradient), None, None


class _Pull(torch.autograd.Function):
    """The backward part of _Evaluate. It is a function of its own so that a derivative of it is an error: what is
    marked with once_differentiable counts as constant where the cotangents are."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, J_bar: torch.Tensor | None, samples_bar: torch.Tensor | None,
                computation: Computation, gradient: Array | None) -> torch.Tensor:
        bar = None if samples_bar is None else samples_bar.detach().numpy()
        J_slope = 0.0 if J_bar is None else float(J_bar.detach())
        return torch.from_numpy(computation.backward(x.detach().numpy(), J_slope, bar, gradient))

    @staticmethod
    def backward(ctx: Any, *bars: torch.Tensor) -> Any:
        raise UsageError("piola.torch has first derivatives alone: a derivative of its gradient cannot be computed; "
                         "detach() the gradient where it counts as constant")


class Function(torch.nn.Module):
    """A problem as a function of tensors; function() makes it. It is a module without parameters, so that it can be a
    part of others; copies and pickles of it open the problem again.

    Attributes:
        problem: the problem.
        inputs: names of the inputs, in order.
        shapes: shape of each input.
    """

    def __init__(self, problem: Problem, inputs: Sequence[str] | None = None):
        super().__init__()
        self.problem = problem
        self._names = None if inputs is None else inputs if isinstance(inputs, str) else tuple(inputs)
        self._build()

    def _build(self) -> None:
        self._layout, self._computation = Layout(self.problem, self._names), Computation(self.problem)
        self.inputs = tuple(i.name for i in self._layout.inputs)
        self.shapes = tuple(i.shape for i in self._layout.inputs)

    def _values(self, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
        """All values of the design, (variables,), float64, on the CPU."""
        for i, tensor in enumerate(tensors):
            if not isinstance(tensor, torch.Tensor) or not tensor.is_floating_point():
                kind = tensor.dtype if isinstance(tensor, torch.Tensor) else type(tensor).__name__
                raise UsageError(f"input '{self.inputs[i]}' must be a tensor of floating-point numbers, not {kind}")
            self._layout.check_shape(i, tensor.shape)
        flat = [t.to("cpu", torch.float64).reshape(-1) for t in tensors]
        start = torch.from_numpy(self._layout.start.copy())
        return torch.cat([flat[p] if isinstance(p, int) else start[p] for p in self._layout.pieces])

    def forward(self, *inputs: torch.Tensor, **named: torch.Tensor) -> tuple[Any, dict[str, torch.Tensor]]:
        """Simulates.

        Args:
            inputs: one tensor for each name of `inputs`, in SI units, in order or by name; lengths of 1 in its shape
                do not matter. Tensors may be of any floating-point type, strided, and on any device.

        Returns:
            The objective J, a tensor of shape (), or None if the scene has none; and a dict of the observations,
            tensors of shape (samples, components), SI. They have the widest type of the inputs, on the device of the
            first one.

        UsageError for other numbers or shapes of inputs; the exceptions of Problem.evaluation().
        """
        tensors = self._layout.arranged(inputs, named)
        x = self._values(tensors)
        kind = tensors[0].dtype
        for tensor in tensors:
            kind = torch.promote_types(kind, tensor.dtype)
        J, samples = _Evaluate.apply(x, self._computation, torch.is_grad_enabled() and x.requires_grad)
        J, samples = J.to(tensors[0].device, kind), samples.to(tensors[0].device, kind)
        values = {o.name: samples[o.samples].reshape(o.shape) for o in self._layout.outputs}
        return J if self._computation.has_objective else None, values

    def extra_repr(self) -> str:
        """What PyTorch prints of it."""
        return f"{self.problem!r}, inputs={list(self.inputs)}"


def function(problem: Problem, inputs: Sequence[str] | None = None) -> Function:
    """A problem as a function of tensors, which autograd differentiates.

    Args:
        problem: the problem.
        inputs: names of what is an input: entries of the scene's design, or paths such as "materials.soft.E"; the rest
            of the design keeps its start. None: one input, all values of the design, (variables,).

    Returns:
        A Function f: `J, observations = f(*tensors)`. The input of a quantity has the shape (groups, components) of
        `problem.designs[name]` without lengths of 1; an entry of several quantities has the variables of one after the
        other, (variables,).

    Without derivatives a call simulates once. With them, the backward part takes one adjoint sweep, and simulates again
    unless J alone was used: see docs/python_functions.md. Second derivatives raise UsageError. NameUnknownError, and
    UsageError if two inputs have the same variables, or the scene has none.
    """
    return Function(problem, inputs)
