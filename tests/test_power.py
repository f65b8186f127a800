"""Power from made meters: within 1 % of what they were fed, or a sentence that says why not."""

from __future__ import annotations

import math

import pytest

from ciphermark.statistics import power as meters
from ciphermark.statistics.power import NoFigure, Span, power, power_of_spans, power_over_time
from energy_tree import RAPL_RANGE_UJ, Made, battery, meter, readings

SECONDS = 3.0
WINDOW = Span(0.6e9, 2.6e9)


def busy(at_s: float) -> float:
    """10 W idle, and then about 30 W."""
    return 10.0 if at_s < 0.55 else 30.0 + math.sin(7 * at_s)


def package(start: int = 0, **fields: object) -> Made:
    return Made(meter(**fields), busy, start=start, seconds=SECONDS)  # type: ignore[arg-type]


def fed_watts(*made: Made, window: Span = WINDOW) -> float:
    start_s, end_s = window.start_ns / 1e9, window.end_ns / 1e9
    return sum(it.joules(start_s, end_s) for it in made) / (end_s - start_s)


def test_a_counter_tells_what_it_was_fed() -> None:
    made = package()
    found = power(readings(made, seconds=SECONDS), WINDOW)
    assert found.source == "powercap: package"
    assert found.watts.value == pytest.approx(fed_watts(made), rel=0.01)
    assert found.idle_watts is not None and found.own_watts is not None
    assert found.idle_watts.value == pytest.approx(10.0, rel=0.01)
    assert found.own_watts.value == pytest.approx(fed_watts(made) - 10, rel=0.01)
    low, high = found.watts.interval or (math.nan, math.nan)
    assert low < fed_watts(made) < high


@pytest.mark.parametrize("before_j", [12.0, 30.0, 61.0])
def test_it_may_wrap_in_the_middle_of_the_window(before_j: float) -> None:
    made = package(start=RAPL_RANGE_UJ - round(before_j * 1e6))
    log = readings(made, seconds=SECONDS)
    counts = [row[0] or 0 for row in log.counts]
    assert min(counts) == counts[counts.index(max(counts)) + 1], "it has wrapped once"
    assert power(log, WINDOW).watts.value == pytest.approx(fed_watts(made), rel=0.01)


def test_packages_and_memory_are_added_and_cores_are_not() -> None:
    made = [
        package(),
        Made(meter("package-1"), lambda at_s: 20.0, seconds=SECONDS),
        Made(meter("dram-0", "dram"), lambda at_s: 3.0, seconds=SECONDS),
        Made(meter("core-0", "core"), lambda at_s: 8.0, seconds=SECONDS),
    ]
    found = power(readings(*made, seconds=SECONDS), WINDOW)
    assert found.source == "powercap: package, dram"
    assert found.watts.value == pytest.approx(fed_watts(*made[:3]), rel=0.01)
    by_name = {it.meter: it.watts for it in found.meters}
    assert by_name["core-0"] == pytest.approx(8.0, rel=0.01)


def test_a_domain_that_never_counts_is_left_out() -> None:
    dead = Made(meter("dram-0", "dram"), lambda at_s: 0.0, seconds=SECONDS)
    found = power(readings(package(), dead, seconds=SECONDS), WINDOW)
    assert found.source == "powercap: package"


def test_a_counter_that_stands_still_for_a_while_has_no_figure() -> None:
    log = readings(package(), seconds=SECONDS)
    for row in log.counts[60:80]:
        row[0] = log.counts[60][0]
    with pytest.raises(NoFigure, match="package-0 stood still"):
        power(log, WINDOW)


def test_a_counter_that_is_set_back_has_no_figure() -> None:
    log = readings(package(), seconds=SECONDS)
    for row in log.counts[80:]:
        assert row[0] is not None
        row[0] -= 20_000_000
    with pytest.raises(NoFigure, match="package-0 went back by 1"):
        power(log, WINDOW)


def test_a_counter_that_jumps_ahead_has_no_figure() -> None:
    log = readings(package(), seconds=SECONDS)
    for row in log.counts[80:]:
        assert row[0] is not None
        row[0] += 900_000_000
    with pytest.raises(NoFigure, match="package-0 jumped by"):
        power(log, WINDOW)


def test_a_domain_that_disappears_takes_the_sum_with_it_only_from_then_on() -> None:
    memory = Made(meter("dram-0", "dram"), lambda at_s: 3.0, seconds=SECONDS)
    log = readings(package(), memory, seconds=SECONDS)
    for row in log.counts[100:]:
        row[1] = None
    with pytest.raises(NoFigure, match="dram-0 could not be read any more"):
        power(log, WINDOW)
    early = power(log, Span(0.6e9, 1.9e9))
    assert early.source == "powercap: package, dram"


def test_where_the_package_fails_the_platform_answers() -> None:
    platform = Made(meter("psys", "platform"), lambda at_s: 50.0, seconds=SECONDS)
    log = readings(package(), platform, seconds=SECONDS)
    for row in log.counts[100:]:
        row[0] = None
    found = power(log, WINDOW)
    assert found.source == "powercap: platform"
    assert found.watts.value == pytest.approx(50.0, rel=0.01)


def test_too_few_updates_are_said_to_be_too_few() -> None:
    with pytest.raises(NoFigure, match=r"every 1 ms, and was read over 0.0\d+ s: measure for 0.1"):
        power(readings(package(), seconds=SECONDS, apart_s=0.005), Span(1e9, 1.05e9))


def test_passes_too_short_for_themselves_are_known_together() -> None:
    """Between two of them the machine does something else."""

    def passes(at_s: float) -> float:
        return 40.0 if at_s % 0.1 < 0.05 else 15.0

    made = Made(meter(), passes, seconds=SECONDS)
    spans = [Span(1e9 * (0.6 + place / 10), 1e9 * (0.65 + place / 10)) for place in range(20)]
    found = power_of_spans(readings(made, seconds=SECONDS, apart_s=0.005), spans)
    assert found.watts.value == pytest.approx(40.0, rel=0.01)
    assert found.watts.has_interval


def test_passes_between_which_nothing_was_read_have_no_figure() -> None:
    spans = [Span(1e9 * (1.001 + place / 10), 1e9 * (1.01 + place / 10)) for place in range(10)]
    with pytest.raises(NoFigure, match="never read twice within one stretch"):
        power_of_spans(readings(package(), seconds=SECONDS), spans)


MINUTES = 300.0
SOAK = Span(62e9, 290e9)


def discharge(at_s: float) -> float:
    return 6.0 if at_s < 60 else 14.0


@pytest.mark.parametrize("update_s", [2.0, 7.5, 15.0])
def test_a_battery_tells_what_passed_between_two_of_its_values(update_s: float) -> None:
    made = Made(battery("energy"), discharge, update_s=update_s, start=41_000_000, seconds=MINUTES)
    found = power(readings(made, seconds=MINUTES, apart_s=0.6, idle_s=60), SOAK)
    assert found.source == "battery: energy"
    assert found.watts.value == pytest.approx(14.0, rel=0.01)


@pytest.mark.parametrize("update_s", [2.0, 7.5, 15.0])
def test_a_battery_that_shows_power_is_believed_from_its_second_value_on(update_s: float) -> None:
    made = Made(
        battery("power"),
        lambda at_s: discharge(at_s) + 0.05 * math.sin(at_s),
        update_s=update_s,
        seconds=MINUTES,
    )
    window = Span(58e9, 290e9)  # it still shows the idle machine
    found = power(readings(made, seconds=MINUTES, apart_s=0.6, idle_s=55), window)
    assert found.source == "battery: power"
    assert found.watts.value == pytest.approx(14.0, rel=0.01)


def test_a_battery_tells_nothing_of_seconds() -> None:
    made = Made(battery("energy"), busy, update_s=15, start=41_000_000, seconds=SECONDS)
    with pytest.raises(NoFigure):
        power(readings(made, seconds=SECONDS), WINDOW)
    made = Made(battery("energy"), busy, update_s=1, start=41_000_000, seconds=SECONDS)
    with pytest.raises(NoFigure, match=r"BAT0 had \d new values in .* s: .*--soak 10m"):
        power(readings(made, seconds=SECONDS), WINDOW)


def test_a_charger_that_is_plugged_in_ends_it() -> None:
    made = Made(battery("energy"), discharge, update_s=2, start=41_000_000, seconds=MINUTES)
    log = readings(made, seconds=MINUTES, apart_s=0.6, idle_s=60)
    log.counts[300][0] = None
    with pytest.raises(NoFigure, match="unplug the charger"):
        power(log, SOAK)


def test_of_a_board_the_sensor_that_shows_most_stands_for_all() -> None:
    def sensor(name: str, watts: float) -> Made:
        of = meter(
            name,
            "board",
            source="hwmon",
            quantity="power",
            unit=1e-6,
            wraps_at=None,
            update_ms=17.0,
        )
        return Made(of, lambda at_s: watts, update_s=0.017, seconds=SECONDS)

    log = readings(
        sensor("ina3221-1 VDD_CPU", 2.0), sensor("ina3221-1 VDD_IN", 6.0), seconds=SECONDS
    )
    found = power(log, WINDOW)
    assert found.source == "hwmon: ina3221-1 VDD_IN"
    assert found.watts.value == pytest.approx(6.0, rel=0.01)


def test_power_over_time_is_that_of_each_part() -> None:
    made = Made(meter(), lambda at_s: 10.0 + 10 * at_s, seconds=SECONDS)
    found = power_over_time(readings(made, seconds=SECONDS), Span(1e9, 3e9), 4)
    assert [it.at_ns / 1e9 for it in found] == pytest.approx([1.25, 1.75, 2.25, 2.75])
    assert [it.watts for it in found] == pytest.approx([22.5, 27.5, 32.5, 37.5], rel=0.01)


def test_without_meters_there_is_no_figure() -> None:
    with pytest.raises(NoFigure, match="no meter of energy can be read"):
        power(readings(seconds=SECONDS), WINDOW)


def test_what_reading_takes_is_known() -> None:
    found = power(readings(package(), seconds=SECONDS), WINDOW)
    assert found.reading_share == pytest.approx(10e-6 / 0.02, rel=0.02)
    assert meters.LEAST_UPDATES >= 100, "an update more or less at an end is 1 %"
