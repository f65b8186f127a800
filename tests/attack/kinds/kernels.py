"""Libraries that lie, write where they may not, hang, crash and fork: no figure beside a wrong
answer, right libraries go on, and nobody is left behind."""

from __future__ import annotations

import json
import signal
from typing import Any

from attack.attempt import Attempt
from attack.failure import Ended, Failure
from wrapped_kernels import Tally, tallies

LIES = ("flip", "flip", "flip", "zero", "stale", "cut")
STRAYS = ("behind", "in-front")
ENDINGS = ("fail", "crash", "leave", "leave-child-and-crash")
HANGS = ("hang", "spin", "close-all", "half-a-line")

OPERATIONS = {
    1: "seal",
    2: "open",
    3: "encrypt",
    4: "decrypt",
    5: "mac",
    6: "digest",
    7: "keystream",
}
"""By the numbers of kernel.h."""

RATES = (3, 10, 100, 1000, 10_000, 100_000, 1_000_000)

SURELY_SEEN = 1000
"""Sessions check some 10,000 calls at least, in which a mistake of this rate is, but for one attack
in 20,000."""

ALGORITHMS = ("hmac-sha256", "sha256", "chacha20-poly1305", "hmac-sha512", "chacha20")


def attempt(it: Attempt) -> None:
    kind = it.lots.choice((LIES, LIES, LIES, STRAYS, ENDINGS, HANGS, ("leave-child",)))
    misdeed = it.lots.choice(kind)
    rate = it.lots.choice(RATES if kind is LIES else (1,) if kind is STRAYS else (1, 10, 1000))
    after = 0 if kind in (LIES, STRAYS) else it.lots.choice((0, 50, 2000))
    many = it.lots.random() < 0.25
    algorithm = it.lots.choice(ALGORITHMS)
    it.say(f"{misdeed} once in {rate} after {after}, of {algorithm}, sessions {many}")
    tally = it.folder / "tally"
    it.environment |= {
        "LYING_MISDEED": misdeed, "LYING_RATE": str(rate), "LYING_SEED": str(it.number + 1),
        "LYING_AFTER": str(after), "LYING_TALLY": str(tally),
    }  # fmt: skip
    running = it.start(*_command(it, algorithm, many))
    if kind is HANGS and not running.poll(it.lots.uniform(1, 4)):
        running.signal(signal.SIGINT)
        running.end(why=f" after Ctrl-C, with a library that does {misdeed}").check()
        return
    ended = running.end(60)
    ended.check()
    rows = rows_of_document(ended)
    done = tallies(tally)
    expect_called(done)
    if kind in (ENDINGS, STRAYS):
        what = f"{misdeed} once in {rate}, after {after} calls"
        _expect_no_figure(rows, done, what)
    if kind is LIES:
        compare(it, rows, done, rate, many)
    _expect_right_ones(rows, misdeed)


def _command(it: Attempt, algorithm: str, many: bool) -> tuple[str, ...]:
    own = ("--kernel", str(it.setting.lying), "--algorithms", algorithm, "--json", "--providers",
           "kernel@lying,openssl,rustcrypto")  # fmt: skip
    if many:
        return ("sessions", *own, "--sizes", "64", "--sessions", "4", "--duration", "0.3s",
                "--window", "0.05s-0.25s", "--attempts", "1")  # fmt: skip
    operations = () if it.lots.random() < 0.5 else ("--operations", "mac,digest,seal,keystream")
    return ("survey", *own, *operations, "--sizes", it.lots.choice(("16", "64,1024", "16384")),
            "--precision", "5%", "--budget", "2")  # fmt: skip


def rows_of_document(ended: Ended) -> list[dict[str, Any]]:
    try:
        return json.loads(ended.output)["rows"]
    except (ValueError, KeyError) as error:
        raise Failure("other", f"{ended.command}: no rows ({error!r}): {ended.last}") from None


def has_figure(row: dict[str, Any]) -> bool:
    names = ("cycles_per_byte", "cycles_per_message", "absolute_cycles_per_byte",
             "absolute_cycles_per_message", "apparent_cycles_per_byte",
             "mbytes_per_second")  # fmt: skip
    return any(row.get(name) is not None for name in names)


def is_lying(row: dict[str, Any]) -> bool:
    return row["provider"] == "kernel@lying"


def expect_called(done: list[Tally]) -> None:
    """Whether the lying library came to lie at all: one that fails before proves nothing."""
    if not any(tally.calls or tally.misdeeds for tally in done):
        raise Failure("other", "the lying library was never called")


def _expect_no_figure(rows: list[dict[str, Any]], done: list[Tally], what: str) -> None:
    """Of functions that have done what they may not, at every size or at one: a library that has
    gone at one size need not be asked at the others. It may have gone while a key was set."""
    for tally in done:
        mine = _rows_of(tally, rows)
        setups = _rows_of(tally, rows, "setup")
        if tally.misdeeds and mine and all(map(has_figure, mine + setups)):
            name = f"{tally.algorithm} {mine[0]['operation']}"
            raise Failure("wrong figure", f"{what}: {name} has figures")


def _rows_of(
    tally: Tally, rows: list[dict[str, Any]], operation: str | None = None
) -> list[dict[str, Any]]:
    """Those that a function's calls are measured in, or those of another operation beside it."""
    operation = operation or OPERATIONS[tally.operation]
    names = {operation, "verify"} if operation == "mac" else {operation}
    return [
        row
        for row in rows
        if is_lying(row) and row["algorithm"] == tally.algorithm and row["operation"] in names
    ]


def compare(
    it: Attempt, rows: list[dict[str, Any]], done: list[Tally], rate: int, sessions: bool = False
) -> None:
    """Whether each function that has answered wrongly has no figure; counts how many calls were
    checked, for the share of such functions that follows from it.

    Of sessions the calls behind the window are, a tenth: what is wrong more seldom than one of them
    may go unseen.
    """
    for tally in done:
        mine = _rows_of(tally, rows)
        if not mine or not tally.calls:
            continue
        figures = [row for row in mine if has_figure(row)]
        checked = tally.calls // 10 if sessions else tally.calls
        it.count(rate, checked, tally.wrong, found=len(figures) == 0)
        if tally.wrong and figures and (not sessions or rate <= SURELY_SEEN):
            what = f"answered {tally.wrong} of {tally.calls} wrongly"
            have = f"has {len(figures)} of {len(mine)} figures"
            name = f"{tally.algorithm} {mine[0]['operation']}"
            raise Failure("wrong figure", f"{name} {what} and {have}")


def _expect_right_ones(rows: list[dict[str, Any]], misdeed: str) -> None:
    for row in rows:
        error = row.get("error")
        if not is_lying(row) and error and error.get("kind") not in ("disagreement", "unsupported"):
            raise Failure(
                "other", f"{misdeed}: the right library {row['provider']} is blamed: {error}"
            )
