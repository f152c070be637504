"""The usual call: an array of NumPy, CuPy or PyTorch, and a plan from an earlier call with the same arguments
on an array of this size and type. Little is done for it: the library's structs are there, and get two
addresses.

QUICK has, by the type of the array, a function (plans, x, args, out) that gives the result, or None where there
is no such plan: then the call goes the general way, which ends in `remember`. `plans` are those of a function
or a pipeline, and `args`, which are hashable, all that the plan depends on beside the array: values and their
types, as 1, 1.0 and True are equal.
"""

import os
import sys

from . import _lib
from ._arrays import library_of
from ._libraries import CuPy, NumPy, Torch, address_of, numpy
from ._session import bound

_MOST_CALLS = 1024
_run, _fail, _messages, _warn = _lib.halo_plan_run, _lib.fail, _lib.messages, _lib.warn
_raised = _lib.raised


class Ready:
    """A plan, and what its results are in the array's library."""

    __slots__ = ("dtype", "handle", "like", "plan", "shape", "structs")

    def __init__(self, plan, dtype, like):
        self.plan = plan
        self.handle = plan.handle
        self.structs = plan.structs
        self.shape = plan.shape
        self.dtype = dtype
        self.like = like  # the result has the size and type of the input

    def run(self, source, target, stream=None, strides=None):
        structs = inputs, output, at, to = self.structs()
        inputs[0].data = source
        output.data = target
        if strides is not None:
            inputs[0].stride[: len(strides)] = strides
        status = _run(self.handle, at, to, stream, None)
        if status or _raised:
            _fail(status)
        if strides is None:
            self.plan.pool.append(structs)
        if _messages:
            _warn()


def _of_numpy():
    array, empty = numpy.ndarray, numpy.empty

    def quick(plans, x, args, out):
        ready = plans.get((x.shape, x.dtype, args))
        if ready is None:
            return None
        if out is None:
            out = empty(ready.shape, ready.dtype)
        elif type(out) is not array or out.shape != ready.shape or out.dtype != ready.dtype:
            return None
        elif not (out.flags.c_contiguous and out.flags.writeable):
            return None
        strides = None if x.flags.c_contiguous else x.strides
        if strides is not None and not any(strides):
            return None
        ready.run(address_of(x), address_of(out), None, strides)
        return out

    return quick


def _of_cupy():
    cupy = sys.modules["cupy"]
    array, device, stream = cupy.ndarray, cupy.cuda.runtime.getDevice, cupy.cuda.get_current_stream

    def quick(plans, x, args, out):
        data = x.data
        gpu = data.device_id
        ready = plans.get((x.shape, x.dtype, gpu, args))
        if ready is None or not x.flags.c_contiguous or device() != gpu:
            return None
        if out is None:
            out = array(ready.shape, ready.dtype)
        elif type(out) is not array or out.shape != ready.shape or out.dtype != ready.dtype:
            return None
        elif out.data.device_id != gpu or not out.flags.c_contiguous:
            return None
        ready.run(data.ptr, out.data.ptr, stream().ptr)
        return out

    return quick


def _of_torch():
    torch = sys.modules["torch"]
    kinds, strided = (torch.Tensor, torch.nn.Parameter), torch.strided
    empty, empty_like = torch.empty, torch.empty_like
    # The number alone, without an object for the stream.
    stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    if stream is None:

        def stream(gpu):
            return torch.cuda.current_stream(gpu).cuda_stream

    def plain(x):
        return x.is_contiguous() if x.layout is strided and not x.is_neg() else False

    def quick(plans, x, args, out):
        gpu = x.get_device() if x.is_cuda else -1 if x.is_cpu else None
        ready = plans.get((x.shape, x.dtype, gpu, args))
        if ready is None or not plain(x):
            return None
        if out is None:
            out = empty_like(x) if ready.like else empty(ready.shape, dtype=ready.dtype, device=x.device)
        elif type(out) not in kinds or out.shape != ready.shape or out.dtype is not ready.dtype:
            return None
        elif out.device != x.device or not plain(out):
            return None
        ready.run(x.data_ptr(), out.data_ptr(), None if gpu < 0 else stream(gpu))
        return out

    return quick


QUICK = {} if numpy is None else {numpy.ndarray: _of_numpy()}


def _add_types(library):
    if library is CuPy and sys.modules["cupy"].ndarray not in QUICK:
        QUICK[sys.modules["cupy"].ndarray] = _of_cupy()
    elif library is Torch and sys.modules["torch"].Tensor not in QUICK:
        torch = sys.modules["torch"]
        QUICK[torch.Tensor] = QUICK[torch.nn.Parameter] = _of_torch()


_PLAIN = (str, bytes, int, float, os.PathLike) + (() if numpy is None else (numpy.generic,))


def _lasting(value):
    """Does a value stay what it is? Tensors are keys by their identity, and may change."""
    if isinstance(value, (tuple, frozenset)):
        return all(map(_lasting, value))
    return value is None or isinstance(value, (type, *_PLAIN))


def remember(plans, x, args, plan):
    """Keeps the plan of a call for the next one like it."""
    library = library_of(x)
    if plan.once or plan.reports or library not in (NumPy, CuPy, Torch) or not _lasting(args):
        return
    given = plan.inputs[0]
    if library.kind_of.get(x.dtype) != given.type:  # it was converted
        return
    what = (x.shape, x.dtype) if library is NumPy else (x.shape, x.dtype, given.gpu)
    ready = Ready(plan, library.dtype_of[plan.kind], plan.shape == x.shape and plan.kind == given.type)
    try:
        bound(plans, _MOST_CALLS)
        plans[(*what, args)] = ready
    except TypeError:  # arguments that are not hashable
        return
    _add_types(library)
