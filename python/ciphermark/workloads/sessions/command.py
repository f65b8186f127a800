"""`ciphermark sessions`: many sessions at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from ciphermark.command.options import (
    BuildOptions,
    EngineOptions,
    Help,
    LoadOptions,
    MannerOptions,
    OffloadOptions,
    Only,
    OutputOptions,
    PlanOptions,
    SamplingOptions,
    SelectionOptions,
    given,
)
from ciphermark.workloads.sessions.options import CourseOptions, SessionOptions

if TYPE_CHECKING:
    from ciphermark.command.measuring import Kept
    from ciphermark.plan.build import Built
    from ciphermark.plan.planfile import PlanFile
    from ciphermark.run.engine import Engine

PLAN, SWEEP, CONDITIONS, SOAK = (
    f"sessions{kind}" for kind in ("", "-sweep", "-conditions", "-soak")
)
"""Names of the default plans."""


def sessions(
    selected: SelectionOptions,
    manners: Annotated[MannerOptions, Only("pattern", "chunk", "buffers")],
    sessions: SessionOptions,
    load: LoadOptions,
    offload: OffloadOptions,
    course: CourseOptions,
    plan: Annotated[
        PlanOptions,
        Only("full", "plan", "dry_run"),
        Help(
            full="With --sweep, also with other policies, nice levels and quotas, beside a "
            "neighbour, and with buffers larger than the caches.",
        ),
    ],
    sampling: Annotated[SamplingOptions, Only("budget")],
    builds: BuildOptions,
    output: Annotated[OutputOptions, Only("json", "output", "runs")],
    engine: EngineOptions,
) -> None:
    """Measure many sessions at once: the CPU time they use and the time that passes.

    Each session has a key, nonces and buffers of its own. Absolute cycles are the CPU time of all
    sessions, apparent cycles the time that passes. By default the fastest library of each function
    is measured. With --offload the absolute cycles leave out the device's work, and the apparent
    cycles include it. An execution that does not count is repeated, and shown with the reason. Exit
    code 1 when a case has failed.
    """
    from ciphermark.command import measuring, on_machine
    from ciphermark.plan import manner, selection
    from ciphermark.run.here import here
    from ciphermark.workload import workload_of
    from ciphermark.workloads import choosing, load_options

    chosen = selection.from_options(
        **given(selected, sampling, builds), manners=manners.read(kinds=manner.OF_SESSIONS)
    )
    chosen.loads = load_options.of_sessions(sessions, load, offload)
    on_machine.refuse_files(engine.on, **vars(builds))
    name, file = _plan_file(course, plan)
    if course.soak is not None:
        chosen.loads |= _soaked(course.soak, load.duration)

    def built(binary: Engine) -> Built:
        chosen_cases = choosing.built_of_fastest(binary, file, chosen, here(binary))
        if course.soak is not None:
            _check_is_one(chosen_cases)
        return chosen_cases

    def answer(kept: Kept) -> measuring.Answer:
        more = workload_of("sessions").findings(kept.run.context, kept.rows)
        return measuring.Answer(
            lambda: measuring.row_blocks(kept),
            {"run": kept.id, "rows": kept.rows} | more,
            _next(kept),
        )

    measuring.measure_command(name, built, answer, output, engine, dry_run=plan.dry_run)


def _plan_file(course: CourseOptions, options: PlanOptions) -> tuple[str, PlanFile]:
    from ciphermark.errors import UsageError
    from ciphermark.plan import planfile

    soaks, own = course.soak is not None, options.plan
    if sum((course.sweep, soaks, own is not None)) > 1:
        raise UsageError("--sweep, --soak and --plan exclude each other: give one of them")
    if options.full and not course.sweep:
        raise UsageError("--full goes with --sweep only: write --sweep --full")
    if own is not None:
        return own.stem, planfile.read(own, "sessions")
    name = (CONDITIONS if options.full else SWEEP) if course.sweep else SOAK if soaks else PLAN
    return name, planfile.default(name)


def _soaked(soak: str, duration: str | None) -> dict[str, Any]:
    """Returns the fields of a load that a soak sets."""
    from ciphermark.errors import UsageError
    from ciphermark.plan import quantities

    if duration is not None:
        raise UsageError("--soak and --duration exclude each other: give one of them")
    return {"duration_s": quantities.seconds(soak, "--soak")}


def _check_is_one(built: Built) -> None:
    from ciphermark.errors import UsageError

    if len(built.plan.cases) > 1:
        raise UsageError(
            f"--soak runs one case, and these are {len(built.plan.cases)}: name one with "
            "--algorithms, --sizes, --pattern, --sessions and --cpus"
        )


def _next(kept: Kept) -> list[tuple[str, str]]:
    """Returns the next useful commands, with their purpose."""
    if kept.run.context.plan_name == SOAK:
        return [("ciphermark report last --open", "rate, clock, temperature and power over time")]
    if any(row.is_measured and not row.valid for row in kept.rows):
        return [("ciphermark doctor", "why this machine is unfit to measure, and the remedy")]
    return [("ciphermark sessions --sweep", "how it scales over CPUs and sessions")]
