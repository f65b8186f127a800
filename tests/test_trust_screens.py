"""Rules that hold on every screen, whatever the run and however narrow the terminal."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ciphermark import contract
from ciphermark.record.run import Context, Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.record.tables import SAMPLES
from ciphermark.statistics.estimate import Estimate, no_gain
from ciphermark.statistics.line import Line as FittedLine
from ciphermark.view.blocks import Table as TableBlock
from ciphermark.view.blocks import tables
from ciphermark.view.column import Column, Place, of_words
from ciphermark.view.figures import half_percent, is_wide
from ciphermark.view.problems import FAILED, TIE, UNSETTLED
from ciphermark.workload import AnyRows, workload_of
from ciphermark.workload import rows as rows_of
from ciphermark.workloads.single.cost_card import cost_cards, fixed_cost, legend
from ciphermark.workloads.single.row import clock_of_rates
from on_screen import blocks_on_screen, rows_on_screen
from packets_example import packets_example
from survey_example import survey_example
from synthetic import synthetic_run
from tunnel_example import tunnel_run
from workload_examples import EXAMPLES

GOLDEN = sorted((Path(__file__).parent / "golden").glob("run-*"))
WIDTHS = range(60, 141, 10)


@pytest.fixture(params=[*EXAMPLES, *GOLDEN], ids=lambda it: getattr(it, "name", it))
def shown(request: pytest.FixtureRequest, store: Store) -> tuple[Context, AnyRows]:
    if request.param in EXAMPLES:
        run, rows = EXAMPLES[request.param]()
    else:
        run = store.load(store.resolve(str(request.param)))
        rows = rows_of(run)
    return run.context, rows


def main_table(context: Context, rows: AnyRows) -> TableBlock[Any]:
    workload = workload_of(context.workload)
    blocks = workload.blocks(context, [row for row in rows if row.is_measured], None)
    return next(it for it in tables(blocks, Place.TERMINAL))


def test_no_two_rows_read_alike(shown: tuple[Context, AnyRows]) -> None:
    table = main_table(*shown)
    keys = [it for it in table.columns if it.has_words or it.key]
    wide = Counter(text_of(table, 400))
    distinct = {tuple(it.cell(row).text for it in keys) for row in table.rows}
    for width in WIDTHS:
        text = text_of(table, width)
        assert len(set(text)) >= min(len(distinct), len(set(wide)))


def text_of(table: TableBlock[Any], width: int) -> list[str]:
    """Returns the lines of a table, each with those that belong to it below."""
    lines: list[str] = []
    for line in blocks_on_screen([table], width=width).splitlines():
        if line.startswith("    ") and lines:
            lines[-1] += line
        else:
            lines.append(line)
    return lines


def test_each_interval_is_on_the_screen(shown: tuple[Context, AnyRows]) -> None:
    context, rows = shown
    table = main_table(context, rows)
    main = [it for it in table.columns if it.estimate is not None and not it.dispensable]
    halves = {column.half(row) for column in main for row in table.rows}
    for width in WIDTHS:
        text = rows_on_screen(context, rows, width=width)
        assert all(half in text for half in halves)


@pytest.mark.parametrize("width", WIDTHS)
def test_packets_differ_in_a_number_that_is_shown(width: int) -> None:
    run, rows = packets_example()
    text = rows_on_screen(run.context, rows, width=width)
    table = filter(None, text.partition("! ")[0].splitlines())
    assert max(Counter(re.sub(r"~|\s*±.*", "", line) for line in table).values()) == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_a_wide_interval_of_a_tunnel_is_marked(width: int) -> None:
    run = tunnel_run()
    rows = rows_of(run)
    rows[0].payload_bits_per_second = Estimate(2.66e9, 1.38e9, 3.94e9)
    text = rows_on_screen(run.context, rows, width=width)
    assert f"{UNSETTLED}2 660 ±48 %" in text


COLUMNS = [
    Column[Any]("many", lambda it: it[0], key=True, dispensable=9),
    Column[Any]("cost", lambda it: it[1].value, estimate=lambda it: it[1]),
    Column[Any]("more", lambda it: 1000.0, dispensable=1),
]


def test_a_key_goes_first_where_all_rows_have_the_same() -> None:
    alike = [(1000.0, Estimate(5.0, 4.9, 5.1)), (1000.0, Estimate(6.0, 5.9, 6.1))]
    other = [*alike, (2000.0, Estimate(6.0, 5.9, 6.1))]

    def left_out(rows: list[Any]) -> str:
        text = blocks_on_screen([TableBlock(columns=COLUMNS, rows=rows)], width=20)
        return text.partition("columns: ")[2].strip()

    assert left_out(alike) == "many"
    assert left_out(other) == "more"


def test_half_of_an_interval_is_a_share() -> None:
    assert (half_percent(0.48), half_percent(0.0035)) == ("±48 %", "±0.35 %")
    assert is_wide(0.11)
    assert not is_wide(0.1)


def test_words_without_room_are_below_their_row() -> None:
    rows = [(1.0, "per-flow · 4 lanes · 1 000 000/s offered"), (2.0, "block")]
    columns = [
        Column[Any]("cost", lambda it: it[0]),
        of_words("called", lambda it: it[1], at_end=True, key=True),
    ]

    def text(width: int) -> str:
        return blocks_on_screen([TableBlock(columns=columns, rows=rows)], width=width)

    assert text(width=40).splitlines() == [
        "cost",
        "1.00",
        "    per-flow · 4 lanes · 1 000 000/s",
        "    offered",
        "2.00",
        "    block",
    ]
    assert "1.00  per-flow · 4 lanes" in text(width=60)


def test_a_group_keeps_its_heading_when_its_first_column_goes() -> None:
    rows = [1.0]
    columns = [
        Column[Any]("one", lambda it: it, "cycles a packet\none", dispensable=1),
        Column[Any]("two", lambda it: it, "cycles a packet\ntwo"),
    ]

    def text(width: int) -> str:
        return blocks_on_screen([TableBlock(columns=columns, rows=rows)], width=width)

    assert text(width=14).splitlines()[:2] == ["cycles a packet", "two".rjust(15)]


@pytest.mark.parametrize("name", ["packets", "sessions"])
def test_the_clocks_of_rates_are_said_where_they_differ(name: str) -> None:
    run, rows = EXAMPLES[name]()

    def text() -> str:
        printed = rows_on_screen(run.context, rows)
        return " ".join(printed.split())

    for row in rows:
        row.core_hz = 2.64e9
    assert "core clocks" not in text()
    rows[0].core_hz, rows[1].core_hz = 2.59e9, 2.79e9
    assert "of the time that passed, at core clocks of 2.59 to 2.79 GHz" in text()


def test_the_page_of_the_marks_has_all_of_them() -> None:
    page = (Path(__file__).parent.parent / "docs" / "marks.md").read_text()
    rows = re.findall(r"^\| `(.)` ", page, re.MULTILINE)
    assert rows == [UNSETTLED, TIE, FAILED]


def test_every_screen_leads_to_the_page_of_the_marks(shown: tuple[Context, AnyRows]) -> None:

    context, rows = shown
    assert "docs/marks.md" in " ".join(rows_on_screen(context, rows, width=80).split())


MARKED = re.compile(r"[*†‡§?○●◆](?=\d)")


def test_no_other_mark_is_beside_a_figure(shown: tuple[Context, AnyRows]) -> None:
    context, rows = shown
    text = rows_on_screen(context, rows)
    assert not MARKED.findall(text)


def run_at(costs: list[tuple[float, float]], operation: contract.Operation = "seal") -> Run:
    """A run with a case for each cost: cycles of a message of 1 KiB, and the core clock."""
    size = None if operation == "setup" else 1024
    cases = [
        contract.Case(
            case=number,
            algorithm="aes-128-gcm",
            operation=operation,
            provider="openssl",
            backend=f"path-{number}",
            message_bytes=size,
        )
        for number in range(len(costs))
    ]
    run = synthetic_run(cases, rounds=1)
    run.samples = Table.of_rows(
        [
            {
                "case": number,
                "round": process,
                "process": process,
                "slice": place,
                "at_ns": (process * len(costs) + number) * 1_000_000 + place * 20_000,
                "messages": 100,
                "wall_ns": 100 * (cost + 2) / hz * 1e9,
                "cycles": 100 * (cost + 2),
                "loop_cycles": 2.0,
                "core_hz": hz,
                "group_cpu_ns": 100_000,
                "group_wall_ns": 100_000,
                "disturbed": [],
            }
            for process in range(7)
            for number, (cost, hz) in enumerate(costs)
            for place in range(5)
        ],
        SAMPLES,
    )
    return run


@given(st.lists(st.tuples(st.floats(300, 30_000), st.floats(2.3e9, 3.1e9)), min_size=2, max_size=9))
@settings(max_examples=30)
def test_fewer_cycles_are_never_less_throughput(costs: list[tuple[float, float]]) -> None:
    found = sorted(rows_of(run_at(costs)), key=lambda row: row.cycles_per_byte)
    rates = [row.mbytes_per_second for row in found]
    assert all(slower <= faster for faster, slower in pairwise(rates))
    assert clock_of_rates(found).startswith("MB/s at ")
    assert "of each row" not in clock_of_rates(found)


def test_the_clock_of_a_table_is_said_with_its_drift() -> None:
    run = run_at([(1000, 2.59e9), (900, 2.64e9), (2000, 2.79e9)])
    text = rows_on_screen(run.context, rows_of(run))
    assert "MB/s at 2.64 GHz, from which the core clock moved by ±5.7 %" in text


def test_the_time_of_a_core_that_waits_for_a_device_counts() -> None:
    """Cycles that a PMU counts leave out the wait, and throughput does not."""
    run = run_at([(1000, 2e9)])
    run.samples = run.samples.with_column("wall_ns", 5 * run.samples["wall_ns"].to_numpy())
    (row,) = rows_of(run)
    assert row.mbytes_per_second == pytest.approx(1024 / row.ns_per_message * 1e3)


@pytest.mark.parametrize("cost", [-1.5, 0.0])
def test_a_key_setup_never_costs_less_than_nothing(cost: float) -> None:
    (row,) = rows_of(run_at([(cost, 2e9)], "setup"))
    assert row.cycles_per_message in (None, 0.0)
    if row.cycles_per_message is None:
        assert "loop" in row.not_converged_reason
        assert not row.converged


def a_card(fixed: Estimate, slope: Estimate, sizes: tuple[int, ...] = (16, 64, 256, 1024)) -> Any:
    run, rows = survey_example(["sha256"])
    card = cost_cards(rows)[0]
    return msgspec.structs.replace(
        card, lines=[FittedLine(fixed=fixed, slope=slope, start=float(sizes[0]))]
    )


@pytest.mark.parametrize(
    ("fixed", "slope", "text"),
    [
        (Estimate(5580, 5000, 6000), Estimate(-1.95, -2.0, -1.9), "!"),
        (Estimate(5580, 5000, 6000), Estimate(-1.95), "!"),
        (Estimate(-80, -90, -70), Estimate(2.0, 1.9, 2.1), "!"),
        (Estimate(-8, -20, 4), Estimate(2.0, 1.9, 2.1), "≈0"),
        (Estimate(80, 70, 90), Estimate(2.0, 1.9, 2.1), "80.0"),
    ],
)
def test_a_cost_below_nothing_is_withheld(fixed: Estimate, slope: Estimate, text: str) -> None:
    card = a_card(fixed, slope)
    assert fixed_cost(card) == text
    assert ("!" in dict(legend([card]))) == (text == "!")


@pytest.mark.parametrize(
    ("gain", "cpus", "by_rates", "is_possible"),
    [
        (2.91, 2, 1.64, False),
        (2.91, 2, None, False),
        (1.95, 2, 1.20, False),
        (1.95, 2, 1.97, True),
        (2.15, 2, 2.15, True),
    ],
)
def test_more_than_the_cpus_can_do_is_withheld(
    gain: float, cpus: int, by_rates: float | None, is_possible: bool
) -> None:
    assert (no_gain(gain, cpus, by_rates) is None) == is_possible
