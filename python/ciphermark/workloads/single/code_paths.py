"""Code path that a library takes by itself, faster ones of its own here, and the worth of each
feature of the processor to it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark.record.case_row import CASE, key
from ciphermark.record.run import Run
from ciphermark.statistics.ratio import Ratio, is_above
from ciphermark.workloads.single.ratio import Paired, cycles_per_byte, ratio_of_rows, ratios_of
from ciphermark.workloads.single.row import Row

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.plan.build import Built
    from ciphermark.plan.selection import Selection
    from ciphermark.record.store import Store
    from ciphermark.run.engine import Engine
    from ciphermark.workloads.single.left_behind import LeftBehind


MATTERS = 1.02
"""Ratio up to which two paths count as equally fast for a choice."""


class Path(msgspec.Struct, kw_only=True):
    """One code path of an implementation, in one operation at one size."""

    path: str
    default: bool
    switches: dict[str, str]
    evidence: str
    cycles_per_byte: float | None
    ci_low: float | None
    ci_high: float | None


class Choice(msgspec.Struct, kw_only=True):
    """The code paths of an implementation, and which of them it should take."""

    algorithm: str
    provider: str
    operation: str
    message_bytes: int | None
    default: str
    """Path that the library takes by itself."""
    fastest: str | None
    """Absent where no path has a figure."""
    flagged: bool
    """True if another path is faster, beyond the interval of the ratio, and by over 2 %."""
    gain: float | None
    """Cost of the default by that of the fastest."""
    paths: list[Path]
    """The fastest first; those without a figure last."""


def choices(rows: list[Row], ratio: Paired = ratio_of_rows) -> list[Choice]:
    """Returns the choice of each implementation, in the order of the rows.

    `ratio` is for rows of one run whose groups are known.
    """
    alike: dict[tuple[str, str, str, int | None], list[Row]] = {}
    for row in rows:
        question = (row.algorithm, row.provider, row.operation, row.message_bytes)
        alike.setdefault(question, []).append(row)
    return [
        _choice(of_one, ratio) for of_one in alike.values() if any(not it.switches for it in of_one)
    ]


def _choice(rows: list[Row], ratio: Paired) -> Choice:
    default = next(row for row in rows if not row.switches)
    measured = [row for row in rows if row.cycles_per_byte is not None]
    measured.sort(key=_per_byte)
    fastest = next(iter(measured), None)
    gain = None
    if fastest is not None and default.cycles_per_byte is not None and fastest.cycles_per_byte:
        gain = default.cycles_per_byte / fastest.cycles_per_byte
    return Choice(
        algorithm=default.algorithm,
        provider=default.provider,
        operation=default.operation,
        message_bytes=default.message_bytes,
        default=default.backend,
        fastest=None if fastest is None else fastest.backend,
        flagged=(
            gain is not None
            and gain > MATTERS
            and fastest is not None
            and _is_slower(ratio(default, fastest))
        ),
        gain=gain,
        paths=[_path(row) for row in measured + [row for row in rows if row not in measured]],
    )


def _per_byte(row: Row) -> float:
    return cycles_per_byte(row).value


def _is_slower(ratio: Ratio | str) -> bool:
    return isinstance(ratio, Ratio) and is_above(ratio, 1.0) is True


def _path(row: Row) -> Path:
    return Path(
        path=row.backend,
        default=not row.switches,
        switches=row.switches,
        evidence=row.backend_evidence,
        cycles_per_byte=row.cycles_per_byte,
        ci_low=row.ci_low,
        ci_high=row.ci_high,
    )


PLAN = "code-paths"
"""Name of the default plan that measures them, and of its runs."""


class CodePaths(msgspec.Struct):
    """Requested implementations, and their costs as far as known."""

    implementations: list[contract.Implementation]
    choices: list[Choice]
    run: str | None
    """The run that the figures are of."""
    left_behind: list[LeftBehind]
    """Implementations that leave vector registers dirty."""


def find(engine: Engine, store: Store, chosen: Selection, measure: bool) -> CodePaths:
    """Looks at the code paths; figures come from a stored run, else are measured now."""
    from ciphermark.plan import build, paths, planfile
    from ciphermark.workloads.single.rows import rows

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
    judged = [] if run is None else choices(rows(run), ratios_of(run))
    return CodePaths(
        offered,
        [choice for choice in judged if (choice.algorithm, choice.provider) in pairs],
        None if run is None else run.context.run,
        _left_by(engine, offered),
    )


def known_here(store: Store, run: Run) -> list[Choice] | None:
    """Returns the choices of the newest run of code paths on a run's machine.

    Only libraries of the same versions count; None where there is no such run.
    """
    from ciphermark.command.stored import Newest
    from ciphermark.workloads.single.rows import rows

    here = (PLAN, run.context.machine_id)
    looked = (it for it in store.summaries() if (it.plan_name, it.machine_id) == here)
    earlier_summary = Newest(store).first(it for it in looked if not it.interrupted)
    if earlier_summary is None:
        return None
    earlier = store.load(earlier_summary)
    same = _versions(run).items() & _versions(earlier).items()
    judged = choices(rows(earlier), ratios_of(earlier))
    return [it for it in judged if it.provider in dict(same)]


def _versions(run: Run) -> dict[str, str]:
    hello = run.context.hello
    return {} if hello is None else {it.name: it.version for it in hello.providers}


def _left_by(engine: Engine, offered: list[contract.Implementation]) -> list[LeftBehind]:
    """Returns functions that leave vectors dirty, with their cost on this machine.

    The machine is probed only if there are such functions.
    """
    from ciphermark.workloads.single.left_behind import left_by

    if not any(it.leaves_vectors_dirty for it in offered):
        return []
    return left_by(offered, engine.environment().clocks)


def _stored(store: Store, several: list[contract.Implementation]) -> Run | None:
    """Returns the newest run of these paths here; a changed library has other paths."""
    from ciphermark.command.stored import Newest
    from ciphermark.plan.paths import identity

    wanted = {identity(it) for it in several}
    looked = (it for it in store.summaries(limit=200) if it.plan_name == PLAN)
    newest = Newest(store)
    newest_summary = newest.first(it for it in looked if not it.interrupted)
    newest.say_passed_over()
    if newest_summary is None:
        return None
    run = store.load(newest_summary)
    have = {identity(it.implementation) for it in run.cases if it.implementation is not None}
    return run if wanted <= have else None


def _measured(engine: Engine, store: Store, built: Built) -> Run:
    from ciphermark.command import measuring
    from ciphermark.command.output import say

    say(f"measuring {len(built.plan.cases)} code paths at 1024 bytes (kept for the next time)")
    kept = measuring.measure_and_keep(engine, store, built, PLAN, lambda hello: None)
    measuring.say_how_it_ended(kept)
    return kept.run


class Ablation(msgspec.Struct, kw_only=True):
    """One implementation, operation and size without one feature."""

    algorithm: str
    operation: str
    provider: str
    message_bytes: int | None
    profile: str | None = None
    feature: str
    path: str
    """The code path that ran with all features."""
    path_without: str
    """The code path that ran when the feature was hidden; the same where nothing changed."""
    ratio: float | None = None
    """Cycles without the feature by cycles with it."""
    ratio_low: float | None = None
    ratio_high: float | None = None
    reason: str | None = None
    """Why there is no ratio."""


def ablations(run: Run, rows: list[Row]) -> list[Ablation]:
    """Returns each row with one hidden feature and the row with all; mostly none."""
    features = _features(run)
    fields = [field for field in CASE if field not in ("switches", "backend")]
    whole = {key(row, fields): row for row in rows if not row.switches}
    hidden = [row for row in rows if (row.provider, _text(row.switches)) in features]
    if not hidden:
        return []
    ratio = ratios_of(run)
    return [
        _ablation(features[row.provider, _text(row.switches)], whole[key(row, fields)], row, ratio)
        for row in hidden
        if key(row, fields) in whole
    ]


def _features(run: Run) -> dict[tuple[str, str], str]:
    """Returns the feature that each set of switches hides."""
    return {
        (provider.name, _text(switches)): feature
        for provider in run.context.engine_hello.providers
        for feature, switches in provider.switches.items()
    }


def _text(switches: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(switches.items()))


def _ablation(feature: str, base: Row, row: Row, ratio: Paired) -> Ablation:
    failed = next((it.error.message for it in (base, row) if it.error is not None), None)
    relation = failed or ratio(row, base)
    judged: dict[str, Any] = (
        {"reason": relation}
        if isinstance(relation, str)
        else {"ratio": relation.value, "ratio_low": relation.low, "ratio_high": relation.high}
    )
    return Ablation(
        algorithm=row.algorithm,
        operation=row.operation,
        provider=row.provider,
        message_bytes=row.message_bytes,
        profile=row.profile,
        feature=feature,
        path=base.backend,
        path_without=row.backend,
        **judged,
    )
