"""Signatures and docstrings of functions, made from the operations' rows."""

from ._rows import REQUIRED, options_of, own_keys, preset


def signature(row):
    import inspect  # here, since it takes long to import

    kinds = inspect.Parameter
    made = [kinds("x", kinds.POSITIONAL_ONLY)]
    own = own_keys(row)
    optional = False
    for key in own:
        default = preset(key)
        if default is REQUIRED:
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
    if default is not REQUIRED:
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
