#!/usr/bin/env python3
"""peers_gpu.py RESULTS: PyTorch (cuDNN, TF32 off), CuPy, cuCIM and CV-CUDA on the works of works.py, as far as
they are installed; appends NDJSON rows."""
import json
import sys
from statistics import median

SIDE, BUDGET_MS, MOST_RUNS = 8192, 60, 31


class Rows:
    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8")

    def add(self, work, peer, event, elapsed, call, nbytes):
        """`event` makes an event recorded now; `elapsed(a, b)` gives milliseconds between two that have
        passed."""
        try:
            call()
            first = [event(), call(), event()]
            runs = max(3, min(MOST_RUNS, int(BUDGET_MS / max(elapsed(first[0], first[2]), 1e-3))))
            marks = []
            for _ in range(runs):
                start = event()
                call()
                marks.append((start, event()))
            ms = median(elapsed(start, stop) for start, stop in marks)
        except Exception as error:  # a peer that cannot do a work must not take the others along
            print(f"peers_gpu.py: {peer}, {work}: {error}", file=sys.stderr)
            return
        self.file.write(json.dumps({"work": work, "peer": peer, "ms": ms, "bytes": nbytes}) + "\n")
        self.file.flush()
        print(f"{work:<36} {peer:<36} {ms:9.4f} ms {nbytes / ms / 1e6:7.0f} GB/s", flush=True)


def pytorch(rows):
    import torch
    from torch.nn.functional import conv1d, conv2d

    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.benchmark = True
    torch.set_grad_enabled(False)

    def event():
        mark = torch.cuda.Event(enable_timing=True)
        mark.record()
        return mark

    def elapsed(start, stop):
        stop.synchronize()
        return start.elapsed_time(stop)

    def add(work, peer, call, nbytes):
        rows.add(work, f"PyTorch {torch.__version__.split('+')[0]} {peer}", event, elapsed, call, nbytes)

    image = torch.rand(1, 1, SIDE, SIDE, device="cuda") + 0.1
    moved = 2 * image.nbytes
    for width, height in (3, 3), (5, 5), (7, 7), (9, 9), (15, 15), (31, 31), (31, 7):
        taps = torch.rand(1, 1, height, width, device="cuda")
        size = f"{width}" if width == height else f"{width}x{height}"
        add(f"dense f32 {SIDE}x{SIDE} k={size}", "conv2d",
            lambda: conv2d(image, taps, padding=(height // 2, width // 2)), moved)
    for k in 5, 9, 15, 31:
        across = torch.rand(1, 1, 1, k, device="cuda")
        down = across.reshape(1, 1, k, 1)
        add(f"separable f32 {SIDE}x{SIDE} k={k}", "conv2d twice",
            lambda: conv2d(conv2d(image, across, padding=(0, k // 2)), down, padding=(k // 2, 0)), moved)
    sound = torch.rand(1, 1, 1 << 26, device="cuda") + 0.1
    for k in 31, 1023:
        taps = torch.rand(1, 1, k, device="cuda")
        add(f"conv1d f32 2^26 k={k}", "conv1d", lambda: conv1d(sound, taps, padding=k // 2), 2 * sound.nbytes)
    del sound
    for axis, name in (3, "rows"), (2, "columns"):
        add(f"scan f32 {name} {SIDE}x{SIDE}", "cumsum to f64",
            lambda: torch.cumsum(image, axis, dtype=torch.float64), 3 * image.nbytes)
    torch.cuda.empty_cache()


def cupy_events(stream=None):
    """How CuPy records and subtracts events."""
    import cupy

    def event():
        mark = cupy.cuda.Event()
        mark.record(stream)
        return mark

    def elapsed(start, stop):
        stop.synchronize()
        return cupy.cuda.get_elapsed_time(start, stop)

    return event, elapsed


def cupy_ndimage(rows):
    import cupy
    from cupyx.scipy import ndimage

    event, elapsed = cupy_events()

    def add(work, peer, call, nbytes):
        rows.add(work, f"CuPy {cupy.__version__} {peer}", event, elapsed, call, nbytes)

    draw = cupy.random.default_rng(1)
    image = draw.random((SIDE, SIDE), dtype=cupy.float32) + cupy.float32(0.1)
    out = cupy.empty_like(image)
    moved = 2 * image.nbytes
    for k in 3, 5, 7, 9, 15:  # at 31 one run takes longer than all of these
        taps = draw.random((k, k), dtype=cupy.float32)
        add(f"dense f32 {SIDE}x{SIDE} k={k}", "ndimage.convolve",
            lambda: ndimage.convolve(image, taps, output=out, mode="nearest"), moved)
    for k in 5, 9, 15, 31:
        add(f"separable f32 {SIDE}x{SIDE} k={k}", "gaussian_filter",
            lambda: ndimage.gaussian_filter(image, (k // 2) / 3, output=out, mode="nearest", truncate=3), moved)
    for k in 3, 5, 11:
        for name, samples in ("u8", (image * 200).astype(cupy.uint8)), ("f32", image):
            if name == "u8" or k < 11:  # as above
                add(f"median {name} {SIDE}x{SIDE} k={k}", "median_filter",
                    lambda: ndimage.median_filter(samples, size=k, mode="nearest"), 2 * samples.nbytes)
    sound = draw.random(1 << 26, dtype=cupy.float32)
    filtered = cupy.empty_like(sound)
    taps = draw.random(31, dtype=cupy.float32)
    add("conv1d f32 2^26 k=31", "ndimage.convolve1d",
        lambda: ndimage.convolve1d(sound, taps, output=filtered, mode="nearest"), 2 * sound.nbytes)


def disks(side):
    """As `halo bench ops --content blobs` makes them."""
    import numpy as np

    y, x = np.mgrid[:side, :side]
    cell = (x // 64).astype(np.uint64) * np.uint64(73856093) ^ (y // 64).astype(np.uint64) * np.uint64(19349663)
    drawn = (cell * np.uint64(0x9e3779b97f4a7c15) >> np.uint64(40)).astype(np.int64)
    dx, dy = x % 64 - 28 - (drawn >> 8 & 7), y % 64 - 28 - (drawn >> 12 & 7)
    return np.where(dx * dx + dy * dy < (8 + drawn % 20) ** 2, 255, 0).astype(np.uint8)


def cupy_label(rows):
    import cupy
    from cupyx.scipy import ndimage

    image, small, eight = cupy.asarray(disks(SIDE)), cupy.asarray(disks(2048)), cupy.ones((3, 3))
    name = f"CuPy {cupy.__version__} "
    rows.add(f"label u8 {SIDE}x{SIDE}", name + "ndimage.label", *cupy_events(),
             lambda: ndimage.label(image, eight), 5 * image.nbytes)
    rows.add("fillholes u8 2048x2048", name + "ndimage.binary_fill_holes", *cupy_events(),
             lambda: ndimage.binary_fill_holes(small), 2 * small.nbytes)


def cucim_regions(rows):
    import cucim
    import cupy
    from cucim.core.operations import morphology as transforms
    from cucim.skimage import exposure, feature, filters, measure, morphology

    image = {side: cupy.asarray(disks(side)) for side in (4096, SIDE)}
    name = f"cuCIM {cucim.__version__} "

    def add(work, side, peer, call, moved):
        rows.add(f"{work} u8 {side}x{side}", name + peer, *cupy_events(), lambda: call(image[side]),
                 moved * image[side].nbytes)

    add("distance", SIDE, "distance_transform_edt", transforms.distance_transform_edt, 5)
    add("label and objects", 4096, "label, regionprops_table",
        lambda x: measure.regionprops_table(measure.label(x), properties=("label", "area", "bbox")), 1)
    add("canny", SIDE, "feature.canny", lambda x: feature.canny(x.astype(cupy.float32), 1.4), 2)
    add("threshold:otsu", SIDE, "threshold_otsu", lambda x: x >= filters.threshold_otsu(x), 2)
    add("skeleton", 4096, "morphology.thin", lambda x: morphology.thin(x > 0), 2)
    noise = cupy.random.default_rng(1).random((SIDE, SIDE), dtype=cupy.float32)
    rows.add(f"clahe f32 {SIDE}x{SIDE}", name + "equalize_adapthist", *cupy_events(),
             lambda: exposure.equalize_adapthist(noise), 2 * noise.nbytes)


def cvcuda_pictures(rows):
    """CV-CUDA, bytes to bytes, on a stream of its own, into outputs that are there."""
    import cupy
    import cvcuda

    queue = cupy.cuda.Stream(non_blocking=True)
    stream = cvcuda.as_stream(queue)
    event, elapsed = cupy_events(queue)
    name = f"CV-CUDA {cvcuda.__version__} "
    draw = cupy.random.default_rng(1)
    border = cvcuda.Border.REPLICATE

    def image(side, kind):
        shape = (side, side, 3 if "RGB" in kind else 1)
        made = draw.random(shape, dtype=cupy.float32)
        return made if "f32" in kind else (made * 255).astype(cupy.uint8)

    def add(work, kinds, peer, call, scale=1.0):
        for kind in kinds:
            source = image(SIDE, kind)
            made = cupy.empty((int(SIDE * scale), int(SIDE * scale), source.shape[2]), source.dtype)
            src, dst = (cvcuda.as_tensor(array, "HWC") for array in (source, made))
            cupy.cuda.Device().synchronize()
            rows.add(work.format(f"{kind} {SIDE}x{SIDE}"), name + peer, event, elapsed, lambda: call(dst, src),
                     source.nbytes + made.nbytes)

    def resize(how):
        return lambda dst, src: cvcuda.resize_into(dst, src, how, stream=stream)

    add("resize 50% area {}", ("u8", "RGB8", "RGB f32"), "resize", resize(cvcuda.Interp.AREA), 0.5)
    add("resize 150% cubic {}", ("u8", "RGB8"), "resize", resize(cvcuda.Interp.CUBIC), 1.5)
    add("flip {}", ("u8", "RGB8", "f32"), "flip", lambda dst, src: cvcuda.flip_into(dst, src, 1, stream=stream))
    add("box {} k=9", ("u8", "RGB8"), "averageblur",
        lambda dst, src: cvcuda.averageblur_into(dst, src, (9, 9), (-1, -1), border, stream=stream))
    add("erode {} k=5", ("u8", "RGB8"), "morphology",
        lambda dst, src: cvcuda.morphology_into(dst, src, cvcuda.MorphologyType.ERODE, (5, 5), (-1, -1),
                                                border=border, stream=stream))
    for k in 3, 5:
        add(f"median {{}} k={k}", ("u8",), "median_blur",
            lambda dst, src, k=k: cvcuda.median_blur_into(dst, src, (k, k), stream=stream))
    for k in 3, 5, 9, 15:
        add(f"separable {{}} k={k}", ("u8",), "gaussian",
            lambda dst, src, k=k: cvcuda.gaussian_into(dst, src, (k, k), ((k // 2) / 3,) * 2, border,
                                                       stream=stream))


def main():
    rows = Rows(sys.argv[1])
    for peer in pytorch, cupy_ndimage, cupy_label, cucim_regions, cvcuda_pictures:
        try:
            peer(rows)
        except ImportError as error:
            print(f"peers_gpu.py: {peer.__name__} is left out: {error}", file=sys.stderr)


if __name__ == "__main__":
    main()
