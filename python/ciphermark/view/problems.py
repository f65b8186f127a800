"""Problems of a run, each named once for all its cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ciphermark import contract
from ciphermark.record.case_row import CaseResult, way
from ciphermark.statistics.estimate import Estimate, is_cost
from ciphermark.view import figures

if TYPE_CHECKING:
    from ciphermark.workloads.single.row import Row

UNSETTLED, TIE, FAILED = "~", "≈", "!"
"""All marks, which docs/marks.md explains: less sure than wanted; the same as the best, or as
nothing, within the intervals; no figure, for the reason below."""

MARKS = (
    f"Marks: {UNSETTLED} unsure · {TIE} the same within the intervals · {FAILED} no figure: "
    "docs/marks.md"
)
"""Line below a screen and in a report that leads to the page of the marks."""

REMARK = "·"
"""Sign of a remark that is about no single figure."""


def cost(estimate: Estimate, separator: str = " ") -> str:
    """Formats a cost: `≈0` where it is below 0 within its interval, `!` beyond."""
    if not is_cost(estimate):
        return FAILED
    if estimate.value < 0:
        return f"{TIE}0"
    return figures.significant(estimate.value, separator=separator)


@dataclass(frozen=True)
class Problem:
    """Cases of one algorithm and provider that share a reason."""

    rows: Sequence[CaseResult]
    why: str

    @property
    def what(self) -> str:
        """Returns the cases: `aes-128-gcm seal, openssl, 16 B, 64 B`, and the way of calling."""
        first = self.rows[0]
        operations = list(dict.fromkeys(row.operation for row in self.rows))
        name = f"{first.algorithm} {', '.join(operations)}"
        if len(operations) > 1:
            return f"{name}, {first.provider} ({figures.counted(len(self.rows), 'case')})"
        sizes = [row.size for row in self.rows if row.size is not None]
        ways = {way(row) for row in self.rows}
        called = ways.pop() if len(ways) == 1 else ""
        said = [name, first.provider, *map(figures.message_size, sizes), called]
        return ", ".join(filter(None, said))


def unsettled(rows: Sequence[Row]) -> list[Problem]:
    """Returns the cases that did not settle, in the order of the plan."""
    return [
        Problem([row], row.why_unsettled) for row in rows if row.error is None and row.why_unsettled
    ]


def sentence(failure: contract.Failure) -> str:
    """Formats kind, signal and message: `crash (SIGSEGV), the worker of openssl died`."""
    signal = f" ({failure.signal})" if failure.signal else ""
    return f"{failure.kind.replace('-', ' ')}{signal}, {failure.message}"


def failures(rows: Sequence[CaseResult]) -> list[Problem]:
    """Returns the failed cases, grouped by algorithm, provider and reason."""
    alike: dict[tuple[str, ...], list[CaseResult]] = {}
    for row in rows:
        if row.error is not None:
            implementation = (row.algorithm, row.provider, row.backend)
            alike.setdefault((*implementation, sentence(row.error)), []).append(row)
    return [Problem(cases, why) for (*_, why), cases in alike.items()]
