"""Minima, maxima and means over windows, and what is made of them."""

import cv2
import numpy as np
from scipy import ndimage
from skimage import filters, morphology

from fidelity import Asked, Near, rounding
from fidelity_filters import SKIMAGE, as_levels, depth
from fidelity_peers import WHITE, picture

# halo's name, OpenCV's, SciPy's, scikit-image's
MORPHOLOGY = (("erode", "ERODE", "grey_erosion", "erosion"), ("dilate", "DILATE", "grey_dilation", "dilation"),
              ("open", "OPEN", "grey_opening", "opening"), ("close", "CLOSE", "grey_closing", "closing"),
              ("tophat", "TOPHAT", "white_tophat", "white_tophat"),
              ("blackhat", "BLACKHAT", "black_tophat", "black_tophat"),
              ("outline", "GRADIENT", "morphological_gradient", None))


def footprints():
    """halo's keys, what to call it, the samples that belong, and on which types."""
    yield "width=7,height=5", "7x5", np.ones((5, 7), np.uint8), ("u8", "u16", "f32")
    yield "9,shape=disk", "disk(4)", morphology.disk(4), ("u8", "f32")
    yield "5,shape=cross", "cross 5", cv2.getStructuringElement(cv2.MORPH_CROSS, (5, 5)), ("u8",)


def morphological(c, p):
    for keys, name, window, kinds in footprints():
        for kind in kinds:
            x = picture(kind)
            for op, code, of_scipy, of_skimage in MORPHOLOGY:
                call = f"{op}:{keys}"
                ours = p.halo(depth(call, kind), x)
                made = cv2.morphologyEx(x, getattr(cv2, f"MORPH_{code}"), window)
                c.add(call, "OpenCV", f"morphologyEx(x, MORPH_{code}, {name})", kind, ours, made)
                made = getattr(ndimage, of_scipy)(x, footprint=window, mode="nearest")
                c.add(call, "SciPy", f"ndimage.{of_scipy}(x, footprint={name}, mode='nearest')", kind, ours,
                      made)
                if of_skimage is not None:
                    made = getattr(morphology, of_skimage)(x, window)
                    c.add(call, SKIMAGE, f"morphology.{of_skimage}(x, {name})", kind, ours, made)


def conventions(c, p):
    """Where peers mean another window."""
    x = picture("u8")
    ellipse = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (9, 9))
    ours = p.halo("erode:9,shape=disk | depth:u8", x)
    c.add(
        "erode:9,shape=disk", "OpenCV", "erode(x, getStructuringElement(MORPH_ELLIPSE, (9, 9)))", "u8", ours,
        cv2.erode(x, ellipse),
        Asked("definition: OpenCV's ellipse is wider than a disk of that radius", "with scikit-image's disk(4)",
              ours, cv2.erode(x, morphology.disk(4))))
    even = np.ones((4, 4), np.uint8)
    for op, code, first, second in ("open", "OPEN", "erode", "dilate"), ("close", "CLOSE", "dilate", "erode"):
        made = cv2.morphologyEx(x, getattr(cv2, f"MORPH_{code}"), even)
        c.add(
            f"{op}:4", "OpenCV", f"morphologyEx(x, MORPH_{code}, 4x4)", "u8", p.halo(f"{op}:4 | depth:u8", x),
            made,
            Asked(
                "definition: both of OpenCV's windows have the same anchor, so that even ones move the picture",
                f"with {first}:4 | {second}:4", p.halo(f"{first}:4 | {second}:4 | depth:u8", x), made))
    c.add("open:4", "SciPy", "ndimage.grey_opening(x, (4, 4), mode='nearest')", "u8",
          p.halo("open:4 | depth:u8", x), ndimage.grey_opening(x, (4, 4), mode="nearest"))
    c.add("dilate:4", "OpenCV", "dilate(x, 4x4)", "u8", p.halo("dilate:4 | depth:u8", x), cv2.dilate(x, even))


def of_windows(c, p):
    for kind in "u8", "f32":
        x = picture(kind)
        least = ndimage.minimum_filter(x, (5, 6), mode="nearest")
        greatest = ndimage.maximum_filter(x, (5, 6), mode="nearest")
        for what, call, made in (("min", "minimum_filter(x, (5, 6))", least),
                                 ("max", "maximum_filter(x, (5, 6))", greatest),
                                 ("range", "the difference of both", greatest - least)):
            ours = p.halo(depth(f"local:{what},width=6,height=5", kind), x)
            c.add(f"local:{what},width=6,height=5", "SciPy", f"ndimage.{call}" if what != "range" else call,
                  kind, ours, made)
        exact = ndimage.uniform_filter(x.astype(np.float64), (5, 6), mode="nearest")
        c.add("local:mean,width=6,height=5", "SciPy", "ndimage.uniform_filter(x, (5, 6), mode='nearest'), f64",
              kind, p.halo(depth("local:mean,width=6,height=5", kind),
                           x), exact if kind == "f32" else as_levels(exact, kind), rounding(exact, 30))
        made = ndimage.median_filter(x, (3, 7), mode="nearest")
        c.add("median:width=7,height=3", "SciPy", "ndimage.median_filter(x, (3, 7), mode='nearest')", kind,
              p.halo(depth("median:width=7,height=3", kind), x), made)


def otsu(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        white = WHITE[kind]
        ours = p.halo(depth("threshold:otsu", kind), x)
        level = filters.threshold_otsu(x)
        made = np.where(x > level, white, 0).astype(x.dtype)
        above = float(np.nextafter(np.float32(level), np.float32(np.inf)))
        middle = Asked("definition: scikit-image's level is the middle of the last bin below, halo's its end",
                       "with that level", p.halo(f"threshold:{above!r}", x), made)
        c.add("threshold:otsu", SKIMAGE, "x > filters.threshold_otsu(x)", kind, ours, made,
              middle if kind == "f32" else None)
        if kind != "f32":
            made = cv2.threshold(x, 0, white, cv2.THRESH_OTSU)[1]
            c.add("threshold:otsu", "OpenCV", "threshold(x, 0, white, THRESH_OTSU)", kind, ours, made)


# 31 samples: of OpenCV and of scikit-image a sigma of 5.
def adaptive(c, p):
    x = picture("u8")
    for method, code, blur in ("mean", "MEAN", "box:31"), ("gauss", "GAUSSIAN", "gauss:sigma=5,truncate=3"):
        for offset in 0, 10:
            call = f"adaptive:31,method={method},offset={offset}"
            made = cv2.adaptiveThreshold(x, 255, getattr(cv2, f"ADAPTIVE_THRESH_{code}_C"), cv2.THRESH_BINARY,
                                         31, offset)
            c.add(
                call, "OpenCV", f"adaptiveThreshold(x, 255, {code}_C, BINARY, 31, {offset})", "u8",
                p.halo(depth(call, "u8"), x), made,
                Asked("definition: OpenCV rounds the level to 8 bits first",
                      f"with {blur} | depth:u8 for the level",
                      p.halo(f"subtract:[{blur} | depth:u8] | threshold:{1 - offset} | depth:u8", x), made))
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        offset = {"u8": 5, "u16": 1285, "f32": 0.0196}[kind]
        for method, name in ("mean", "mean"), ("gauss", "gaussian"):
            call = f"adaptive:31,method={method},offset={offset}"
            level = filters.threshold_local(x.astype(np.float64), 31, name, offset, mode="nearest")
            made = np.where(x > level, WHITE[kind], 0).astype(x.dtype)
            above = float(np.nextafter(np.float32(-offset), np.float32(np.inf)))
            wider = Asked("definition: scikit-image's Gaussian is wider than the window",
                          "with gauss:5 for the level",
                          p.halo(depth(f"subtract:[gauss:5] | threshold:{above!r}", kind), x), made)
            c.add(call, SKIMAGE, f"x > filters.threshold_local(x, 31, '{name}', {offset}, mode='nearest'), f64",
                  kind, p.halo(depth(call, kind), x), made, wider if method == "gauss" else None)


def sauvola(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        half = WHITE[kind] / 2
        call = "adaptive:31,method=sauvola,k=0.3,border=mirror"
        made = np.where(x > filters.threshold_sauvola(x, 31, 0.3, half), WHITE[kind], 0).astype(x.dtype)
        c.add(call, SKIMAGE, f"x > filters.threshold_sauvola(x, 31, 0.3, {half:g})", kind,
              p.halo(depth(call, kind), x), made)


# OpenCV's window is the same disk, and of one channel so are its weights, which it takes from a table.
def bilateral(c, p):
    for kind in "u8", "f32":
        x = picture(kind)
        for sigma, share in (1, 0.1), (2.5, 0.05):
            radius, level = int(np.ceil(2 * sigma)), share * WHITE[kind]
            call = f"bilateral:{sigma},range={share * 100:g}%,border=mirror"
            made = cv2.bilateralFilter(x, 2 * radius + 1, level, sigma)
            exact = by_gaussians(x.astype(np.float64), sigma, level, radius)
            c.add(
                call, "OpenCV", f"bilateralFilter(x, {2 * radius + 1}, {level:g}, {sigma})", kind,
                p.halo(depth(call, kind), x), made,
                Near("definition: weights are within 0.0007 of a Gaussian's",
                     exact,
                     0.02 * level,
                     own=0.02 * level))


    x, call = picture("f32", 3), "bilateral:1.5,range=10%,border=mirror"
    exact, sums = (by_gaussians(x.astype(np.float64), 1.5, 0.1, 3, order) for order in (2, 1))
    c.add(
        call, "OpenCV", "bilateralFilter(x, 7, 0.1, 1.5)", "f32 RGB", p.halo(call, x),
        cv2.bilateralFilter(x, 7, 0.1, 1.5),
        Near(
            "definition: OpenCV adds up the colours' differences, halo takes the Euclidean distance; weights are within 0.0007 "
            "of a Gaussian's",
            exact,
            0.001,
            own=0.003,
            other=sums))


def by_gaussians(x, sigma, level, radius, order=2):
    """All colours at once: their distance is Euclid's, or, of `order` 1, the sum of their differences."""
    colour = np.atleast_3d(x)
    padded = np.pad(colour, ((radius, radius), (radius, radius), (0, 0)), mode="reflect")
    total, weights = np.zeros_like(colour), np.zeros_like(colour[:, :, :1])
    for dy in range(-radius, radius + 1):
        for dx in range(-radius, radius + 1):
            if dx * dx + dy * dy > radius * radius:
                continue
            other = padded[radius + dy:radius + dy + x.shape[0], radius + dx:radius + dx + x.shape[1]]
            far = np.linalg.norm(other - colour, order, axis=2, keepdims=True)
            w = np.exp(-(dx * dx + dy * dy) / (2 * sigma**2) - far**2 / (2 * level**2))
            total += w * other
            weights += w
    return (total / weights).reshape(x.shape)


def deviations(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind).astype(np.float64)
        mean, squares = (ndimage.uniform_filter(v, (15, 21), mode="nearest") for v in (x, x * x))
        exact = np.sqrt(np.maximum(squares - mean * mean, 0))
        ours = p.halo("local:sd,width=21,height=15", picture(kind))
        c.add("local:sd,width=21,height=15", "SciPy",
              "ndimage.uniform_filter(x², (15, 21)) − uniform_filter(x, …)², root", kind, ours, exact,
              rounding(exact, 2))
        made = ndimage.generic_filter(x, np.var, (5, 6), mode="nearest")
        c.add("local:var,width=6,height=5", "SciPy", "ndimage.generic_filter(x, np.var, (5, 6))", kind,
              p.halo("local:var,width=6,height=5", picture(kind)), made, rounding(made, 2))


def rows(c, p):
    for part in morphological, conventions, of_windows, deviations, otsu, adaptive, sauvola, bilateral:
        part(c, p)
