"""What a site knows of what is in it, so that the next time only the rest is written.

It is never the truth: where it is damaged, or another version has written it, all is made anew.
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
"""Of the data of pages; a site of another one is made anew."""


class AlgorithmFacts(msgspec.Struct, frozen=True):
    """What pages say of an algorithm beside its figures."""

    title: str
    kind: str
    status: str
    reason: str
    """Why it has that status."""


def facts_of(algorithms: Iterable[contract.Algorithm]) -> dict[str, AlgorithmFacts]:
    """What pages say of these algorithms, by name."""
    return {
        algorithm.name: AlgorithmFacts(
            algorithm.title, algorithm.kind, algorithm.status, algorithm.status_reason
        )
        for algorithm in algorithms
    }


class Known(msgspec.Struct, frozen=True):
    """What runs of the same plan and libraries have in common."""

    algorithms: tuple[str, ...]
    providers: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]
    """Of the libraries, by provider."""


class RunFacts(msgspec.Struct):
    """What is known of one run whose files are written."""

    known: int
    """Its place in `State.known`."""
    whole: bool
    """Whether its whole report is there, or its figures alone."""


class State(msgspec.Struct):
    """Of one site."""

    version: str = ""
    runs: dict[str, RunFacts] = {}
    known: list[Known] = []
    algorithms: dict[str, AlgorithmFacts] = {}
    verdicts: dict[str, dict[str, str]] = {}
    """Of runs of studies, by claim."""
    made_of: dict[str, str] = {}
    """By the name of some data a digest of what it was made of."""

    def versions(self, run: str) -> dict[str, str]:
        """The libraries of a run with their versions."""
        facts = self.runs.get(run)
        return dict(self.known[facts.known].versions) if facts else {}

    def add(self, run: str, known: Known, places: dict[Known, int], *, whole: bool) -> None:
        """Takes note of a run; `places` has where each of `known` stands."""
        if known not in places:
            places[known] = len(self.known)
            self.known.append(known)
        self.runs[run] = RunFacts(places[known], whole)


@cache
def version() -> str:
    """Of what makes the pages: another ciphermark may make others."""
    return f"{VERSION} {ciphermark.__version__} {contract.SCHEMA}"


def read(folder: Folder) -> State:
    """What was written last; an empty one where that is not known."""
    path = folder.path(STATE)
    with contextlib.suppress(OSError, rebuildable.NotWhole, *UNREADABLE):
        state = msgspec.json.decode(rebuildable.unsealed(path.read_bytes()), type=State)
        if state.version == version():
            return state
    return State(version=version())


def write(folder: Folder, state: State) -> None:
    """Takes note for the next time, when all else is on the disk."""
    folder.write(STATE, rebuildable.sealed(msgspec.json.encode(state)))


def digest(parts: Iterable[object]) -> str:
    """Of what some data is made of."""
    text = "\n".join(map(str, parts))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def place_of(text: str) -> str:
    """The name of a file for something whose own name may be any text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
