"""Suites by what people type, and the parts that are measured beside them."""

from __future__ import annotations

import msgspec
import pytest

from ciphermark.errors import UsageError
from ciphermark.plan import planfile
from ciphermark.plan.build import build
from ciphermark.plan.selection import Selection
from ciphermark.workloads.suites import plan as suites
from ciphermark.workloads.suites.command import _with_usual_libraries
from lent_engine import description, implementation
from suites_example import all_suites

FACTS = description()
BY_NAME = {it.name: it for it in all_suites()}


def test_a_protocol_means_all_its_suites() -> None:
    found = suites.suite_names("wireguard,tls13", FACTS)
    assert found[0] == "wireguard:chacha20-poly1305"
    assert {it.split(":")[0] for it in found[1:]} == {"tls13"} and len(found) == 5
    assert suites.suite_names("all", FACTS) == [it.name for it in all_suites()]
    assert suites.suite_names("esp:aes-128-gcm,esp:aes-128-gcm", FACTS) == ["esp:aes-128-gcm"]


def test_patterns_fit_suites_too() -> None:
    found = suites.suite_names("esp:*+hmac-md5-96", FACTS)
    assert len(found) == 4 and all(it.endswith("+hmac-md5-96") for it in found)


@pytest.mark.parametrize("typed", ["aes-128-gcm", "esp:aes-512-gcm", "ipsec"])
def test_what_is_no_suite_is_refused_with_what_is_near(typed: str) -> None:
    with pytest.raises(UsageError, match="there is no suite or protocol"):
        suites.suite_names(typed, FACTS)


def test_suites_are_measured_only_where_they_are_asked_for() -> None:
    file = planfile.default("survey-all")
    used = {case.algorithm for case in build(file, Selection(), FACTS).plan.cases}
    assert not any(":" in it for it in used)
    by_pattern = Selection(algorithms=["*gcm"])
    used = {case.algorithm for case in build(file, by_pattern, FACTS).plan.cases}
    assert "aes-128-gcm" in used and not any(":" in it for it in used)


def test_suites_of_a_survey_by_name_are_cases_as_others_are() -> None:
    chosen = Selection(algorithms=["esp:aes-128-gcm"], operations=["open"], sizes=[1420])
    (case, other) = build(planfile.default("survey"), chosen, FACTS).plan.cases
    assert (case.algorithm, case.operation, case.message_bytes) == (
        "esp:aes-128-gcm",
        "open",
        1420,
    )
    assert {case.provider, other.provider} == {"openssl", "rustcrypto"}


def test_parts_are_measured_in_the_library_of_the_suite_and_in_whole_blocks() -> None:
    chosen = [(BY_NAME["esp:aes-128-cbc+hmac-sha1-96"], "openssl")]
    cipher, mac = suites.parts(chosen, ["seal", "open"], [64, 1420], FACTS)
    assert (cipher.algorithms, cipher.operations) == (["aes-128-cbc"], ["encrypt", "decrypt"])
    assert (cipher.sizes, cipher.providers) == ([64, 1424], ["openssl"])
    assert (mac.algorithms, mac.operations, mac.sizes) == (["hmac-sha1"], ["mac"], [64, 1420])


def test_the_same_part_of_two_suites_is_measured_once() -> None:
    names = ["esp:aes-128-gcm", "tls13:aes-128-gcm"]
    found = suites.parts([(BY_NAME[it], None) for it in names], ["seal"], [64], FACTS)
    assert [(it.algorithms, it.operations) for it in found] == [(["aes-128-gcm"], ["seal"])]


def test_wrong_operations_are_refused() -> None:
    with pytest.raises(UsageError, match="suites have no operation encrypt"):
        suites.check_operations(["seal", "encrypt"])


def test_limits_of_keys_are_there_with_their_sources() -> None:
    gcm = BY_NAME["tls13:aes-128-gcm"].suite
    assert gcm is not None
    # RFC 8446, section 5.5: 2^24.5 full-size records.
    assert any(it.packets and abs(it.packets / 2**24.5 - 1) < 1e-6 for it in gcm.limits)
    assert all(it.source and it.reason for it in gcm.limits)
    srtp = BY_NAME["srtp:aes-128-ctr+hmac-sha1-80"].suite
    assert srtp is not None and [it.packets for it in srtp.limits] == [2**48]


ESP_OF_PLAN = [it for it in planfile.default("esp").algorithms if it.startswith("esp:")]


def test_the_usual_plan_has_every_suite_of_esp_with_one_key_and_with_many() -> None:
    file = planfile.default("esp")
    (many,) = file.also
    assert many.algorithms == ESP_OF_PLAN and many.keys == 1000
    assert "esp:aes-128-cbc+hmac-sha256-128" in ESP_OF_PLAN


def test_tunnels_are_the_keys_of_every_suite() -> None:
    file = planfile.default("esp")
    (many,) = suites.many_keys(file, ESP_OF_PLAN, ["open"], None, 800)
    assert (many.keys, many.algorithms, many.operations) == (800, ESP_OF_PLAN, ["open"])
    assert many.sizes == file.also[0].sizes
    (many,) = suites.many_keys(file, ["tls13:aes-128-gcm"], ["seal"], [100], 5)
    assert (many.keys, many.algorithms, many.sizes) == (5, ["tls13:aes-128-gcm"], [100])
    assert suites.many_keys(file, ESP_OF_PLAN, ["seal"], None, 1) == []


def test_suites_are_measured_in_the_library_of_their_tools_too() -> None:
    """OpenSSL for TLS; IPsec's code is the kernel's, which is no library."""
    names = ["esp:aes-128-gcm", "tls13:aes-128-gcm", "tls13:aes-256-gcm"]
    file = msgspec.structs.replace(planfile.default("esp"), algorithms=names, also=[])
    by = dict.fromkeys(names, "ipsec-mb") | {"tls13:aes-256-gcm": "openssl"}
    fastest = {(name, operation): by[name] for name in names for operation in file.operations}
    offered = [
        implementation(BY_NAME[name], it) for name in names for it in ("openssl", "ipsec-mb")
    ]
    facts = msgspec.structs.replace(FACTS, implementations=offered)
    [part] = _with_usual_libraries(file, Selection(fastest=fastest), facts).also
    assert (part.algorithms, part.providers) == (["tls13:aes-128-gcm"], ["openssl"])
    assert part.sizes == file.sizes and part.operations == file.operations
