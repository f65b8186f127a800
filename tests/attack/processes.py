"""Processes of a try: started within bounds, waited for, and none of them left behind.

Whoever loses its parent becomes a child of ours (PR_SET_CHILD_SUBREAPER), so that what a try leaves
behind is found without a look at anybody else's processes.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import os
import resource
import select
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from attack.failure import HANG_S, Ended, Failure

MEMORY_BYTES = 3 << 30
"""What a command of an attack may take: it asks for nothing that needs a tenth."""

LEFT_S = 5.0
"""Processes that end a moment after their parent are no orphans."""

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_libc = ctypes.CDLL(None, use_errno=True)

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)


@dataclass
class Streams:
    """Descriptors for a command; None for one that is closed."""

    input: int | None
    output: int | None
    messages: int | None


@dataclass
class Running:
    """A command that was started."""

    command: str
    pid: int
    output: Path
    messages: Path
    began: float = field(default_factory=time.monotonic)
    killed: bool = False
    code: int | None = None
    memory: int = 0

    def signal(self, number: int, group: bool = False) -> None:
        """Sends it a signal, unless it has ended."""
        self.killed = self.killed or number == signal.SIGKILL
        if self.code is None:
            with contextlib.suppress(ProcessLookupError):
                (os.killpg if group else os.kill)(self.pid, number)

    def poll(self, seconds: float) -> bool:
        """Whether it ends within so many seconds."""
        if self.code is not None:
            return True
        descriptor = os.pidfd_open(self.pid)
        try:
            if not select.select([descriptor], [], [], seconds)[0]:
                return False
        finally:
            os.close(descriptor)
        _, status, usage = os.wait4(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)
        self.memory = usage.ru_maxrss << 10
        return True

    def caught(self) -> int:
        """The signals that it has handlers for, a bit each, the lowest for signal 1."""
        lines = _read(Path(f"/proc/{self.pid}/status")).decode(errors="replace").splitlines()
        return next((int(it.split()[1], 16) for it in lines if it.startswith("SigCgt:")), 0)

    def end(self, seconds: float = HANG_S, why: str = "") -> Ended:
        """Waits for its end; fails, and ends it, when it takes longer than so many seconds beyond
        the time for which the system ran others in its place."""
        began = time.monotonic()
        others = _Waiting(self.pid)
        while not self.poll(0.25):
            if time.monotonic() - began > seconds + others.seconds():
                stack = _wait_channels(self.pid)
                self.signal(signal.SIGKILL)
                self.poll(60)
                raise Failure(
                    "hang", f"{self.command}: not ended after {seconds:g} s{why} ({stack})"
                )
        assert self.code is not None
        return Ended(self.command, self.code, _read(self.output), _read(self.messages),
                     self.killed, self.memory)  # fmt: skip


def become_reaper() -> None:
    """Makes orphans of our descendants our children."""
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def forked(call: Callable[[], object], environment: dict[str, str], streams: Streams) -> int:
    """A process that does what `call` does, as if Python had just been started for it; all modules
    are imported already. Returns its number."""
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    if pid := os.fork():
        return pid
    _child(call, environment, streams, parent)


def executed(
    line: Sequence[str],
    environment: dict[str, str],
    streams: Streams,
    folder: Path,
    before: Callable[[], object] | None = None,
) -> int:
    """A process that a shell would have started with this line. Returns its number."""
    parent = os.getpid()
    if pid := os.fork():
        return pid
    try:
        prepare(parent)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.chdir(folder)
        _set_descriptors(streams)
        os.closerange(3, 256)
        if before is not None:
            before()
        os.execve(line[0], list(line), environment)
    finally:
        os._exit(127)


def _child(
    call: Callable[[], object], environment: dict[str, str], streams: Streams, parent: int
) -> NoReturn:
    code = 1
    try:
        prepare(parent)
        os.environ.clear()
        os.environ.update(environment)
        _replace(streams)
        code = _called(call)
    finally:
        os._exit(code)


def prepare(parent: int) -> None:
    """What a child does first: a session of its own, bounds, signals as a shell gives them."""
    os.setsid()
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # as Python does


def _replace(streams: Streams) -> None:
    """Makes these the standard streams, as Python's own start does."""
    given = _set_descriptors(streams)
    os.closerange(3, 1024)  # ends of pipes, which somebody else is to close
    modes = ("r", "w", "w")
    made = [
        None if source is None else open(target, mode, encoding="utf-8", closefd=False,
                                         errors="backslashreplace" if target == 2 else "strict",
                                         buffering=1 if target == 2 else -1)
        for target, (source, mode) in enumerate(zip(given, modes, strict=True))
    ]  # fmt: skip
    sys.stdin, sys.stdout, sys.stderr = made
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = made


def _set_descriptors(streams: Streams) -> tuple[int | None, ...]:
    given = (streams.input, streams.output, streams.messages)
    kept = [None if it is None else os.dup(it) for it in given]
    for target, source in enumerate(kept):
        if source is None:
            with contextlib.suppress(OSError):
                os.close(target)
        else:
            os.dup2(source, target)
            os.close(source)
    return given


def _called(call: Callable[[], object]) -> int:
    """The exit code, as the interpreter finds it."""
    code = 0
    try:
        call()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        code = 1
        with contextlib.suppress(OSError, ValueError, AttributeError):
            traceback.print_exc()
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError) as error:
        code = 120  # as Python's own end has it
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.write(f"Exception ignored in stdout: {error!r}\n")
    return code


def orphans(seconds: float = LEFT_S) -> list[str]:
    """Ends what a try has left behind; what of it was running still after so many seconds."""
    deadline = time.monotonic() + seconds
    while (left := _descendants(os.getpid())) and time.monotonic() < deadline:
        _reap()
        time.sleep(0.02)
    lines = [_command_line(pid) for pid in left if _state(pid) not in "Z?"]
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    while left and _descendants(os.getpid()):
        _reap()
        time.sleep(0.01)
    return lines


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    for child in children(pid):
        found += [child, *_descendants(child)]
    return found


def children(pid: int) -> list[int]:
    """Processes that a process has started, by any of its threads."""
    tasks = Path(f"/proc/{pid}/task")
    try:
        return [int(it) for task in tasks.iterdir() for it in _words(task / "children")]
    except OSError:
        return []


def _words(path: Path) -> Sequence[str]:
    return _read(path).decode(errors="replace").split()


def _state(pid: int) -> str:
    fields = _read(Path(f"/proc/{pid}/stat")).decode(errors="replace").rpartition(")")[2].split()
    return fields[0] if fields else "?"


def _command_line(pid: int) -> str:
    words = _read(Path(f"/proc/{pid}/cmdline")).split(b"\0")
    return f"{pid} {b' '.join(words).decode(errors='replace')[:100]}"


def _wait_channels(pid: int) -> str:
    """What a process and its children are at, for who looks for the reason of a hang."""
    return ", ".join(
        f"{_command_line(it)} [{_state(it)} {_read(Path(f'/proc/{it}/wchan')).decode()}]"
        for it in (pid, *_descendants(pid))
    )


def _threads(pid: int) -> list[str]:
    """None where the process has ended."""
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


class _Waiting:
    """How long a process, its children and all their threads were ready to run and did not, and how
    long one of these processes waited for a disk."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._first: dict[str, float] = {}
        self._last: dict[str, float] = {}
        self._disk, self._looked = 0.0, time.monotonic()

    def seconds(self) -> float:
        """Since the first look at each of them."""
        now = time.monotonic()
        if any(_state(pid) == "D" for pid in (self._pid, *_descendants(self._pid))):
            self._disk += now - self._looked
        self._looked = now
        for pid in (self._pid, *_descendants(self._pid)):
            for thread in _threads(pid):
                if len(words := _words(Path(f"/proc/{pid}/task/{thread}/schedstat"))) > 1:
                    self._last[thread] = int(words[1]) / 1e9
                    self._first.setdefault(thread, self._last[thread])
        return self._disk + sum(self._last.values()) - sum(self._first.values())


def _read(path: Path) -> bytes:
    """Empty when the process or the file is gone."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
