"""Pipelines on arrays: `run`, and those that are parsed once."""

import ctypes as c
import threading

from . import _lib
from ._arrays import view_of
from ._libraries import NumPy, View
from ._meaning import described, described_alone, sound_of
from ._plans import Parsed, Plan, apply_like, parse, typed
from ._session import session
from ._structs import F32, NAME


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
            one = sound_of(one, options)
            if isinstance(one, tuple):
                views.append(View(NumPy, None, None, one, None, F32))
            elif hasattr(one, "shape") and hasattr(one, "dtype"):
                views.append(described_alone(one))
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
        return plan.shape, NAME[plan.kind]


def _pipeline(text, options, where):
    return Pipeline(text, device=where[0], precision=where[1], **options)
