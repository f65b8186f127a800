"""What both forms of `openssl speed` have in common: names, and what the figures do not say.

What is timed was read in apps/speed.c of OpenSSL 1.1.1, 3.0 and 3.5.
"""

from __future__ import annotations

import re

TOOL, PROVIDER = "openssl speed", "openssl"

ELAPSED = "You have chosen to measure elapsed time"

_RULES = (
    (r"[ _]", "-"),
    (r"^hmac\((.*)\)$", r"hmac-\1"),
    (r"^cmac\((.*)-cbc\)$", r"cmac-\1"),
    (r"^id-", ""),
)

_AUTHENTICATED = re.compile(r"-(gcm|ccm|ocb)$")
_CIPHER = re.compile(
    r"[ -](ecb|cbc|ctr|gcm|ccm|ocb|xts|cfb\d*|ofb|ede3|poly1305)$|^(rc4|chacha20)$"
)
"""Names that OpenSSL has for them: `aes-128 cbc`, `AES-128-GCM`."""

FIXED_COST = (
    "openssl speed makes keys and contexts before it times and sets no IV for each message of a "
    "cipher: what a message costs beyond its bytes is less than in use"
)
UNAUTHENTICATED = (
    "OpenSSL 1.1.1 and 3.0 time GCM, CCM and OCB without a tag, an IV or associated data for each "
    "message, unless -aead is given; later versions give each message all of them"
)
DIRECTION = "the output does not say whether -decrypt was given: figures are taken as encryption"
CPU_TIME = (
    "figures are divided by user CPU time: what the kernel did, an engine or another thread, is "
    "not in it, so more than wall time allows can come out; --elapsed says that -elapsed was given"
)
WALL_TIME = "figures are divided by wall time: whatever else the CPU did in it counts against them"
UNKNOWN_TIME = (
    "the output does not say what divides, CPU time or wall time: say it with --elapsed or "
    "--no-elapsed"
)
WARM = "one buffer again and again, in the nearest cache; the mean over all repetitions, no spread"

MULTI = "is of openssl speed -multi, which adds up several processes: import a run without -multi"


def names(said: str) -> tuple[str, ...]:
    """Spellings of a function that OpenSSL names: `aes-128 cbc`, `hmac(md5)`, `AES-128-GCM`."""
    name = said.lower()
    for pattern, replacement in _RULES:
        name = re.sub(pattern, replacement, name)
    return (name,)


def traps(divisor: str, said: set[str]) -> list[str]:
    """What the figures of these functions do not say."""
    time = {"cpu-time": CPU_TIME, "wall-time": WALL_TIME}.get(divisor, UNKNOWN_TIME)
    found = [time, WARM]
    if any(_CIPHER.search(it.lower()) for it in said):
        found += [FIXED_COST, DIRECTION]
    if any(_AUTHENTICATED.search(it.lower()) for it in said):
        found.append(UNAUTHENTICATED)
    return found


def divisor(elapsed: bool | None) -> str:
    """What divides, None where nobody has said."""
    return {True: "wall-time", False: "cpu-time", None: "unknown"}[elapsed]
