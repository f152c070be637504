"""The examples of docs/python.md and of docstrings."""

import doctest
import importlib.util
import re
from pathlib import Path

import halofilters as hf
import numpy as np
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


@pytest.mark.skipif(not PAGE.exists(), reason="not a checkout")
@pytest.mark.filterwarnings("ignore::halofilters.HaloWarning")
def test_readme(tmp_path, monkeypatch, rng):
    monkeypatch.chdir(tmp_path)
    x = rng.integers(0, 256, (60, 80), dtype="uint8")
    (tmp_path / "photos").mkdir()
    hf.write("photos/a.png", x)
    hf.write("in.tif", x)
    lines = re.search(r"## Python\n\n```python\n(.*?)```", (PAGE.parents[1] / "README.md").read_text(), re.S)
    names = {"x": x, "frames": [x // 8] * 3}
    exec(lines.group(1), names)
    assert np.array_equal(hf.read("flat.tif"), x - x // 8)
    assert np.array_equal(hf.read("out/a.png"), hf.sharpen(x))
