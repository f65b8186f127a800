"""Why nobody answers where a scheduler should be, in one sentence that says what to change."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from urllib.parse import urlsplit

CONNECT_SECONDS = 10
"""A scheduler that lives answers within a tenth of that, also across an ocean."""


def sentence(address: str, error: BaseException) -> str:
    """What to say of an address that could not be spoken to."""
    causes = [*_causes(error)]
    why = _last_words(causes[-1])
    if any(isinstance(it, ssl.SSLCertVerificationError) for it in causes):
        return (
            f"the scheduler at {address} shows a certificate of another authority ({why}): give "
            "the one that has signed it with --tls-ca FILE"
        )
    if address.startswith("tls://") and any(_is_of_tls(it) for it in causes):
        return (
            f"what answers at {address} ends the connection ({why}): it speaks no TLS, or does not "
            "take the certificate of this client; give one that its authority has signed with "
            "--tls-cert and --tls-key"
        )
    if any(isinstance(it, ConnectionResetError) for it in causes):
        other = f"tls://{urlsplit(address).netloc}"
        return f"what answers at {address} ends the connection: if it wants TLS, write {other}"
    return (
        f"no Dask scheduler answers at {address} within {CONNECT_SECONDS} s ({why}): see whether "
        "it is running, or try --local 2"
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what led to it, the first cause last."""
    found: BaseException | None = error
    while found is not None:
        yield found
        found = found.__cause__


def _is_of_tls(error: BaseException) -> bool:
    """Whether TLS failed; of what fails after its greeting Dask has only words."""
    return isinstance(error, ssl.SSLError) or "SSLError" in str(error)


def _last_words(error: BaseException) -> str:
    """What the system or OpenSSL says, and not who has passed it on."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.partition(" (_ssl.c")[0]  # and not where in its sources
    lines = str(error).splitlines() or [type(error).__name__]
    return lines[0].rpartition("Error: ")[2].partition(" (_ssl.c")[0]
