#!/usr/bin/env python3
"""table.py FILE...: joins rows of peers and of halo (NDJSON, by "work") into rows of the table in docs/performance.md.

Floors come from the ceilings measured in the same run: reading, copying, and fused multiply-adds. The record is the
folder of the last FILE."""
import json
import os
import sys

from works import WORKS


def read(paths):
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows += [json.loads(line) for line in file if line.strip()]
    peers, halo, ceiling = {}, {}, {}
    for row in rows:
        if row.get("work", "").startswith("ceiling "):
            ceiling[row["work"].split()[1]] = (row["flops"] if "flops" in row else row["bytes"]) / row["ms"]
        elif "peer" in row:
            peers.setdefault(row["work"], []).append((row["ms"], row["peer"]))
        elif "work" in row:
            halo[row["work"]] = row["kernel_ms"]
    return peers, halo, ceiling


def goal_ms(work, peers, ceiling):
    """The time that meets the goal; None: no goal, or the peer it names was not there."""
    if work.goal is None:
        return None
    if work.goal.of == "ms":
        return work.goal.least
    if work.goal.of in ("read", "copy", "ffma", "floor"):
        return work.bound_ms(work.goal.of, ceiling) / work.goal.least
    named = [ms for ms, peer in peers if peer.startswith(work.goal.of)]
    return min(named) / work.goal.least if named else None


def line(work, peers, halo, ceiling, record):
    goal = goal_ms(work, peers, ceiling)
    peer_ms, peer = min(peers, default=(None, ""))
    met = "–" if goal is None or not halo else "yes" if halo <= goal else f"no: {goal / halo:.2f} of it"
    return row(work.name, f"{work.goal}: {number(goal)}" if goal else "–", number(work.bound_ms("floor", ceiling)),
               f"{peer} {number(peer_ms)}".strip(), number(halo), met, record)


def row(*cells):
    return "| " + " | ".join(cells) + " |"


def number(ms):
    return "–" if ms is None else f"{ms:.4f}" if ms < 0.1 else f"{ms:.3f}"


def main():
    peers, halo, ceiling = read(sys.argv[1:])
    lacking = {"read", "copy", "ffma"} - ceiling.keys()
    if lacking:
        sys.exit(f"table.py: no ceiling of {', '.join(sorted(lacking))} among the rows")
    print(f"Ceilings of this run: read {ceiling['read'] / 1e6:.0f} GB/s, copy {ceiling['copy'] / 1e6:.0f} GB/s, "
          f"{ceiling['ffma'] / 1e9:.1f} TFLOP/s of fused multiply-adds. Times in ms, medians.\n")
    record = os.path.basename(os.path.dirname(os.path.abspath(sys.argv[-1])))
    print(row("work", "goal", "floor", "best peer", "halo", "met", "record"))
    print("|" + 7 * "---|")
    for work in WORKS:
        print(line(work, peers.get(work.name, []), halo.get(work.name), ceiling, record))
    known = {work.name for work in WORKS}
    for name in (name for name in peers if name not in known):
        for ms, peer in peers[name]:
            print(row(name, "–", "–", f"{peer} {number(ms)}", "–", "–", record))


main()
