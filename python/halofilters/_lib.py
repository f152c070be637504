"""The functions of libhalo (halo/halo.h) by ctypes, which release the GIL; and how they end: by exceptions,
interrupted, with warnings."""

import ctypes as c
import os
import signal
import sys
import threading
import warnings
from collections import deque

from ._errors import HaloWarning, UsageError, error_of
from ._structs import MESSAGE, PROGRESS, READ


def _find():
    given = os.environ.get("HALO_LIBRARY")
    if given:
        return given
    return os.path.join(os.path.dirname(__file__), "lib", "libhalo.so.1")


def _open():
    path = _find()
    try:
        found = c.CDLL(path)
    except OSError as error:
        raise ImportError(
            f"halofilters cannot load libhalo: {error}; HALO_LIBRARY names it elsewhere"
        ) from None
    found.halo_abi_version.restype = c.c_int
    if found.halo_abi_version() != 1:
        raise ImportError(f"{path} has another interface than halofilters needs: libhalo.so.1")
    return found


lib = _open()
_POINTER, _SIZE, _INT, _TEXT = c.c_void_p, c.c_size_t, c.c_int, c.c_char_p


# The address of the library's own function, so that no Python runs while a file is written.
bytes_write = READ(c.cast(lib.halo_bytes_write, c.c_void_p).value)


def _declare(name, result, *arguments):
    function = getattr(lib, name)
    function.restype = result
    function.argtypes = arguments
    return function


halo_error = _declare("halo_error", _TEXT)
halo_version = _declare("halo_version", _TEXT)
halo_build_commit = _declare("halo_build_commit", _TEXT)
halo_build_features = _declare("halo_build_features", _TEXT)
halo_session_open = _declare("halo_session_open", _INT, _POINTER, _POINTER)
halo_session_close = _declare("halo_session_close", None, _POINTER)
halo_session_trim = _declare("halo_session_trim", None, _POINTER)
halo_pipeline_parse = _declare("halo_pipeline_parse", _INT, _POINTER, _TEXT, _POINTER)
halo_pipeline_free = _declare("halo_pipeline_free", None, _POINTER)
halo_pipeline_only_measures = _declare("halo_pipeline_only_measures", c.c_bool, _POINTER)
halo_plan_open = _declare("halo_plan_open", _INT, _POINTER, _POINTER, _POINTER, _SIZE, _POINTER)
halo_plan_close = _declare("halo_plan_close", None, _POINTER)
halo_plan_output = _declare("halo_plan_output", _INT, _POINTER, _SIZE, _POINTER)
halo_plan_reach = _declare("halo_plan_reach", _INT, _POINTER, _POINTER)
halo_plan_run = _declare("halo_plan_run", _INT, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER)
halo_plan_explain = _declare("halo_plan_explain", _INT, _POINTER, _POINTER)
halo_stack_arrays = _declare("halo_stack_arrays", _INT, _POINTER, _TEXT, _POINTER, _SIZE, _POINTER)
halo_compare_arrays = _declare("halo_compare_arrays", _INT, _POINTER, _POINTER, _POINTER)
halo_free = _declare("halo_free", None, _POINTER)
halo_run = _declare("halo_run", _INT, _POINTER, _POINTER, _POINTER, _POINTER, _POINTER)
halo_info = _declare("halo_info", _INT, _POINTER, _POINTER, _POINTER)
halo_load = _declare("halo_load", _INT, _POINTER, _POINTER, c.c_bool, _POINTER)
halo_save = _declare("halo_save", _INT, _POINTER, _POINTER, _POINTER)
halo_report_close = _declare("halo_report_close", None, _POINTER)
halo_report_table = _declare("halo_report_table", _TEXT, _POINTER, _SIZE, _POINTER, _POINTER)
halo_report_column = _declare("halo_report_column", _TEXT, _POINTER, _SIZE, _INT, _POINTER, _POINTER)
halo_operation = _declare("halo_operation", _INT, _SIZE, _POINTER)
halo_operation_parameter = _declare("halo_operation_parameter", _INT, _SIZE, _INT, _POINTER)


def sentence(text):
    """A message of the library, whose members of structs are keywords here."""
    return text.decode("utf-8", "replace").replace("=true", "=True")


def encoded(text):
    """A text or a path for the library, whose texts end with the first zero."""
    made = os.fsencode(text)
    if b"\0" in made:
        raise UsageError(f"{os.fspath(text)!r}: there is a NUL in it")
    return made


def fail(status):
    """Raises what a handler of SIGINT raised during the call, else the exception of a status other than 0."""
    if raised and threading.current_thread() is threading.main_thread():
        raise raised.pop()
    if status:
        raise error_of(status, sentence(halo_error()))


def check(status):
    if status or raised:
        fail(status)


# ---- interrupted runs ----------------------------------------------------------------------------------------

# What a handler of SIGINT raised during a call, until `fail` raises it again.
raised = deque()


def _goes_on():
    """Has SIGINT handled now, where it arrived: does the run go on?"""
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException as error:
        raised.append(error)
        return False
    return True


class _GoesOn(dict):
    """By what PyOS_InterruptOccurred gives, which is 0 as a rule."""

    def __missing__(self, interrupted):
        return _goes_on()


# A function in Python would not do as a callback: the interpreter handles signals as soon as one begins, and
# what is raised there gets lost. PyOS_InterruptOccurred takes SIGINT, in the main thread alone; nothing here is
# Python until it has. Other signals wait until the call is over.
_interrupted = c.PYFUNCTYPE(c.c_int, c.c_void_p, c.c_double)(("PyOS_InterruptOccurred", c.pythonapi))
_interrupted.restype = _GoesOn({0: True}).__getitem__
on_progress = PROGRESS(_interrupted)


class Owner:
    """What closes its `handle` of the library, by `close`, in the process that opened it."""

    handle = None

    def __init__(self, close):
        self.process = os.getpid()
        self._close = close

    def __del__(self):
        if self.handle and self.process == os.getpid():
            try:
                self._close(self.handle)
            except BaseException as error:  # a signal's: it would get lost here, so the next call raises it
                raised.append(error)


# ---- remarks of runs -----------------------------------------------------------------------------------------

# What the library reported, until `warn` makes warnings of it: by the thread that it was reported in.
messages = deque()


def _keep(interrupted, function, arguments):
    messages.append((threading.get_ident(), sentence(arguments[1])))
    if interrupted:
        _goes_on()


_told = c.PYFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p)(("PyOS_InterruptOccurred", c.pythonapi))
_told.errcheck = _keep
on_message = MESSAGE(_told)


def warn():
    """Makes warnings of the remarks, at the line of the first caller outside of this package."""
    check(0)
    own, others, me = [], [], threading.get_ident()
    while messages:
        try:
            one = messages.popleft()
        except IndexError:
            break
        (own if one[0] == me else others).append(one)
    messages.extend(others)
    for _, text in own:
        warn_of(text)


def warn_of(text):
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("halofilters"):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, HaloWarning, stacklevel=level)
