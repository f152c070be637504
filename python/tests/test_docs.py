"""The examples of docs/python.md and of docstrings."""

import doctest
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
    done = doctest.testfile(str(PAGE), module_relative=False, optionflags=FLAGS)
    assert done.failed == 0 and done.attempted > 20
