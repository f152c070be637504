#!/usr/bin/env python3
"""record.py FOLDER RECORD [--commit ID] [--date DAY]: takes the outputs in FOLDER into the machine's RECORD.

FOLDER holds the outputs of bench/gpu.sh, peers_cpu.sh (cpu.json), beside.sh (beside.json), growth.sh
(growth.json) and team.sh (team.txt); each is optional, and replaces its group. RECORD is a file such as
bench/results/h200.json. The commit and the day come from device.txt or cpu.json where they are not given."""
import argparse
import datetime
import re
import sys
from pathlib import Path

from records import load, read_lines, replace, save
from works import WORKS

TYPE = re.compile(r"\b(u8|u16|f32|RGB8|RGBA8)\b")
SIZE = re.compile(r"\b(\d{3,}x\d{3,}|2\^\d+( pixels)?)")


def split(name):
    """"dense f32 8192x8192 k=3" is the work "dense k=3" of f32, 8192x8192."""
    kind, size = TYPE.search(name), SIZE.search(name)
    for found in kind, size:
        name = name.replace(found[0], "", 1) if found else name
    return {"work": re.sub(r" +", " ", name).replace(" ,", ",").strip(), "type": kind and kind[0],
            "size": size and size[0]}


def goal_ms(work, peers, ceiling):
    """The time that meets the goal; None: no goal, or the peer that it names is missing."""
    if work.goal is None:
        return None
    if work.goal.of == "ms":
        return work.goal.least
    if work.goal.of in ("read", "copy", "ffma", "floor"):
        return work.bound_ms(work.goal.of, ceiling) / work.goal.least
    named = [ms for ms, peer in peers if peer.startswith(work.goal.of)]
    return min(named) / work.goal.least if named else None


def gpu_kernels(peer_rows, halo_ms):
    """Joins peers and halo by the name of the work; floors come from the ceilings of the same run."""
    peers, ceiling = {}, {}
    for row in peer_rows:
        if row["work"].startswith("ceiling "):
            ceiling[row["work"].split()[1]] = (row["flops"] if "flops" in row else row["bytes"]) / row["ms"]
        else:
            peers.setdefault(row["work"], []).append((row["ms"], row["peer"]))
    lacking = {"read", "copy", "ffma"} - ceiling.keys()
    if lacking:
        sys.exit(f"record.py: peers.json has no ceiling of {', '.join(sorted(lacking))}")
    rows = []
    for work in WORKS:
        if work.name in halo_ms:
            beside = peers.get(work.name, [])
            best, peer = min(beside, default=(None, None))
            rows.append({**split(work.name), "floor_ms": work.bound_ms("floor", ceiling),
                         "goal_ms": goal_ms(work, beside, ceiling), "halo_ms": halo_ms[work.name],
                         "peer": peer, "peer_ms": best})
    return {"read_gbs": round(ceiling["read"] / 1e6), "copy_gbs": round(ceiling["copy"] / 1e6),
            "fma_gflops": round(ceiling["ffma"] / 1e6)}, rows


def cpu_groups(lines):
    """Kernels, and whole commands with their memory and the size of what they write."""
    kernels, commands = [], {}
    for row in lines:
        if row["type"] != "peer":
            continue
        goal = row["peer_value"] / row["goal"] if row["goal"] else None
        work, _, what = row["work"].rpartition(", ")
        if row["floor"] is not None:
            kernels.append({**split(row["work"]), "size": "4096x4096", "floor_ms": row["floor"],
                            "goal_ms": goal, "halo_ms": row["halo_value"], "peer": row["peer"],
                            "peer_ms": row["peer_value"]})
        elif what == "memory":
            commands[work, row["peer"]] |= {"halo_mib": row["halo_value"], "peer_mib": row["peer_value"]}
        elif what == "size":
            commands[work, row["peer"]] |= {side + "_mb": row[side + "_value"] * 1024 / 1e6
                                            for side in ("halo", "peer")}
        else:
            limit = row["peer"] == "(limit)"
            commands[row["work"], row["peer"]] = {
                "work": row["work"], "goal_ms": goal, "halo_ms": row["halo_value"],
                "peer": None if limit else row["peer"], "peer_ms": None if limit else row["peer_value"]}
    return kernels, list(commands.values())


def kind(row):
    return row["dtype"] if row["channels"] == 1 else f"{row['dtype']} x {row['channels']}"


def secondary(lines):
    return [{"work": row["pipeline"], "type": kind(row), "size": f"{row['width']}x{row['height']}",
             "floor_ms": row["floor_ms"], "halo_ms": row["ms"]} for row in lines]


def widths(lines, device):
    """Times by the width of the window; the peer's row of the same work stands behind halo's."""
    found = {}
    side = {"cpu": "2048x2048", "gpu": "8192x8192"}[device]
    for row in lines:
        for width, ms in zip(row["widths"], row["ms"]) if row["device"] == device else ():
            cell = found.setdefault((row["operation"], kind(row), width), {"size": side})
            cell |= {"halo_ms": ms} if row["who"] == "halo" else {"peer": row["who"], "peer_ms": ms}
    return [{"work": work, "type": dtype, "width": width, **cell}
            for (work, dtype, width), cell in found.items()]


def batch(lines):
    """Milliseconds a file."""
    for row in lines:
        ms = 1e3 / row["files_per_second"]
        if "peer" in row:
            yield {"work": row["peer"], "peer": row["peer"], "peer_ms": ms}
        else:
            name = "dense 15 x 15" if "15x15" in row["pipeline"] else row["pipeline"]
            yield {"work": name, "type": "GPU" if row["backend"] == "cuda" else "CPU", "halo_ms": ms}


def team(text):
    """Kernels on one GPU and on all, then whole commands."""
    for found in re.finditer(r"^(\S+) +(u8|f32) (\d+)\^2 +([\d.]+) +([\d.]+) +\d+%$", text, re.M):
        work, dtype, side, one, every = found.groups()
        yield {"work": work, "type": dtype, "size": f"{side}x{side}", "halo_ms": float(every),
               "peer": "one GPU", "peer_ms": float(one)}
    for work, one, every in re.findall(r"^(\S+) +(\d+) +(\d+)$", text, re.M):
        yield {"work": work + ", whole command", "type": "u8", "size": "12288x12288", "halo_ms": float(every),
               "peer": "one GPU", "peer_ms": float(one)}


def tests(folder):
    """What gpu.sh found: programs that passed, those that failed, and outputs of both backends that differ."""
    found = {}
    if (folder / "verdicts.txt").exists():
        lines = (folder / "verdicts.txt").read_text(encoding="utf-8").splitlines()
        verdicts = [line.split(None, 1) for line in lines]
        members = {"property tests": lambda name: name.startswith("check_"),
                   "compute-sanitizer": lambda name: "check " in name}
        for group, member in members.items():
            said = [(verdict, name) for verdict, name in verdicts if member(name)]
            if said:
                found[group] = {"passed": sum(verdict == "ok" for verdict, _ in said),
                                "failed": [name for verdict, name in said if verdict != "ok"]}
    if (folder / "same.txt").exists():
        text = (folder / "same.txt").read_text(encoding="utf-8")
        compared, differ = re.match(r"(\d+) comparisons, (\d+) different", text).groups()
        found["same bytes on CPU and GPU"] = {"passed": int(compared) - int(differ), "failed": int(differ)}
    return found


def main():
    ask = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    ask.add_argument("folder", type=Path)
    ask.add_argument("record", type=Path)
    ask.add_argument("--commit")
    ask.add_argument("--date")
    asked = ask.parse_args()
    folder, record = asked.folder, load(asked.record)
    facts = {"commit": asked.commit, "date": asked.date or str(datetime.date.today())}

    def there(name):
        return (folder / name).exists()

    if there("device.txt"):
        name, *lines = (folder / "device.txt").read_text(encoding="utf-8").splitlines()
        record["machine"], record["driver"], record["memory"] = name.split(", ")
        facts["commit"] = facts["commit"] or (lines[-1] if len(lines) > 1 else None)
    if there("cpu.json"):
        lines = read_lines(folder / "cpu.json")
        machine, ceilings = lines[0], next(row for row in lines if row["type"] == "ceilings")
        record["machine"] = record["machine"] or machine["cpu"]
        facts["commit"], facts["date"] = asked.commit or machine["commit"], asked.date or machine["date"]
        kernels, commands = cpu_groups(lines)
        set_ = f"-{ceilings['isa']}" if "isa" in ceilings else ""
        about = {**facts, "cores": machine["cores"], "peers": machine["peers"],
                 **{key: round(ceilings[key]) for key in ("read_gbs", "copy_gbs", "fma_gflops")}}
        for name, rows in ("kernels" + set_, kernels), ("commands" + set_, commands):
            if rows:
                replace(record, name, about, rows)
    if not facts["commit"]:
        sys.exit("record.py: the commit is unknown; name it with --commit")
    if there("peers.json") and there("works.json"):
        halo = {row["work"]: row["kernel_ms"] for row in read_lines(folder / "works.json")}
        ceilings, rows = gpu_kernels(read_lines(folder / "peers.json"), halo)
        replace(record, "kernels", facts | ceilings, rows)
    if there("beside.json"):
        lines = read_lines(folder / "beside.json")
        isa = lines[0].get("isa")
        replace(record, "secondary" + (f"-{isa}" if isa else ""), facts, secondary(lines))
    if there("growth.json"):
        for device in "gpu", "cpu":
            rows = widths(read_lines(folder / "growth.json"), device)
            if rows:
                replace(record, "widths", facts, rows)
                break
    if there("batch.json"):
        lines = read_lines(folder / "batch.json")
        about = facts | {"files": lines[0]["files"], "workers": lines[0].get("workers")}
        replace(record, "batch", about, list(batch(lines)))
    if there("team.txt"):
        replace(record, "team", facts, list(team((folder / "team.txt").read_text(encoding="utf-8"))))
    for name, outcome in tests(folder).items():
        record["tests"][name] = facts | outcome
    save(asked.record, record)


if __name__ == "__main__":
    main()
