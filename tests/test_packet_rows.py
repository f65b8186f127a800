"""Rows of packets: what each figure is, which pairs count, and when a case has settled."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from ciphermark import contract
from ciphermark.workloads.packets.figures import pairs, undisturbed
from ciphermark.workloads.packets.row import Interval, PacketRow
from ciphermark.workloads.packets.workload import WORKLOAD
from packets_example import (
    PACKET_BYTES,
    PACKETS,
    core,
    load,
    one_pass,
    one_row,
    packets_example,
    pairs_of,
    passed,
)

PROMISED = (
    "algorithm operation provider backend offload lanes packets packet_bytes cores "
    "transfer_cycles processing_cycles actual_cycles cpu_cycles cycles_per_bit packets_per_second "
    "mbytes_per_second lost duplicated"
).split()
"""What design.md says that every row has."""


def quiet_pairs(
    changed: dict[int, dict[str, Any]] | None = None,
    wanted: contract.PacketLoad | None = None,
    offload_cpus: list[int] | None = None,
) -> int:
    """How many of eight pairs count when the worker of some passes fared like this."""
    wanted = wanted or load()
    run = passed(wanted)
    for place, fields in (changed or {}).items():
        worker = run.passes[place].cores[1]
        run.passes[place].cores[1] = msgspec.structs.replace(worker, **fields)
    return len(undisturbed(run, offload_cpus or []))


class TestFigures:
    def test_rows_have_what_is_promised(self) -> None:
        assert set(PROMISED) <= set(PacketRow.__struct_fields__)

    def test_actual_cycles_are_those_of_processing_less_those_of_transfer(self) -> None:
        row = one_row()
        assert row.transfer_cycles == pytest.approx(60_000, rel=0.001)
        assert row.processing_cycles == pytest.approx(500_000, rel=0.001)
        assert row.actual_cycles == pytest.approx(440_000, rel=0.001)
        assert row.actual_cycles_per_packet == pytest.approx(440, rel=0.001)
        assert row.transfer_ns_per_packet == pytest.approx(60, rel=0.001)
        assert row.actual_interval.low < row.actual_cycles < row.actual_interval.high

    def test_the_difference_is_taken_pair_by_pair(self) -> None:
        # What slows both passes of a pair alike is in neither difference.
        passes = []
        for slow in (0, 0, 0, 90_000, 90_000, 90_000, 0):
            passes += [
                one_pass("transfer", 60_000.0 + slow),
                one_pass("processing", 500_000.0 + slow),
            ]
        assert one_row(passes=passes).actual_interval == Interval(low=440_000, high=440_000)

    def test_cycles_are_core_clock_times_wall_time(self) -> None:
        passes = pairs_of(load())
        for it in passes:
            it.core_hz = 2.5e9
        row = one_row(passes=passes)
        assert row.processing_cycles == pytest.approx(2.5 * 500_000, rel=0.001)
        assert row.transfer_ns_per_packet == pytest.approx(60, rel=0.001)
        assert row.core_hz == 2.5e9

    def test_bits_cross_the_function_once_for_each_operation(self) -> None:
        once = one_row()
        both = one_row(load(then="open"))
        assert both.operation == "seal+open"
        assert once.bits == 8 * PACKETS * PACKET_BYTES == both.bits / 2
        assert once.cycles_per_bit == pytest.approx(440_000 / once.bits, rel=0.001)
        assert both.cycles_per_bit == pytest.approx(once.cycles_per_bit / 2)
        # Bytes and rates are of the payload, which is there once.
        assert both.mbytes_per_second == once.mbytes_per_second

    def test_rates_are_of_the_pass_with_the_work(self) -> None:
        row = one_row()
        assert row.packets_per_second == pytest.approx(PACKETS / 500e-6, rel=0.001)
        assert row.mbytes_per_second == pytest.approx(200, rel=0.001)
        assert row.bits_per_second == pytest.approx(1.6e9, rel=0.001)
        assert row.processing_cycles_per_byte == pytest.approx(5, rel=0.001)
        assert (row.hot_cycles_per_byte, row.cold_cycles_per_byte) == (2.0, 2.5)

    def test_cpu_time_is_that_of_all_threads(self) -> None:
        row = one_row(load((1, 2)))
        assert row.cpu_cycles == pytest.approx(3 * 500_000, rel=0.001)
        assert row.transfer_cpu_cycles == pytest.approx(3 * 60_000, rel=0.001)

    def test_packets_of_a_profile_have_its_lengths_in_turn(self) -> None:
        row = one_row(case={"message_bytes": None, "profile": "mix", "lengths": [40, 60, 200]})
        assert row.packet_bytes is None and row.size == "mix"
        assert row.bits == 8 * (333 * 300 + 40)

    def test_empty_packets_have_no_figure_per_bit(self) -> None:
        row = one_row(case={"message_bytes": 0})
        assert row.cycles_per_bit is None and row.mbytes_per_second is None
        assert row.actual_cycles_per_packet == pytest.approx(440, rel=0.001)

    def test_latencies_are_apart(self) -> None:
        row = one_row()
        assert (row.latency_ns.p50, row.transfer_latency_ns.p99) == (5000, 2000)


class TestShares:
    def test_each_cpu_has_its_packets(self) -> None:
        shares = one_row(load((1, 2))).shares
        assert [(it.cpu, it.submits, it.packets, it.share) for it in shares] == [
            *((0, True, 0, 0), (1, False, 500, 0.5), (2, False, 500, 0.5))
        ]

    def test_a_cpu_that_submits_and_processes_is_there_once(self) -> None:
        first, second = one_row(load((0, 1))).shares
        assert (first.cpu, first.submits, first.packets) == (0, True, 500)
        assert first.cpu_cycles == pytest.approx(second.cpu_cycles)


class TestDevices:
    def test_what_a_device_tells_is_in_core_cycles(self) -> None:
        told = contract.DeviceTimes(submissions=32, in_ns=100.0, compute_ns=300.0, wall_ns=900.0)
        passes = pairs_of(load())
        for it in passes:
            it.core_hz, it.cores[1].useful_cycles = 2e9, 700.0
            it.device = told if it.kind == "processing" else None
        row = one_row(passes=passes, case={"offload": "opencl"}, device="a GPU")
        assert row.device == "a GPU"
        times = row.device_times
        assert (times.submissions, times.in_cycles, times.compute_cycles) == (32, 200, 600)
        assert (times.out_cycles, times.wall_cycles) == (None, 1800)
        assert row.useful_cycles == 700

    def test_useful_work_is_not_burnt(self) -> None:
        passes = pairs_of(load())
        for it in passes:
            # As much longer as the pass was: what the packets burnt is the same in all.
            it.cores[1].useful_cycles = it.cores[0].cpu_ns + it.cores[1].cpu_ns - 5000.0
        row = one_row(passes=passes, case={"offload": "opencl"})
        assert row.burnt_cycles == 5000
        assert row.burnt_interval == Interval(low=5000, high=5000)
        assert one_row().burnt_cycles == one_row().cpu_cycles

    def test_without_a_device_there_is_none(self) -> None:
        row = one_row()
        assert row.device_times is None and row.useful_cycles is None and row.device is None


class TestDisturbance:
    def test_pairs_are_found_whichever_pass_came_first(self) -> None:
        found = pairs(passed(load()))
        assert len(found) == 8
        assert {(it.transfer.kind, it.processing.kind) for it in found} == {
            ("transfer", "processing")
        }

    def test_a_pass_without_its_other_is_in_no_pair(self) -> None:
        assert len(pairs(passed(load(), pairs_of(load())[:-1]))) == 7

    def test_a_quiet_run_has_none(self) -> None:
        assert quiet_pairs() == 8

    def test_a_thread_that_polls_and_was_away_disturbs_its_pair(self) -> None:
        assert quiet_pairs({0: {"cpu_ns": 57_000}}) == 7
        assert quiet_pairs({0: {"cpu_ns": 59_500}}) == 8

    def test_the_thread_that_submits_may_end_before_the_others(self) -> None:
        run = passed(load())
        for it in run.passes:
            it.cores[0].cpu_ns //= 2
        assert len(undisturbed(run, [])) == 8
        run.passes[3].cores[0].preemptions = 2
        assert len(undisturbed(run, [])) == 7

    def test_a_thread_that_sleeps_is_judged_by_its_preemptions(self) -> None:
        blocking = load(waiting="block")
        assert quiet_pairs({0: {"cpu_ns": 20_000, "waits": 9}}, blocking) == 8
        assert quiet_pairs({0: {"cpu_ns": 20_000, "preemptions": 3}}, blocking) == 7
        # As one does that polls and waits for a device.
        assert quiet_pairs({0: {"cpu_ns": 20_000, "waits": 9}}) == 8

    def test_threads_that_share_a_cpu_preempt_each_other(self) -> None:
        away = {0: {"cpu_ns": 30_000, "preemptions": 50}}
        assert quiet_pairs(away) == 7
        assert quiet_pairs(away, offload_cpus=[1]) == 8

    def test_a_clock_that_moved_disturbs_its_pair(self) -> None:
        run = passed(load())
        run.passes[4].core_hz *= 1.04
        assert len(undisturbed(run, [])) == 7

    def test_others_on_the_core_disturb_a_pair(self) -> None:
        run = passed(load())
        run.passes[4].cores[1].stretches = 10
        run.passes[4].cores[1].crowded = 1
        assert len(undisturbed(run, [])) == 8
        run.passes[4].cores[1].crowded = 2
        assert len(undisturbed(run, [])) == 7
        # Of two threads of the workload on one core neither is another's.
        run.core_clocks[0].shares_core = True
        assert len(undisturbed(run, [])) == 8

    def test_disturbed_pairs_are_not_in_the_figures(self) -> None:
        passes = pairs_of(load())
        passes[1] = one_pass(
            "processing", 5e6, cores=[core(0, PACKETS, 5e6), core(1, PACKETS, 3e6)]
        )
        row = one_row(passes=passes)
        assert (row.pairs, row.disturbed) == (8, 1)
        assert row.processing_cycles == pytest.approx(500_000, rel=0.002)
        assert row.converged


class TestSettling:
    def test_a_narrow_interval_of_six_pairs_is_enough(self) -> None:
        row = one_row(passes=pairs_of(load(), count=6))
        assert row.converged and row.not_converged_reason is None

    def test_fewer_pairs_are_not(self) -> None:
        row = one_row(passes=pairs_of(load(), count=5))
        assert not row.converged
        assert row.not_converged_reason == "5 of 6 undisturbed pairs"
        assert row.processing_interval is None and row.processing_cycles is not None

    def test_a_wide_interval_is_not(self) -> None:
        passes = [
            it
            for number in range(8)
            for it in (
                one_pass("transfer", 60_000.0),
                one_pass("processing", 500_000.0 * (1 + 0.1 * number)),
            )
        ]
        assert one_row(passes=passes).not_converged_reason.startswith("interval ±")

    def test_mostly_disturbed_pairs_are_not(self) -> None:
        passes = pairs_of(load())
        for it in passes[:10]:
            it.cores[1].cpu_ns //= 2
        row = one_row(passes=passes)
        assert row.not_converged_reason == "5 of 8 pairs disturbed"

    @pytest.mark.parametrize("disturbed", [3, 8])
    def test_disturbed_pairs_that_agree_have_a_figure_without_an_interval(
        self, disturbed: int
    ) -> None:
        passes = pairs_of(load())
        for it in passes[: 2 * disturbed]:
            it.cores[1].stretches = it.cores[1].crowded = 3
        row = one_row(passes=passes)
        assert row.disturbed == disturbed and not row.converged
        assert row.processing_cycles and row.actual_cycles
        assert row.processing_interval is row.actual_interval is row.burnt_interval is None

    def test_it_is_said_where_others_used_the_cores(self) -> None:
        passes = pairs_of(load())
        for it in passes[:10]:
            it.cores[1].stretches = it.cores[1].crowded = 3
        row = one_row(passes=passes)
        assert row.not_converged_reason == "5 of 8 pairs disturbed, 5 by others on the cores"

    def test_a_case_that_never_began_has_no_figure(self) -> None:
        row = one_row(passes=[])
        assert not row.is_measured and row.processing_cycles is None
        assert row.not_converged_reason == "0 of 6 pairs"


class TestFailures:
    @pytest.mark.parametrize("what", ["lost", "duplicated", "out_of_order"])
    def test_packets_that_did_not_arrive_leave_no_figure(self, what: str) -> None:
        passes = pairs_of(load())
        setattr(passes[3], what, 2)
        row = one_row(passes=passes)
        assert row.error.kind == "not-delivered" and "2 " in row.error.message
        assert getattr(row, what) == 2
        assert row.processing_cycles is None and not row.is_measured
        assert WORKLOAD.rows_from_table(WORKLOAD.rows_table([row])) == [row]

    def test_a_case_that_crashed_is_a_row_with_its_error(self) -> None:
        _, rows = packets_example()
        assert rows[-1].error.signal == "SIGSEGV"
        assert rows[-1].packets == PACKETS and rows[-1].processing_cycles is None
