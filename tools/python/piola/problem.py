"""A scene as a function of its design: its objective, observations and constraints, and their derivatives."""
from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Callable, TypeVar

import numpy as np
import numpy.typing as npt

from . import _abi, _worker
from ._library import library
from ._options import fill, numbers, overrides, whole
from ._readers import (Fields, Observations, constraints_of, observation_of, places_of, pointer, samples_of, text_of)
from ._views import (Array, Constraint, Design, Evaluation, Named, Observation, State, Variables, unknown)
from .dlpack import Tensor
from .errors import UsageError, exception_of, failure_of
from .scene import Scene

Result = TypeVar("Result")
Values = npt.ArrayLike
_count = iter(range(1, 1 << 62))
_MOST = 2 ** (8 * ctypes.sizeof(ctypes.c_size_t)) - 1  # more steps than a scene has


def raise_for(status: int, error: Any) -> None:
    """Raises the exception of a call that failed."""
    if status:
        raise exception_of(status, text_of(error.message), failure_of(error.failure))


class _Handle:
    """The pointer to a problem of the library; used in the problem's thread alone, but for `interrupt`."""

    def __init__(self) -> None:
        self.library = library()
        self.pointer = ctypes.c_void_p()

    def open(self, options: Mapping[str, Any]) -> None:
        struct, error = self.library.piola_options_default(), _abi.piola_error()
        kept = fill(struct, options)
        raise_for(self.library.piola_open(ctypes.byref(self.pointer), ctypes.byref(struct), ctypes.byref(error)), error)
        del kept  # the strings of the options, until here

    def call(self, name: str, *arguments: Any) -> None:
        error = _abi.piola_error()
        raise_for(getattr(self.library, name)(self.pointer, *arguments, ctypes.byref(error)), error)

    def get(self, name: str, *arguments: Any) -> Any:
        return getattr(self.library, name)(self.pointer, *arguments)

    def interrupt(self) -> None:
        if self.pointer:
            self.library.piola_interrupt(self.pointer)

    def close(self) -> None:
        self.library.piola_close(self.pointer)
        self.pointer = ctypes.c_void_p()


def _scene_options(scene: str | os.PathLike[str] | Mapping[str, Any], text: str | None) -> dict[str, Any]:
    """The options `scene` and `text` of a path, a dict or a text."""
    if isinstance(scene, Mapping):
        made = scene if isinstance(scene, Scene) else Scene(scene)
        if text is not None:
            raise UsageError("text is of a scene that is a file's name, not of a dict")
        return {"scene": made.file, "text": made.text()}
    name = os.fspath(scene)
    if isinstance(name, str) and "\n" in name and text is None:
        return {"scene": "scene.yaml", "text": name}
    return {"scene": name, "text": text}


def _reopen(kind: type[Problem], options: dict[str, Any]) -> Problem:
    """A problem of this class, of what another one was opened with; its __init__ is not called."""
    problem = kind.__new__(kind)
    problem._open(options)
    return problem


class Problem:
    """A scene on a device: a function of its design variables, with derivatives.

    Args:
        scene: name of a scene file; a `Scene` or a dict; or the text of a scene (a string of several lines).
        set: overrides of keys of the scene, such as {"time.dt": "0.1 ms", "materials.soft.E": 2e4}; numbers are in SI
            units.
        device: where to compute: "auto" takes a GPU if there is one; "cpu", "cuda".
        precision: digits of the computation: "f32", "f64"; None: the scene's.
        threads: CPU threads, 1 to 4096, which do not change results; 0: as many as OpenMP offers. All problems
            compute with the number of the last one opened.
        memory: greatest bytes of a simulation with its states; 0: the scene's budget, or what there is.
        text: the scene itself, of which `scene` is the name in messages, in a folder where relative paths begin.
        options: further members of piola_options in piola.h: isa, allow (a list of paths), log_json, max_walltime,
            and directory, a folder for states that are kept on disk. Those of commands alone, such as resume or json,
            raise UsageError.

    Values of the design are in SI units, in arrays of float64. Any thread may call any method; calls of one problem
    follow one another, those of several run at the same time. Ctrl-C ends a call, which raises KeyboardInterrupt; the
    problem then gives the bits that it would have given otherwise. A problem is pickled by its class, its scene and its
    options, and opened again where it is unpickled; attributes of a subclass are not there, unless it has a __reduce__.

    Raises the exceptions of `piola.errors`; BadSceneError has file, line and column.
    """

    def __init__(self, scene: str | os.PathLike[str] | Mapping[str, Any], *, set: Mapping[str, Any] | None = None,
                 device: str = "auto", precision: str | None = None, threads: int = 0, memory: float = 0,
                 text: str | None = None, **options: Any):
        self._open({**_scene_options(scene, text), "sets": overrides(set), "device": device, "precision": precision,
                    "threads": threads, "memory": memory, **options})

    def _open(self, options: dict[str, Any]) -> None:
        _worker.check_process()
        self._options = options
        self._serial = 0  # of the last call that computes
        self._variables: Variables | None = None
        self._designs: Named[Design] | None = None
        self._lock = threading.Lock()  # of what is made once
        self._handle = handle = _Handle()
        self._worker = _worker.Worker(f"piola problem {next(_count)}", handle.interrupt)
        self._end = weakref.finalize(self, self._worker.close, handle.close)
        try:
            self._worker.call(lambda: handle.open(options))
        except BaseException:
            self._end()
            raise

    def __reduce__(self) -> Any:
        options = dict(self._options)
        options["scene"] = os.path.abspath(options["scene"])
        return _reopen, (type(self), options)

    def close(self) -> None:
        """Frees the problem; a call that runs is ended. Later calls raise ClosedError. It may be closed twice."""
        self._end()

    def __enter__(self) -> Problem:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<piola.Problem {self._options['scene']!r}{'' if self._end.alive else ', closed'}>"

    # ---- calls

    def _do(self, function: Callable[[_Handle], Result]) -> Result:
        """Runs a function of the handle in the problem's thread."""
        handle = self._handle
        return self._worker.call(lambda: function(handle))

    def _compute(self, function: Callable[[_Handle], Result]) -> Result:
        """The same for what ends a run of single steps, or moves it."""

        def counted(handle: _Handle) -> Result:
            self._serial += 1
            return function(handle)

        return self._do(counted)

    def _checked(self, x: Values | None) -> Array | None:
        """Values of the design as the library takes them. Raises UsageError if there are too few or too many."""
        if x is None:
            return None
        values = numbers("x", x)
        if values.shape != (len(self.variables),):
            raise UsageError(f"x has shape {values.shape}; the scene has {len(self.variables)} design variables: "
                             f"({len(self.variables)},)")
        return values

    # ---- the design

    @property
    def variables(self) -> Variables:
        """The design variables: names, units, bounds, start."""
        self._describe()
        assert self._variables is not None
        return self._variables

    @property
    def designs(self) -> Named[Design]:
        """The targets of the scene's design, by number, by name of the entry or by path of the quantity."""
        self._describe()
        assert self._designs is not None
        return self._designs

    def _describe(self) -> None:
        if self._variables is not None and self._designs is not None:
            return
        designs, variables = self._do(_read_design)
        with self._lock:
            self._designs = self._designs or designs
            self._variables = self._variables or variables

    # ---- evaluations

    @property
    def has_objective(self) -> bool:
        """Whether the scene has an objective."""
        return bool(self._do(lambda h: h.get("piola_has_objective")))

    @property
    def sample_count(self) -> int:
        """The number of values of all observations."""
        return int(self._do(lambda h: h.get("piola_samples")))

    @property
    def constraint_count(self) -> int:
        """The number of constraints."""
        return int(self._do(lambda h: h.get("piola_constraints")))

    def simulate(self, x: Values | None = None) -> dict[str, Observation]:
        """Simulates forward, and returns the observations.

        Args:
            x: (variables,) values of the design, SI; None: the start.
        """
        values = self._checked(x)

        def evaluate(h: _Handle) -> dict[str, Observation]:
            h.call("piola_evaluate", pointer(values), None, None, 0)
            return {o.name: o for o in (observation_of(h, i) for i in range(h.get("piola_observations")))}

        return self._compute(evaluate)

    def value(self, x: Values | None = None) -> float:
        """The objective J at x (variables,), SI, without derivatives; None: the start. UsageError without objective."""
        return self._evaluate(self._checked(x), False)[0]

    def evaluate(self, x: Values | None = None) -> tuple[float, Array]:
        """The objective and its gradient, by one forward and one adjoint sweep, and one for each constraint.

        Args:
            x: (variables,) values of the design, SI; None: the start. Bounds are not enforced.

        Returns:
            J, and dJ/dx (variables,), J's unit per that of the variable. UsageError if the scene has no objective.
        """
        J, gradient = self._evaluate(self._checked(x), True)
        assert gradient is not None
        return J, gradient

    def _evaluate(self, values: Array | None, with_gradient: bool) -> tuple[float, Array | None]:
        return self._compute(lambda h: _evaluated(h, values, with_gradient))

    def evaluation(self, x: Values | None = None, gradient: bool = True) -> Evaluation:
        """Everything that one evaluation returns, of this one and not of another thread's.

        Args:
            x: (variables,) values of the design, SI; None: the start.
            gradient: with the derivatives of the objective and of the constraints, if the scene has an objective.
        """
        values = self._checked(x)

        def evaluate(h: _Handle) -> Evaluation:
            J, slope, adjoint = None, None, False
            if h.get("piola_has_objective"):
                (J, slope), adjoint = _evaluated(h, values, gradient), gradient
            else:
                h.call("piola_evaluate", pointer(values), None, None, 0)
            found = constraints_of(h, adjoint)
            shape = (len(found), h.get("piola_variables"))
            slopes = np.array([c.gradient for c in found], dtype=np.float64).reshape(shape) if adjoint else None
            return Evaluation(J, slope, samples_of(h), np.array([c.value for c in found], dtype=np.float64), slopes)

        return self._compute(evaluate)

    def pullback(self, x: Values | None = None, J_bar: float = 0.0,
                 samples_bar: npt.ArrayLike | Mapping[str, npt.ArrayLike] | None = None) -> Array:
        """The gradient of a function f of the objective and the observations, by one adjoint sweep.

        Args:
            x: (variables,) values of the design, SI; None: the start.
            J_bar: df/dJ.
            samples_bar: (samples,) df/dy of the values y of all observations, as `samples` has them; or a dict of
                names of observations to df/dy of the shape of their values. None: 0.

        Returns:
            df/dx (variables,).
        """
        values = self._checked(x)
        bar = self._do(lambda h: _cotangents(h, samples_bar))
        n = len(self.variables)

        def pull(h: _Handle) -> Array:
            gradient = np.empty(n)
            struct = _abi.piola_cotangents(J_bar, pointer(bar), 0 if bar is None else bar.size)
            h.call("piola_pullback", pointer(values), ctypes.byref(struct), pointer(gradient), n)
            return gradient

        return self._compute(pull)

    def jacobian(self, x: Values | None = None) -> Array:
        """Derivatives of all values of the observations, (samples, variables); each row takes an adjoint sweep.

        Args:
            x: (variables,) values of the design, SI; None: the start.
        """
        values, n = self._checked(x), len(self.variables)

        def compute(h: _Handle) -> Array:
            jacobian = np.empty((h.get("piola_samples"), n))
            h.call("piola_jacobian", pointer(values), pointer(jacobian), jacobian.size)
            return jacobian

        return self._compute(compute)

    # ---- what the last evaluation computed

    @property
    def observations(self) -> Mapping[str, Observation]:
        """The observations of the last evaluation, by name; UsageError if nothing was evaluated when one is read."""
        return Observations(self)

    @property
    def samples(self) -> Array:
        """(samples,) values of all observations of the last evaluation, [observation][sample][component], SI."""
        return self._do(samples_of)

    @property
    def constraints(self) -> Named[Constraint]:
        """The constraints c <= 0 in the last evaluation, with gradients if it had some. UsageError if there is none."""
        found = self._do(lambda h: constraints_of(h, None))
        return Named("constraint", found, [(c.name,) for c in found])

    @property
    def fields(self) -> Fields:
        """The fields of the problem by name: problem.fields["velocity"] is problem.field("velocity")."""
        return Fields(self)

    def field(self, name: str) -> Array:
        """A field of the last evaluation or of the current state of a run of single steps, in the scene's order.

        Args:
            name: such as "velocity", "displacement" or, after an evaluation with a gradient, "grad_E".

        Returns:
            (items,) of one component, else (items, components), SI; items are particles, nodes or elements.
        """
        return self.fields[name]

    def tensor(self, name: str) -> Tensor:
        """A field in memory of its own on the problem's device, for `from_dlpack` of NumPy, PyTorch, JAX or CuPy.

        Args:
            name: as of field(). Derivatives such as "grad_E", where only some laws have that constant, are no tensors.

        Returns:
            A Tensor of shape (items, components), whose values are read when it is passed to `from_dlpack`.
        """
        return Tensor(self, name)

    # ---- single steps

    @property
    def steps(self) -> int:
        """The number of time steps of the scene; of a static one that of its load steps, or of its modes."""
        return int(self._do(lambda h: h.get("piola_steps")))

    @property
    def step_number(self) -> int:
        """The number of the state of which fields can be read."""
        return int(self._do(lambda h: h.get("piola_step_number")))

    @property
    def time(self) -> float:
        """The time of that state, s; in a scene without time, one of load steps or modes, its number."""
        return float(self._do(lambda h: h.get("piola_time")))

    def begin(self, x: Values | None = None) -> State:
        """Begins a run of single steps at state 0, with values x (variables,) of the design; None: the start."""
        values = self._checked(x)
        return self._state(lambda h: h.call("piola_begin", pointer(values)))

    def step(self, n: int = 1) -> State:
        """Runs n further steps. UsageError, and nothing is done, beyond the last one or without begin()."""
        count = whole("steps", n)
        if count < 0:
            raise UsageError(f"{count} steps: the number of steps cannot be negative")
        return self._state(lambda h: h.call("piola_step", min(count, _MOST)))

    def _state(self, function: Callable[[_Handle], None]) -> State:
        def moved(h: _Handle) -> State:
            function(h)
            return State(self, self._serial, int(h.get("piola_step_number")), float(h.get("piola_time")))

        return self._compute(moved)

    def states(self, every: int = 1, x: Values | None = None) -> Iterator[State]:
        """Runs the scene and yields states 0, every, 2 every, ..., and the last one.

        Args:
            every: steps from one state to the next.
            x: (variables,) values of the design, SI; None: the start.
        """
        if whole("every", every) < 1:
            raise UsageError(f"every={every}: at least one step leads to the next state")
        state, last = self.begin(x), self.steps
        yield state
        while state.step < last:
            if self._serial != state._serial:
                raise UsageError(f"another call has ended the run of single steps at state {state.step}")
            state = self.step(min(every, last - state.step))
            yield state


def _evaluated(h: _Handle, values: Array | None, with_gradient: bool) -> tuple[float, Array | None]:
    J, n = ctypes.c_double(), h.get("piola_variables")
    gradient = np.empty(n) if with_gradient else None
    h.call("piola_evaluate", pointer(values), ctypes.byref(J), pointer(gradient), n if with_gradient else 0)
    return J.value, gradient


def _read_design(h: _Handle) -> tuple[Named[Design], Variables]:
    """The targets of the design, and its variables."""
    n, designs, info = h.get("piola_variables"), [], _abi.piola_design_info()
    units, logarithmic = [""] * n, np.zeros(n, dtype=bool)
    for i in range(h.get("piola_designs")):
        h.call("piola_design", i, ctypes.byref(info))
        own = slice(info.first, info.first + info.groups * info.components)
        name_of, path, unit, per = (text_of(t) for t in (info.name, info.path, info.unit, info.per))
        designs.append(Design(name_of, path, unit, per, own, (info.groups, info.components), bool(info.filtered),
                              bool(info.logarithmic), bool(info.tied)))
        if not info.tied:
            units[own] = [text_of(info.unit)] * (own.stop - own.start)
            logarithmic[own] = bool(info.logarithmic)
    names, start, name, value = [], np.empty(n), ctypes.create_string_buffer(512), ctypes.c_double()
    for i in range(n):
        h.call("piola_variable", i, name, len(name), ctypes.byref(value))
        names.append(text_of(name.value))
        start[i] = value.value
    lower, upper = np.empty(n), np.empty(n)
    h.call("piola_bounds", pointer(lower), pointer(upper), n)
    arrays = {"start": start, "lower": lower, "upper": upper, "logarithmic": logarithmic}
    return Named("target of the design", designs, [(d.path, d.name) for d in designs]), Variables(names, units, arrays)


def _cotangents(h: _Handle, bar: npt.ArrayLike | Mapping[str, npt.ArrayLike] | None) -> Array | None:
    """Cotangents of all observations, of an array or of a dict. Raises UsageError or NameUnknownError."""
    if bar is None:
        return None
    total = h.get("piola_samples")
    if not isinstance(bar, Mapping):
        given = numbers("samples_bar", bar)
        if given.size != total:
            raise UsageError(f"samples_bar has shape {given.shape}; the observations have {total} values")
        return given.reshape(total)
    out, left, places = np.zeros(total), dict(bar), places_of(h)
    for place in places:
        if place.name in left:
            own = numbers(f"samples_bar of '{place.name}'", left.pop(place.name))
            if own.size != place.shape[0] * place.shape[1]:
                raise UsageError(f"samples_bar of '{place.name}' has shape {own.shape}; its values have {place.shape}")
            out[place.samples] = own.reshape(-1)
    for name in left:
        raise unknown("observation", name, [place.name for place in places])
    return out


__all__: Sequence[str] = ["Problem"]
