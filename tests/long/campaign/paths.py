"""Paths that meet: an output that is also read, or is another output, by the same name, another one, or a link;
journals that are links or something else; files of the user's where halo puts its own. What a command reads,
and what it was not given, is the same afterwards, and two outputs never end in one file."""

import os
import shlex
import shutil

from judge import Case

# Commands, the paths they read, and the paths they write.
SCENARIOS = {
    "filter": ("run gauss:1 {in} -o {out} -f", ["in"], ["out"]),
    "plotted": ("run hist {in} -o {out} --plot {plot} -f", ["in"], ["out", "plot"]),
    "hist": ("hist {in} --plot {plot} -f", ["in"], ["plot"]),
    "side": ("run 'blend:with={side}' {in} -o {out} -f", ["in", "side"], ["out"]),
    "mask": ("run 'conv:mask={mask}' {in} -o {out} -f", ["in", "mask"], ["out"]),
    "list": ("run gauss:1 --files-from {list} -o {out} -f", ["in", "list"], ["out"]),
    "table": ("plot {table} -o {drawing} -f", ["table"], ["drawing"]),
    "compare": ("compare {in} {side} -o {out} -f", ["in", "side"], ["out"]),
    "stack": ("stack mean {in} {side} -o {out} -f", ["in", "side"], ["out"]),
    "join": ("join {sound} {other} -o {joined} -f", ["sound", "other"], ["joined"]),
    "scan": ("scan {in} -o {out} -f", ["in"], ["out"]),
}
NAMES = {
    "in": "in.png",
    "side": "side.png",
    "mask": "k.mat",
    "list": "list",
    "table": "table.csv",
    "sound": "a.wav",
    "other": "b.wav",
    "out": "out.png",
    "plot": "plot.png",
    "drawing": "drawing.svg",
    "joined": "joined.wav",
}
SEEDS = {"in": "gray.png", "side": "gray.png", "table": "table.csv", "sound": "sound.wav", "other": "sound.wav"}
TEXTS = {"mask": b"3 1\n1 2 1\n", "list": b"in.png\n"}
OLD = b"what was here before"
NOTES = b"notes of the user's\n"
JOURNALS = ["link", "dangling", "hard", "notes", "folder", "pipe", "empty"]


def contents(folder):
    """Of every file, links not followed: its bytes and permissions."""
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(path, name)
            if os.path.isfile(file) and not os.path.islink(file):
                with open(file, "rb") as data:
                    found[os.path.relpath(file, folder)] = data.read(), os.stat(file).st_mode & 0o777
    return found


class Paths:
    def __init__(self, judge, seeds):
        self.judge, self.seeds = judge, seeds

    def put(self, folder, role):
        file = folder / NAMES[role]
        if role in SEEDS:
            shutil.copy(self.seeds / SEEDS[role], file)
        else:
            file.write_bytes(TEXTS[role])

    def alias(self, draw, folder, role, of):
        """Another name for the file of another role."""
        target = NAMES[of]
        if not (folder / target).exists():
            (folder / target).write_bytes(OLD)
        name = "link." + NAMES[role].split(".")[-1]
        way = draw.choice(["same", "dot", "up", "absolute", "symbolic", "hard"])
        if way == "symbolic":
            (folder / name).symlink_to(target)
        elif way == "hard":
            os.link(folder / target, folder / name)
        else:
            (folder / "sub").mkdir()
            before = {"same": "", "dot": "./", "up": "sub/../", "absolute": f"{folder}/"}[way]
            name = before + target
        return name

    def case(self, draw, folder):
        if draw.random() < 0.3:
            self.journal(draw, folder)
        else:
            self.meet(draw, folder)

    def meet(self, draw, folder):
        scenario = draw.choice(sorted(SCENARIOS))
        command, reads, writes = SCENARIOS[scenario]
        words = dict(NAMES)
        for role in reads:
            self.put(folder, role)
        for role in writes:
            if draw.random() < 0.5:
                (folder / NAMES[role]).write_bytes(OLD)
                (folder / NAMES[role]).chmod(draw.choice([0o600, 0o640, 0o664]))
        role, of = None, None
        if draw.random() < 0.75:
            role = draw.choice(writes)
            of = draw.choice([other for other in reads + writes if other != role])
            words[role] = self.alias(draw, folder, role, of)
        elif draw.random() < 0.5:
            (folder / f".{NAMES[writes[0]]}.halo-000000").write_bytes(NOTES)
        before = contents(folder)
        case = Case(folder, [self.judge.halo, *shlex.split(command.format(**words))])
        ended = self.judge.run(case)
        what = self.judge.wrong(case, ended) or self.changed(folder, before, [words[name] for name in writes],
            ended)
        if what is None and of is None and ended.code not in (0, 6):
            what = f"failed: exit {ended.code} of a command that is right"
        if what is None and ended.code == 0 and of in writes:
            if os.path.samefile(folder / words[role], folder / words[of]):
                what = "exit 0, and two outputs are one file"
        if what is not None:
            self.judge.report(what, case, ended)

    def changed(self, folder, before, written, ended):
        """What is not as it was, but for outputs; these keep of their permissions what every input has."""
        after = contents(folder)
        outputs = {os.path.relpath(os.path.realpath(folder / name), os.path.realpath(folder))
            for name in written}
        read = {NAMES[role] for role in [*SEEDS, *TEXTS]}
        shared = 0o777
        for name in read & before.keys():
            shared &= before[name][1] | 0o700
        for name, (data, mode) in before.items():
            if name not in after:
                return f"gone: {name}"
            if (name in read or name not in outputs or ended.code not in (0, 6)) and after[name][0] != data:
                return f"not what it was: {name}"
            replaced = name in outputs and name not in read
            if after[name][1] != mode and not (replaced and after[name][1] == mode & shared):
                return f"other permissions: {name}"
        extra = [name for name in after if name not in before and name not in outputs]
        return f"appeared: {extra[0]}" if extra else None

    def journal(self, draw, folder):
        """--resume where the name of its journal is taken."""
        kind = draw.choice(JOURNALS)
        journal, victim = folder / "o" / ".halo-journal", folder / "victim"
        journal.parent.mkdir()
        self.put(folder, "in")
        if kind != "dangling":
            victim.write_bytes(NOTES)
        if kind in ("link", "dangling"):
            journal.symlink_to("../victim")
        elif kind == "hard":
            os.link(victim, journal)
        elif kind == "folder":
            journal.mkdir()
        elif kind == "pipe":
            os.mkfifo(journal)
        else:
            journal.write_bytes(NOTES if kind == "notes" else b"")
        case = Case(folder, [self.judge.halo, *"run gauss:1 in.png --out-dir o --resume".split()])
        ended = self.judge.run(case)
        what = self.judge.wrong(case, ended)
        if what is None and (victim.read_bytes() if victim.exists() else b"") != (b"" if kind == "dangling"
            else NOTES):
            what = "a journal was written through a link"
        if what is None and kind == "notes" and journal.read_bytes() != NOTES:
            what = "a file that is no journal was written to"
        if journal.exists() and kind == "pipe":
            journal.unlink()  # it cannot be copied
        if what is not None:
            self.judge.report(what, case, ended)
