"""Two runs, or two libraries in one run, case by case.

The first side is judged, the second is what it is held against: a ratio of 1.2 says that the first
takes 1.2 times the cycles of the second. Two providers in one run were measured in the same rounds
and are compared as such (`row_ratio`). A case is called slower or faster where its interval
excludes 1 and so many cases would not show as much by chance (`ratio.surprising`).
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from ciphermark.errors import UsageError
from ciphermark.record.case_row import PARAMETERS, way
from ciphermark.record.run import Run
from ciphermark.statistics.median import median
from ciphermark.statistics.ratio import Ratio, geometric_mean, surprising
from ciphermark.workload import rows, workload_of
from ciphermark.workloads.single.circumstances import check_machines, library_changes, notes
from ciphermark.workloads.single.comparison import Comparison, Pair
from ciphermark.workloads.single.pairing import Selection, Side, match, selected
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.row_ratio import ratio_of_rows, ratio_of_times, ratios_of

Found = Ratio | str
"""A ratio, with an interval unless another program has measured a side; or why there is none."""

NO_VERDICT = "a figure of another program has no interval, so there is no verdict"


def compare(
    run_a: Run,
    run_b: Run,
    select_a: Selection,
    select_b: Selection,
    threshold: float,
    across_machines: bool = False,
) -> Comparison:
    """Compares `run_a` with `run_b`; a `UsageError` says why that would mean nothing.

    A selection that only one side has holds for both. `threshold` is a share: 0.05 is 5 %.
    """
    contexts = (run_a.context, run_b.context)
    for context in contexts:
        workload = workload_of(context.workload)
        if not workload.of_messages:
            raise UsageError(
                f"run {context.run} is of {workload.subject}, and only runs of one thread are "
                f"compared: see its figures with ciphermark show {context.run}"
            )
    check_machines(*contexts, across_machines)
    a, b = _sides(run_a, run_b, select_a, select_b)
    matched = match(a, b)
    if not matched.pairs:
        raise UsageError(f"{a} and {b} have no case in common; compare runs of the same plan")
    paired = a.run == b.run
    if not all(workload_of(context.workload).measured_here for context in contexts):
        found = [_failed(a, b, *pair) or ratio_of_times(*pair) for pair in matched.pairs]
    else:
        ratio = ratios_of(run_a) if paired else ratio_of_rows
        found = [_no_ratio(a, b, *pair) or ratio(*pair) for pair in matched.pairs]
    changed = surprising([it.chance if isinstance(it, Ratio) else None for it in found])
    pairs = [
        _pair(*pair, *judged, threshold)
        for pair, *judged in zip(matched.pairs, found, changed, strict=True)
    ]
    return Comparison(
        runs=[a.run, b.run],
        selections=[str(a.selection) or None, str(b.selection) or None],
        machines=[context.machine_name for context in contexts],
        paired=paired,
        threshold=threshold,
        **_verdicts(pairs),
        **_together(pairs),
        pairs=pairs,
        only_a=[_described(row) for row in matched.only_a],
        only_b=[_described(row) for row in matched.only_b],
        libraries=library_changes(*contexts, {row.provider for row in a.rows + b.rows}),
        notes=notes(*contexts),
    )


def _sides(run_a: Run, run_b: Run, select_a: Selection, select_b: Selection) -> tuple[Side, Side]:
    """The rows to compare; within one run the sides must exclude each other."""
    of_a = select_a if select_a.provider else select_b
    of_b = select_b if select_b.provider else select_a
    run = run_a.context.run
    other_backend = of_a.backend and of_b.backend and of_a.backend != of_b.backend
    if run == run_b.context.run and of_a.provider == of_b.provider and not other_backend:
        raise UsageError(
            f"both sides are of run {run}; name two providers in it, for example"
            f" {run}:openssl {run}:rustcrypto"
        )
    rows_a = rows(run_a)
    rows_b = rows_a if run_b is run_a else rows(run_b)
    return selected(run, rows_a, of_a), selected(run_b.context.run, rows_b, of_b)


def _failed(side_a: Side, side_b: Side, a: Row, b: Row) -> str | None:
    """What failed of two rows."""
    failed = (f"{side}: {it.error.message}" for side, it in ((side_a, a), (side_b, b)) if it.error)
    return next(failed, None)


def _no_ratio(side_a: Side, side_b: Side, a: Row, b: Row) -> str | None:
    """Why two rows have no ratio."""
    if failed := _failed(side_a, side_b, a, b):
        return failed
    for side, row in ((side_a, a), (side_b, b)):
        if row.cycles_per_message_low is None:
            return f"{side}: {row.not_converged_reason}"
        if row.cycles_per_message_low <= 0:
            return f"{side}: its cost cannot be told from nothing"
    return None


def _pair(a: Row, b: Row, found: Found, changed: bool, threshold: float) -> Pair:
    same = ("algorithm", "operation", "message_bytes", "profile", *PARAMETERS)
    return Pair(
        **{field: getattr(a, field) for field in same},
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
        **_judged(found, changed, threshold),
    )


def _judged(found: Found, changed: bool, threshold: float) -> dict[str, float | str]:
    if isinstance(found, str):
        return {"verdict": "unknown", "reason": found}
    if found.low is None:
        return {"ratio": found.value, "verdict": "unknown", "reason": NO_VERDICT}
    return {
        "ratio": found.value,
        "ratio_low": found.low,
        "ratio_high": found.high,
        "detectable_ratio": found.detectable,
        "verdict": _verdict(found, threshold) if changed else "same",
    }


def _verdict(found: Ratio, threshold: float) -> str:
    if found.low > 1:
        return "regression" if found.value > 1 + threshold else "slower"
    return "faster" if found.high < 1 else "same"


def _verdicts(pairs: list[Pair]) -> dict[str, int]:
    """How many pairs have each verdict."""
    counts = Counter(pair.verdict for pair in pairs)
    alike = {verdict: counts[verdict] for verdict in ("slower", "faster", "same", "unknown")}
    return {"regressions": counts["regression"]} | alike


def _together(pairs: list[Pair]) -> dict[str, float | None]:
    """What the pairs that have a ratio say together."""
    known = [pair for pair in pairs if pair.ratio is not None]
    mean = geometric_mean(np.array([pair.ratio for pair in known]))
    detectable = [it.detectable_ratio for it in known if it.detectable_ratio is not None]
    return {
        "geometric_mean": mean and mean.value,
        "geometric_mean_low": mean and mean.low,
        "geometric_mean_high": mean and mean.high,
        "geometric_mean_detectable": mean and mean.detectable,
        "detectable_ratio": median(np.array(detectable)) if detectable else None,
    }


def _described(row: Row) -> str:
    size = "" if row.message_bytes is None else f" {row.message_bytes} bytes"
    size = f" {row.profile}" if row.profile else size
    what = f"{row.algorithm} {row.operation}{size}"
    return ", ".join(filter(None, (what, f"{row.provider} {row.backend_asked}", way(row))))
