"""Sessions of the library, one for each device and precision, and opened again in the child of a fork."""

import ctypes as c
import os
import threading
from collections import defaultdict

from . import _lib
from ._errors import UsageError
from ._structs import Options

_DEVICES = {"auto": 0, "cpu": 1, "gpu": 2, "all": 3}
_PRECISIONS = {"exact": 0, "fast": 1, "single": 2}

_lock = threading.Lock()
_open = {}
_default = None


class Session(_lib.Owner):
    """A HaloSession. `ready` has the plans of functions by their names (_quick.py), `pipelines` what `run`
    parsed, by its text."""

    def __init__(self, device, precision, options=None):
        super().__init__(_lib.halo_session_close)
        given = Options(message=_lib.on_message, progress=_lib.on_progress, **(options or {}))
        given.device, given.gpu = _device(device)
        if precision is not None and precision not in _PRECISIONS:
            raise UsageError(f"precision='{precision}': expected exact, fast or single")
        given.precision = _PRECISIONS[precision or "exact"]
        self.single = precision == "single"
        handle = c.c_void_p()
        _lib.check(_lib.halo_session_open(c.byref(given), c.byref(handle)))
        self.handle = handle
        self.ready = defaultdict(dict)
        self.pipelines = {}

def _device(device):
    if device is None:
        device = "auto"
    name, _, number = str(device).partition(":")
    if name not in _DEVICES or (number and not (name == "gpu" and number.isdigit())):
        raise UsageError(f"device='{device}': expected auto, cpu, gpu, gpu:N or all")
    return _DEVICES[name], int(number or 0)


def session(device=None, precision=None):
    global _default
    if device is None and precision is None and _default is not None:
        return _default
    key = (device, precision)
    found = _open.get(key)
    if found is None:
        with _lock:
            found = _open.get(key)
            if found is None:
                found = _open[key] = Session(device, precision)
        if key == (None, None):
            _default = found
    return found


def bound(cache, most):
    """Drops the oldest of a cache that is full."""
    while len(cache) >= most:
        try:
            del cache[next(iter(cache))]
        except (KeyError, RuntimeError, StopIteration):  # another thread did
            break


def _after_fork():
    """The threads and devices of a session are the parent's: the child opens its own."""
    global _default, _lock
    _lock = threading.Lock()
    _default = None
    _open.clear()
    _lib.messages.clear()


os.register_at_fork(after_in_child=_after_fork)
