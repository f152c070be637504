"""Several arrays: stacks and comparisons."""

import ctypes as c
import math

from . import _lib
from ._arrays import finished, view_of
from ._errors import UsageError
from ._libraries import numpy
from ._meaning import Sound, described, of_one_rate, sound_of
from ._session import session
from ._structs import F32, F64, HOST, U8, U16, Array, Difference


def _on_host(view, what):
    if view.gpu != HOST:
        raise UsageError(f"{what} works on arrays in host memory: copy it first")
    return view


def stack(what, arrays, *, dtype=None, axes=None, white=None):
    """Reduces many arrays to one, sample by sample.

    Parameters
    ----------
    what : str
        "mean", "median", "min", "max", "sum", "sd", "range", "mean:clip=3" (of the samples within 3 standard
        deviations of the median), or an expression such as "max(a,b)", which starts with the first array.
    arrays : sequence of arrays or Sounds, or one array
        Of one size and type. Of a single array the first axis is that of its pages.
    dtype : "float32" or "float64", optional
        The type of the result: by default float64 of sums and expressions; else that of arrays of uint8 and
        uint16, and float32 of others.

    Returns
    -------
    array, or a Sound of Sounds
    """
    arrays = list(arrays)
    if not arrays:
        raise UsageError("there is no array to stack")
    sounds = [one for one in arrays if isinstance(one, Sound)]
    for one in sounds[1:]:
        of_one_rate(sounds[0].rate, one)
    views = [_on_host(view_of(one.data if isinstance(one, Sound) else one), "stack") for one in arrays]
    given = (Array * len(views))(*[described(view, axes, None, white) for view in views])
    wide = what in ("sum",) or not what.replace(":clip=", "").replace(".", "").isalnum()
    if dtype is not None:
        kind = {"float32": F32, "float64": F64}.get(str(numpy.dtype(dtype) if numpy is not None else dtype))
        if kind is None:
            raise UsageError(f"dtype={dtype}: expected float32 or float64")
    elif wide:
        kind = F64
    else:
        kind = views[0].kind if views[0].kind in (U8, U16) else F32
    made = views[0].library.new(views[0], views[0].shape, kind)
    out = described(made, axes)
    of = session()
    _lib.check(_lib.halo_stack_arrays(of.handle, _lib.encoded(what), given, len(views), c.byref(out)))
    if _lib.messages:
        _lib.warn()
    made = finished(made)
    return Sound(made, sounds[0].rate, sounds[0].white) if len(sounds) == len(arrays) else made


def compare(a, b, *, axes=None, rate=None, white=None):
    """How two arrays differ, in units of the first.

    Returns
    -------
    dict
        samples, differing; max, mean and rmse of the differences; where the greatest is: max_x, max_y,
        max_channel; psnr in dB, ssim of pictures, lag and correlation of sound. What is not defined is None.
    """
    options = {"rate": rate, "white": white}
    if isinstance(a, Sound):
        of_one_rate(a.rate, b)
    views = [_on_host(view_of(sound_of(one, options)), "compare") for one in (a, b)]
    given = (Array * 2)(*[described(view, axes, options["rate"], options["white"]) for view in views])
    found = Difference()
    _lib.check(_lib.halo_compare_arrays(session().handle, given, c.byref(found)))
    if _lib.messages:
        _lib.warn()
    values = {name: getattr(found, name) for name, _ in Difference._fields_[1:]}
    return {
        name: None
        if (isinstance(value, float) and math.isnan(value)) or (name.startswith("max_") and value < 0)
        else value
        for name, value in values.items()
    }
