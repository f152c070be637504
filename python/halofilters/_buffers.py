"""Arrays behind Python's buffers, which need no other library."""

import array as _array
import ctypes as c
import sys

from ._errors import UsageError
from ._libraries import View, no_type
from ._structs import CODE, F16, SIZE, U8


class Buffers:
    """bytes, bytearray, memoryview, array.array and the like, where there is no NumPy or the input is one of
    them."""

    _kinds = {code: kind for kind, code in CODE.items()}
    _kinds.update({"?": U8, "c": U8, "l": _array.array("l").itemsize == 8 and 7 or 6})
    if _array.array("L").itemsize == 4:
        _kinds["L"] = 3

    @staticmethod
    def address(x):
        return _address(memoryview(x))

    @staticmethod
    def kind_of(seen):
        code = seen.format.lstrip("@=" + ("<" if sys.byteorder == "little" else ">"))
        return Buffers._kinds.get(code)

    @staticmethod
    def has_type_of(x):
        return Buffers.kind_of(memoryview(x)) is not None

    @staticmethod
    def view(x):
        try:
            seen = memoryview(x)
        except TypeError:
            raise UsageError(
                f"{type(x).__name__} is not an array: expected one of NumPy, CuPy, PyTorch or JAX, or a buffer"
            ) from None
        kind = Buffers.kind_of(seen)
        if kind is None:
            raise no_type(f"format '{seen.format}'")
        if seen.ndim == 0:
            raise UsageError("a single number cannot be filtered")
        keep = (x, seen)
        if not seen.c_contiguous:
            seen = memoryview(bytearray(seen.tobytes())).cast("B").cast(CODE[kind], seen.shape)
            keep = (x, seen)
        pointer = _address(seen)
        return View(Buffers, keep, pointer, seen.shape, None, kind)

    @staticmethod
    def new(view, shape, kind):
        count = 1
        for n in shape:
            count *= n
        memory = bytearray(count * SIZE[kind])
        seen = memoryview(memory).cast(CODE[kind], shape)
        return View(Buffers, (view.keep[0], seen), _address(seen), shape, None, kind)

    @staticmethod
    def finish(view):
        """Bytes of bytes, an array.array of such a one, else a memoryview."""
        like, seen = view.keep
        if isinstance(like, bytes) and view.kind == U8 and seen.ndim == 1:
            return seen.tobytes()
        if isinstance(like, bytearray) and view.kind == U8 and seen.ndim == 1:
            return bytearray(seen)
        if isinstance(like, _array.array) and seen.ndim == 1 and view.kind != F16:
            return _array.array(CODE[view.kind], seen.tobytes())
        return seen

    @staticmethod
    def stream(view):
        return None


class _Buffer(c.Structure):
    _fields_ = [
        ("buf", c.c_void_p),
        ("obj", c.py_object),
        ("len", c.c_ssize_t),
        ("itemsize", c.c_ssize_t),
        ("readonly", c.c_int),
        ("ndim", c.c_int),
        ("format", c.c_char_p),
        ("shape", c.c_void_p),
        ("strides", c.c_void_p),
        ("suboffsets", c.c_void_p),
        ("internal", c.c_void_p),
    ]


_get_buffer = c.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = (c.py_object, c.POINTER(_Buffer), c.c_int)
_release_buffer = c.pythonapi.PyBuffer_Release
_release_buffer.argtypes = (c.POINTER(_Buffer),)


def _address(seen):
    """Of the first element, also of memory that is read-only; `seen` keeps it where it is."""
    buffer = _Buffer()
    _get_buffer(seen, c.byref(buffer), 0x1C)  # strides, format not needed
    try:
        return buffer.buf
    finally:
        _release_buffer(c.byref(buffer))
