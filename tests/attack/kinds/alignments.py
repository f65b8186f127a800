"""Libraries that answer wrongly at some addresses alone, at which the loop that is timed never has
its messages: no figure."""

from __future__ import annotations

from attack.attempt import Attempt
from attack.failure import Failure
from attack.kinds.kernels import OPERATIONS, expect_called, has_figure, is_lying, rows_of_document
from wrapped_kernels import tallies

WHERE = {
    "input": ("sha256", "hmac-sha256", "chacha20-poly1305"),
    "output": ("sha256", "hmac-sha256", "chacha20-poly1305", "chacha20"),
    "aad": ("chacha20-poly1305",),
}
"""Pointers of a message, and algorithms whose messages have them."""

LIES = ("flip", "zero", "cut")


def attempt(it: Attempt) -> None:
    where = it.lots.choice(sorted(WHERE))
    algorithm = it.lots.choice(WHERE[where])
    modulus = it.lots.choice((2, 4, 8, 16))
    residue = it.lots.randrange(1, modulus)
    size = it.lots.choice(("16", "64", "1000", "1003", "1024,4096"))
    place = f"{where} {modulus} {residue}"
    it.say(f"{algorithm} of {size} bytes is wrong at {place}")
    tally = it.folder / "tally"
    it.environment |= {
        "LYING_MISDEED": it.lots.choice(LIES), "LYING_RATE": "1", "LYING_SEED": "0",
        "LYING_WHERE": place, "LYING_TALLY": str(tally),
    }  # fmt: skip
    ended = it.start(
        *("survey", "--kernel", it.setting.lying, "--providers", "kernel@lying,rustcrypto"),
        *("--algorithms", algorithm, "--sizes", size, "--precision", "5%", "--budget", "1"),
        "--json",
    ).end(60)
    ended.check()
    rows = [row for row in rows_of_document(ended) if is_lying(row)]
    done = tallies(tally)
    expect_called(done)
    wrong = {OPERATIONS[tally.operation] for tally in done if tally.wrong}
    figures = [row for row in rows if row["operation"] in OPERATIONS.values() and has_figure(row)]
    if figures:
        names = {row["operation"] for row in figures}
        raise Failure(
            "wrong figure",
            f"{algorithm} is wrong at {place} (seen in {sorted(wrong)}), and {names} have figures",
        )
