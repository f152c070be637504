"""Rows of a comparison: what was measured, the goal, and whether it is met; printed, and kept as NDJSON."""
import json
import os
import re
import statistics

LAYOUT = "{:<38} {:<26} {:>9} {:>9} {:<4} {:>7} {:>6}  {:<4} {:>8} {:>8}"


TURNS = int(os.environ.get("TURNS", "5"))
WORKS = re.compile(os.environ.get("WORKS", ""))


def in_turns(peer, halo):
    """Values of both, A B A B …, so that whatever else the machine does meets both; the first turn warms up."""
    peer(), halo()
    both = [(peer(), halo()) for _ in range(TURNS)]
    return [a for a, _ in both], [b for _, b in both]


class Table:
    """`goal` is the least ratio peer/halo that will do; None: the row is there to be seen. `floor`: no
    program can take less on this machine."""

    def __init__(self, path):
        self.file = open(path, "a", encoding="utf-8")

    def head(self, title):
        print(f"\n{title}")
        print(LAYOUT.format("work", "peer", "peer", "halo", "", "ratio", "goal", "met", "floor", "of it"),
              flush=True)

    def note(self, **facts):
        self.file.write(json.dumps(facts) + "\n")

    def add(self, work, peer, peer_values, halo_values, goal=None, unit="ms", floor=None):
        a, b = statistics.median(peer_values), statistics.median(halo_values)
        ratio = a / b if b > 0 else 0.0
        met = None if goal is None else ratio >= goal
        self.note(type="peer", work=work, peer=peer, unit=unit, peer_value=a, halo_value=b,
                  ratio=round(ratio, 3),
                  goal=goal, met=met, floor=floor, peer_values=peer_values, halo_values=halo_values)
        print(LAYOUT.format(work, peer, f"{a:.2f}", f"{b:.2f}", unit, f"{ratio:.2f}", "" if goal is None
                            else f"{goal:g}",
                            {None: "", True: "yes", False: "NO"}[met],
                            "" if floor is None else f"{floor:.2f}", "" if floor is None
                            else f"{floor / b:.0%}"), flush=True)
