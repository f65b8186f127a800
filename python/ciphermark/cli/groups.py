"""The commands of `ciphermark --help`, sorted by what one wants."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

GROUPS = {
    "Measure": {
        "survey": "Measure every algorithm of every library on this machine.",
        "esp": "Measure what a tunnel's suite costs per packet.",
        "tunnel": "Measure what real tunnels carry, and where CPU time goes.",
        "sessions": "Measure many sessions at once.",
        "packets": "Measure packets handed from one core to others.",
        "cores": "Measure what more cores gain.",
        "tune": "Find the best compiler and flags for ciphermark's kernels.",
        "verify": "Check every implementation by test vectors, without measuring.",
        "doctor": "Say what disturbs measuring on this machine, and the remedy.",
        "limits": "Say how near ciphermark's kernels come to the processor's limits.",
        "fleet": "Run the same measurement on many machines.",
    },
    "Decide": {
        "advise": "Say which suite to use here, and what to paste where.",
        "capacity": "Say how much traffic this machine protects.",
        "protocol": "Say what a protocol's security costs a sensor node.",
    },
    "Show and compare": {
        "show": "Print the figures of a run.",
        "report": "Write a run's report: one HTML file.",
        "site": "Write all runs as a site: search, compare, machines.",
        "compare": "Compare two runs, or two libraries of one run.",
        "machines": "Compare the stored runs of many machines.",
    },
    "Simulate and predict": {
        "simulate": "Count cycles of ciphermark's kernels on simulated processors.",
        "model": "Predict costs on processors that were not measured.",
    },
    "Published studies": {
        "study": "Repeat a published study and judge its claims.",
    },
    "Manage runs and catalogues": {
        "list": "List algorithms, libraries, targets, runs and more.",
        "export": "Write a run's figures in another format.",
        "import": "Import figures of other programs.",
    },
}
"""Headings with their commands and a line for each, which fits into 80 columns, in the order in
which they are shown; those that are not there are left out."""


class GroupedCommands(TyperGroup):
    """A command with many commands, listed under headings."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401  # of click, which typer vendors
        there = super().list_commands(ctx)
        order = [name for lines in GROUPS.values() for name in lines]
        return sorted(there, key=lambda it: order.index(it) if it in order else len(order))

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        shown = {
            name: command
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        }
        others = {
            name: command.get_short_help_str()
            for name, command in shown.items()
            if not any(name in lines for lines in GROUPS.values())
        }
        for heading, lines in {**GROUPS, "More": others}.items():
            rows = [(name, line) for name, line in lines.items() if name in shown]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
