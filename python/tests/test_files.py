"""Files in memory, by path and by object; batches; stacks and comparisons."""

import io

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
    (tmp_path / "in" / "bad.png").write_bytes(b"no picture")
    with pytest.raises(hf.Error, match="bad.png"):
        hf.batch("gauss:2", tmp_path / "in", out_dir=tmp_path / "again")
    with pytest.warns(hf.HaloWarning, match="bad.png"):
        hf.batch("gauss:2", tmp_path / "in", out_dir=tmp_path / "third", check=False)


def test_stack(rng):
    x = rng.integers(0, 256, (7, 15, 16, 3), dtype="uint8")
    assert np.array_equal(hf.stack("median", list(x)), np.median(x, 0))
    assert np.array_equal(hf.stack("max", x), x.max(0))
    assert np.allclose(hf.stack("mean", x, dtype="float32"), x.mean(0), atol=1e-4)
    assert np.array_equal(hf.stack("mean", x), np.float32(x.mean(0)).round().astype("uint8"))
    total = hf.stack("sum", x)
    assert total.dtype == "float64" and np.array_equal(total, x.sum(0))
    assert np.array_equal(hf.stack("max(a,b)", x), x.max(0))
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
