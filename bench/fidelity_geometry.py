"""Geometry: pixels that move, and pictures of another size."""

import cv2
import numpy as np
from fidelity import Errors, Remade, rounding
from fidelity_angles import angles
from fidelity_filters import depth
from fidelity_peers import picture

try:
    from PIL import Image
except ImportError:
    Image = None


def moves(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind, 3)
        height, width = x.shape[:2]
        top, left = (height - 40) // 2, (width - 90) // 2
        for pipeline, call, made in (
            ("orient", "x, which has no EXIF", x),
            ("crop:90x40", "x[40:80, 41:131]", x[top:top + 40, left:left + 90]),
            ("crop:31x22+7+9", "x[9:31, 7:38]", x[9:31, 7:38]),
            ("flip:x", "x[:, ::-1]", x[:, ::-1]),
            ("flip:y", "x[::-1]", x[::-1]),
            ("rotate:90", "rot90(x, -1)", np.rot90(x, -1)),
            ("rotate:270", "rot90(x)", np.rot90(x)),
            ("transpose", "x.transpose(1, 0, 2)", x.transpose(1, 0, 2)),
            ("pad:9,border=replicate", "pad(x, 9, 'edge')", np.pad(x, ((9, 9), (9, 9), (0, 0)), "edge")),
            ("pad:9,border=reflect", "pad(x, 9, 'symmetric')",
             np.pad(x, ((9, 9), (9, 9), (0, 0)), "symmetric")),
            ("pad:9,border=mirror", "pad(x, 9, 'reflect')", np.pad(x, ((9, 9), (9, 9), (0, 0)), "reflect")),
            ("pad:9,border=wrap", "pad(x, 9, 'wrap')", np.pad(x, ((9, 9), (9, 9), (0, 0)), "wrap")),
        ):
            c.add(pipeline, "NumPy", call, kind, p.halo(depth(pipeline, kind), x), np.ascontiguousarray(made))


def means(x, width, height):
    """The mean of what every pixel of the result covers, in f64: whole pixels here."""
    rows, cols = x.shape[0] // height, x.shape[1] // width
    return x.astype(np.float64).reshape(height, rows, width, cols).mean(axis=(1, 3))


# Radius and values of the kernels of docs/numerics.md, at distances that are not negative.
KERNELS = {
    "lanczos3": (3, lambda x: np.sinc(x) * np.sinc(x / 3)),
    "cubic": (2, lambda x: np.where(x < 1, (1.5 * x - 2.5) * x * x + 1, ((2.5 - 0.5 * x) * x - 4) * x + 2)),
    "linear": (1, lambda x: 1 - x),
}


def weights(kernel, count, made):
    radius, value = KERNELS[kernel]
    middle = (np.arange(made)[:, None] + 0.5) * count / made - 0.5
    away = np.abs(np.arange(count) - middle) / max(1.0, count / made)
    row = np.where(away < radius, value(away), 0)
    return row / row.sum(axis=1, keepdims=True)


def resized(x, width, height, kernel, product):
    """Rows, then columns; `product` of samples along the last axis and weights."""
    rows = product(np.moveaxis(x, 1, -1), weights(kernel, x.shape[1], width))
    return np.moveaxis(product(np.moveaxis(rows, 0, -1), weights(kernel, x.shape[0], height)), (0, 1, 2),
                       (2, 1, 0))


def in_f64(x, row):
    return x.astype(np.float64) @ row.T


def in_8_bits(x, row):
    """Pillow's: weights of 22 bits, and 8 bits are left of every sum, that of rows too."""
    fixed = np.where(row < 0, row * 2**22 - 0.5, row * 2**22 + 0.5).astype(np.int64)
    return np.clip((x.astype(np.int64) @ fixed.T + 2**21) >> 22, 0, 255)


def sizes(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind)[:120, :172]
        exact = means(x, 43, 30)
        made = cv2.resize(x, (43, 30), interpolation=cv2.INTER_AREA)
        c.add("resize:43x30,kernel=area", "OpenCV", "resize(x, (43, 30), INTER_AREA)", kind,
              p.halo(depth("resize:43x30,fit=exact,kernel=area", kind), x), made, rounding(exact, 20))
    if Image is None:
        return
    names = (("lanczos3", "LANCZOS", Image.LANCZOS), ("cubic", "BICUBIC", Image.BICUBIC),
             # its BOX takes the pixels whose middle is covered, all of them
             ("linear", "BILINEAR", Image.BILINEAR))
    x = picture("f32")
    for kernel, name, code in names:
        for width, height in (61, 44), (301, 250):
            ours = p.halo(f"resize:{width}x{height},fit=exact,kernel={kernel}", x)
            theirs = np.asarray(Image.fromarray(x).resize((width, height), code))
            exact = resized(x[..., None], width, height, kernel, in_f64)[..., 0]
            c.add(f"resize:{width}x{height},kernel={kernel}", "Pillow",
                  f"resize(({width}, {height}), {name}), mode F",
                  "f32", ours, theirs, Errors("rounding: Pillow sums in f64", exact, 0, 60))
    x = picture("u8", 3)
    for kernel, name, code in names:
        ours = p.halo(f"resize:61x44,fit=exact,kernel={kernel} | depth:u8", x)
        theirs = np.asarray(Image.fromarray(x).resize((61, 44), code))
        exact = np.clip(resized(x, 61, 44, kernel, in_f64), 0, 255)
        c.add(f"resize:61x44,kernel={kernel}", "Pillow", f"resize((61, 44), {name}), mode RGB", "u8", ours,
              theirs,
              Remade("precision: Pillow rounds the result of its horizontal pass to 8 bits", exact, 2, 60,
                     3 * 255,
                     remade=resized(x, 61, 44, kernel, in_8_bits)))


def rows(c, p):
    moves(c, p)
    angles(c, p)
    sizes(c, p)
