"""Record of the content of a site, so that the next time only the rest is written.

Where it is damaged, or another version has written it, all is made anew.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable
from functools import cache

import msgspec

import ciphermark
from ciphermark import contract
from ciphermark.files import rebuildable
from ciphermark.files.reading import UNREADABLE
from ciphermark.site.folder import STATE, Folder

VERSION = 7
"""Version of the data of pages; a site of another one is made anew."""


class AlgorithmFacts(msgspec.Struct, frozen=True):
    """Facts of an algorithm that pages show beside its figures."""

    title: str
    kind: str
    status: str
    reason: str
    """Reason for the status."""


def facts_of(algorithms: Iterable[contract.Algorithm]) -> dict[str, AlgorithmFacts]:
    """Returns the facts of algorithms by name."""
    return {
        algorithm.name: AlgorithmFacts(
            algorithm.title, algorithm.kind, algorithm.status, algorithm.status_reason
        )
        for algorithm in algorithms
    }


class Known(msgspec.Struct, frozen=True):
    """Facts that runs of the same plan and libraries share."""

    algorithms: tuple[str, ...]
    providers: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]
    """Versions of the libraries, by provider."""


class RunFacts(msgspec.Struct):
    """Facts of a run whose files are written."""

    known: int
    """Index in `State.known`."""
    whole: bool
    """True if its whole report is there, False if its figures alone."""


class State(msgspec.Struct):
    """Content of a site."""

    version: str = ""
    runs: dict[str, RunFacts] = {}
    known: list[Known] = []
    algorithms: dict[str, AlgorithmFacts] = {}
    verdicts: dict[str, dict[str, str]] = {}
    """Verdicts of runs of studies, by run and claim."""
    made_of: dict[str, str] = {}
    """Digests of the sources of data, by the name of the data."""

    def versions(self, run: str) -> dict[str, str]:
        """Returns the libraries of a run with their versions."""
        facts = self.runs.get(run)
        return dict(self.known[facts.known].versions) if facts else {}

    def add(self, run: str, known: Known, places: dict[Known, int], *, whole: bool) -> None:
        """Adds a run; `places` has the index of each of `known`."""
        if known not in places:
            places[known] = len(self.known)
            self.known.append(known)
        self.runs[run] = RunFacts(places[known], whole)


@cache
def version() -> str:
    """Returns the version of the code that makes pages: another may make others."""
    return f"{VERSION} {ciphermark.__version__} {contract.SCHEMA}"


def read(folder: Folder) -> State:
    """Returns the state that was written last; an empty one where there is none."""
    path = folder.path(STATE)
    with contextlib.suppress(OSError, rebuildable.NotWhole, *UNREADABLE):
        state = msgspec.json.decode(rebuildable.unsealed(path.read_bytes()), type=State)
        if state.version == version():
            return state
    return State(version=version())


def write(folder: Folder, state: State) -> None:
    """Writes the state for the next time, when all else is on the disk."""
    folder.write(STATE, rebuildable.sealed(msgspec.json.encode(state)))


def digest(parts: Iterable[object]) -> str:
    """Returns a digest of the sources of some data."""
    text = "\n".join(map(str, parts))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def place_of(text: str) -> str:
    """Returns the name of a file for something whose own name may be any text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
