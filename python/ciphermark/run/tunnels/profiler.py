"""Where the CPU time of the gateways goes, by `perf`: samples of a software clock, which virtual
machines have too, told apart by what was executing."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ciphermark.contract.tunnel import CpuPart
from ciphermark.run.tunnels.bed import GATEWAYS, Bed
from ciphermark.run.tunnels.kinds import Laid

HZ = 1999
"""Samples of each CPU a second; no divisor of the kernel's ticks, which would beat with it."""

_EVENT = "cpu-clock"
_LONGEST_S = 30.0

_LIBRARIES = re.compile(r"libcrypto|libgcrypt|libmbedcrypto|libwolfssl")
_CRYPTOGRAPHY = re.compile(
    r"aes|gcm|ghash|gf128|clmul|chacha|poly1305|sha(1|2|256|512)|hmac|blake2|curve25519"
    r"|crypto(_|/)|aead|cipher|authenc"
)
"""Functions of the kernel, and of programs in Go, whose packages are in their names."""
_COPIES = re.compile(r"copy|memcpy|memmove|memset|csum|skb_put_data|rep_movs")
_WAKE_UPS = re.compile(
    r"sched|wake|futex|_switch|(?<!napi_)(?<!threaded_)poll|do_select|sys_select|select_task|hrtimer"
    r"|runtime\.(findRunnable|notewakeup|mcall|gopark|goready|lock2|unlock2|stealWork)"
)

_LINE = re.compile(r"^\s*(?P<thread>\d+)\s+[0-9a-f]+\s+(?P<symbol>.*?)\s+\((?P<object>.*)\)\s*$")
"""Of `perf script -F tid,ip,sym,dso`."""


def part(symbol: str, object_: str) -> CpuPart:
    """What code belongs to, by the names of the function and of the file that it is in."""
    in_kernel = object_.startswith("[")
    if _LIBRARIES.search(object_) or _CRYPTOGRAPHY.search(symbol):
        return "cryptography"
    if _COPIES.search(symbol):
        return "copies"
    if _WAKE_UPS.search(symbol):
        return "wake-ups"
    return "stack" if in_kernel else "program"


def parts(text: str, threads: Iterable[int]) -> dict[CpuPart, int]:
    """Samples of these threads in what `perf script` printed, by what they were in."""
    wanted = set(threads)
    counted: Counter[CpuPart] = Counter()
    for line in text.splitlines():
        sample = _LINE.match(line)
        if sample is not None and int(sample["thread"]) in wanted:
            counted[part(sample["symbol"], sample["object"])] += 1
    return dict(counted)


@functools.cache
def refusal() -> str:
    """Why nothing can be sampled here; empty where it can."""
    if shutil.which("perf") is None:
        return "perf is not installed; type: apt-get install linux-perf"
    tried = _run(["perf", "stat", "-a", "-e", _EVENT, "--", "true"])
    if tried.returncode:
        return (
            "the kernel lets perf sample only for root, or with kernel.perf_event_paranoid at 0 "
            "or less"
        )
    return ""


class Profile:
    """Samples of the gateways, by what they were in; empty until the block has ended."""

    def __init__(self) -> None:
        self.parts: dict[CpuPart, int] = {}


@contextmanager
def profiling(bed: Bed, laid: Laid) -> Iterator[Profile]:
    """Samples all CPUs during the block, and keeps what the gateways executed."""
    profile = Profile()
    with tempfile.TemporaryDirectory(prefix="ciphermark-perf-") as folder:
        data = Path(folder, "samples")
        with _recording(data):
            yield profile
        names = [name for gateway in GATEWAYS for name in laid.programs.get(gateway, [])]
        kernel = [thread for gateway in GATEWAYS for thread in bed.threads.get(gateway, [])]
        threads = [*kernel, *bed.threads_of(names)]
        fields = ["-F", "tid,ip,sym,dso", "--no-inline"]
        printed = _run(["perf", "script", "--input", str(data), *fields])
        profile.parts = parts(printed.stdout, threads)


@contextmanager
def _recording(data: Path) -> Iterator[None]:
    """Within, samples are taken: what perf runs says so first, and ends by itself if need be."""
    process = subprocess.Popen(
        [
            *("perf", "record", "--quiet", "-a", "-e", _EVENT, "-F", str(HZ), "-o", data, "--"),
            *("sh", "-c", f"echo ready; exec sleep {_LONGEST_S:g}"),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the workbench alone, which then ends this
    )
    try:
        with process:
            assert process.stdout is not None
            process.stdout.readline()
            yield
            process.send_signal(signal.SIGINT)  # perf then writes what it has
            process.wait(_LONGEST_S)
    except subprocess.TimeoutExpired:
        pass  # without its last lines the file has fewer samples
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _run(argv: list[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_LONGEST_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return subprocess.CompletedProcess(argv, 1, "", str(error))
