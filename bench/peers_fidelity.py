#!/usr/bin/env python3
"""peers_fidelity.py HALO FACTS RESULTS: every operation beside its peers; fails where a difference has no
reason.

FACTS is JSON: date, commit and the peers' versions. A row is one `add` in one of the fidelity_* files."""

import json
import os
import subprocess
import sys
import tempfile

import fidelity_colours
import fidelity_cuts
import fidelity_dynamics
import fidelity_edges
import fidelity_filters
import fidelity_geometry
import fidelity_morphology
import fidelity_pairs
import fidelity_points
import fidelity_purpose
import fidelity_regions
import fidelity_series
import fidelity_sound
import fidelity_whole
import fidelity_windows
from fidelity import Comparison, save
from fidelity_peers import Programs

# What is not compared although a peer has the like.
LEFT_OUT = {
    "scikit-image's `equalize_adapthist` and libvips's `hist_local`": "their tiles, bins and limits differ "
                                                                      "from "
    "`clahe`'s, and neither side has an option for the other's",
    "scikit-image's `denoise_bilateral`": "version 0.19 indexes its table of distance weights with the wrong "
                                          "row length, so "
    "that weights belong to other pixels",
    "ImageMagick's `-motion-blur`": "its weights decrease along the line, those of `motion` are equal",
    "scikit-image's `filters.rank` at the border": "it ignores pixels outside the image, a border rule that "
                                                   "halo does not have",
}


def main():
    halo, facts, results = sys.argv[1:4]
    comparison = Comparison()
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(os.path.abspath(halo), folder)
        for part in (fidelity_filters, fidelity_edges, fidelity_windows, fidelity_points,
                     fidelity_geometry, fidelity_whole, fidelity_sound, fidelity_cuts,
                     fidelity_dynamics, fidelity_series, fidelity_purpose, fidelity_regions,
                     fidelity_morphology, fidelity_colours, fidelity_pairs):
            part.rows(comparison, programs)
    listed = subprocess.run([halo, "list", "ops", "--json"], stdout=subprocess.PIPE,
                            check=True).stdout.splitlines()
    order = [json.loads(line)["name"] for line in listed]
    for rows in comparison.rows, comparison.measures:
        rows.sort(key=lambda row: order.index(row["op"]) if row["op"] in order else len(order))  # commands last
    save(results, json.loads(facts), comparison, LEFT_OUT)

    for op, peer in comparison.skipped.items():
        print(f"{op}: not beside {peer}, which is not here (PEERS_PYTHON names a Python that has it)",
              file=sys.stderr)
    compared = {row["op"] for row in comparison.rows + comparison.measures} | set(comparison.skipped)
    lacking = [op for op in order if op not in compared]
    wrong = comparison.unexplained()
    print(f"{len(comparison.rows + comparison.measures)} comparisons, {len(wrong)} unexplained")
    for row in wrong:
        print(f"unexplained: {row['halo']} beside {row['peer']}, {row['samples']}: {row['reason']}",
              file=sys.stderr)
    if lacking:
        print(f"beside no peer: {', '.join(lacking)}", file=sys.stderr)
    sys.exit(1 if wrong or lacking else 0)


main()
