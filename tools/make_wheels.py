"""Builds wheels and checks them: tools/make_wheels.py TOOLCHAIN FOLDER LIBC-MACHINE...

LIBC-MACHINE is such as manylinux-x86_64 (any glibc since 2.17) or musllinux-aarch64. TOOLCHAIN is
as in tools/cross_build.sh. Two builds of one commit are the same bytes.
"""

import json
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MACHINES = ("x86_64", "aarch64")
LIBRARIES = {
    "manylinux": ("unknown-linux-gnu", ".2.17", "manylinux_2_17_{0}.manylinux2014_{0}"),
    "musllinux": ("unknown-linux-musl", "", "musllinux_1_2_{0}"),
}
"""Rust's name of each C library, the version for the linker, and the tag of wheels."""


def make(toolchain, folder, libc, machine):
    """Builds a wheel and checks it; returns its path."""
    system, version, tag = LIBRARIES[libc]
    target = f"{machine}-{system}"
    cross_build = str(ROOT / "tools" / "cross_build.sh")
    _run(cross_build, str(toolchain), "dynamic", target + version)
    built = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "dynamic" / target
    engine = built / "release" / "ciphermark-engine"
    if str(ROOT).encode() in engine.read_bytes():
        sys.exit(f"{engine} names {ROOT}: another folder would give other bytes")
    sbom = built / "ciphermark.cdx.json"
    _run(sys.executable, str(ROOT / "tools" / "write_sbom.py"), target, str(sbom))
    os.environ |= {
        "CIPHERMARK_ENGINE": str(engine),
        "CIPHERMARK_PLATFORM": tag.format(machine),
        "CIPHERMARK_SBOM": str(sbom),
    }
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder))
    version = runpy.run_path(str(ROOT / "tools" / "toolchain.py"))["workspace_version"]()
    wheel = folder / f"ciphermark-{version}-py3-none-{tag.format(machine)}.whl"
    _check(wheel, tag.format(machine).split(".")[0])
    return wheel


def _check(wheel, wanted):
    """Exits where auditwheel finds that a wheel needs more than its tag promises."""
    found = json.loads(_run(sys.executable, "-m", "auditwheel", "show", "--json", str(wheel)))
    if not allows(found["overall_tag"], wanted):
        sys.exit(f"{wheel} is {found['overall_tag']} for auditwheel, not {wanted}")


def allows(tag, wanted):
    """Returns whether a tag is as wide as the wanted one, such as manylinux_2_17_x86_64."""
    pattern = r"(many|musl)linux_(\d+)_(\d+)_(\w+)"
    (found, *oldest, machine), (libc, *newest, of) = (
        re.fullmatch(pattern, text).groups() if re.fullmatch(pattern, text) else ("", 0, 0, "")
        for text in (tag, wanted)
    )
    return (found, machine) == (libc, of) and [*map(int, oldest)] <= [*map(int, newest)]


def _run(*line):
    done = subprocess.run(line, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"this failed; the reason is above: {' '.join(line)}")
    return done.stdout


def main():
    toolchain, folder = (Path(text).resolve() for text in sys.argv[1:3])
    wanted = [text.partition("-")[::2] for text in sys.argv[3:]]
    for libc, machine in wanted:
        if libc not in LIBRARIES or machine not in MACHINES:
            sys.exit(
                f"there is no wheel {libc}-{machine}: write one of "
                + ", ".join(f"{libc}-{machine}" for libc in LIBRARIES for machine in MACHINES)
            )
    line = ("git", "log", "-1", "--format=%ct")
    os.environ.setdefault("SOURCE_DATE_EPOCH", _run(*line).strip())
    for libc, machine in wanted:
        wheel = make(toolchain, folder, libc, machine)
        print(f"{wheel}, {wheel.stat().st_size / 1e6:.1f} MB", flush=True)


if __name__ == "__main__":
    main()
