"""Blocks of code paths and of the worth of processor features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Headline, Notes, Section, Table
from ciphermark.view.column import Cell, Column, of_text, of_words
from ciphermark.view.problems import TIE
from ciphermark.workloads.single.code_paths import Ablation, Choice, CodePaths
from ciphermark.workloads.single.left_behind import sentence

CONSTANT_TIME = {True: "yes", False: "no", None: ""}
"""Statement by the authors of the code; empty where there is none."""


MOST_LINES = 40
"""Pairs of algorithm and provider that have a line each; of more each provider has one."""


def blocks(known: CodePaths, *, each: bool = False) -> Iterator[Block]:
    """Yields oddities, then one line for each algorithm and provider.

    Of many pairs there is one line for each provider, unless `each` is true.
    """
    defaults = [it for it in known.implementations if it.default]
    is_long = len(defaults) > MOST_LINES and not each
    yield Headline(text=_summary(known))
    flagged = [
        f"⚑ {it.algorithm} by {it.provider} takes {it.default} by default, but its {it.fastest} is "
        f"{it.gain:.2f} times as fast here"
        for it in known.choices
        if it.flagged
    ]
    yield Notes.of(flagged, style="yellow")
    yield Notes.of(map(sentence, known.left_behind))
    yield _providers(known, defaults) if is_long else _pairs(known, defaults)
    notes = []
    if known.run is not None:
        notes.append(f"Figures: cycles per byte at 1024 bytes, of run {known.run}")
    elif any(not it.default for it in known.implementations):
        notes.append("Their cost was not measured: add --measure")
    if is_long:
        notes.append(f"Code paths of one algorithm: {COMMAND} --algorithms NAME")
    yield Notes.of(notes, style="dim")


COMMAND = "ciphermark list implementations"


def _pairs(
    known: CodePaths, defaults: list[contract.Implementation]
) -> Table[contract.Implementation]:
    choices = {(it.algorithm, it.provider): it for it in known.choices}
    others: dict[tuple[str, str], list[str]] = {}
    for it in known.implementations:
        if not it.default:
            others.setdefault((it.algorithm, it.provider), []).append(it.path or it.backend)

    def choice(it: contract.Implementation) -> Choice | None:
        return choices.get((it.algorithm, it.provider))

    columns: list[Column[contract.Implementation]] = [
        of_words("algorithm", lambda it: it.algorithm),
        of_words("provider", lambda it: it.provider),
        of_words("by default", lambda it: _default(it, choice(it))),
        of_words("known by", lambda it: it.backend_evidence, dispensable=3),
        of_words("fastest", lambda it: _fastest(choice(it))),
        of_words(
            "on request",
            lambda it: ", ".join(others.get((it.algorithm, it.provider), [])),
            wraps=True,
            dispensable=1,
        ),
        of_words("constant time", lambda it: CONSTANT_TIME[it.constant_time], dispensable=7),
    ]
    return Table(columns=columns, rows=defaults)


def _providers(known: CodePaths, defaults: list[contract.Implementation]) -> Table[str]:
    """Returns a line for each provider, with its default code paths, the commonest first."""
    taken: dict[str, Counter[str]] = {}
    for it in defaults:
        taken.setdefault(it.provider, Counter())[it.path or it.backend] += 1
    offered = Counter(it.provider for it in known.implementations)
    slower = Counter(it.provider for it in known.choices if it.flagged)
    columns: list[Column[str]] = [
        of_words("provider", str),
        of_text("algorithms", lambda it: str(taken[it].total())),
        of_text("code paths", lambda it: str(offered[it])),
        of_words(
            "by default, with the number of algorithms",
            lambda it: ", ".join(f"{path} {count}" for path, count in taken[it].most_common()),
            wraps=True,
        ),
    ]
    if known.run is not None:
        columns.insert(3, of_text("not fastest", lambda it: str(slower[it] or "")))
    return Table(columns=columns, rows=list(taken))


def _default(it: contract.Implementation, choice: Choice | None) -> str:
    path = it.path or it.backend
    cost = choice and next((path for path in choice.paths if path.default), None)
    return f"{path}{_per_byte(cost.cycles_per_byte if cost else None)}"


def _fastest(choice: Choice | None) -> str | Cell:
    if choice is None or choice.fastest is None:
        return ""
    if not choice.flagged:
        return Cell("the same", mark="soft")
    text = f"{choice.fastest}{_per_byte(choice.paths[0].cycles_per_byte)} ⚑"
    return Cell(text, mark="unsettled")


def _per_byte(cycles_per_byte: float | None) -> str:
    return "" if cycles_per_byte is None else f" {figures.significant(cycles_per_byte)}"


def _summary(known: CodePaths) -> str:
    offered = known.implementations
    pairs = len({(it.algorithm, it.provider) for it in offered})
    said = (
        f"{figures.counted(pairs, 'pair')} of algorithm and provider, "
        f"{figures.counted(len(offered), 'code path')}"
    )
    if known.run is None:
        return said
    flagged = sum(it.flagged for it in known.choices)
    return f"{said}; {flagged} of {len(known.choices)} measured take a slower one by default"


def features(found: list[Ablation]) -> Section:
    """Returns a line for each feature of each implementation, the dearest first."""
    columns: list[Column[Ablation]] = [
        of_words("without", lambda it: it.feature, key=True),
        of_words("algorithm", lambda it: it.algorithm, key=True),
        of_words("operation", lambda it: it.operation, key=True),
        of_words("provider", lambda it: it.provider, key=True),
        of_text("bytes", _size, key=True),
        of_text("takes", _takes),
        of_words("code path", _paths, at_end=True),
    ]
    order = sorted(found, key=lambda it: (it.ratio is None, -(it.ratio or 0.0)))
    return Section(
        title="Worth of the processor's features: cost without one, divided by cost with it",
        blocks=[Table(columns=columns, rows=order)],
    )


def _size(it: Ablation) -> str:
    size = it.profile or it.message_bytes
    return "" if size is None else figures.message_size(size)


def _takes(it: Ablation) -> str:
    if it.ratio is None or it.ratio_low is None or it.ratio_high is None:
        return it.reason or ""
    mark = "" if it.ratio_low > 1 or it.ratio_high < 1 else TIE
    return f"{mark}{it.ratio:.2f} times ({it.ratio_low:.2f}–{it.ratio_high:.2f})"


def _paths(it: Ablation) -> str:
    return it.path if it.path == it.path_without else f"{it.path} → {it.path_without}"
