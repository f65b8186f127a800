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
from row_example import bare_row, timed_row
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
                cost_here = factor * (400 + cost * size)
                yield _row(algorithm, provider, size, others, cost_here, noise)


def _row(
    algorithm: contract.Algorithm,
    provider: str,
    size: int,
    others: list[str],
    expected: float,
    noise: random.Random,
) -> Row:
    known = {
        **{"algorithm": algorithm.name, "operation": SENDING[algorithm.kind], "provider": provider},
        **{"backend": "default", "backend_evidence": "unknown", "vectors_passed": 24},
        "agrees_with": others,
    }
    if provider == "botan" and noise.random() < 0.02:
        return bare_row(message_bytes=size, error=WRONG, **known)
    cycles, converged = expected * noise.gauss(1, 0.004), noise.random() > 0.02
    reason = None if converged else "interval ±1.8 %"
    looked = {"samples": 60, "groups": 12, "processes": 4, "core_hz": None}
    settled = {"converged": converged, "not_converged_reason": reason}
    return timed_row(size, cycles, 0.006, CORE_HZ, **known | looked | settled)
