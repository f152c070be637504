"""Arrays in chunks: the bytes of one array, on two workers of dask.distributed."""

import halofilters as hf
import numpy as np
import pytest

da = pytest.importorskip("dask.array")

PIPELINES = [
    "gauss:2 | median:3",
    "subtract:[gauss:5] | box:7",
    "sobel",
    "invert",
    'conv:"1,2,3,4"',
    "motion:9,30",
]


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_pictures(rng, pipeline, dtype):
    x = (rng.random((70, 90)) * 255).astype(dtype)
    chunked = da.from_array(x, chunks=(33, 26))
    white = 255 if dtype == "float32" else None
    made = hf.map_overlap(chunked, pipeline, white=white)
    assert made.dtype == dtype and made.chunks == chunked.chunks
    assert np.array_equal(made.compute(scheduler="sync"), hf.run(pipeline, x, white=white))


def test_colours_and_pages(rng):
    x = rng.integers(0, 256, (40, 50, 3), dtype="uint8")
    made = hf.map_overlap(da.from_array(x, chunks=(17, 20, 2)), "median:5")
    assert np.array_equal(made.compute(scheduler="sync"), hf.median(x, 5))
    volume = rng.random((4, 40, 50))
    made = hf.map_overlap(da.from_array(volume, chunks=(2, 17, 20)), "gauss:1", axes="zyx")
    assert np.array_equal(made.compute(scheduler="sync"), hf.gauss(volume, 1, axes="zyx"))


def test_sound(rng):
    x = rng.standard_normal(5000)
    made = hf.map_overlap(da.from_array(x, chunks=1300), "savgol:21,3", rate=100)
    assert np.array_equal(made.compute(scheduler="sync"), hf.savgol(x, 21, 3, rate=100))


def test_refused(rng):
    x = da.from_array(rng.random((30, 30)), chunks=10)
    for pipeline in ("normalize", "resize:50%", "stats", "gauss:2,border=wrap"):
        with pytest.raises(hf.UsageError):
            hf.map_overlap(x, pipeline)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_measured(rng, dtype):
    x = (rng.random((70, 90, 2)) * 250).astype(dtype)
    chunked = da.from_array(x, chunks=(33, 26, 2))
    whole, merged = hf.stats(x), hf.stats(chunked)
    exact = ["count", "nan", "inf", "zero", "min", "max", "min_at", "max_at"]
    for name in merged:
        if dtype != "float32" or name in exact or name == "channel":
            assert np.array_equal(merged[name], whole[name]), name
        else:
            assert np.allclose(merged[name], whole[name], rtol=1e-14, atol=0), name
    one, parts = hf.hist(x, bins=37), hf.hist(chunked, bins=37)
    assert all(np.array_equal(one[name], parts[name]) for name in one)
    one, parts = hf.hist(x, bins=5, min=50, max=99).outside, hf.hist(chunked, bins=5, min=50, max=99).outside
    assert all(np.array_equal(one[name], parts[name]) for name in one)


def test_two_workers(rng):
    distributed = pytest.importorskip("distributed")
    x = rng.integers(0, 65536, (200, 240), dtype="uint16")
    chunked = da.from_array(x, chunks=(80, 80))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        made = hf.map_overlap(chunked, "gauss:2 | median:3").compute()
        found = hf.stats(chunked)
    assert np.array_equal(made, hf.run("gauss:2 | median:3", x))
    assert found.row() == {name: value for name, value in hf.stats(x).row().items() if name in found}
