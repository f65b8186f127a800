"""Energy of work: the fields of rows, their columns and remarks.

Power is that of the whole machine, or of the part of it that its meters see. A row has it as it
was, and without the power of the idle machine just before: only the difference belongs to the work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, TypeVar

import msgspec

from ciphermark import contract
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.power import MeterPower, NoFigure, Power, Span, power, power_of_spans
from ciphermark.view import figures
from ciphermark.view.column import Column, Place, half_width


class Energy(msgspec.Struct, kw_only=True, frozen=True):
    """Energy of a case. Every key is always present, null where it is not known."""

    source: str
    """The meters that are added up: `powercap: package, dram`."""
    watts: Estimate
    """Mean power within the window; 95 % interval over parts of it."""
    idle_watts: Estimate | None
    """Power by the same meters, before the case began."""
    joules_per_byte: Estimate | None
    """Energy without the idle machine's share; null where that is not known, or without bytes."""
    joules_per_message: Estimate | None
    whole_joules_per_byte: Estimate | None
    """With it."""
    whole_joules_per_message: Estimate | None
    meters: list[MeterPower]
    """Mean power by each meter, those too that are parts of others."""
    reading_share: float
    """Share of a CPU's time that reading the meters took."""


class HasEnergy(Protocol):
    """A row."""

    energy: Energy | None
    no_energy: str | None


def of_window(
    readings: contract.Readings | None, window: Span, messages: float, bytes_: float
) -> dict[str, Any]:
    """Returns the fields of a row whose work lasted for this window."""
    seconds = (window.end_ns - window.start_ns) / 1e9
    return _fields(
        readings, lambda known: power(known, window), messages / seconds, bytes_ / seconds
    )


def of_spans(
    readings: contract.Readings | None,
    spans: Sequence[Span],
    messages_per_second: float,
    bytes_per_message: float,
) -> dict[str, Any]:
    """Returns the fields of a row whose work was repeated in these spans."""
    return _fields(
        readings,
        lambda known: power_of_spans(known, spans),
        messages_per_second,
        bytes_per_message * messages_per_second,
    )


def _fields(
    readings: contract.Readings | None,
    measured: Callable[[contract.Readings], Power],
    messages_per_second: float,
    bytes_per_second: float,
) -> dict[str, Any]:
    if readings is None:
        return {}
    try:
        power_of_work = measured(readings)
    except NoFigure as why:
        return {"no_energy": str(why)}
    return {"energy": energy(power_of_work, messages_per_second, bytes_per_second)}


def energy(found: Power, messages_per_second: float, bytes_per_second: float) -> Energy:
    """Returns the energy at a power and a rate."""

    def over(watts: Estimate | None, rate: float) -> Estimate | None:
        return watts.times(1 / rate) if watts is not None and rate > 0 else None

    own = found.own_watts
    return Energy(
        source=found.source,
        watts=found.watts,
        idle_watts=found.idle_watts,
        joules_per_byte=over(own, bytes_per_second),
        joules_per_message=over(own, messages_per_second),
        whole_joules_per_byte=over(found.watts, bytes_per_second),
        whole_joules_per_message=over(found.watts, messages_per_second),
        meters=found.meters,
        reading_share=found.reading_share,
    )


Row = TypeVar("Row")
EnergyOf = Callable[[Row], Energy | None]

PAGE, EXPORT = Place.PAGE, Place.EXPORT

NANOJOULES = 1e9


def columns(
    of: EnergyOf[Row], rows: Iterable[Row], per_message: bool = False
) -> Iterator[Column[Row]]:
    """Yields energy of a byte or message, then power; nothing where no row has any.

    The energy is without the idle machine's share and where it exceeds that.
    """
    if all(of(row) is None for row in rows):
        return
    unit = "message" if per_message else "byte"

    def estimate(name: str, row: Row) -> Estimate | None:
        known = of(row)
        return None if known is None else getattr(known, name)

    def own(row: Row) -> Estimate | None:
        value = estimate(f"joules_per_{unit}", row)
        return value if value is not None and exceeds_idle(value) else None

    whole = partial(estimate, f"whole_joules_per_{unit}")
    watts, idle = partial(estimate, "watts"), partial(estimate, "idle_watts")
    nanojoules, idle_in_it = f"nJ/{unit}", f"nJ/{unit}, idle in it"
    yield _column(nanojoules, f"energy\n{nanojoules}", own, NANOJOULES, 2, called="energy")
    yield _half_width("energy\n±", own, NANOJOULES)
    yield _column(idle_in_it, "energy\nidle in it", whole, NANOJOULES, places=PAGE | EXPORT)
    yield _column("W", "power\nW", watts, dispensable=3, called="power")
    yield _half_width("power\n±", watts)
    yield _column("idle W", "power\nidle W", idle, dispensable=5, called="idle power")
    yield _half_width("power\nidle ±", idle)


def _column(
    name: str,
    heading: str,
    of: Callable[[Row], Estimate | None],
    factor: float = 1.0,
    dispensable: int = 0,
    **others: Any,  # noqa: ANN401
) -> Column[Row]:
    def value(row: Row) -> float | None:
        estimate = of(row)
        return None if estimate is None else factor * estimate.value

    return Column(name, value, heading, dispensable=dispensable, **others)


def _half_width(
    heading: str, of: Callable[[Row], Estimate | None], factor: float = 1.0
) -> Column[Row]:
    def half(row: Row) -> float | None:
        estimate = of(row)
        return None if estimate is None or estimate.half is None else factor * estimate.half

    return Column("", half, heading, form=half_width, kind="interval", places=PAGE)


def exceeds_idle(own: Estimate) -> bool:
    """Returns whether work took more than the idle machine, by the interval if any."""
    return (own.value if own.low is None else own.low) > 0


MOST_READING_SHARE = 1e-3
"""Reading the meters may take at most this share of a CPU: more would be in the figures."""

MOST_REASONS = 2
"""Different reasons for having no figure that are printed one by one."""


def remarks(rows: Iterable[HasEnergy]) -> Iterator[str]:
    """Yields the meters of the figures, and the reasons of rows without figures."""
    every = list(rows)
    known = [row.energy for row in every if row.energy is not None]
    for source in dict.fromkeys(it.source for it in known):
        yield (
            f"energy is by the meters {source}, without that of the idle machine; power is with it"
        )
    if any(it.idle_watts is None for it in known):
        yield (
            "idle power is unknown where the meter updates too seldom: the report and --json "
            "have the energy including the idle machine's"
        )
    if (most := max((it.reading_share for it in known), default=0.0)) > MOST_READING_SHARE:
        yield (
            f"reading the meters took {figures.percent(most)} of a CPU, which is included in "
            "the figures"
        )
    if unclear := sum(
        it.joules_per_byte is not None and not exceeds_idle(it.joules_per_byte) for it in known
    ):
        yield (
            f"{figures.counted(unclear, 'row')} without energy: the power is not distinguishable "
            "from that of the idle machine (--json has the difference)"
        )
    yield from _reasons([row.no_energy for row in every if row.no_energy is not None])


def _reasons(reasons: list[str]) -> Iterator[str]:
    """Yields the reasons; of many that differ only in their figures, the first."""
    different = list(dict.fromkeys(reasons))
    if len(different) <= MOST_REASONS:
        yield from (f"no figure of energy: {reason}" for reason in different)
    else:
        rows = figures.counted(len(reasons), "row")
        yield f"no figure of energy in {rows}, of the first because {different[0]}"
