"""The engines that can be sent to another machine: which there are, where they lie, and whether
they are whole.

`make engines` builds them, linked statically, into `dist/engines` of the source tree; a wheel that
was built there carries them. Elsewhere they may lie in the user's cache folder.
"""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass
from pathlib import Path

import msgspec
import platformdirs

import ciphermark
from ciphermark.errors import UsageError
from ciphermark.files.decoding import UNREADABLE
from ciphermark.measure.engine import Engine

MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
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


def engine_for(machine: str, folders: list[Path] | None = None) -> Path:
    """The engine for a machine of that name (`uname -m`): the static one, or this machine's own.

    Raises UsageError when there is none.
    """
    machine = canonical_machine(machine)
    try:
        return static_engine(machine, folders).path
    except UsageError:
        own = Engine()
        if own_machine() != machine:
            raise
        return own.path


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
        platformdirs.user_cache_path("ciphermark") / "engines",
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
