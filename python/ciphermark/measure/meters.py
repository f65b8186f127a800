"""Which meters of energy this machine has, and what to type to be allowed to read them.

Permission is given to a group, for the counters alone: nothing of ciphermark runs as root.
"""

from __future__ import annotations

from collections.abc import Sequence

from ciphermark import contract

GROUP = "energy"
"""Who may read."""

_RULES = "/etc/udev/rules.d/70-ciphermark-energy.rules"

WATCHED: dict[contract.MeterSource, str] = {
    "powercap": "powercap",
    "hwmon": "hwmon",
    "iio": "iio",
    "battery": "power_supply",
}
"""Subsystems, as udev calls them."""


def readable(meters: Sequence[contract.Meter]) -> list[contract.Meter]:
    """Those that can be read."""
    return [meter for meter in meters if meter.refused is None]


def value(meters: Sequence[contract.Meter]) -> str:
    """`powercap package-0, dram-0`; why there is none."""
    if known := readable(meters):
        return named(known)
    if denied := _denied(meters):
        return f"{named(denied)}: not allowed"
    if meters:
        assert meters[0].refused is not None
        return f"{named(meters)}: {meters[0].refused.message}"
    return "the kernel shows no meter (usual in virtual machines)"


def named(meters: Sequence[contract.Meter]) -> str:
    """`powercap package-0, dram-0; battery BAT0`."""
    by_source: dict[str, list[str]] = {}
    for meter in meters:
        names = by_source.setdefault(meter.source, [])
        if meter.name not in names:
            names.append(meter.name)
    return "; ".join(f"{source} {', '.join(names)}" for source, names in by_source.items())


def cure(meters: Sequence[contract.Meter]) -> str:
    """The command that lets a group read the first kind of meter that is refused for want of
    permission; empty where nothing is."""
    denied = _denied(meters)
    if readable(meters) or not denied:
        return ""
    first = denied[0]
    if first.source == "perf":
        return "sudo sysctl kernel.perf_event_paranoid=0"
    alike = [it for it in denied if it.source == first.source]
    files = dict.fromkeys(it.file.rpartition("/")[2] for it in alike)
    runs = ", ".join(
        f'RUN+="/bin/{change} /sys%p/{file}"'
        for file in files
        for change in (f"chgrp {GROUP}", "chmod g+r")
    )
    system = WATCHED[first.source]
    rule = f'SUBSYSTEM=="{system}", ACTION=="add|change", {runs}'
    return (
        f"sudo groupadd -f {GROUP} && sudo usermod -aG {GROUP} $USER && echo '{rule}' | "
        f"sudo tee {_RULES} && sudo udevadm control --reload && "
        f"sudo udevadm trigger --subsystem-match={system} && newgrp {GROUP}"
    )


def _denied(meters: Sequence[contract.Meter]) -> list[contract.Meter]:
    return [it for it in meters if it.refused is not None and it.refused.permission]
