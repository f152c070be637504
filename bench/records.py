"""Records of measurements: one JSON file a machine in bench/results, one row a line for readable changes.

{"machine", "driver", "commit", "date", "groups": {NAME: {"commit", "date", ...}}, "tests": {...}, "rows":
[...]}. A row names its group and has the known ones of: work, type, size, width, floor_ms, goal_ms, halo_ms,
peer, peer_ms, and for other units halo_mib, peer_mib, halo_mb, peer_mb. A group is replaced as a whole."""
import json
from pathlib import Path

FIELDS = ("group", "work", "type", "size", "width", "floor_ms", "goal_ms", "halo_ms", "peer", "peer_ms",
          "halo_mib", "peer_mib", "halo_mb", "peer_mb")


def read_lines(path):
    """NDJSON, as the measuring programs write it."""
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


def load(path):
    if not Path(path).exists():
        return {"machine": "", "groups": {}, "tests": {}, "rows": []}
    return json.loads(Path(path).read_text(encoding="utf-8"))


def short(value):
    """Four significant digits are more than a measurement repeats to."""
    return float(f"{value:.4g}") if isinstance(value, float) else value


def row(**facts):
    """Leaves out what is not known."""
    return {name: short(facts[name]) for name in FIELDS if facts.get(name) is not None}


def replace(record, name, facts, rows):
    """Puts a newly measured group in the place of the old one."""
    record["groups"][name] = facts
    kept = [old for old in record["rows"] if old["group"] != name]
    record["rows"] = kept + [row(group=name, **new) for new in rows]


def of_group(record, name):
    return [row for row in record["rows"] if row["group"] == name]


def save(path, record):
    newest = max(record["groups"].values(), key=lambda group: group["date"], default=None)
    head = {"machine": record["machine"], **{key: record[key] for key in ("driver", "memory") if key in record}}
    if newest:
        head |= {key: newest[key] for key in ("commit", "date") if newest.get(key)}
    blocks = [f'  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}' for key, value in head.items()]
    for key in "groups", "tests":
        lines = [f"    {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
                 for name, value in record[key].items()]
        blocks.append(f'  "{key}": {{\n' + ",\n".join(lines) + "\n  }" if lines else f'  "{key}": {{}}')
    lines = ["    " + json.dumps(row, ensure_ascii=False) for row in record["rows"]]
    blocks.append('  "rows": [\n' + ",\n".join(lines) + "\n  ]")
    Path(path).write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")
