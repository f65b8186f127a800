"""Implementations with their code paths: what is used by default, what is fastest."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.show.columns import Column, Columns
from ciphermark.workloads.single import show_left_behind as left_behind
from ciphermark.workloads.single.code_paths import Choice
from ciphermark.workloads.single.left_behind import LeftBehind


def render(
    offered: list[contract.Implementation],
    choices: list[Choice],
    run: str | None,
    left: Sequence[LeftBehind] = (),
) -> RenderableType:
    """One line for each algorithm and provider, the flagged ones named at the end."""
    found = {(it.algorithm, it.provider): it for it in choices}
    defaults = [it for it in offered if it.default]
    others: dict[tuple[str, str], list[contract.Implementation]] = {}
    for it in offered:
        if not it.default:
            others.setdefault((it.algorithm, it.provider), []).append(it)

    def choice(it: contract.Implementation) -> Choice | None:
        return found.get((it.algorithm, it.provider))

    columns = [
        Column[contract.Implementation]("algorithm", lambda it: it.algorithm),
        Column("provider", lambda it: it.provider),
        Column("by default", lambda it: _default(it, choice(it))),
        Column("known by", lambda it: it.backend_evidence, from_width=100),
        Column("fastest", lambda it: _fastest(choice(it))),
        Column("on request", lambda it: _others(others.get((it.algorithm, it.provider), []))),
        Column("constant time", lambda it: _yes_no(it.constant_time), from_width=140),
    ]
    said = [Text(left_behind.sentence(it)) for it in left]
    return Group(Columns(columns, defaults), *_remarks(offered, choices, run), *said)


def _default(it: contract.Implementation, choice: Choice | None) -> str:
    path = it.path or it.backend
    cost = choice and next((path for path in choice.paths if path.default), None)
    return f"{path}{_cost(cost.cycles_per_byte if cost else None)}"


def _fastest(choice: Choice | None) -> Text:
    if choice is None or choice.fastest is None:
        return Text("")
    if not choice.flagged:
        return Text("the same", "dim")
    return Text(f"{choice.fastest}{_cost(choice.paths[0].cycles_per_byte)} ⚑", "yellow")


def _cost(cycles_per_byte: float | None) -> str:
    return "" if cycles_per_byte is None else f" {figures.significant(cycles_per_byte)}"


def _others(paths: list[contract.Implementation]) -> str:
    return ", ".join(it.path or it.backend for it in paths)


def _yes_no(stated: bool | None) -> str:
    """What the authors of the code state; nothing where they are silent."""
    return {True: "yes", False: "no", None: ""}[stated]


def _remarks(
    offered: list[contract.Implementation], choices: list[Choice], run: str | None
) -> list[RenderableType]:
    pairs = len({(it.algorithm, it.provider) for it in offered})
    remarks: list[RenderableType] = [
        "",
        Text(
            f"{figures.counted(pairs, 'pair')} of algorithm and provider, "
            f"{figures.counted(len(offered), 'code path')}; figures are cycles per byte"
            + (f" at 1024 bytes, of run {run}" if run else "")
        ),
    ]
    for it in (choice for choice in choices if choice.flagged):
        remarks.append(
            Text(
                f"⚑ {it.algorithm} by {it.provider} takes {it.default} by itself, and its "
                f"{it.fastest} is {it.gain:.2f} times as fast here",
                "yellow",
            )
        )
    return remarks
