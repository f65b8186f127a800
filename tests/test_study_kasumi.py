"""The study of packets: its plan, its tables, its figures, and each claim both ways."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import msgspec
import pytest
from typer.testing import CliRunner

from ciphermark import contract
from ciphermark.cli.main import app
from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.plan.build import Built, build
from ciphermark.plan.planfile import Effort
from ciphermark.plan.selection import Selection
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.studies import charts as study_plots
from ciphermark.studies import registry
from ciphermark.studies.kasumi import QUESTIONS, TWICE, charts, claims, paper, simulated, tables
from ciphermark.studies.kasumi.evidence import printed
from ciphermark.studies.kasumi.paper import (
    ACCELERATOR,
    BOTH,
    DECRYPT,
    ENCRYPT,
    SIZES,
    SOFTWARE,
    TYPICAL,
    UEA1,
    UIA1,
    Load,
)
from ciphermark.studies.statements import Said
from ciphermark.view.findings import Claim, Table
from ciphermark.view.plots.panel import picture
from ciphermark.workload import rows_table
from ciphermark.workloads.flows import Latencies
from ciphermark.workloads.packets.figures import packet_rows
from ciphermark.workloads.packets.row import Interval, PacketRow
from here_example import cores, here
from kasumi_example import (
    FAST,
    GPU,
    INTERVALS,
    SPEED_UP,
    TABLE,
    Ticks,
    as_printed,
    packet_row,
    passed,
    quick,
    software_only,
    with_cycles,
)
from lent_engine import all_algorithms, description, implementation, provider
from packets_example import packets_run, pairs_of
from packets_example import passed as packets_passed
from simulation_example import described
from study_example import line
from synthetic import synthetic_run

RUN = synthetic_run()


def claim(rows: list[PacketRow], name: str) -> Claim:
    return {it.claim: it for it in claims(RUN, rows)}[name]


def table(rows: list[PacketRow], title: str) -> Table:
    [found] = [it for it in tables(RUN, rows) if it.title.startswith(title)]
    return found


def changed(is_meant: Callable[[PacketRow], bool], **factors: float) -> list[PacketRow]:
    """The machine of the thesis with figures of some rows multiplied."""
    return [
        with_cycles(it, **{name: by * getattr(it, name) for name, by in factors.items()})
        if is_meant(it)
        else it
        for it in as_printed()
    ]


def of(role: str, **fields: Any) -> Callable[[PacketRow], bool]:
    """Whether a row is of the accelerator or the software, with these fields."""

    def is_meant(it: PacketRow) -> bool:
        is_of_role = (it.offload != "none") == (role == ACCELERATOR)
        return is_of_role and all(getattr(it, name) == value for name, value in fields.items())

    return is_meant


def built(effort: Effort, count: int) -> Built:
    """The plan on a machine with our kernels and another library."""
    facts = description()
    facts.providers += [provider(name) for name in ("kernels", "ipsec-mb")]
    for it in all_algorithms():
        lanes = implementation(it, "kernels", "bytesliced-avx2", default=False)
        lanes.most_lanes = 256
        facts.implementations += [
            implementation(it, "kernels", "table"),
            implementation(it, "kernels", "reference", default=False),
            lanes,
            implementation(it, "ipsec-mb"),
        ]
    machine = here(cores(count), 1 << 34)
    return build(registry.load("kasumi").plan.at(effort), Selection(), facts, machine)


def loads(found: Built, **wanted: Any) -> set[tuple[int, int]]:
    """Packets and bytes of the cases of that kind on one core."""
    return {
        (it.packets.packets, it.message_bytes)
        for it in found.plan.cases
        if all(getattr(it, name) == value for name, value in wanted.items())
        if len(it.packets.cpus) == 1
    }


@pytest.mark.slow
@pytest.mark.parametrize("effort", ["quick", "usual", "full"])
@pytest.mark.parametrize("count", [1, 2, 16])
def test_the_plan_has_every_size_by_both_paths_on_any_machine(effort: Effort, count: int) -> None:
    found = built(effort, count)
    wanted = {(TYPICAL, size) for size in SIZES}
    for lanes in (1, 256):
        for operation in ("encrypt", "decrypt"):
            kind = {"algorithm": "uea1", "lanes": lanes, "operation": operation}
            assert wanted <= loads(found, **kind)
    assert {it.packets.then for it in found.plan.cases} >= {None, "decrypt"}
    assert {it.packets.waiting for it in found.plan.cases} == {"poll", "block"}
    assert "opencl" in " ".join(found.notes)


def test_the_usual_plan_answers_for_every_table() -> None:
    found = built("usual", 2)
    cases = found.plan.cases
    assert {(it, 40) for it in (100, 500, 1000, TYPICAL, 8000)} <= loads(found, lanes=1)
    assert {len(it.packets.cpus) for it in cases if it.message_bytes == 64} == {1, 2}
    assert {it.packets.packets for it in cases if it.message_bytes == 512} >= {
        16_000,
        24_000,
        64_000,
    }
    assert {it.packets.key_setup for it in cases} == {"cached", "per-batch", "per-packet"}
    assert {it.packets.delivery for it in cases} == {"unordered", "ordered", "per-flow"}
    assert {it.packets.architecture for it in cases} == {
        "run-to-completion",
        "free-pipeline",
        "pinned-pipeline",
    }
    names = {"uea1", "uia1", "uea2", "uia2", "eea3", "eia3", "kasumi-ecb"}
    assert {it.algorithm for it in cases} == names


def test_other_cores_are_an_accelerator_where_some_are_left() -> None:
    assert not [it for it in built("usual", 2).plan.cases if it.offload == "cores"]
    offloaded = [it for it in built("usual", 4).plan.cases if it.offload == "cores"]
    assert {it.message_bytes for it in offloaded} >= set(SIZES)
    assert {it.packets.in_flight for it in offloaded} == {1, 8}


def test_the_full_plan_has_every_number_of_packets() -> None:
    wanted = {(1000 * it, size) for it in range(1, 9) for size in SIZES}
    assert wanted <= loads(built("full", 2), algorithm="uea1", backend="reference")


def test_printed_and_measured_ticks_stand_beside_each_other() -> None:
    found = line(table(as_printed(), "Table 5."), 1000)
    assert found["the thesis, ticks processing"] == 2_722_153
    assert found["here, opencl on GPU: a graphics processor processing"] == 2_722_153
    assert found["bits"] == 704_000


def test_rows_that_contradict_themselves_are_marked_and_told() -> None:
    shown = table(as_printed(), "Table A2.")
    assert [shown.rows[row][0] for row, _ in shown.doubtful] == [8000]
    assert any(
        note.startswith("8000 packets: processing-transfer = -964387") for note in shown.notes
    )


def test_packets_that_the_thesis_does_not_have_make_rows() -> None:
    row = packet_row(Load(SOFTWARE, ENCRYPT, 100, 40), Ticks(1, 3, 2), **TABLE)
    found = line(table([row], "Table A9."), 100)
    assert found["the thesis, ticks actual"] is None
    assert found["here, kernels table actual"] == 2


def test_cycles_per_bit_count_the_bits_once() -> None:
    found = line(table(as_printed(), "Table 12."), 1000)
    assert found["here kernels table"] == pytest.approx(found["the thesis software"])


def test_both_directions_have_the_order_of_the_thesis() -> None:
    shown = table(as_printed(), "Table 14.")
    assert [column.heading for column in shown.columns[1:4]] == [BOTH, DECRYPT, ENCRYPT]
    assert line(shown, 1000)["the thesis, ticks decrypt"] == 624_002


def test_cores_have_speed_up_and_efficiency() -> None:
    found = line(table(as_printed(), "Table 15."), 16)
    gain = 1479950202 / 92594551
    assert found["here, kernels table speed-up"] == pytest.approx(gain)
    assert found["the thesis, software efficiency, %"] == pytest.approx(100 * gain / 16)


def test_beyond_the_cores_of_a_machine_a_law_says_so() -> None:
    shown = table(software_only(4), "Table 15.")
    beyond = line(shown, 16)
    assert beyond["here, kernels table cycles"] is None
    extrapolated = beyond["here, kernels table cycles, extrapolated"]
    assert extrapolated == pytest.approx(92594551, rel=0.02)
    assert line(shown, 4)["here, kernels table cycles, extrapolated"] is None
    assert any("extrapolated by Amdahl's law with σ" in note for note in shown.notes)


def test_the_fewest_cores_for_a_rate() -> None:
    shown = table(as_printed(), "Fewest cores")
    [found] = [row for row in shown.rows if row[1] == "6.1.2.2, in words"]
    assert found[2:] == [5, None, 5, None]


def in_manner(**changes: Any) -> list[PacketRow]:
    """5000 packets in the plain way and in another."""
    return [passed(1000.0), passed(1250.0, **changes)]


def test_key_generation_and_modes_fill_the_empty_rows() -> None:
    rows = [passed(1000.0), passed(1500.0, key_setup="per-packet")]
    found = line(table(rows, "Key generation"), "uea1", "kernels table", 40)
    assert found["per-packet/cached"] == pytest.approx(1.5)
    assert found["actual cycles a packet per-batch"] is None
    rows = [passed(1000.0), passed(800.0, algorithm="kasumi-ecb")]
    found = line(table(rows, "Cipher mode"), "kernels table", 40)
    assert found["actual cycles per 8 bytes blocks alone"] == pytest.approx(0.9 * 800 / 5)
    assert found["against blocks alone f8"] == pytest.approx(1.25)
    assert found["against blocks alone f9"] is None


def test_integrity_and_successors_have_tables() -> None:
    rows = [
        passed(1000.0, algorithm=UIA1, operation="mac"),
        passed(500.0, algorithm="eea3", hot_cycles_per_byte=3.0, size=1000),
    ]
    assert line(table(rows, "UIA1"), "mac", "kernels table", 40)["packets"] == TYPICAL
    found = line(table(rows, "KASUMI and its successors"), "eea3", "kernels table")
    assert found["packets of 1000 bytes hot, cycles/byte"] == 3.0
    assert found["actual cycles/bit 40 bytes"] is None


def test_influences_are_terms_of_a_packet() -> None:
    rows = [*software_only(1), passed(9000.0, key_setup="per-packet")]
    shown = table(rows, "Influences")
    found = line(shown, UEA1, "kernels table", "data size")
    assert (found["smallest packets bytes"], found["largest packets bytes"]) == (40, 1000)
    assert found["largest packets %"] > found["smallest packets %"]
    assert {cells[2] for cells in shown.rows} >= {"interface software", "data size", "timer"}


def test_other_ways_stand_beside_the_plain_one() -> None:
    shown = table(in_manner(waiting="block"), "How packets pass")
    assert [row[5] for row in shown.rows] == ["plain", "block"]
    shown = table([passed(1000.0), passed(1000.0, priorities=8)], "How packets pass")
    assert shown.rows[1][5] == "8 priorities"


def test_memory_is_that_of_many_packets() -> None:
    shown = table(as_printed(), "Memory")
    assert [row[0] for row in shown.rows] == [16_000, 24_000, 64_000]


CPU_DEVICE = {"backend": "cpu", "device": "CPU: a processor"}


def test_opencl_on_the_cpu_is_shown_and_nothing_is_claimed_of_it() -> None:
    rows = [
        msgspec.structs.replace(it, **CPU_DEVICE) if it.offload == "opencl" else it
        for it in as_printed()
    ]
    shown = table(rows, "KASUMI by each accelerator")
    assert "OpenCL's device is the CPU itself" in " ".join(shown.notes)
    for name in ("software-much-slower", "software-takes-more-than-7-times"):
        found = claim(rows, name)
        assert found.holds is None
        assert "the only OpenCL device here is the CPU itself" in found.here
    assert "here" not in " ".join(column.group for column in table(rows, "Table 4.").columns)


def test_other_cores_stand_for_an_accelerator_with_the_same_code_path_alone() -> None:
    cores = {"offload": "cores", "offload_cpus": [2], "device": "CPU 2"}
    rows = [passed(1000.0), passed(1100.0, **cores)]
    rows.append(passed(100.0, backend="bytesliced-avx512", lanes=64, **cores))
    found = claim(rows, "software-much-slower")
    assert found.holds is False
    assert "×0.909" in found.here


def test_a_failed_accelerator_says_why() -> None:
    failure = contract.Failure(kind="failed", message="the device disappeared")
    row = passed(1000.0, error=failure, pairs=0, **GPU)
    assert "the device disappeared" in claim([row], "software-much-slower").here


def urgent(low: float, high: float) -> PacketRow:
    """Packets of two priorities, of which the second wait twice as long, known to such ends."""
    waits = [Latencies(p50=p50, p90=p50, p99=p50, p999=p50) for p50 in (1000, 2000)]
    return passed(
        1000.0,
        priorities=2,
        latency_by_priority_ns=waits,
        urgency=2.0,
        urgency_interval=Interval(low=low, high=high),
    )


def test_urgent_packets_go_first_where_they_wait_less() -> None:
    found = claim([urgent(1.8, 2.2)], "urgent-packets-first")
    assert found.holds is True
    assert "1.00 µs, 2.00 µs; the least urgent wait 2.00 (1.80 to 2.20) times as long" in found.here
    assert claim([urgent(0.9, 2.2)], "urgent-packets-first").holds is None
    untold = claim([passed(1000.0, priorities=2)], "urgent-packets-first")
    assert untold.holds is None and "did not tell their latencies apart" in untold.here


JUDGED_TWICE = [it for it in QUESTIONS.file.statement if it.printed and it.asked_here]

ANOTHER_HERE = {"memory-grows-with-packets", "capacity-0.9-gbit"}
"""Statements that a machine is asked in another way."""


@pytest.mark.slow
@pytest.mark.parametrize("said", JUDGED_TWICE, ids=lambda said: said.claim)
def test_a_machine_like_theirs_says_what_the_tables_do(said: Said) -> None:
    assert said.printed is not None
    found = claim(as_printed(), said.claim)
    assert found.holds is (True if said.claim in ANOTHER_HERE else said.printed.holds), found.here


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "is_meant", "factors", "holds"),
    [
        ("software-much-slower", of(SOFTWARE), {"actual_cycles": 0.2}, False),
        ("software-takes-more-than-7-times", of(SOFTWARE), {"actual_cycles": 1.1}, True),
        (
            "encryption-like-decryption-of-small-packets",
            of(SOFTWARE, operation=DECRYPT, packet_bytes=88),
            {"actual_cycles": 1.1},
            False,
        ),
        (
            "accelerator-encrypts-like-it-decrypts-1000-bytes",
            of(ACCELERATOR, operation=DECRYPT, packet_bytes=1000),
            {"actual_cycles": 0.9},
            False,
        ),
        (
            "decryption-takes-twice-encryption-1000-bytes",
            of(SOFTWARE, operation=DECRYPT, packet_bytes=1000),
            {"actual_cycles": 2.0},
            True,
        ),
        ("cycles-fall-with-cores", of(SOFTWARE, cores=9), {"processing_cycles": 2.0}, False),
        ("memory-grows-with-packets", of(ACCELERATOR, packets=64_000), {"buffer_bytes": 0}, None),
        (
            "one-or-two-cores-enough-with-accelerator",
            of(ACCELERATOR, cores=2),
            {"processing_cycles": 0.5},
            True,
        ),
        ("capacity-0.9-gbit", of(ACCELERATOR), {"processing_cycles": 9.0}, False),
        (
            "overheads-matter-less-with-size",
            of(SOFTWARE, packet_bytes=1000),
            {"transfer_cycles": 100},
            False,
        ),
        (
            "overheads-dominate-small-packets",
            lambda it: it.packet_bytes == 40,
            {"transfer_cycles": 100},
            True,
        ),
    ],
)
def test_each_statement_can_come_out_otherwise(
    name: str,
    is_meant: Callable[[PacketRow], bool],
    factors: dict[str, float],
    holds: bool | None,
) -> None:
    found = claim(changed(is_meant, **factors), name)
    assert found.holds is holds, found.here


def evened(field: str, value: Callable[[PacketRow], float]) -> list[PacketRow]:
    """The machine of the thesis with one figure of all rows set."""
    return [with_cycles(it, **{field: value(it)}) for it in as_printed()]


@pytest.mark.parametrize(
    "name", [*TWICE, "capacity-0.9-gbit", "key-setup-small", "software-can-be-optimised"]
)
def test_figures_without_an_interval_decide_nothing(name: str) -> None:
    rows = [
        msgspec.structs.replace(it, **dict.fromkeys(INTERVALS))
        for it in [*as_printed(), *software_only(1), passed(1500.0, key_setup="per-packet")]
    ]
    found = claim(rows, name)
    assert found.holds is None, found.here


def test_the_same_cycles_per_bit_hold_over_size_and_packets() -> None:
    rows = evened("actual_cycles", lambda it: 8.0 * it.packets * it.packet_bytes)
    assert claim(rows, "cycles-per-bit-same-over-size").holds is True
    assert claim(rows, "cycles-per-bit-same-over-packets").holds is True


def test_packets_that_cost_more_the_more_there_are_hold() -> None:
    def cost(it: PacketRow) -> float:
        growth = it.packets / (1000 if it.offload == "none" else 4000)
        return it.packets * it.packet_bytes * (1 + growth)

    found = claim(evened("actual_cycles", cost), "more-packets-cost-more-each")
    assert found.holds is True, found.here


def test_cores_that_stop_helping_hold() -> None:
    rows = evened("processing_cycles", lambda it: 1e9 / min(it.cores, 5) + it.transfer_cycles / 1e6)
    assert claim(rows, "little-gain-beyond-5-cores").holds is True


def test_few_cores_extrapolate_and_decide_nothing() -> None:
    found = claim(software_only(2), "little-gain-beyond-5-cores")
    assert found.holds is None
    assert "extrapolated from 1 to 2 by Amdahl's law" in found.here


def test_without_an_accelerator_software_alone_can_refute_only() -> None:
    rows = software_only(2)
    assert claim(rows, "cycles-per-bit-same-over-size").holds is False
    assert claim(rows, "encryption-like-decryption-of-small-packets").holds is None
    found = claim(rows, "one-or-two-cores-enough-with-accelerator")
    assert found.holds is None
    assert "on one CPU without it" in found.here


@pytest.mark.parametrize(("factor", "holds"), [(1.05, True), (1.5, False)])
def test_schedules_for_each_packet_are_small_or_not(factor: float, holds: bool) -> None:
    rows = [passed(1000.0), passed(factor * 1000.0, key_setup="per-packet")]
    assert claim(rows, "key-setup-small").holds is holds


def test_the_quickest_kernel_is_held_against_the_one_with_tables() -> None:
    rows = software_only(1)
    found = claim(rows, "software-can-be-optimised")
    assert found.holds is True
    assert f"×{SPEED_UP}.0" in found.here
    slow = [it for it in rows if it.lanes == 1] + [
        with_cycles(it, actual_cycles=SPEED_UP * it.actual_cycles) for it in rows if it.lanes > 1
    ]
    assert claim(slow, "software-can-be-optimised").holds is False


WAYS = [
    ("polling-faster-than-interrupts", {"waiting": "poll"}, {"waiting": "block"}),
    (
        "modified-pipeline-scales-better",
        {"architecture": "free-pipeline", "operation": BOTH, "cores": 2},
        {"architecture": "pinned-pipeline", "operation": BOTH, "cores": 2},
    ),
    (
        "ordered-flow-scales-over-cores",
        {"delivery": "ordered", "keys": 1, "cores": 2},
        {"delivery": "per-flow", "keys": 1, "cores": 2},
    ),
]


@pytest.mark.parametrize(("name", "better", "worse"), WAYS)
def test_ways_are_compared_by_their_cycles(
    name: str, better: dict[str, Any], worse: dict[str, Any]
) -> None:
    for factor, holds in ((1.2, True), (1.01, False)):
        rows = [passed(1000.0, **better), passed(factor * 1000.0, **worse)]
        assert claim(rows, name).holds is holds
    assert claim([passed(1000.0, **better)], name).holds is None


def test_intervals_that_leave_it_open_decide_nothing() -> None:
    def sure(cycles: float, half: float, **changes: Any) -> PacketRow:
        row = passed(cycles, **changes)
        middle = row.processing_cycles
        row.processing_interval = Interval(low=(1 - half) * middle, high=(1 + half) * middle)
        return row

    for half, holds in ((0.01, True), (0.1, None)):
        rows = [sure(1000.0, half), sure(1100.0, half, waiting="block")]
        found = claim(rows, "polling-faster-than-interrupts")
        assert found.holds is holds
    assert "the intervals of the figures do not decide" in found.here


NO_INTERVAL = {"actual_interval": None, "processing_interval": None}


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("polling-faster-than-interrupts", {}, {"waiting": "block"}),
        ("key-setup-small", {}, {"key_setup": "per-packet"}),
        ("software-can-be-optimised", {"size": 1000}, FAST | {"size": 1000}),
    ],
)
@pytest.mark.parametrize("without", [0, 1, 2])
def test_a_figure_without_an_interval_decides_nothing(
    name: str, one: dict[str, Any], other: dict[str, Any], without: int
) -> None:
    changes = [one, other]
    for place in {0: [0], 1: [1], 2: [0, 1]}[without]:
        changes[place] = changes[place] | NO_INTERVAL
    found = claim([passed(1000.0, **changes[0]), passed(2000.0, **changes[1])], name)
    assert found.holds is None
    count = 2 if without == 2 else 1
    assert f"{count} of 2 inputs" in found.here and "(no interval)" in found.here


def test_rows_that_did_not_settle_are_marked() -> None:
    rows = [passed(1000.0), passed(100.0, converged=False, size=88)]
    assert table(rows, "Table A9.").unsettled == []
    shown = table(rows, "Table A10.")
    assert [shown.rows[it][0] for it in shown.unsettled] == [TYPICAL]


def test_cycles_that_drown_in_the_transfer_are_not_judged() -> None:
    rows = [passed(1000.0), passed(900.0, operation=DECRYPT, actual_cycles=-5.0)]
    assert claim(rows, "encryption-like-decryption-of-small-packets").holds is None
    assert line(table(rows, "Table A13."), TYPICAL)["here, kernels table actual"] == -5.0


def test_what_no_row_tells_is_not_testable_with_its_reason() -> None:
    names = (
        "urgent-packets-first",
        "cores-work-only-for-their-groups",
        "simulated-octeon-instructions",
    )
    for name in names:
        found = claim(as_printed(), name)
        assert found.holds is None and found.here
    assert "106 at 40 bytes" in claim([], "simulated-octeon-instructions").published


@pytest.mark.parametrize(
    ("first", "second", "holds"),
    [(2500.0, 2500.0, True), (2501.0, 2499.0, True), (2600.0, 2400.0, False)],
)
def test_cores_of_a_group_have_the_packets_of_its_flows(
    first: float, second: float, holds: bool
) -> None:
    in_groups = passed(700.0, cores=2, size=512, groups=[[0], [1]], keys=16)
    for share, packets in zip(in_groups.shares, (first, second), strict=True):
        share.packets = packets
    found = claim([in_groups], "cores-work-only-for-their-groups")
    assert found.holds is holds
    assert "with 8 of 16 flows" in found.here


def test_the_plan_has_halves_of_all_cpus_as_groups_where_there_are_two() -> None:
    def groups(cores: int) -> list[list[list[int]]]:
        cases = built("usual", cores).plan.cases
        return [it.packets.groups for it in cases if it.packets and it.packets.groups]

    assert groups(4) == [[[0, 1], [2, 3]]]
    assert groups(3) == [[[0, 1], [2]]]
    assert groups(1) == []


def test_messages_of_the_layer_in_its_title_have_rows_of_their_own() -> None:
    mixed = [
        passed(700.0, size=40, packet_bytes=None, message_bytes=None, profile="umts-nas"),
        passed(900.0, size=64, packet_bytes=None, message_bytes=None, profile="umts-rrc"),
    ]
    shown = table([*as_printed(), *mixed], "NAS and RRC messages")
    assert [cells[0] for cells in shown.rows] == ["umts-nas", "umts-rrc"]
    found = line(shown, "umts-nas", UEA1)
    assert (found["bytes"], found["cycles a message processing"]) == (40, 700)
    # They are none of the thesis's sizes.
    assert line(table([*as_printed(), *mixed], "Table A9."), TYPICAL) == line(
        table(as_printed(), "Table A9."), TYPICAL
    )


def test_the_plan_sends_messages_of_the_layer_by_both_kernels() -> None:
    cases = built("usual", 2).plan.cases
    found = {(it.algorithm, it.profile) for it in cases if it.profile}
    assert found == {(name, it) for name in (UEA1, UIA1) for it in ("umts-nas", "umts-rrc")}
    assert all(it.lengths and it.message_bytes is None for it in cases if it.profile)
    assert not [it for it in built("quick", 2).plan.cases if it.profile]


def test_a_device_of_one_operation_fills_the_accelerators_columns_with_that() -> None:
    one_at_a_time = [
        it for it in as_printed() if not (it.offload != "none" and it.operation == BOTH)
    ]
    shown = table(one_at_a_time, "Table 4.")
    groups = {column.group for column in shown.columns}
    [own] = [it for it in groups if it.startswith("here, opencl")]
    assert own.endswith(", encrypt")
    found = line(shown, TYPICAL)
    [load] = printed().loads(ACCELERATOR, ENCRYPT, packets=TYPICAL, packet_bytes=SIZES[0])
    assert found[f"{own} actual"] == printed().actual(load).value
    per_bit = table(one_at_a_time, "Table 12.")
    [heading] = [it.heading for it in per_bit.columns if it.heading.endswith(", encrypt")]
    assert line(per_bit, TYPICAL)[f"here {heading}"] == printed().per_bit(load).value
    # Table 14 has each operation in a column of its own, and none for what no device does.
    of_both = table(one_at_a_time, "Table 14.").columns
    ours = [it.heading for it in of_both if it.group.startswith("here, opencl")]
    assert ours == [DECRYPT, ENCRYPT, "decrypt/encrypt"]
    # A device that does both is not labelled.
    assert not [it for it in table(as_printed(), "Table 4.").columns if "encrypt" in it.group]


def simulated_run(instructions_a_byte: dict[str, int]) -> Run:
    """A run with what the study simulates, counted so."""

    def counted(case: SimulatedCase) -> Simulation:
        executed = instructions_a_byte[case.backend] * (case.message_bytes or 1)
        return Simulation(case=case, metric="instructions", value=executed, instructions=executed)

    found = [counted(case) for case in simulated("quick")]
    return msgspec.structs.replace(RUN, simulations=found, targets=[described("octeon")])


def of_octeon(run: Run, name: str) -> Claim:
    return {it.claim: it for it in claims(run, [])}[name]


@pytest.mark.parametrize(
    ("table", "as_published", "optimisable"),
    [
        (112, True, False),  # 56 cycles at least, of 88
        (80, True, None),  # 40 at least: fewer than half, if nothing is waited for
        (400, False, False),  # 200 at least
    ],
)
def test_instructions_on_the_thesiss_processor_bound_what_its_software_costs(
    table: int, as_published: bool, optimisable: bool | None
) -> None:
    run = simulated_run({"reference": 2 * table, "table": table})
    beside = of_octeon(run, "simulated-octeon-instructions")
    assert beside.holds is as_published
    assert of_octeon(run, "software-can-be-optimised-on-octeon").holds is optimisable
    assert f"table {table}" in beside.here and "1000 bytes" in beside.here
    [shown] = [it for it in tables(run, []) if "OCTEON" in it.title]
    encryption = line(shown, "uea1 encrypt", 1000)
    assert encryption["fewest cycles here table"] == table / 2
    assert encryption["reference/table"] == 2
    # Table A12: so many ticks for 5000 packets.
    assert encryption["the thesis, software cycles"] == pytest.approx(440_215_897 / 5_000_000)
    assert line(shown, "uia1 mac", 40)["the thesis, software cycles"] is None


def test_the_octeon_that_cannot_be_simulated_is_said_with_its_reason() -> None:
    missing = described("octeon")
    missing.reason = "OCTEON needs its tools: apt-get install qemu-user"
    run = msgspec.structs.replace(RUN, targets=[missing])
    for name in ("simulated-octeon-instructions", "software-can-be-optimised-on-octeon"):
        judged = of_octeon(run, name)
        assert (judged.holds, judged.here) == (None, missing.reason)
    assert not [it for it in tables(run, []) if "OCTEON" in it.title]


def test_without_figures_the_tables_of_the_thesis_are_shown_all_the_same() -> None:
    shown = {it.title.partition(".")[0] for it in tables(RUN, [])}
    assert shown >= {f"Table {number}" for number in paper.tables()} | {"Table 12", "Table 17"}


@pytest.mark.slow
def test_the_figures_draw_the_thesis_and_this_machine() -> None:
    found = {it.name: it for it in charts(RUN, [*as_printed(), *map(quick, software_only(2))])}
    assert len(found) == 6
    busy = [len(it.curves) for it in found["kasumi-cpu-time"].panels]
    assert busy == [3, 1, 1, 0]
    by_size = found["kasumi-by-size"]
    assert [len(it.curves) for it in by_size.panels] == [8] * 6
    by_cores = found["kasumi-by-cores"]
    assert {curve.origin for it in by_cores.panels for curve in it.curves} == {"the thesis", "here"}
    over_packets, over_cores = study_plots.charts_of([found["kasumi-per-bit"], by_cores])
    assert len(over_packets.panels) == 1
    # All panels are made in the same way, and each takes seconds to validate.
    drawn = picture(replace(over_cores, panels=over_cores.panels[:1]), "caption")
    alt.Chart.from_dict(drawn, validate=True)


def test_lines_of_one_name_say_whose_they_are() -> None:
    rows = [
        msgspec.structs.replace(row, actual_cycles=10 * row.actual_cycles) for row in as_printed()
    ]
    [drawn] = [it for it in charts(RUN, rows) if it.name == "kasumi-software-and-accelerator"]
    [plot] = study_plots.charts_of([drawn])
    for panel in plot.panels:
        [labels] = [data for name, data in panel.data.items() if name.startswith("labels")]
        said = [label["text"] for label in labels]
        assert len(said) == len(set(said))


def test_an_accelerator_of_one_operation_at_a_time_is_compared_in_that() -> None:
    rows = [it for it in as_printed() if it.offload == "none" or it.operation == ENCRYPT]
    found = claim(rows, "software-much-slower")
    assert found.holds is True
    assert "40 bytes, 1000 and 8000 packets: 3.57 million" in found.here
    assert claim(rows, "cycles-fall-with-cores").holds is True
    shown = {it.name: it for it in charts(RUN, rows)}
    titles = [it.title for it in shown["kasumi-software-and-accelerator"].panels]
    assert titles == ["encrypt, 40 bytes", "encrypt, 1000 bytes"]
    assert len(shown["kasumi-cpu-time"].panels[0].curves) == 1


def measured_by(found: Built) -> Run:
    """A run of the plan: 60 cycles for a packet to pass, and 20 for each byte, less with lanes."""
    # An engine tells what ran: the default path of one packet at a time has tables.
    cases = [
        msgspec.structs.replace(it, backend="table") if it.backend == "default" else it
        for it in found.plan.cases
    ]
    runs = []
    for case in cases:
        load, size = case.packets, case.message_bytes
        twice = 1 if load.then is None else 2
        work = twice * load.packets * 20.0 * size / case.lanes**0.5 / len(load.cpus)
        passed_by = 60.0 * load.packets
        passes = pairs_of(load, passed_by, passed_by + work)
        runs.append(packets_passed(load, passes, case=case.case))
    run = packets_run(cases, runs, plan_name="kasumi")
    run.context.algorithms = found.algorithms
    return run


@pytest.mark.slow
def test_a_run_of_the_plan_is_stored_and_shown_again(tmp_path: Path) -> None:
    run = measured_by(built("quick", 2))
    Store(tmp_path).save(run, rows_table(packet_rows(run), "packets"))
    options = ["--json", "--from", "last", "--runs", str(tmp_path)]
    shown = CliRunner().invoke(app, ["study", "kasumi", *options])
    assert shown.exit_code == 0, shown.output
    document = json.loads(shown.stdout)
    [fifth] = [it for it in document["tables"] if it["title"].startswith("Table 5.")]
    assert fifth["columns"][-1]["group"] == "here, software: kernels bytesliced-avx2"
    holds = {it["claim"]: it["holds"] for it in document["claims"]}
    assert holds["cycles-fall-with-cores"] is True
    assert holds["software-can-be-optimised"] is True
    assert holds["software-much-slower"] is None
    report = tmp_path / "report.html"
    options = ["--runs", str(tmp_path), "--output", str(report)]
    assert CliRunner().invoke(app, ["report", "last", *options]).exit_code == 0
    assert "little-gain-beyond-5-cores-printed" in report.read_text("utf-8")
