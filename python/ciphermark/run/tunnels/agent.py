"""The first process within a bed's namespaces: it runs what it is told to, and when it ends, all
that is in them ends too.

It is the init of a PID namespace. However it ends, the kernel kills all processes of that
namespace, and with the last of them go the network namespaces, their interfaces and keys in files
of a private memory filesystem. It ends when its standard input is closed, which the kernel does for
a workbench that was killed. So nothing is left behind, whatever happens.

This file is run by itself, in Python without ciphermark: requests are lines of JSON on standard
input, the answer to each is a line on standard output.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import subprocess
import threading
import time
from typing import IO, Any

Request = dict[str, Any]

PRIVATE = "/run/ciphermark"
"""On a memory filesystem that no other process sees."""

_CPU_CLOCK_OF_PROCESS = 2
"""The kernel's CPUCLOCK_SCHED: of a process, whatever its threads, those that ended too; in
nanoseconds (include/linux/posix-timers_types.h)."""

_MOST_TEXT = 64_000
"""Characters of a program's output that are kept: its end."""


class Process:
    """One that runs until it is stopped."""

    def __init__(self, argv: list[str], nice: int) -> None:
        self.log: list[bytes] = []
        self._lines: queue.Queue[bytes] = queue.Queue()
        self.popen = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=(lambda: os.nice(nice) and None) if nice else None,
        )
        assert self.popen.stdout is not None
        assert self.popen.stderr is not None
        self._readers = [
            threading.Thread(target=self._read, args=(self.popen.stdout, True), daemon=True),
            threading.Thread(target=self._read, args=(self.popen.stderr, False), daemon=True),
        ]
        self._output: list[bytes] = []
        for reader in self._readers:
            reader.start()

    def _read(self, stream: IO[bytes], is_output: bool) -> None:
        kept = self._output if is_output else self.log
        for line in stream:
            kept.append(line)
            if is_output:
                self._lines.put(line)

    def line(self, seconds: float) -> str | None:
        """The next line that it prints; None where it prints none in time, or has ended."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            with contextlib.suppress(queue.Empty):
                return self._lines.get(timeout=min(left, 0.05)).decode(errors="replace")
            if self.popen.poll() is not None and self._lines.empty():
                return None
        return None

    def said(self) -> str:
        """All that it has written so far, on either stream."""
        return _text([*self._output, *self.log])

    def close_input(self) -> None:
        assert self.popen.stdin is not None
        with contextlib.suppress(OSError):
            self.popen.stdin.close()

    def end(self, seconds: float) -> Request:
        """Its exit code and what it wrote, once it has ended; it is killed when it does not."""
        try:
            self.popen.wait(seconds)
            late = False
        except subprocess.TimeoutExpired:
            late = True
            self.popen.kill()
            self.popen.wait()
        for reader in self._readers:
            reader.join(1)
        return {
            "code": self.popen.returncode,
            "late": late,
            "output": _text(self._output),
            "log": _text(self.log),
        }


def _text(lines: list[bytes]) -> str:
    return b"".join(lines).decode(errors="replace")[-_MOST_TEXT:]


class Agent:
    """Answers requests, one after the other."""

    def __init__(self) -> None:
        self._processes: dict[str, Process] = {}

    def answer(self, request: Request) -> Any:
        return getattr(self, "do_" + request.pop("do"))(**request)

    def do_run(
        self, argv: list[str], within: str | None, given: str = "", seconds: float = 10.0
    ) -> Request:
        """Runs a program to its end."""
        try:
            ran = subprocess.run(
                entered(argv, within),
                input=given.encode(),
                capture_output=True,
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            return {"code": -9, "late": True, "output": "", "log": str(error)}
        return {
            "code": ran.returncode,
            "late": False,
            "output": _text([ran.stdout]),
            "log": _text([ran.stderr]),
        }

    def do_start(self, name: str, argv: list[str], within: str | None, nice: int = 0) -> None:
        self._processes[name] = Process(entered(argv, within), nice)

    def do_line(self, name: str, seconds: float) -> str | None:
        return self._processes[name].line(seconds)

    def do_close(self, name: str) -> None:
        self._processes[name].close_input()

    def do_end(self, name: str, seconds: float) -> Request:
        """Waits for its end."""
        return self._processes.pop(name).end(seconds)

    def do_stop(self, name: str, seconds: float = 1.0) -> Request:
        """Asks it to end."""
        process = self._processes.pop(name)
        process.popen.terminate()
        return process.end(seconds)

    def do_running(self, name: str) -> bool:
        return self._processes[name].popen.poll() is None

    def do_log(self, name: str) -> str:
        """What it has written so far."""
        return self._processes[name].said()

    def do_cpu(self, names: list[str]) -> dict[str, int | None]:
        """CPU time of processes in nanoseconds; None of what has ended."""
        return {name: self._cpu_ns(name) for name in names}

    def _cpu_ns(self, name: str) -> int | None:
        process = self._processes.get(name)
        if process is None or process.popen.poll() is not None:
            return None
        try:
            return time.clock_gettime_ns((~process.popen.pid << 3) | _CPU_CLOCK_OF_PROCESS)
        except OSError:
            return None

    def do_processes(self, names: list[str]) -> Request:
        """Numbers of processes, in the PID namespace that is named, as its init sees them."""
        return {
            "namespace": os.readlink("/proc/self/ns/pid"),
            "numbers": [self._processes[name].popen.pid for name in names],
        }

    def do_write(self, name: str, text: str) -> str:
        """A file that only its owner reads, and that is gone with the bed; returns its path."""
        path = os.path.join(PRIVATE, name)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        return path

    def do_read(self, path: str) -> str | None:
        """The text of a file; None where it cannot be read."""
        with contextlib.suppress(OSError), open(path, errors="replace") as file:
            return file.read(_MOST_TEXT)
        return None

    def do_set(self, path: str, text: str) -> str | None:
        """Writes to a file of the kernel's; says why where that fails."""
        try:
            with open(path, "w") as file:
                file.write(text)
        except OSError as error:
            return error.strerror
        return None


def entered(argv: list[str], within: str | None) -> list[str]:
    """The same in a network namespace."""
    return argv if within is None else ["nsenter", f"--net=/run/netns/{within}", "--", *argv]


def prepare() -> None:
    """Nothing that is mounted from here on is seen outside."""
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", "/run"], check=True)
    os.makedirs("/run/netns")
    os.makedirs("/run/wireguard", mode=0o700)
    os.mkdir(PRIVATE, 0o700)


def _requests(pending: queue.Queue[bytes]) -> None:
    """Takes requests; at their end all of the namespaces ends at once, also what is being run."""
    buffer = b""
    while True:
        select.select([0], [], [])
        chunk = os.read(0, 1 << 16)
        if not chunk:
            os._exit(0)
        *lines, buffer = (buffer + chunk).split(b"\n")
        for line in lines:
            pending.put(line)


def main() -> None:
    pending: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_requests, args=(pending,), daemon=True).start()
    try:
        prepare()
    except (OSError, subprocess.CalledProcessError) as error:
        print(json.dumps({"error": str(error)}), flush=True)
        return
    print(json.dumps({"answer": "ready"}), flush=True)
    agent = Agent()
    while True:
        request = json.loads(pending.get())
        try:
            answer = {"answer": agent.answer(request)}
        except Exception as error:  # noqa: BLE001  # whatever it is, the workbench says it
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
