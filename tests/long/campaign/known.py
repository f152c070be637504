"""What the campaign knows better: the lengths of sounds that it made, tables as Python's csv reads them, lists
as other systems write them, and files with something behind them."""

import csv
import io
import json
import re

import mp3
from judge import Case

# Frames of undamaged seeds.
LENGTHS = {
    **{f"sound.{to}": 900 for to in ("wav", "flac", "aiff", "au", "w64", "rf64", "npy")},
    "deep.wav": 500,
    "float.wav": 400,
    "padded.wav": 300,
    **mp3.LENGTHS,
}
MAY_BE_REFUSED = ["padded.wav"]
LETTERS = ["a", "b", "Temp", "\u00e9", " ", '"', ",", ";", "'", "#", "1", "\n"]
LISTS = [b"a.pgm\r\nb.pgm\r\n", b"\xef\xbb\xbfa.pgm\nb.pgm\n", b"\n\na.pgm\n\nb.pgm"]
FOLLOWED = ["gray.png", "rgb.png", "rgb.jpg", "rgb.tif", "deep.tif"]


def one_line(name):
    return re.sub(r"\s+", " ", name).strip()


class Known:
    def __init__(self, judge, seeds):
        self.judge, self.seeds = judge, seeds
        self.lengths = sorted(name for name in LENGTHS if (seeds / name).exists())

    def case(self, draw, folder):
        draw.choice([self.length, self.length, self.table, self.table, self.list, self.followed])(draw, folder)

    def run(self, folder, words, stdin=b""):
        case = Case(folder, [self.judge.halo, *words], stdin=stdin)
        ended = self.judge.run(case)
        return case, ended, self.judge.clean(case, ended)

    def length(self, draw, folder):
        """Also where it comes through a pipe, or where damage would be tolerated."""
        name = draw.choice(self.lengths)
        data = (self.seeds / name).read_bytes()
        (folder / name).write_bytes(data)
        way = draw.choice([[name], [name, "--tolerate"], ["-"]])
        rate = ["--rate", "8000"] if name.endswith(".npy") else []
        words = ["stats", "--json", *way, *rate]
        case, ended, clean = self.run(folder, words, data if way == ["-"] else b"")
        if not clean:
            return
        if ended.code != 0:
            if name not in MAY_BE_REFUSED:
                self.judge.report(f"known: {name} is refused", case, ended)
            return
        count = json.loads(ended.out.splitlines()[0])["channel"][0]["count"]
        if count != LENGTHS[name]:
            self.judge.report(f"known: {name} has {LENGTHS[name]} frames, not {count}", case, ended)

    def table(self, draw, folder):
        """Columns of any names and numbers, as Python's csv writes them, come back as it reads them."""
        columns, rows = draw.randrange(2, 4), draw.randrange(1, 5)
        names = ["n" + "".join(draw.choice(LETTERS) for _ in range(draw.randrange(6))) for _ in range(columns)]
        numbers = [[draw.choice([0.0, 1.0, -2.5, 1e6]) for _ in range(columns)] for _ in range(rows)]
        text = io.StringIO()
        how = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC])
        if ";" in "".join(names):  # without quotation marks it might be what stands between cells
            how = csv.QUOTE_ALL
        csv.writer(text, quoting=how, lineterminator=draw.choice(["\n", "\r\n"])).writerows([names, *numbers])
        mark = draw.choice(["", "", "\ufeff"])
        (folder / "t.csv").write_bytes((mark + text.getvalue()).encode())
        case, ended, clean = self.run(folder, ["run", "", "t.csv", "-o", "o.csv"])
        if not clean:
            return
        if ended.code != 0:
            self.judge.report("table: refused", case, ended)
            return
        with open(folder / "o.csv", newline="", encoding="utf-8") as file:
            made = list(csv.reader(file))
        if [list(map(float, row)) for row in made[1:]] != numbers:
            self.judge.report("table: other numbers", case, ended)
        elif list(map(one_line, made[0])) != list(map(one_line, names)):
            self.judge.report("table: other names", case, ended)

    def list(self, draw, folder):
        for name in "a.pgm", "b.pgm":
            (folder / name).write_bytes((self.seeds / "gray.pgm").read_bytes())
        (folder / "list").write_bytes(draw.choice(LISTS))
        case, ended, clean = self.run(folder, ["stats", "--json", "--files-from", "list"])
        if clean and (ended.code != 0 or len(ended.out.splitlines()) < 2):
            self.judge.report("list: not read", case, ended)

    def followed(self, draw, folder):
        """A picture with something behind it that is no picture has the same samples."""
        name = draw.choice([name for name in FOLLOWED if (self.seeds / name).exists()])
        data = (self.seeds / name).read_bytes()
        rest = draw.choice([data[: draw.randrange(1, 60)], draw.randbytes(draw.randrange(1, 40)), b"\0" * 7,
            b"\n"])
        (folder / name).write_bytes(data)
        (folder / f"more.{name}").write_bytes(data + rest)
        case, ended, clean = self.run(folder, ["compare", name, f"more.{name}", "--at-most", "max=0"])
        if clean and ended.code != 0:
            self.judge.report(f"followed: exit {ended.code}", case, ended)
