"""Each feature of the processor hidden from a library: its worth, and where it is in the way."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, NotTestable, Table, Verdict
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.ratio import is_above
from ciphermark.studies.gateway.estimates import any_of, quotient, shown
from ciphermark.studies.gateway.measured import LIBRARY, Measured
from ciphermark.studies.gateway.paper import POST, operation
from ciphermark.workloads.single.code_paths import MATTERS, Ablation

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row

CYCLES = "cycles/byte"
TOO_FEW = "rounds in common"
"""How `analyse.compare` ends what it says of cases that were disturbed too often."""

SHARE = figures.percent(MATTERS - 1, 1)
ONE = Estimate.exact(1.0)


def of_the_posts_library(measured: Measured) -> Table:
    """OpenSSL's functions of the post, without each feature that they use."""
    table = _table(
        "Each feature of the processor hidden from OpenSSL that it uses, one by one, 1024 bytes",
        notes=[
            "times: cycles without / cycles with, round by round; below 1 hiding makes it faster",
            "what a function does not execute was not hidden from it",
        ],
    )
    for function in POST:
        found = [it for it in _sent(measured) if (it.provider, it.algorithm) == (LIBRARY, function)]
        for it in found:
            table.rows.append(_cells(measured, it)[1:])
        base = measured.row(function, provider=LIBRARY)
        if not found and base is not None:
            # Where nobody could look which instructions run, none is known to hide either.
            what = "none to hide" if base.features else "uses none"
            table.rows.append([function, what, base.cycles_per_byte, *[None] * 4, base.backend])
    del table.columns[0]
    table.notes += _reasons(_sent(measured))
    return table


def of_all_libraries(measured: Measured) -> Table:
    """The same of every library that can be told, for programs."""
    table = _table(
        "Each feature of the processor hidden from each library that can be told, 1024 bytes",
        detail=True,
        notes=_reasons(measured.ablations()),
    )
    table.rows += [_cells(measured, it) for it in measured.ablations()]
    return table


def in_the_way(measured: Measured) -> Table:
    """Features without which a function is faster, with what hides them."""
    return Table(
        title=f"Faster with a feature hidden, by more than {SHARE}",
        columns=[
            *(Column(heading=it) for it in ("function", "library", "without", "times as fast")),
            *(Column(heading=it, detail=True) for it in ("low", "high")),
            Column(heading="by"),
        ],
        rows=[
            [it.algorithm, it.provider, it.feature, *gain(it), setting(measured, it)]
            for it in measured.ablations()
            if is_faster(it)
        ],
        notes=["variables CIPHERMARK_… are understood by ciphermark, not by the library itself"],
    )


def nothing_similar(measured: Measured) -> Verdict:
    """By every feature that was hidden from every library."""
    found = [it for it in measured.ablations() if it.ratio is not None]
    if not found:
        raise NotTestable(_why_none(measured))
    faster = [it for it in found if is_faster(it)]
    open_ = [it for it in found if is_faster(it) is None]
    told = (
        f"{figures.counted(len(found), 'function')} with a feature hidden: "
        f"{len(faster)} faster by more than {SHARE}, {len(open_)} open"
    )
    for it in faster:
        told += (
            f"; {it.algorithm} by {it.provider} without {it.feature} {shown(gain(it))} times as "
            f"fast ({setting(measured, it)})"
        )
    is_one = any_of(map(is_faster, found))
    return None if is_one is None else not is_one, told


def is_faster(it: Ablation) -> bool | None:
    """Whether hiding the feature pays; None where the interval leaves it open."""
    return False if it.ratio is None else is_above(gain(it), MATTERS)


def gain(it: Ablation) -> Estimate:
    """How many times as fast it is without the feature."""
    return quotient(ONE, Estimate(it.ratio, it.ratio_low, it.ratio_high))


def setting(measured: Measured, it: Ablation) -> str:
    """What to put into the environment of a program: `OPENSSL_ia32cap=~0x…`."""
    variables = _switches(measured, it)
    return " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())


def _sent(measured: Measured) -> list[Ablation]:
    return [it for it in measured.ablations() if it.operation == operation(it.algorithm, "sending")]


def _table(title: str, *, notes: list[str], detail: bool = False) -> Table:
    return Table(
        title=title,
        columns=[
            *(Column(heading=it) for it in ("library", "function", "without")),
            *(Column(heading=it, group=CYCLES) for it in ("with", "without")),
            Column(heading="times"),
            *(Column(heading=it, detail=True) for it in ("low", "high")),
            Column(heading="code path"),
        ],
        notes=notes,
        detail=detail,
    )


def _cells(measured: Measured, it: Ablation) -> list[Cell]:
    with_all, without = _pair(measured, it)
    paths = it.path if it.path == it.path_without else f"{it.path} → {it.path_without}"
    return [
        *(it.provider, it.algorithm, it.feature),
        *(row and row.cycles_per_byte for row in (with_all, without)),
        *(it.ratio, it.ratio_low, it.ratio_high),
        paths,
    ]


def _pair(measured: Measured, it: Ablation) -> tuple[Row | None, Row | None]:
    """The rows with all features and without this one."""
    return tuple(
        measured.under(it.algorithm, it.operation, it.provider, hidden)
        for hidden in ({}, _switches(measured, it))
    )


def _switches(measured: Measured, it: Ablation) -> dict[str, str]:
    told = {provider.name: provider for provider in measured.run.context.engine_hello.providers}
    return told[it.provider].switches[it.feature]


def _reasons(found: list[Ablation]) -> list[str]:
    """Why some have no ratio."""
    lacking = [it for it in found if it.reason]
    reasons = dict.fromkeys(it.reason for it in lacking if not it.reason.endswith(TOO_FEW))
    few = len(lacking) - sum(it.reason in reasons for it in lacking)
    said = [*reasons] + [f"too few rounds in which both were undisturbed ({few})"] * (few > 0)
    return [f"no ratio: {', '.join(said)}"] if said else []


def _why_none(measured: Measured) -> str:
    reasons = _reasons(measured.ablations())
    return reasons[0] if reasons else "no library here could be told to leave a feature alone"
