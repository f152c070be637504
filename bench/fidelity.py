"""What is compared and how a difference is judged: rows, reasons, and the record they make.

A difference needs a reason, and a reason needs a proof, which is computed: `Asked` repeats the comparison
with one side asked for the other's convention (or where it cannot show, as inside the borders), and the
difference has to go; `Errors` holds both sides against the exact result, in f64, and says how far each is
off. A row without a reason, or with one that does not hold, is unexplained, and the run fails."""

import json
import math
import re
from dataclasses import dataclass

import numpy as np


def unit(values):
    """A level of integers; of floats the unit in the last place of the largest magnitude."""
    if values.dtype.kind in "iub":
        return 1.0
    finite = np.abs(values[np.isfinite(values)])
    return (
        float(np.spacing(finite.max())) if finite.size and finite.max() > 0
        else float(np.spacing(values.dtype.type(1)))
    )


def distance(ours, theirs):
    """Sample for sample, in units of ours; both in f64, which holds every type that is compared."""
    if ours.shape != theirs.shape:
        raise ValueError(f"shapes {ours.shape} and {theirs.shape} do not compare")
    if ours.dtype == theirs.dtype == np.int64:
        return np.abs(ours - theirs).astype(np.float64)
    gap = np.abs(ours.astype(np.float64) - theirs.astype(np.float64)) / unit(ours)
    same = (ours == theirs) | (np.isnan(ours.astype(np.float64)) & np.isnan(theirs.astype(np.float64)))
    return np.where(same, 0.0, np.where(np.isnan(gap), np.inf, gap))


def amount(value, unit=""):
    number = f"{value:.0f}" if value >= 100 or value == int(value) else f"{value:.2g}"
    return f"{number} {unit.removesuffix('s') if number == '1' else unit}".strip()


@dataclass
class Asked:
    """The difference goes, but for `within` units of rounding, when `how`; `ours` and `theirs` were computed
    so."""

    text: str
    how: str
    ours: np.ndarray
    theirs: np.ndarray
    within: float = 0.0

    def proof(self, _row):
        left = distance(self.ours, np.asarray(self.theirs, self.ours.dtype)).max()
        return left <= self.within, {"reason": self.text, "asked": self.how, "left": float(left)}


@dataclass
class Errors:
    """Both are near `exact`: halo as near as sums in f32 of so many `terms` allow, the magnitudes of the
    terms adding up to `magnitude` at most, the peer so or within `allowed` units."""

    text: str
    exact: np.ndarray
    allowed: float = 0.0
    terms: int = 9
    magnitude: float = None

    def proof(self, row):
        step, exact = unit(row.ours), self.exact.astype(np.float64)
        off = [np.nanmax(np.abs(side.astype(np.float64) - exact)) / step for side in (row.ours, row.theirs)]
        largest = np.nanmax(np.abs(exact)) if self.magnitude is None else self.magnitude
        slack = bound(row.ours, self.terms, largest)
        return off[0] <= slack and off[1] <= max(self.allowed, slack), self.errors(off)

    def errors(self, off):
        return {"reason": self.text, "halo_error": float(f"{off[0]:.2g}"), "peer_error": float(f"{off[1]:.2g}")}


@dataclass
class Remade(Errors):
    """And the peer's is, to the bit, its own definition written out, `remade`."""

    remade: np.ndarray = None

    def proof(self, row):
        holds, facts = super().proof(row)
        return holds and np.array_equal(self.remade, row.theirs), facts


@dataclass
class Near(Errors):
    """Halo's definition is near the exact one: its result is within `own` of that, and the peer's within
    `allowed`, as samples count, or so near what is exact by its own definition, `other`."""

    own: float = 0.0
    other: np.ndarray = None

    def proof(self, row):
        step, exact = unit(row.ours), self.exact.astype(np.float64)
        meant = exact, exact if self.other is None else self.other
        off = [np.abs(side.astype(np.float64) - m).max() / step
               for side, m in zip((row.ours, row.theirs), meant)]
        slack = bound(row.ours, self.terms, np.abs(exact).max())
        return off[0] <= slack + self.own / step and off[1] <= slack + self.allowed / step, self.errors(off)


@dataclass
class Cut(Errors):
    """The peer's `wide` result, in levels, is near the exact one; it writes `cut`, that without its
    fraction."""

    wide: np.ndarray = None
    cut: np.ndarray = None

    def proof(self, row):
        exact = self.exact.astype(np.float64)
        off = [np.abs(side - exact).max() for side in (row.ours.astype(np.float64), self.wide)]
        holds = off[0] <= bound(row.ours, self.terms, np.abs(exact).max()) and off[1] <= self.allowed
        return holds and np.array_equal(self.cut, row.theirs), self.errors(off)


def bound(values, terms, magnitude):
    """What a sum in f32 may be off, or in f64 where that is the result, in units of `values`: each term is
    rounded, its coefficient too, integers again."""
    sums = (terms + 2) * (2.0**-53 if values.dtype == np.float64 else 2.0**-24) * magnitude / unit(values)
    return sums + 0.5 if values.dtype.kind in "iu" else sums


def rounding(exact, terms=9, magnitude=None):
    """Both are right: rounded from values next to each other, or, beside a tie, to either side."""
    return Errors("rounding", exact, 0.0, terms, magnitude)


def measure(values):
    return "levels" if values.dtype.kind in "iub" else "ulp"


@dataclass
class Row:
    call: str  # of halo; its first word is the operation
    peer: str  # program or library
    peer_call: str
    samples: str
    ours: np.ndarray
    theirs: np.ndarray
    reason: object = None

    def judge(self):
        # A peer's f64 is rounded to what halo writes, and only there.
        if self.ours.dtype.kind == "f" and self.theirs.dtype != self.ours.dtype:
            self.theirs = self.theirs.astype(self.ours.dtype)
        gaps = distance(self.ours, self.theirs)
        largest, share = float(gaps.max()), float(np.count_nonzero(gaps) / gaps.size)
        explained, facts = True, {}
        if largest > 0:
            explained, facts = self.reason.proof(self) if self.reason else (False,
                                                                            {"reason": "no reason known"})
        return {"op": re.match(r"\w+", self.call)[0], "halo": self.call, "peer": self.peer,
                "call": self.peer_call,
                "samples": self.samples, "largest": largest, "unit": measure(self.ours), "share": share,
                "explained": bool(explained), **facts}


class Comparison:
    """Judges rows as they are made, and keeps what came out."""

    def __init__(self):
        self.rows, self.measures, self.skipped = [], [], {}

    def add(self, *row):
        """Call, peer, its call, samples, ours, theirs (None: that peer is not here), the reason."""
        if row[5] is None:
            self.skipped[re.match(r"\w+", row[0])[0]] = row[1]
            return
        done = Row(*row).judge()
        self.rows.append(done)
        print(f"{done['op']:<12} {done['peer']:<13} {done['samples']:<9} {amount(done['largest']):>9} "
              f"{done['unit']:<6} {done['share']:>7.2%}  {'' if done['explained'] else 'UNEXPLAINED: '}"
              f"{done.get('reason', '')}", flush=True)

    def measure(self, call, peer, peer_call, samples, what, unit, ours, theirs, least, most=math.inf):
        """Beside a peer whose samples mean nothing here: what it is used for; halo's is to be from `least`
        to `most`."""
        done = {"op": re.match(r"\w+", call)[0], "halo": call, "peer": peer, "call": peer_call,
                "samples": samples, "what": what, "unit": unit, "ours": float(f"{ours:.5g}"),
                "theirs": float(f"{theirs:.5g}"), "explained": bool(least <= ours <= most),
                "reason": f"{what}: {ours:.5g} {unit}, to be {least:.5g} to {most:.5g}"}
        self.measures.append(done)
        print(f"{done['op']:<12} {peer:<13} {what}: {ours:.5g} {unit} beside {theirs:.5g}", flush=True)

    def unexplained(self):
        return [row for row in self.rows + self.measures if not row["explained"]]


def save(path, facts, comparison, left_out):
    """`left_out`: what is not compared, and why."""
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"machine": ' + json.dumps(facts) + ',\n "left_out": ' + json.dumps(left_out))
        for name, rows in ("rows", comparison.rows), ("measures", comparison.measures):
            file.write(f',\n "{name}": [\n')
            file.write(",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows) + "\n]")
        file.write("}\n")
