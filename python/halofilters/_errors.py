"""Exceptions and warnings: one class for each status of the library, with its sentence."""


class Error(Exception):
    """Base class of what halo reports; `status` is the library's number (halo/status.h)."""

    status = 0


class InputError(Error, ValueError):
    """This input failed: missing, corrupt, refused, or nothing is left of it."""

    status = 1


class UsageError(Error, ValueError):
    """The request itself is wrong: an unknown operation, a bad value, an array that does not fit."""

    status = 2


class DeviceError(Error, RuntimeError):
    """The requested GPU is missing, failed, or ran out of memory."""

    status = 3


class OutputError(Error, OSError):
    """The output could not be written."""

    status = 4


class LimitError(Error, MemoryError):
    """A limit was reached: pixels or memory."""

    status = 5


class BugError(Error, RuntimeError):
    """An internal error of halo; please report it."""

    status = 16


class PipeError(Error, BrokenPipeError):
    """The reader of standard output has closed it."""

    status = 17


class CancelledError(Error):
    """The run was cancelled."""

    status = 18


class HaloWarning(UserWarning):
    """What a run lost or changed, such as samples that were clipped."""


CLASS_OF = {
    kind.status: kind
    for kind in (
        InputError,
        UsageError,
        DeviceError,
        OutputError,
        LimitError,
        BugError,
        PipeError,
        CancelledError,
    )
}
