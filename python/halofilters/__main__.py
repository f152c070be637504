"""Runs the `halo` program that comes with the package: `halo …`, `python -m halofilters …`."""

import os
import sys


def main():
    path = os.environ.get("HALO_PROGRAM") or os.path.join(os.path.dirname(__file__), "bin", "halo")
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"halo: {path}: {error.strerror}")


if __name__ == "__main__":
    main()
