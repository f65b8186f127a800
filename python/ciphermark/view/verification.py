"""Verdicts of test vectors, and of comparisons on random inputs, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ciphermark import contract
from ciphermark.view import figures
from ciphermark.view.blocks import Block, Headline, Note, Notes, Table
from ciphermark.view.column import Cell, Column, of_text, of_words

MOST_NAMED = 10
"""Most algorithms that are named; more are counted."""

MOST_LINES = 40
"""Most implementations with a line each; of more there is a line for each library."""


def blocks(verification: contract.Verification, *, each: bool = False) -> Iterator[Block]:
    """Yields the verdict, the failures, the counts, and the algorithms that nothing compares.

    With `each` every implementation has a line, however many there are.
    """
    results, agreement = verification.results, verification.agreement
    is_long = len(results) > MOST_LINES and not each
    yield _verdict(verification)
    if agreement:
        yield from agreement_verdict(agreement)
    failed = [it for it in results if it.failures or it.error]
    yield Notes(notes=list(map(_failures, failed)), style="red")
    if agreement:
        yield _disagreements(agreement)
    yield (
        Table(columns=LIBRARIES, rows=_libraries(results))
        if is_long
        else Table(columns=COLUMNS, rows=results)
    )
    covered = figures.grouped(verification.covered)
    vectors = figures.counted(verification.vectors, "vector")
    yield Notes.of([f"{covered} of {vectors} passed by at least one implementation"])
    notes = [*_without_implementation(verification.without_implementation)]
    if agreement and agreement.alone:
        alone = f"{figures.counted(len(agreement.alone), 'algorithm')} ({_named(agreement.alone)})"
        notes.append(f"One implementation and nothing to compare it with: {alone}")
    yield Notes.of([*notes, EACH] if is_long else notes, style="dim")


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


LIBRARIES: list[Column[_Library]] = [
    of_words("provider", lambda it: it.provider),
    of_text("algorithms", lambda it: str(len({one.algorithm for one in it.results}))),
    of_text("implementations", lambda it: figures.grouped(len(it.results))),
    of_text("answers right", lambda it: figures.grouped(it.total("passed"))),
    of_text("wrong", lambda it: _wrong(it)),
    of_text("unsupported", lambda it: figures.grouped(it.total("unsupported"))),
]


def _wrong(it: _Library) -> Cell:
    wrong, silent = it.total("failed"), sum(one.error is not None for one in it.results)
    text = figures.grouped(wrong) + (f" and {silent} silent" if silent else "")
    return Cell(text, mark="failed" if wrong or silent else "")


COLUMNS: list[Column[contract.Verified]] = [
    of_words("algorithm", lambda it: it.algorithm),
    of_words("provider", lambda it: it.provider),
    of_words("backend", lambda it: it.backend),
    of_text("passed", lambda it: figures.grouped(it.passed)),
    of_text("failed", lambda it: _failed(it)),
    of_text("unsupported", lambda it: figures.grouped(it.unsupported)),
    of_words("", lambda it: ", ".join(it.unsupported_parameters), wraps=True),
]


def _failed(result: contract.Verified) -> Cell:
    text = "all" if result.error else figures.grouped(result.failed)
    return Cell(text, mark="failed" if result.error or result.failed else "")


def _failures(result: contract.Verified) -> Note:
    """Returns an implementation with a sentence for each failed vector."""
    sentences = list(result.failures)
    if result.error:
        signal = f" ({result.error.signal})" if result.error.signal else ""
        sentences.append(f"{result.error.kind.replace('-', ' ')}{signal}: {result.error.message}")
    more = result.failed - len(result.failures)
    if more > 0:
        sentences.append(f"and {more} more")
    return Note(f"{result.algorithm}, {result.provider}, {result.backend}", "✗", sentences)


def _without_implementation(uncovered: list[contract.Uncovered]) -> Iterator[str]:
    if uncovered:
        vectors = figures.counted(sum(it.vectors for it in uncovered), "vector")
        named = _named([it.algorithm for it in uncovered])
        algorithms = figures.counted(len(uncovered), "algorithm")
        yield f"No implementation here: {algorithms} with {vectors} ({named})"


def _verdict(verification: contract.Verification) -> Headline:
    """Returns the verdict; an implementation that broke off gave no right answers either."""
    answers = verification.passed + verification.failed
    broken = sum(result.error is not None for result in verification.results)
    wrong = []
    if verification.failed:
        failed = figures.grouped(verification.failed)
        wrong.append(f"{failed} of {figures.counted(answers, 'answer')} wrong")
    if broken:
        wrong.append(f"{figures.counted(broken, 'implementation')} gave no answer")
    if wrong:
        return Headline(text=f"✗ {', '.join(wrong)}", style="bold red")
    if not answers:
        return Headline(
            text="? no answer was compared: no implementation here has these algorithms",
            style="yellow",
        )
    implementations = figures.counted(len(verification.results), "implementation")
    right = f"all {figures.counted(answers, 'answer')} of {implementations} right"
    return Headline(text=f"✓ {right}", style="green")


def agreement_verdict(agreement: contract.Agreement) -> Iterator[Headline]:
    """Yields the numbers of agreements and disagreements."""
    differ, silent = len(agreement.disagreements), len(agreement.failures)
    if differ:
        text = f"✗ {figures.counted(differ, 'disagreement')} on random inputs"
        yield Headline(text=text, style="bold red")
    if silent:
        text = f"✗ {figures.counted(silent, 'implementation')} gave no answer on random inputs"
        yield Headline(text=text, style="bold red")
    if not differ and not silent:
        pairs = figures.counted(agreement.pairs, "pair")
        inputs = figures.grouped(agreement.inputs)
        text = f"✓ {pairs} of implementations agree, over {inputs} random inputs"
        yield Headline(text=text, style="green")


def _disagreements(agreement: contract.Agreement) -> Notes:
    """Returns each disagreement with the smallest input that shows it, and silent functions."""
    notes = [
        Note(_sentence(it), "✗", [f"{name:<8}{value}" for name, value in _input(it.shown_by)])
        for it in agreement.disagreements
    ]
    notes += [Note(f"no answers from {failure}", "✗") for failure in agreement.failures]
    return Notes(notes=notes, style="red")


def _named(names: list[str]) -> str:
    """Formats the first names, and the number of the others."""
    more = f", and {len(names) - MOST_NAMED} more" * (len(names) > MOST_NAMED)
    return ", ".join(names[:MOST_NAMED]) + more


def _sentence(found: contract.Disagreement) -> str:
    others = ", ".join(found.differs_from)
    size = figures.counted(found.message_bytes, "byte")
    lengths = figures.counted(found.lengths - 1, "more length")
    more = f", and at {lengths}" if found.lengths > 1 else ""
    return (
        f"{found.provider} ({found.backend}) differs from {others} in {found.operation} of "
        f"{found.algorithm} at {size}{more}"
    )


def _input(shown: contract.Shown) -> Iterator[tuple[str, str]]:
    """Yields the parts of the input that are there, and both answers."""
    for name in ("key", "nonce", "aad", "message"):
        if value := getattr(shown, name):
            yield name, value
    yield "answer", shown.answer or "(empty)"
    yield "theirs", shown.their_answer or "(empty)"
