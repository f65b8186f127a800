"""The statements of the gateway study: each both ways, and where it cannot be tested."""

from __future__ import annotations

import msgspec
import pytest

from ciphermark.contract.others import BesideFigure
from ciphermark.record.run import Run
from ciphermark.studies import gateway
from ciphermark.studies.gateway.command import SPEED
from ciphermark.view.findings import Claim
from ciphermark.workloads.single.row import Row
from gateway_example import (
    AES,
    ATOM,
    SWITCHES,
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
    suites,
    without_aes,
)


def claim(name: str, measured: list[Row], run: Run | None = None) -> Claim:
    return {it.claim: it for it in gateway.claims(run or run_with(), measured)}[name]


def test_gcm_is_slower_on_the_box_of_the_post() -> None:
    found = claim("gcm-slower-than-cbc", rows())
    assert found.holds is True
    assert "AES-256: GCM 15.02 (14.95 to 15.10), CBC 18.72 (18.63 to 18.81) MB/s" in found.here


@pytest.mark.parametrize("function", ["aes_256_gcm", "aes_128_gcm"])
def test_gcm_must_be_slower_with_both_key_sizes(function: str) -> None:
    assert claim("gcm-slower-than-cbc", rows(**{function: 50.0})).holds is False


@pytest.mark.parametrize(("share", "holds"), [(0.985, True), (0.994, None), (1.015, False)])
def test_gcm_must_be_slower_beyond_the_intervals(share: float, holds: bool | None) -> None:
    assert claim("gcm-slower-than-cbc", rows(aes_128_gcm=26.22 * share)).holds is holds


UNSETTLED = {"converged": False, "not_converged_reason": "3 of 6"}


@pytest.mark.parametrize(
    ("missing", "reason"),
    [
        (
            row("aes-256-cbc", 18.0, cycles_per_message_low=None, **UNSETTLED),
            "3 of 6",
        ),
        (failed("aes-256-cbc"), "the library crashed"),
    ],
)
def test_gcm_and_cbc_cannot_be_compared_without_intervals(missing: Row, reason: str) -> None:
    found = claim("gcm-slower-than-cbc", replaced(missing))
    assert found.holds is None
    assert "aes-256-cbc" in found.here and reason in found.here


def test_an_interval_decides_also_where_it_is_wider_than_wanted() -> None:
    wide = row("aes-256-cbc", 18.72, converged=False, not_converged_reason="interval ±3 %")
    assert claim("gcm-slower-than-cbc", replaced(wide)).holds is True


def test_a_failed_provider_does_not_hide_another() -> None:
    measured = [*rows(), failed("aes-256-cbc", "rustcrypto")]
    assert claim("gcm-slower-than-cbc", measured).holds is True


@pytest.mark.parametrize(
    ("name", "changed", "holds"),
    [
        ("md5-fastest-of-all", {}, True),
        ("md5-fastest-of-all", {"aes_128_gcm": 500.0}, False),
        ("md5-fastest-of-all", {"sha1": 192.83}, None),
        ("order-of-hashes", {}, True),
        ("order-of-hashes", {"sha512": 90.0}, False),
        ("longer-keys-cost", {}, True),
        ("longer-keys-cost", {"camellia_256_cbc": 40.0}, False),
        # At 2 GHz: 8 times the Atom's Camellia and MD5 are 6.4 times by cycles, 1.25 by the clock.
        (
            "clock-matters-little",
            {"camellia_256_cbc": 170, "camellia_128_cbc": 225, "md5": 1500},
            True,
        ),
        # The AMD's own speed times two is what its clock alone would bring.
        ("clock-matters-little", {"camellia_128_cbc": 91.1}, False),
    ],
)
def test_orders_of_functions(name: str, changed: dict[str, float], holds: bool | None) -> None:
    assert claim(name, rows(**changed)).holds is holds


@pytest.mark.parametrize(
    ("mbytes_per_second", "holds"),
    [(2000.0, True), (25.2, True), (25.0, None), (19.49, None), (12.6, None), (12.0, False)],
)
def test_one_core_decides_about_the_link_unless_it_takes_two(
    mbytes_per_second: float, holds: bool | None
) -> None:
    measured = rows(aes_128_gcm=mbytes_per_second)
    assert claim("aes-128-gcm-fills-100m-link", measured).holds is holds


@pytest.mark.parametrize(("grown", "holds"), [(2.0, True), (1.2, False)])
def test_two_cores_are_asked_about_the_link(grown: float, holds: bool) -> None:
    found = claim("aes-128-gcm-fills-100m-link", rows(), run_with(on_cores(grown)))
    assert found.holds is holds
    assert f"2 CPUs: {grown * 19.49:.2f} MB/s" in found.here


def test_the_link_is_reckoned_with_units() -> None:
    here = claim("aes-128-gcm-fills-100m-link", rows(aes_128_gcm=50.0)).here
    assert here == (
        "1 core: 50.00 MB/s × 8 bit = 400.0 Mbit/s, 200 Mbit/s needed: 50.0 % of one core is left"
    )


@pytest.mark.parametrize(
    ("name", "cores", "holds"),
    [
        ("gcm-doubles-on-two-cores", {}, True),
        ("gcm-doubles-on-two-cores", {"aes_256_gcm": 1.8}, False),
        ("cbc-cannot-use-a-second-core", {}, False),
        ("cbc-cannot-use-a-second-core", {"grown": 1.02}, True),
    ],
)
def test_cores_are_asked_by_many_tunnels(name: str, cores: dict[str, float], holds: bool) -> None:
    assert claim(name, rows(), run_with(on_cores(**cores))).holds is holds


@pytest.mark.parametrize("name", ["gcm-doubles-on-two-cores", "cbc-cannot-use-a-second-core"])
def test_cores_that_others_used_tell_nothing(name: str) -> None:
    found = claim(name, rows(), run_with(objected(on_cores())))
    assert found.holds is None and "others had 64 % of the CPUs" in found.here
    one = claim(name, rows(), run_with(on_cores(cpus=1)))
    assert one.holds is None and "nothing was measured both on one CPU and on several" in one.here


@pytest.mark.parametrize(
    ("name", "flows", "holds"),
    [
        ("gcm-doubles-on-two-cores", {}, True),
        # Tunnels double, and the packets of one do not.
        ("gcm-doubles-on-two-cores", {"aes_128_gcm": 1.5}, False),
        ("gcm-doubles-on-two-cores", {"grown": 1.9}, None),
        ("cbc-cannot-use-a-second-core", {"grown": 1.0}, False),
    ],
)
def test_cores_are_asked_by_one_tunnels_packets_too(
    name: str, flows: dict[str, float], holds: bool | None
) -> None:
    found = claim(name, rows(), run_with(on_cores(), in_order(**flows)))
    assert found.holds is holds
    assert "one tunnel's packets in order, 2 CPUs: ×" in found.here


def test_cbc_uses_no_second_core_where_it_gains_in_no_way() -> None:
    run = run_with(on_cores(grown=1.0), in_order(grown=1.02))
    assert claim("cbc-cannot-use-a-second-core", rows(), run).holds is True


@pytest.mark.parametrize(("gain", "holds"), [(1.3, True), (1.0, False), (0.5, False), (1.02, None)])
def test_the_optimised_version_is_the_slower_one_where_hiding_it_pays(
    gain: float, holds: bool | None
) -> None:
    found = claim("optimised-version-slower", [*rows(), *without_aes(gain)])
    assert found.holds is holds
    assert "OPENSSL_ia32cap=~0x200020000000000:~0x20000000000" in found.here


def test_a_library_that_cannot_be_told_tells_nothing() -> None:
    found = claim("optimised-version-slower", rows(), run_with(hides=False))
    assert found.holds is None and "openssl has no switch that hides aes, ssse3" in found.here


def test_a_processor_without_instructions_has_nothing_to_hide() -> None:
    run = run_with(hides=False)
    run.context.hello.environment.machine.cpu_features = ["ssse3"]
    run.context.hello.providers[0].switches = {"ssse3": SWITCHES["ssse3"]}
    plain = [row(it, 1.3 * ATOM[it], switches=SWITCHES["ssse3"]) for it in AES]
    found = claim("optimised-version-slower", [*rows(), *plain], run)
    assert found.holds is True
    assert "OPENSSL_ia32cap=~0x20000000000:~0x0" in found.here


@pytest.mark.parametrize(
    ("factors", "holds"),
    [
        ({"sha_ni": 4.0, "ssse3": 1.0}, True),
        ({"sha_ni": 4.0, "ssse3": 0.9}, False),
        # Within 2 % nobody would mind.
        ({"sha_ni": 4.0, "ssse3": 0.995}, True),
        ({"ssse3": 1 / 1.02}, None),
    ],
)
def test_nothing_similar_is_where_no_hidden_feature_pays(
    factors: dict[str, float], holds: bool | None
) -> None:
    run, measured = ablated(**factors)
    found = claim("nothing-similar-elsewhere", measured, run)
    assert found.holds is holds
    if holds is False:
        assert "sha256 by openssl without ssse3 1.11" in found.here
        assert "OPENSSL_ia32cap='~0x20000000000:~0x0'" in found.here


@pytest.mark.parametrize(
    ("aes", "holds"),
    # AES without instructions, against Camellia that has 1.07 and 1.14 times its speed.
    [(1.0, True), (2.0, False), (1.07172, None)],
)
def test_camellia_is_asked_against_aes_without_instructions(aes: float, holds: bool | None) -> None:
    measured = [*rows(), *without_aes(1.0, aes)]
    assert claim("camellia-beats-aes", measured).holds is holds


@pytest.mark.parametrize(("aes", "holds"), [(4.0, True), (2.0, False)])
def test_a_bigger_core_is_asked_by_cycles(aes: float, holds: bool) -> None:
    # At 2 GHz 4 times the Atom's speed is 3.2 times by cycles.
    assert (
        claim("bigger-core-three-times-as-fast", [*rows(), *without_aes(1.0, aes)]).holds is holds
    )


@pytest.mark.parametrize(
    ("factor", "holds"), [(1.0, True), (1.03, True), (0.4, False), (1.3, False), (1.05, None)]
)
def test_both_ends_cost_the_same_within_5_percent(factor: float, holds: bool | None) -> None:
    measured = [*rows(), *receiving(factor)]
    assert claim("both-ends-cost-the-same", measured).holds is holds


def test_one_cipher_with_unequal_ends_suffices() -> None:
    others = [it for it in ATOM if it.endswith(("gcm", "cbc")) and it != "aes-128-cbc"]
    measured = [*rows(), *receiving(functions=others), *receiving(0.5, ["aes-128-cbc"])]
    assert claim("both-ends-cost-the-same", measured).holds is False


@pytest.mark.parametrize(("factor", "holds"), [(1.3, True), (1.02, False), (1.1, None)])
def test_memory_explains_hashes_that_are_slow_from_there(factor: float, holds: bool | None) -> None:
    measured = [*rows(), *from_afar(factor)]
    assert claim("memory-explains-hashes", measured).holds is holds


@pytest.mark.parametrize(
    ("gcm", "holds"), [({}, False), ({"aes_128_gcm": 60.0, "aes_256_gcm": 50.0}, True)]
)
def test_gcm_is_held_against_cbc_with_a_mac(gcm: dict[str, float], holds: bool) -> None:
    found = claim("gcm-faster-than-cbc-and-hash", [*rows(**gcm), *receiving(), *macs()])
    assert found.holds is holds
    assert "computed from the parts" in found.here


@pytest.mark.parametrize(
    ("factors", "holds"),
    [({}, True), ({"cbc": 1.2}, False), ({"cbc": 1.05}, None)],
)
def test_the_overhead_is_what_a_suite_takes_more(factors: dict, holds: bool | None) -> None:
    measured = [*rows(), *receiving(), *macs(), *suites(**factors)]
    assert claim("tunnel-overhead-negligible", measured).holds is holds


@pytest.mark.parametrize(("gcm", "holds"), [(1.02, True), (1.5, False)])
def test_gcm_is_close_to_the_real_world_where_its_suite_is(gcm: float, holds: bool) -> None:
    measured = [*rows(), *receiving(), *macs(), *suites(gcm=gcm)]
    found = claim("gcm-benchmark-close-to-real-world", measured)
    assert found.holds is holds
    assert "aes-128-gcm, sending" in found.here and "aes-128-gcm, receiving" in found.here


@pytest.mark.parametrize(("times", "holds"), [(1.0, True), (1.5, False)])
def test_gcm_is_held_against_the_posts_command_too(times: float, holds: bool) -> None:
    measured = [*rows(), *receiving(), *macs(), *suites(gcm=1.0)]
    suite = {it.algorithm: it.mbytes_per_second for it in measured if it.operation == "seal"}
    told = [
        BesideFigure(
            program=SPEED,
            detail="-elapsed -evp aes-128-gcm, OpenSSL 3.0.15",
            algorithm=name,
            message_bytes=1024,
            ns_per_byte=1e3 / (times * suite[f"esp:{name}"]),
        )
        for name in ("aes-128-gcm",)
    ]
    run = msgspec.structs.replace(run_with(), beside=told)
    found = claim("gcm-benchmark-close-to-real-world", measured, run)
    assert found.holds is holds, found.here
    assert "by openssl speed" in found.here
    told[0].detail = told[0].detail.replace("3.0.15", "3.0.19")
    assert "by openssl speed" not in claim("gcm-benchmark-close-to-real-world", measured, run).here


def test_power_is_reckoned_where_it_is_told_and_never_judged() -> None:
    assert "--given watts=10" in claim("apu-consumes-more-power", rows()).here
    measured = [*rows(aes_128_gcm=250.0), row("aes-128-gcm", 250.0, operation="open")]
    told = claim("apu-consumes-more-power", measured, run_with(given={"watts": 10}))
    assert told.holds is None
    # 250 MB/s both ways are 1 Gbit/s each way.
    assert "10 W as told are 10.0 W, 34.1 BTU/h, per Gbit/s" in told.here
