"""`ciphermark show`."""

from __future__ import annotations

from ciphermark.cli.options import JsonOption, RunArgument, RunsOption
from ciphermark.cli.stored import stored_rows


def show(run: RunArgument = "last", json: JsonOption = False, runs: RunsOption = None) -> None:
    """Print the figures of a run.

    The table has as many columns as the terminal is wide; --json prints every field.
    """
    from ciphermark.record.store import Store

    store = Store.default(runs)
    name = store.resolve(run)
    rows = stored_rows(store, name)
    context = store.context(name)
    if json:
        from ciphermark.cli.output import print_json

        print_json({"run": context.run, "rows": rows})
        return
    from ciphermark.analyse.models.cost_card import cost_cards
    from ciphermark.show.frame import print_stored_header
    from ciphermark.show.table import print_survey
    from ciphermark.show.terminal import output_console

    console = output_console()
    print_stored_header(console, context)
    print_survey(console, context, rows, cost_cards(rows))
