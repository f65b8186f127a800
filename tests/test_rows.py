"""From samples to rows, and from rows to a table and back."""

from __future__ import annotations

import math

import msgspec
import numpy as np
import pytest

from ciphermark import contract
from ciphermark.record.run import Run
from ciphermark.record.table import Table
from ciphermark.record.tables import SAMPLES, schema_of
from ciphermark.workloads.single.groups import groups_by_case
from ciphermark.workloads.single.row import BELOW_NOTHING, Row
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from synthetic import COSTS, CRASH, synthetic_cases, synthetic_run

NEEDED = "of the 6 processes that an interval needs"

FIGURES = (
    "cycles_per_message cycles_per_message_low cycles_per_message_high cycles_per_byte ci_low"
    " ci_high ns_per_message mbytes_per_second loop_cycles core_hz"
).split()


def one_case(**changes) -> contract.Case:
    """AES-128-GCM over 64 bytes."""
    case = synthetic_cases(["aes-128-gcm"], ["openssl"], [64])[1]
    return msgspec.structs.replace(case, case=0, **changes)


def run_of(groups: list[list[tuple[float, bool]]], case: contract.Case) -> Run:
    """A run of one case whose groups have slices of so many cycles per message, disturbed or not.

    100 messages a slice at 2 GHz, 2 cycles of loop, a group in each process, 1 ms apart.
    """
    run = synthetic_run([case], rounds=1)
    run.samples = Table.of_rows(
        [
            {
                "case": 0,
                "round": number,
                "process": number,
                "slice": place,
                "at_ns": number * 1_000_000 + place * 20_000,
                "messages": 100,
                "wall_ns": 100 * (x + 2) / 2,
                "cycles": 100 * (x + 2),
                "loop_cycles": 2.0,
                "core_hz": 2e9,
                "group_cpu_ns": 100_000,
                "group_wall_ns": 100_000,
                "disturbed": ["steal", "switch"] if disturbed else [],
            }
            for number, group in enumerate(groups)
            for place, (x, disturbed) in enumerate(group)
        ],
        schema=SAMPLES,
    )
    return run


def undisturbed(*values: float) -> list[tuple[float, bool]]:
    return [(value, False) for value in values]


def test_figures_are_medians_of_group_medians() -> None:
    medians = [640.0, 641.0, 642.0, 643.0, 644.0, 645.0, 646.0]
    run = run_of([undisturbed(x - 9, x, x + 1) for x in medians], one_case())
    (row,) = rows(run)
    assert row.cycles_per_message == 643.0
    # The smallest and the largest process are 3 cycles away; from run to run it moves by 0.5 %.
    half = math.hypot(3, 0.005 * 643)
    assert row.cycles_per_message_low == pytest.approx(643 - half)
    assert row.cycles_per_message_high == pytest.approx(643 + half)
    expected = (643 / 64, (643 - half) / 64, (643 + half) / 64)
    assert (row.cycles_per_byte, row.ci_low, row.ci_high) == pytest.approx(expected)
    assert row.ns_per_message == pytest.approx(643 / 2)
    assert row.mbytes_per_second == pytest.approx(64 / (643 / 2) * 1000)
    assert (row.loop_cycles, row.core_hz) == (2.0, 2e9)
    assert (row.samples, row.disturbed, row.groups, row.processes) == (21, 0, 7, 7)
    assert row.converged
    assert row.not_converged_reason is None


def test_disturbed_samples_are_counted_and_left_out() -> None:
    groups = [[(100.0, False), (900.0, True), (100.5, False)] for _ in range(6)]
    lost = [[(900.0, True)] * 3]
    (row,) = rows(run_of(groups + lost, one_case()))
    assert row.cycles_per_message == 100.25
    assert (row.samples, row.disturbed, row.groups) == (21, 9, 6)
    assert row.converged


def test_a_case_whose_samples_are_all_disturbed_has_no_figure() -> None:
    (row,) = rows(run_of([[(900.0, True)] * 3] * 6, one_case()))
    assert [getattr(row, name) for name in FIGURES] == [None] * len(FIGURES)
    assert (row.samples, row.groups, row.converged) == (18, 0, False)
    assert row.not_converged_reason == "100 % of samples disturbed"


def test_a_case_without_interval_keeps_its_estimate() -> None:
    (row,) = rows(run_of([undisturbed(100.0)] * 5, one_case()))
    assert (row.cycles_per_message, row.cycles_per_byte) == (100.0, 100 / 64)
    assert (row.cycles_per_message_low, row.ci_low, row.ci_high) == (None, None, None)
    assert (row.converged, row.not_converged_reason) == (False, f"5 {NEEDED}")


@pytest.mark.parametrize("message_bytes", [None, 0])
def test_nothing_is_per_byte_without_bytes(message_bytes: int | None) -> None:
    (row,) = rows(run_of([undisturbed(100.0)] * 6, one_case(message_bytes=message_bytes)))
    assert row.cycles_per_message == 100.0
    assert row.ns_per_message == 50.0
    per_byte = (row.cycles_per_byte, row.ci_low, row.ci_high, row.mbytes_per_second)
    assert per_byte == (None, None, None, None)


def test_a_cost_below_zero_is_no_figure() -> None:
    (row,) = rows(run_of([undisturbed(-0.5)] * 6, one_case()))
    assert (row.cycles_per_message, row.ns_per_message, row.mbytes_per_second) == (None,) * 3
    assert row.not_converged_reason == BELOW_NOTHING


def test_a_failed_case_has_no_figure_even_where_there_are_samples() -> None:
    run = run_of([undisturbed(100.0)] * 6, one_case())
    run.cases[0].error = CRASH
    (row,) = rows(run)
    assert row.error == CRASH
    assert [getattr(row, name) for name in FIGURES] == [None] * len(FIGURES)
    assert (row.samples, row.converged, row.not_converged_reason) == (0, False, None)


def test_a_case_that_was_not_reached_says_so() -> None:
    (row,) = rows(run_of([], one_case()))
    assert (row.samples, row.cycles_per_message) == (0, None)
    assert row.not_converged_reason == f"0 {NEEDED}"


def test_the_backend_is_what_ran() -> None:
    run = run_of([], one_case())
    run.cases[0].implementation.backend = "vaes-avx512"
    run.cases[0].implementation.backend_evidence = "reported"
    run.cases[0].implementation.constant_time = True
    run.cases[0].implementation.features = ["avx512f", "vaes"]
    (row,) = rows(run)
    assert (row.backend, row.backend_evidence) == ("vaes-avx512", "reported")
    assert (row.backend_asked, row.features) == ("default", ["avx512f", "vaes"])
    assert row.constant_time is True


def test_a_case_that_was_never_ready_has_the_backend_that_was_asked() -> None:
    run = run_of([], one_case(backend="aesni"))
    run.cases[0].implementation = None
    (row,) = rows(run)
    assert (row.backend, row.backend_evidence, row.constant_time) == ("aesni", "unknown", None)
    assert (row.backend_asked, row.features) == ("aesni", [])


def test_the_order_of_samples_does_not_matter() -> None:
    run = synthetic_run(rounds=7, seed=3)
    expected = rows(run)
    order = np.random.default_rng(1).permutation(run.samples.num_rows)
    run.samples = run.samples.taken(order)
    assert rows(run) == expected


def test_rows_recover_what_a_run_was_made_of() -> None:
    for row in rows(synthetic_run(rounds=12, seed=5)):
        a, b = COSTS[row.algorithm, row.operation][row.provider]
        assert row.cycles_per_message == pytest.approx(a + b * (row.message_bytes or 0), rel=0.01)


def test_groups_without_samples() -> None:
    assert groups_by_case(Table.of_rows([], SAMPLES)) == {}


def test_a_table_holds_rows_exactly() -> None:
    cases = synthetic_cases()
    cases[2].switches = {"OPENSSL_ia32cap": "~0x200000200000000", "A": ""}
    cases[2].pattern, cases[2].chunk_bytes = "incremental", 16
    run = synthetic_run(cases, failed={1: CRASH})
    run.cases[3].implementation.constant_time = False
    run.cases[3].implementation.features = ["aes", "pclmulqdq"]
    original = rows(run)
    table = SINGLE.rows_table(original)
    assert table.schema == schema_of(SINGLE.row_type())
    assert SINGLE.rows_from_table(table) == original


def test_what_an_older_format_lacks_is_the_usual() -> None:
    later = ("backend_asked", "chunk_bytes", "features")
    original = rows(synthetic_run())
    assert SINGLE.rows_from_table(SINGLE.rows_table(original).without(*later)) == original


def test_an_empty_table_holds_no_rows() -> None:
    assert SINGLE.rows_from_table(SINGLE.rows_table([])) == []


PROMISED = {
    *("algorithm", "operation", "provider", "backend", "message_bytes", "lanes"),
    *("cycles_per_byte", "cycles_per_message", "ns_per_message", "mbytes_per_second"),
    *("ci_low", "ci_high", "samples", "disturbed", "converged", "cycle_source"),
    *("backend_evidence", "constant_time", "error", "pattern", "keys", "buffers", "offload"),
}
"""What every row has, for whoever reads it."""


def test_rows_have_what_is_promised() -> None:
    assert set(Row.__struct_fields__) >= PROMISED
