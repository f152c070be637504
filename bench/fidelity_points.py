"""Operations on single samples, and on the distribution of all of them."""

import cv2
import numpy as np
from scipy import ndimage
from skimage import color, exposure, util

from fidelity import Asked, Errors, rounding
from fidelity_filters import SKIMAGE, as_levels, cut_to_bytes, depth
from fidelity_peers import MAGICK, WHITE, picture

LUMA = {"709": (0.2126, 0.7152, 0.0722), "601": (0.299, 0.587, 0.114), "mean": (1 / 3, 1 / 3, 1 / 3)}


def gray(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind, 3)
        exact = {name: x.astype(np.float64) @ np.array(weights) for name, weights in LUMA.items()}
        ours = p.halo(depth("gray:601", kind), x)
        made = cv2.cvtColor(x, cv2.COLOR_RGB2GRAY)
        fixed = Errors("precision: OpenCV's weights are fixed-point", exact["601"], 0.52 if kind == "u8" else 4)
        why = rounding(exact["601"]) if kind == "f32" else fixed
        c.add("gray:601", "OpenCV", "cvtColor(x, COLOR_RGB2GRAY)", kind, ours, made, why)
        ours = p.halo(depth("gray", kind), x)
        theirs = exact["709"] if kind == "f32" else as_levels(exact["709"], kind)
        c.add("gray", "NumPy", "x @ [.2126, .7152, .0722], f64", kind, ours, theirs, rounding(exact["709"]))
    x = picture("f32", 3)
    made = color.rgb2gray(x)
    weights = np.array([0.2125, 0.7154, 0.0721])
    other = (p.halo("gray", x).astype(np.float64) + x @ (weights - LUMA["709"])).astype(np.float32)
    c.add(
        "gray", SKIMAGE, "color.rgb2gray(x)", "f32", p.halo("gray", x), made,
        Asked("definition: weights .2125 .7154 .0721, an older BT.709",
              "with the difference of the weights added", other, made, 4))
    x = picture("u16", 3)
    made = p.magick(["-grayscale", "Rec709Luma"], x)[..., 0]
    exact = x.astype(np.float64) @ np.array([0.212656, 0.715158, 0.072186])
    other = np.rint(p.halo("gray", x) + x @ (np.array([0.212656, 0.715158, 0.072186]) - LUMA["709"])).astype(
        np.uint16)
    c.add(
        "gray", "ImageMagick", "-grayscale Rec709Luma", "u16", p.halo("gray | depth:u16", x), made,
        Asked("definition: weights of six digits", "with the difference of the weights added", other, made, 1))


def simple(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        white = WHITE[kind]
        ours = p.halo(depth("invert", kind), x)
        if kind != "f32":
            c.add("invert", "OpenCV", "bitwise_not(x)", kind, ours, cv2.bitwise_not(x))
            c.add("invert", "ImageMagick", "-negate", kind, ours,
                  p.magick(["-negate"], x) // (257 if kind == "u8" else 1))
            c.add("invert", "libvips", "invert", kind, ours, p.vips("invert", x))
        c.add("invert", SKIMAGE, "util.invert(x)", kind, ours, util.invert(x))

        wide = x.astype(np.float64)
        ours = p.halo(depth("gain:1.3", kind), x)
        exact = np.minimum(wide * 1.3, white) if kind != "f32" else wide * 1.3
        c.add("gain:1.3", "OpenCV", "multiply(x, 1.3)", kind, ours, cv2.multiply(x, 1.3), rounding(exact))
        made = p.vips("linear", x, "1.3", "0", *(["--uchar"] if kind == "u8" else []))
        if kind == "u16":  # libvips makes floats of them, and cuts when they are written
            made = made.astype(np.uint16)
        c.add(
            "gain:1.3", "libvips", "linear 1.3 0", kind, ours, made,
            rounding(exact)
            if kind == "f32" else Errors("rounding: libvips cuts off the fraction", exact, 1.001))
        shift = {"u8": 20, "u16": 5000, "f32": 0.125}[kind]
        exact = np.minimum(wide + shift, white) if kind != "f32" else wide + shift
        c.add(f"offset:{shift}", "OpenCV", f"add(x, {shift})", kind, p.halo(depth(f"offset:{shift}", kind), x),
              cv2.add(x, shift), rounding(exact))
        low, high = 0.25 * white, 0.75 * white
        c.add(f"clamp:min={low:g},max={high:g}", "NumPy", "clip(x, min, max)", kind,
              p.halo(f"clamp:min={low!r},max={high!r}", x), np.clip(wide, low, high))
        exact = np.clip((wide - low) * white / (high - low), 0, white)
        c.add(f"levels:black={low:g},white={high:g}", "NumPy", "clip((x - low) / (high - low), 0, 1) * white",
              kind, p.halo(depth(f"levels:black={low!r},white={high!r}", kind), x),
              exact.astype(x.dtype) if kind == "f32" else np.rint(exact).astype(x.dtype), rounding(exact))
        level = {"u8": 128, "u16": 30000, "f32": 0.5}[kind]
        made = cv2.threshold(x if kind != "u16" else x.astype(np.float32), level, white,
                             cv2.THRESH_BINARY)[1].astype(x.dtype)
        above = float(np.nextafter(np.float32(level), np.float32(np.inf)))
        c.add(f"threshold:{level}", "OpenCV", f"threshold(x, {level}, white, THRESH_BINARY)", kind,
              p.halo(depth(f"threshold:{level}", kind), x), made,
              Asked("definition: OpenCV's white begins above the level, halo's at it", "with the next level",
                    p.halo(depth(f"threshold:{above!r}", kind), x), made))
    for kind in "u8", "u16":
        x = picture(kind)
        c.add("subtract:[median:3]", "OpenCV", "subtract(x, medianBlur(x, 3))", kind,
              p.halo(depth("subtract:[median:3]", kind), x), cv2.subtract(x, cv2.medianBlur(x, 3)))
        other, wide, white = cv2.medianBlur(x, 3), x.astype(np.float64), WHITE[kind]
        exact = {"multiply": np.minimum(wide * other / white, white), "blend": (wide + other) / 2,
                 "divide": np.where(other > 0, np.minimum(wide * white / np.maximum(other, 1), white), 0)}
        for name, call, made in (("add", "add(x, medianBlur(x, 3))", cv2.add(
                x, other)), ("multiply", "multiply(x, medianBlur(x, 3), scale=1/white)",
                             cv2.multiply(
                                 x, other,
                                 scale=1 / white)), ("divide", "divide(x, medianBlur(x, 3), scale=white)",
                                                     cv2.divide(x, other, scale=white)),
                                 ("difference", "absdiff(x, medianBlur(x, 3))", cv2.absdiff(
                                     x, other)), ("min", "min(x, medianBlur(x, 3))", cv2.min(
                                         x, other)), ("max", "max(x, medianBlur(x, 3))", cv2.max(
                                             x,
                                             other)), ("blend", "addWeighted(x, 0.5, medianBlur(x, 3), 0.5, 0)",
                                                       cv2.addWeighted(x, 0.5, other, 0.5, 0))):
            c.add(f"{name}:[median:3]", "OpenCV", call, kind, p.halo(depth(f"{name}:[median:3]", kind), x),
                  made, *([rounding(exact[name])] if name in exact else []))
        top, share = wide[::-1], other / white
        c.add("over:[flip:y | cutout:[flip:y | median:3]]", "NumPy", "x[::-1] * s + x * (1 - s)", kind,
              p.halo(depth("over:[flip:y | cutout:[flip:y | median:3]]", kind), x),
              np.rint(top * share + wide * (1 - share)).astype(x.dtype),
              rounding(top * share + wide * (1 - share)))
    x = picture("f32", 3)
    c.add("cutout:[channels:1]", "NumPy", "dstack([x, x[:, :, 0]])", "f32", p.halo("cutout:[channels:1]", x),
          np.dstack([x, x[:, :, :1]]))
    x = picture("f32") - np.float32(0.4)
    c.add("abs", "NumPy", "abs(x)", "f32", p.halo("abs", x), np.abs(x))
    x = picture("u16")
    made = p.magick(["-threshold", "30000"], x)
    c.add(
        "threshold:30000", "ImageMagick", "-threshold 30000", "u16", p.halo("threshold:30000 | depth:u16", x),
        made,
        Asked("definition: ImageMagick's white begins above the level", "with the next level",
              p.halo("threshold:30001 | depth:u16", x), made))


def curves(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        white = float(WHITE[kind])
        wide = x.astype(np.float64)
        exact = (wide / white) ** (1 / np.float64(np.float32(2.2))) * white
        made = exposure.adjust_gamma(x, 1 / 2.2)
        ours = p.halo(depth("gamma:2.2", kind), x)
        why = {
            "u8": Errors("rounding: scikit-image cuts off the fraction of its table", exact, 1.001),
            "u16": Errors("rounding: scikit-image cuts off the fraction", exact, 1.01), "f32": Errors(
                "precision: scikit-image's power is of f32, and its exponent of f64", exact, 4)
        }[kind]
        c.add("gamma:2.2", SKIMAGE, "exposure.adjust_gamma(x, 1 / 2.2)", kind, ours, made, why)
        if kind != "f32":
            made = p.magick(["-gamma", "2.2"], x)
            if kind == "u8":
                written = p.image([MAGICK, "IN", "-gamma", "2.2", "-depth", "8", "OUT"], x)
                c.add("gamma:2.2", "ImageMagick", "-gamma 2.2", kind, ours, written, cut_to_bytes(exact, made))
            else:
                c.add("gamma:2.2", "ImageMagick", "-gamma 2.2", kind, ours, made, rounding(exact))
        made = p.vips("gamma", x, "--exponent", 2.2)
        if kind == "f32":
            made = made.astype(np.float32)
        cut = Errors("rounding: libvips cuts off the fraction of its table", exact, 1.01)
        c.add("gamma:2.2", "libvips", "gamma --exponent 2.2", kind, ours, made,
              rounding(exact) if kind == "f32" else cut)
        part = wide / white
        for op, exact in ("linear", to_light(part) * white), ("srgb", from_light(part) * white):
            ours = p.halo(depth(op, kind), x)
            c.add(op, "NumPy", "IEC 61966-2-1 as it is written, f64", kind, ours,
                  exact if kind == "f32" else as_levels(exact, kind), rounding(exact))
            if kind == "u16":
                colour = np.dstack([x, x, x])
                source, target = ("sRGB", "RGB") if op == "linear" else ("RGB", "sRGB")
                space = ["-set", "colorspace", source, "-colorspace", target]
                made = p.magick([*space, "-set", "colorspace", "sRGB"], colour)[..., 0]  # as it is, into PPM
                c.add(op, "ImageMagick", f"-colorspace {target}", kind, ours, made, rounding(exact))


def to_light(part):
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)


def from_light(part):
    return np.where(part <= 0.0031308, part * 12.92, 1.055 * part ** (1 / 2.4) - 0.055)


def linear_light(c, p):
    """A filter between the two curves, as --linear asks for it."""
    for kind in "u8", "u16":
        x, white = picture(kind, 3), WHITE[kind]
        exact = white * from_light(ndimage.gaussian_filter(to_light(x / white), (2, 2, 0), mode="nearest"))
        ours = as_levels(p.halo("gauss:2", x, ".png", "--linear"), kind)  # encoded last, past any depth
        c.add("gauss:2 --linear", "SciPy", "gaussian_filter in linear light, f64", f"RGB, {kind}", ours,
              as_levels(exact, kind), rounding(exact, 68))
    space = ["-colorspace", "RGB", "-virtual-pixel", "edge", "-gaussian-blur", "8x2", "-colorspace", "sRGB"]
    c.add("gauss:2 --linear", "ImageMagick", "-colorspace RGB -gaussian-blur 8x2 -colorspace sRGB", "RGB, u16",
          ours, p.magick(space, x),
          Errors("rounding: ImageMagick stores linear light in 16 bits, too few for dark values", exact, 8))


def ranges(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)[:90]
        x = (x // 2 + x.dtype.type(3)) if kind != "f32" else x * np.float32(0.4) + np.float32(0.2)
        white, wide = WHITE[kind], x.astype(np.float64)
        exact = (wide - wide.min()) / (wide.max() - wide.min()) * white
        ours = p.halo(depth("normalize", kind), x)
        c.add("normalize", "OpenCV", "normalize(x, 0, white, NORM_MINMAX)", kind, ours,
              cv2.normalize(x, None, 0, white, cv2.NORM_MINMAX), rounding(exact, 9, 2 * white))
        made = exposure.rescale_intensity(x)
        cut = Errors("rounding: scikit-image cuts off the fraction", exact, 1.001)
        c.add("normalize", SKIMAGE, "exposure.rescale_intensity(x)", kind, ours, made,
              rounding(exact, 9, 2 * white) if kind == "f32" else cut)
        if kind == "u16":
            c.add("normalize", "ImageMagick", "-auto-level", kind, ours, p.magick(["-auto-level"], x),
                  rounding(exact, 9, 2 * white))
    x = picture("u16")
    exact = x.astype(np.float64) / 257
    c.add("depth:u8", "NumPy", "rint(x / 257)", "u16", p.halo("depth:u8", x), np.rint(exact).astype(np.uint8),
          rounding(exact))


def equalized(c, p):
    kind, x = "u8", picture("u8")
    c.add("equalize", "OpenCV", "equalizeHist(x)", "u8", p.halo(depth("equalize", kind), x),
          cv2.equalizeHist(x))
    for kind, limit in ("u8", 2), ("u8", 0), ("u16", 4):
        x = picture(kind)
        made = cv2.createCLAHE(float(limit), (8, 8)).apply(x)
        c.add(f"clahe:limit={limit}", "OpenCV", f"createCLAHE({limit}, (8, 8)).apply(x)", kind,
              p.halo(depth(f"clahe:limit={limit}", kind), x), made)
    for kind, tiles, limit in ("u8", 12, 0), ("u8", 13, 0), ("u16", 15, 4000):
        x = picture(kind)
        made = cv2.createCLAHE(float(limit), (tiles, tiles)).apply(x)
        c.add(f"clahe:tiles={tiles},limit={limit}", "OpenCV",
              f"createCLAHE({limit}, ({tiles}, {tiles})).apply(x)", kind,
              p.halo(depth(f"clahe:tiles={tiles},limit={limit}", kind), x), made)
    for kind in "u8", "u16":
        x = picture(kind)
        levels = WHITE[kind] + 1
        made = exposure.equalize_hist(x, nbins=levels)
        upto = np.bincount(x.ravel(), minlength=levels).cumsum()
        first = upto[x.min()]
        # Halo's own definition undone, and scikit-image's put in its place: nothing subtracted.
        ours = p.halo(depth("equalize", kind), x)
        mine = np.rint((upto[x] - first) / (x.size - first) * WHITE[kind]).astype(x.dtype)
        c.add("equalize", SKIMAGE, f"exposure.equalize_hist(x, nbins={levels})", kind, ours,
              as_levels(made * WHITE[kind], kind),
              Asked("definition: scikit-image's lowest level is its share of the samples, halo's becomes 0",
                    "with the count of the lowest level taken from scikit-image's", ours,
                    as_levels((made * x.size - first) / (x.size - first) * WHITE[kind], kind), 1))
        c.add("equalize", "NumPy", "cumsum(bincount(x)), f64", kind, ours, mine,
              rounding((upto[x] - first) / (x.size - first) * WHITE[kind]))
    kind, x = "u8", picture("u8")
    made = p.vips("hist_equal", x)
    upto = np.bincount(x.ravel(), minlength=256).cumsum()
    c.add("equalize", "libvips", "hist_equal", "u8", p.halo(depth("equalize", kind), x), made,
          Asked("definition: counts are used as they are, and the fraction is cut off", "so, by NumPy",
                (upto * 255 // x.size).astype(np.uint8)[x], made))
    kind, x = "u16", picture("u16")
    upto = np.bincount(x.ravel(), minlength=65536).cumsum()
    made = p.magick(["-equalize"], x)
    c.add("equalize", "ImageMagick", "-equalize", "u16", p.halo(depth("equalize", kind), x), made,
          rounding((upto[x] - upto[x.min()]) / (x.size - upto[x.min()]) * 65535))


def rows(c, p):
    for part in gray, simple, curves, linear_light, ranges, equalized:
        part(c, p)
