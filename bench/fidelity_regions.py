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


def rows(c, p):
    for part in labelled, selected, distances, objects, levels:
        part(c, p)
