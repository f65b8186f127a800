"""What each feature of the processor is worth: a library measured with the feature hidden from it,
held against itself with all of them, round by round."""

from __future__ import annotations

import msgspec

from ciphermark.record.case_row import CASE, key
from ciphermark.record.run import Run
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.row_ratio import ratios_of


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
    """Every row that had one feature hidden, with the row that had all; none in most runs."""
    features = _features(run)
    fields = [field for field in CASE if field not in ("switches", "backend")]
    whole = {key(row, fields): row for row in rows if not row.switches}
    hidden = [row for row in rows if (row.provider, _text(row.switches)) in features]
    if not hidden:
        return []
    ratio = ratios_of(run)
    found = []
    for row in hidden:
        base = whole.get(key(row, fields))
        if base is not None:
            feature = features[row.provider, _text(row.switches)]
            found.append(_ablation(feature, base, row, _ratio(ratio, base, row)))
    return found


def _features(run: Run) -> dict[tuple[str, str], str]:
    """The feature that each set of switches hides."""
    return {
        (provider.name, _text(switches)): feature
        for provider in run.context.engine_hello.providers
        for feature, switches in provider.switches.items()
    }


def _text(switches: dict[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in sorted(switches.items()))


def _ratio(ratio, base: Row, row: Row):  # noqa: ANN001, ANN202
    failed = next((it.error.message for it in (base, row) if it.error is not None), None)
    return failed or ratio(row, base)


def _ablation(feature: str, base: Row, row: Row, found) -> Ablation:  # noqa: ANN001
    judged = (
        {"reason": found}
        if isinstance(found, str)
        else {"ratio": found.value, "ratio_low": found.low, "ratio_high": found.high}
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
