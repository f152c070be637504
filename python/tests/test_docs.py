"""The examples of docs/python.md and of docstrings."""

import doctest
import importlib.util
from pathlib import Path

import halofilters as hf
import pytest
from halofilters import _pipeline

PAGE = Path(__file__).resolve().parents[2] / "docs/python.md"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_docstrings():
    for module in (hf, _pipeline):
        assert doctest.testmod(module, optionflags=FLAGS).failed == 0


@pytest.mark.skipif(not PAGE.exists(), reason="not a checkout")
def test_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text()
    if not importlib.util.find_spec("dask"):
        before, _, rest = text.partition("## Dask")
        text = before + rest.partition("\n## ")[2]
    page = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    done = doctest.DocTestRunner(optionflags=FLAGS).run(page)
    assert done.failed == 0 and done.attempted > 20
