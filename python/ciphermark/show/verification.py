"""What test vectors said of each implementation, and implementations of each other on random
inputs, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ciphermark import contract
from ciphermark.show import figures
from ciphermark.show.tables import Columns, ListColumn

MOST_NAMED = 10
"""Algorithms without an implementation are named up to here, and counted."""


def render(verification: contract.Verification) -> RenderableType:
    """The counts of each implementation, what failed and why, what is missing, the verdict."""
    return Group(
        Columns(_columns(), verification.results),
        "",
        *(line for result in verification.results for line in _failures(result)),
        *_without_implementation(verification.without_implementation),
        _covered(verification),
        _verdict(verification),
        *(agreement_lines(verification.agreement) if verification.agreement else ()),
    )


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
        named = ", ".join(it.algorithm for it in uncovered[:MOST_NAMED])
        more = f", and {len(uncovered) - MOST_NAMED} more" * (len(uncovered) > MOST_NAMED)
        algorithms = figures.counted(len(uncovered), "algorithm")
        yield Text(f"No implementation here: {algorithms} with {vectors} ({named}{more})", "dim")


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
    return Text(f"✓ all {figures.counted(answers, 'answer')} right", "green")


def agreement_lines(agreement: contract.Agreement) -> Iterator[RenderableType]:
    """Each disagreement with the smallest input that shows it, and a verdict on all."""
    for found in agreement.disagreements:
        yield Text(_sentence(found), "bold red")
        for name, value in _input(found.shown_by):
            yield Padding(Text(f"{name:<8}{value}"), (0, 0, 0, 2))
    for failure in agreement.failures:
        yield Text(f"✗ no answers from {failure}", "bold red")
    if not agreement.disagreements and not agreement.failures:
        pairs = figures.counted(agreement.pairs, "pair")
        inputs = figures.grouped(agreement.inputs)
        yield Text(f"✓ {pairs} of implementations agree, over {inputs} random inputs", "green")
    if agreement.alone:
        alone = figures.counted(len(agreement.alone), "algorithm")
        yield Text(
            f"{alone} with one implementation and nothing to compare it with: "
            f"{', '.join(agreement.alone)}",
            "dim",
        )


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
