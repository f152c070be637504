"""Functions for all operations, made from their rows (halo_operation)."""

import builtins
import ctypes as c
import functools
import keyword
import os
import re

from . import _lib
from ._arrays import numpy, unmasked
from ._errors import Error, UsageError, unexpected
from ._pipeline import OPTIONS, Sound, apply_planned, parse
from ._quick import QUICK, remember
from ._session import session

_REQUIRED = object()
_BUILTINS = frozenset(dir(builtins))


class Row:
    """An operation: what halo_operation says."""

    def __init__(self, i):
        row = _lib.Operation()
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
    row = _lib.Parameter()
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
_known = {name for row in ROWS for name in (row.name, *row.synonyms)}
_results = [name for row in ROWS if row.result for name in (row.name, *row.synonyms)]
_confining_pattern = re.compile(r"\bmask\s*=(?!\s*(?:@\d|[\"']\s*\d+x\d+))")
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
        r"(?:@\d|\[\s*(?:" + "|".join(map(re.escape, _known)) + r")\s*[:|\]]|[\"']\s*\d+x\d+))"
    )


def names_files(text):
    """May it name a file, so that what was read of it must not be kept?"""
    return _file_pattern().search(text) is not None or _confining_pattern.search(text) is not None


def has_results(text):
    """May it have results?"""
    return _result_pattern.search(text) is not None


# ---- values --------------------------------------------------------------------------------------------------


def _quoted(text):
    quote = "'" if '"' in text else '"'
    if quote in text:
        raise UsageError(f"a text with both kinds of quotation marks cannot be passed on: {text}")
    return quote + text + quote


def _number(value):
    if isinstance(value, bool) or (numpy is not None and isinstance(value, numpy.bool_)):
        return "1" if value else "0"
    return repr(value.item() if hasattr(value, "item") else value)


def _mask(key, value):
    if numpy is not None and isinstance(value, numpy.ndarray):
        value = unmasked(value)
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, (int, float)):
        raise UsageError(f"{key.word}: a single number is no mask: expected rows of numbers, or a name")
    rows = [row if isinstance(row, (list, tuple)) else [row] for row in value]
    if not all(isinstance(row, (list, tuple)) for row in value):
        rows = [list(value)]
    if not rows:
        raise UsageError(f"{key.word}: the mask is empty")
    if any(isinstance(one, (list, tuple)) for row in rows for one in row):
        raise UsageError(f"{key.word}: the mask has more than two dimensions: expected rows and columns")
    numbers = ",".join(_number(one) for row in rows for one in row)
    if len({len(row) for row in rows}) != 1:
        raise UsageError(f"{key.word}: the rows of the mask have different lengths")
    return f'"{len(rows[0])}x{len(rows)}: {numbers}"'


def _first_word(text):
    return re.split(r"[\s:|]", text.strip(), maxsplit=1)[0]


def _source(value, others):
    """Another input: an array, a path, or a branch of the pipeline."""
    if isinstance(value, os.PathLike):
        return _quoted(os.fspath(value))
    if isinstance(value, str):
        if value.startswith(("[", "@")):
            return value
        return f"[{value}]" if _first_word(value) in _known else _quoted(value)
    others.append(value)
    return f"@{len(others) + 1}"


def _text(key, value, others):
    if key.type == "source":
        return _source(value, others)
    if key.type == "mask" and not isinstance(value, (str, os.PathLike)):
        return _mask(key, value)
    if isinstance(value, os.PathLike):
        name = os.fspath(value)  # quoted, a mask is one of numbers
        return name if key.type == "mask" else _quoted(name)
    if getattr(value, "ndim", 0) > 0:
        value = value.tolist()
    if isinstance(value, str):
        plain = key.type in ("mask", "border") or not re.search(r"[,|\[\]=]", value)
        return value if plain or value[:1] in "\"'" else _quoted(value)
    if key.type == "border" and isinstance(value, (int, float)):
        return f"constant={_number(value)}"
    if isinstance(value, (tuple, list)):
        if any(isinstance(one, (tuple, list)) for one in value):
            raise UsageError(f"{key.word}: expected a number, a text or a list of these, got rows of numbers")
        if key.type == "point":
            return "+".join(_number(one) for one in value).replace("+-", "-")
        if key.name == "size":
            return "x".join(_number(one) for one in value)
        return _quoted(",".join(one if isinstance(one, str) else _number(one) for one in value))
    if isinstance(value, (int, float)) or hasattr(value, "item"):
        return _number(value)
    raise UsageError(f"{key.word}: expected a number or a text, got {type(value).__name__}")


# ---- functions -----------------------------------------------------------------------------------------------


def preset(key):
    """The default in Python: a number where it is one."""
    if key.preset is None:
        return _REQUIRED
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


def signature(row):
    import inspect  # here, since it takes long to import

    kinds = inspect.Parameter
    made = [kinds("x", kinds.POSITIONAL_ONLY)]
    own = own_keys(row)
    optional = False
    for key in own:
        default = preset(key)
        if default is _REQUIRED:
            default = None if optional else kinds.empty
        optional = optional or default is not kinds.empty
        made.append(kinds(key.word, kinds.POSITIONAL_OR_KEYWORD, default=default))
    for key in row.parameters[len(own) :]:
        made.append(kinds(key.word, kinds.KEYWORD_ONLY, default=preset(key)))
    for name in [*options_of(row), "device", "precision", *([] if row.result else ["out"])]:
        made.append(kinds(name, kinds.KEYWORD_ONLY, default=None))
    return inspect.Signature(made)


def _limits(key):
    kind = {
        "switch": "bool",
        "source": "array, path or pipeline",
        "mask": "2-D array, name or path",
        "point": "(x, y) or str",
        "length": "float, or a time on sound such as '5ms'",
        "frequency": "float or str, such as '4kHz'",
        "level": "float, or a percentage such as '50%'",
        "factor": "float or str, such as '150%' or '-6dB'",
        "border": "str, or a number for a constant",
        "choice": "str",
        "text": "str",
        "file": "path",
        "number": "float",
        "integer": "int",
    }[key.type]
    if key.choices:
        kind += " (" + ", ".join(key.choices.split("|")) + ")" if key.type != "border" else ""
    if key.least != key.greatest and key.greatest < float("inf"):
        kind += f", {key.least:g} to {key.greatest:g}"
    if key.unit:
        kind += f" {key.unit}" if key.least != key.greatest else f", in {key.unit}"
    default = preset(key)
    if default is not _REQUIRED:
        kind += ", optional" if default is None else f", default {default!r}"
    return kind


def _wrapped(text):
    """The lines of a paragraph that is set in. textwrap would take half of the time that importing this
    takes."""
    lines, line = [], "   "
    for word in text.split():
        if len(line) + len(word) > 108:
            lines.append(line)
            line = "   "
        line += " " + word
    return [*lines, line]


def docstring(row):
    options = options_of(row)
    lines = [row.help[0].upper() + row.help[1:] + ".", ""]
    if not row.images:
        if "rate" in options:
            text = "rate=; without it, 1 frame per second."
        else:
            text = "array_rate=, its own rate."
        lines += [f"For sound and series: a Sound, or an array with {text}", ""]
    elif not row.sound:
        lines += ["For pictures.", ""]
    lines += ["Parameters", "----------", "x : array or Sound"]
    lines += ["    Of NumPy, CuPy, PyTorch or JAX, or a buffer; the result is of the same kind."]
    for key in row.parameters:
        lines.append(f"{key.word} : {_limits(key)}")
        text = key.help
        if key.name == "alpha" and key.type == "choice":
            text += "; or a number: which channel of the array is alpha, -1 for the last"
        lines += _wrapped(text)
    plain = [word for word, name in options.items() if word == name]
    lines += [", ".join([*plain, "device", "precision", *([] if row.result else ["out"])]), "    As of `run`."]
    for word, name in options.items():
        if word != name:
            lines += [word, f"    As {name} of `run`, which is of the array: {name}= is the operation's."]
    lines += ["", "Returns", "-------", "Table" if row.result else "array"]
    if row.result:
        lines.append("    A dict of columns.")
    lines += ["", "In a pipeline", "-------------", row.example]
    if row.synonyms:
        lines += ["", "Also: " + ", ".join(row.synonyms)]
    return "\n".join(lines)


def python_name(name):
    """The name of a function: keywords and builtins get an underscore."""
    name = name.replace("-", "_")
    return name + "_" if keyword.iskeyword(name) or name in _BUILTINS else name


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
        if isinstance(alpha, int) and keys.get("alpha") is not None and keys["alpha"].type == "choice":
            self.options["alpha"] = given.pop("alpha")
        for word, name in options.items():
            if word in given:
                self.options[name] = given.pop(word)
        texts, self.given = [], {}
        for key in row.parameters:
            value = given.pop(key.word, None)
            if value is not None:
                self.given[key.name] = value
                texts.append(f"{key.name}={_text(key, value, self.others)}")
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
        series = along_time or (name == "peaks" and getattr(x, "ndim", 0) == 1)  # which works on pictures, too
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
            return result[0]
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
