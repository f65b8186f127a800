"""Suites as they were measured beside what their parts by themselves would have said."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from ciphermark.show import figures
from ciphermark.workloads.suites.parts import PartsFigure

MOST_LINES = 40
"""More are left to `--json` and the report."""


def print_parts(console: Console, found: list[PartsFigure]) -> None:
    """Prints them for the usual packet size of each suite and operation; nothing where there are
    none."""
    if not found:
        return
    shown = _at_usual_size(found)
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("suite", no_wrap=True)
    table.add_column("")
    for heading in ("bytes", "measured\nMbit/s", "of its parts\nMbit/s", "wrong by"):
        table.add_column(heading, justify="right", no_wrap=True)
    for it in shown[:MOST_LINES]:
        table.add_row(
            it.algorithm,
            it.operation,
            figures.grouped(it.message_bytes),
            figures.significant(8 * it.mbytes_per_second),
            figures.significant(8 * it.parts_mbytes_per_second),
            _share(it.error),
        )
    console.print()
    console.print(Text("As a whole, and as 1/(1/a + 1/b) of cipher and MAC by themselves", "bold"))
    console.print(table)
    worst = max(found, key=lambda it: abs(it.error))
    console.print(
        Text(
            f"Worst of all sizes: {worst.algorithm}, {worst.operation} at "
            f"{figures.grouped(worst.message_bytes)} bytes, {_share(worst.error)}. "
            "Payload; 1 Mbit/s is 10^6 bit/s.",
            style="dim",
        )
    )


def _at_usual_size(found: list[PartsFigure]) -> list[PartsFigure]:
    """Of each suite and operation the largest that an Ethernet frame carries, else the smallest."""
    chosen: dict[tuple[str, str, str, int], PartsFigure] = {}
    for it in sorted(found, key=lambda it: it.message_bytes):
        what = (it.algorithm, it.operation, it.provider, it.keys)
        if what not in chosen or it.message_bytes <= 1500:
            chosen[what] = it
    return list(chosen.values())


def _share(error: float) -> str:
    """`+25 %`: so much too high."""
    return f"{100 * error:+.0f} %"
