#!/usr/bin/env python3
"""public.py HALO PYTHON FOLDER RESULTS: whole commands that users of other programs publish, by halo and by
these, in turns: the time, the peak of memory, and how far the outputs are apart. Inputs are those of
public_inputs.py in FOLDER. PYTHON has pyvips, Pillow, OpenCV, NumPy and SciPy. Writes NDJSON."""
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

TURNS = int(os.environ.get("TURNS", "5"))
HERE = Path(__file__).resolve().parent


class Bench:
    def __init__(self, halo, python, folder, results):
        self.halo, self.python, self.folder = os.path.abspath(halo), os.path.abspath(python), Path(folder)
        self.results = open(results, "a", encoding="utf-8")

    def once(self, argv):
        """Milliseconds and MiB; a Python peer says itself how long it took without its imports."""
        start = time.perf_counter()
        child = subprocess.Popen(argv, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        elapsed = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            sys.exit(f"public.py: '{' '.join(argv[:8])}' ended with {child.returncode}")
        if str(HERE / "public_peer.py") in argv:
            elapsed = json.loads(said)["seconds"]
        return elapsed * 1e3, usage.ru_maxrss / 1024

    def peer(self, library, *task):
        return [self.python, str(HERE / "public_peer.py"), library, *task]

    def task(self, name, commands, outputs=None):
        """`commands`: {program: argv}; `outputs`: {program: file}, compared with halo's."""
        for argv in commands.values():
            self.once(argv)
        taken = {who: [] for who in commands}
        for _ in range(TURNS):
            for who, argv in commands.items():
                taken[who].append(self.once(argv))
        for who, values in taken.items():
            times, peaks = zip(*values)
            apart = None
            if outputs and who in outputs and who != "halo":
                apart = self.difference(outputs["halo"], outputs[who])
            row = {"task": name, "program": who, "ms": sorted(times)[TURNS // 2], "mib": max(peaks),
                   "apart": apart}
            self.results.write(json.dumps(row) + "\n")
            print(f"{name:<44} {who:<22} {row['ms']:>9.1f} ms {row['mib']:>8.0f} MiB  {apart or ''}",
                  flush=True)

    def difference(self, ours, other):
        made = subprocess.run([self.python, str(HERE / "public_apart.py"), ours, other], cwd=self.folder,
                              capture_output=True, check=True)
        return json.loads(made.stdout)

    # ---- pictures ------------------------------------------------------------------------------------------

    def chain(self):
        """Compressed by deflate, as halo writes TIFF. Without ImageMagick, whose policy in Debian allows less memory than this picture takes."""
        pipeline = "crop:9800x9800+100+100 | resize:90%,kernel=linear | conv:sharpen.mat"
        self.task("libvips' benchmark, TIFF of 100 megapixels", {
            "halo": [self.halo, "run", pipeline, "large.tif", "-o", "halo.tif", "-f"],
            "libvips": self.peer("pyvips", "chain", "large.tif", "vips.tif"),
            "Pillow": self.peer("pillow", "chain", "large.tif", "pillow.tif"),
        }, {"halo": "halo.tif", "libvips": "vips.tif", "Pillow": "pillow.tif"})

    def thumbnails(self, name, sources, size, extension):
        def outputs(who):
            folder = self.folder / who
            folder.mkdir(exist_ok=True)
            return [f"{who}/{Path(source).stem}.{extension}" for source in sources]

        def pairs(who):
            return [path for both in zip(sources, outputs(who)) for path in both]

        def ours(who, *options):
            (self.folder / who).mkdir(exist_ok=True)
            return [self.halo, "run", f"resize:{size}", *sources, "--out-dir", who, "-f", "--quality", "80",
                    *options]

        magick = ["mogrify", "-path", "magick", "-define", f"jpeg:size={size}", "-thumbnail", size, "-quality",
                  "80"]
        outputs("magick")
        commands = {"halo": ours("halo"), "halo --precision fast": ours("fast", "--precision", "fast")}
        commands |= {"libvips": self.peer("pyvips", "thumbnail", size, *pairs("vips")),
                     "Pillow": self.peer("pillow", "thumbnail", size, *pairs("pillow")),
                     "OpenCV": self.peer("opencv", "thumbnail", size, *pairs("opencv")),
                     "ImageMagick": [*magick, *sources]}
        if extension == "png":
            del commands["halo --precision fast"]
            commands["halo"] = [word for word in commands["halo"] if word not in ("--quality", "80")]
        first = f"{Path(sources[0]).stem}.{extension}"
        self.task(name, commands, {"halo": f"halo/{first}", "halo --precision fast": f"fast/{first}",
                                   "libvips": f"vips/{first}", "Pillow": f"pillow/{first}",
                                   "ImageMagick": f"magick/{first}"})

    def pictures(self):
        self.chain()
        self.thumbnails("sharp's task, JPEG 2725 x 2225 to 720 x 588", ["photo.jpg"], "720x588", "jpg")
        camera, screen = [f"camera{i:02}.jpg" for i in range(20)], [f"screen{i}.png" for i in range(8)]
        self.thumbnails("20 JPEG of 24 megapixels to 800", camera, "800x800", "jpg")
        self.thumbnails("8 PNG of 6 megapixels to 800", screen, "800x800", "png")
        self.task("statistics, TIFF of 100 megapixels", {
            "halo": [self.halo, "stats", "large.tif"],
            "libvips": self.peer("pyvips", "stats", "large.tif"),
            "Pillow": self.peer("pillow", "stats", "large.tif")})

    # ---- sound ---------------------------------------------------------------------------------------------

    def sound(self):
        self.task("FIR of 1,023 taps, 10 minutes of stereo", {
            "halo": [self.halo, "run", "fir:taps.txt", "sound.wav", "-o", "halo.wav", "-f"],
            "SoX": ["sox", "-D", "sound.wav", "sox.wav", "fir", "taps.txt"],
            "SciPy": self.peer("scipy", "fir", "taps.txt", "sound.wav", "scipy.wav")},
            {"halo": "halo.wav", "SoX": "sox.wav", "SciPy": "scipy.wav"})
        self.task("low pass of order 4, 10 minutes of stereo", {
            "halo": [self.halo, "run", "lowpass:4000,order=4,phase=causal,design=butterworth", "sound.wav",
                     "-o", "halo.wav", "-f"],
            "SoX": ["sox", "-D", "sound.wav", "sox.wav", "lowpass", "4000", "0.5412q", "lowpass", "4000",
                    "1.3066q"],
            "FFmpeg": ["ffmpeg", "-y", "-i", "sound.wav", "-af",
                       "lowpass=4000:t=q:w=0.5412:r=f64,lowpass=4000:t=q:w=1.3066:r=f64", "ffmpeg.wav"],
            "SciPy": self.peer("scipy", "iir", "sound.wav", "scipy.wav")},
            {"halo": "halo.wav", "SoX": "sox.wav", "FFmpeg": "ffmpeg.wav", "SciPy": "scipy.wav"})


def main():
    bench = Bench(*sys.argv[1:5])
    for program in "mogrify", "sox", "ffmpeg":
        if shutil.which(program) is None:
            sys.exit(f"public.py: {program} is not there (scripts/deps --bench)")
    bench.pictures()
    bench.sound()


main()
