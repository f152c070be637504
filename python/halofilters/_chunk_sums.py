"""Statistics and histograms of arrays in chunks (Dask): the same bits as those of one array.

Sums of integers are exact, and those of chunks add up in any order. Sums of floats have an order ("Reduction"
in docs/numerics.md): leaves of 4096 pixels in raster order are those of a binary tree. So the array is cut
anew, into runs of whole leaves; each run gives the moments of the subtrees in it, and these are joined.
"""

import math

from ._libraries import numpy
from ._chunks import axes_of, run_chunk, unmasked_chunks
from ._errors import UsageError
from ._meaning import Sound, sound_of
from ._report import Table
from ._values import number

_LEAF = 4096
_ROWS, _COLUMNS = "hy", "wxt"


def is_chunked(x):
    """Is it an array of Dask, or a sound whose samples are one?"""
    x = x.data if isinstance(x, Sound) else x
    return type(x).__module__.partition(".")[0] == "dask" and hasattr(x, "to_delayed")


def measure_chunked(operation, x, arguments, options):
    """`stats` and `hist` of an array of Dask."""
    x = sound_of(x, options)
    unmasked_chunks(x)
    options = dict(options, axes=axes_of(x, options.get("axes"), options.get("rate")))
    if not options.get("rate") and set(options["axes"]) & set("nzt"):
        raise UsageError("statistics of arrays of pages in chunks: take the pages one by one")
    x, options["axes"] = _in_raster_order(x, options["axes"])
    if operation == "stats":
        if arguments:
            raise UsageError(
                f"{', '.join(arguments)}: not of an array in chunks; its statistics are the usual ones"
            )
        return _stats(x, options)
    return _hist(x, arguments, options)


def _in_raster_order(x, axes):
    """Rows, columns and channels in this order; channels in one chunk."""
    order = [i for letters in (_ROWS, _COLUMNS, "c") for i, one in enumerate(axes) if one in letters]
    x, axes = x.transpose(order), "".join(axes[i] for i in order)
    return (x.rechunk({axes.index("c"): -1}) if "c" in axes else x), axes


def _is_exact(x, options):
    """Are the sums of such samples integers?"""
    one = numpy.zeros((1,) * x.ndim, x.dtype)
    return bool(run_chunk(one, "stats", dict(options, alpha=None))[0].moments["exact"][0])


# ---- moments -------------------------------------------------------------------------------------------------


def _moments(table, place):
    """The moments of each channel; `place` gives the number in the whole array of a pixel of this part."""
    made = []
    for c in range(len(table["channel"]) - (len(table["channel"]) > 1)):
        row, own = table.row(c), table.moments.row(c)
        one = {name: int(row[name]) for name in ("count", "nan", "inf", "zero")}
        one["n"] = one["count"] - one["nan"]
        for name in ("min", "max"):
            at = int(row[name + "_at"])
            one[name], one[name + "_at"] = float(row[name]), place(at) if at >= 0 else -1
        for name in ("sum", "mean", "m2"):
            one[name] = float(own[name])
        low, high = (int(own[name]) & (1 << 64) - 1 for name in ("squares_low", "squares_high"))
        one["squares"] = low + (high << 64)
        one["integers"] = int(own["sum_integer"]) & (1 << 64) - 1
        made.append(one)
    return made


def _earlier(a, b, name, sign):
    """The extreme of two parts, the earlier of equals, and its place."""
    at = name + "_at"
    less = sign * b[name] < sign * a[name]
    tied = b[name] == a[name] and 0 <= b[at] and (a[at] < 0 or b[at] < a[at])
    return {name: b[name], at: b[at]} if less or tied else {name: a[name], at: a[at]}


def _joined(a, b):
    """The moments of a and b, which follows it: halo_moments_merge."""
    counted = {name: a[name] + b[name] for name in ("count", "nan", "inf", "zero", "n", "integers", "squares")}
    if not b["n"]:
        return {**a, **counted}
    if not a["n"]:
        return {**b, **counted}
    delta = b["mean"] - a["mean"]
    share = 0.5 if a["n"] == b["n"] else float(b["n"]) / float(a["n"] + b["n"])
    return {
        **counted,
        **_earlier(a, b, "min", 1),
        **_earlier(a, b, "max", -1),
        "sum": a["sum"] + b["sum"],
        "mean": a["mean"] + delta * share,
        "m2": (a["m2"] + b["m2"]) + delta * delta * (float(a["n"]) * share),
    }


def _join(a, b):
    """Of all channels."""
    return [_joined(*pair) for pair in zip(a, b)]


def _finished(one, exact):
    """The row of a channel, as halo_stats_from_moments computes it."""
    n = one["n"]
    row = {name: one[name] for name in ("count", "nan", "inf", "zero")}
    for name in ("min", "max"):
        row[name], row[name + "_at"] = (one[name], one[name + "_at"]) if n else (math.nan, -1)
    if not n:
        values = 0.0, math.nan, math.nan, math.nan
    elif exact:
        total, squares = one["integers"], one["squares"]
        high, low = float(squares >> 64), float(squares & (1 << 64) - 1)
        sd = math.sqrt(float(squares * n - total * total)) / float(n)
        rms = math.sqrt((high * 18446744073709551616.0 + low) / float(n))
        values = float(total), float(total) / float(n), sd, rms
    else:
        variance = one["m2"] / float(n)
        rms = math.sqrt(variance + one["mean"] * one["mean"])
        values = one["sum"], one["sum"] / float(n), math.sqrt(variance), rms
    return {**row, **dict(zip(("sum", "mean", "sd", "rms"), values))}


# ---- parts of an array ---------------------------------------------------------------------------------------


def _edges(x):
    """Where chunks begin and end, along each axis."""
    return [[sum(sizes[:k]) for k in range(len(sizes) + 1)] for sizes in x.chunks]


def _tables(x, text, options):
    """The table of each chunk with its location, ((start, stop) of each axis); computed by Dask."""
    import dask

    task, edges, blocks = dask.delayed(_measured, pure=True), _edges(x), x.to_delayed()
    where = list(numpy.ndindex(*x.numblocks))
    found = dask.compute(*[task(blocks[at], text, options) for at in where])
    return [
        (table, [(edges[i][k], edges[i][k + 1]) for i, k in enumerate(at)]) for table, at in zip(found, where)
    ]


def _measured(block, text, options):
    return run_chunk(block, text, options)[0]


def _of_integers(x, options):
    """The moments of an array of integers, from its chunks as they are."""
    axes, total = options["axes"], None
    columns = next(i for i, one in enumerate(axes) if one in _COLUMNS)
    for table, location in _tables(x, "stats", options):
        left, right = location[columns]
        top = location[0][0] if columns else 0

        def place(at, left=left, top=top, width=right - left):
            return (top + at // width) * x.shape[columns] + left + at % width

        part = _moments(table, place)
        total = part if total is None else _join(total, part)
    return total


def _runs(x, axes):
    """The array as runs of whole leaves: [(first pixel, pixel behind the last, samples, pixel that these begin
    with)]."""
    line = 1 if "c" in axes else 0
    unit = 1
    if x.ndim - line == 2:  # whole rows, as many as a chunk has samples
        most = math.prod(max(sizes) for sizes in x.chunks)
        unit = x.shape[1]
        x = x.rechunk({0: max(1, most // math.prod(x.shape[1:])), 1: -1})
    total, runs, begin = x.shape[0] * unit, [], 0
    for end in _edges(x)[0][1:]:
        end = min(-(-end * unit // _LEAF) * _LEAF, total)
        if begin < end:
            first = begin // unit
            runs.append((begin, end, x[first : -(-end // unit)], first * unit))
            begin = end
    return runs


def _subtrees(begin, end, block, first, options):
    """Pixels `begin` to `end`, those of whole leaves, of a block of rows that begins with pixel `first`:
    [(leaf, leaves, moments)] of subtrees."""
    axes = options["axes"]
    channels = block.shape[-1:] if "c" in axes else ()
    flat = numpy.ascontiguousarray(block).reshape((-1, *channels))[begin - first : end - first]
    options = dict(options, axes=("t" if options.get("rate") else "w") + "c" * len(channels))
    made, leaf, leaves = [], begin // _LEAF, -(-end // _LEAF)
    while leaf < leaves:
        size = 1 << (leaves - leaf).bit_length() - 1
        size = min(size, leaf & -leaf) if leaf else size
        start = leaf * _LEAF
        part = flat[start - begin : start - begin + size * _LEAF]
        made.append((leaf, size, _moments(_measured(part, "stats", options), lambda at: start + at)))
        leaf += size
    return made


def _of_floats(x, options):
    """The moments of an array of floats, joined in the order of a reduction."""
    import dask

    task = dask.delayed(_subtrees, pure=True)
    nodes = []
    for part in dask.compute(*[task(*run, options) for run in _runs(x, options["axes"])]):
        for leaf, size, moments in part:
            while nodes and nodes[-1][1] == size and (leaf // size) % 2:
                leaf, _, before = nodes.pop()
                size, moments = 2 * size, _join(before, moments)
            nodes.append((leaf, size, moments))
    total = nodes.pop()[2]
    while nodes:
        total = _join(nodes.pop()[2], total)
    return total


# ---- results -------------------------------------------------------------------------------------------------


def _stats(x, options):
    exact = _is_exact(x, options)
    channels = (_of_integers if exact else _of_floats)(x, options)
    alpha = options.get("alpha")
    # The names of the channels, and the types of the columns, are those of any array with these channels.
    like = numpy.zeros(tuple(n if one == "c" else 1 for one, n in zip(options["axes"], x.shape)), x.dtype)
    names = run_chunk(like, "stats", options)[0]
    if len(channels) > 1:
        alpha = None if alpha is None or alpha is False else int(alpha) % len(channels)
        counted = [one for c, one in enumerate(channels) if c != alpha]
        every = counted[0]
        for one in counted[1:]:
            every = _joined(every, one)
        channels = [*channels, every]
    rows = [_finished(one, exact) for one in channels]
    made = Table({"channel": list(names["channel"])})
    for name in names:
        if name in rows[0]:
            made[name] = numpy.array([row[name] for row in rows], dtype=names[name].dtype)
    made.kind = "stats"
    return made


def _finite_range(block, options):
    """The least and the greatest finite sample of a chunk; None where there is none."""
    found = _measured(block, "stats", options)
    ends = numpy.nanmin(found["min"], initial=math.inf), numpy.nanmax(found["max"], initial=-math.inf)
    if numpy.isinf(ends).any():
        with numpy.errstate(over="ignore"):
            samples = numpy.asarray(block).astype("float64" if options.get("rate") else "float32")
        samples = samples[numpy.isfinite(samples)]
        if not samples.size:
            return None
        ends = samples.min(), samples.max()
    return float(ends[0]), float(ends[1])


def _range_of(x, options):
    """The least and the greatest finite sample, as an array of two pixels with these channels."""
    import dask

    task = dask.delayed(_finite_range, pure=True)
    found = dask.compute(*[task(block, options) for block in x.to_delayed().ravel()])
    least, greatest = zip(*[one for one in found if one is not None] or [(math.nan, math.nan)])
    shape = [n if one == "c" else 1 for one, n in zip(options["axes"], x.shape)]
    columns = next(i for i, one in enumerate(options["axes"]) if one in _COLUMNS)
    made = numpy.full(shape, min(least), "float64" if options.get("rate") else "float32")
    return numpy.concatenate([made, numpy.full(shape, max(greatest), made.dtype)], axis=columns)


def _hist_text(arguments):
    texts = [f"{name}={v if isinstance(v, str) else number(v)}" for name, v in arguments.items()]
    return "hist:" + ",".join(texts) if texts else "hist"


def _hist(x, arguments, options):
    unknown = set(arguments) - {"bins", "min", "max"}
    if unknown:
        words = ", ".join(sorted(unknown))
        raise UsageError(f"{words}: not of an array in chunks, which takes bins, min and max")
    arguments = dict(arguments)
    if not _is_exact(x, options) and not {"min", "max"} <= set(arguments):
        # The bins that two pixels with the same range have.
        like = _measured(_range_of(x, options), _hist_text(arguments), options)
        first = like["channel"].count(like["channel"][0])
        arguments = {"bins": first, "min": float(like["low"][0]), "max": float(like["high"][first - 1])}
    tables = [table for table, _ in _tables(x, _hist_text(arguments), options)]
    made = Table(tables[0])
    made.kind = "hist"
    made["count"] = sum(table["count"] for table in tables)
    made.outside = Table(tables[0].outside)
    for name in ("below", "above", "nan"):
        made.outside[name] = sum(table.outside[name] for table in tables)
    return made
