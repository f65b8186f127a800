"""1 / (1/a + 1/b) of the parts beside what was measured, and how it is printed."""

from __future__ import annotations

import pytest

from ciphermark.workloads.single.row import Row
from ciphermark.workloads.suites.parts import parts_blocks, parts_figures
from on_screen import blocks_on_screen
from row_example import bare_row
from suites_example import all_suites

CBC = "esp:aes-128-cbc+hmac-sha1-96"
FACTS = list(all_suites())


def row(
    algorithm: str,
    operation: str,
    bytes_: int,
    rate: float,
    provider: str = "openssl",
    keys: int = 1,
) -> Row:
    figures = {"message_bytes": bytes_, "mbytes_per_second": rate}
    return bare_row(algorithm, operation, provider=provider, keys=keys, **figures)


def test_rates_of_parts_are_combined_as_people_do() -> None:
    rows = [
        row(CBC, "seal", 1420, 400.0),
        row("aes-128-cbc", "encrypt", 1424, 1000.0),
        row("aes-128-cbc", "decrypt", 1424, 5000.0),
        row("hmac-sha1", "mac", 1420, 1000.0),
    ]
    (found,) = parts_figures(FACTS, rows)
    assert found.parts == ["aes-128-cbc", "hmac-sha1"]
    assert found.parts_mbytes_per_second == pytest.approx(500)
    assert found.error == pytest.approx(0.25)


def test_the_receiving_side_decrypts() -> None:
    rows = [
        row(CBC, "open", 1424, 800.0),
        row("aes-128-cbc", "encrypt", 1424, 1000.0),
        row("aes-128-cbc", "decrypt", 1424, 4000.0),
        row("hmac-sha1", "mac", 1424, 1000.0),
    ]
    (found,) = parts_figures(FACTS, rows)
    assert found.parts_mbytes_per_second == pytest.approx(800)
    assert found.error == pytest.approx(0)


def test_parts_of_another_library_or_size_say_nothing() -> None:
    suite = row(CBC, "seal", 1420, 400.0)
    mac = row("hmac-sha1", "mac", 1420, 1000.0)
    for cipher in (
        row("aes-128-cbc", "encrypt", 1424, 1000.0, "nettle"),
        row("aes-128-cbc", "encrypt", 1440, 1000.0),
        row("aes-128-cbc", "encrypt", 1408, 1000.0),
        row("aes-128-cbc", "decrypt", 1424, 1000.0),
    ):
        assert parts_figures(FACTS, [suite, cipher, mac]) == []


def test_parts_with_one_key_say_nothing_of_many() -> None:
    suite = row(CBC, "seal", 1420, 400.0, keys=1000)
    parts = [row("aes-128-cbc", "encrypt", 1424, 1000.0), row("hmac-sha1", "mac", 1420, 1000.0)]
    assert parts_figures(FACTS, [suite, *parts]) == []


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_names_suite_rates_and_error(width: int) -> None:
    rows = [
        row(CBC, "seal", 1420, 400.0),
        row(CBC, "seal", 16384, 400.0),
        row("aes-128-cbc", "encrypt", 1424, 1000.0),
        row("aes-128-cbc", "encrypt", 16384, 4000.0),
        row("hmac-sha1", "mac", 1420, 1000.0),
        row("hmac-sha1", "mac", 16384, 1000.0),
    ]
    text = blocks_on_screen(parts_blocks(parts_figures(FACTS, rows)), width)
    assert all(len(line) <= width for line in text.splitlines())
    # 400 MB/s are 3200 Mbit/s, 500 MB/s 4000.
    line = next(it for it in text.splitlines() if it.startswith(CBC))
    assert "1 420" in line and "3 200" in line and "4 000" in line and "+25 %" in line
    assert "16 384 bytes, +100 %" in " ".join(text.split())


def test_nothing_is_printed_without_parts() -> None:
    assert blocks_on_screen(parts_blocks([])) == ""
