"""What advice rests on: a stored run, and the facts of algorithms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from pathlib import Path

    from ciphermark import contract
    from ciphermark.answers.advice.candidates import Rooms
    from ciphermark.answers.advice.uses import Use
    from ciphermark.answers.protocols.nodes import Node
    from ciphermark.record.run import Context, Summary
    from ciphermark.record.store import Store
    from ciphermark.workloads.simulation.row import SimulationRow
    from ciphermark.workloads.single.row import Row


SEVERAL = 2
"""Sizes from which others follow, and what a packet costs without its bytes."""

_LOOKED_THROUGH = 40
"""Runs whose contexts are read in search of one that has what is needed: 5 ms each."""


class Basis(NamedTuple):
    """What advice rests on."""

    context: Context
    rows: list[Row]
    path_rows: list[Row]
    """Of the newest run on the same machine that looked at code paths."""
    known: dict[str, contract.Algorithm]
    rooms: Rooms | None
    """Of a simulated processor."""
    runs: tuple[str, ...] = ()
    """Of a simulated processor: those that have the newest figures of its functions."""


def algorithms(engine: Path | None) -> list[contract.Algorithm]:
    """The facts of all algorithms, of `engine` or the installed one; none on a machine without an
    engine, to which only runs were copied."""
    from ciphermark.errors import UsageError, WorkError
    from ciphermark.measure import caches
    from ciphermark.measure.engine import Engine

    try:
        return caches.algorithms(Engine(engine))
    except (OSError, UsageError, WorkError):
        return []


def basis(
    store: Store,
    run: str | None,
    use: Use,
    facts: Sequence[contract.Algorithm],
    node: Node | None = None,
    only: Sequence[str] = (),
) -> Basis:
    """The run that is named, else the newest with figures for the use, of `only` these suites where
    there are some; with a node those of its simulated processor. Raises `UsageError`."""
    from ciphermark.command.stored import resolve, rows_of

    if node is not None:
        runs = _simulated(store, node) if run is None else [resolve(store, run)]
        return _on_node(store, runs, node, facts)
    name = _suitable(store, use, only) if run is None else resolve(store, run)
    context = store.context(name)
    _check_workload(context, node)
    found = rows_of(store, name, context)
    known = {it.name: it for it in facts}
    # What was known when the run was made is what its figures are of.
    known |= {it.name: it for it in context.algorithms}
    return Basis(context, found, _path_rows(store, context), known, None)


def _on_node(
    store: Store, runs: Sequence[str], node: Node, facts: Sequence[contract.Algorithm]
) -> Basis:
    """What a node's advice rests on: of each function the figures of the newest run, of these runs,
    the newest first, that has it. Raises `UsageError`."""
    from ciphermark.answers.advice.candidates import Rooms, rows_on
    from ciphermark.command.stored import rows_of

    newest: dict[tuple[str, str, str], str] = {}
    figures: list[SimulationRow] = []
    known = {it.name: it for it in facts}
    contexts = [store.context(run) for run in runs]
    for context in contexts:
        _check_workload(context, node)
        workload = workload_of(context.workload)
        for row in rows_of(store, context.run, context):
            function = (row.algorithm, row.operation, row.backend)
            if row.target == node.target and workload.has_figure(row):
                if newest.setdefault(function, context.run) == context.run:
                    figures.append(row)
    for context in reversed(contexts):
        known |= {it.name: it for it in context.algorithms}
    rows = rows_on(figures, node.target, 1e6 * node.clock_mhz)
    served = tuple(run for run in runs if run in newest.values()) or tuple(runs[:1])
    return Basis(contexts[0], rows, [], known, Rooms(figures, node.target), served)


def machine(context: Context) -> dict[str, Any]:
    """What a question has of the run's machine, by the fields of `Question`."""
    imported = not workload_of(context.workload).measured_here
    hello = context.hello
    if (
        hello is None or workload_of(context.workload).simulated
    ):  # of imported figures nobody knows it
        return {"imported": imported}
    clocks = hello.environment.clocks
    return {
        "imported": imported,
        "physical_cores": hello.environment.machine.cores_physical,
        "clock_error": clocks.core_hz_spread + clocks.cycle_residual,
    }


def all_cpus(context: Context) -> int:
    """Of the run's machine. Raises `UsageError` where it is unknown."""
    from ciphermark.errors import UsageError

    hello = context.hello
    if hello is None or workload_of(context.workload).simulated:
        raise UsageError(
            f"--cores all: the number of CPUs of {context.machine_name} is unknown: write --cores 4"
        )
    return hello.environment.machine.cpus_online


def _check_workload(context: Context, node: Node | None) -> None:
    from ciphermark.errors import UsageError

    if node is not None:
        if not workload_of(context.workload).simulated:
            raise UsageError(
                f"run {context.run} is of a machine, not of the node {node.name}: leave out "
                f"--node, or type 'ciphermark simulate {node.target}'"
            )
        return
    if not workload_of(context.workload).of_messages:
        raise UsageError(
            f"run {context.run} is of the workload {context.workload}, which has no cost of "
            "single messages: name a run of 'ciphermark esp' or 'ciphermark survey'"
        )


def _suitable(store: Store, use: Use, only: Sequence[str]) -> str:
    """The newest run with suites of the protocol at several sizes, else at one, else with what they
    can be put together from."""
    from ciphermark.answers.advice.advise import nothing_measured
    from ciphermark.command.stored import Newest
    from ciphermark.errors import UsageError

    summaries = [it for it in store.listing().summaries if workload_of(it.workload).of_messages]
    # What another program has measured is known less well.
    summaries.sort(key=lambda it: not workload_of(it.workload).measured_here)
    looked = [it for it in summaries if not it.plan_name.startswith("code-paths")]
    looked = looked[:_LOOKED_THROUGH]
    algorithms = {it.run: _algorithms(store, it) for it in looked}
    kinds = {name: kind for it in algorithms.values() for name, kind in it.items()}
    newest = Newest(store)
    found = None
    wanted = (partial(_has_one_of, only), _has_parts) if only else (_has_suites, _has_parts)
    for has, least_sizes in ((wanted[0], SEVERAL), (wanted[0], 1), (wanted[1], 1)):
        candidates = (it for it in looked if has(use, algorithms[it.run]))
        serves = partial(_serves, has, use, kinds, least_sizes)
        found = found or newest.first(candidates, serves)
    newest.say_passed_over()
    if found is None:
        raise UsageError(nothing_measured(use, only))
    return found


def _simulated(store: Store, node: Node) -> list[str]:
    """The runs of the node's processor, the newest first."""
    from ciphermark.command.stored import Newest
    from ciphermark.errors import UsageError

    newest = Newest(store)
    simulations = [it for it in store.summaries() if workload_of(it.workload).simulated]
    serving = newest.serving(
        simulations[:_LOOKED_THROUGH],
        lambda rows: any(row.target == node.target for row in rows),
    )
    found = [it.run for it in serving]
    newest.say_passed_over()
    if found:
        return found
    raise UsageError(
        f"no stored run is of {node.target}, the processor of {node.name}: type 'ciphermark "
        f"simulate {node.target}'"
    )


def _algorithms(store: Store, summary: Summary) -> dict[str, str]:
    """Kinds of the algorithms in a run, by name."""
    from ciphermark.errors import WorkError

    try:
        return {it.name: it.kind for it in store.context(summary.run).algorithms}
    except WorkError:  # what cannot be read cannot serve; `list runs` says so
        return {}


_Has = Callable[["Use", dict[str, str]], bool]


def _serves(
    has: _Has, use: Use, kinds: dict[str, str], least_sizes: int, rows: Sequence[Row]
) -> bool:
    """Whether rows are of what the use needs, by the kinds of all algorithms, at so many sizes."""
    if not has(use, {row.algorithm: kinds.get(row.algorithm, "") for row in rows}):
        return False
    own = [row for row in rows if has(use, {row.algorithm: kinds.get(row.algorithm, "")})]
    sizes = {row.size for row in own if row.size is not None}
    return len(sizes) >= least_sizes or least_sizes == 1


def _has_one_of(only: Sequence[str], use: Use, algorithms: dict[str, str]) -> bool:
    return any(it in algorithms for it in only)


def _has_suites(use: Use, algorithms: dict[str, str]) -> bool:
    return use.protocol is not None and any(it.startswith(f"{use.protocol}:") for it in algorithms)


def _has_parts(use: Use, algorithms: dict[str, str]) -> bool:
    if use.protocol is None:
        return any(kind in use.kinds for kind in algorithms.values())
    from ciphermark.answers.advice.uses import suite_parts

    def there(part: str) -> bool:
        named = use.parts.get(part, part)
        likes = [like for name, like in use.like.items() if named.startswith(name)]
        return any(named.startswith(it) or it in likes for it in algorithms)

    return any(all(map(there, filter(None, suite_parts(it)[1:]))) for it in use.suites)


def _path_rows(store: Store, context: Context) -> list[Row]:
    from ciphermark.command.stored import Newest, stored_rows
    from ciphermark.workloads.single.code_paths import PLAN

    wanted = (PLAN, context.machine_id)
    looked = (it for it in store.summaries() if (it.plan_name, it.machine_id) == wanted)
    found = Newest(store).first(looked)
    return [] if found is None else stored_rows(store, found, "single")


def facts_for(context: Context) -> list[contract.Algorithm]:
    """The facts of all algorithms, of which advice needs more than a run has; none where no engine
    is here or nobody asks."""
    from ciphermark.answers.advice.decision import is_decided_on

    if not is_decided_on(context):
        return []
    return algorithms(None)
