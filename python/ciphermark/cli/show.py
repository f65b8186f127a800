"""`ciphermark show`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from ciphermark.command.options import (
    Help,
    JsonOption,
    Only,
    RunArgument,
    RunsOption,
    SelectionOptions,
)
from ciphermark.command.stored import rows_of
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.command.measuring import Kept
    from ciphermark.record.run import Context
    from ciphermark.workload import AnyRows


def show(
    run: RunArgument = "last",
    *,
    selected: Annotated[
        SelectionOptions,
        Only("algorithms", "providers"),
        Help(
            algorithms="Only these algorithms, by name or pattern (`cmac-*`).",
            providers="Only these libraries, comma-separated.",
        ),
    ],
    json: JsonOption = False,
    runs: RunsOption = None,
) -> None:
    """Print the figures of a run.

    The table has as many columns as fit the terminal; --json prints every field. For many sessions
    it also shows how they scale.
    """
    from ciphermark.record.store import Store

    store = Store.default(runs)
    name = store.resolve(run)
    context = store.context(name)
    rows = _selected(rows_of(store, name, context), context, selected)
    workload = workload_of(context.workload)
    if json:
        from ciphermark.command.output import print_json

        print_json({"run": context.run, "rows": rows} | workload.findings(context, rows))
        return
    from ciphermark.view.frame import row_blocks, stored_header
    from ciphermark.view.screen import show as show_blocks
    from ciphermark.view.terminal import output_console

    blocks = [stored_header(context), *row_blocks(context, rows)]
    if workload.tells_more:
        blocks += workload.beside(store.load(name), rows)
    show_blocks(output_console(), blocks)


def _selected(rows: AnyRows, context: Context, selected: SelectionOptions) -> AnyRows:
    """Returns the rows of the algorithms and libraries listed. Raises `UsageError`."""
    from ciphermark.plan.names import found_names

    aliases = {name: it.name for it in context.algorithms for name in (it.name, *it.aliases)}
    there = {row.algorithm: row.algorithm for row in rows} | aliases
    if selected.algorithms is not None:
        listing = f"ciphermark show {context.run}"
        names = found_names(selected.algorithms, there, "algorithm in this run", listing)
        rows = [row for row in rows if row.algorithm in names]
    if selected.providers is not None:
        libraries = {row.provider: row.provider for row in rows}
        listing = ", ".join(libraries) or "nothing"
        names = found_names(selected.providers, libraries, "library in this run", listing)
        rows = [row for row in rows if row.provider in names]
    return rows


def show_kept(kept: Kept, json: bool, runs: str | None) -> bool:
    """Shows a run that was collected, of whatever workload, and writes its report."""
    from ciphermark.command.measuring import report_path
    from ciphermark.record.store import Store

    show(kept.id, selected=SelectionOptions(), json=json, runs=runs)
    report = report_path(Store.default(runs), kept, None)
    if not json:
        from ciphermark.view.frame import print_footer
        from ciphermark.view.terminal import output_console

        print_footer(output_console(), kept.id, report, [])
    return True
