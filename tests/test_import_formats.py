"""What each program has printed becomes the figures that it means, counted by hand here."""

from __future__ import annotations

import math

import pytest

from ciphermark.contract.others import Divisor
from ciphermark.workload import workload_of
from ciphermark.workloads.imported.rows import REASON, imported_rows
from imports_example import FILES, detected, imported_run, imported_runs, row, text_of

FORMATS = {
    "openssl-0.9.8.txt": "openssl-speed",
    "openssl-1.1.1.txt": "openssl-speed",
    "openssl-3.0-elapsed.txt": "openssl-speed",
    "openssl-3.0-mr.txt": "openssl-speed-mr",
    "openssl-3.0.txt": "openssl-speed",
    "openssl-public-key.txt": "openssl-speed",
}


def close(value: float | None, wanted: float) -> bool:
    return value is not None and math.isclose(value, wanted, rel_tol=1e-12)


def says(notes: list[str], *words: str) -> bool:
    """Whether one note has all these words."""
    return any(all(word in note for word in words) for note in notes)


def test_every_file_is_known_by_its_form() -> None:
    found = {name: detected(text_of(name)).name for name in FILES}
    assert {name: of for name, of in found.items() if name.startswith("openssl")} == FORMATS


@pytest.mark.parametrize("name", FILES)
def test_no_imported_row_has_settled_or_has_an_interval(name: str) -> None:
    rows = imported_rows(imported_run(name))
    assert rows
    for it in rows:
        assert (it.converged, it.not_converged_reason, it.samples) == (False, REASON, 0)
        assert it.ci_low is it.ci_high is it.cycles_per_message_low is None
        assert it.mbytes_per_second is not None and it.mbytes_per_second > 0
        assert it.is_measured


def test_k_is_thousands_of_bytes_per_second() -> None:
    found = row(imported_run("openssl-1.1.1.txt"), "aes-128-cbc", "encrypt", 1024)
    assert close(found.mbytes_per_second, 866.57195)
    assert close(found.ns_per_message, 1024 / 866_571_950 * 1e9)
    assert (found.provider, found.backend, found.backend_evidence) == (
        "openssl",
        "unknown",
        "unknown",
    )


def test_cycles_are_time_by_the_clock_that_is_given_and_else_none() -> None:
    plain = row(imported_run("openssl-1.1.1.txt"), "aes-128-cbc", "encrypt", 16)
    assert plain.cycles_per_byte is plain.cycle_source is plain.core_hz is None
    clocked = row(imported_run("openssl-1.1.1.txt", clock_hz=1.3e9), "aes-128-cbc", "encrypt", 16)
    assert close(clocked.cycles_per_byte, 1.3e9 / 106_865_630)
    assert clocked.cycle_source == "nominal"


@pytest.mark.parametrize(
    ("name", "elapsed", "divisor"),
    [
        ("openssl-3.0-elapsed.txt", None, "wall-time"),
        ("openssl-0.9.8.txt", None, "cpu-time"),
        ("openssl-3.0.txt", None, "unknown"),
        ("openssl-3.0.txt", True, "wall-time"),
        ("openssl-3.0-mr.txt", None, "unknown"),
        ("openssl-3.0-mr.txt", False, "cpu-time"),
    ],
)
def test_what_divides_is_said_as_far_as_it_is_known(
    name: str, elapsed: bool | None, divisor: Divisor
) -> None:
    run = imported_run(name, elapsed=elapsed)
    assert run.origin.divisor == divisor
    words = {
        "wall-time": "divided by wall time",
        "cpu-time": "divided by user CPU time",
        "unknown": "does not say what divides",
    }
    assert says(run.context.notes, words[divisor])


def test_the_work_that_was_timed_is_said() -> None:
    sealed = imported_run("openssl-3.0-elapsed.txt").context.notes
    assert says(sealed, "AES-128-GCM: key, nonce, data and tag")
    assert says(imported_run("openssl-1.1.1.txt").context.notes, "aes-128-cbc: the data alone")
    of_a_hash = imported_run("openssl-public-key.txt").context.notes
    assert not says(of_a_hash, "-decrypt")


def test_versions_and_what_else_is_told_are_kept() -> None:
    assert imported_run("openssl-1.1.1.txt").origin.tool_version == "OpenSSL 1.1.1g  21 Apr 2020"
    told = imported_run("openssl-public-key.txt").origin
    assert told.tool_version == "OpenSSL 3.0.2"
    assert told.told["CPUINFO"] == "OPENSSL_ia32cap=0x7ed8320b078bffff:0x40069c219c97a9"


def test_old_names_and_public_key_tables() -> None:
    old = row(imported_run("openssl-0.9.8.txt"), "aes-256-cbc", "encrypt", 8192)
    assert close(old.mbytes_per_second, 112.01846)
    run = imported_run("openssl-public-key.txt")
    assert {it.algorithm for it in imported_rows(run)} == {"blake2b-512"}
    assert run.origin.skipped == {"public-key operations": 1}


def test_lines_of_newer_versions_are_known(tmp_path) -> None:
    """`Doing %s ops for %ds on %d size blocks: ` of OpenSSL 3.5."""
    path = tmp_path / "openssl.txt"
    text = text_of("openssl-0.9.8.txt").replace("cbc for 3s", "cbc ops for 3s")
    path.write_text(text.replace("OpenSSL 0.9.8zh 14 Jan 2016", "version: 3.5.0"))
    run = imported_run(path)
    assert (run.origin.divisor, run.origin.tool_version) == ("cpu-time", "OpenSSL 3.5.0")


def test_mr_gives_bytes_per_second() -> None:
    line = next(it for it in text_of("openssl-3.0-mr.txt").splitlines() if "+F:19" in it)
    rate = float(line.split(":")[3])
    found = row(imported_run("openssl-3.0-mr.txt"), "aes-128-cbc", "encrypt", 256)
    assert close(found.mbytes_per_second, rate / 1e6)


def test_cost_cards_of_figures_without_intervals_have_that_of_their_scatter() -> None:
    run = imported_run("openssl-1.1.1.txt", clock_hz=1.3e9)
    (card,) = workload_of("imported").cost_cards(imported_rows(run))
    assert card.long.fixed.low < card.long.a < card.long.fixed.high
    two = imported_run("ipsec-mb-slope.txt")
    assert workload_of("imported").cost_cards(imported_rows(two)) == []


def test_a_function_that_comes_again_is_in_a_further_run(tmp_path) -> None:
    path = tmp_path / "openssl.txt"
    again = f"aes-128 cbc  {6 * '     1000.00k'}\n"
    path.write_text(text_of("openssl-1.1.1.txt") + again)
    first, second = imported_runs(path)
    assert close(row(first, "aes-128-cbc", "encrypt", 16).mbytes_per_second, 106.86563)
    assert close(row(second, "aes-128-cbc", "encrypt", 16).mbytes_per_second, 1)
    assert (first.origin.part, second.origin.part) == ("table 1", "table 2")
