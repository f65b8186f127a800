"""Price, power and heat of what is carried, where the user tells them."""

from __future__ import annotations

from ciphermark.show import figures
from ciphermark.show.findings import Cell, Column, NotTestable, Table, Verdict
from ciphermark.studies.gateway.links import Carried, carried
from ciphermark.studies.gateway.measured import Measured

PRICE, WATTS = "price", "watts"

ASKED = {
    PRICE: "what the machine costs, in any currency",
    WATTS: "what it draws while it works, W",
}
"""What `--given` takes."""

BTU_PER_HOUR_PER_WATT = 3600 / 1055.05585262
"""By the British thermal unit of the International Table (ISO 31-4): all power becomes heat."""


def by_capacity(measured: Measured) -> Table:
    """Each per Gbit/s in each direction; without rows where nothing is told."""
    told = measured.run.given
    has = {PRICE: PRICE in told, WATTS: WATTS in told}
    every = f"all {figures.counted(measured.cpus, 'CPU')}" if measured.cpus > 1 else "one core"
    told_words = ", ".join(f"{name} {value:g}" for name, value in told.items())
    table = Table(
        title=f"Price, power and heat of the line that is filled ({told_words})",
        columns=[
            Column(heading="function or protection"),
            Column(heading="Gbit/s", group=every),
            *([Column(heading="price", group="per Gbit/s")] if has[PRICE] else []),
            *(
                [Column(heading=it, group="per Gbit/s") for it in ("W", "BTU/h")]
                if has[WATTS]
                else []
            ),
            *([Column(heading="J/GB")] if has[WATTS] else []),
        ],
        notes=[
            "Gbit/s: each way, both at once; J/GB: of 10^9 bytes sent and as many received",
            "price and power are as they were told, of the machine as a whole and at full load",
        ],
    )
    if any(has.values()):
        table.rows += [_cells(it, told) for it in carried(measured)]
    return table


def hotter(measured: Measured) -> Verdict:
    """The post has no figures of power, and nothing here can be held against words."""
    told = measured.run.given.get(WATTS)
    if told is None:
        raise NotTestable(
            "power is not measured: tell it with --given watts=10 to have watts and BTU/h per "
            "Gbit/s"
        )
    gcm = next((it for it in carried(measured) if it.name == "aes-128-gcm"), None)
    if gcm is None:
        raise NotTestable("AES-128-GCM has no figure")
    per_gbit = told / (_bits_per_second(gcm) / 1e9)
    return None, (
        f"{told:g} W as told are {figures.significant(per_gbit)} W, "
        f"{figures.significant(per_gbit * BTU_PER_HOUR_PER_WATT)} BTU/h, per Gbit/s of AES-128-GCM "
        "each way; the post has no watts to compare"
    )


def _cells(it: Carried, told: dict[str, float]) -> list[Cell]:
    gbits_per_second = _bits_per_second(it) / 1e9
    cells: list[Cell] = [it.name, gbits_per_second]
    if PRICE in told:
        cells.append(told[PRICE] / gbits_per_second)
    if WATTS in told:
        watts = told[WATTS] / gbits_per_second
        # A Gbit each way is an eighth of 10^9 bytes sent and as much received.
        cells += [watts, watts * BTU_PER_HOUR_PER_WATT, 8 * watts]
    return cells


def _bits_per_second(it: Carried) -> float:
    return it.every or it.one_core.value
