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
    "perf": "",
    "hwmon": "hwmon",
    "iio": "iio",
    "battery": "power_supply",
}
"""Subsystems, as udev calls them, the most exact source first; events of `perf` are none."""


def readable(meters: Sequence[contract.Meter]) -> list[contract.Meter]:
    """Those that can be read."""
    return [meter for meter in meters if meter.refused is None]


def value(meters: Sequence[contract.Meter]) -> str:
    """`powercap package-0, dram-0`, with what a permission is missing for; why there is none."""
    known, denied = readable(meters), _denied(meters)
    told = [named(known)] if known else []
    if denied:
        told.append(f"{named(denied)}: not allowed")
    if told:
        return "; ".join(told)
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


def effect(meters: Sequence[contract.Meter]) -> str:
    """What is missing for want of the meters that cannot be read; empty where nothing is."""
    known, denied = readable(meters), _missed(meters)
    if not known:
        return "no joules and watts; all other figures are unaffected"
    if denied is None:
        return ""
    return f"{denied.source} is more exact than {_best(known).source}, and needs a permission"


def cure(meters: Sequence[contract.Meter]) -> str:
    """The command that lets a group read the most exact meters that are refused for want of
    permission; empty where none is, or others that can be read are as exact."""
    first = _missed(meters)
    if first is None:
        return ""
    if first.source == "perf":
        return "sudo sysctl kernel.perf_event_paranoid=0"
    denied = _denied(meters)
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


def _missed(meters: Sequence[contract.Meter]) -> contract.Meter | None:
    """The most exact meter that a permission is missing for, where none that can be read is as
    exact."""
    known, denied = readable(meters), _denied(meters)
    if not denied or (known and _rank(_best(known)) <= _rank(_best(denied))):
        return None
    return _best(denied)


def _best(meters: Sequence[contract.Meter]) -> contract.Meter:
    return min(meters, key=_rank)


def _rank(meter: contract.Meter) -> int:
    return [*WATCHED].index(meter.source)


def _denied(meters: Sequence[contract.Meter]) -> list[contract.Meter]:
    return [it for it in meters if it.refused is not None and it.refused.permission]
