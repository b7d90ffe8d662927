"""Fields as tensors of DLPack: NumPy and, where it is installed, PyTorch use them without a copy."""
import ctypes
import gc
import threading

import numpy as np
import piola
import pytest
from piola import dlpack

CPU = (1, 0)


class Counted:
    """A tensor that keeps the address of the last capsule's values, for receivers."""

    def __init__(self, tensor):
        self.tensor, self.data = tensor, 0

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, **words):
        capsule = self.tensor.__dlpack__(**words)
        for name, structure, _ in dlpack._FORMS:
            if ctypes.pythonapi.PyCapsule_IsValid(ctypes.py_object(capsule), name):
                get = ctypes.pythonapi.PyCapsule_GetPointer
                get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
                self.data = structure.from_address(get(capsule, name)).dl_tensor.data
        return capsule


class Older:
    """A tensor for receivers that know DLPack before 1.0 alone."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()

    def __dlpack__(self, stream=None, **_):
        return self.tensor.__dlpack__(stream=stream)


def mapped():
    """Bytes of addresses that this process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[0]) * 4096


def test_each_field_has_the_bits_of_field(problem):
    problem.evaluate()
    names = list(problem.fields)
    assert len(names) >= 8
    for name in names:
        for tensor in (problem.tensor(name), Older(problem.tensor(name))):
            array = np.from_dlpack(tensor)
            wanted = problem.field(name)
            assert array.dtype == np.float64 and array.flags.c_contiguous
            assert array.shape == problem.tensor(name).shape
            assert array.tobytes() == wanted.tobytes(), name
    assert problem.tensor("velocity").device == problem.tensor("velocity").__dlpack_device__() == CPU


def test_numpy_makes_no_copy(ball):
    ball.evaluate()
    counted = Counted(ball.tensor("position"))
    array = np.from_dlpack(counted)
    assert counted.data and array.ctypes.data == counted.data
    assert np.array(array).ctypes.data != counted.data  # a copy is elsewhere


def test_an_array_is_of_its_evaluation_and_outlives_the_problem(ball):
    ball.evaluate()
    tensor = ball.tensor("velocity")
    before, values = np.from_dlpack(tensor), ball.field("velocity").copy()
    ball.evaluate(ball.variables.start * 1.2)
    after = np.from_dlpack(tensor)
    assert np.array_equal(before, values) and np.abs(after - before).max() > 0.1
    ball.close()
    gc.collect()
    assert np.array_equal(before, values)
    with pytest.raises(piola.ClosedError):
        np.from_dlpack(tensor)
    ended = threading.Thread(target=lambda held: held.clear(), args=([before, after],))
    del before, after
    ended.start()
    ended.join()


def test_what_nobody_takes_is_deleted(ball):
    ball.evaluate()
    tensor = ball.tensor("C")
    bytes_of_one, number = 8 * tensor.shape[0] * tensor.shape[1], 500

    def left(function):
        start, held = mapped(), []
        for _ in range(number):
            held.append(function())
            if function is not kept:
                held.clear()
        return mapped() - start, held

    def kept():
        return tensor.__dlpack__(max_version=(1, 0))

    left(lambda: kept())
    bound = 0.1 * number * bytes_of_one
    for what, function in (("capsules", lambda: kept()), ("older capsules", tensor.__dlpack__),
                           ("arrays", lambda: np.from_dlpack(tensor))):
        measured = left(function)[0]
        print(f"{number} {what} leave {measured} bytes, threshold {bound:.0f}")
        assert measured < bound
    measured, held = left(kept)
    print(f"negative control: {number} that are kept take {measured} bytes, at least {number * bytes_of_one}")
    assert measured >= number * bytes_of_one and len(held) == number


def test_errors(ball):
    with pytest.raises(piola.NameUnknownError, match="no field 'speed'; there are: .*position"):
        ball.tensor("speed")
    tensor = ball.tensor("position")
    with pytest.raises(piola.UsageError, match="after piola_evaluate has succeeded"):
        tensor.__dlpack__()
    ball.value()
    with pytest.raises(piola.UsageError, match="after an evaluation with a gradient"):
        np.from_dlpack(ball.tensor("grad_velocity"))
    with pytest.raises(BufferError, match=r"device \(1, 0\)"):
        tensor.__dlpack__(dl_device=(2, 0))
    assert np.from_dlpack(tensor).shape == tensor.shape
