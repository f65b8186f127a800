"""What test vectors said of each implementation, and implementations of each other on random
inputs, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.show.tables import Columns, ListColumn

MOST_NAMED = 10
"""Algorithms are named up to here, and counted."""

MOST_LINES = 40
"""Implementations that have a line each; of more there is a line for each library."""


def render(verification: contract.Verification, *, each: bool = False) -> RenderableType:
    """The verdict, what failed and why, the counts, and what nobody here has or can compare. With
    `each` every implementation has a line, however many there are."""
    results, agreement = verification.results, verification.agreement
    is_long = len(results) > MOST_LINES and not each
    return Group(
        _verdict(verification),
        *(agreement_verdict(agreement) if agreement else ()),
        *(line for result in results for line in _failures(result)),
        *(_disagreements(agreement) if agreement else ()),
        "",
        Columns(_library_columns(), _libraries(results))
        if is_long
        else Columns(_columns(), results),
        "",
        _covered(verification),
        *_without_implementation(verification.without_implementation),
        *(_alone(agreement) if agreement else ()),
        *([Text(EACH, "dim")] if is_long else ()),
    )


EACH = "A line for each implementation: ciphermark verify --algorithms all"


class _Library(NamedTuple):
    """The results of one library, summed up."""

    provider: str
    results: list[contract.Verified]

    def total(self, field: str) -> int:
        return sum(getattr(it, field) for it in self.results)


def _libraries(results: list[contract.Verified]) -> list[_Library]:
    names = dict.fromkeys(it.provider for it in results)
    return [_Library(name, [it for it in results if it.provider == name]) for name in names]


def _library_columns() -> list[ListColumn[_Library]]:
    return [
        ListColumn("provider", lambda it: it.provider),
        ListColumn(
            "algorithms", lambda it: str(len({one.algorithm for one in it.results})), "right"
        ),
        ListColumn("implementations", lambda it: figures.grouped(len(it.results)), "right"),
        ListColumn("answers right", lambda it: figures.grouped(it.total("passed")), "right"),
        ListColumn("wrong", lambda it: _wrong(it), "right"),
        ListColumn("unsupported", lambda it: figures.grouped(it.total("unsupported")), "right"),
    ]


def _wrong(it: _Library) -> Text:
    wrong, silent = it.total("failed"), sum(one.error is not None for one in it.results)
    text = figures.grouped(wrong) + (f" and {silent} silent" if silent else "")
    return Text(text, "red" if wrong or silent else "")


def _columns() -> list[ListColumn[contract.Verified]]:
    return [
        ListColumn("algorithm", lambda it: it.algorithm),
        ListColumn("provider", lambda it: it.provider),
        ListColumn("backend", lambda it: it.backend),
        ListColumn("passed", lambda it: figures.grouped(it.passed), "right"),
        ListColumn("failed", _failed, "right"),
        ListColumn("unsupported", lambda it: figures.grouped(it.unsupported), "right"),
        ListColumn("", lambda it: ", ".join(it.unsupported_parameters), wraps=True),
    ]


def _failed(result: contract.Verified) -> Text:
    if result.error:
        return Text("all", "red")
    return Text(figures.grouped(result.failed), "red" if result.failed else "")


def _failures(result: contract.Verified) -> Iterator[RenderableType]:
    """A heading and a sentence for each failed vector, of implementations that have any."""
    sentences = list(result.failures)
    if result.error:
        signal = f" ({result.error.signal})" if result.error.signal else ""
        sentences.append(f"{result.error.kind.replace('-', ' ')}{signal}: {result.error.message}")
    more = result.failed - len(result.failures)
    if more > 0:
        sentences.append(f"and {more} more")
    if sentences:
        yield Text(f"✗ {result.algorithm}, {result.provider}, {result.backend}", "bold red")
        for sentence in sentences:
            yield Padding(Text(sentence), (0, 0, 0, 2))


def _without_implementation(uncovered: list[contract.Uncovered]) -> Iterator[RenderableType]:
    if uncovered:
        vectors = figures.counted(sum(it.vectors for it in uncovered), "vector")
        named = _named([it.algorithm for it in uncovered])
        algorithms = figures.counted(len(uncovered), "algorithm")
        yield Text(f"No implementation here: {algorithms} with {vectors} ({named})", "dim")


def _covered(verification: contract.Verification) -> Text:
    vectors = figures.counted(verification.vectors, "vector")
    covered = figures.grouped(verification.covered)
    return Text(f"{covered} of {vectors} passed by at least one implementation")


def _verdict(verification: contract.Verification) -> Text:
    """An implementation that could not be asked to the end gave no right answers either."""
    answers = verification.passed + verification.failed
    broken = sum(result.error is not None for result in verification.results)
    wrong = []
    if verification.failed:
        failed = figures.grouped(verification.failed)
        wrong.append(f"{failed} of {figures.counted(answers, 'answer')} wrong")
    if broken:
        wrong.append(f"{figures.counted(broken, 'implementation')} gave no answer")
    if wrong:
        return Text(f"✗ {', '.join(wrong)}", "bold red")
    if not answers:
        return Text(
            "? no answer was compared: no implementation here has these algorithms", "yellow"
        )
    implementations = figures.counted(len(verification.results), "implementation")
    right = f"all {figures.counted(answers, 'answer')} of {implementations} right"
    return Text(f"✓ {right}", "green")


def agreement_verdict(agreement: contract.Agreement) -> Iterator[Text]:
    """Whether all implementations agree; how many do not."""
    differ, silent = len(agreement.disagreements), len(agreement.failures)
    if differ:
        yield Text(f"✗ {figures.counted(differ, 'disagreement')} on random inputs", "bold red")
    if silent:
        told = figures.counted(silent, "implementation")
        yield Text(f"✗ {told} gave no answer on random inputs", "bold red")
    if not differ and not silent:
        pairs = figures.counted(agreement.pairs, "pair")
        inputs = figures.grouped(agreement.inputs)
        yield Text(f"✓ {pairs} of implementations agree, over {inputs} random inputs", "green")


def _disagreements(agreement: contract.Agreement) -> Iterator[RenderableType]:
    """Each disagreement with the smallest input that shows it, and who gave no answers."""
    for found in agreement.disagreements:
        yield Text(_sentence(found), "bold red")
        for name, value in _input(found.shown_by):
            yield Padding(Text(f"{name:<8}{value}"), (0, 0, 0, 2))
    for failure in agreement.failures:
        yield Text(f"✗ no answers from {failure}", "bold red")


def _alone(agreement: contract.Agreement) -> Iterator[Text]:
    if agreement.alone:
        alone = figures.counted(len(agreement.alone), "algorithm")
        named = _named(agreement.alone)
        yield Text(f"One implementation and nothing to compare it with: {alone} ({named})", "dim")


def _named(names: list[str]) -> str:
    """The first of them, and how many more there are."""
    more = f", and {len(names) - MOST_NAMED} more" * (len(names) > MOST_NAMED)
    return ", ".join(names[:MOST_NAMED]) + more


def _sentence(found: contract.Disagreement) -> str:
    others = ", ".join(found.differs_from)
    size = figures.counted(found.message_bytes, "byte")
    lengths = figures.counted(found.lengths - 1, "more length")
    more = f", and at {lengths}" if found.lengths > 1 else ""
    return (
        f"✗ {found.provider} ({found.backend}) differs from {others} in {found.operation} of "
        f"{found.algorithm} at {size}{more}"
    )


def _input(shown: contract.Shown) -> Iterator[tuple[str, str]]:
    """The parts of the input that there are, and both answers."""
    for name in ("key", "nonce", "aad", "message"):
        if value := getattr(shown, name):
            yield name, value
    yield "answer", shown.answer or "(empty)"
    yield "theirs", shown.their_answer or "(empty)"
