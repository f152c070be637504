#!/usr/bin/env python3
"""public_peer.py LIBRARY TASK INPUT… OUTPUT: one task of public.py or peers_tools.py by a Python library, as
its users would write it. Prints the seconds that it took after the imports, as JSON."""
import json
import sys
import time


def pyvips_tasks():
    import pyvips

    def chain(source, target):
        image = pyvips.Image.new_from_file(source, access="sequential")
        image = image.crop(100, 100, image.width - 200, image.height - 200)
        image = image.reduce(1.0 / 0.9, 1.0 / 0.9, kernel="linear")
        sharpen = pyvips.Image.new_from_array([[-1, -1, -1], [-1, 16, -1], [-1, -1, -1]], scale=8)
        image.conv(sharpen, precision="integer").write_to_file(target, compression="deflate")

    def thumbnail(size, *paths):
        width, height = map(int, size.split("x"))
        for source, target in zip(paths[::2], paths[1::2]):
            image = pyvips.Image.thumbnail(source, width, height=height)
            image.write_to_file(target, **({"Q": 80} if target.endswith(".jpg") else {}))

    def stats(source):
        pyvips.Image.new_from_file(source, access="sequential").stats()

    def blur(sigma, source, target):
        pyvips.Image.new_from_file(source, access="sequential").gaussblur(float(sigma)).write_to_file(target)

    return {"chain": chain, "thumbnail": thumbnail, "stats": stats, "blur": blur}


def pillow_tasks():
    from PIL import Image, ImageFilter, ImageStat
    Image.MAX_IMAGE_PIXELS = None

    def chain(source, target):
        with Image.open(source) as image:
            image = image.crop((100, 100, image.width - 100, image.height - 100))
            size = round(image.width * 0.9), round(image.height * 0.9)
            image = image.resize(size, Image.Resampling.BILINEAR)
            image.filter(ImageFilter.Kernel((3, 3), [-1, -1, -1, -1, 16, -1, -1, -1, -1], 8)).save(
                target, compression="tiff_adobe_deflate")

    def thumbnail(size, *paths):
        box = tuple(map(int, size.split("x")))
        for source, target in zip(paths[::2], paths[1::2]):
            with Image.open(source) as image:
                image.thumbnail(box, Image.Resampling.LANCZOS)
                image.save(target, **({"quality": 80} if target.endswith(".jpg") else {}))

    def stats(source):
        with Image.open(source) as image:
            found = ImageStat.Stat(image)
            _ = found.extrema, found.mean, found.stddev

    def blur(sigma, source, target):
        with Image.open(source) as image:
            image.filter(ImageFilter.GaussianBlur(float(sigma))).save(target)

    return {"chain": chain, "thumbnail": thumbnail, "stats": stats, "blur": blur}


def opencv_tasks():
    import cv2

    def thumbnail(size, *paths):
        width, height = map(int, size.split("x"))
        for source, target in zip(paths[::2], paths[1::2]):
            image = cv2.imread(source)
            scale = min(width / image.shape[1], height / image.shape[0])
            shape = round(image.shape[1] * scale), round(image.shape[0] * scale)
            cv2.imwrite(target, cv2.resize(image, shape, interpolation=cv2.INTER_AREA),
                        [cv2.IMWRITE_JPEG_QUALITY, 80] if target.endswith(".jpg") else [])

    return {"thumbnail": thumbnail}


def scipy_tasks():
    import numpy
    from scipy import signal
    from scipy.io import wavfile

    def write(target, rate, samples):
        wavfile.write(target, rate, numpy.clip(numpy.rint(samples), -32768, 32767).astype(numpy.int16))

    def fir(taps, source, target):
        rate, samples = wavfile.read(source)
        write(target, rate, signal.oaconvolve(samples.astype(numpy.float32), numpy.loadtxt(taps)[:, None],
                                              mode="same", axes=0))

    def iir(source, target):
        rate, samples = wavfile.read(source)
        sections = signal.butter(4, 4000, fs=rate, output="sos")
        write(target, rate, signal.sosfilt(sections, samples.astype(numpy.float64), axis=0))

    return {"fir": fir, "iir": iir}


LIBRARIES = {"pyvips": pyvips_tasks, "pillow": pillow_tasks, "opencv": opencv_tasks, "scipy": scipy_tasks}


def main():
    task = LIBRARIES[sys.argv[1]]()[sys.argv[2]]
    start = time.perf_counter()
    task(*sys.argv[3:])
    print(json.dumps({"seconds": time.perf_counter() - start}))


main()
