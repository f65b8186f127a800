"""Choice of the fastest implementation of a function, by a quick look beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.plan.build import Built
    from ciphermark.plan.cpu_sets import Here
    from ciphermark.plan.planfile import Part, PlanFile
    from ciphermark.plan.selection import Selection
    from ciphermark.run.engine import Engine
    from ciphermark.workloads.single.row import Row

SECONDS = 6.0
"""Four functions in ten libraries each take two."""

PRECISION = 0.03
"""Libraries that differ by less are as good as each other."""

USUAL_BYTES = 1024
"""The size at which they are compared is the one of the plan that is nearest to it."""

LANES = 128
"""Messages of a call of those that take several: as many as Intel's multi-buffer library at most,
and enough for the widest of our kernels to be quicker than those for one message."""


def built_of_fastest(engine: Engine, file: PlanFile, selection: Selection, machine: Here) -> Built:
    """Returns the cases of a plan, with the fastest library where none is named."""
    from ciphermark.plan import build

    facts = engine.describe(selection.libraries)
    if selection.needs_code_paths(file.backends):
        named = build.wanted_names(file, selection, facts)
        engine.look_at_code_paths(facts, *named, selection.libraries)
    # What cannot be is refused before anything is measured, and all of it is planned again after.
    build.build(file, selection, facts, machine)
    choose_fastest(engine, file, selection, facts)
    return build.build(file, selection, facts, machine)


def choose_fastest(
    engine: Engine,
    file: PlanFile,
    selection: Selection,
    facts: contract.Description,
    *,
    at_all: bool = False,
) -> None:
    """Notes in the selection which provider is the fastest at each operation.

    With `at_all` the operations of an algorithm are taken together. Does nothing where the plan
    does not ask for it, or where the user has named the providers.
    """
    from ciphermark.plan import build, offloads

    parts = [part for part in file.parts if build.wants_fastest(part, selection)]
    if not parts:
        return
    looked = _look(file, parts, selection)
    # A device is never the fastest library of the calling core: offloads are for that.
    built = build.build(looked, _plain(file, selection), offloads.without_devices(facts, ()))
    if len({case.provider for case in built.plan.cases}) > 1:
        from ciphermark.workloads.single.ratio import fastest_at_all, fastest_providers

        fastest = fastest_at_all if at_all else fastest_providers
        selection.fastest = fastest(_measured(engine, built))
        _say_untold(selection.fastest, built)


MOST_NAMED = 3
"""Functions without a fastest library."""


def _say_untold(told: Mapping[tuple[str, str], str], built: Built) -> None:
    """Reports functions without a choice: the machine is too busy for an undisturbed sample."""
    from ciphermark.command.output import say

    asked = dict.fromkeys((case.algorithm, case.operation) for case in built.plan.cases)
    untold = [" ".join(function) for function in asked if function not in told]
    if untold:
        more = len(untold) - MOST_NAMED
        functions = ", ".join(untold[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        say(
            f"this machine is too busy to find the fastest library for {functions}: the first in "
            "the list is taken; name one with --providers"
        )


def _look(file: PlanFile, parts: list[Part], selection: Selection) -> PlanFile:
    """Returns the plan of the look: every implementation, at one size of each part."""
    usual = [
        msgspec.structs.replace(
            part,
            providers="all",
            operations=_first(part.operations),
            pattern="reused-key",
            buffers="hot",
        )
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


def _plain(file: PlanFile, selection: Selection) -> Selection:
    """Returns the part of the selection that decides between implementations.

    Packets come by the batch, so that code paths that take many in a call take part.
    """
    from ciphermark.plan.manner import Manners
    from ciphermark.plan.selection import Selection

    return Selection(
        algorithms=selection.algorithms,
        operations=selection.operations and _first(selection.operations),
        seed=selection.seed,
        manners=Manners(lanes=(1, LANES)) if workload_of(file.workload).batched else None,
    )


def _first(operations: list[str]) -> list[str]:
    """`encrypt` of `encrypt+decrypt`: what undoes an operation is by the same library."""
    return list(dict.fromkeys(it.partition("+")[0] for it in operations))


def _size(sizes: list[int]) -> int:
    return min(sizes, key=lambda it: abs(it - USUAL_BYTES), default=USUAL_BYTES)


def _measured(engine: Engine, built: Built) -> list[Row]:
    """Returns the rows of the look, which is not stored."""
    from ciphermark.command.output import say
    from ciphermark.record.recorder import Recorder
    from ciphermark.run.interrupts import Interrupts
    from ciphermark.workloads.single.rows import rows

    providers = {case.provider for case in built.plan.cases}
    say(f"looking for the fastest of {len(providers)} libraries for each function")
    recorder = Recorder("", "", built.plan, built.algorithms, built.notes)
    with closing(engine.measure(built.plan, Interrupts())) as events:
        for event in events:
            recorder.feed(event)
    return rows(recorder.finish())
