"""Geometry at any angle beside OpenCV, which rounds places to 1/32 of a pixel, and scikit-image, which
rounds none. Linear alone: OpenCV's cubic kernel is another, with a = -0.75."""

import cv2
import numpy as np
from fidelity import Errors
from fidelity_filters import SKIMAGE, depth
from fidelity_peers import picture
from skimage import transform

WIDTH, HEIGHT = 172, 120
# Of samples from 0 to 1: a place is off by half of 1/32 along both axes.
SLOPE = 2 / 64
REASON = "precision: OpenCV rounds places to 1/32 of a pixel, and weights of integers to 15 bits"


def affine(matrix):
    """Places in the input, from OpenCV's matrix."""
    x, y = np.meshgrid(np.arange(WIDTH, dtype=np.float64), np.arange(HEIGHT, dtype=np.float64))
    m = np.linalg.inv(np.vstack([matrix, [0, 0, 1]]) if len(matrix) == 2 else matrix)
    w = m[2, 0] * x + m[2, 1] * y + m[2, 2]
    return (m[0, 0] * x + m[0, 1] * y + m[0, 2]) / w, (m[1, 0] * x + m[1, 1] * y + m[1, 2]) / w


def lens(k1, k2, p1, p2, k3):
    x, y = np.meshgrid(np.arange(WIDTH, dtype=np.float64), np.arange(HEIGHT, dtype=np.float64))
    cx, cy, f = (WIDTH - 1) / 2, (HEIGHT - 1) / 2, max(WIDTH, HEIGHT)
    x, y = (x - cx) / f, (y - cy) / f
    r = x * x + y * y
    s = 1 + r * (k1 + r * (k2 + r * k3))
    return (f * (s * x + 2 * p1 * x * y + p2 * (r + 2 * x * x)) + cx,
            f * (s * y + p1 * (r + 2 * y * y) + 2 * p2 * x * y) + cy)


def sampled(image, u, v):
    """Linear, in f64, at places that are multiples of 1/4096, with 0 outside."""
    u, v = np.rint(u * 4096) / 4096, np.rint(v * 4096) / 4096
    rows, cols = image.shape[:2]
    first_u, first_v = np.floor(u).astype(int), np.floor(v).astype(int)
    made = np.zeros(u.shape + image.shape[2:])
    for j in range(2):
        for i in range(2):
            x, y = first_u + i, first_v + j
            there = (x >= 0) & (y >= 0) & (x < cols) & (y < rows)
            weight = np.where(there, (1 - np.abs(u - x)) * (1 - np.abs(v - y)), 0)
            taken = image[np.clip(y, 0, rows - 1), np.clip(x, 0, cols - 1)].astype(np.float64)
            made += weight.reshape(weight.shape + (1,) * (made.ndim - 2)) * taken
    return made


def numbers(values):
    return ",".join(repr(float(v)) for v in np.asarray(values).ravel())


def angles(c, p):
    middle = (WIDTH - 1) / 2, (HEIGHT - 1) / 2
    turn = cv2.getRotationMatrix2D(middle, -7, 1)
    shear = np.array([[1.1, 0.2, -9.0], [-0.1, 0.95, 11.0]])
    corners = np.array([[10, 5], [150, 20], [165, 110], [4, 100]], np.float32)
    whole = np.array([[0, 0], [WIDTH - 1, 0], [WIDTH - 1, HEIGHT - 1], [0, HEIGHT - 1]], np.float32)
    tilt = cv2.getPerspectiveTransform(corners, whole)
    size = WIDTH, HEIGHT
    for kind in "u8", "u16", "f32":
        x = np.ascontiguousarray(picture(kind, 3)[:HEIGHT, :WIDTH])
        white = 1 if kind == "f32" else np.iinfo(x.dtype).max
        step = np.spacing(np.abs(x).max()) if kind == "f32" else 1
        end = ",samples=1"
        allowed = SLOPE * white / step + 2
        for pipeline, call, (u, v), made in (
            ("rotate:7,fit=keep" + end, "warpAffine(x, getRotationMatrix2D(middle, -7, 1))", affine(turn),
             cv2.warpAffine(x, turn, size)),
            (f"affine:{numbers(shear)}{end}", "warpAffine(x, m)", affine(shear),
             cv2.warpAffine(x, shear, size)),
            (f"perspective:corners={numbers(corners)},size={WIDTH}x{HEIGHT}{end}",
             "warpPerspective(x, getPerspectiveTransform(corners, all))", affine(tilt),
             cv2.warpPerspective(x, tilt, size)),
        ):
            name = pipeline.removesuffix(end).split(",size")[0]
            exact = np.clip(sampled(x, u, v), 0, white)
            c.add(name if len(name) < 40 else name[:36] + "…", "OpenCV", call, kind,
                  p.halo(depth(pipeline, kind), x), made, Errors(REASON, exact, allowed, 9))
    x = np.ascontiguousarray(picture("f32")[:HEIGHT, :WIDTH])
    u, v = (a.astype(np.float32) for a in lens(-0.2, 0.05, 0.01, -0.005, 0.02))
    path = p.write(np.stack([u, v], axis=-1), ".npy")
    for pipeline, call, places, how in (
        ("rotate:7,fit=keep,samples=1", "transform.rotate(x, -7), f64", affine(turn), None),
        (f"affine:{numbers(shear)},samples=1", "transform.warp(x, m), f64", affine(shear),
         np.linalg.inv(np.vstack([shear, [0, 0, 1]]))),
        (f"warp:{path}", "transform.warp(x, (v, u)), f64", (u.astype(np.float64), v.astype(np.float64)),
         np.stack([v, u]).astype(np.float64)),
    ):
        wide = x.astype(np.float64)
        made = transform.rotate(wide, -7, order=1) if how is None else transform.warp(wide, how, order=1)
        name = "warp:map.npy" if "warp:" in pipeline else pipeline.removesuffix(",samples=1")
        c.add(name if len(name) < 40 else name[:36] + "…", SKIMAGE, call, "f32", p.halo(pipeline, x),
              made.astype(np.float32),
              Errors("precision: halo rounds places to 1/4096 of a pixel", sampled(x, *places),
                     2 / 8192 / np.spacing(x.max()) + 9, 9))
    c.add("warp:map.npy", "OpenCV", "remap(x, u, v)", "f32", p.halo(f"warp:{path}", x),
          cv2.remap(x, u, v, cv2.INTER_LINEAR),
          Errors(REASON, sampled(x, u.astype(np.float64), v.astype(np.float64)),
                 SLOPE / np.spacing(x.max()), 9))
    focal = max(WIDTH, HEIGHT)
    camera = np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]])
    u, v = lens(-0.2, 0.05, 0.01, -0.005, 0.02)
    c.add("undistort:-0.2,0.05,0.01,-0.005,0.02", "OpenCV", "undistort(x, camera, k)", "f32",
          p.halo("undistort:-0.2,0.05,0.01,-0.005,0.02", x),
          cv2.undistort(x, camera, np.array([-0.2, 0.05, 0.01, -0.005, 0.02])),
          Errors(REASON, sampled(x, u, v), SLOPE / np.spacing(x.max()), 9))
