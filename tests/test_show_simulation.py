"""The table of simulated processors on terminals, narrow and wide."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from ciphermark.cli import show_listing as listing
from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.run.targets.toolchain import TargetSummary
from ciphermark.view.plan import simulated_blocks
from ciphermark.view.screen import show
from ciphermark.workloads.simulation.document import blocks, ranks, remarks
from ciphermark.workloads.simulation.row import Line, SimulationRow, lines, simulation_rows
from ciphermark.workloads.simulation.simulating import SimulatingProgress
from on_screen import on_screen
from simulation_example import failure, simulated_run, simulations


def rows_of(found: Iterable[Simulation]) -> list[SimulationRow]:
    return simulation_rows(simulated_run(list(found)))


def lines_of(found: Iterable[Simulation]) -> dict[tuple[str, str], Line]:
    """Of one target, by algorithm and operation."""
    return {(it.first.algorithm, it.operation): it for it in lines(rows_of(found))}


def printed(rows: list[SimulationRow], width: int) -> list[str]:
    text = on_screen(show, list(blocks(rows, None)), width=width)
    return [line.rstrip() for line in text.splitlines()]


def changed(found: Simulation, **fields: object) -> Simulation:
    """The same with another case."""
    case = msgspec.structs.replace(found.case, **fields)
    return msgspec.structs.replace(found, case=case)


def seeded(values: Iterable[int]) -> list[Simulation]:
    """One case with so many seeds."""
    case = SimulatedCase(target="sa1110", algorithm="md5", operation="digest", message_bytes=8)
    return [
        Simulation(
            case=msgspec.structs.replace(case, seed=seed), metric="cycles-model", value=value
        )
        for seed, value in enumerate(values, start=1)
    ]


def test_the_table_says_what_its_figures_are() -> None:
    lines = printed(rows_of(simulations(["atmega128", "cortex-m4", "m16c"])), 100)
    titles = ["atmega128, cycles (simulated)", "cortex-m4, cycles (model)", "m16c, instructions"]
    assert [line for line in lines if line in titles] == titles
    [warning] = [place for place, line in enumerate(lines) if "not comparable" in line]
    assert warning > lines.index(titles[-1])


def test_setup_stands_on_the_line_of_the_operation_that_needs_it() -> None:
    found = [it for it in simulations(["sa1110"]) if it.case.algorithm == "idea-ecb"]
    setup = next(it for it in found if it.case.operation == "setup")
    undone = [changed(it, operation="decrypt") for it in found if it is not setup]
    dearer = msgspec.structs.replace(changed(setup, keyed_for="decrypt"), value=99_999)
    by_name = lines_of([*found, *undone, dearer])
    assert list(by_name) == [("idea-ecb", "encrypt"), ("idea-ecb", "decrypt")]
    assert by_name["idea-ecb", "encrypt"].of_setup() == setup.value
    assert by_name["idea-ecb", "decrypt"].of_setup() == 99_999
    assert by_name["idea-ecb", "decrypt"].at(8) == undone[0].value


def test_a_setup_that_no_operation_needs_has_a_line() -> None:
    found = [it for it in simulations(["sa1110"]) if it.case.operation == "setup"]
    other = changed(found[0], keyed_for="decrypt")
    by_name = lines_of([*found, other])
    operations = [operation for algorithm, operation in by_name if algorithm == "idea-ecb"]
    assert operations == ["setup", "setup for decrypt"]
    assert by_name["idea-ecb", "setup"].of_setup() == found[0].value


def test_memory_is_the_most_of_setup_and_operation() -> None:
    found = [it for it in simulations(["sa1110"]) if it.case.algorithm == "idea-ecb"]
    setup = next(it for it in found if it.case.operation == "setup")
    setup.stack_bytes = 5000
    assert lines_of(found)["idea-ecb", "encrypt"].most("stack_bytes") == 5000


def test_sizes_make_room_before_memory_and_are_spread() -> None:
    base = next(it for it in simulations(["sa1110"]) if it.case.operation == "digest")
    sizes = range(8, 8 * 40, 8)
    rows = rows_of(changed(base, message_bytes=size) for size in sizes)
    text = printed(rows, 80)
    heading = text[2]
    assert " 8 B " in heading and f"{sizes[-1]} B" in heading
    assert heading.endswith("bytes    bytes  bytes")
    shown = [int(word) for word in heading.replace(" B", "").split() if word.isdigit()]
    gaps = [second - first for first, second in zip(shown, shown[1:], strict=False)]
    assert len(shown) >= 4 and max(gaps) <= 2 * min(gaps) + 8
    assert "Left out at 80 columns: further sizes" in text


@given(st.integers(min_value=0, max_value=200))
def test_every_size_has_its_place(count: int) -> None:
    assert sorted(ranks(count)) == list(range(count))


def test_failures_are_said_once_with_the_reason() -> None:
    found = simulations(["sa1110"])
    failed = [failure(it) if it.case.algorithm == "md5" else it for it in found]
    lines = printed(rows_of(failed), 100)
    cases = sum(it.case.algorithm == "md5" for it in found)
    assert f"  md5 on sa1110, {cases} cases: made up" in lines
    assert not any(line.startswith("md5") for line in lines)


def test_several_seeds_are_a_median_and_the_widest_spreads() -> None:
    rows = rows_of(seeded([100, 120, 110]))
    [line] = lines(rows)
    assert line.at(8) == 110
    _, medians, widest = remarks(rows)
    assert "medians over 3 seeds" in medians and "0 of 1 case cost the same" in medians
    assert "md5 digest of 8 B on sa1110 depends on the seed: 100 to 120, 20 % more" in widest


def fed(console: Console, done: Callable[[SimulatingProgress], None]) -> str:
    with console.capture() as capture, SimulatingProgress(console, 2, 8) as progress:
        done(progress)
    return capture.get()


def test_without_a_terminal_the_end_is_one_line() -> None:
    def both(progress: SimulatingProgress) -> None:
        for title in ("A", "B"):
            progress.feed(title, 0, 4)
            progress.feed(title, 4, 4)

    assert fed(Console(width=80), both) == "Simulated 8 cases on 2 targets\n"


def test_a_terminal_keeps_the_bar_with_how_much_was_done() -> None:
    console = Console(width=100, force_terminal=True)
    shown = fed(console, lambda progress: progress.feed("A", 8, 8))
    assert "8/8   on 1 target\n" in shown


def test_a_target_that_cannot_be_simulated_is_not_counted() -> None:
    def one(progress: SimulatingProgress) -> None:
        progress.feed("A", 0, 4)
        progress.feed("A", 4, 4)
        progress.feed("B", 0, 4)

    assert fed(Console(width=80), one) == "Simulated 4 cases on 1 target\n"
    assert fed(Console(width=80), lambda progress: progress.feed("A", 0, 4)) == ""


@pytest.mark.parametrize("width", (80, 120))
def test_the_list_of_targets_fits_and_says_what_to_type(width: int) -> None:
    summaries = [
        TargetSummary(
            target="ultrasparc2",
            title="UltraSPARC II in 32-bit mode",
            word_bits=32,
            clock_mhz=440,
            multiply_bits=32,
            metric="cycles-simulated",
            usable=not reason,
            reason=reason,
        )
        for reason in ("", "UltraSPARC II needs its tools: type this")
    ]
    text = on_screen(show, listing.targets(summaries), width=width)
    assert max(map(len, map(str.rstrip, text.splitlines()))) <= width
    assert text.rstrip().endswith("UltraSPARC II needs its tools: type this")
    assert "…" not in text


def test_a_dry_run_says_what_would_be_simulated() -> None:
    cases = [
        SimulatedCase(target=target, algorithm=algorithm, operation="digest", message_bytes=size)
        for target in ("atmega128", "octeon")
        for algorithm in ("md5", "sha1")
        for size in (16, 64, 256)
    ]
    assert on_screen(show, simulated_blocks([])) == ""
    said = on_screen(show, simulated_blocks(cases), width=80).split("\n")
    assert [line.split() for line in said if line.startswith("octeon")] == [
        ["octeon", "6", "2", "3", "1"]
    ]
    assert said[-2].strip() == "beside: 12 calls simulated on 2 targets"
