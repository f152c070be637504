"""Several arrays: stacks, comparisons, and arrays in chunks (Dask)."""

import ctypes as c
import math

from . import _lib
from ._arrays import finished, numpy, view_of
from ._errors import InputError, UsageError
from ._lib import F32, F64, HOST
from ._pipeline import Pipeline, Sound, _sound_of, described
from ._report import Table
from ._session import session


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
        deviations of the median), or an expression such as "max(a,b)".
    arrays : sequence of arrays, or one array
        Of one size and type. Of a single array the first axis is that of its pages.
    dtype : "float32" or "float64", optional
        The type of the result: by default that of the arrays, and float64 for sums and expressions.

    Returns
    -------
    array
    """
    if hasattr(arrays, "shape") and len(arrays.shape) > 1:
        arrays = list(arrays)
    views = [_on_host(view_of(one.data if isinstance(one, Sound) else one), "stack") for one in arrays]
    if not views:
        raise UsageError("there is no array to stack")
    given = (_lib.Array * len(views))(*[described(view, axes, None, white) for view in views])
    wide = what in ("sum",) or not what.replace(":clip=", "").replace(".", "").isalnum()
    if dtype is not None:
        kind = {"float32": F32, "float64": F64}.get(str(numpy.dtype(dtype) if numpy is not None else dtype))
        if kind is None:
            raise UsageError(f"dtype={dtype}: expected float32 or float64")
    elif wide:
        kind = F64
    else:
        kind = views[0].kind if views[0].kind in (_lib.U8, _lib.U16) else F32
    made = views[0].library.new(views[0], views[0].shape, kind)
    out = described(made, axes)
    of = session()
    _lib.check(_lib.halo_stack_arrays(of.handle, what.encode(), given, len(views), c.byref(out)))
    return finished(made)


def compare(a, b, *, axes=None, rate=None, white=None):
    """How two arrays differ, in units of the first.

    Returns
    -------
    dict
        samples, differing; max, mean and rmse of the differences; where the greatest is: max_x, max_y,
        max_channel; psnr in dB, ssim of pictures, lag and correlation of sound. What is not defined is None.
    """
    options = {"rate": rate, "white": white}
    views = [_on_host(view_of(_sound_of(one, options)), "compare") for one in (a, b)]
    given = (_lib.Array * 2)(*[described(view, axes, options["rate"], options["white"]) for view in views])
    found = _lib.Difference()
    _lib.check(_lib.halo_compare_arrays(session().handle, given, c.byref(found)))
    values = {name: getattr(found, name) for name, _ in _lib.Difference._fields_[1:]}
    return {
        name: None
        if (isinstance(value, float) and math.isnan(value)) or (name.startswith("max_") and value < 0)
        else value
        for name, value in values.items()
    }


# ---- arrays in chunks ----------------------------------------------------------------------------------------


def _axes_of(x, axes, rate):
    """A letter for each dimension."""
    if axes is None:
        last = x.shape[-1] <= 4
        if rate:
            axes = {1: "t", 2: "tc"}.get(x.ndim)
        else:
            axes = {1: "w", 2: "hw", 3: "hwc" if last else None, 4: "nhwc" if last else None}.get(x.ndim)
        if axes is None:
            raise UsageError(
                f"the array has {x.ndim} dimensions: say what they are by axes, such as 'zyx' or 'hwc'"
            )
    if len(axes) != x.ndim:
        raise UsageError(f"axes='{axes}' and an array of {x.ndim} dimensions: expected a letter for each")
    return axes


def _depths(pipeline, like, axes, rate):
    """How far each axis has to overlap, {axis: (before, after)}; None: all of it is needed."""
    found = pipeline.reach(like)
    if found is None:
        return None
    left, right, up, down = found
    across, along = ("t", "") if rate else ("wx", "hy")
    depth = {}
    for i, letter in enumerate(axes):
        if letter in across:
            depth[i] = (left, right)
        elif letter in along:
            depth[i] = (up, down)
    return depth


def _run_chunk(block, pipeline, options):
    from ._pipeline import run

    if isinstance(block, numpy.ndarray):
        block = numpy.ascontiguousarray(block)
    return run(pipeline, block, **options)


def _overlapped(block, pipeline, options, axes, depth, location):
    """A chunk with its surroundings: runs the pipeline, and cuts the surroundings off."""
    made = _run_chunk(block, pipeline, options)
    cut = []
    for i in range(len(axes)):
        before = depth.get(i, (0, 0))[0]
        start, stop = location[i]
        first = start - max(start - before, 0)
        cut.append(slice(first, first + stop - start))
    return made[tuple(cut)]


def map_overlap(x, pipeline, *, axes=None, rate=None, white=None, alpha=None, precision=None):
    """Runs a pipeline on an array of Dask, chunk by chunk: the result is the same as that of the whole array at
    once.

    Chunks overlap by as much as the pipeline reads (`Pipeline.reach`). A pipeline that needs the whole array,
    such as "normalize", is refused. `stats` and `hist` take arrays of Dask themselves.

    Parameters
    ----------
    x : dask.array.Array
        Channels have to lie in one chunk.
    pipeline : str
    axes, rate, white, alpha, precision
        As of `run`.

    Returns
    -------
    dask.array.Array
    """
    import dask
    import dask.array as da

    axes = _axes_of(x, axes, rate)
    options = {
        "axes": axes,
        "rate": rate,
        "white": white,
        "alpha": alpha,
        "precision": precision,
    }
    whole = Pipeline(pipeline, axes=axes, rate=rate, white=white, alpha=alpha, precision=precision)
    like = _Like(
        tuple(n if one == "c" else min(n, 64) if one in "hywxt" else 1 for one, n in zip(axes, x.shape)),
        x.dtype,
    )
    output = whole.output(like)
    if output is None:
        raise UsageError(f"'{pipeline}' only measures: hf.stats and hf.hist take arrays of Dask")
    depth = _depths(whole, like, axes, rate)
    if depth is None:
        raise UsageError(f"'{pipeline}' depends on all of the array, or on places in it: chunks do not suffice")
    if "c" in axes and x.numblocks[axes.index("c")] > 1:
        x = x.rechunk({axes.index("c"): -1})
    task = dask.delayed(_overlapped, pure=True)
    edges = [[0] for _ in range(x.ndim)]
    for i, sizes in enumerate(x.chunks):
        for n in sizes:
            edges[i].append(edges[i][-1] + n)
    blocks = numpy.empty(x.numblocks, dtype=object)
    for at in numpy.ndindex(*x.numblocks):
        location = [(edges[i][k], edges[i][k + 1]) for i, k in enumerate(at)]
        around = tuple(
            slice(max(start - depth.get(i, (0, 0))[0], 0), min(stop + depth.get(i, (0, 0))[1], x.shape[i]))
            for i, (start, stop) in enumerate(location)
        )
        made = task(x[around], pipeline, options, axes, depth, location)
        blocks[at] = da.from_delayed(made, tuple(stop - start for start, stop in location), dtype=output[1])
    return da.block(blocks.tolist())


class _Like:
    """A shape and a type."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype = shape, dtype


def is_chunked(x):
    """Is it an array of Dask?"""
    return type(x).__module__.partition(".")[0] == "dask" and hasattr(x, "to_delayed")


def _chunks(x, axes):
    """Chunks as delayed arrays, in order, with where they begin; channels in one."""
    if "c" in axes and x.numblocks[axes.index("c")] > 1:
        x = x.rechunk({axes.index("c"): -1})
    blocks = x.to_delayed()
    starts = [[0] for _ in range(x.ndim)]
    for i, sizes in enumerate(x.chunks):
        for n in sizes[:-1]:
            starts[i].append(starts[i][-1] + n)
    return [
        (
            blocks[at],
            tuple(starts[i][k] for i, k in enumerate(at)),
            tuple(x.chunks[i][k] for i, k in enumerate(at)),
        )
        for at in numpy.ndindex(*x.numblocks)
    ]


def _measure(block, pipeline, options):
    """The tables of a chunk; of pages, one after the other."""
    return _run_chunk(block, pipeline, options)[0]


def measure_chunked(operation, x, arguments, options):
    """`stats` and `hist` of an array of Dask."""
    import dask

    axes = _axes_of(x, options.get("axes"), options.get("rate"))
    options = dict(options, axes=axes)
    pages = [i for i, one in enumerate(axes) if one in "nzt" and not options.get("rate")]
    if pages:
        raise UsageError("statistics of arrays of pages in chunks: take the pages one by one")
    parts = _chunks(x, axes)
    task = dask.delayed(_measure, pure=True)
    if operation == "stats":
        if arguments:
            raise UsageError(
                f"{', '.join(arguments)}: not of an array in chunks; its statistics are the usual ones"
            )
        found = dask.compute(*[task(block, "stats", options) for block, _, _ in parts])
        return _merge_stats(found, parts, axes, x.shape)
    return _hist_chunked(x, parts, arguments, options, axes, task)


def _place(at, start, shape, axes, whole):
    """The number in the whole array of a pixel of a chunk."""
    if at < 0:
        return -1
    rows = [i for i, one in enumerate(axes) if one in "hy"]
    columns = next(i for i, one in enumerate(axes) if one in "wxt")
    width = shape[columns]
    y, x = divmod(at, width)
    y0 = start[rows[0]] if rows else 0
    return int((y + y0) * whole[columns] + x + start[columns])


def _merge_means(a, b):
    """Of two sets of samples, (count, sum, mean, m2): Chan's."""
    if not a[0] or not b[0]:
        return b if b[0] else a
    n = a[0] + b[0]
    off = b[2] - a[2]
    return n, a[1] + b[1], a[2] + off * (b[0] / n), a[3] + b[3] + off * off * (a[0] * (b[0] / n))


def _merged_moments(rows):
    """(exact, count, sum, squares, means) of rows of "stats moments"."""
    n = squares = total = 0
    means = (0.0, 0.0, 0.0, 0.0)
    for row in rows:
        mask = (1 << 64) - 1
        n += int(row["count"]) - int(row["nan"])
        total += int(row["sum_integer"]) & mask
        squares += (int(row["squares_low"]) & mask) + ((int(row["squares_high"]) & mask) << 64)
        own = (
            float(int(row["count"]) - int(row["nan"])),
            float(row["sum"]),
            float(row["mean"]),
            float(row["m2"]),
        )
        means = _merge_means(means, own)
    return bool(rows[0]["exact"]), n, total, squares, means


def _finish(rows):
    """sum, mean, sd and rms, computed as the library does."""
    exact, n, total, squares, means = _merged_moments(rows)
    if n == 0:
        return 0.0, math.nan, math.nan, math.nan
    if exact:
        high, low = squares >> 64, squares & ((1 << 64) - 1)
        spread = squares * n - total * total
        rms = math.sqrt((float(high) * 18446744073709551616.0 + float(low)) / float(n))
        return float(total), float(total) / float(n), math.sqrt(float(spread)) / float(n), rms
    variance = means[3] / float(n)
    return means[1], means[1] / float(n), math.sqrt(variance), math.sqrt(variance + means[2] * means[2])


def _merge_stats(tables, parts, axes, whole):
    made = Table({"channel": list(tables[0]["channel"])})
    made.kind = "stats"
    columns = {name: [] for name in tables[0] if name in _MERGED}
    for r in range(tables[0].rows()):
        rows = [table.row(r) for table in tables]
        for name in ("count", "nan", "inf", "zero"):
            columns[name].append(sum(int(row[name]) for row in rows))
        for name, least in (("min", True), ("max", False)):
            places = [
                _place(int(row[name + "_at"]), start, shape, axes, whole)
                for row, (_, start, shape) in zip(rows, parts)
            ]
            known = [(float(row[name]), place) for row, place in zip(rows, places) if not math.isnan(row[name])]
            known.sort(key=lambda one: (one[0] if least else -one[0], one[1]))
            value, place = known[0] if known else (math.nan, -1)
            columns[name].append(value)
            columns[name + "_at"].append(place)
        values = _finish([table.moments.row(r) for table in tables])
        for name, value in zip(("sum", "mean", "sd", "rms"), values):
            columns[name].append(value)
    for name, values in columns.items():
        made[name] = numpy.array(values, dtype=tables[0][name].dtype)
    return made


_MERGED = ("count", "nan", "inf", "zero", "min", "max", "min_at", "max_at", "sum", "mean", "sd", "rms")


def _hist_chunked(x, parts, arguments, options, axes, task):
    import dask

    arguments = dict(arguments)
    if x.dtype.kind == "f" and not ({"min", "max"} <= set(arguments)):
        found = _merge_stats(
            dask.compute(*[task(block, "stats", options) for block, _, _ in parts]), parts, axes, x.shape
        )
        arguments.setdefault("min", float(found["min"].min()))
        arguments.setdefault("max", float(found["max"].max()))
        if not math.isfinite(arguments["min"]) or not math.isfinite(arguments["max"]):
            raise InputError("the array has infinite samples: give min= and max=")
    text = "hist"
    if arguments:
        text += ":" + ",".join(
            f"{name}={value!r}" if isinstance(value, float) else f"{name}={value}"
            for name, value in arguments.items()
        )
    tables = dask.compute(*[task(block, text, options) for block, _, _ in parts])
    made = Table(tables[0])
    made.kind = "hist"
    made["count"] = sum(table["count"] for table in tables)
    made.outside = Table(tables[0].outside)
    for name in ("below", "above", "nan"):
        made.outside[name] = sum(table.outside[name] for table in tables)
    return made
