"""The sensor study: what it simulates, its tables, its figures, and each claim both ways."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import altair as alt
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ciphermark import contract
from ciphermark.cli.main import app
from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.plan.planfile import Effort
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.studies import charts as study_plots
from ciphermark.studies import registry
from ciphermark.studies.sensor import QUESTIONS, charts, paper, simulated, suspects, tables
from ciphermark.studies.sensor.evidence import Evidence, Measured, printed
from ciphermark.studies.sensor.paper import (
    ATMEGA103,
    ATMEGA128,
    AVR,
    DIGEST,
    ENCRYPT,
    IDEA,
    M16C,
    MD5,
    PLATFORMS,
    PXA250_200,
    RC4,
    RC5,
    RC5_OF,
    SA1110,
    SETUP,
    SHA1,
    TARGETS,
    ULTRASPARC2,
    XSCALE,
    Work,
    hash_blocks,
    padded,
)
from ciphermark.studies.statements import Said
from ciphermark.view.findings import Claim, MarkChart, Table
from ciphermark.view.plots.panel import picture
from ciphermark.workloads.single.row import Row
from ciphermark.workloads.single.rows import rows as rows_of
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from row_example import a_row
from sensor_example import (
    CODE,
    CODE_LINES,
    DATA_LINES,
    SLOWER,
    as_here,
    as_printed,
    case_of,
    run_of,
    simulation,
)
from study_example import line

HERE = as_here()
HERE_SHOWN = tables(HERE, [])
PRINTED = as_printed()


def claim(run: Run, name: str, rows: Iterable[Row] = ()) -> Claim:
    """One of `claims`, which judge all."""
    return QUESTIONS.claim(name, Measured(run, list(rows)))


def table(run: Run, title: str, rows: Iterable[Row] = ()) -> Table:
    """The first of that title."""
    found = HERE_SHOWN if run is HERE and not rows else tables(run, list(rows))
    return next(it for it in found if it.title.startswith(title))


def changed(run: Run, is_meant: Callable[[SimulatedCase], bool], **factors: float) -> Run:
    """A run with figures of some simulations multiplied."""

    def multiplied(it: Simulation) -> Simulation:
        if not is_meant(it.case):
            return it
        fields = {name: round(by * getattr(it, name)) for name, by in factors.items()}
        return msgspec.structs.replace(it, **fields)

    return msgspec.structs.replace(run, simulations=[multiplied(it) for it in run.simulations])


def of(*targets: str, **fields: object) -> Callable[[SimulatedCase], bool]:
    """Whether a case is of one of these targets, or of any, with these fields."""
    return lambda case: (
        (not targets or case.target in targets)
        and all(getattr(case, name) == value for name, value in fields.items())
    )


def encrypting(algorithm: str, target: str) -> Callable[[SimulatedCase], bool]:
    operation = "keystream" if algorithm == RC4 else ENCRYPT
    return of(target, algorithm=algorithm, operation=operation)


@cache
def cases(effort: Effort) -> list[SimulatedCase]:
    return simulated(effort)


def lengths(effort: Effort, target: str, algorithm: str, operation: str) -> list[int]:
    wanted = of(target, algorithm=algorithm, operation=operation, seed=1)
    return [it.message_bytes for it in cases(effort) if wanted(it)]


def test_every_length_is_simulated_of_what_takes_it() -> None:
    assert lengths("usual", ATMEGA103, MD5, DIGEST) == [*range(131)]
    assert lengths("usual", M16C, RC4, "keystream") == [*range(1, 131)]
    assert lengths("usual", SA1110, RC5, ENCRYPT) == [*range(8, 131, 8)]
    assert lengths("quick", SA1110, IDEA, "decrypt") == [8, 16, 32, 56, 64, 80, 120, 128]
    assert lengths("usual", SA1110, "sha256", DIGEST) == [16, 64, 128]


@pytest.mark.parametrize("effort", ["quick", "usual", "full"])
def test_what_is_simulated_has_all_rows_of_the_paper_on_all_targets_once(effort: Effort) -> None:
    found = cases(effort)
    assert len(set(found)) == len(found)
    asked = {
        (it.target, Work(it.algorithm, it.operation, it.message_bytes, it.keyed_for))
        for it in found
    }
    assert asked >= {(target, cell.work) for target in TARGETS for cell in paper.cells()}
    for algorithm in RC5_OF.values():
        assert (ATMEGA103, Work(algorithm, ENCRYPT, 16)) in asked


def test_keys_and_inputs_vary_where_the_paper_asks_and_grow_with_the_effort() -> None:
    seeds = {
        effort: {it.seed for it in cases(effort) if it.algorithm == RC5}
        for effort in ("quick", "usual", "full")
    }
    assert seeds["quick"] < seeds["usual"] < seeds["full"]
    assert min(seeds["full"]) == 1
    others = [it for it in cases("quick") if it.seed > 1]
    varied = {(it.operation, it.message_bytes, it.keyed_for) for it in others}
    assert (SETUP, None, "decrypt") in varied
    assert {size for _, size, _ in varied} == {None, 16}
    assert {it.seed for it in cases("full") if it.algorithm == "sha256"} == {1}


def test_the_rows_of_table_3_are_simulated_by_other_flags_too() -> None:
    rows = {cell.work for cell in paper.cells()}
    for target in paper.OTHERWISE_COMPILED.values():
        own = [it for it in cases("quick") if it.target == target]
        asked = {Work(it.algorithm, it.operation, it.message_bytes, it.keyed_for) for it in own}
        assert asked == rows and len(own) == len(rows)


def test_a_call_with_empty_caches_costs_what_memory_takes_at_each_clock() -> None:
    shown = table(HERE, "Caches of SA-1110")
    found = line(shown, "MD5", "0", "digest")
    lines = CODE_LINES + DATA_LINES
    cached = found["cycles of it cached"]
    # 120 ns for each line, of 400, 200 and 206 million cycles a second.
    assert found["cycles of it first call, 400 MHz"] == pytest.approx(cached + 48 * lines)
    assert found["cycles of it first call, 200 MHz"] == pytest.approx(cached + 24 * lines)
    assert found["cycles first call"] == pytest.approx(found["cycles cached"] + 0.120 * 206 * lines)
    assert found["200 MHz / 400 MHz here"] < 1
    assert found["200 MHz / 400 MHz published"] == pytest.approx(53 * 200 / (26 * 400))
    assert any("a second call misses nothing" in note for note in shown.notes)


def test_lines_that_gave_way_are_said() -> None:
    crowded = changed(HERE, of(SA1110, algorithm=MD5), instruction_misses=2.0)
    for it in crowded.simulations:
        if it.case.target == SA1110 and it.case.algorithm == MD5:
            it.evictions = 7
    notes = table(crowded, "Caches of SA-1110").notes
    assert "lines that were evicted: 7 at most" in notes


def test_flags_of_each_target_stand_beside_the_papers_compiler() -> None:
    shown = table(HERE, "How each target was compiled")
    assert line(shown, "ATmega103")["the paper's compiler"] == "GCC 3.0"
    assert line(shown, "atmega1284p")["flags"] == "-Os"
    assert not [row for row in shown.rows if row[0] == "M16C/10"]
    told = changed(HERE, of())
    next(it for it in told.targets if it.target == SA1110).other_flags = {"idea.c": "-O1"}
    assert line(table(told, "How each"), "SA-1110")["files that needed others"] == 1


def test_one_cipher_for_both_takes_less_memory_than_a_cipher_and_a_hash() -> None:
    found = line(table(HERE, "Memory of encryption"), "ATmega128")
    flash, ram = "flash: code and tables", "RAM: key and state, deepest stack"
    assert found[f"{flash} RC5 for both"] == 3 * CODE["rc5-32-12-8-ecb"]
    assert found[f"{flash} RC5, MD5"] == 3 * (CODE["rc5-32-12-8-ecb"] + CODE["md5"])
    # Contexts of 104 bytes each, and stacks of 64.
    assert found[f"{ram} RC5 for both"] == 104 + 64
    assert found[f"{ram} RC5, MD5"] == 2 * 104 + 64
    assert not [row for row in table(HERE, "Memory of encryption").rows if row[0] == "M16C/10"]


def test_what_the_optimisation_changes_is_shown_where_both_were_compiled() -> None:
    shown = table(HERE, "Effect of the optimisation")
    found = line(shown, "SHA-1", "64", "digest")
    assert found["ATmega128, cycles (simulated) ratio"] == pytest.approx(SLOWER, rel=0.01)
    assert {column.group for column in shown.columns if column.group} == {
        "ATmega128, cycles (simulated)"
    }
    every = tables(as_here(()), [])
    shown = next(it for it in every if it.title.startswith("Effect of the optimisation"))
    assert "M16C/10, instructions" in {column.group for column in shown.columns}


@given(st.sampled_from([RC5, IDEA, "aes-128-ecb"]), st.integers(0, 200))
def test_a_text_is_padded_to_the_next_whole_block(algorithm: str, size: int) -> None:
    block = 16 if algorithm == "aes-128-ecb" else 8
    assert padded(algorithm, size) % block == 0
    assert size <= padded(algorithm, size) < size + block


@given(st.integers(0, 500))
def test_a_hash_takes_another_block_where_its_padding_does_not_fit(size: int) -> None:
    assert 64 * hash_blocks(size) - 64 < size + 9 <= 64 * hash_blocks(size)


def test_suspect_cells_are_those_that_contradict_others() -> None:
    found = {(it.platform, str(it.cell)) for it in suspects.suspects()}
    assert found == {
        *((it, "SHA-1 of 56 bytes") for it in (*AVR, M16C)),
        (M16C, "SHA-1 of 3 bytes"),
        (M16C, "SHA-1 of 64 bytes"),
        *((it, "RC4 init") for it in PLATFORMS if it not in AVR),
        (ATMEGA128, "IDEA init-decrypt"),
    }
    own = {*paper.cells()} - {*suspects.copied()}
    assert {str(it) for it in own} == {"IDEA encrypt", "IDEA decrypt"}


def test_every_cell_has_its_ratio_and_suspect_ones_a_mark_and_a_reason() -> None:
    shown = [it for it in tables(PRINTED, []) if it.title.startswith("Table 3")]
    ratios = [
        row[place]
        for it in shown
        for place, column in enumerate(it.columns)
        if column.heading == "ratio"
        for row in it.rows
    ]
    assert ratios == [1.0] * 112
    assert sum(len(it.doubtful) for it in shown) == len(suspects.suspects())
    marked = {it.rows[row][column] for it in shown for row, column in it.doubtful}
    assert {14543, 3636, 155, 2354} < marked
    assert any("two blocks" in note or "2 blocks" in note for note in shown[0].notes)


def test_times_are_cycles_over_the_clock() -> None:
    shown = line(table(PRINTED, "Table 3, 8 bits"), "MD5", "0", DIGEST)
    assert shown["ATmega103, 4 MHz published"] == shown["ATmega103, 4 MHz here"] == 5863
    assert shown["ATmega128, 16 MHz cycles, here"] == 16 * 1466


def test_instructions_have_no_time_and_their_ratio_is_named_otherwise() -> None:
    shown = table(HERE, "Table 3, 32 bits: ")
    found = line(shown, "MD5", "0", DIGEST)
    ours = Measured(HERE, []).one(ULTRASPARC2, Work(MD5, DIGEST, 0)).value
    assert found["UltraSPARC II, 440 MHz instructions"] == ours
    assert found["UltraSPARC II, 440 MHz per cycle"] == pytest.approx(ours / (23 * 440))
    assert "UltraSPARC II, 440 MHz ratio" not in found
    assert found["UltraSPARC II, 440 MHz cycles, here"] is None
    assert any("not modelled" in note for note in shown.notes)


def test_a_target_without_tools_says_why_and_how_to_get_them() -> None:
    shown = table(HERE, "Table 3, 16 bits")
    assert all(row[4] is None for row in shown.rows)
    assert any("m32c-elf-gcc" in note and "make m16c" in note for note in shown.notes)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.floats(0.3, 0.49) | st.floats(0.51, 1.99) | st.floats(2.01, 3.0))
def test_a_platform_that_takes_longer_throughout_shows_by_how_much(factor: float) -> None:
    shown = table(as_printed(atmega103=factor), "Ours / published")
    of_platform = line(shown, "ATmega103")
    assert of_platform["geometric mean all"] == pytest.approx(factor, rel=1e-3)
    assert of_platform["geometric mean without ?"] == pytest.approx(factor, rel=1e-3)
    assert of_platform["of these within ×2"] == (16 if 0.5 < factor < 2 else 0)
    assert line(shown, "ATmega128")["geometric mean all"] == pytest.approx(1.0, rel=1e-3)


def test_the_nearest_number_of_rounds_is_that_of_the_nearest_cycles() -> None:
    [cell] = [it for it in paper.cells() if (it.function, it.action) == (RC5, ENCRYPT)]
    cycles = printed().cycles[ATMEGA103][cell]
    by_rounds = {8: 0.6 * cycles, 12: 1.1 * cycles, 16: 1.5 * cycles}
    run = run_of(
        simulation(case_of(ATMEGA103, cell.work._replace(algorithm=RC5_OF[it])), round(value))
        for it, value in by_rounds.items()
    )
    found = line(table(run, "RC5"), "ATmega103", ENCRYPT)
    assert found["nearest"] == 12
    assert found["here / published 16 rounds"] == pytest.approx(1.5, rel=1e-3)
    assert line(table(HERE, "RC5"), "UltraSPARC II", ENCRYPT)["nearest"] is None


def test_the_same_cycles_give_the_papers_own_overheads() -> None:
    published = table(PRINTED, "Figure 3, published")
    [here] = [
        it
        for it in tables(PRINTED, [])
        if it.title == "Figure 3, here: cycles × bus width, UltraSPARC II = 1"
    ]
    assert here.rows == published.rows
    assert line(here, "MD5", "0", DIGEST)["ATmega103"] == pytest.approx(0.579, abs=0.001)


def test_kinds_of_figures_are_not_compared_with_each_other() -> None:
    titles = [it.title for it in HERE_SHOWN if it.title.startswith("Figure 3, here")]
    assert titles == [
        "Figure 3, here: instructions × bus width, UltraSPARC II = 1",
        "Figure 3, here: cycles × bus width, SA-1110 = 1",
    ]
    for it in HERE_SHOWN:
        if it.title.startswith("All functions, instructions"):
            assert "ATmega103" not in it.title
            assert "SA-1110" not in it.title


@given(st.sets(st.sampled_from([it for it in PLATFORMS if it != M16C]), min_size=1))
def test_costs_are_all_cycles_or_all_instructions(platforms: set[str]) -> None:
    evidence = EVIDENCE
    found = evidence.costs(platforms)
    counted = ULTRASPARC2 in platforms
    assert found.unit == ("instructions" if counted else "cycles")
    whole = evidence.instructions if counted else evidence.cycles
    assert found.of == {it: whole[it] for it in platforms}


EVIDENCE: Evidence = Measured(HERE, []).evidence


def test_code_sizes_are_those_of_an_algorithm_with_all_its_operations() -> None:
    run = changed(HERE, of(ATMEGA103, algorithm=RC5, operation="decrypt"), code_bytes=2.0)
    assert line(table(run, "Figure 4: code size, bytes"), "ATmega103")["the paper RC5"] == 4200


def test_hashes_step_where_their_blocks_do() -> None:
    shown = table(HERE, "Hashes by length, cycles (simulated)")
    spans = [tuple(row[:3]) for row in shown.rows if row[0] == "MD5"]
    assert spans == [("MD5", "0–55", 1), ("MD5", "56–119", 2), ("MD5", "120–130", 3)]


def test_every_length_is_there_for_programs_with_texts_padded() -> None:
    shown = table(HERE, "Every length")
    assert shown.detail
    by_size = {row[0]: row for row in shown.rows}
    rc5 = next(place for place, it in enumerate(shown.columns) if it.heading == "RC5")
    assert by_size[9][rc5] == by_size[16][rc5] != by_size[8][rc5]
    assert by_size[0][rc5] is None


def test_what_varies_is_shown_with_its_worst_case_and_cause() -> None:
    shown = table(HERE, "Variance over 4 random keys and inputs, cycles (simulated)")
    found = line(shown, "ATmega103", "RC5", ENCRYPT)
    assert found["worst seed"] == 4
    assert found["depends on data"] == "rotations by data"
    assert found["most"] > found["median"] > found["least"]
    assert {row[1] for row in shown.rows} == {"RC5"}
    assert any("18 of 22" in note for note in shown.notes)


def host_row(algorithm: str, operation: str, buffers: str, cycles: float, spread: float) -> Row:
    """16 bytes by our kernel on the machine itself."""
    usual = {"provider": "kernels", "backend": "reference", "buffers": buffers}
    return a_row(16, cycles, spread, algorithm=algorithm, operation=operation, **usual)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cycles", "spread", "holds"),
    [(103.0, 0.001, True), (108.0, 0.001, False), (103.0, 0.02, None), (107.0, 0.02, None)],
)
def test_caches_are_asked_of_this_machine_as_sure_as_its_figures_are(
    cycles: float, spread: float, holds: bool | None
) -> None:
    rows = [
        host_row(RC4, "keystream", buffers, value, spread)
        for buffers, value in (("hot", 100.0), ("stream", cycles), ("cold", 900.0))
    ]
    found = claim(HERE, "caches-do-not-matter", rows)
    assert found.holds is holds
    assert "with nothing cached ×9.00" in found.here
    shown = line(table(HERE, "Caches", rows), "RC4")
    assert shown["over nearest cache memory"] == pytest.approx(cycles / 100)
    assert shown["cycles a message second cache"] is None


@pytest.mark.parametrize("without", ["hot", "stream"])
def test_caches_are_not_judged_by_a_figure_without_an_interval(without: str) -> None:
    rows = [
        host_row(RC4, "keystream", buffers, value, 0.001)
        for buffers, value in (("hot", 100.0), ("stream", 200.0))
    ]
    for row in rows:
        if row.buffers == without:
            row.cycles_per_message_low = row.cycles_per_message_high = None
    found = claim(HERE, "caches-do-not-matter", rows)
    assert found.holds is None
    assert "1 of 2 inputs has not settled: kernels reference rc4-128" in found.here


JUDGED_TWICE = [
    it
    for it in QUESTIONS.file.statement
    if it.printed and it.asked_here and it.claim != "caches-do-not-matter"
]


@pytest.mark.parametrize("said", JUDGED_TWICE, ids=lambda said: said.claim)
def test_processors_like_the_papers_say_what_its_table_does(said: Said) -> None:
    assert said.printed is not None
    found = claim(PRINTED, said.claim)
    assert found.holds is said.printed.holds, found.here


@pytest.mark.parametrize(
    ("name", "is_meant", "factor", "holds"),
    [
        ("three-classes-by-word-size", of(M16C), 0.7, True),
        ("rc4-ahead-of-rc5-on-8-and-16-bits", encrypting(RC4, M16C), 2.0, False),
        ("rc5-three-times-rc4-on-strongarm", encrypting(RC5, SA1110), 2.0, False),
        ("md5-ahead-of-sha1", of(ULTRASPARC2, algorithm=SHA1), 0.8, False),
        ("rc5-1.5-times-idea-on-atmega103", encrypting(IDEA, ATMEGA103), 2.0, False),
        ("rc5-ahead-of-idea", encrypting(IDEA, ATMEGA128), 1.5, True),
        ("multiplier-halves-idea", encrypting(IDEA, ATMEGA128), 1.5, False),
        ("hashing-several-times-more", of(ULTRASPARC2, operation=DIGEST), 0.3, False),
        ("hashing-almost-tenfold", of(operation=DIGEST), 2.0, False),
        ("initialisation-dominates-short-texts", of(ATMEGA103, operation=SETUP), 2.0, True),
        ("normalised-overheads-close", of(*AVR, *XSCALE), 5.0, False),
        ("normalised-overhead-lowest-on-avr", of(*AVR, algorithm=MD5), 2.0, False),
        ("m16c-poor-at-sha1", of(M16C, algorithm=SHA1), 0.5, False),
        ("strongarm-like-xscale", of(SA1110), 1.3, True),
        ("32-bits-twice-8-and-16", of(*AVR), 3.0, False),
        ("sparc-ahead", of(ULTRASPARC2), 0.5, True),
        ("xscale-ahead-of-sparc-for-sha1-and-idea", of(*XSCALE), 0.5, True),
        ("xscale-ahead-of-sparc-for-sha1-and-idea", of(XSCALE[0]), 0.5, False),
        ("atmega103-slowest", of(M16C, algorithm=RC4, operation=SETUP), 0.5, True),
    ],
)
def test_each_statement_can_come_out_otherwise(
    name: str, is_meant: Callable[[SimulatedCase], bool], factor: float, holds: bool
) -> None:
    found = claim(changed(PRINTED, is_meant, value=factor, instructions=factor), name)
    assert found.holds is holds, found.here


def test_texts_of_as_many_blocks_take_the_same_where_they_do() -> None:
    assert claim(HERE, "time-does-not-vary-within-a-block").holds is True
    longer = changed(HERE, of(ATMEGA128, algorithm=MD5, message_bytes=26), value=1.1)
    found = claim(longer, "time-does-not-vary-within-a-block")
    assert found.holds is False
    assert "10 %: MD5 of 0 to 55 bytes on ATmega128" in found.here


def test_figures_of_a_model_are_within_it() -> None:
    cells = [cell for cell in paper.cells() if cell.function in (MD5, SHA1)]
    run = run_of(
        simulation(
            case_of(target, cell.work),
            round((1000 + 9000 * hash_blocks(cell.work.message_bytes)) * 32 / bits),
            metric="cycles-simulated",
        )
        for target, bits in ((ATMEGA103, 8), (SA1110, 32))
        for cell in cells
    )
    found = claim(run, "model-within-20-percent")
    assert found.holds is True
    assert "100 % of 14 within 20 %" in found.here


@pytest.mark.parametrize(
    ("name", "is_meant", "fields", "holds"),
    [
        ("variance-rare", of(operation=ENCRYPT, algorithm="md5"), {}, True),
        ("md5-largest-code", of("rv32i", algorithm=SHA1), {"code_bytes": 9.0}, False),
        ("rc4-smallest-code", of("rv32i", algorithm=RC4), {"code_bytes": 9.0}, False),
        ("avr-needs-more-code", of(*AVR), {"code_bytes": 0.3}, False),
        ("strongarm-needs-more-code", of(SA1110), {"code_bytes": 1.5}, True),
    ],
)
def test_what_only_runs_can_tell(
    name: str,
    is_meant: Callable[[SimulatedCase], bool],
    fields: dict[str, float],
    holds: bool,
) -> None:
    assert claim(HERE, name).holds is (name != "strongarm-needs-more-code")
    assert claim(changed(HERE, is_meant, **fields), name).holds is holds


def test_variance_is_common_where_most_depends_on_the_seed() -> None:
    simulations = [
        msgspec.structs.replace(it, value=it.value * (10 + it.case.seed % 3))
        for it in HERE.simulations
    ]
    found = claim(msgspec.structs.replace(HERE, simulations=simulations), "variance-rare")
    assert found.holds is False


def test_what_needs_16_bits_is_not_testable_without_them_and_says_the_command() -> None:
    quick_rc4 = changed(HERE, of(*AVR, algorithm=RC4, operation="keystream"), value=0.5)
    for run, name in (
        (HERE, "three-classes-by-word-size"),
        (quick_rc4, "rc4-ahead-of-rc5-on-8-and-16-bits"),
        (changed(HERE, of(*AVR), value=0.33), "32-bits-twice-8-and-16"),
        (HERE, "m16c-poor-at-sha1"),
    ):
        found = claim(run, name)
        assert found.holds is None, found.here
        assert "make m16c" in found.here


def test_what_needs_cycles_is_not_testable_by_instructions() -> None:
    found = claim(HERE, "sparc-ahead")
    assert found.holds is None
    assert "instructions only" in found.here


def test_a_failed_call_is_no_figure() -> None:
    failure = contract.Failure(kind="wrong_answer", message="the digest is wrong")
    simulations = [
        simulation(it.case, value=None, error=failure) if of(ATMEGA103)(it.case) else it
        for it in HERE.simulations
    ]
    run = msgspec.structs.replace(HERE, simulations=simulations)
    assert ATMEGA103 not in Measured(run, []).targets
    shown = table(run, "Table 3, 8 bits")
    assert "ATmega103: the digest is wrong" in shown.notes


def test_the_study_is_found_with_what_it_simulates() -> None:
    study = registry.load("sensor")
    assert study.simulated("quick") == cases("quick")
    assert registry.load("gateway").simulated is None


def test_the_figures_are_drawn_of_then_and_here() -> None:
    found = {it.name: it for it in charts(HERE, [])}
    assert len(found) == 7
    small, _ = found["sensor-times"].panels
    assert {mark.origin for mark in small.marks} == {"published", "here"}
    assert len(small.marks) == 16 * (3 + 2)
    published, _, counted = found["sensor-cycles"].panels
    assert len(published.marks) == 112
    assert {mark.origin for mark in counted.marks} >= {"UltraSPARC II", "ATmega103"}
    model = found["sensor-model"]
    assert [len(it.curves) for it in model.panels] == [12, 8]
    measured, by_model = model.panels[0].curves[:2]
    assert [point.at for point in measured.points] == [0, 1, 26, 62, 80]
    assert len(by_model.points) == 131
    assert not by_model.marked
    assert PXA250_200 not in {curve.name for it in model.panels for curve in it.curves}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sensor-overheads", "sensor-functions"])
def test_the_figures_are_valid_pictures(name: str) -> None:
    [chart] = [it for it in charts(HERE, []) if it.name == name]
    [plot] = study_plots.charts_of([chart])
    panels = [panel.spec() for panel in plot.panels]
    assert len(panels) == len([it for it in chart.panels])
    drawn = picture(replace(plot, panels=plot.panels[:1]), "caption")
    alt.Chart.from_dict(drawn, validate=True)
    if isinstance(chart, MarkChart):
        [marks] = [it for key, it in panels[0]["datasets"].items() if key.startswith("marks")]
        assert len(marks) == len(chart.panels[0].marks)


@pytest.mark.slow
def test_a_stored_run_is_shown_again(tmp_path: Path) -> None:
    run = as_here()
    Store(tmp_path).save(run, SINGLE.rows_table(rows_of(run)))
    options = ["--runs", str(tmp_path)]
    shown = CliRunner().invoke(app, ["study", "sensor", "--json", "--from", "last", *options])
    assert shown.exit_code == 0, shown.output
    document = json.loads(shown.stdout)
    titles = [it["title"] for it in document["tables"]]
    assert "Every length, 0 to 130 bytes" in titles
    holds = {it["claim"]: it["holds"] for it in document["claims"]}
    assert holds["rc4-ahead-of-rc5-on-8-and-16-bits-printed"] is True
    assert holds["variance-rare"] is True
    assert holds["m16c-poor-at-sha1"] is None
    plain = CliRunner().invoke(app, ["study", "sensor", "--from", "last", *options])
    assert "Every length" not in plain.stdout
