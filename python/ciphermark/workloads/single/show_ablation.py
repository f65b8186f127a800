"""What each feature of the processor is worth, on a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from ciphermark.show import figures
from ciphermark.show.columns import Column, Columns
from ciphermark.workloads.single.ablation import Ablation


def render(found: list[Ablation]) -> RenderableType:
    """A line for each feature of each implementation, what matters most first."""
    order = sorted(found, key=lambda it: (it.ratio is None, -(it.ratio or 0.0)))
    columns = [
        Column[Ablation]("without", lambda it: it.feature),
        Column("algorithm", lambda it: it.algorithm),
        Column("operation", lambda it: it.operation, from_width=90),
        Column("provider", lambda it: it.provider),
        Column("bytes", lambda it: figures.message_size(it.profile or it.message_bytes), "right"),
        Column("takes", _takes, "right"),
        Column("code path", _paths),
    ]
    title = Text("What features of the processor are worth: cost without by cost with", "bold")
    return Group("", title, Columns(columns, order))


def _takes(it: Ablation) -> Text:
    if it.ratio is None:
        return Text(it.reason or "", "dim")
    times = f"{it.ratio:.2f} times ({it.ratio_low:.2f}–{it.ratio_high:.2f})"
    return Text(times, "" if it.ratio_low > 1 or it.ratio_high < 1 else "dim")


def _paths(it: Ablation) -> str:
    return it.path if it.path == it.path_without else f"{it.path} → {it.path_without}"
