"""Files in and out of arrays."""

import ctypes as c
import functools
import os

from . import _lib, _report
from ._arrays import view_of
from ._errors import UsageError, unexpected
from ._libraries import numpy
from ._meaning import Sound, described, sound_of
from ._plans import parse
from ._session import Session, session
from ._structs import CODE, HOST, NAME, NO_SCALE, NONE, SIZE, Array, Bytes, File


def _input(file):
    """The HaloFile of a path, bytes, or an object with read(); and what it points at."""
    if isinstance(file, (str, os.PathLike)):
        return File(path=_lib.encoded(file)), None
    if hasattr(file, "read"):
        file = file.read()
    seen = memoryview(file).cast("B")
    if not seen.nbytes:
        raise UsageError("the input is empty: there are no bytes")
    held = (
        (c.c_char * seen.nbytes).from_buffer_copy(seen)
        if seen.readonly
        else (c.c_char * seen.nbytes).from_buffer(seen)
    )
    return File(bytes=c.addressof(held), size=seen.nbytes), held


class _Output:
    """The HaloFile of a path, an object with write(), or None, for bytes; `how` are members of the struct."""

    def __init__(self, file, format, how):
        self.file = file
        self.collected = Bytes()
        self.struct = File(**{name: value for name, value in how.items() if value is not None})
        if format is not None:
            self.struct.format = _lib.encoded(format)
        if isinstance(file, (str, os.PathLike)):
            self.struct.path = _lib.encoded(file)
        else:
            self.struct.write = _lib.bytes_write
            self.struct.context = c.addressof(self.collected)

    def finish(self):
        """Passes on what was collected; gives it where there is no file."""
        if self.struct.path:
            return None
        made = b""
        if self.collected.size:
            made = (c.c_char * self.collected.size).from_address(self.collected.data).raw
        if self.file is None:
            return made
        self.file.write(made)
        return None

    def free(self):
        """Not left to __del__, in which an interruption would get lost."""
        _lib.halo_free(self.collected.data)


def _helps(function):
    """Names that resemble a wrong one of an argument, in the TypeError."""
    code = function.__code__
    words = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def call(*args, **kwargs):
        for word in kwargs:
            if word not in words:
                raise unexpected(function.__name__, word, words)
        return function(*args, **kwargs)

    return call


def read(file, *, pages=False, format=None, axes=None, rate=None, max_pixels=None):
    """Reads a file.

    Parameters
    ----------
    file : path, bytes or file object
    pages : bool
        Read all pages, which have to be of one size and type, along a first dimension. Else the first is read.
    format : str, optional
        By default the one that the file itself says; text, such as that of tables, says none: "csv".
    axes : str, optional
        Of arrays such as NPY's, as of `run`.
    rate : float, optional
        Of files that have none: frames per second, with which arrays are sound or series.
    max_pixels : int, optional
        Of one page, against files that pretend to be huge.

    Returns
    -------
    array or Sound
        A picture as rows, columns and, where there are several, channels; a sound or a series as a Sound of
        frames and channels. `info` says which channel is alpha, and what full scale is. Pictures of integers of
        more than 16 bits, and of float64, are read as float32: with a `HaloWarning` where that loses more than
        a fraction.
    """
    how = {
        "read_as": None if format is None else _lib.encoded(format),
        "axes": None if axes is None else _lib.encoded(axes),
        "rate": rate,
        "max_pixels": max_pixels,
    }
    how = {name: value for name, value in how.items() if value is not None}
    of = Session(None, None, how) if how else session()
    given, held = _input(file)
    array = Array(alpha=NONE, gpu=HOST)
    try:
        _lib.check(_lib.halo_load(of.handle, c.byref(given), pages, c.byref(array)))
        shape = tuple(array.size[: array.dims])
        size = SIZE[array.type]
        for n in shape:
            size *= n
        memory = bytearray(size)
        c.memmove((c.c_char * size).from_buffer(memory), array.data, size)
    finally:
        _lib.halo_free(array.data)
    if _lib.messages:
        _lib.warn()
    if numpy is not None:
        made = numpy.frombuffer(memory, dtype=NAME[array.type]).reshape(shape)
    else:
        made = memoryview(memory).cast(CODE[array.type], shape)
    if array.rate > 0:
        return Sound(made, array.rate, "none" if array.white == NO_SCALE else None)
    return made


def info(file):
    """What a file holds, of its first page, without reading samples: shape, type, axes, rate, white and alpha.

    Frames of a sound of unknown length are -1; `white` is None where samples are numbers without full scale,
    and `alpha` None where no channel is alpha.
    """
    given, held = _input(file)
    array = Array(alpha=NONE, gpu=HOST)
    _lib.check(_lib.halo_info(session().handle, c.byref(given), c.byref(array)))
    return {
        "shape": tuple(array.size[: array.dims]),
        "dtype": NAME[array.type],
        "axes": array.axes.decode(),
        "rate": array.rate or None,
        "white": None if array.white == NO_SCALE else array.white,
        "alpha": None if array.alpha == NONE else array.alpha,
    }


@_helps
def write(
    file,
    x,
    *,
    format=None,
    axes=None,
    rate=None,
    white=None,
    alpha=None,
    replace=True,
    quality=None,
    level=None,
    bits=None,
    floats=None,
    lossless=None,
    effort=None,
):
    """Writes an array to a file.

    Parameters
    ----------
    file : path, file object or None
        None gives the bytes. What has no name needs `format`, such as "png".
    x : array or Sound
        In host memory. Formats that have its type, as NPY and TIFF have most, keep it; else samples are
        converted: with a `HaloWarning` where some are clipped, or lose more than a fraction.
    format : str, optional
        By default the one that the path's extension says.
    axes, rate, white, alpha
        As of `run`.
    replace : bool
        Replace a file that exists; False keeps it, and raises ExistsError, which is an OutputError and a
        FileExistsError.
    quality : int, optional
        Of lossy formats: 1 to 100.
    level : int, optional
        Of PNG: 1 (fast) to 9 (small); -1: not compressed.
    bits : int, optional
        Of sound: 8, 16, 24 or 32; with `floats` 32. By default what the array's type has.
    floats : bool, optional
        Of sound: floats.
    lossless : bool, optional
        Of WebP, AVIF and JPEG XL, which are lossy otherwise.
    effort : int, optional
        Of the same, HEIC and TIFF: 1 (fast) to 9 (small).
    """
    options = {"rate": rate, "white": white}
    view = view_of(sound_of(x, options))
    if view.gpu != HOST:
        raise UsageError("the array is on a GPU: copy it to host memory first")
    array = described(view, axes, options["rate"], options["white"], alpha)
    how = {
        "replace": replace,
        "quality": quality,
        "level": level,
        "bits": bits,
        "floats": floats,
        "lossless": lossless,
        "effort": effort,
    }
    to = _Output(file, format, how)
    try:
        _lib.check(_lib.halo_save(session().handle, c.byref(array), c.byref(to.struct)))
        made = to.finish()
        if _lib.messages:
            _lib.warn()
        return made
    finally:
        to.free()


@_helps
def run_file(
    pipeline,
    file,
    out=None,
    *,
    device=None,
    precision=None,
    format=None,
    replace=True,
    quality=None,
    level=None,
    bits=None,
    floats=None,
    lossless=None,
    effort=None,
    strip=None,
):
    """Runs a pipeline on a file of any size, page by page and in bands, with its metadata.

    Parameters
    ----------
    pipeline : str
    file : path, bytes or file object
    out : path, file object or None
        None: only results are wanted.
    device, precision
        As of `run`.
    format, replace, quality, level, bits, floats, lossless, effort
        As of `write`; without a path's extension the format is the input's.
    strip : bool, optional
        Write none of the input's metadata.

    Returns
    -------
    list of Table
    """
    of = session(device, precision)
    given, held = _input(file)
    how = {
        "replace": replace,
        "quality": quality,
        "level": level,
        "bits": bits,
        "floats": floats,
        "lossless": lossless,
        "effort": effort,
        "strip": strip,
    }
    to = _Output(out, format, how) if out is not None else None
    report = c.c_void_p()
    parsed = parse(of, pipeline)
    target = c.byref(to.struct) if to else None
    try:
        _lib.check(_lib.halo_run(of.handle, parsed.handle, c.byref(given), target, c.byref(report)))
        tables = _report.read(report)
        if to is not None:
            to.finish()
        if _lib.messages:
            _lib.warn()
    finally:
        _lib.halo_report_close(report)
        if to is not None:
            to.free()
    return tables
