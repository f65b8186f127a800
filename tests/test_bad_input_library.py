"""Libraries that are absent, old, broken or wrong: no speed for them, and the others go on.

The broken ones stand in front of the real libcrypto, see `libraries/`.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from ciphermark.run.engine import Engine
from ciphermark.workloads.single.row import Row
from engine_fixture import FEW, Command, contents, has_figures, measured, unspaced
from library_fixture import Build

pytestmark = pytest.mark.engine

HASH = {"algorithms": ["sha256"], "operations": ["digest"], "sizes": [64, 1000]}
FIGURES = [field for field in Row.__struct_fields__ if field.startswith(("cycles_per", "ci_"))] + [
    "ns_per_message",
    "mbytes_per_second",
    "loop_cycles",
    "core_hz",
]

Found = dict[tuple[str, int | None], Row]


def by_provider_and_size(rows: list[Row]) -> Found:
    return {(row.provider, row.message_bytes): row for row in rows}


def failed(row: Row) -> tuple[str, str, str | None]:
    """Kind, message and signal of a row that has no figure."""
    assert row.error is not None
    assert {getattr(row, figure) for figure in FIGURES} == {None}
    assert (row.samples, row.converged) == (0, False)
    return row.error.kind, row.error.message, row.error.signal


def sound(*rows: Row) -> None:
    """They were measured, or say why they have no figure."""
    for row in rows:
        has_figures(row)


@pytest.mark.parametrize(
    "subject",
    [("survey", *FEW), ("study", "umac"), pytest.param(("packets",), marks=pytest.mark.deep)],
)
def test_a_library_that_is_not_there_is_refused_before_anything_is_measured(
    command: Command, tmp_path: Path, subject: tuple[str, ...]
) -> None:
    """The study of UMAC measures no OpenSSL, and simulates first."""
    ended = command(*subject, "--library", f"openssl={tmp_path / 'none'}")
    assert ended.code == 2
    assert ended.sentence.startswith(
        f"openssl cannot be used: {tmp_path / 'none'} cannot be opened"
    )
    assert contents(command.runs) == {}


CRASHED = "openssl crashed the worker process with"
CHANGED = "it no longer gives the answers with which it was verified"
LATER = "call>40"
"""More messages than it is asked for before it is timed."""
ENDLESS = "for (int i = 0; i < 16384; i++) if (!malloc(1UL << 30)) return 0"
"""Asks for 16 TiB, of which it touches nothing: a worker is refused what goes beyond its budget."""


@pytest.mark.parametrize(
    ("when", "misdeed", "kind", "message", "signal"),
    [
        ("1", "raise(SIGSEGV)", "crash", f"{CRASHED} SIGSEGV", "SIGSEGV"),
        ("1", "abort()", "crash", f"{CRASHED} SIGABRT", "SIGABRT"),
        ("1", "exit(3)", "crash", "openssl ended the worker process (exit status: 3)", None),
        (LATER, "raise(SIGILL)", "crash", f"{CRASHED} SIGILL", "SIGILL"),
        ("1", "return 0", "failed", "the library returned error -1", None),
        ("1", ENDLESS, "failed", "the library returned error -1", None),
    ],
)
@pytest.mark.measures
def test_one_case_that_fails_leaves_the_others_alone(
    engine: Engine,
    library: Build,
    when: str,
    misdeed: str,
    kind: str,
    message: str,
    signal: str | None,
) -> None:
    broken = library("digest", WHEN=f"bytes==1000&&{when}", MISDEED=misdeed)
    found = by_provider_and_size(measured(engine, broken, **HASH))
    assert failed(found["openssl", 1000]) == (kind, message, signal)
    sound(found["openssl", 64], found["rustcrypto", 64], found["rustcrypto", 1000])


@pytest.mark.measures
def test_a_wrong_answer_costs_all_figures_of_the_function(engine: Engine, library: Build) -> None:
    broken = library("digest", WHEN=f"bytes==1000&&{LATER}", MISDEED="spoil=1")
    found = by_provider_and_size(measured(engine, broken, **HASH))
    assert failed(found["openssl", 1000]) == ("wrong-while-timed", CHANGED, None)
    because = "no figure: the same implementation gave a wrong answer (digest of 1000 bytes)"
    assert failed(found["openssl", 64]) == ("wrong-while-timed", because, None)
    sound(found["rustcrypto", 64], found["rustcrypto", 1000])


@pytest.mark.measures
def test_a_wrong_answer_to_a_vector_costs_all_figures_of_the_function(
    engine: Engine, library: Build
) -> None:
    broken = library("digest", WHEN="1", MISDEED="spoil=1")
    found = by_provider_and_size(measured(engine, broken, **HASH))
    for size in (64, 1000):
        kind, message, _ = failed(found["openssl", size])
        assert kind == "wrong-answer"
        assert "of its test vectors failed; the first: sha256.json/" in message
        sound(found["rustcrypto", size])


@pytest.mark.measures
def test_of_two_that_differ_on_random_messages_neither_is_believed(
    engine: Engine, library: Build
) -> None:
    broken = library("digest", WHEN="bytes==1000", MISDEED="spoil=1")
    found = by_provider_and_size(measured(engine, broken, **HASH))
    for provider, other in (("openssl", "rustcrypto"), ("rustcrypto", "openssl")):
        assert failed(found[provider, 1000]) == (
            "disagreement",
            f"its answer to a random message differs from that of {other}; neither is believed",
            None,
        )
        sound(found[provider, 64])


@pytest.mark.measures
def test_a_library_that_takes_forged_tags_gets_no_figure(engine: Engine, library: Build) -> None:
    rows = measured(
        engine,
        library("forgeries"),
        algorithms=["aes-128-gcm"],
        operations=["seal", "open"],
        sizes=[64],
    )
    for row in rows:
        if row.provider == "openssl":
            kind, message, _ = failed(row)
            assert kind == "wrong-answer" and "open accepted a forged tag" in message
        else:
            sound(row)


@pytest.mark.measures
def test_a_library_that_prints_disturbs_nobody(engine: Engine, library: Build) -> None:
    noisy = library("digest", WHEN="1", MISDEED='(puts("hello"),fflush(stdout))')
    sound(*measured(engine, noisy, **HASH | {"sizes": [64]}))


@pytest.mark.measures
def test_a_library_that_crashes_when_it_is_opened_again_is_an_error(
    engine: Engine, library: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could be opened when the cases were planned."""
    monkeypatch.setenv("OPENED_BEFORE", str(tmp_path / "opened"))
    found = by_provider_and_size(measured(engine, library("at_load", MISDEED="abort()"), **HASH))
    kind, message, signal = failed(found["openssl", 64])
    assert (kind, signal) == ("crash", "SIGABRT")
    assert message.endswith("when it was opened; name another library with --library openssl=PATH")
    sound(found["rustcrypto", 64], found["rustcrypto", 1000])


def refused(command: Command, library: Path) -> str:
    refusal = command("survey", *FEW, "--library", f"openssl={library}")
    assert refusal.code == 2
    assert contents(command.runs) == {}
    return refusal.sentence


CURE = "with --library openssl=PATH"


def test_a_library_that_is_absent_is_named(command: Command, tmp_path: Path) -> None:
    absent = tmp_path / "libcrypto.so.3"
    sentence = refused(command, absent)
    assert sentence.startswith(f"openssl cannot be used: {absent} cannot be opened (No such file")
    assert sentence.endswith(CURE)


def test_a_file_that_is_no_library_is_named(command: Command, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("not a library\n" * 100)
    sentence = refused(command, text)
    assert str(text) in sentence and sentence.endswith(CURE)


@pytest.mark.parametrize(
    ("number", "text", "said"),
    [
        ("0x1010117f", "OpenSSL 1.1.1w", "is OpenSSL 1.1.1w, and OpenSSL 3.0 or later is needed"),
        ("0x30000130", "OpenSSL 3.0.19", "has no function "),
    ],
)
def test_a_library_that_is_too_old_or_lacks_functions_is_named(
    command: Command, library: Build, number: str, text: str, said: str
) -> None:
    alone = library("version", alone=True, NUMBER=f"{number}UL", TEXT=f'"{text}"')
    sentence = refused(command, alone)
    assert f"{alone} {said}" in sentence and sentence.endswith(CURE)


def test_a_library_that_crashes_when_it_is_opened_is_named(
    command: Command, library: Build
) -> None:
    assert refused(command, library("at_load", MISDEED="abort()")) == (
        "openssl cannot be used: openssl crashed the worker process with SIGABRT when it was "
        "opened; name another library with --library openssl=PATH"
    )


def test_an_installed_library_that_cannot_be_used_is_left_out_aloud(
    command: Command, tmp_path: Path
) -> None:
    """Nobody named it, so the others are measured."""
    (tmp_path / "libcrypto.so.3").write_text("not a library")
    engine = tmp_path / "ciphermark-engine"
    real = command.environment["CIPHERMARK_ENGINE"]
    engine.write_text(f'#!/bin/sh\nLD_LIBRARY_PATH={tmp_path} exec {real} "$@"\n')
    engine.chmod(0o755)
    everybody = ("--algorithms", "sha256", "--sizes", "64", "--budget", "2")
    ended = command("survey", *everybody, "--engine", engine, "--json")
    assert ended.code == 0
    providers = {row["provider"] for row in ended.document["rows"]}
    assert "rustcrypto" in providers and "openssl" not in providers
    assert "openssl" in ended.messages and "ciphermark list providers" in ended.messages
    listed = unspaced(command("list", "providers", "--engine", engine).output)
    assert unspaced("libcrypto cannot be loaded") in listed
