"""The bed of a tunnel: four network namespaces in a row, joined by pairs of virtual interfaces.

    sender ── gateway-1 ══ gateway-2 ── receiver

All of it lies within namespaces (PID, mount, network; of a user too without root) of one process,
the agent, so that it is gone when that ends, and nothing outside is touched: see `agent`.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import select
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from ciphermark.errors import WorkError
from ciphermark.run.tunnels import leftovers, programs

SENDER, GATEWAY_1, GATEWAY_2, RECEIVER = "sender", "gateway-1", "gateway-2", "receiver"
ROW = (SENDER, GATEWAY_1, GATEWAY_2, RECEIVER)
GATEWAYS = (GATEWAY_1, GATEWAY_2)

INNER_MTU_BYTES = 1500
"""Of sender and receiver, as on an Ethernet."""

QUEUE_PACKETS = 1000
"""Of each interface, as Linux gives a network card."""

LONGEST_START_S = 10.0
_LONGEST_ANSWER_S = 120.0

_OFFLOADS = ("tso", "gso", "tx", "rx")
"""What a card may do for the processor: cut packets, compute checksums. `gro`, which joins them
again on the receiving side, stays: without it Linux gives virtual interfaces no thread of their
own."""


class Link(NamedTuple):
    """Two namespaces, their interfaces and addresses."""

    ends: tuple[str, str]
    devices: tuple[str, str]
    network: str
    """Of 198.18.0.0/15, which RFC 2544 and RFC 6815 set aside for benchmarks."""

    @property
    def addresses(self) -> tuple[str, str]:
        return f"{self.network}.1", f"{self.network}.2"


@dataclass(frozen=True)
class Ended:
    """What became of a program."""

    code: int
    late: bool
    output: str
    log: str

    @property
    def said(self) -> str:
        """The last thing that it wrote about itself."""
        lines = [line.strip() for line in (self.log or self.output).splitlines() if line.strip()]
        return lines[-1] if lines else f"exit code {self.code}"


class BedError(WorkError):
    """The bed, or a program in it, does not do what it should."""


class Bed:
    """Use as a context manager: within, the namespaces are there."""

    def __init__(self, mtu: int, offloads: bool = False, *, own_threads: bool = True) -> None:
        """Plans a bed with this MTU of the link between the gateways, in bytes of an IP packet.

        With `own_threads` the kernel receives for each interface in a thread of its own.
        """
        tag = secrets.token_hex(2)[:3]
        self.mtu = mtu
        self.offloads = offloads
        self.own_threads = own_threads
        self.links = (
            Link((SENDER, GATEWAY_1), (f"{tag}0", f"{tag}1"), "198.18.1"),
            Link((GATEWAY_1, GATEWAY_2), (f"{tag}2", f"{tag}3"), "198.18.2"),
            Link((GATEWAY_2, RECEIVER), (f"{tag}4", f"{tag}5"), "198.18.3"),
        )
        self.unprivileged = os.geteuid() != 0
        self.notes: list[str] = []
        self.threads: dict[str, list[int]] = {}
        """The kernel's threads that receive for each namespace, by their numbers on the host."""
        self._process: subprocess.Popen[bytes] | None = None
        self._answers = b""

    @property
    def manner(self) -> str:
        """How it came to its namespaces, for people."""
        return "unprivileged namespaces (unshare -Urnm)" if self.unprivileged else "root"

    def __enter__(self) -> Bed:
        for note in leftovers.remove():
            self.notes.append(note)
        try:
            self._start()
            self._lay()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends the agent, and waits until the kernel has ended all that was in its namespaces."""
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()  # the agent is killed with it: unshare --kill-child
            process.wait()
        assert process.stdout is not None
        process.stdout.close()
        self._process = None

    def abandon(self) -> None:
        """Ends it at once from elsewhere, as a signal's handler: what waits for an answer gets
        none, and raises `BedError`."""
        if self._process is not None:
            self._process.kill()

    # What is done within.

    def run(
        self, argv: Sequence[str], within: str | None = None, given: str = "", seconds: float = 10.0
    ) -> Ended:
        """Runs a program to its end."""
        return Ended(
            **self._ask("run", argv=list(argv), within=within, given=given, seconds=seconds)
        )

    def must(
        self, argv: Sequence[str], within: str | None = None, given: str = "", seconds: float = 10.0
    ) -> str:
        """Runs a program that must succeed, and returns its output. Raises `BedError`."""
        ended = self.run(argv, within, given, seconds)
        if ended.code != 0:
            raise BedError(f"`{' '.join(argv[:6])}` failed: {ended.said}")
        return ended.output

    def ip(self, namespace: str, *arguments: str) -> None:
        """`ip` in a namespace."""
        self.must(["ip", "-n", namespace, *arguments])

    def start(self, name: str, argv: Sequence[str], within: str, nice: int = 0) -> None:
        """Starts a program that goes on."""
        self._ask("start", name=name, argv=list(argv), within=within, nice=nice)

    def line(self, name: str, seconds: float) -> str | None:
        """The next line of a program that goes on."""
        answer: str | None = self._ask("line", name=name, seconds=seconds)
        return answer

    def close_input(self, name: str) -> None:
        """Tells a program that nothing more comes."""
        self._ask("close", name=name)

    def end(self, name: str, seconds: float) -> Ended:
        """Waits for the end of a program, at most so long."""
        return Ended(**self._ask("end", name=name, seconds=seconds))

    def stop(self, name: str) -> Ended:
        """Ends a program."""
        return Ended(**self._ask("stop", name=name))

    def is_running(self, name: str) -> bool:
        return bool(self._ask("running", name=name))

    def log(self, name: str) -> str:
        """What a program that goes on has written about itself."""
        text: str = self._ask("log", name=name)
        return text

    def cpu_ns(self, names: Sequence[str]) -> dict[str, int | None]:
        """CPU time of programs that go on."""
        times: dict[str, int | None] = self._ask("cpu", names=list(names))
        return times

    def threads_of(self, names: Sequence[str]) -> list[int]:
        """Threads of programs that go on, by their numbers on the host."""
        there = self._ask("processes", names=list(names))
        return leftovers.threads(there["namespace"], there["numbers"])

    def taken_in(self) -> dict[str, int]:
        """Packets that each interface of the bed has taken in so far."""
        own = {device for link in self.links for device in link.devices}
        packets = {}
        for namespace in ROW:
            counted = self.must(["cat", "/proc/net/dev"], namespace)
            for line in counted.splitlines():
                device, _, counters = line.partition(":")
                if device.strip() in own:
                    # Bytes come first, then packets.
                    packets[device.strip()] = int(counters.split()[1])
        return packets

    def handled(self, taken_in: Mapping[str, int], gateway: str) -> int:
        """Of these, what the interfaces of a gateway took in."""
        own = [
            device
            for link in self.links
            for end, device in zip(link.ends, link.devices, strict=True)
            if end == gateway
        ]
        return sum(taken_in[device] for device in own)

    def passed(self, taken_in: Mapping[str, int], gateway: str) -> int:
        """Of these, what its neighbours took in from a gateway."""
        facing = [
            device
            for link in self.links
            if gateway in link.ends
            for end, device in zip(link.ends, link.devices, strict=True)
            if end != gateway
        ]
        return sum(taken_in[device] for device in facing)

    def private_file(self, name: str, text: str) -> str:
        """A file of mode 0600 on a private memory filesystem; returns its path there."""
        path: str = self._ask("write", name=name, text=text)
        return path

    def read(self, path: str) -> str | None:
        """A file as it is seen within."""
        text: str | None = self._ask("read", path=path)
        return text

    def route(self, gateway: str, network: str, *way: str) -> None:
        """Where a gateway sends what goes to a network."""
        self.ip(gateway, "route", "replace", network, *way)

    # How it is laid.

    def _start(self) -> None:
        for program, package in (("unshare", "util-linux"), ("ip", "iproute2")):
            if not programs.is_installed(program):
                raise BedError(f"{program} is not installed; type: apt-get install {package}")
        own = ["--user", "--map-root-user"] if self.unprivileged else []
        argv = ["unshare", *own, "--net", "--mount", "--pid", "--fork", "--kill-child"]
        agent = Path(__file__).with_name("agent.py")
        with leftovers.mark() as mark:
            self._process = subprocess.Popen(
                [*argv, "--mount-proc", sys.executable, "-I", "-S", agent],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=os.environ | {"PATH": programs.search_path()},
                pass_fds=[mark],
                start_new_session=True,  # Ctrl-C is for the workbench alone, which then ends this
            )
        try:
            self._answer(LONGEST_START_S)
        except BedError as error:
            raise BedError(f"{_REFUSED[self.unprivileged]} ({error})") from None

    def _lay(self) -> None:
        for namespace in ROW:
            self.must(["ip", "netns", "add", namespace])
            self.ip(namespace, "link", "set", "lo", "up")
        for link in self.links:
            self._join(link)
        self.ip(SENDER, "route", "add", "default", "via", self.links[0].addresses[1])
        self.ip(RECEIVER, "route", "add", "default", "via", self.links[2].addresses[0])
        for gateway in GATEWAYS:
            failed = self.run(["sh", "-c", "echo 1 > /proc/sys/net/ipv4/ip_forward"], gateway)
            if failed.code:
                raise BedError(f"{gateway} may not forward packets: {failed.said}")
        self.route(GATEWAY_1, "198.18.3.0/24", "via", self.links[1].addresses[1])
        self.route(GATEWAY_2, "198.18.1.0/24", "via", self.links[1].addresses[0])

    def _join(self, link: Link) -> None:
        (left, right), (near, far) = link.ends, link.devices
        mtu = self.mtu if link.ends == GATEWAYS else INNER_MTU_BYTES
        self.must(
            ["ip", "link", "add", near, "netns", left, "mtu", str(mtu)]
            + ["type", "veth", "peer", "name", far, "netns", right, "mtu", str(mtu)]
        )
        for namespace, device, address in zip(link.ends, link.devices, link.addresses, strict=True):
            self._offload(namespace, device)
            queue = ["pfifo", "limit", str(QUEUE_PACKETS)]
            self.run(["tc", "-n", namespace, "qdisc", "add", "dev", device, "root", *queue])
            self.ip(namespace, "addr", "add", f"{address}/24", "dev", device)
            self.ip(namespace, "link", "set", device, "up")
        for namespace, device in zip(link.ends, link.devices, strict=True):
            if self.own_threads:
                self._own_thread(namespace, device)

    def _offload(self, namespace: str, device: str) -> None:
        state = "on" if self.offloads else "off"
        options = [word for name in _OFFLOADS for word in (name, state)]
        set_ = self.run(["ethtool", "-K", device, *options, "gro", "on"], namespace)
        if set_.code and not self.offloads:
            self._note(
                "the interfaces keep their offloads, which ethtool would turn off: "
                "apt-get install ethtool"
            )

    def _own_thread(self, namespace: str, device: str) -> None:
        """Has the kernel receive for an interface in a thread of its own, whose CPU time can be
        told from that of the others."""
        before = set(leftovers.kernel_threads(device))
        script = f"mount -t sysfs sysfs /sys && echo 1 > /sys/class/net/{device}/threaded"
        threaded = self.run(["unshare", "--mount", "sh", "-c", script], namespace)
        threads = [it for it in leftovers.kernel_threads(device) if it not in before]
        if threaded.code or not threads:
            self._note(
                "the kernel receives without threads of its own here, so its CPU time is not "
                "separated by role (this needs Linux 5.12, and the host's threads in /proc)"
            )
            return
        self.threads.setdefault(namespace, []).extend(threads)

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)

    # How the agent is asked.

    def _ask(self, what: str, **request: Any) -> Any:
        process = self._process
        if process is None or process.stdin is None:
            raise BedError("the bed is not there any more")
        try:
            process.stdin.write(json.dumps({"do": what, **request}).encode() + b"\n")
            process.stdin.flush()
        except OSError:
            raise BedError("what held the bed has ended") from None
        return self._answer(request.get("seconds", 0.0) + _LONGEST_ANSWER_S)

    def _answer(self, seconds: float) -> Any:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        while b"\n" not in self._answers:
            ready, _, _ = select.select([process.stdout], [], [], seconds)
            chunk = os.read(process.stdout.fileno(), 1 << 16) if ready else b""
            if not chunk:
                raise BedError(_why_silent(process))
            self._answers += chunk
        line, _, self._answers = self._answers.partition(b"\n")
        answer = json.loads(line.decode(errors="replace"))
        if "error" in answer:
            raise BedError(answer["error"])
        return answer["answer"]


_REFUSED = {
    False: "network namespaces cannot be made here, though this is root: a container needs the "
    "capability SYS_ADMIN for that",
    True: "network namespaces cannot be made here without root: this system or a security module "
    "refuses `unshare -Urnm true`; type the command with sudo",
}


def _why_silent(process: subprocess.Popen[bytes]) -> str:
    assert process.stderr is not None
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(0.5)
    if process.poll() is None:
        return "what holds the bed does not answer"
    said = process.stderr.read().decode(errors="replace").strip().splitlines()
    return said[-1] if said else f"what held the bed ended with exit code {process.returncode}"


def flows(tunnels: int) -> Iterator[tuple[str, str]]:
    """Addresses of sender and receiver of each tunnel; each has a network of its own."""
    for number in range(tunnels):
        yield f"198.18.{64 + number}.1", f"198.19.{64 + number}.1"


def network_of(address: str) -> str:
    """The network of a flow's address."""
    return f"{address.rpartition('.')[0]}.0/24"
