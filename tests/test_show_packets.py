"""Packets on a terminal, in the report, its plots, and the other formats."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from ciphermark import contract
from ciphermark.command.report import write_report
from ciphermark.record.run import Run
from ciphermark.view.plan import case_blocks
from ciphermark.view.progress import MeasuringProgress
from ciphermark.workloads.packets import remarks as packet_words
from ciphermark.workloads.packets.figures import packet_rows
from ciphermark.workloads.packets.row import PacketRow
from ciphermark.workloads.packets.scaling import curves, packet_scalings
from on_screen import blocks_on_screen, rows_on_screen
from packets_example import (
    CRASH,
    load,
    one_pass,
    one_row,
    packet_case,
    packets_example,
    packets_run,
    pairs_of,
    passed,
)


@pytest.fixture(scope="module")
def example() -> tuple[Run, list[PacketRow]]:
    return packets_example()


def printed(run: Run, rows: list[PacketRow], width: int = 200) -> str:
    return rows_on_screen(run.context, rows, width)


class TestTable:
    def test_a_wide_terminal_has_all_columns(self, example: tuple[Run, list[PacketRow]]) -> None:
        text = printed(*example, 220)
        assert "Left out" not in text
        for head in ("cycles/bit", "packets/s", "MB/s", "p99 µs", "lost", "twice", "hot", "cold"):
            assert head in text

    def test_what_did_not_settle_is_marked_and_named(
        self, example: tuple[Run, list[PacketRow]]
    ) -> None:
        text = printed(*example)
        assert "~ did not settle" in text and "1 of 50 cases did not settle" in text
        assert (
            "sha256 digest, openssl, 100 B, 1 000 packets on CPU 1, batches of 32: 5 of 8 pairs "
            "disturbed"
        ) in text
        assert re.search(r"100 B .* ~501", text)

    def test_what_failed_has_its_reason(self, example: tuple[Run, list[PacketRow]]) -> None:
        assert "crash (SIGSEGV), the library crashed" in printed(*example)

    def test_that_every_packet_arrived_is_said(self) -> None:
        run = packets_run([packet_case(0, load())], [passed(load())])
        text = printed(run, packet_rows(run))
        assert "all 16 000 packets arrived, each once, in the wanted order" in text

    def test_a_work_that_costs_less_than_nothing_is_a_figure(self) -> None:
        passes = pairs_of(load(), transfer_ns=60_000, processing_ns=59_000)
        run = packets_run([packet_case(0, load())], [passed(load(), passes)])
        assert "−1.00" in printed(run, packet_rows(run))

    def test_a_run_in_which_nothing_was_measured_is_printed(self) -> None:
        run = packets_run([packet_case(0, load())], [], {0: CRASH})
        assert "1 case failed" in printed(run, packet_rows(run))
        waiting = packets_run([packet_case(0, load())], [])
        assert "1 case not reached in the time" in printed(waiting, packet_rows(waiting))


class TestWords:
    def test_what_is_not_usual_is(self) -> None:
        wanted = load(
            (1, 2),
            delivery="per-flow",
            architecture="free-pipeline",
            waiting="block",
            key_setup="per-packet",
            priorities=2,
            groups=[[1], [2]],
            flush_us=50.0,
            offered_per_s=1e6,
        )
        row = one_row(wanted, case={"lanes": 8, "keys": 64})
        assert packet_words.conditions(row) == (
            "8 lanes · 64 flows · per-flow · free-pipeline · block · key schedule per-packet · "
            "2 priorities · groups 1 + 2 · flushed after 50 µs · 1 000 000/s offered"
        )

    def test_a_device_says_where_and_how_many_at_once(self) -> None:
        case = {"offload": "cores", "offload_cpus": [2, 3]}
        row = one_row(load(in_flight=8), case=case, device="CPUs 2-3")
        assert packet_words.conditions(row) == "cores 2-3, 8 in flight"
        assert "cores is CPUs 2-3" in list(packet_words.remarks([row]))

    def test_a_cpu_that_submits_and_processes_is_said(self) -> None:
        (_, remark) = packet_words.remarks([one_row(load((0, 1)))])
        assert "one of them also submits them" in remark


class TestCurves:
    def test_rows_that_differ_in_one_number_are_one_curve(
        self, example: tuple[Run, list[PacketRow]]
    ) -> None:
        _, rows = example
        # Two functions at two sizes, each on three numbers of CPUs.
        assert len(curves(rows, "packets")) == 12
        assert {len(it.rows) for it in curves(rows, "batch")} == {4}

    def test_speed_up_is_against_one_core(self) -> None:
        cases, runs = [], []
        for number, (cpus, processing_ns) in enumerate(
            [((1,), 600_000.0), ((1, 2), 400_000.0), ((1, 2, 3), 600_000.0 * 5 / 9)]
        ):
            wanted = load(cpus)
            cases.append(packet_case(number, wanted))
            passes = [
                it
                for _ in range(6)
                for it in (
                    one_pass("transfer", 60_000.0, wanted),
                    one_pass("processing", processing_ns, wanted),
                )
            ]
            runs.append(passed(wanted, passes, case=number))
        (found,) = packet_scalings(packet_rows(packets_run(cases, runs)))
        assert [it.speed_up for it in found.steps] == pytest.approx([1, 1.5, 1.8])
        assert [it.efficiency for it in found.steps] == pytest.approx([1, 0.75, 0.6])
        # All three lie on Amdahl's law with a third of the work that only one core can do.
        assert found.law.sigma.value == pytest.approx(1 / 3, abs=1e-3)
        assert not any(it.submits_too for it in found.steps)

    def test_an_offered_load_tells_no_speed_up(self) -> None:
        rows = [one_row(load(cpus, offered_per_s=1e5)) for cpus in ((1,), (1, 2))]
        assert packet_scalings(rows) == []


@pytest.mark.slow
class TestReport:
    def test_a_run_of_one_case_has_a_report_too(self, tmp_path: Path) -> None:
        run = packets_run([packet_case(0, load())], [passed(load())])
        html = write_report(run, packet_rows(run), tmp_path).read_text()
        assert "aes-128-gcm" in html
        assert not list((tmp_path / "plots").iterdir()), "one case is no curve"

    def test_what_devices_did_is_a_table(self, tmp_path: Path) -> None:
        passes = pairs_of(load())
        for it in passes:
            if it.kind == "processing":
                it.device = contract.DeviceTimes(submissions=32, in_ns=100.0, wall_ns=5e5)
        case = packet_case(0, load(), offload="opencl")
        run = packets_run([case], [passed(load(), passes, device="A GPU of our own")])
        html = write_report(run, packet_rows(run), tmp_path).read_text()
        assert "A GPU of our own" in html and "Where the time of devices went" in html


class TestBeforehand:
    def test_cases_are_listed_with_both_operations(self) -> None:
        case = packet_case(0, load(then="open"))
        plan = packets_run([case], []).context.plan
        text = blocks_on_screen(case_blocks(plan, ["left out: a reason"]))
        assert "seal+open" in text and "left out: a reason" in text
        assert re.search(r"100 B +1 000 +1", text)

    def test_progress_counts_cases(self, example: tuple[Run, list[PacketRow]]) -> None:
        text = io.StringIO()
        event = contract.Progress(
            phase="measuring", done=3, total=50, converged=3, round=1, elapsed_s=4.0, left_s=30.0
        )
        with MeasuringProgress(Console(file=text, width=100), example[0].context.plan) as progress:
            progress.feed(event)
        assert "3/50   3 with all packets delivered" in text.getvalue()
