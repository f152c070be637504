"""halo in Python: filters for images and sound, with the same results on the CPU and the GPU.

>>> import halofilters as hf
>>> hf.gauss([[0, 0, 0], [0, 8, 0], [0, 0, 0]], 0.5).tolist()[1]
[0.66984..., 4.94954..., 0.66984...]

Every operation is a function, `help(hf.gauss)` explains it. `run` and `Pipeline` take several with | between
them; `read` and `write` are for files; `batch` runs the `halo` program. Functions whose names are Python's have
an underscore: `abs_`, `max_`, `min_`, `open_`.
"""

from ._errors import (
    BugError,
    CancelledError,
    DeviceError,
    Error,
    HaloWarning,
    InputError,
    LimitError,
    OutputError,
    PipeError,
    UsageError,
)
from ._files import batch, info, program, read, run_file, write
from ._lib import halo_build_commit as _commit
from ._lib import halo_build_features as _features
from ._lib import halo_version as _version
from ._operations import functions as _functions
from ._pipeline import Pipeline, Sound, run
from ._report import Table
from ._together import compare, map_overlap, stack

__version__ = _version().decode()


def version():
    """The version of the library, the commit that it was built from, and the features of the build."""
    return {"version": _version().decode(), "commit": _commit().decode(), "features": _features().decode()}


_made = _functions()
globals().update(_made)

__all__ = [
    *("BugError", "CancelledError", "DeviceError", "Error", "HaloWarning", "InputError", "LimitError"),
    *("OutputError", "PipeError", "Pipeline", "Sound", "Table", "UsageError", "batch", "compare", "info"),
    *("map_overlap", "program", "read", "run", "run_file", "stack", "version", "write"),
    *_made,
]
