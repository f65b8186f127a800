"""The commands of `ciphermark --help`, sorted by what one wants."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

GROUPS = {
    "Measure": (
        *("survey", "esp", "tunnel", "sessions", "packets", "cores", "tune", "verify"),
        *("doctor", "fleet"),
    ),
    "Decide": ("advise", "capacity", "protocol"),
    "Show and compare": ("show", "report", "compare", "machines"),
    "Simulate and predict": ("simulate", "model"),
    "Published studies": ("study",),
    "Manage runs and catalogues": ("list", "export", "import"),
}
"""Headings with their commands, each in the order in which it is shown; those that are not there
are left out."""

OTHERS = "More"


class GroupedCommands(TyperGroup):
    """A command with many commands, listed under headings."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401  # of click, which typer vendors
        there = super().list_commands(ctx)
        order = [name for names in GROUPS.values() for name in names]
        return sorted(there, key=lambda it: order.index(it) if it in order else len(order))

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        shown = {
            name: command
            for name in self.list_commands(ctx)
            if (command := self.get_command(ctx, name)) is not None and not command.hidden
        }
        room = formatter.width - 6 - max(map(len, shown), default=0)
        others = [name for name in shown if not any(name in it for it in GROUPS.values())]
        for heading, names in {**GROUPS, OTHERS: tuple(others)}.items():
            rows = [(it, shown[it].get_short_help_str(room)) for it in names if it in shown]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)
