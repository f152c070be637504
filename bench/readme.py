#!/usr/bin/env python3
"""readme.py HALO FOLDER: the README's table of whole commands on the files of inputs.py, seconds, as CSV."""
import csv
import os
import statistics
import subprocess
import sys
import time

TURNS = int(os.environ.get("TURNS", "5"))
TOOLS = "halo", "libvips", "GraphicsMagick", "ImageMagick", "SoX", "FFmpeg"

# What is done, and by which command of each tool; {} is halo.
WORKS = {
    "blur a PNG of 15 megapixels": {
        "halo": "{} run gauss:2 large.png -o halo.png -f",
        "libvips": "vips gaussblur large.png vips.png 2",
        "GraphicsMagick": "gm convert large.png -blur 0x2 gm.png",
        "ImageMagick": "convert-im6.q16 large.png -blur 0x2 magick.png"},
    "the same of a PPM": {
        "halo": "{} run gauss:2 large.ppm -o halo.ppm -f",
        "libvips": "vips gaussblur large.ppm vips.ppm 2",
        "GraphicsMagick": "gm convert large.ppm -blur 0x2 gm.ppm",
        "ImageMagick": "convert-im6.q16 large.ppm -blur 0x2 magick.ppm"},
    "median of 5 x 5": {
        "halo": "{} run median:5 large.ppm -o halo.ppm -f",
        "libvips": "vips rank large.ppm vips.ppm 5 5 12",
        "GraphicsMagick": "gm convert large.ppm -median 2 gm.ppm"},
    "dilate by 9 x 9": {
        "halo": "{} run dilate:9 large.ppm -o halo.ppm -f",
        "libvips": "vips rank large.ppm vips.ppm 9 9 80",
        "ImageMagick": "convert-im6.q16 large.ppm -morphology Dilate Square:4 magick.ppm"},
    "shrink the PNG to 800 x 450": {
        "halo": "{} run resize:800 large.png -o halo.png -f",
        "libvips": "vips thumbnail large.png vips.png 800",
        "GraphicsMagick": "gm convert large.png -resize 800 gm.png",
        "ImageMagick": "convert-im6.q16 large.png -resize 800 magick.png"},
    "statistics of the PNG": {
        "halo": "{} stats large.png",
        "libvips": "vips stats large.png vips.csv"},
    "1023 taps, 20 min of sound": {
        "halo": "{} run fir:fir1023.txt long.wav -o halo.wav -f",
        "SoX": "sox -D long.wav sox.wav fir fir1023.txt"},
}


def seconds(command, folder):
    start = time.perf_counter()
    subprocess.run(command.split(),
                   cwd=folder,
                   check=True,
                   stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    halo, folder = os.path.abspath(sys.argv[1]), sys.argv[2]
    used = [tool for tool in TOOLS if any(tool in commands for commands in WORKS.values())]
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["what", *used])
    for what, commands in WORKS.items():
        turns = [{tool: seconds(command.format(halo), folder) for tool, command in commands.items()}
                 for _ in range(TURNS)]
        medians = {tool: statistics.median(turn[tool] for turn in turns) for tool in commands}
        out.writerow([what, *(f"{medians[tool]:.3g}" if tool in medians else "" for tool in used)])
        sys.stdout.flush()


main()
