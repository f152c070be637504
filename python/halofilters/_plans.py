"""Pipelines that are parsed once, planned once for each size and type of input, and run on arrays."""

import ctypes as c

from . import _lib, _report
from ._arrays import finished, view_of
from ._buffers import Buffers
from ._errors import UsageError
from ._libraries import Jax, numpy
from ._meaning import OPTIONS, Sound, described, native, of_one_rate, sound_of
from ._quick import QUICK, remember
from ._rows import has_results, names_files
from ._session import bound
from ._structs import HOST, MAX_DIMS, NAME, NO_SCALE, Array

_MOST_PLANS = 256
NO_STRIDES = (c.c_int64 * MAX_DIMS)()  # in C order without gaps


class Plan(_lib.Owner):
    """A HaloPlan for arrays of these sizes and types; any number of threads may run it."""

    def __init__(self, parsed, arrays):
        super().__init__(_lib.halo_plan_close)
        self.parsed = parsed  # holds the session, too
        self.count = len(arrays)
        self.inputs = (Array * self.count)(*arrays)
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

    def _find_output(self):
        out = Array()
        if _lib.halo_plan_output(self.handle, 0, c.byref(out)):
            return False
        self.out = out
        self.shape = tuple(out.size[: out.dims])
        self.kind = out.type
        if numpy is not None:
            self.dtype = numpy.dtype(NAME[out.type])
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


class Parsed(_lib.Owner):
    """A HaloPipeline in a session."""

    def __init__(self, of, text):
        super().__init__(_lib.halo_pipeline_free)
        if not isinstance(text, str):
            raise UsageError(f"expected a pipeline such as 'gauss:2 | sobel', got {type(text).__name__}")
        handle = c.c_void_p()
        _lib.check(_lib.halo_pipeline_parse(of.handle, _lib.encoded(text), c.byref(handle)))
        self.handle = handle
        self.session = of
        self.plans = {}
        self.ready = {}
        self.measures = _lib.halo_pipeline_only_measures(handle)
        self.results = has_results(text)
        self.files = names_files(text)


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


def _read_only(view):
    if numpy is not None and isinstance(view.keep, numpy.ndarray):
        return not view.keep.flags.writeable
    return view.library is Buffers and view.keep[1].readonly


def _is_memory_of(view, out):
    """Does the view show the caller's memory? Of lists and the like, and of some strides, it is of a copy."""
    if 0 in view.shape:
        return True
    try:
        return view.library.address(out) == view.pointer
    except (AttributeError, TypeError):  # such as DLPack's, which are never copies
        return view.gpu != HOST


def _into(out, plan):
    """The view of the caller's array for the result."""
    view = view_of(out.data if isinstance(out, Sound) else out)
    if plan.out is None:
        raise UsageError("out= is given, and the pipeline only measures")
    if view.shape != plan.shape or view.kind != plan.kind or view.gpu != plan.out.gpu or view.library is Jax:
        raise UsageError(
            f"out= is an array of {NAME[view.kind]} {view.shape}: expected {NAME[plan.kind]}"
            f" {plan.shape} in the memory that the input is in"
        )
    if str(getattr(out, "dtype", "")) in ("bool", "torch.bool"):
        raise UsageError("out= is an array of bool: expected uint8")
    if _read_only(view):
        raise UsageError("out= is read-only")
    if not _is_memory_of(view, out.data if isinstance(out, Sound) else out):
        raise UsageError(
            f"out= cannot be written in place: expected an array of {NAME[plan.kind]} in native byte order,"
            " whose elements each have a place of their own"
        )
    return view


def point(array, view):
    """Makes a HaloArray of the view's size, in C order, that of the view."""
    array.data = view.pointer
    if view.strides is not None:
        array.stride[: len(view.strides)] = view.strides


def apply_planned(parsed, x, others, options, out=None):
    """Runs a parsed pipeline on arrays: gives the array, the tables, or both, as `run` says; and the plan."""
    of_sound = isinstance(x, Sound)
    x = sound_of(x, options)
    for other in others:
        of_one_rate(options.get("rate"), other)
    views = [view_of(x)] + [view_of(other.data if isinstance(other, Sound) else other) for other in others]
    single = parsed.session.single
    views = [native(view, options.get("rate"), options.get("white"), single) for view in views]
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
        result = Sound(result, plan.out.rate, "none" if plan.out.white == NO_SCALE else None)
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
        parsed = Parsed(of, text)
        if not parsed.files:
            bound(of.pipelines, _MOST_PLANS)
            of.pipelines[text] = parsed
    return parsed
