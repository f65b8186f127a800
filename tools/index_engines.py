"""Checks the engines of a folder and writes its index: tools/index_engines.py FOLDER

Refuses an engine that needs a loader or libraries, that is for another machine than its name says,
or that is too large to be sent to a router.
"""

import hashlib
import io
import json
import runpy
import sys
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

NAME = "ciphermark-engine-"
MACHINES = {
    "x86_64": ("EM_X86_64", 64),
    "aarch64": ("EM_AARCH64", 64),
    "armv7": ("EM_ARM", 32),
    "riscv64": ("EM_RISCV", 64),
}
"""`e_machine` of each and its word length (ELF's gABI, "ELF Header")."""

MOST_BYTES = 15_000_000


def index(folder):
    """Returns the index of a folder; exits with a sentence where an engine is wrong."""
    engines = {}
    for machine in MACHINES:
        path = folder / (NAME + machine)
        if not path.exists():
            continue
        content = path.read_bytes()
        wrong = fault(content, machine)
        if wrong:
            sys.exit(f"the engine {path} {wrong}")
        digest = hashlib.sha256(content).hexdigest()
        engines[machine] = {"file": path.name, "sha256": digest, "bytes": len(content)}
    toolchain = runpy.run_path(str(Path(__file__).with_name("toolchain.py")))
    return {"version": toolchain["workspace_version"](), "engines": engines}


def fault(content, machine):
    """Returns the fault of an engine for that machine, None where it has none."""
    try:
        program = ELFFile(io.BytesIO(content))
    except ELFError:
        return "is no program for Linux"
    found = (program["e_machine"], program.elfclass)
    if found != MACHINES[machine] or not program.little_endian:
        return f"is for {found[0]}, {found[1]} bits, not {machine}"
    if len(content) > MOST_BYTES:
        return f"has {len(content)} bytes, more than {MOST_BYTES}"
    for segment in program.iter_segments():
        kind = segment["p_type"]
        if kind == "PT_INTERP":
            return "needs a loader: it is not linked statically"
        if kind == "PT_DYNAMIC" and any(tag["d_tag"] == "DT_NEEDED" for tag in segment.iter_tags()):
            return "needs shared libraries: it is not linked statically"
    return None


def main():
    folder = Path(sys.argv[1])
    text = json.dumps(index(folder), indent=2)
    (folder / "index.json").write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
