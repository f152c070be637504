"""Any array: its library, its view, and the array that a caller gets."""

import array as _array
import os

from ._buffers import Buffers
from ._errors import UsageError
from ._libraries import CuPy, Jax, NumPy, Torch, numpy

LIBRARIES = {"numpy": NumPy, "cupy": CuPy, "torch": Torch, "jax": Jax, "jaxlib": Jax}


def _on_device(x):
    """What has __cuda_array_interface__ or DLPack's on a device, by way of CuPy or PyTorch; else None."""
    if hasattr(x, "__cuda_array_interface__"):
        for name, convert in (("cupy", "asarray"), ("torch", "as_tensor")):
            try:
                module = __import__(name)
            except ImportError:
                continue
            made = getattr(module, convert)(x, **({"device": "cuda"} if name == "torch" else {}))
            return LIBRARIES[name].view(made)
        raise UsageError("arrays on a GPU need CuPy or PyTorch, which allocate the result")
    if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] == 2:
        for name in ("cupy", "torch"):
            try:
                module = __import__(name)
            except ImportError:
                continue
            return LIBRARIES[name].view(module.from_dlpack(x))
        raise UsageError("arrays on a GPU need CuPy or PyTorch, which allocate the result")
    return None


def library_of(x):
    """The library that an array is of; None for others."""
    return LIBRARIES.get(type(x).__module__.partition(".")[0])


def dims_of(x):
    """How many dimensions an array, a buffer or a list has."""
    dims = getattr(x, "ndim", None)
    if dims is None:
        try:
            dims = memoryview(x).ndim
        except TypeError:
            dims = numpy.ndim(x) if numpy is not None else 0
    return dims


def view_of(x):
    """The view of any array."""
    if isinstance(x, (str, os.PathLike)):
        name = os.fspath(x)
        raise UsageError(f"{name!r} is no array: hf.read reads a file, hf.run_file runs a pipeline on it")
    library = library_of(x)
    if library is not None and (library is not NumPy or numpy is not None):
        return _checked(library.view(x))
    if type(x).__module__.partition(".")[0] == "dask":
        raise UsageError(
            "an array of Dask is in chunks: hf.map_overlap runs a pipeline on them, hf.stats and hf.hist measure"
            " them, and x.compute() makes one array of all"
        )
    on_device = _on_device(x)
    if on_device is not None:
        return _checked(on_device)
    if isinstance(x, (bytes, bytearray, memoryview, _array.array)):
        if numpy is not None and memoryview(x).format[:1] in "<>" and not Buffers.has_type_of(x):
            return _checked(NumPy.view(numpy.asarray(x)))  # of another byte order
        return _checked(Buffers.view(x))
    if numpy is None:
        if isinstance(x, (list, tuple)):
            raise UsageError(f"a {type(x).__name__} needs NumPy, which is not installed; a buffer does not")
        return _checked(Buffers.view(x))
    if hasattr(x, "__dlpack__") and not hasattr(x, "__array__"):
        return _checked(NumPy.view(numpy.from_dlpack(x)))
    return _checked(NumPy.view(x))


def _checked(view):
    if not view.shape:
        raise UsageError("a single number cannot be filtered: expected an array")
    if len(view.shape) > 6:
        raise UsageError(f"an array of {len(view.shape)} dimensions: expected up to 6")
    return view


def finished(view):
    """The array that a caller gets."""
    finish = getattr(view.library, "finish", None)
    return finish(view) if finish else view.keep
