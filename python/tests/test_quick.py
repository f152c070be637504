"""The second call with the same arguments, which goes the quick way (halofilters/_quick.py)."""

import threading

import halofilters as hf
import numpy as np
import pytest


def test_is_taken(rng, monkeypatch):
    from halofilters import _operations, _plans

    x = rng.integers(0, 256, (21, 34), dtype="uint8")
    out, pipeline = np.empty_like(x), hf.Pipeline("gauss:1.5")

    def all_of_them():
        return [
            hf.gauss(x, 1.5, border="mirror"),
            hf.gauss(x, 1.5, border="mirror", out=out).copy(),
            hf.gauss(x[::-1, ::2], 1.5),
            pipeline(x),
            hf.run("gauss:1.5", x, white=255),
        ]

    first = all_of_them()
    for module in (_operations, _plans):
        monkeypatch.setattr(module, "apply_planned", None)
    for one, again in zip(first, all_of_them()):
        assert np.array_equal(one, again) and not np.shares_memory(one, again)


def test_layouts_in_turn(rng):
    base = rng.integers(0, 65536, (40, 50), dtype="uint16")
    views = [base, base.T, base[::-1], base[:, ::-2], np.asfortranarray(base), base[5:, 3:]]
    expected = [hf.median(np.ascontiguousarray(view), 3, device="cpu") for view in views]
    for _ in range(3):
        for view, wanted in zip(views, expected):
            assert np.array_equal(hf.median(view, 3), wanted)


def test_kinds_in_turn(rng):
    base = rng.random((30, 20)) * 200
    for _ in range(3):
        for dtype, made in (("uint8", "uint8"), ("float64", "float32"), (">u2", "uint16"), ("i2", "float32")):
            y = hf.gauss(base.astype(dtype), 1)
            assert y.dtype == made and abs(float(y.mean()) - float(base.mean())) < 3


def test_types_of_values_count(rng):
    x = rng.integers(0, 256, (20, 30, 2), dtype="uint8")
    first, none = (hf.Pipeline("gauss:2", alpha=value)(x) for value in (0, False))
    assert not np.array_equal(first, none)
    for value, wanted in ((False, none), (0, first), (False, none)):
        assert np.array_equal(hf.run("gauss:2", x, alpha=value), wanted)


def test_out_is_checked_again(rng):
    x = rng.integers(0, 256, (20, 30), dtype="uint8")
    wanted = hf.gauss(x, 2)
    wide = np.zeros((20, 60), "uint8")
    for _ in range(2):
        assert np.array_equal(hf.gauss(x, 2, out=wide[:, ::2]), wanted)  # with gaps
        frozen = np.zeros_like(x)
        frozen.flags.writeable = False
        for bad in (frozen, np.zeros((30, 20), "uint8"), np.zeros((20, 30), "float32")):
            with pytest.raises(hf.UsageError):
                hf.gauss(x, 2, out=bad)
    assert np.array_equal(wide[:, ::2], wanted) and not wide[:, 1::2].any()


def test_arguments_that_are_not_hashable(rng):
    x, mask = rng.integers(0, 256, (20, 30), dtype="uint8"), np.ones((3, 3))
    for factor in (1, 2, 1):
        y = hf.conv(x, (mask * factor).tolist(), normalize=True)
        assert np.array_equal(y, hf.box(x, 3))
    dark = np.full_like(x, 3)
    for _ in range(2):
        assert np.array_equal(hf.subtract(x, dark), hf.run("offset:-3", x))
        dark = dark.copy()


def test_threads(rng):
    images = rng.integers(0, 256, (8, 33, 47), dtype="uint8")
    expected = [hf.gauss(one, 1) for one in images]
    wrong = []

    def work(k):
        for _ in range(300):
            if not np.array_equal(hf.gauss(images[k], 1), expected[k]):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(images))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


def test_tensors(rng):
    torch = pytest.importorskip("torch")
    x = rng.random((24, 36), dtype="float32")
    tensor, wanted = torch.from_numpy(x), hf.gauss(x, 2)
    parameter = torch.nn.Parameter(tensor.clone())
    flipped = torch._neg_view(torch.from_numpy(-x))
    out = torch.empty_like(tensor)
    for _ in range(2):
        for one in (tensor, parameter, flipped):
            y = hf.gauss(one, 2)
            assert type(y) is torch.Tensor and not y.requires_grad and np.array_equal(y.numpy(), wanted)
        assert np.array_equal(hf.gauss(tensor.T, 2).numpy(), hf.gauss(np.ascontiguousarray(x.T), 2))
        assert hf.gauss(tensor, 2, out=out) is out and np.array_equal(out.numpy(), wanted)
        assert tuple(hf.resize(tensor, "50%").shape) == (12, 18)
        with pytest.raises(hf.UsageError):
            hf.gauss(tensor, 2, out=torch.empty((36, 24)))
