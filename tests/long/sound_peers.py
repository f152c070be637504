#!/usr/bin/env python3
"""Compares decoded sound with FFmpeg's: MP3, Ogg, Opus, FLAC and AIFF of many encoders and settings, with and
without headers and tags, joined, and cut off at twenty places. Lengths must be equal, and samples within the
codec's tolerance.

sound_peers.py HALO      takes some minutes; needs numpy, ffmpeg, lame, flac, sox, oggenc and opusenc

Of joined MP3 files each part must give what FFmpeg makes of it alone: FFmpeg itself plays the header of the
second part as a frame of silence, with what encoders put between the parts, and loses a frame behind each tag.
At 24 kHz the peer is LAME's decoder: FFmpeg 5.1 differs from LAME and mpg123 there, and is farther from what
was encoded. An Ogg that is cut within a page ends with the page before, and one without a whole page of sound
is refused."""
import os
import subprocess
import sys
import tempfile

import numpy as np

FRAME = 1152
failures, cases = [], 0


def run(*command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, check=True, **options).stdout


def ffmpeg(path, channels, decoder=()):
    """What FFmpeg makes of a file, damaged or not."""
    out = subprocess.run(["ffmpeg", "-v", "quiet", *decoder, "-i", path, "-c:a", "pcm_f32le", "-f", "f32le",
        "-"],
                         capture_output=True).stdout
    return np.frombuffer(out, "<f4").reshape(-1, channels)


def halo(path, channels, *options):
    """What halo makes of it; a text where it refuses."""
    out = subprocess.run([HALO, "run", "", path, "-o", "-", "--to", "npy", *options],
                         capture_output=True)
    if out.returncode != 0:
        return out.stderr.decode().strip()
    head = 10 + int.from_bytes(out.stdout[8:10], "little")
    return np.frombuffer(out.stdout[head:], "<f4").reshape(-1, channels)


def compare(name, ours, theirs, most, but=0, shorter=0):
    """`most`: how far samples may lie apart; `but`: so many at the end are not compared; `shorter`: so many may
    be missing."""
    global cases
    cases += 1
    wrong = None
    if isinstance(ours, str):
        wrong = ours if len(theirs) > shorter else None
    elif 0 < len(theirs) - len(ours) <= shorter:
        compare(name, ours, theirs[:len(ours)], most, but)
    elif len(ours) != len(theirs):
        wrong = f"{len(ours)} frames, FFmpeg {len(theirs)}"
    elif len(ours) > but:
        apart = np.abs(ours[:len(ours) - but] - theirs[:len(ours) - but]).max()
        if not apart <= most:
            wrong = f"{apart:.2g} apart"
    if wrong:
        failures.append(name)
        print(f"{name}: {wrong}", flush=True)


def source(rate, channels, seconds=1.3):
    """A tone that rises, another one, and noise."""
    path = f"source-{rate}-{channels}-{seconds}.wav"
    if not os.path.exists(path):
        count = int(rate * seconds)
        t = np.arange(count) / rate
        noise = np.random.default_rng(1).normal(0, 0.05, (count, channels))
        tones = [0.3 * np.sin(2 * np.pi * (200 + 300 * c + rate / 12 * t) * t) for c in range(channels)]
        samples = np.clip(np.stack(tones, 1) + noise, -1, 1)
        open("samples", "wb").write((samples * 32767).astype("<i2").tobytes())
        run("ffmpeg", "-v", "error", "-f", "s16le", "-ar", rate, "-ac", channels, "-i", "samples", path)
    return path


def cut(name, path, channels, most, but=0, decoder=(), head=1000, shorter=0):
    """Twenty beginnings of a file: refused or whole without --tolerate, and with it as long as for FFmpeg."""
    whole = open(path, "rb").read()
    part = "cut" + os.path.splitext(path)[1]
    for i in range(20):
        size = head + (len(whole) - head) * (i + 1) // 21 + i
        open(part, "wb").write(whole[:size])
        theirs = ffmpeg(part, channels, decoder)
        compare(f"{name} cut at {size} of {len(whole)}", halo(part, channels, "--tolerate"), theirs, most, but,
            shorter)
        strict = halo(part, channels)
        if not isinstance(strict, str):
            compare(f"{name} cut at {size}, not tolerated", strict, theirs, most)


def id3v1():
    return b"TAG" + b"Song".ljust(30, b"\0") + b"Artist".ljust(30, b"\0") + bytes(64) + b"\x11"


def ape():
    item = (4).to_bytes(4, "little") + bytes(4) + b"Title\0Song"

    def end(flags):
        return (b"APETAGEX" + (2000).to_bytes(4, "little") + (len(item) + 32).to_bytes(4, "little")
                + (1).to_bytes(4, "little") + flags.to_bytes(4, "little") + bytes(8))
    return end(0xa0000000) + item + end(0x80000000)


def joined(paths, channels):
    open("joined.mp3", "wb").write(b"".join(open(path, "rb").read() for path in paths))
    ours, parts = halo("joined.mp3", channels), [ffmpeg(path, channels) for path in paths]
    name, start = "joined " + " ".join(paths), 0
    compare(name, ours, np.concatenate(parts), 2) # in length
    for path, part in zip(paths, parts):
        # a part without a header begins with the filters in the state of the previous one
        if not isinstance(ours, str):
            compare(f"{name}: {path}", ours[start + 2 * FRAME:start + len(part)], part[2 * FRAME:], 1e-4)
        start += len(part)


def mp3():
    rates = {1: (32000, 44100, 48000), 2: (16000, 22050, 24000), 2.5: (8000, 11025, 12000)}
    bits = {1: (32, 64, 128, 192, 320), 2: (8, 32, 64, 160), 2.5: (8, 24, 64)}
    for version, some in rates.items():
        for rate in some:
            ways = [("-b", b) for b in bits[version]] + [("-V", 0), ("-V", 4), ("-V", 9.5),
                ("--abr", bits[version][2])]
            for mode in "m", "s", "j":
                channels = 1 if mode == "m" else 2
                for header in "", "-t":
                    for way in ways:
                        name = f"lame {rate} -m {mode} {header} {' '.join(map(str, way))}"
                        run("lame", "--quiet", "--resample", rate / 1000, "-m", mode, *header.split(), *way,
                            source(rate, channels), "a.mp3")
                        ours = halo("a.mp3", channels)
                        compare(name, ours, ffmpeg("a.mp3", channels), 2 if rate == 24000 else 1e-4)
                        # without a header LAME begins later
                        if rate == 24000 and not isinstance(ours, str):
                            run("lame", "--quiet", "--decode", "a.mp3", "lame.wav")
                            theirs = ffmpeg("lame.wav", channels)
                            compare(name + ", LAME", ours[len(ours) - len(theirs):], theirs, 1e-4)
    for channels in 1, 2:
        for way in ("-b:a", "96k"), ("-q:a", "3"), ("-abr", "1", "-b:a", "128k"):
            for header in "0", "1":
                for tags in (("-id3v2_version", "3"), ("-id3v2_version", "4", "-write_id3v1", "1"),
                             ("-id3v2_version", "0")):
                    run("ffmpeg", "-y", "-v", "error", "-i", source(44100, channels), "-metadata", "title=Song",
                        *way,
                        "-write_xing", header, *tags, "a.mp3")
                    name = f"ffmpeg {channels} {' '.join(way + tags)} xing {header}"
                    compare(name, halo("a.mp3", channels), ffmpeg("a.mp3", channels), 1e-4)
    parts = []
    for number, (seconds,
        options) in enumerate([(1.3, "-V 4"), (0.7, "-b 128"), (0.9, "-V 2 -t"), (1.3, "-b 96 -t")]):
        plain = f"part{number}.mp3"
        run("lame", "--quiet", "--resample", "44.1", *options.split(), source(44100, 2, seconds), plain)
        parts.append(plain)
        frames = open(plain, "rb").read()
        for what, before, behind in (("id3v1", b"", id3v1()), ("ape", b"", ape()),
                                     ("both", b"", ape() + id3v1()),
                                     ("ape in front", ape(), b""), ("zeros behind", b"", bytes(3000))):
            open("a.mp3", "wb").write(before + frames + behind)
            compare(f"lame {options} {what}", halo("a.mp3", 2), ffmpeg(plain, 2), 1e-4)
        tagged = f"tagged{number}.mp3"
        run("lame", "--quiet", "--resample", "44.1", *options.split(), "--add-id3v2", "--tt", "Song",
            source(44100, 2, seconds), tagged)
        compare(f"lame {options} tagged", halo(tagged, 2), ffmpeg(tagged, 2), 1e-4)
        parts.append(tagged)
        cut(f"lame {options}", plain, 2, 1e-4, 2 * FRAME, head=1700)
        cut(f"lame {options} tagged", tagged, 2, 1e-4, 2 * FRAME, head=2500)
    for first in parts:
        for second in parts:
            joined([first, second], 2)
    joined(parts, 2)


def others():
    for rate in 44100, 48000, 22050:
        for channels in 1, 2:
            path = source(rate, channels)
            for quality in -1, 3, 8:
                run("oggenc", "-Q", "-q", quality, path, "-o", "a.ogg")
                compare(f"oggenc {rate} {channels} {quality}", halo("a.ogg", channels),
                    ffmpeg("a.ogg", channels), 1e-4)
            run("ffmpeg", "-y", "-v", "error", "-i", path, "-c:a", "libvorbis", "-q:a", "4", "a.ogg")
            compare(f"libvorbis {rate} {channels}", halo("a.ogg", channels), ffmpeg("a.ogg", channels), 1e-4)
            for level in 0, 5, 8:
                run("flac", "-f", "-s", f"-{level}", path, "-o", "a.flac")
                compare(f"flac {rate} {channels} {level}", halo("a.flac", channels), ffmpeg("a.flac", channels),
                    0)
            for codec, suffix in (("flac", "flac"), ("pcm_s16be", "aiff"), ("pcm_s24be", "aiff"),
                ("pcm_f32be", "aiff"),
                                  ("pcm_s8", "aiff"), ("pcm_s16be", "au"), ("pcm_mulaw", "au")):
                run("ffmpeg", "-y", "-v", "error", "-i", path, "-c:a", codec, "a." + suffix)
                compare(f"ffmpeg {codec} {suffix} {rate} {channels}", halo("a." + suffix, channels),
                        ffmpeg("a." + suffix, channels), 0)
            run("sox", path, "a.aiff")
            compare(f"sox aiff {rate} {channels}", halo("a.aiff", channels), ffmpeg("a.aiff", channels), 0)
    for channels in 1, 2:
        for bits in 16, 64, 160:
            opus = ["-c:a", "libopus"]
            run("opusenc", "--quiet", "--bitrate", bits, source(48000, channels), "a.opus")
            compare(f"opusenc {channels} {bits}", halo("a.opus", channels), ffmpeg("a.opus", channels, opus),
                1e-4)
            run("ffmpeg", "-y", "-v", "error", "-i", source(48000, channels), *opus, "-b:a", f"{bits}k",
                "a.opus")
            compare(f"libopus {channels} {bits}", halo("a.opus", channels), ffmpeg("a.opus", channels, opus),
                1e-4)
    long = source(48000, 2, 6)
    run("flac", "-f", "-s", long, "-o", "a.flac")
    cut("flac", "a.flac", 2, 0)
    run("sox", long, "a.aiff")
    cut("aiff", "a.aiff", 2, 0)
    run("oggenc", "-Q", long, "-o", "a.ogg")
    cut("ogg", "a.ogg", 2, 1e-4, shorter=50000, head=5000)
    run("opusenc", "--quiet", long, "a.opus")
    cut("opus", "a.opus", 2, 1e-4, decoder=opus, shorter=50000)


if len(sys.argv) != 2:
    sys.exit(__doc__)
HALO = os.path.realpath(sys.argv[1])
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    mp3()
    others()
    os.chdir("/")
print(f"{cases} comparisons, {len(failures)} failures")
sys.exit(bool(failures))
