"""Three levels of build, as switches and code paths stand for them.

The paper compiled Crypto++ anew for each; here the installed library is told which features of the
processor to leave alone. Where there is no Crypto++, the kernels of ciphermark stand in, by those
of their code paths that use no more than a build may.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ciphermark.workloads.sessions.row import SessionRow

LIBRARY, STAND_IN = "cryptopp", "kernels"
"""Providers."""

SWITCH = "CIPHERMARK_CRYPTOPP_OFF"
"""The variable by which the features that Crypto++ must not use are named."""

_VECTORS = {"sse2", "asimd"}
"""Features without which nothing but plain C++ is left."""

_PLAIN_PATHS = {"portable", "table", "reference"}


class Build(msgspec.Struct, frozen=True):
    """One of the three."""

    title: str
    of_library: Callable[[set[str]], bool]
    """Whether a library without these features is this build."""
    of_kernels: Callable[[str], bool]
    """Whether a code path of the kernels uses no more than this build may."""

    def has(self, row: SessionRow) -> bool:
        """Whether a row was measured of this build."""
        if row.provider == STAND_IN:
            return self.of_kernels(row.backend)
        return self.of_library(hidden(row))


def hidden(row: SessionRow) -> set[str]:
    """The features that Crypto++ was told to leave alone; of another library none."""
    return {*row.switches.get(SWITCH, "").split(",")} - {""}


def _has_no_cipher(path: str) -> bool:
    return not any(it in path for it in ("aes", "sha", "crypto", "pmull"))


PLAIN = Build("plain C/C++", lambda off: bool(off & _VECTORS), lambda path: path in _PLAIN_PATHS)
SIMD = Build("SIMD, no AES or SHA", lambda off: bool(off) and not off & _VECTORS, _has_no_cipher)
FULL = Build("everything", lambda off: not off, lambda path: True)
BUILDS = (PLAIN, SIMD, FULL)
