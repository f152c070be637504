"""MP3, which halo reads and does not write: frames of MPEG layer III (ISO 11172-3, 2.4.1; ISO 13818-3 for the
low sample rates) whose side information is right and whose coded samples are noise, with and without the
headers and tags that encoders put around them."""

import struct

RATES = {3: [44100, 48000, 32000], 2: [22050, 24000, 16000], 0: [11025, 12000, 8000]}  # of MPEG-1, 2 and 2.5
KBITS = {
    True: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    False: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}


# Frames of the streams below: all that are coded, less what LAME's header says is to be cut off.
LENGTHS = {
    "cbr.mp3": 6 * 1152,
    "vbr.mp3": 8 * 1152,
    "xing.mp3": 6 * 1152 - 1576,
    "info.mp3": 6 * 1152 - 1576,
    "low.mp3": 8 * 576 - 1576,
    "lowest.mp3": 8 * 576,
    "tagged.mp3": 5 * 1152,
    "twice.mp3": 12 * 1152,
}


class Bits:
    def __init__(self):
        self.value, self.size = 0, 0

    def put(self, value, size):
        self.value, self.size = self.value << size | value, self.size + size

    def bytes(self):
        return (self.value << -self.size % 8).to_bytes((self.size + 7) // 8, "big")


def side(draw, first, channels, space):
    """Side information for `space` bytes of coded samples, which are shared among granules and channels."""
    bits, granules = Bits(), 2 if first else 1
    bits.put(0, 9 if first else 8)  # main_data_begin
    bits.put(0, {(True, 1): 5, (True, 2): 3, (False, 1): 1, (False, 2): 2}[first, channels])
    if first:
        bits.put(0, 4 * channels)  # scfsi
    for _ in range(granules * channels):
        bits.put(space * 8 // (granules * channels), 12)
        bits.put(draw.randrange(30), 9)  # big_values
        bits.put(draw.randrange(140, 190), 8)  # global_gain
        bits.put(0, 4 if first else 9)  # scalefac_compress
        bits.put(0, 1)  # window_switching_flag
        for _ in range(3):
            bits.put(draw.choice([1, 2, 3, 5, 6]), 5)  # table_select
        bits.put(draw.randrange(8), 4)
        bits.put(draw.randrange(8), 3)
        bits.put(0, 3 if first else 2)  # preflag, scalefac_scale, count1table_select
    return bits.bytes()


def frame(draw, version, rate, kbits, channels, body=None):
    """`body`: what stands behind empty side information, as Xing's header does."""
    first = version == 3
    size = (144 if first else 72) * KBITS[first][kbits] * 1000 // RATES[version][rate]
    head = struct.pack(">HBB", 0xFFE3 | version << 3, kbits << 4 | rate << 2, 0xC4 if channels == 1 else 0x44)
    taken = {(True, 1): 17, (True, 2): 32, (False, 1): 9, (False, 2): 17}[first, channels]
    space = size - 4 - taken
    if body is not None:
        return head + bytes(taken) + body.ljust(space, b"\0")
    coded = min(space, 4095 // 8)
    return head + side(draw, first, channels, coded) + draw.randbytes(space)


def xing(frames, size, kind=b"Xing"):
    """What LAME writes first: the number of frames and bytes, and how many samples are to be cut off at both
    ends."""
    lame = b"LAME3.100" + bytes(12) + (576 << 12 | 1000).to_bytes(3, "big") + bytes(12)
    return kind + struct.pack(">III", 3, frames, size) + lame


def stream(draw, version, rate, channels, frames, kbits=(5,), header=None):
    made = b"".join(frame(draw, version, rate, draw.choice(kbits), channels) for _ in range(frames))
    if header is not None:
        whole = len(frame(draw, version, rate, 7, channels, b"")) + len(made)
        made = frame(draw, version, rate, 7, channels, xing(frames, whole, header)) + made
    return made


def make(draw):
    title = b"ID3\3\0\0\0\0\0\x14TIT2\0\0\0\6\0\0\0title\0\0\0\0"
    plain = stream(draw, 3, 0, 2, 6)
    return {
        "cbr.mp3": plain,
        "twice.mp3": plain * 2,
        "vbr.mp3": stream(draw, 3, 1, 1, 8, (3, 5, 9)),
        "xing.mp3": stream(draw, 3, 0, 2, 6, (5, 9), b"Xing"),
        "info.mp3": stream(draw, 3, 2, 1, 6, (5,), b"Info"),
        "low.mp3": stream(draw, 2, 0, 1, 8, (4,), b"Xing"),
        "lowest.mp3": stream(draw, 0, 2, 2, 8, (4,)),
        "tagged.mp3": title + stream(draw, 3, 0, 1, 5) + b"TAG" + b"title".ljust(125, b"\0"),
        "joined.mp3": stream(draw, 3, 0, 2, 4, (5,), b"Xing") + stream(draw, 3, 0, 2, 4, (5,), b"Xing"),
    }
