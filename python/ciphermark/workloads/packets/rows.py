"""The rows of a run of packets, computed from its passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ciphermark import contract
from ciphermark.record.case_row import identity
from ciphermark.statistics.median import FEWEST_GROUPS
from ciphermark.workloads.packets.figures import Passes, crossing_bits, deliveries
from ciphermark.workloads.packets.pairs import pairs
from ciphermark.workloads.packets.row import PacketRow
from ciphermark.workloads.single.rows import what_ran

if TYPE_CHECKING:
    from ciphermark.record.run import CaseRecord, Context, Run


def packet_rows(run: Run) -> list[PacketRow]:
    """One row for each case of the run, in the order of the plan."""
    by_case = {it.case: it for it in run.packets}
    return [_row(record, by_case.get(record.case.case), run.context) for record in run.cases]


def _row(record: CaseRecord, run: contract.PacketsRun | None, context: Context) -> PacketRow:
    case = record.case
    load = run.load if run else case.packets
    assert load is not None
    error = record.error or (run and _not_delivered(run))
    named = identity(case) | what_ran(record) | _conditions(case, load)
    return PacketRow(
        **named | _measured(run, case, context, error),
        workload=context.workload,
        cycle_source=context.cycle_source,
        vectors_passed=record.vectors_passed,
        agrees_with=record.agrees_with,
        error=error,
    )


def _conditions(case: contract.Case, load: contract.PacketLoad) -> dict[str, Any]:
    """How the packets passed."""
    of_load = msgspec.structs.asdict(load)
    named = {name: of_load[name] for name in PacketRow.__struct_fields__ if name in of_load}
    operations = [case.operation] + ([load.then] if load.then else [])
    return named | {
        "operation": "+".join(operations),
        "packet_bytes": case.message_bytes,
        "bits": crossing_bits(case, load),
        "cores": len(load.cpus),
        "offload_cpus": case.offload_cpus,
    }


def _measured(
    run: contract.PacketsRun | None,
    case: contract.Case,
    context: Context,
    error: contract.Failure | None,
) -> dict[str, Any]:
    """The figures; of what failed no more than what became of its packets."""
    if run is not None and error is not None:
        return deliveries(run)
    if run is None or not pairs(run):
        return {"not_converged_reason": None if error else f"0 of {FEWEST_GROUPS} pairs"}
    return Passes(run, case, context.precision).figures()


def _not_delivered(run: contract.PacketsRun) -> contract.Failure | None:
    """No figure stands for work that was not done."""
    told = deliveries(run)
    if not any(told.values()):
        return None
    return contract.Failure(
        kind="not-delivered",
        message=f"of {run.load.packets} packets in each of {len(run.passes)} passes {told['lost']} "
        f"were lost, {told['duplicated']} came twice and {told['out_of_order']} came out of order",
        signal=None,
    )
