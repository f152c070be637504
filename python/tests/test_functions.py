"""Functions made from the operations' rows: names, signatures, arguments, results."""

import ast
import inspect
import keyword
import subprocess
import sys
from pathlib import Path

import halofilters as hf
import numpy as np
import pytest
from halofilters import _rows, _stubs


def test_all_operations_are_functions():
    for row in _rows.ROWS:
        function = getattr(hf, _rows.python_name(row.name))
        assert row.help[1:] in function.__doc__
        parameters = inspect.signature(function).parameters
        assert {key.word for key in row.parameters} <= set(parameters)
        assert all(key.help[:40] in " ".join(function.__doc__.split()) for key in row.parameters)
    assert not any(keyword.iskeyword(name) for name in hf.__all__)
    assert {"abs_", "max_", "min_", "open_"} <= set(hf.__all__)
    assert all(hasattr(hf, name) for name in hf.__all__)


def test_synonyms():
    assert hf.gaussian is hf.gauss and hf.absdiff is hf.difference


def test_stubs_are_up_to_date():
    made = Path(hf.__file__).with_name("__init__.pyi").read_text()
    assert made == _stubs.text(), "run python -m halofilters._stubs --write"
    compile(made, "__init__.pyi", "exec")


def test_stubs_of_other_functions():
    """Those that are written by hand have the names, the order and the defaults of the functions."""
    tree = ast.parse(Path(hf.__file__).with_name("__init__.pyi").read_text())
    found = {node.name: node.args for node in tree.body if isinstance(node, ast.FunctionDef)}
    for name in ("run", "run_file", "read", "info", "write", "batch", "stack", "compare", "map_overlap"):
        of, kinds = found.pop(name), inspect.Parameter
        made = inspect.signature(getattr(hf, name)).parameters.values()
        rest = [one for one in (of.vararg, *of.kwonlyargs, of.kwarg) if one is not None]
        given = [*of.posonlyargs, *of.args, *rest]
        assert [one.arg for one in given] == [one.name for one in made], name
        keywords = {one.name: one.default for one in made if one.kind is kinds.KEYWORD_ONLY}
        values = [node and ast.literal_eval(node) for node in of.kw_defaults]
        assert [one.arg for one in of.kwonlyargs] == list(keywords) and values == list(keywords.values()), name
    assert set(found) <= set(hf.__all__)
    classes = {node.name: node.bases for node in tree.body if isinstance(node, ast.ClassDef)}
    for name, bases in classes.items():
        assert issubclass(getattr(hf, name), Exception) is name.endswith(("Error", "Warning")), name
        if name.endswith("Error"):
            assert [base.id for base in bases] == [base.__name__ for base in getattr(hf, name).__bases__]


def test_every_example_runs(rng):
    """The example of each row, as text, is the same as the function with its values."""
    x = rng.integers(0, 256, (40, 50), dtype="uint8")
    assert np.array_equal(hf.run("unsharp:sigma=1.5,amount=0.8", x), hf.unsharp(x, 1.5, amount=0.8))
    assert np.array_equal(hf.run("local:range,width=7", x), hf.local(x, "range", width=7))
    assert np.array_equal(hf.run("gauss:2,border=constant=7", x), hf.gauss(x, 2, border=7))
    assert np.array_equal(hf.run("crop:16x12+3+4", x), hf.crop(x, (16, 12), at=(3, 4)))
    assert np.array_equal(hf.run("crop:16x12", x, alpha=None), hf.crop(x, "16x12"))
    assert np.array_equal(hf.run("threshold:50%", x), hf.threshold(x, "50%"))
    assert np.array_equal(hf.run("normalize:percentiles='1,99'", x), hf.normalize(x, percentiles=(1, 99)))
    assert np.array_equal(hf.run("scan:max,x,1", x), hf.scan(x, "max", "x", exclusive=True))
    assert np.array_equal(hf.run("rotate:90", x), hf.rotate(x, 90))


def test_wrong_arguments(rng):
    x = rng.integers(0, 256, (8, 8), dtype="uint8")
    with pytest.raises(TypeError, match="unexpected keyword argument 'sigm'; did you mean 'sigma'"):
        hf.gauss(x, sigm=2)
    with pytest.raises(TypeError, match="multiple values"):
        hf.gauss(x, 2, sigma=2)
    with pytest.raises(TypeError, match="positional"):
        hf.gauss(x, 2, 4, 5)
    with pytest.raises(hf.UsageError, match="gauss: sigma: -1"):
        hf.gauss(x, -1)
    with pytest.raises(hf.UsageError, match="needs sigma"):
        hf.gauss(x)
    with pytest.raises(hf.UsageError):
        hf.gauss(x, object())


def test_keys_that_hide_properties_of_arrays():
    """Whatever says what an array means can be said of every operation, and is in its docstring."""
    hidden = {}
    for row in _rows.ROWS:
        keys = {key.word for key in row.parameters}
        assert not keys & {"x", "device", "precision", "out"}, row.name
        options = _rows.options_of(row)
        assert list(options.values()) == ["axes", "rate", "white", "alpha"] and not keys & set(options)
        function = getattr(hf, _rows.python_name(row.name))
        assert set(options) <= set(inspect.signature(function).parameters)
        for word, name in options.items():
            assert (word == name) is (name not in keys) and word in function.__doc__.replace(",", " ").split()
            if word != name and name != "alpha":
                hidden.setdefault(name, set()).add(row.name)
    assert hidden == {"white": {"levels", "balance", "lut"}, "rate": {"rate"}}


def test_properties_that_keys_hide(rng):
    x = rng.random((9, 8, 4), dtype="float32")
    for text, function in (
        ("levels:0.1,80%", lambda **how: hf.levels(x, 0.1, "80%", **how)),
        ("balance", lambda **how: hf.balance(x, **how)),
        ("lut:'0,0.7,1'", lambda **how: hf.lut(x, (0, 0.7, 1), **how)),
        ("lut:'0,180,255',white=255", lambda **how: hf.lut(x, (0, 180, 255), white=255, **how)),
    ):
        assert np.array_equal(function(array_white=1, alpha=-1), hf.run(text, x, white=1, alpha=-1))
    with pytest.raises(hf.InputError, match=r"array_white=65535 \(counts\), array_white=1 \(samples"):
        hf.lut(x, (0, 0.7, 1))
    with pytest.raises(hf.InputError, match="or array_white$"):
        hf.levels(x)
    expected = hf.run("gauss:2,alpha=ignore", x, alpha=3)
    assert np.array_equal(hf.gauss(x, 2, alpha="ignore", array_alpha=-1), expected)
    sound = rng.standard_normal(4800)
    assert np.array_equal(hf.rate(sound, "16k", array_rate=48000), hf.rate(hf.Sound(sound, 48000), "16k").data)
    with pytest.raises(hf.UsageError, match="array_rate=48000"):
        hf.rate(sound, "16k")
    with pytest.raises(TypeError, match="array is array_rate="):
        hf.rate(sound, "16k", rate=48000)


def test_masks(rng, tmp_path):
    x = rng.integers(0, 256, (20, 30), dtype="uint8")
    mask = np.array([[0, 0.1, 0], [0.2, 0.4, 0.2], [0, 0.1, 0]])
    expected = hf.run('conv:"3x3: 0,0.1,0, 0.2,0.4,0.2, 0,0.1,0"', x)
    assert np.array_equal(hf.conv(x, mask), expected)
    assert np.array_equal(hf.conv(x, mask.tolist()), expected)
    assert np.array_equal(hf.conv(x, "sobel_x"), hf.run("conv:sobel_x", x))
    (tmp_path / "mask.txt").write_text("0 0.1 0\n0.2 0.4 0.2\n0 0.1 0\n")
    assert np.array_equal(hf.conv(x, tmp_path / "mask.txt"), expected)
    for wrong, message in (
        (np.ones((3, 3, 3)), "mask: .* more than two dimensions: expected rows and columns"),
        (3.0, "mask: a single number"),
        (np.array(3.0), "mask: a single number"),
        ([], "empty"),
        ([[1, 2], [3]], "different lengths"),
    ):
        with pytest.raises(hf.UsageError, match=message):
            hf.conv(x, wrong)
    with pytest.raises(hf.UsageError, match="width: .* got rows of numbers"):
        hf.dilate(x, np.ones((3, 3)))


def test_matrices_and_points(rng):
    x = rng.random((20, 30), dtype="float32")
    matrix = np.array([[1, 0, 2.5], [0, 1, -3]])
    corners = np.float32([[1, 2], [28, 1], [27, 18], [2, 17]])
    expected = hf.affine(x, "1,0,2.5,0,1,-3")
    assert np.array_equal(hf.affine(x, matrix), expected)
    assert np.array_equal(hf.affine(x, matrix.tolist()), expected)
    assert np.array_equal(hf.perspective(x, corners=corners), hf.perspective(x, corners="1,2,28,1,27,18,2,17"))


def test_masked_arrays(rng):
    x = rng.random((20, 30), dtype="float32")
    masked = np.ma.masked_greater(x, 0.9)
    for call in (
        lambda: hf.gauss(masked, 1),
        lambda: hf.subtract(x, masked),
        lambda: hf.stack("mean", [masked, masked]),
        lambda: hf.write(None, masked, format="npy"),
        lambda: hf.conv(x, np.ma.masked_equal(np.ones((3, 3)), 1)),
    ):
        with pytest.raises(hf.UsageError, match=r"np\.ma\.filled"):
            call()
    assert np.array_equal(hf.gauss(np.ma.masked_greater(x, 2), 1), hf.gauss(x, 1))
    filled = np.ma.filled(masked, np.nan)
    assert not np.isnan(hf.gauss(filled, 3, nan="ignore")).any()


def test_integers_of_tables(rng):
    x = np.zeros((20, 30), "uint8")
    x[3:9, 4:7] = x[12:, 20:] = 255
    found = hf.objects(x, of=x)
    whole = {"label", "area", *(f"bbox-{k}" for k in range(4)), "euler_number", "touches_border"}
    assert {name for name in found if name != "channel" and found[name].dtype == "int64"} == whole
    assert found["label"].tolist() == [1, 2] and found["area"].tolist() == [18, 80]
    assert x[tuple(slice(*found[f"bbox-{k}"][0:1], found[f"bbox-{k + 2}"][0]) for k in (0, 1))].all()
    assert hf.objects(x * 0)["area"].dtype == "int64"
    series = np.array([0, 1, 0, 3, 0.0])
    assert series[hf.peaks(series)["frame"]].tolist() == [1, 3]
    peaks = hf.peaks(x[:9])
    assert peaks["x"].dtype == peaks["y"].dtype == "int64" and peaks["value"].dtype == "float64"


def test_second_inputs(rng, tmp_path):
    x, y = rng.integers(0, 256, (2, 20, 30), dtype="uint8")
    expected = np.clip(x.astype(int) - y, 0, 255)
    assert np.array_equal(hf.subtract(x, y), expected)
    assert np.array_equal(hf.run("subtract:@2", x, y), expected)
    assert np.array_equal(hf.run("add:@2 | add:@3", x // 4, y // 4, y // 4), x // 4 + y // 4 * 2)
    assert np.array_equal(hf.subtract(x, "gauss:3"), hf.run("subtract:[gauss:3]", x))
    assert np.array_equal(hf.max_(x, y), np.maximum(x, y))
    path = tmp_path / "a b,c.png"
    for samples in (y, x // 2):  # a file is read anew
        hf.write(path, samples)
        assert np.array_equal(hf.subtract(x, path), np.clip(x.astype(int) - samples, 0, 255))
        assert np.array_equal(hf.subtract(x, str(path)), hf.subtract(x, path))
    with pytest.raises(hf.InputError, match="missing.png"):
        hf.subtract(x, "missing.png")
    with pytest.raises(hf.Error):
        hf.subtract(x, y[:5])


def test_pipeline(rng):
    x = rng.integers(0, 256, (60, 80), dtype="uint8")
    pipeline = hf.Pipeline("median:3 | gauss:2")
    assert pipeline.reach(x) == (9, 9, 9, 9) and pipeline.reach((5, 5)) == (9, 9, 9, 9)
    assert hf.Pipeline("normalize").reach(x) is None
    assert hf.Pipeline("trim:1ms,-1ms", rate=48000).reach(np.zeros(99)) is None
    assert "median" in pipeline.explain(x)
    assert pipeline.output(x) == ((60, 80), "uint8")
    assert hf.Pipeline("resize:50%").output(x) == ((30, 40), "uint8")
    assert np.array_equal(pipeline(x), hf.gauss(hf.median(x, 3).astype("float32"), 2).round())
    with pytest.raises(hf.UsageError):
        hf.Pipeline("median:3 | ")
        hf.Pipeline(3)


def test_results(rng):
    x = rng.integers(0, 256, (20, 30, 3), dtype="uint8")
    found = hf.stats(x)
    assert found["channel"][-1] == "all" and found.rows() == 4
    assert np.allclose(found["mean"][:3], x.mean((0, 1))) and np.allclose(found["sd"][-1], x.std())
    assert found.row(0)["max"] == x[..., 0].max()
    mask = x[..., 0] > 99
    assert np.allclose(hf.stats(x, mask=mask.astype(np.uint8))["mean"][:-1], x[mask].mean(0))
    labels = np.arange(mask.size).reshape(mask.shape) % 3
    of = hf.stats(x[..., 0], labels=labels.astype(np.uint16))
    assert list(of["label"]) == [1, 2] and np.allclose(of["mean"], [x[labels == k, 0].mean() for k in (1, 2)])
    counts = hf.hist(x[..., 0], bins=4, mask=mask)["count"]
    assert np.array_equal(counts, np.histogram(x[mask, 0], 4, (0, 256))[0])
    assert np.allclose(hf.stats(x, percentiles=[50, 90])["p90"][1], np.percentile(x[..., 1], 90))
    counts = hf.hist(x[..., 0], bins=16)
    assert np.array_equal(counts["count"], np.histogram(x[..., 0], 16, (0, 256))[0])
    floats = rng.random((9, 9), dtype="float32")
    outside = hf.hist(floats, bins=4, min=0.25, max=0.5).outside
    assert outside["below"][0] == (floats < 0.25).sum()
    assert hf.reduce(x[..., 0], "max(a,b)", "-inf")["value"][0] == x[..., 0].max()
    assert "product" not in hf.stats(x)
    asked = hf.stats(np.array([[2, 3], [4, 5]], "uint8"), product=1)
    assert asked["product"] == [120] and asked["product_sign"] == [1]
    assert np.isclose(asked["product_log2"][0], np.log2(120), rtol=1e-15)
    peaks = hf.peaks(np.array([0, 1, 0, 3, 0.0]))
    assert peaks.kind == "peaks" and peaks.rows() == 2
    y, tables = hf.run("invert | stats | hist:bins=2", x)
    assert [one.kind for one in tables] == ["stats", "hist"] and np.array_equal(y, 255 - x)
    assert [one.kind for one in hf.run("stats", x)] == ["stats"]


def test_without_numpy():
    """The package imports and works on buffers where there is no NumPy."""
    code = """
import sys
sys.modules["numpy"] = None
import halofilters as hf
line = bytes(range(0, 200, 10))
assert len(hf.gauss(line, 1)) == 20
picture = memoryview(bytearray(24)).cast("B", (4, 6))
assert hf.gauss(picture, 1).shape == (4, 6)
assert hf.stats(picture)["mean"] == [0.0]
assert hf.read(hf.write(None, picture, format="png")).shape == (4, 6)
try:
    hf.gauss([1, 2], 1)
except hf.UsageError as error:
    assert "a list needs NumPy" in str(error)
else:
    raise SystemExit(1)
"""
    subprocess.run([sys.executable, "-c", code], check=True, env=_environment())


def _environment():
    import os

    return dict(os.environ, PYTHONPATH=str(Path(hf.__file__).parents[1]))


def test_program():
    done = subprocess.run(
        [sys.executable, "-m", "halofilters", "--version"],
        env=_environment(),
        stdout=subprocess.PIPE,
        check=True,
    )
    assert done.stdout.decode().startswith(f"halo {hf.__version__}")


def test_masks_that_are_arrays_name_no_file():
    for text in ("gauss:2,mask=@1", "gauss:2,mask= @1", "gauss:2,mask = @1", "conv:mask='3x1: 1,2,1'",
                 "conv:mask= '3x1: 1,2,1'"):
        assert not _rows.names_files(text), text
    for text in ("gauss:2,mask=m.png", "gauss:2,mask= m.png", "gauss:2,mask= [m.png]", "gauss:2,mask=  @m.png"):
        assert _rows.names_files(text), text
