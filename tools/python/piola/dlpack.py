"""Fields as tensors of DLPack, where they are, on a CPU or a GPU.

NumPy, PyTorch, JAX and CuPy use them without a copy:

    velocity = numpy.from_dlpack(problem.tensor("velocity"))
    velocity = torch.from_dlpack(problem.tensor("velocity"))

The structures are those of https://dmlc.github.io/dlpack/latest/c_api.html, what Python adds to them those of
https://dmlc.github.io/dlpack/latest/python_spec.html.
"""
from __future__ import annotations

import ctypes
import threading
from typing import TYPE_CHECKING, Any

from ._library import library
from ._options import encoded
from ._views import unknown

if TYPE_CHECKING:
    from .problem import Problem, _Handle

_Pair = tuple[int, int]
_Deleter = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)  # of C, called where an object ends: Python's lock is kept


class _View(ctypes.Structure):
    """DLTensor."""

    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Unversioned(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = [("dl_tensor", _View), ("manager_ctx", ctypes.c_void_p), ("deleter", _Deleter)]


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", _Deleter), ("flags", ctypes.c_uint64), ("dl_tensor", _View)]


# For each form, the name of its capsule until a receiver has it, its structure, and the function that makes it.
_FORMS: tuple[tuple[bytes, type[ctypes.Structure], str], ...] = (
    (b"dltensor", _Unversioned, "piola_dlpack_unversioned"), (b"dltensor_versioned", _Versioned, "piola_dlpack"))

_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
# These are for a capsule that nobody refers to any more: an argument of type py_object would revive it.
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_get_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p,
                                 ctypes.c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def _delete(capsule: int) -> None:
    """Deletes the tensor of a capsule that no receiver has taken: whoever does renames the capsule."""
    for name, structure, _ in _FORMS:
        if _is_valid(capsule, name):
            tensor = structure.from_address(_get_pointer(capsule, name))
            tensor.deleter(ctypes.addressof(tensor))


_end_of_capsule = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_delete)
_lock = threading.Lock()
_declared = False


def _declare() -> None:
    """Sets the types of the functions of piola_dlpack.h."""
    global _declared
    with _lock:
        if not _declared:
            loaded = library()
            for name in ("piola_dlpack", "piola_dlpack_unversioned"):
                function = getattr(loaded, name)
                function.restype = ctypes.c_int
                function.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)
            loaded.piola_dlpack_device.restype = None
            loaded.piola_dlpack_device.argtypes = (ctypes.c_void_p, *2 * (ctypes.POINTER(ctypes.c_int32),))
            _declared = True


class Tensor:
    """A field for the function `from_dlpack` of NumPy, PyTorch, JAX, CuPy and others.

    Each such call makes an array of its own, of float64 and on the problem's device, with the values that the field has
    at that time: later evaluations do not change it, and it remains when the problem is closed. Its memory is outside
    the memory budget of the scene.

    Attributes:
        name: of the field.
        shape: (items, components); items are particles, nodes or elements.
        device: (kind, number) in DLPack's numbers: kind 1 is the CPU, 2 is CUDA.
    """

    def __init__(self, problem: Problem, name: str):
        _declare()
        key, kind, number = encoded("the name of a field", name), ctypes.c_int32(), ctypes.c_int32()

        def read(h: _Handle) -> tuple[int, int]:
            h.get("piola_dlpack_device", ctypes.byref(kind), ctypes.byref(number))
            return int(h.get("piola_items", key)), int(h.get("piola_components", key))

        self._problem = problem
        self.name = name
        self.shape = problem._do(read)
        self.device = (kind.value, number.value)
        if not self.shape[1]:
            raise unknown("field", name, list(problem.fields))

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, *, stream: Any = None, max_version: _Pair | None = None, dl_device: _Pair | None = None,
                   copy: bool | None = None) -> Any:
        """A capsule with the values of the field now.

        Args:
            stream: of the receiver; nothing has to wait for it, as the values are complete.
            max_version: the newest version of DLPack that the receiver knows; None: one before 1.0.
            dl_device: where the receiver wants the values. BufferError if they are elsewhere.
            copy: not used: the memory is the receiver's alone in any case.

        UsageError before an evaluation, or for derivatives after one without a gradient; OutOfMemoryError.
        """
        if dl_device is not None and tuple(int(n) for n in dl_device) != self.device:
            raise BufferError(f"'{self.name}' is on device {self.device} of DLPack's numbers, not on {dl_device}; "
                              f"the receiver can copy it from there")
        key = encoded("the name of a field", self.name)
        name, _, function = _FORMS[max_version is not None and max_version[0] >= 1]

        def make(h: _Handle) -> Any:  # the capsule, too, so that one of a call that Ctrl-C ends is deleted
            made = ctypes.c_void_p()
            h.call(function, key, ctypes.byref(made))
            return _new_capsule(made, name, ctypes.cast(_end_of_capsule, ctypes.c_void_p))

        return self._problem._do(make)

    def __repr__(self) -> str:
        return f"<piola.Tensor '{self.name}' {self.shape} on device {self.device}>"


__all__ = ["Tensor"]
