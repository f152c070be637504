"""Some channels, masks, and what is measured between two pictures."""

import json
import re
import subprocess

import numpy as np
from scipy import ndimage
from skimage import color, metrics, registration

from fidelity import Errors, rounding
from fidelity_filters import SKIMAGE
from fidelity_peers import WHITE, picture


def number(value):
    return np.array([value], np.float64)


def confined(c, p):
    for kind in "u8", "u16", "f32":
        x = picture(kind, 3)
        made = x.copy()
        for channel in 1, 2:
            made[..., channel] = ndimage.median_filter(x[..., channel], 3, mode="nearest")
        c.add("on:2,3,[median:3]", "SciPy", "ndimage.median_filter of channels 2 and 3", kind,
              p.halo("on:2,3,[median:3]", x), made)
    for kind in "u8", "u16":
        x = picture(kind)
        wide = x.astype(np.float64)
        share = wide[:, ::-1] / WHITE[kind]
        exact = wide + (WHITE[kind] - 2 * wide) * share
        c.add("invert:mask=[flip:x]", "NumPy", "x + (white - x - x) * m / white, f64", kind,
              p.halo("invert:mask=[flip:x]", x), exact, rounding(exact))


def expressions(c, p):
    """f32 to the bit where operations are rounded correctly; others are within an ulp of the f64 result."""
    v, a = picture("f32"), picture("f32")[::-1].copy()
    name, wide = p.write(a, ".npy"), v.astype(np.float64)
    for call, made in (("(v-a)/(v+a)", (v - a) / (v + a)), ("sqrt(v*v+a*a)", np.sqrt(v * v + a * a)),
                       ("v>a?v:floor(a*8)", np.where(v > a, v, np.floor(a * np.float32(8))))):
        c.add(f'expr:"{call}",a=b.npy', "NumPy", "the same, in f32", "f32",
              p.halo(f'expr:"{call}",a={name}', v), made)
    for call, exact in (("exp(v)", np.exp(wide)), ("sin(v)", np.sin(wide)), ("log(1+v)", np.log(
            (v + np.float32(1)).astype(np.float64))), ("pow(v,0.3)", wide ** np.float64(np.float32(0.3)))):
        c.add(f'expr:"{call}"', "NumPy", "the same, in f64", "f32", p.halo(f'expr:"{call}"', v),
              exact.astype(np.float32), rounding(exact, 1))


def straightened(c, p):
    y, x = np.mgrid[:300, :400]
    for angle in 3, -4.5:
        t = np.radians(angle)
        rows = (y - 150) * np.cos(t) - (x - 200) * np.sin(t)
        inside = (np.abs(x - 200) < 170) & (np.abs(y - 150) < 120)
        page = np.where((rows % 24 < 8) & inside, 30, 240).astype(np.uint8)
        name = p.write(page, ".png")
        said = subprocess.run([p.program, "run", "deskew", name, "-o", p.path(".png")], capture_output=True,
                              text=True, check=True).stderr
        ours = float(re.search(r"turned by ([-0-9.]+) degrees", said)[1])
        found = p.run(["convert", name, "-deskew", "40%", "-format", "%[deskew:angle]", "info:"])
        c.measure("deskew", "ImageMagick", "-deskew 40%", "u8", f"rotation of lines that fall by {angle}",
                  "degrees", abs(ours), abs(float(found)), abs(angle) - 0.05, abs(angle) + 0.05)


def compared(p, a, b, *options):
    found = p.run([p.program, "compare", p.write(a, ".npy"), p.write(b, ".npy"), "--json", "--at-most",
                   "differing=1e18", *options])
    return json.loads(found.splitlines()[0])


def lab(x):
    """scikit-image's own matrix has six digits: here that of CSS Color 4, as halo has it."""
    v = x / 255
    v = np.where(v <= 0.04045, v / 12.92, ((v + 0.055) / 1.055) ** 2.4)
    matrix = np.array([[506752 / 1228815, 87881 / 245763, 12673 / 70218],
                       [87098 / 409605, 175762 / 245763, 12673 / 175545],
                       [7918 / 409605, 87881 / 737289, 1001167 / 1053270]])
    t = v @ matrix.T / np.array([0.3127 / 0.3290, 1, 0.3583 / 0.3290])
    f = np.where(t > 216 / 24389, np.cbrt(t), (24389 / 27 * t + 16) / 116)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def differences(c, p):
    a = picture("u8", 3)
    b = (a + np.random.default_rng(8).normal(0, 9, a.shape)).clip(0, 255).astype(np.uint8)
    said = compared(p, a, b, "--measure", "deltae")
    theirs = metrics.structural_similarity(a, b, data_range=255, channel_axis=-1, gaussian_weights=True,
                                           sigma=1.5, use_sample_covariance=False)
    c.add("compare: ssim", SKIMAGE, "metrics.structural_similarity(a, b, gaussian_weights=True, sigma=1.5, "
          "use_sample_covariance=False, data_range=255, channel_axis=-1)", "RGB, u8", number(said["ssim"]),
          number(theirs), Errors("rounding in f64, of other orders of sums", number(theirs), 0, 1 << 12))
    made = color.deltaE_ciede2000(lab(a), lab(b))
    theirs = np.array([made.mean(), np.percentile(made, 95), made.max()])
    c.add("compare: deltae, deltae95, deltaemax", SKIMAGE,
          "color.deltaE_ciede2000 of Lab by the matrix of CSS Color 4", "RGB, u8",
          np.array([said[key] for key in ("deltae", "deltae95", "deltaemax")]), theirs,
          Errors("rounding: halo's functions are within 2⁻⁴²", theirs, 0, 1 << 16))


def shifts(c, p):
    whole = picture("f32", 1, 161, 213)
    a = whole[20:141, 20:193]
    for right, down in (7, -4), (-12, 9):
        b = whole[20 - down:141 - down, 20 - right:193 - right]
        found = p.run([p.program, "align", p.write(a, ".npy"), p.write(b, ".npy"), "--json"])
        said = json.loads(found.splitlines()[0])
        y, x = registration.phase_cross_correlation(a.astype(np.float64), b.astype(np.float64),
                                                    upsample_factor=20)[0]
        c.add("align", SKIMAGE, "registration.phase_cross_correlation(a, b, upsample_factor=20)",
              f"f32, moved by {right}, {down}", np.rint(np.array([said["x"], said["y"]]) * 20).astype(np.int64),
              np.rint(np.array([x, y]) * 20).astype(np.int64))


def rows(c, p):
    for part in confined, expressions, straightened, differences, shifts:
        part(c, p)
