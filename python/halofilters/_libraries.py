"""Arrays of other libraries: where their elements lie, and new ones of the same kind.

A library is a class with `view(x)` and `new(view, shape, kind)`, found by the module that defines the array's
type. It is imported by the program that made the array, never from here.
"""

import ctypes as c
import sys

from ._errors import UsageError
from ._lib import warn_of
from ._structs import F32, F64, HOST, NAME, SIZE, TYPE_OF_NAME, U8

try:
    import numpy
except ImportError:  # then arrays come as buffers
    numpy = None


class View:
    """Where an array's elements lie. `strides` None: in C order without gaps."""

    __slots__ = ("gpu", "keep", "kind", "library", "pointer", "shape", "strides")

    def __init__(self, library, keep, pointer, shape, strides, kind, gpu=HOST):
        self.library = library
        self.keep = keep
        self.pointer = pointer
        self.shape = tuple(shape)
        self.strides = strides
        self.kind = kind
        self.gpu = gpu


def c_strides(shape, size):
    strides = []
    for n in reversed(shape):
        strides.append(size)
        size *= n
    return tuple(reversed(strides))


def no_type(name):
    return UsageError(
        f"arrays of {name} cannot be filtered: expected integers or floats, such as uint8, uint16 or float32"
    )


# ---- NumPy ---------------------------------------------------------------------------------------------------

_dtype_of = {} if numpy is None else {kind: numpy.dtype(name) for kind, name in NAME.items()}
_kind_of = {dtype: kind for kind, dtype in _dtype_of.items()}


def _address_reader():
    """The function that gives the address of an array's first element. NumPy's arrays begin with it, behind the
    header that all objects have; a dictionary of __array_interface__ takes ten times as long."""
    behind, at = object.__basicsize__, c.c_void_p.from_address

    def quick(x):
        return at(id(x) + behind).value

    def plain(x):
        return x.__array_interface__["data"][0]

    probe = numpy.arange(3)
    same = sys.implementation.name == "cpython" and quick(probe) == plain(probe)
    return quick if same else plain


address_of = None if numpy is None else _address_reader()


def unmasked(x):
    """Refuses a masked array: what is masked would be taken for samples."""
    if not isinstance(x, numpy.ma.MaskedArray):
        return x
    if numpy.ma.is_masked(x):
        raise UsageError(
            "a masked array would lose its mask: np.ma.filled(x, value) gives an array; of floats filled by nan,"
            " filters with nan='ignore' leave such samples out"
        )
    return x.data


class NumPy:
    """NumPy's arrays, and what can become one without a copy or with one."""

    kind_of, dtype_of = _kind_of, _dtype_of

    @staticmethod
    def address(x):
        return address_of(numpy.asarray(x))

    @staticmethod
    def view(x):
        if not isinstance(x, numpy.ndarray):
            x = numpy.asarray(x)
        elif type(x) is not numpy.ndarray:
            x = unmasked(x)
        if x.dtype == numpy.bool_:
            x = x.view(numpy.uint8)
        kind = _kind_of.get(x.dtype)
        if kind is None:
            x, kind = NumPy.convert(x)
        strides = None if x.flags.c_contiguous else x.strides
        if strides is not None and not any(strides):  # one element everywhere; to halo, it would be no strides
            x, strides = numpy.ascontiguousarray(x), None
        return View(NumPy, x, address_of(x), x.shape, strides, kind)

    @staticmethod
    def kind_of_other(dtype):
        """The type that arrays become of another byte order, of uint64 and of long double."""
        kind = _kind_of.get(dtype.newbyteorder("="))
        if kind is None and dtype.kind not in "uif":
            raise no_type(dtype)
        return F64 if kind is None else kind

    @staticmethod
    def convert(x):
        kind = NumPy.kind_of_other(x.dtype)
        made = x.astype(_dtype_of[kind])
        if x.dtype.kind == "u" and kind == F64:
            whole = made < 2.0**64  # others have no uint64
            lost = x.size - int(numpy.count_nonzero(made[whole].astype(x.dtype) == x[whole]))
            if lost:
                warn_of(f"{lost} samples are rounded to the 53 bits of float64")
        return made, kind

    @staticmethod
    def new(view, shape, kind):
        return NumPy.view(numpy.empty(shape, _dtype_of[kind]))

    @staticmethod
    def stream(view):
        return None


# ---- CuPy ----------------------------------------------------------------------------------------------------


class CuPy:
    kind_of, dtype_of = _kind_of, _dtype_of

    @staticmethod
    def address(x):
        return x.__cuda_array_interface__["data"][0]

    @staticmethod
    def view(x):
        cupy = sys.modules["cupy"]
        kind = _kind_of.get(x.dtype)
        if kind is None:
            if x.dtype == bool:
                x, kind = x.view(cupy.uint8), U8
            elif x.dtype.kind in "uif":
                x, kind = x.astype(cupy.float64), F64
            else:
                raise no_type(x.dtype)
        if not x.flags.c_contiguous:
            x = cupy.ascontiguousarray(x)
        data = x.data
        return View(CuPy, x, data.ptr, x.shape, None, kind, data.device_id)

    @staticmethod
    def new(view, shape, kind):
        cupy = sys.modules["cupy"]
        if cupy.cuda.runtime.getDevice() == view.gpu:
            made = cupy.empty(shape, _dtype_of[kind])
        else:
            with cupy.cuda.Device(view.gpu):
                made = cupy.empty(shape, _dtype_of[kind])
        return View(CuPy, made, made.data.ptr, shape, None, kind, view.gpu)

    @staticmethod
    def convert(view, kind):
        return CuPy.view(view.keep.astype(NAME[kind]))

    @staticmethod
    def stream(view):
        cuda = sys.modules["cupy"].cuda
        if cuda.runtime.getDevice() == view.gpu:
            return cuda.get_current_stream().ptr
        with cuda.Device(view.gpu):
            return cuda.get_current_stream().ptr


# ---- PyTorch -------------------------------------------------------------------------------------------------


class Torch:
    kind_of, dtype_of = {}, {}  # filled when the first tensor comes

    @staticmethod
    def address(x):
        return x.data_ptr()

    @staticmethod
    def view(x):
        torch = sys.modules["torch"]
        if not Torch.kind_of:
            Torch.dtype_of.update(
                (kind, getattr(torch, name)) for kind, name in NAME.items() if hasattr(torch, name)
            )
            Torch.kind_of.update((dtype, kind) for kind, dtype in Torch.dtype_of.items())
        device = x.device
        if device.type not in ("cpu", "cuda"):
            raise UsageError(f"a tensor on {device} cannot be filtered: copy it to the CPU or a CUDA device")
        if x.layout is not torch.strided:
            raise UsageError("a sparse tensor cannot be filtered: make it dense")
        if x.requires_grad:
            x = x.detach()
        if x.is_neg():
            x = x.resolve_neg()
        kind = Torch.kind_of.get(x.dtype)
        if kind is None:
            if x.dtype is torch.bool:
                x, kind = x.view(torch.uint8), U8
            elif x.dtype.is_floating_point:
                x, kind = x.float(), F32  # bfloat16
            else:
                raise no_type(x.dtype)
        gpu = HOST if device.type == "cpu" else device.index
        strides = None
        if not x.is_contiguous():
            if gpu == HOST and any(x.stride()):
                strides = tuple(n * SIZE[kind] for n in x.stride())
            else:
                x = x.contiguous()
        return View(Torch, x, x.data_ptr(), x.shape, strides, kind, gpu)

    @staticmethod
    def new(view, shape, kind):
        made = sys.modules["torch"].empty(shape, dtype=Torch.dtype_of[kind], device=view.keep.device)
        return View(Torch, made, made.data_ptr(), shape, None, kind, view.gpu)

    @staticmethod
    def convert(view, kind):
        return Torch.view(view.keep.to(Torch.dtype_of[kind]))

    @staticmethod
    def stream(view):
        if view.gpu == HOST:
            return None
        return sys.modules["torch"].cuda.current_stream(view.gpu).cuda_stream


# ---- JAX -----------------------------------------------------------------------------------------------------


class Jax:
    """Arrays do not change once made, and streams are XLA's own: the input is waited for, and so is the
    result."""

    waits = True

    @staticmethod
    def view(x):
        jax = sys.modules["jax"]
        if x.is_fully_addressable and len(x.devices()) != 1:
            raise UsageError("an array that is spread over devices cannot be filtered: gather it first")
        device = next(iter(x.devices()))
        if device.platform == "cpu":
            view = NumPy.view(numpy.asarray(x))
            view.library = Jax
            return view
        if x.dtype == bool:
            x = x.astype("uint8")
        kind = TYPE_OF_NAME.get(x.dtype.name)
        if kind is None:
            x, kind = x.astype(jax.numpy.float32), F32
        x.block_until_ready()
        return View(Jax, x, x.unsafe_buffer_pointer(), x.shape, None, kind, device.local_hardware_id or 0)

    @staticmethod
    def new(view, shape, kind):
        if view.gpu == HOST:
            made = NumPy.new(view, shape, kind)
            made.library = Jax
            return made
        jax = sys.modules["jax"]
        device = next(iter(view.keep.devices()))
        made = jax.device_put(jax.numpy.zeros(shape, NAME[kind]), device)
        made.block_until_ready()
        return View(Jax, made, made.unsafe_buffer_pointer(), shape, None, kind, view.gpu)

    @staticmethod
    def finish(view):
        if view.gpu != HOST:
            return view.keep
        return sys.modules["jax"].numpy.asarray(view.keep)

    @staticmethod
    def convert(view, kind):
        return Jax.view(view.keep.astype(NAME[kind]))

    @staticmethod
    def stream(view):
        return None
