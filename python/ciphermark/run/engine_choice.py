"""The engines that can be sent to another machine, and which of them a machine gets, decided from a
few facts that its shell tells.

`make engines` builds them, linked statically, into `dist/engines` of the source tree; a wheel that
was built there carries them. Elsewhere they may lie in the user's cache folder.

This machine's own engine is linked to glibc and measures the libraries that are installed there; it
is sent where it should start, and tried there. Everything else gets the static one of its
architecture, which measures what is compiled into it.
"""

from __future__ import annotations

import hashlib
import platform
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import msgspec

import ciphermark
from ciphermark.errors import UsageError
from ciphermark.files import user_folders
from ciphermark.files.reading import UNREADABLE
from ciphermark.run.engine import Engine

MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"} | {
    **{"armv7l": "armv7", "armv8l": "armv7", "armv7": "armv7", "riscv64": "riscv64"}
}
"""Machines with an engine, by what `uname -m` calls them on one system or another."""

CURE = "type: make engines (in ciphermark's source tree)"


class _Built(msgspec.Struct):
    file: str
    sha256: str
    bytes: int


class _Index(msgspec.Struct):
    """As `tools/index_engines.py` writes it."""

    version: str
    engines: dict[str, _Built]


@dataclass(frozen=True)
class StaticEngine:
    """An engine that needs nothing of the machine that it runs on but Linux."""

    path: Path
    machine: str
    sha256: str


def canonical_machine(machine: str) -> str:
    """The name of a machine as engines are named; UsageError where there is none for it."""
    found = MACHINES.get(machine.lower())
    if found is None:
        made = ", ".join(dict.fromkeys(MACHINES.values()))
        raise UsageError(f"there is no engine for {machine}: `make engines` makes them for {made}")
    return found


def static_engine(machine: str, folders: list[Path] | None = None) -> StaticEngine:
    """The static engine for a machine; UsageError when it was not made or is damaged."""
    machine = canonical_machine(machine)
    others = []
    for folder in places() if folders is None else folders:
        index = _read(folder / "index.json")
        if index is None or machine not in index.engines:
            continue
        if index.version == ciphermark.__version__:
            return _whole(folder, machine, index.engines[machine])
        others.append(f"{folder} has that of ciphermark {index.version}")
    why = f" ({'; '.join(others)}, and this is {ciphermark.__version__})" if others else ""
    raise UsageError(f"there is no static engine for {machine} here{why}; {CURE}")


def places() -> list[Path]:
    """Where engines are looked for: the source tree, the wheel's data, the user's cache folder."""
    package = Path(ciphermark.__file__).parent
    return [
        package.parents[1] / "dist" / "engines",
        package / "engines",
        user_folders.cache_folder() / "engines",
    ]


def own_machine() -> str:
    """What `uname -m` says here, as engines are named."""
    return MACHINES.get(platform.machine().lower(), platform.machine())


def _whole(folder: Path, machine: str, built: _Built) -> StaticEngine:
    """The engine if its file is there and has the hash that the index says."""
    path = folder / built.file
    if not path.is_file():
        raise UsageError(f"the engine {path} of the index beside it is missing; {CURE}")
    if hashlib.sha256(path.read_bytes()).hexdigest() != built.sha256:
        raise UsageError(f"the engine {path} is damaged: its SHA-256 is another; {CURE}")
    return StaticEngine(path, machine, built.sha256)


def _read(path: Path) -> _Index | None:
    """The index of a folder; None where there is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Index)
    except FileNotFoundError:
        return None
    except (OSError, *UNREADABLE) as error:
        raise UsageError(f"the index {path} of engines cannot be read ({error}); {CURE}") from None


LOADERS = {"x86_64": "/lib64/ld-linux-x86-64.so.2", "aarch64": "/lib/ld-linux-aarch64.so.1"} | {
    **{"armv7": "/lib/ld-linux-armhf.so.3", "riscv64": "/lib/ld-linux-riscv64-lp64d.so.1"}
}
"""Where programs that are linked to glibc look for their loader (the psABI of each)."""

OLDEST_KERNELS = {"x86_64": (3, 2), "aarch64": (4, 1), "armv7": (3, 2), "riscv64": (4, 20)}
"""What Rust's standard library needs (The rustc book, "Platform Support")."""

QUESTION = (
    "uname -m; uname -r; "
    "{ getconf GNU_LIBC_VERSION || ldd --version; } 2>&1 | head -n 1; "
    f"ls {' '.join(LOADERS.values())} 2>/dev/null; true"
)
"""What a POSIX shell is asked; `facts` reads the answer."""


@dataclass(frozen=True)
class Facts:
    """What is asked of a machine before an engine is sent to it."""

    machine: str
    """As `uname -m` says: `aarch64`."""
    kernel: str
    """As `uname -r` says: `5.10.0-8-arm64`."""
    libc: str = ""
    """In the words of `getconf GNU_LIBC_VERSION`, or of `ldd`; whatever else was printed there."""
    loaders: tuple[str, ...] = ()
    """Paths of glibc's loaders that are there."""
    name: str = "the machine"
    """What sentences call it."""


@dataclass(frozen=True)
class OwnEngine:
    """This machine's engine, and what it needs elsewhere."""

    path: Path
    machine: str
    glibc: tuple[int, int] | None
    """None where it is linked to no glibc."""
    musl: bool = False
    """Linked dynamically to musl."""


def facts(answer: str, name: str = "the machine") -> Facts:
    """The facts in the answer to `QUESTION`; UsageError where it is none."""
    lines = [line.strip() for line in answer.splitlines()]
    if len(lines) < 2 or not lines[0] or _numbers(lines[1]) is None:
        said = answer.strip().splitlines()[-1:] or ["nothing"]
        raise UsageError(f"{name} does not say what it is (uname -m, uname -r): {said[0]}")
    words = [line for line in lines[2:] if line and line not in LOADERS.values()]
    there = tuple(line for line in lines[2:] if line in LOADERS.values())
    return Facts(lines[0], lines[1], " ".join(words[:1]), there, name)


def choose(facts: Facts) -> Path:
    """The engine for a machine; UsageError where there is none for it or its kernel is too old."""
    machine = _supported(facts)
    own = own_engine()
    if fits(facts, own):
        return own.path
    try:
        return static_engine(machine).path
    except UsageError as error:
        needs = f"{facts.name} needs a static engine, since {why_not(facts, own)}"
        raise UsageError(f"{needs}: {error}") from None


def instead(facts: Facts, failed: Path, said: str) -> Path:
    """The engine in place of the one that was chosen, which was tried there and does not start,
    with its words: it may lack a library. UsageError where there is no other."""
    does_not = f"{failed.name} does not start on {facts.name} ({said})"
    try:
        other = static_engine(_supported(facts)).path
    except UsageError as error:
        raise UsageError(f"{does_not}; a static one may, but {error}") from None
    if other == failed:
        raise UsageError(f"{does_not}, although it needs nothing there but Linux; {CURE}")
    return other


def fits(facts: Facts, own: OwnEngine) -> bool:
    """Whether this machine's own engine starts there."""
    return why_not(facts, own) == ""


def why_not(facts: Facts, own: OwnEngine) -> str:
    """Why this machine's own engine does not start there; empty where it does."""
    if MACHINES.get(facts.machine.lower()) != own.machine:
        return f"it is {facts.machine}, this machine's engine is for {own.machine}"
    if own.musl:
        return "this machine's engine is linked to this machine's musl"
    if own.glibc is None:
        return ""
    needed = ".".join(map(str, own.glibc))
    found = glibc(facts.libc)
    if found is None:
        return f"it has no glibc, and this machine's engine needs {needed}"
    if found < own.glibc:
        return f"its glibc is {'.'.join(map(str, found))}, this machine's engine needs {needed}"
    if LOADERS[own.machine] not in facts.loaders:
        return f"it has no {LOADERS[own.machine]}"
    return ""


def glibc(words: str) -> tuple[int, int] | None:
    """The version of glibc in what `getconf` or `ldd` says; None of another C library.

    `getconf` says `glibc 2.36`; `ldd` says `ldd (Debian GLIBC 2.36-9+deb12u14) 2.36`, or
    `ldd (GNU libc) 2.34`; musl's says `musl libc (x86_64)`.
    """
    if not re.search(r"glibc|gnu libc", words, re.IGNORECASE):
        return None
    versions = re.findall(r"(?<![\d.])(\d+)\.(\d+)", words)
    return (int(versions[-1][0]), int(versions[-1][1])) if versions else None


def own_engine() -> OwnEngine:
    """The engine of this machine; UsageError where there is none."""
    return _engine_at(Engine().path)


@cache
def _engine_at(path: Path) -> OwnEngine:
    """Reads an engine once for all machines of a fleet."""
    content = path.read_bytes()
    return OwnEngine(path, own_machine(), glibc_needed(content), b"\0/lib/ld-musl-" in content)


def glibc_needed(program: bytes) -> tuple[int, int] | None:
    """The newest version of glibc whose symbols a program, or what is embedded in it, asks for."""
    needed = re.findall(rb"\0GLIBC_(\d+)\.(\d+)", program)
    return max((int(major), int(minor)) for major, minor in needed) if needed else None


def _supported(facts: Facts) -> str:
    """The machine's name, where there are engines for it and for its kernel."""
    try:
        machine = canonical_machine(facts.machine)
    except UsageError as error:
        raise UsageError(f"{facts.name}: {error}") from None
    kernel, oldest = _numbers(facts.kernel), OLDEST_KERNELS[machine]
    if kernel is None or kernel < oldest:
        raise UsageError(
            f"the kernel of {facts.name} is {facts.kernel}, and the engine needs Linux "
            f"{'.'.join(map(str, oldest))} or newer"
        )
    return machine


def _numbers(release: str) -> tuple[int, int] | None:
    """The first two numbers of a kernel's release."""
    found = re.match(r"(\d+)\.(\d+)", release)
    return (int(found[1]), int(found[2])) if found else None
