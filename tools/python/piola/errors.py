"""Exceptions of Piola: one class for each status of the library, all of them `piola.Error`."""
from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

from ._abi import piola_failed_item, piola_failure_kind, piola_status


@dataclass(frozen=True)
class Failure:
    """What failed in a computation.

    Attributes:
        kind: what failed, such as "line_search", "inverted" or "cfl"; the names are those of `failure` in result.json.
        cause: why it failed, of kinds that have a cause; "none" otherwise.
        of: kind of the item: "element", "node", "particle", or "" if it failed at no single one.
        item: number of the element, node or particle; None if there is none.
        step: number of the time step; None if there is none.
        residual: relative residual of the solve that failed; None if there is none.
    """

    kind: str
    cause: str
    of: str
    item: int | None
    step: int | None
    residual: float | None


class Error(Exception):
    """An error of Piola.

    Attributes:
        message: the message of the library, which says what was wrong, where, and what would be right.
        status: exit code of the command that fails like this, such as 65; 0 if no function of the library failed.
        failure: what failed in a computation, or None.
        result: what the command wrote in result.json or sweep.json, as a dict; None of other calls.
    """

    status: int = 0

    def __init__(self, message: str, status: int | None = None, failure: Failure | None = None):
        super().__init__(message)
        self.message = message
        self.failure = failure
        self.result: dict[str, Any] | None = None
        self.status = type(self).status if status is None else status

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.status, self.failure)


class LibraryError(Error, ImportError):
    """libpiola.so was not found, or is of another version."""


class ClosedError(Error, ValueError):
    """The problem, or the file of states, was closed."""


class ForkError(Error, RuntimeError):
    """A problem was used in a process that was forked from the one that computed with it."""


class NoAnswerError(Error):
    """The answer is no: a check failed, or the optimiser did not converge."""

    status = int(piola_status.PIOLA_NO)


class UsageError(Error, ValueError):
    """An option or an argument is wrong."""

    status = int(piola_status.PIOLA_USAGE)


class NameUnknownError(UsageError, KeyError):
    """There is nothing of that name; the message lists the names that there are."""

    def __str__(self) -> str:
        return self.message


class BadSceneError(Error, ValueError):
    """A scene or a data file is wrong.

    Attributes:
        file: name of the file; None if the message has none.
        line: number of the line, from 1; None if the message has none.
        column: number of the column, from 1; None if the message has none.
    """

    status = int(piola_status.PIOLA_BAD_DATA)

    def __init__(self, message: str, status: int | None = None, failure: Failure | None = None):
        super().__init__(message, status, failure)
        found = re.match(r"(.+?):(\d+):(?:(\d+):)? ", message)
        self.file = found.group(1) if found else None
        self.line = int(found.group(2)) if found else None
        self.column = int(found.group(3)) if found and found.group(3) else None


class NoInputError(Error, FileNotFoundError):
    """An input file is missing or cannot be read."""

    status = int(piola_status.PIOLA_NO_INPUT)

    def __str__(self) -> str:
        return self.message


class UnavailableError(Error):
    """The device or the engine is not available."""

    status = int(piola_status.PIOLA_UNAVAILABLE)


class InternalError(Error):
    """An error in Piola itself."""

    status = int(piola_status.PIOLA_INTERNAL)


class OutOfMemoryError(Error, MemoryError):
    """Memory or its budget is exhausted; the message names the bytes needed."""

    status = int(piola_status.PIOLA_NO_MEMORY)


class CannotCreateError(Error, OSError):
    """An output file cannot be created."""

    status = int(piola_status.PIOLA_CANNOT_CREATE)

    def __str__(self) -> str:
        return self.message


class FileError(Error, OSError):
    """Reading or writing failed."""

    status = int(piola_status.PIOLA_IO)

    def __str__(self) -> str:
        return self.message


class Interrupted(Error):
    """The call was stopped by a request or a time limit."""

    status = int(piola_status.PIOLA_INTERRUPTED)


class NumericalError(Error, ArithmeticError):
    """The computation failed; `failure` says what, where and when."""

    status = int(piola_status.PIOLA_NUMERICAL)


class RefusedError(Error, PermissionError):
    """Not allowed: a path outside the scene's folder, or to resume a run of another machine."""

    status = int(piola_status.PIOLA_REFUSED)

    def __str__(self) -> str:
        return self.message


class MembersFailedError(Error):
    """Members of a sweep failed, each with its cause in sweep.csv; the others are done."""

    status = int(piola_status.PIOLA_MEMBERS_FAILED)


class NoProgress(Interrupted):
    """The call was stopped, and nothing new is on disk."""

    status = int(piola_status.PIOLA_NO_PROGRESS)


_CLASSES = {c.status: c for c in (
    NoAnswerError, UsageError, BadSceneError, NoInputError, UnavailableError, InternalError, OutOfMemoryError,
    CannotCreateError, FileError, Interrupted, NumericalError, RefusedError, MembersFailedError,
    NoProgress)}


def failure_of(failure: Any) -> Failure | None:
    """The failure of a struct piola_failure; None if no computation failed."""
    from ._library import library  # which needs this module

    if failure.kind == piola_failure_kind.PIOLA_FAILED_NOT:
        return None
    name, of = library().piola_failure_name, piola_failed_item(failure.of)
    at = of != piola_failed_item.PIOLA_FAILED_NOWHERE
    return Failure(kind=name(failure.kind).decode(), cause=name(failure.cause).decode(),
                   of=of.name.removeprefix("PIOLA_FAILED_").lower() if at else "",
                   item=failure.item if at else None,
                   step=failure.step if failure.step >= 0 else None,
                   residual=None if math.isnan(failure.residual) else failure.residual)


def exception_of(status: int, message: str, failure: Failure | None = None) -> Error:
    """The exception of a status of the library other than 0, with its message."""
    return _CLASSES.get(status, Error)(message, status, failure)
