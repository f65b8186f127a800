"""The benchmark tools that come with other libraries, held to one CPU, each asked for one kind of
figure."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable

from ciphermark.errors import WorkError


def first_cpu() -> int:
    """The first that this process may use, as a plan for one CPU takes it."""
    return min(os.sched_getaffinity(0))


def pinned(cpu: int) -> list[str]:
    """What stands before a command so that it runs on that CPU alone; nothing where there is no
    `taskset`, and the kernel may move it."""
    return ["taskset", "-c", str(cpu)] if shutil.which("taskset") else []


OPENSSL, CRYPTEST = "openssl", "cryptest"
"""Their commands."""

CRYPTEST_BYTES = 2048
"""Crypto++ does not let its user choose the size of messages (bench1.cpp)."""

_CRYPTEST_GHZ = 3.0
"""Only its cycle counts rest on this, and they are not read."""

_CRYPTEST_ROW = re.compile(r"<TR><TD>([^<]+)<TD>[^<]*<TD>(\d+)")
_OPENSSL_ROW = re.compile(r"^\+F:.*:([\d.]+)$", re.MULTILINE)

_TIMEOUT_S = 120


def missing(command: str) -> str | None:
    """Why a tool cannot be asked, in a sentence."""
    if shutil.which(command):
        return None
    package = {OPENSSL: "openssl", CRYPTEST: "libcrypto++-utils"}[command]
    return f"{command} is not installed: apt-get install {package}"


def openssl_speed(what: Iterable[str], message_bytes: int, before: Iterable[str] = ()) -> float:
    """Bytes per second of CPU time, as the tool computes it, measured for one second.

    `what` names the function as in `-evp sha256`; `before` stands before the command.
    """
    arguments = ["-mr", "-seconds", "1", "-bytes", str(message_bytes)]
    text = _run([*before, OPENSSL, "speed", *arguments, *what])
    found = _OPENSSL_ROW.search(text)
    if found is None:
        raise WorkError(f"openssl speed {' '.join(what)} printed no figure")
    return float(found[1])


def openssl_version() -> str:
    """Returns name and number of the installed version, as `OpenSSL 3.0.19`."""
    return " ".join(_run([OPENSSL, "version"]).split()[:2])


def cryptest(group: str, seconds: float, before: Iterable[str] = ()) -> dict[str, float]:
    """Bytes per second of user CPU time of all functions of a group, each measured for so long:
    `b1` without keys, `b2` with a shared key. The tool rounds to MiB/s."""
    text = _run([*before, CRYPTEST, group, str(seconds), str(_CRYPTEST_GHZ)])
    return {name: int(mib) * 2.0**20 for name, mib in _CRYPTEST_ROW.findall(text)}


def _run(command: list[str]) -> str:
    """Standard output."""
    words = " ".join(command)
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise WorkError(f"{words} did not end in {_TIMEOUT_S} s") from None
    except OSError as error:
        raise WorkError(f"{command[0]} cannot be run: {error.strerror}") from None
    if ended.returncode != 0:
        raise WorkError(f"{words} failed ({ended.returncode}): {ended.stderr.strip()[:200]}")
    return ended.stdout
