"""Colours in other spaces, through tables, and of fewer levels."""

import os

import cv2
import numpy as np
from PIL import Image, ImageCms
from skimage import color, exposure

from fidelity import Asked, Errors, rounding
from fidelity_filters import SKIMAGE, as_levels, depth
from fidelity_peers import WHITE, picture
from fidelity_points import to_light

XYZ = np.array([[506752 / 1228815, 87881 / 245763, 12673 / 70218],
                [87098 / 409605, 175762 / 245763, 12673 / 175545],
                [7918 / 409605, 87881 / 737289, 1001167 / 1053270]])
D50 = np.array([[1.0479297925449969, 0.022946870601609652, -0.05019226628920524],
                [0.02962780877005599, 0.9904344267538799, -0.017073799063418826],
                [-0.009243040646204504, 0.015055191490298152, 0.7518742814281371]])


def lab(part, matrix, white, knee=216 / 24389, slope=24389 / 27 / 116, add=16 / 116):
    t = to_light(part) @ matrix.T / white
    f = np.where(t > knee, np.cbrt(t), slope * t + add)
    return np.stack([116 * f[..., 1] - 16, 500 * (f[..., 0] - f[..., 1]), 200 * (f[..., 1] - f[..., 2])], -1)


def spaces(c, p):
    x = picture("f32", 3)
    wide = x.astype(np.float64)
    made = color.rgb2hsv(wide) * (360, 100, 100)
    c.add("color:hsv", SKIMAGE, "color.rgb2hsv(x) * (360, 100, 100)", "RGB, f32", p.halo("color:hsv", x), made,
          rounding(made, 9, 360))
    exact = to_light(wide) @ XYZ.T
    c.add("color:xyz", "NumPy", "CSS Color 4, f64", "RGB, f32", p.halo("color:xyz", x), exact, rounding(exact))
    exact = lab(wide, D50 @ XYZ, np.array([0.3457 / 0.3585, 1, (1 - 0.3457 - 0.3585) / 0.3585]))
    c.add("color:lab", "NumPy", "CSS Color 4, f64", "RGB, f32", p.halo("color:lab", x), exact,
          rounding(exact, 9, 500))
    made = color.rgb2lab(wide)
    digits = np.array([[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169],
                       [0.019334, 0.119193, 0.950227]])
    other = lab(wide, digits, np.array([0.95047, 1, 1.08883]), 0.008856, 7.787)
    c.add("color:lab,illuminant=d65", SKIMAGE, "color.rgb2lab(x)", "RGB, f32",
          p.halo("color:lab,illuminant=d65", x), made,
          Asked("definition: constants of four to six digits", "with these, by NumPy", other.astype(np.float32),
                made, 4))
    other = wide @ np.array([[0.299, -0.299 / 1.772, 0.701 / 1.402], [0.587, -0.587 / 1.772, -0.587 / 1.402],
                             [0.114, 0.886 / 1.772, -0.114 / 1.402]])
    c.add("color:ycbcr", "NumPy", "JFIF, f64", "RGB, f32", p.halo("color:ycbcr", x), other, rounding(other))
    made = cv2.cvtColor(x, cv2.COLOR_RGB2YCrCb)[..., [0, 2, 1]] - np.float32([0, 0.5, 0.5])
    y = other[..., 0]
    digits = np.stack([y, (wide[..., 2] - y) * 0.564, (wide[..., 0] - y) * 0.713], -1)
    c.add("color:ycbcr", "OpenCV", "cvtColor(x, COLOR_RGB2YCrCb) - (0, .5, .5)", "RGB, f32",
          p.halo("color:ycbcr", x), made,
          Asked("definition: factors of three digits", "with these, by NumPy", digits.astype(np.float32), made,
                4))
    x = picture("u8", 3)
    space = ImageCms.buildTransform(ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB"), "RGB", "LAB")
    made = np.asarray(ImageCms.applyTransform(Image.fromarray(x), space)).astype(np.int16)
    made[..., 1:] = np.asarray(made[..., 1:], np.uint8).view(np.int8)
    ours = p.halo("color:lab", x, ".png").astype(np.float64) * (2.55, 1, 1)
    ours, made = ours + (0, 128, 128), made + (0, 128, 128)
    c.add("color:lab", "Little CMS", "sRGB to Lab, 8 bits", "RGB, u8", np.rint(ours).astype(np.uint8),
          made.astype(np.uint8), Errors("precision: 8 bits, and a profile of 16-bit numbers", ours, 1.01))


def matrices(c, p):
    luma = np.array([0.213, 0.715, 0.072])
    for kind in "u8", "u16", "f32":
        x = picture(kind, 3)
        wide = x.astype(np.float64)
        gray = (wide @ luma)[..., None]
        for call, exact in (("saturation:0.4", gray + 0.4 * (wide - gray)),
                            ("sepia", wide @ np.array([[.393, .349, .272], [.769, .686, .534],
                                                       [.189, .168, .131]]))):
            exact = np.minimum(exact, WHITE[kind]) if kind != "f32" else exact
            c.add(call, "NumPy", "W3C Filter Effects, f64", f"RGB, {kind}", p.halo(depth(call, kind), x),
                  exact if kind == "f32" else as_levels(exact, kind), rounding(exact))
        cos, sin = np.cos(np.radians(30)), np.sin(np.radians(30))
        turn = (np.array([[.213, .715, .072]] * 3)
                + cos * np.array([[.787, -.715, -.072], [-.213, .285, -.072], [-.213, -.715, .928]])
                + sin * np.array([[-.213, -.715, .928], [.143, .140, -.283], [-.787, .715, .072]]))
        exact = wide @ turn.T
        exact = np.clip(exact, 0, WHITE[kind]) if kind != "f32" else exact
        c.add("hue:30", "NumPy", "W3C Filter Effects, f64", f"RGB, {kind}", p.halo(depth("hue:30", kind), x),
              exact if kind == "f32" else as_levels(exact, kind), rounding(exact, 9, WHITE[kind]))
        means = wide.mean((0, 1))
        exact = wide * (means.mean() / means)
        exact = np.minimum(exact, WHITE[kind]) if kind != "f32" else exact
        c.add("balance", "NumPy", "x * mean(means) / means, f64", f"RGB, {kind}",
              p.halo(depth("balance", kind), x), exact if kind == "f32" else as_levels(exact, kind),
              rounding(exact))


def tables(c, p):
    side = 17
    grid = np.linspace(0, 1, side)
    b, g, r = np.meshgrid(grid, grid, grid, indexing="ij")
    table = np.stack([r ** 1.3 * 0.9 + 0.1 * g, 0.8 * g + 0.2 * np.sqrt(b), 1 - b * (1 - 0.5 * r)], -1)
    path = p.path(".cube")
    entries = "\n".join("%.6f %.6f %.6f" % tuple(v) for v in table.reshape(-1, 3))
    path.write_text(f"LUT_3D_SIZE {side}\n{entries}\n")
    for kind in "u8", "u16":
        x = picture(kind, 3)
        filters = f"format={'rgb24' if kind == 'u8' else 'rgb48'},lut3d={path}:interp=tetrahedral"
        made = p.image(["ffmpeg", "-nostats", "-i", "IN", "-vf", filters, "OUT"], x)
        exact = p.halo(f"lut:{path}", x, ".png").astype(np.float64)
        c.add("lut:look.cube", "FFmpeg", "lut3d=look.cube:interp=tetrahedral", f"RGB, {kind}",
              p.halo(depth(f"lut:{path}", kind), x), made,
              Errors("rounding: FFmpeg cuts off the fraction", exact, 1.01 if kind == "u8" else 1.1))


def profiles(c, p):
    """Profiles that Debian's icc-profiles-free has, where they are."""
    x = picture("u8", 3)
    for name in "compatibleWithAdobeRGB1998", "LStar-RGB":
        path = f"/usr/share/color/icc/{name}.icc"
        if not os.path.exists(path):
            continue
        space = ImageCms.buildTransform(path, ImageCms.createProfile("sRGB"), "RGB", "RGB", renderingIntent=1)
        made = np.asarray(ImageCms.applyTransform(Image.fromarray(x), space))
        exact = np.clip(p.halo(f"icc:{path}", x, ".png"), 0, 255).astype(np.float64)
        c.add(f"icc:{name}.icc", "Little CMS", "to sRGB, 8 bits", "RGB, u8",
              p.halo(f"icc:{path} | depth:u8", x, ".png"), made,
              Errors("precision: Little CMS transforms 8 bits by fixed-point numbers", exact, 1.01))


def matched(c, p):
    x, other = picture("u8"), np.clip(picture("u8", 1, 90, 140) // 2 + 90, 0, 255).astype(np.uint8)
    made = exposure.match_histograms(x, other)
    name = p.write(other, ".png")
    ours = p.halo(f"match:{name} | depth:u8", x, ".png")
    c.add("match:b.png", SKIMAGE, "exposure.match_histograms(x, b)", "u8", ours, as_levels(made, "u8"),
          rounding(made))
    x = picture("u16")
    made = p.magick(["+dither", "-posterize", "5"], x)
    c.add("quantize:5", "ImageMagick", "+dither -posterize 5", "u16", p.halo("quantize:5 | depth:u16", x), made,
          rounding(np.rint(x / 65535 * 4) / 4 * 65535))


def rows(c, p):
    for part in spaces, matrices, tables, profiles, matched:
        part(c, p)
