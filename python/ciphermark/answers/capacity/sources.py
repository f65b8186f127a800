"""Choice of the runs from which `advise` and `capacity` answer.

Without a name these are the runs that were measured on this machine. `--run` names one run, of any
machine or of another program. `--on NAME` names a machine of which runs are stored, or a processor
that models know (a target, or a file that describes one); `NAME@CLOCK` the same at another clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import msgspec

from ciphermark.answers.advice.uses import USES, suite_parts
from ciphermark.answers.capacity import path
from ciphermark.answers.capacity.answer import (
    BUILD,
    Known,
    Machine,
    Question,
    Source,
    machine_of,
    measuring,
    source_of,
    suite_cost,
    sum_of_parts,
    whole_cost,
)
from ciphermark.answers.capacity.packet_cost import USUAL_ERROR, usual_error
from ciphermark.answers.capacity.size_costs import OTHER_CLOCK_ERROR
from ciphermark.command.stored import Newest, resolve, rows_of, stored_rows
from ciphermark.errors import UsageError, WorkError
from ciphermark.plan import profiles
from ciphermark.plan.names import found_names, is_pattern, split
from ciphermark.plan.quantities import whole
from ciphermark.workload import NAMES, workload_of

if TYPE_CHECKING:
    from pathlib import Path

    from ciphermark import contract
    from ciphermark.answers.advice.uses import Use
    from ciphermark.answers.models.predictions import Predicted
    from ciphermark.record.run import Context, Summary
    from ciphermark.record.store import Store
    from ciphermark.workloads.loaded import CoreRate
    from ciphermark.workloads.single.row import Row


OF_SUITES = "esp"
"""Plan whose runs have suites: they are asked first."""

USUAL_PROFILE = "imix"

MOST_RUNS = 4
"""Of each workload, the newest, so that the answer comes at once however many are stored."""

_LOOKED_THROUGH = 40
"""Runs whose contexts are read in search of functions: 5 ms each."""

_MOST_NAMED = 3
"""Runs of other machines that a message names."""


ANY = "packets or messages"
"""Words for figures of whatever functions a run has."""

_PROTOCOLS = {use.protocol for use in USES.all() if use.protocol is not None}

Facts = Mapping[str, "contract.Algorithm"]
"""Facts of algorithms by name."""


Stage = Literal["names", "parts", "any"]
"""Order of the search: the functions themselves, parts of suites, and anything."""


class Wanted(NamedTuple):
    """Functions that an answer needs, and the command that measures them."""

    names: tuple[str, ...] = ()
    """Names and patterns of suites and algorithms; none where any will do."""
    kinds: tuple[str, ...] = ()
    """Kinds of plain algorithms that serve instead."""
    suites: tuple[str, ...] = ()
    """Suites that may be put together from their parts."""
    title: str = ANY
    measured_by: str = "ciphermark esp"
    run: str | None = None
    """The run that is named, whose machine is asked about."""
    on: str | None = None
    """The machine that is named; without a name it is this one."""

    def with_providers(self, typed: str) -> Wanted:
        """Returns the same by these libraries alone."""
        return self._replace(
            title=f"{self.title} by {typed}", measured_by=f"{self.measured_by} --providers {typed}"
        )


def wanted(use: Use | None, suites: str | None, facts: Facts) -> Wanted:
    """Returns the suites of `--suites`, else those of a use, else all. Raises `UsageError`."""
    named = [] if suites is None or suites.strip() == "all" else split(suites)
    if suites is not None and not split(suites):
        raise UsageError(f"--suites {suites!r} names nothing: write for example esp:aes-128-gcm")
    protocol = None if use is None else use.protocol
    protocols = {it.partition(":")[0] for it in facts if ":" in it} | _PROTOCOLS
    names = [f"{it}:*" if it in protocols else it for it in named]
    if protocol is not None:
        names = [it if ":" in it else f"{protocol}:{it}" for it in names] or [f"{protocol}:*"]
    names = list(dict.fromkeys(names))
    if use is None:
        command = measuring(",".join(named)) if named else "ciphermark esp"
        return Wanted(tuple(names), title=", ".join(named) or ANY, measured_by=command)
    command = measuring(",".join(names)) if named else use.measured_by
    title = ", ".join(named) or use.title
    return Wanted(tuple(names), tuple(use.kinds), tuple(use.suites), title, command)


def facts(engine: Path | None = None) -> Facts:
    """Returns the facts of all algorithms, of `engine` or the installed one; none without one."""
    from ciphermark.run import caches
    from ciphermark.run.engine import Engine

    try:
        return {it.name: it for it in caches.algorithms(Engine(engine))}
    except (OSError, UsageError, WorkError):
        return {}


def known(
    store: Store, wanted: Wanted, questions: Sequence[Question], facts: Facts, runs: str | None
) -> Known:
    """Returns figures of this machine, or of the one that is named. Raises `UsageError`."""
    if wanted.run is not None:
        named = store.context(resolve(store, wanted.run))
        _check_workload(named)
        others = [it for it in store.summaries() if it.machine_id == named.machine_id]
        chosen = [named, *(it for it in others if workload_of(it.workload).of_several_cores)]
        return _of_runs(store, wanted, questions, chosen, facts, named.run)
    if wanted.on is None:
        return _of_runs(store, wanted, questions, _of_here(store), facts)
    stored = [it for it in store.summaries() if it.machine_name == wanted.on]
    if stored:
        return _of_runs(store, wanted, questions, stored, facts)
    return _predicted(store, wanted.on, runs, facts)


def of_stored(store: Store, run: str, facts: Facts) -> Known:
    """Returns the figures of a stored run, with the cores and data paths of its machine.

    Raises `UsageError` where it has none.
    """
    [profile] = profiles.from_option(USUAL_PROFILE)
    question = Question(profile=profile, cores=1)
    found = known(store, Wanted(run=run), [question], facts, None)
    found.paths = path.learned(store, found.machine.name)
    return found


def of_run(context: Context, rows: Sequence[Row], store: Store | None, facts: Facts) -> Known:
    """Returns the figures of a run as `of_stored`; of its rows alone where no store has it."""
    if store is not None:
        try:
            return of_stored(store, context.run, facts)
        except UsageError:
            pass
    return Known(
        machine=machine_of(context),
        sources=[source_of(context, rows)],
        facts=facts,
        parts_error=USUAL_ERROR,
    )


def _check_workload(context: Context) -> None:
    workload = workload_of(context.workload)
    if not workload.of_messages:
        raise UsageError(
            f"run {context.run} is of the workload {context.workload}, which has no cost of "
            "single messages: name a run of 'ciphermark esp' or 'ciphermark survey'"
        )


def _of_runs(
    store: Store,
    wanted: Wanted,
    questions: Sequence[Question],
    summaries: Sequence[Summary],
    facts: Facts,
    named: str | None = None,
) -> Known:
    """Returns figures of these runs, which are of one machine. Raises `UsageError`."""
    newest = Newest(store, named)
    try:
        sources, first = _sources(store, wanted, questions, summaries, newest)
        if first is None:
            raise nothing(store, wanted)
        return Known(
            machine=machine_of(first),
            sources=sources,
            facts=facts,
            rates=list(_rates(store, summaries, newest)),
            parts_error=parts_error(sources, questions[0]),
        )
    finally:
        newest.say_passed_over()


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
    """Returns the runs that were measured on this machine."""
    from ciphermark.run.here import machine_id

    measured = [it for it in store.summaries() if workload_of(it.workload).measured_here]
    machines = {it.machine_id for it in measured}
    # An installation without an identifier is this machine if there is no other.
    here = machine_id() or (machines.pop() if len(machines) == 1 else None)
    return [it for it in measured if it.machine_id == here]


def nothing(store: Store, wanted: Wanted) -> UsageError:
    """Returns the sentence about a machine without figures: what to measure, or to name."""
    measure = f"measure with '{wanted.measured_by}'"
    if wanted.run is not None:
        run = resolve(store, wanted.run)
        if not workload_of(store.context(run).workload).measured_here:
            measure = "import more of its machine with 'ciphermark import FILE --machine NAME'"
        return UsageError(
            f"run {run} has no figure for {wanted.title}: leave out --run, or {measure}"
        )
    whose = "this machine" if wanted.on is None else wanted.on
    text = f"no run of {whose} has figures for {wanted.title}: {measure}"
    mine = {it.run for it in _of_here(store)}
    foreign = (it for it in store.summaries() if it.run not in mine)
    may = _Serving(store, wanted)
    looked = islice(foreign, _LOOKED_THROUGH)
    serving = (it for it in looked if may.run(it, "names") or may.run(it, "parts"))
    found = [f"--run {it.run} of {machine_of(it).label}" for it in islice(serving, _MOST_NAMED)]
    return UsageError(f"{text}; or answer from {' or '.join(found)}" if found else text)


class _Serving:
    """Choice of the runs that have functions that are wanted: `names`, or their `parts`, or any."""

    def __init__(self, store: Store, wanted: Wanted) -> None:
        self._store = store
        self._wanted = wanted
        self._kinds: dict[str, str] = {}
        """Facts of the functions of all runs read, by name and alias."""
        exact = [it for it in wanted.names if not is_pattern(it)]
        parts = (suite_parts(it)[1:] for it in (*wanted.suites, *exact))
        self._parts = {part for own in parts for part in own if part}

    def run(self, summary: Summary, stage: Stage) -> bool:
        """Returns whether the functions that a run was made for serve."""
        if not workload_of(summary.workload).of_messages:
            return False
        try:
            algorithms = self._store.context(summary.run).algorithms
        except WorkError:  # `list runs` says so
            return False
        own = {alias: it.kind for it in algorithms for alias in (it.name, *it.aliases)}
        self._kinds |= own
        return any(self._function(it, stage) for it in own)

    def rows(self, rows: Sequence[Row], stage: Stage) -> bool:
        """Returns whether rows are of such functions, and not of compared builds alone."""
        usual = (row for row in rows if BUILD not in row.provider)
        return any(self._function(row.algorithm, stage) for row in usual)

    def _function(self, name: str, stage: Stage) -> bool:
        wanted = self._wanted
        if stage == "any" or not (wanted.names or wanted.kinds):
            return True
        if stage == "parts":
            return any(part.startswith(name) for part in self._parts)
        named = any(fnmatchcase(name, it) for it in wanted.names)
        return named or self._kinds.get(name) in wanted.kinds


def _sources(
    store: Store,
    wanted: Wanted,
    questions: Sequence[Question],
    summaries: Sequence[Summary],
    newest: Newest,
) -> tuple[list[Source], Context | None]:
    """Returns runs by trust, no more than are needed, and the context of the first."""
    found: dict[str, Source] = {}
    contexts: list[Context] = []
    serving = _Serving(store, wanted)
    exact = wanted.names and not any(map(is_pattern, wanted.names))
    for stage in get_args(Stage):
        for trust in range(_LEAST_TRUST + 1):
            trusted = islice((it for it in summaries if _trust(it) == trust), _LOOKED_THROUGH)
            left = (it for it in trusted if it.run not in found)
            may = (it for it in left if it.run == newest.named or serving.run(it, stage))
            serves = partial(serving.rows, stage=stage)
            for summary in islice(newest.serving(may, serves), MOST_RUNS):
                context = store.context(summary.run)
                rows, is_named = rows_of(store, summary.run, context), summary.run == newest.named
                found[summary.run] = source_of(context, rows, with_builds=is_named)
                contexts.append(context)
                if exact and _can_answer(found.values(), wanted.names, questions):
                    return [*found.values()], contexts[0]
            named = [] if exact else _named([*found.values()], wanted)
            if any(_can_answer(found.values(), [it], questions) for it in named):
                return [*found.values()], contexts[0]
        if found and stage == "parts":
            break  # any other run would only say which names there are
    return [*found.values()], next(iter(contexts), None)


def _named(sources: Sequence[Source], wanted: Wanted) -> list[str]:
    """Returns the measured functions that are wanted."""
    names = dict.fromkeys(row.algorithm for it in sources for row in it.rows)
    if wanted.names:
        return [it for it in names if any(fnmatchcase(it, one) for one in wanted.names)]
    kinds = {name: it.kind for source in sources for name, it in source.algorithms.items()}
    return [it for it in names if kinds.get(it) in wanted.kinds] if wanted.kinds else usual(sources)


_LEAST_TRUST = 2


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
            parts = sum_of_parts(plain, name, suite, question, 0.0)
            if measured is not None and parts is not None:
                pairs.append((parts.ns.value, measured.ns.value))
    return usual_error(pairs)


def providers_of(typed: str, known: Known) -> list[str]:
    """`--providers` as names of libraries that the runs have. Raises `UsageError`."""
    there = {row.provider: row.provider for source in known.sources for row in source.rows}
    found = found_names(typed, there, "library in the runs", ", ".join(there))
    if not found:
        raise UsageError(f"--providers {typed!r} names nothing: write for example openssl")
    return found


def names_of(wanted: Wanted, known: Known, question: Question) -> list[str]:
    """Returns canonical names of what is wanted; without that those of `usual`.

    A pattern means what was measured, else what can be put together from its parts. Raises
    `UsageError` for unknown names.
    """
    if not wanted.names:
        return usual(known.sources)
    measured = _named(known.sources, wanted)
    facts = [*known.facts.values(), *(f for it in known.sources for f in it.algorithms.values())]
    names = {alias: it.name for it in facts for alias in (it.name, *it.aliases)}
    names |= {it: it for it in (*wanted.suites, *measured)}
    listing = "ciphermark list runs, of which the newest of this machine are asked"
    found: list[str] = []
    for typed in wanted.names:
        if not is_pattern(typed):
            found += found_names([typed], names, "suite or algorithm in the runs", listing)
            continue
        alike = [it for it in measured if fnmatchcase(it, typed)]
        parted = (it for it in dict.fromkeys(names.values()) if fnmatchcase(it, typed))
        found += alike or [it for it in parted if suite_cost(it, question, known) is not None]
    return list(dict.fromkeys(found))


def usual(sources: Sequence[Source]) -> list[str]:
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


def machine_and_clock(typed: str | None) -> tuple[str | None, float | None]:
    """Reads `--on NAME@CLOCK`: the name, None for this machine, and the clock in Hz.

    Raises `UsageError`.
    """
    from ciphermark.plan.quantities import hertz

    name, _, clock = (typed or "").partition("@")
    name = name.strip()
    hz = hertz(clock, "--on") if clock else None
    return None if name in ("", HERE) else name, hz


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


def _predicted(store: Store, name: str, runs: str | None, facts: Facts) -> Known:
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
            origin="predicted",
            note=f"our portable kernels on {processor.title}, {_how(answer.predictions)}: nothing "
            "was measured there",
        ),
        sources=[
            Source(
                name=f"the models, from {observed.source}",
                kind="predicted",
                rows=[_row(number, it, hz) for number, it in enumerate(answer.predictions)],
                algorithms=facts,
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
