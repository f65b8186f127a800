"""The gateway study: its plan and its tables."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from ciphermark import contract, workload
from ciphermark.contract.others import BesideFigure
from ciphermark.contract.tunnel import Tunnel
from ciphermark.record.run import Run
from ciphermark.run.interrupts import Interrupts
from ciphermark.run.tunnels.bed import BedError
from ciphermark.statistics.estimate import Estimate
from ciphermark.studies import gateway, registry
from ciphermark.studies.gateway import command, shuffles, through
from ciphermark.studies.gateway.paper import MESSAGE_BYTES
from ciphermark.view.findings import Table
from ciphermark.workloads.single.ratio import fastest
from ciphermark.workloads.single.row import Row, throughput
from gateway_example import (
    ATOM,
    CIPHERS,
    HASHES,
    ablated,
    failed,
    from_afar,
    in_order,
    macs,
    objected,
    on_cores,
    receiving,
    replaced,
    row,
    rows,
    run_with,
    split,
    suites,
    without_aes,
)
from lent_engine import LentEngine
from study_example import line
from tunnel_example import MISSING, lacking, trial, tunnel_run

THROUGHPUT, CYCLES, CLOCKS = "Throughput", "The same in cycles/byte", "Effect of the clock"
HIDDEN, IN_THE_WAY = "OpenSSL without each feature", "Faster with a feature"
WITHOUT_AES, ENDS = "AES as on the boxes", "Both ends"
WAYS = "Ways to use more CPUs"
AGAINST_GCM, LINES, AFAR, PRICE = "CBC and a MAC", "Filling a line", "Hashes by the place", "Price"


def tables(measured: list[Row], run: Run | None = None) -> dict[str, Table]:
    """By how their titles begin."""
    every = (
        THROUGHPUT, CYCLES, CLOCKS, HIDDEN, IN_THE_WAY, WITHOUT_AES, ENDS, AGAINST_GCM, LINES, AFAR,
        PRICE, WAYS,
    )  # fmt: skip
    found = gateway.tables(run or run_with(), measured)
    return {
        begin: it for it in found if not it.detail for begin in every if it.title.startswith(begin)
    }


def test_the_plan_has_the_functions_of_the_table_in_its_order() -> None:
    plan = registry.load("gateway").plan
    found = tables([])[THROUGHPUT]
    assert plan.algorithms == [cells[0] for cells in found.rows] == list(ATOM)
    assert plan.sizes == [MESSAGE_BYTES]


def test_the_second_plan_has_a_session_for_each_cpu() -> None:
    cores, flow, message = registry.load("gateway").plan.at("quick").then
    assert cores.workload == "sessions" and cores.providers == "fastest"
    assert (cores.sessions.sessions, cores.sessions.cores) == (("per-cpu",), (1,))
    assert cores.sessions.cpus == ("all",)
    assert flow.workload == "packets"
    assert message.workload == "single" and message.split
    assert (flow.packets.keys, flow.packets.delivery) == ((1,), ("ordered",))


def test_the_published_figures_stand_beside_ours_with_their_ratio() -> None:
    md5 = line(tables(rows(md5=385.66))[THROUGHPUT], "md5")
    assert md5["one core MB/s"] == 385.66
    assert md5["one core ±%"] == pytest.approx(0.5, rel=0.01)
    assert (md5["Atom N2600 MB/s"], md5["AMD G-T40E MB/s"]) == (192.83, 146.06)
    assert md5["Atom N2600 ratio"] == pytest.approx(2)
    assert md5["AMD G-T40E ratio"] == pytest.approx(385.66 / 146.06)


def test_throughput_has_the_interval_of_its_cycles() -> None:
    md5 = line(tables(rows())[THROUGHPUT], "md5")
    assert md5["MB/s low"] == pytest.approx(192.83 / 1.005)
    assert md5["MB/s high"] == pytest.approx(192.83 / 0.995)


def test_all_cores_stand_beside_one() -> None:
    found = tables(rows(), run_with(on_cores(md5=1.6)))[THROUGHPUT]
    md5 = line(found, "md5")
    assert md5["2 CPUs times"] == pytest.approx(1.6, rel=1e-4)
    assert md5["2 CPUs MB/s"] == pytest.approx(1.6 * 192.83, rel=1e-4)
    assert found.doubtful == []


def test_figures_of_cores_that_others_used_are_marked() -> None:
    found = tables(rows(), run_with(objected(on_cores())))[THROUGHPUT]
    assert [place for place, _ in found.doubtful] == list(range(10))
    headings = [column.heading for column in found.columns]
    assert {headings[column] for _, column in found.doubtful} == {"MB/s"}
    assert any("no attempt was valid" in note for note in found.notes)


def test_one_cpu_has_no_other() -> None:
    found = line(tables(rows())[THROUGHPUT], "md5")
    assert (found["1 CPU MB/s"], found["1 CPU times"]) == (None, None)


def test_cycles_of_the_boxes_are_derived_from_their_nominal_clock() -> None:
    cycles = tables(rows())[CYCLES]
    gcm = line(cycles, "aes-128-gcm")
    assert gcm["cycles/byte Atom N2600"] == pytest.approx(1600 / 19.49)
    assert gcm["cycles/byte AMD G-T40E"] == pytest.approx(1000 / 14.46)
    assert gcm["cycles/byte here"] == pytest.approx(2000 / 19.49)
    assert gcm["here/there Atom N2600"] == pytest.approx(2000 / 1600)
    assert any("nominal clock" in note for note in cycles.notes)


def test_speeds_are_clocks_times_cycles() -> None:
    gcm = line(tables(rows(aes_128_gcm=4 * 19.49))[CLOCKS], "aes-128-gcm")
    assert gcm["Atom/AMD ×1.60 speed"] == pytest.approx(19.49 / 14.46)
    assert gcm["Atom/AMD ×1.60 cycles"] == pytest.approx(19.49 / 14.46 / 1.6)
    assert gcm["here/Atom ×1.25 speed"] == pytest.approx(4)
    assert gcm["here/Atom ×1.25 cycles"] == pytest.approx(4 / 1.25)


def test_the_fastest_implementation_is_shown_by_name() -> None:
    measured = [*rows(), row("md5", 400.0, "rustcrypto", backend="avx2")]
    found = tables(measured)
    assert line(found[THROUGHPUT], "md5")["one core MB/s"] == 400.0
    assert line(found[CYCLES], "md5")["fastest here"] == "rustcrypto avx2"


def test_what_hides_features_is_not_the_fastest() -> None:
    measured = [*rows(), *without_aes(gain=50)]
    assert line(tables(measured)[THROUGHPUT], "aes-128-cbc")["one core MB/s"] == 26.22


def test_what_did_not_settle_is_marked_with_its_reason() -> None:
    unsettled = row("sha1", 100.0, converged=False, not_converged_reason="interval ±1.8 %")
    found = tables(replaced(unsettled))
    place = list(ATOM).index("sha1")
    assert found[THROUGHPUT].unsettled == found[CYCLES].unsettled == [place]
    assert "did not settle: sha1 (interval ±1.8 %)" in found[THROUGHPUT].notes


def test_what_failed_has_no_figure_but_a_reason() -> None:
    found = tables(replaced(failed("sha1")))
    for name in (THROUGHPUT, CYCLES):
        sha1 = line(found[name], "sha1")
        assert {it for heading, it in sha1.items() if "here" in heading} <= {None}
    assert line(found[THROUGHPUT], "sha1")["Atom N2600 ratio"] is None
    assert "no figure (openssl: the library crashed): sha1" in found[THROUGHPUT].notes
    assert found[THROUGHPUT].unsettled == []


def test_what_nobody_has_says_so() -> None:
    measured = [it for it in rows() if it.algorithm != "sha1"]
    assert "no figure (no provider has it): sha1" in tables(measured)[THROUGHPUT].notes


def test_hidden_features_stand_with_their_ratio_and_both_code_paths() -> None:
    run, measured = ablated(sha_ni=4.0, ssse3=0.9)
    found = tables(measured, run)
    hidden = found[HIDDEN]
    sha_ni = line(hidden, "sha256", "sha_ni")
    assert sha_ni["times"] == pytest.approx(4.0, rel=0.01)
    assert sha_ni["low"] < sha_ni["times"] < sha_ni["high"]
    assert sha_ni["cycles/byte without"] == pytest.approx(4 * sha_ni["cycles/byte with"], rel=0.02)
    # Only what makes it faster by more than 2 % is in the way, with what hides it.
    [[function, library, feature, gain, *_, by]] = found[IN_THE_WAY].rows
    assert (function, library, feature) == ("sha256", "openssl", "ssse3")
    assert gain == pytest.approx(1 / 0.9, rel=0.01)
    assert by == "OPENSSL_ia32cap='~0x20000000000:~0x0'"


def test_a_function_that_uses_no_feature_says_so() -> None:
    run, measured = ablated(sha_ni=4.0)
    md5 = line(tables([*measured, row("md5", 200.0)], run)[HIDDEN], "md5")
    assert (md5["without"], md5["times"]) == ("uses none", None)


def test_nothing_is_in_the_way_where_every_feature_helps() -> None:
    run, measured = ablated(sha_ni=4.0, ssse3=0.995)
    assert IN_THE_WAY not in tables(measured, run)


def test_aes_without_instructions_stands_beside_camellia() -> None:
    found = tables([*rows(), *without_aes(gain=1.25, aes=0.5)])[WITHOUT_AES]
    aes = line(found, "aes-128-cbc", "openssl")
    assert aes["with all"] == pytest.approx(2000 / 26.22)
    assert aes["without aes cycles/byte"] == pytest.approx(2 * 2000 / 26.22)
    assert aes["nor ssse3 times"] == pytest.approx(1 / 1.25)
    assert (aes["without aes path"], aes["nor ssse3 path"]) == ("ssse3", "scalar")
    assert line(found, "camellia-128-cbc", "openssl")["nor ssse3 cycles/byte"] is None
    assert WITHOUT_AES not in tables(rows())


def test_both_ends_are_of_one_library() -> None:
    fast = row("aes-128-cbc", 500.0, "cryptopp")
    found = tables([*rows(), fast, *receiving(0.5)])[ENDS]
    assert [cells[0] for cells in found.rows] == CIPHERS
    cbc = line(found, "aes-128-cbc")
    assert (cbc["ratio"], cbc["implementation"]) == (pytest.approx(0.5), "openssl")
    assert (cbc["low"], cbc["high"]) == (
        pytest.approx(0.5 * 0.990, rel=1e-3),
        pytest.approx(0.5 * 1.010, rel=1e-3),
    )


def test_cbc_and_a_mac_are_reckoned_from_their_parts_until_a_suite_is_measured() -> None:
    parts = [*rows(), *receiving(), *macs()]
    found = tables(parts)[AGAINST_GCM]
    both = line(found, "aes-128-cbc+hmac-sha1")
    assert both["one core sender"] == pytest.approx(1 / (1 / 26.22 + 1 / 120))
    assert both["one core /GCM"] == pytest.approx(1 / (1 / 26.22 + 1 / 120) / 19.49)
    assert both["error %"] is None
    assert any("no suite was measured: aes-256-gcm, aes-128-gcm, " in it for it in found.notes)
    measured = line(tables([*parts, *suites(cbc=1.25)])[AGAINST_GCM], "aes-128-cbc+hmac-sha1")
    assert measured["one core sender"] == pytest.approx(1 / (1 / 26.22 + 1 / 120) / 1.25)
    assert measured["error %"] == pytest.approx(25)


def test_many_tunnels_grow_as_their_parts_do() -> None:
    run = run_with(on_cores(functions=[*ATOM, *MACS_MEASURED], aes_128_cbc=1.0))
    found = tables([*rows(), *receiving(), *macs()], run)[AGAINST_GCM]
    both = line(found, "aes-128-cbc+hmac-sha1")
    one = 1 / (1 / 26.22 + 1 / 120)
    every = 1 / (1 / 26.22 + 1 / 240)
    assert both["all 2 CPUs sender"] == pytest.approx(every, rel=1e-3)
    assert both["one core sender"] == pytest.approx(one)
    gcm = line(found, "aes-128-gcm")
    assert gcm["all 2 CPUs sender"] == pytest.approx(2 * 19.49, rel=1e-3)


MACS_MEASURED = ("hmac-sha1", "hmac-sha256")


def test_ways_to_use_cpus_stand_beside_each_other() -> None:
    found = tables(rows(), run_with(on_cores(), in_order(grown=1.6)))[WAYS]
    gcm = line(found, "aes-128-gcm")
    assert gcm["CPUs"] == 2
    flow = [gcm[f"one tunnel's packets in order {it}"] for it in ("low", "times", "high")]
    assert flow == sorted(flow) and flow[1] == pytest.approx(1.6, rel=0.01)
    assert gcm["many tunnels times"] == pytest.approx(2.0, rel=1e-3)
    assert WAYS not in tables(rows())


def test_a_message_that_is_split_stands_beside_tunnels(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = [row(it, 100.0, message_bytes=65536) for it in ("aes-128-gcm", "aes-128-cbc")]
    gcm = row("aes-128-gcm", 180.0, message_bytes=65536, offload="split", groups=9)
    why = "not supported: encrypt of AES-128-CBC split over cores: each block needs the one before"
    unsupported = contract.Failure(kind="unsupported", message=why)
    cbc = failed("aes-128-cbc", message_bytes=65536, offload="split")
    cbc.error = unsupported
    for it in (*alone, gcm):
        it.groups = it.samples = 9
    measured = [*alone, gcm, cbc]
    monkeypatch.setattr("ciphermark.workload.rows", _rows_or(measured))
    run = run_with(on_cores(), split(*measured))
    found = tables(rows(), run)[WAYS]
    assert line(found, "aes-128-gcm")["one message of 64 KiB"] == pytest.approx(1.8)
    assert line(found, "aes-128-cbc")["one message of 64 KiB"] is None
    assert any("aes-128-cbc: each block needs the one before" in note for note in found.notes)
    claims = {it.claim: it for it in gateway.claims(run, rows())}
    assert "one message of 64 KiB split: ×1.80" in claims["gcm-doubles-on-two-cores"].here
    assert "each block needs the one before" in claims["cbc-cannot-use-a-second-core"].here


def _rows_or(of_single: list[Row]) -> Callable[[Run], list]:
    """Rows of a run; of one thread these, which no samples stand for."""
    rows_of = workload.rows
    return lambda run: of_single if run.context.workload == "single" else rows_of(run)


def test_a_line_takes_both_ends_of_the_cpu() -> None:
    found = tables([*rows(aes_128_gcm=250.0), *receiving(functions=["aes-128-gcm"])])[LINES]
    gcm = line(found, "aes-128-gcm")
    # 1 / (1/250 + 1/19.49) MB/s each way.
    each_way = 8 / (1 / 250 + 1 / 19.49)
    assert gcm["one core Mbit/s"] == pytest.approx(each_way)
    assert gcm["one core 100M"] == f"{100 - 10_000 / each_way:.0f} %"
    assert gcm["one core 1G"] == f"×{1000 / each_way:.2f}"
    md5 = line(found, "md5")
    assert md5["one core Mbit/s"] == pytest.approx(8 * 192.83 / 2)


def test_all_cpus_fill_wider_lines() -> None:
    run = run_with(on_cores())
    found = tables([*rows(md5=500.0), *receiving()], run)[LINES]
    md5 = line(found, "md5")
    assert (md5["one core 1G"], md5["all 2 CPUs 1G"]) == ("50 %", "75 %")
    assert md5["all 2 CPUs 10G"] == "×2.50"


def test_a_figure_without_interval_is_shown_as_unsettled() -> None:
    unsure = row("md5", 500.0, converged=False, cycles_per_message_low=None)
    found = tables(replaced(unsure))[LINES]
    [place] = [place for place, cells in enumerate(found.rows) if cells[0] == "md5"]
    assert place in found.unsettled


def test_hashes_stand_by_where_their_messages_lie() -> None:
    found = tables([*rows(), *from_afar(1.5), *from_afar(1.1, "l2")])[AFAR]
    assert [cells[0] for cells in found.rows] == HASHES
    md5 = line(found, "md5")
    assert md5["against nearest memory"] == pytest.approx(1.5)
    assert md5["against nearest second cache"] == pytest.approx(1.1)
    assert md5["cycles/byte all cold"] is None


def test_price_power_and_heat_are_per_gigabit_of_what_all_carry() -> None:
    run = run_with(on_cores(), given={"price": 120, "watts": 10})
    found = tables(rows(md5=500.0), run)[PRICE]
    md5 = line(found, "md5")
    assert md5["all 2 CPUs Gbit/s"] == pytest.approx(4.0)
    assert md5["per Gbit/s price"] == pytest.approx(30)
    assert md5["per Gbit/s W"] == pytest.approx(2.5)
    # 1 W is 3.412 BTU/h; 4 Gbit/s each way are 0.5 GB/s, and 10 W of them 20 J a GB.
    assert md5["per Gbit/s BTU/h"] == pytest.approx(2.5 * 3.4121416, rel=1e-6)
    assert md5["J/GB"] == pytest.approx(20)


def test_what_is_not_told_is_not_shown() -> None:
    assert PRICE not in tables(rows())
    headings = [it.heading for it in tables(rows(), run_with(given={"price": 9}))[PRICE].columns]
    assert headings == ["function or protection", "Gbit/s", "price"]


def test_charts_have_the_boxes_and_this_machine() -> None:
    run = run_with(on_cores())
    charts = gateway.charts(run, [*rows(), *receiving(), *macs(), *from_afar(1.5)])
    by_name = {it.name: it for it in charts}
    assert list(by_name) == ["gateway-then-and-now", "gateway-lines", "gateway-hashes-from-afar"]
    marks = by_name["gateway-then-and-now"].panels[0].marks
    assert {it.origin for it in marks} == {
        "Atom N2600", "AMD G-T40E", "here, one core", "here, 2 CPUs",
    }  # fmt: skip
    assert len(marks) == 40


def test_a_chart_has_each_library_that_hid_features() -> None:
    run, measured = ablated(sha_ni=4.0)
    [chart] = [it for it in gateway.charts(run, measured) if it.name == "gateway-features-hidden"]
    [panel] = chart.panels
    assert panel.title == "openssl"
    assert [(it.line, it.name) for it in panel.marks] == [("sha256", "sha_ni")]


def test_the_fastest_of_none_is_none() -> None:
    assert fastest([]) is None
    assert fastest([failed("md5")]) is None


def test_cycles_decide_which_is_fastest() -> None:
    slow_clock = row("md5", 100.0, "rustcrypto", mbytes_per_second=90.0)
    assert fastest([row("md5", 95.0), slow_clock]) is slow_clock


def test_throughput_without_interval_has_none_either() -> None:
    few = row("md5", 100.0, cycles_per_message_low=None, cycles_per_message_high=None)
    assert throughput(few) == Estimate(100.0)
    assert throughput(failed("md5")) is None


def beside(run: Run, rates: dict[str, float], ours: float = 1.0) -> Run:
    """The command's MB/s as multiples of the post's Atom, and PSHUFB's rate."""
    told = [
        BesideFigure(
            program=command.SPEED,
            algorithm=function,
            message_bytes=MESSAGE_BYTES,
            ns_per_byte=1e3 / (ATOM[function] * ours),
        )
        for function in ATOM
    ]
    missing = [
        BesideFigure(program=command.SPEED, algorithm=it, message_bytes=1024, reason="not known")
        for it in command.CAMELLIA_GCM
    ]
    shuffled = [
        BesideFigure(
            program=shuffles.PROGRAM,
            detail=name,
            algorithm="pshufb",
            message_bytes=16,
            ns_per_byte=ns / 16,
        )
        for name, ns in rates.items()
    ]
    return msgspec.structs.replace(run, beside=[*told, *missing, *shuffled])


RATES = {shuffles.CHAIN: 1.5, shuffles.SIDE_BY_SIDE: 0.25, shuffles.ADDITION: 0.5}


def found(run: Run, measured: list[Row], title: str) -> Table:
    return next(it for it in gateway.tables(run, measured) if it.title.startswith(title))


def test_the_posts_command_stands_beside_ours_and_the_boxes() -> None:
    camellia = row("camellia-128-gcm", 100.0, "botan")
    shown = found(beside(run_with(), RATES, 2.0), [*rows(), camellia], "The post's own command")
    gcm = line(shown, "aes-128-gcm")
    assert gcm["the command"] == pytest.approx(2 * 19.49)
    assert gcm["command/Atom N2600"] == pytest.approx(2)
    assert gcm["ours/command"] == pytest.approx(gcm["ours, openssl"] / (2 * 19.49))
    other = line(shown, "camellia-128-gcm")
    assert (other["the command"], other["ours, openssl"]) == (None, None)
    assert (other["ours, the fastest"], other["by"]) == (pytest.approx(100.0), "botan")
    assert not [it for it in gateway.tables(run_with(), rows()) if "own command" in it.title]


def test_shuffles_are_told_in_cycles_beside_what_a_block_leaves_for_them() -> None:
    shown = found(beside(run_with(), RATES), [*rows(), *without_aes(1.5)], "Gain from SSSE3")
    block = line(shown, "cycles of a block of AES-128-CBC")
    # 16 bytes at 26.22 MB/s and 1.6 GHz.
    assert block["Atom N2600"] == pytest.approx(16 * 1.6e9 / 26.22e6)
    assert line(shown, "at most a PSHUFB, cycles")["AMD G-T40E"] is None
    chain = line(shown, "PSHUFB one after the other, cycles")
    assert chain["this machine"] == pytest.approx(3)
    assert line(shown, "PSHUFB side by side, cycles")["this machine"] == pytest.approx(0.5)


def test_the_boxes_fill_lines_by_their_own_columns() -> None:
    shown = found(run_with(), [*rows(), *receiving(), *macs()], "What the post's boxes fill")
    gcm = line(shown, "AES-128-GCM")
    # Two cores, half of each for either end.
    assert gcm["Atom N2600, 2 cores Mbit/s"] == pytest.approx(8 * 19.49)
    assert gcm["AMD G-T40E, 2 cores 100M"] == "14 %"
    cbc = line(shown, "AES-128-CBC + SHA1")
    assert cbc["AMD G-T40E, 2 cores Mbit/s"] == pytest.approx(8 / (1 / 42.65 + 1 / 81.40))
    assert (gcm["carries more"], cbc["carries more"]) == ("Atom", "AMD")
    assert cbc["AMD/Atom"] == pytest.approx((1 / 26.22 + 1 / 134.74) / (1 / 42.65 + 1 / 81.40))


def carried(*tunnels: Tunnel) -> Table:
    """The table of real tunnels of a run with these."""
    found = gateway.tables(run_with(tunnel_run(tunnels)), suites())
    (table,) = (it for it in found if it.title.startswith("Real tunnels"))
    return table


def test_real_tunnels_stand_beside_their_suite_alone() -> None:
    case = next(it for it in through.planned().cases if it.suite == "aes-128-gcm")
    table = carried(Tunnel(case=case, trials=[trial(case, 8192.0)] * 7), lacking())
    (line_,) = table.rows
    assert line_[0] == "openvpn aes-128-gcm"
    assert line_[1:3] == [pytest.approx(8 * 1024 * 10_000 / 1e6), pytest.approx(1000.0)]
    assert line_[-1] == pytest.approx(8 * ATOM["aes-128-gcm"] / 1.02)
    assert any(MISSING in note for note in table.notes)


def test_without_namespaces_the_study_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(mtu: int) -> None:
        raise BedError("namespaces are refused; type the command with sudo")

    monkeypatch.setattr(through, "Bed", refuse)
    engine, interrupts = LentEngine(None), Interrupts()
    assert through.besides(engine, "quick", interrupts) == []  # type: ignore[arg-type]
    [run] = through.besides(engine, "usual", interrupts)  # type: ignore[arg-type]
    assert {it.error.kind for it in run.tunnels if it.error} == {"unsupported"}
    table = carried(*run.tunnels)
    assert table.rows[0][0] == "none could be set up"
    assert any("type the command with sudo" in note for note in table.notes)
