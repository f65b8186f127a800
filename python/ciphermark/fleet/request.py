"""What is asked of every machine of a fleet: a plan file and options as they were typed.

Machines have different libraries, so that each gets numbered cases of its own; the seed, which
decides keys, messages and order, is the same for all. All of it is kept with the fleet as JSON, for
a fleet that goes on another day.
"""

from __future__ import annotations

import secrets
from typing import Any

import msgspec

from ciphermark.command.options import MannerOptions, PlanOptions
from ciphermark.errors import UsageError
from ciphermark.plan import selection
from ciphermark.plan.planfile import Effort, PlanFile
from ciphermark.plan.selection import Selection


class FleetRequest(msgspec.Struct, kw_only=True, frozen=True):
    """A plan and what the user said of it."""

    plan: PlanFile
    plan_name: str
    """Name of the default plan, of the user's file, or of the study."""
    study: str | None = None
    """The study that it is, whose further plans are measured after its first."""
    effort: Effort = "usual"
    options: dict[str, str] = {}
    """Those of `plan.selection.from_options` that were given."""
    manners: dict[str, str] = {}
    """Those of `plan.manner.from_options`."""
    given: dict[str, float] = {}
    """What a study was told."""
    seed: int

    def selection(self) -> Selection:
        """What the user asked for. Raises UsageError for what means nothing."""
        options: dict[str, Any] = {**self.options}
        manners = MannerOptions(**self.manners).read()
        chosen = selection.from_options(**options, manners=manners)
        chosen.seed = self.seed
        return chosen


def of_survey(options: dict[str, str], manners: dict[str, str], plan: PlanOptions) -> FleetRequest:
    """A survey. Raises UsageError for options of studies."""
    from ciphermark.workloads.single.command import plan_file

    if plan.full or plan.given is not None:
        raise UsageError(
            f"{'--full' if plan.full else '--given'} goes with --study only: write both"
        )
    name, file = plan_file(plan)
    return FleetRequest(
        plan=file, plan_name=name, options=options, manners=manners, seed=_seed(plan)
    )


def of_study(
    name: str, options: dict[str, str], manners: dict[str, str], plan: PlanOptions
) -> FleetRequest:
    """A study. Raises UsageError for an unknown one, and for options of surveys."""
    from ciphermark.plan.quantities import given_figures as read_given
    from ciphermark.studies import registry

    study = registry.load(name)
    own = {"providers", "backends", "precision", "budget"}
    foreign = [f"--{it}" for it in [*options, *manners] if it not in own]
    foreign += ["--all"] * plan.every + ["--plan"] * (plan.plan is not None)
    if foreign:
        raise UsageError(f"{foreign[0]} goes with a survey: a study says itself what it measures")
    if plan.quick and plan.full:
        raise UsageError("--quick and --full exclude each other: give one of them")
    effort: Effort = "quick" if plan.quick else "full" if plan.full else "usual"
    return FleetRequest(
        plan=study.plan.at(effort),
        plan_name=study.name,
        study=study.name,
        effort=effort,
        options=options,
        given={} if plan.given is None else read_given(plan.given, study.given, study.name),
        seed=_seed(plan),
    )


def _seed(plan: PlanOptions) -> int:
    return secrets.randbits(53) if plan.seed is None else plan.seed
