"""The UMAC study: the page's five tables beside ours, its statements, and the plot of both."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import altair as alt
import msgspec
import pytest

from ciphermark.contract.others import SimulatedCase, Simulation
from ciphermark.plan.build import build
from ciphermark.plan.selection import Selection
from ciphermark.record.run import Run
from ciphermark.studies import charts as study_plots
from ciphermark.studies import registry
from ciphermark.studies.umac import claims, paper, simulated
from ciphermark.studies.umac.charts import charts
from ciphermark.studies.umac.evidence import Way, as_on_the_page
from ciphermark.studies.umac.paper import FUNCTIONS, LONG, SIZES
from ciphermark.studies.umac.processors import TARGETS
from ciphermark.studies.umac.tables import STEPS, tables
from ciphermark.view.findings import Claim, Table
from ciphermark.view.plots.panel import picture
from ciphermark.workloads.single.row import Row
from lent_engine import CRASH, description_for, implementation
from row_example import NO_COST, timed_row
from simulation_example import described
from study_example import line
from synthetic import synthetic_run

RUN = synthetic_run([])
EVEN_TAGS = (4, 8, 12, 16)


def row(algorithm: str, size: int, cycles: float, way: Way | None = None, /, **changes) -> Row:
    """A converged row of so many cycles per byte of the page's message, known to ±0.1 %."""
    bytes_ = paper.measured_bytes(algorithm, size)
    pattern, buffers = (way or as_on_the_page(size)).value
    usual = {
        **{"algorithm": algorithm, "operation": "mac", "provider": "kernels", "backend": "avx2"},
        **{"pattern": pattern, "buffers": buffers},
    }
    return timed_row(bytes_, cycles * size, 0.001, 1e9, **usual | changes)


def as_in_2000() -> Iterator[Row]:
    """The Pentium III as if it had been measured here; what the page lacks is as its neighbour."""
    for function in FUNCTIONS:
        for size in SIZES:
            found = [paper.published(function, it) for it in (size, 1500, 256)]
            cycles = next(it for it in found if it)
            if size == LONG and function.name.startswith("hash127"):
                yield row(function.algorithm, LONG, cycles, Way.FROM_MEMORY)
                cycles = paper.published(function, 4096)
            for algorithm in filter(None, (function.algorithm, function.with_aes)):
                yield row(algorithm, size, cycles)


def changed(factor: float, *algorithms: str, size: int | None = None) -> list[Row]:
    """The same with some functions so many times as dear, at one size or all."""
    found = []
    for it in as_in_2000():
        dear = it.algorithm in algorithms and size in (None, it.message_bytes)
        found.append(scaled(it, factor) if dear else it)
    return found


def scaled(it: Row, factor: float) -> Row:
    names = ("cycles_per_message", "cycles_per_message_low", "cycles_per_message_high")
    for name in names:
        setattr(it, name, factor * getattr(it, name))
    return it


def by_backends(gains: dict[str, float]) -> list[Row]:
    """UMAC and UHASH for 256 KB by each backend, as many times as fast as the one before."""
    found, cycles = [], 1.0
    for backend, gain in gains.items():
        cycles /= gain
        for function in STEPS:
            algorithm = function.with_aes or function.algorithm
            found.append(row(algorithm, LONG, cycles, backend=backend))
    return found


def table(rows: list[Row], title: str) -> Table:
    [found] = [it for it in tables(RUN, rows) if it.title.startswith(title)]
    return found


def claim(rows: list[Row], name: str) -> Claim:
    return {it.claim: it for it in claims(RUN, rows)}[name]


def test_the_plan_has_every_function_at_every_size_of_the_page() -> None:
    plan = registry.load("umac").plan.at("quick")
    cases = build(plan, Selection(), description_for(plan)).plan.cases
    measured = {(it.algorithm, it.message_bytes, it.pattern, it.buffers) for it in cases}
    for function in FUNCTIONS:
        for algorithm in filter(None, (function.algorithm, function.with_aes)):
            for size in SIZES:
                way = as_on_the_page(size)
                wanted = (algorithm, paper.measured_bytes(algorithm, size), *way.value)
                # Messages in pieces are asked of those who take them; these here do not say so.
                assert way is Way.IN_PIECES or wanted in measured, wanted


def test_the_plan_asks_for_messages_in_pieces_and_for_each_width_of_vectors() -> None:
    plan = registry.load("umac").plan
    facts = description_for(plan)
    wanted = {it.algorithm for it in facts.implementations if "2000" in it.algorithm}
    # Those with the code paths below take the place of the lent ones.
    facts.implementations = [it for it in facts.implementations if it.provider != "kernels"]
    own = [it for it in facts.algorithms if it.name in wanted]
    for name in ("avx512", "avx2", "sse2", "reference"):
        for it in own:
            of_kernels = implementation(it, "kernels", name, default=name == "avx512")
            of_kernels.patterns, of_kernels.takes_repeats = ["incremental"], True
            facts.implementations.append(of_kernels)
    cases = build(plan, Selection(), facts).plan.cases
    of_uhash = {
        (it.message_bytes, it.backend)
        for it in cases
        if it.algorithm == "uhash2000-2-12" and it.provider == "kernels"
        if (it.pattern, it.buffers) in {Way.IN_PIECES.value, Way.WHOLE.value}
    }
    for size in (1500, LONG):
        assert {name for at, name in of_uhash if at == size} == {"default", "avx2", "sse2"}


def test_there_are_the_pages_five_tables_of_21_functions() -> None:
    shown = tables(RUN, list(as_in_2000()))[:5]
    names = [dict.fromkeys(cells[0] for cells in it.rows) for it in shown]
    assert [len(it) for it in names] == [4, 4, 4, 4, 5]
    assert [*names[1]] == ["UMAC-4/8", "UMAC-2/8", "UHASH-4/8", "UHASH-2/8"]
    assert {name for it in names for name in it} == {cell[0] for cell in paper.cells()}
    by_name = {it.name: it for it in FUNCTIONS}
    for it in shown:
        for cells in it.rows:
            assert cells[2] == paper.published(by_name[cells[0]], cells[1])


def test_published_figures_stand_beside_ours_with_their_ratio() -> None:
    rows = [row("uhash2000-4-8", 1500, 0.5)]
    found = line(table(rows, "64-bit"), "UHASH-4/8", 1500)
    assert (found["Pentium III published"], found["PowerPC 7400 published"]) == (2.0, 3.9)
    assert found["Pentium III ratio"] == pytest.approx(0.25)
    assert found["PowerPC 7400 ratio"] == pytest.approx(0.5 / 3.9)
    assert found["with RC6, or no pad low"] == pytest.approx(0.4995)
    assert found["fastest"] == "kernels avx2"
    assert found["with AES c/B"] is None


def test_umac_is_shown_with_both_ciphers() -> None:
    rows = [row("umac2000-2-16-rc6", 43, 4.0), row("umac2000-2-16", 43, 3.0)]
    found = line(table(rows, "128-bit"), "UMAC-2/16", 43)
    assert (found["with RC6, or no pad c/B"], found["with AES c/B"]) == pytest.approx((4, 3))
    assert found["Pentium III ratio"] == pytest.approx(4 / 17.9)


@pytest.mark.parametrize(("algorithm", "name"), [("hash127", "hash127"), ("sha1", "SHA1")])
def test_added_zeros_count_as_time_and_not_as_bytes(algorithm: str, name: str) -> None:
    rows = [row(algorithm, 43, 4.0)]
    assert rows[0].message_bytes == {"hash127": 44, "sha1": 43}[algorithm]
    assert line(table(rows, "Comparison"), name, 43)["here c/B"] == pytest.approx(4.0)
    notes = " ".join(table(rows, "Comparison").notes)
    assert "padded with zeros to 48, 1504 and 44 bytes" in notes


def test_cells_that_look_misprinted_are_marked() -> None:
    shown = table([], "128-bit")
    marked = {(shown.rows[at][0], shown.rows[at][1]): column for at, column in shown.doubtful}
    assert {*marked} == {("UHASH-2/16", 256), ("UHASH-2/16", 1500)}
    assert {shown.columns[it].group for it in marked.values()} == {"PowerPC 7400"}
    assert {shown.rows[at][column] for at, column in shown.doubtful} == {8.7, 1.6}
    assert sum(note.startswith("? UHASH-2/16, PowerPC 7400, ") for note in shown.notes) == 2
    assert [it.title for it in tables(RUN, [])[:5] if it.doubtful] == [shown.title]


def test_the_fastest_implementation_stands_for_a_function() -> None:
    rows = [row("sha1", 256, 3.0, provider="nettle"), row("sha1", 256, 2.0, provider="openssl")]
    found = line(table(rows, "Comparison"), "SHA1", 256)
    assert (found["here c/B"], found["fastest"]) == (pytest.approx(2.0), "openssl avx2")


def test_what_did_not_settle_or_failed_is_said() -> None:
    rows = [row("sha1", 256, 3.0, converged=False)]
    shown = table(rows, "Comparison")
    assert [shown.rows[at][:2] for at in shown.unsettled] == [["SHA1", 256]]
    failed = row("sha1", 1500, 3.0, **NO_COST, error=CRASH)
    assert "no figure (kernels: the library crashed): SHA1" in table([failed], "Comparison").notes
    assert "no figure (no provider has it): SHA1" in table([], "Comparison").notes


def test_256_kb_stand_where_they_lay() -> None:
    rows = [
        row("hash127", LONG, cycles, way)
        for way, cycles in ((Way.IN_PIECES, 0.5), (Way.WHOLE, 0.6), (Way.FROM_MEMORY, 0.75))
    ]
    found = line(table(rows, "256 KB"), "hash127")
    figures = [found[f"{it} c/B"] for it in ("nearest cache", "in a cache", "from memory")]
    assert figures == pytest.approx([0.5, 0.6, 0.75])
    assert found["memory/nearest"] == pytest.approx(1.5)
    assert found["Pentium III published"] == 5.7


def test_each_width_of_vectors_stands_beside_the_one_before() -> None:
    rows = by_backends({"sse2": 1.0, "avx2": 1.9, "avx512": 1.6})
    found = line(table(rows, "Gain from wider"), "UMAC-2/12", LONG)
    assert found["sse2 cycles/byte"] == pytest.approx(1.0)
    assert (found["avx2 gain"], found["avx512 gain"]) == pytest.approx((1.9, 1.6))
    # Independent errors of 0.1 % each are 0.14 % together, less what their intervals are wider than
    # 95 %; the ends of both intervals would say 0.2 %.
    assert 1.9 * 0.9985 < found["avx2 low"] < 1.9 * 0.999


def test_a_width_that_the_machine_lacks_is_said() -> None:
    shown = table(by_backends({"sse2": 1.0, "avx2": 1.9}), "Gain from wider")
    assert "avx512: not on this machine" in shown.notes
    shown = table(by_backends({"portable": 1.0, "neon": 2.0}), "Gain from wider")
    assert line(shown, "UHASH-4/4", LONG)["neon gain"] == pytest.approx(2.0)


def test_todays_choices_are_there_and_who_is_missing_is_said() -> None:
    rows = [row("gmac-aes-128", 1500, 0.4, provider="openssl"), row("blake3-mac", 43, 7.0)]
    shown = table(rows, "Today's")
    assert line(shown, "GHASH (GMAC)")["1 500 c/B"] == pytest.approx(0.4)
    assert line(shown, "GHASH (GMAC)")["fastest at 1500"] == "openssl avx2"
    assert line(shown, "BLAKE3, keyed")["43 c/B"] == pytest.approx(7.0)
    assert "no figure (no provider has it): Poly1305" in shown.notes
    assert [column.heading for column in shown.columns if not column.detail].count("c/B") == 5


def test_a_table_of_nothing_is_left_out() -> None:
    rows = [row("uhash2000-4-4", 43, 3.0, provider="other")]
    titles = [it.title for it in tables(RUN, rows)]
    assert not any(it.startswith(("256 KB", "Gain from wider")) for it in titles)


TESTABLE = [
    *("umac-2-faster-than-umac-4", "uhash-2-faster-than-uhash-4", "two-byte-words-gain"),
    *("time-proportional-to-tag", "pad-vanishes-with-length", "comparison-order"),
    *("umac-outruns-hmac-sha1", "umac-outruns-cbc-rc6-mac", "umac-outruns-hash127-rc6"),
    "hash127-slower-beyond-the-cache",
]


@pytest.mark.parametrize("name", TESTABLE)
def test_the_pages_statements_hold_on_the_pages_machine(name: str) -> None:
    found = claim(list(as_in_2000()), name)
    assert found.holds is True, found.here


RC6 = [f"umac2000-2-{tag}-rc6" for tag in EVEN_TAGS]
UHASH_2 = [f"uhash2000-2-{tag}" for tag in EVEN_TAGS]


@pytest.mark.parametrize(
    ("name", "factor", "algorithms", "size"),
    [
        ("umac-2-faster-than-umac-4", 1.11, ["umac2000-2-4-rc6"], 43),
        ("uhash-2-faster-than-uhash-4", 2.0, ["uhash2000-2-16"], LONG),
        ("two-byte-words-gain", 1.2, UHASH_2, LONG),
        ("time-proportional-to-tag", 0.6, ["umac2000-4-12-rc6"], LONG),
        ("pad-vanishes-with-length", 1.1, RC6, LONG),
        ("pad-vanishes-with-length", 0.4, ["umac2000-4-8-rc6"], 43),
        ("umac-outruns-hmac-sha1", 0.8, ["hmac-sha1"], 1500),
        ("umac-outruns-cbc-rc6-mac", 0.8, ["cbc-mac-rc6-128"], None),
        ("umac-outruns-hash127-rc6", 0.5, ["hash127-rc6"], None),
        ("comparison-order", 0.2, ["sha1"], None),
        ("hash127-slower-beyond-the-cache", 1.4, ["hash127"], 4096),
    ],
)
def test_a_statement_does_not_hold_where_the_figures_say_so(
    name: str, factor: float, algorithms: list[str], size: int | None
) -> None:
    found = claim(changed(factor, *algorithms, size=size), name)
    assert found.holds is False, found.here


def test_functions_must_be_apart_beyond_their_intervals() -> None:
    name, algorithm = "umac-2-faster-than-umac-4", "umac2000-2-4-rc6"
    assert claim(changed(7.5 / 6.8 * 0.999, algorithm, size=43), name).holds is None
    assert claim(changed(7.5 / 6.8 * 0.997, algorithm, size=43), name).holds is True


def test_what_was_not_measured_decides_nothing() -> None:
    without = [it for it in as_in_2000() if it.algorithm != "hmac-sha1"]
    found = claim(without, "umac-outruns-hmac-sha1")
    assert found.holds is None
    assert found.here == "hmac-sha1 at 43 bytes has no figure (not in this run)"
    unsure = changed(1.0)
    for it in unsure:
        it.cycles_per_message_low = it.cycles_per_message_high = None
    assert "no interval" in claim(unsure, "comparison-order").here


def simulated_run(two_byte_words: float = 4.0) -> Run:
    """A run in which our kernels execute an instruction in each of the page's cycles, but words of
    2 bytes on the PowerPC so many times fewer than those of 4 bytes, and these without AltiVec."""

    def counted(case: SimulatedCase) -> Simulation:
        size = case.message_bytes or 0
        function = next(it for it in FUNCTIONS if it.algorithm == case.algorithm)
        platform = next(it for it, target in TARGETS.items() if target == case.target)
        cycles = next(
            cycles
            for at in SIZES
            if paper.measured_bytes(function.algorithm, at) == size
            if (cycles := paper.published(function, at, platform))
        )
        if platform == paper.POWERPC and "-2-" in case.algorithm:
            tag = int(case.algorithm.rsplit("-", 1)[1])
            cycles = (paper.published(paper.uhash(4, tag), size, platform) or 0) / two_byte_words
            cycles *= 1 if case.backend == "altivec" else 7
        if case.backend == "doubles":
            cycles *= 3
        executed = round(cycles * size)
        return Simulation(case=case, metric="instructions", value=executed, instructions=executed)

    found = [counted(case) for case in simulated("quick")]
    told = [described(name) for name in TARGETS.values()]
    return msgspec.structs.replace(RUN, simulations=found, targets=told)


def test_what_is_simulated_is_every_cell_of_the_page() -> None:
    cases = simulated("usual")
    for platform, target in TARGETS.items():
        had = {(it.algorithm, it.message_bytes) for it in cases if it.target == target}
        wanted = {
            (it.algorithm, paper.measured_bytes(it.algorithm, size))
            for it in FUNCTIONS
            for size in SIZES
            if paper.published(it, size, platform) is not None
        }
        assert had == wanted
    assert {it.backend for it in cases if it.algorithm == "hash127"} == {"portable", "doubles"}
    assert {it.target for it in cases if it.backend == "altivec"} == {"ppc7400"}


def test_simulated_instructions_stand_beside_the_cycles_of_their_platform() -> None:
    shown = {it.title: it for it in tables(simulated_run(), []) if "simulated" in it.title}
    pentium, powerpc = (
        next(it for title, it in shown.items() if name in title) for name in ("Pentium", "PowerPC")
    )
    found = line(pentium, "UMAC-4/8", 1500)
    assert (found["published, cycles/byte"], found["kernel"]) == (2.1, "portable")
    assert found["for each published cycle"] == pytest.approx(1, abs=0.01)
    both = [cells for cells in pentium.rows if cells[:2] == ["hash127", 4096]]
    assert [cells[3] for cells in both] == ["portable", "doubles"]
    assert line(powerpc, "UHASH-2/8", LONG)["kernel"] == "altivec"
    assert line(powerpc, "UHASH-4/8", LONG)["kernel"] == "portable"


@pytest.mark.parametrize(("gain", "holds"), [(4.0, True), (3.1, True), (2.9, False), (5.1, False)])
def test_words_of_2_bytes_are_judged_on_the_powerpc_by_instructions(
    gain: float, holds: bool
) -> None:
    found = {it.claim: it for it in claims(simulated_run(gain), [])}["two-byte-words-on-powerpc"]
    assert found.holds is holds
    assert f"×{gain:.2f} in the mean" in found.here


def test_a_powerpc_that_cannot_be_simulated_is_said_with_its_reason() -> None:
    missing = described("ppc7400")
    missing.reason = "PowerPC 7400 needs its tools: apt-get install qemu-user"
    run = msgspec.structs.replace(RUN, targets=[missing])
    found = {it.claim: it for it in claims(run, [])}["two-byte-words-on-powerpc"]
    assert (found.holds, found.here) == (None, missing.reason)


@pytest.mark.parametrize(("doubles", "holds"), [(0.9, True), (1.1, False), (1.0005, None)])
def test_doubles_are_judged_beside_integers_in_plain_c(doubles: float, holds: bool | None) -> None:
    rows = [
        row("hash127", 4096, 1.0, backend="portable"),
        row("hash127", 4096, doubles, backend="doubles"),
        row("hash127", 4096, 0.2, backend="avx512"),
    ]
    assert claim(rows, "hash127-by-floating-point").holds is holds
    found = line(table(rows, "hash127 by floating point"), 4096)
    assert found["doubles/integers"] == pytest.approx(doubles)
    assert (found["the fastest here c/B"], found["fastest"]) == (0.2, "kernels avx512")
    assert claim(rows[1:], "hash127-by-floating-point").holds is None


@pytest.mark.parametrize(
    ("gains", "avx2", "avx512"),
    [
        ({"sse2": 1.0, "avx2": 1.9, "avx512": 1.6}, True, True),
        ({"sse2": 1.0, "avx2": 1.4, "avx512": 1.6}, False, True),
        ({"sse2": 1.0, "avx2": 1.502}, None, None),
        ({"portable": 1.0, "neon": 2.0}, None, None),
    ],
)
def test_wider_vectors_bring_half_where_all_of_umac_says_so(
    gains: dict[str, float], avx2: bool | None, avx512: bool | None
) -> None:
    rows = by_backends(gains)
    assert claim(rows, "avx2-brings-half").holds is avx2
    found = claim(rows, "avx512-brings-half")
    assert found.holds is avx512
    if avx512 is None:
        assert found.here.startswith(
            f"there is no avx512 on this machine ({', '.join(gains)})"
        ) or (found.here.startswith("there is no avx2 on this machine (portable, neon)"))


@pytest.mark.parametrize(("cycles", "holds"), [(1.09, True), (1.11, False)])
def test_the_peak_of_the_pentium_4_is_asked_of_vectors_of_128_bits(
    cycles: float, holds: bool
) -> None:
    rows = [
        row("uhash2000-4-8", LONG, cycles, backend="sse2"),
        row("umac2000-4-8", LONG, cycles, backend="sse2"),
        row("umac2000-4-8", LONG, 0.3, backend="avx2"),
    ]
    found = claim(rows, "umac-4-8-peak-of-128-bit-vectors")
    assert found.holds is holds
    assert "the fastest 0.300" in found.here


@pytest.mark.slow
def test_the_plot_draws_then_and_now_in_a_panel_for_each_table() -> None:
    [chart] = charts(RUN, list(as_in_2000()))
    assert [len(it.curves) for it in chart.panels] == [12, 12, 12, 12, 10]
    origins = {curve.origin for it in chart.panels for curve in it.curves}
    assert origins == {"here", "here, AES", "Pentium III", "PowerPC 7400"}
    [plot] = study_plots.charts_of([chart])
    panels = [panel.spec() for panel in plot.panels]
    assert len(panels) == 5
    assert "looks misprinted" in json.dumps(panels)
    # All panels are made in the same way, and each takes seconds to validate.
    drawn = picture(replace(plot, panels=plot.panels[-1:]), "caption")
    alt.Chart.from_dict(drawn, validate=True)


def test_the_plot_of_a_run_without_figures_shows_the_page_alone() -> None:
    [chart] = charts(RUN, [])
    origins = {curve.origin for it in chart.panels for curve in it.curves}
    assert origins == {"Pentium III", "PowerPC 7400"}
