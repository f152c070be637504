"""Command lines drawn at random: operations with any values, options that may not go together, rubbish."""

import json
import re
import shutil
import subprocess

from judge import Case

NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "-1",
    "0.5",
    "1e9",
    "1e-9",
    "1e308",
    "-1e308",
    "inf",
    "nan",
    "2147483648",
    "9223372036854775807",
    "0x1f",
    "99999999999999999999",
    "1,5",
    "7",
    "15",
    "31",
    "511",
]
WORDS = [
    "",
    "x",
    "yes",
    "u8",
    "u16",
    "f32",
    "s24",
    "5ms",
    "1s",
    "100%",
    "4kHz",
    "3+3",
    "0+0",
    "-1+9",
    "constant=300",
    "replicate",
    "mirror",
    "wrap",
    "valid",
    "keep",
    "zero",
    "reflect",
    "all",
    "each",
    "fast",
    "exact",
    "gray.pgm",
    "missing",
    "/dev/null",
    "/",
    ".",
    "\u00e9",
    "a\nb",
    "'",
    '"',
    "%s",
    "{stem}",
    "{index:04}.png",
    "*",
    "3x3: 1,2,1",
    "1/2",
    "3/2",
    "auto",
    "cpu",
    "gpu",
    "p.svg",
    "p.png",
    "u8:3x3x1",
    "s16,8000,2",
    "-",
]
FORMATS = ["png", "jpeg", "tiff", "pnm", "pam", "npy", "raw", "wav", "flac", "ogg", "hdr", "pbm", "csv", "opus"]
FORMATS += ["bmp", "tga", "qoi", "nrrd", "nii", "nii.gz", "mha", "mrc", "npz"]
FOREVER = {"--runs", "--generate"}
COMMANDS = ["run", "stats", "hist", "scan", "info", "list", "merge", "stack", "join", "compare", "plot"]
COMMANDS += ["waveform"]
WRITING = ["run", "scan", "stack", "join", "compare", "plot", "waveform"]
STACKS = ["mean", "median", "sum", "mean:clip=3", "(v-mean)", 'reduce:"a+b"']
WITHOUT_MEMORY = ["list", "merge", "info", "join", "plot"]  # they have no --max-memory


class Commands:
    def __init__(self, judge, seeds):
        self.judge, self.seeds = judge, seeds
        self.names = [path.name for path in sorted(seeds.iterdir())]
        listed = self.output_of("list", "ops", "--json")
        self.ops = [op for op in map(json.loads, listed.splitlines()) if op["type"] == "op"]
        self.options = {}  # of each command: long name and whether it takes a value
        for command in COMMANDS:
            found = re.findall(r"^ +(?:-(\w), )?(--[\w-]+)( \S+)?", self.output_of("help", command), re.M)
            self.options[command] = [(name, bool(value.strip())) for _, name, value in found
                if name not in FOREVER]

    def output_of(self, *words):
        return subprocess.run(
            [self.judge.halo, *words], env=self.judge.environment, capture_output=True, check=True
        ).stdout.decode()

    def value(self, draw):
        return draw.choice(NUMBERS if draw.random() < 0.6 else WORDS)

    def operation(self, draw):
        op = draw.choice(self.ops)
        if draw.random() < 0.3:
            return op["example"]
        values = []
        for param in op["params"]:
            if draw.random() < (0.9 if param["required"] else 0.25):
                choices = param.get("choices") or [param.get("default") or self.value(draw)]
                value = draw.choice(choices) if draw.random() < 0.4 else self.value(draw)
                values.append(f"{param['key']}={value}" if draw.random() < 0.9 else value)
        return op["name"] + (":" + ",".join(values) if values else "")

    def long(self, draw):
        """As many operations as programs write that make pipelines: one after the other, or one in the
        other."""
        one = draw.choice(["gauss:1", "invert", "box:3", "median:3", "stats", "pad:1"])
        # Of sound, stats keeps the last three seconds for the loudness, 2 MB, and pad adds two.
        many = draw.choice([60, 100] if one in ("stats", "pad:1") else [60, 300, 1000])
        return " | ".join([one] * many) if draw.random() < 0.5 else "add:[" * many + one + "]" * many

    def pipeline(self, draw):
        if draw.random() < 0.015:
            return self.long(draw)
        text = draw.choice([" | ", "|"]).join(self.operation(draw) for _ in range(draw.choice([1, 1, 1, 2, 3])))
        if draw.random() < 0.1 and text:
            at = draw.randrange(len(text))
            text = text[:at] + draw.choice(["|", ":", ",", "=", '"', "[", " ", "\\"]) + text[at
                + draw.randrange(2) :]
        return text

    def line(self, draw):
        command = draw.choice(["run"] * 8 + COMMANDS)
        words = [self.pipeline(draw)] if command == "run" else []
        if command == "stack":
            words = [draw.choice([*STACKS, self.value(draw)])]
        words += (
            draw.sample(self.names, draw.choice([0, 1, 1, 1, 1, 2, 3]))
            if command != "list"
            else [draw.choice(["ops", "masks", "devices"])]
        )
        if command in WRITING:
            words += draw.choice([["-o", "out." + draw.choice(FORMATS)], ["-o", "-"], ["--out-dir", "o"], []])
        for name, takes in draw.choices(self.options[command], k=draw.choice([0, 0, 1, 1, 2, 3])):
            words += [name, self.value(draw)] if takes else [name]
        if "--max-memory" not in words and command not in WITHOUT_MEMORY:
            words += ["--max-memory", "200M"]
        if draw.random() < 0.05:
            words.insert(draw.randrange(len(words) + 1), self.value(draw))
        return [command, *words]

    def case(self, draw, folder):
        words = [word.replace("\0", "") for word in self.line(draw)]
        for word in words:
            if word in self.names:
                shutil.copy(self.seeds / word, folder / word)
        little = ["sh", "-c", 'ulimit -s 128 && exec "$@"', "sh"]  # of stack, as in some containers
        case = Case(
            folder,
            [*(little if draw.random() < 0.05 and not self.judge.sanitized else []), self.judge.halo, *words],
            stdin=(self.seeds / draw.choice(self.names)).read_bytes() if "-" in words else b"",
        )
        ended = self.judge.run(case)
        if self.judge.clean(case, ended) and ended.code == 0:
            missing = [
                words[i + 1]
                for i, word in enumerate(words[:-1])
                if word == "-o"
                and words[i + 1] != "-"
                and not (folder / words[i + 1]).exists()
                and "--explain" not in words
                and "--dry-run" not in words
            ]
            if missing and not {"--help", "--shard"} & set(words):
                self.judge.report(f"exit 0 without {missing[0]}", case, ended)
