"""Checks the engines of a folder and writes its index: tools/index_engines.py FOLDER MACHINE...

Refuses an engine that needs a loader or libraries, that is for another machine than its name says,
or that is too large to be sent to a router.
"""

import hashlib
import json
import runpy
import struct
import sys
from pathlib import Path

NAME = "ciphermark-engine-"
MACHINES = {"x86_64": 62, "aarch64": 183}
"""`e_machine` of each (ELF's gABI, "ELF Header": EM_X86_64, EM_AARCH64)."""

MOST_BYTES = 15_000_000

PT_DYNAMIC, PT_INTERP, DT_NEEDED = 2, 3, 1


def index(folder, machines):
    """What is written into the index; a sentence and exit when an engine is not as it must be."""
    engines = {}
    for machine in machines:
        path = folder / (NAME + machine)
        content = path.read_bytes()
        wrong = fault(content, MACHINES[machine])
        if wrong:
            sys.exit(f"the engine {path} {wrong}")
        digest = hashlib.sha256(content).hexdigest()
        engines[machine] = {"file": path.name, "sha256": digest, "bytes": len(content)}
    toolchain = runpy.run_path(str(Path(__file__).with_name("toolchain.py")))
    return {"version": toolchain["workspace_version"](), "engines": engines}


def fault(content, machine):
    """What is wrong with an engine for the machine of that number, None when nothing is."""
    if content[:6] != b"\x7fELF\x02\x01":
        return "is no program for 64-bit little-endian Linux"
    (found,) = struct.unpack_from("<H", content, 18)
    if found != machine:
        return f"is for machine {found} of ELF, not {machine}"
    if len(content) > MOST_BYTES:
        return f"has {len(content)} bytes, more than {MOST_BYTES}"
    for kind, offset, size in segments(content):
        if kind == PT_INTERP:
            return "needs a loader: it is not linked statically"
        if kind == PT_DYNAMIC and DT_NEEDED in tags(content[offset : offset + size]):
            return "needs shared libraries: it is not linked statically"
    return None


def segments(content):
    """Kind, offset and bytes of each segment."""
    (start,) = struct.unpack_from("<Q", content, 32)
    size, count = struct.unpack_from("<HH", content, 54)
    for place in range(start, start + count * size, size):
        kind, _, offset, _, _, filesz = struct.unpack_from("<IIQQQQ", content, place)
        yield kind, offset, filesz


def tags(dynamic):
    """The tags of a dynamic section, which a position-independent static program has too."""
    return {tag for tag, _ in struct.iter_unpack("<qQ", dynamic[: len(dynamic) // 16 * 16])}


def main():
    folder = Path(sys.argv[1])
    text = json.dumps(index(folder, sys.argv[2:]), indent=2)
    (folder / "index.json").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
