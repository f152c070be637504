"""Beside SciPy and scikit-image: the same results where the definitions are the same (docs/fidelity.md)."""

import halofilters as hf
import numpy as np
import pytest

ndimage = pytest.importorskip("scipy.ndimage")
signal = pytest.importorskip("scipy.signal")


def test_gauss(rng):
    x = rng.random((50, 60))
    expected = ndimage.gaussian_filter(x, 2, mode="nearest", truncate=4)
    assert np.abs(hf.gauss(x, 2) - expected).max() < 1e-6


def test_windows(rng):
    x = rng.integers(0, 65536, (50, 60), dtype="uint16")
    assert np.array_equal(hf.median(x, 5), ndimage.median_filter(x, 5, mode="nearest"))
    assert np.array_equal(hf.erode(x, 5), ndimage.minimum_filter(x, 5, mode="nearest"))
    assert np.array_equal(hf.open_(x, 3), ndimage.grey_opening(x, 3, mode="nearest"))
    expected = ndimage.uniform_filter(x.astype(float), 7, mode="reflect")
    assert np.abs(hf.box(x, 7, border="reflect") - expected).max() <= 0.5001


def test_edges(rng):
    x = rng.random((40, 30), dtype="float32")
    assert np.allclose(hf.sobel(x, "x"), ndimage.sobel(x, axis=1, mode="nearest"), atol=1e-5)
    assert np.allclose(hf.laplace(x), ndimage.laplace(x, mode="nearest"), atol=1e-5)


def test_correlate(rng):
    x, mask = rng.random((40, 30), dtype="float32"), rng.random((5, 3))
    assert np.allclose(hf.conv(x, mask, border="wrap"), ndimage.correlate(x, mask, mode="wrap"), atol=1e-4)


def test_sound(rng):
    x = rng.standard_normal(500)
    assert np.allclose(hf.savgol(x, 21, 3), signal.savgol_filter(x, 21, 3, mode="mirror"))
    assert np.allclose(hf.detrend(x), signal.detrend(x))


def test_scans(rng):
    x = rng.integers(0, 256, (30, 40), dtype="uint8")
    made = hf.integral(x)
    assert np.array_equal(made, x.astype(int).cumsum(0).cumsum(1))


def test_resize():
    transform = pytest.importorskip("skimage.transform")
    x = np.add.outer(np.arange(40.0), 2 * np.arange(60.0)).astype("float32")
    made = hf.resize(x, "30x20", kernel="linear")
    expected = transform.resize(x, (20, 30), order=1, anti_aliasing=False)
    assert np.abs(made - expected)[2:-2, 2:-2].max() < 1.0


def test_threshold(rng):
    filters = pytest.importorskip("skimage.filters")
    x = np.concatenate([rng.normal(60, 9, 2000), rng.normal(170, 20, 2000)]).clip(0, 255)
    x = x.astype("uint8").reshape(40, 100)
    assert np.array_equal(hf.threshold(x, "otsu") > 0, x > filters.threshold_otsu(x))
