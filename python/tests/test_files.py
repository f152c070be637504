"""Files in memory, by path and by object; batches; stacks and comparisons."""

import errno
import inspect
import io
import os
import pickle
import warnings

import halofilters as hf
import numpy as np
import pytest


def test_round_trip(rng, tmp_path):
    x = rng.integers(0, 65536, (20, 30, 3), dtype="uint16")
    path = tmp_path / "x.png"
    assert hf.write(path, x) is None
    assert np.array_equal(hf.read(path), x)
    assert np.array_equal(hf.read(str(path)), x)
    assert np.array_equal(hf.read(path.read_bytes()), x)
    with open(path, "rb") as file:
        assert np.array_equal(hf.read(file), x)
    held = io.BytesIO()
    hf.write(held, x, format="png")
    assert held.getvalue() == hf.write(None, x, format="png") == path.read_bytes()
    assert hf.info(path) == {
        "shape": (20, 30, 3),
        "dtype": "uint16",
        "axes": "hwc",
        "rate": None,
        "white": 65535.0,
        "alpha": None,
    }


@pytest.mark.parametrize("dtype", ["uint32", "int8", "int16", "int32", "int64", "float16", "float64"])
def test_types_are_kept(rng, tmp_path, dtype):
    x = rng.integers(0, 100, (5, 6)).astype(dtype)
    hf.write(tmp_path / "x.npy", x)
    back = np.load(tmp_path / "x.npy")
    assert back.dtype == x.dtype and np.array_equal(back, x)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float64"])
def test_pages_of_any_type(rng, tmp_path, dtype):
    x = rng.integers(0, 100, (3, 5, 6)).astype(dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hf.write(tmp_path / "x.npy", x, axes="zyx")
        assert np.array_equal(np.load(tmp_path / "x.npy"), x)
        hf.write(tmp_path / "x.nrrd", x, axes="zyx")
        back = hf.read(tmp_path / "x.nrrd", pages=True)
    assert np.array_equal(back, x) and back.dtype == ("uint8" if dtype == "uint8" else "float32")


def test_losses_are_warnings(rng):
    large = np.full((4, 5), 2**24 + 1, "int32")
    with pytest.warns(hf.HaloWarning, match="20 samples are rounded"):
        hf.gauss(large, 1)
    with pytest.warns(hf.HaloWarning, match="40 samples are rounded"):
        hf.stack("mean", [large, large])
    with pytest.warns(hf.HaloWarning, match="20 samples are rounded"):
        hf.read(hf.write(None, large, format="npy"))
    with pytest.warns(hf.HaloWarning, match="20 samples are clipped"):
        hf.write(None, np.full((4, 5), 2, "float32"), format="png", white=1)


def test_alpha(rng):
    x = rng.integers(0, 256, (20, 30, 4), dtype="uint8")
    made = hf.write(None, x, format="png", alpha=-1)
    assert hf.info(made)["alpha"] == 3 and np.array_equal(hf.read(made), x)


def test_sound(rng):
    x = hf.Sound(rng.uniform(-1, 1, (300, 2)).astype("float32"), 44100)
    made = hf.write(None, x, format="wav", bits=32, floats=True)
    back = hf.read(made)
    assert isinstance(back, hf.Sound) and back.rate == 44100 and np.array_equal(back.data, x.data)


def test_pages(rng):
    x = rng.integers(0, 256, (4, 9, 11), dtype="uint8")
    try:
        made = hf.write(None, x, format="tiff", axes="nhw")
    except hf.UsageError:
        pytest.skip("this build has no TIFF")
    assert np.array_equal(hf.read(made, pages=True), x)
    assert np.array_equal(hf.read(made), x[0])


def test_keeps_what_exists(rng, tmp_path):
    path = tmp_path / "x.png"
    path.write_bytes(b"mine")
    with pytest.raises(hf.Error, match="exists"):
        hf.write(path, np.zeros((3, 3), "uint8"), replace=False)
    assert path.read_bytes() == b"mine"


def test_failures(tmp_path):
    with pytest.raises(hf.InputError):
        hf.read(tmp_path / "none.png")
    with pytest.raises(hf.InputError):
        hf.read(b"not a picture")
    with pytest.raises(hf.UsageError):
        hf.read(b"")
    with pytest.raises(hf.UsageError, match="format"):
        hf.write(None, np.zeros((3, 3), "uint8"))
    with pytest.raises(hf.UsageError):
        hf.write(tmp_path / "x.xyz", np.zeros((3, 3), "uint8"))
    assert isinstance(hf.InputError("x"), (hf.Error, ValueError))


def test_run_file(rng, tmp_path):
    x = rng.integers(0, 256, (20, 30), dtype="uint8")
    held = io.BytesIO()
    tables = hf.run_file("gauss:2 | stats", hf.write(None, x, format="png"), held, format="png")
    assert np.array_equal(hf.read(held.getvalue()), hf.gauss(x, 2)) and tables[0].kind == "stats"
    path = tmp_path / "out.png"
    hf.run_file("invert", hf.write(None, x, format="png"), path)
    assert np.array_equal(hf.read(path), 255 - x)


def test_batch(rng, tmp_path):
    (tmp_path / "in").mkdir()
    x = rng.integers(0, 256, (3, 20, 30), dtype="uint8")
    for k in range(3):
        hf.write(tmp_path / "in" / f"{k}.png", x[k])
    out = tmp_path / "out"
    rows = hf.batch("gauss:2", tmp_path / "in", out_dir=out, resume=True, jobs=1)
    assert len(rows) >= 3
    made = sorted(out.rglob("*.png"))
    assert len(made) == 3 and all(np.array_equal(hf.read(made[k]), hf.gauss(x[k], 2)) for k in range(3))


@pytest.fixture
def folder(rng, tmp_path):
    """Three pictures and two files that are none."""
    (tmp_path / "in").mkdir()
    for k in range(3):
        hf.write(tmp_path / "in" / f"{k}.png", rng.integers(128, 256, (20, 30), dtype="uint8"))
    for name in ("bad", "worse"):
        (tmp_path / "in" / f"{name}.png").write_bytes(b"no picture")
    return tmp_path / "in"


@pytest.mark.parametrize("out", ["out", None])
def test_batches_that_fail(folder, out):
    pipeline = "gauss:2" if out else "stats"
    where = folder.parent / out if out else None
    with pytest.raises(hf.InputError, match="bad.png: no known.*worse.png: no known") as found:
        hf.batch(pipeline, folder, out_dir=where)
    assert " done" not in str(found.value)
    assert [row["file"][-5:] for row in found.value.rows] == ["0.png", "1.png", "2.png"]
    with pytest.warns(hf.HaloWarning) as warned:
        rows = hf.batch(pipeline, folder, out_dir=folder / "again" if out else None, check=False)
    assert [str(one.message).partition(": ")[0][-9:] for one in warned] == ["n/bad.png", "worse.png"]
    assert warned[0].filename == __file__
    expected = ["ok"] * 3 + ["failed"] * 2 if out else []
    assert [row["status"] for row in rows if row["type"] == "file"] == expected
    for check in (True, False):
        with pytest.raises(hf.UsageError, match="did you mean 'gauss'"):
            hf.batch("gaus:2", folder, out_dir=where, check=check)


@pytest.mark.filterwarnings("always")
def test_remarks_of_batches(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with pytest.warns(hf.HaloWarning, match="^2 of 2 inputs: .* clipped") as warned:
        rows = hf.batch("gain:3", ["0.png", "1.png"], out_dir="out")
    assert len(warned) == 1 and [row["type"] for row in rows] == ["file", "file", "summary"]
    with pytest.warns(hf.HaloWarning, match="^2 of 3 inputs: .* clipped") as warned:
        with pytest.raises(hf.InputError):
            hf.batch("gain:3", ["0.png", "1.png", "bad.png"], out_dir="again")
    assert len(warned) == 1
    with pytest.raises(FileExistsError, match="exists"):
        hf.batch("gain:3", "0.png", out_dir="out")
    with pytest.raises(FileNotFoundError):
        hf.batch("stats", "none.png")
    with pytest.raises(hf.UsageError, match="did you mean '--quality'"):
        hf.batch("gain:3", "0.png", out_dir="more", qualty=3)


def test_names_of_arguments(tmp_path):
    x = np.zeros((3, 4), "uint8")
    hf.write(tmp_path / "x.png", x)
    with pytest.raises(TypeError, match="'qualty'; did you mean 'quality'"):
        hf.run_file("gauss:2", tmp_path / "x.png", tmp_path / "y.png", qualty=5)
    with pytest.raises(TypeError, match="'x'; it takes pipeline, file, out, "):
        hf.run_file("gauss:2", tmp_path / "x.png", tmp_path / "y.png", x=5)
    with pytest.raises(TypeError, match="'lvel'; did you mean 'level'"):
        hf.write(tmp_path / "x.png", x, lvel=9)
    assert "strip" in inspect.signature(hf.run_file).parameters and not (tmp_path / "y.png").exists()


def test_errors_are_those_of_python(tmp_path):
    x, path = np.zeros((3, 4), "uint8"), tmp_path / "x.png"
    for call in (
        lambda: hf.read(path),
        lambda: hf.info(str(path)),
        lambda: hf.run_file("gauss:2", path, tmp_path / "y.png"),
        lambda: hf.subtract(x, path),
    ):
        with pytest.raises(FileNotFoundError, match="x.png: No such file") as found:
            call()
        assert isinstance(found.value, hf.InputError) and found.value.errno == errno.ENOENT
        again = pickle.loads(pickle.dumps(found.value))
        assert type(again) is hf.NotFoundError and str(again) == str(found.value) and again.status == 1
    with pytest.raises(FileNotFoundError) as found:
        hf.write(tmp_path / "none" / "x.png", x)
    assert isinstance(found.value, hf.OutputError)
    hf.write(path, x)
    with pytest.raises(FileExistsError) as found:
        hf.write(path, x, replace=False)
    assert isinstance(found.value, hf.InputError) and isinstance(found.value, hf.OutputError)
    if os.path.exists("/dev/full"):
        with pytest.raises(OSError) as found:
            hf.write("/dev/full", x, format="png")
        assert found.value.errno == errno.ENOSPC == pickle.loads(pickle.dumps(found.value)).errno


def test_stack(rng):
    x = rng.integers(0, 256, (7, 15, 16, 3), dtype="uint8")
    assert np.array_equal(hf.stack("median", list(x)), np.median(x, 0))
    assert np.array_equal(hf.stack("max", x), x.max(0))
    assert np.allclose(hf.stack("mean", x, dtype="float32"), x.mean(0), atol=1e-4)
    assert np.array_equal(hf.stack("mean", x), np.float32(x.mean(0)).round().astype("uint8"))
    total = hf.stack("sum", x)
    assert total.dtype == "float64" and np.array_equal(total, x.sum(0))
    assert np.array_equal(hf.stack("max(a,b)", x), x.max(0))
    below = -1 - x.astype("float32")
    assert np.array_equal(hf.stack("max(a,b)", below), below.max(0))
    assert np.allclose(hf.stack("sd", x.astype("float64")), x.std(0), atol=1e-4)
    flipped = [one[::-1] for one in x]
    assert np.array_equal(hf.stack("median", flipped), hf.stack("median", x)[::-1])
    for wrong in ([], [x[0], x[1][:3]], [x[0], x[1].astype("uint16")]):
        with pytest.raises(hf.UsageError):
            hf.stack("mean", wrong)
    with pytest.raises(hf.UsageError, match="stack"):
        hf.stack("medium", x)


def test_compare(rng, tmp_path):
    a = rng.integers(0, 256, (30, 40, 3), dtype="uint8")
    b = a.copy()
    assert hf.compare(a, b)["differing"] == 0 and hf.compare(a, b)["max_x"] is None
    b[3, 5, 1] ^= 128
    found = hf.compare(a, b)
    assert (found["differing"], found["max"], found["max_x"], found["max_y"], found["max_channel"]) == (
        1,
        128,
        5,
        3,
        1,
    )
    metrics = pytest.importorskip("skimage.metrics")
    b = hf.gauss(a, 1)
    assert np.isclose(hf.compare(a, b)["psnr"], metrics.peak_signal_noise_ratio(a, b))
    with pytest.raises(hf.UsageError):
        hf.compare(a, b[:4])
    t = np.sin(np.arange(2000) / 7) * np.hanning(2000)
    found = hf.compare(hf.Sound(t, 8000), hf.Sound(np.roll(t, 30), 8000))
    assert abs(found["lag"]) == 30 and found["ssim"] is None


def test_messages_name_keywords(tmp_path):
    x = np.zeros((4, 5), "float32")
    with pytest.raises(hf.Error, match=r"white=65535 \(counts\)"):
        hf.equalize(x)
    hf.write(tmp_path / "a.pfm", x)
    with pytest.raises(hf.InputError, match=r"exists: use replace=True to replace it$"):
        hf.write(tmp_path / "a.pfm", x, replace=False)
    with pytest.raises(hf.Error, match=r"format"):
        hf.write(tmp_path / "a.xyz", x)
    with pytest.raises(hf.UsageError, match=r"^effort is for WebP"):
        hf.write(None, x.astype("uint8"), format="png", effort=3)
    with pytest.raises(hf.UsageError, match=r"leave out lossless=True"):
        hf.write(None, x.astype("uint8"), format="jpeg", lossless=True)
