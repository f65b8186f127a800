"""Runs of many sessions and of packets, compared and put beside each other by machine."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from ciphermark.answers.machines.figures import loaded_matrices
from ciphermark.answers.machines.page import machine_page
from ciphermark.cli.main import app
from ciphermark.errors import UsageError
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.workload import rows, rows_table
from ciphermark.workloads.loaded import of_packets, of_sessions
from ciphermark.workloads.packets.figures import packet_rows
from ciphermark.workloads.single.comparison import Comparison, Figured, compare
from ciphermark.workloads.single.comparison_table import implementation
from ciphermark.workloads.single.pairing import Selection
from flow_rows import session_row
from packets_example import load as packet_load
from packets_example import packet_case, packets_run, pairs_of, passed
from sessions_example import UNEVEN, load, session_case, sessions_run, steady
from synthetic import synthetic_run

ALL = Selection()


def sessions(
    cost: float = 1.0, name: str = "0001", machine: str = "epyc", **invalid: list[object]
) -> Run:
    """Two functions with 10 sessions on one CPU and on two; one of them `cost` times as dear."""
    cases = [
        session_case(number, load(10, cpus), algorithm=algorithm, provider="openssl")
        for number, (algorithm, cpus) in enumerate(
            (algorithm, cpus)
            for algorithm in ("hmac-sha256", "hmac-sha1")
            for cpus in ((0,), (0, 1))
        )
    ]
    run = sessions_run(
        cases,
        [
            steady(it, 1e6 / (cost if it.algorithm == "hmac-sha256" else 1.0), **invalid)
            for it in cases
        ],
    )
    run.context.run = f"20261121-091500-{name}"
    run.context.started_unix_ns += int(name, 16)
    run.context.machine_name = machine
    run.context.machine_id = machine
    return run


def packets(cost: float = 1.0, name: str = "0001", batch: int = 32) -> Run:
    wanted = packet_load((1,), batch=batch)
    run = packets_run(
        [packet_case(0, wanted, lanes=batch)],
        [passed(wanted, pairs_of(wanted, processing_ns=500_000.0 * cost))],
    )
    run.context.run = f"20261122-091500-{name}"
    return run


def against(a: Run, b: Run) -> Comparison:
    return compare(Figured.of(a), Figured.of(b), ALL, ALL, 0.05)


def test_sessions_are_compared_by_their_absolute_cycles_under_the_same_load() -> None:
    found = against(sessions(1.2, "0002"), sessions())
    assert found.figure == "absolute cycles a message"
    assert len(found.pairs) == 4 and found.regressions == 2
    for pair in found.pairs:
        is_dearer = pair.algorithm == "hmac-sha256"
        assert pair.verdict == ("regression" if is_dearer else "same")
        assert pair.ratio == pytest.approx(1.2 if is_dearer else 1.0, rel=0.001)
    loads = {pair.load for pair in found.pairs}
    assert loads == {"10 sessions on 1 CPU", "10 sessions on 2 CPUs"}
    assert implementation(found.pairs[0]).endswith("10 sessions on 1 CPU")


def test_one_execution_tells_no_difference_within_3_percent() -> None:
    found = against(sessions(1.025, "0002"), sessions())
    assert {pair.verdict for pair in found.pairs} == {"same"}


def test_an_attempt_that_does_not_count_decides_nothing() -> None:
    found = against(sessions(1.5, "0002", objections=[UNEVEN]), sessions())
    assert {pair.verdict for pair in found.pairs} == {"unknown"}
    assert UNEVEN.message in (found.pairs[0].reason or "")


def test_packets_are_compared_by_what_passes_till_they_are_delivered() -> None:
    [pair] = against(packets(1.3, "0002"), packets()).pairs
    assert pair.ratio == pytest.approx(1.3, rel=0.001)
    assert (pair.verdict, pair.load) == ("regression", "1 000 packets on 1 CPU")


def test_batches_of_another_code_path_are_no_other_case() -> None:
    [pair] = against(packets(0.5, "0002", batch=256), packets(batch=64)).pairs
    assert pair.verdict == "faster"


def test_runs_of_other_kinds_are_refused_with_both_names() -> None:
    with pytest.raises(UsageError, match=r"many sessions and run .* of packets: compare runs of"):
        against(sessions(), packets())
    with pytest.raises(UsageError, match="one thread"):
        against(synthetic_run(), packets())


def test_of_several_looks_at_a_case_the_longest_valid_one_stands() -> None:
    looks = [(1, 100.0, False, 900.0), (2, 110.0, True, 100.0), (3, 120.0, True, 500.0)]
    rows_ = [
        session_row(case=case, absolute_cycles_per_message=cycles, valid=valid, window_ms=window_ms)
        for case, cycles, valid, window_ms in looks
    ]
    [row] = of_sessions(rows_)
    assert row.cycles_per_message == 120.0 and row.converged


def test_the_interval_of_packets_is_that_of_their_pairs() -> None:
    [row] = of_packets(packet_rows(packets()))
    assert row.groups == 8 and row.processes == 0
    assert row.cycles_per_message_low < row.cycles_per_message < row.cycles_per_message_high
    assert row.cycles_per_byte == pytest.approx(row.cycles_per_message / 100)


@pytest.fixture
def two_machines(store: Store) -> Store:
    for run in (
        sessions(1.0, "0001"),
        sessions(1.5, "0002"),
        sessions(2.0, "0003", machine="xeon"),
        packets(),
        synthetic_run(machine="epyc"),
    ):
        store.save(run, rows_table(rows(run), run.context.workload))
    return store


def test_the_matrix_has_a_table_for_each_load(two_machines: Store) -> None:
    found, known = loaded_matrices(two_machines, "sessions", None)
    assert {it.name for it in known} == {"epyc", "xeon"}
    assert [it.load for it in found] == ["10 sessions on 1 CPU", "10 sessions on 2 CPUs"]
    costs = {(cell.machine, cell.algorithm): cell.cycles_per_byte for cell in found[0].cells}
    # The newest of each machine: 0.98 cycles a byte of a thousand, times the factor.
    assert costs == pytest.approx(
        {
            ("epyc", "hmac-sha256"): 1.5 * 0.98,
            ("epyc", "hmac-sha1"): 0.98,
            ("xeon", "hmac-sha256"): 2.0 * 0.98,
            ("xeon", "hmac-sha1"): 0.98,
        },
        rel=0.001,
    )
    with pytest.raises(UsageError, match="sizes that are stored: 1000"):
        loaded_matrices(two_machines, "sessions", [17])


def said(store: Store, *arguments: str) -> str:
    result = CliRunner().invoke(
        app, [*arguments, "--runs", str(store.root)], env={"COLUMNS": "100"}
    )
    assert result.exit_code == 0, result.output
    return result.stdout


def test_commands_show_them(two_machines: Store) -> None:
    matrix = said(two_machines, "machines", "matrix", "--workload", "sessions")
    assert "Fastest implementations at 1000 B, 10 sessions on 1 CPU" in matrix
    assert "absolute cycles a message over its bytes" in matrix
    document = json.loads(
        said(two_machines, "machines", "matrix", "--workload", "packets", "--json")
    )
    assert [it["load"] for it in document["matrices"]] == ["1 000 packets on 1 CPU"]
    page = said(two_machines, "machines", "show", "epyc", "--workload", "sessions")
    assert "Absolute cycles a message, over its bytes at 1000 B" in page
    assert "10 sessions on 2 CPUs" in page
    refused = CliRunner().invoke(
        app, ["machines", "matrix", "--workload", "single", "--runs", str(two_machines.root)]
    )
    assert "write sessions or packets" in str(refused.exception)


def test_a_machine_has_the_history_of_each_load(two_machines: Store) -> None:
    page = machine_page(two_machines, "epyc", workload="sessions")
    moved = {(it.algorithm, it.load): it.ratio for it in page.histories if it.moved}
    assert moved == pytest.approx(
        {("hmac-sha256", f"10 sessions on {cpus}"): 1.5 for cpus in ("1 CPU", "2 CPUs")}, rel=0.001
    )
