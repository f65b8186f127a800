"""Which implementation of a function is the fastest here, found by a quick look beforehand."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ciphermark.analyse.row import Row
    from ciphermark.measure.engine import Engine
    from ciphermark.plan.build import Built
    from ciphermark.plan.planfile import Part, PlanFile
    from ciphermark.plan.selection import Selection
    from ciphermark.record import contract

SECONDS = 6.0
"""Four functions in ten libraries each take two."""

PRECISION = 0.03
"""Libraries that differ by less are as good as each other."""

USUAL_BYTES = 1024
"""The size at which they are compared is the one of the plan that is nearest to it."""


def choose_fastest(
    engine: Engine, file: PlanFile, selection: Selection, facts: contract.Description
) -> None:
    """Notes in the selection which provider is the fastest at what; does nothing where the plan
    does not ask for that, or the user has said which ones are measured."""
    from ciphermark.plan import build

    parts = [part for part in file.parts if build.wants_fastest(part, selection)]
    if not parts:
        return
    looked = _look(file, parts, selection)
    built = build.build(looked, _plain(selection), facts)
    if len({case.provider for case in built.plan.cases}) > 1:
        rows = _measured(engine, built)
        selection.fastest = {
            what: row.provider for what, row in _fastest(rows).items() if row is not None
        }


def _look(file: PlanFile, parts: list[Part], selection: Selection) -> PlanFile:
    """The plan of the look: every implementation in the usual way, at one size of each part."""
    usual = [
        msgspec.structs.replace(part, providers="all", pattern="reused-key", buffers="hot")
        for part in parts
    ]
    sizes = [[_size(selection.sizes or part.sizes)] for part in parts]
    first, *others = (
        msgspec.structs.replace(part, sizes=size) for part, size in zip(usual, sizes, strict=True)
    )
    return msgspec.structs.replace(
        file,
        workload="single",
        precision=PRECISION,
        budget_s=SECONDS,
        algorithms=first.algorithms,
        operations=first.operations,
        sizes=first.sizes,
        providers="all",
        pattern="reused-key",
        buffers="hot",
        also=others,
    )


def _plain(selection: Selection) -> Selection:
    """What of the selection decides between implementations."""
    from ciphermark.plan.selection import Selection

    return Selection(
        algorithms=selection.algorithms, operations=selection.operations, seed=selection.seed
    )


def _size(sizes: list[int]) -> int:
    return min(sizes, key=lambda it: abs(it - USUAL_BYTES), default=USUAL_BYTES)


def _measured(engine: Engine, built: Built) -> list[Row]:
    """The rows of the look, which is not stored."""
    from ciphermark.analyse.rows import rows
    from ciphermark.cli.output import say
    from ciphermark.measure.interrupts import Interrupts
    from ciphermark.record.recorder import Recorder

    providers = {case.provider for case in built.plan.cases}
    say(f"looking which of {len(providers)} libraries is the fastest at what")
    recorder = Recorder("", "", built.plan, built.algorithms, built.notes)
    with closing(engine.measure(built.plan, Interrupts())) as events:
        for event in events:
            recorder.feed(event)
    return rows(recorder.finish())


def _fastest(rows: list[Row]) -> dict[tuple[str, str], Row | None]:
    from ciphermark.analyse.fastest import fastest

    alike: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        alike.setdefault((row.algorithm, row.operation), []).append(row)
    return {what: fastest(found) for what, found in alike.items()}
