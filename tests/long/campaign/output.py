"""What a command says and draws: text without control characters, JSON and XML that others can read."""

import json
import os
import re
import xml.etree.ElementTree

# C0 but the newline and the tab, DEL, C1 as a character or as a byte, and what turns the direction of writing
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\udc80-\udc9f]")
WRITERS = ("-o", "--output", "--plot", "--plot-response", "--generate")


def holds_samples(argv):
    """Is standard output what a file would be?"""
    return any(
        word in WRITERS and argv[i + 1] == "-" or word in [f"{writer}=-" for writer in WRITERS]
        for i, word in enumerate(argv[:-1])
    ) or argv[-1].startswith(("-o-", "--output=-"))


def control(data):
    found = CONTROL.search(data.decode("utf-8", "surrogateescape"))
    return None if found is None else f"{ord(found.group()):#x}"


def refuse(word):
    raise ValueError(word)


def not_json(out):
    for line in out.splitlines():
        if line.startswith(b"{"):
            try:
                json.loads(line.decode("utf-8"), parse_constant=refuse)
            except ValueError as error:
                return f"JSON: {type(error).__name__}"
    return None


def not_xml(folder):
    for path, _, names in os.walk(folder):
        for name in names:
            file = os.path.join(path, name)
            if not name.endswith(".svg") or os.path.islink(file):
                continue
            try:
                xml.etree.ElementTree.parse(file)
            except xml.etree.ElementTree.ParseError:
                return "SVG: malformed"
    return None


def wrong(case, ended):
    """None: nothing."""
    found = control(ended.err)
    if found is not None:
        return f"control character: {found} on standard error"
    if not holds_samples(case.argv):
        if "--json" in case.argv:
            found = not_json(ended.out)
            if found is not None:
                return found
        elif (found := control(ended.out)) is not None:
            return f"control character: {found} on standard output"
    return not_xml(case.folder) if ended.code == 0 else None
