"""Makes __init__.pyi from the operations' rows: `python -m halofilters._stubs` prints it, `--write` replaces
it.

The types say what is passed as it is; what an operation refuses it says itself.
"""

import inspect
import sys
from pathlib import Path

from ._docstrings import signature
from ._rows import ROWS, python_name

_HEAD = '''"""Made from the operations' rows by `python -m halofilters._stubs --write`."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, BinaryIO, Union

_Path = Union[str, "PathLike[str]"]
_File = Union[str, "PathLike[str]", bytes, BinaryIO]
_Number = Union[float, str]
_Point = Union[str, int, "tuple[int, int]"]
_Alpha = Union[int, str]

__version__: str

class Error(Exception):
    status: int
    rows: Sequence[dict[str, Any]]

class InputError(Error, ValueError): ...
class UsageError(Error, ValueError): ...
class DeviceError(Error, RuntimeError): ...
class OutputError(Error, OSError): ...
class LimitError(Error, MemoryError): ...
class BugError(Error, RuntimeError): ...
class PipeError(Error, BrokenPipeError): ...
class CancelledError(Error): ...
class NotFoundError(InputError, FileNotFoundError): ...
class DeniedError(InputError, PermissionError): ...
class NoFolderError(OutputError, FileNotFoundError): ...
class ExistsError(InputError, OutputError, FileExistsError): ...
class HaloWarning(UserWarning): ...

class Table(dict[str, Any]):
    kind: str
    outside: Table | None
    moments: Table | None
    def rows(self) -> int: ...
    def row(self, i: int = -1) -> dict[str, Any]: ...

class Sound:
    data: Any
    rate: float
    white: float | str | None
    def __init__(self, data: Any, rate: float, white: float | str | None = None) -> None: ...
    def __len__(self) -> int: ...

class Pipeline:
    text: str
    def __init__(
        self,
        text: str,
        *,
        axes: str | None = None,
        rate: float | None = None,
        white: float | str | None = None,
        alpha: int | None = None,
        device: str | None = None,
        precision: str | None = None,
    ) -> None: ...
    def __call__(self, x: Any, *others: Any, out: Any = None) -> Any: ...
    def reach(self, x: Any, *others: Any) -> tuple[int, int, int, int] | None: ...
    def explain(self, x: Any, *others: Any) -> str: ...
    def output(self, x: Any, *others: Any) -> tuple[tuple[int, ...], str] | None: ...

def run(
    pipeline: str,
    x: Any,
    *others: Any,
    out: Any = None,
    axes: str | None = None,
    rate: float | None = None,
    white: float | str | None = None,
    alpha: int | None = None,
    device: str | None = None,
    precision: str | None = None,
) -> Any: ...
def run_file(
    pipeline: str,
    file: _File,
    out: _Path | BinaryIO | None = None,
    *,
    device: str | None = None,
    precision: str | None = None,
    format: str | None = None,
    replace: bool = True,
    quality: int | None = None,
    level: int | None = None,
    bits: int | None = None,
    floats: bool | None = None,
    lossless: bool | None = None,
    effort: int | None = None,
    strip: bool | None = None,
) -> list[Table]: ...
def read(
    file: _File,
    *,
    pages: bool = False,
    format: str | None = None,
    axes: str | None = None,
    rate: float | None = None,
    max_pixels: int | None = None,
) -> Any: ...
def info(file: _File) -> dict[str, Any]: ...
def write(
    file: _Path | BinaryIO | None,
    x: Any,
    *,
    format: str | None = None,
    axes: str | None = None,
    rate: float | None = None,
    white: float | str | None = None,
    alpha: int | None = None,
    replace: bool = True,
    quality: int | None = None,
    level: int | None = None,
    bits: int | None = None,
    floats: bool | None = None,
    lossless: bool | None = None,
    effort: int | None = None,
) -> bytes | None: ...
def batch(
    pipeline: str,
    inputs: _Path | Sequence[_Path],
    *,
    out_dir: _Path | None = None,
    check: bool = True,
    **options: Any,
) -> list[dict[str, Any]]: ...
def stack(
    what: str, arrays: Any, *, dtype: Any = None, axes: str | None = None, white: float | str | None = None
) -> Any: ...
def compare(
    a: Any, b: Any, *, axes: str | None = None, rate: float | None = None, white: float | str | None = None
) -> dict[str, Any]: ...
def map_overlap(
    x: Any,
    pipeline: str,
    *,
    axes: str | None = None,
    rate: float | None = None,
    white: float | str | None = None,
    alpha: int | None = None,
    precision: str | None = None,
) -> Any: ...
def program() -> str: ...
def version() -> dict[str, str]: ...
'''

_TYPES = {
    "switch": "bool",
    "integer": "int",
    "number": "float",
    "length": "_Number",
    "frequency": "_Number",
    "level": "_Number",
    "factor": "_Number",
    "border": "_Number",
    "choice": "str",
    "point": "_Point",
    "mask": "Any",
    "source": "Any",
    "file": "Any",
    "text": "Any",
}
_OPTIONS = {
    "axes": "str",
    "rate": "float",
    "white": "float | str",
    "alpha": "int",
    "device": "str",
    "precision": "str",
}


def _parameter(one, keys):
    if one.name == "x":
        return "x: Any"
    key = keys.get(one.name)
    kind = _TYPES[key.type] if key is not None else _OPTIONS.get(one.name.replace("array_", ""), "Any")
    if key is not None and key.name == "alpha" and key.type == "choice":
        kind = "_Alpha"
    elif (
        key is not None
        and key.type == "choice"
        and any(one.lstrip("-").isdigit() for one in key.choices.split("|"))
    ):
        kind = "str | int"
    if one.default is inspect.Parameter.empty:
        return f"{one.name}: {kind}"
    if one.default is None and kind != "Any":
        kind += " | None"
    elif isinstance(one.default, str) and kind == "bool":
        kind = "str"
    return f"{one.name}: {kind} = {one.default!r}"


def _function(name, row):
    keys = {key.word: key for key in row.parameters}
    parts, star = [], False
    for one in signature(row).parameters.values():
        if one.kind is one.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        parts.append(_parameter(one, keys))
        if one.kind is one.POSITIONAL_ONLY:
            parts.append("/")
    lines = "".join(f"    {part},\n" for part in parts)
    return f"def {name}(\n{lines}) -> {'Table' if row.result else 'Any'}: ...\n"


def text():
    made, names = [_HEAD], set()
    for row in ROWS:
        name = python_name(row.name)
        names.add(name)
        made.append(_function(name, row))
    for row in ROWS:
        for synonym in map(python_name, row.synonyms):
            if synonym not in names:
                names.add(synonym)
                made.append(f"{synonym} = {python_name(row.name)}\n")
    return "".join(made)


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        Path(__file__).with_name("__init__.pyi").write_text(text())
    else:
        sys.stdout.write(text())
