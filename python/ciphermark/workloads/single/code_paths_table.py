"""Code paths, and what features of the processor are worth, on a terminal."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.show.tables import Columns, ListColumn
from ciphermark.workloads.single.code_paths import Ablation, Choice, CodePaths
from ciphermark.workloads.single.left_behind import sentence

CONSTANT_TIME = {True: "yes", False: "no", None: ""}
"""What the authors of the code state; nothing where they are silent."""


def render(known: CodePaths) -> RenderableType:
    """One line for each algorithm and provider, the flagged ones named at the end."""
    offered = known.implementations
    choices = {(it.algorithm, it.provider): it for it in known.choices}
    defaults = [it for it in offered if it.default]
    others: dict[tuple[str, str], list[str]] = {}
    for it in offered:
        if not it.default:
            others.setdefault((it.algorithm, it.provider), []).append(it.path or it.backend)

    def choice(it: contract.Implementation) -> Choice | None:
        return choices.get((it.algorithm, it.provider))

    columns = [
        ListColumn[contract.Implementation]("algorithm", lambda it: it.algorithm),
        ListColumn("provider", lambda it: it.provider),
        ListColumn("by default", lambda it: _default(it, choice(it))),
        ListColumn("known by", lambda it: it.backend_evidence, from_width=100),
        ListColumn("fastest", lambda it: _fastest(choice(it))),
        ListColumn(
            "on request",
            lambda it: ", ".join(others.get((it.algorithm, it.provider), [])),
            wraps=True,
            from_width=80,
        ),
        ListColumn("constant time", lambda it: CONSTANT_TIME[it.constant_time], from_width=140),
    ]
    said = [Text(sentence(it)) for it in known.left_behind]
    return Group(Columns(columns, defaults), *_remarks(known), *said)


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


def _remarks(known: CodePaths) -> list[RenderableType]:
    offered = known.implementations
    pairs = len({(it.algorithm, it.provider) for it in offered})
    cost = "their cost was not measured: add --measure"
    if known.run is not None:
        cost = f"figures are cycles per byte at 1024 bytes, of run {known.run}"
    remarks: list[RenderableType] = [
        "",
        Text(
            f"{figures.counted(pairs, 'pair')} of algorithm and provider, "
            f"{figures.counted(len(offered), 'code path')}; {cost}"
        ),
    ]
    remarks += [
        Text(
            f"⚑ {choice.algorithm} by {choice.provider} takes {choice.default} by default, but "
            f"its {choice.fastest} is {choice.gain:.2f} times as fast here",
            "yellow",
        )
        for choice in known.choices
        if choice.flagged
    ]
    return remarks


def features(found: list[Ablation]) -> RenderableType:
    """A line for each feature of each implementation, what matters most first."""
    order = sorted(found, key=lambda it: (it.ratio is None, -(it.ratio or 0.0)))
    columns = [
        ListColumn[Ablation]("without", lambda it: it.feature),
        ListColumn("algorithm", lambda it: it.algorithm),
        ListColumn("operation", lambda it: it.operation, from_width=90),
        ListColumn("provider", lambda it: it.provider),
        ListColumn("bytes", _size, "right"),
        ListColumn("takes", _takes, "right"),
        ListColumn("code path", _paths),
    ]
    title = Text(
        ("Worth of the processor's features: cost without the feature, divided by cost with it"),
        "bold",
    )
    return Group("", title, Columns(columns, order))


def _size(it: Ablation) -> str:
    size = it.profile or it.message_bytes
    return "" if size is None else figures.message_size(size)


def _takes(it: Ablation) -> Text:
    if it.ratio is None or it.ratio_low is None or it.ratio_high is None:
        return Text(it.reason or "", "dim")
    times = f"{it.ratio:.2f} times ({it.ratio_low:.2f}–{it.ratio_high:.2f})"
    return Text(times, "" if it.ratio_low > 1 or it.ratio_high < 1 else "dim")


def _paths(it: Ablation) -> str:
    return it.path if it.path == it.path_without else f"{it.path} → {it.path_without}"
