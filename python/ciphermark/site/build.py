"""Writes a site, or brings one up to date: only changed files are written.

The files of a run come first, then pages that lead to them, then the state that lists them. A build
that is killed leaves a site in which every link works, and the next one goes on from there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from ciphermark.errors import UsageError, WorkError
from ciphermark.site import pages, state
from ciphermark.site.folder import Folder
from ciphermark.site.functions import write_functions
from ciphermark.site.listing import write_list
from ciphermark.site.machines import write_machines
from ciphermark.site.planner import write_planner
from ciphermark.site.runs import Job, Task, write_all
from ciphermark.site.studies import write_studies

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.record.run import Summary
    from ciphermark.record.store import Store

REPORTS = 50
"""Newest runs whose reports are written at first; each takes a second or two."""

FORMER = ("compare.html", "assets/compare.js", "assets/comparison.js", "assets/ratio.js",
          "data/constants.js")  # fmt: skip
"""Files that earlier versions made, which are removed."""

FORMER_OF_A_RUN = ("cases", "groups")

OF_A_RUN = ("run", "figures")
"""Folders of data with a file for each run, where it has any."""


class Built(msgspec.Struct):
    """Result of writing a site."""

    index: str
    """Path of the first page."""
    runs: int
    written: int
    """Files that are new or changed."""
    problems: list[str]
    """Sentences on the runs that were left out, with the reasons."""


def build(
    store: Store,
    runs: str | None,
    out: Path,
    reports: int | None = REPORTS,
    say: Callable[[str], object] = str,
) -> Built:
    """Writes the site of the runs of a store into a folder.

    Other processes open the store by `runs`, as `--runs` takes it. Whole reports are written for
    the `reports` newest runs, for all if None. Raises `UsageError` where the folder is not a
    site's, `WorkError` where it cannot be written.
    """
    folder = Folder(out)
    folder.check({*pages.NAMES, *FORMER})
    _check_apart(store, folder)
    with folder.held():
        known = state.read(folder)
        pages.write_assets(folder)
        listing = store.listing()
        problems = list(listing.unreadable)
        problems += _write_runs(folder, runs, listing.summaries, known, reports, say)
        summaries = [summary for summary in listing.summaries if summary.run in known.runs]
        problems += _write_rest(folder, store, summaries, known, problems, say)
        _forget(folder, known, {summary.run for summary in summaries})
        os.sync()
        state.write(folder, known)
    return Built(str(folder.path("index.html")), len(summaries), folder.written, problems)


def build_anonymous(
    store: Store, out: Path, reports: int | None = REPORTS, say: Callable[[str], object] = str
) -> Built:
    """Writes a site as `build` does, without the names of hosts and users.

    It is made of copies of the runs, which get new names each time, so that the whole site is
    written.
    """
    from ciphermark.record.anonymous.store import write_anonymous
    from ciphermark.record.store import Store

    Folder(out).check({*pages.NAMES, *FORMER})
    _check_apart(store, Folder(out))
    problems: list[str] = []
    with TemporaryDirectory(prefix="ciphermark-site-") as folder:
        root = Path(folder) / "runs"
        root.mkdir()
        # The sentence about a run that cannot be read names its folder.
        gone = store.run_ids()
        written = write_anonymous(store, gone, root, lambda error: problems.append(str(error)))
        say(f"{len(written)} of {len(gone)} runs without names of hosts and users")
        built = build(Store(root), str(root), out, reports, say)
    return msgspec.structs.replace(built, problems=[*problems, *built.problems])


def _check_apart(store: Store, folder: Folder) -> None:
    """Refuses a site within the folder of the runs, and the other way round."""
    root, out = store.root.resolve(), folder.root.resolve()
    if root == out or root in out.parents or out in root.parents:
        raise UsageError(
            f"{folder.root} and the runs in {store.root} lie within each other: name another folder"
        )


def _write_runs(
    folder: Folder,
    runs: str | None,
    summaries: Sequence[Summary],
    known: state.State,
    reports: int | None,
    say: Callable[[str], object],
) -> list[str]:
    wanted = {summary.run for summary in (summaries if reports is None else summaries[:reports])}
    tasks: list[Task] = []
    for summary in summaries:
        written = known.runs.get(summary.run)
        if written is None or (summary.run in wanted and not written.whole):
            tasks.append((summary.run, summary.run in wanted))
    if not tasks:
        return []
    if len(tasks) > REPORTS:
        say(f"writing the pages of {len(tasks)} runs")
    problems = []
    places = {known_set: number for number, known_set in enumerate(known.known)}
    whole = dict(tasks)
    job = Job(runs, str(folder.root), _facts(summaries, wanted & whole.keys()))
    known.algorithms = state.facts_of(job.facts or ()) | known.algorithms
    for done in write_all(job, tasks):
        folder.written += done.written
        if done.known is None:
            problems.append(done.problem)
            continue
        known.add(done.run, done.known, places, whole=whole[done.run])
        known.algorithms |= done.algorithms
    return problems


def _facts(summaries: Sequence[Summary], runs: set[str]) -> list[contract.Algorithm] | None:
    """Returns the facts of all algorithms for the advice in reports; None without an engine."""
    from ciphermark.run.engine import Engine

    if not runs:
        return None
    try:
        return Engine(None).describe().algorithms
    except (UsageError, WorkError):
        return None


def _write_rest(
    folder: Folder,
    store: Store,
    summaries: list[Summary],
    known: state.State,
    problems: Sequence[str],
    say: Callable[[str], object],
) -> list[str]:
    """Writes the pages on several runs together; returns the problems."""
    from ciphermark.answers.machines.machine import names_of, of_summaries

    more: list[str] = []
    with store.figures(say) as figures:
        machines = of_summaries(store, summaries)
        names = names_of(machines)
        # A run that is left out has figures that nothing leads to.
        kept = figures.of_runs(summary.run for summary in summaries)
        with kept.newest() as newest:
            write_functions(folder, store, newest, names, known)
            write_machines(folder, kept, newest, machines, known)
    write_planner(folder, store, summaries, names, known)
    more += write_studies(folder, store, summaries, names, known)
    write_list(folder, summaries, names, known, [*problems, *more])
    return more


def _forget(folder: Folder, known: state.State, there: set[str]) -> None:
    """Removes the files of runs that are gone from the store."""
    for run in known.runs.keys() - there:
        del known.runs[run]
        known.verdicts.pop(run, None)
    for name in OF_A_RUN:
        folder.keep_only(f"data/{name}", {f"{run}.js" for run in there})
    for name in FORMER_OF_A_RUN:
        folder.keep_only(f"data/{name}", ())
    folder.remove(FORMER)
    folder.keep_only("download", {"runs.json", *(f"{run}.parquet" for run in there)})
