#!/usr/bin/env python3
"""public_page.py: prints docs/benchmarks.md from bench/results/public.json (bench/public.sh)."""
import json
import textwrap
from pathlib import Path

INTRO = """# Benchmarks that others publish

Made by `bench/public_page.py` from `bench/results/public.json`; not edited by hand. `bench/public.sh` makes
the inputs, installs the peers of PyPI in a virtual environment, and measures all of it anew.

- Whole commands: the wall time from start to end, the median of five turns, all programs in turns, files in
  memory; **memory** is the peak of the process. Python libraries are timed without their imports.
- **apart** is the distance of the output from halo's: the largest difference, and the mean of all, in levels.
  Another kernel, rounding or JPEG decoder makes some, and what lies behind the ends of sound, which halo's FIR
  mirrors; `–` is another size, or nothing to compare.
- halo computes exactly (`--precision exact`, the same bytes on every machine) where nothing else is said.
"""


def table(heads, rows):
    cells = ("| " + " | ".join(row) + " |" for row in rows)
    return ["| " + " | ".join(heads) + " |", "|---" + "|---:" * (len(heads) - 1) + "|", *cells, ""]


def milliseconds(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def apart(row):
    found = row.get("apart")
    if not found:
        return "–"
    if "share" in found:
        return f"{found['most']}; {found['share']:.1%} of samples"
    return f"{found['most']}; {found['mean']:.2g}"


def commands(rows):
    for task in dict.fromkeys(row["task"] for row in rows):
        here = [row for row in rows if row["task"] == task]
        halo = here[0]["ms"]
        yield f"### {task[0].upper()}{task[1:]}\n"
        yield from table(["program", "ms", "times halo's", "memory, MiB", "apart"],
                         ([row["program"], milliseconds(row["ms"]), f"{row['ms'] / halo:.2f}",
                           f"{row['mib']:.0f}", apart(row)] for row in here))


def arrays(rows):
    for threads in dict.fromkeys(row["threads"] for row in rows):
        yield f"### {threads} thread{'s' if threads > 1 else ''}\n"
        here = [row for row in rows if row["threads"] == threads]
        lines = []
        for task in dict.fromkeys(row["task"] for row in here):
            each = {row["program"]: row for row in here if row["task"] == task}
            lines += [[task if name == "halo" else "", name, milliseconds(row["ms"]),
                       f"{row['ms'] / each['halo']['ms']:.2f}", apart(row)] for name, row in each.items()]
        yield from table(["work", "library", "ms", "times halo's", "apart"], lines)


def main():
    record = json.loads((Path(__file__).parent / "results" / "public.json").read_text(encoding="utf-8"))
    head, rows = record["head"], record["rows"]
    peers = ", ".join(f"{name} {version}" for name, version in head["peers"].items())
    measured = f"Measured on {head['date']}: {head['halo']}; {head['machine']}, load {head['load']:g} before; "
    lines = [INTRO, textwrap.fill(f"{measured}{peers}.", 118) + "\n", "## Whole commands\n"]
    lines += commands([row for row in rows if "threads" not in row])
    lines.append("## Arrays in memory, 4096 x 4096 bytes, from Python\n")
    lines += arrays([row for row in rows if "threads" in row])
    print("\n".join(lines).rstrip())


main()
