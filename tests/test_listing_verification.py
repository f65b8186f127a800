"""What `ciphermark verify` prints."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from ciphermark import contract
from ciphermark.cli.main import app
from ciphermark.view.verification import blocks
from on_screen import blocks_on_screen
from synthetic import CRASH


def verified(provider: str = "openssl", **changes) -> contract.Verified:
    """An implementation of AES-128-GCM that passed all of its vectors."""
    fields = {
        "algorithm": "aes-128-gcm",
        "provider": provider,
        "backend": "default",
        "passed": 26,
        "failed": 0,
        "unsupported": 0,
        "failures": [],
        "unsupported_parameters": [],
    }
    return contract.Verified(**fields | changes)


def shown(
    *results: contract.Verified, without: list[contract.Uncovered] | None = None, width: int = 120
) -> str:
    verification = contract.Verification(
        results=list(results),
        passed=sum(it.passed for it in results),
        failed=sum(it.failed for it in results),
        vectors=40,
        covered=26,
        without_implementation=without or [],
    )
    return blocks_on_screen(blocks(verification), width=width)


def line(text: str, provider: str) -> list[str]:
    [found] = [line for line in text.splitlines() if line.split()[1:2] == [provider]]
    return found.split()


def test_counts_stand_beside_each_implementation() -> None:
    text = shown(verified(), verified("rustcrypto", passed=12, unsupported=14))
    assert line(text, "openssl")[2:] == ["default", "26", "0", "0"]
    assert line(text, "rustcrypto")[2:] == ["default", "12", "0", "14"]


def test_the_verdict_is_the_first_line() -> None:
    text = shown(verified(), verified("rustcrypto"))
    assert text.startswith("✓ all 52 answers of 2 implementations right\n")
    assert text.endswith("26 of 40 vectors passed by at least one implementation")


def test_many_implementations_have_a_line_for_each_library() -> None:
    many = [verified(algorithm=f"cipher-{it}") for it in range(50)]
    crashed = verified("rustcrypto", passed=0, error=CRASH)
    text = shown(*many, crashed, verified("rustcrypto", failed=2))
    assert text.startswith("✗ 2 of 1 328 answers wrong, 1 implementation gave no answer")
    [of_openssl] = [it for it in text.splitlines() if it.startswith("openssl")]
    assert of_openssl.split() == ["openssl", "50", "50", "1", "300", "0", "0"]
    [of_other] = [it for it in text.splitlines() if it.startswith("rustcrypto")]
    assert of_other.split()[3:] == ["26", "2", "and", "1", "silent", "0"]
    assert text.endswith("ciphermark verify --algorithms all")
    assert "cipher-49" in blocks_on_screen(blocks(answered(results=many), each=True))


def test_parameters_that_are_not_supported_are_named() -> None:
    parameters = ["a nonce of 8 bytes", "a nonce of 128 bytes"]
    text = shown(verified(unsupported=14, unsupported_parameters=parameters))
    assert "14  a nonce of 8 bytes, a nonce of 128 bytes" in text


def test_failures_are_said_one_by_one() -> None:
    failures = ["vector 3: the tag differs", "vector 9: the ciphertext differs"]
    text = shown(verified(passed=22, failed=4, failures=failures), verified("rustcrypto"))
    block = text[text.index("✗ aes-128-gcm, openssl, default") :]
    assert block.splitlines()[1:4] == [f"    {it}" for it in [*failures, "and 2 more"]]
    assert text.startswith("✗ 4 of 52 answers wrong\n")


def test_an_implementation_that_crashed_has_answered_nothing() -> None:
    text = shown(verified(passed=0, error=CRASH), verified("rustcrypto"))
    assert "crash (SIGSEGV): the library crashed" in text
    assert text.startswith("✗ 1 implementation gave no answer\n")


def test_algorithms_that_nobody_has_are_counted() -> None:
    without = [contract.Uncovered(algorithm=f"cipher-{it}", vectors=100) for it in range(12)]
    text = " ".join(shown(verified(), without=without).split())
    assert "No implementation here: 12 algorithms with 1 200 vectors (cipher-0, " in text
    assert "cipher-9, and 2 more)" in text


@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    text = shown(
        verified(), verified("rustcrypto", unsupported_parameters=["a nonce"] * 9), width=width
    )
    assert max(map(len, text.splitlines())) <= width


def test_asking_nobody_is_not_a_success() -> None:
    assert "? no answer was compared" in shown()


WITH_A_KEY = contract.Shown(key="00", nonce="", aad="", message="", answer="1", their_answer="2")
DIFFERS = contract.Disagreement(
    algorithm="aes-128-gcm",
    operation="encrypt",
    provider="nettle",
    backend="default",
    differs_from=["openssl", "rustcrypto"],
    lengths=1,
    message_bytes=33,
    shown_by=WITH_A_KEY,
)


def answered(
    differ: list[contract.Disagreement] | None = None,
    silent: list[str] | None = None,
    **changes: Any,
) -> contract.Verification:
    """One implementation that passed all of its vectors, and what agrees with it."""
    agreement = contract.Agreement(
        seed=1, pairs=1, inputs=9, alone=[], disagreements=differ or [], failures=silent or []
    )
    counts = {"passed": 26, "failed": 0, "vectors": 40, "covered": 26}
    fields = {"results": [verified()], "without_implementation": [], **counts}
    return contract.Verification(agreement=agreement, **fields | changes)


def test_a_disagreement_is_told_at_the_top_and_shown_below() -> None:
    shown = blocks(answered(differ=[DIFFERS], silent=["nettle: it crashed"]))
    lines = blocks_on_screen(shown, width=120).splitlines()
    assert lines[1:3] == [
        "✗ 1 disagreement on random inputs",
        "✗ 1 implementation gave no answer on random inputs",
    ]
    assert any(it.startswith("✗ nettle (default) differs from openssl, rustcrypto") for it in lines)
    assert "    key     00" in lines and "✗ no answers from nettle: it crashed" in lines


@pytest.mark.parametrize(
    ("verification", "code"),
    [
        (answered(), 0),
        (answered(failed=1), 1),
        (answered(results=[verified(error=CRASH)]), 1),
        (answered(differ=[DIFFERS]), 1),
        (answered(silent=["nettle gave no answer"]), 1),
    ],
)
def test_what_is_wrong_has_an_exit_code(
    verification: contract.Verification, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ciphermark.run.engine.Engine.__init__", lambda *_: None)
    monkeypatch.setattr("ciphermark.run.engine.Engine.verify", lambda *_: verification)
    assert CliRunner().invoke(app, ["verify", "--json"]).exit_code == code
