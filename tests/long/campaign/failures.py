"""Every allocation and every call of the system fails, one by one: a command then does all of its work or says
that it did not, leaves what was there as it was, and nothing half-made."""

import json
import shlex
import shutil

from judge import Case

# What runs, what it needs besides the seeds named in it, and the outputs that are compared.
SCENARIOS = {
    "png": ("run gauss:1 said.png -o out.png", ["out.png"]),
    "jpeg": ("run sharpen turned.jpg -o out.jpg", ["out.jpg"]),
    "tiff": ("run 'sobel | depth:u16' rgba.tif -o out.tif", ["out.tif"]),
    "replace": ("run median:3 rgb.ppm -o old.png -f", ["old.png"]),
    "wave": ("run average:3 sound.wav -o out.wav", ["out.wav"]),
    "flac": ("run gain:0.5 sound.wav -o out.flac", ["out.flac"]),
    "ogg": ("run '' sound.flac -o out.ogg", []),
    "aiff": ("run highpass:1kHz sound.aiff -o out.au", ["out.au"]),
    "npy": ("run scan deep.png -o out.npy", ["out.npy"]),
    "hdr": ("run gauss:1 rgb.png -o out.hdr", ["out.hdr"]),
    "bmp": ("run flip:x rgb.bmp -o out.bmp", ["out.bmp"]),
    "volume": ("run flip:x deep.nii.gz -o out.nrrd", ["out.nrrd"]),
    "compressed": ("run gauss:1 deep.nii -o out.nii.gz", ["out.nii.gz"]),
    "npz": ("run '' rgb.npz -o out.npz", ["out.npz"]),
    "pipe": ("run 'box:3 | stats' - -o - --to ppm", []),
    "batch": (
        "run equalize gray.pgm rgb.png deep.tif turned.jpg --out-dir o --to png -j 3",
        ["o/gray.png", "o/rgb.png", "o/deep.png", "o/turned.png"],
    ),
    "resume": (
        "run gauss:1 gray.pgm rgb.ppm deep.pgm --out-dir o --to png --resume -j 2",
        ["o/gray.png", "o/rgb.png", "o/deep.png"],
    ),
    "folder": ("run unsharp in -r --out-dir o", ["o/gray.pgm", "o/rgb.ppm"]),
    "stats": ("stats --full --total --json gray.pgm float.tif sound.wav", []),
    "hist": ("hist gray.pgm --plot h.png -f", ["h.png"]),
    "info": ("info --json said.png turned.jpg rgba.tif sound.flac float.wav", []),
    "pyramid": ("run '' rgba.tif -o out.tif --pyramid --tile 16", ["out.tif"]),
    "opus": ("run gain:0.5 sound.opus -o out.wav", ["out.wav"]),
    "mp3": ("run '' xing.mp3 -o out.wav", ["out.wav"]),
    "table": ("run average:3 table.csv -o out.csv", ["out.csv"]),
    "listen": ("run 'stats | silence:-50dB' sound.wav -o out.wav", ["out.wav"]),
    "stack": ("stack median rgb.ppm rgb.png -o out.png", ["out.png"]),
    "join": ("join sound.wav sound.flac -o out.wav", ["out.wav"]),
    "compare": ("compare --json gray.pgm gray.png", []),
    "plot": ("plot table.csv -o out.svg", ["out.svg"]),
    "mask": ("run 'conv:mask=k.mat | reduce:expr=\"a + b\"' gray.pgm -o out.tif", ["out.tif"]),
}
CALLS = {
    "malloc,calloc,realloc,aligned_alloc": [12],
    "open": [13, 24, 5],
    "read": [5],
    "write": [28, 5],
    "close": [5],
    "fsync": [5, 28],
    "rename": [13, 18],
    "link": [13, 1],
    "unlink": [13],
    "mkdir": [13, 28],
    "fchmod": [1],
    "ftruncate": [28],
    "lseek": [29],
    "stat": [13, 5],
    "fstat": [5],
    "readlink": [5],
    "opendir": [13],
    "readdir": [5],
    "fcntl": [24],
    "flock": [37, 95],
    "pthread_create": [11],
}
OLD = b"P5 1 1 255\nx"


class Failures:
    def __init__(self, judge, seeds):
        self.judge, self.seeds = judge, seeds
        self.expected, self.counts = {}, {}
        for name in SCENARIOS:
            self.undisturbed(name)

    def prepare(self, name, folder):
        command = shlex.split(SCENARIOS[name][0])
        folder.mkdir(parents=True, exist_ok=True)
        for word in command:
            if (self.seeds / word).is_file() and word != "old.png":
                shutil.copy(self.seeds / word, folder / word)
        (folder / "old.png").write_bytes(OLD)
        (folder / "k.mat").write_text("3 1\n1 2 1\n")
        if name == "folder":
            (folder / "in").mkdir(exist_ok=True)
            shutil.copy(self.seeds / "gray.pgm", folder / "in")
            shutil.copy(self.seeds / "rgb.ppm", folder / "in")
        return Case(
            folder,
            [self.judge.halo, *command],
            stdin=(self.seeds / "rgb.ppm").read_bytes() if "-" in command else b"",
            leaks=False,  # of libraries, where memory is missing
        )

    def undisturbed(self, name):
        """What the scenario makes, and how often it calls what."""
        count, folder = self.judge.work / "count", self.judge.work / "undisturbed" / name
        case = self.prepare(name, folder)
        case.env = {"LD_PRELOAD": self.judge.shim, "FAULT_COUNT": str(count)}
        ended = self.judge.run(case)
        if ended.code != 0:
            raise SystemExit(f"{name} fails by itself: {ended.err.decode()}")
        counts = {call: int(times) for call, times in map(str.split, count.read_text().splitlines())}
        for calls in CALLS:
            self.counts[name, calls] = sum(counts[call] for call in calls.split(","))
        self.expected[name] = self.made(name, folder, ended)

    def made(self, name, folder, ended):
        """Outputs and results, without times."""
        paths = {output: folder / output for output in SCENARIOS[name][1]}
        files = {output: path.read_bytes() if path.exists() else None for output, path in paths.items()}
        return files, without_times(ended.out)

    def case(self, draw, folder):
        name = draw.choice([scenario for scenario, call in self.counts if self.counts[scenario, call] > 0])
        call = draw.choice([call for call in CALLS if self.counts[name, call] > 0])
        if draw.random() < 0.5:
            call = next(iter(CALLS))
        case = self.prepare(name, folder)
        case.env = {
            "LD_PRELOAD": self.judge.shim,
            "FAULT_CALL": call,
            "FAULT_N": str(draw.randint(1, self.counts[name, call] + 1)),
            "FAULT_ERRNO": str(draw.choice(CALLS[call])),
        }
        if draw.random() < 0.3:
            case.env["FAULT_LASTING"] = "1"
        elif call in ("read", "write") and draw.random() < 0.5:
            case.env["FAULT_SHORT"] = "1"
        if not self.judge.sanitized:
            case.env["FAULT_TRACE"] = "1"
        ended = self.judge.run(case)
        # the end of another thread may cut a report off before its stack: again, until it is whole
        for _ in range(20):
            if not self.judge.cut_off(ended):
                break
            env, case = case.env, self.prepare(name, folder)
            case.env = env
            ended = self.judge.run(case)
        what = self.judge.wrong(case, ended)
        crashed = what is not None and ("crash" in what or ended.code == 99)
        if (crashed and self.judge.in_a_library(ended)) or self.judge.in_the_loader(ended):
            self.judge.theirs += 1
            what = self.sweeps(name, folder)
        elif what is None:
            what = self.fell_short(name, call, folder, ended)
        if what is not None:
            self.judge.report(what, case, ended)

    def fell_short(self, name, call, folder, ended):
        files, out = self.made(name, folder, ended)
        expected, expected_out = self.expected[name]
        if ended.code == 0:
            for output in [output for output in files if files[output] != expected[output]]:
                return f"exit 0, and {output} is not what an undisturbed run makes"
            if out != expected_out:
                return "exit 0, and the results are not those of an undisturbed run"
        for output, data in files.items():
            if data is not None and data not in (expected[output], OLD):
                return f"half-made {output}"
        if "old.png" in files and files["old.png"] is None:
            return "the old output is gone"
        left = self.judge.leftovers(folder)
        if left and call != "unlink":
            return f"left {left[0]}"
        return self.sweeps(name, folder) if left else None

    def sweeps(self, name, folder):
        """The next run takes away what a crash or an unlink that failed has left."""
        case = self.prepare(name, folder)
        if SCENARIOS[name][1] and "--resume" not in case.argv and "-f" not in case.argv:
            case.argv += ["-f"]
        ended = self.judge.run(case)
        left = self.judge.leftovers(folder)
        return f"the next run leaves {left[0]}" if left and ended.code == 0 else None


def without_times(out):
    lines = []
    for line in out.splitlines():
        if line.startswith(b"{"):
            record = json.loads(line)
            line = {key: value for key, value in record.items() if key not in ("ms", "seconds")}
        lines.append(line)
    return lines
