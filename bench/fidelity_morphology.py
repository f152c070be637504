"""Edges, reconstruction, thinning, watersheds and peaks of pictures."""

import numpy as np
from scipy import ndimage
from skimage import feature, morphology, segmentation

from fidelity import Asked
from fidelity_filters import SKIMAGE, depth
from fidelity_peers import WHITE, picture
from fidelity_regions import mask


def inside(x):
    return x[8:-8, 8:-8]


def edges(c, p):
    for kind in "u8", "f32":
        x = picture(kind)
        low, high = (0.5 * WHITE[kind], 1.2 * WHITE[kind])
        ours = p.halo(depth(f"canny:1.4,{low},{high}", kind), x)
        made = feature.canny(x.astype(np.float64) if kind == "f32" else x, 1.4, low, high, mode="nearest")
        made = np.where(made, WHITE[kind], 0).astype(x.dtype)
        c.add("canny:1.4,50%,120%", SKIMAGE, "feature.canny(x, 1.4, 0.5, 1.2, mode='nearest')", kind, ours,
              made,
              Asked("border: scikit-image mirrors the blurred picture, and leaves out edges at the sides",
                    "away from the sides", inside(ours), inside(made)))


def reconstructed(c, p):
    plus = ndimage.generate_binary_structure(2, 1)
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        low, high = ndimage.minimum_filter(x, 7, mode="nearest"), ndimage.maximum_filter(x, 7, mode="nearest")
        c.add("reconstruct:[erode:7]", SKIMAGE, "morphology.reconstruction(erosion, x)", kind,
              p.halo(depth("reconstruct:[erode:7]", kind), x),
              morphology.reconstruction(low, x).astype(x.dtype))
        c.add("reconstruct:[dilate:7],by=erosion,connect=4", SKIMAGE,
              "morphology.reconstruction(dilation, x, 'erosion', plus)", kind,
              p.halo(depth("reconstruct:[dilate:7],by=erosion,connect=4", kind), x),
              morphology.reconstruction(high, x, "erosion", plus).astype(x.dtype))
        h = x.dtype.type(WHITE[kind] * 0.2)
        wide = x if kind == "f32" else x.astype(np.float64)
        floor, ceiling = (-np.inf, np.inf) if kind == "f32" else (0, WHITE[kind])
        c.add("hmax:20%", SKIMAGE, "morphology.reconstruction(x - h, x)", kind,
              p.halo(depth(f"hmax:{float(h)!r}", kind), x),
              np.maximum(morphology.reconstruction(wide - h, x), floor).astype(x.dtype))
        c.add("hmin:20%", SKIMAGE, "morphology.reconstruction(x + h, x, 'erosion')", kind,
              p.halo(depth(f"hmin:{float(h)!r}", kind), x),
              np.minimum(morphology.reconstruction(wide + h, x, "erosion"), ceiling).astype(x.dtype))


def around(set_pixels):
    """P2 to P9 of the papers, clockwise from the pixel above."""
    padded = np.pad(set_pixels.astype(int), 1)
    height, width = set_pixels.shape
    ways = (0, 1), (0, 2), (1, 2), (2, 2), (2, 1), (2, 0), (1, 0), (0, 0)
    return [padded[y:y + height, x:x + width] for y, x in ways]


def zhang_suen(on):
    """By the conditions of the paper, one after the other."""
    while True:
        before = on
        for half in 0, 1:
            p = around(on)
            count, rises = sum(p), sum((1 - p[k]) * p[(k + 1) % 8] for k in range(8))
            north, east, south, west = p[0], p[2], p[4], p[6]
            zero = (north * east * south + east * south * west == 0 if half == 0
                    else north * east * west + north * south * west == 0)
            on = on & ~((count >= 2) & (count <= 6) & (rises == 1) & zero)
        if (on == before).all():
            return on


def thinned(c, p):
    x = np.where(ndimage.gaussian_filter(picture("f32"), 2) > 0.5, 255, 0).astype(np.uint8)
    on = x > 0

    def white(kept):
        return np.where(kept, 255, 0).astype(np.uint8)

    c.add("thin", SKIMAGE, "morphology.thin(x)", "u8", p.halo(depth("thin", "u8"), x),
          white(morphology.thin(on)))
    c.add("thin:2", SKIMAGE, "morphology.thin(x, max_num_iter=2)", "u8", p.halo(depth("thin:2", "u8"), x),
          white(morphology.thin(on, max_num_iter=2)))
    ours = p.halo(depth("skeleton", "u8"), x)
    c.add("skeleton", SKIMAGE, "morphology.skeletonize(x)", "u8", ours, white(morphology.skeletonize(on)),
          Asked("definition: scikit-image's table differs from Zhang's and Suen's conditions in 31 places",
                "by the conditions of the paper, in NumPy", ours, white(zhang_suen(on))))


def flooded(c, p):
    x = ndimage.gaussian_filter(picture("f32"), 1).astype(np.float32)
    markers = np.zeros(x.shape, np.float32)
    random = np.random.default_rng(6)
    markers.flat[np.sort(random.choice(x.size, 40, replace=False))] = np.arange(1, 41)
    path = p.write(markers, ".npy")
    for connect in 4, 8:
        c.add(f"watershed:[markers],connect={connect}", SKIMAGE,
              f"segmentation.watershed(x, markers, {connect // 4})", "f32",
              p.halo(f"watershed:{path},connect={connect}", x),
              segmentation.watershed(x, markers.astype(int), connect // 4).astype(np.float32))
    within = p.write(mask("f32"), ".npy")
    c.add("watershed:[markers],mask=[x],connect=4", SKIMAGE, "segmentation.watershed(x, markers, mask=x)",
          "f32",
          p.halo(f"watershed:{path},mask={within},connect=4", x),
          segmentation.watershed(x, markers.astype(int), mask=mask("f32") > 0).astype(np.float32))


def peaks(c, p):
    x = ndimage.gaussian_filter(picture("f32"), 1).astype(np.float32)
    found = p.halo_result("peaks:width=9", x)["channel"][0]["peaks"]
    ours = np.array([[row["y"], row["x"]] for row in found], np.float64)
    made = feature.peak_local_max(x, min_distance=4, exclude_border=False)
    made = made[np.lexsort((made[:, 1], made[:, 0]))].astype(np.float64)
    c.add("peaks:width=9", SKIMAGE, "feature.peak_local_max(x, min_distance=4, exclude_border=False)", "f32",
          ours, made)


def rows(c, p):
    for part in edges, reconstructed, thinned, flooded, peaks:
        part(c, p)
