"""What the machines of stored runs are, kept so that not every context is read each time."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from ciphermark import contract
from ciphermark.errors import WorkError
from ciphermark.files import rebuildable
from ciphermark.record.layout import table_file

FILE = "machines.json"


class _Environment(msgspec.Struct):
    machine: contract.Machine


class _Hello(msgspec.Struct):
    """Of a greeting what is wanted here; the rest is not even decoded."""

    environment: _Environment


class _Content(msgspec.Struct):
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
    wanted, known = list(runs), _read(root / FILE)
    missing = [run for run in wanted if run not in known]
    if missing:
        with copies(missing) as place:
            known |= {run: _machine(place / run) for run in missing}
        # Runs that nobody asks for any longer are forgotten.
        _write({run: known[run] for run in wanted}, root / FILE)
    return {run: machine for run in wanted if (machine := known[run]) is not None}


def _machine(folder: Path) -> contract.Machine | None:
    from ciphermark.record import parquet

    file = table_file(folder, "context")
    with contextlib.suppress(WorkError), parquet.explained(file):
        [text] = parquet.read(file, ["hello"])["hello"].to_pylist()
        hello: _Hello | None = msgspec.json.decode(text, type=_Hello | None)
        return hello.environment.machine if hello else None
    return None


def _read(path: Path) -> dict[str, contract.Machine | None]:
    content = rebuildable.read(path, _Content)
    if content is None or content.fields != contract.Machine.__struct_fields__:
        return {}
    return content.machines


def _write(machines: dict[str, contract.Machine | None], path: Path) -> None:
    rebuildable.write(path, _Content(contract.Machine.__struct_fields__, machines))
