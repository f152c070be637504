"""Signals at random moments of a batch: it ends by them, leaves no temporary, and --resume makes what an
undisturbed run makes."""

import shutil
import signal

from judge import Case

STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL]


class Signals:
    def __init__(self, judge, seeds):
        self.judge = judge
        # nohup and background jobs ignore some, and so do the processes that they start
        for number in STOPS[:-1]:
            signal.signal(number, signal.SIG_DFL)
        self.folder = judge.work / "signals"
        (self.folder / "in").mkdir(parents=True)
        for i in range(60):
            name = ["gray.pgm", "rgb.ppm", "rgba.png", "deep.tif"][i % 4]
            shutil.copy(seeds / name, self.folder / "in" / f"{i}.{name}")
        ended = judge.run(Case(self.folder, self.command("1", "png")))
        assert ended.code == 0, ended.err
        self.seconds = 0.05

    def command(self, jobs, to):
        return [
            self.judge.halo,
            "run",
            "gauss:1 | sharpen",
            "in",
            "-r",
            "--out-dir",
            "out",
            "--to",
            to,
            "-j",
            jobs,
            "-q",
        ]

    def case(self, draw, folder):
        judge, number = self.judge, draw.choice(STOPS)
        (folder / "in").symlink_to(self.folder / "in")
        case = Case(folder, self.command(draw.choice("14"), "png"), leaks=False)
        after = draw.random() * self.seconds * (8 if judge.sanitized else 1)
        ended = judge.run(case, send=(number, after))
        if number != signal.SIGKILL and not judge.clean(case, ended, (0, -number)):
            return
        again = Case(folder, case.argv + ["--resume"])
        ended = judge.run(again)
        if not judge.clean(again, ended, (0,)):
            return
        for made in (self.folder / "out").iterdir():
            if made.name[0] != "." and made.read_bytes() != (folder / "out" / made.name).read_bytes():
                judge.report(f"{made.name} is not what an undisturbed run makes", again, ended)
