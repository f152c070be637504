"""campaign.py HALO FOLDER MINUTES SEED [PART…]: see ../campaign.sh. A case is drawn from the seed, its part and
its number, so the same seed draws the same cases; only when signals arrive is up to the clock."""

import os
import random
import shutil
import sys
import threading
import time
import traceback
from pathlib import Path

import seeds
from commands import Commands
from failures import Failures
from inputs import Inputs, Texts
from judge import Judge
from known import Known
from paths import Paths
from signals import Signals

PARTS = {
    "inputs": (Inputs, 0.3),
    "texts": (Texts, 0.1),
    "commands": (Commands, 0.2),
    "paths": (Paths, 0.06),
    "known": (Known, 0.06),
    "failures": (Failures, 0.2),
    "signals": (Signals, 0.08),
}


def work_on(part, name, seed, until, counter, judge):
    while time.monotonic() < until:
        with judge.lock:
            number = counter[name] = counter.get(name, 0) + 1
        folder = judge.work / "cases" / f"{name}-{number}"
        folder.mkdir(parents=True)
        try:
            part.case(random.Random(f"{seed} {name} {number}"), folder)
        except Exception:  # of the campaign itself
            traceback.print_exc()
            os._exit(2)
        shutil.rmtree(folder)


def main():
    halo, work, minutes, seed = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    faults = Path(os.environ.get("CAMPAIGN_FAULTS", f"campaign-{seed}")).resolve()
    judge = Judge(halo, work, faults)
    files = work / "seeds"
    files.mkdir()
    made = seeds.make(halo, judge.environment, files, os.environ.get("CAMPAIGN_CORPUS"))
    names = sys.argv[5:] or list(PARTS)
    begun, counter, whole = time.monotonic(), {}, sum(PARTS[name][1] for name in names)
    print(f"{len(made)} seeds, seed {seed}, {minutes:g} minutes, {os.cpu_count()} at a time", flush=True)
    end = begun
    for name in names:
        end += minutes * 60 * PARTS[name][1] / whole
        part = PARTS[name][0](judge, files)
        threads = [
            threading.Thread(target=work_on, args=(part, name, seed, end, counter, judge))
            for _ in range(os.cpu_count())
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if judge.formats:
        print("inputs: " + ", ".join(f"{judge.formats[name]} {name}" for name in sorted(judge.formats)))
    said = ", ".join(f"{counter.get(name, 0)} {name}" for name in names)
    print(f"{said}: {judge.found} faults; {judge.theirs} crashes in libraries without memory")
    sys.exit(judge.found > 0)


main()
