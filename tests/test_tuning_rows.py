"""Rows of kernels in variants: fronts, ratios, words, and that a run of them is kept."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from ciphermark import contract
from ciphermark.command.measuring import Kept
from ciphermark.command.report import write_report
from ciphermark.contract.others import Simulation
from ciphermark.errors import UsageError
from ciphermark.record.store import Store
from ciphermark.run.tuning.variant_builds import with_reason
from ciphermark.show.export import FORMATS
from ciphermark.workload import rows, rows_from_table, rows_table
from ciphermark.workloads.single.comparison import Figured, compare
from ciphermark.workloads.single.pairing import Selection
from ciphermark.workloads.tuning.remarks import sentences
from ciphermark.workloads.tuning.row import TuningRow
from ciphermark.workloads.tuning.table import print_tuning
from ciphermark.workloads.tuning.tuning import exit_code
from on_screen import on_screen
from tuning_example import FIGURES, TARGET, case, measured_run, tuned_run


@pytest.fixture(scope="module")
def found() -> list[TuningRow]:
    return rows(tuned_run())


def on(found: list[TuningRow], target: str) -> dict[str, TuningRow]:
    return {row.variant: row for row in found if row.target == target}


LINKER = """arm-none-eabi-gcc -o rows.elf /tmp/own/pieces.a failed (1): ld: warning: ...
pieces.a(cmac.o): in function `ciphermark_cmac_chunks':
cmac.c:(.text+{at}): undefined reference to `__aeabi_memclr4'
collect2: error: ld returned 1 exit status"""


def test_what_a_linker_says_is_a_sentence_that_variants_share(found: list[TuningRow]) -> None:
    """Its command line is long and has folders, and its addresses differ from build to build."""
    failed = []
    for number, row in enumerate(found[:5]):
        said = contract.Failure(kind="failed", message=LINKER.format(at=hex(number)))
        ended = with_reason(Simulation(case=case(TARGET), error=said))
        failed.append(msgspec.structs.replace(row, value=None, error=ended.error))
    lines = on_screen(print_tuning, failed, width=300).splitlines()
    (line,) = [line for line in lines if "__aeabi_memclr4" in line]
    assert line.strip().endswith("does not link: undefined reference to `__aeabi_memclr4'")
    assert "and 2 more on atmega128 (sha256)" in line
    assert with_reason(Simulation(case=case(TARGET), value=7)).error is None


def test_the_front_is_what_no_shippable_variant_beats(found: list[TuningRow]) -> None:
    simulated = on(found, TARGET)
    front = {name for name, row in simulated.items() if row.on_front}
    assert front == {"default", "gcc-5-o2-alike", "gcc-5-o3", "gcc-5-os"}
    assert simulated["gcc-5-o1"].dominated_by in front
    # It beats all in speed, but it is not to be shipped: it takes no place on the front.
    native = simulated["gcc-5-o3-native"]
    assert (native.on_front, native.dominated_by, native.shippable) == (False, None, False)


def test_simulated_ratios_are_exact(found: list[TuningRow]) -> None:
    for name, (_, cycles, code, stack) in FIGURES.items():
        row = on(found, TARGET)[name]
        assert row.ratio == row.ratio_low == row.ratio_high == cycles / 1000
        assert (row.code_ratio, row.stack_ratio) == (code / 500, stack / 40)
        assert row.cycles_per_byte == cycles / 64
    verdicts = {name: row.verdict for name, row in on(found, TARGET).items()}
    assert (verdicts["default"], verdicts["gcc-5-o2-alike"]) == ("default", "same")
    assert (verdicts["gcc-5-o3"], verdicts["gcc-5-os"]) == ("faster", "slower")


def test_a_wrong_variant_has_a_reason_and_nothing_else(found: list[TuningRow]) -> None:
    row = on(found, TARGET)["gcc-5-broken"]
    assert row.error.kind == "wrong-answer"
    assert row.value is row.ratio is row.cycles_per_byte is None
    assert (row.on_front, row.verdict) == (False, "unknown")


def test_measured_variants_are_held_against_the_default_of_the_same_run(
    found: list[TuningRow],
) -> None:
    measured = on(found, "host")
    assert {row.machine for row in measured.values()} == {"epyc-9b45-kvm"}
    row = measured["gcc-12-o3"]
    # As `synthetic` has the costs of its two providers.
    assert row.ratio == pytest.approx((210 + 1.9 * 64) / (330 + 1.8 * 64), rel=0.02)
    assert row.ratio_low < row.ratio < row.ratio_high < 1
    assert row.verdict == "faster"
    assert row.value_low < row.value < row.value_high
    assert (row.metric, row.code_bytes, row.stack_bytes) == ("cycles-measured", 700, 96)


def test_a_faster_one_that_cannot_be_told_from_a_smaller_one_says_so() -> None:
    run = tuned_run()
    run.also = [measured_run(alike=True)]
    for name, code_bytes in (("host@default", 600), ("host@gcc-12-o3", 700)):
        [sizes] = [it for it in run.simulations if it.case.target == name]
        sizes.code_bytes = code_bytes
    found = rows(run)
    measured = on(found, "host")
    assert measured["gcc-12-o3"].verdict == "same"
    if measured["gcc-12-o3"].on_front:  # faster by less than the error
        assert measured["gcc-12-o3"].within_error_of == "default"
    [said] = [it for it in sentences(found, "speed") if it.target == "host"]
    assert said.variant == "default"
    assert said.sentence == "None of 1 variant beats the default for speed."


@pytest.mark.parametrize(
    ("objective", "variant", "words"),
    [
        ("speed", "gcc-5-o3", "gcc-5 -O3 is 25 % faster than the default and 1.9 times as large."),
        (
            "size",
            "gcc-5-os",
            "gcc-5 -Os is 33 % slower than the default and 40 % smaller, "
            "with 10 bytes less of stack.",
        ),
        ("stack", "gcc-5-os", "gcc-5 -Os is"),
    ],
)
def test_the_gain_is_said_in_words(
    found: list[TuningRow], objective: str, variant: str, words: str
) -> None:
    [gain] = [it for it in sentences(found, objective) if it.target == TARGET]
    assert gain.variant == variant
    assert gain.sentence.startswith(words)


def test_nothing_better_than_the_default_is_said_too() -> None:
    run = tuned_run()
    for it in run.simulations:
        if it.value is not None and not it.case.target.endswith("@default"):
            it.value = 2000
    [gain] = [it for it in sentences(rows(run), "speed") if it.target == TARGET]
    assert gain.variant == "default"
    assert gain.sentence == "None of 6 variants beats the default for speed."


@pytest.mark.parametrize("width", [80, 120])
def test_the_screen_has_the_front_the_default_and_the_reasons(
    found: list[TuningRow], width: int
) -> None:
    text = on_screen(print_tuning, found, width=width)
    assert max(map(len, text.splitlines())) <= width
    whole = " ".join(text.split())
    assert "sha256 reference, digest of 64 B on atmega128, cycles (simulated)" in whole
    assert "-O2, the default (and 1 alike)" in whole
    assert "-O1" not in whole  # beaten
    assert "gcc-5 -O2 -Dfor=if on atmega128 (sha256): wrong on the target: made up" in whole
    # The fastest comes first.
    assert whole.index("-O3 -mhere") < whole.index("-O3 ", whole.index("-O3 -mhere") + 4)


def test_a_run_is_stored_and_read_as_it_was(store: Store, found: list[TuningRow]) -> None:
    run = tuned_run()
    also = [rows_table(rows(it), it.context.workload) for it in run.also]
    store.save(run, rows_table(found, "tuning"), also)
    name = run.context.run
    assert rows_from_table(store.rows(name), "tuning") == found
    again = store.load(name)
    assert (again.variants, again.simulations) == (run.variants, run.simulations)
    assert rows(again) == found


def test_every_export_knows_it(found: list[TuningRow]) -> None:
    context = tuned_run().context
    exported = {name: it.export(context, found) for name, it in FORMATS.items()}
    assert all(exported.values())
    assert len(exported["csv"].splitlines()) == 1 + len(found)
    assert b"-O2 (default)" in exported["markdown"]
    assert b"1.9 times as large" in exported["markdown"]
    assert b".." not in exported["markdown"]


def test_it_is_not_compared_and_that_is_said() -> None:
    run = tuned_run()
    with pytest.raises(UsageError, match="of kernels that were compiled in several ways.* show"):
        compare(Figured.of(run), Figured.of(run), Selection(), Selection(), 0.05)


def test_there_is_no_report_and_that_is_said(store: Store, found: list[TuningRow]) -> None:
    run = tuned_run()
    with pytest.raises(UsageError, match="has no report: ciphermark show"):
        write_report(run, found, store.root, store.root / "report.html", facts=[])


def test_only_default_flags_that_fail_or_no_figure_at_all_are_a_failure() -> None:
    def code(change: Callable[[TuningRow], bool], kind: str) -> int:
        run = tuned_run()
        changed = rows(run)
        for row in changed:
            if change(row):
                row.error, row.value = contract.Failure(kind=kind, message="made up"), None
        return exit_code(Kept(run, changed, None))

    assert code(lambda row: False, "") == 0, "another variant is wrong there"
    assert code(lambda row: row.is_default, "wrong-answer") == 1
    assert code(lambda row: row.is_default, "unsupported") == 0
    assert code(lambda row: True, "unsupported") == 1
