"""Which feature of a processor is better hidden from which library, by processor model.

Evidence are runs in which a library was measured with one feature hidden and with all of them,
round by round (`workloads/single/code_paths.py`). A rule is proposed where at least one function
gains; what it is worth elsewhere stands beside it: a mask holds for a whole process, so that all
its functions count, and machines of the same model where it did not hold are counter-examples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import TYPE_CHECKING

import msgspec

from ciphermark.answers.machines.machine import key_of, names_of, of_summaries, unsaid
from ciphermark.errors import WorkError
from ciphermark.workloads.single.code_paths import MATTERS

if TYPE_CHECKING:
    from ciphermark.record.query import Figures
    from ciphermark.record.run import Run, Summary
    from ciphermark.record.store import Store


class Evidence(msgspec.Struct, kw_only=True):
    """One function of a library on one machine, without a feature and with it."""

    machine: str
    run: str
    version: str
    """Of the library."""
    algorithm: str
    operation: str
    message_bytes: int | None
    profile: str | None
    path: str
    """The code path with all features, and the one without this."""
    path_without: str
    gain: float
    """Cycles with all features by cycles without this one: 1.2 says that hiding it saves a sixth.
    """
    gain_low: float
    gain_high: float

    @property
    def function(self) -> tuple[str, str, int | None, str | None]:
        return self.algorithm, self.operation, self.message_bytes, self.profile


class MaskRule(msgspec.Struct, kw_only=True):
    """One feature of one library on one processor model."""

    processor: str
    provider: str
    feature: str
    switches: dict[str, str]
    """The environment variables that hide it."""
    gain: float
    """The median of the gains, with the lowest and the highest end of their intervals."""
    gain_low: float
    gain_high: float
    gains: list[Evidence]
    """Where hiding it is faster, beyond the interval and by over 2 %; the largest gain first."""
    losses: list[Evidence]
    """Where it costs: counter-examples, of other functions or other machines."""
    without_effect: list[Evidence]
    """Where it makes no difference that counts, though the same function gains elsewhere: those are
    counter-examples too."""
    indifferent: int
    """Other functions to which it makes no difference."""
    machines: int
    """Machines of this model that were asked."""
    machines_gaining: int


_Hidden = tuple[Evidence, dict[str, str]]
"""What hiding a feature did, and by which environment variables it was hidden."""


def mask_rules(store: Store, say: Callable[[str], None] = unsaid) -> tuple[list[MaskRule], int]:
    """The rules that stored runs support, the largest gain first, and how many runs were asked."""
    with store.figures(say) as figures:
        hiding = _with_switches(figures)
    names = names_of(of_summaries(store, figures.summaries))
    by_run = {it.run: it for it in figures.summaries if key_of(it) in names}
    found: dict[tuple[str, str, str], dict[tuple[object, ...], _Hidden]] = {}
    asked = 0
    for name in hiding:
        summary = by_run.get(name)
        run = summary and _load(store, summary, say)
        if not summary or not run:
            continue
        asked += 1
        # Newest first: an older run of the same machine says nothing more.
        for provider, feature, evidence, switches in _of_run(run, names[key_of(summary)]):
            of_rule = found.setdefault((summary.cpu_name, provider, feature), {})
            of_rule.setdefault((evidence.machine, *evidence.function), (evidence, switches))
    rules = [_rule(what, list(evidence.values())) for what, evidence in found.items()]
    told = [rule for rule in rules if rule is not None]
    return sorted(told, key=lambda it: -it.gain), asked


def _with_switches(figures: Figures) -> list[str]:
    """The runs in which something was hidden, newest first."""
    table = figures.ask(
        "SELECT run, started_unix_ns FROM runs SEMI JOIN "
        "(SELECT run FROM figures WHERE switched) USING (run) ORDER BY started_unix_ns DESC"
    )
    return [str(run) for run in table["run"].to_pylist()]


def _load(store: Store, summary: Summary, say: Callable[[str], None]) -> Run | None:
    try:
        return store.load(summary.run)
    except WorkError as error:
        say(str(error))
        return None


def _of_run(run: Run, machine: str) -> Iterator[tuple[str, str, Evidence, dict[str, str]]]:
    """What one run says: library and feature, evidence, and how it was hidden."""
    from ciphermark.workloads.single.code_paths import ablations
    from ciphermark.workloads.single.rows import rows

    if run.context.hello is None:
        return
    libraries = {it.name: it for it in run.context.engine_hello.providers}
    for it in ablations(run, rows(run)):
        if it.ratio and it.ratio_low and it.ratio_high:
            library = libraries[it.provider]
            evidence = Evidence(
                machine=machine,
                run=run.context.run,
                version=library.version,
                algorithm=it.algorithm,
                operation=it.operation,
                message_bytes=it.message_bytes,
                profile=it.profile,
                path=it.path,
                path_without=it.path_without,
                gain=1 / it.ratio,
                gain_low=1 / it.ratio_high,
                gain_high=1 / it.ratio_low,
            )
            yield it.provider, it.feature, evidence, library.switches[it.feature]


def _rule(what: tuple[str, str, str], found: list[_Hidden]) -> MaskRule | None:
    """The rule, where something gains."""
    processor, provider, feature = what
    every = [evidence for evidence, _ in found]
    gains = [it for it in every if it.gain > MATTERS and it.gain_low > 1]
    if not gains:
        return None
    losses = [it for it in every if it.gain < 1 / MATTERS and it.gain_high < 1]
    rest = [it for it in every if it not in gains and it not in losses]
    gaining = {it.function for it in gains}
    against = [it for it in rest if it.function in gaining]
    return MaskRule(
        processor=processor,
        provider=provider,
        feature=feature,
        switches=found[0][1],
        gain=median(it.gain for it in gains),
        gain_low=min(it.gain_low for it in gains),
        gain_high=max(it.gain_high for it in gains),
        gains=sorted(gains, key=lambda it: -it.gain),
        losses=sorted(losses, key=lambda it: it.gain),
        without_effect=against,
        indifferent=len(rest) - len(against),
        machines=len({it.machine for it in every}),
        machines_gaining=len({it.machine for it in gains}),
    )
