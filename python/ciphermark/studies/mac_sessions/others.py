"""What the study asks of other programs: the benchmarks of the libraries, and a 32-bit build."""

from __future__ import annotations

from collections.abc import Iterator

from ciphermark.contract.others import BesideFigure
from ciphermark.errors import WorkError
from ciphermark.plan.planfile import Effort
from ciphermark.run import speed_tools
from ciphermark.run.speed_tools import pinned
from ciphermark.run.word_size import word_sizes
from ciphermark.studies.mac_sessions.paper import (
    FUNCTIONS,
    LARGEST,
    MD5,
    RIJNDAEL,
    SHA1,
    SHA256,
    SHA512,
    VMAC_64,
    VMAC_128,
)

OPENSSL, CRYPTEST = "openssl speed", "cryptest"
"""Programs of figures."""

PROVIDERS = {OPENSSL: "openssl", CRYPTEST: "cryptopp"}
"""The provider here that has the same library."""

_OF_OPENSSL = {
    MD5: ("-hmac", "md5"),
    SHA1: ("-hmac", "sha1"),
    SHA256: ("-hmac", "sha256"),
    SHA512: ("-hmac", "sha512"),
    RIJNDAEL: ("-cmac", "aes-128-cbc"),
}
_OF_CRYPTEST = {
    SHA1: "HMAC(SHA-1) (128-bit key)",
    SHA256: "HMAC(SHA-256) (128-bit key)",
    RIJNDAEL: "CMAC(AES) (128-bit key)",
    VMAC_64: "VMAC(AES)-64 (128-bit key)",
    VMAC_128: "VMAC(AES)-128 (128-bit key)",
}
"""Its rows; of the paper's other functions it has none."""

_OPENSSL_SIZES: dict[Effort, tuple[int, ...]] = {
    "quick": (LARGEST,),
    "usual": (speed_tools.CRYPTEST_BYTES, LARGEST),
    "full": (speed_tools.CRYPTEST_BYTES, LARGEST),
}
_CRYPTEST_SECONDS: dict[Effort, float] = {"quick": 0.03, "usual": 0.1, "full": 1.0}
"""For each of its hundred rows, which come all together."""

_ROUNDS: dict[Effort, int] = {"quick": 3, "usual": 5, "full": 25}
"""Of the two builds."""


def aside(effort: Effort, cpu: int) -> list[BesideFigure]:
    """All of it, on one CPU: what is not there is a figure without a value, with the reason."""
    names = [function.algorithm for function in FUNCTIONS]
    return [
        *_by_cryptest(_CRYPTEST_SECONDS[effort], cpu),
        *_by_openssl(_OPENSSL_SIZES[effort], cpu),
        *word_sizes(names, cpu, _ROUNDS[effort]),
    ]


def _by_cryptest(seconds: float, cpu: int) -> Iterator[BesideFigure]:
    reason, rates = speed_tools.missing(speed_tools.CRYPTEST), {}
    if reason is None:
        try:
            rates = speed_tools.cryptest("b2", seconds, pinned(cpu))
        except WorkError as error:
            reason = str(error)
    for function, row in _OF_CRYPTEST.items():
        rate = rates.get(row)
        yield BesideFigure(
            program=CRYPTEST,
            detail=f"b2 {seconds}",
            algorithm=function.algorithm,
            message_bytes=speed_tools.CRYPTEST_BYTES,
            ns_per_byte=1e9 / rate if rate else None,
            reason="" if rate else reason or f"it has no row {row}",
        )


def _by_openssl(sizes: tuple[int, ...], cpu: int) -> Iterator[BesideFigure]:
    missing = speed_tools.missing(speed_tools.OPENSSL)
    for function, what in _OF_OPENSSL.items():
        for size in sizes:
            figure = BesideFigure(
                program=OPENSSL,
                detail=" ".join(what),
                algorithm=function.algorithm,
                message_bytes=size,
                reason=missing or "",
            )
            if missing is None:
                try:
                    figure.ns_per_byte = 1e9 / speed_tools.openssl_speed(what, size, pinned(cpu))
                except WorkError as error:
                    figure.reason = str(error)
            yield figure
