#!/usr/bin/env python3
"""The same samples as other readers and writers of the formats that libraries decode: Pillow (WebP, APNG,
GIF), pillow-heif (HEIC), imagecodecs (JPEG XL), astropy (FITS) and OpenEXR, as far as they are there. Both ways
where both write; over types, channels, alpha, sides of 1, odd sides and pages.

    tests/long/codecs.py HALO             exit status 1 where something differs
"""
import importlib
import itertools
import os
import subprocess
import sys
import tempfile

import numpy as np

HALO = os.path.abspath(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
SIZES = [(1, 1), (1, 2), (2, 1), (3, 5), (7, 8), (33, 17), (16, 16), (65, 64)]
draw = np.random.default_rng(1)
faults = []
compared = 0


def halo(*arguments):
    done = subprocess.run([HALO, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        faults.append(f"halo {' '.join(arguments)}: {done.stderr.strip()}")


def as_array(path, pipeline=""):
    halo("run", pipeline, path, "-o", "read.npy", "--force")
    return np.load("read.npy")


def write(array, path, *options):
    np.save("write.npy", array)
    axes = ["--axes", "hwc" + (",alpha" if array.shape[-1] in (2, 4) else "")] if array.ndim == 3 else []
    halo("run", "", "write.npy", "-o", path, "--force", *axes, *options)


def same(what, found, wanted, within=0):
    global compared
    compared += 1
    if found.shape != wanted.shape or (within == 0 and found.dtype.newbyteorder("=") != wanted.dtype):
        faults.append(f"{what}: {found.dtype} {found.shape}, not {wanted.dtype} {wanted.shape}")
    elif not np.allclose(found.astype("f8"), wanted.astype("f8"), rtol=0, atol=within, equal_nan=True):
        faults.append(f"{what}: other samples")


def random(height, width, channels, kind):
    shape = (height, width, channels) if channels > 1 else (height, width)
    if kind[0] == "f":
        return draw.random(shape).astype(kind)
    return draw.integers(np.iinfo(kind).min, np.iinfo(kind).max, shape, dtype=kind, endpoint=True)


def colour(array):
    return array if array.ndim == 3 else np.dstack([array] * 3)


# ---- formats -------------------------------------------------------------------------------------------------


def webp(image):
    for height, width in SIZES:
        rgb = random(height, width, 3, "u1")
        image.fromarray(rgb).save("in.webp", lossless=True)
        same("webp of Pillow", as_array("in.webp"), rgb)
        image.fromarray(rgb).save("lossy.webp", quality=70)
        same("lossy webp of Pillow", as_array("lossy.webp"), np.asarray(image.open("lossy.webp")))
        rgba = random(height, width, 4, "u1")
        rgba[0, 0, 3] = 77  # where all are opaque there is no alpha
        image.fromarray(rgba).save("in.webp", lossless=True, exact=True)
        same("webp with alpha of Pillow", as_array("in.webp"), rgba)
        for array in (rgb, rgba, rgb[..., 0]):
            write(array, "out.webp", "--lossless")
            found = np.asarray(image.open("out.webp"))
            seen = np.ones((height, width), bool) if array is not rgba else rgba[..., 3] > 0
            same(f"webp for Pillow, {array.shape}", found[seen], colour(array)[seen])
    frames = [image.fromarray(random(9, 12, 3, "u1")) for _ in range(4)]
    frames[0].save("in.webp", save_all=True, append_images=frames[1:], lossless=True, duration=40)
    for page, frame in enumerate(frames):
        same("animated webp", as_array("in.webp", f"pages:{page + 1}"), np.asarray(frame))


def animation(image, size, mode):
    """A few pictures of a small rectangle that moves, on nothing where there is alpha."""
    frames = []
    for k in range(4):
        frame = np.zeros((*size, 4), "u1") if mode == "RGBA" else np.full((*size, 4), (9, 60, 100, 255), "u1")
        frame[k:k + 5, 2 * k:2 * k + 6] = (200, 17 + 30 * k, 3, 255)
        frames.append(image.fromarray(frame).convert(mode))
    return frames


def apng(image):
    for mode, disposal, blend in itertools.product(("L", "RGB", "RGBA"), range(3), range(2)):
        if (mode == "L" and disposal > 0) or (mode == "RGB" and disposal == 2):
            continue  # Pillow 9 cannot write them; it makes black what no frame covers
        if (mode, disposal, blend) == ("RGBA", 2, 1):
            continue  # Pillow 13 differs from FFmpeg, which agrees with halo
        frames = animation(image, (13, 17), mode)
        frames[0].save("in.png", save_all=True, append_images=frames[1:], disposal=disposal, blend=blend)
        picture = image.open("in.png")
        halo("run", "", "in.png", "-o", "out.apng", "--force")
        back = image.open("out.apng")
        for page in range(picture.n_frames):
            picture.seek(page)
            back.seek(page)
            wanted, what = np.asarray(picture), f"apng {mode}, disposal {disposal}, blend {blend}, page {page}"
            same(what, as_array("in.png", f"pages:{page + 1}"), wanted)
            same(f"{what}, written", np.asarray(back), wanted)


def gif(image):
    for disposal in range(3):  # of 3 Pillow keeps the first frame, and browsers do not
        frames = [image.fromarray(random(9, 12, 1, "u1") // 64 * 60).convert("P") for _ in range(4)]
        frames[0].save("in.gif", save_all=True, append_images=frames[1:], disposal=disposal, duration=50)
        picture = image.open("in.gif")
        for page in range(picture.n_frames):
            picture.seek(page)
            wanted = np.asarray(picture.convert("RGBA"))
            found = as_array("in.gif", f"pages:{page + 1}")[..., :3]
            same(f"gif, disposal {disposal}", found[wanted[..., 3] > 0], wanted[wanted[..., 3] > 0][:, :3])


def heif(peer):
    from PIL import Image

    peer.register_heif_opener()
    for height, width in SIZES:
        for channels in (1, 3):
            array = random(height, width, channels, "u1")
            write(array, "out.heic", "--lossless", "--effort", "1")
            same("heic for pillow-heif", np.asarray(Image.open("out.heic")), colour(array))
        Image.fromarray(array).save("in.heic", quality=60)
        same("heic of pillow-heif", as_array("in.heic"), np.asarray(Image.open("in.heic").convert("RGB")), 2)


def jxl(codecs):
    for (height, width), channels, kind in itertools.product(SIZES, (1, 2, 3, 4), ("u1", "u2", "f4")):
        array = random(height, width, channels, kind)
        with open("in.jxl", "wb") as file:
            file.write(codecs.jpegxl_encode(array, lossless=True))
        same(f"jxl of imagecodecs, {array.shape}", as_array("in.jxl"), array)
        if kind != "f4":  # which older libjxl refuse to keep as they are
            write(array, "out.jxl", "--lossless")
            with open("out.jxl", "rb") as file:
                same(f"jxl for imagecodecs, {array.shape}", codecs.jpegxl_decode(file.read()), array)


def fits(peer):
    kinds = ("u1", "u2", "u4", "i1", "i2", "i4", "i8", "f4", "f8")
    for (height, width), kind in itertools.product(SIZES, kinds):
        array = random(height, width, 1, kind)
        peer.PrimaryHDU(array).writeto("in.fits", overwrite=True)
        same(f"fits of astropy, {kind}", as_array("in.fits"), array)
        write(array, "out.fits")
        same(f"fits for astropy, {kind}", peer.getdata("out.fits").astype(kind), array)
    planes = random(5, 6, 2, "f4").transpose(2, 0, 1).copy()
    units = [peer.PrimaryHDU()] + [peer.ImageHDU(plane) for plane in planes]
    peer.HDUList(units).writeto("in.fits", overwrite=True)
    same("fits of several units", as_array("in.fits"), planes)


def exr(peer):
    ways = [getattr(peer, name + "_COMPRESSION") for name in ("NO", "RLE", "ZIPS", "ZIP", "PIZ")]
    for (height, width), kind, way, names in itertools.product(SIZES, ("f2", "f4"), ways, ("Y", "RGB", "RGBA")):
        array = random(height, width, len(names), kind)
        if names == "RGBA":
            array[..., 3] = 1  # colours are multiplied by it
        planes = {name: np.ascontiguousarray(np.atleast_3d(array)[..., i]) for i, name in enumerate(names)}
        with peer.File({"compression": way, "type": peer.scanlineimage}, dict(planes)) as file:
            file.write("in.exr")
        same(f"exr of OpenEXR, {names} {kind} {way}", as_array("in.exr"), array.astype("f4"))
        halo("run", "", "in.exr", "-o", "out.exr", "--force")
        with peer.File("out.exr", separate_channels=True) as file:
            for name, plane in planes.items():
                same(f"exr for OpenEXR, {names} {kind}", file.channels()[name].pixels, plane)


def main():
    peers = (("PIL.Image", webp), ("PIL.Image", apng), ("PIL.Image", gif), ("pillow_heif", heif),
             ("imagecodecs", jxl), ("astropy.io.fits", fits), ("OpenEXR", exr))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, compare in peers:
            try:
                peer = importlib.import_module(name)
            except ImportError:
                print(f"{name} is missing: {compare.__name__} is left out")
                continue
            compare(peer)
        os.chdir("/")
    for fault in faults[:50]:
        print(fault)
    print(f"{compared} comparisons, {len(faults)} differ")
    sys.exit(1 if faults else 0)


main()
