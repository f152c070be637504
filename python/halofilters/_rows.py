"""The rows of all operations (halo_operation): keys, names, and what a pipeline's text may hold."""

import builtins
import ctypes as c
import functools
import keyword
import re

from . import _lib
from ._meaning import OPTIONS
from ._structs import Operation, Parameter

REQUIRED = object()
_BUILTINS = frozenset(dir(builtins))


class Row:
    """An operation: what halo_operation says."""

    def __init__(self, i):
        row = Operation()
        if _lib.halo_operation(i, c.byref(row)):
            raise IndexError(i)
        self.name = row.name.decode()
        self.help = row.help.decode()
        self.example = row.example.decode()
        self.synonyms = [one.replace("-", "_") for one in (row.synonyms or b"").decode().split()]
        self.images, self.sound, self.result = row.images, row.sound, row.result
        self._at = i, row.parameters

    @functools.cached_property
    def parameters(self):
        i, count = self._at
        return [_parameter(i, at) for at in range(count)]


class Key:
    """A parameter: what halo_operation_parameter says. `word` is its name in Python."""

    def __init__(self, row):
        self.name = row.name.decode()
        self.word = self.name + "_" * keyword.iskeyword(self.name)
        self.help = row.help.decode()
        self.type = row.type.decode()
        self.preset = None if row.preset is None else row.preset.decode()
        self.choices = None if row.choices is None else row.choices.decode()
        self.unit = None if row.unit is None else row.unit.decode()
        self.least, self.greatest = row.least, row.greatest


def _parameter(i, at):
    row = Parameter()
    _lib.check(_lib.halo_operation_parameter(i, at, c.byref(row)))
    return Key(row)


def _rows():
    found = []
    while True:
        try:
            found.append(Row(len(found)))
        except IndexError:
            return found


ROWS = _rows()
_COMMON = ("border", "alpha", "nan")  # what all filters take, by keyword alone
known = {name for row in ROWS for name in (row.name, *row.synonyms)}
_results = [name for row in ROWS if row.result for name in (row.name, *row.synonyms)]
_confining_pattern = re.compile(r"\bmask\s*=(?!\s*(?:@\d|[\"']\s*\d+x\d+\s*[:+]))")
_result_pattern = re.compile(r"\b(?:" + "|".join(_results) + r")\b")


def _confines(key):
    """Is it the mask= that every operation takes? It counts where it is given."""
    return key.name == "mask" and key.type == "source"


@functools.lru_cache(maxsize=None)
def _file_pattern():
    """An operation that takes a file, and not behind it: an array, a branch that begins with an operation, a
    mask in quotes."""
    reads = [
        name
        for row in ROWS
        if any(key.type in ("mask", "source", "file") and not _confines(key) for key in row.parameters)
        for name in (row.name, *row.synonyms)
    ]
    return re.compile(
        r"\b(?:" + "|".join(reads) + r")\s*:(?!\s*(?:\w+\s*=\s*)?"
        r"(?:@\d|\[\s*(?:" + "|".join(map(re.escape, known)) + r")\s*[:|\]]|[\"']\s*\d+x\d+\s*[:+]))"
    )


def names_files(text):
    """May it name a file, so that what was read of it must not be kept?"""
    return _file_pattern().search(text) is not None or _confining_pattern.search(text) is not None


def has_results(text):
    """May it have results?"""
    return _result_pattern.search(text) is not None


def preset(key):
    """The default in Python: a number where it is one."""
    if key.preset is None:
        return REQUIRED
    if key.preset == "":
        return None
    if key.type == "switch":
        return key.preset == "1"
    for kind in (int, float):
        try:
            return kind(key.preset)
        except ValueError:
            continue
    return key.preset


def options_of(row):
    """What says what an array means, beside the operation's keys: by the names of a function's arguments, those
    of `run`. Where the operation has such a key, the array's has array_ before it."""
    keys = {key.name for key in row.parameters}
    return {"array_" + name if name in keys else name: name for name in OPTIONS}


def own_keys(row):
    """The keys of the operation itself, before those that it shares with others."""
    names = [key.name for key in row.parameters]
    for filters in (_COMMON, ()):
        for shared in ([*filters, "on", "mask"], [*filters, "on"]):
            if not row.result and names[-len(shared) :] == shared:
                return row.parameters[: -len(shared)]
    return row.parameters


def python_name(name):
    """The name of a function: keywords and builtins get an underscore."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) or name in _BUILTINS else name
