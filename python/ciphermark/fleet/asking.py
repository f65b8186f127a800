"""From the options of `ciphermark fleet run` to what every machine is asked."""

from __future__ import annotations

import secrets
from pathlib import Path

from ciphermark.errors import UsageError
from ciphermark.fleet.request import FleetRequest


def of_survey(
    quick: bool,
    every: bool,
    plan: Path | None,
    options: dict[str, str],
    manners: dict[str, str],
    seed: int | None,
    full: bool,
    given: str | None,
) -> FleetRequest:
    """A survey. Raises UsageError for options of studies."""
    from ciphermark.workloads.single.command import _plan_file

    if full or given is not None:
        raise UsageError(f"{'--full' if full else '--given'} goes with --study only: write both")
    name, file = _plan_file(quick, every, plan)
    return FleetRequest(
        plan=file, plan_name=name, options=options, manners=manners, seed=_seed(seed)
    )


def of_study(
    name: str,
    quick: bool,
    full: bool,
    options: dict[str, str],
    manners: dict[str, str],
    given: str | None,
    seed: int | None,
    every: bool,
    plan: Path | None,
) -> FleetRequest:
    """A study. Raises UsageError for an unknown one, and for options of surveys."""
    from ciphermark.plan.given import read as read_given
    from ciphermark.plan.planfile import Effort
    from ciphermark.studies import registry

    wanted = registry.load(name)
    own = {"providers", "backends", "precision", "budget"}
    foreign = [f"--{it}" for it in [*options, *manners] if it not in own]
    foreign += ["--all"] * every + ["--plan"] * (plan is not None)
    if foreign:
        raise UsageError(f"{foreign[0]} goes with a survey: a study says itself what it measures")
    if quick and full:
        raise UsageError("--quick and --full exclude each other: give one of them")
    effort: Effort = "quick" if quick else "full" if full else "usual"
    return FleetRequest(
        plan=wanted.plan.at(effort),
        plan_name=wanted.name,
        study=wanted.name,
        effort=effort,
        options=options,
        given={} if given is None else read_given(given, wanted.given, wanted.name),
        seed=_seed(seed),
    )


def _seed(given: int | None) -> int:
    return secrets.randbits(53) if given is None else given
