"""Influences on the cost of a packet in the study of KASUMI."""

from __future__ import annotations

from typing import Any

import pytest

from ciphermark.studies.kasumi.packet_terms import PacketTerms, packet_terms
from ciphermark.workloads.packets.row import Interval, PacketRow
from flow_rows import packet_row

PACKETS = 1000


def row(size: int, fixed: float = 400.0, per_byte: float = 2.0, **fields: Any) -> PacketRow:
    """Packets at 1 GHz that cost so much each and for each byte, known to 1 %."""
    packets = fields.get("packets", PACKETS)
    cycles = fixed + per_byte * size
    usual: dict[str, Any] = {
        **{"message_bytes": size, "cpus": [1], "submit_cpu": 0, "core_hz": 1e9},
        **{"processing_cycles_per_packet": cycles, "processing_cycles": cycles * packets},
        "processing_interval": Interval(low=0.99 * cycles * packets, high=1.01 * cycles * packets),
        "transfer_cycles_per_packet": 100.0,
        "hot_cycles_per_byte": 1.5 + 200 / size,
        "cold_cycles_per_byte": 1.75 + 200 / size,
    }
    return packet_row(**usual | fields)


SIZES = (40, 88, 500, 1000)


def terms_of(rows: list[PacketRow], clock_read_ns: float | None = 25.0) -> PacketTerms:
    (found,) = packet_terms(rows, clock_read_ns)
    return found


def cycles(found: PacketTerms, name: str) -> dict[int, float]:
    return next(it.cycles for it in found.terms if it.term.startswith(name))


@pytest.fixture
def found() -> PacketTerms:
    """All that the plan measures."""
    base = [row(size) for size in SIZES]
    keyed = [row(size, fixed=700.0, key_setup="per-packet") for size in SIZES]
    few = [row(size, fixed=450.0, packets=100) for size in SIZES]
    return terms_of([*keyed, *few, *base])


class TestTerms:
    def test_setting_the_key_is_what_a_packet_costs_more_with_it(self, found: PacketTerms) -> None:
        assert cycles(found, "key set") == pytest.approx(dict.fromkeys(SIZES, 300.0))

    def test_a_call_is_what_the_function_costs_hot_at_no_bytes(self, found: PacketTerms) -> None:
        assert cycles(found, "a call") == pytest.approx(dict.fromkeys(SIZES, 200.0))

    def test_memory_costs_what_cold_packets_cost_more(self, found: PacketTerms) -> None:
        assert cycles(found, "packets from memory")[1000] == pytest.approx(250.0)
        (memory,) = (it for it in found.terms if it.influence == "bus bandwidth")
        assert memory.note == "4.0 GB/s at 1000 B"

    def test_other_threads_cost_what_a_packet_costs_less_without_them(self) -> None:
        base = [row(size, pairs=40, disturbed=6) for size in SIZES]
        isolated = [
            row(size, fixed=380.0, policy="round-robin", pairs=50, disturbed=1)
            for size in (40, 1000)
        ]
        found = terms_of([*isolated, *base])
        assert cycles(found, "other threads") == pytest.approx({40: 20.0, 1000: 20.0})
        (term,) = (it for it in found.terms if it.influence == "operating system")
        assert term.note == "pairs disturbed: 12 of 80 plain, 2 of 100 isolated"

    def test_without_the_right_the_term_says_so(self, found: PacketTerms) -> None:
        assert any("may not let threads go before all others" in it for it in found.lacking)

    def test_bytes_and_the_spread_over_numbers_of_packets(self, found: PacketTerms) -> None:
        assert cycles(found, "bytes")[40] == pytest.approx(80.0)
        assert cycles(found, "spread") == pytest.approx(dict.fromkeys(SIZES, 50.0))

    def test_the_clock_is_read_twice_for_all_packets(self, found: PacketTerms) -> None:
        assert cycles(found, "readings")[40] == pytest.approx(2 * 25 / PACKETS)

    def test_shares_are_of_the_whole_packet(self, found: PacketTerms) -> None:
        assert found.cycles == pytest.approx({size: 400 + 2 * size for size in SIZES})
        (queue,) = (it for it in found.terms if it.term.startswith("passage"))
        assert queue.shares[40] == pytest.approx(100 / 480)
        assert queue.shares[1000] == pytest.approx(100 / 2400)

    def test_a_device_has_a_term_for_submissions(self) -> None:
        device = {"offload": "opencl", "cpu_cycles": 90_000.0, "transfer_cpu_cycles": 50_000.0}
        told = terms_of([row(size, **device) for size in SIZES])
        assert cycles(told, "submission") == pytest.approx(dict.fromkeys(SIZES, 40.0))

    def test_what_was_not_measured_is_said(self) -> None:
        told = terms_of([row(size) for size in SIZES], clock_read_ns=None)
        assert [it.split(":")[0] for it in told.lacking] == [
            "key set for each packet",
            "other threads and interrupts",
            "spread over numbers of packets",
        ]

    def test_rows_of_other_conditions_are_not_mixed_in(self) -> None:
        other = [row(size, fixed=9000.0, batch=1) for size in SIZES[:2]]
        assert terms_of([*other, *(row(size) for size in SIZES)]).cycles[40] == 480
        failed = [row(40, pairs=0)]
        assert packet_terms(failed) == []
