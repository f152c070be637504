"""Arrays on a GPU, of CuPy and PyTorch: the bytes of the CPU, no copies, any stream, from several threads.

Skipped where there is neither, or no GPU, or libhalo has no CUDA backend. bench/python_gpu.py measures times.
"""

import importlib.util
import threading

import halofilters as hf
import numpy as np
import pytest


def _works(name):
    if not importlib.util.find_spec(name):
        return False
    module = importlib.import_module(name)
    try:
        return module.cuda.is_available()
    except Exception:
        return False


LIBRARIES = (
    [name for name in ("cupy", "torch") if _works(name)] if "no CUDA" not in hf.version()["features"] else []
)
pytestmark = pytest.mark.skipif(not LIBRARIES, reason="no CuPy or PyTorch with a GPU, or no CUDA in libhalo")
each = pytest.mark.parametrize("name", LIBRARIES or ["none"])

PIPELINES = [
    "gauss:2",
    "median:5",
    "sobel",
    "resize:50%",
    "gauss:1.5 | sobel",
    "subtract:[gauss:8] | box:5",
    "invert",
]


class Library:
    """What the tests need of either library."""

    def __init__(self, name):
        self.name, self.module = name, importlib.import_module(name)

    def to_device(self, x):
        return self.module.asarray(x) if self.name == "cupy" else self.module.from_numpy(x.copy()).cuda()

    def to_host(self, x):
        return self.module.asnumpy(x) if self.name == "cupy" else x.cpu().numpy()

    def pointer(self, x):
        return x.data.ptr if self.name == "cupy" else x.data_ptr()

    def synchronize(self):
        if self.name == "cupy":
            self.module.cuda.get_current_stream().synchronize()
        else:
            self.module.cuda.current_stream().synchronize()

    def stream(self):
        if self.name == "cupy":
            return self.module.cuda.Stream(non_blocking=True)
        return self.module.cuda.stream(self.module.cuda.Stream())

    def used(self):
        """Bytes that arrays hold."""
        if self.name == "cupy":
            return self.module.get_default_memory_pool().used_bytes()
        return self.module.cuda.memory_allocated()

    def empty(self, like):
        return self.module.empty_like(like)


@pytest.fixture
def library(name):
    return Library(name)


@each
@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_bytes(rng, library, pipeline, dtype):
    x = (rng.random((150, 170)) * 255).astype(dtype)
    white = 255 if dtype == "float32" else None
    device = library.to_device(x)
    y = hf.run(pipeline, device, white=white)
    assert type(y) is type(device)
    assert np.array_equal(library.to_host(y), hf.run(pipeline, x, white=white, device="cpu"))
    assert np.array_equal(library.to_host(device), x)


@each
def test_types_and_layouts(rng, library):
    x = (rng.random((60, 70)) * 99).astype("float64")
    for dtype in ("float64", "float16", "int32", "int16"):
        one = x.astype(dtype)
        assert np.array_equal(library.to_host(hf.gauss(library.to_device(one), 2)), hf.gauss(one, 2))
    device = library.to_device(x.astype("float32"))
    transposed = device.T
    assert np.array_equal(library.to_host(hf.gauss(transposed, 2)), hf.gauss(x.T.astype("float32"), 2))
    parts = device[5:50, 3:60]
    assert np.array_equal(library.to_host(hf.gauss(parts, 2)), hf.gauss(x[5:50, 3:60].astype("float32"), 2))
    colours = (rng.random((3, 40, 50)) * 255).astype("uint8")
    device = library.to_device(colours)
    assert np.array_equal(library.to_host(hf.median(device, 3, axes="nhw")), hf.median(colours, 3, axes="nhw"))


@each
def test_two_inputs(rng, library):
    x, y = rng.integers(0, 256, (2, 60, 70), dtype="uint8")
    made = hf.subtract(library.to_device(x), library.to_device(y))
    assert np.array_equal(library.to_host(made), hf.subtract(x, y))
    with pytest.raises(hf.UsageError):
        hf.subtract(library.to_device(x), y)


@each
def test_out_is_written_in_place(rng, library):
    x = rng.random((200, 300), dtype="float32")
    device = library.to_device(x)
    out = library.empty(device)
    at = library.pointer(out)
    assert hf.gauss(device, 2, out=out) is out and library.pointer(out) == at
    assert np.array_equal(library.to_host(out), hf.gauss(x, 2))
    wide = library.to_device(np.zeros((200, 600), "float32"))
    with pytest.raises(hf.UsageError, match="in place"):  # it is not written, and a copy would be lost
        hf.gauss(device, 2, out=wide[:, ::2])


@each
def test_memory(rng, library):
    """Only the result is allocated of the library's pool."""
    device = library.to_device(rng.random((1024, 1024), dtype="float32"))
    before = library.used()
    y = hf.gauss(device, 2)
    library.synchronize()
    assert library.used() - before <= 4 * 1024 * 1024 + 4096
    del y


@each
def test_streams(rng, library):
    """Work is queued on the current stream, behind what makes its input."""
    x = rng.random((2000, 2000), dtype="float32")
    expected = hf.gauss(x * 2 + 1, 2)
    for _ in range(4):
        with library.stream():
            device = library.to_device(x) * 2
            device += 1
            y = hf.gauss(device, 2)
            device *= 0  # behind the filter
            library.synchronize()
            assert np.array_equal(library.to_host(y), expected)


@each
def test_threads(rng, library):
    x = rng.integers(0, 256, (6, 300, 400), dtype="uint8")
    expected = [hf.median(one, 5) for one in x]
    wrong = []

    def work(k):
        with library.stream():
            device = library.to_device(x[k])
            for _ in range(20):
                y = hf.median(device, 5)
                library.synchronize()
                if not np.array_equal(library.to_host(y), expected[k]):
                    wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(x))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not wrong


@each
def test_results(rng, library):
    x = rng.integers(0, 256, (100, 120), dtype="uint8")
    found, expected = hf.stats(library.to_device(x)), hf.stats(x)
    assert all(
        np.array_equal(found[name], expected[name], equal_nan=name != "channel")
        for name in found
        if name != "channel"
    )


@each
def test_failures(rng, library):
    device = library.to_device(rng.random((20, 30), dtype="float32"))
    with pytest.raises(hf.UsageError):
        hf.gauss(device, -1)
    with pytest.raises(hf.UsageError):
        hf.gauss(device, 1, out=library.to_device(np.zeros((20, 31), "float32")))


def test_jax(rng):
    jax = pytest.importorskip("jax")
    if not any(device.platform == "gpu" for device in jax.devices()):
        pytest.skip("JAX has no GPU")
    x = rng.random((60, 70), dtype="float32")
    y = hf.gauss(jax.numpy.asarray(x), 2)
    assert isinstance(y, jax.Array) and np.array_equal(np.asarray(y), hf.gauss(x, 2))
