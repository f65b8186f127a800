"""The row of one kernel in one variant: what users see of it, and what is best in which respect."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import msgspec

from ciphermark import contract
from ciphermark.contract import Failure
from ciphermark.contract.others import Simulation, Variant
from ciphermark.plan.tuning import HOST
from ciphermark.record.run import Run
from ciphermark.statistics import pareto
from ciphermark.statistics.ratio import Ratio
from ciphermark.workloads.single.ratio import ratios_of
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows as measured_rows

Metric = Literal["cycles-measured", "cycles-simulated", "cycles-model", "instructions"]
"""Those of simulated processors, and core cycles that the engine has measured on a machine."""

Verdict = Literal["default", "faster", "slower", "same", "unknown"]
"""Beside the default: `same` where the interval of the ratio has 1 in it."""


class TuningRow(msgspec.Struct, kw_only=True):
    """One call of a kernel, compiled in one way; None where something is not known or not defined.

    A *group* is the same call on the same target in all variants; fronts and ratios are of a group.
    """

    target: str
    """`host` of a machine that was measured."""
    machine: str
    """Its name; empty of a simulated target."""
    algorithm: str
    backend: str
    operation: str
    message_bytes: int | None
    variant: str
    compiler: str
    compiler_line: str
    flags: str
    reason: str
    """Why these flags may be worth it."""
    is_default: bool
    shippable: bool
    """Whether what comes out runs on other processors of its kind."""
    metric: Metric | None = None
    """What `value` is; figures of different metrics are not compared."""
    value: float | None = None
    """Of one call."""
    value_low: float | None = None
    """The 95 % interval of what was measured; what was simulated is exact."""
    value_high: float | None = None
    cycles_per_byte: float | None = None
    """None where the metric counts instructions."""
    code_bytes: int | None
    stack_bytes: int | None
    ratio: float | None = None
    """`value` by that of the default flags, from the same run."""
    ratio_low: float | None = None
    ratio_high: float | None = None
    verdict: Verdict = "unknown"
    code_ratio: float | None = None
    stack_ratio: float | None = None
    on_front: bool = False
    """Whether it is shippable, and no other shippable variant of the group is at least as good in
    value, code and stack and better in one."""
    dominated_by: str | None = None
    """A variant of the front that is, where there is one."""
    within_error_of: str | None = None
    """Of a member of the front: another that is no larger in code and stack, smaller in one, and
    whose speed cannot be told from this one's."""
    vectors_passed: int = 0
    error: contract.Failure | None = None

    @property
    def is_measured(self) -> bool:
        """Whether there is a figure."""
        return self.error is None and self.value is not None

    @property
    def group(self) -> tuple[str, str, str, str, str, int | None]:
        """What rows have in common that are compared with each other."""
        return (
            *(self.target, self.machine, self.algorithm, self.backend, self.operation),
            self.message_bytes,
        )


Against = Callable[[TuningRow, TuningRow], Ratio | None]
"""The cost of the first by that of the second, where that can be told."""


def tuning_rows(run: Run) -> list[TuningRow]:
    """Groups in the order of the run, in each the variants in theirs; of what machines measured,
    the machines one after the other."""
    variants = {variant.label: variant for variant in run.variants}
    built = [(variants[it.case.target], it) for it in run.simulations]
    sized = [(variant, sizes) for variant, sizes in built if variant.target == HOST]
    simulated = [
        _row(variant, "", sizes, **_simulated(sizes))
        for variant, sizes in built
        if variant.target != HOST
    ]
    rows = _judged(simulated, _exact)
    for machine in run.also:
        rows += _of_machine(machine, sized)
    if not run.also:
        rows += [
            _row(variant, run.context.machine_name, sizes, error=sizes.error or _not_measured())
            for variant, sizes in sized
        ]
    return rows


def _row(variant: Variant, machine: str, sizes: Simulation, **figures: Any) -> TuningRow:
    case = sizes.case
    return TuningRow(
        target=variant.target,
        machine=machine,
        algorithm=case.algorithm,
        backend=case.backend,
        operation=case.operation,
        message_bytes=case.message_bytes,
        variant=variant.name,
        compiler=variant.compiler_name,
        compiler_line=variant.compiler_line,
        flags=variant.flags,
        reason=variant.reason,
        is_default=variant.is_default,
        shippable=variant.shippable,
        code_bytes=sizes.code_bytes,
        stack_bytes=sizes.stack_bytes,
        **figures,
    )


def _simulated(simulation: Simulation) -> dict[str, Any]:
    """Figures of a simulated case: exact ones."""
    value, size = simulation.value, simulation.case.message_bytes
    is_cycles = simulation.metric != "instructions"
    return {
        "metric": simulation.metric,
        **dict.fromkeys(("value", "value_low", "value_high"), value),
        "cycles_per_byte": value / size if value is not None and size and is_cycles else None,
        "vectors_passed": simulation.vectors_passed,
        "error": simulation.error,
    }


def _measured(row: Row) -> dict[str, Any]:
    return {
        "metric": None if row.cycles_per_message is None else "cycles-measured",
        "value": row.cycles_per_message,
        "value_low": row.cycles_per_message_low,
        "value_high": row.cycles_per_message_high,
        "cycles_per_byte": row.cycles_per_byte,
        "vectors_passed": row.vectors_passed,
        "error": row.error,
    }


def _of_machine(run: Run, sized: Iterable[tuple[Variant, Simulation]]) -> list[TuningRow]:
    """What a machine has measured, beside sizes that are the same on all of its kind."""
    by_call = {
        (
            *(row.provider.partition("@")[2], row.algorithm, row.backend_asked),
            *(row.operation, row.message_bytes),
        ): row
        for row in measured_rows(run)
    }
    rows: list[TuningRow] = []
    measured: dict[int, Row | None] = {}
    for variant, sizes in sized:
        case = sizes.case
        call = (variant.name, case.algorithm, case.backend, case.operation, case.message_bytes)
        there = by_call.get(call)
        figures = _measured(there) if there else {"error": sizes.error or _not_measured()}
        rows.append(_row(variant, run.context.machine_name, sizes, **figures))
        measured[id(rows[-1])] = there
    ratio_of = ratios_of(run)

    def against(one: TuningRow, other: TuningRow) -> Ratio | None:
        first, second = measured[id(one)], measured[id(other)]
        ratio = ratio_of(first, second) if first and second else None
        return ratio if isinstance(ratio, Ratio) else None

    return _judged(rows, against)


def _not_measured() -> Failure:
    return Failure(kind="failed", message="was not measured")


def _exact(one: TuningRow, other: TuningRow) -> Ratio | None:
    """Of simulated figures, which have no interval."""
    if not other.value or one.value is None or one.metric != other.metric:
        return None
    ratio = one.value / other.value
    return Ratio(ratio, ratio, ratio, 1.0)


def _judged(rows: list[TuningRow], against: Against) -> list[TuningRow]:
    """The same rows, each group with its front and compared with its default."""
    grouped: dict[tuple[Any, ...], list[TuningRow]] = {}
    for row in rows:
        grouped.setdefault(row.group, []).append(row)
    for group in grouped.values():
        known = [row for row in group if row.is_measured]
        _hold_against_default(known, against)
        _find_front(known, against)
    return [row for group in grouped.values() for row in group]


def _hold_against_default(known: Sequence[TuningRow], against: Against) -> None:
    default = next((row for row in known if row.is_default), None)
    if default is None:
        return
    for row in known:
        row.code_ratio = _share(row.code_bytes, default.code_bytes)
        row.stack_ratio = _share(row.stack_bytes, default.stack_bytes)
        if row is default:
            row.ratio = row.ratio_low = row.ratio_high = 1.0
            row.verdict = "default"
        elif ratio := against(row, default):
            row.ratio, row.ratio_low, row.ratio_high = ratio.value, ratio.low, ratio.high
            row.verdict = _verdict(ratio)


def _verdict(ratio: Ratio | None) -> Verdict:
    """Whether the first of two is slower or faster, or the interval has both in it."""
    if ratio is None or ratio.interval is None:
        return "unknown"
    low, high = ratio.interval
    return "slower" if low > 1 else "faster" if high < 1 else "same"


def _share(one: int | None, other: int | None) -> float | None:
    return None if one is None or not other else one / other


def _find_front(known: Sequence[TuningRow], against: Against) -> None:
    """Of what can be shipped; the rest is compared with it."""
    shippable = [row for row in known if row.shippable]
    points = [_point(row) for row in shippable]
    front = [shippable[it] for it in pareto.front(points)]
    for row in known:
        beaten_by = next((it for it in front if pareto.dominates(_point(it), _point(row))), None)
        row.dominated_by = None if beaten_by is None else beaten_by.variant
        row.on_front = row.shippable and beaten_by is None
    for row in front:
        for other in front:
            is_alike = other is not row and _verdict(against(row, other)) in ("same", "unknown")
            if is_alike and pareto.dominates(_point(other)[1:], _point(row)[1:]):
                row.within_error_of = other.variant
                break


def _point(row: TuningRow) -> pareto.Point:
    """What is not known is worst."""
    costs = (row.value, row.code_bytes, row.stack_bytes)
    return tuple(math.inf if it is None else float(it) for it in costs)
