"""UMAC, VMAC, UHASH and hash127: every backend of our kernels beside all other libraries.

A block for each function, measured in one run. Figures are cycles per byte of one message, hot in
cache. Wanted figures are those of one core of a Zen 5. With AVX-512 ours should be as many times as
fast as the best other library as the wanted figure was on a Zen 5; by AVX2 no slower than it at any
size.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from common import (
    benchmark,
    best_of,
    cell,
    fastest,
    find_engine,
    grouped,
    has_avx512,
    measure,
    options,
    ours_and_others,
    print_libraries,
    print_limits,
    print_line,
    print_marks,
    ratio,
    times,
    together,
)

from ciphermark import contract
from ciphermark.plan.build import build
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.run.engine import Engine
from ciphermark.view import figures
from ciphermark.workloads.single.row import Row

SIZES = [43, 256, 1500, 4096, 65536, 262144]
"""Those of the study, and 64 KiB."""

WORD_BYTES = 4
"""hash127 takes whole words: its messages are up to three bytes longer."""

STEPS = ["sse2", "avx2", "avx512"]
"""Backends, each of which has vectors twice as wide as those of the one before."""

BUDGET_S, QUICK_BUDGET_S = 30.0, 6.0


class Wanted(NamedTuple):
    """Cycles per byte on a Zen 5."""

    ours: float
    best_other: float | None
    """What the fastest other library takes there; None where none has the function."""


class Question(NamedTuple):
    """A function, and what it should cost."""

    title: str
    algorithm: str
    wanted: dict[int, Wanted]
    """By bytes of a message."""
    word_bytes: int = 1

    @property
    def sizes(self) -> list[int]:
        return [-(-size // self.word_bytes) * self.word_bytes for size in SIZES]


QUESTIONS = [
    Question("UMAC-32", "umac-32", {65536: Wanted(0.045, 0.103)}),
    Question("UMAC-64", "umac-64", {43: Wanted(2.2, 3.16), 1500: Wanted(0.16, 0.352),
                                    65536: Wanted(0.07, 0.241)}),
    Question("UMAC-96", "umac-96", {}),
    Question("UMAC-128", "umac-128", {65536: Wanted(0.12, 0.358)}),
    Question("VMAC-64", "vmac-64", {1500: Wanted(0.18, 0.309), 65536: Wanted(0.09, 0.187)}),
    Question("VMAC-128", "vmac-128", {65536: Wanted(0.17, 0.342)}),
    Question("hash127", "hash127", {65536: Wanted(0.16, None)}, WORD_BYTES),
    Question("UHASH-4/4 of 2000", "uhash2000-4-4", {}),
    Question("UHASH-2/4 of 2000", "uhash2000-2-4", {}),
]  # fmt: skip

WORDS_OF_2, WORDS_OF_4 = "uhash2000-2-4", "uhash2000-4-4"
"""The first should be no slower than the second with long messages."""


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    facts = engine.describe()
    with benchmark("Universal hashes", engine) as environment:
        print_libraries(facts, [question.algorithm for question in QUESTIONS])
        print_marks()
        is_wide = has_avx512(environment)
        rows = []
        for question in QUESTIONS:
            budget_s = QUICK_BUDGET_S if chosen.quick else BUDGET_S
            found = measured(engine, facts, question, budget_s)
            print_question(question, found, is_wide)
            print_limits(engine, question.algorithm, ours(found), question.sizes, 1)
            rows += found
        print_words(rows)
        print_avx2(rows)


def measured(
    engine: Engine, facts: contract.Description, question: Question, budget_s: float
) -> list[Row]:
    """The rows of one run: ours but the reference, and every other library."""
    file = PlanFile(
        title="universal hashes",
        workload="single",
        algorithms=[question.algorithm],
        operations=["mac"],
        sizes=question.sizes,
        precision=0.01,
        budget_s=budget_s,
        max_cases=1000,
    )
    backends, libraries = ours_and_others(facts, question.algorithm)
    selections = [Selection(providers=["kernels"], backends=backends)]
    if libraries:
        selections.append(Selection(providers=libraries))
    plans = [build(file, selection, facts).plan for selection in selections]
    return measure(engine, together(plans)).rows


def print_question(question: Question, rows: list[Row], is_wide: bool) -> None:
    """A line of figures for each backend and library, what wider vectors bring, and what is
    wanted."""
    sizes = question.sizes
    print_line(f"\n{question.title}", [f"{size} B" for size in sizes])
    for name, alike in grouped(rows, called).items():
        print_line(f"  {name}", [cell(alike.get(size)) for size in sizes])
    print_steps(rows, sizes)
    theirs = others(rows)
    if theirs:
        print_line(
            "  ours, times as fast as the best other library",
            [times(best_of(theirs, size, called), fastest(ours(rows), size)) for size in sizes],
        )
        print_line("  wanted here", [wanted_times(question, size, is_wide) for size in sizes])
    if question.wanted:
        print_line("  wanted on a Zen 5, cycles per byte",
                   [wanted_cycles(question, size) for size in sizes])  # fmt: skip


def print_steps(rows: list[Row], sizes: list[int]) -> None:
    """How many times as fast as the narrower vectors the wider ones are."""
    for narrow, wide in zip(STEPS, STEPS[1:], strict=False):
        one, other = of_backend(rows, narrow), of_backend(rows, wide)
        if one and other:
            cells = [times(one.get(size), other.get(size)) for size in sizes]
            print_line(f"  {narrow} → {wide}, times as fast", cells)


def print_words(rows: list[Row]) -> None:
    """Words of 2 bytes beside those of 4, backend by backend."""
    print_line("\nUHASH-2/4, times as fast as UHASH-4/4", [f"{size} B" for size in SIZES])
    of_2, of_4 = ([row for row in rows if row.algorithm == it] for it in (WORDS_OF_2, WORDS_OF_4))
    for backend in backends(of_2):
        one, other = of_backend(of_4, backend), of_backend(of_2, backend)
        cells = [times(one.get(size), other.get(size)) for size in SIZES]
        print_line(f"  {backend}", cells)
    print_line("  wanted", [""] * (len(SIZES) - 1) + ["1"])


def print_avx2(rows: list[Row]) -> None:
    """Whether AVX2 is slower than the best other library anywhere, and where."""
    slower, missing, compared = [], [], 0
    for question in QUESTIONS:
        alike = [row for row in rows if row.algorithm == question.algorithm]
        own, theirs = of_backend(alike, "avx2"), others(alike)
        for size in question.sizes if theirs else []:
            what = f"{question.title} at {size} B"
            found = ratio(best_of(theirs, size, called), own.get(size))
            if found is None:
                missing.append(what)
            elif found < 1:
                slower.append(f"{what} ({figures.significant(found)})")
            compared += found is not None
    print(f"\nAVX2 slower than the best other library, of {compared} comparisons: "
          f"{'; '.join(slower) or 'none'}")  # fmt: skip
    if missing:
        print(f"not compared, for want of a figure: {'; '.join(missing)}")


def wanted_times(question: Question, size: int, is_wide: bool) -> str:
    """As many times as fast as the best other library, by what the processor has."""
    wanted = question.wanted.get(size)
    if not is_wide:
        return "1"
    return figures.significant(wanted.best_other / wanted.ours) if wanted else "–"


def wanted_cycles(question: Question, size: int) -> str:
    wanted = question.wanted.get(size)
    return figures.significant(wanted.ours) if wanted else ""


def called(row: Row) -> str:
    return f"{row.provider} {row.backend}"


def ours(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.provider == "kernels"]


def others(rows: Iterable[Row]) -> list[Row]:
    return [row for row in rows if row.provider != "kernels"]


def backends(rows: Iterable[Row]) -> list[str]:
    """Ours, in the order of the plan."""
    return list(dict.fromkeys(row.backend for row in ours(rows)))


def of_backend(rows: Iterable[Row], backend: str) -> dict[int | str | None, Row]:
    """One of ours, by size."""
    return {row.size: row for row in ours(rows) if row.backend == backend}


if __name__ == "__main__":
    main()
