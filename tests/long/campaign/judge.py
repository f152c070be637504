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

import output

SECONDS = 60  # by the clock: longer is a hang
WORK_SECONDS = 5  # of processors, for small inputs; sanitizers take SANITIZED_TIMES as many
SANITIZED_TIMES = 4
MEGABYTES = 200  # --max-memory, where a command has none
REST_MEGABYTES = 128  # resident at most beside what --max-memory counts: code, stacks, tables of libraries
SANITIZED_MEGABYTES = 1800
DATA_BYTES = 1 << 30  # no process gets more, so that what reads without a bound ends before the machine does
FILE_BYTES = 1 << 28
ALIKE = 10  # lines for what is said in the same words; the rest is counted
CODES = (0, 1, 2, 3, 4, 5, 6, 141)
SANITIZER = re.compile(rb"ERROR: (Address|Leak|Thread)Sanitizer|runtime error:|hard rss limit exhausted")
# The module of a frame of a backtrace: of a sanitizer "#1 0x… in f (/lib/x.so+0x…)", of glibc "/lib/x.so(f+0x…)
# …"
FRAME = re.compile(rb"^(?:\s*#\d+ .*\((/[^()+]+)\+0x|(/[^(\s]+)\()|^\s*#\d+ .* (\S+\.[ch]):\d+", re.M)
SYSTEM = re.compile(rb"libc\.so|libasan|libubsan|shim\.so|ld-linux|libpthread|/sysdeps/|libsanitizer|libgcc_s")


@dataclass
class Ended:
    code: int
    out: bytes
    err: bytes
    megabytes: float
    seconds: float  # of processors
    hung: bool


@dataclass
class Case:
    """One command in a folder of its own, in which everything it needs lies and everything it makes ends."""

    folder: Path
    argv: list
    env: dict = field(default_factory=dict)
    stdin: bytes = b""
    leaks: bool = True  # what is still allocated at the end is a fault
    work: float = WORK_SECONDS  # seconds of processors that it may take

    def line(self, folder):
        assignments = [f"{key}={shlex.quote(value)}" for key, value in self.env.items()]
        words = " ".join(assignments
            + [quoted(word.replace(str(self.folder), str(folder))) for word in self.argv])
        return f"cd {folder} && {words}" + (" < stdin" if self.stdin else "")


def quoted(word):
    """For a shell, and for a terminal on which it is shown."""
    if word.isprintable():
        return shlex.quote(word)
    said = "".join(c if c.isprintable() and c not in "'\\" else said_in_hex(c) for c in word)
    return f"$'{said}'"


def said_in_hex(character):
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))


def send_if_there(process, number):
    with contextlib.suppress(ProcessLookupError):
        if process.returncode is None:
            os.kill(process.pid, number)


def memory_allowed(argv):
    """Megabytes of the last --max-memory; the usual number where it is none."""
    given = [argv[i + 1] for i, word in enumerate(argv[:-1]) if word == "--max-memory"]
    found = re.fullmatch(r"(\d{1,9})([KMG]?)", given[-1]) if given else None
    if found is None:
        return MEGABYTES
    return int(found[1]) * {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[found[2]] / (1 << 20)


class Judge:
    def __init__(self, halo, work, faults):
        self.halo, self.work, self.faults, self.shim = halo, work, faults, str(work / "shim.so")
        self.lock, self.found, self.theirs, self.alike, self.formats = threading.Lock(), 0, 0, {}, {}
        self.sanitized = b"__asan_init" in Path(halo).read_bytes()
        # of this process and what it starts
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if not self.sanitized:  # whose shadow is larger
            resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))
        suppressions = Path(__file__).resolve().parents[2] / "lsan.supp"
        self.environment = {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "UBSAN_OPTIONS": "exitcode=99:print_stacktrace=1",
            "LSAN_OPTIONS": f"suppressions={suppressions}:print_suppressions=0",
        }

    def options(self, case):
        """Of AddressSanitizer, for one case."""
        return {
            "ASAN_OPTIONS": "exitcode=99:allocator_may_return_null=1:verify_asan_link_order=0"
            f":quarantine_size_mb=8:hard_rss_limit_mb={SANITIZED_MEGABYTES}:detect_leaks={int(case.leaks)}"
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
                env=self.environment | self.options(case) | case.env,
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
        ended = Ended(
            process.returncode,
            out.read_bytes(),
            err.read_bytes(),
            usage.ru_maxrss / 1024,
            usage.ru_utime + usage.ru_stime,
            bool(hung),
        )
        out.unlink()
        err.unlink()
        return ended

    def count(self, name):
        """One more damaged input of this format."""
        format = name.rsplit(".", 1)[-1]
        with self.lock:
            self.formats[format] = self.formats.get(format, 0) + 1

    def leftovers(self, folder):
        return [
            name for _, _, names in os.walk(folder) for name in names
            if ".halo-" in name and "journal" not in name
        ]

    def too_much(self, case, ended):
        """Memory or time beyond what a small input may cost; None: neither."""
        most = SANITIZED_MEGABYTES if self.sanitized else memory_allowed(case.argv) + REST_MEGABYTES
        if ended.megabytes > most:
            return f"memory: {ended.megabytes:.0f} MiB, and {most:.0f} are allowed"
        if ended.seconds > case.work * (SANITIZED_TIMES if self.sanitized else 1):
            return f"time: {ended.seconds:.0f} s of processors"
        return None

    def wrong(self, case, ended, codes=CODES):
        """What is wrong with any command that ended so; None: nothing."""
        if ended.hung:
            return "hang"
        if ended.code < 0 and -ended.code not in [-code for code in codes]:
            return f"crash: by signal {-ended.code}"
        if SANITIZER.search(ended.err):
            return "sanitizer: " + SANITIZER.search(ended.err).group().decode()
        if ended.code not in codes:
            return f"exit {ended.code}"
        said = ended.err.strip() or (ended.code == 6 and ended.out.strip())  # compare's answer
        if ended.code > 0 and ended.code != 141 and not said:
            return f"without a word: exit {ended.code}"
        return self.too_much(case, ended) or output.wrong(case, ended)

    def cut_off(self, ended):
        """Is this a sanitizer's report without a stack?"""
        located = b"#0" in ended.err or b"runtime error" in ended.err
        return SANITIZER.search(ended.err) is not None and not located

    def in_a_library(self, ended):
        """Did it die in code that is not halo's?"""
        for frame in FRAME.finditer(ended.err):
            module = frame.group(1) or frame.group(2) or frame.group(3)
            if not SYSTEM.search(module):
                return os.path.basename(module) != b"halo" and frame.group(3) is None
        return False

    def in_the_loader(self, ended):
        """Did glibc end it, without memory for a table of a library that was being loaded
        (do_lookup_unique)?"""
        return ended.code == 127 and ended.err.endswith(b"out of memory\n")

    def report(self, what, case, ended):
        """One line, "WHAT: which"; the folder stays."""
        alike = what.split(":")[0]
        with self.lock:
            self.found += 1
            self.alike[alike] = self.alike.get(alike, 0) + 1
            if self.alike[alike] > ALIKE:
                return
            kept = self.faults / f"{self.found:03}"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(case.folder, kept, symlinks=True)
        if case.stdin:
            (kept / "stdin").write_bytes(case.stdin)
        (kept / "stdout").write_bytes(ended.out)
        (kept / "stderr").write_bytes(ended.err)
        shim = self.faults / "shim.so"
        if self.shim in case.env.values() and not shim.exists():
            shutil.copy(self.shim, shim)
        sys.stdout.write(f"FAULT {what}: {case.line(kept).replace(self.shim, str(shim))}\n")
        sys.stdout.flush()

    def clean(self, case, ended, codes=CODES):
        """Reports what is wrong with any command, temporaries included; true where nothing is."""
        what = self.wrong(case, ended, codes)
        left = self.leftovers(case.folder)
        if what is None and left:
            what = f"left: {left[0]}"
        if what is not None:
            self.report(what, case, ended)
        return what is None
