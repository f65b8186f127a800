"""What every kind of tunnel says and does."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from ciphermark.errors import WorkError
from ciphermark.run.tunnels.bed import GATEWAY_1, GATEWAY_2, GATEWAYS, Bed
from ciphermark.run.tunnels.programs import is_installed

NULL = "none"
"""The suite without a cipher."""

UP_S = 5.0
"""A tunnel that is not up by then is not waited for."""


TUN = Path("/dev/net/tun")
"""What makes network devices for programs; Debian's udev lets every user open it."""


class Missing(WorkError):
    """This machine lacks what a kind needs; the sentence says what to type."""


@dataclass
class Laid:
    """Tunnels between the gateways."""

    version: str
    """Of the program, as it calls itself, or of the kernel."""
    programs: dict[str, list[str]] = field(default_factory=dict)
    """The programs of each gateway that carry packets, as the bed calls them: the kernel has none.
    """
    setting: str = ""
    """How it was called, where that decides about speed."""
    tcp_target: str | None = None
    """Where TCP goes that the tunnel takes from one gateway; else to the receiver itself."""

    @property
    def all_programs(self) -> list[str]:
        return [name for names in self.programs.values() for name in names]


class Kind(ABC):
    """One kind. `lay` may raise `Missing`, and `BedError` where it does not come up."""

    name: ClassVar[str]
    title: ClassVar[str]
    in_kernel: ClassVar[bool]
    protocol: ClassVar[str | None] = None
    """As `ciphermark list suites` calls it; its suites have its names there."""
    suites: ClassVar[tuple[str, ...]]
    usual: ClassVar[tuple[str, ...]]
    """Those of its suites that are run unless others are asked for."""
    provider: ClassVar[str | None] = None
    """The library whose costs are those of its program, where ciphermark measures it."""
    carries: ClassVar[tuple[str, ...]] = ("udp", "tcp")
    most_bytes_added: ClassVar[int]
    """What a packet of it has more than the packet within, at most."""
    programs: ClassVar[tuple[tuple[str, str], ...]] = ()
    """What it needs: a program, and Debian's package."""
    makes_tun: ClassVar[bool] = False
    """Whether its program makes a network device of its own."""

    def algorithm(self, suite: str) -> str:
        """How all of ciphermark calls its suite; that of a null cipher is its own."""
        return f"{self.protocol or self.name}:{suite}"

    def check(self) -> None:
        """Raises `Missing` where a program is not installed, or may not make its device."""
        lacking = [it for it in self.programs if not is_installed(it[0])]
        if lacking:
            names = " and ".join(program for program, _ in lacking)
            packages = " ".join(dict.fromkeys(package for _, package in lacking))
            verb = "is" if len(lacking) == 1 else "are"
            raise Missing(f"{names} {verb} not installed; type: apt-get install {packages}")
        if self.makes_tun and not TUN.exists():
            raise Missing(f"there is no {TUN}; type as root: modprobe tun")
        if self.makes_tun and not os.access(TUN, os.R_OK | os.W_OK):
            raise Missing(f"this user may not open {TUN}; type as root: chmod a+rw {TUN}")

    @abstractmethod
    def lay(self, bed: Bed, suite: str, tunnels: list[tuple[str, str]]) -> Laid:
        """Lays tunnels, one for each pair of addresses of sender and receiver."""


def each_gateway(bed: Bed) -> list[tuple[str, str, str]]:
    """Name, own address and the other's address of both gateways."""
    near, far = bed.links[1].addresses
    return [(GATEWAY_1, near, far), (GATEWAY_2, far, near)]


def wait_until(is_up: Callable[[], bool], seconds: float = UP_S) -> bool:
    """Whether it was so in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if is_up():
            return True
        time.sleep(0.02)
    return False


def kernel_version() -> str:
    import platform

    return f"Linux {platform.release()}"


def lacks_module(bed: Bed, name: str, option: str, said: str) -> Missing:
    """The sentence about a kernel that does not know something."""
    del bed
    return Missing(
        f"this kernel ({kernel_version()}) has no {name} ({said}): load it with `modprobe "
        f"{option.lower()}`, or boot a kernel that has it, such as Debian's linux-image-amd64"
    )


__all__ = [
    "GATEWAYS",
    "NULL",
    "UP_S",
    "Kind",
    "Laid",
    "Missing",
    "each_gateway",
    "kernel_version",
    "lacks_module",
    "wait_until",
]
