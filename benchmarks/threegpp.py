"""The functions of 3GPP over many packets: every backend of our kernels beside all other libraries.

A block for each question, measured in one run. Figures are cycles per byte over all packets of a
call, hot in cache. Wanted figures are those of one core of a Zen 5; on another processor the ratio
to the best other library there counts: with AVX-512 that which the wanted figure has on a Zen 5,
else 4 times as fast for KASUMI, and for the others no slower.
"""

from __future__ import annotations

from typing import NamedTuple

import msgspec
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
    times,
    together,
)

from ciphermark import contract
from ciphermark.plan import profiles
from ciphermark.plan.build import build
from ciphermark.plan.manner import Manners
from ciphermark.plan.planfile import PlanFile
from ciphermark.plan.selection import Selection
from ciphermark.run.engine import Engine
from ciphermark.view import figures
from ciphermark.workloads.single.row import Row

SIZES = [40, 88, 256, 500, 1000, 1500]
MIX = "packets-40-1500"
MEAN_OF_MIX = 770
"""Bytes of a packet of the mix on average."""

BUDGET_S, QUICK_BUDGET_S = 20.0, 4.0


class Question(NamedTuple):
    """A way of calling a function, and what it should cost."""

    title: str
    algorithm: str
    lanes: int
    wanted: str
    """Cycles per byte at 1500 bytes on a Zen 5."""
    times: float | None
    """With AVX-512, as many times as fast as the best other library: the best figure known of one
    on a Zen 5 by the wanted one."""
    times_avx2: float | None
    """The same without AVX-512."""
    keys: int | None = None
    """None for one for each packet."""
    mixed: bool = False
    constant_time: bool = False


QUESTIONS = [
    Question("UEA1, 192 packets with a key each", "uea1", 192, "0.85 (1.3 at 40 B)",
             15.97 / 0.85, 4),
    Question("UEA1, 192 packets under one key", "uea1", 192, "0.75", 15.97 / 0.75, 4, keys=1),
    Question("UIA1, 192 packets with a key each", "uia1", 192, "0.85", 37.9 / 0.85, 4),
    Question("UEA1, 192 packets of 40 to 1500 bytes with a key each", "uea1", 192,
             "1.35 times equal packets", None, None, mixed=True),
    Question("UEA1, one packet in constant time", "uea1", 1, "80", None, None,
             constant_time=True),
    Question("UEA2, 64 packets with a key each", "uea2", 64, "0.40", 0.859 / 0.40, 1),
    Question("UIA2, 64 packets with a key each", "uia2", 64, "0.22", 0.318 / 0.22, 1),
    Question("EEA3, 64 packets with a key each", "eea3", 64, "0.55", 0.866 / 0.55, 1),
    Question("EIA3, 64 packets with a key each", "eia3", 64, "0.65", 0.922 / 0.65, 1),
]  # fmt: skip


def main() -> None:
    chosen = options(__doc__)
    engine = find_engine()
    facts = engine.describe()
    with benchmark("3GPP over many packets", engine) as environment:
        print_libraries(facts, [question.algorithm for question in QUESTIONS])
        print_marks()
        is_wide = has_avx512(environment)
        for question in QUESTIONS:
            budget_s = QUICK_BUDGET_S if chosen.quick else BUDGET_S
            rows = measured(engine, facts, question, budget_s)
            print_question(question, rows, is_wide)
            # One packet mostly waits, and a mix or one key for all has no count of its own.
            if question.lanes > 1 and question.keys is None and not question.mixed:
                own = asked(question, rows)
                print_limits(engine, question.algorithm, own, SIZES, question.lanes)


def measured(
    engine: Engine, facts: contract.Description, question: Question, budget_s: float
) -> list[Row]:
    """The rows of one run: ours, and every other library one packet a call and with as many as it
    takes."""
    backends, others = ours_and_others(facts, question.algorithm)
    keys = (question.keys,)
    selections = [
        Selection(
            providers=["kernels"],
            backends=backends,
            manners=Manners(lanes=(1, question.lanes), keys=keys),
        )
    ]
    if others:
        selections.append(Selection(providers=others, manners=Manners(lanes=(1, None), keys=keys)))
    plans = [plan(facts, question, selection, budget_s) for selection in selections]
    return measure(engine, together(plans)).rows


def plan(
    facts: contract.Description, question: Question, selection: Selection, budget_s: float
) -> contract.Plan:
    """A plan of the sizes or, of a mix, of the mix and of packets as long as its mean."""
    file = PlanFile(
        title="3GPP",
        workload="single",
        algorithms=[question.algorithm],
        operations=["encrypt", "mac"],
        sizes=[MEAN_OF_MIX] if question.mixed else SIZES,
        precision=0.01,
        budget_s=budget_s,
        max_cases=1000,
    )
    plans = [build(file, selection, facts).plan]
    if question.mixed:
        mixed = msgspec.structs.replace(selection, profiles=profiles.from_option(MIX))
        plans.append(build(file, mixed, facts).plan)
    return together(plans)


def print_question(question: Question, rows: list[Row], is_wide: bool) -> None:
    """A line of figures for each way in which it was done, and how the best compare."""
    sizes: list[int | str] = [MEAN_OF_MIX, MIX] if question.mixed else [*SIZES]
    print_line(f"\n{question.title}", ["mix" if it == MIX else f"{it} B" for it in sizes])
    ours, theirs = asked(question, rows), [row for row in rows if row.provider != "kernels"]
    tables = [row for row in rows if is_table(row) and row not in ours]
    for name, alike in grouped(ours + theirs + tables, called).items():
        print_line(f"  {name}", [cell(alike.get(size)) for size in sizes])
    if not ours:
        print("  no backend of kernels has a figure of that here")
    elif question.mixed:
        print_mix(ours)
    elif theirs and not question.constant_time:
        print_ratios(ours, theirs, question.times if is_wide else question.times_avx2)
    print(f"  wanted on a Zen 5: {question.wanted}")


def asked(question: Question, rows: list[Row]) -> list[Row]:
    """Ours that are called as the question says."""
    return [
        row
        for row in rows
        if (row.provider, row.lanes) == ("kernels", question.lanes)
        and (row.constant_time or not question.constant_time)
    ]


def is_table(row: Row) -> bool:
    """Whether it is of our kernels that look up in tables, one packet a call."""
    return (row.provider, row.backend, row.lanes) == ("kernels", "table", 1)


def called(row: Row) -> str:
    """What did it, and how many packets it took in a call."""
    return f"{row.provider} {row.backend}, {figures.counted(row.lanes, 'packet')} a call"


def print_mix(ours: list[Row]) -> None:
    """What mixed lengths cost more than equal ones."""
    equal, mix = fastest(ours, MEAN_OF_MIX), fastest(ours, MIX)
    if equal and mix:
        print_line("  our fastest, by its equal packets", ["", times(mix, equal)])


def print_ratios(ours: list[Row], theirs: list[Row], wanted: float | None) -> None:
    """How many times as fast as the best of the others ours is, at each size."""
    print_line(
        "  ours, times as fast as the best other library",
        [times(best_of(theirs, size, called), fastest(ours, size)) for size in SIZES],
    )
    print_line("  wanted here", [""] * (len(SIZES) - 1) + [figures.significant(wanted or 0)])


if __name__ == "__main__":
    main()
