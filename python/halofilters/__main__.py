"""Runs the `halo` program that comes with the package: `halo …`, `python -m halofilters …`."""

import os
import sys
from pathlib import Path


def main():
    path = os.environ.get("HALO_PROGRAM") or str(Path(__file__).with_name("bin") / "halo")
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"halo: {path}: {error.strerror}")


if __name__ == "__main__":
    main()
