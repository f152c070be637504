"""What is compared on the GPU: works, the pipelines that do them, floors and goals. Peers name their rows by
`name`."""
from dataclasses import dataclass

BYTES = {"u8": 1, "u16": 2, "f32": 4}
SIDE = 8192


@dataclass(frozen=True)
class Goal:
    least: float        # fraction of a bound, how many times as fast as a peer, or milliseconds
    of: str             # "read", "copy", "ffma", "floor" (the higher of memory and arithmetic), "ms", or a peer

    def __str__(self):
        if self.of == "ms":
            return f"≤ {self.least * 1e3:g} µs"
        return f"≥ {self.least:g} × {self.of}"


@dataclass(frozen=True)
class Work:
    name: str
    pipeline: str
    width: int
    height: int
    dtype: str
    channels: int = 1
    written: float = 0  # bytes for each sample read
    taps: int = 0       # fused multiply-adds for each sample
    goal: Goal = None
    mask: tuple = None  # width and height of the file that the pipeline names
    content: str = "random"

    @property
    def samples(self):
        return self.width * self.height * self.channels

    @property
    def bytes(self):
        return self.samples * (BYTES[self.dtype] + self.written)

    def bound_ms(self, of, ceiling):
        """The least time by one bound. `ceiling`: read and copy in bytes/ms, ffma in flop/ms."""
        memory = self.bytes / ceiling["copy" if self.written else "read"]
        arithmetic = 2 * self.taps * self.samples / ceiling["ffma"]
        return {"floor": max(memory, arithmetic), "ffma": arithmetic}.get(of, memory)


def dense(kind, dtype, channels, mask, goal=None):
    width, height = mask
    size = f"{width}" if width == height else f"{width}x{height}"
    pipeline = f"conv:mask={width}x{height}.mat" + (",alpha=straight" if channels == 4 else "")
    return Work(f"dense {kind} {SIDE}x{SIDE} k={size}", pipeline, SIDE, SIDE, dtype, channels, BYTES[dtype],
                width * height, goal, mask)


def gauss(dtype, k, goal=None):
    return Work(f"separable {dtype} {SIDE}x{SIDE} k={k}", f"gauss:sigma={(k // 2) / 3!r},truncate=3", SIDE,
                SIDE, dtype, 1, BYTES[dtype], 2 * k, goal)


def median(dtype, k):
    return Work(f"median {dtype} {SIDE}x{SIDE} k={k}", f"median:window={k}", SIDE, SIDE, dtype, 1, BYTES[dtype])


def line(k, goal):
    return Work(f"conv1d f32 2^26 k={k}", f"conv:mask={k}x1.mat", 1 << 26, 1, "f32", 1, 4, k, goal, (k, 1))


def regions():
    """Of white disks on black, each in a square of 64 pixels."""
    for name, pipeline, side, written, goal in (
            ("label", "label", SIDE, 4, 0.6), ("distance", "distance", SIDE, 4, 1.6),
            ("label and objects", "objects", 4096, 0, None), ("canny", "canny", SIDE, 1, 2.0),
            ("threshold:otsu", "threshold:otsu", SIDE, 1, 0.1),
            ("fillholes", "fillholes", 2048, 1, 0.3),
            ("skeleton", "skeleton", 4096, 1, None)):
        yield Work(f"{name} u8 {side}x{side}", pipeline, side, side, "u8", written=written,
                   goal=goal and Goal(goal, "ms"), content="blobs")


def pictures():
    """Goals in milliseconds by kind of sample; `scale`: outputs for each input."""
    for work, pipeline, scale, goals in (
            ("resize 50% area {}", "resize:50%,kernel=area", 0.25,
             {"u8": 0.030, "RGB8": 0.075, "RGB f32": 0.25}),
            ("resize 150% cubic {}", "resize:150%,kernel=cubic", 2.25, {"u8": 0.16, "RGB8": 0.45}),
            ("flip {}", "flip:x", 1, {"u8": 0.040, "RGB8": 0.12, "f32": 0.14}),
            ("box {} k=9", "box:9", 1, {"u8": None, "RGB8": None}),
            ("erode {} k=5", "erode:5", 1, {"u8": None, "RGB8": None}),
            ("erode disk {} k=21", "erode:21,shape=disk", 1, {"f32": 0.7}),
            ("tophat disk {} k=51", "tophat:51,shape=disk", 1, {"f32": 2.0}),
            ("clahe {}", "clahe", 1, {"f32": 0.45}),
            ("local sd {} k=15", "local:sd,width=15", 1, {"f32": 0.40})):
        for kind, goal in goals.items():
            dtype = "f32" if "f32" in kind else "u8"
            yield Work(work.format(f"{kind} {SIDE}x{SIDE}"), pipeline, SIDE, SIDE, dtype,
                       3 if "RGB" in kind else 1, scale * BYTES[dtype], goal=goal and Goal(goal, "ms"))


def listing():
    # The goals are for everything but the product.
    for dtype, log, goal in ("f32", 30, Goal(0.95, "read")), ("u8", 31, Goal(0.95, "read")), ("u8", 28, None), \
            ("f32", 20, Goal(0.008, "ms")):
        width, height = 1 << (log + 1) // 2, 1 << log // 2
        yield Work(f"stats {dtype} 2^{log}", "stats:product=0", width, height, dtype, goal=goal)
        yield Work(f"stats {dtype} 2^{log}, product", "stats:product=1", width, height, dtype)

    yield Work("histogram u8 2^30", "hist", 1 << 15, 1 << 15, "u8", goal=Goal(0.9, "read"))
    yield Work("histogram u8 2^30, constant", "hist", 1 << 15, 1 << 15, "u8", goal=Goal(0.9, "read"),
               content="constant")
    yield Work("histogram u8 2^30, photographic", "hist", 1 << 15, 1 << 15, "u8", goal=Goal(0.9, "read"),
               content="smooth")
    yield Work("histogram RGB8 2^28 pixels", "hist", 1 << 14, 1 << 14, "u8", 3, goal=Goal(0.8, "read"))
    yield Work("histogram RGBA8 2^28 pixels", "hist", 1 << 14, 1 << 14, "u8", 4, goal=Goal(0.8, "read"))
    yield Work("histogram u16 2^29, 65536 bins", "hist", 1 << 15, 1 << 14, "u16", goal=Goal(3, "CUB"))

    yield Work("histogram u16 2^29, constant", "hist", 1 << 15, 1 << 14, "u16", content="constant")

    yield Work(f"scan f32 rows {SIDE}x{SIDE}", "scan:axis=x", SIDE, SIDE, "f32", 1, 8, goal=Goal(0.9, "copy"))
    yield Work(f"scan f32 columns {SIDE}x{SIDE}", "scan:axis=y", SIDE, SIDE, "f32", 1, 8)
    yield Work("scan f32 2^28", "scan:axis=x", 1 << 28, 1, "f32", 1, 8, goal=Goal(0.88, "copy"))
    yield Work("scan u8 2^28", "scan:axis=x", 1 << 28, 1, "u8", 1, 8)
    yield Work(f"integral u8 {SIDE}x{SIDE}", "scan:axis=xy", SIDE, SIDE, "u8", 1, 8, goal=Goal(8, "NPP"))

    for k, least, of in (3, 0.85, "copy"), (5, 0.85, "copy"), (7, 0.65,
                                                               "copy"), (9, 0.8, "ffma"), (15, 0.8, "ffma"), \
            (31, 0.8, "ffma"):
        yield dense("f32", "f32", 1, (k, k), Goal(least, of))
    yield dense("f32", "f32", 1, (31, 7), Goal(0.8, "ffma"))
    for k, least in (5, 0.85), (9, 0.85), (15, 0.75), (31, 0.5):
        yield gauss("f32", k, Goal(least, "copy"))
    for kind, dtype, channels in ("u8", "u8", 1), ("u16", "u16", 1), ("RGBA8", "u8", 4):
        yield dense(kind, dtype, channels, (3, 3))
        for k in 5, 9, 15, 31:
            yield dense(kind, dtype, channels, (k, k), Goal(0.7, "floor"))
    for k in 3, 5, 9, 15:
        yield gauss("u8", k)
    for dtype in "u8", "u16", "f32":
        for k in 3, 5, 11, 21:
            yield median(dtype, k)
    yield from regions()
    yield from pictures()
    yield line(31, Goal(0.9, "copy"))
    yield line(1023, Goal(0.75, "ffma"))


WORKS = list(listing())
