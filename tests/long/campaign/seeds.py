"""Small files of every format that halo reads, of every one that it only writes, and of those that it
refuses."""

import random
import struct
import subprocess
import zlib
from pathlib import Path

import mp3

# (from, pipeline, to, options): what halo makes of the first files
MADE = [
    ("gray.pgm", "", "gray.png", []),
    ("rgb.ppm", "", "rgb.png", ["--png-level", "9"]),
    ("rgba.pam", "", "rgba.png", []),
    ("deep.pgm", "", "deep.png", ["--png-level", "0"]),
    ("gray.pgm", "", "gray.jpg", []),
    ("rgb.ppm", "", "rgb.jpg", ["--quality", "40"]),
    ("gray.pgm", "", "gray.tif", []),
    ("rgba.pam", "", "rgba.tif", []),
    ("deep.pgm", "", "deep.tif", []),
    ("rgb.ppm", "gauss:1", "float.tif", []),
    ("rgb.ppm", "gauss:1", "float.pfm", []),
    ("rgb.ppm", "", "rgb.npy", []),
    ("gray.pgm", "gauss:1", "float.npy", []),
    ("gray.pgm", "scan", "scan.npy", []),
    ("rgb.ppm", "", "rgb.bmp", []),
    ("rgb.ppm", "", "rgb.tga", []),
    ("rgb.ppm", "gauss:1", "rgb.hdr", []),
    ("rgb.ppm", "", "rgb.qoi", []),
    ("rgb.ppm", "", "rgb.nrrd", []),
    ("rgb.ppm", "", "rgb.mha", []),
    ("rgb.ppm", "", "rgb.npz", []),
    ("deep.pgm", "", "deep.nii", []),
    ("deep.pgm", "", "deep.nii.gz", []),
    ("gray.pgm", "gauss:1", "float.mrc", []),
    ("rgba.pam", "", "rgba.webp", ["--lossless"]),
    ("rgb.ppm", "", "rgb.webp", []),
    ("rgb.ppm", "", "rgb.avif", ["--effort", "1"]),
    ("rgba.pam", "", "rgba.heic", ["--effort", "1"]),
    ("rgba.pam", "", "rgba.jxl", ["--lossless"]),
    ("rgb.ppm", "", "rgb.jxl", ["--effort", "1"]),
    ("rgb.ppm", "gauss:1", "rgb.exr", []),
    ("deep.pgm", "", "deep.fits", []),
    ("gray.pgm", "gauss:1", "float.fits", []),
    ("several.ppm", "", "several.tif", []),
    ("several.ppm", "", "several.webp", ["--lossless"]),
    ("several.ppm", "", "several.avif", ["--effort", "1"]),
    ("several.ppm", "", "several.nrrd", []),
] + [("sound.wav", "", f"sound.{to}", []) for to in ("flac", "aiff", "au", "w64", "rf64", "ogg", "opus", "npy",
    "tsv")]

# Control characters, and those that change the direction of writing.
ESCAPES = "\x1b[31mred\x07\x7f\u009b2J\u202egnp"
TABLES = {
    "table.csv": b"time,a,b\n0,1,2\n1,2,-3.5e2\n2,,6\n3,4,5\n",
    "semicolons.csv": b'\xef\xbb\xbf"t";"a ""b"""\r\n0;1,5\r\n# so\r\n1;nan\r\n',
    "blanks.csv": b"  1  2\n 3  4\n",
    "escapes.csv": f"a,{ESCAPES}\n1,2\n3,{ESCAPES}\n".encode(),
}

FOREIGN = {
    "a.gif": b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\1\0\1\0\0\2\2D\1\0;",
    "a.webp": b"RIFF\x1a\0\0\0WEBPVP8L\r\0\0\0/",
    "a.avif": b"\0\0\0\x20ftypavif" + bytes(40),
    "a.heic": b"\0\0\0\x20ftypheic" + bytes(40),
    "a.jxl": b"\xff\x0a" + bytes(30),
    "a.exr": b"v/1\1\2\0\0\0" + bytes(30),
    "a.pdf": b"%PDF-1.4\n",
    "a.mp3": b"ID3\3\0\0\0\0\0\0",
    "b.mp3": b"\xff\xfb\x90\x44" + bytes(90),
    "a.svg": b"<svg/>",
    "a.h5": b"\x89HDF\r\n\x1a\n" + bytes(30),
    "a.fits": b"SIMPLE  =",
    "a.zip": b"PK\3\4" + bytes(30),
    "a.gz": b"\x1f\x8b\x08" + bytes(20),
    "min.bmp": b"BM\x1a\0\0\0\0\0\0\0\x1a\0\0\0\x0c\0\0\0\1\0\1\0\1\0\x18\0",
    "min.hdr": b"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n\0\0\0\0",
    "rgbe.hdr": b"#?RGBE\n\n-Y 1 +X 1\n\0\0\0\0",
    "caf.caf": b"caff\0\1\0\0desc" + bytes(40),
    "empty": b"",
}


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, depth, colour, rows, before=b"", interlace=0):
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlace)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + before
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def pngs(draw):
    """What halo does not write itself: few bits, palettes, interlacing, and all that PNG says beside the
    samples."""
    palette = chunk(b"PLTE", draw.randbytes(48)) + chunk(b"tRNS", draw.randbytes(7))
    said = b"".join(
        [
            chunk(b"gAMA", struct.pack(">I", 45455)),
            chunk(b"cHRM", struct.pack(">8I", *[31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000])),
            chunk(b"sRGB", b"\0"),
            chunk(b"sBIT", b"\5\6\5"),
            chunk(b"cICP", b"\1\x0d\0\1"),
            chunk(b"pHYs", struct.pack(">IIB", 2835, 2835, 1)),
            chunk(b"tEXt", b"Title\0small"),
            chunk(b"zTXt", b"Comment\0\0" + zlib.compress(b"longer " * 9)),
            chunk(b"iTXt", b"Author\0\0\0\0\0Zo\xc3\xab"),
            chunk(b"eXIf", exif(6)),
            chunk(b"tIME", b"\7\xea\1\1\0\0\0"),
            chunk(b"iCCP", b"icc\0\0" + zlib.compress(bytes(128))),
        ]
    )
    return {
        "bits.png": png(13, 9, 1, 0, b"".join(b"\0" + draw.randbytes(2) for _ in range(9))),
        "palette.png": png(13, 9, 4, 3, b"".join(b"\1" + draw.randbytes(7) for _ in range(9)), palette),
        "interlaced.png": png(4, 4, 8, 0, b"".join(b"\0" + draw.randbytes(n) for n in (1, 1, 2, 2, 2, 4, 4)),
            b"", 1),
        "said.png": png(5, 5, 8, 2, b"".join(b"\4" + draw.randbytes(15) for _ in range(5)), said),
        "escapes.png": png(1, 1, 8, 0, b"\0\1", chunk(b"iTXt", b"Title\0\0\0\0\0" + ESCAPES.encode())),
    }


def exif(orientation):
    return b"MM\0*\0\0\0\x08\0\1" + struct.pack(">HHIHH", 0x112, 3, 1, orientation, 0) + b"\0\0\0\0"


def wave(channels, bits, frames, draw, form=1, container=None, title=b"title\0"):
    """`container`: bytes of a sample, where it takes more than its bits."""
    size = channels * (container or bits // 8)
    head = struct.pack("<HHIIHH", form, channels, 8000, 8000 * size, size, bits)
    data = (
        draw.randbytes(frames * size)
        if form == 1
        else struct.pack(f"<{frames * channels}f", *[draw.uniform(-1, 1) for _ in range(frames * channels)])
    )
    body = (
        b"WAVEfmt "
        + struct.pack("<I", len(head))
        + head
        + b"LIST"
        + struct.pack("<I", 12 + len(title))
        + b"INFOINAM"
        + struct.pack("<I", len(title))
        + title
        + b"data"
        + struct.pack("<I", len(data))
        + data
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def make(halo, environment, folder, corpus=None):
    """Fills a folder, and gives the names of what it made there."""
    draw = random.Random(1)
    plain = " ".join(str(draw.randrange(256)) for _ in range(12 * 7))
    first = {
        "gray.pgm": b"P5\n33 20\n255\n" + draw.randbytes(660),
        "rgb.ppm": b"P6 17 19 255\n" + draw.randbytes(969),
        "deep.pgm": b"P5 21 11 65535\n" + draw.randbytes(462),
        "plain.pgm": f"P2\n# so\n12 7 255\n{plain}\n".encode(),
        "bits.pbm": b"P4 13 5\n" + draw.randbytes(10),
        "plain.pbm": b"P1 3 2\n010\n1 1 0\n",
        "rgba.pam": b"P7\nWIDTH 9\nHEIGHT 8\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" +
        draw.randbytes(288),
        "sound.wav": wave(2, 16, 900, draw),
        "deep.wav": wave(1, 24, 500, draw),
        "float.wav": wave(2, 32, 400, draw, 3),
        "padded.wav": wave(2, 24, 300, draw, container=4),
        "escapes.wav": wave(1, 16, 50, draw, title=ESCAPES.encode() + b"\0"),
        "several.ppm": (b"P6 3 3 255\n" + draw.randbytes(27)) * 3,
        **FOREIGN,
        **TABLES,
        **pngs(draw),
        **mp3.make(draw),
    }
    for name, data in first.items():
        (folder / name).write_bytes(data)
    for source, pipeline, to, options in MADE:
        subprocess.run(
            [halo, "run", pipeline, source, "-o", to, "-q", *options],
            cwd=folder,
            env=environment,
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    (folder / "turned.jpg").write_bytes(with_exif((folder / "rgb.jpg").read_bytes()))
    for path in sorted(Path(corpus).rglob("*")) if corpus else []:
        if path.is_file() and path.stat().st_size < 1 << 18:
            (folder / ("corpus-" + path.name)).write_bytes(path.read_bytes())
    return sorted(path.name for path in folder.iterdir())


def with_exif(jpeg):
    body = b"Exif\0\0" + exif(6)
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body + jpeg[2:]
