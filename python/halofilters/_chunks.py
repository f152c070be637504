"""Arrays in chunks (Dask): pipelines whose chunks overlap."""

import math

from ._errors import UsageError
from ._libraries import numpy
from ._meaning import Sound, sound_of
from ._pipeline import Pipeline, run
from ._structs import NAME


def axes_of(x, axes, rate):
    """A letter for each dimension."""
    if any(math.isnan(n) for n in x.shape):
        raise UsageError("the sizes of the chunks are not known: x.compute_chunk_sizes() finds them")
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


def unmasked_chunks(x):
    """Refuses an array of masked ones, as `unmasked` does."""
    if isinstance(x._meta, numpy.ma.MaskedArray):
        raise UsageError(
            "an array of masked chunks would lose its mask: da.ma.filled(x, value) gives one without; of floats"
            " filled by nan, filters with nan='ignore' leave such samples out"
        )


def _depths(reach, axes, rate):
    """How far each axis has to overlap, {axis: (before, after)}."""
    left, right, up, down = reach
    across, along = ("t", "") if rate else ("wx", "hy")
    depth = {}
    for i, letter in enumerate(axes):
        if letter in across:
            depth[i] = (left, right)
        elif letter in along:
            depth[i] = (up, down)
    return depth


def run_chunk(block, pipeline, options):
    """Runs a pipeline on a chunk, in any memory order."""
    if isinstance(block, numpy.ndarray):
        block = numpy.ascontiguousarray(block)
    return run(pipeline, block, **options)


def _overlapped(block, pipeline, options, axes, depth, location):
    """A chunk with its surroundings: runs the pipeline, and cuts the surroundings off. `axes` are those of the
    result."""
    made = run_chunk(block, pipeline, options)
    cut = []
    for letter in axes:
        i = options["axes"].find(letter)
        if letter == "c" or i < 0:
            cut.append(slice(None))
            continue
        start, stop = location[i]
        first = start - max(start - depth.get(i, (0, 0))[0], 0)
        cut.append(slice(first, first + stop - start))
    return made[tuple(cut)]


def _planned(x, pipeline, options):
    """The axes, shape and type of the result, and the reach."""
    whole = Pipeline(pipeline, **options)
    plan = whole.plan(x)
    if plan.parsed.measures:
        raise UsageError(f"'{pipeline}' only measures: hf.stats and hf.hist take arrays of Dask")
    if plan.parsed.results:
        raise UsageError(f"'{pipeline}' measures as well: hf.stats and hf.hist take arrays of Dask")
    reach = whole.reach(x)
    if reach is None or plan.out is None:
        raise UsageError(f"'{pipeline}' depends on all of the array, or on places in it: chunks do not suffice")
    return plan.out.axes.decode(), plan.shape, NAME[plan.kind], reach


def map_overlap(x, pipeline, *, axes=None, rate=None, white=None, alpha=None, precision=None):
    """Runs a pipeline on an array of Dask, chunk by chunk: the result is the same as that of the whole array at
    once.

    Chunks overlap by as much as the pipeline reads (`Pipeline.reach`). A pipeline that needs the whole array,
    such as "normalize", or places in it, such as "expr:x", is refused. `stats` and `hist` take arrays of Dask
    themselves; other functions refuse them.

    Parameters
    ----------
    x : dask.array.Array, or a Sound of one
    pipeline : str
    axes, rate, white, alpha, precision
        As of `run`.

    Returns
    -------
    dask.array.Array, or a Sound of one
    """
    options = {"rate": rate, "white": white, "alpha": alpha, "precision": precision}
    sound = x if isinstance(x, Sound) else None
    x, rate = sound_of(x, options), options["rate"]
    if not (hasattr(x, "dask") and hasattr(x, "chunks")):
        raise UsageError(f"map_overlap takes an array of Dask, got {type(x).__name__}: hf.run takes others")
    if not isinstance(pipeline, str):
        raise UsageError(f"expected a pipeline such as 'gauss:2 | sobel', got {type(pipeline).__name__}")
    unmasked_chunks(x)
    import dask
    import dask.array as da

    options["axes"] = axes = axes_of(x, axes, rate)
    out_axes, shape, dtype, reach = _planned(x, pipeline, options)
    depth = _depths(reach, axes, rate)
    if "c" in axes and x.numblocks[axes.index("c")] > 1:
        x = x.rechunk({axes.index("c"): -1})
    task = dask.delayed(_overlapped, pure=True)
    edges = [[0] for _ in range(x.ndim)]
    for i, sizes in enumerate(x.chunks):
        for n in sizes:
            edges[i].append(edges[i][-1] + n)
    channels = dict(zip(out_axes, shape)).get("c")
    blocks = numpy.empty([1 if one == "c" else x.numblocks[axes.index(one)] for one in out_axes], dtype=object)
    for at in numpy.ndindex(*x.numblocks):
        location = [(edges[i][k], edges[i][k + 1]) for i, k in enumerate(at)]
        around = tuple(
            slice(max(start - depth.get(i, (0, 0))[0], 0), min(stop + depth.get(i, (0, 0))[1], x.shape[i]))
            for i, (start, stop) in enumerate(location)
        )
        made = task(x[around], pipeline, options, out_axes, depth, location)
        sizes = {axes[i]: stop - start for i, (start, stop) in enumerate(location)}
        sizes["c"] = channels
        to = tuple(0 if one == "c" else at[axes.index(one)] for one in out_axes)
        blocks[to] = da.from_delayed(made, tuple(sizes[one] for one in out_axes), dtype=dtype)
    made = da.block(blocks.tolist())
    return made if sound is None else Sound(made, sound.rate, sound.white)

