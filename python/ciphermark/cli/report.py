"""`ciphermark report`."""

from __future__ import annotations

from ciphermark.command.options import (
    ForceOption,
    OpenOption,
    OutputOption,
    RunArgument,
    RunsOption,
)
from ciphermark.command.output import opened
from ciphermark.command.stored import rows_of
from ciphermark.files import extras
from ciphermark.messages import say


def report(
    run: RunArgument = "last",
    output: OutputOption = None,
    force: ForceOption = False,
    open_: OpenOption = False,
    runs: RunsOption = None,
) -> None:
    """Write the report of a run: one HTML file that works offline, and its plots.

    It goes to report.html in the folder of the run, unless --output names another place.
    """
    from ciphermark.command.report import write_report
    from ciphermark.record.store import Store

    store = Store.default(runs)
    name = store.resolve(run)
    loaded = store.load(name)
    rows = rows_of(store, name, loaded.context)
    path = write_report(loaded, rows, store.folder(name), output, force=force, store=store)
    print(path)
    if not extras.is_installed("plots"):
        say(f"the plots are in the report alone: {extras.lacking('plots')}")
    if open_:
        opened(path)
