"""What is said of a case whose every sample was disturbed: that it costs so much at most."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import numpy as np
import pytest

from ciphermark.command.report import write_report
from ciphermark.record.run import Run
from ciphermark.record.table import Table
from ciphermark.view.export import FORMATS
from ciphermark.view.figures import NARROW_SPACE, significant
from ciphermark.workloads.single.columns import AT_MOST, MEANING
from ciphermark.workloads.single.comparison import Figured, compare
from ciphermark.workloads.single.cost_card import cost_cards
from ciphermark.workloads.single.groups import upper_bounds
from ciphermark.workloads.single.pairing import Selection
from ciphermark.workloads.single.ratio import fastest
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from on_screen import rows_on_screen
from synthetic import LOOP_CYCLES, all_disturbed, synthetic_cases, synthetic_run

HASHES = ("sha256",)


@pytest.fixture(scope="module")
def quiet() -> Run:
    return synthetic_run(synthetic_cases(HASHES))


def changed(run: Run, change: Callable[[Mapping[str, list]], None]) -> Run:
    """The run with other columns of its samples."""
    columns = {name: run.samples[name].to_pylist() for name in run.samples.schema}
    change(columns)
    return msgspec.structs.replace(run, samples=Table(run.samples.schema, columns))


def slowed(run: Run, factors: Callable[[int, int], float]) -> Run:
    """All of it disturbed, each sample slower by a factor by its process and its slice."""

    def slow(columns: Mapping[str, list]) -> None:
        columns["disturbed"] = [["shared"]] * len(columns["case"])
        at = zip(columns["process"], columns["slice"], strict=True)
        factor = [factors(*it) for it in at]
        for name in ("cycles", "wall_ns"):
            columns[name] = [a * b for a, b in zip(columns[name], factor, strict=True)]

    return changed(run, slow)


def bounds(run: Run) -> list[float]:
    return [row.cycles_upper_bound for row in rows(run)]


def truth(run: Run) -> list[float]:
    return [row.cycles_per_message for row in rows(run)]


def test_the_quietest_groups_bound_the_figure_from_above(quiet: Run) -> None:
    """Every other process has a neighbour that takes half as much again, the others a tenth."""
    found = np.array(bounds(slowed(quiet, lambda process, _: 1.5 if process % 2 else 1.1)))
    assert np.all(found > np.array(truth(quiet)))
    assert np.all(found < 1.5 * np.array(truth(quiet)) + 2 * LOOP_CYCLES)


def test_a_single_lucky_sample_is_not_believed(quiet: Run) -> None:
    """The lowest of many scatters; the bound is a median of a group."""
    found = np.array(bounds(slowed(quiet, lambda _, number: 0.9 if number == 0 else 1.1)))
    assert np.all(found > np.array(truth(quiet)))


@pytest.mark.parametrize("mark", ["clock", "migration"])
def test_samples_that_may_show_too_few_cycles_are_left_out(quiet: Run, mark: str) -> None:
    """Half of the slices have a clock that was taken for too low by a tenth."""

    def lower(columns: Mapping[str, list]) -> None:
        odd = [number % 2 == 1 for number in columns["slice"]]
        columns["disturbed"] = [["shared", mark] if it else ["shared"] for it in odd]
        columns["cycles"] = [
            0.9 * a if b else a for a, b in zip(columns["cycles"], odd, strict=True)
        ]

    before = bounds(all_disturbed(quiet))
    assert bounds(changed(quiet, lower)) == pytest.approx(before, rel=0.01)


def test_samples_at_a_clock_below_the_best_are_left_out(quiet: Run) -> None:
    """All chains of every other group were late, so that no slice of it has the mark `clock`."""

    def lower(columns: Mapping[str, list]) -> None:
        odd = [number % 2 == 1 for number in columns["round"]]
        columns["disturbed"] = [["shared"]] * len(odd)
        for name in ("cycles", "core_hz"):
            columns[name] = [0.9 * a if b else a for a, b in zip(columns[name], odd, strict=True)]

    before = bounds(all_disturbed(quiet))
    assert bounds(changed(quiet, lower)) == pytest.approx(before, rel=0.01)


def test_without_a_sample_to_tell_it_there_is_none(quiet: Run) -> None:
    def mark(columns: Mapping[str, list]) -> None:
        columns["disturbed"] = [["clock"]] * len(columns["case"])

    assert set(bounds(changed(quiet, mark))) == {None}
    assert upper_bounds(quiet.samples, {99}) == {}


def test_it_is_no_figure(quiet: Run) -> None:
    found = rows(all_disturbed(quiet))
    for row in found:
        assert row.cycles_per_message is None and row.cycles_per_byte is None
        assert row.ns_per_message is None and not row.converged
        assert row.cycles_per_byte_upper_bound == row.cycles_upper_bound / row.message_bytes
        assert row.not_converged_reason == "100 % of samples disturbed"
    assert cost_cards(found) == []


def test_a_row_with_a_figure_has_none(quiet: Run) -> None:
    assert {row.cycles_upper_bound for row in rows(quiet)} == {None}


def test_it_is_stored_and_older_rows_have_none(quiet: Run) -> None:
    found = rows(all_disturbed(quiet))
    table = SINGLE.rows_table(found)
    assert SINGLE.rows_from_table(table) == found
    older: list[Row] = SINGLE.rows_from_table(
        table.without("cycles_upper_bound", "cycles_per_byte_upper_bound")
    )
    assert {row.cycles_upper_bound for row in older} == {None}


class TestShown:
    @staticmethod
    def run() -> Run:
        """SHA-256 was always disturbed, AES-128-GCM never."""
        cases = synthetic_cases(["sha256", "aes-128-gcm"], sizes=(64, 1024, 16384))
        return all_disturbed(synthetic_run(cases), ["sha256"])

    @staticmethod
    def printed(run: Run) -> str:
        return rows_on_screen(run.context, rows(run), 200)

    def test_the_table_has_it_marked_and_says_what_the_mark_means(self) -> None:
        run = self.run()
        printed = self.printed(run)
        found = {row.case: row for row in rows(run)}
        for row in found.values():
            shown = f"≤ {significant(row.cycles_per_byte_upper_bound or 1)}"
            assert (shown in printed) == (row.algorithm == "sha256")
        assert f"{AT_MOST} {MEANING}" in " ".join(printed.split())
        assert "100 % of samples disturbed" in printed

    def test_without_one_nothing_is_said(self, quiet: Run) -> None:
        assert AT_MOST not in self.printed(quiet)

    @pytest.mark.slow
    def test_the_report_has_it_in_tables_and_matrix(self, tmp_path: Path) -> None:
        run = self.run()
        found = rows(run)
        path = write_report(run, found, tmp_path, None)
        html = path.read_text("utf-8")
        wanted = ("sha256", "openssl", 1024)
        [row] = [it for it in found if (it.algorithm, it.provider, it.size) == wanted]
        shown = f"≤\u202f{significant(row.cycles_per_byte_upper_bound, separator=NARROW_SPACE)}"
        assert html.count(shown) >= 2
        assert f">{AT_MOST}</span> {MEANING}<" in html

    @pytest.mark.parametrize("format", ["markdown", "latex", "csv", "json"])
    def test_it_is_exported(self, format: str) -> None:
        run = self.run()
        found = rows(run)
        text = FORMATS[format].export(run.context, found).decode()
        if format in ("csv", "json"):
            assert "cycles_per_byte_upper_bound" in text
            assert str(found[-1].cycles_upper_bound) in text
        else:
            assert ("\\le" if format == "latex" else AT_MOST) in text and "every sample" in text

    def test_it_decides_nothing(self) -> None:
        """Nothing is the fastest by it, and nothing slower or faster."""
        run = self.run()
        found = [row for row in rows(run) if row.algorithm == "sha256"]
        assert fastest(found) is None
        one, other = Figured.of(run), Figured.of(synthetic_run(seed=1))
        comparison = compare(one, other, Selection(), Selection(), threshold=0.05)
        assert {it.verdict for it in comparison.pairs if it.algorithm == "sha256"} == {"unknown"}
