"""Piola from Python: scenes of soft bodies and fluids as functions with gradients.

    problem = piola.Problem("scene.yaml", set={"time.dt": "0.1 ms"})
    J, gradient = problem.evaluate(problem.variables.start)

The library libpiola.so computes; see docs/python.md.
"""
from ._abi import VERSION as __version__
from ._readers import Fields
from ._views import (Constraint, Design, Evaluation, FieldInfo, Named, Observation, State, Variable, Variables)
from .commands import (check, export, film, grad, optimize, plot, render, report, run, sweep, validate)
from .dlpack import Tensor
from .errors import (BadSceneError, CannotCreateError, ClosedError, Error, Failure, FileError, ForkError,
                     InternalError, Interrupted, LibraryError, MembersFailedError, NameUnknownError, NoAnswerError,
                     NoInputError, NoProgress, NumericalError, OutOfMemoryError, RefusedError, UnavailableError,
                     UsageError)
from .problem import Problem
from .scene import Scene
from .states import Cells, Field, Frame, States, open

__all__ = ["BadSceneError", "CannotCreateError", "Cells", "ClosedError", "Constraint", "Design", "Error",
           "Evaluation", "Failure", "Field", "FieldInfo", "Fields", "FileError", "ForkError", "Frame",
           "InternalError", "Interrupted", "LibraryError", "MembersFailedError", "NameUnknownError", "Named",
           "NoAnswerError", "NoInputError", "NoProgress", "NumericalError", "Observation", "OutOfMemoryError",
           "Problem", "RefusedError", "Scene", "State", "States", "Tensor", "UnavailableError", "UsageError",
           "Variable", "Variables", "__version__", "check", "export", "film", "grad", "open", "optimize", "plot",
           "render", "report", "run", "sweep", "validate"]
