"""halo in Python: filters for images and sound, with the same results on the CPU and the GPU.

>>> import halofilters as hf
>>> hf.gauss([[0, 0, 0], [0, 8, 0], [0, 0, 0]], 0.5).tolist()[1]
[0.66984..., 4.94954..., 0.66984...]

Every operation is a function, `help(hf.gauss)` explains it. `run` and `Pipeline` take several with | between
them; `read` and `write` are for files; `batch` runs the `halo` program. Functions whose names are Python's have
an underscore: `abs_`, `max_`, `min_`, `open_`.
"""

from ._batch import batch, program
from ._chunks import map_overlap
from ._errors import (
    BugError,
    CancelledError,
    DeniedError,
    DeviceError,
    Error,
    ExistsError,
    HaloWarning,
    InputError,
    LimitError,
    NoFolderError,
    NotFoundError,
    OutputError,
    PipeError,
    UsageError,
)
from ._files import info, read, run_file, write
from ._lib import halo_build_commit as _commit
from ._lib import halo_build_features as _features
from ._lib import halo_version as _version
from ._meaning import Sound
from ._operations import NAMED as _NAMED
from ._operations import function_of as _function_of
from ._pipeline import Pipeline, run
from ._report import Table
from ._together import compare, stack

__version__ = _version().decode()


def version():
    """The version of the library, the commit that it was built from, and the features of the build."""
    return {"version": _version().decode(), "commit": _commit().decode(), "features": _features().decode()}


def __getattr__(name):
    """Functions of operations are made when they are first used: importing takes less time."""
    if name not in _NAMED:
        raise AttributeError(f"module 'halofilters' has no attribute '{name}'")
    made = globals()[name] = _function_of(_NAMED[name])
    return made


def __dir__():
    return sorted({*globals(), *__all__})


__all__ = [
    *("BugError", "CancelledError", "DeniedError", "DeviceError", "Error", "ExistsError", "HaloWarning"),
    *("InputError", "LimitError", "NoFolderError", "NotFoundError", "OutputError", "PipeError", "UsageError"),
    *("Pipeline", "Sound", "Table", "batch", "compare", "info"),
    *("map_overlap", "program", "read", "run", "run_file", "stack", "version", "write"),
    *_NAMED,
]
