"""Pipelines on arrays: parsed once, planned once for each size and type of input."""

import ctypes as c
import os
import threading

from . import _lib, _report
from ._arrays import Jax, NumPy, View, finished, numpy, view_of
from ._errors import UsageError
from ._lib import F32, F64, HOST, I8, I16, I32, U8, U16, U32, Array
from ._quick import QUICK, remember
from ._session import bound, session

_MOST_PLANS = 256
OPTIONS = ("axes", "rate", "white", "alpha")
NO_STRIDES = (c.c_int64 * _lib.MAX_DIMS)()  # in C order without gaps


class Sound:
    """An array that is sound or a series: frames along the first dimension, `rate` of them per second.

    Functions give a Sound back where their result is sound. `white` is full scale: None is the usual one, which
    is 1, and "none" says that the samples are numbers without one, as those of a thermometer are.
    """

    __slots__ = ("data", "rate", "white")

    def __init__(self, data, rate, white=None):
        self.data = data
        self.rate = float(rate)
        self.white = white

    def __repr__(self):
        shape = getattr(self.data, "shape", None) or (len(self.data),)
        return f"Sound({'x'.join(map(str, shape))}, rate={self.rate:g})"

    def __len__(self):
        return len(self.data)

    def __array__(self, dtype=None, copy=None):
        made = numpy.asarray(self.data, dtype=dtype)
        return made.copy() if copy and made is self.data else made


# ---- what arrays mean ----------------------------------------------------------------------------------------


def _white(white):
    if white is None:
        return 0.0
    if white == "none":
        return _lib.NO_SCALE
    white = float(white)
    if not white > 0:
        raise UsageError(f"white={white:g}: expected the sample value that is white, or 'none'")
    return white


def _alpha(alpha, view, axes):
    if alpha is None or alpha is False:
        return _lib.NONE
    at = axes.find("c") if axes else (len(view.shape) - 1 if len(view.shape) > 2 else -1)
    channels = view.shape[at] if 0 <= at < len(view.shape) else 1
    alpha = int(alpha)
    return alpha + channels if alpha < 0 else alpha


def described(view, axes=None, rate=None, white=None, alpha=None):
    """The HaloArray of a view."""
    array = Array(type=view.kind, dims=len(view.shape), alpha=_lib.NONE, gpu=view.gpu, data=view.pointer)
    for i, n in enumerate(view.shape):
        array.size[i] = n
    if view.strides is not None:
        array.stride[: len(view.strides)] = view.strides
    if axes:
        if len(axes) > _lib.MAX_DIMS + 1:
            raise UsageError(f"axes='{axes}': expected a letter for each dimension, such as 'hwc' or 'zyx'")
        array.axes = axes.encode()
    array.rate = float(rate or 0.0)
    array.white = _white(white)
    array.alpha = _alpha(alpha, view, axes)
    return array


def _native(view, rate, white, single):
    """On a GPU, halo works on these types alone; others are converted where they lie, as it does for the
    host."""
    if view.gpu == HOST or view.kind == F32 or (view.kind in (U8, U16) and not rate):
        return view
    if not rate:
        return view.library.convert(view, F32)
    if view.kind == F64 and not single:
        return view
    wide = view.kind in (U32, I32, _lib.I64) and not single
    made = view.library.convert(view, F64 if wide else F32)
    if white is None and view.kind in (I8, I16, I32):
        scaled = made.keep * {I8: 2.0**-7, I16: 2.0**-15, I32: 2.0**-31}[view.kind]
        made = view.library.view(scaled)
    return made


# ---- plans ---------------------------------------------------------------------------------------------------


class Plan:
    """A HaloPlan for arrays of these sizes and types; any number of threads may run it."""

    def __init__(self, parsed, arrays):
        self.parsed = parsed  # holds the session, too
        self.count = len(arrays)
        self.inputs = (Array * self.count)(*arrays)
        self.handle = None
        self.process = os.getpid()
        self._close = _lib.halo_plan_close
        self.out = None
        self.reports = parsed.measures or parsed.results
        self.pool = []
        data = [array.data for array in self.inputs]
        for array in self.inputs:
            array.data = None
        self.handle = self._open()
        # The output's size may depend on the samples: then it is that for these, and the plan for one run
        # alone.
        self.once = not parsed.measures and not self._find_output()
        if self.once:
            for array, pointer in zip(self.inputs, data):
                array.data = pointer
            self._close(self.handle)
            self.handle = None
            self.handle = self._open()
            if not self._find_output():
                self.once = False  # without samples, as for `reach`
        for array in self.inputs:
            array.data, array.stride = None, NO_STRIDES

    def _open(self):
        handle = c.c_void_p()
        parsed = self.parsed
        _lib.check(
            _lib.halo_plan_open(parsed.session.handle, parsed.handle, self.inputs, self.count, c.byref(handle))
        )
        return handle

    def __del__(self):
        if self.handle and self.process == os.getpid():
            self._close(self.handle)

    def _find_output(self):
        out = Array()
        if _lib.halo_plan_output(self.handle, 0, c.byref(out)):
            return False
        self.out = out
        self.shape = tuple(out.size[: out.dims])
        self.kind = out.type
        if numpy is not None:
            self.dtype = numpy.dtype(_lib.NAME[out.type])
        return True

    def structs(self):
        """Structs for one run, which no other thread uses: inputs, and the output; `pool` has those of arrays
        in C order."""
        try:
            return self.pool.pop()
        except IndexError:
            inputs = (Array * self.count).from_buffer_copy(self.inputs)
            out = Array.from_buffer_copy(self.out) if self.out is not None else None
            return inputs, out, c.addressof(inputs), c.addressof(out) if out is not None else None

    def run(self, inputs, out, stream=None, waits=False):
        """Runs it on structs; gives the tables of results, or None where there are none."""
        if not (self.reports or waits):
            status = _lib.halo_plan_run(self.handle, inputs, out, stream, None)
            _lib.check(status)
            if _lib.messages:
                _lib.warn()
            return None
        report = c.c_void_p()
        status = _lib.halo_plan_run(self.handle, inputs, out, stream, c.byref(report))
        if status:
            _lib.fail(status)
        try:
            _lib.check(0)
            tables = _report.read(report) if self.reports else None
        finally:
            _lib.halo_report_close(report)
        if _lib.messages:
            _lib.warn()
        return tables


class Parsed:
    """A HaloPipeline in a session."""

    def __init__(self, of, text):
        handle = c.c_void_p()
        self.handle = None
        _lib.check(_lib.halo_pipeline_parse(of.handle, text.encode(), c.byref(handle)))
        self.process = os.getpid()
        self._free = _lib.halo_pipeline_free
        self.handle = handle
        self.session = of
        self.plans = {}
        self.ready = {}
        self.measures = _lib.halo_pipeline_only_measures(handle)
        from ._operations import has_results, names_files

        self.results = has_results(text)
        self.files = names_files(text)

    def __del__(self):
        if self.handle and self.process == os.getpid():
            self._free(self.handle)


def _sound_of(x, options):
    """The array in a Sound, whose rate and scale become options."""
    if isinstance(x, Sound):
        if options.get("rate") is None:
            options["rate"] = x.rate
        if options.get("white") is None:
            options["white"] = x.white
        return x.data
    return x


def typed(values):
    """A key of these values, of which 1, 1.0 and True are equal, and mean different things."""
    return (values, *map(type, values))


def _plan_for(parsed, views, options):
    key = (
        tuple((view.shape, view.kind, view.gpu) for view in views),
        typed(tuple(options.get(name) for name in OPTIONS)),
    )
    plan = parsed.plans.get(key)
    if plan is not None:
        return plan
    rate = options.get("rate")
    arrays = [described(views[0], **{name: options.get(name) for name in OPTIONS})]
    for view in views[1:]:  # they mean what the first means, where they have its dimensions
        like = len(view.shape) == len(views[0].shape)
        other = {"rate": rate, "white": options.get("white"), "axes": options.get("axes") if like else None}
        if view.kind != views[0].kind:
            other["white"] = None
        if options.get("alpha") is not None and view.shape == views[0].shape:
            other["alpha"] = options["alpha"]
        arrays.append(described(view, **other))
    plan = Plan(parsed, arrays)
    if plan.once:
        return plan
    bound(parsed.plans, _MOST_PLANS)
    parsed.plans[key] = plan
    return plan


def _into(out, plan):
    """The view of the caller's array for the result."""
    view = view_of(out.data if isinstance(out, Sound) else out)
    if plan.out is None:
        raise UsageError("out= is given, and the pipeline only measures")
    if view.shape != plan.shape or view.kind != plan.kind or view.gpu != plan.out.gpu or view.library is Jax:
        raise UsageError(
            f"out= is an array of {_lib.NAME[view.kind]} {view.shape}: expected {_lib.NAME[plan.kind]}"
            f" {plan.shape} in the memory that the input is in"
        )
    base = view.keep
    if numpy is not None and isinstance(base, numpy.ndarray) and not base.flags.writeable:
        raise UsageError("out= is read-only")
    if (
        numpy is not None
        and isinstance(out, numpy.ndarray)
        and view.keep is not out
        and view.keep.base is not out
    ):
        raise UsageError("out= is of a byte order or type that halo does not write")
    return view


def point(array, view):
    """Makes a HaloArray of the view's size, in C order, that of the view."""
    array.data = view.pointer
    if view.strides is not None:
        array.stride[: len(view.strides)] = view.strides


def apply(parsed, x, others, options, out=None):
    """Runs a parsed pipeline on arrays: gives the array, the tables, or both, as `run` says."""
    return apply_planned(parsed, x, others, options, out)[0]


def apply_planned(parsed, x, others, options, out=None):
    """The same, and the plan."""
    of_sound = isinstance(x, Sound)
    x = _sound_of(x, options)
    views = [view_of(x)] + [view_of(other.data if isinstance(other, Sound) else other) for other in others]
    single = parsed.session.single
    views = [_native(view, options.get("rate"), options.get("white"), single) for view in views]
    plan = _plan_for(parsed, views, options)
    inputs, outputs, at, to = plan.structs()
    for array, view in zip(inputs, views):
        point(array, view)
    made = None
    if plan.out is not None:
        made = _into(out, plan) if out is not None else views[0].library.new(views[0], plan.shape, plan.kind)
        point(outputs, made)
    elif out is not None:
        _into(out, plan)
    library = views[0].library
    tables = plan.run(at, to, library.stream(views[0]), getattr(library, "waits", False))
    if all(view.strides is None for view in (*views, *(() if made is None else (made,)))):
        plan.pool.append((inputs, outputs, at, to))
    if made is None:
        return tables, plan
    result = out if out is not None else finished(made)
    if of_sound and plan.out.rate > 0 and not isinstance(result, Sound):
        result = Sound(result, plan.out.rate, "none" if plan.out.white == _lib.NO_SCALE else None)
    return ((result, tables) if tables else result), plan


def apply_like(parsed, x, others, options, key, out):
    """The same, and quicker when it is repeated; `key` are the values of the options."""
    if not others:
        quick = QUICK.get(type(x))
        made = quick(parsed.ready, x, key, out) if quick is not None else None
        if made is not None:
            return made
    made, plan = apply_planned(parsed, x, others, dict(options), out)
    if not others:
        remember(parsed.ready, x, key, plan)
    return made


def parse(of, text):
    """A pipeline of a session, kept for the next time unless it names files, which are read when it is
    parsed."""
    parsed = of.pipelines.get(text)
    if parsed is None:
        if not isinstance(text, str):
            raise UsageError(f"expected a pipeline such as 'gauss:2 | sobel', got {type(text).__name__}")
        parsed = Parsed(of, text)
        if not parsed.files:
            bound(of.pipelines, _MOST_PLANS)
            of.pipelines[text] = parsed
    return parsed


def run(
    pipeline, x, *others, out=None, axes=None, rate=None, white=None, alpha=None, device=None, precision=None
):
    """Runs a pipeline on an array.

    Parameters
    ----------
    pipeline : str
        Operations with | between them, as `halo help pipelines` explains: "gauss:2 | sobel".
    x : array or Sound
        An array of NumPy, CuPy, PyTorch or JAX, or a buffer. The result is of the same kind, on the same
        device.
    *others : arrays
        What "@2", "@3" … in the pipeline name.
    out : array, optional
        Where the result goes.
    axes : str, optional
        A letter for each dimension: pages n, z or t; rows h or y; columns w or x; channels c, as in "hwc",
        "zyx". The default is "w", "hw", and, with up to 4 channels, "hwc" and "nhwc"; of sound "t" and "tc".
    rate : float, optional
        Frames per second: the array is sound, or a series.
    white : float or "none", optional
        Full scale, such as 65535; "none": numbers without one. The default is the type's, of sound 1, of other
        floats none.
    alpha : int, optional
        Which channel is alpha; -1 is the last.
    device : str, optional
        "auto", "cpu", "gpu", "gpu:1" or "all", of arrays in host memory.
    precision : str, optional
        "exact", "fast" or "single".

    Returns
    -------
    array
        The result. Where the pipeline only measures, the list of its tables; where it does both, (array,
        tables).
    """
    parsed = parse(session(device, precision), pipeline)
    options = {"axes": axes, "rate": rate, "white": white, "alpha": alpha}
    return apply_like(parsed, x, others, options, typed((axes, rate, white, alpha)), out)


class Pipeline:
    """A pipeline that is parsed once: files that it names are read when it is made.

    >>> import halofilters as hf
    >>> hf.Pipeline("median:3 | gauss:2").reach((480, 640))
    (9, 9, 9, 9)
    """

    def __init__(self, text, *, axes=None, rate=None, white=None, alpha=None, device=None, precision=None):
        self.text = text
        self._options = {"axes": axes, "rate": rate, "white": white, "alpha": alpha}
        self._key = typed((axes, rate, white, alpha))
        self._where = (device, precision)
        self._lock = threading.Lock()
        self._made = None
        self._parsed()

    def __repr__(self):
        return f"Pipeline({self.text!r})"

    def __reduce__(self):
        return _pipeline, (self.text, self._options, self._where)

    def _parsed(self):
        of = session(*self._where)
        made = self._made
        if made is None or made.session is not of:
            with self._lock:
                made = self._made = Parsed(of, self.text)
        return made

    def __call__(self, x, *others, out=None):
        """Runs it: `others` are the arrays that "@2", "@3" … name."""
        parsed = self._parsed()
        return apply_like(parsed, x, others, self._options, self._key, out)

    def plan(self, x, *others):
        """For halofilters itself: the Plan of an array, or of its shape and type alone."""
        options = dict(self._options)
        views = []
        for one in (x, *others):
            one = _sound_of(one, options)
            if isinstance(one, tuple):
                views.append(View(NumPy, None, None, one, None, F32))
            elif hasattr(one, "shape") and hasattr(one, "dtype"):
                views.append(_described_alone(one))
            else:
                views.append(view_of(one))
        arrays = [described(view, **(options if i == 0 else {})) for i, view in enumerate(views)]
        return Plan(self._parsed(), arrays)

    def reach(self, x, *others):
        """How far a sample of the output reads in the input: left, right, up and down, in samples.

        `x` is an array, or the shape of one of float32. None: it depends on all of the input, or on its place.
        """
        plan, found = self.plan(x, *others), (c.c_int64 * 4)()
        _lib.check(_lib.halo_plan_reach(plan.handle, found))
        return None if found[0] < 0 else tuple(found)

    def explain(self, x, *others):
        """What would be done for such an array, step by step, as `halo run --explain` prints it."""
        plan, text = self.plan(x, *others), c.c_void_p()
        _lib.check(_lib.halo_plan_explain(plan.handle, c.byref(text)))
        try:
            return c.string_at(text).decode()
        finally:
            _lib.halo_free(text)

    def output(self, x, *others):
        """The shape and the type of the result for such an array."""
        plan = self.plan(x, *others)
        if plan.out is None:
            return None
        return plan.shape, _lib.NAME[plan.kind]


def _pipeline(text, options, where):
    return Pipeline(text, device=where[0], precision=where[1], **options)


def _described_alone(x):
    """A view of an array that is not read, such as one of Dask."""
    name = str(x.dtype).rpartition(".")[2].lstrip("<>=|")
    if name == "bool":
        return View(NumPy, None, None, x.shape, None, U8)
    kind = _lib.TYPE_OF_NAME.get(name)
    return View(NumPy, None, None, x.shape, None, kind if kind is not None else F32)
