"""The tests use the library and the program that HALO_LIBRARY and HALO_PROGRAM name, else those of build/cpu,
else an installed package."""

import os
import sys
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def _use(build):
    os.environ.setdefault("HALO_LIBRARY", str(build / "libhalo.so"))
    os.environ.setdefault("HALO_PROGRAM", str(build / "halo"))


try:
    if "HALO_LIBRARY" in os.environ:
        raise ImportError
    import halofilters  # noqa: F401
except ImportError:
    if (ROOT / "build/cpu/libhalo.so").exists():
        _use(ROOT / "build/cpu")
    sys.path.insert(0, str(ROOT / "python"))


@pytest.fixture(autouse=True)
def clipping_is_no_news():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*clipped")
        yield


@pytest.fixture
def rng():
    import numpy

    return numpy.random.default_rng(7)
