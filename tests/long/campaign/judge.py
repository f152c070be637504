"""Runs a command within limits and says what is wrong with how it ended."""

import contextlib
import os
import re
import resource
import shlex
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

SECONDS = 60  # for what takes milliseconds: longer is a hang
MEGABYTES = 600  # resident at most, where --max-memory allows 200
FILE_BYTES = 1 << 28
ALIKE = 10  # lines for what is said in the same words; the rest is counted
SANITIZER = re.compile(rb"ERROR: (Address|Leak|Thread)Sanitizer|runtime error:")
# Whose code a frame of a backtrace is in: of a sanitizer "#1 0x… in f (/lib/x.so+0x…)", of glibc "/lib/x.so(f+0x…) …"
FRAME = re.compile(rb"^(?:\s*#\d+ .*\((/[^()+]+)\+0x|(/[^(\s]+)\()|^\s*#\d+ .* (\S+\.[ch]):\d+", re.M)
NOBODY = re.compile(rb"libc\.so|libasan|libubsan|shim\.so|ld-linux|libpthread|/sysdeps/|libsanitizer|libgcc_s")


@dataclass
class Ended:
    code: int
    out: bytes
    err: bytes
    megabytes: float
    hung: bool


@dataclass
class Case:
    """One command in a folder of its own, in which everything it needs lies and everything it makes ends."""

    folder: Path
    argv: list
    env: dict = field(default_factory=dict)
    stdin: bytes = b""

    def line(self, folder):
        assignments = [f"{key}={shlex.quote(value)}" for key, value in self.env.items()]
        words = " ".join(assignments + [shlex.join(self.argv)])
        return f"cd {folder} && {words}" + (" < stdin" if self.stdin else "")


def send_if_there(process, number):
    with contextlib.suppress(ProcessLookupError):
        if process.returncode is None:
            os.kill(process.pid, number)


class Judge:
    def __init__(self, halo, work, faults):
        self.halo, self.work, self.faults, self.shim = halo, work, faults, str(work / "shim.so")
        self.lock, self.found, self.theirs, self.alike = threading.Lock(), 0, 0, {}
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))  # of this process and what it starts
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.sanitized = b"__asan_init" in Path(halo).read_bytes()
        suppressions = Path(__file__).resolve().parents[2] / "lsan.supp"
        self.environment = {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "ASAN_OPTIONS": "exitcode=99:allocator_may_return_null=1:verify_asan_link_order=0:quarantine_size_mb=8"
            ":detect_leaks=0",
            "UBSAN_OPTIONS": "exitcode=99:print_stacktrace=1",
            "LSAN_OPTIONS": f"suppressions={suppressions}:print_suppressions=0",
        }

    def run(self, case, send=None):
        """`send`: a signal and the seconds after which it is sent."""
        out, err = case.folder.with_suffix(".out"), case.folder.with_suffix(".err")
        hung = []
        with open(out, "wb") as to_out, open(err, "wb") as to_err:
            process = subprocess.Popen(
                case.argv,
                cwd=case.folder,
                stdin=subprocess.PIPE,
                stdout=to_out,
                stderr=to_err,
                env=self.environment | case.env,
                start_new_session=True,
            )
            timers = [threading.Timer(SECONDS, lambda: (hung.append(True), os.killpg(process.pid, 9)))]
            if send is not None:
                timers.append(threading.Timer(send[1], send_if_there, [process, send[0]]))
            for timer in timers:
                timer.start()
            try:
                process.stdin.write(case.stdin)
                process.stdin.close()
            except OSError:
                pass
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            for timer in timers:
                timer.cancel()
        ended = Ended(process.returncode, out.read_bytes(), err.read_bytes(), usage.ru_maxrss / 1024, bool(hung))
        out.unlink()
        err.unlink()
        return ended

    def leftovers(self, folder):
        return [
            name for _, _, names in os.walk(folder) for name in names if ".halo-" in name and "journal" not in name
        ]

    def wrong(self, ended, codes=(0, 1, 2, 3, 4, 5, 141)):
        """What is wrong with any command that ended so; None: nothing."""
        if ended.hung:
            return "hang"
        if ended.code < 0 and -ended.code not in [-code for code in codes]:
            return f"crash by signal {-ended.code}"
        if SANITIZER.search(ended.err):
            return "sanitizer: " + SANITIZER.search(ended.err).group().decode()
        if ended.code not in codes:
            return f"exit {ended.code}"
        if ended.megabytes > MEGABYTES * (3 if self.sanitized else 1):
            return f"memory: {ended.megabytes:.0f} MiB"
        if ended.code > 0 and ended.code != 141 and not ended.err.strip():
            return f"exit {ended.code} without a word"
        return None

    def cut_off(self, ended):
        """Is this a sanitizer's report without a stack?"""
        return SANITIZER.search(ended.err) is not None and b"#0" not in ended.err and b"runtime error" not in ended.err

    def in_a_library(self, ended):
        """Did it die in code that is not halo's?"""
        for frame in FRAME.finditer(ended.err):
            module = frame.group(1) or frame.group(2) or frame.group(3)
            if not NOBODY.search(module):
                return os.path.basename(module) != b"halo" and frame.group(3) is None
        return False

    def report(self, what, case, ended):
        """One line; the folder stays."""
        with self.lock:
            self.found += 1
            self.alike[what] = self.alike.get(what, 0) + 1
            if self.alike[what] > ALIKE:
                return
            kept = self.faults / f"{self.found:03}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(case.folder, kept, symlinks=True)
        if case.stdin:
            (kept / "stdin").write_bytes(case.stdin)
        (kept / "stderr").write_bytes(ended.err)
        shim = self.faults / "shim.so"
        if self.shim in case.env.values() and not shim.exists():
            shutil.copy(self.shim, shim)
        sys.stdout.write(f"FAULT {what}: {case.line(kept).replace(self.shim, str(shim))}\n")
        sys.stdout.flush()

    def clean(self, case, ended, codes=(0, 1, 2, 3, 4, 5, 141)):
        """Reports what is wrong with any command, temporaries included; true where nothing is."""
        what = self.wrong(ended, codes)
        left = self.leftovers(case.folder)
        if what is None and left:
            what = f"left {left[0]}"
        if what is not None:
            self.report(what, case, ended)
        return what is None
