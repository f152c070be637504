"""What users give by mistake, or without thinking of it: right results, or a refusal, never other memory."""

import io
import warnings

import halofilters as hf
import numpy as np
import pytest


@pytest.mark.parametrize("shape", [(24, 32), (200, 300, 3)])
def test_one_element_everywhere(rng, shape):
    """All strides are 0, which the library takes for no strides."""
    x = rng.integers(0, 256, shape, dtype="uint8")
    one = np.broadcast_to(np.uint8(16), shape)
    assert hf.stats(one)["max"].max() == 16
    assert np.array_equal(hf.max_(x, one), np.maximum(x, 16))
    for _ in range(3):  # by a plan that is kept, too
        assert (hf.invert(one) == 239).all()
        assert np.array_equal(hf.invert(x), 255 - x)
    assert hf.compare(one, np.full(shape, 16, "uint8"))["differing"] == 0
    with pytest.raises(hf.UsageError, match="in place"):
        hf.invert(x, out=np.lib.stride_tricks.as_strided(np.zeros(1, "uint8"), shape, (0,) * len(shape)))


def test_out_that_is_no_memory_of_the_caller():
    x = bytes(16)
    constant = bytes(range(16))
    with pytest.raises(hf.UsageError, match="read-only"):
        hf.invert(x, out=constant)
    assert constant == bytes(range(16))
    for out in (memoryview(bytearray(32))[::2], [0] * 16):
        with pytest.raises(hf.UsageError):
            hf.invert(x, out=out)
    series = np.array([1.0, 2, 3, 4])
    for out in ([0.0] * 4, np.zeros(4, ">f8"), np.zeros(4, bool)):
        with pytest.raises(hf.UsageError):
            hf.gain(series, 2.0, rate=1, out=out)
    into = bytearray(16)
    assert hf.invert(x, out=into) is into and into == b"\xff" * 16
    spread = np.zeros((4, 8), "uint8")
    hf.invert(np.zeros((4, 4), "uint8"), out=spread[:, ::2])
    assert spread.sum() == 16 * 255


def test_results_of_pages(rng):
    """One table of all, not that of the first."""
    x = rng.integers(0, 256, (3, 8, 9), dtype="uint8")
    found = hf.stats(x, axes="zyx")
    assert found["page"].tolist() == [1, 2, 3]
    assert np.array_equal(found["mean"], x.mean(axis=(1, 2)))
    counts = hf.hist(x, axes="zyx", bins=4, min=0, max=99)
    assert counts["count"].sum() + counts.outside["above"].sum() == x.size
    assert counts.outside["page"].tolist() == [1, 2, 3]
    points = np.zeros((3, 5, 5), "uint8")
    points[1, 2, 2] = 9
    assert hf.objects(points, axes="zyx")["page"].tolist() == [2]
    assert "page" not in hf.stats(x[0])


def test_pages_of_arrays_are_chosen_by_the_caller():
    for call in (lambda x: hf.pages(x, 2, axes="zyx"), lambda x: hf.run("pages:2 | stats", x, axes="zyx")):
        with pytest.raises(hf.UsageError, match="pages of files"):
            call(np.zeros((3, 4, 5), "uint8"))


def test_sounds_of_two_rates():
    one, other = (hf.Sound(np.full(10, 0.1, "float32"), rate) for rate in (44100, 48000))
    for call in (hf.add, hf.compare, lambda *both: hf.stack("mean", both)):
        with pytest.raises(hf.UsageError, match="44100 and 48000"):
            call(one, other)
    same = hf.Sound(other.data, 44100)
    assert np.allclose(hf.add(one, same).data, 0.2)
    made = hf.stack("mean", (sound for sound in (one, same)))
    assert isinstance(made, hf.Sound) and made.rate == 44100


def test_files_named_like_masks_are_read_again(tmp_path):
    x = np.full((5, 6), 30, "uint8")
    for value in (10, 25):
        hf.write(tmp_path / "640x480.png", np.full_like(x, value))
        assert hf.subtract(x, tmp_path / "640x480.png").max() == 30 - value
        assert hf.run(f'subtract:"{tmp_path}/640x480.png"', x).max() == 30 - value


def test_peaks_of_anything_of_one_dimension():
    values = [0.0, 2, 0, 1, 0]
    for x in (values, tuple(values), np.array(values), memoryview(np.array(values)), bytes([0, 2, 0, 1, 0])):
        assert hf.peaks(x)["frame"].tolist() == [1, 3]


@pytest.mark.parametrize("dtype", [">f8", "uint64", "float64", ">u2", "bool"])
def test_plans_say_the_type_of_the_result(dtype):
    x, p = np.arange(8).astype(dtype), hf.Pipeline("gain:1", rate=8)
    assert p.output(x) == ((8,), p(x).dtype)


def test_types_without_a_plan():
    for dtype in ("complex64", "object"):
        with pytest.raises(hf.UsageError, match=dtype):
            hf.Pipeline("gain:1").output(np.zeros(4, dtype))


def test_large_integers():
    with pytest.warns(hf.HaloWarning, match="2 samples are rounded"):
        hf.offset(np.uint64([[2**60 + 1, 2**64 - 1, 5]]), 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        hf.offset(np.uint64([[2**60, 5]]), 0)


def test_texts_with_zeros(tmp_path):
    x = np.zeros((4, 4), "uint8")
    for call in (
        lambda: hf.write(f"{tmp_path}/a.png\0.tif", x),
        lambda: hf.read(f"{tmp_path}/a\0"),
        lambda: hf.run("gauss:2\0 | invert", x),
        lambda: hf.stack("mean\0", [x]),
    ):
        with pytest.raises(hf.UsageError, match="NUL"):
            call()
    assert not list(tmp_path.iterdir())


def test_booleans_as_masks(rng):
    x = rng.integers(0, 256, (24, 32), dtype="uint8")
    where = x > 128
    assert np.array_equal(hf.gauss(x, 2, mask=where), np.where(where, hf.gauss(x, 2), x))


def test_scalars_of_numpy():
    x = np.full((6, 6, 4), 9, "uint8")
    assert np.array_equal(hf.gauss(x, 1, border=np.float32(7)), hf.gauss(x, 1, border=7))
    assert np.array_equal(hf.gauss(x, 1, alpha=np.int64(-1)), hf.gauss(x, 1, alpha=-1))
    with pytest.raises(hf.UsageError, match="alpha=-5"):
        hf.gauss(x, 1, alpha=-5)


def test_names_and_axes():
    x = np.zeros((4, 4), "uint8")
    with pytest.raises(hf.UsageError, match="hf.read"):
        hf.gauss("x.png", 2)
    with pytest.raises(hf.UsageError, match="axes"):
        hf.gauss(x, 2, axes=("h", "w"))
    for pipeline in (None, 3):
        with pytest.raises(hf.UsageError, match="expected a pipeline"):
            hf.Pipeline(pipeline)
    with pytest.raises(hf.UsageError, match="hf.run"):
        hf.map_overlap(x, "gauss:2")


def test_what_files_do_not_say(tmp_path):
    x = np.arange(210, dtype="float32").reshape(7, 5, 6)
    hf.write(tmp_path / "x.npy", x, axes="zyx")
    assert np.array_equal(hf.read(tmp_path / "x.npy", axes="zyx", pages=True), x)
    with pytest.raises(hf.LimitError):
        hf.read(tmp_path / "x.npy", axes="zyx", max_pixels=3)
    (tmp_path / "s.npy").write_bytes(_npy(np.arange(5.0)))
    assert hf.read(tmp_path / "s.npy", rate=2).rate == 2
    table = hf.read(b"a,b\n1,2\n3,4\n", format="csv")
    assert np.array_equal(table.data, [[1, 2], [3, 4]])


def _npy(x):
    file = io.BytesIO()
    np.save(file, x)
    return file.getvalue()


def test_warnings_that_are_errors(tmp_path):
    """What was made is there nevertheless."""
    file = io.BytesIO()
    with warnings.catch_warnings(), pytest.raises(hf.HaloWarning):
        warnings.simplefilter("error")
        hf.write(file, np.float32([[0, 2]]), white=1, format="png")
    assert hf.read(file.getvalue()).max() > 0
