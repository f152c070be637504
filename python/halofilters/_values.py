"""The values of keys as the text of a pipeline."""

import os
import re

from ._errors import UsageError
from ._libraries import numpy, unmasked
from ._rows import known


def _quoted(text):
    quote = "'" if '"' in text else '"'
    if quote in text:
        raise UsageError(f"a text with both kinds of quotation marks cannot be passed on: {text}")
    return quote + text + quote


def number(value):
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
    numbers = ",".join(number(one) for row in rows for one in row)
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
        return f"[{value}]" if _first_word(value) in known else _quoted(value)
    others.append(value)
    return f"@{len(others) + 1}"


def _white_where_true(value):
    """Of an array of booleans that says where: 0 and 255."""
    if str(getattr(value, "dtype", "")) == "bool":
        return value.astype("uint8") * 255
    if str(getattr(value, "dtype", "")) == "torch.bool":
        return value.byte() * 255
    return value


def text_of(key, value, others):
    if key.type == "source":
        return _source(_white_where_true(value) if key.name == "mask" else value, others)
    if hasattr(value, "item") and getattr(value, "ndim", 0) == 0:
        value = value.item()
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
        return f"constant={number(value)}"
    if isinstance(value, (tuple, list)):
        if key.type == "text" and all(isinstance(row, (tuple, list)) for row in value):  # a matrix, or points
            value = [one for row in value for one in row]
        if any(isinstance(one, (tuple, list)) for one in value):
            raise UsageError(f"{key.word}: expected a number, a text or a list of these, got rows of numbers")
        if key.type == "point":
            return "+".join(number(one) for one in value).replace("+-", "-")
        if key.name == "size":
            return "x".join(number(one) for one in value)
        return _quoted(",".join(one if isinstance(one, str) else number(one) for one in value))
    if isinstance(value, (int, float)) or hasattr(value, "item"):
        return number(value)
    raise UsageError(f"{key.word}: expected a number or a text, got {type(value).__name__}")
