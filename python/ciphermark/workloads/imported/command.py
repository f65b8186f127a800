"""`ciphermark import`: figures of other programs, kept as runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import EngineOption, JsonOption, RunsOption, flag, option
from ciphermark.command.output import show_command
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.command.measuring import Kept
    from ciphermark.record.run import Run, Summary
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.row import Row

FilesArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILE...",
        help="Files with the output of a program; each becomes a run, or several.",
    ),
]
FormatOption = Annotated[
    str | None,
    option(
        "FORMAT",
        "A program, such as openssl-speed or wolfcrypt; docs/import.md lists them. Default: "
        "recognised from the file.",
        "--format",
    ),
]
ClockOption = Annotated[
    str | None,
    option(
        "RATE",
        "Core clock of the machine, to compute cycles: 3.2GHz; for a program that prints ticks "
        "(imb-perf, tcrypt) their rate.",
        "--clock",
    ),
]
MachineOption = Annotated[
    str | None,
    option(
        "NAME",
        "The machine: one of `ciphermark list machines`, so that its runs can be compared, or a "
        "new name.",
        "--machine",
    ),
]
ElapsedOption = Annotated[
    bool | None,
    flag(
        "Whether openssl speed ran with -elapsed, where its output does not tell.",
        "--elapsed/--no-elapsed",
    ),
]


def import_(
    files: FilesArgument,
    format: FormatOption = None,
    clock: ClockOption = None,
    machine: MachineOption = None,
    elapsed: ElapsedOption = None,
    json: JsonOption = False,
    runs: RunsOption = None,
    engine: EngineOption = None,
) -> None:
    """Import figures of other programs.

    Each file becomes a run of the workload `imported`, with show, compare, report and export as for
    any other; the same function on several cores, or by several commands, makes several runs. Its
    figures are weaker: nothing was verified, and they have no intervals; notes name the facts that
    each program does not state. A file that is truncated or has another format is
    refused, and then nothing is imported. A run that ciphermark has printed as JSON, because it
    could not be stored, is stored as it was measured; so is one that `ciphermark-engine bench` has
    written on a router or board (docs/routers.md).
    """
    from ciphermark.command.measuring import command_line, known_to_be_kept
    from ciphermark.errors import UsageError
    from ciphermark.plan.quantities import hertz
    from ciphermark.record import unsent
    from ciphermark.record.store import Store
    from ciphermark.run.engine import Engine
    from ciphermark.workloads.imported import bench, run
    from ciphermark.workloads.imported.readers import formats

    store = Store.default(runs)
    wishes = run.Wishes(
        format=None if format is None else formats.find(format),
        clock_hz=None if clock is None else hertz(clock, "--clock"),
        machine=_machine(store, machine),
        elapsed=elapsed,
    )
    store.check_writable()
    contents = {path: formats.content_of(path) for path in files}
    if any(map(bench.is_bench, contents.values())):
        if wishes != run.Wishes(machine=wishes.machine):
            raise UsageError("a run of ciphermark-engine bench goes with no option but --machine")
        _take_benches(contents, store, wishes.machine, json)
        return
    if any(map(unsent.is_printed, contents.values())):
        _take_in(contents, store, json)
        return
    known = Engine(engine).describe().algorithms
    runs_read = [run.imported(path, known, wishes, command_line()) for path in files]
    kept = _keep(store, [it for of_file in runs_read for it in of_file])
    with known_to_be_kept(*kept):
        if json:
            from ciphermark.command.output import print_json

            print_json({"imports": [_document(it.run, it.rows, store) for it in kept]})
            return
        _show(kept, store)


def _machine(store: Store, name: str | None) -> Summary | str | None:
    """Returns the newest run measured on this machine, else its name."""
    if name is None:
        return None
    measured = (it for it in store.summaries() if workload_of(it.workload).measured_here)
    return next((it for it in measured if name in (it.machine_name, it.machine_id)), name)


def _keep(store: Store, runs: list[Run]) -> list[Kept]:
    """Stores the runs, all of which are whole by now."""
    from ciphermark.command.measuring import Kept
    from ciphermark.errors import KeptElsewhere
    from ciphermark.workload import rows, rows_table

    kept, elsewhere = [Kept(run, rows(run), None) for run in runs], []
    for it in kept:
        try:
            store.save(it.run, rows_table(it.rows, it.run.context.workload))
        except KeptElsewhere as error:
            elsewhere.append(str(error))
    if elsewhere:
        raise KeptElsewhere("; ".join(elsewhere))
    return kept


def _take_in(contents: dict[Path, bytes], store: Store, json: bool) -> None:
    """Stores runs of this machine or another that had no place but a command's output. Raises
    `UsageError` where one is not whole or is stored already; then none of them is."""
    from ciphermark.command.output import print_json
    from ciphermark.errors import UsageError
    from ciphermark.record import unsent

    for path, content in contents.items():
        if not unsent.is_printed(content):
            raise UsageError(f"{path} is no run that ciphermark has printed: import it by itself")
    runs_read = [unsent.read_printed(content, path) for path, content in contents.items()]
    names = [run.context.run for run, _, _ in runs_read]
    _refuse_twice(names, store)
    for run, rows, also_rows in runs_read:
        store.save(run, rows, also_rows)
    if json:
        print_json({"runs": names})
        return
    for name in names:
        print(f"run {name} is stored: {show_command(name)}")


def _refuse_twice(names: list[str], store: Store) -> None:
    """Raises `UsageError` for a run that is stored already, or twice among these."""
    from ciphermark.errors import UsageError

    there = {*store.run_ids()} & {*names} or {it for it in names if names.count(it) > 1}
    if there:
        raise UsageError(f"run {min(there)} is stored in {store.place} already")


def _take_benches(
    contents: dict[Path, bytes], store: Store, machine: Summary | str | None, json: bool
) -> None:
    """Stores runs of `ciphermark-engine bench` and shows each as a survey.

    Raises `UsageError` where one is wrong or stored already; then none of them is stored.
    """
    from ciphermark.command.measuring import command_line, keep, known_to_be_kept
    from ciphermark.command.output import print_json
    from ciphermark.errors import UsageError
    from ciphermark.workloads.imported import bench

    for path, content in contents.items():
        if not bench.is_bench(content):
            raise UsageError(f"{path} is no run of ciphermark-engine bench: import it by itself")
    runs_read = [bench.read(*it, command_line(), machine) for it in contents.items()]
    _refuse_twice([it.context.run for it in runs_read], store)
    kept = [keep(store, it) for it in runs_read]
    with known_to_be_kept(*kept):
        if json:
            runs = [{"run": it.id, "notes": it.run.context.notes, "rows": it.rows} for it in kept]
            print_json({"runs": runs})
            return
        for it in kept:
            _show_bench(it)


def _show_bench(kept: Kept) -> None:
    from ciphermark.view.frame import print_footer, stored_header
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console
    from ciphermark.workloads.single.command import overview_blocks

    console = output_console()
    show(console, [stored_header(kept.run.context), *overview_blocks(kept)])
    name = kept.id
    print_footer(
        console,
        name,
        None,
        [
            f"{f'ciphermark show {name}':<46}every library and size",
            f"{f'ciphermark report {name}':<46}a page of these figures",
            f"{f'ciphermark compare {name} RUN':<46}against a run of another machine",
        ],
    )


def _document(run: Run, rows: list[Row], store: Store) -> dict[str, object]:
    from ciphermark.workloads.imported.beside import beside

    return {
        "run": run.context.run,
        "origin": run.origin,
        "notes": run.context.notes,
        "rows": rows,
        "beside": beside(run, rows, store),
    }


def _show(kept: list[Kept], store: Store) -> None:
    from ciphermark.view.frame import print_footer, row_blocks, stored_header
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console
    from ciphermark.workloads.imported.beside import beside, blocks

    console = output_console()
    for it in kept:
        context = it.run.context
        others = blocks(beside(it.run, it.rows, store))
        show(console, [stored_header(context), *row_blocks(context, it.rows), *others])
        name = it.id
        print_footer(
            console,
            name,
            None,
            [
                f"{f'ciphermark report {name}':<46}a page of these figures",
                f"{f'ciphermark compare {name} RUN':<46}against a run of your own",
            ],
        )
