"""Filters of images: masks and smoothers."""

import cv2
import numpy as np
from scipy import ndimage, signal
from skimage import filters

from fidelity import Asked, Cut, Errors, rounding
from fidelity_peers import MAGICK, picture

SKIMAGE = "scikit-image"
MODES = {"zero": ("constant", cv2.BORDER_CONSTANT), "replicate": ("nearest", cv2.BORDER_REPLICATE),
         "reflect": ("reflect", cv2.BORDER_REFLECT), "mirror": ("mirror", cv2.BORDER_REFLECT_101),
         "wrap": ("wrap", None)}


def text_of(mask):
    rows = ",".join(" ".join(f"{tap:.9g}" for tap in row) for row in mask)
    return f'"{mask.shape[1]}x{mask.shape[0]}: {rows.replace(" ", ",")}"'


def depth(pipeline, kind):
    return pipeline if kind == "f32" else f"{pipeline} | depth:{kind}"


def as_levels(values, kind):
    """f64 to a level as halo does: halves to even, saturated."""
    top = {"u8": 255, "u16": 65535}[kind]
    return np.clip(np.rint(values), 0, top).astype({"u8": np.uint8, "u16": np.uint16}[kind])


def dense(c, p):
    taps = np.random.default_rng(3).random((5, 7))
    taps = (taps / taps.sum()).astype(np.float32)
    conv = f"conv:mask={text_of(taps)}"
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        exact = ndimage.correlate(x.astype(np.float64), taps.astype(np.float64), mode="nearest")
        ours = p.halo(depth(conv, kind), x)
        theirs = exact if kind == "f32" else as_levels(exact, kind)
        c.add("conv:mask=M", "SciPy", "ndimage.correlate(x, M, mode='nearest'), f64", kind, ours, theirs,
              rounding(exact, 35))
        made = cv2.filter2D(x, -1, taps, borderType=cv2.BORDER_REPLICATE)
        c.add("conv:mask=M", "OpenCV", "filter2D(x, -1, M)", kind, ours, made, rounding(exact, 35))
        vips = p.vips("conv", x, p.matrix(taps), "--precision", "float")
        c.add("conv:mask=M", "libvips", "conv, float", kind, ours, vips,
              rounding(exact, 35) if kind == "f32"
              else Errors("rounding: libvips cuts off the fraction", exact, 1.001))
    x = picture("f32")
    for border, (mode, code) in MODES.items():
        exact = ndimage.correlate(x.astype(np.float64), taps.astype(np.float64), mode=mode)
        ours = p.halo(f"{conv},border={border}", x)
        c.add(f"conv:mask=M,border={border}", "SciPy", f"ndimage.correlate(x, M, mode='{mode}'), f64", "f32",
              ours,
              exact, rounding(exact, 35))
        if code is not None:
            made = cv2.filter2D(x, -1, taps, borderType=code)
            c.add(f"conv:mask=M,border={border}", "OpenCV", "filter2D, the border of that name", "f32", ours,
                  made,
                  rounding(exact, 35))
    exact = signal.convolve2d(x.astype(np.float64), taps.astype(np.float64), mode="valid")
    c.add("conv:mask=M,flip=1,border=valid", "SciPy", "signal.convolve2d(x, M, 'valid'), f64", "f32",
          p.halo(f"{conv},flip=1,border=valid", x), exact, rounding(exact, 35))
    exact = ndimage.correlate(x.astype(np.float64), taps.astype(np.float64), mode="nearest")[::2, ::3]
    c.add("conv:mask=M,stride=3+2", "SciPy", "ndimage.correlate(x, M)[::2, ::3], f64", "f32",
          p.halo(f"{conv},stride=3+2", x), exact, rounding(exact, 35))
    wide = np.zeros((13, 19), np.float64)
    wide[::3, ::3] = taps
    exact = ndimage.correlate(x.astype(np.float64), wide, mode="nearest")
    c.add("conv:mask=M,dilation=3", "SciPy", "ndimage.correlate with zeros between the taps, f64", "f32",
          p.halo(f"{conv},dilation=3", x), exact, rounding(exact, 35))
    integers = np.array([[1, 2, 3], [-1, 0, 4], [0, -2, 5]], np.float64)
    exact = np.clip(ndimage.correlate(picture("u16").astype(np.float64), integers / 12, mode="nearest"), 0,
                    65535)
    kernel = "3x3:" + " ".join(",".join(f"{tap:g}" for tap in row) for row in integers[::-1, ::-1])
    ours = p.halo(f"conv:mask={text_of(integers)},scale={1 / 12!r} | depth:u16", picture("u16"))
    c.add("conv:mask=M,scale=1/12", "ImageMagick", "-define convolve:scale=1/12 -morphology Convolve M turned",
          "u16",
          ours, p.magick(["-define", f"convolve:scale={1 / 12!r}", "-virtual-pixel", "edge", "-morphology",
                          "Convolve",
                          kernel], picture("u16")), rounding(exact))


def magick(c, p, call, arguments, x, exact, terms):
    """ImageMagick's 16 bits, rounded to what halo writes; and 8-bit files, as it writes them."""
    kind = "u16" if x.dtype == np.uint16 else "u8" if x.ndim == 2 else "RGBA8"
    ours = p.halo(depth(call, kind if kind == "u16" else "u8"), x, ".png")
    made = p.magick(["-virtual-pixel", "edge", *arguments], x)
    text = " ".join(arguments)
    if kind == "u16":
        c.add(call, "ImageMagick", text, kind, ours, made, rounding(exact, terms))
        return
    written = p.image([MAGICK, "IN", "-virtual-pixel", "edge", *arguments, "-depth", 8, "OUT"], x)
    c.add(call, "ImageMagick", text, kind, ours, written, cut_to_bytes(exact, made, terms))


def cut_to_bytes(exact, made, terms=9):
    cut, text = np.floor(made / 257), "rounding: where ImageMagick writes 8 bits it cuts off the rest of its 16"
    if made.ndim == 3:  # it keeps opacity and cuts that, so alpha goes up
        cut[..., 3] = np.ceil(made[..., 3] / 257)
        text += " (of alpha that of its opposite)"
    return Cut(text, exact, 0.02, terms, wide=made / 257, cut=cut)


def gauss(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        exact = ndimage.gaussian_filter(x.astype(np.float64), 2, mode="nearest")
        ours = p.halo(depth("gauss:2", kind), x)
        theirs = exact if kind == "f32" else as_levels(exact, kind)
        c.add("gauss:2", "SciPy", "ndimage.gaussian_filter(x, 2, mode='nearest'), f64", kind, ours, theirs,
              rounding(exact, 34))
        made = cv2.GaussianBlur(x, (17, 17), 2, borderType=cv2.BORDER_REPLICATE)
        if kind != "f32":
            floats = as_levels(cv2.GaussianBlur(x.astype(np.float32), (17, 17), 2,
                                                borderType=cv2.BORDER_REPLICATE),
                               kind)
            fixed = Asked("precision: OpenCV blurs integers in fixed point", "by its floats, rounded", ours,
                          floats,
                          1 if kind == "u16" else 0)
        c.add("gauss:2", "OpenCV", "GaussianBlur(x, (17, 17), 2)", kind, ours, made,
              rounding(exact, 34) if kind == "f32" else fixed)
        # 0.2, the least amplitude, ends libvips's mask at 3; 0.001 at 7.
        vips = p.vips("gaussblur", x, "2", "--precision", "float")
        short = p.halo("gauss:sigma=2,truncate=1.5", x)
        short = short if kind == "f32" else np.floor(short).astype(x.dtype)
        c.add("gauss:2", "libvips", "gaussblur 2 --precision float", kind, ours, vips,
              Asked("definition: libvips ends its mask where the Gaussian falls below 0.2, at 3 pixels "
                    "(min_ampl)"
                    + ("" if kind == "f32" else "; rounding: it cuts off the fraction"),
                    "with truncate=1.5" + ("" if kind == "f32" else ", and cut so"), short, vips,
                    {"u8": 0, "u16": 1, "f32": 4}[kind]))
        if kind == "u8":
            plain = p.vips("gaussblur", x, "2", "--vips-novector")
            again = vips_passes(p, x, np.rint(20 * np.exp(-np.arange(-3, 4) ** 2 / 8.0)))
            c.add("gauss:2", "libvips", "gaussblur 2", kind, ours, p.vips("gaussblur", x, "2"),
                  Asked("definition: min_ampl, as above; precision: taps are integers, and of few bits in "
                        "vector "
                        "code", "with such taps, and --vips-novector", again, plain))
        if kind != "f32":
            magick(c, p, "gauss:2", ["-gaussian-blur", "8x2"], x, exact, 34)
        if kind == "f32":
            made = filters.gaussian(x, 2, mode="nearest")
            c.add("gauss:2", SKIMAGE, "filters.gaussian(x, 2, mode='nearest')", kind, ours, made,
                  rounding(exact, 34))
            made = filters.gaussian(x, 2, mode="reflect")
            again = p.halo("gauss:2,border=reflect", x)
            c.add("gauss:2", "SciPy", "ndimage.gaussian_filter(x, 2)", kind, ours, made,
                  Asked("border: SciPy's default is reflect", "with border=reflect", again, made, 4))


def vips_passes(p, x, taps):
    """libvips's separable convolution of bytes: both passes end in bytes, halves go up."""
    return p.halo(" | ".join(f"conv:mask={text_of(side)},normalize=1,bias=0.001 | depth:u8"
                             for side in (taps[None],
                                          taps[:,
                                               None])),
                  x)


def holes():
    """A picture of floats, a fifth of it NaN."""
    x = picture("f32").copy()
    x[np.random.default_rng(4).random(x.shape) < 0.2] = np.nan
    return x


def without_nan(c, p):
    x = holes()
    there = ~np.isnan(x)
    sums = ndimage.gaussian_filter(np.where(there, x, 0).astype(np.float64), 2, mode="nearest")
    exact = sums / ndimage.gaussian_filter(there.astype(np.float64), 2, mode="nearest")
    c.add("gauss:2,nan=ignore", "SciPy",
          "gaussian_filter of x, 0 for NaN, over that of 1 and 0 (as astropy's convolve), f64", "f32",
          p.halo("gauss:2,nan=ignore", x), exact, rounding(exact, 70))


def premultiplied(c, p):
    x = picture("u8", 4)
    colour, alpha = x[..., :3].astype(np.float64), x[..., 3:].astype(np.float64)
    blurred = ndimage.gaussian_filter(alpha, (2, 2, 0), mode="nearest")
    exact = np.concatenate([ndimage.gaussian_filter(colour * alpha, (2, 2, 0), mode="nearest") / blurred,
                            blurred], -1)
    ours = p.halo("gauss:2 | depth:u8", x, ".png")
    c.add("gauss:2", "SciPy", "gaussian_filter of premultiplied colours, divided by that of alpha, f64",
          "RGBA8", ours,
          as_levels(exact, "u8"), rounding(exact, 68))
    magick(c, p, "gauss:2", ["-gaussian-blur", "8x2"], x, exact, 34)
    made = cv2.GaussianBlur(x, (17, 17), 2, borderType=cv2.BORDER_REPLICATE)
    plain = p.halo("gauss:2,alpha=straight | depth:u8", x, ".png")
    c.add("gauss:2", "OpenCV", "GaussianBlur(x, (17, 17), 2)", "RGBA8", ours, made,
          Asked("definition: OpenCV ignores alpha, so that colours of transparent pixels spread; precision: "
                "fixed point",
                "with alpha=straight, and OpenCV's floats, rounded", plain,
                as_levels(cv2.GaussianBlur(x.astype(np.float32), (17, 17), 2, borderType=cv2.BORDER_REPLICATE),
                          "u8"),
                1))


def boxes(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        exact = ndimage.uniform_filter(x.astype(np.float64), 7, mode="nearest")
        ours = p.halo(depth("box:7", kind), x)
        c.add("box:7", "SciPy", "ndimage.uniform_filter(x, 7, mode='nearest'), f64", kind, ours,
              exact if kind == "f32" else as_levels(exact, kind), rounding(exact, 14))
        made = cv2.blur(x, (7, 7), borderType=cv2.BORDER_REPLICATE)
        c.add("box:7", "OpenCV", "blur(x, (7, 7))", kind, ours, made, rounding(exact, 14))
        if kind == "u8":
            raw = ndimage.uniform_filter(x, 7, mode="nearest")
            again = p.halo("box:width=1,height=7 | offset:-0.45 | depth:u8 | "
                           "box:width=7,height=1 | offset:-0.45 | depth:u8", x)
            c.add("box:7", "SciPy", "ndimage.uniform_filter(x, 7, mode='nearest'), in u8", kind, ours, raw,
                  Asked("rounding: SciPy leaves the fraction out, after each pass",
                        "with the fraction left out after each of two passes", again, raw))
    x = picture("u8")
    even = cv2.blur(x, (6, 4), borderType=cv2.BORDER_REPLICATE)
    c.add("box:width=6,height=4", "OpenCV", "blur(x, (6, 4))", "u8",
          p.halo("box:width=6,height=4 | depth:u8", x),
          even, rounding(ndimage.uniform_filter(x.astype(np.float64), (4, 6), mode="nearest")))
    ones = np.ones((7, 7))
    exact = ndimage.correlate(x.astype(np.float64), ones / 49, mode="nearest")
    ours = p.halo("box:7 | depth:u8", x)
    plain = p.vips("conv", x, p.matrix(ones, 49), "--precision", "integer", "--vips-novector")
    c.add("box:7", "libvips", "conv of 7x7 ones, divided by 49, integer", "u8", ours,
          p.vips("conv", x, p.matrix(ones, 49), "--precision", "integer"),
          Asked("precision: libvips's vector code has taps of few bits", "with --vips-novector", ours, plain))
    c.add("average:7", "OpenCV", "blur(x, (7, 7))", "u8", p.halo("average:7 | depth:u8", x),
          cv2.blur(x, (7, 7), borderType=cv2.BORDER_REPLICATE), rounding(exact, 14))


def smoothers(c, p):
    x, f = picture("u8"), picture("f32")
    row = np.array([1, 4, 6, 4, 1]) / 16
    exact = ndimage.correlate(x.astype(np.float64), np.outer(row, row), mode="nearest")
    ours = p.halo("binomial:5 | depth:u8", x)
    c.add("binomial:5", "SciPy", "ndimage.correlate with 1 4 6 4 1, f64", "u8", ours, as_levels(exact, "u8"),
          rounding(exact, 10))
    c.add("binomial:5", "OpenCV", "GaussianBlur(x, (5, 5), 0)", "u8", ours,
          cv2.GaussianBlur(x, (5, 5), 0, borderType=cv2.BORDER_REPLICATE),
          Asked("rounding: halves, which OpenCV rounds up and halo to even", "halo's f32, halves up",
                np.floor(p.halo("binomial:5", x) + 0.5).astype(np.uint8),
                cv2.GaussianBlur(x, (5, 5), 0, borderType=cv2.BORDER_REPLICATE)))
    exact = ndimage.correlate(f.astype(np.float64), np.outer(row, row), mode="nearest")
    c.add("binomial:5", "OpenCV", "GaussianBlur(x, (5, 5), 0)", "f32", p.halo("binomial:5", f),
          cv2.GaussianBlur(f, (5, 5), 0, borderType=cv2.BORDER_REPLICATE), rounding(exact, 10))

    disk = disk_mask(2.5)
    exact = ndimage.correlate(f.astype(np.float64), disk, mode="nearest")
    ours = p.halo("disk:2.5", f)
    c.add("disk:2.5", "SciPy", "ndimage.correlate with the areas of a disk, integrated numerically, f64", "f32",
          ours,
          exact, rounding(exact, 25))
    flat = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (5, 5)).astype(np.float32)
    whole = cv2.filter2D(f, -1, flat / flat.sum(), borderType=cv2.BORDER_REPLICATE)
    again = p.halo(f"conv:mask={text_of(flat)},normalize=1", f)
    c.add("disk:2.5", "OpenCV", "filter2D with getStructuringElement(MORPH_ELLIPSE, (5, 5))", "f32", ours,
          whole,
          Asked("definition: pixels are in OpenCV's disk or out, none is partly covered", "with its mask",
                again,
                whole, 4))

    line = ndimage.uniform_filter1d(f.astype(np.float64), 15, axis=1, mode="nearest")
    c.add("motion:15", "SciPy", "ndimage.uniform_filter1d(x, 15), f64", "f32", p.halo("motion:15", f), line,
          rounding(line, 15))
    line = ndimage.uniform_filter1d(f.astype(np.float64), 15, axis=0, mode="nearest")
    c.add("motion:length=15,angle=90", "SciPy", "ndimage.uniform_filter1d(x, 15, axis=0), f64", "f32",
          p.halo("motion:length=15,angle=90", f), line, rounding(line, 15))


def disk_mask(radius, fine=20000):
    """How much of each pixel a circle covers: along y exactly, along x by the midpoints of fine strips."""
    m = int(np.ceil(radius - 0.5))
    x = (np.arange((2 * m + 1) * fine) + 0.5) / fine - m - 0.5
    half = np.sqrt(np.maximum(radius**2 - x**2, 0))
    rows = [np.maximum(np.minimum(half, j + 0.5) - np.maximum(-half, j - 0.5), 0).reshape(-1, fine).mean(1)
            for j in range(-m, m + 1)]
    return np.array(rows) / np.sum(rows)


def rows(c, p):
    for part in dense, gauss, without_nan, premultiplied, boxes, smoothers:
        part(c, p)
