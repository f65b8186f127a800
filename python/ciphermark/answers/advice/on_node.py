"""Figures of a sensor node: of functions and of its protocol's packets, by the kernels that are the
fastest on its simulated processor and fit its memory."""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from ciphermark.answers.capacity.answer import Known, Machine, Source
from ciphermark.answers.capacity.packet_cost import SENDING, USUAL_ERROR
from ciphermark.answers.models import kernels
from ciphermark.answers.models.costs import FunctionCosts, Room, in_cycles
from ciphermark.answers.models.observations import Footprint, Function, newest_simulated
from ciphermark.answers.protocols import nodes
from ciphermark.answers.protocols.cost import packet
from ciphermark.errors import UsageError
from ciphermark.plan.names import UNDOING
from ciphermark.statistics.estimate import Estimate
from ciphermark.workload import workload_of
from ciphermark.workloads.single.row import Row, unsampled_row

if TYPE_CHECKING:
    from ciphermark.answers.advice.ranking import Question
    from ciphermark.answers.capacity.sources import Facts
    from ciphermark.answers.models.observations import Observed
    from ciphermark.answers.protocols.cost import Crypto
    from ciphermark.answers.protocols.nodes import Node
    from ciphermark.answers.protocols.protocols import Side
    from ciphermark.record.store import Store

MOST_RUNS = 20
"""Simulations that figures are taken from, the newest: 50 ms each."""

Memory = Mapping[str, Footprint]
"""Memory that each algorithm and suite takes, as far as it is known."""

OPERATIONS = (*SENDING, *UNDOING.values(), "setup")

WAYS: dict[str, Side] = {"seal": "send", "open": "receive"}


def known(
    store: Store, run: str | None, node: Node, facts: Facts, question: Question
) -> tuple[Known, Memory]:
    """Returns figures and memory of each function by the newest run that has it, or by `run`.

    Raises `UsageError`.
    """
    from ciphermark.command.stored import resolve

    names = _simulated(store, node) if run is None else [resolve(store, run)]
    runs = []
    for it in map(store.load, names):
        if not workload_of(it.context.workload).simulated:
            raise UsageError(
                f"run {it.context.run} is of a machine, not of the node {node.name}: leave out "
                f"--node, or type 'ciphermark simulate {node.target}'"
            )
        own = [target for target in it.targets if target.target == node.target]
        runs.append(msgspec.structs.replace(it, targets=own))
    observed = newest_simulated(runs)
    if not observed.observations:
        raise UsageError(
            f"{observed.source} has no figures of {node.target}, the processor of {node.name}, "
            f"beside its description: type 'ciphermark simulate {node.target}'"
        )
    observed = in_cycles(observed)
    wishes = question.wishes
    costs = nodes.costs_on(node, observed, Room(wishes.code_bytes, wishes.memory_bytes))
    largest = question.load.traffic.largest_bytes
    sizes = {size for size, _ in question.load.traffic.sizes}
    sizes |= {it.message_bytes for it in observed.observations if it.message_bytes}
    rows, memory = _of_functions(costs, observed, sorted(sizes), question)
    if question.load.protocol is not None:
        for suite in question.use.suites:
            with contextlib.suppress(UsageError):  # a pass of it was not simulated
                rows += _of_packets(costs, suite, sorted(sizes), question)
                memory[suite] = _packet(costs, largest, "send", question)[1]
    known_facts = dict(facts)
    for it in reversed(runs):
        known_facts |= {fact.name: fact for fact in it.context.algorithms}
    protocol = question.load.protocol
    source = Source(
        name=observed.source,
        kind="measured",
        rows=rows,
        algorithms=known_facts,
        notes=[] if protocol is None else [*kernels.to_simulate(costs, {protocol.cipher})],
    )
    machine = Machine(name=node.title, cpus=1, physical_cores=1, origin="simulated")
    found = Known(machine=machine, sources=[source], facts=known_facts, parts_error=USUAL_ERROR)
    return found, memory


def _of_functions(
    costs: FunctionCosts, observed: Observed, sizes: Sequence[int], question: Question
) -> tuple[list[Row], dict[str, Footprint]]:
    """Returns the costs of all operations of each algorithm by its kernel, and its memory."""
    node, largest = question.load.node, question.load.traffic.largest_bytes
    assert node is not None
    rows: list[Row] = []
    memory: dict[str, Footprint] = {}
    functions: dict[str, set[Function]] = defaultdict(set)
    for it in observed.observations:
        if it.operation in OPERATIONS:
            functions[it.algorithm].add(it.function)
    for algorithm, own in functions.items():
        kernel = _fastest(costs, own, largest)
        memory[algorithm] = costs.footprint(algorithm, kernel) or Footprint()
        for function in own:
            for size in [None] if function.operation == "setup" else sizes:
                rows += [
                    _row(Estimate(it.cycles, it.low, it.high), *function, size, kernel, node)
                    for it in costs.kernels([function], size)
                    if it.backend == kernel
                ]
    return rows, memory


def _fastest(costs: FunctionCosts, own: Collection[Function], message_bytes: int) -> str:
    """Returns the kernel that sends the fastest of those that fit the memory."""
    sending = min(own, key=lambda it: OPERATIONS.index(it.operation))
    choices = costs.kernels([sending], None if sending.operation == "setup" else message_bytes)
    return costs.room.fastest(
        choices, lambda it: costs.footprint(*it.kernel) or Footprint(), lambda it: it.cycles
    ).backend


def _packet(
    costs: FunctionCosts, size: int, side: Side, question: Question
) -> tuple[Crypto, Footprint]:
    """Returns the cost and the memory of a payload of the question's protocol."""
    load = question.load
    assert load.protocol is not None and load.node is not None
    crypto, memory = packet(load.protocol, size, side, load.node.clock_mhz, costs)
    return crypto, Footprint() if memory is None else memory.footprint


def _of_packets(
    costs: FunctionCosts, suite: str, sizes: Sequence[int], question: Question
) -> Iterator[Row]:
    """Yields the costs of a protocol's packets by payload."""
    node = question.load.node
    assert node is not None
    for size in sizes:
        for operation, side in WAYS.items():
            crypto = _packet(costs, size, side, question)[0]
            cycles = Estimate(crypto.cycles, crypto.low, crypto.high)
            yield _row(cycles, suite, operation, size, crypto.backends, node)


def _row(
    cycles: Estimate,
    algorithm: str,
    operation: str,
    message_bytes: int | None,
    backend: str,
    node: Node,
) -> Row:
    return unsampled_row(
        0,
        cycles,
        1e6 * node.clock_mhz,
        algorithm=algorithm,
        operation=operation,
        message_bytes=message_bytes,
        backend=backend,
        workload="simulation",
        backend_evidence="reported",
        samples=1,
        converged=True,
    )


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
