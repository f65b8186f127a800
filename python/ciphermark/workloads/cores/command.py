"""`ciphermark cores`: what more cores bring to one message, to one tunnel and to many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ciphermark.command.options import (
    AlgorithmsOption,
    BudgetOption,
    EngineOption,
    JsonOption,
    OnOption,
    OperationsOption,
    ProvidersOption,
    RunsOption,
    SizesOption,
)

if TYPE_CHECKING:
    from ciphermark.command.measuring import Kept
    from ciphermark.measure.engine import Engine
    from ciphermark.plan.build import Built
    from ciphermark.plan.selection import Selection
    from ciphermark.record.store import Store
    from ciphermark.workloads.cores.plan import Sharing, Way
    from ciphermark.workloads.cores.spreads import Pays, Spread

SharingOption = Annotated[
    str | None,
    typer.Option("--cpus", metavar="SET", help="CPUs to spread work over, two or more; else all."),
]
QuickOption = Annotated[bool, typer.Option("--quick", help="A third of the time.")]


def cores(
    algorithms: AlgorithmsOption = None,
    providers: ProvidersOption = None,
    operations: OperationsOption = None,
    sizes: SizesOption = None,
    cpus: SharingOption = None,
    budget: BudgetOption = None,
    quick: QuickOption = False,
    json: JsonOption = False,
    runs: RunsOption = None,
    on: OnOption = None,
    engine: EngineOption = None,
) -> None:
    """Measure what more cores bring: one message split, one tunnel's packets, many tunnels.

    Each function is measured on one core and on all, in three runs that are kept. The sizes are
    those of packets; messages that are split have more of them, so that the size from which it pays
    is found. Exit code 1 when a case has failed, but not where a function cannot be split.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.measure.here import here
    from ciphermark.plan import selection
    from ciphermark.record.store import Store
    from ciphermark.workloads import choosing
    from ciphermark.workloads.cores import plan as three_spreads

    chosen = selection.from_options(
        algorithms=algorithms,
        providers=providers,
        operations=operations,
        sizes=sizes,
        budget=budget,
    )
    binary = on_machine.engine_of(engine, on, runs, json)
    facts = binary.describe()
    machine = here(binary)
    on = three_spreads.sharing(cpus, machine.cpus)
    files = {
        way: three_spreads.plan_file(way, facts, chosen.budget_s, quick)
        for way in three_spreads.WAYS
    }

    def planned(by: Selection) -> dict[Way, Built]:
        return {
            way: three_spreads.built(way, file, by, facts, machine, on)
            for way, file in files.items()
        }

    # What cannot be is refused before anything is measured, and all of it is planned again after.
    planned(chosen)
    choosing.choose_fastest(binary, files["message"], chosen, facts)
    kept = _measured(binary, Store.default(runs), planned(chosen), json)
    with measuring.known_to_be_kept(*kept.values()):
        _show(kept, on, json)
    for it in kept.values():
        measuring.say_how_it_ended(it)
    raise typer.Exit(int(any(map(_has_failed, kept.values()))))


def _measured(engine: Engine, store: Store, built: dict[Way, Built], json: bool) -> dict[Way, Kept]:
    """Measures and keeps the runs, one after the other; an interrupt ends them."""
    from ciphermark.command import measuring
    from ciphermark.command.output import say
    from ciphermark.workloads.cores.plan import NAMES
    from ciphermark.workloads.cores.show import TITLES

    kept: dict[Way, Kept] = {}
    for way, plan in built.items():
        say(f"{TITLES[way].lower()} ({len(kept) + 1} of {len(built)})")
        header = measuring.header(plan, json or bool(kept))
        kept[way] = measuring.measure_and_keep(engine, store, plan, NAMES[way], header)
        if kept[way].run.context.interrupted:
            break
    return kept


def _show(kept: dict[Way, Kept], on: Sharing, json: bool) -> None:
    from ciphermark.workloads.cores.spreads import verdicts

    spreads, pays = compared(kept, len(on.cpus))
    found = verdicts(spreads)
    ids = {way: it.id for way, it in kept.items()}
    if json:
        from ciphermark.command.output import print_json

        told = {"spreads": [_document(it) for it in spreads], "pays": pays, "verdicts": found}
        print_json({"runs": ids, "cpus": on.cpus, **told})
        return
    from ciphermark.show.frame import print_facts
    from ciphermark.show.terminal import output_console
    from ciphermark.workloads.cores.show import print_cores

    console = output_console()
    print_cores(console, spreads, pays, found)
    console.print()
    print_facts(console, {"Saved": ", ".join(f"{run} ({way})" for way, run in ids.items())})


def compared(kept: dict[Way, Kept], cores: int) -> tuple[list[Spread], list[Pays]]:
    """What the runs say."""
    from ciphermark.workloads.cores import spreads as three_spreads

    ways = {
        "message": three_spreads.message_spreads,
        "flow": three_spreads.flow_spreads,
        "tunnels": three_spreads.tunnel_spreads,
    }
    spreads = [it for way, run in kept.items() for it in ways[way](run.rows, cores)]
    message = kept.get("message")
    return spreads, three_spreads.pays(message.rows) if message is not None else []


def _document(spread: Spread) -> dict[str, object]:
    import msgspec

    return msgspec.to_builtins(spread) | {"gain": spread.gain}


def _has_failed(kept: Kept) -> bool:
    """Whether a case failed; that one cannot be split is an answer."""
    errors = (row.error for row in kept.rows if row.error is not None)
    return kept.problem is not None or any(it.kind != "unsupported" for it in errors)
