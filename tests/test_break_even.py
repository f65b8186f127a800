"""From which size on a device beats the CPU: planted crossings are found again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from break_even_example import CPU, CROSSING, DEVICE, GPU, POCL, over_sizes, packet_row
from ciphermark.statistics.crossing import crossing
from ciphermark.statistics.estimate import Estimate
from ciphermark.workloads.packets.break_even import BreakEven, Comparison, best, break_even, grouped
from ciphermark.workloads.packets.row import DeviceShare, PacketRow, cpu_cycles


def only(rows: list[PacketRow]) -> Comparison:
    (found,) = break_even(rows)
    return found


def throughput(cpu: list[PacketRow], device: list[PacketRow]) -> BreakEven:
    found = only(cpu + device).throughput
    assert found is not None
    return found


def test_a_planted_crossing_is_found_within_its_interval() -> None:
    found = throughput(over_sizes(CPU), over_sizes(DEVICE, **GPU))
    assert found.outcome == "from"
    assert found.message_bytes == pytest.approx(CROSSING)
    assert found.has_interval
    assert 64 < found.low < CROSSING < found.high < 256
    assert found.doubtful == []


def test_noise_leaves_the_crossing_within_the_interval() -> None:
    # Each figure is off by a share whose 95 % interval its row states.
    random = np.random.default_rng(8)
    held = 0
    for _ in range(200):
        rows = [
            over_sizes(cost, noise=0.02, random=random, half=1.96 * 0.02, **fields)
            for cost, fields in ((CPU, {}), (DEVICE, GPU))
        ]
        found = throughput(*rows)
        held += (found.low or 0) <= CROSSING <= (found.high or np.inf)
    assert held >= 190


def test_a_wider_interval_of_the_rows_widens_that_of_the_crossing() -> None:
    narrow, wide = (
        throughput(over_sizes(CPU, half=half), over_sizes(DEVICE, half=half, **GPU))
        for half in (0.01, 0.1)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


def test_an_end_beyond_what_was_measured_is_open() -> None:
    sizes = (128, 512, 1500)
    found = throughput(
        over_sizes(CPU, half=0.6, sizes=sizes), over_sizes(DEVICE, half=0.6, sizes=sizes, **GPU)
    )
    assert found.message_bytes == pytest.approx(CROSSING)
    assert (found.low, found.has_interval) == (None, True)
    assert found.doubtful == [128, 512]


def test_without_intervals_the_crossing_has_none() -> None:
    found = throughput(over_sizes(CPU, processing_interval=None), over_sizes(DEVICE, **GPU))
    assert found.message_bytes == pytest.approx(CROSSING)
    assert (found.low, found.high, found.has_interval) == (None, None, False)


@pytest.mark.parametrize(
    ("device", "outcome", "meets"),
    [
        ((100.0, 2.0), "always", None),
        ((300.0, 10.5), "never", None),
        ((300.0, 10.0), "never", None),
        ((20_000.0, 2.0), "beyond", 2475.0),
        # They would meet at 198,000 bytes, where there are no packets.
        ((20_000.0, 9.9), "never", None),
        ((100.0, 11.0), "up-to", 100.0),
    ],
)
def test_outcomes(device: tuple[float, float], outcome: str, meets: float | None) -> None:
    found = throughput(over_sizes(CPU), over_sizes(device, **GPU))
    assert found.outcome == outcome
    assert found.message_bytes == (meets and pytest.approx(meets))


def test_one_size_does_not_tell_what_larger_packets_do() -> None:
    found = throughput(over_sizes(CPU, sizes=(64,)), over_sizes(DEVICE, sizes=(64,), **GPU))
    assert (found.outcome, found.message_bytes) == ("beyond", None)


def test_costs_that_are_not_told_apart_at_any_size_are_even() -> None:
    found = throughput(over_sizes(CPU), over_sizes((202.0, 10.01), **GPU))
    assert (found.outcome, found.doubtful) == ("even", [64, 256, 512, 1024, 1500])


def test_costs_that_cross_more_than_once_have_no_break_even() -> None:
    device = [packet_row(size, cost, **GPU) for size, cost in ((64, 9e2), (256, 2e3), (1500, 2e4))]
    assert throughput(over_sizes(CPU), device).outcome == "several"


def test_noise_near_the_crossing_is_no_further_crossing() -> None:
    # Hardly faster, hardly slower: neither is told, and what is told crosses once.
    rough = [(64, 2000.0), (128, 1490.0), (256, 2750.0), (300, 3250.0), (1500, 5000.0)]
    device = [packet_row(size, cost, half=0.05, **GPU) for size, cost in rough]
    cpu = over_sizes(CPU, sizes=tuple(size for size, _ in rough), half=0.05)
    cpu[1] = packet_row(128, 1500.0, half=0.05)
    found = throughput(cpu, device)
    assert (found.outcome, found.doubtful) == ("from", [128, 256, 300])
    assert 64 < found.low < found.message_bytes < found.high < 1500


def test_at_each_size_the_fastest_on_the_cpu_is_the_rival() -> None:
    table = over_sizes(CPU)
    lanes = over_sizes((1500.0, 2.5), backend="bytesliced-avx512", lanes=32)
    found = only(table + lanes + over_sizes(DEVICE, **GPU))
    assert found.points[0].rival == "kernels · table"
    assert found.points[-1].rival == "kernels · bytesliced-avx512 · 32 lanes"
    # 1500 + 2.5·n meets 2000 + 2·n.
    assert found.throughput.message_bytes == pytest.approx(1000)


@pytest.mark.parametrize(
    "other", [{"batch": 64}, {"cpus": [0, 1]}, {"algorithm": "uia1"}, {"waiting": "poll"}]
)
def test_only_the_same_load_is_a_rival(other: dict[str, Any]) -> None:
    assert break_even(over_sizes(CPU, **other) + over_sizes(DEVICE, **GPU)) == []


def test_offered_loads_and_failed_cases_do_not_take_part() -> None:
    cpu = over_sizes(CPU) + over_sizes((1.0, 0.0), offered_per_s=1e3)
    failed = over_sizes((1.0, 0.0), pairs=0)
    found = throughput(cpu + failed, over_sizes(DEVICE, **GPU))
    assert found.message_bytes == pytest.approx(CROSSING)


def test_of_a_cpu_behind_opencl_nothing_is_quoted() -> None:
    for device in (POCL, POCL | {"backend": "default"}, POCL | {"device": None}):
        found = only(over_sizes(CPU) + over_sizes(DEVICE, **device))
        assert found.is_cpu
        assert (found.throughput, found.cpu_time) == (None, None)
        assert len(found.points) == 5


def test_useful_work_is_freed() -> None:
    # The CPU waits for the device, and does something else in nine tenths of the time.
    device = [
        packet_row(size, 2000 + 2 * size, burnt_cycles_per_packet=200 + 0.2 * size, **GPU)
        for size in (64, 1500)
    ]
    found = only(over_sizes(CPU) + device)
    assert found.points[0].device_cpu_cycles.value == pytest.approx(212.8)
    assert found.points[-1].freed_cycles.value == pytest.approx(15_200 - 500)
    assert found.points[-1].freed_cycles_per_byte == pytest.approx(14_700 / 1500)
    assert found.cpu_time.outcome == "always"
    assert found.throughput.outcome == "from"


def test_cores_that_are_the_device_burn_cpu_time_too() -> None:
    times = DeviceShare(
        submissions=1, in_cycles=1e6, compute_cycles=5e6, out_cycles=1e6, wall_cycles=9e6
    )
    cores = dict(offload="cores", offload_cpus=[2], device="CPU 2")
    row = packet_row(64, 1000, device_times=times, half=0.1, **cores)
    assert tuple(cpu_cycles(row)) == pytest.approx((8000, 7900, 8100))
    silent = packet_row(64, 1000, **cores)
    assert cpu_cycles(silent) is None
    found = only([*over_sizes(CPU, sizes=(64,)), silent])
    assert found.cpu_time.outcome == "no-figure"
    assert not found.is_cpu


def test_the_difference_has_the_arms_of_both() -> None:
    found = Estimate(10, 7, 14).minus(Estimate(6, 3, 10))
    assert found == Estimate(4, -1, 9)
    assert Estimate(10).minus(Estimate(6, 3, 10)) == Estimate(4)


def test_a_gain_of_nothing_is_none() -> None:
    assert crossing([64.0], [Estimate(0.0)]).reach == "nowhere"


def test_the_best_arrangement_breaks_even_first() -> None:
    rows = over_sizes(CPU) + over_sizes(CPU, batch=256)
    rows += over_sizes((20_000.0, 2.0), **GPU) + over_sizes(DEVICE, batch=256, **GPU)
    rows += over_sizes((3000.0, 2.0), batch=256, in_flight=4, **GPU)
    (group,) = grouped(break_even(rows))
    assert [(it.batch, it.in_flight) for it in group] == [(32, 1), (256, 1), (256, 4)]
    chosen = best(group, "throughput")
    assert (chosen.batch, chosen.in_flight) == (256, 1)
