"""Certificates as users have them: of an authority, and of a stranger's, made by `openssl`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROLES = ("scheduler", "worker", "client")


class Authority:
    """A certificate authority with a certificate for each role of Dask, in files."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        self._openssl("req", "-x509", *self._new(name), "-out", self.ca)
        for role in ROLES:
            request = folder / f"{name}-{role}.csr"
            self._openssl("req", *self._new(role), "-out", request)
            signed = ("-CA", self.ca, "-CAkey", self._key(name), "-days", "2")
            self._openssl("x509", "-req", "-in", request, *signed, "-out", self._cert(role))

    @property
    def ca(self) -> Path:
        return self._folder / f"{self._name}.pem"

    def options(self, role: str, ca: Path | None = None) -> tuple[str, ...]:
        """Of a program of Dask, and of ciphermark but for the first name."""
        named = ("--tls-ca-file", ca or self.ca, "--tls-cert", self._cert(role))
        return *map(str, named), "--tls-key", str(self._key(role))

    def of_client(self, ca: Path | None = None) -> tuple[str, ...]:
        """Of ciphermark."""
        return "--tls-ca", *self.options("client", ca)[1:]

    def _new(self, role: str) -> tuple[object, ...]:
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
        return *key, "-subj", f"/CN={self._name} {role}", "-keyout", self._key(role)

    def _key(self, role: str) -> Path:
        return self._folder / f"{self._name}-{role}.key"

    def _cert(self, role: str) -> Path:
        return self._folder / f"{self._name}-{role}.pem"

    def _openssl(self, *arguments: object) -> None:
        if shutil.which("openssl") is None:
            pytest.skip("there is no openssl here (Debian: apt install openssl)")
        subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)
