"""Rows of a run, whatever its workload: the one place that knows which kind it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from ciphermark.analyse.models.cost_card import CostCard
    from ciphermark.analyse.packet_row import PacketRow
    from ciphermark.analyse.row import Row
    from ciphermark.analyse.session_row import SessionRow
    from ciphermark.analyse.simulation_row import SimulationRow
    from ciphermark.analyse.tuning_row import TuningRow
    from ciphermark.record.run import Run

    AnyRow = Row | SessionRow | PacketRow | SimulationRow | TuningRow
    AnyRows = list[Row] | list[SessionRow] | list[PacketRow] | list[SimulationRow] | list[TuningRow]


def rows(run: Run) -> AnyRows:
    """One row for each case of the run, in the order of the plan."""
    if run.context.workload == "sessions":
        from ciphermark.analyse.session_rows import session_rows

        return session_rows(run)
    if run.context.workload == "packets":
        from ciphermark.analyse.packet_rows import packet_rows

        return packet_rows(run)
    if run.context.workload == "simulation":
        from ciphermark.analyse.simulation_rows import simulation_rows

        return simulation_rows(run)
    if run.context.workload == "tuning":
        from ciphermark.analyse.tuning_rows import tuning_rows

        return tuning_rows(run)
    if run.context.workload == "imported":
        from ciphermark.analyse.imported_rows import imported_rows

        return imported_rows(run)
    from ciphermark.analyse import rows as of_one_thread

    return of_one_thread.rows(run)


def rows_table(found: AnyRows, workload: str) -> pa.Table:
    """The rows as they are stored."""
    if workload == "sessions":
        from ciphermark.analyse.session_table import session_rows_table

        return session_rows_table(found)
    if workload == "packets":
        from ciphermark.analyse.packet_table import packet_rows_table

        return packet_rows_table(found)
    if workload == "simulation":
        from ciphermark.analyse.simulation_rows import simulation_rows_table

        return simulation_rows_table(found)
    if workload == "tuning":
        from ciphermark.analyse.tuning_rows import tuning_rows_table

        return tuning_rows_table(found)
    from ciphermark.analyse import rows as of_one_thread

    return of_one_thread.rows_table(found)


def row_fields(workload: str) -> tuple[str, ...]:
    """Names of the fields of a row."""
    if workload == "sessions":
        from ciphermark.analyse.session_row import SessionRow

        return SessionRow.__struct_fields__
    if workload == "packets":
        from ciphermark.analyse.packet_row import PacketRow

        return PacketRow.__struct_fields__
    if workload == "simulation":
        from ciphermark.analyse.simulation_row import SimulationRow

        return SimulationRow.__struct_fields__
    if workload == "tuning":
        from ciphermark.analyse.tuning_row import TuningRow

        return TuningRow.__struct_fields__
    from ciphermark.analyse.row import Row

    return Row.__struct_fields__


def rows_from_table(table: pa.Table, workload: str) -> AnyRows:
    """The rows that `rows_table` made a table of, now or in an older format."""
    if workload == "sessions":
        from ciphermark.analyse.session_table import session_rows_from_table

        return session_rows_from_table(table)
    if workload == "packets":
        from ciphermark.analyse.packet_table import packet_rows_from_table

        return packet_rows_from_table(table)
    if workload == "simulation":
        from ciphermark.analyse.simulation_rows import simulation_rows_from_table

        return simulation_rows_from_table(table)
    if workload == "tuning":
        from ciphermark.analyse.tuning_rows import tuning_rows_from_table

        return tuning_rows_from_table(table)
    from ciphermark.analyse import rows as of_one_thread

    return of_one_thread.rows_from_table(table)


def cost_cards(found: AnyRows, workload: str) -> list[CostCard]:
    """What a message and each of its bytes cost; none of many sessions and of packets, whose cost
    has more to it than the size."""
    if workload not in ("single", "imported"):
        return []
    from ciphermark.analyse.models import cost_card

    return cost_card.cost_cards(found, imported=workload == "imported")
