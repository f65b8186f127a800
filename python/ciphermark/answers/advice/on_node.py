"""Figures of a sensor node: the newest of each function on its simulated processor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ciphermark.answers.advice.candidates import Rooms, rows_on
from ciphermark.answers.capacity.answer import Known, Machine, Source
from ciphermark.answers.capacity.packet_cost import USUAL_ERROR
from ciphermark.errors import UsageError
from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.answers.capacity.sources import Facts
    from ciphermark.answers.protocols.nodes import Node
    from ciphermark.record.store import Store
    from ciphermark.workloads.simulation.row import SimulationRow

MOST_RUNS = 40
"""Runs whose rows are read: 5 ms each."""


def known(store: Store, run: str | None, node: Node, facts: Facts) -> tuple[Known, Rooms]:
    """Returns figures and room of each function, by the newest run that has it, or by `run`.

    Raises `UsageError`.
    """
    from ciphermark.command.stored import resolve, rows_of

    newest: dict[tuple[str, str, str], str] = {}
    figures: dict[str, list[SimulationRow]] = {}
    rooms: list[SimulationRow] = []
    known_facts = dict(facts)
    runs = _simulated(store, node) if run is None else [resolve(store, run)]
    contexts = [store.context(it) for it in runs]
    for context in contexts:
        workload = workload_of(context.workload)
        if not workload.simulated:
            raise UsageError(
                f"run {context.run} is of a machine, not of the node {node.name}: leave out "
                f"--node, or type 'ciphermark simulate {node.target}'"
            )
        for row in rows_of(store, context.run, context):
            function = (row.algorithm, row.operation, row.backend)
            if row.target == node.target and workload.has_figure(row):
                if newest.setdefault(function, context.run) == context.run:
                    figures.setdefault(context.run, []).append(row)
                    rooms.append(row)
    for context in reversed(contexts):
        known_facts |= {it.name: it for it in context.algorithms}
    sources = [
        Source(
            name=f"run {name}",
            kind="measured",
            rows=rows_on(rows, node.target, 1e6 * node.clock_mhz),
            algorithms=known_facts,
        )
        for name, rows in figures.items()
    ]
    machine = Machine(name=node.title, cpus=1, physical_cores=1, origin="simulated")
    found = Known(machine=machine, sources=sources, facts=known_facts, parts_error=USUAL_ERROR)
    return found, Rooms(rooms, node.target)


def _simulated(store: Store, node: Node) -> list[str]:
    """Returns the runs of the node's processor, the newest first."""
    from ciphermark.command.stored import Newest

    newest = Newest(store)
    simulations = [it for it in store.summaries() if workload_of(it.workload).simulated]
    serving = newest.serving(
        simulations[:MOST_RUNS], lambda rows: any(row.target == node.target for row in rows)
    )
    found = [it.run for it in serving]
    newest.say_passed_over()
    if found:
        return found
    raise UsageError(
        f"no stored run is of {node.target}, the processor of {node.name}: type 'ciphermark "
        f"simulate {node.target}'"
    )
