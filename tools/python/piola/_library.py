"""Where libpiola.so is, and its functions with their types."""
from __future__ import annotations

import ctypes
import os
import pathlib
import threading
from typing import Any

from . import _abi
from .errors import LibraryError

_FOLDER = pathlib.Path(__file__).resolve().parent / "lib"
_NAMES = ("libpiola.so." + ".".join(_abi.VERSION.split(".")[:2]), "libpiola.so")
_lock = threading.Lock()
_loaded: ctypes.CDLL | None = None


def _candidates() -> list[str]:
    """Names that dlopen() takes, in the order in which they are tried."""
    given = os.environ.get("PIOLA_LIBRARY")
    if given:
        return [given]
    bundled = [str(_FOLDER / name) for name in _NAMES if (_FOLDER / name).exists()]
    return bundled or list(_NAMES)


def _open() -> ctypes.CDLL:
    reasons = []
    for name in _candidates():
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            reasons.append(str(error))
    raise LibraryError("there is no libpiola.so that can be loaded: " + "; ".join(reasons) +
                       "; the environment variable PIOLA_LIBRARY names the file")


def _declare(loaded: ctypes.CDLL) -> None:
    """Sets the types of all functions."""
    for name, (result, arguments) in _abi.FUNCTIONS.items():
        function = getattr(loaded, name, None)
        if function is None:
            raise LibraryError(f"{loaded._name} has no function {name}: it is no libpiola.so of version "
                               f"{_abi.VERSION}, for which this package is")
        function.restype, function.argtypes = result, arguments


def library() -> Any:
    """The library, loaded at the first call, with the types of its functions.

    Raises LibraryError if it is not found, or is of another version than this package.
    """
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                loaded = _open()
                _declare(loaded)
                version = loaded.piola_version().decode()
                if version != _abi.VERSION:
                    raise LibraryError(f"{loaded._name} is version {version}; this package is for version "
                                       f"{_abi.VERSION}")
                _loaded = loaded
    return _loaded
