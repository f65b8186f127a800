"""What went wrong in a run, said once for all cases that it befell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from ciphermark import contract
from ciphermark.record.case_row import CaseResult, way
from ciphermark.show import figures
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.possible import is_cost

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
"""Instead of a mark, beside what is about no single figure."""


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
        """The cases: `aes-128-gcm seal, openssl, 16 B, 64 B`, and how all were called."""
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
    """The cases that did not settle, one by one, in the order of the plan."""
    return [
        Problem([row], row.why_unsettled) for row in rows if row.error is None and row.why_unsettled
    ]


def sentence(failure: contract.Failure) -> str:
    """Kind, signal and message: `crash (SIGSEGV), the worker of openssl died`."""
    signal = f" ({failure.signal})" if failure.signal else ""
    return f"{failure.kind.replace('-', ' ')}{signal}, {failure.message}"


def failures(rows: Sequence[CaseResult]) -> list[Problem]:
    """The cases that failed; those of one algorithm, provider and reason together."""
    alike: dict[tuple[str, ...], list[CaseResult]] = {}
    for row in rows:
        if row.error is not None:
            implementation = (row.algorithm, row.provider, row.backend)
            alike.setdefault((*implementation, sentence(row.error)), []).append(row)
    return [Problem(cases, why) for (*_, why), cases in alike.items()]


def print_failures(console: Console, rows: Sequence[CaseResult]) -> None:
    """Prints the cases that failed and why; nothing when none did."""
    failed = failures(rows)
    if not failed:
        return
    cases = sum(len(problem.rows) for problem in failed)
    console.print()
    console.print(Text(f"{FAILED} {figures.counted(cases, 'case')} failed", style="bold red"))
    for problem in failed:
        console.print(Padding(Text(f"{problem.what}: {problem.why}"), (0, 0, 0, 2)))
