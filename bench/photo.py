#!/usr/bin/env python3
"""photo.py WxH: a PPM on standard output that compresses like a photograph: slopes, edges and a little
noise."""
import random
import sys

width, height = map(int, sys.argv[1].split("x"))
draw = random.Random(3)
noise = bytes(draw.randrange(0, 9) for _ in range(1 << 16))
rows = []
for y in range(height):
    row = bytearray()
    for x in range(width):
        n = noise[(x * 7919 + y * 104729) & 0xFFFF]
        block = 40 if (x // 97 + y // 61) % 5 == 0 else 0
        row += bytes(((x * 160 // width + n + block) & 255, (y * 180 // height + n) & 255,
                      ((x + y) // 16 + block + n) & 255))
    rows.append(bytes(row))
sys.stdout.buffer.write(b"P6 %d %d 255\n" % (width, height) + b"".join(rows))
