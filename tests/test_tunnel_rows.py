"""What rows say of tunnels whose costs are known."""

from __future__ import annotations

from html import unescape
from pathlib import Path

import msgspec
import pytest

from ciphermark.command.report import document
from ciphermark.contract.tunnel import RoleTime, Tunnel
from ciphermark.record.store import Store
from ciphermark.run.tunnels.bed import GATEWAYS
from ciphermark.statistics.estimate import Estimate
from ciphermark.view.blocks import charts
from ciphermark.view.export import table_of
from ciphermark.view.page import part
from ciphermark.workload import rows, rows_from_table, rows_table
from ciphermark.workloads.tunnel import document as shown
from ciphermark.workloads.tunnel import prediction
from ciphermark.workloads.tunnel.row import TunnelRow
from on_screen import rows_on_screen
from tunnel_example import (
    CLOCK_HZ,
    MISSING,
    SUITES,
    cost_ns,
    lacking,
    trial,
    tunnel_run,
    tunnels,
)


def suites_alone(found: list[Tunnel], error: float = 0.02) -> prediction.Cryptography:
    """What the suites of these cases cost by themselves."""
    known = {}
    for tunnel in found:
        case = tunnel.case
        if case.suite in SUITES:
            each, per_byte = SUITES[case.suite]
            cost = each + per_byte * case.mean_bytes
            for gateway in GATEWAYS:
                key = (case.algorithm, case.profile, gateway)
                known[key] = Estimate.around(cost, error * cost)
    return known


def row_of(found: list[TunnelRow], kind: str, suite: str, profile: str = "imix") -> TunnelRow:
    (row,) = (it for it in found if (it.kind, it.suite, it.profile) == (kind, suite, profile))
    return row


def test_a_row_says_what_arrived_and_what_it_cost_each_role() -> None:
    found = rows(tunnel_run())
    row = row_of(found, "openvpn", "none")
    assert row.packets_per_second is not None and row.payload_bits_per_second is not None
    assert row.packets_per_second.value == pytest.approx(10_000)
    assert row.payload_bits_per_second.value == pytest.approx(8 * 10_000 * row.mean_bytes, rel=1e-3)
    cost = cost_ns("openvpn", "none", row.mean_bytes)
    assert row.cpu_cycles_per_packet["gateway-1"] == pytest.approx(cost * CLOCK_HZ / 1e9, rel=0.03)
    assert row.cpu_cycles_per_packet["sender"] == pytest.approx(1200 * CLOCK_HZ / 1e9, rel=0.01)
    assert row.program_cycles_per_packet["gateway-2"] < row.cpu_cycles_per_packet["gateway-2"]
    assert row.gateway_bits_per_second is not None
    assert row.gateway_bits_per_second.value == pytest.approx(8e9 * row.mean_bytes / cost, rel=0.03)
    assert (row.loss, row.reordered, row.altered) == (0.0, 0.0, 0)
    assert row.latency_ns is not None and row.latency_ns.p99 == 900_000
    assert row.lossless_bits_per_second == pytest.approx(8 * 10_000 * row.mean_bytes, rel=1e-3)


def test_where_the_kernel_tells_no_role_apart_no_gateway_has_a_figure() -> None:
    (case, *_) = (it.case for it in tunnels())
    unknown = trial(case, 1000.0)
    unknown.cpu = {role: RoleTime(kernel=None) for role in unknown.cpu}
    (row,) = rows(tunnel_run([Tunnel(case=case, trials=[unknown] * 7)]))
    assert row.is_measured and row.gateway_bits_per_second is None
    assert row.cpu_cycles_per_packet == {}
    assert any("roles" in sentence for sentence in shown.remarks([row]))


def test_a_gateways_cost_is_that_of_trials_in_which_its_program_had_more_than_it_could_do() -> None:
    case = next(it.case for it in tunnels() if it.case.kind == "openvpn")
    waiting = [trial(case, 9000.0) for _ in range(7)]
    full = [trial(case, 4000.0, "loaded", loss=0.3) for _ in range(6)]
    nearly = trial(case, 7000.0, "loaded", loss=0.05)
    cost = prediction.gateway_costs(Tunnel(case=case, trials=[*waiting, *full, nearly]))
    assert cost["gateway-1"].value == pytest.approx(4000.0, rel=1e-3)
    # Where the sender cannot fill it, what there is has to do.
    cost = prediction.gateway_costs(Tunnel(case=case, trials=[*waiting, *full[:5], nearly]))
    assert cost["gateway-1"].value == pytest.approx(9000.0, rel=1e-3)


def test_packets_that_the_receiver_lost_do_not_make_gateways_busy() -> None:
    case = next(it.case for it in tunnels() if it.case.kind == "openvpn")
    late = trial(case, 4000.0, "loaded", loss=0.3)
    late.passed = dict.fromkeys(GATEWAYS, late.sent_packets)
    assert late.lost_by_gateways == 0.0
    late.passed = {"gateway-1": late.sent_packets // 2, "gateway-2": late.sent_packets // 4}
    assert late.lost_by_gateways == 0.75


def test_what_was_lost_and_altered_is_told() -> None:
    (case, *_) = (it.case for it in tunnels())
    trials = [trial(case, 1000.0, loss=0.25) for _ in range(7)]
    trials[3].altered = 2
    (row,) = rows(tunnel_run([Tunnel(case=case, trials=trials)]))
    assert row.loss == pytest.approx(0.25) and row.altered == 2
    assert any("changed content" in sentence for sentence in shown.remarks([row]))


def test_suites_are_predicted_from_the_null_cipher_and_their_own_cost() -> None:
    found = tunnels(noise=0.005)
    predictor = prediction.predictor(found, suites_alone(found))
    for tunnel in found:
        case = tunnel.case
        if case.kind != "openvpn" or case.is_calibration:
            continue
        predicted, why = predictor.predict(case)
        assert predicted is not None, why
        truth = cost_ns(case.kind, case.suite, case.mean_bytes)
        assert predicted.value == pytest.approx(truth, rel=0.03)
        assert predicted.low is not None and predicted.high is not None
        assert predicted.low < truth < predicted.high
        assert ("measured by itself" in why) == (case.suite != "none")


def test_what_no_library_of_ours_does_is_predicted_from_its_other_sizes() -> None:
    found = tunnels(noise=0.005)
    case = next(
        it.case for it in found if it.case.kind == "wireguard-go" and it.case.profile == "imix"
    )
    predicted, why = prediction.predictor(found, {}).predict(case)
    assert predicted is not None and "two sizes" in why
    assert predicted.value == pytest.approx(
        cost_ns("wireguard-go", case.suite, case.mean_bytes), rel=0.03
    )


def test_what_others_are_predicted_from_is_not_predicted() -> None:
    found = tunnels()
    predictor = prediction.predictor(found, suites_alone(found))
    calibration = next(it.case for it in found if it.case.is_calibration)
    assert predictor.predict(calibration) == (None, "others are predicted from it")
    alone = [it for it in found if not it.case.is_calibration]
    predicted, why = prediction.predictor(alone, {}).predict(alone[0].case)
    assert predicted is None and why


def test_the_share_of_cryptography_is_of_the_suite_or_of_the_difference() -> None:
    found = tunnels(noise=0.001)
    case = next(it for it in found if it.case.suite == "aes-128-gcm")
    each, per_byte = SUITES["aes-128-gcm"]
    truth = (each + per_byte * case.case.mean_bytes) / cost_ns(
        "openvpn", "aes-128-gcm", case.case.mean_bytes
    )
    by_suite = prediction.predictor(found, suites_alone(found)).share(case)
    by_null = prediction.predictor(found, {}).share(case)
    assert by_suite == (pytest.approx(truth, rel=0.02), "suite")
    assert by_null == (pytest.approx(truth, abs=0.01), "null")


def on_shared_cores(found: list[Tunnel], cores: float = 2.0) -> None:
    """Sets the time of each trial to that of all roles, which keep so many cores busy."""
    for one in (it for tunnel in found for it in tunnel.trials):
        totals = [role.total for role in one.cpu.values() if role.total is not None]
        one.wall_ns = round(sum(totals) / cores)


def test_both_rates_are_predicted_and_measured() -> None:
    """The one of a gateway's core, and the one of all roles on shared cores, which is less."""
    found = tunnels(noise=0.005)
    on_shared_cores(found)
    predictor = prediction.predictor(found, suites_alone(found))
    for tunnel in found:
        case = tunnel.case
        if case.is_calibration:
            assert predictor.shared(case) is None
            continue
        predicted = predictor.shared(case)
        assert predicted is not None
        truth = cost_ns(case.kind, case.suite, case.mean_bytes) + 1200.0  # two gateways, two ends
        assert predicted.value == pytest.approx(truth, rel=0.03)
        low, high = predicted.interval or (0.0, 0.0)
        assert low < truth < high


def test_a_row_has_both_predictions() -> None:
    found = tunnels()
    on_shared_cores(found)
    row = next(
        it for it in rows(tunnel_run(found)) if it.kind == "openvpn" and it.profile == "imix"
    )
    assert row.predicted_payload_bits_per_second is not None
    assert row.predicted_bits_per_second is not None and row.payload_bits_per_second is not None
    whole, core = row.predicted_payload_bits_per_second, row.predicted_bits_per_second
    assert whole.value < core.value
    assert whole.value == pytest.approx(row.payload_bits_per_second.value, rel=0.05)


def test_packets_both_ways_are_sealed_and_opened_by_each_gateway() -> None:
    found = tunnels()
    case = next(it.case for it in found if it.case.suite == "aes-128-gcm")
    known = {
        (case.algorithm, case.profile, gateway): Estimate.exact(cost)
        for gateway, cost in zip(GATEWAYS, (100.0, 300.0), strict=True)
    }
    predictor = prediction.predictor(found, known)
    assert predictor.cryptography_of(case)["gateway-1"].value == 100.0
    both = predictor.cryptography_of(msgspec.structs.replace(case, both_ways=True))
    assert [both[gateway].value for gateway in GATEWAYS] == [200.0, 200.0]


def test_a_kind_that_is_missing_is_named_once_with_what_to_type() -> None:
    first, second = lacking(), lacking()
    second.case = msgspec.structs.replace(second.case, profile="imix")
    sentences = list(shown.missing(rows(tunnel_run([first, second]))))
    assert sentences == [f"wireguard chacha20-poly1305: {MISSING}"]


def test_a_rate_that_was_not_reached_is_said_with_one_that_is() -> None:
    (tunnel, *_) = tunnels()
    case = msgspec.structs.replace(tunnel.case, rate=1e9)
    (row,) = rows(tunnel_run([Tunnel(case=case, trials=tunnel.trials)]))
    (sentence,) = (it for it in shown.remarks([row]) if "asked for" in it)
    assert "--all-rate" in sentence


def test_rows_and_run_are_stored_and_read_again(tmp_path: Path) -> None:
    run = tunnel_run()
    found = rows(run)
    table = rows_table(found, "tunnel")
    assert rows_from_table(table, "tunnel") == found
    store = Store(tmp_path)
    store.save(run, table)
    again = store.load(run.context.run)
    assert again.tunnels == run.tunnels
    assert rows(again) == found


def test_the_table_fits_a_terminal_and_names_what_is_missing() -> None:
    run = tunnel_run()
    text = rows_on_screen(run.context, rows(run), 100)
    assert "OpenVPN, aes-128-gcm" in text and MISSING in " ".join(text.split())
    assert "predicted" in text and "imix" in text


def test_the_report_and_the_exports_have_all_kinds() -> None:
    run = tunnel_run()
    found = rows(run)
    page = document(run, found)
    assert [chart.name for chart in charts(page.blocks)] == ["waterfall", "predicted"]
    assert len(table_of(run.context, found).sections()) == 5
    assert page.facts is not None
    assert ("Softirq", "10 % · 20 %") in [(it.name, it.value) for it in page.facts.facts]
    assert f"wireguard chacha20-poly1305: {MISSING}" in unescape(part(page).html)
