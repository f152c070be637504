"""Ctrl-C during a long run."""

import os
import signal
import threading
import time

import halofilters as hf
import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _python_s_handler():
    """What starts the tests may have it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def _soon(call):
    timer = threading.Timer(0.2, call)
    timer.daemon = True
    timer.start()
    return timer


def _interrupt():
    os.kill(os.getpid(), signal.SIGINT)


LONG = " | ".join(["median:9"] * 200)  # half a minute for 4 megapixels


def test_ends_the_run(rng):
    x = rng.integers(0, 256, (2048, 2048), dtype="uint8")
    _soon(_interrupt)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        hf.run(LONG, x)
    assert time.monotonic() - begin < 10
    assert np.array_equal(hf.gauss(x, 1), hf.gauss(x, 1, device="cpu"))


def test_handlers_of_the_program(rng):
    x = rng.integers(0, 256, (512, 512), dtype="uint8")
    text, count = " | ".join(["median:9"] * 40), []
    expected = hf.run(text, x)
    before = signal.signal(signal.SIGINT, lambda *_: count.append(1))
    try:
        timer = _soon(_interrupt)
        while timer.is_alive() or not count:
            assert np.array_equal(hf.run(text, x), expected)
    finally:
        signal.signal(signal.SIGINT, before)
    assert count == [1]


def test_other_threads_go_on(rng):
    """The signal is the main thread's."""
    x = rng.integers(0, 256, (512, 512), dtype="uint8")
    text, made = " | ".join(["median:9"] * 40), []
    expected = hf.run(text, x)
    thread = threading.Thread(target=lambda: made.append(hf.run(text, x)))
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        _interrupt()
        thread.join()
    thread.join()
    assert np.array_equal(made[0], expected)


def test_comparison(rng):
    a, b = rng.random((2, 3000, 4000), dtype="float32")
    _soon(_interrupt)
    with pytest.raises(KeyboardInterrupt):
        for _ in range(20):
            hf.compare(a, b)


def test_files(rng, tmp_path):
    hf.write(tmp_path / "in.png", rng.integers(0, 256, (2048, 2048), dtype="uint8"))
    _soon(_interrupt)
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        hf.run_file(LONG, tmp_path / "in.png", tmp_path / "out.png")
    assert time.monotonic() - begin < 10
    assert [path.name for path in tmp_path.iterdir()] == ["in.png"]
