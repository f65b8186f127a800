"""The files of each run: its page, and its rows as they are stored.

The newest runs have their whole report, which takes a second or two each; the others their figures,
from which their page is put together when it is opened. Written files stay: runs never change.
Several processes write at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.command.additions import OfReport, additions
from ciphermark.command.processes import processes
from ciphermark.errors import UsageError, WorkError
from ciphermark.site.folder import Folder
from ciphermark.site.state import AlgorithmFacts, Known, facts_of

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Outline, Run
    from ciphermark.record.store import Store
    from ciphermark.record.table import Table

FEW = 8
"""Runs that are written sooner than another process has begun."""

AT_ONCE = 25
"""Runs that a process is given together."""


class Job(msgspec.Struct):
    """Source of runs, and the folder of their files."""

    runs: str | None
    """The store, as `--runs` takes it."""
    out: str
    facts: list[contract.Algorithm] | None
    """Facts of all algorithms; None without an engine."""


class Written(msgspec.Struct):
    """Result of writing one run."""

    run: str
    known: Known | None = None
    algorithms: dict[str, AlgorithmFacts] = {}
    written: int = 0
    """Files that changed."""
    problem: str = ""
    """Reason why it is left out."""


Task = tuple[str, bool]
"""A run, and whether its report is wanted."""


def write_all(job: Job, tasks: Sequence[Task]) -> Iterator[Written]:
    """Writes the files of runs."""
    count = min(os.cpu_count() or 1, len(tasks) // FEW)
    if count <= 1:
        yield from write_some(job, tasks)
        return
    # Reports first: the longest tasks are not left to the end.
    ordered = sorted(tasks, key=lambda task: not task[1])
    reports = [[task] for task in ordered if task[1]]
    others = [task for task in ordered if not task[1]]
    parts = reports + [others[at : at + AT_ONCE] for at in range(0, len(others), AT_ONCE)]
    remedy = "type the same again, which goes on from there"
    with processes(count, "wrote pages", remedy, _begin, list(additions.report_parts)) as pool:
        for written in pool.map(write_some, [job] * len(parts), parts):
            yield from written


def _begin(report_parts: list[OfReport]) -> None:
    """Adds the command line's parts of reports in this process too."""
    additions.report_parts[:] = report_parts


def write_some(job: Job, tasks: Sequence[Task]) -> list[Written]:
    """Writes the files of runs, one after the other."""
    from ciphermark.record.store import Store

    store, folder = Store.default(job.runs), Folder(Path(job.out))
    return [_write(store, folder, job, run, whole) for run, whole in tasks]


def _write(store: Store, folder: Folder, job: Job, run: str, whole: bool) -> Written:
    before = folder.written
    try:
        written = _write_run(store, folder, job, run, whole)
    except (UsageError, WorkError) as error:  # a run of variants has no page
        return Written(run, problem=f"run {run} is left out: {error}")
    written.written = folder.written - before
    return written


def _write_run(store: Store, folder: Folder, job: Job, run: str, whole: bool) -> Written:
    from ciphermark.command.stored import rows_of
    from ciphermark.record.layout import table_file
    from ciphermark.record.parquet import explained
    from ciphermark.site import bare
    from ciphermark.workload import workload_of

    context = store.outline(run)
    workload = workload_of(context.workload)
    written = Written(run)
    path = table_file(store.folder(run), "rows")
    with explained(path):
        stored = store.rows(run, context)
    # Runs of other workloads have few rows, and pages of their own.
    if whole or not workload.sampled:
        from ciphermark.command.report import document
        from ciphermark.view.page import part

        loaded = store.load(run)
        rows = rows_of(store, run, loaded.context)
        page = part(document(loaded, rows, _facts(loaded, job.facts), store))._asdict()
    else:
        page = _bare(context)
        with explained(path):
            folder.write_data(f"figures/{run}", bare.figures(workload.rows_from_table(stored)))
    algorithms, providers = (_names(stored, name) for name in ("algorithm", "provider"))
    comparable = None if workload.compared is None else providers
    folder.write_data(f"run/{run}", page | {"libraries": comparable})
    folder.write(f"download/{run}.parquet", _parquet(path))
    written.known = Known(algorithms, providers, _versions(context))
    written.algorithms = facts_of(context.algorithms)
    return written


def _names(stored: Table, column: str) -> tuple[str, ...]:
    """Returns the values of a column, sorted; nothing where the workload has no such column."""
    if column not in stored.column_names:
        return ()
    return tuple(sorted({*filter(None, stored[column])}))


def _facts(run: Run, facts: list[contract.Algorithm] | None) -> Sequence[contract.Algorithm]:
    """Returns the facts of all algorithms, else of those in the run."""
    return run.context.algorithms if facts is None else facts


def _bare(context: Outline) -> dict[str, Any]:
    """Returns the page of a run without a report; a script puts its figures below."""
    from ciphermark.view.machine import caption

    return {
        "title": f"Run {context.run}",
        "html": _template("bare.html.jinja").render(context=context, caption=caption(context)),
        "plots": None,
    }


def _parquet(path: Path) -> bytes:
    """Returns the rows of a run as they were stored."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise WorkError(f"{path} cannot be read ({error})") from error


def _versions(context: Outline) -> tuple[tuple[str, str], ...]:
    """Returns the versions of the usable libraries, by provider."""
    if context.hello is None:
        return ()
    return tuple(
        (provider.name, provider.version) for provider in context.hello.providers if provider.usable
    )


@cache
def _template(name: str) -> Any:
    from ciphermark.site.pages import templates

    return templates().get_template(name)
