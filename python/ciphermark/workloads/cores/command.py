"""`ciphermark cores`: what more cores bring to one message, to one tunnel and to many."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ciphermark.command.options import (
    EngineOptions,
    Help,
    Only,
    OutputOptions,
    PlanOptions,
    SamplingOptions,
    SelectionOptions,
    given,
    option,
)

if TYPE_CHECKING:
    from ciphermark.command.measuring import Kept
    from ciphermark.plan.build import Built
    from ciphermark.plan.selection import Selection
    from ciphermark.record.store import Store
    from ciphermark.run.engine import Engine
    from ciphermark.workloads.cores.plan import Way
    from ciphermark.workloads.cores.spreads import Pays, Spread
    from ciphermark.workloads.single.row import Row

SharingOption = Annotated[
    str | None, option("SET", "CPUs to spread the work over, two or more. Default: all.", "--cpus")
]


def cores(
    *,
    selected: Annotated[SelectionOptions, Only("algorithms", "providers", "operations", "sizes")],
    cpus: SharingOption = None,
    sampling: Annotated[SamplingOptions, Only("budget")],
    plan: Annotated[PlanOptions, Only("quick"), Help(quick="Measure for a third of the time.")],
    output: Annotated[OutputOptions, Only("json", "runs")],
    engine: EngineOptions,
) -> None:
    """Measure the gain of more cores: one message split, one tunnel's packets, many tunnels.

    Each function is measured on one core and on all, in three runs that are stored. The sizes are
    those of packets; split messages have more sizes, to find the smallest one that gains. Exit code
    1 when a case has failed, but not when a function cannot be split.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.plan import selection
    from ciphermark.record.store import Store
    from ciphermark.run.here import here
    from ciphermark.workloads import choosing
    from ciphermark.workloads.cores import plan as three_spreads

    chosen = selection.from_options(**given(selected, sampling))
    binary = on_machine.engine_of(engine.engine, engine.on, output.runs, output.json)
    facts = binary.describe()
    machine = here(binary)
    sharing = three_spreads.sharing(cpus, machine.cpus)
    files = {
        way: three_spreads.plan_file(way, facts, chosen.budget_s, plan.quick)
        for way in three_spreads.WAYS
    }

    def planned(by: Selection) -> dict[Way, Built]:
        return {
            way: three_spreads.built(way, file, by, facts, machine, sharing)
            for way, file in files.items()
        }

    # What cannot be is refused before anything is measured, and all of it is planned again after.
    planned(chosen)
    choosing.choose_fastest(binary, files["message"], chosen, facts)
    kept = _measured(binary, Store.default(output.runs), planned(chosen), output.json)
    with measuring.known_to_be_kept(*kept.values()):
        _show(kept, sharing.cpus, output.json)
    for run in kept.values():
        measuring.say_how_it_ended(run)
    raise typer.Exit(int(any(map(_has_failed, kept.values()))))


def _measured(engine: Engine, store: Store, built: dict[Way, Built], json: bool) -> dict[Way, Kept]:
    """Measures and keeps the runs, one after the other; an interrupt ends them."""
    from ciphermark.command import measuring
    from ciphermark.command.output import say
    from ciphermark.workloads.cores.plan import NAMES
    from ciphermark.workloads.cores.table import TITLES

    kept: dict[Way, Kept] = {}
    for way, plan in built.items():
        say(f"{TITLES[way].lower()} ({len(kept) + 1} of {len(built)})")
        header = measuring.header(plan, json or bool(kept))
        kept[way] = measuring.measure_and_keep(engine, store, plan, NAMES[way], header)
        if kept[way].run.context.interrupted:
            break
    return kept


def _show(kept: dict[Way, Kept], cpus: list[int], json: bool) -> None:
    from ciphermark.workloads.cores.spreads import verdicts

    spreads, pays = compared(kept, len(cpus))
    judged = verdicts(spreads)
    ids = {way: run.id for way, run in kept.items()}
    if json:
        from ciphermark.command.output import print_json

        documents = [_document(spread) for spread in spreads]
        said = {"spreads": documents, "pays": pays, "verdicts": judged}
        print_json({"runs": ids, "cpus": cpus, **said})
        return
    from ciphermark.show.frame import print_labelled
    from ciphermark.show.terminal import output_console
    from ciphermark.workloads.cores.table import print_cores

    console = output_console()
    print_cores(console, spreads, pays, judged)
    console.print()
    print_labelled(console, "Saved", ", ".join(f"{run} ({way})" for way, run in ids.items()))


def compared(kept: dict[Way, Kept], cores: int) -> tuple[list[Spread], list[Pays]]:
    """What the runs say."""
    from ciphermark.workloads.cores import spreads as three_spreads

    ways: dict[Way, Callable[[Any, int], list[Spread]]] = {
        "message": three_spreads.message_spreads,
        "flow": three_spreads.flow_spreads,
        "tunnels": three_spreads.tunnel_spreads,
    }
    spreads = [spread for way, run in kept.items() for spread in ways[way](run.rows, cores)]
    message = kept.get("message")
    if message is None:
        return spreads, []
    return spreads, three_spreads.pays(cast("list[Row]", message.rows))


def _document(spread: Spread) -> dict[str, object]:
    import msgspec

    return {**msgspec.to_builtins(spread), "gain": spread.gain}


def _has_failed(kept: Kept) -> bool:
    """Whether a case failed; that one cannot be split is an answer."""
    errors = (row.error for row in kept.rows if row.error is not None)
    return kept.problem is not None or any(it.kind != "unsupported" for it in errors)
