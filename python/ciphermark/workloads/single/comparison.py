"""Two runs, or two libraries in one run, case by case.

The first side is judged by comparison with the second: a ratio of 1.2 says that the first takes 1.2
times the cycles of the second. Two providers in one run were measured in the same rounds and are
compared as such (`ratio`). A case is called slower or faster where its interval excludes 1 and so
many cases would not show as much by chance (`statistics.ratio.surprising`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import msgspec
import numpy as np

from ciphermark.contract.others import UNKNOWN_MACHINE
from ciphermark.errors import UsageError
from ciphermark.record.case_row import PARAMETERS, way
from ciphermark.record.run import Context, Run
from ciphermark.statistics.estimate import ASSUMED_SHARE
from ciphermark.statistics.quantiles import median
from ciphermark.statistics.ratio import Ratio, geometric_mean, is_above, surprising
from ciphermark.workload import AnyRows, rows, workload_of
from ciphermark.workloads.loaded import LoadedRow
from ciphermark.workloads.single.pairing import Selection, Side, match, selected
from ciphermark.workloads.single.ratio import ratio_of_rows, ratio_of_times, ratios_of
from ciphermark.workloads.single.row import Row


class Pair(msgspec.Struct, kw_only=True):
    """Case on both sides; `a` is judged by comparison with `b`."""

    algorithm: str
    operation: str
    workload: str
    pattern: str
    chunk_bytes: int | None
    offload: str
    lanes: int
    keys: int
    buffers: str
    after: str | None = None
    switches: dict[str, str]
    message_bytes: int | None
    profile: str | None = None
    load: str | None = None
    """Load at the same time; None of one thread."""
    provider_a: str
    provider_b: str
    backend_asked_a: str
    backend_asked_b: str
    backend_a: str
    """The code path that ran, where that is known."""
    backend_b: str
    cycles_per_message_a: float | None
    cycles_per_message_b: float | None
    ns_per_message_a: float | None = None
    ns_per_message_b: float | None = None
    converged: bool
    """True if both sides had converged."""
    ratio: float | None = None
    """Cycles per message of `a` by those of `b`; time by time where a side is imported."""
    ratio_low: float | None = None
    ratio_high: float | None = None
    detectable_ratio: float | None = None
    """Smallest true ratio above 1 that would have been seen with 80 % probability."""
    verdict: str
    """`regression`, `slower`, `faster`, `same`, or `unknown` where there is no ratio. `same` too
    where so many pairs would show as much by chance."""
    reason: str | None = None
    """Why there is no ratio, or no verdict."""

    @property
    def path_changed(self) -> bool:
        """Returns whether another code path ran at the same request of the same library."""
        asked_a = (self.provider_a, self.backend_asked_a)
        asked_b = (self.provider_b, self.backend_asked_b)
        known = "unknown" not in (self.backend_a, self.backend_b)
        return known and asked_a == asked_b and self.backend_a != self.backend_b

    @property
    def excludes_one(self) -> bool:
        """Returns whether the interval of the ratio excludes 1."""
        if self.ratio_low is None or self.ratio_high is None:
            return False
        return not self.ratio_low <= 1 <= self.ratio_high


class LibraryChange(msgspec.Struct, kw_only=True):
    """A library that had another version in each run."""

    provider: str
    version_a: str
    version_b: str


class Comparison(msgspec.Struct, kw_only=True):
    """Cases that both sides have, and their joint results."""

    runs: list[str]
    """Identifiers of the runs, the judged one first."""
    selections: list[str | None]
    """Selection of each: `openssl`, `openssl/aesni`, or null for all."""
    machines: list[str]
    figure: str
    """Quantity of the ratios: `cycles a message`."""
    unit: Literal["cycles", "ns"] = "cycles"
    """Unit of the ratios: nanoseconds where a side is of another program."""
    paired: bool
    """True if both sides were measured in the same rounds."""
    threshold: float
    """A ratio beyond 1 + threshold is a regression, when its interval excludes 1."""
    regressions: int
    slower: int
    faster: int
    same: int
    unknown: int
    geometric_mean: float | None
    """Geometric mean of all ratios."""
    geometric_mean_low: float | None
    """Its 95 % interval takes the cases as the observations."""
    geometric_mean_high: float | None
    geometric_mean_detectable: float | None
    detectable_ratio: float | None
    """Median of the pairs that are the same, as that of the mean is of their mean."""
    pairs: list[Pair]
    """Pairs in the order of the first run's plan."""
    only_a: list[str]
    """Cases that only the first side has."""
    only_b: list[str]
    libraries: list[LibraryChange]
    notes: list[str]
    """Other differences between the runs that bear on the figures."""

    @property
    def is_bad(self) -> bool:
        """Returns whether the judged side is slower somewhere, or has no verdict at all."""
        return bool(self.regressions) or self.unknown == len(self.pairs)


def _check_machines(a: Context, b: Context, across_machines: bool) -> None:
    """Raises `UsageError` for runs of unlike machines, unless `across_machines` is true."""
    if across_machines:
        return
    for context in (a, b):
        if context.machine_name == UNKNOWN_MACHINE:
            raise UsageError(
                f"the machine of the imported run {context.run} is unknown; import it with "
                "--machine NAME, a name of ciphermark list machines, or add --across-machines "
                "to compare it all the same"
            )
    if a.machine_kind != b.machine_kind:
        raise UsageError(
            f"run {a.run} was measured on {a.machine_name} ({a.machine_kind}) and run {b.run} on "
            f"{b.machine_name} ({b.machine_kind}), machines of different kinds; add "
            "--across-machines to compare them all the same"
        )


def _figure(a: Context, b: Context) -> str:
    """Returns the quantity that both have. Raises `UsageError` if there is none."""
    figures = []
    for context in (a, b):
        workload = workload_of(context.workload)
        if workload.compared is None:
            raise UsageError(
                f"run {context.run} is of {workload.subject}, whose costs of messages are not "
                f"compared: see its figures with ciphermark show {context.run}"
            )
        figures.append(workload.compared)
    if figures[0] != figures[1]:
        subjects = (workload_of(context.workload).subject for context in (a, b))
        raise UsageError(
            f"run {a.run} is of {f' and run {b.run} of '.join(subjects)}: compare runs of "
            "the same kind"
        )
    return figures[0]


def _library_changes(a: Context, b: Context, used: set[str]) -> list[LibraryChange]:
    """Returns the used libraries that both runs have in different versions."""
    of_a, of_b = (
        {library.name: library.version for library in context.hello.providers}
        if context.hello
        else {}
        for context in (a, b)
    )
    return [
        LibraryChange(provider=name, version_a=of_a[name], version_b=of_b[name])
        for name in sorted(used & of_a.keys() & of_b.keys())
        if of_a[name] != of_b[name]
    ]


def _notes(a: Context, b: Context) -> list[str]:
    """Returns a sentence for everything that could be taken for a difference of the libraries."""
    said = []
    if a.machine_kind != b.machine_kind:
        said.append(f"the machines are of different kinds: {a.machine_name}, {b.machine_name}")
    imported = [
        context.run for context in (a, b) if not workload_of(context.workload).measured_here
    ]
    if imported:
        share = f"±{100 * ASSUMED_SHARE:g} % is assumed for its figures, which have no interval"
        said += [
            f"run {run} is of another program: times are compared, and {share}" for run in imported
        ]
    elif a.cycle_source != b.cycle_source:
        said.append(f"cycles are {a.cycle_source} in {a.run} and {b.cycle_source} in {b.run}")
    if a.hello and b.hello and a.hello.engine != b.hello.engine:
        said.append("the engines differ, and so do the libraries compiled into them")
    interrupted = {context.run for context in (a, b) if context.interrupted}
    return said + [f"run {run} was interrupted" for run in sorted(interrupted)]


class Figured(NamedTuple):
    """A run whose rows are known."""

    context: Context
    rows: AnyRows
    """Rows of all its cases."""
    run: Run | None = None
    """With its samples, by which libraries in it are compared round by round."""

    @classmethod
    def of(cls, run: Run) -> Figured:
        """Returns the rows by the rule of today."""
        return cls(run.context, rows(run), run)


def compare(
    run_a: Figured,
    run_b: Figured,
    select_a: Selection,
    select_b: Selection,
    threshold: float,
    across_machines: bool = False,
) -> Comparison:
    """Compares `run_a` with `run_b`; a `UsageError` says why that would mean nothing.

    A selection that only one side has holds for both. `threshold` is a share: 0.05 is 5 %.
    """
    contexts = (run_a.context, run_b.context)
    figure = _figure(*contexts)
    _check_machines(*contexts, across_machines)
    a, b = _sides(run_a, run_b, select_a, select_b)
    matched = match(a, b)
    if not matched.pairs:
        raise UsageError(f"{a} and {b} have no case in common; compare runs of the same plan")
    paired = a.run == b.run and _is_sampled(run_a.context)
    ratios: list[Ratio | str]
    here = [workload_of(context.workload).measured_here for context in contexts]
    if not all(here):
        ratios = [_no_ratio(a, b, *pair, here) or ratio_of_times(*pair) for pair in matched.pairs]
    else:
        of_rows = ratios_of(run_a.run) if paired and run_a.run else ratio_of_rows
        ratios = [_no_ratio(a, b, *pair) or of_rows(*pair) for pair in matched.pairs]
    changed = surprising([it.chance if isinstance(it, Ratio) else None for it in ratios])
    pairs = [
        _pair(*pair, ratio, is_changed, threshold)
        for pair, ratio, is_changed in zip(matched.pairs, ratios, changed, strict=True)
    ]
    return Comparison(
        runs=[a.run, b.run],
        selections=[str(a.selection) or None, str(b.selection) or None],
        machines=[context.machine_name for context in contexts],
        figure=figure,
        unit="cycles" if all(here) else "ns",
        paired=paired,
        threshold=threshold,
        **_verdicts(pairs),
        **_together(pairs),
        pairs=pairs,
        only_a=[_described(row) for row in matched.only_a],
        only_b=[_described(row) for row in matched.only_b],
        libraries=_library_changes(*contexts, {row.provider for row in a.rows + b.rows}),
        notes=_notes(*contexts),
    )


def compare_builds(run: Figured, builds: dict[str, str], threshold: float) -> Comparison:
    """Compares the new build in a run with the old, round by round; `builds` has both."""
    old, new = builds
    return compare(run, run, Selection(new), Selection(old), threshold)


def _sides(
    run_a: Figured, run_b: Figured, select_a: Selection, select_b: Selection
) -> tuple[Side, Side]:
    """Returns the rows to compare; within one run the sides must exclude each other."""
    of_a = select_a if select_a.provider else select_b
    of_b = select_b if select_b.provider else select_a
    run = run_a.context.run
    other_backend = of_a.backend and of_b.backend and of_a.backend != of_b.backend
    if run == run_b.context.run and of_a.provider == of_b.provider and not other_backend:
        raise UsageError(
            f"both sides are of run {run}; name two providers in it, for example "
            f"{run}:openssl {run}:rustcrypto"
        )
    rows_a = _message_rows(run_a)
    rows_b = rows_a if run_b is run_a else _message_rows(run_b)
    return selected(run, rows_a, of_a), selected(run_b.context.run, rows_b, of_b)


def _message_rows(run: Figured) -> list[Row]:
    return workload_of(run.context.workload).message_rows(run.rows)


def _is_sampled(context: Context) -> bool:
    """Returns whether the cases of a run were measured in common rounds."""
    return workload_of(context.workload).of_messages


def _failed(side_a: Side, side_b: Side, a: Row, b: Row) -> str | None:
    """Returns the failure of one of two rows, or None."""
    failed = (f"{side}: {it.error.message}" for side, it in ((side_a, a), (side_b, b)) if it.error)
    return next(failed, None)


def _no_ratio(
    side_a: Side, side_b: Side, a: Row, b: Row, measured: Sequence[bool] = (True, True)
) -> str | None:
    """Returns why two rows have no ratio; of rows that were not measured here if they failed."""
    if failed := _failed(side_a, side_b, a, b):
        return failed
    for side, row, of_here in zip((side_a, side_b), (a, b), measured, strict=True):
        if not of_here:
            continue
        if row.cycles_per_message_low is None:
            return f"{side}: {row.not_converged_reason}"
        if row.cycles_per_message_low <= 0:
            return f"{side}: its cost does not differ from zero"
    return None


def _pair(a: Row, b: Row, ratio: Ratio | str, changed: bool, threshold: float) -> Pair:
    same = ("algorithm", "operation", "message_bytes", "profile", *PARAMETERS)
    return Pair(
        **{field: getattr(a, field) for field in same},
        load=a.load if isinstance(a, LoadedRow) else None,
        provider_a=a.provider,
        provider_b=b.provider,
        backend_asked_a=a.backend_asked,
        backend_asked_b=b.backend_asked,
        backend_a=a.backend,
        backend_b=b.backend,
        cycles_per_message_a=a.cycles_per_message,
        cycles_per_message_b=b.cycles_per_message,
        ns_per_message_a=a.ns_per_message,
        ns_per_message_b=b.ns_per_message,
        converged=a.converged and b.converged,
        **_judged(ratio, changed, threshold),
    )


def _judged(ratio: Ratio | str, changed: bool, threshold: float) -> dict[str, Any]:
    """Returns the verdict of a ratio, or why there is none."""
    if isinstance(ratio, str):
        return {"verdict": "unknown", "reason": ratio}
    above = is_above(ratio, 1.0) if changed else None
    verdict = "same"
    if above:
        verdict = "regression" if ratio.value > 1 + threshold else "slower"
    elif above is False:
        verdict = "faster"
    return {
        "ratio": ratio.value,
        "ratio_low": ratio.low,
        "ratio_high": ratio.high,
        "detectable_ratio": ratio.detectable,
        "verdict": verdict,
    }


def _verdicts(pairs: list[Pair]) -> dict[str, int]:
    """Counts the pairs of each verdict."""
    counts = Counter(pair.verdict for pair in pairs)
    alike = {verdict: counts[verdict] for verdict in ("slower", "faster", "same", "unknown")}
    return {"regressions": counts["regression"]} | alike


def _together(pairs: list[Pair]) -> dict[str, Any]:
    """Returns the joint results of the pairs that have a ratio."""
    known = [pair for pair in pairs if pair.ratio is not None]
    mean = geometric_mean(np.array([pair.ratio for pair in known]))
    alike = [pair for pair in known if pair.verdict == "same"]
    mean_alike = geometric_mean(np.array([pair.ratio for pair in alike]))
    detectable = [it.detectable_ratio for it in alike if it.detectable_ratio is not None]
    return {
        "geometric_mean": mean and mean.value,
        "geometric_mean_low": mean and mean.low,
        "geometric_mean_high": mean and mean.high,
        "geometric_mean_detectable": mean_alike and mean_alike.detectable,
        "detectable_ratio": median(np.array(detectable)) if detectable else None,
    }


def _described(row: Row) -> str:
    size = "" if row.message_bytes is None else f" {row.message_bytes} bytes"
    size = f" {row.profile}" if row.profile else size
    what = f"{row.algorithm} {row.operation}{size}"
    load = row.load if isinstance(row, LoadedRow) else ""
    return ", ".join(filter(None, (what, f"{row.provider} {row.backend_asked}", way(row), load)))
