"""Ctrl-C during a long run."""

import os
import signal
import threading
import time

import halofilters as hf
import numpy as np
import pytest
from halofilters import _lib


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
        hf.run(LONG, x, device="cpu")
    assert time.monotonic() - begin < 10
    assert np.array_equal(hf.gauss(x, 1), hf.gauss(x, 1, device="cpu"))


def test_handlers_of_the_program(rng):
    x = rng.integers(0, 256, (512, 512), dtype="uint8")
    text, count = " | ".join(["median:9"] * 40), []
    expected = hf.run(text, x, device="cpu")
    before = signal.signal(signal.SIGINT, lambda *_: count.append(1))
    try:
        timer = _soon(_interrupt)
        while timer.is_alive() or not count:
            assert np.array_equal(hf.run(text, x, device="cpu"), expected)
    finally:
        signal.signal(signal.SIGINT, before)
    assert count == [1]


def test_other_threads_go_on(rng):
    """The signal is the main thread's."""
    x = rng.integers(0, 256, (512, 512), dtype="uint8")
    text, made = " | ".join(["median:9"] * 40), []
    expected = hf.run(text, x, device="cpu")
    thread = threading.Thread(target=lambda: made.append(hf.run(text, x, device="cpu")))
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
        hf.run_file(LONG, tmp_path / "in.png", tmp_path / "out.png", device="cpu")
    assert time.monotonic() - begin < 10
    assert [path.name for path in tmp_path.iterdir()] == ["in.png"]


def test_writing(rng):
    """What a file is written by is no Python, in which the interruption would get lost."""
    x = rng.integers(0, 65536, (3000, 4000), dtype="uint16")
    _soon(_interrupt)
    with pytest.raises(KeyboardInterrupt):
        while True:
            hf.write(None, x, format="png", level=9)
    assert np.array_equal(hf.read(hf.write(None, x[:9], format="png")), x[:9])


def _interrupting(function):
    def called(*arguments):
        function(*arguments)
        _interrupt()

    return called


def test_memory_of_a_file(rng, monkeypatch):
    """It is freed where the interruption is raised."""
    x = rng.integers(0, 256, (5, 5), dtype="uint8")
    monkeypatch.setattr(_lib, "halo_free", _interrupting(_lib.halo_free))
    with pytest.raises(KeyboardInterrupt):
        hf.write(None, x, format="png")


def test_pipelines_let_go():
    """In __del__ it would get lost: the next call raises it."""
    x = np.zeros((5, 5), "uint8")
    made = hf.Pipeline("gauss:1.5")
    made(x)
    made.plan(x)._close = _interrupting(_lib.halo_plan_close)
    del made
    with pytest.raises(KeyboardInterrupt):
        hf.gauss(x, 1)
    assert not hf.gauss(x, 1).any()


def test_remarks():
    """Nor is it lost where the library reports a remark."""
    _lib._keep(1, None, (None, b"a remark"))
    with pytest.raises(KeyboardInterrupt):
        hf.gauss(np.zeros((5, 5), "uint8"), 1)
    with pytest.warns(hf.HaloWarning, match="a remark"):
        hf.gauss(np.zeros((5, 5), "uint8"), 1)


def test_other_signals(rng):
    """Their handlers run after the call."""

    def late(*_):
        raise TimeoutError("late")

    x = rng.integers(0, 256, (1024, 1024), dtype="uint8")
    before = signal.signal(signal.SIGALRM, late)
    try:
        with pytest.raises(TimeoutError, match="late"):
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            while True:
                hf.run(" | ".join(["median:9"] * 8), x)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_batch(rng, tmp_path):
    """The signal is Python's alone: the program is ended, and waited for."""
    for k in range(2):
        hf.write(tmp_path / f"{k}.png", rng.integers(0, 256, (2048, 2048), dtype="uint8"))
    timer = threading.Timer(0.7, _interrupt)
    timer.start()
    begin = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            hf.batch(LONG, [tmp_path / "0.png", tmp_path / "1.png"], out_dir=tmp_path / "out", device="cpu")
    finally:
        timer.cancel()
    assert time.monotonic() - begin < 10
    assert {path.name for path in tmp_path.glob("out/*")} <= {".halo-journal"}
