"""Files in and out of arrays, and batches of files."""

import ctypes as c
import os
import warnings

from . import _lib, _report
from ._arrays import CODE, SIZE, numpy, view_of
from ._errors import CLASS_OF, Error, HaloWarning, UsageError
from ._pipeline import Sound, _sound_of, described, parse
from ._session import session


def _input(file):
    """The HaloFile of a path, bytes, or an object with read(); and what it points at."""
    if isinstance(file, (str, os.PathLike)):
        return _lib.File(path=os.fsencode(file)), None
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
    return _lib.File(bytes=c.addressof(held), size=seen.nbytes), held


def _output(file, collected, **how):
    """The HaloFile of a path, an object with write(), or None, for bytes."""
    format_ = how.pop("format", None)
    given = _lib.File(**{name: value for name, value in how.items() if value is not None})
    if format_ is not None:
        given.format = format_.encode()
    if isinstance(file, (str, os.PathLike)):
        given.path = os.fsencode(file)
        return given

    def write(_, data, size):
        collected.append(c.string_at(data, size))
        return size

    given.write = _lib.READ(write)
    return given


def read(file, *, pages=False):
    """Reads a file.

    Parameters
    ----------
    file : path, bytes or file object
    pages : bool
        Read all pages, which have to be of one size and type, along a first dimension. Else the first is read.

    Returns
    -------
    array or Sound
        A picture as rows, columns and, where there are several, channels; a sound or a series as a Sound of
        frames and channels. `info` says which channel is alpha, and what full scale is.
    """
    of = session()
    given, held = _input(file)
    array = _lib.Array(alpha=_lib.NONE, gpu=_lib.HOST)
    _lib.check(_lib.halo_load(of.handle, c.byref(given), pages, c.byref(array)))
    if _lib.messages:
        _lib.warn()
    shape = tuple(array.size[: array.dims])
    size = SIZE[array.type]
    for n in shape:
        size *= n
    try:
        memory = bytearray(size)
        c.memmove((c.c_char * size).from_buffer(memory), array.data, size)
    finally:
        _lib.halo_free(array.data)
    if numpy is not None:
        made = numpy.frombuffer(memory, dtype=_lib.NAME[array.type]).reshape(shape)
    else:
        made = memoryview(memory).cast(CODE[array.type], shape)
    if array.rate > 0:
        return Sound(made, array.rate, "none" if array.white == _lib.NO_SCALE else None)
    return made


def info(file):
    """What a file holds, of its first page, without reading samples: shape, type, axes, rate, white and alpha.

    Frames of a sound of unknown length are -1; `white` is None where samples are numbers without full scale,
    and `alpha` None where no channel is alpha.
    """
    given, held = _input(file)
    array = _lib.Array(alpha=_lib.NONE, gpu=_lib.HOST)
    _lib.check(_lib.halo_info(session().handle, c.byref(given), c.byref(array)))
    return {
        "shape": tuple(array.size[: array.dims]),
        "dtype": _lib.NAME[array.type],
        "axes": array.axes.decode(),
        "rate": array.rate or None,
        "white": None if array.white == _lib.NO_SCALE else array.white,
        "alpha": None if array.alpha == _lib.NONE else array.alpha,
    }


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
        In host memory.
    format : str, optional
        By default the one that the path's extension says.
    axes, rate, white, alpha
        As of `run`.
    replace : bool
        Replace a file that exists; False keeps it, and raises OutputError.
    quality : int, optional
        Of lossy formats: 1 to 100.
    level : int, optional
        Of PNG: 1 (fast) to 9 (small); -1: not compressed.
    bits : int, optional
        Of sound: 8, 16, 24 or 32; with `floats` 32.
    floats : bool, optional
        Of sound: floats.
    lossless : bool, optional
        Of WebP, AVIF and JPEG XL, which are lossy otherwise.
    effort : int, optional
        Of the same, HEIC and TIFF: 1 (fast) to 9 (small).
    """
    options = {"rate": rate, "white": white}
    view = view_of(_sound_of(x, options))
    if view.gpu != _lib.HOST:
        raise UsageError("the array is on a GPU: copy it to host memory first")
    array = described(view, axes, options["rate"], options["white"], alpha)
    collected = []
    how = {
        "format": format,
        "replace": replace,
        "quality": quality,
        "level": level,
        "bits": bits,
        "floats": floats,
        "lossless": lossless,
        "effort": effort,
    }
    given = _output(file, collected, **how)
    _lib.check(_lib.halo_save(session().handle, c.byref(array), c.byref(given)))
    if _lib.messages:
        _lib.warn()
    if given.path:
        return None
    made = b"".join(collected)
    if file is None:
        return made
    file.write(made)
    return None


def run_file(pipeline, file, out=None, *, device=None, precision=None, **how):
    """Runs a pipeline on a file of any size, page by page and in bands, with its metadata.

    Parameters
    ----------
    pipeline : str
    file : path, bytes or file object
    out : path, file object or None
        None: only results are wanted.
    device, precision
        As of `run`.
    **how
        format, replace, quality, level, bits, floats, lossless and effort, as of `write`; strip=True writes no
        metadata.

    Returns
    -------
    list of Table
    """
    of = session(device, precision)
    given, held = _input(file)
    collected = []
    how.setdefault("replace", True)
    to = _output(out, collected, **how) if out is not None else None
    report = c.c_void_p()
    parsed = parse(of, pipeline)
    _lib.check(
        _lib.halo_run(of.handle, parsed.handle, c.byref(given), c.byref(to) if to else None, c.byref(report))
    )
    try:
        tables = _report.read(report)
    finally:
        _lib.halo_report_close(report)
    if _lib.messages:
        _lib.warn()
    if to is not None and not to.path:
        out.write(b"".join(collected))
    return tables


# ---- batches -------------------------------------------------------------------------------------------------


def program():
    """The path of the `halo` program that comes with this package."""
    given = os.environ.get("HALO_PROGRAM")
    if given:
        return given
    return os.path.join(os.path.dirname(__file__), "bin", "halo")


def _arguments(options):
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield flag
        elif isinstance(value, (list, tuple)):
            for one in value:
                yield from (flag, str(one))
        else:
            yield from (flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value))


def batch(pipeline, inputs, *, out_dir=None, check=True, **options):
    """Runs a pipeline on many files by the `halo` program: several at a time, and never a half-written file.

    Parameters
    ----------
    pipeline : str
    inputs : path or list of paths
        Files, and folders with recursive=True.
    out_dir : path
        Where the outputs go. None: only results are wanted.
    check : bool
        Raise an exception if an input failed. Warnings tell of each failure in any case.
    **options
        Those of `halo run`, with _ for -: resume=True, name="{stem}_s.png", jobs=2, device="cpu",
        recursive=True. A folder sets recursive=True.

    Returns
    -------
    list of dict
        What `--json` prints, an object for each line.
    """
    import json
    import subprocess

    if isinstance(inputs, (str, os.PathLike)):
        inputs = [inputs]
    inputs = [os.fspath(one) for one in inputs]
    if any(os.path.isdir(one) for one in inputs):
        options.setdefault("recursive", True)
    if out_dir is not None:
        options["out_dir"] = out_dir
    command = [program(), "run", "--json", "--verbose", *_arguments(options), "--", pipeline, *inputs]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    rows, failures = [], []
    for line in (done.stdout + done.stderr).decode("utf-8", "replace").splitlines():
        try:
            rows.append(json.loads(line))
        except ValueError:
            failures.append(line.removeprefix("halo: ") if hasattr(line, "removeprefix") else line)
    if done.returncode:
        text = "; ".join(failures) or f"halo ended with status {done.returncode}"
        if check:
            raise CLASS_OF.get(done.returncode, Error)(text)
        warnings.warn(text, HaloWarning, stacklevel=2)
    return rows
