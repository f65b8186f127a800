"""A survey of everything: as many algorithms and providers as wanted, made up but likely.

For what must stay readable when there is much to show.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from ciphermark import contract
from ciphermark.record.run import Run
from ciphermark.workloads.single.row import Row
from lent_engine import all_algorithms
from row_example import bare_row
from survey_example import CORE_HZ, survey_example

PROVIDERS = (
    *("openssl", "libgcrypt", "nettle", "botan", "mbedtls", "wolfssl", "libsodium"),
    *("libtomcrypt", "ipsec-mb", "cryptopp", "rustcrypto", "aws-lc", "blake3", "kernels"),
)
SENDING = {
    "aead": "seal",
    "cipher": "encrypt",
    "stream": "keystream",
    "mac": "mac",
    "hash": "digest",
}
WRONG = contract.Failure(
    kind="wrong-answer", message="vector 3 of nist.json: the tag differs in its byte 0"
)


def broad_example(
    algorithms: int = 150,
    providers: Sequence[str] = PROVIDERS,
    sizes: Sequence[int] = (16, 1024, 16384),
    share: float = 0.5,
) -> tuple[Run, list[Row]]:
    """A run without samples, and its rows: of each provider this share of the algorithms.

    Some libraries cost the same, some cases have not settled, and `botan` has something wrong.
    """
    facts = all_algorithms()[:algorithms]
    run, _ = survey_example(["md5"])
    run.context.algorithms = list(facts)
    rows = list(_rows(facts, providers, sizes, random.Random(5), share))
    for case, row in enumerate(rows):
        row.case = case
    return run, rows


def _rows(
    facts: Sequence[contract.Algorithm],
    providers: Sequence[str],
    sizes: Sequence[int],
    noise: random.Random,
    share: float,
) -> Iterator[Row]:
    for algorithm in facts:
        cost = noise.lognormvariate(1, 1)
        having = [name for name in providers if noise.random() < share]
        for provider in having:
            factor = noise.choice((1, 1, 1.6, 4))
            others = [name for name in having if name != provider]
            for size in sizes:
                row = _row(algorithm, provider, size, others)
                if provider == "botan" and noise.random() < 0.02:
                    row.error = WRONG
                else:
                    _measure(row, factor * (400 + cost * size), noise)
                yield row


def _row(algorithm: contract.Algorithm, provider: str, size: int, others: list[str]) -> Row:
    return bare_row(
        algorithm.name,
        SENDING[algorithm.kind],
        provider=provider,
        message_bytes=size,
        backend_evidence="unknown",
        vectors_passed=24,
        agrees_with=others,
    )


def _measure(row: Row, expected: float, noise: random.Random) -> None:
    cycles = expected * noise.gauss(1, 0.004)
    low, high = cycles * 0.994, cycles * 1.006
    figures = {
        "cycles_per_message": cycles,
        "cycles_per_message_low": low,
        "cycles_per_message_high": high,
        "cycles_per_byte": cycles / row.message_bytes,
        "ci_low": low / row.message_bytes,
        "ci_high": high / row.message_bytes,
        "ns_per_message": cycles / CORE_HZ * 1e9,
        "mbytes_per_second": row.message_bytes / cycles * CORE_HZ / 1e6,
        "samples": 60,
        "groups": 12,
        "processes": 4,
    }
    for name, value in figures.items():
        setattr(row, name, value)
    row.converged = noise.random() > 0.02
    row.not_converged_reason = None if row.converged else "interval ±1.8 %"
