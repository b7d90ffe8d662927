"""Scenes as dicts, and the plain YAML that the library reads."""
from __future__ import annotations

import copy
import math
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from .errors import UsageError

# What a plain scalar of YAML 1.2 would be read as, if it is not a string: a number, a boolean, nothing.
_OTHER = re.compile(r"(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(?:inf|Inf|INF)|"
                    r"\.(?:nan|NaN|NAN)|true|True|TRUE|false|False|FALSE|null|Null|NULL|~)$")
# A string that may be a plain scalar, also within [] and {}.
_PLAIN = re.compile(r"[\w.+(/^][\w .+*/^()<>=%-]*$")


def _string(value: str) -> str:
    """A string as a scalar: plain, as units must be ("1 kPa"), where that is possible."""
    if _PLAIN.match(value) and value[-1] != " " and not _OTHER.match(value) and value.isascii():
        return value
    if re.match(r"-\d[\w .+*/^()-]*[\w)]$", value) and not _OTHER.match(value):
        return value  # "-3 m/s"
    escaped = "".join(c if c.isprintable() and c not in '"\\' else {"\n": "\\n", "\t": "\\t"}.get(
        c, "\\" + c if c in '"\\' else f"\\U{ord(c):08x}") for c in value)
    return f'"{escaped}"'


def _scalar(value: Any) -> str | None:
    """A scalar of YAML, or None if the value is no scalar."""
    if value is None:
        return "null"
    if isinstance(value, (bool,)) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        if math.isnan(value):
            return ".nan"
        return repr(float(value)) if math.isfinite(value) else ".inf" if value > 0 else "-.inf"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, os.PathLike):
        return _string(os.fsdecode(value))
    return None


def _plain_data(value: Any) -> Any:
    """Scalars and arrays of NumPy as numbers and lists of Python."""
    return value.tolist() if hasattr(value, "tolist") and hasattr(value, "dtype") else value


def flow(value: Any) -> str:
    """A value as YAML on one line: "[1, 2 m]", "{type: box}". Raises UsageError for what is no data."""
    value = _plain_data(value)
    scalar = _scalar(value)
    if scalar is not None:
        return scalar
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, Iterable) and not isinstance(value, (bytes, set, frozenset)):
        return "[" + ", ".join(flow(item) for item in value) + "]"
    raise UsageError(f"a scene cannot contain {value!r}: values are numbers, strings, lists and dicts")


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise UsageError(f"a key of a scene must be a string, not {key!r}")
    return _string(key)


def _block(value: Any, indent: int) -> list[str]:
    """Lines of a mapping or of a list; what contains no mapping is on one line."""
    blank, lines = "  " * indent, []
    pairs = [(f"{_key(k)}:", v) for k, v in value.items()] if isinstance(value, Mapping) else [("-", v) for v in value]
    for head, item in pairs:
        item = _plain_data(item)
        nested = isinstance(item, Mapping) or isinstance(item, (list, tuple)) and any(
            isinstance(i, (Mapping, list, tuple)) for i in item)
        if not nested or not item:
            lines.append(f"{blank}{head} {flow(item)}")
        elif head == "-":
            below = _block(item, indent + 1)
            lines += [f"{blank}- {below[0].lstrip()}", *below[1:]]
        else:
            lines += [f"{blank}{head}", *_block(item, indent + 1)]
    return lines


class Scene(dict[str, Any]):
    """A scene as a dict, with the keys of scene files: numbers in SI units, or strings with a unit ("20 kPa").

    Args:
        data: the keys and values; it is copied deeply.
        file: name of the scene in messages, which need not exist; relative paths in the scene begin in its folder.

    Lists may be tuples or NumPy arrays. `Problem(scene)` reads it as `text()` has it.
    """

    def __init__(self, data: Mapping[str, Any] | None = None, *, file: str | os.PathLike[str] = "scene.yaml"):
        super().__init__(copy.deepcopy(dict(data or {})))
        self.file = os.fspath(file)

    def text(self) -> str:
        """The scene as YAML. Raises UsageError if it contains something else than numbers, strings, lists, dicts."""
        return "\n".join(_block(self, 0)) + "\n"

    def write(self, path: str | os.PathLike[str]) -> str:
        """Writes the scene to a file, for commands, and returns its name. Paths in it begin in its folder then."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text())
        return os.fspath(path)

    def copy(self) -> Scene:
        """A deep copy, which can be changed without this one."""
        return Scene(self, file=self.file)
