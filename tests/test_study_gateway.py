"""The gateway study: the post's table beside ours, and two of its statements."""

from __future__ import annotations

import pytest

from ciphermark.analyse.fastest import fastest
from ciphermark.analyse.row import Row
from ciphermark.analyse.throughput import throughput
from ciphermark.studies import gateway, registry
from ciphermark.studies.study import Claim, Table
from lent_engine import CRASH
from synthetic import synthetic_run

CORE_HZ = 2e9

ATOM = {
    "aes-256-gcm": 15.02,
    "aes-128-gcm": 19.49,
    "aes-256-cbc": 18.72,
    "aes-128-cbc": 26.22,
    "camellia-256-cbc": 21.29,
    "camellia-128-cbc": 28.10,
    "sha512": 28.50,
    "sha256": 63.95,
    "sha1": 134.74,
    "md5": 192.83,
}
"""MB/s of the Atom in the post's table, in its order."""


def row(function: str, speed: float, provider: str = "openssl", /, **changes) -> Row:
    """A converged row of that many MB/s at 2 GHz, known to ±0.5 %."""
    cycles = 1024 * CORE_HZ / (speed * 1e6)
    fields = {
        "case": 0,
        "algorithm": function,
        "operation": "seal",
        "provider": provider,
        "backend": "default",
        "workload": "single",
        "pattern": "reused-key",
        "offload": "none",
        "lanes": 1,
        "keys": 1,
        "buffers": "hot",
        "switches": {},
        "message_bytes": 1024,
        "cycles_per_message": cycles,
        "cycles_per_message_low": 0.995 * cycles,
        "cycles_per_message_high": 1.005 * cycles,
        "cycles_per_byte": cycles / 1024,
        "ci_low": 0.995 * cycles / 1024,
        "ci_high": 1.005 * cycles / 1024,
        "ns_per_message": cycles / CORE_HZ * 1e9,
        "mbytes_per_second": speed,
        "core_hz": CORE_HZ,
        "converged": True,
        "cycle_source": "calibrated",
        "backend_evidence": "unknown",
        "agrees_with": [],
    }
    return Row(**fields | changes)


def failed(function: str, provider: str = "openssl") -> Row:
    """A row without figures."""
    none = dict.fromkeys(
        "cycles_per_message cycles_per_message_low cycles_per_message_high cycles_per_byte ci_low"
        " ci_high ns_per_message mbytes_per_second core_hz".split()
    )
    return row(function, 1.0, provider, **none, converged=False, error=CRASH)


def rows(**changed: float) -> list[Row]:
    """The Atom's table as if it had been measured here, some functions with another speed."""
    return [row(name, changed.get(name.replace("-", "_"), mbytes)) for name, mbytes in ATOM.items()]


def replaced(*new: Row) -> list[Row]:
    """The same, some functions with other rows."""
    names = {it.algorithm for it in new}
    return [*(it for it in rows() if it.algorithm not in names), *new]


def tables(measured: list[Row]) -> tuple[Table, Table]:
    throughputs, cycles = gateway.tables(synthetic_run([]), measured)
    return throughputs, cycles


def line(table: Table, function: str) -> dict[str, object]:
    """A row of a table by `group heading`."""
    [cells] = [cells for cells in table.rows if cells[0] == function]
    names = [f"{column.group} {column.heading}".strip() for column in table.columns]
    return dict(zip(names, cells, strict=True))


def claim(measured: list[Row], name: str) -> Claim:
    claims = {it.claim: it for it in gateway.claims(synthetic_run([]), measured)}
    return claims[name]


def slower(measured: list[Row]) -> Claim:
    return claim(measured, "gcm-slower-than-cbc")


def saturated(measured: list[Row]) -> Claim:
    return claim(measured, "aes-128-gcm-fills-100m-link")


def test_the_plan_has_the_functions_of_the_table_in_its_order() -> None:
    plan = registry.load("gateway").plan
    throughputs, _ = tables([])
    assert plan.algorithms == [cells[0] for cells in throughputs.rows] == list(ATOM)
    assert plan.sizes == [gateway.MESSAGE_BYTES]


def test_the_published_figures_stand_beside_ours_with_their_ratio() -> None:
    throughputs, _ = tables(rows(md5=385.66))
    md5 = line(throughputs, "md5")
    assert md5["here MB/s"] == 385.66
    assert md5["here fastest"] == "openssl"
    assert (md5["Atom N2600 MB/s"], md5["AMD G-T40E MB/s"]) == (192.83, 146.06)
    assert md5["Atom N2600 ratio"] == pytest.approx(2)
    assert md5["AMD G-T40E ratio"] == pytest.approx(385.66 / 146.06)


def test_throughput_has_the_interval_of_its_cycles() -> None:
    throughputs, _ = tables(rows())
    md5 = line(throughputs, "md5")
    assert md5["here low"] == pytest.approx(192.83 / 1.005)
    assert md5["here high"] == pytest.approx(192.83 / 0.995)


def test_cycles_of_the_boxes_are_derived_from_their_nominal_clock() -> None:
    _, cycles = tables(rows())
    gcm = line(cycles, "aes-128-gcm")
    assert gcm["Atom N2600 derived"] == pytest.approx(1600 / 19.49)
    assert gcm["AMD G-T40E derived"] == pytest.approx(1000 / 14.46)
    assert gcm["here cycles/byte"] == pytest.approx(2000 / 19.49)
    assert gcm["Atom N2600 ratio"] == pytest.approx(2000 / 1600)
    assert any("derived" in note for note in cycles.notes)


def test_the_fastest_implementation_is_shown_by_name() -> None:
    measured = [*rows(), row("md5", 400.0, "rustcrypto", backend="avx2")]
    md5 = line(tables(measured)[0], "md5")
    assert (md5["here MB/s"], md5["here fastest"]) == (400.0, "rustcrypto avx2")


def test_what_did_not_settle_is_marked_with_its_reason() -> None:
    unsettled = row("sha1", 100.0, converged=False, not_converged_reason="interval ±1.8 %")
    throughputs, cycles = tables(replaced(unsettled))
    place = list(ATOM).index("sha1")
    assert throughputs.unsettled == cycles.unsettled == [place]
    assert "did not settle (interval ±1.8 %): sha1" in throughputs.notes


def test_what_failed_has_no_figure_but_a_reason() -> None:
    throughputs, cycles = tables(replaced(failed("sha1")))
    for table in (throughputs, cycles):
        sha1 = line(table, "sha1")
        assert {cell for name, cell in sha1.items() if name.startswith("here")} == {None}
        assert sha1["Atom N2600 ratio"] is None
    assert "no figure (openssl: the library crashed): sha1" in throughputs.notes
    assert throughputs.unsettled == []


def test_what_nobody_has_says_so() -> None:
    measured = [it for it in rows() if it.algorithm != "sha1"]
    assert "no figure (no provider has it): sha1" in tables(measured)[0].notes


def test_gcm_is_slower_on_the_box_of_the_post() -> None:
    found = slower(rows())
    assert found.holds is True
    assert "AES-256: GCM 15.02 (14.95 to 15.10), CBC 18.72 (18.63 to 18.81) MB/s" in found.here
    assert "AES-128: GCM 19.49" in found.here


@pytest.mark.parametrize("function", ["aes_256_gcm", "aes_128_gcm"])
def test_gcm_must_be_slower_with_both_key_sizes(function: str) -> None:
    assert slower(rows(**{function: 50.0})).holds is False


def test_gcm_must_be_slower_beyond_the_intervals() -> None:
    assert slower(rows(aes_128_gcm=26.22 * 0.992)).holds is False
    assert slower(rows(aes_128_gcm=26.22 * 0.985)).holds is True


@pytest.mark.parametrize(
    ("missing", "reason"),
    [
        (row("aes-256-cbc", 18.0, converged=False, not_converged_reason="3 of 6 groups"), "3 of 6"),
        (failed("aes-256-cbc"), "the library crashed"),
    ],
)
def test_gcm_and_cbc_cannot_be_compared_without_firm_figures(missing: Row, reason: str) -> None:
    found = slower(replaced(missing))
    assert found.holds is None
    assert "aes-256-cbc" in found.here and reason in found.here


def test_a_failed_provider_does_not_hide_another() -> None:
    assert slower([*rows(), failed("aes-256-cbc", "rustcrypto")]).holds is True


@pytest.mark.parametrize(
    ("mbytes_per_second", "holds"),
    [(2000.0, True), (25.2, True), (25.0, None), (19.49, None), (12.6, None), (12.0, False)],
)
def test_one_core_decides_about_the_link_unless_it_takes_two(
    mbytes_per_second: float, holds: bool | None
) -> None:
    assert saturated(rows(aes_128_gcm=mbytes_per_second)).holds is holds


def test_the_link_is_reckoned_with_units() -> None:
    here = saturated(rows(aes_128_gcm=50.0)).here
    assert here == "1 core × 50.00 MB/s × 8 bit = 400 Mbit/s, 200 Mbit/s needed"


def test_the_fastest_of_none_is_none() -> None:
    assert fastest([]) is None
    assert fastest([failed("md5")]) is None


def test_cycles_decide_which_is_fastest() -> None:
    slow_clock = row("md5", 100.0, "rustcrypto", mbytes_per_second=90.0)
    assert fastest([row("md5", 95.0), slow_clock]) is slow_clock


def test_throughput_without_interval_has_none_either() -> None:
    few = row("md5", 100.0, cycles_per_message_low=None, cycles_per_message_high=None)
    assert throughput(few) == (100.0, None, None)
    assert throughput(failed("md5")) is None
