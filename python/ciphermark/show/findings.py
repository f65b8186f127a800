"""What a study prints: tables beside the published ones, and the paper's statements, judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import msgspec

from ciphermark.contract.others import BesideFigure, SimulatedCase
from ciphermark.plan.planfile import Effort, PlanFile
from ciphermark.show import figures

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.run.engine import Engine
    from ciphermark.run.interrupts import Interrupts
    from ciphermark.workloads.single.row import Row

Cell = str | int | float | None
"""A plain value; None where there is none."""


class Column(msgspec.Struct, kw_only=True, frozen=True):
    """What stands above the values of one column."""

    heading: str
    """With the unit: `MB/s`."""
    group: str = ""
    """What neighbouring columns have in common, for example a processor."""
    digits: int = 3
    """Significant digits that are shown of a number."""
    decimals: int | None = None
    """Decimals that are shown instead, for figures that were printed so."""
    detail: bool = False
    """Left out on a terminal, which has no room for it."""


def columns(*headings: str, **alike: Any) -> list[Column]:
    """A column for each heading, which have all else in common."""
    return [Column(heading=heading, **alike) for heading in headings]


class Table(msgspec.Struct, kw_only=True):
    """One table of a study; each row has a value for every column."""

    title: str
    columns: list[Column]
    rows: list[list[Cell]] = []
    unsettled: list[int] = []
    """Places of the rows whose figures did not converge."""
    doubtful: list[tuple[int, int]] = []
    """Rows and columns of printed figures that look wrong."""
    notes: list[str] = []
    """What one must know to read it, one sentence each."""
    detail: bool = False
    """Left out on a terminal and in the report: for programs."""


class Statement(msgspec.Struct, kw_only=True, frozen=True):
    """What the paper says, before anything is measured."""

    claim: str
    """Its identifier: `gcm-slower-than-cbc`."""
    text: str
    """What the paper says, and how that is read as a question about figures."""
    place: str
    """Where in the paper."""
    published: str
    """The paper's figures, with units."""

    def judged(self, holds: bool | None, here: str, undecided: bool = False) -> Claim:
        """Returns the statement with its verdict and the figures that decide."""
        facts = msgspec.structs.asdict(self)
        return Claim(**facts, holds=holds, here=here, undecided=undecided)


class Claim(Statement, kw_only=True, frozen=True):
    """A statement of the paper and whether it holds here."""

    holds: bool | None
    """Verdict; None if untested or undecided, with the reason in `here`."""
    here: str
    """The figures that decide, with units."""
    recomputed: bool = False
    """Judged by the paper's own tables, and not by a run."""
    undecided: bool = False
    """True if there are figures to test it by, and their intervals leave it open."""


class NotTestable(Exception):
    """Why a statement cannot be judged from this run."""


class Input(NamedTuple):
    """One measured figure that a verdict depends on."""

    name: str
    why_unsettled: str | None
    """Reason why it has not settled; None if it has."""


NAMED_INPUTS = 3
"""Number of unsettled inputs that a claim names."""


class Open(msgspec.Struct, frozen=True):
    """Comparison that the intervals of its inputs leave open; false in a condition."""

    inputs: tuple[Input, ...] = ()

    def __bool__(self) -> bool:
        return False

    @property
    def reason(self) -> str:
        """Sentence on the inputs that have not settled, or on intervals that are too wide."""
        unsettled = [it for it in self.inputs if it.why_unsettled]
        if not unsettled:
            return "the intervals of the figures do not decide"
        named = [f"{it.name} ({it.why_unsettled})" for it in unsettled[:NAMED_INPUTS]]
        more = len(unsettled) - len(named)
        count = figures.counted(len(self.inputs), "input")
        return (
            f"{len(unsettled)} of {count} {'has' if len(unsettled) == 1 else 'have'} not settled: "
            f"{'; '.join(named)}{f'; and {more} more' if more else ''}; "
            "run again without --quick on a quiet machine"
        )


Decision = bool | Open
"""Result of a comparison of figures."""

Verdict = tuple[Decision, str]
"""Whether a statement holds, and the figures that decide."""

Evidence = TypeVar("Evidence")
"""What a study asks its statements of."""


def judge(statement: Statement, decide: Callable[[Evidence], Verdict], evidence: Evidence) -> Claim:
    """Returns the claim about a statement; one that stays open has the reason."""
    try:
        holds, here = decide(evidence)
    except NotTestable as reason:
        return statement.judged(None, str(reason))
    if isinstance(holds, Open):
        return statement.judged(None, f"{here}; {holds.reason}", undecided=True)
    return statement.judged(holds, here)


Over = Literal["message size", "length", "session", "packets", "cores"]
"""What a chart's horizontal axis has: bytes of messages, by their logarithm or, from none on, one
after the other; the numbers of sessions; or how many packets or cores there are."""


class Curve(msgspec.Struct, kw_only=True, frozen=True):
    """Figures of one kind, from one place."""

    name: str
    """Of the function; curves of one name have one hue."""
    origin: str
    """`Pentium III`, or `here`; curves of one origin have one dash."""
    points: list[Point]
    marked: bool = True
    """Whether each point has a mark; not where they are so many that a line shows them."""


class Point(msgspec.Struct, kw_only=True, frozen=True):
    at: int
    """On the horizontal axis."""
    value: float
    low: float | None = None
    """Interval of `value`; a printed figure has none."""
    high: float | None = None
    source: str = ""
    """Where it is from: an implementation, a table."""
    converged: bool = True


class Panel(msgspec.Struct, kw_only=True, frozen=True):
    """Curves between the same axes."""

    title: str
    curves: list[Curve]


class Chart(msgspec.Struct, kw_only=True, frozen=True):
    """A picture of a study: what it measured, and what was published where there are figures."""

    name: str
    """Of its files: `umac-then-and-now`."""
    title: str
    explanation: str
    """What one sees, in a sentence or two."""
    unit: str
    """Of the values: `core cycles per byte`."""
    over: Over = "message size"
    origin: str = "where"
    """What the origins of curves are, in a word."""
    panels: list[Panel]


class Mark(msgspec.Struct, kw_only=True, frozen=True):
    """One figure of a chart of marks."""

    line: str
    """Which of the chart's lines it stands on, by name."""
    name: str
    """Marks of one name have one hue."""
    origin: str
    """Marks of one origin have one shape."""
    value: float
    source: str = ""


class MarkPanel(msgspec.Struct, kw_only=True, frozen=True):
    """Marks between the same axes; lines in the order of their first marks."""

    title: str
    marks: list[Mark]


class MarkChart(msgspec.Struct, kw_only=True, frozen=True):
    """A picture of figures of named things: a line for each, with a mark for each figure."""

    name: str
    """Of its files."""
    title: str
    explanation: str
    """What one sees, in a sentence or two."""
    unit: str
    """Of the values."""
    names: str
    """What the names of marks are, in a word."""
    origins: str = "where"
    """What their origins are."""
    reference: float | None = None
    """A value to compare with."""
    panels: list[MarkPanel]


AnyChart = Chart | MarkChart


class Findings(msgspec.Struct, kw_only=True, frozen=True):
    """All that a study says of a run."""

    study: Study
    tables: list[Table]
    claims: list[Claim]
    charts: list[AnyChart]


Aside = Callable[[Effort, int], list[BesideFigure]]
"""Asks other programs for figures, with that effort and on that CPU; what cannot be had is a figure
without a value. Never takes longer than a few minutes."""

Simulated = Callable[[Effort], list[SimulatedCase]]
"""What is to be simulated with that effort, of all targets that the study asks about; targets whose
tools are missing are left out by who simulates."""


def _no_charts(run: Run, rows: list[Row]) -> list[AnyChart]:
    return []


Besides = Callable[["Engine", Effort, "Interrupts"], list["Run"]]
"""Measures what no plan of the engine can, with that effort: runs that are kept with the study's.
What is missing here is in them with its reason."""


class Study(msgspec.Struct, kw_only=True, frozen=True):
    """A question of the literature, and how it is asked and answered here."""

    name: str
    plan: PlanFile
    statements: Sequence[Statement]
    tables: Callable[[Run, list[Row]], list[Table]]
    claims: Callable[[Run, list[Row]], list[Claim]]
    charts: Callable[[Run, list[Row]], list[AnyChart]] = _no_charts
    aside: Aside | None = None
    """What is asked of other programs before the run."""
    simulated: Simulated | None = None
    """What is simulated beside the run."""
    besides: Besides | None = None
    """What is measured after all plans."""
    given: Mapping[str, str] = {}
    """What the user may tell that cannot be measured: what it is, by name."""
    over_machines: bool = False
    """Whether it judges runs of several machines beside each other."""

    def findings(self, run: Run, rows: list[Row]) -> Findings:
        """What it says of a run of its plan."""
        return Findings(
            study=self,
            tables=self.tables(run, rows),
            claims=self.claims(run, rows),
            charts=self.charts(run, rows),
        )
