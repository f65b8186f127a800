"""`ciphermark fleet`: the same survey on many machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    Help,
    MannerOptions,
    Only,
    OutputOptions,
    PlanOptions,
    SamplingOptions,
    SelectionOptions,
    flag,
    given,
)
from ciphermark.farm.options import ReachOptions, UnfitOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.text import Text

    from ciphermark.fleet.ledger import MachineLine

SHOWN = 40
"""Machines of a table; a screen or two."""


def fleet(
    reached: Annotated[ReachOptions, Only("scheduler", "hosts", "tls_ca", "tls_cert", "tls_key")],
    selected: Annotated[
        SelectionOptions, Only("algorithms", "providers", "backends", "operations", "sizes")
    ],
    manners: Annotated[MannerOptions, Only("pattern", "lanes")],
    sampling: Annotated[SamplingOptions, Only("precision", "budget")],
    plan: Annotated[
        PlanOptions,
        Only("quick", "every", "plan", "seed"),
        Help(
            quick="The shortest form of the survey.",
            every="The survey of everything.",
            plan="A survey by a plan file of your own (TOML).",
            seed="Seed of inputs and order on all machines.",
        ),
    ],
    output: Annotated[OutputOptions, Only("json", "runs")],
    even_unfit: UnfitOption = False,
    again: Annotated[
        bool, flag("Measure machines again that are done in a fleet that is not complete.")
    ] = False,
) -> None:
    """Measure a survey on every machine of a cluster.

    Each machine measures by itself if doctor finds it fit. Its run is stored as soon as it arrives.
    After Ctrl-C or a lost machine, the same command measures the machines that are left. Exit code
    1 when a machine could not be measured or a case has failed.
    """
    from ciphermark.command.output import print_answer
    from ciphermark.fleet import run
    from ciphermark.fleet.ledger import Ledger, Request
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.command import plan_file

    reach = reached.reach()
    name, file = plan_file(plan)
    options, ways = (
        {name: text for name, text in values.items() if text is not None}
        for values in (given(selected, sampling), given(manners))
    )
    request = Request(plan=file, plan_name=name, options=options, manners=ways, seed=plan.seed)
    request.selection()  # refuses options without meaning here and not on every machine
    store = Store.default(output.runs)
    store.check_writable()
    ledger = Ledger(store, request)
    run.measure_machines(reach, ledger, even_unfit, again)
    machines = ledger.machines
    print_answer(
        output.json,
        lambda: {"fleet": ledger.fleet.fleet, "machines": machines},
        lambda console: print_fleet(console, ledger.fleet.fleet, machines),
    )
    raise typer.Exit(int(any(it.state != "done" or it.errors for it in machines)))


def print_fleet(console: Console, fleet: str, machines: Sequence[MachineLine]) -> None:
    """Prints how many machines are done, a line for each, those in trouble first, and why."""
    from rich.text import Text

    from ciphermark.show.figures import counted
    from ciphermark.show.frame import print_next
    from ciphermark.show.tables import Columns, ListColumn

    done = [it for it in machines if it.state == "done"]
    console.print(
        f"Fleet {fleet}: {len(done)} of {counted(len(machines), 'machine')} done\n", style="bold"
    )
    columns = [
        ListColumn["MachineLine"]("host", lambda it: it.host),
        ListColumn("machine", lambda it: it.machine, from_width=90),
        ListColumn("CPU", lambda it: it.cpu_name, from_width=120),
        ListColumn("doctor", lambda it: it.verdict),
        ListColumn("state", _state),
        ListColumn("cases", lambda it: str(it.cases or ""), "right"),
        ListColumn("failed", lambda it: str(it.errors or ""), "right"),
        ListColumn("run", lambda it: it.run),
    ]
    ordered = sorted(machines, key=lambda it: (it.state == "done", it.host))
    console.print(Columns(columns, ordered[:SHOWN]))
    if len(ordered) > SHOWN:
        console.print(Text(f"and {len(ordered) - SHOWN} more: --json has all", "dim"))
    troubled = [it for it in ordered[:SHOWN] if it.trouble]
    if troubled:
        console.print()
    for it in troubled:
        console.print(Text.assemble((it.host, "bold"), f": {it.trouble}"))
    if done:
        print_next(console, [f"ciphermark show {done[0].run}"])


def _state(line: MachineLine) -> Text:
    from rich.text import Text

    return Text(line.state, "green" if line.state == "done" else "red")
