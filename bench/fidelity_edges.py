"""Filters of images: sharpeners, edges, ranks."""

import cv2
import numpy as np
from scipy import ndimage
from skimage import filters

from fidelity import Asked, Errors, bound, rounding
from fidelity_filters import SKIMAGE, as_levels, depth, holes, text_of
from fidelity_peers import picture


def sharpeners(c, p):
    mask = np.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], np.float32)
    relief = np.array([[-2, -1, 0], [-1, 1, 1], [0, 1, 2]], np.float32)
    for op, taps in ("sharpen", mask), ("emboss", relief):
        for kind in "u8", "f32":
            x = picture(kind)
            ours = p.halo(depth(op, kind), x)
            exact = ndimage.correlate(x.astype(np.float64), taps.astype(np.float64), mode="nearest")
            exact = exact if kind == "f32" else np.clip(exact, 0, 255)
            c.add(op, "OpenCV", "filter2D with the same mask", kind, ours,
                  cv2.filter2D(x, -1, taps, borderType=cv2.BORDER_REPLICATE), rounding(exact))
        turned = "3x3:" + " ".join(",".join(f"{tap:g}" for tap in row) for row in taps[::-1, ::-1])
        x = picture("u8")
        made = p.magick(["-virtual-pixel", "edge", "-morphology", "Convolve", turned], x)
        c.add(op, "ImageMagick", "-morphology Convolve, the same mask turned", "u8",
              p.halo(f"{op} | depth:u8", x),
              made // 257)
    f = picture("f32")
    made = filters.unsharp_mask(f, 1.5, 0.8, preserve_range=True)
    again = p.halo("unsharp:sigma=1.5,amount=0.8,border=reflect", f)
    c.add("unsharp:sigma=1.5,amount=0.8", SKIMAGE, "filters.unsharp_mask(x, 1.5, 0.8)", "f32",
          p.halo("unsharp:sigma=1.5,amount=0.8", f), made,
          Asked("border: reflect", "with border=reflect", again, made, 4))
    x = picture("u16")
    thirds = np.exp(-np.arange(-19, 20) ** 2 / (2 * 4.5**2)).reshape(13, 3).sum(1)
    blurred = p.halo(" | ".join(f"conv:mask={text_of(side)},normalize=1"
                                for side in (thirds[None], thirds[:, None])),
                     x)
    made = p.magick(["-virtual-pixel", "edge", "-unsharp", "6x1.5+0.8+0"], x)
    c.add("unsharp:sigma=1.5,amount=0.8", "ImageMagick", "-unsharp 6x1.5+0.8+0", "u16",
          p.halo("unsharp:sigma=1.5,amount=0.8 | depth:u16", x), made,
          Asked("definition: ImageMagick's tap is the mean of the Gaussian at three places in the pixel; "
                "rounding: its "
                "blur has 16 bits", "with such taps",
                as_levels(x + 0.8 * (x - blurred.astype(np.float64)), "u16"), made, 1))


def laplacians(c, p):
    f, x = picture("f32"), picture("u8")
    wide = f.astype(np.float64)
    exact = ndimage.laplace(wide, mode="nearest")
    ours = p.halo("laplace", f)
    c.add("laplace", "SciPy", "ndimage.laplace(x, mode='nearest'), f64", "f32", ours, exact, rounding(exact))
    c.add("laplace", "OpenCV", "Laplacian(x, CV_32F)", "f32", ours,
          cv2.Laplacian(f, cv2.CV_32F, borderType=cv2.BORDER_REPLICATE), rounding(exact))
    c.add("laplace | depth:u8", "OpenCV", "Laplacian(x, CV_8U)", "u8", p.halo("laplace | depth:u8", x),
          cv2.Laplacian(x, cv2.CV_8U, borderType=cv2.BORDER_REPLICATE))
    made = filters.laplace(f)
    inner = Asked("definition: the sign; border: reflect", "times -1, with border=reflect",
                  p.halo("laplace:border=reflect | gain:-1x", f), made, 4)
    c.add("laplace", SKIMAGE, "filters.laplace(x)", "f32", ours, made, inner)

    made = ndimage.gaussian_laplace(wide, 2, mode="nearest")
    impulse = np.zeros((51, 51))
    impulse[25, 25] = 1
    response = ndimage.gaussian_laplace(impulse, 2, mode="constant")
    mean = response.sum() / 17**2
    balanced = made - mean * 17**2 * ndimage.uniform_filter(wide, 17, mode="nearest")
    c.add("log:2", "SciPy", "ndimage.gaussian_laplace(x, 2, mode='nearest'), f64", "f32", p.halo("log:2", f),
          made,
          Asked("definition: SciPy's mask does not quite sum to 0, halo subtracts its mean",
                "with that mean subtracted from SciPy's", p.halo("log:2", f), balanced,
                bound(made.astype(np.float32), 289, np.abs(response).sum())))

    exact = ndimage.gaussian_filter(wide, 2,
                                    mode="nearest") - ndimage.gaussian_filter(wide, 3.2, mode="nearest")
    ours = p.halo("dog:2", f)
    why = Errors("rounding of the two blurs, in units of their small difference", exact, 0, 88, 1)
    c.add("dog:2", "SciPy", "gaussian_filter(x, 2) - gaussian_filter(x, 3.2), f64", "f32", ours, exact, why)
    c.add("dog:2", SKIMAGE, "filters.difference_of_gaussians(x, 2, 3.2)", "f32", ours,
          filters.difference_of_gaussians(f, 2, 3.2), why)


def edges(c, p):
    f = picture("f32")
    wide = f.astype(np.float64)
    for op, scipy, skimage, factor in (
        ("sobel", ndimage.sobel, filters.sobel, 4),
        ("prewitt", ndimage.prewitt, filters.prewitt, 3),
        ("scharr", None, filters.scharr, 16),
        ("roberts", None, filters.roberts, 1),
    ):
        ours = p.halo(op, f)
        if scipy is not None:
            for axis, name in (1, "x"), (0, "y"):
                exact = scipy(wide, axis=axis, mode="nearest")
                c.add(f"{op}:axis={name}", "SciPy", f"ndimage.{op}(x, axis={axis}, mode='nearest'), f64", "f32",
                      p.halo(f"{op}:axis={name}", f), exact, rounding(exact))
            exact = np.hypot(scipy(wide, axis=1, mode="nearest"), scipy(wide, axis=0, mode="nearest"))
            c.add(op, "SciPy", f"hypot of both ndimage.{op}, f64", "f32", ours, exact, rounding(exact))
        made = skimage(f)
        again = p.halo(f"{op}:border=reflect | gain:{1 / factor / np.sqrt(2)!r}", f)
        divided = f"{factor} and by √2" if factor > 1 else "√2"
        c.add(op, SKIMAGE, f"filters.{op}(x)", "f32", ours, made,
              Asked(f"definition: divided by {divided}; border: reflect", "with that", again, made, 4))
    both = np.abs(p.halo("sobel:axis=x", f)) + np.abs(p.halo("sobel:axis=y", f))
    made = p.vips("sobel", f)
    c.add("sobel", "libvips", "sobel", "f32", p.halo("sobel", f), made,
          Asked("definition: |gx| + |gy|", "with that of sobel:axis=x and y", both, made, 4))
    for kind in "u8", "f32":
        x = picture(kind)
        near = {"borderType": cv2.BORDER_REPLICATE}
        for op, call, text in (
            ("sobel", lambda dx, dy: cv2.Sobel(x, cv2.CV_32F, dx, dy, **near), "Sobel"),
            ("scharr", lambda dx, dy: cv2.Scharr(x, cv2.CV_32F, dx, dy, **near), "Scharr"),
        ):
            wide = x.astype(np.float64)
            taps = np.outer([1, 2, 1] if op == "sobel" else [3, 10, 3], [-1, 0, 1])
            gx, gy = (ndimage.correlate(wide, side, mode="nearest") for side in (taps, taps.T))
            c.add(f"{op}:axis=x", "OpenCV", f"{text}(x, CV_32F, 1, 0)", kind, p.halo(f"{op}:axis=x", x),
                  call(1, 0),
                  rounding(gx))
            c.add(op, "OpenCV", f"magnitude of both {text}", kind, p.halo(op, x),
                  cv2.magnitude(call(1, 0), call(0, 1)), rounding(np.hypot(gx, gy)))


def ranks(c, p):
    near = {"borderType": cv2.BORDER_REPLICATE}
    square = np.ones((5, 5), np.uint8)
    for kind in "u8", "u16", "f32":
        x = picture(kind)
        three, five = (p.halo(depth(f"median:{width}", kind), x) for width in (3, 5))
        least, upper, greatest = (p.halo(depth(f"rank:fraction={fraction},radius=2", kind), x)
                                  for fraction in (0, 0.75, 1))
        c.add("median:3", "SciPy", "ndimage.median_filter(x, 3, mode='nearest')", kind, three,
              ndimage.median_filter(x, 3, mode="nearest"))
        c.add("median:5", "OpenCV", "medianBlur(x, 5)", kind, five, cv2.medianBlur(x, 5))
        c.add("median:5", SKIMAGE, "filters.median(x, 5x5)", kind, five, filters.median(x, square))
        if kind == "u8":
            wide = p.vips("rank", x.astype(np.uint16), 5, 5, 12).astype(np.uint8)
            c.add("median:5", "libvips", "rank 5 5 12", kind, five, p.vips("rank", x, 5, 5, 12),
                  Asked("fault: libvips issue 4609: 8-bit windows lose a column",
                        "with the same levels as 16 bits", five, wide))
        else:
            c.add("median:5", "libvips", "rank 5 5 12", kind, five, p.vips("rank", x, 5, 5, 12))
        if kind != "f32":
            made = p.magick(["-virtual-pixel", "edge", "-statistic", "Median", "5x5"], x)
            c.add("median:5", "ImageMagick", "-statistic Median 5x5", kind, five,
                  made // 257 if kind == "u8" else made)
        c.add("rank:fraction=0,radius=2", "OpenCV", "erode(x, 5x5)", kind, least, cv2.erode(x, square, **near))
        c.add("rank:fraction=1,radius=2", "OpenCV", "dilate(x, 5x5)", kind, greatest,
              cv2.dilate(x, square, **near))
        c.add("rank:fraction=0.75,radius=2", "SciPy", "ndimage.rank_filter(x, 18, 5, mode='nearest')", kind,
              upper,
              ndimage.rank_filter(x, 18, 5, mode="nearest"))
    x = picture("u8", 4)
    plain = p.halo("median:3,alpha=straight | depth:u8", x, ".png")
    made = cv2.medianBlur(x, 3)
    c.add("median:3", "OpenCV", "medianBlur(x, 3)", "RGBA8", p.halo("median:3 | depth:u8", x, ".png"), made,
          Asked("definition: OpenCV treats alpha as a colour, halo copies it", "with alpha=straight", plain,
                made))


def medians_without_nan(c, p):
    x = holes()
    windows = np.lib.stride_tricks.sliding_window_view(np.pad(x, 2, mode="edge"), (5, 5)).reshape(*x.shape, 25)
    made = np.nanmedian(windows.astype(np.float64), -1).astype(np.float32)
    c.add("median:5,nan=ignore", "NumPy", "nanmedian of every 5x5", "f32", p.halo("median:5,nan=ignore", x),
          made)


def rows(c, p):
    for part in sharpeners, laplacians, edges, ranks, medians_without_nan:
        part(c, p)
