"""Figures of many sessions whose results are known by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import pytest

from ciphermark import contract
from ciphermark.statistics.quantiles import jain, spread
from ciphermark.workloads.flows import percentile, percentiles
from ciphermark.workloads.sessions.figures import session_rows
from ciphermark.workloads.sessions.row import SessionRow
from ciphermark.workloads.sessions.workload import WORKLOAD
from sessions_example import (
    HZ,
    UNEVEN,
    execution,
    load,
    session_case,
    sessions_run,
)
from synthetic import CRASH

MILLION = 1_000_000


def row_of(*executions: contract.SessionsRun, **case: Any) -> SessionRow:
    """The row of one case with these attempts."""
    (row,) = session_rows(sessions_run([session_case(0, executions[0].load, **case)], executions))
    return row


def clock(cpu: int, loaded_hz: float | None = HZ, offset_ns: float = 0.0) -> contract.CoreClock:
    return contract.CoreClock(cpu=cpu, alone_hz=HZ, loaded_hz=loaded_hz, offset_ns=offset_ns)


def stretch(count: int, cycles_per_byte: float) -> contract.Stretch:
    """Of a millisecond each at 1 GHz, with messages of 1000 bytes."""
    done = round(count * 1e6 / cycles_per_byte)
    return contract.Stretch(
        count=count, cpu_ns=count * MILLION, cycles=count * 1e6, messages=done // 1000, bytes=done
    )


def beside_a_neighbour(quiet: int, crowded: int, **fields: Any) -> SessionRow:
    """Of a function that takes 2 cycles a byte, and 3 beside another thread on its core."""
    stretches = contract.Stretches(quiet=stretch(quiet, 2), crowded=stretch(crowded, 3))
    messages = (stretches.quiet.messages + stretches.crowded.messages) // 2
    cpu_ns = (quiet + crowded) * MILLION // 2
    return row_of(execution(load(), [messages] * 2, [cpu_ns] * 2, stretches=stretches, **fields))


def counted(*latencies: tuple[int, int]) -> list[contract.LatencyCount]:
    return [contract.LatencyCount(ns=ns, count=count) for ns, count in latencies]


def test_cycles_are_those_of_the_definitions() -> None:
    # Two sessions on two CPUs at 1 GHz for a second: 300 and 100 thousand messages of 1000 bytes.
    row = row_of(execution(load(), [300_000, 100_000], [900 * MILLION, 700 * MILLION]))
    assert row.absolute_cycles_per_byte == pytest.approx(1.6e9 / 4e8)
    assert row.absolute_cycles_per_message == pytest.approx(4000)
    assert row.apparent_cycles_per_byte == pytest.approx(1e9 / 4e8)
    assert row.wall_cycles_per_byte == pytest.approx((1e9 / 3e8 + 1e9 / 1e8) / 2)
    assert row.parallelism == pytest.approx(1.6)
    assert row.messages == row.messages_per_second == 400_000
    assert row.mbytes_per_second == pytest.approx(400)
    assert row.window_ms == pytest.approx(1000)
    assert (row.core_hz, row.alone_hz) == (HZ, HZ)


def test_the_work_of_a_device_is_apparent_and_not_absolute() -> None:
    done = execution(
        load(cpus=[0]),
        [1000, 1000],
        [50 * MILLION] * 2,
        device="CPU 1",
        device_cpu_ns=900 * MILLION,
    )
    row = row_of(done, offload="cores", offload_cpus=[1])
    assert row.absolute_cycles_per_byte == pytest.approx(0.1e9 / 2e6)
    assert row.apparent_cycles_per_byte == pytest.approx(1e9 / 2e6)
    assert (row.device, row.offload_cpus) == ("CPU 1", [1])
    assert row.device_cpus == pytest.approx(0.9)
    assert row.gap is None
    assert WORKLOAD.rows_from_table(WORKLOAD.rows_table([row])) == [row]


def test_on_one_cpu_apparent_is_absolute_where_nothing_else_ran() -> None:
    row = row_of(execution(load(cpus=[0]), [1000, 1000], [500 * MILLION] * 2))
    assert row.apparent_cycles_per_byte == pytest.approx(row.absolute_cycles_per_byte)


def test_what_was_done_beside_a_neighbour_is_left_out() -> None:
    row = beside_a_neighbour(quiet=100, crowded=300)
    assert row.absolute_cycles_per_byte == pytest.approx(2, rel=1e-3)
    assert row.absolute_cycles_per_message == pytest.approx(2000, rel=1e-3)
    assert row.crowded_share == pytest.approx(0.75) and row.leaves_out
    # The time that passed, and the CPU time within it, are those of the whole window.
    assert row.parallelism == pytest.approx(0.4)
    assert WORKLOAD.rows_from_table(WORKLOAD.rows_table([row])) == [row]


def test_where_a_neighbour_hardly_left_all_counts() -> None:
    row = beside_a_neighbour(quiet=19, crowded=381)
    assert row.absolute_cycles_per_byte == pytest.approx(400 / (19 / 2 + 381 / 3), rel=1e-3)
    assert row.crowded_share == pytest.approx(381 / 400) and not row.leaves_out


@pytest.mark.parametrize("own", ["sibling", "device"])
def test_threads_of_ones_own_on_the_core_are_no_neighbours(own: str) -> None:
    clocks = [msgspec.structs.replace(clock(cpu), shares_core=own == "sibling") for cpu in (0, 1)]
    device = "CPU 1 of this machine" if own == "device" else None
    row = beside_a_neighbour(quiet=100, crowded=300, core_clocks=clocks, device=device)
    assert row.absolute_cycles_per_byte == pytest.approx(400 / (100 / 2 + 300 / 3), rel=1e-3)
    assert row.shares_core is (own == "sibling") and not row.leaves_out


def test_engines_that_did_not_look_know_of_no_neighbour() -> None:
    row = row_of(execution(load(), [1000, 1000], [500 * MILLION] * 2))
    assert row.crowded_share is row.shares_core is None and not row.leaves_out


def test_estimate_is_by_the_accounts_of_the_kernel() -> None:
    shares = contract.CpuShares(busy=1.0, workload=0.84, steal=0.0, idle=0.0)
    row = row_of(execution(load(), [1000, 1000], [800 * MILLION] * 2, shares=shares))
    assert row.estimated_cycles_per_byte == pytest.approx(row.apparent_cycles_per_byte * 1.68)
    assert row.estimate_error == pytest.approx(1.68 / 1.6 - 1)
    assert not row.absolute_is_estimated


@pytest.mark.parametrize(
    ("second", "estimated"),
    [
        (clock(1, offset_ns=10_000), False),
        (clock(1, offset_ns=-10_001), True),
        (clock(1, loaded_hz=1.029e9), False),
        (clock(1, loaded_hz=1.031e9), True),
        (clock(1, loaded_hz=None), False),
    ],
)
def test_estimate_stands_in_where_clocks_disagree(
    second: contract.CoreClock, estimated: bool
) -> None:
    clocks = [clock(0), second]
    row = row_of(execution(load(), [1000, 1000], [500 * MILLION] * 2, core_clocks=clocks))
    assert row.absolute_is_estimated is estimated
    assert (row.estimate_error is None) is estimated
    if estimated:
        assert row.absolute_cycles_per_byte == row.estimated_cycles_per_byte


def test_cycles_are_by_the_clock_under_load() -> None:
    clocks = [clock(0, 0.9e9), clock(1, 0.92e9)]
    row = row_of(execution(load(), [1000, 1000], [500 * MILLION] * 2, core_clocks=clocks))
    assert row.core_hz == pytest.approx(0.91e9)
    unseen = [clock(0, None), clock(1, None)]
    row = row_of(execution(load(), [1000, 1000], [500 * MILLION] * 2, core_clocks=unseen))
    assert row.core_hz == HZ


def test_jains_index() -> None:
    assert jain([5, 5, 5, 5]) == 1
    assert jain([1, 0, 0, 0]) == 0.25
    assert jain([1, 2, 3]) == pytest.approx(36 / 42)
    assert jain([0, 0]) is None


def test_spread_is_of_the_middle_four_fifths() -> None:
    assert spread(range(0, 101)) == pytest.approx((90 - 10) / 50)
    assert spread([7]) == 0
    assert spread([]) is spread([0, 0]) is None


def test_percentiles_are_times_that_were_counted() -> None:
    latencies = counted((900, 1), (100, 50), (200, 49))
    assert percentile(latencies, Fraction(1, 2)) == 100
    assert percentile(latencies, Fraction(99, 100)) == 200
    found = percentiles(latencies)
    assert found is not None and (found.p90, found.p999) == (200, 900)
    assert percentiles([]) is None
    assert percentiles(counted((5, 0))) is None


def test_fairness_and_who_was_served_most() -> None:
    row = row_of(execution(load(3, [0]), [100, 0, 300], [200 * MILLION, 0, 600 * MILLION]))
    assert row.fairness == pytest.approx(400**2 / (3 * (100**2 + 300**2)))
    assert row.cpu_fairness == pytest.approx(row.fairness)
    assert row.never_ran == 1
    assert row.most_scheduled is not None and row.least_scheduled is not None
    assert (row.most_scheduled.session, row.most_scheduled.cpu_ns) == (2, 600 * MILLION)
    assert row.most_scheduled.apparent_cycles_per_byte == pytest.approx(1e9 / 300_000 / 3)
    assert row.least_scheduled.session == 1
    assert row.least_scheduled.apparent_cycles_per_byte is None


def test_key_setup_has_no_figures_per_byte() -> None:
    figures = execution(load(), [1000, 3000], [500 * MILLION] * 2)
    figures.figures.bytes = [0, 0]
    row = row_of(figures, operation="setup", message_bytes=None)
    assert row.absolute_cycles_per_message == pytest.approx(1e9 / 4000)
    assert row.fairness == pytest.approx(4000**2 / (2 * (1000**2 + 3000**2)))
    per_byte = [name for name in SessionRow.__struct_fields__ if name.endswith("per_byte")]
    assert len(per_byte) == 4
    assert all(getattr(row, name) is None for name in [*per_byte, "mbytes_per_second"])


def test_the_last_valid_attempt_counts() -> None:
    first = execution(load(), [1, 1], [MILLION] * 2, objections=[UNEVEN])
    second = execution(load(), [20, 20], [2 * MILLION] * 2, attempt=1)
    third = execution(load(), [30, 30], [3 * MILLION] * 2, attempt=2, objections=[UNEVEN])
    row = row_of(third, first, second)
    assert row.valid and row.messages == 40
    assert [it.objections for it in row.attempts] == [[UNEVEN], [], [UNEVEN]]
    assert row.objections == []


def test_without_a_valid_one_the_last_is_shown() -> None:
    first = execution(load(), [1, 1], [MILLION] * 2, objections=[UNEVEN])
    adjusted = msgspec.structs.replace(load(), execution_ms=2600.0)
    second = execution(adjusted, [2, 2], [MILLION] * 2, attempt=1, objections=[UNEVEN])
    row = row_of(first, second)
    assert not row.valid and row.is_measured and row.messages == 4
    assert row.objections == [UNEVEN]
    assert [it.execution_ms for it in row.attempts] == [1300, 2600]


def test_a_case_that_failed_or_was_not_reached_has_no_figures() -> None:
    cases = [session_case(0, load()), session_case(1, load(7, [1]))]
    failed, waiting = session_rows(sessions_run(cases, [], {0: CRASH}))
    assert failed.error == CRASH and not failed.is_measured
    assert waiting.error is None and not waiting.is_measured and not waiting.valid
    assert (waiting.sessions, waiting.cores, waiting.cpus) == (7, 1, [1])
    assert failed.absolute_cycles_per_byte is waiting.messages is waiting.latency_ns is None


PROMISED = (
    "algorithm operation provider backend message_bytes sessions cores absolute_cycles_per_byte "
    "apparent_cycles_per_byte wall_cycles_per_byte messages mbytes_per_second latency_ns fairness "
    "never_ran attempts valid"
).split()
"""What design.md says that every row has."""


def test_rows_have_what_is_promised() -> None:
    assert set(PROMISED) <= set(SessionRow.__struct_fields__)
