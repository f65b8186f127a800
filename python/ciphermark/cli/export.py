"""`ciphermark export`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from ciphermark.command.options import (
    ForceOption,
    OutputOption,
    RunArgument,
    RunsOption,
    flag,
    option,
)
from ciphermark.command.output import say, write_or_print
from ciphermark.command.stored import rows_of
from ciphermark.errors import UsageError
from ciphermark.messages import visible

FormatOption = Annotated[
    str | None,
    option(
        "FORMAT",
        "csv, json, latex (a booktabs table), markdown or parquet; for a table csv, latex or "
        "markdown; for a plot svg, pdf or png. Default: by the suffix of --output, else the first "
        "of these.",
        "--format",
    ),
]
TableOption = Annotated[
    str | None,
    option(
        "TABLE",
        "One table of a study: by the paper's number (4, A9), its place (#2) or words of its "
        "title; `list` prints them.",
        "--table",
    ),
]
PlotOption = Annotated[
    str | None, option("NAME", "One plot of the report, by its name; `list` prints them.", "--plot")
]
AnonymousOption = Annotated[
    bool,
    flag(
        "Write whole runs for sharing into the folder of --output, without names of hosts and "
        "users, addresses and paths.",
        "--anonymous",
    ),
]
AllOption = Annotated[bool, flag("All stored runs; only with --anonymous.", "--all")]


SHORT = {"md": "markdown", "tex": "latex"}
"""Other names of formats, which are suffixes of files too."""

LIST = "list"
"""Word for the names of all tables or plots."""


def export(
    run: RunArgument = "last",
    format: FormatOption = None,
    table: TableOption = None,
    plot: PlotOption = None,
    output: OutputOption = None,
    force: ForceOption = False,
    anonymous: AnonymousOption = False,
    every: AllOption = False,
    runs: RunsOption = None,
) -> None:
    """Write the figures of a run in another format, or whole runs without their origin.

    Figures go to standard output, unless --output names a file; parquet, pdf and png
    need a file. `ciphermark export last --table 4 --format latex` writes one table of a study
    for a paper, `--plot cycles-per-byte --output figure.pdf` one plot. `ciphermark export
    --anonymous --all --output shared` makes a folder of runs to share: with no names of hosts or
    users, addresses, paths or identities in it.
    """
    if anonymous or every:
        from ciphermark.cli.export import share

        share(run, every, output, runs, anonymous=anonymous)
        return
    if table is not None and plot is not None:
        raise UsageError("--table and --plot exclude each other: give one of them")
    if LIST not in (table, plot) and output is not None and not force and output.exists():
        raise UsageError(f"{output} is there already: replace it with --force, or name another")
    if table is not None:
        _export_table(run, table, format, output, runs)
    elif plot is not None:
        _export_plot(run, plot, format, output, runs)
    else:
        _export_rows(run, format, output, runs)


def _export_rows(run: str, typed: str | None, output: Path | None, runs: str | None) -> None:
    from ciphermark.record.store import Store
    from ciphermark.view.export import FORMATS

    format = _format(typed, output, [*FORMATS], "csv")
    if FORMATS[format].binary:
        _check_file(format, output)
    store = Store.default(runs)
    name = store.resolve(run)
    context = store.context(name)
    rows = rows_of(store, name, context)
    write_or_print(output, FORMATS[format].export(context, rows))


def _export_table(
    run: str, wanted: str, typed: str | None, output: Path | None, runs: str | None
) -> None:
    from ciphermark.record.store import Store
    from ciphermark.studies import export, registry
    from ciphermark.workload import rows

    format = _format(typed, output, [*export.FORMATS], "csv")
    store = Store.default(runs)
    name = store.resolve(run)
    study = registry.of_plan(store.context(name).plan_name)
    if study is None:
        raise UsageError(
            f"run {name} is of no study, and has one table: leave out --table, as in ciphermark "
            f"export {name} --format latex"
        )
    loaded = store.load(name)
    tables = study.tables(loaded, rows(loaded))
    if wanted == LIST:
        print(visible("\n".join(export.listed(tables))))
        return
    table = export.find(tables, wanted)
    write_or_print(output, export.FORMATS[format](loaded.context, table))


def _export_plot(
    run: str, wanted: str, typed: str | None, output: Path | None, runs: str | None
) -> None:
    from ciphermark.command.report import drawings
    from ciphermark.plan import names
    from ciphermark.record.store import Store
    from ciphermark.view.plots.drawing import FORMATS as PICTURES
    from ciphermark.workload import rows

    format = _format(typed, output, [*PICTURES], "svg")
    if format != "svg" and wanted != LIST:
        _check_file(format, output)
    store = Store.default(runs)
    loaded = store.load(store.resolve(run))
    plots = drawings(loaded, rows(loaded))
    if wanted == LIST:
        print(visible("\n".join(plots)))
        return
    name = names.find(wanted, {it: it for it in plots}, "plot", ", ".join(plots) or "none")
    write_or_print(output, plots[name](format))


def _format(typed: str | None, output: Path | None, known: list[str], usual: str) -> str:
    """Returns the format typed, else that of the file's suffix, else the usual one.

    Raises `UsageError` for an unknown one.
    """
    suffix = "" if output is None else output.suffix.removeprefix(".")
    asked = typed or (suffix if SHORT.get(suffix, suffix) in known else usual)
    chosen = SHORT.get(asked, asked)
    if chosen not in known:
        raise UsageError(f"there is no format {typed}; choose one of {', '.join(sorted(known))}")
    return chosen


def _check_file(format: str, output: Path | None) -> None:
    if output is None:
        raise UsageError(f"{format} is no text: name a file with --output PATH")


def share(run: str, every: bool, output: Path | None, runs: str | None, *, anonymous: bool) -> None:
    """Writes one run or all into a new folder of runs. Raises `UsageError`, `WorkError`."""
    if not anonymous:
        raise UsageError("--all exports whole runs: add --anonymous and --output DIR")
    if output is None:
        raise UsageError("--anonymous writes a folder of runs: name one with --output DIR")
    if output.exists() and (not output.is_dir() or any(output.iterdir())):
        raise UsageError(f"{output} is there already: name a new folder with --output DIR")
    from ciphermark.record.anonymous.store import write_anonymous
    from ciphermark.record.store import Store

    store = Store.default(runs)
    chosen = store.run_ids() if every else [store.resolve(run)]
    left_out = (lambda error: say(f"left out: {error}")) if every else None
    written = write_anonymous(store, chosen, output, left_out)
    print(output if every else output.absolute() / written[0])
    kept = (
        f"{len(written)} runs exported with new identifiers and dates without a time"
        if every
        else "exported with a new identifier and a date without a time"
    )
    look = f"them with --runs {output}" if every else f"it with ciphermark show --runs {output}"
    say(
        f"{kept}; free texts were left out: look at {look} before you share "
        f"{'them' if every else 'it'}"
    )
