#!/usr/bin/env python3
"""fidelity_page.py: prints docs/fidelity.md from bench/results/fidelity.json (bench/peers_fidelity.sh)."""
import json
import textwrap
from pathlib import Path

INTRO = """# Results beside other tools

Made by `bench/fidelity_page.py` from `bench/results/fidelity.json`; not edited by hand.
`bench/peers_fidelity.sh` measures it anew, and fails where a difference has no reason.

Every operation runs on the same samples as the programs and libraries that people compare it with. Integers
differ by levels, floats by units in the last place (ulp) of the largest value in the result.
"""

IDENTICAL = """
## Identical results

Every sample is the same.
"""

DIFFERENT = """
## Results that differ

- **largest** is the largest difference, in the unit of the row; **share** is the part of the samples that
  differ.
- **halo's error** and **peer's error** are the largest distances from the same definition computed in higher
  precision (f64; statistics in 80 bits), in the same unit. Half a level is the error of correct rounding.
- **left** is the difference that remains, by rounding, when one side uses the convention of the other.
- **cause** is one of: rounding (both results are correctly rounded or nearly so), precision (one side computes
  with fewer bits), border (another default border), definition (the operations are not the same), fault (a
  known bug of the peer). **note** is the explanation below the table.
"""


MEASURED = """
## Measured by what they are used for

Repair, changes of tempo and dither choose their own samples, so that no two programs write the same. The same
inputs go through both, the delay of the peer is removed, and what users want from them is measured.
"""


def amount(value):
    return "–" if value is None else f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"


def share(value):
    return f"{value:.2g}" if value < 1e-3 else f"{value:.1%}"


def table(heads, rows):
    cells = ("| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows)
    return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads), *cells]


def cause(reason):
    """Of several causes the one that makes more difference."""
    for word in "fault", "definition", "border", "precision":
        if word + ":" in reason or f"{word}, " in reason:
            return word
    return "rounding"


def explanation(row):
    """None: rounding needs no explanation."""
    reason = row["reason"]
    if "asked" in row:
        reason += f". Compared again {row['asked']}"
    return None if reason.startswith("rounding") and ":" not in reason else reason


def measured(rows):
    return table(("halo", "peer", "call", "measure", "halo's", "peer's"), (
        (f"`{row['halo']}`", row["peer"], f"`{row['call']}`", row["what"],
         f"{row['ours']:.4g} {row['unit']}".strip(), f"{row['theirs']:.4g} {row['unit']}".strip())
        for row in rows))


def summary(rows):
    peers = {}
    for row in rows:
        kinds = "same", "rounding", "precision", "border", "definition", "fault"
        counts = peers.setdefault(row["peer"], dict.fromkeys(kinds, 0))
        counts["same" if row["largest"] == 0 else cause(row["reason"])] += 1
    heads = "peer", "comparisons", "identical", "rounding", "precision", "border", "definition", \
        "fault of the peer"
    return table(heads, (
        (peer, sum(counts.values()), *counts.values()) for peer, counts in sorted(peers.items())))


def identical(rows):
    """One line a call, with the types of samples."""
    calls = {}
    for row in rows:
        if row["largest"] == 0:
            calls.setdefault((row["halo"], row["peer"], row["call"]), []).append(row["samples"])
    return table(("halo", "peer", "call", "samples"), (
        (f"`{halo}`", peer, f"`{call}`", ", ".join(samples)) for (halo, peer, call), samples in calls.items()))


def different(rows):
    notes, cells = {}, []
    for row in rows:
        if row["largest"] == 0:
            continue
        text = explanation(row)
        note = "–" if text is None else notes.setdefault(text, len(notes) + 1)
        cells.append((f"`{row['halo']}`", row["peer"], f"`{row['call']}`", row["samples"],
                      amount(row["largest"]), row["unit"], share(row["share"]), amount(row.get("halo_error")),
                      amount(row.get("peer_error")), amount(row.get("left")),
                      cause(row["reason"]) if row["explained"] else "**unexplained**", note))
    heads = ("halo", "peer", "call", "samples", "largest", "unit", "share", "halo's error", "peer's error",
             "left", "cause", "note")
    return [*table(heads, cells), "", "Notes:", "",
            *(textwrap.fill(f"{number}. {text}.", 118, subsequent_indent="   ")
              for text, number in notes.items())]


def main():
    record = json.loads((Path(__file__).parent / "results/fidelity.json").read_text(encoding="utf-8"))
    facts, rows = record["machine"], record["rows"]
    versions = ", ".join(f"{name} {version}" for name, version in facts["peers"].items())
    lines = [INTRO, textwrap.fill(f"halo at commit {facts['commit']}, {facts['date']}; {versions}.", 118), "",
             *summary(rows), IDENTICAL, *identical(rows), DIFFERENT, *different(rows), MEASURED,
             *measured(record["measures"]), "", "## Not compared", "",
             *(textwrap.fill(f"- {what}: {why}.", 118, subsequent_indent="  ")
               for what, why in record["left_out"].items())]
    print("\n".join(lines))


main()
