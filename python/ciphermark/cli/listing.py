"""`ciphermark list …`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ciphermark.command.options import (
    BuildOptions,
    EngineOption,
    JsonOption,
    Only,
    RunsOption,
    SelectionOptions,
    flag,
    given,
    grouped,
)
from ciphermark.command.output import say

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode=None,
    help="List algorithms, libraries, studies, targets, runs and more.",
)

SHOWN_RUNS = 40
"""Most runs that are listed, a screen or two; to lay out thousands takes seconds."""

MeasureOption = Annotated[
    bool,
    flag(
        "Also measure the cost of each code path that no stored run has.", "--measure/--no-measure"
    ),
]
LimitOption = Annotated[
    int | None, typer.Option("--limit", min=1, help="Print at most so many, the newest first.")
]


@app.command()
def algorithms(json: JsonOption = False, engine: EngineOption = None) -> None:
    """Algorithms with their standard and security status."""
    from ciphermark.run.engine import Engine

    facts = Engine(engine).describe().algorithms
    _print([it for it in facts if it.suite is None], json, "algorithms")


@app.command()
def suites(json: JsonOption = False, engine: EngineOption = None) -> None:
    """Suites that protect packets, by protocol: their bytes, and their standing in standards."""
    from ciphermark.run.engine import Engine
    from ciphermark.workloads.suites.plan import suites_of

    _print(suites_of(Engine(engine).describe()), json, "suites")


@app.command()
@grouped
def providers(
    builds: BuildOptions,
    json: JsonOption = False,
    engine: EngineOption = None,
) -> None:
    """Libraries: which can be used here, and why others cannot."""
    from ciphermark.plan import names
    from ciphermark.plan.selection import read_builds
    from ciphermark.run.engine import Engine

    libraries = read_builds(builds.library or [], builds.kernel or [])
    facts = Engine(engine).describe(libraries)
    # A name that nothing has would be ignored.
    names.provider_names(list(libraries), facts)
    _print(facts.providers, json, "providers")


@app.command()
@grouped
def implementations(
    selected: Annotated[SelectionOptions, Only("algorithms", "providers")],
    builds: BuildOptions,
    measure: MeasureOption = False,
    json: JsonOption = False,
    runs: RunsOption = None,
    engine: EngineOption = None,
) -> None:
    """Which code path each library takes here, and whether another of its own is faster.

    Each library has one line, and with --algorithms or --providers each function. The figures are
    those of a stored run of this machine. With --measure, libraries that have several code paths
    are measured at 1024 bytes, within half a minute, and the run is stored.
    """
    from ciphermark.plan import selection
    from ciphermark.record.store import Store
    from ciphermark.run.engine import Engine
    from ciphermark.workloads.single import code_paths

    chosen = selection.from_options(**given(selected, builds))
    paths = code_paths.find(Engine(engine), Store.default(runs), chosen, measure=measure)
    if json:
        from ciphermark.command.output import print_json

        print_json(paths)
        return
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console
    from ciphermark.workloads.single import code_paths_table

    each = selected.algorithms is not None or selected.providers is not None
    show(output_console(), code_paths_table.blocks(paths, each=each))


@app.command()
def studies(json: JsonOption = False) -> None:
    """Published studies that can be run again here."""
    from ciphermark.studies.registry import summaries

    _print(summaries(), json, "studies")


@app.command()
def nodes(json: JsonOption = False) -> None:
    """Sensor nodes on which the cost of a protocol can be computed."""
    from ciphermark.answers.protocols.nodes import NODES

    _print(NODES.all(), json, "nodes")


@app.command()
def protocols(json: JsonOption = False) -> None:
    """Protocols that secure a node's messages, with their security today."""
    from ciphermark.answers.protocols.protocols import protocols

    _print(list(protocols()), json, "protocols")


@app.command()
def profiles(json: JsonOption = False) -> None:
    """Mixes of message sizes that come with ciphermark, for --profile."""
    from ciphermark.plan.profiles import PROFILES

    _print(PROFILES.all(), json, "profiles")


@app.command()
def targets(json: JsonOption = False) -> None:
    """Simulated processors, and which of them have their tools here."""
    from ciphermark.run.targets import toolchain

    _print(toolchain.summaries(), json, "targets")


@app.command()
def runs(
    json: JsonOption = False,
    limit: LimitOption = None,
    open_: Annotated[
        bool,
        flag("Open them in the browser instead, as a site in the user's cache folder.", "--open"),
    ] = False,
    runs: RunsOption = None,
) -> None:
    """Stored runs, the newest first: the last 40 by default, with --json all."""
    from ciphermark.record.store import Store

    if open_:
        from ciphermark.site.command import site, usual_folder

        site(usual_folder(Store.default(runs)), json=json, open_=True, runs=runs)
        return
    listing = Store.default(runs).listing()
    for problem in listing.unreadable:
        say(problem)
    shown = listing.summaries[: limit or (None if json else SHOWN_RUNS)]
    _print(shown, json, "runs")
    if shown and not json:
        from ciphermark.view.terminal import output_console

        output_console().print("One of them: ciphermark show RUN", style="dim")
    if older := len(listing.summaries) - len(shown):
        say(f"{older} older runs are not shown: --limit {len(listing.summaries)} lists all")


@app.command()
def machines(json: JsonOption = False, limit: LimitOption = None, runs: RunsOption = None) -> None:
    """Machines that stored runs were measured on: the last 40 by default, with --json all."""
    from ciphermark.answers.machines.machine import machines as known
    from ciphermark.record.store import Store

    stored = known(Store.default(runs))
    shown = stored[: limit or (None if json else SHOWN_RUNS)]
    if json:
        from ciphermark.command.output import print_json

        print_json({"machines": shown})
        return
    from ciphermark.answers.machines.show import machines as listed
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console

    show(output_console(), listed(shown))
    if others := len(stored) - len(shown):
        say(f"{others} other machines are not shown: --limit {len(stored)} lists all")


def _print(things: list[Any], json: bool, what: str) -> None:
    if json:
        from ciphermark.command.output import print_json

        print_json({what: things})
        return
    from ciphermark.cli import show_listing as listing
    from ciphermark.view.screen import show
    from ciphermark.view.terminal import output_console

    show(output_console(), getattr(listing, what)(things))
