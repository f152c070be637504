"""What becomes of all samples together: statistics, histograms, prefix sums, reductions."""

import cv2
import numpy as np
from scipy import stats
from skimage import exposure, measure, transform

from fidelity import Errors
from fidelity_filters import SKIMAGE
from fidelity_peers import RATE, picture, recording


def number(value):
    return np.array([value], np.float64)


def statistics(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        wide = x.astype(np.float64)
        got = p.halo_result("stats:full=1", x)["channel"][0]
        ours = lambda *names: np.array([got[name] for name in names], np.float64)
        c.add("stats: min, max", "NumPy", "x.min(), x.max()", kind, ours("min", "max"),
              np.array([x.min(), x.max()], np.float64))
        at = [list(np.unravel_index(place, x.shape))[::-1] for place in (x.argmin(), x.argmax())]
        c.add("stats: min_at, max_at", "NumPy", "x.argmin(), x.argmax()", kind,
              np.array([got["min_at"], got["max_at"]]), np.array(at))
        low, high, low_at, high_at = cv2.minMaxLoc(x)
        c.add("stats: min, max, min_at, max_at", "OpenCV", "minMaxLoc(x)", kind,
              np.array([got["min"], got["max"], *got["min_at"], *got["max_at"]], np.float64),
              np.array([low, high, *low_at, *high_at], np.float64))
        mean, sd = (value[0, 0] for value in cv2.meanStdDev(x))
        for name, peer, call, value in (
            ("sum", "NumPy", "x.sum(), f64", wide.sum()),
            ("mean", "NumPy", "x.mean(), f64", wide.mean()),
            ("sd", "NumPy", "x.std(), f64", wide.std()),
            ("mean", "OpenCV", "meanStdDev(x)", mean),
            ("sd", "OpenCV", "meanStdDev(x)", sd),
            ("skewness", "SciPy", "stats.skew(x), f64", stats.skew(wide, None)),
            ("kurtosis", "SciPy", "stats.kurtosis(x), f64", stats.kurtosis(wide, None)),
        ):
            c.add(f"stats: {name}", peer, call, kind, ours(name), number(value), sums(
                np.longdouble, wide, name))
        names = sorted(got["percentile"], key=float)
        values = np.array([got["percentile"][name] for name in names], np.float64)
        asked = [float(name) for name in names]
        c.add("stats: percentiles", "NumPy", "percentile(x, p), f64", kind, values, np.percentile(wide, asked),
              F64())
        if kind != "f32":
            c.add("stats: entropy", SKIMAGE, "measure.shannon_entropy(x)", kind, ours("entropy"),
                  number(measure.shannon_entropy(x)), F64(entropy(x)))
        table = p.vips_table("stats", x)[0]
        theirs = table[[0, 1, 2, 4]]
        c.add("stats: min, max, sum, mean", "libvips", "stats", kind,
              ours("min", "max", "sum", "mean").astype(np.float32), theirs,
              Errors("rounding: libvips's table of f64, read here as f32",
                     np.array([wide.min(), wide.max(), wide.sum(), wide.mean()]), 1))


def sums(wider, wide, name):
    """The exact value by the definition in 80 bits; sums of n terms in f64 may be off by some units."""
    x = wide.astype(wider).ravel()
    d = x - x.mean()
    m2 = (d * d).mean()
    exact = {
        "sum": x.sum, "mean": x.mean, "sd": lambda: np.sqrt(m2), "skewness": lambda:
        (d ** 3).mean() / m2 ** 1.5, "kurtosis": lambda: (d ** 4).mean() / m2 ** 2 - 3
    }[name]()
    return F64(exact)


def entropy(x):
    share = np.bincount(x.ravel()).astype(np.longdouble) / x.size
    return -(share[share > 0] * np.log2(share[share > 0])).sum()


class F64:
    """Single results are some units of f64 beside the value in 80 bits, being sums of 20,000 rounded terms; of
    many, each is beside the peer's."""

    def __init__(self, exact=None, allowed=512):
        self.exact, self.allowed = exact, allowed

    def proof(self, row):
        if row.ours.size > 1:
            off = np.abs(row.ours - row.theirs).max() / np.spacing(np.abs(row.ours).max())
            return off <= 4, {"reason": "rounding in f64"}
        step = np.spacing(np.abs(row.ours).max())
        off = [float(abs(np.longdouble(side[0]) - self.exact)) / step for side in (row.ours, row.theirs)]
        return (off[0] <= self.allowed and off[1] <= 4 * self.allowed,
                {"reason": "rounding in f64, errors against 80 bits", "halo_error": float(f"{off[0]:.2g}"),
                 "peer_error": float(f"{off[1]:.2g}")})


def levels_of_sound(c, p):
    for kind in "s16", "f32":
        x = recording(kind)
        wide = x.astype(np.float64) / (32768 if kind == "s16" else 1)
        got = p.halo_result("stats", x, ".wav")["channel"][0]
        said = p.sox_stat(x)
        ours = np.array([got["rms"], got["level"]["peak"]])
        c.add("stats: rms, peak", "NumPy", "sqrt(mean(x²)), max(abs(x)), f64", f"sound {kind}", ours,
              np.array([np.sqrt((wide * wide).mean()), np.abs(wide).max()]), F64())
        told = np.array([got["max"], got["min"], got["mean"], got["rms"]])
        theirs = np.array([said["Maximum amplitude"], said["Minimum amplitude"], said["Mean amplitude"],
                           said["RMS amplitude"]])
        c.add(
            "stats: max, min, mean, rms", "SoX", "stat", f"sound {kind}",
            np.rint(told * 1e6).astype(np.int64),
            np.rint(theirs * 1e6).astype(np.int64),
            Errors("rounding: SoX prints six decimals, halo's are compared so (levels of 10⁻⁶)", told * 1e6,
                   0.6))


def loudness(c, p):
    """EBU Tech 3341's first signal: a stereo sine of 1 kHz at -23 dBFS is -23.0 LUFS. Here also noise, by
    FFmpeg."""
    tone = (10 ** (-23 / 20) * np.sin(2 * np.pi * 1000 * np.arange(20 * RATE) / RATE)).astype(np.float32)
    noise = (0.2 * np.random.default_rng(4).normal(size=(10 * RATE, 2))).clip(-1, 1).astype(np.float32)
    for name, x in ("1 kHz at -23 dBFS, stereo", np.column_stack([tone, tone])), ("noise, stereo", noise):
        got = p.halo_result("stats", x, ".wav")
        value = got["all"].get("loudness", got.get("loudness"))
        value = value["integrated"] if isinstance(value, dict) else value
        theirs = p.ffmpeg_loudness(x)[0]
        c.add("stats: loudness", "FFmpeg", f"ebur128, of {name}", "sound f32",
              np.rint(number(value) * 10).astype(np.int64), np.rint(number(theirs) * 10).astype(np.int64),
              Errors("rounding: FFmpeg prints tenths of a LUFS", number(value) * 10, 0.6))
    swelling = np.tile(noise, (4, 1)) * np.linspace(0.05, 1, 40 * RATE, dtype=np.float32)[:, None]
    got = p.halo_result("stats:full=1", swelling, ".wav")["loudness"]
    values = np.array([got[key] for key in ("integrated", "true_peak")]) * 10
    c.add(
        "stats:full: loudness, true peak", "FFmpeg", "ebur128=peak=true, of noise that grows louder",
        "sound f32",
        np.rint(values).astype(np.int64),
        np.rint(np.array(p.ffmpeg_loudness(swelling)) * 10).astype(np.int64),
        Errors(
            "rounding: FFmpeg prints tenths; precision: it looks for peaks between samples at four times the rate by a filter of its own",
            values, 1.1))


def histograms(c, p):
    for kind, bins in ("u8", 256), ("u16", 65536), ("f32", 256):
        x = picture(kind)
        name = "hist:min=0,max=1" if kind == "f32" else "hist"
        counts = np.array(p.halo_result(name, x)["channel"][0]["counts"])
        top = {"u8": 256, "u16": 65536, "f32": 1}[kind]
        c.add(name, "NumPy", f"histogram(x, {bins}, (0, {top}))", kind, counts,
              np.histogram(x.astype(np.float64), bins, (0, top))[0])
        high = top if kind != "f32" else float(np.nextafter(np.float32(1), np.float32(2)))
        made = cv2.calcHist([x], [0], None, [bins], [0, high]).ravel().astype(np.int64)
        c.add(name, "OpenCV", f"calcHist([x], [0], None, [{bins}], [0, {top}])", kind, counts, made)
    x = (np.arange(900, 1101) / 1000).astype(np.float32).reshape(1, -1)
    call = "hist:bins=10,min=0.9,max=1.1"
    counts = np.array(p.halo_result(call, x)["channel"][0]["counts"])
    c.add(call, "NumPy", "histogram(x, 10, (0.9, 1.1)), of decimals, some on edges", "f32", counts,
          np.histogram(x.astype(np.float64), 10, (0.9, 1.1))[0])
    x = picture("u8")
    counts = np.array(p.halo_result("hist", x)["channel"][0]["counts"])
    c.add("hist", "libvips", "hist_find", "u8", counts, p.vips_table("hist_find", x).ravel().astype(np.int64))
    made = np.zeros(256, np.int64)
    found, levels = exposure.histogram(x)
    made[levels] = found
    c.add("hist", SKIMAGE, "exposure.histogram(x)", "u8", counts, made)


def prefixes(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        type_ = np.float64 if kind == "f32" else np.int64
        wide = x.astype(type_)
        sums_xy = wide.cumsum(1).cumsum(0)
        apart = F64()
        c.add("scan:axis=x", "NumPy", "cumsum(x, axis=1)", kind, p.halo("scan:axis=x", x), wide.cumsum(1),
              apart)
        c.add("scan:op=max,axis=y", "NumPy", "maximum.accumulate(x, axis=0)", kind,
              p.halo("scan:op=max,axis=y", x).astype(type_), np.maximum.accumulate(wide, axis=0))
        c.add("scan:op=min,axis=x", "NumPy", "minimum.accumulate(x, axis=1)", kind,
              p.halo("scan:op=min,axis=x", x).astype(type_), np.minimum.accumulate(wide, axis=1))
        ours = p.halo("integral", x)
        c.add("integral", "NumPy", "x.cumsum(0).cumsum(1)", kind, ours, sums_xy, apart)
        taken = x.astype(np.float64) if kind == "u16" else x  # OpenCV has no integral of 16 bits
        made = cv2.integral(taken, sdepth=cv2.CV_64F)[1:, 1:].astype(type_)
        c.add("integral", "OpenCV", "integral(x, sdepth=CV_64F)[1:, 1:]", kind, ours, made, apart)
        c.add("integral", SKIMAGE, "transform.integral_image(x)", kind, ours, transform.integral_image(wide),
              apart)
        if kind != "f32":
            made = cv2.integral2(taken, sdepth=cv2.CV_64F)[1][1:, 1:].astype(type_)
            c.add("integral:squares=1", "OpenCV", "integral2(x)[1][1:, 1:]", kind,
                  p.halo("integral:squares=1", x), made)
    products = 0.5 + picture("f32")[:8, :50]
    c.add("scan:op=product,axis=x", "NumPy", "cumprod(x, axis=1), f64", "f32",
          p.halo("scan:op=product,axis=x", products), products.astype(np.float64).cumprod(1), F64())


def reductions(c, p):
    for kind in "u8", "f32":
        x = picture(kind)
        wide = x.astype(np.float64)
        value = p.halo_result('reduce:expr="a+b",map="v*v"', x)["channel"][0]["value"]
        exact = (wide.astype(np.longdouble) ** 2).sum()
        c.add('reduce:expr="a+b",map="v*v"', "NumPy", "(x * x).sum(), f64", kind, number(value),
              number((wide * wide).sum()), F64(exact))


def rows(c, p):
    for part in statistics, levels_of_sound, loudness, histograms, prefixes, reductions:
        part(c, p)
