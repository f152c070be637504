"""Regions, distances, and levels found in histograms."""

import cv2
import numpy as np
from scipy import ndimage
from skimage import filters, measure, morphology, segmentation

from fidelity import Asked, rounding
from fidelity_filters import SKIMAGE, depth
from fidelity_peers import WHITE, picture

EIGHT = np.ones((3, 3))


def mask(kind):
    x = picture(kind)
    return np.where(x > x.mean(), x, 0).astype(x.dtype)


def labelled(c, p):
    for kind in "u8", "u16", "f32":
        x = mask(kind)
        c.add("label", "SciPy", "ndimage.label(x, ones((3, 3)))", kind, p.halo("label", x),
              ndimage.label(x, EIGHT)[0].astype(np.float32))
        c.add("label:connect=4", "SciPy", "ndimage.label(x)", kind, p.halo("label:connect=4", x),
              ndimage.label(x)[0].astype(np.float32))
        c.add("label", SKIMAGE, "measure.label(x > 0, connectivity=2)", kind, p.halo("label", x),
              measure.label(x > 0, connectivity=2).astype(np.float32))


def selected(c, p):
    x = np.where(mask("u8") > 0, 255, 0).astype(np.uint8)
    on = x > 0

    def white(kept):
        return np.where(kept, 255, 0).astype(np.uint8)

    c.add("areaopen:20", SKIMAGE, "morphology.remove_small_objects(x > 0, 20, connectivity=2)", "u8",
          p.halo(depth("areaopen:20", "u8"), x), white(morphology.remove_small_objects(on, 20, connectivity=2)))
    c.add("fillholes", "SciPy", "ndimage.binary_fill_holes(x)", "u8", p.halo(depth("fillholes", "u8"), x),
          white(ndimage.binary_fill_holes(on)))
    sizes = np.bincount(measure.label(on, connectivity=2).ravel())[1:]
    c.add("largest", "NumPy", "label == argmax(bincount(label)[1:]) + 1", "u8",
          p.halo(depth("largest", "u8"), x),
          white(measure.label(on, connectivity=2) == np.argmax(sizes) + 1))
    c.add("clearborder", SKIMAGE, "segmentation.clear_border(x)", "u8", p.halo(depth("clearborder", "u8"), x),
          segmentation.clear_border(x))
    x = picture("u8")
    c.add("hysteresis:120,180,connect=4", SKIMAGE, "filters.apply_hysteresis_threshold(x, 120, 180)", "u8",
          p.halo(depth("hysteresis:120,180,connect=4", "u8"), x),
          white(filters.apply_hysteresis_threshold(x, 120, 180)))


def distances(c, p):
    x = np.where(mask("u8") > 0, 255, 0).astype(np.uint8)
    c.add("distance", "SciPy", "ndimage.distance_transform_edt(x), as f32", "u8", p.halo("distance", x),
          ndimage.distance_transform_edt(x).astype(np.float32))
    c.add("distance", "OpenCV", "distanceTransform(x, DIST_L2, DIST_MASK_PRECISE)", "u8", p.halo("distance", x),
          cv2.distanceTransform(x, cv2.DIST_L2, cv2.DIST_MASK_PRECISE))
    for metric in "taxicab", "chessboard":
        c.add(f"distance:{metric}", "SciPy", f"ndimage.distance_transform_cdt(x, '{metric}')", "u8",
              p.halo(f"distance:{metric}", x), ndimage.distance_transform_cdt(x, metric).astype(np.float32))


PROPERTIES = ("label", "area", "bbox", "centroid", "equivalent_diameter_area", "axis_major_length",
              "axis_minor_length", "eccentricity", "perimeter", "euler_number", "intensity_min",
              "intensity_max",
              "intensity_mean", "centroid_weighted")


def objects(c, p):
    x = picture("u8")
    table = measure.regionprops_table(measure.label(x >= 128, connectivity=2), x, properties=PROPERTIES)
    found = p.halo_result("objects:threshold=128", x)["channel"][0]["objects"]
    ours = np.array([[row[name] for name in table] for row in found])
    made = np.stack([table[name] for name in table], -1).astype(np.float64)
    c.add("objects:threshold=128", SKIMAGE, "measure.regionprops_table(label(x >= 128), x), 18 columns", "u8",
          ours,
          made, rounding(made))


def levels(c, p):
    for method in "li", "triangle", "yen", "isodata", "minimum", "mean":
        for kind in "u8", "f32":
            x = picture(kind)
            level = float(getattr(filters, f"threshold_{method}")(x))
            made = np.where(x > level, WHITE[kind], 0).astype(x.dtype)
            above = float(np.nextafter(np.float32(level), np.float32(np.inf)))
            other = Asked("definition: the level is the end of a bin, of scikit-image its middle; li's is of "
                          "bins",
                          "with that level", p.halo(f"threshold:{above!r}", x), made)
            c.add(f"threshold:{method}", SKIMAGE, f"x > filters.threshold_{method}(x)", kind,
                  p.halo(depth(f"threshold:{method}", kind), x), made, other if kind == "f32" else None)


def classes(c, p):
    x = picture("u8")
    for count in 3, 4:
        levels_of = filters.threshold_multiotsu(x, count)
        made = np.rint(np.digitize(x, levels_of + 1) * (255 / (count - 1))).astype(np.uint8)
        c.add(f"threshold:otsu,classes={count}", SKIMAGE,
              f"digitize(x, filters.threshold_multiotsu(x, {count}) + 1) * 255 / {count - 1}", "u8",
              p.halo(depth(f"threshold:otsu,classes={count}", "u8"), x), made)


def selections(c, p):
    names = "count", "min", "max", "mean", "sd"
    for kind in "u8", "f32":
        x = picture(kind)
        level = float(np.float32(WHITE[kind]) / 2)
        on = x >= level
        kept = x[on].astype(np.float64)
        made = np.array([kept.size, kept.min(), kept.max(), kept.mean(), kept.std()])
        found = p.halo_result(f"stats:mask=[threshold:{level!r}]", x)["channel"][0]
        c.add("stats:mask=[threshold:50%]", "NumPy", "size, min, max, mean, std of x[x >= white / 2], f64",
              kind, np.array([found[name] for name in names], np.float64), made, rounding(made))
        labels, count = ndimage.label(on, EIGHT)
        index = np.arange(1, count + 1)
        made = np.stack([of(x.astype(np.float64), labels, index) for of in (
            ndimage.minimum, ndimage.maximum, ndimage.mean, ndimage.standard_deviation)], -1)
        table = p.halo_result(f"stats:labels=[threshold:{level!r} | label]", x)["channel"][0]["groups"]
        c.add("stats:labels=[threshold:50% | label]", "SciPy",
              "ndimage.minimum, maximum, mean, standard_deviation(x, label(x >= white / 2))", kind,
              np.array([[row[name] for name in names[1:]] for row in table]), made, rounding(made))


FOOTPRINT = np.array([[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]])
HEIGHTS = np.array([[3, 0, -2, 1], [0, 5, 0, 2], [-4, 1, 0, 0]])


def written(values):
    return f'"{values.shape[1]}x{values.shape[0]}: ' + ",".join(str(v) for v in values.flat) + '"'


def elements(c, p):
    """erode and its kin with any element, hitmiss."""
    peers = {"erode": "grey_erosion", "dilate": "grey_dilation", "open": "grey_opening",
             "close": "grey_closing", "tophat": "white_tophat", "blackhat": "black_tophat",
             "outline": "morphological_gradient"}
    on, heights = written(FOOTPRINT), written(HEIGHTS)
    for op, name in peers.items():
        peer, x = getattr(ndimage, name), picture("u8")
        made = peer(x.astype(np.int64), footprint=FOOTPRINT, mode="nearest")
        c.add(f"{op}:mask=M", "SciPy", f"ndimage.{name}(x, footprint=M, mode='nearest')", "u8",
              p.halo(depth(f"{op}:mask={on}", "u8"), x), np.clip(made, 0, 255).astype(np.uint8))
        made = peer(x.astype(np.float64), footprint=FOOTPRINT, structure=HEIGHTS.astype(np.float64),
                    mode="nearest")
        c.add(f"{op}:mask=M,heights=H", "SciPy",
              f"ndimage.{name}(x, footprint=M, structure=H, mode='nearest'), f64", "u8",
              p.halo(depth(f"{op}:mask={on},heights={heights}", "f32"), x), made.astype(np.float32))
    x = np.where(mask("u8") > 0, 255, 0).astype(np.uint8)
    pattern = np.array([[-1, 1, -1], [0, 1, 1], [0, 0, -1]])
    c.add("hitmiss:M", "SciPy", "ndimage.binary_hit_or_miss(x, M == 1, M == 0)", "u8",
          p.halo(depth(f"hitmiss:{written(pattern)}", "u8"), x),
          np.where(ndimage.binary_hit_or_miss(x, pattern == 1, pattern == 0), 255, 0).astype(np.uint8))


def orders(c, p):
    """Pixels outside the image do not count in scikit-image's filters.rank: windows inside are compared."""
    x, square, inside = picture("u8"), np.ones((5, 5), np.uint8), np.s_[2:-2, 2:-2]
    peers = {"entropy": ("entropy", {}), "mode": ("modal", {}),
             "percentile,percent=10": ("percentile", {"p0": 0.1})}
    for what, (name, options) in peers.items():
        made = getattr(filters.rank, name)(x, square, **options)[inside]
        kind = "f32" if what == "entropy" else "u8"
        with_options = ", p0=0.1" if options else ""
        c.add(f"local:{what},width=5,border=valid", SKIMAGE,
              f"filters.rank.{name}(x, ones((5, 5)){with_options}), inside", "u8",
              p.halo(depth(f"local:{what},width=5,border=valid", kind), x),
              made.astype(np.float32 if kind == "f32" else np.uint8), rounding(made.astype(np.float64)))
    x = picture("f32")[:60, :70]
    made = ndimage.generic_filter(x.astype(np.float64), lambda v: np.median(np.abs(v - np.median(v))), 5,
                                  mode="nearest")
    c.add("local:mad,width=5", "SciPy", "ndimage.generic_filter(x, mad, 5, mode='nearest'), f64", "f32",
          p.halo("local:mad,width=5", x), made.astype(np.float32))


def rows(c, p):
    for part in labelled, selected, distances, objects, levels, classes, selections, elements, orders:
        part(c, p)
