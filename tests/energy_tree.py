"""Made meters: what they would show of a power that is known, and a file tree that has them."""

from __future__ import annotations

import ctypes
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ciphermark import contract

Watts = Callable[[float], float]
"""Power at a time in seconds."""

RAPL_RANGE_UJ = 262_143_328_850
ZONES = "sys/class/powercap"


def meter(name: str = "package-0", scope: str = "package", **fields: object) -> contract.Meter:
    """A processor's counter unless told otherwise."""
    usual = {
        "name": name,
        "source": "powercap",
        "scope": scope,
        "quantity": "energy",
        "unit": 1e-6,
        "wraps_at": RAPL_RANGE_UJ + 1,
        "update_ms": 1.0,
        "file": f"{ZONES}/{name}/energy_uj",
        "refused": None,
    }
    return contract.Meter(**usual | fields)  # type: ignore[arg-type]


def battery(quantity: str) -> contract.Meter:
    """A gauge that does not say how often it has a new value."""
    return meter(
        "BAT0",
        "battery",
        source="battery",
        quantity=quantity,
        unit=-3600e-6 if quantity == "energy" else 1e-6,
        wraps_at=None,
        update_ms=None,
    )


class Made:
    """A meter with what it is fed, in steps of 1 ms."""

    def __init__(
        self,
        of: contract.Meter,
        watts: Watts,
        *,
        update_s: float = 0.001,
        start: int = 0,
        seconds: float,
    ) -> None:
        self.meter = of
        self._update_s, self._start, self._watts = update_s, start, watts
        self._joules = [0.0]
        for step in range(round(seconds * 1000)):
            self._joules.append(self._joules[-1] + watts(step / 1000) / 1000)

    def joules(self, start_s: float, end_s: float) -> float:
        """What was fed."""
        return self._joules[round(1000 * end_s)] - self._joules[round(1000 * start_s)]

    def count(self, at_s: float) -> int:
        """As it is read: the value of the last update."""
        updated_s = math.floor(at_s / self._update_s + 1e-6) * self._update_s
        if self.meter.quantity == "power":
            return round(self._watts(updated_s) / self.meter.unit)
        count = self._start + round(self._joules[round(1000 * updated_s)] / self.meter.unit)
        return count if self.meter.wraps_at is None else count % self.meter.wraps_at


def readings(
    *made: Made, seconds: float, apart_s: float = 0.02, idle_s: float = 0.5
) -> contract.Readings:
    """All of them, read so often."""
    times = [place * apart_s for place in range(int(seconds / apart_s) + 1)]
    return contract.Readings(
        meters=[it.meter for it in made],
        at_ns=[round(1e9 * at_s) for at_s in times],
        counts=[[it.count(at_s) for it in made] for at_s in times],
        idle_until_ns=round(1e9 * idle_s),
        reading_ns=10_000.0,
    )


class SysTree:
    """A folder that stands for `/`, with packages, their cores and memory."""

    def __init__(self, root: Path, packages: int = 1, first: int = 0) -> None:
        """`first` is what counters show until they are told otherwise; those at 0 are none."""
        self.root, self._first = root, first
        for package in range(packages):
            self._zone(f"intel-rapl:{package}", f"package-{package}")
            self._zone(f"intel-rapl:{package}:0", "core")
            self._zone(f"intel-rapl:{package}:1", "dram")

    def _zone(self, zone: str, name: str) -> None:
        folder = self.root / ZONES / zone
        folder.mkdir(parents=True)
        (folder / "name").write_text(f"{name}\n")
        (folder / "max_energy_range_uj").write_text(f"{RAPL_RANGE_UJ}\n")
        (folder / "energy_uj").write_text(f"{self._first}\n")

    def counter(self, zone: str) -> Path:
        """Its file."""
        return self.root / ZONES / zone / "energy_uj"

    def show(self, zone: str, microjoules: int) -> None:
        """Whole: who reads it sees the count before or this one."""
        file = self.counter(zone)
        beside = file.with_suffix(".new")
        beside.write_text(f"{microjoules}\n")
        beside.replace(file)

    @contextmanager
    def openings(self, zone: str) -> Iterator[Callable[[], int]]:
        """Within the block: how often a counter was opened since that was last asked."""
        libc = ctypes.CDLL(None, use_errno=True)
        watch = libc.inotify_init1(os.O_NONBLOCK)
        try:
            is_watched = libc.inotify_add_watch(watch, os.fsencode(self.counter(zone)), _IN_OPEN)
            assert is_watched > 0, os.strerror(ctypes.get_errno())
            yield lambda: _events(watch)
        finally:
            os.close(watch)


_IN_OPEN = 0x20
_EVENT_BYTES = 16
"""Of `inotify(7)`, without a name."""


def _events(watch: int) -> int:
    try:
        return len(os.read(watch, 4096 * _EVENT_BYTES)) // _EVENT_BYTES
    except BlockingIOError:
        return 0


KERNEL_WATTS = 30.0


def kernel_tree(root: Path) -> None:
    """A folder that stands for `/`, whose meter is a counter of the kernel itself: nanoseconds of a
    CPU, as an event of `perf` (PERF_COUNT_SW_CPU_CLOCK). However busy the machine, it shows
    `KERNEL_WATTS` to everybody who may count events of all processes."""
    folder = root / "sys/bus/event_source/devices/power"
    (folder / "events").mkdir(parents=True)
    (folder / "type").write_text("1\n")
    (folder / "cpumask").write_text(f"{min(os.sched_getaffinity(0))}\n")
    (folder / "events" / "energy-pkg").write_text("event=0x00\n")
    (folder / "events" / "energy-pkg.scale").write_text(f"{KERNEL_WATTS * 1e-9}\n")


def busy_seconds() -> float:
    """CPU time of all processes since the machine started (proc_stat(5))."""
    user, nice, system, *_ = Path("/proc/stat").read_text().split()[1:]
    return sum(map(int, (user, nice, system))) / os.sysconf("SC_CLK_TCK")


class Feeder:
    """Advances the counters of a tree by the clock, until the block ends; each as well by what a
    busy CPU takes."""

    def __init__(
        self,
        tree: SysTree,
        watts: dict[str, float],
        start: int = 0,
        *,
        busy_watts: float = 0.0,
    ) -> None:
        self._tree, self._watts, self._start = tree, watts, start
        self._busy_watts = busy_watts
        self.fed: dict[str, list[tuple[int, int]]] = {zone: [] for zone in watts}
        """Monotonic times just before a count was shown, and these counts."""
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._feed, daemon=True)

    def __enter__(self) -> Feeder:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _feed(self) -> None:
        began, worked_s = time.monotonic_ns(), busy_seconds()
        while not self._stop.wait(0.002):
            for zone, watts in self._watts.items():
                now = time.monotonic_ns()
                work = 1e6 * self._busy_watts * (busy_seconds() - worked_s)
                passed = self._start + round((now - began) / 1e3 * watts + work)
                count = passed % (RAPL_RANGE_UJ + 1)
                self.fed[zone].append((now, count))
                self._tree.show(zone, count)
