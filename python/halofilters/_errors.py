"""Exceptions and warnings: one class for each status of the library, with its sentence."""

import errno
import os


class Error(Exception):
    """Base class of what halo reports; `status` is the library's number (halo/status.h). Of a batch that
    failed, `rows` are those of the files that succeeded."""

    status = 0
    rows = ()

    def __reduce__(self):
        """Those that are two of Python's exceptions at once are made by their class alone."""
        number = getattr(self, "errno", None)
        return type(self), self.args, dict(self.__dict__, **({} if number is None else {"errno": number}))


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


class NotFoundError(InputError, FileNotFoundError):
    """There is no such input."""

    errno = errno.ENOENT


class DeniedError(InputError, PermissionError):
    """The input may not be read."""

    errno = errno.EACCES


class NoFolderError(OutputError, FileNotFoundError):
    """There is no such folder for the output."""

    errno = errno.ENOENT


class ExistsError(InputError, OutputError, FileExistsError):
    """The output exists, and is kept."""

    errno = errno.EEXIST


class HaloWarning(UserWarning):
    """What a run lost or changed, such as samples that were clipped."""


_CLASS_OF = {
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


# Where the last words of a message say more than its status: halo's own, and those of the system.
_BY_WORDS = {
    (InputError, "exists: use replace=True to replace it"): ExistsError,
    (InputError, "exists: use --force to replace it, --skip-existing to keep it"): ExistsError,
    (OutputError, "its folder does not exist"): NoFolderError,
}
_BY_NUMBER = {(InputError, one.errno): one for one in (NotFoundError, DeniedError)}


def error_of(status, text, other=BugError):
    """The exception of a status other than 0, and its sentence; `other` is that of an unknown status."""
    kind = _CLASS_OF.get(status, other)
    for (of, words), special in _BY_WORDS.items():
        if kind is of and text.endswith(words):
            return special(text)
    if kind not in (InputError, OutputError):
        return kind(text)
    last = text.rpartition(": ")[2]
    number = next((one for one in errno.errorcode if os.strerror(one) == last), None)
    made = _BY_NUMBER.get((kind, number), kind)(text)
    if kind is OutputError:
        made.errno = number
    return made


def unexpected(name, word, words):
    """The exception of an argument with a name that a function does not take."""
    import difflib

    near = difflib.get_close_matches(word, words, 3, 0.6)
    return TypeError(
        f"{name}() got an unexpected keyword argument '{word}'; "
        + (f"did you mean {' or '.join(map(repr, near))}?" if near else f"it takes {', '.join(words)}")
    )
