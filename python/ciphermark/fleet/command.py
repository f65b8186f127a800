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
    from collections.abc import Iterator, Sequence

    from ciphermark.fleet.ledger import MachineLine
    from ciphermark.view.blocks import Block

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
        lambda: fleet_blocks(ledger.fleet.fleet, machines),
    )
    raise typer.Exit(int(any(it.state != "done" or it.errors for it in machines)))


def fleet_blocks(fleet: str, machines: Sequence[MachineLine]) -> Iterator[Block]:
    """Yields the number of machines done, and a line for each, those in trouble first."""
    from ciphermark.view.blocks import Facts, Headline, Notes, Table
    from ciphermark.view.column import Cell, Column, of_text, of_words
    from ciphermark.view.figures import counted

    done = sum(it.state == "done" for it in machines)
    yield Headline(text=f"Fleet {fleet}: {done} of {counted(len(machines), 'machine')} done")
    columns: list[Column[MachineLine]] = [
        of_words("host", lambda it: it.host),
        of_words("machine", lambda it: it.machine, dispensable=2),
        of_words("CPU", lambda it: it.cpu_name, dispensable=5),
        of_words("doctor", lambda it: it.verdict),
        of_words(
            "state", lambda it: Cell(it.state, mark="good" if it.state == "done" else "failed")
        ),
        of_text("cases", lambda it: str(it.cases or "")),
        of_text("failed", lambda it: str(it.errors or "")),
        of_words("run", lambda it: it.run),
    ]
    ordered = sorted(machines, key=lambda it: (it.state == "done", it.host))
    yield Table(columns=columns, rows=ordered[:SHOWN])
    if len(ordered) > SHOWN:
        yield Notes.of([f"and {len(ordered) - SHOWN} more: --json has all"], style="dim")
    yield Facts.of_pairs((it.host, it.trouble) for it in ordered[:SHOWN])
