"""Who may talk to a scheduler: TLS as the user gives it, as Dask is configured, or for one session.

Whoever may talk to a Dask scheduler runs code on its machines. So a scheduler that others can reach
is spoken to with TLS only. Why nobody answers where one should be is said in one sentence.
"""

from __future__ import annotations

import ipaddress
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from ciphermark.errors import UsageError

if TYPE_CHECKING:
    from distributed.security import Security


OPTIONS = "--tls-ca FILE --tls-cert FILE --tls-key FILE"
_CONFIGURATION = "Dask's configuration (distributed.comm.tls)"

_KEY_SECONDS = 30
"""A key of an elliptic curve takes milliseconds."""
_DAYS = 30
"""Longer than any fleet runs, and over soon."""


class Tls(msgspec.Struct, frozen=True):
    """Files of a TLS identity as the user named them; Dask's configuration where all are absent."""

    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    @property
    def is_given(self) -> bool:
        return self.ca is not None

    def check(self) -> None:
        """Raises UsageError for an incomplete identity, for files that are not there, and for what
        is no certificate with its key."""
        named = {"--tls-ca": self.ca, "--tls-cert": self.cert, "--tls-key": self.key}
        given = {option: path for option, path in named.items() if path is not None}
        if given and len(given) < len(named):
            absent = " and ".join(sorted(named.keys() - given.keys()))
            raise UsageError(f"{absent} is missing: TLS takes {OPTIONS} together")
        for option, path in given.items():
            if not path.is_file():
                raise UsageError(f"there is no file {path}, which {option} names")
        if self.ca is not None:
            self._check_content(self.ca)

    def _check_content(self, ca: Path) -> None:
        try:
            context = ssl.create_default_context(cafile=ca)
        except OSError as error:
            raise UsageError(
                f"{ca} of --tls-ca has no certificate ({_reason(error)}): name a file in PEM"
            ) from None
        try:
            # A key with a password would be asked for by each connection.
            context.load_cert_chain(str(self.cert), self.key, password=str)
        except OSError as error:
            raise UsageError(
                f"{self.cert} and {self.key} are no certificate with its private key "
                f"({_reason(error)}): name files in PEM that belong together, without a password"
            ) from None

    def security(self) -> Security:
        """What Dask is told; without any TLS where nobody has given or configured it."""
        from distributed.security import Security

        if self.ca is None:
            return Security()
        ca, cert, key = str(self.ca), str(self.cert), str(self.key)
        return _identity(ca, cert, key)


def _reason(error: OSError) -> str:
    """What OpenSSL or the system calls it: `key values mismatch`."""
    if isinstance(error, ssl.SSLError):
        return error.reason.replace("_", " ").lower() if error.reason else "not PEM"
    return error.strerror or type(error).__name__


def for_one_session() -> Security:
    """An identity that is made now, in memory, for a scheduler and workers of our own.

    Raises UsageError where the program `openssl`, which makes it, is missing.
    """
    making = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    making += ["-nodes", "-days", str(_DAYS), "-subj", "/CN=ciphermark-fleet"]
    making += ["-keyout", "-", "-out", "-"]
    try:
        made = subprocess.run(
            making, capture_output=True, timeout=_KEY_SECONDS, check=True, text=True
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(
            f"no key could be made for this fleet ({error}): install openssl, or give {OPTIONS}"
        ) from None
    at = made.stdout.index("-----BEGIN CERTIFICATE-----")
    key, cert = made.stdout[:at], made.stdout[at:]
    return _identity(cert, cert, key)


def _identity(ca: str, cert: str, key: str) -> Security:
    """One identity for all roles, by paths or by the text of the files."""
    from distributed.security import Security

    roles: dict[str, str] = {}
    for role in ("client", "scheduler", "worker"):
        roles |= {f"tls_{role}_cert": cert, f"tls_{role}_key": key}
    return Security(require_encryption=True, tls_ca_file=ca, **roles)


def checked_address(address: str, tls: Tls) -> str:
    """The address of a scheduler with its protocol, where it may be used.

    Raises UsageError for what is no such address, and for one that others can reach without TLS.
    """
    tls.check()
    whole = address if "://" in address else f"{'tls' if tls.is_given else 'tcp'}://{address}"
    try:
        parts = urlsplit(whole)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if parts_missing := [name for name, it in (("host", host), ("port", port)) if not it]:
        raise UsageError(
            f"{address!r} is no address of a scheduler: its {' and '.join(parts_missing)} is "
            "missing; write for example tls://farm.example:8786"
        )
    assert host is not None
    if parts.scheme == "tls":
        return whole
    if parts.scheme != "tcp":
        raise UsageError(f"schedulers are reached by tcp:// or tls://, not by {parts.scheme}://")
    if tls.is_given:
        raise UsageError(f"{address} is an address without TLS: write tls://{parts.netloc}")
    if not is_loopback(host):
        raise UsageError(
            f"the scheduler at {whole} is beyond this machine and without TLS, so that anybody "
            f"there could run code: start it with TLS, and write --scheduler tls://{parts.netloc} "
            f"with {OPTIONS} or {_CONFIGURATION}"
        )
    return whole


def is_loopback(host: str) -> bool:
    """Whether a name or an address stays on this machine. Raises UsageError for unknown names."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        pass
    try:
        found = {str(it[4][0]) for it in socket.getaddrinfo(host, None)}
    except OSError as error:
        raise UsageError(f"the host {host} of --scheduler is not known ({error})") from None
    return all(ipaddress.ip_address(it.partition("%")[0]).is_loopback for it in found)


CONNECT_SECONDS = 10
"""A scheduler that lives answers within a tenth of that, also across an ocean."""


def why_unreachable(address: str, error: BaseException) -> str:
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
        "it is running"
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
