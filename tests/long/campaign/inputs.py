"""Damaged inputs: pictures and sound of every format, and the texts that halo reads (masks, taps, lists,
journals, shards)."""

import json
import subprocess

from judge import Case
from mutate import damaged, mistyped

TO = [
    "png",
    "jpg",
    "tif",
    "ppm",
    "pgm",
    "pam",
    "pfm",
    "bmp",
    "tga",
    "hdr",
    "qoi",
    "nrrd",
    "nii",
    "nii.gz",
    "mha",
    "mrc",
    "npz",
    "npy",
    "raw",
    "wav",
    "flac",
    "aiff",
    "au",
    "w64",
    "rf64",
    "ogg",
    "opus",
    "csv",
]
# Control characters, invalid UTF-8, and characters that shells and templates interpret.
NAMES = [
    "\x1b[31mred\x07",
    "del\x7f\u009b2J",
    "back\u202egnp",
    "latin\udce9",
    "c1\udc9b2J",
    "two\nlines",
    "re\rturn",
    "{stem}",
    "<&>",
]
PIPELINES = [
    "",
    "gauss:1",
    "sobel",
    "median:3",
    "equalize",
    "average:3",
    "depth:u8",
    "normalize | hist",
    "stats:full | box:3",
    "scan",
    "invert,",
    'conv:mask="1x3: 1,2,1"',
    "gray | gauss:1",
    "lowpass:1kHz",
    "stats | silence",
    "spectrogram:64",
    "resize:50%",
    "pad:by=3",
]
LIMITS = ["--max-memory", "200M", "--max-pixels", "4M", "-j", "2"]


def results(out):
    """Without names, times and notes."""
    kept = []
    for line in out.splitlines():
        record = json.loads(line)
        kept.append({key: value for key,
            value in record.items() if key not in ("file", "ms", "seconds", "notes")})
    return [record for record in kept if record.get("type") != "summary"]


class Inputs:
    """Whatever is in a file: read, measured, filtered and written again; an output that is there can be
    read."""

    def __init__(self, judge, seeds):
        self.judge, self.seeds = judge, seeds
        self.names = sorted(path.name for path in seeds.iterdir())

    def commands(self, draw, name, output):
        run = ["run", draw.choice(PIPELINES), name]
        return [
            ["info", name],
            ["info", "--json", name],
            ["info", "--tolerate", name],
            ["stats", name],
            ["stats", "--full", "--json", name],
            ["stats", "--tolerate", name],
            ["hist", name],
            ["hist", name, "--plot", draw.choice(["p.svg", "p.png"])],
            *[[*run, "-o", output]] * 5,
            *[[*run, "-o", output, "--tolerate"]] * 2,
            ["run", "hist", name, "-o", output, "--plot", "p.svg"],
            ["run", "gauss:1", "-", "-o", "-", "--to", draw.choice(TO)],
            ["run", "gauss:1", name, name, "--out-dir", "o", "--name", "{index}.png"],
            ["compare", name, name],
            ["stack", "median", name, name, "-o", output],
            ["join", name, name, "-o", output],
        ]

    def case(self, draw, folder):
        judge, name = self.judge, draw.choice(self.names)
        data = (self.seeds / name).read_bytes()
        data = damaged(draw, data, (self.seeds / draw.choice(self.names)).read_bytes() or b"\0")
        judge.count(name)
        if draw.random() < 0.08:
            name = draw.choice(NAMES) + "." + name.split(".")[-1]
        (folder / name).write_bytes(data)
        if draw.random() < 0.08:
            self.alike(draw, folder, name, data)
            return
        output = f"out.{draw.choice(TO)}"
        command = draw.choice(self.commands(draw, name, output))
        limits = {"info": LIMITS[:4], "join": LIMITS[:2] + LIMITS[4:]}.get(command[0], LIMITS)
        # libheif 1.15 leaks where its decoders refuse a picture
        case = Case(folder, [judge.halo, *command, *limits], leaks=not name.endswith((".avif", ".heic")))
        if "-" in command:
            case.stdin = data
        ended = judge.run(case)
        # sums that no float holds: written exactly, and refused when read
        wide = command[:2] == ["run", "scan"]
        # a table of results, which has texts
        table = command[:2] == ["run", "hist"] and output.endswith(".csv")
        if judge.clean(case, ended) and ended.code == 0 and (folder / output).exists() and not wide | table:
            self.can_be_read(case, ended, output)

    def alike(self, draw, folder, name, data):
        """Two ways to read the same bytes: both fail, or one does, or both give the same results."""
        ways = [[name], [name, "-j", "1"], ["-"], [name, "--tolerate"]]
        case = Case(folder, [self.judge.halo, "stats", "--json", *ways[0], *LIMITS])
        way = draw.choice(ways[1:])
        again = Case(folder, [self.judge.halo, "stats", "--json", *LIMITS, *way], stdin=data if way == ["-"]
            else b"")
        ended, other = self.judge.run(case), self.judge.run(again)
        if not self.judge.clean(case, ended) or not self.judge.clean(again, other):
            return
        if "--tolerate" in way and b"after the last complete image" in ended.err:
            return  # it keeps what is left of the next picture
        if ended.code == 0 and other.code == 0 and results(ended.out) != results(other.out):
            self.judge.report("other results of the same bytes, read in another way", again, other)
        elif ended.code == 0 and other.code != 0 and way != ["-"]:
            self.judge.report("refused when it is read in another way", again, other)

    def can_be_read(self, case, ended, output):
        if output.split(".")[1] in ("raw",):
            return
        again = self.judge.run(Case(case.folder, [self.judge.halo, "stats", output]))
        if b"--axes nhw" in again.err:  # an array of pages
            again = self.judge.run(Case(case.folder, [self.judge.halo, "stats", output, "--axes", "nhw"]))
        if again.code != 0:
            self.judge.report("exit 0, and the output cannot be read", case, again)


class Texts:
    """Damaged texts, each in the command that reads it."""

    TEXTS = {
        "k.mat": b"3 3 8 0\n-1 -1 -1\n-1 16.5e0 -1\n-1 -1 -1\n",
        "k.csv": b"1;2;1\n2;4;2\n1;2;1\n",
        "k.txt": b"1 2 1\n2 4 2\n1 2 1\n",
        "taps.txt": b"0.25\n0.5\n0.25\n",
        "list": b"a.pgm\nb.pgm\n",
        "list0": b"a.pgm\0b.pgm\0",
        "table.csv": b"time,a,b\n0,1,2\n1,2,-3.5e2\n2,,6\n3,4,5\n",
        "quoted.csv": b'\xef\xbb\xbf"t";"a ""b"""\r\n0;1,5\r\n# so\r\n1;"2,5"\r\n',
        "bars.csv": b'what,before,after\nread,3,2\n"wr,ite",5,1\n',
        "mask": b"3x3: 1,2,1, 2,4,2, 1,2,1",
        "expr": b"max(b, a * 2 + 1e3) > 3 ? a : b",
    }
    COMMANDS = {
        "k.mat": ["run", "conv:mask=k.mat", "a.pgm", "-o", "o.png"],
        "k.csv": ["run", "conv:mask=k.csv", "a.pgm", "-o", "o.png"],
        "k.txt": ["run", "conv:mask=k.txt", "a.pgm", "-o", "o.png"],
        "taps.txt": ["run", "fir:taps.txt", "s.wav", "-o", "o.wav"],
        "table.csv": ["plot", "table.csv", "-o", "o.svg"],
        "quoted.csv": ["run", "average:2", "quoted.csv", "-o", "o.csv"],
        "bars.csv": ["plot", "bars.csv", "-o", "o.svg"],
        "list": ["stats", "--files-from", "list"],
        "list0": ["stats", "--files0-from", "list0"],
        "journal": ["run", "box:3", "a.pgm", "b.pgm", "--out-dir", "o", "--resume", "-j", "1"],
        "shards": ["merge", "1.json", "2.json"],
        "mask": ["run", 'conv:mask="{}"', "a.pgm", "-o", "o.png"],
        "expr": ["run", 'reduce:expr="{}"', "a.pgm"],
    }

    ENDLESS = "/dev/zero"  # in the place of a text's name

    def __init__(self, judge, seeds):
        self.judge = judge
        self.picture, self.sound = (seeds / "gray.pgm").read_bytes(), (seeds / "sound.wav").read_bytes()
        self.made = self.make(judge.work / "texts")

    def make(self, folder):
        """The texts that halo itself writes: parts of a batch, and a journal."""
        folder.mkdir()
        self.fill(folder)
        for part in "12":
            shard = subprocess.run(
                [self.judge.halo, "stats", "a.pgm", "b.pgm", "s.wav", "--total", "--json", "--shard",
                    f"{part}/2"],
                cwd=folder,
                env=self.judge.environment,
                capture_output=True,
                check=True,
            )
            (folder / f"{part}.json").write_bytes(shard.stdout)
        subprocess.run(
            [self.judge.halo, *self.COMMANDS["journal"]],
            cwd=folder,
            env=self.judge.environment,
            capture_output=True,
            check=True,
        )
        return {
            "1.json": (folder / "1.json").read_bytes(),
            "2.json": (folder / "2.json").read_bytes(),
            "journal": (folder / "o" / ".halo-journal").read_bytes(),
        }

    def fill(self, folder):
        (folder / "a.pgm").write_bytes(self.picture)
        (folder / "b.pgm").write_bytes(self.picture[:-5] + b"12345")
        (folder / "s.wav").write_bytes(self.sound)

    def case(self, draw, folder):
        self.fill(folder)
        kind = draw.choice(sorted(self.COMMANDS) + ["shards"] * 5)
        argv = [self.judge.halo, *self.COMMANDS[kind]]
        if kind == "shards" and draw.random() < 0.01:
            argv = [self.judge.halo, "merge", self.ENDLESS]
        elif kind == "shards":
            for name in "1.json", "2.json":
                way = draw.choice([damaged, mistyped, mistyped, lambda _, data: data])
                (folder / name).write_bytes(way(draw, self.made[name]))
        elif kind == "journal":
            (folder / "o").mkdir()
            (folder / "o" / ".halo-journal").write_bytes(damaged(draw, self.made[kind]))
        elif kind in ("mask", "expr"):
            text = damaged(draw, self.TEXTS[kind]).replace(b"\0", b"")[:9999].decode("utf-8", "surrogateescape")
            argv = [word.replace("{}", text) for word in argv]
        elif draw.random() < 0.02:
            argv = [word.replace(kind, self.ENDLESS) for word in argv]
        else:
            (folder / kind).write_bytes(damaged(draw, self.TEXTS[kind]))
        case = Case(folder, argv)
        self.judge.clean(case, self.judge.run(case))
