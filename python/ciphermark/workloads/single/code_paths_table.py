"""Code paths, and what features of the processor are worth, on a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.show.tables import Columns, ListColumn
from ciphermark.workloads.single.code_paths import Ablation, Choice, CodePaths
from ciphermark.workloads.single.left_behind import sentence

CONSTANT_TIME = {True: "yes", False: "no", None: ""}
"""What the authors of the code state; nothing where they are silent."""


MOST_LINES = 40
"""Pairs of algorithm and provider that have a line each; of more each provider has one."""


def render(known: CodePaths, *, each: bool = False) -> RenderableType:
    """What is odd, then one line for each algorithm and provider, or of many pairs one for each
    provider. With `each` every pair has a line, however many there are."""
    defaults = [it for it in known.implementations if it.default]
    is_long = len(defaults) > MOST_LINES and not each
    table = _providers(known, defaults) if is_long else _pairs(known, defaults)
    notes = []
    if is_long:
        notes = [Text(f"Code paths of one algorithm: {COMMAND} --algorithms NAME", "dim")]
    return Group(*_remarks(known), "", table, *_cost(known), *notes)


COMMAND = "ciphermark list implementations"


def _pairs(
    known: CodePaths, defaults: list[contract.Implementation]
) -> Columns[contract.Implementation]:
    choices = {(it.algorithm, it.provider): it for it in known.choices}
    others: dict[tuple[str, str], list[str]] = {}
    for it in known.implementations:
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
    return Columns(columns, defaults)


def _providers(known: CodePaths, defaults: list[contract.Implementation]) -> Columns[str]:
    """A line for each provider, with the code paths that it takes by default, the commonest one
    first."""
    taken: dict[str, Counter[str]] = {}
    for it in defaults:
        taken.setdefault(it.provider, Counter())[it.path or it.backend] += 1
    offered = Counter(it.provider for it in known.implementations)
    slower = Counter(it.provider for it in known.choices if it.flagged)
    columns = [
        ListColumn[str]("provider", str),
        ListColumn("algorithms", lambda it: str(taken[it].total()), "right"),
        ListColumn("code paths", lambda it: str(offered[it]), "right"),
        ListColumn(
            "by default, with the number of algorithms",
            lambda it: ", ".join(f"{path} {count}" for path, count in taken[it].most_common()),
            wraps=True,
        ),
    ]
    if known.run is not None:
        columns.insert(3, ListColumn("not fastest", lambda it: str(slower[it] or ""), "right"))
    return Columns(columns, list(taken))


def _default(it: contract.Implementation, choice: Choice | None) -> str:
    path = it.path or it.backend
    cost = choice and next((path for path in choice.paths if path.default), None)
    return f"{path}{_per_byte(cost.cycles_per_byte if cost else None)}"


def _fastest(choice: Choice | None) -> Text:
    if choice is None or choice.fastest is None:
        return Text("")
    if not choice.flagged:
        return Text("the same", "dim")
    return Text(f"{choice.fastest}{_per_byte(choice.paths[0].cycles_per_byte)} ⚑", "yellow")


def _per_byte(cycles_per_byte: float | None) -> str:
    return "" if cycles_per_byte is None else f" {figures.significant(cycles_per_byte)}"


def _remarks(known: CodePaths) -> Iterator[RenderableType]:
    """How much there is, whose own code path is not its fastest, and who leaves a state behind."""
    offered = known.implementations
    pairs = len({(it.algorithm, it.provider) for it in offered})
    flagged = [it for it in known.choices if it.flagged]
    said = (
        f"{figures.counted(pairs, 'pair')} of algorithm and provider, "
        f"{figures.counted(len(offered), 'code path')}"
    )
    if known.run is not None:
        said += f"; {len(flagged)} of {len(known.choices)} measured take a slower one by default"
    yield Text(said, "bold")
    for choice in flagged:
        yield Text(
            f"⚑ {choice.algorithm} by {choice.provider} takes {choice.default} by default, but "
            f"its {choice.fastest} is {choice.gain:.2f} times as fast here",
            "yellow",
        )
    yield from (Text(sentence(it)) for it in known.left_behind)


def _cost(known: CodePaths) -> Iterator[RenderableType]:
    """Where the figures come from, or what would measure them."""
    if known.run is not None:
        yield Text(f"Figures: cycles per byte at 1024 bytes, of run {known.run}", "dim")
    elif any(not it.default for it in known.implementations):
        yield Text("Their cost was not measured: add --measure", "dim")


def features(found: list[Ablation]) -> RenderableType:
    """A line for each feature of each implementation, what matters most first."""
    order = sorted(found, key=lambda it: (it.ratio is None, -(it.ratio or 0.0)))
    columns = [
        ListColumn[Ablation]("without", lambda it: it.feature),
        ListColumn("algorithm", lambda it: it.algorithm),
        ListColumn("operation", lambda it: it.operation),
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
