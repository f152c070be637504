"""Batches of files, by the `halo` program."""

import os
import re

from . import _lib
from ._errors import Error, NotFoundError, UsageError, error_of


def program():
    """The path of the `halo` program that comes with this package."""
    given = os.environ.get("HALO_PROGRAM")
    if given:
        return given
    path = os.path.join(os.path.dirname(__file__), "bin", "halo")
    if os.path.exists(path):
        return path
    raise NotFoundError(f"{path}: this package has no program: the environment variable HALO_PROGRAM names one")


def _arguments(options):
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            yield flag
        elif isinstance(value, (list, tuple)):
            for one in value:
                yield from (flag, str(one))
        else:
            yield from (flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value))


def _run(command):
    """The exit status, and what was printed. Whatever interrupts it ends the program too, which then removes
    what is half-written."""
    import subprocess

    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        try:
            printed, said = child.communicate()
        except BaseException:
            child.terminate()
            child.communicate()
            raise
    return child.returncode, printed.decode("utf-8", "replace"), said.decode("utf-8", "replace")


_OF_ALL = re.compile(r"\d+ of \d+ inputs: ")  # how a remark on a batch begins
_SUMMARY = re.compile(r"\d+ done, \d+ failed, \d+ skipped in |\d+ of \d+ outputs exist, ")


def _sorted(status, rows, said):
    """What standard error says: failures, one for each file, and remarks."""
    failures = [row["error"] for row in rows if row.get("status") == "failed"]
    lines = [line[6:] for line in said.splitlines() if line.startswith("halo: ")]
    lines = [line for line in lines if line not in failures and not _SUMMARY.match(line)]
    if status == 0 or failures:
        return failures, lines
    # Of a pipeline that only measures, a file that fails has no row.
    return [line for line in lines if not _OF_ALL.match(line)], [line for line in lines if _OF_ALL.match(line)]


def batch(pipeline, inputs, *, out_dir=None, check=True, **options):
    """Runs a pipeline on many files by the `halo` program: several at a time, and never a half-written file.

    What a run loses, such as samples that are clipped, is an `hf.HaloWarning`.

    Parameters
    ----------
    pipeline : str
    inputs : path or list of paths
        Files, and folders with recursive=True.
    out_dir : path
        Where the outputs go. None: only results are wanted.
    check : bool
        Raise an exception if an input failed, when all others are done; its `rows` are those of the files that
        succeeded. False: warn of each one that failed.
    **options
        Those of `halo run`, with _ for -: resume=True, name="{stem}_s.png", jobs=2, device="cpu",
        recursive=True. A folder sets recursive=True.

    Returns
    -------
    list of dict
        What `--json` prints, an object for each line. Those of files that failed have "status": "failed"; a
        pipeline that only measures has no lines of these.
    """
    import json

    if isinstance(inputs, (str, os.PathLike)):
        inputs = [inputs]
    inputs = [os.fspath(one) for one in inputs]
    if any(os.path.isdir(one) for one in inputs):
        options.setdefault("recursive", True)
    if out_dir is not None:
        options["out_dir"] = out_dir
    status, printed, said = _run([program(), "run", "--json", *_arguments(options), "--", pipeline, *inputs])
    try:
        rows = [json.loads(line) for line in printed.splitlines()]
    except ValueError:
        raise UsageError(f"{', '.join(options)}: what halo printed with these is no table of results") from None
    failures, remarks = _sorted(status, rows, said)
    try:
        for text in remarks:
            _lib.warn_of(text)
    finally:  # of both, the error, where warnings are errors
        if status and (check or not failures or (status == UsageError.status and not rows)):
            text = "; ".join(failures) or f"halo ended with status {status}"
            error = error_of(status, text, Error)
            error.rows = [row for row in rows if row.get("type") != "summary" and row.get("status") != "failed"]
            raise error
    for text in failures:
        _lib.warn_of(text)
    return rows
