#!/usr/bin/env python3
"""public_record.py ROWS RESULTS LOAD VERSION: the rows of public.py and public_arrays.py, and the versions and
the machine, as one JSON file."""
import datetime
import importlib.metadata
import json
import os
import re
import subprocess
import sys
from pathlib import Path

PACKAGES = {"libvips": "pyvips-binary", "Pillow": "pillow", "OpenCV": "opencv-python-headless",
            "SciPy": "scipy"}
PROGRAMS = {"ImageMagick": ["convert", "--version"], "SoX": ["sox", "--version"],
            "FFmpeg": ["ffmpeg", "-version"]}


def main():
    rows, results, load, version = sys.argv[1:]
    peers = {name: importlib.metadata.version(package) for name, package in PACKAGES.items()}
    for name, argv in PROGRAMS.items():
        said = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        peers[name] = re.search(r"\d+[0-9.-]*\d", said)[0]
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))[1]
    head = {"halo": version, "peers": peers, "machine": f"{processor}, {os.cpu_count()} cores",
            "load": float(load), "date": f"{datetime.date.today()}"}
    lines = Path(rows).read_text(encoding="utf-8").splitlines()
    text = '{"head": ' + json.dumps(head) + ',\n "rows": [\n  ' + ",\n  ".join(lines) + "\n]}\n"
    Path(results).write_text(text, encoding="utf-8")


main()
