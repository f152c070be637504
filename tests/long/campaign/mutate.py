"""Damages bytes at random."""

import copy
import json
import struct
import zlib

NUMBERS = [
    0,
    1,
    2,
    3,
    7,
    8,
    15,
    16,
    255,
    256,
    65535,
    65536,
    1 << 20,
    (1 << 24) - 1,
    1 << 28,
    (1 << 31) - 1,
    1 << 31,
    (1 << 32) - 1,
]
WORDS = [
    b"\0",
    b"\xff",
    b"-1",
    b"1e400",
    b"nan",
    b"-inf",
    b"99999999999999999999",
    b"0x10",
    b"\n",
    b"\r\n",
    b" ",
    b"\t",
    b"null",
    b"{}",
    b"[]",
    b'"',
    b"\\u0000",
    b",",
    b";",
    b"1,5",
    b"\xc3",
    b"\xed\xa0\x80",
    b"#",
    b"%s%n",
    b"../",
    b"/dev/null",
    b"-",
    b"--",
    b"1e-400",
]


def flip(draw, data):
    at = draw.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << draw.randrange(8)]) + data[at + 1 :]


def byte(draw, data):
    at = draw.randrange(len(data))
    return data[:at] + bytes([draw.choice([0, 1, 127, 128, 254, 255, draw.randrange(256)])]) + data[at + 1 :]


def number(draw, data):
    kind = draw.choice(["<I", ">I", "<H", ">H", "<Q", ">Q"])
    value = draw.choice(NUMBERS) + draw.choice([-1, 0, 0, 1])
    value &= (1 << 8 * struct.calcsize(kind)) - 1
    at = draw.randrange(len(data))
    return data[:at] + struct.pack(kind, value) + data[at + struct.calcsize(kind) :]


def word(draw, data):
    at = draw.randrange(len(data))
    return data[:at] + draw.choice(WORDS) + data[at + draw.randrange(4) :]


def cut(draw, data):
    return data[: draw.randrange(len(data))]


def remove(draw, data):
    at = draw.randrange(len(data))
    return data[:at] + data[at + draw.randrange(1, 1 + min(64, len(data))) :]


def repeat(draw, data):
    at, size = draw.randrange(len(data)), draw.randrange(1, 200)
    return data[:at] + data[at : at + size] * draw.choice([2, 2, 3, 50, 500]) + data[at + size :]


def append(draw, data):
    return data + draw.choice([draw.randbytes(draw.randrange(64)), data])


# Where files of a format state their length: how they begin, what precedes the number, how far away it is, and
# its type.
CLAIMS = [
    (b"fLaC", b"fLaC", 18, ">I"),
    (b"RIFF", b"data", 0, "<I"),
    (b"RIFF", b"fmt ", 6, "<H"),
    (b"RIFF", b"fmt ", 16, "<H"),
    (b"RF64", b"ds64", 12, "<Q"),
    (b"riff", b"data", 12, "<Q"),
    (b"FORM", b"COMM", 6, ">I"),
    (b"FORM", b"SSND", 0, ">I"),
    (b".snd", b".snd", 4, ">I"),
    (b"\xff", b"Xing", 4, ">I"),
    (b"\xff", b"Info", 4, ">I"),
    (b"OggS", b"OggS", 2, "<Q"),
    (b"\x89PNG", b"IHDR", 0, ">I"),
    (b"\x89PNG", b"IHDR", 4, ">I"),
    (b"\xff\xd8", b"\xff\xc0", 3, ">H"),
    (b"\xff\xd8", b"\xff\xc0", 5, ">H"),
]


def claim(draw, data):
    """A header that says another number of samples than there are."""
    here = [field for field in CLAIMS if data.startswith(field[0]) and field[1] in data]
    places = [(data.rfind(mark) + len(mark) + at, kind) for _, mark, at, kind in here]
    places = [(at, kind) for at, kind in places if at <= len(data) - struct.calcsize(kind)]
    if not places:
        return number(draw, data)
    at, kind = draw.choice(places)
    value = (draw.choice(NUMBERS) << draw.choice([0, 0, 4, 32])) & ((1 << 8 * struct.calcsize(kind)) - 1)
    return data[:at] + struct.pack(kind, value) + data[at + struct.calcsize(kind) :]


WAYS = [claim, flip, byte, byte, number, number, number, word, cut, remove, repeat, append]


def ogg_sum(page):
    """RFC 3533: CRC-32 without reflection, of a page whose own sum is 0."""
    value = 0
    for byte_there in page:
        value = value << 8 & 0xFFFFFFFF ^ OGG_TABLE[value >> 24 ^ byte_there]
    return value


def ogg_entry(i):
    value = i << 24
    for _ in range(8):
        value = (value << 1 ^ (0x04C11DB7 if value >> 31 else 0)) & 0xFFFFFFFF
    return value


OGG_TABLE = [ogg_entry(i) for i in range(256)]


def checked_ogg(data):
    at, out = 0, []
    while data[at : at + 4] == b"OggS" and at + 27 <= len(data):
        table = data[at + 27 : at + 27 + data[at + 26]]
        size = 27 + len(table) + sum(table)
        page = data[at : at + 22] + bytes(4) + data[at + 26 : at + size]
        out.append(page[:22] + struct.pack("<I", ogg_sum(page)) + page[26:])
        at += size
    return b"".join(out) + data[at:]


def checked_png(data):
    at, out = 8, [data[:8]]
    while at + 12 <= len(data):
        size = struct.unpack(">I", data[at : at + 4])[0]
        if at + 12 + size > len(data):
            break
        body = data[at + 4 : at + 8 + size]
        out.append(data[at : at + 4] + body + struct.pack(">I", zlib.crc32(body)))
        at += 12 + size
    return b"".join(out) + data[at:]


def checked(data):
    """A file whose chunks or pages have the right sums again, so that what is in them gets read."""
    if data[:8] == b"\x89PNG\r\n\x1a\n":
        return checked_png(data)
    return checked_ogg(data) if data[:4] == b"OggS" else data


def damaged(draw, data, other=b""):
    for _ in range(draw.choice([1, 1, 1, 2, 3, 6])):
        if data:
            data = draw.choice(WAYS)(draw, data)
    if other and draw.random() < 0.05:
        data = data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other)) :]
    return checked(data) if draw.random() < 0.7 else data


VALUES = [
    None,
    True,
    0,
    1,
    -1,
    1.5,
    1e308,
    2**31,
    2**63,
    2**64,
    2**128,
    "",
    "x",
    "nan",
    [],
    {},
    [[]],
    [None],
    {"x": 1},
]


def places(value):
    """Every member and item below a value of JSON, as the container and its key."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [place for key in keys for place in [(value, key), *places(value[key])]]


def mistyped(draw, lines):
    """Lines of JSON of which a member has another value, or is missing."""
    records = [json.loads(line) for line in lines.splitlines()]
    for _ in range(draw.choice([1, 1, 2, 4])):
        last = draw.random() < 0.8  # it says most
        container, key = draw.choice([place for record in records[-last:] for place in places(record)])
        if isinstance(container, dict) and draw.random() < 0.3:
            container.pop(key, None)
        elif isinstance(container, dict) or key < len(container):
            container[key] = copy.deepcopy(draw.choice(VALUES)) if draw.random() < 0.6 else None
    return b"".join(json.dumps(record, separators=(",", ":")).encode() + b"\n" for record in records)
