"""python -m piola._command: calls one function of piola.h that a JSON object on standard input names, with structs of
options; writes a JSON object about its end to the file descriptor that the object names.

Commands handle signals and print, and a sweep begins in a process that has computed nothing: so each has a process of
its own.
"""
from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from . import _abi
from ._library import library
from ._options import fill
from ._readers import text_of
from .errors import Error, failure_of

_PR_SET_PDEATHSIG = 1  # of <linux/prctl.h>


def struct_of(name: str, values: Mapping[str, Any], kept: list[Any]) -> Any:
    """A struct of options NAME, with its defaults and these values; a member that is a struct takes a mapping."""
    default = getattr(library(), name + "_default", None)
    struct = default() if default is not None else getattr(_abi, name)()
    nested = {key: kind for key, kind in struct._fields_ if issubclass(kind, ctypes.Structure)}
    for member in nested:
        kept += fill(getattr(struct, member), values.get(member, {}))
    kept += fill(struct, {key: value for key, value in values.items() if key not in nested})
    return struct


def call(job: Mapping[str, Any]) -> dict[str, Any]:
    """Calls the function; returns its status, message and failure."""
    kept: list[Any] = []
    error = _abi.piola_error()
    try:
        structs = [struct_of(name, values, kept) for name, values in job["structs"]]
        status = getattr(library(), job["function"])(*(ctypes.byref(s) for s in structs), ctypes.byref(error))
    except Error as wrong:
        return {"status": wrong.status or 70, "message": wrong.message, "failure": None}
    failure = failure_of(error.failure)
    return {"status": status, "message": text_of(error.message), "failure": asdict(failure) if failure else None}


def main() -> None:
    job = json.loads(sys.stdin.buffer.read())
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)  # it does not outlive the program that waits
    end = json.dumps(call(job)).encode()
    ctypes.CDLL(None).fflush(None)
    with os.fdopen(job["descriptor"], "wb") as out:
        out.write(end)


if __name__ == "__main__":
    main()
