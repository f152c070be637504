"""Functions for all operations, made from their rows (halo_operation)."""

import functools
import re

from ._arrays import dims_of
from ._docstrings import docstring, signature
from ._errors import Error, UsageError, unexpected
from ._meaning import Sound
from ._plans import apply_planned, parse
from ._quick import QUICK, remember
from ._report import of_pages
from ._rows import ROWS, options_of, own_keys, python_name
from ._session import session
from ._values import text_of


class _Call:
    """What the arguments of a call mean: the text of the pipeline, other arrays, and options."""

    def __init__(self, row, keys, positional, options, args, kwargs):
        self.options, self.others = {}, []
        self.where = (None, None)
        given = {}
        if len(args) > len(positional):
            raise TypeError(
                f"{row.name}() takes up to {len(positional) + 1} positional arguments, got {len(args) + 1}"
            )
        for key, value in zip(positional, args):
            given[key.word] = value
        for word, value in kwargs.items():
            if word in given:
                more = f"; that of the array is array_{word}=" if "array_" + word in options else ""
                raise TypeError(f"{row.name}() got multiple values for argument '{word}'{more}")
            given[word] = value
        self.where = (given.pop("device", None), given.pop("precision", None))
        alpha = given.get("alpha")
        if hasattr(alpha, "__index__") and keys.get("alpha") is not None and keys["alpha"].type == "choice":
            self.options["alpha"] = given.pop("alpha")
        for word, name in options.items():
            if word in given:
                self.options[name] = given.pop(word)
        texts, self.given = [], {}
        for key in row.parameters:
            value = given.pop(key.word, None)
            if value is not None:
                self.given[key.name] = value
                texts.append(f"{key.name}={text_of(key, value, self.others)}")
        if given:
            words = [*keys, *options, "device", "precision", *([] if row.result else ["out"])]
            raise unexpected(row.name, next(iter(given)), words)
        self.text = f"{row.name}:{','.join(texts)}" if texts else row.name


def _rename(error, options):
    """The library names white= where samples have no full scale: in a function, that is what `options` say."""
    if error.args and "white" not in options:
        text = re.sub(r"\bwhite(?==65535 |=1 \(samples)|\bwhite$", "array_white", error.args[0])
        error.args = (text, *error.args[1:])


def function(row):
    keys = {key.word: key for key in row.parameters}
    positional, options = own_keys(row), options_of(row)
    along_time = not row.images
    name, measures = row.name, row.result

    def call(x, /, *args, **kwargs):
        quick, out, made = QUICK.get(type(x)), None, None
        if kwargs:
            out = kwargs.pop("out", None)
        key = (args, *map(type, args))  # 1, 1.0 and True are equal, and not the same parameter
        if kwargs:
            key = (*key, *kwargs.items(), *map(type, kwargs.values()))
        if quick is not None:
            try:
                made = quick(session().ready[name], x, key, out)
            except TypeError:  # another array, or a list, which are not hashable
                pass
        return general(x, key, args, kwargs, out) if made is None else made

    def general(x, key, args, kwargs, out):
        this = _Call(row, keys, positional, options, args, kwargs)
        if name in ("stats", "hist"):
            from ._chunk_sums import is_chunked, measure_chunked

            if is_chunked(x):
                where = dict(zip(("device", "precision"), this.where))
                return measure_chunked(name, x, this.given, {**this.options, **where})
        series = along_time or (name == "peaks" and dims_of(x) == 1)  # which works on pictures, too
        if series and this.options.get("rate") is None and not isinstance(x, Sound):
            if "rate" in keys:
                raise UsageError(
                    f"{name}: the array's own rate is not known: give it by array_rate=48000, or make a Sound"
                )
            this.options["rate"] = 1.0
            if this.options.get("white") is None:
                this.options["white"] = "none"
        of = session(*this.where)
        try:
            parsed = parse(of, this.text)
            result, plan = apply_planned(parsed, x, this.others, this.options, out)
        except Error as error:
            _rename(error, options)
            raise
        if measures:
            return of_pages(result)
        if not (parsed.files or this.others) and this.where == (None, None):
            remember(of.ready[name], x, key, plan)
        return result

    call.__name__ = call.__qualname__ = python_name(name)
    call.__module__ = "halofilters"
    call.__doc__ = docstring(row)
    call.__signature__ = signature(row)
    return call


def _named():
    """The row of each function: of all operations and their synonyms."""
    found = {python_name(row.name): row for row in ROWS}
    for row in ROWS:
        for synonym in row.synonyms:
            found.setdefault(python_name(synonym), row)
    return found


NAMED = _named()
function_of = functools.lru_cache(maxsize=None)(function)
