"""The post's table then and now, what each feature is worth, and hashes from afar."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from ciphermark.studies.evidence import implementation
from ciphermark.studies.gateway.capacity import carried
from ciphermark.studies.gateway.evidence import LIBRARY, Measured
from ciphermark.studies.gateway.evidence import carried as carried_by
from ciphermark.studies.gateway.paper import BOXES, HASHES, POST, operation
from ciphermark.studies.gateway.tables import BUFFERS
from ciphermark.view import figures
from ciphermark.view.findings import Mark, MarkChart, MarkPanel
from ciphermark.workloads.single.row import throughput

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.workloads.single.code_paths import Ablation
    from ciphermark.workloads.single.row import Row

THE_POST = "the post of 2015"


def charts(run: Run, rows: list[Row]) -> list[MarkChart]:
    """Those that have marks."""
    measured = Measured(run, rows)
    made = [_throughputs(measured), _features(measured), _lines(measured), _buffers(measured)]
    return [chart for chart in made if any(panel.marks for panel in chart.panels)]


def _throughputs(measured: Measured) -> MarkChart:
    return MarkChart(
        name="gateway-then-and-now",
        title="The post's table, then and now",
        explanation=(
            "Messages of 1024 bytes; further right is faster. The boxes have figures of one "
            "core. This machine has the fastest implementation of each function on one core and, "
            "where measured, a session on each CPU."
        ),
        unit="MB/s",
        names="machine",
        panels=[
            MarkPanel(
                title="Throughput of 1024-byte messages",
                marks=[mark for function in POST for mark in _of_function(measured, function)],
            )
        ],
    )


def _of_function(measured: Measured, function: str) -> Iterator[Mark]:
    for box, mbytes in zip(BOXES, POST[function], strict=True):
        yield Mark(line=function, name=box.title, origin=box.title, value=mbytes, source=THE_POST)
    row = measured.row(function)
    speed = throughput(row) if row else None
    if row and speed:
        yield Mark(
            line=function,
            name="here, one core",
            origin="here, one core",
            value=speed.value,
            source=implementation(row),
        )
    every = measured.on(measured.cpus, function)
    if every is not None and measured.cpus > 1:
        here = f"here, {figures.counted(measured.cpus, 'CPU')}"
        yield Mark(
            line=function,
            name=here,
            origin=here,
            value=carried_by(every).value,
            source=f"{every.provider}{'' if every.valid else ', other programs used the CPUs'}",
        )


def _features(measured: Measured) -> MarkChart:
    found = sorted(measured.ablations(), key=_in_order)
    return MarkChart(
        name="gateway-features-hidden",
        title="Gain from each feature of the processor",
        explanation=(
            "Cycles with the feature hidden over cycles with all, round by round, at 1024 bytes. "
            "Right of the dotted line the feature helps; left of it the library is faster without."
        ),
        unit="cycles without / cycles with",
        names="feature",
        origins="feature",
        reference=1.0,
        panels=[
            MarkPanel(
                title=provider,
                marks=[
                    Mark(
                        line=_line(it),
                        name=it.feature,
                        origin=it.feature,
                        value=it.ratio,
                        source=f"{it.path} → {it.path_without}",
                    )
                    for it in alike
                    if it.ratio
                ],
            )
            for provider, alike in groupby(found, key=lambda it: it.provider)
        ],
    )


def _in_order(it: Ablation) -> tuple[bool, str, int, str]:
    """The post's library first, functions in the post's order, then what it has not."""
    functions = [*POST]
    place = functions.index(it.algorithm) if it.algorithm in POST else len(functions)
    return it.provider != LIBRARY, it.provider, place, _line(it)


def _line(it: Ablation) -> str:
    sent = it.operation == operation(it.algorithm, "sending")
    return it.algorithm if sent else f"{it.algorithm} {it.operation}"


def _lines(measured: Measured) -> MarkChart:
    one, every = "one core", f"all {figures.counted(measured.cpus, 'CPU')}"
    marks = []
    for it in carried(measured):
        if "+" in it.name or it.name.endswith("-gcm"):
            speeds = {one: it.one_core.value}
            if it.every and measured.cpus > 1:
                speeds[every] = it.every
            marks += [
                Mark(
                    line=it.name,
                    name=name,
                    origin=name,
                    value=bits / 1e6,
                    source="packets of ESP" if it.whole else "cipher and MAC, one after the other",
                )
                for name, bits in speeds.items()
            ]
    return MarkChart(
        name="gateway-lines",
        title="Lines that can be filled both ways at once",
        explanation=(
            "Mbit/s in each direction of packets of 1024 bytes, sent and received at once. The "
            "dotted line is 1 Gbit/s."
        ),
        unit="Mbit/s each way",
        names="on",
        reference=1000.0,
        panels=[MarkPanel(title="Both ways at once", marks=marks)],
    )


def _buffers(measured: Measured) -> MarkChart:
    marks = [
        Mark(
            line=function,
            name=title,
            origin=title,
            value=row.cycles_per_byte or 0.0,
            source=implementation(row),
        )
        for function in HASHES
        for name, title in BUFFERS.items()
        if (row := measured.row(function, buffers=name, provider=LIBRARY))
    ]
    several = {mark.name for mark in marks}
    return MarkChart(
        name="gateway-hashes-from-afar",
        title="Hashes by the place of their messages",
        explanation=(
            "Core cycles per byte of 1024-byte messages by OpenSSL; further left is faster. If "
            "memory decided, the marks of one line would lie apart."
        ),
        unit="core cycles per byte",
        names="message in",
        panels=[MarkPanel(title="Hashes", marks=marks if len(several) > 1 else [])],
    )
