"""The table of a survey: what it shows at which width, and what its marks say."""

from __future__ import annotations

import re

import msgspec
import pytest
import typer
from typer.testing import CliRunner

from broad_example import PROVIDERS, broad_example
from ciphermark.cli.show import show as command
from ciphermark.command.options import grouped
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.record.table import Table
from ciphermark.view.frame import row_blocks
from ciphermark.view.screen import show
from ciphermark.view.terminal import output_console
from ciphermark.workloads.single.cost_card import cost_cards
from ciphermark.workloads.single.document import blocks
from ciphermark.workloads.single.row import Row
from on_screen import blocks_on_screen, rows_on_screen
from survey_example import survey_example


def _printed(run: Run, rows: list[Row], width: int = 200, **options: bool) -> str:
    text = rows_on_screen(run.context, rows, width, **options)
    return text.rpartition("Marks: ")[0]


@pytest.mark.slow
def test_what_a_narrow_terminal_lacks_is_named() -> None:
    def left_out(width: int) -> set[str]:
        printed = " ".join(_printed(*survey_example(), width).split())
        found = re.search(r"Left out at \d+ columns: ([^~]*) ~", printed)
        return set(found[1].split(", ")) if found else set()

    assert left_out(80) == {
        *("64 B", "256 B", "1 KiB", "± of the cost card", "key setup", "cost card", "backend")
    }
    assert left_out(100) == {"64 B", "256 B", "1 KiB", "± of the cost card", "key setup", "backend"}
    assert left_out(140) == {"± of the cost card", "key setup"}
    assert left_out(180) == set()


@pytest.mark.parametrize(("cycles", "is_said"), [(400.0, True), (600.0, False)])
def test_how_far_short_messages_are_known_is_said(cycles: float, is_said: bool) -> None:
    run, rows = survey_example(["aes-128-gcm"])
    known = {"cycles_per_message": cycles, "loop_cycles": 5.37}
    rows = [msgspec.structs.replace(row, **known) for row in rows]
    printed = " ".join(_printed(run, rows).split())
    assert ("may be up to 5.37 cycles a message too low" in printed) == is_said


def test_the_cells_of_a_line() -> None:
    printed = _printed(*survey_example(["aes-128-gcm"]))
    line = next(line for line in printed.splitlines() if line.startswith("aes-128-gcm"))
    name, *cells, provider, backend = re.split(r" {2,}", line)
    assert (name, provider, backend) == ("aes-128-gcm", "openssl", "vaes-avx512")
    cycles, (fixed, fixed_half, slope, slope_half), (setup, throughput) = (
        cells[:6],
        cells[6:10],
        cells[10:],
    )
    assert cycles == ["40.3", "10.3", "3.17", "1.30", "~1.11 ±1.8 %", "0.725"]
    assert slope.startswith("+ ")
    assert fixed_half.startswith("±")
    assert slope_half.startswith("±")
    assert (fixed, setup, throughput) == ("626", "588", "~3 440")


def test_no_line_ends_in_blanks() -> None:
    table = _printed(*survey_example()).split("\n\n")[0]
    assert not re.search(r"[^\S\n]$", table, re.MULTILINE)


def test_the_status_is_said_in_words_where_it_matters() -> None:
    printed = _printed(*survey_example(["md5", "hmac-md5", "sha256"]))
    assert "md5 broken " in printed
    assert "hmac-md5 legacy " in printed
    assert "recommended" not in printed


def test_the_legend_explains_the_marks_that_occur_and_no_others() -> None:
    marked = _printed(*survey_example(["aes-128-gcm", "aes-128-cbc"]))
    assert "~ 1 of 48 cases did not settle to ±1 %: aes-128-gcm seal, openssl, 1500 B" in marked
    plain = _printed(*survey_example(["sha256"]))
    assert "~" not in plain
    assert "*" not in plain


def test_a_cost_card_of_no_straight_line_is_marked() -> None:
    run, rows = survey_example(["sha256"])
    cards = cost_cards(rows)
    cards[0].largest_residual = 0.18
    text = blocks_on_screen(blocks(run.context, rows, cards, None), 140)
    marked = [line for line in text.splitlines() if "~" in line]
    assert marked[0].startswith("sha256")
    assert marked[1].startswith("~ cost is no straight line over size")
    assert len(marked) == 2


def test_few_unsettled_cases_are_named_and_the_rest_counted() -> None:
    run, rows = survey_example(["sha256"])
    for row in rows:
        row.converged, row.not_converged_reason = False, "interval ±3.0 %"
    printed = " ".join(_printed(run, rows).split())
    assert printed.count("(interval ±3.0 %)") == 3
    assert "and 9 more" in printed


def test_what_failed_is_listed_with_its_reason_and_marked_in_its_column() -> None:
    run, rows = survey_example(["md5"])
    rows[2].error = rows[2].error or survey_example(["camellia-256-cbc"])[1][-1].error
    rows[2].cycles_per_byte = None
    printed = _printed(run, rows)
    line = next(line for line in printed.splitlines() if line.startswith("md5"))
    assert re.split(r" {2,}", line)[3] == "!"
    assert "! 1 case failed" in printed
    assert "md5 digest, openssl, 256 B: crash (SIGSEGV), the worker of rustcrypto died" in printed


def test_a_run_in_which_all_failed_has_its_reasons_only() -> None:
    run, rows = survey_example(["camellia-256-cbc"])
    failed = [row for row in rows if row.error is not None]
    printed = _printed(run, failed)
    assert "! 11 cases failed" in printed
    assert "camellia-256-cbc setup, encrypt, decrypt, rustcrypto" in printed


@pytest.mark.slow
def test_of_very_many_lines_the_fastest_of_each_size_are_shown() -> None:
    run, rows = broad_example(60, sizes=(16, 16384))
    printed = _printed(run, rows)
    table, _, notes = printed.partition("\n\n")
    fastest: dict[tuple[str, int | None], Row] = {}
    for row in rows:
        case = (row.algorithm, row.message_bytes)
        if row.error is None:
            best = fastest.setdefault(case, row)
            if row.cycles_per_message < best.cycles_per_message:
                fastest[case] = row
    expected = {(row.algorithm, row.provider) for row in fastest.values()}
    shown = {
        (line.split()[0], line.split()[-2]) for line in table.splitlines() if "default" in line
    }
    assert shown == expected
    every = len({(row.algorithm, row.provider) for row in rows if row.error is None})
    assert f"{len(expected)} lines of {every}: the fastest at some size. All: " in notes
    assert f"ciphermark export {run.context.run} --format markdown" in notes


def test_a_survey_of_todays_algorithms_is_shown_whole() -> None:
    run, rows = broad_example(25, sizes=(1024,), share=1.0)
    printed = _printed(run, rows)
    assert "lines of" not in printed
    assert all(f" {provider} " in printed for provider in PROVIDERS)


def test_a_way_of_calling_is_said_at_every_width() -> None:
    run, rows = survey_example(["md5"])
    for row in rows[:3]:
        row.lanes, row.keys = 8, 1000
    assert "8 lanes · 1 000 keys" in _printed(run, rows, 80)


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    run, rows = survey_example(["md5"])
    assert "\x1b[" not in _printed(run, rows)
    assert "\x1b[31m" in _printed(run, rows, force_terminal=True, color_system="standard")
    monkeypatch.setenv("NO_COLOR", "1")
    uncoloured = _printed(run, rows, force_terminal=True)
    assert not re.search(r"\x1b\[[\d;]*3[0-7]", uncoloured)
    assert "md5 broken" in re.sub(r"\x1b\[[\d;]*m", "", uncoloured)


def test_a_pipe_gets_every_column(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    run, rows = survey_example()
    show(output_console(), row_blocks(run.context, rows))
    assert "Left out" not in capsys.readouterr().out


def _show(store: Store, *arguments: str) -> str:
    app = typer.Typer()
    app.command()(grouped(command))
    result = CliRunner().invoke(app, [*arguments, "--runs", str(store.root)])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_command_prints_machine_run_and_table(store: Store, run: Run, run_rows: Table) -> None:
    store.save(run, run_rows)
    printed = _show(store, "last")
    assert run.context.cpu_name in printed
    assert run.context.run in printed
    assert "AEAD · seal" in printed


def test_the_command_prints_json(store: Store, run: Run, run_rows: Table) -> None:
    import json

    store.save(run, run_rows)
    document = json.loads(_show(store, "last", "--json"))
    assert document["run"] == run.context.run
    assert len(document["rows"]) == len(run.cases)
    assert set(document["rows"][0]) == set(Row.__struct_fields__)
