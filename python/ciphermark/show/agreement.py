"""What implementations said of each other on random inputs, on a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from ciphermark import contract
from ciphermark.show import figures


def lines(agreement: contract.Agreement) -> Iterator[RenderableType]:
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
