"""The index of a runs folder: the summaries of all runs in one file.

It is never the truth. Each look compares it with the folder, reads the contexts of the runs that it
lacks, forgets those that have vanished, and writes it again; what cannot be written is only kept in
memory. Of 10,000 runs the contexts take some ten seconds to read, the index 0.05 s; it is JSON,
since a Parquet reader alone takes 0.2 s to import.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.errors import WorkError
from ciphermark.files import rebuildable
from ciphermark.files.reading import UNREADABLE
from ciphermark.record.layout import run_ids, table_file
from ciphermark.record.run import Summary

INDEX_FILE = "index.json"


class Listing(msgspec.Struct, frozen=True):
    """What is known of the runs in a folder."""

    summaries: list[Summary]
    """Newest first."""
    unreadable: list[str]
    """For each run that cannot be read, the sentence that names it and says why."""


class _Content(msgspec.Struct):
    """What the file holds."""

    fields: tuple[str, ...]
    """`_FIELDS` when it was written: another version's index is not used."""
    summaries: list[Summary]


_FIELDS = (*Summary.__struct_fields__, "cases counted by rows")


Reader = Callable[[Sequence[str]], tuple[dict[str, Summary], list[str]]]
"""What reads the summaries of runs: those that can be read, and a sentence for each other one."""


def refreshed(root: Path) -> Listing:
    """Brings the index of a folder up to date, and returns what it lists."""
    return brought_up_to_date(root, run_ids(root), lambda runs: read_contexts(root, runs))


def brought_up_to_date(root: Path, stored: Sequence[str], read: Reader) -> Listing:
    """The same where the runs that are `stored` lie elsewhere than the index, which is in `root`.

    Only the runs that the index lacks are read.
    """
    content = rebuildable.read(root / INDEX_FILE, _Content)
    indexed = {summary.run: summary for summary in _listed(content)}
    if indexed.keys() == set(stored):
        return Listing(list(indexed.values()), [])
    added, unreadable = read(sorted(set(stored).difference(indexed)))
    known = indexed | added
    summaries = [known[run] for run in stored if run in known]
    summaries.sort(key=lambda summary: summary.started_unix_ns, reverse=True)
    if added or len(summaries) < len(known):
        rebuildable.write(root / INDEX_FILE, _content(summaries))
    return Listing(summaries, unreadable)


def read_contexts(root: Path, runs: Iterable[str]) -> tuple[dict[str, Summary], list[str]]:
    """The summaries of runs whose folders lie in `root`, and what is wrong with the others."""
    from ciphermark.record.run_folder import read_counted

    summaries: dict[str, Summary] = {}
    unreadable: list[str] = []
    for run in runs:
        try:
            # The folder's name is what a run is found by, even if someone has renamed it.
            summaries[run] = msgspec.structs.replace(read_counted(root / run), run=run)
        except WorkError as error:
            unreadable.append(str(error))
    return summaries, unreadable


def decoded(file: bytes) -> list[Summary]:
    """What an index lists; nothing when it is damaged or of another version."""
    with contextlib.suppress(*UNREADABLE):
        return _listed(msgspec.json.decode(rebuildable.unsealed(file), type=_Content))
    return []


def encoded(summaries: list[Summary]) -> bytes:
    """The inverse of `decoded`."""
    return rebuildable.sealed(msgspec.json.encode(_content(summaries)))


def _content(summaries: list[Summary]) -> _Content:
    return _Content(_FIELDS, summaries)


def _listed(content: _Content | None) -> list[Summary]:
    if content is None or content.fields != _FIELDS:
        return []
    return content.summaries


MACHINES_FILE = "machines.json"


class _Environment(msgspec.Struct):
    machine: contract.Machine


class _Hello(msgspec.Struct):
    """Of a greeting what is wanted here; the rest is not even decoded."""

    environment: _Environment


class _Machines(msgspec.Struct):
    fields: tuple[str, ...]
    """Those of `contract.Machine` when it was written: another version's file is not used."""
    machines: dict[str, contract.Machine | None]


def machines(
    root: Path,
    runs: Iterable[str],
    copies: Callable[[Sequence[str]], AbstractContextManager[Path]],
) -> dict[str, contract.Machine]:
    """The machine of each of these runs, where the run tells.

    `copies` gives a folder in which runs have their context; `root` is where the answers are kept.
    """
    wanted, known = list(runs), _read_machines(root / MACHINES_FILE)
    missing = [run for run in wanted if run not in known]
    if missing:
        with copies(missing) as place:
            known |= {run: _machine(place / run) for run in missing}
        # Runs that nobody asks for any longer are forgotten.
        _write_machines({run: known[run] for run in wanted}, root / MACHINES_FILE)
    return {run: machine for run in wanted if (machine := known[run]) is not None}


def _machine(folder: Path) -> contract.Machine | None:
    from ciphermark.record import parquet

    file = table_file(folder, "context")
    with contextlib.suppress(WorkError), parquet.explained(file):
        [text] = parquet.read(file, ["hello"], parquet.MOST_OF_CONTEXT)["hello"].to_pylist()
        hello: _Hello | None = msgspec.json.decode(text, type=_Hello | None)
        return hello.environment.machine if hello else None
    return None


def _read_machines(path: Path) -> dict[str, contract.Machine | None]:
    content = rebuildable.read(path, _Machines)
    if content is None or content.fields != contract.Machine.__struct_fields__:
        return {}
    return content.machines


def _write_machines(machines: dict[str, contract.Machine | None], path: Path) -> None:
    rebuildable.write(path, _Machines(contract.Machine.__struct_fields__, machines))
