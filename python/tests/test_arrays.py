"""Arrays of every kind, type and layout give what a packed array of NumPy gives."""

import array
import os
import pickle
import threading
import warnings

import halofilters as hf
import numpy as np
import pytest

TYPES = ["uint8", "uint16", "uint32", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", TYPES)
def test_types(rng, dtype):
    x = rng.integers(0, 120, (20, 31)).astype(dtype)
    y = hf.gauss(x, 1.5)
    assert y.dtype == (dtype if dtype in ("uint8", "uint16") else "float32")
    if dtype not in ("uint8", "uint16"):
        assert np.array_equal(y, hf.gauss(x.astype("float32"), 1.5))
    big = x.astype(x.dtype.newbyteorder(">"))
    assert np.array_equal(hf.gauss(big, 1.5), y)


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_layouts(rng, dtype):
    x = rng.integers(0, 256, (24, 30, 3)).astype(dtype)
    for one in (x[::-1], x[:, ::2], x[..., ::-1], x.transpose(1, 0, 2), x[3:20, 5:]):
        assert np.array_equal(hf.median(one, 3), hf.median(np.ascontiguousarray(one), 3))
    # The plan is kept: layouts change from call to call.
    for one in (x, x[::-1], x, x[:, ::-1]):
        assert np.array_equal(hf.median(one, 3), hf.median(one.copy(), 3))
    planes = np.moveaxis(x, -1, 0)
    assert np.array_equal(hf.median(planes, 3, axes="chw"), np.moveaxis(hf.median(x, 3), -1, 0))
    readonly = x.copy()
    readonly.flags.writeable = False
    assert np.array_equal(hf.median(readonly, 3), hf.median(x, 3))
    odd = np.frombuffer(bytearray(x.nbytes + 1), dtype="uint8")[1:].view(dtype).reshape(x.shape)
    odd[:] = x
    assert np.array_equal(hf.median(odd, 3), hf.median(x, 3))


def test_pages(rng):
    x = rng.random((4, 15, 17), dtype="float32")
    y = hf.gauss(x, 1, axes="zyx")
    assert all(np.array_equal(y[k], hf.gauss(x[k], 1)) for k in range(4))


def test_alpha(rng):
    x = rng.integers(0, 256, (20, 20, 4), dtype="uint8")
    assert not np.array_equal(hf.gauss(x, 2), hf.gauss(x, 2, alpha=-1))
    assert np.array_equal(hf.gauss(x, 2, alpha=3), hf.gauss(x, 2, alpha=-1))
    assert np.array_equal(hf.run("gauss:2,alpha=ignore", x, alpha=3)[..., 3], x[..., 3])


def test_booleans():
    x = np.zeros((9, 9), bool)
    x[4, 4] = True
    y = hf.dilate(x, 3)
    assert y.dtype == "uint8" and y.sum() == 9 and y.max() == 1


def test_white(rng):
    x = rng.random((9, 9), dtype="float32")
    with pytest.raises(hf.Error):
        hf.invert(x)
    assert np.allclose(hf.invert(x, white=1), 1 - x)
    assert np.array_equal(hf.threshold(x, "50%", white=1), (x >= 0.5).astype("float32"))


def test_buffers():
    line = bytes(range(0, 200, 10))
    expected = hf.gauss(np.frombuffer(line, "uint8"), 1).tobytes()
    assert hf.gauss(line, 1) == expected
    assert hf.gauss(bytearray(line), 1) == bytearray(expected)
    assert hf.gauss(memoryview(line), 1).tobytes() == expected
    seen = memoryview(bytearray(24)).cast("B", (4, 6))
    assert hf.gauss(seen, 1).shape == (4, 6)
    floats = array.array("f", [1, 2, 4, 8])
    made = hf.gauss(floats, 1)
    assert isinstance(made, array.array) and made.tolist() == hf.gauss(np.array(floats), 1).tolist()


def test_lists_and_dlpack(rng):
    assert hf.invert([[0, 255]], white=255).tolist() == [[255, 0]]

    class Other:
        def __init__(self, x):
            self.x = x

        def __dlpack__(self, **how):
            return self.x.__dlpack__(**how)

        def __dlpack_device__(self):
            return self.x.__dlpack_device__()

    x = rng.random((8, 9), dtype="float32")
    assert np.array_equal(hf.gauss(Other(x), 1), hf.gauss(x, 1))


def test_out(rng):
    x = rng.integers(0, 256, (20, 30), dtype="uint8")
    out = np.zeros((20, 60), "uint8")[:, ::2]
    assert hf.gauss(x, 1, out=out) is out
    assert np.array_equal(out, hf.gauss(x, 1))
    for wrong in (np.zeros((20, 31), "uint8"), np.zeros((20, 30), "float32"), np.zeros((20, 30), ">u2")):
        with pytest.raises(hf.UsageError):
            hf.gauss(x, 1, out=wrong)
    out = np.zeros((20, 30), "uint8")
    out.flags.writeable = False
    with pytest.raises(hf.UsageError):
        hf.gauss(x, 1, out=out)


def test_out_that_overlaps(rng):
    x = rng.integers(0, 256, (60, 80), dtype="uint8")
    for _ in range(2):  # the second call goes the quick way
        y = x.copy()
        assert hf.gauss(y, 2, out=y) is y and np.array_equal(y, hf.gauss(x, 2))
    y = x.copy()
    hf.median(y[:40], 5, out=y[20:])
    assert np.array_equal(y[20:], hf.median(x[:40], 5))


def test_nonsense(rng):
    x = rng.random((5, 6), dtype="float32")
    for wrong in (x.astype(complex), x.astype(str), np.zeros((0, 3)), 3.0, None, object(), np.zeros((2,) * 7)):
        with pytest.raises(hf.UsageError):
            hf.gauss(wrong, 1)
    for how in ({"axes": "hwc"}, {"axes": "hh"}, {"alpha": 3}, {"white": -2}, {"rate": -1}, {"device": "tpu"}):
        with pytest.raises(hf.UsageError):
            hf.gauss(x, 1, **how)
    with pytest.raises(hf.UsageError, match="axes"):
        hf.gauss(np.zeros((5, 6, 9)), 1)
    with pytest.raises(hf.UsageError, match="did you mean 'gauss'"):
        hf.run("gaus:2", x)


def test_sound(rng):
    x = hf.Sound(rng.standard_normal((4800, 2)).astype("float32") / 4, 48000)
    y = hf.rate(x, "16k")
    assert isinstance(y, hf.Sound) and y.rate == 16000 and y.data.shape == (1600, 2)
    assert np.array_equal(hf.lowpass(x, 1000).data, hf.lowpass(x.data, 1000, rate=48000))
    assert hf.spectrogram(x).ndim == 2 or hf.spectrogram(x).shape[-1] == 2
    assert hf.gain(x.data.astype("float64"), "-6dB", rate=48000).dtype == "float64"
    wide = rng.integers(-(2**31), 2**31, (3000, 2), dtype="int32")
    single = hf.gain(wide, "-6dB", rate=48000, precision="single")
    assert single.dtype == "float32" and hf.gain(wide, "-6dB", rate=48000).dtype == "float64"
    assert np.array_equal(single, hf.gain((wide * 2.0**-31).astype("float32"), "-6dB", rate=48000))
    quiet = np.zeros(30000, "float32")
    quiet[9000:12000] = 0.5
    for n in (3000, 6000):  # the size of the output depends on the samples
        quiet[9000 : 9000 + n] = 0.5
        assert len(hf.silence(hf.Sound(quiet, 48000), min="1ms")) == n


def test_series():
    x = np.arange(5.0)
    y = hf.ewma(x, span=3)
    assert y.dtype == "float64" and np.allclose(y, [0, 2 / 3, 10 / 7, 34 / 15, 98 / 31])


def test_threads(rng):
    x = rng.integers(0, 256, (64, 64), dtype="uint8")
    expected, wrong = hf.gauss(x, 2), []

    def work():
        for _ in range(50):
            if not np.array_equal(hf.gauss(x, 2), expected):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


def test_fork(rng):
    x = rng.integers(0, 256, (64, 64), dtype="uint8")
    pipeline = hf.Pipeline("gauss:2")
    expected = pipeline(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        right = np.array_equal(pipeline(x), expected) and np.array_equal(hf.gauss(x, 2), expected)
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_plans_are_bounded(rng):
    from halofilters import _plans, _session

    for n in range(3, 3 + 2 * _plans._MOST_PLANS):
        hf.invert(np.zeros((2, n), "uint8"))
        hf.run("invert", np.zeros((2, n), "uint8"))
    of = _session.session()
    assert len(of.pipelines["invert"].plans) <= _plans._MOST_PLANS
    assert len(of.ready["invert"]) <= 1024 and len(of.pipelines["invert"].ready) <= 1024


def test_pickle(rng):
    x = rng.integers(0, 256, (20, 20), dtype="uint8")
    pipeline = hf.Pipeline("gauss:2 | invert", white=200)
    again = pickle.loads(pickle.dumps(pipeline))
    assert np.array_equal(again(x), pipeline(x))


def test_warnings():
    x = np.full((8, 8), 250, "uint8")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        hf.gain(x, 2)
    assert [one.category for one in found] == [hf.HaloWarning]
    assert found[0].filename == __file__ and "clipped" in str(found[0].message)


def test_torch(rng):
    torch = pytest.importorskip("torch")
    x = rng.integers(0, 256, (20, 30), dtype="uint8")
    y = hf.gauss(torch.from_numpy(x), 2)
    assert isinstance(y, torch.Tensor) and np.array_equal(y.numpy(), hf.gauss(x, 2))
    assert np.array_equal(hf.gauss(torch.from_numpy(x).T, 2).numpy(), hf.gauss(x.T, 2))


def test_jax(rng):
    jax = pytest.importorskip("jax")
    x = rng.random((20, 30), dtype="float32")
    y = hf.gauss(jax.numpy.asarray(x), 2)
    assert isinstance(y, jax.Array) and np.array_equal(np.asarray(y), hf.gauss(x, 2))
