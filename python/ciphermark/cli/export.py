"""`ciphermark export`."""

from __future__ import annotations

from typing import Annotated

import typer

from ciphermark.command.options import ForceOption, OutputOption, RunArgument, RunsOption
from ciphermark.command.output import write_or_print
from ciphermark.command.stored import rows_of
from ciphermark.errors import UsageError

FormatOption = Annotated[
    str,
    typer.Option(
        "--format", metavar="FORMAT", help="csv, json, latex (a booktabs table), markdown, parquet."
    ),
]
AnonymousOption = Annotated[
    bool,
    typer.Option(
        "--anonymous",
        help="Write whole runs, for sharing, without what tells whose they are, into the folder of "
        "--output: a folder of runs like any other.",
    ),
]
AllOption = Annotated[bool, typer.Option("--all", help="Every stored run; only with --anonymous.")]


def export(
    run: RunArgument = "last",
    format: FormatOption = "csv",
    output: OutputOption = None,
    force: ForceOption = False,
    anonymous: AnonymousOption = False,
    every: AllOption = False,
    runs: RunsOption = None,
) -> None:
    """Write the figures of a run in another format, or whole runs that do not tell whose they are.

    Figures go to standard output, unless --output names a file; parquet, which is no text, needs
    one. `ciphermark export --anonymous --all --output shared` makes a folder of runs to share: with
    no names of hosts or users, addresses, paths or identities in it.
    """
    if anonymous or every:
        from ciphermark.cli.sharing import share

        share(run, every, output, runs, anonymous=anonymous)
        return
    from ciphermark.record.store import Store
    from ciphermark.show.export import FORMATS

    if format not in FORMATS:
        raise UsageError(f"there is no format {format}; choose one of {', '.join(FORMATS)}")
    if FORMATS[format].binary and output is None:
        raise UsageError(f"{format} is no text: name a file with --output PATH")
    if output is not None and not force and output.exists():
        raise UsageError(f"{output} is there already: replace it with --force, or name another")
    store = Store.default(runs)
    name = store.resolve(run)
    context = store.context(name)
    rows = rows_of(store, name, context)
    content = FORMATS[format].export(context, rows)
    write_or_print(output, content)
