#!/usr/bin/env python3
"""hf.gauss on a CUDA array beside the kernel alone: times, bytes, addresses, memory, streams and threads.

    PYTHONPATH=python HALO_LIBRARY=build/cuda/libhalo.so bench/python_gpu.py [--side 8192] [--json FILE]

It works with whichever of CuPy and PyTorch is there. `device` is the time between two events around the call,
`busy` the device time of each of many calls queued behind one another, which is the kernels' alone, and `host`
the time in which a call returns. The host time of a call on 64 x 64 is also given by part, in a row of calls.
"""

import argparse
import importlib
import json
import statistics
import threading
import time

import halofilters as hf
import numpy as np


class CuPy:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")
        self.cupy.cuda.runtime.getDeviceCount()

    name = "cupy"

    def array(self, x):
        return self.cupy.asarray(x)

    def host(self, x):
        return self.cupy.asnumpy(x)

    def address(self, x):
        return x.data.ptr

    def wait(self):
        self.cupy.cuda.Device().synchronize()

    def event(self):
        event = self.cupy.cuda.Event()
        event.record()
        return event

    def between(self, start, end):
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(start, end)

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def free(self):
        return self.cupy.cuda.runtime.memGetInfo()[0]

    def device(self):
        return self.cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()


class Torch:
    def __init__(self):
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise ImportError("PyTorch has no GPU")

    name = "torch"

    def array(self, x):
        return self.torch.from_numpy(x).cuda()

    def host(self, x):
        return x.cpu().numpy()

    def address(self, x):
        return x.data_ptr()

    def wait(self):
        self.torch.cuda.synchronize()

    def event(self):
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def between(self, start, end):
        end.synchronize()
        return start.elapsed_time(end)

    def stream(self):
        return self.torch.cuda.stream(self.torch.cuda.Stream())

    def free(self):
        return self.torch.cuda.mem_get_info()[0]

    def device(self):
        return self.torch.cuda.get_device_name()


def found():
    for kind in (CuPy, Torch):
        try:
            yield kind()
        except Exception as error:
            print(f"{kind.name}: {error}")


def times(library, call, repeat=30):
    """Milliseconds: between events around a call; of one of many in a row; until the call returns."""
    for _ in range(3):
        call()
    library.wait()
    single, host = [], []
    for _ in range(repeat):
        library.wait()
        start = library.event()
        before = time.perf_counter()
        call()
        host.append((time.perf_counter() - before) * 1e3)
        single.append(library.between(start, library.event()))
    many = []
    for _ in range(5):
        library.wait()
        start = library.event()
        for _ in range(10):
            call()
        many.append(library.between(start, library.event()) / 10)
    return {"device": statistics.median(single), "busy": min(many), "host": statistics.median(host)}


def in_a_row(library, call, n=40):
    """Microseconds of host time a call: calls are queued, and none waits for the device."""
    best = float("inf")
    for _ in range(25):
        library.wait()
        before = time.perf_counter()
        for _ in range(n):
            call()
        best = min(best, (time.perf_counter() - before) / n * 1e6)
    library.wait()
    return best


def parts(library, small):
    """The host time of hf.gauss(small, 2): the library's launches, and what Python adds."""
    from halofilters import _lib, _session

    made = hf.gauss(small, 2)
    ready = list(_session.session().ready["gauss"].values())[-1]
    inputs, output, at, to = ready.structs()
    inputs[0].data, output.data = library.address(small), library.address(made)
    whole = in_a_row(library, lambda: hf.gauss(small, 2))
    inner = in_a_row(library, lambda: _lib.halo_plan_run(ready.handle, at, to, None, None))
    into = in_a_row(library, lambda: hf.gauss(small, 2, out=made))
    return {"whole": whole, "library": inner, "Python": whole - inner, "of it the result": whole - into}


def measure(library, side):
    rows = []
    rng = np.random.default_rng(1)
    for dtype in ("uint8", "float32"):
        x = (rng.random((side, side), dtype="float32") * 255).astype(dtype)
        device = library.array(x)
        out = library.array(np.zeros_like(x))
        for text in ("gauss:2", "median:5", "resize:50%"):
            pipeline = hf.Pipeline(text)
            call = (lambda: pipeline(device, out=out)) if text != "resize:50%" else (lambda: pipeline(device))
            row = {"pipeline": text, "dtype": dtype, "side": side, **times(library, call)}
            row["same"] = bool(np.array_equal(library.host(call()), hf.run(text, x, device="cpu")))
            rows.append(row)
        address = library.address(out)
        hf.gauss(device, 2, out=out)
        assert library.address(out) == address
        hf.gauss(device, 2)
        library.wait()
        before = library.free()
        held = [hf.gauss(device, 2) for _ in range(4)]
        library.wait()
        rows.append({"pipeline": "memory of 4 results, in arrays", "dtype": dtype, "side": side,
                     "arrays": (before - library.free()) / x.nbytes})
        del held
    small = library.array((rng.random((64, 64)) * 255).astype("uint8"))
    rows.append({"pipeline": "gauss:2", "dtype": "uint8", "side": 64,
                 **times(library, lambda: hf.gauss(small, 2), 300)})
    rows.append({"pipeline": "gauss:2, host us by part", "dtype": "uint8", "side": 64, **parts(library, small)})
    return rows


def in_threads(library, side, threads=4):
    """Each thread has a stream: are the bytes right, and how long do all take beside one?"""
    x = np.random.default_rng(2).integers(0, 256, (threads, side // 4, side // 4), dtype="uint8")
    expected = [hf.gauss(one, 2, device="cpu") for one in x]
    wrong = []

    def work(k):
        with library.stream():
            device = library.array(x[k])
            for _ in range(20):
                y = hf.gauss(device, 2)
            if not np.array_equal(library.host(y), expected[k]):
                wrong.append(k)

    work(0)
    before = time.perf_counter()
    team = [threading.Thread(target=work, args=(k,)) for k in range(threads)]
    for one in team:
        one.start()
    for one in team:
        one.join()
    return {"pipeline": f"gauss:2 in {threads} threads", "side": side // 4, "same": not wrong,
            "wall": (time.perf_counter() - before) * 1e3}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--side", type=int, default=8192)
    options.add_argument("--json")
    given = options.parse_args()
    records = []
    for library in found():
        print(f"{library.name} on {library.device()}, halo {hf.version()['version']} {hf.version()['commit']}")
        for row in [*measure(library, given.side), in_threads(library, given.side)]:
            print("   ", {name: round(v, 4) if isinstance(v, float) else v for name, v in row.items()})
            records.append({"library": library.name, "device": library.device(), **row})
    if given.json:
        with open(given.json, "w") as file:
            json.dump(records, file, indent=1)
    return 0 if records and all(row.get("same", True) for row in records) else 1


if __name__ == "__main__":
    raise SystemExit(main())
