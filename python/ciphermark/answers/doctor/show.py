"""The doctor's findings on a terminal."""

from __future__ import annotations

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ciphermark import contract
from ciphermark.run.doctor import Diagnosis, Finding, Verdict, when_figures_hold

STYLES: dict[Verdict, str] = {
    "good": "green",
    "fair": "yellow",
    "bad": "bold red",
    "unknown": "dim",
}
"""Colour only guides the eye: the verdict stands there as a word too."""


WORST_FIRST: list[Verdict] = ["bad", "fair", "unknown", "good"]


def print_doctor(
    console: Console,
    environment: contract.Environment,
    findings: list[Finding],
    diagnosis: Diagnosis,
) -> None:
    """Prints machine and diagnosis, the table of findings, and what to type, which is there to be
    copied: commands are neither broken over lines nor cut."""
    machine = environment.machine
    head = Text(f"{machine.machine_name} · {machine.cpu_name} · {machine.kernel}")
    line = Text(diagnosis.line, STYLES[diagnosis.verdict])
    hold = when_figures_hold(findings)
    told = [_labelled("", Text(hold))] if hold else []
    above = [_labelled("Machine", head), _labelled("Doctor", line), *told]
    console.print(Group(*above, "", _table(findings)))
    cures = [finding for finding in findings if finding.cure]
    if cures:
        console.print("\nTo mend it, type")
    for finding in cures:
        console.print(Text(f"  # {finding.name}", "dim"))
        console.print(Text(f"  {finding.cure}", "cyan"), soft_wrap=True)


def _labelled(label: str, text: Text) -> Table:
    """The text keeps its indent where it takes several lines."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_row(Text(f"{label:<7}", "bold"), text)
    return grid


def _table(findings: list[Finding]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("", no_wrap=True)
    table.add_column("what", no_wrap=True)
    table.add_column("found", overflow="fold")
    table.add_column("effect on the figures", overflow="fold")
    for finding in sorted(findings, key=lambda finding: WORST_FIRST.index(finding.verdict)):
        table.add_row(
            Text(finding.verdict, STYLES[finding.verdict]),
            finding.name,
            Text(finding.value),
            Text(finding.effect),
        )
    return table
