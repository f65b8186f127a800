"""Tables, charts and claims of a study: published figures beside those of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import msgspec

from ciphermark.contract.others import BesideFigure, SimulatedCase
from ciphermark.plan.planfile import Effort, PlanFile
from ciphermark.view import figures

if TYPE_CHECKING:
    from ciphermark.record.run import Run
    from ciphermark.run.engine import Engine
    from ciphermark.run.interrupts import Interrupts
    from ciphermark.workloads.single.row import Row

Cell = str | int | float | None
"""Plain value; None where there is none."""


class Column(msgspec.Struct, kw_only=True, frozen=True):
    """Column of a study's table: heading and format of numbers."""

    heading: str
    """Heading with the unit: `MB/s`."""
    group: str = ""
    """Heading over neighbouring columns, for example a processor."""
    digits: int = 3
    """Significant digits of a number."""
    decimals: int | None = None
    """Decimals instead of significant digits, for figures that were printed so."""
    detail: bool = False
    """True if a terminal leaves it out for lack of room."""


def columns(*headings: str, **alike: Any) -> list[Column]:
    """Returns a column for each heading, with the same other fields."""
    return [Column(heading=heading, **alike) for heading in headings]


class Table(msgspec.Struct, kw_only=True):
    """Table of a study; each row has a value for every column."""

    title: str
    columns: list[Column]
    rows: list[list[Cell]] = []
    unsettled: list[int] = []
    """Indices of the rows whose figures did not converge."""
    doubtful: list[tuple[int, int]] = []
    """Indices of rows and columns of printed figures that look wrong."""
    notes: list[str] = []
    """Notes that a reader needs, one sentence each."""
    detail: bool = False
    """True if only programs need it: a terminal and the report leave it out."""


class Statement(msgspec.Struct, kw_only=True, frozen=True):
    """Statement of a paper, before anything is measured."""

    claim: str
    """Identifier: `gcm-slower-than-cbc`."""
    text: str
    """Statement of the paper, and its reading as a question about figures."""
    place: str
    """Place in the paper."""
    published: str
    """Figures of the paper, with units."""

    def judged(self, holds: bool | None, here: str, undecided: bool = False) -> Claim:
        """Returns the statement with its verdict and the figures that decide."""
        facts = msgspec.structs.asdict(self)
        return Claim(**facts, holds=holds, here=here, undecided=undecided)


class Claim(Statement, kw_only=True, frozen=True):
    """Statement of a paper with its verdict here."""

    holds: bool | None
    """Verdict; None if untested or undecided, with the reason in `here`."""
    here: str
    """Figures that decide, with units."""
    recomputed: bool = False
    """True if judged by the paper's own tables, not by a run."""
    undecided: bool = False
    """True if there are figures to test it by, and their intervals leave it open."""


class NotTestable(Exception):
    """Reason why a run cannot decide a statement."""


class Input(NamedTuple):
    """Measured figure that a verdict depends on."""

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
        """Returns a sentence on unsettled inputs, or on intervals that are too wide."""
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
"""Result on a statement, and the figures that decide."""

Evidence = TypeVar("Evidence")
"""Figures by which a study judges its statements."""


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
"""Quantity on a chart's horizontal axis.

`message size` is in bytes, logarithmic; `length` in bytes, linear; the others are numbers of
sessions, packets or cores, linear too.
"""


class Curve(msgspec.Struct, kw_only=True, frozen=True):
    """Figures of one function from one origin."""

    name: str
    """Name of the function; curves of one name have one hue."""
    origin: str
    """`Pentium III`, or `here`; curves of one origin have one dash."""
    points: list[Point]
    marked: bool = True
    """True if each point has a mark; False if they are so many that a line shows them."""


class Point(msgspec.Struct, kw_only=True, frozen=True):
    at: int
    """Position on the horizontal axis."""
    value: float
    low: float | None = None
    """Interval of `value`; a printed figure has none."""
    high: float | None = None
    source: str = ""
    """Origin: an implementation, a table."""
    converged: bool = True


class Panel(msgspec.Struct, kw_only=True, frozen=True):
    """Curves between the same axes."""

    title: str
    curves: list[Curve]


class Chart(msgspec.Struct, kw_only=True, frozen=True):
    """Chart of a study: measured figures, and published ones where there are any."""

    name: str
    """Name of its files: `umac-then-and-now`."""
    title: str
    explanation: str
    """Description of the chart, in a sentence or two."""
    unit: str
    """Unit of the values: `core cycles per byte`."""
    over: Over = "message size"
    origin: str = "where"
    """Word for the origins of curves."""
    panels: list[Panel]


class Mark(msgspec.Struct, kw_only=True, frozen=True):
    """Figure of a chart of marks."""

    line: str
    """Name of its line in the chart."""
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
    """Chart of named things: a line for each, with a mark for each figure."""

    name: str
    """Name of its files."""
    title: str
    explanation: str
    """Description of the chart, in a sentence or two."""
    unit: str
    """Unit of the values."""
    names: str
    """Word for the names of marks."""
    origins: str = "where"
    """Word for their origins."""
    reference: float | None = None
    """Value to compare with."""
    panels: list[MarkPanel]


AnyChart = Chart | MarkChart


class Findings(msgspec.Struct, kw_only=True, frozen=True):
    """Tables, claims and charts of a study for a run."""

    study: Study
    tables: list[Table]
    claims: list[Claim]
    charts: list[AnyChart]


Aside = Callable[[Effort, int], list[BesideFigure]]
"""Function that asks other programs for figures, given the effort and a CPU, within a few minutes.

A figure that cannot be had has no value.
"""

Simulated = Callable[[Effort], list[SimulatedCase]]
"""Function that returns the cases to simulate on all targets of the study, given the effort.

The simulation leaves out targets whose tools are missing.
"""


def _no_charts(run: Run, rows: list[Row]) -> list[AnyChart]:
    return []


Besides = Callable[["Engine", Effort, "Interrupts"], list["Run"]]
"""Function that measures cases outside any plan of the engine, given the effort.

Its runs are stored with the study's; cases that are missing here are in them with the reason.
"""


class Study(msgspec.Struct, kw_only=True, frozen=True):
    """Question of the literature: its plan, its statements, and the functions that answer it."""

    name: str
    plan: PlanFile
    statements: Sequence[Statement]
    tables: Callable[[Run, list[Row]], list[Table]]
    claims: Callable[[Run, list[Row]], list[Claim]]
    charts: Callable[[Run, list[Row]], list[AnyChart]] = _no_charts
    aside: Aside | None = None
    """Figures of other programs, taken before the run."""
    simulated: Simulated | None = None
    """Cases that are simulated beside the run."""
    besides: Besides | None = None
    """Runs that are measured after all plans."""
    given: Mapping[str, str] = {}
    """Figures that the user may give because they cannot be measured: meanings by name."""
    over_machines: bool = False
    """True if it judges runs of several machines together."""

    def findings(self, run: Run, rows: list[Row]) -> Findings:
        """Returns the findings on a run of its plan."""
        return Findings(
            study=self,
            tables=self.tables(run, rows),
            claims=self.claims(run, rows),
            charts=self.charts(run, rows),
        )
