"""Rows become lines: what belongs together stands together, in the order of the plan."""

from __future__ import annotations

from copy import deepcopy

from ciphermark.view.problems import failures, unsettled
from ciphermark.workloads.single.cost_card import cost_cards
from ciphermark.workloads.single.sections import Section, lines, packet_bytes, sections, sizes
from survey_example import survey_example


def _arranged(*algorithms: str) -> list[Section]:
    run, rows = survey_example(algorithms) if algorithms else survey_example()
    return sections(run.context, rows, cost_cards(rows))


def test_kinds_come_in_order_and_primary_operations_first() -> None:
    assert [section.title for section in _arranged()] == [
        "AEAD · seal",
        "AEAD · open",
        "Ciphers · encrypt",
        "Ciphers · decrypt",
        "MACs · mac",
        "Hashes · digest",
    ]


def test_a_line_has_its_sizes_its_card_and_its_setup() -> None:
    line = _arranged("aes-128-gcm")[0].lines[0]
    assert line.implementation == "openssl · vaes-avx512"
    assert list(line.by_size) == [16, 64, 256, 1024, 1500, 16384]
    assert line.card.algorithm == line.setup.algorithm == "aes-128-gcm"
    assert line.card.operation == "seal"
    assert line.setup.operation == "setup"


def test_what_failed_has_no_line() -> None:
    shown = lines(_arranged("camellia-256-cbc"))
    assert {line.provider for line in shown} == {"openssl"}


def test_setup_that_prepares_nothing_shown_has_a_line_of_its_own() -> None:
    run, rows = survey_example(["aes-128-gcm"])
    setups = [row for row in rows if row.operation == "setup"]
    (section,) = sections(run.context, setups, [])
    assert section.title == "AEAD · setup"
    assert [line.setup.provider for line in section.lines] == ["openssl", "rustcrypto"]
    assert sizes([section]) == []


def test_ways_of_calling_are_lines_of_their_own() -> None:
    run, rows = survey_example(["md5"])
    for row in rows[:3]:
        row.lanes, row.switches = 8, {"MASK": "0x1"}
    (section,) = sections(run.context, rows, [])
    assert [line.way for line in section.lines] == ["8 lanes · features hidden", "", ""]


def test_a_backend_that_was_asked_for_has_a_line_beside_the_default_that_took_it() -> None:
    run, rows = survey_example(["aes-128-gcm"])
    usual = [row for row in rows if (row.provider, row.operation) == ("openssl", "seal")]
    forced, masked = deepcopy(usual), deepcopy(usual)
    for row in forced:
        row.backend_asked = row.backend
    for row in masked:
        row.backend_asked, row.backend = "aesni", "portable"
    (section,) = sections(run.context, [*usual, *forced, *masked], [])
    assert [(line.backend, line.way) for line in section.lines] == [
        ("vaes-avx512", ""),
        ("vaes-avx512", "on request"),
        ("portable", "aesni requested"),
    ]


def test_a_setup_goes_with_what_was_asked_for_whatever_ran() -> None:
    run, rows = survey_example(["aes-128-gcm"])
    for row in rows:
        if row.operation == "setup":
            row.backend = "aesni"
    assert all(line.setup for line in lines(sections(run.context, rows, [])))


def test_lines_of_an_algorithm_stay_together_when_the_plan_parts_them() -> None:
    run, rows = survey_example(["md5", "sha1"])
    rows.sort(key=lambda row: row.provider)
    (section,) = sections(run.context, rows, [])
    assert [line.algorithm.name for line in section.lines] == ["md5", "md5", "sha1", "sha1"]


def test_throughput_is_shown_at_the_largest_message_up_to_a_packet() -> None:
    assert packet_bytes([16, 1024, 1500, 16384]) == 1500
    assert packet_bytes([64, 1024, 16384]) == 1024
    assert packet_bytes([16384]) is None
    cipher = _arranged("aes-128-cbc")[0].lines[0]
    assert cipher.packet_row(1500).message_bytes == 1024
    assert cipher.packet_row(8) is None


def test_failures_with_one_reason_are_said_once() -> None:
    _, rows = survey_example()
    (failure,) = failures(rows)
    assert failure.what == "camellia-256-cbc setup, encrypt, decrypt, rustcrypto (11 cases)"
    assert failure.why == "crash (SIGSEGV), the worker of rustcrypto died"


def test_failures_of_one_operation_name_their_sizes() -> None:
    _, rows = survey_example()
    (failure,) = failures([row for row in rows if row.operation == "encrypt"])
    assert failure.what == "camellia-256-cbc encrypt, rustcrypto, 16 B, 64 B, 256 B, 1 KiB, 16 KiB"


def test_a_failure_says_how_all_its_cases_were_called() -> None:
    _, rows = survey_example()
    failed = [row for row in rows if row.operation == "encrypt" and row.error is not None][:2]
    for row in failed:
        row.pattern = "one-shot"
    assert failures(failed)[0].what == "camellia-256-cbc encrypt, rustcrypto, 16 B, 64 B, one-shot"
    failed[1].pattern = "rekeyed"
    assert failures(failed)[0].what == "camellia-256-cbc encrypt, rustcrypto, 16 B, 64 B"


def test_unsettled_cases_come_one_by_one_with_their_reason() -> None:
    _, rows = survey_example()
    assert [(problem.what, problem.why) for problem in unsettled(rows)] == [
        ("aes-128-gcm seal, openssl, 1500 B", "interval ±1.8 %"),
        ("chacha20-poly1305 open, rustcrypto, 256 B", "groups disagree by 2.4 %"),
        ("hmac-sha512 mac, openssl, 16 KiB", "61 % of samples disturbed"),
    ]
