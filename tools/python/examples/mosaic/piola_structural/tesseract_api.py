"""Piola as a solver of Mosaic's problem `structural-mesh`: the compliance of a structure, and its derivatives.

Mosaic opens this file as a Tesseract; the schemas are Mosaic's own. What computes is in structure.py.
"""
import importlib.util
import pathlib
import sys
from typing import Any

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
if importlib.util.find_spec("mosaic_shared") is None:  # in a container a package of its own; of mosaic-bench a part
    sys.path += importlib.util.find_spec("mosaic").submodule_search_locations

from mosaic_shared.problems.structural_mesh import InputSchema as CanonicalInput
from mosaic_shared.problems.structural_mesh import OutputSchema as CanonicalOutput
from mosaic_shared.schema_types import make_differentiable
from pydantic import Field
from structure import Structure
from tesseract_core.runtime import ShapeDType

_last: dict[bytes, Structure] = {}


class InputSchema(make_differentiable(CanonicalInput, ["rho"])):
    """Densities (elements,), mesh and conditions, and the material."""

    E_max: float = Field(default=70e3, description="Young's modulus of the solid, MPa")
    nu: float = Field(default=0.3, description="Poisson's ratio")
    xmin: float = Field(default=1e-3, description="E_min/E_max")


class OutputSchema(make_differentiable(CanonicalOutput, ["compliance"])):
    """The compliance ()."""


def _structure(inputs: InputSchema) -> Structure:
    """The structure of these inputs; the last one is kept, so that other densities alone do not build it again."""
    mesh, conditions = inputs.hex_mesh.model_dump(), inputs.boundary_conditions.model_dump()
    parts = [mesh["points"], mesh["faces"], conditions["dirichlet"]["mask"], conditions["dirichlet"]["values"],
             conditions["neumann"]["mask"], conditions["neumann"]["values"]]
    numbers = [mesh["n_points"], mesh["n_faces"], inputs.E_max, inputs.nu, inputs.xmin]
    key = repr(numbers).encode() + b"".join(b"|" if p is None else np.asarray(p).tobytes() + b"|" for p in parts)
    if key not in _last:
        made = Structure(mesh, conditions, inputs.E_max, inputs.nu, inputs.xmin)
        _last.clear()
        _last[key] = made
    return _last[key]


def apply(inputs: InputSchema) -> OutputSchema:
    """The compliance at the densities `rho`."""
    return OutputSchema(compliance=np.float32(_structure(inputs).compliance(inputs.rho)))


def vector_jacobian_product(inputs: InputSchema, vjp_inputs: set[str], vjp_outputs: set[str],
                            cotangent_vector: dict[str, Any]) -> dict[str, Any]:
    """The derivative of the compliance with respect to `rho`, times a cotangent, by one adjoint sweep."""
    assert vjp_inputs <= {"rho"} and vjp_outputs <= {"compliance"}
    slope = float(cotangent_vector["compliance"]) * _structure(inputs).gradient(inputs.rho)
    return {"rho": slope.astype(np.float32)}


def jacobian_vector_product(inputs: InputSchema, jvp_inputs: set[str], jvp_outputs: set[str],
                            tangent_vector: dict[str, Any]) -> dict[str, Any]:
    """The derivative of the compliance along a tangent of `rho`; of one number it is as cheap as the other one."""
    assert jvp_inputs <= {"rho"} and jvp_outputs <= {"compliance"}
    slope = _structure(inputs).gradient(inputs.rho)
    return {"compliance": np.float32(slope @ np.asarray(tangent_vector["rho"], dtype=np.float64))}


def abstract_eval(abstract_inputs: Any) -> dict[str, Any]:
    """The shape of what apply() returns."""
    return {"compliance": ShapeDType(shape=(), dtype="float32")}
