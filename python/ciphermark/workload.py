"""Interface of every kind of run.

`workload_of` returns the workload of the name that a plan or a run carries.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from ciphermark import contract
    from ciphermark.plan.working import Loading
    from ciphermark.record.run import Context, Run
    from ciphermark.record.table import Table as StoredTable
    from ciphermark.view.blocks import Block
    from ciphermark.workloads.loaded import CoreRate
    from ciphermark.workloads.single.cost_card import CostCard
    from ciphermark.workloads.single.row import Row as MessageRow


class AnyRow(Protocol):
    """Fields that rows of all workloads have."""

    algorithm: str
    operation: str

    @property
    def error(self) -> contract.Failure | None: ...

    @property
    def is_measured(self) -> bool: ...


Row = TypeVar("Row", bound=AnyRow)
AnyRows = list[Any]
"""Rows of one workload, of its own type."""

NAMES = ("single", "sessions", "packets", "simulation", "tuning", "imported", "tunnel")
"""Names of workloads; each has a package in `ciphermark.workloads`."""


class Workload(Generic[Row]):
    """Base of workloads, with the usual answers; `ciphermark.workloads` has each."""

    subject: ClassVar[str]
    """Subject of its runs, for a sentence."""

    measured_here: ClassVar[bool] = True
    """True if ciphermark took and verified its figures, False for those of another program."""

    simulated: ClassVar[bool] = False
    """True if its figures are of another processor than the machine that it ran on."""

    sampled: ClassVar[bool] = False
    """True if its cases are sampled in slices until each has converged, and its rows are those of
    `single`: models, the site and questions in SQL read the figures of these by name."""

    settles: ClassVar[bool] = True
    """True if its rows have a field for whether they settled."""

    of_messages: ClassVar[bool] = False
    """True if its rows are costs of single messages on one core."""

    compared: ClassVar[str | None] = None
    """Figure of its rows that comparisons and machines take; None where they take none."""

    of_several_cores: ClassVar[bool] = False
    """True if its rows have the load that several cores carry together."""

    batched: ClassVar[bool] = False
    """True if its messages come in batches, of which a kernel may take several at once."""

    tells_more: ClassVar[bool] = False
    """True if its runs have findings beside their rows."""

    of_paths: ClassVar[bool] = False
    """True if its rows have the cost of a packet beside its cryptography."""

    may_lack: ClassVar[bool] = False
    """True if a case that needs something missing on this machine is named, and is no failure."""

    load: ClassVar[str | None] = None
    """Field of a case that has its load; None without one."""

    tables: ClassVar[tuple[str, ...]] = ()
    """Files that only its runs have."""

    def row_type(self) -> type[Row]:
        """Returns the type of its rows."""
        raise NotImplementedError

    def rows(self, run: Run) -> list[Row]:
        """Returns a row for each case of the run, in the order of the plan."""
        raise NotImplementedError

    def rows_table(self, rows: list[Row]) -> StoredTable:
        """Returns the rows as they are stored."""
        raise NotImplementedError

    def rows_from_table(self, table: StoredTable) -> list[Row]:
        """Returns the rows of a stored table, of this format or an older one."""
        raise NotImplementedError

    def has_figure(self, row: Row) -> bool:
        """Returns whether a row has the cost of its case."""
        return row.is_measured

    def cost_cards(self, rows: list[Row]) -> list[CostCard]:
        """Returns the costs of a message and of each of its bytes.

        There are none where the cost depends on more than the size.
        """
        return []

    def message_rows(self, rows: list[Row]) -> list[MessageRow]:
        """Returns its rows as costs of a message, where it has the figure `compared`."""
        raise NotImplementedError

    def core_rates(self, rows: list[Row]) -> list[CoreRate]:
        """Returns the measured rates of several cores."""
        return []

    def blocks(self, context: Context, rows: list[Row], run: Run | None) -> Iterable[Block]:
        """Yields the parts of its screens, reports and exports.

        Without the run those of a screen and of exports; a report begins with the facts that it
        has at a glance. Raises `UsageError` where there is no report.
        """
        raise NotImplementedError

    def beside(self, run: Run, rows: list[Row]) -> Iterable[Block]:
        """Yields the parts of a screen that need the whole run; most kinds have none."""
        return ()

    def page_title(self, run: Run) -> str:
        """Returns the title of a report; the usual one if empty."""
        return ""

    def findings(self, context: Context, rows: list[Row]) -> dict[str, object]:
        """Returns the findings on all its rows, as `--json` has them; empty for most kinds."""
        return {}

    def progress(self, event: contract.Progress, precision: float) -> str:
        """Formats the number of settled cases, their precision and the round."""
        return (
            f"{event.converged}/{event.total} settled to ±{100 * precision:g} %   "
            f"round {event.round}"
        )

    def loading(self) -> Loading | None:
        """Returns the object that gives cases of a plan their loads; None if they have none."""
        return None


@cache
def workload_of(name: str) -> Workload[Any]:
    """Returns the workload of this name."""
    return cast("Workload[Any]", import_module(f"ciphermark.workloads.{name}.workload").WORKLOAD)


def rows(run: Run) -> AnyRows:
    """Returns a row for each case of the run, in the order of the plan."""
    return workload_of(run.context.workload).rows(run)


def rows_table(rows: AnyRows, workload: str) -> StoredTable:
    """Returns the rows as they are stored."""
    return workload_of(workload).rows_table(rows)


def rows_from_table(table: StoredTable, workload: str) -> AnyRows:
    """Returns the rows of a stored table, of this format or an older one."""
    return workload_of(workload).rows_from_table(table)
