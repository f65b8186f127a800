"""What users want of a number of sessions or of CPUs, and how the answer of a run is printed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ciphermark.workload import workload_of

if TYPE_CHECKING:
    from ciphermark.workload import AnyRows
    from ciphermark.workloads.sessions.findings import SessionFindings


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of a number of sessions or of CPUs, where the user says."""

    p99_ns: float | None = None
    """Longest latency that 99 % of the messages may have."""
    each_per_s: float | None = None
    """Messages per second of each session."""
    all_per_s: float | None = None
    """Messages per second of all sessions together."""


NO_WISHES = Wishes()


def wishes(p99: str | None, each_rate: str | None, all_rate: str | None) -> Wishes:
    """Reads `--p99`, `--each-rate` and `--all-rate`."""
    from ciphermark.plan import quantities

    return Wishes(
        p99_ns=None if p99 is None else 1e9 * quantities.seconds(p99, "--p99"),
        each_per_s=None if each_rate is None else quantities.amount(each_rate, "--each-rate"),
        all_per_s=None if all_rate is None else quantities.amount(all_rate, "--all-rate"),
    )


def check(workload: str, run: str, wanted: Wishes) -> None:
    """Refuses to be asked of another run what only many sessions tell."""
    from ciphermark.errors import UsageError

    if not workload_of(workload).answers_wishes and wanted != NO_WISHES:
        raise UsageError(
            f"--p99, --each-rate and --all-rate go with runs of many sessions, and {run} is none: "
            "measure with ciphermark sessions --sweep"
        )


def document(run: str, rows: AnyRows, found: SessionFindings | None) -> dict[str, object]:
    """What `--json` prints: what was found is there where there is something."""
    from ciphermark.statistics.estimate import in_threes

    told = {} if found is None else in_threes(found)
    return {"run": run, "rows": rows} | {name: value for name, value in told.items() if value}
