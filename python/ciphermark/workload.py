"""What the frame knows of a workload: all else asks it, and nobody asks for its name.

`workload_of` finds it by the name that a plan and a run carry.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from rich.console import Console

    from ciphermark import contract
    from ciphermark.plan.working import Loading
    from ciphermark.record.run import Context, Run
    from ciphermark.record.table import Table
    from ciphermark.show.column import Lines
    from ciphermark.show.export.pivot import Pivot
    from ciphermark.show.plots.panel import Plot
    from ciphermark.workloads.core_rate import CoreRate
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row as MessageRow


class AnyRow(Protocol):
    """What the frame reads of a row of any workload."""

    algorithm: str
    operation: str

    @property
    def error(self) -> contract.Failure | None: ...

    @property
    def is_measured(self) -> bool: ...


Row = TypeVar("Row", bound=AnyRow)
AnyRows = list[Any]
"""Rows of one workload, which knows their type."""

NAMES = ("single", "sessions", "packets", "simulation", "tuning", "imported", "tunnel")
"""Each has a package in `ciphermark.workloads`."""


class Page(NamedTuple):
    """The report of a run: its plots, what the template is filled with, and the template."""

    plots: list[Plot]
    content: dict[str, Any]
    template: str
    cards: list[CostCard]
    """What `Workload.cost_cards` says of the rows, which plots are drawn of too."""


class Workload(Generic[Row]):
    """One workload. What most have in common is said here; `ciphermark.workloads` has each."""

    subject: ClassVar[str]
    """What its runs are of, for a sentence."""

    measured_here: ClassVar[bool] = True
    """Whether ciphermark took and verified its figures; false of another program's."""

    simulated: ClassVar[bool] = False
    """Whether its figures are of another processor than the machine that it ran on."""

    sampled: ClassVar[bool] = False
    """Whether its cases are sampled in slices until each has converged, and its rows are those of
    `single`: models, the site and questions in SQL read the figures of these by name."""

    settles: ClassVar[bool] = True
    """Whether its rows say if they settled."""

    of_messages: ClassVar[bool] = False
    """Whether its rows are costs of single messages on one core."""

    compared: ClassVar[str | None] = None
    """The figure of its rows that comparisons and machines take; None where they take none."""

    of_several_cores: ClassVar[bool] = False
    """Whether its rows say what several cores carry together."""

    batched: ClassVar[bool] = False
    """Whether its messages come in batches, of which a kernel may take several at once."""

    tells_more: ClassVar[bool] = False
    """Whether its runs tell something beside their rows."""

    of_paths: ClassVar[bool] = False
    """Whether its rows tell the cost of a packet beside its cryptography."""

    may_lack: ClassVar[bool] = False
    """Whether a case that needs what this machine lacks is named, and is no failure."""

    load: ClassVar[str | None] = None
    """The field of a case that says how many are at work, and how."""

    tables: ClassVar[tuple[str, ...]] = ()
    """Files that its runs have, and others have not."""

    def row_type(self) -> type[Row]:
        """Of its rows."""
        raise NotImplementedError

    def rows(self, run: Run) -> list[Row]:
        """One row for each case of the run, in the order of the plan."""
        raise NotImplementedError

    def rows_table(self, rows: list[Row]) -> Table:
        """The rows as they are stored."""
        raise NotImplementedError

    def rows_from_table(self, table: Table) -> list[Row]:
        """The rows that `rows_table` made a table of, now or in an older format."""
        raise NotImplementedError

    def has_figure(self, row: Row) -> bool:
        """Whether a row says what its case costs."""
        return row.is_measured

    def cost_cards(self, rows: list[Row]) -> list[CostCard]:
        """What a message and each of its bytes cost; none where the cost has more to it than the
        size."""
        return []

    def message_rows(self, rows: list[Row]) -> list[MessageRow]:
        """Its rows as costs of a message, where it has the figure `compared`."""
        raise NotImplementedError

    def core_rates(self, rows: list[Row]) -> list[CoreRate]:
        """What several cores were measured to carry."""
        return []

    def print_rows(self, console: Console, context: Context, rows: list[Row]) -> None:
        """Prints the table of a run, of many sessions with how they scale."""
        raise NotImplementedError

    def findings(self, context: Context, rows: list[Row]) -> dict[str, object]:
        """Returns what its rows tell together, as `--json` has it; empty for most kinds."""
        return {}

    def print_beside(self, console: Console, run: Run, rows: list[Row]) -> None:
        """Prints what the run tells beside its rows; nothing of most."""

    def lines(self, context: Context, rows: list[Row]) -> Lines[Any] | None:
        """The rows without errors with the columns of their table; None where it has no such
        columns."""
        return None

    def pivot(self, context: Context, rows: list[Row]) -> Pivot:
        """The same as a table for a paper."""
        raise NotImplementedError

    def page(self, run: Run, rows: list[Row]) -> Page:
        """The report. Raises `UsageError` where there is none."""
        raise NotImplementedError

    def progress(self, event: contract.Progress, precision: float) -> str:
        """How many cases are done, and how well."""
        return (
            f"{event.converged}/{event.total} settled to ±{100 * precision:g} %   "
            f"round {event.round}"
        )

    def loading(self) -> Loading | None:
        """What gives the cases of a plan their loads; none where they have none."""
        return None


@cache
def workload_of(name: str) -> Workload[Any]:
    """The workload of this name."""
    return cast("Workload[Any]", import_module(f"ciphermark.workloads.{name}.workload").WORKLOAD)


def rows(run: Run) -> AnyRows:
    """One row for each case of the run, in the order of the plan."""
    return workload_of(run.context.workload).rows(run)


def rows_table(rows: AnyRows, workload: str) -> Table:
    """The rows as they are stored."""
    return workload_of(workload).rows_table(rows)


def rows_from_table(table: Table, workload: str) -> AnyRows:
    """The rows that `rows_table` made a table of, now or in an older format."""
    return workload_of(workload).rows_from_table(table)
