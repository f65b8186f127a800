"""Rows of a profile: their figures, and where they stand in what is analysed and shown."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from ciphermark.command.report import write_report
from ciphermark.record.case_row import way
from ciphermark.record.run import Run
from ciphermark.view.export import FORMATS
from ciphermark.view.plan import plan_line
from ciphermark.workloads.single import matrix
from ciphermark.workloads.single.cost_card import cost_cards, steps
from ciphermark.workloads.single.matrix import matrices
from ciphermark.workloads.single.pairing import Selection, match, selected
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.sections import lines, packet_bytes, sections, sizes
from on_screen import rows_on_screen
from synthetic import synthetic_cases, synthetic_run

LENGTHS = [40, 576, 40, 1501]
MEAN = sum(LENGTHS) / 4


@pytest.fixture(scope="module")
def run() -> Run:
    """AES-GCM by two libraries at two sizes and with a profile."""
    cases = synthetic_cases(["aes-128-gcm"], sizes=(64, 1024, 16384))
    for case in cases:
        if case.message_bytes == 16384:
            case.message_bytes, case.profile, case.lengths = None, "imix", LENGTHS
    return synthetic_run(cases, rounds=10, seed=1)


@pytest.fixture(scope="module")
def found(run: Run) -> list[Row]:
    return rows(run)


def of_profile(found: list[Row]) -> list[Row]:
    return [row for row in found if row.profile is not None]


def test_figures_per_byte_are_over_all_bytes(found: list[Row]) -> None:
    for row in of_profile(found):
        assert (row.profile, row.message_bytes, row.size) == ("imix", None, "imix")
        assert row.cycles_per_byte * MEAN == pytest.approx(row.cycles_per_message)
        assert row.ci_low * MEAN == pytest.approx(row.cycles_per_message_low)
        assert row.mbytes_per_second == pytest.approx(MEAN / row.ns_per_message * 1000, rel=1e-3)
    clocks = [row.mbytes_per_second * row.cycles_per_message for row in of_profile(found)]
    assert clocks == [pytest.approx(clocks[0])] * len(clocks)


def test_no_line_over_size_has_a_profile_in_it(found: list[Row]) -> None:
    assert {tuple(card.sizes) for card in cost_cards(found)} == {(64, 1024)}
    assert steps(of_profile(found)) == {}


def test_a_profile_is_no_rival_of_a_size(run: Run, found: list[Row]) -> None:
    seal = [it for it in matrices(found) if it.operation == "seal"]
    assert [it.size for it in seal] == [64, 1024, "imix"]
    cells = seal[2].cells["aes-128-gcm"].values()
    assert {cell.row.profile for cell in cells} == {"imix"}
    views = matrix.views(run.context, found)
    assert views.sizes == ["64 B", "1 KiB", "imix"]
    assert views.first.size == "1 KiB"
    assert views.views[2].caption == "Cycles per byte at imix: seal"


def test_it_is_one_more_column_of_the_table(run: Run, found: list[Row]) -> None:
    arranged = sections(run.context, found, cost_cards(found))
    assert sizes(arranged) == [64, 1024, "imix"]
    assert packet_bytes(sizes(arranged)) == 1024
    assert {len(line.of_sizes()) for line in lines(arranged)} == {2}
    text = rows_on_screen(run.context, found)
    assert re.search(r" 1 KiB +imix ", text)


@pytest.mark.slow
def test_rows_of_a_profile_alone_can_be_shown(run: Run, found: list[Row], tmp_path: Path) -> None:
    alone = of_profile(found)
    assert "imix" in rows_on_screen(run.context, alone)
    page = write_report(run, alone, tmp_path)
    assert "Cycles per byte at imix" in page.read_text()


def test_every_format_says_which_profile(run: Run, found: list[Row]) -> None:
    for name, it in FORMATS.items():
        content = it.export(run.context, found)
        assert b"imix" in content, name


def test_runs_are_paired_by_profile(found: list[Row]) -> None:
    other = [msgspec.structs.replace(row, profile=row.profile and "other") for row in found]
    matched = match(selected("a", found, Selection()), selected("b", other, Selection()))
    assert {row.profile for row in matched.only_a} == {"imix"}
    assert {row.profile for row in matched.only_b} == {"other"}
    assert all(a.size == b.size for a, b in matched.pairs)


def test_the_plan_counts_profiles(run: Run) -> None:
    assert " · 2 sizes · 1 profile · " in plan_line(run.context.plan)


def test_keys_are_said_where_lanes_have_not_one_each(found: list[Row]) -> None:
    def called(lanes: int, keys: int, operation: str = "seal") -> str:
        changes = {"lanes": lanes, "keys": keys, "operation": operation}
        return way(msgspec.structs.replace(found[-1], **changes))

    assert called(1, 1) == ""
    assert called(192, 192) == "192 lanes"
    assert called(192, 1) == "192 lanes · one key"
    assert called(192, 64) == "192 lanes · 64 keys"
    assert called(192, 1, "digest") == "192 lanes"
