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


@pytest.mark.parametrize("pipeline", ["gray", "channels:mono | gauss:1", "channels:1,2,2,3", "color:lab"])
def test_numbers_of_channels(rng, pipeline):
    x = rng.integers(0, 256, (40, 50, 3), dtype="uint8")
    made = hf.map_overlap(da.from_array(x, chunks=(17, 20, 2)), pipeline)
    expected = hf.run(pipeline, x)
    assert made.shape == expected.shape and made.dtype == expected.dtype
    assert np.array_equal(made.compute(scheduler="sync"), expected)
    planes = np.moveaxis(x, 2, 0)
    made = hf.map_overlap(da.from_array(planes, chunks=(2, 17, 20)), pipeline, axes="chw")
    assert made.shape == np.moveaxis(expected, 2, 0).shape
    assert np.array_equal(made.compute(scheduler="sync"), np.moveaxis(expected, 2, 0))


def test_more_dimensions(rng):
    x = rng.integers(0, 256, (40, 50), dtype="uint8")
    made = hf.map_overlap(da.from_array(x, chunks=(17, 20)), "channels:1,1,1 | median:3")
    assert made.shape == (40, 50, 3)
    assert np.array_equal(made.compute(scheduler="sync"), hf.run("channels:1,1,1 | median:3", x))
    s = rng.standard_normal(500)
    made = hf.map_overlap(da.from_array(s, chunks=90), "channels:1,1 | savgol:21,3", rate=10)
    assert np.array_equal(made.compute(scheduler="sync"), hf.run("channels:1,1 | savgol:21,3", s, rate=10))


def test_messages(rng):
    x = da.from_array(rng.random((403, 301)), chunks=100)
    with pytest.raises(hf.UsageError, match="places"):
        hf.map_overlap(x, "crop:100x100")
    with pytest.raises(hf.InputError, match="which is 301 x 403"):
        hf.map_overlap(x, "crop:400x100")
    with pytest.raises(hf.UsageError, match="'gauss:1 | stats' measures as well"):
        hf.map_overlap(x, "gauss:1 | stats")
    large = da.zeros((10**6, 10**6), chunks=250_000, dtype="uint8")
    assert hf.map_overlap(large, "gray | gauss:2").shape == large.shape


def test_other_functions_refuse(rng):
    x = da.from_array(rng.integers(0, 256, (9, 30, 40), dtype="uint8"), chunks=10)
    calls = (
        lambda: hf.gauss(x[0], 2),
        lambda: hf.run("gauss:2", x[0]),
        lambda: hf.Pipeline("gauss:2")(x[0]),
        lambda: hf.subtract(np.zeros((30, 40), "uint8"), x[0]),
        lambda: hf.stack("mean", x),
        lambda: hf.stack("mean", [x[0], x[1]]),
        lambda: hf.compare(x[0], x[1]),
        lambda: hf.write(None, x[0], format="png"),
        lambda: hf.lowpass(hf.Sound(x[0, 0], 100), 10),
        lambda: hf.objects(x[0]),
    )
    for call in calls:
        with pytest.raises(hf.UsageError, match=r"hf\.map_overlap"):
            call()


def test_sound(rng):
    x = rng.standard_normal(5000)
    made = hf.map_overlap(da.from_array(x, chunks=1300), "savgol:21,3", rate=100)
    assert np.array_equal(made.compute(scheduler="sync"), hf.savgol(x, 21, 3, rate=100))


def test_refused(rng):
    x = da.from_array(rng.random((30, 30)), chunks=10)
    for pipeline in ("normalize", "resize:50%", "stats", "gauss:2,border=wrap", "expr:v+x", "expr:v*w"):
        with pytest.raises(hf.UsageError):
            hf.map_overlap(x, pipeline)
    masked = da.ma.masked_greater(x, 0.5)
    for call in (hf.stats, hf.hist, lambda one: hf.map_overlap(one, "median:3")):
        with pytest.raises(hf.UsageError, match="mask"):
            call(masked)


def same_statistics(x, chunks, **options):
    """Those of chunks are, to the bit, those of one array."""
    whole, merged = hf.stats(x, **options), hf.stats(da.from_array(x, chunks=chunks), **options)
    assert list(merged["channel"]) == list(whole["channel"]) and len(merged) == 13
    for name in merged:
        if name != "channel":
            assert merged[name].dtype == whole[name].dtype
            assert np.array_equal(merged[name], whole[name], equal_nan=True), (name, merged[name], whole[name])


TYPES = ["bool", "uint8", "uint16", "int16", "int32", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", TYPES)
def test_statistics(rng, dtype):
    x = (rng.random((170, 130, 2)) * 250).astype(dtype)
    same_statistics(x, (33, 26, 1))
    same_statistics(x, (170, 130, 2))
    same_statistics(np.asfortranarray(x[..., 0]), (170, 7))


@pytest.mark.parametrize("chunks", [(3, 500), (64, 16), (400, 500), (97, 101)])
def test_sums_of_floats(rng, chunks):
    x = (rng.standard_normal((400, 500)) * np.exp(rng.standard_normal((400, 500)) * 9)).astype("float32")
    same_statistics(x, chunks)
    x[:9, :300] = np.nan
    x[200, 7] = np.inf
    same_statistics(x, chunks)
    same_statistics(np.full_like(x, np.nan), chunks)


def test_statistics_by_meaning(rng):
    x = rng.random((90, 120, 4), dtype="float32")
    same_statistics(x, (50, 50, 2), alpha=-1)
    same_statistics(x, (50, 50, 4), axes="whc")
    same_statistics(rng.random((3, 90, 110)), (1, 40, 40), axes="chw")
    same_statistics(rng.random(9000), 1000)
    sound = rng.standard_normal((70000, 2))
    found, whole = hf.stats(hf.Sound(da.from_array(sound, chunks=(9000, 1)), 100)), hf.stats(sound, rate=100)
    assert all(np.array_equal(found[name], whole[name]) for name in found)
    single = hf.stats(sound, rate=100, precision="single")
    found = hf.stats(da.from_array(sound, chunks=(9000, 2)), rate=100, precision="single")
    assert found["sum"][0] == single["sum"][0] != whole["sum"][0]


def same_histogram(x, chunks, *, rate=None, **options):
    one, parts = (hf.hist(of, rate=rate, **options) for of in (x, da.from_array(x, chunks=chunks)))
    for a, b in ((one, parts), (one.outside, parts.outside)):
        assert list(a) == list(b) and all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int32", "float32", "float64"])
def test_histograms(rng, dtype):
    x = (rng.random((70, 90, 2)) * 250).astype(dtype)
    same_histogram(x, (33, 26, 2))
    same_histogram(x, (33, 26, 2), bins=37)
    same_histogram(x, (33, 26, 2), bins=5, min=50, max=99)
    same_histogram(x, (33, 26, 2), bins=5, min=50)


def test_ranges_of_histograms(rng):
    x = rng.standard_normal((40, 50)).astype("float32")
    x[3, 4], x[30, 40], x[5, 5:9] = np.inf, -np.inf, np.nan
    same_histogram(x, (16, 16))
    same_histogram(np.full_like(x, 7), (16, 16), bins=9)
    same_histogram(np.full_like(x, np.nan), (16, 16), bins=9)
    same_histogram(x[0] * np.float64(1e300), 16)
    same_histogram(rng.standard_normal((5000, 2)), (1000, 1), rate=100)
    same_histogram(rng.standard_normal(5000), 1000, rate=100, white="none")
    with pytest.raises(hf.UsageError, match="mask"):
        hf.hist(da.from_array(x, chunks=16), mask=x > 0)


def test_two_workers(rng):
    distributed = pytest.importorskip("distributed")
    x = rng.integers(0, 65536, (200, 240), dtype="uint16")
    floats = rng.standard_normal((200, 240)).astype("float32")
    chunked = da.from_array(x, chunks=(80, 80))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        made = hf.map_overlap(chunked, "gauss:2 | median:3").compute()
        found = hf.stats(chunked)
        of_floats, counts = (measure(da.from_array(floats, chunks=(80, 80))) for measure in (hf.stats, hf.hist))
    assert np.array_equal(made, hf.run("gauss:2 | median:3", x))
    assert found.row() == {name: value for name, value in hf.stats(x).row().items() if name in found}
    whole = hf.stats(floats).row()
    assert of_floats.row() == {name: whole[name] for name in of_floats}
    assert np.array_equal(counts["count"], hf.hist(floats)["count"])
