#!/usr/bin/env python3
"""The same samples, spacing and origin as the formats' own tools, both ways: Pillow, FFmpeg, nibabel, pynrrd,
mrcfile, SimpleITK, tifffile and NumPy, as far as they are there. Over types, channels, alpha, sides of 1 and
odd sides.

    tests/long/formats.py HALO            exit status 1 where something differs
"""
import importlib
import itertools
import os
import shutil
import subprocess
import sys
import tempfile

import numpy as np

HALO = os.path.abspath(sys.argv[1]) if len(sys.argv) == 2 else sys.exit(__doc__)
draw = np.random.default_rng(1)
faults = []
compared = 0


def module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        print(f"{name} is missing: its formats are left out")
        return None


def halo(*arguments):
    done = subprocess.run([HALO, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        faults.append(f"halo {' '.join(arguments)}: {done.stderr.strip()}")


def as_array(path, *options):
    halo("run", "", path, "-o", "read.npy", "--force", *options)
    return np.load("read.npy")


def write(array, path, *options):
    np.save("write.npy", array)
    axes = ["--axes", "hwc" + (",alpha" if array.shape[-1] in (2, 4) else "")] if array.ndim == 3 else []
    halo("run", "", "write.npy", "-o", path, "--force", *axes, *options)


def same(what, found, wanted):
    global compared
    compared += 1
    native = found.dtype.newbyteorder("=")
    if native != wanted.dtype or found.shape != wanted.shape or not np.array_equal(found, wanted):
        faults.append(f"{what}: {found.dtype} {found.shape}, not {wanted.dtype} {wanted.shape}, or otherwise")


def near(what, found, wanted):
    global compared
    compared += 1
    if not np.allclose(found, wanted, rtol=1e-6, atol=1e-6):
        faults.append(f"{what}: {found}, not {wanted}")


def colour(array):
    return array if array.ndim == 3 else np.dstack([array] * 3)


# ---- pictures ------------------------------------------------------------------------------------------------


def pictures(image):
    for width, height in itertools.product((1, 2, 3, 7, 8, 33, 257), (1, 2, 5)):
        rgba = draw.integers(0, 256, (height, width, 4), dtype=np.uint8)
        rgb, gray = rgba[..., :3].copy(), rgba[..., 0].copy()
        runs = gray // 100 * 100
        for array in (rgb, rgba, gray, runs):
            picture = image.fromarray(array)
            ways = [("tga", {}), ("tga", {"compression": "tga_rle"}), ("tga", {"orientation": 1})]
            if array is not rgba:
                ways.append(("bmp", {}))
            for kind, options in ways:
                picture.save("in." + kind, **options)
                same(f"{kind} {options} of Pillow, {array.shape}", as_array("in." + kind), array)
            for kind in ("bmp", "tga"):
                write(array, "out." + kind)
                if os.path.getsize("out." + kind) < 44:  # Pillow looks for a footer of TGA before the beginning
                    continue
                same(f"{kind} for Pillow, {array.shape}", np.asarray(image.open("out." + kind)), array)
        palette = image.fromarray(rgb).quantize(16)
        for kind in ("bmp", "tga"):
            palette.save("in." + kind)
            same(f"{kind} with a palette", colour(as_array("in." + kind)), np.asarray(palette.convert("RGB")))
        image.fromarray(gray > 127).save("in.bmp")
        same("bmp of bits", as_array("in.bmp"), np.where(gray > 127, 255, 0).astype(np.uint8))
        if shutil.which("ffmpeg"):
            qoi(image, rgb)
            qoi(image, rgba)


def qoi(image, array):
    image.fromarray(array).save("in.png")
    write(array, "out.qoi")
    for source, target in (("out.qoi", "back.png"), ("in.png", "in.qoi")):
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", source, target], check=True)
    same("qoi for FFmpeg", np.asarray(image.open("back.png")), array)
    same("qoi of FFmpeg", as_array("in.qoi"), array)
    with open("in.qoi", "rb") as theirs, open("out.qoi", "rb") as ours:
        if theirs.read() != ours.read():
            faults.append(f"qoi {array.shape}: other bytes than FFmpeg's")


# ---- volumes -------------------------------------------------------------------------------------------------

SHAPES = ((1, 1, 1), (3, 5, 7), (4, 2, 1), (1, 6, 5))
TYPES = "u1 i1 u2 i2 u4 i4 u8 i8 f4 f8".split()


def volumes(types):
    for kind, shape in itertools.product(types, SHAPES):
        samples = draw.random(shape) * 100 - (0 if kind[0] == "u" else 50)
        yield kind, samples.astype(kind)


def nifti(nibabel):
    turn = 0.3
    affine = np.eye(4)
    affine[:3, :3] = np.array([[-np.cos(turn), np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    affine[:3, :3] = affine[:3, :3] @ np.diag([0.5, 0.6, 0.7])
    affine[:3, 3] = 10, -20, 30
    for kind, volume in volumes(TYPES):
        for version, end in itertools.product((nibabel.Nifti1Image, nibabel.Nifti2Image), ("nii", "nii.gz")):
            file = version(volume.T, affine, dtype=volume.dtype)
            file.header.set_xyzt_units("mm", "sec")
            nibabel.save(file, "in." + end)
            same(f"{end} of nibabel, {kind}", as_array("in." + end).reshape(volume.shape), volume)
            for other in ("nii", "nii.gz"):
                halo("run", "", "in." + end, "-o", "out." + other, "--force")
                back = nibabel.load("out." + other)
                samples = np.asanyarray(back.dataobj).T.reshape(volume.shape)
                same(f"{other} for nibabel, {kind}", samples, volume)
                columns = [0, 1, 2, 3] if len(volume) > 1 else [0, 1, 3]
                near("affine", back.affine[:, columns], affine[:, columns])
        nibabel.save(nibabel.Nifti1Pair(volume.T, affine, dtype=volume.dtype), "pair.img")
        same(f"pair of nibabel, {kind}", as_array("pair.hdr").reshape(volume.shape), volume)


def nrrd(pynrrd):
    for kind, volume in volumes(TYPES):
        for encoding in ("raw", "gzip"):
            header = {"encoding": encoding, "spacings": [0.5, 0.6, 0.7]}
            for end in ("nrrd", "nhdr"):
                pynrrd.write("in." + end, volume.T, header=header, index_order="F")
                same(f"{end} of pynrrd, {kind} {encoding}", as_array("in." + end).reshape(volume.shape), volume)
            halo("run", "", "in.nrrd", "-o", "out.nrrd", "--force")
            back, said = pynrrd.read("out.nrrd", index_order="F")
            same(f"nrrd for pynrrd, {kind}", back.T.reshape(volume.shape), volume)
            steps = np.linalg.norm(said["space directions"], axis=1)
            near("spacing", steps, [0.5, 0.6, 0.7][: len(steps)])


def mrc(mrcfile):
    for kind, volume in volumes("i1 i2 u2 f2 f4".split()):
        with mrcfile.new("in.mrc", overwrite=True) as file:
            file.set_data(volume)
            file.voxel_size = 1.5, 2, 2.5
        same(f"mrc of mrcfile, {kind}", as_array("in.mrc").reshape(volume.shape), volume)
        halo("run", "", "in.mrc", "-o", "out.mrc", "--force")
        with mrcfile.open("out.mrc") as file:
            same(f"mrc for mrcfile, {kind}", file.data.reshape(volume.shape), volume)
            near("spacing", [float(file.voxel_size[axis]) for axis in "xyz"], [1.5, 2, 2.5])


def itk(sitk):
    for kind, volume in volumes(TYPES):
        image = sitk.GetImageFromArray(volume)
        image.SetSpacing((0.1, 0.2, 0.3))
        image.SetOrigin((1, 2, 3))
        image.SetDirection((0, 1, 0, 1, 0, 0, 0, 0, -1))
        for end, compressed in itertools.product(("mha", "mhd", "nrrd", "nhdr"), (False, True)):
            sitk.WriteImage(image, "in." + end, useCompression=compressed)
            same(f"{end} of ITK, {kind}", as_array("in." + end).reshape(volume.shape), volume)
        for end in ("mha", "nrrd"):
            halo("run", "", "in.mhd", "-o", "out." + end, "--force")
            back = sitk.ReadImage("out." + end)
            same(f"{end} for ITK, {kind}", sitk.GetArrayFromImage(back).reshape(volume.shape), volume)
            if back.GetDimension() == 3 and len(volume) > 1:
                near("spacing", back.GetSpacing(), image.GetSpacing())
                near("origin", back.GetOrigin(), image.GetOrigin())
                near("direction", back.GetDirection(), image.GetDirection())


def tiff(tifffile):
    volume = draw.integers(0, 1000, (4, 5, 6), dtype=np.uint16)
    about = {"unit": "um", "spacing": 2.0, "axes": "ZYX"}
    tifffile.imwrite("in.tif", volume, imagej=True, resolution=(1 / 0.5, 1 / 0.25), metadata=about)
    halo("run", "", "in.tif", "-o", "between.nrrd", "--force")
    halo("run", "", "between.nrrd", "-o", "out.tif", "--force")
    with tifffile.TiffFile("out.tif") as file:
        same("tiff for tifffile", file.asarray(), volume)
        said = file.imagej_metadata
        tags = file.pages[0].tags
        near("spacing", said["spacing"], 2)
        near("pixels", [tags[name].value[1] / tags[name].value[0] for name in ("XResolution", "YResolution")],
             [0.5, 0.25])


def npz():
    arrays = {"a": draw.integers(0, 255, (5, 7), dtype=np.uint8), "b": draw.random((6, 5)).astype("f2")}
    for save in (np.savez, np.savez_compressed):
        save("in.npz", **arrays)
        for name, array in arrays.items():
            same(f"npz of NumPy, {name}", as_array("in.npz:" + name), array)
            halo("run", "", "in.npz:" + name, "-o", "out.npz", "--force")
            same(f"npz for NumPy, {name}", np.load("out.npz")["arr_0"], array)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        npz()
        peers = (("PIL.Image", pictures), ("nibabel", nifti), ("nrrd", nrrd), ("mrcfile", mrc),
                 ("SimpleITK", itk), ("tifffile", tiff))
        for name, compare in peers:
            peer = module(name)
            if peer is not None:
                compare(peer)
        os.chdir("/")
    for fault in faults[:50]:
        print(fault)
    print(f"{compared} comparisons, {len(faults)} differ")
    sys.exit(1 if faults else 0)


main()
