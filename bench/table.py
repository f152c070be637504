#!/usr/bin/env python3
"""table.py FILE...: joins rows of peers and of halo (NDJSON, by "work") into the table of docs/performance.md.

Floors come from the ceilings measured in the same run: reading, copying, and fused multiply-adds."""
import json
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


def line(work, peers, halo, ceiling):
    floor, goal = work.bound_ms("floor", ceiling), goal_ms(work, peers, ceiling)
    peer_ms, peer = min(peers, default=(None, "–"))
    cells = [work.name, str(work.goal or "–"), number(goal), number(floor), peer, number(peer_ms), number(halo)]
    cells.append(f"{floor / halo:.2f}" if halo else "–")
    cells.append(f"{peer_ms / halo:.2f}" if halo and peer_ms else "–")
    cells.append("–" if goal is None or not halo else "yes" if halo <= goal else f"no: {goal / halo:.2f} of it")
    return cells


def number(ms):
    return "–" if ms is None else f"{ms:.4f}" if ms < 0.1 else f"{ms:.3f}"


def main():
    peers, halo, ceiling = read(sys.argv[1:])
    lacking = {"read", "copy", "ffma"} - ceiling.keys()
    if lacking:
        sys.exit(f"table.py: no ceiling of {', '.join(sorted(lacking))} among the rows")
    print(f"Ceilings of this run: read {ceiling['read'] / 1e6:.0f} GB/s, copy {ceiling['copy'] / 1e6:.0f} GB/s, "
          f"{ceiling['ffma'] / 1e9:.1f} TFLOP/s of fused multiply-adds. Times in ms, medians.\n")
    print("| work | goal | goal ms | floor | best peer | peer ms | halo ms | of floor | ratio | met |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for work in WORKS:
        print("| " + " | ".join(line(work, peers.get(work.name, []), halo.get(work.name), ceiling)) + " |")
    known = {work.name for work in WORKS}
    for name in (name for name in peers if name not in known):
        for ms, peer in peers[name]:
            print(f"| {name} | – | – | – | {peer} | {number(ms)} | – | – | – | – |")


main()
