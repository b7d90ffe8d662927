"""Structs of options, made of Python values."""
from __future__ import annotations

import ctypes
import operator
import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import NameUnknownError, UsageError
from .scene import flow

_STRINGS = ctypes.POINTER(ctypes.c_char_p)


def encoded(name: str, value: Any) -> bytes:
    """The bytes of a string or a path, which may not contain NUL. Raises UsageError."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise UsageError(f"{name} must be a string or a path, not {type(value).__name__}")
    data = os.fsencode(value)
    if b"\0" in data:
        raise UsageError(f"{name} contains a NUL character, with which strings of the library end")
    return data


def whole(name: str, value: Any) -> int:
    """A whole number. Raises UsageError."""
    try:
        return operator.index(value)
    except TypeError:
        raise UsageError(f"{name} must be a whole number, not {value!r}") from None


def numbers(name: str, values: Any) -> npt.NDArray[np.float64]:
    """Values as an array of float64, contiguous. Raises UsageError for what is no array of real numbers."""
    try:
        given = np.asarray(values)
        if given.dtype.kind not in "biufO":
            raise TypeError(f"its type is {given.dtype}")
        return np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{name} must be an array of real numbers: {error}") from None


def overrides(values: Mapping[str, Any] | None) -> list[str]:
    """Overrides of keys of a scene, "time.dt=0.1 ms", of a mapping of paths to values."""
    if values is None:
        return []
    if not isinstance(values, Mapping):
        raise UsageError("set must be a mapping such as {'time.dt': '0.1 ms'}, "
                         f"not {type(values).__name__}")
    return [f"{path}={flow(value)}" for path, value in values.items()]


def fill(struct: Any, values: Mapping[str, Any]) -> list[Any]:
    """Sets members of a struct; None leaves the default. Strings become char *, lists of strings arrays with their
    length in n_NAME. Returns what must live as long as the struct is used. Raises UsageError."""
    kinds = dict(struct._fields_)
    kept: list[Any] = []
    for name, value in values.items():
        if name not in kinds or name.startswith("n_"):
            known = ", ".join(sorted(k for k in kinds if not k.startswith("n_")))
            raise NameUnknownError(f"there is no option '{name}'; there are: {known}")
        if value is None:
            continue
        kind = kinds[name]
        try:
            if kind is _STRINGS:
                if isinstance(value, (str, bytes, os.PathLike)):
                    raise UsageError(f"{name} must be a list of strings, not one")
                items = [encoded(name, item) for item in value]
                array = (ctypes.c_char_p * max(len(items), 1))(*items)
                kept.append(array)
                setattr(struct, name, ctypes.cast(array, _STRINGS))
                setattr(struct, "n_" + name, len(items))
            elif kind is ctypes.c_char_p:
                setattr(struct, name, encoded(name, value))
            else:
                setattr(struct, name, value)
                if isinstance(value, int) and getattr(struct, name) != value:
                    raise UsageError(f"{name} cannot be {value}, which is out of range")
        except TypeError as error:
            raise UsageError(f"{name} cannot be {value!r}: {error}") from None
    return kept
