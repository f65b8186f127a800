"""What `ciphermark capacity` answers from: stored runs, or with `--on` another machine or clock.

`--on NAME` is a machine of which runs are stored, or a processor that models know (a target, or a
file that describes one); `NAME@CLOCK` the same at another clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from ciphermark.answers.capacity.answer import (
    Known,
    Machine,
    Question,
    Source,
    machine_of,
    source_of,
    whole_cost,
)
from ciphermark.answers.capacity.packet_cost import USUAL_ERROR, sum_of_parts, usual_error
from ciphermark.answers.capacity.size_costs import OTHER_CLOCK_ERROR
from ciphermark.command.stored import Newest, resolve, rows_of, stored_rows
from ciphermark.errors import UsageError, WorkError
from ciphermark.plan.names import found_names, split
from ciphermark.plan.quantities import whole
from ciphermark.workload import NAMES, workload_of

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.answers.models.predictions import Predicted
    from ciphermark.record.run import Context, Summary
    from ciphermark.record.store import Store
    from ciphermark.workloads.core_rate import CoreRate
    from ciphermark.workloads.single.row import Row


OF_SUITES = "esp"
"""Plan whose runs have suites: they are asked first."""

MOST_RUNS = 4
"""Of each workload, the newest, so that the answer comes at once however many are stored."""


def known(
    store: Store, names: Sequence[str], questions: Sequence[Question], run: str | None
) -> Known:
    """What is known of this machine, or of the one that a run is of. Raises `UsageError`."""
    if run is None:
        return of_runs(store, names, questions, _of_here(store))
    named = store.context(resolve(store, run))
    others = [it for it in store.summaries() if it.machine_id == named.machine_id]
    chosen = [named, *(it for it in others if workload_of(it.workload).of_several_cores)]
    return of_runs(store, names, questions, chosen, named.run)


def of_runs(
    store: Store,
    names: Sequence[str],
    questions: Sequence[Question],
    summaries: Sequence[Summary],
    named: str | None = None,
) -> Known:
    """What those of these runs tell that have figures, and the one that is named, whatever it has;
    they are of one machine. Raises `UsageError`."""
    newest = Newest(store, named)
    try:
        return _told(store, names, questions, summaries, newest)
    finally:
        newest.say_passed_over()


def _told(
    store: Store,
    names: Sequence[str],
    questions: Sequence[Question],
    summaries: Sequence[Summary],
    newest: Newest,
) -> Known:
    sources, first = _sources(store, names, questions, summaries, newest)
    if first is None:
        raise UsageError(
            "no run has figures of packets or messages: measure with ciphermark esp or ciphermark "
            "survey, or name one with --run"
        )
    return Known(
        machine=machine_of(first),
        sources=sources,
        rates=list(_rates(store, summaries, newest)),
        parts_error=parts_error(sources, questions[0]),
    )


def cpus_of(known: Known, typed: str) -> int:
    """`--cores N|all`. Raises `UsageError`."""
    machine = known.machine
    if typed.strip().lower() == "all":
        if machine.cpus is None:
            raise UsageError(
                f"--cores all: the number of CPUs of {machine.name} is unknown: write --cores 4"
            )
        return machine.cpus
    return whole(typed, "--cores", 1, 65_536)


def _of_here(store: Store) -> list[Summary]:
    """The runs of this machine, else those of the machine of the newest run with figures."""
    from ciphermark.measure.here import machine_id

    found = [it for it in store.summaries() if _tells_of_packets(it)]
    if not found:
        raise UsageError(
            f"no run of packets or messages is stored in {store.place}: measure with ciphermark "
            "esp or ciphermark survey, or name the folder with --runs DIR"
        )
    here = machine_id()
    if of_here := [it for it in found if it.machine_id == here]:
        return of_here
    machine = next((it.machine_id for it in Newest(store).serving(found)), found[0].machine_id)
    return [it for it in found if it.machine_id == machine]


def _sources(
    store: Store,
    names: Sequence[str],
    questions: Sequence[Question],
    summaries: Sequence[Summary],
    newest: Newest,
) -> tuple[list[Source], Context | None]:
    """Runs by trust, no more than are needed for the answers, and the context of the first."""
    sources: list[Source] = []
    first: Context | None = None
    for trust in range(_LEAST_TRUST + 1):
        trusted = [it for it in summaries if _trust(it) == trust]
        for summary in islice(newest.serving(trusted), MOST_RUNS):
            context = store.context(summary.run)
            sources.append(source_of(context, rows_of(store, summary.run, context)))
            first = first or context
            if names and _can_answer(sources, names, questions):
                return sources, first
        if not names and sources and _can_answer(sources, _usual(sources), questions):
            break
    return sources, first


_LEAST_TRUST = 2


def _tells_of_packets(run: Summary) -> bool:
    """Whether it has costs of packets, or what several cores carry."""
    workload = workload_of(run.workload)
    return workload.of_messages or workload.of_several_cores


def _trust(run: Summary) -> int | None:
    """0 is the most; None of runs that have no costs of packets."""
    workload = workload_of(run.workload)
    if not workload.of_messages:
        return None
    return int(run.plan_name != OF_SUITES) if workload.measured_here else _LEAST_TRUST


def _can_answer(
    sources: Iterable[Source], names: Iterable[str], questions: Sequence[Question]
) -> bool:
    def is_answered(name: str, question: Question) -> bool:
        costs = [whole_cost(name, it, question) for it in sources]
        return any(it is not None and it.fixed_share is not None for it in costs)

    return all(is_answered(name, question) for name in names for question in questions)


def _rates(store: Store, summaries: Iterable[Summary], newest: Newest) -> Iterator[CoreRate]:
    """What several cores were measured to do."""
    for name in NAMES:
        workload = workload_of(name)
        of_it = [it for it in summaries if workload.of_several_cores and it.workload == name]
        for summary in islice(newest.serving(of_it), MOST_RUNS):
            try:
                yield from workload.core_rates(stored_rows(store, summary.run, name))
            except WorkError:
                continue  # damaged, and only one more witness


def parts_error(sources: Sequence[Source], question: Question) -> float:
    """Of sums of parts, as a share: by the suites that were measured as a whole and in parts, in
    whatever libraries."""
    question = msgspec.structs.replace(question, providers=[])
    plain = [row for it in sources for row in it.rows]
    pairs = []
    for source in sources:
        for name, facts in source.algorithms.items():
            suite = facts.suite
            if suite is None:
                continue
            measured = whole_cost(name, source, question)
            parts = sum_of_parts(plain, suite, question.profile, question.both_ways, 0.0)
            if measured is not None and parts is not None:
                pairs.append((parts.ns.value, measured.ns.value))
    return usual_error(pairs)


def wanted(suites: str | None, protocol: str | None = None) -> list[str]:
    """`--suites` as a list of names and patterns, else all of a protocol; empty where all are
    meant. Raises `UsageError`."""
    if suites is None or suites.strip() == "all":
        return [] if protocol is None else [f"{protocol}:*"]
    found = split(suites)
    if not found:
        raise UsageError(f"--suites {suites!r} names nothing: write for example esp:aes-128-gcm")
    if protocol is not None:
        found = [it if ":" in it or it == protocol else f"{protocol}:{it}" for it in found]
    return list(dict.fromkeys(found))


def providers_of(typed: str, known: Known) -> list[str]:
    """`--providers` as names of libraries that the runs have. Raises `UsageError`."""
    there = {row.provider: row.provider for source in known.sources for row in source.rows}
    found = found_names(typed, there, "library in the runs", ", ".join(there))
    if not found:
        raise UsageError(f"--providers {typed!r} names nothing: write for example openssl")
    return found


def names_of(wanted: Sequence[str], known: Known) -> list[str]:
    """Canonical names of what is wanted; without that all suites of the most trusted run, or its
    AEADs where it has no suite. Raises `UsageError` for names that no run knows."""
    if not wanted:
        return _usual(known.sources)
    known_names = {row.algorithm: row.algorithm for it in known.sources for row in it.rows}
    for source in known.sources:
        for name, facts in source.algorithms.items():
            known_names |= dict.fromkeys((name, *facts.aliases), name)
    protocols = {name.partition(":")[0] for name in known_names if ":" in name}
    named = [f"{it}:*" if it in protocols else it for it in wanted]
    if len(named) == 1 and named[0].endswith(":*") and named[0][:-2] not in protocols:
        raise UsageError(
            f"no run has suites of {named[0][:-2]}: measure with ciphermark esp --suites "
            f"{named[0][:-2]}"
        )
    listing = "ciphermark list runs, of which the newest of this machine are asked"
    return found_names(named, known_names, "suite or algorithm in the runs", listing)


def _usual(sources: Sequence[Source]) -> list[str]:
    """All suites that were measured; without any, the AEADs or whatever else there is."""
    facts = {name: it for source in reversed(sources) for name, it in source.algorithms.items()}
    measured = dict.fromkeys(
        row.algorithm for it in sources for row in it.rows if row.ns_per_message
    )
    for kind in ("suite", "aead"):
        if alike := [it for it in measured if it in facts and facts[it].kind == kind]:
            return alike
    return list(measured)


HERE = "here"


def machine_and_clock(typed: str | None) -> tuple[str, float | None]:
    """The machine of `--on NAME@CLOCK`, empty for this one, and the clock in Hz, where one is
    given. Raises `UsageError`."""
    from ciphermark.plan.quantities import hertz

    name, _, clock = (typed or "").partition("@")
    name = name.strip()
    return "" if name == HERE else name, hertz(clock, "--on") if clock else None


def known_on(
    store: Store, names: Sequence[str], questions: Sequence[Question], name: str, runs: str | None
) -> Known:
    """What is known of the machine of this name. Raises `UsageError`."""
    stored = [it for it in store.summaries() if it.machine_name == name]
    return of_runs(store, names, questions, stored) if stored else _predicted(store, name, runs)


def at_clock(known: Known, hz: float) -> Known:
    """The same cycles at another clock, in hertz."""
    machine = msgspec.structs.replace(
        known.machine,
        note=f"scaled by the clock to {hz / 1e9:g} GHz: ±{100 * OTHER_CLOCK_ERROR:.0f} "
        "% is assumed, since memory does not scale with it",
    )
    sources = [_source_at(it, hz) for it in known.sources]
    paths = known.paths.at_clock(hz)
    return msgspec.structs.replace(known, machine=machine, sources=sources, paths=paths)


def _source_at(source: Source, hz: float) -> Source:
    rows = [msgspec.structs.replace(row, core_hz=hz) for row in source.rows if row.core_hz]
    error = source.error + OTHER_CLOCK_ERROR
    return msgspec.structs.replace(source, rows=rows, error=error, kind="predicted")


def _predicted(store: Store, name: str, runs: str | None) -> Known:
    """Our kernels on a processor that is described, by the models."""
    from ciphermark.answers.models.predictions import Wanted, predictions
    from ciphermark.answers.models.processors import described
    from ciphermark.answers.models.sources import observed_with_operations

    try:
        processor = described(name)
    except UsageError as error:
        machines = dict.fromkeys(it.machine_name for it in store.summaries())
        stored = ", ".join(machines) or "none"
        raise UsageError(f"--on {name}: {error}; machines with runs: {stored}") from None
    if processor.processor.metric == "instructions":
        raise UsageError(
            f"--on {name}: models predict instructions of it and no cycles, so its times are "
            "unknown: take another target (ciphermark list targets)"
        )
    try:
        observed = observed_with_operations("simulated", runs, None)
    except UsageError:
        raise UsageError(
            f"--on {name}: no run is of such a machine, and the models that would predict it "
            "need a simulation: ciphermark simulate all"
        ) from None
    sizes = sorted({it.message_bytes for it in observed.observations if it.message_bytes})
    answer = predictions(observed, processor, [], Wanted(sizes=sizes))
    hz = 1e6 * answer.clock_mhz
    return Known(
        machine=Machine(
            name=name,
            cpus=1,
            physical_cores=1,
            note=f"our portable kernels on {processor.title}, {_how(answer.predictions)}: nothing "
            "was measured there",
        ),
        sources=[
            Source(
                name=f"the models, from {observed.source}",
                kind="predicted",
                rows=[_row(number, it, hz) for number, it in enumerate(answer.predictions)],
                algorithms=_facts(),
            )
        ],
        parts_error=USUAL_ERROR,
    )


def _how(found: Sequence[Predicted]) -> str:
    """How figures came about, of which a simulation may know some."""
    simulated = {it.basis == "measured" for it in found}
    if simulated == {True}:
        return "simulated"
    models = "predicted as by ciphermark model predict"
    return f"in part simulated, else {models}" if True in simulated else models


def _facts() -> dict[str, contract.Algorithm]:
    """Of all algorithms; none without an engine, so that suites cannot be composed."""
    from ciphermark.measure.engine import Engine

    try:
        return {it.name: it for it in Engine().describe().algorithms}
    except UsageError:
        return {}


def _row(number: int, predicted: Predicted, hz: float) -> Row:
    """A prediction in the form of a row."""
    from ciphermark.statistics.estimate import Estimate
    from ciphermark.workloads.single.row import unsampled_row

    return unsampled_row(
        number,
        Estimate(predicted.cycles, predicted.low, predicted.high),
        hz,
        algorithm=predicted.algorithm,
        operation=predicted.operation,
        message_bytes=predicted.message_bytes,
        workload="single",
    )
