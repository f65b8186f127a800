"""What `ciphermark tune` does: plan, compile on all cores, measure, keep, show."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from ciphermark.command.measuring import Kept, command_line, known_to_be_kept
from ciphermark.command.options import SamplingOptions, SelectionOptions
from ciphermark.command.output import say
from ciphermark.errors import Stopped, UsageError
from ciphermark.farm.cluster import Reach
from ciphermark.plan import flag_sets as flags_of
from ciphermark.plan import names, quantities, tuning
from ciphermark.plan.flag_sets import FlagSet
from ciphermark.plan.tuning import Kernels
from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts

if TYPE_CHECKING:
    from ciphermark.record.store import Store
    from ciphermark.run.tuning.preparation import Place


class Wanted(msgspec.Struct, kw_only=True):
    """What the user has asked for, looked up."""

    engine: Engine
    description: Any
    """`contract.Description`."""
    planned: Kernels
    sets: list[FlagSet]
    compilers: list[str] | None
    objective: str
    reach: Reach
    even_unfit: bool
    precision: float
    budget_s: float
    cpu: int | None


def read(
    *,
    target: str,
    selected: SelectionOptions,
    compilers: str | None,
    flags: list[str],
    flag_sets: str | None,
    objective: str,
    reach: Reach,
    even_unfit: bool,
    sampling: SamplingOptions,
    engine: Path | None,
) -> Wanted:
    """Raises `UsageError` for a name, a flag or a size that is wrong."""
    from ciphermark.farm.cluster import check_installed
    from ciphermark.run.targets.target import simulated
    from ciphermark.workloads.tuning.command import Objective

    check_installed()
    objectives = {name: name for name in get_args(Objective)}
    found = names.find(objective, objectives, "objective", ", ".join(objectives))
    sets = flags_of.chosen(flag_sets, flags)
    targets = tuning.find_targets(target, [it.name for it in simulated()])
    _check_native(sets, targets, reach)
    binary = Engine(engine)
    description = binary.describe()
    file = tuning.default()
    precision, budget = sampling.precision, sampling.budget
    return Wanted(
        engine=binary,
        description=description,
        planned=tuning.plan(
            description,
            targets,
            algorithms=selected.algorithms,
            operations=selected.operations,
            backends=selected.backends,
            sizes=selected.sizes,
        ),
        sets=sets,
        compilers=None if compilers is None else names.split(compilers),
        objective=found,
        reach=reach,
        even_unfit=even_unfit,
        precision=quantities.share(precision, "--precision") if precision else file.precision,
        budget_s=quantities.seconds(budget, "--budget") if budget else file.budget_s,
        cpu=None if sampling.cpus is None else quantities.cpu(sampling.cpus),
    )


def _check_native(sets: list[FlagSet], targets: list[str], reach: Reach) -> None:
    """Refuses flags that mean the machine which compiles, where others measure."""
    native = next((it for it in sets if it.hosts_only), None)
    if native is not None and tuning.HOST in targets and reach.local is None:
        raise UsageError(
            f"the flags '{native.text}' depend on the processor that compiles, and others "
            "measure: name a processor, or tune on each machine by itself"
        )


def run(wanted: Wanted, runs: str | None, *, dry_run: bool, json: bool) -> int:
    """The exit code."""
    from ciphermark.record.store import Store
    from ciphermark.run.tuning import preparation

    with tempfile.TemporaryDirectory(prefix="ciphermark-") as folder:
        images = Path(folder)
        found = preparation.places(wanted.planned, wanted.sets, wanted.compilers, images)
        for place in found:
            if place.told.reason:
                say(place.told.reason)
        for note in wanted.planned.notes:
            say(note)
        if dry_run:
            _list(found, json)
            return 0
        store = Store.default(runs)
        kept = tune_and_keep(wanted, found, images, store)
    with known_to_be_kept(kept):
        _show(kept, wanted.objective, json)
    if kept.run.context.interrupted:
        say(f"interrupted; the results until then are kept in run {kept.id}")
    return exit_code(kept)


def tune_and_keep(wanted: Wanted, places: list[Place], images: Path, store: Store) -> Kept:
    """Tunes, and stores what came of it, also when the user stops."""
    from ciphermark.record import without_engine
    from ciphermark.workload import rows, rows_table
    from ciphermark.workloads.tuning.measuring import Work

    store.check_writable()
    environment = wanted.engine.environment()
    began, began_unix_ns = time.monotonic(), time.time_ns()
    with Interrupts() as interrupts:
        work = Work(wanted, places, images, interrupts)
        work.do()
        if not work.simulations:
            raise Stopped("stopped before anything was compiled; nothing was stored")
        notes = [*wanted.planned.notes, *_warnings(wanted, places)]
        run = without_engine.tuned_run(
            [way.variant for place in places for way in place.ways],
            work.simulations,
            [place.told for place in places],
            work.measured,
            without_engine.Circumstances(
                description=wanted.description,
                environment=environment,
                algorithms=wanted.planned.algorithms,
                notes=notes,
                command=command_line(),
                started_unix_ns=began_unix_ns,
                elapsed_s=time.monotonic() - began,
                interrupted=interrupts.requested,
            ),
        )
        analysed = rows(run)
        also = [rows_table(rows(it), it.context.workload) for it in run.also]
        store.save(run, rows_table(analysed, "tuning"), also)
    return Kept(run, analysed, None)


def _warnings(wanted: Wanted, places: list[Place]) -> list[str]:
    """What must be known before flags are taken over."""
    cases = [case for place in places for case in place.cases]
    stated = tuning.constant_time(wanted.description, cases)
    if not stated:
        return []
    named = ", ".join(f"{algorithm} {backend}" for algorithm, backend in stated)
    return [
        "other flags may bring branches into kernels that claim the same time for all secrets; "
        f"tests check this only with the default flags (docs/tune.md): {named}"
    ]


def _list(places: list[Place], json: bool) -> None:
    from ciphermark.command.output import print_answer
    from ciphermark.workloads.tuning.table import print_variants

    variants = [[way.variant for way in place.ways] for place in places]
    cases = {place.target.name: place.cases for place in places}
    print_answer(
        json,
        lambda: {"variants": sum(variants, []), "cases": cases},
        lambda console: print_variants(console, variants),
    )


def _show(kept: Kept, objective: str, json: bool) -> None:
    if json:
        from ciphermark.command.output import print_json
        from ciphermark.workloads.tuning.remarks import sentences

        print_json(
            {
                "run": kept.id,
                "rows": kept.rows,
                "variants": kept.run.variants,
                "targets": kept.run.targets,
                "gains": sentences(kept.rows, objective),
                "notes": kept.run.context.notes,
            }
        )
        return
    from ciphermark.show.frame import print_footer
    from ciphermark.show.terminal import output_console
    from ciphermark.workloads.tuning.table import print_notes, print_tuning

    console = output_console()
    print_tuning(console, kept.rows, objective)
    print_notes(console, kept.run.context.notes)
    print_footer(
        console,
        kept.id,
        None,
        [
            f"{'ciphermark show last':<34}the same again",
            f"{'ciphermark export last':<34}every variant with all its figures, as CSV",
        ],
    )


def exit_code(kept: Kept) -> int:
    """1 when the default flags have failed somewhere, or nothing has a figure. That another variant
    has failed is what was asked."""
    failed = [row for row in kept.rows if row.is_default and row.error is not None]
    if any(row.error.kind != "unsupported" for row in failed):
        return 1
    return int(not any(row.is_measured for row in kept.rows))
