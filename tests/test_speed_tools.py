"""The benchmark tools of other libraries, as programs that print what these print."""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.errors import WorkError
from ciphermark.run import speed_tools
from ciphermark.studies.mac_sessions import others

CRYPTEST = """
<THEAD><TR><TH>Algorithm<TH>Provider<TH>MiB/Second
<TR><TD>VMAC(AES)-64 (128-bit key)<TD>AESNI<TD>8501<TD>0.27<TD>0.517<TD>1267
<TR><TD>HMAC(SHA-1) (128-bit key)<TD>SHANI<TD>1520<TD>1.54<TD>0.343<TD>839
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of programs, before all others."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def program(folder: Path, name: str, printed: str, status: int = 0) -> None:
    path = folder / name
    text = folder / f"{name}.txt"
    text.write_text(printed)
    path.write_text(
        f'#!/bin/sh\necho "$@" > {folder}/{name}.arguments\ncat {text}\nexit {status}\n'
    )
    path.chmod(0o755)


def test_openssl_speed_is_asked_for_one_second_of_one_size(programs: Path) -> None:
    program(programs, "openssl", "+R:136318:hmac(sha512):0.56\n+F:9:hmac(sha512):498534400.00\n")
    assert speed_tools.openssl_speed(["-hmac", "sha512"], 2048) == 498534400
    asked = (programs / "openssl.arguments").read_text().split()
    assert asked == "speed -mr -seconds 1 -bytes 2048 -hmac sha512".split()


def test_rows_of_cryptest_are_bytes_per_second(programs: Path) -> None:
    program(programs, "cryptest", CRYPTEST)
    rates = speed_tools.cryptest("b2", 0.1)
    assert rates["HMAC(SHA-1) (128-bit key)"] == 1520 * 2**20
    assert len(rates) == 2


@pytest.mark.parametrize(("printed", "status"), [("nothing", 0), ("", 1)])
def test_a_tool_that_says_nothing_is_an_error(programs: Path, printed: str, status: int) -> None:
    program(programs, "openssl", printed, status)
    with pytest.raises(WorkError, match="printed no figure|failed"):
        speed_tools.openssl_speed(["-hmac", "md5"], 64)


def test_a_tool_that_is_not_there_is_named_with_its_package(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert speed_tools.missing("openssl") == "openssl is not installed: apt-get install openssl"
    assert "libcrypto++-utils" in (speed_tools.missing("cryptest") or "")


def test_the_study_asks_what_is_there_and_says_what_is_not(
    programs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program(programs, "cryptest", CRYPTEST)
    program(programs, "openssl", "", 1)
    monkeypatch.setattr("ciphermark.studies.mac_sessions.others.word_sizes", lambda *_: [])
    found = others.aside("usual", 0)
    by_tool = {(it.program, it.algorithm, it.message_bytes): it for it in found}
    assert by_tool["cryptest", "vmac-64", 2048].ns_per_byte == pytest.approx(1e9 / (8501 * 2**20))
    assert by_tool["cryptest", "vmac-128", 2048].reason.startswith("it has no row VMAC(AES)-128")
    failed = by_tool["openssl speed", "hmac-md5", 65536]
    assert failed.ns_per_byte is None
    assert "failed (1)" in failed.reason
