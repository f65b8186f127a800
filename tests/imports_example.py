"""Outputs of other programs (`imported/`), and runs that are made of them.

Real outputs, made by the program on a machine: `openssl-3.0*.txt`. From pages where people have
published them, shortened: `openssl-1.1.1.txt` (a NanoPi R2S under OpenWrt), `openssl-0.9.8.txt`,
`openssl-public-key.txt` and `cryptsetup.txt`. The others are made up of round numbers in the form
that the sources print, which each record of `readers/programs.py` names.
"""

from __future__ import annotations

from pathlib import Path

from ciphermark.record.run import Run
from ciphermark.workloads.imported import run
from ciphermark.workloads.imported.readers import formats
from ciphermark.workloads.imported.rows import imported_rows
from ciphermark.workloads.single.row import Row
from lent_engine import all_algorithms

FOLDER = Path(__file__).with_name("imported")
FILES = sorted(path.name for path in FOLDER.iterdir())

TSC_HZ = 2.2e9
OF_TICKS = ("ipsec-mb.txt", "ipsec-mb-1.2.txt", "ipsec-mb-slope.txt")
"""Files whose figures are no time without a rate."""


def imported_runs(path: str | Path, **wishes: object) -> list[Run]:
    """Returns the runs of a file, of `imported/` unless it has a folder; of ticks at `TSC_HZ`."""
    path = FOLDER / path
    if path.name in OF_TICKS:
        wishes = {"clock_hz": TSC_HZ, **wishes}
    return run.imported(path, all_algorithms(), run.Wishes(**wishes))


def imported_run(path: str | Path, **wishes: object) -> Run:
    """Returns the one run of a file."""
    (found,) = imported_runs(path, **wishes)
    return found


def imported_example(path: str = "openssl-3.0-elapsed.txt", **wishes: object) -> Run:
    """The same with a name and a time that do not change."""
    run = imported_run(path, **wishes)
    run.context.run, run.context.started_unix_ns = "20261122-120000-1234", 1_795_348_800 * 10**9
    return run


def row(run: Run, algorithm: str, operation: str, size: int | str, **fields: object) -> Row:
    """The one row of a case."""
    (found,) = [
        it
        for it in imported_rows(run)
        if (it.algorithm, it.operation, it.size) == (algorithm, operation, size)
        and all(getattr(it, name) == value for name, value in fields.items())
    ]
    return found


def text_of(name: str) -> str:
    return (FOLDER / name).read_text("utf-8")


def detected(text: str) -> formats.Format | None:
    """The format that a text is taken for."""
    return next((it for it in formats.FORMATS.values() if it.found_in(text)), None)
