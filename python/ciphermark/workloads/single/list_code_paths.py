"""What `ciphermark list implementations` finds: code paths, and their figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.measure.engine import Engine
    from ciphermark.plan.build import Built
    from ciphermark.plan.selection import Selection
    from ciphermark.record.run import Run
    from ciphermark.record.store import Store
    from ciphermark.workloads.single.code_paths import Choice
    from ciphermark.workloads.single.left_behind import LeftBehind

PLAN = "code-paths"
"""Name of the default plan that measures them, and of its runs."""


class Found(msgspec.Struct):
    """All implementations that were asked for, and what is known of their cost."""

    implementations: list[contract.Implementation]
    choices: list[Choice]
    run: str | None
    """The run that the figures are of."""
    left_behind: list[LeftBehind]
    """Implementations that leave vector registers dirty."""


def find(engine: Engine, store: Store, chosen: Selection, measure: bool) -> Found:
    """Looks at the code paths; figures come from a stored run, else are measured now."""
    from ciphermark.plan import build, paths, planfile

    facts = engine.describe(chosen.libraries)
    file = planfile.default(PLAN)
    wanted = build.wanted_names(file, chosen, facts)
    engine.look_at_code_paths(facts, *wanted, chosen.libraries)
    offered = build.offered(file, chosen, facts)
    several = paths.with_several(offered)
    run = _stored(store, several) if several else None
    if run is None and several and measure:
        facts.implementations = several
        run = _measured(engine, store, build.build(file, chosen, facts))
    pairs = {(it.algorithm, it.provider) for it in offered}
    judged = [it for it in _judged(run) if (it.algorithm, it.provider) in pairs]
    return Found(offered, judged, run and run.context.run, _left_by(engine, offered))


def _left_by(engine: Engine, offered: list[contract.Implementation]) -> list[LeftBehind]:
    """The machine is asked what it costs only where somebody does it."""
    from ciphermark.workloads.single.left_behind import left_by

    if not any(it.leaves_vectors_dirty for it in offered):
        return []
    return left_by(offered, engine.environment().clocks.dirty_vectors_ratio)


def show(found: Found, json: bool) -> None:
    """Prints them."""
    if json:
        from ciphermark.command.output import print_json

        print_json(
            {
                "implementations": found.implementations,
                "choices": found.choices,
                "run": found.run,
                "left_behind": found.left_behind,
            }
        )
        return
    from ciphermark.show.terminal import output_console
    from ciphermark.workloads.single import show_code_paths as code_paths

    shown = code_paths.render(found.implementations, found.choices, found.run, found.left_behind)
    output_console().print(shown)


def _stored(store: Store, several: list[contract.Implementation]) -> Run | None:
    """The newest run of these paths here; a library that has changed has other paths."""
    from ciphermark.command.newest import Newest
    from ciphermark.plan.paths import identity

    wanted = {identity(it) for it in several}
    looked = (it for it in store.summaries(limit=200) if it.plan_name == PLAN)
    newest = Newest(store)
    found = newest.first(it for it in looked if not it.interrupted)
    newest.say_passed_over()
    if found is None:
        return None
    run = store.load(found)
    have = {identity(it.implementation) for it in run.cases if it.implementation is not None}
    return run if wanted <= have else None


def _measured(engine: Engine, store: Store, built: Built) -> Run:
    from ciphermark.command import measuring
    from ciphermark.command.output import say

    say(f"measuring {len(built.plan.cases)} code paths at 1024 bytes (kept for the next time)")
    kept = measuring.measure_and_keep(engine, store, built, PLAN, lambda hello: None)
    measuring.say_how_it_ended(kept)
    return kept.run


def _judged(run: Run | None) -> list[Choice]:
    from ciphermark.workloads.single.code_paths import choices
    from ciphermark.workloads.single.row_ratio import ratios_of
    from ciphermark.workloads.single.rows import rows

    return [] if run is None else choices(rows(run), ratios_of(run))
