"""What arrays mean to halo: sound, full scale, alpha, and their HaloArray."""

from ._errors import UsageError
from ._libraries import NumPy, View, numpy
from ._structs import F32, F64, HOST, I8, I16, I32, I64, MAX_DIMS, NO_SCALE, NONE, TYPE_OF_NAME, U8, U16, U32
from ._structs import Array

OPTIONS = ("axes", "rate", "white", "alpha")


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


def sound_of(x, options):
    """The array in a Sound, whose rate and scale become options."""
    if isinstance(x, Sound):
        if options.get("rate") is None:
            options["rate"] = x.rate
        if options.get("white") is None:
            options["white"] = x.white
        return x.data
    return x


def of_one_rate(rate, other):
    """Refuses a sound of another rate than the first."""
    if isinstance(other, Sound) and rate and other.rate != float(rate):
        raise UsageError(
            f"sounds of {rate:g} and {other.rate:g} frames per second: hf.rate gives them the same"
        )


def _white(white):
    if white is None:
        return 0.0
    if white == "none":
        return NO_SCALE
    white = float(white)
    if not white > 0:
        raise UsageError(f"white={white:g}: expected the sample value that is white, or 'none'")
    return white


def _alpha(alpha, view, axes):
    if alpha is None or alpha is False:
        return NONE
    at = axes.find("c") if axes else (len(view.shape) - 1 if len(view.shape) > 2 else -1)
    channels = view.shape[at] if 0 <= at < len(view.shape) else 1
    alpha = int(alpha)
    if alpha < -channels:
        raise UsageError(f"alpha={alpha}: the array has {channels} channels")
    return alpha + channels if alpha < 0 else alpha


def described(view, axes=None, rate=None, white=None, alpha=None):
    """The HaloArray of a view."""
    array = Array(type=view.kind, dims=len(view.shape), alpha=NONE, gpu=view.gpu, data=view.pointer)
    for i, n in enumerate(view.shape):
        array.size[i] = n
    if view.strides is not None:
        array.stride[: len(view.strides)] = view.strides
    if axes:
        if not isinstance(axes, str) or len(axes) > MAX_DIMS + 1:
            raise UsageError(f"axes={axes!r}: expected a letter for each dimension, such as 'hwc' or 'zyx'")
        array.axes = axes.encode()
    array.rate = float(rate or 0.0)
    array.white = _white(white)
    array.alpha = _alpha(alpha, view, axes)
    return array


def native(view, rate, white, single):
    """On a GPU, halo works on these types alone; others are converted where they lie, as it does for the
    host."""
    if view.gpu == HOST or view.kind == F32 or (view.kind in (U8, U16) and not rate):
        return view
    if not rate:
        return view.library.convert(view, F32)
    if view.kind == F64 and not single:
        return view
    wide = view.kind in (U32, I32, I64) and not single
    made = view.library.convert(view, F64 if wide else F32)
    if white is None and view.kind in (I8, I16, I32):
        scaled = made.keep * {I8: 2.0**-7, I16: 2.0**-15, I32: 2.0**-31}[view.kind]
        made = view.library.view(scaled)
    return made


def described_alone(x):
    """A view of an array that is not read, such as one of Dask."""
    name = str(x.dtype).rpartition(".")[2]
    kind = U8 if name == "bool" else TYPE_OF_NAME.get(name)
    if kind is None and isinstance(x.dtype, numpy.dtype):
        kind = NumPy.kind_of_other(x.dtype)
    return View(NumPy, None, None, x.shape, None, kind if kind is not None else F32)
