"""The doctor: verdicts, cures, and how they are shown."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from ciphermark import contract
from ciphermark.answers.doctor import blocks, doctor
from ciphermark.command.options import grouped
from ciphermark.run.doctor import Finding, examine, overall
from energy_tree import battery, meter
from on_screen import blocks_on_screen
from synthetic import a_machine, a_state, some_clocks

BARE = {"virtualisation": "none", "cpus_online": 4, "cpu_vendor": "GenuineIntel"}
QUIET = {
    "cpus_allowed": [0, 1, 2, 3],
    "cpu": 3,
    "governor": "performance",
    "turbo": False,
    "load_1min": 0.05,
    "steal_share_since_boot": 0.0,
    "perf_event_paranoid": 1,
    "pmu": contract.Pmu(usable=True, reason=""),
}
COUNTED = {
    "cycle_source": "pmu",
    "thread_cpu_read_ns": 390.0,
    "width_ratio": 1.01,
    "crowded_share": 0.0,
}


def environment(
    machine_changes: dict[str, Any] | None = None,
    clock_changes: dict[str, Any] | None = None,
    **state_changes: Any,
) -> contract.Environment:
    """Four cores of bare metal that nothing disturbs, unless told otherwise."""
    return contract.Environment(
        machine=a_machine(**BARE | (machine_changes or {})),
        state=a_state(**QUIET | state_changes),
        clocks=some_clocks(**COUNTED | (clock_changes or {})),
        meters=[meter()],
    )


KVM_GUEST = environment(
    {"virtualisation": "kvm", "cpu_vendor": "AuthenticAMD", "cpus_online": 2},
    {"cycle_source": "calibrated", "cycle_residual": 0.004, "core_hz_spread": 0.031},
    cpus_allowed=[0, 1],
    governor=None,
    turbo=None,
    steal_share_since_boot=0.0012,
    perf_event_paranoid=2,
    pmu=contract.Pmu(usable=False, reason="this machine has no cycle counter"),
)

LAPTOP = environment(
    clock_changes={"cycle_source": "calibrated"},
    governor="powersave",
    turbo=True,
    smt_siblings=[1],
    load_1min=3.9,
    perf_event_paranoid=3,
    pmu=contract.Pmu(usable=False, reason="the kernel forbids it"),
)


def finding(name: str, environment: contract.Environment, **later: Any) -> Finding:
    found = {finding.name: finding for finding in examine(environment, **later)}
    return found[name]


def test_a_quiet_machine_is_good_and_nothing_is_said_of_it() -> None:
    findings = examine(environment())
    assert {finding.verdict for finding in findings} == {"good"}
    assert not any(finding.effect or finding.cure for finding in findings)
    assert overall(findings).line == "good: nothing found that disturbs measuring"


def test_everything_asked_for_is_looked_at() -> None:
    assert ", ".join(finding.name for finding in examine(environment())) == (
        "steal, load, core sharing, core clock, cycle count, governor, turbo, SMT siblings, "
        "allowed CPUs, PMU access, energy, timer cost, clocksource, virtualisation"
    )


def test_a_guest_is_fair_and_has_nothing_to_type() -> None:
    findings = examine(KVM_GUEST)
    assert overall(findings).line == (
        "fair: steal 0.1 %, clock drifts 3.1 % (cycles are unaffected), "
        "no PMU (cycles are calibrated) and 1 more"
    )
    assert not any(finding.cure for finding in findings)
    assert finding("governor", KVM_GUEST).verdict == "unknown"
    assert finding("SMT siblings", KVM_GUEST).verdict == "unknown"


def test_a_laptop_is_told_what_to_type() -> None:
    cures = {finding.name: finding.cure for finding in examine(LAPTOP) if finding.cure}
    assert cures == {
        "load": "top -b -n 1 | head -n 15",
        "governor": "sudo cpupower frequency-set -g performance  # package linux-cpupower",
        "turbo": "echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo",
        "SMT siblings": "echo off | sudo tee /sys/devices/system/cpu/smt/control",
        "PMU access": "sudo sysctl kernel.perf_event_paranoid=2",
    }
    assert overall(examine(LAPTOP)).line == "bad: load 3.90 on 4 CPUs"


def test_turbo_has_another_switch_outside_intel() -> None:
    amd = environment({"cpu_vendor": "AuthenticAMD"}, turbo=True)
    expected = "echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost"
    assert finding("turbo", amd).cure == expected


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.0, "good"), (0.0009, "good"), (0.001, "fair"), (0.01, "bad")]
)
def test_steal_is_judged_against_the_precision(share: float, verdict: str) -> None:
    assert finding("steal", environment(steal_share_since_boot=share)).verdict == verdict


@pytest.mark.parametrize(
    ("cpus", "load", "verdict"),
    [(1, 0.05, "good"), (1, 0.2, "fair"), (1, 0.6, "bad"), (64, 6.0, "good"), (64, 63.9, "bad")],
)
def test_load_is_judged_by_the_cpus_that_it_leaves(cpus: int, load: float, verdict: str) -> None:
    loaded = environment({"cpus_online": cpus}, load_1min=load)
    assert finding("load", loaded).verdict == verdict


@pytest.mark.parametrize(
    ("share", "verdict"), [(None, "unknown"), (0.0, "good"), (0.1, "fair"), (0.6, "bad")]
)
def test_a_neighbour_on_the_core_is_judged_by_how_often(share: float | None, verdict: str) -> None:
    crowded = environment(clock_changes={"crowded_share": share})
    assert finding("core sharing", crowded).verdict == verdict


@pytest.mark.parametrize("shares", [(0.0, 0.6), (0.6, 0.0)])
def test_of_two_readings_the_more_shared_one_counts(shares: tuple[float, float]) -> None:
    first, later = (environment(clock_changes={"crowded_share": it}) for it in shares)
    found = finding("core sharing", first, later=later)
    assert (found.verdict, found.value) == (
        "bad",
        "60 % of the time on CPU 3, the quietest of those looked at",
    )


def test_a_second_reading_shows_drift_that_one_does_not() -> None:
    later = environment(clock_changes={"core_hz": 3.8e9 * 0.88})
    assert finding("core clock", environment()).verdict == "good"
    found = finding("core clock", environment(), later=later)
    assert (found.verdict, found.value) == ("bad", "3.82 GHz, drifts 12 %")


def test_clocks_of_two_cpus_are_no_drift() -> None:
    elsewhere = environment(cpu=2, clock_changes={"core_hz": 3.8e9 * 0.88})
    assert finding("core clock", environment(), later=elsewhere).verdict == "good"


def test_with_a_nominal_clock_drift_does_not_cancel() -> None:
    nominal = environment(clock_changes={"cycle_source": "nominal", "core_hz_spread": 0.05})
    assert "cancel" not in finding("core clock", nominal).brief
    assert finding("cycle count", nominal).verdict == "bad"


@pytest.mark.parametrize(
    ("residual", "verdict"), [(0.004, "good"), (-0.006, "fair"), (0.02, "bad")]
)
def test_the_residual_counts_in_both_directions(residual: float, verdict: str) -> None:
    unsure = environment(clock_changes={"cycle_residual": residual})
    assert finding("cycle count", unsure).verdict == verdict


@pytest.mark.parametrize(
    ("paranoid", "cure"),
    [(4, "sudo sysctl kernel.perf_event_paranoid=2"), (2, ""), (-1, ""), (None, "")],
)
def test_the_pmu_is_opened_only_where_that_helps(paranoid: int | None, cure: str) -> None:
    pmu = contract.Pmu(usable=False, reason="refused")
    closed = environment(perf_event_paranoid=paranoid, pmu=pmu)
    assert finding("PMU access", closed).cure == cure


@pytest.mark.parametrize(
    ("cost", "verdict"),
    [
        ({"wall_read_ns": 1_000.0}, "bad"),
        ({"slice_cost_ns": 200.0}, "fair"),
        ({"thread_cpu_read_ns": 900.0}, "fair"),
    ],
)
def test_each_timer_is_judged_by_what_it_times(cost: dict[str, float], verdict: str) -> None:
    assert finding("timer cost", environment(clock_changes=cost)).verdict == verdict


def test_a_distrusted_counter_is_bad() -> None:
    found = finding("clocksource", environment(clocksource="hpet"))
    assert (found.verdict, "tsc" in found.effect) == ("bad", True)
    assert finding("clocksource", environment(clocksource="kvm-clock")).verdict == "good"


def test_one_cpu_of_many_can_be_widened_and_one_of_one_cannot() -> None:
    of_four = finding("allowed CPUs", environment(cpus_allowed=[2]))
    of_one = finding("allowed CPUs", environment({"cpus_online": 1}, cpus_allowed=[0]))
    assert (of_four.verdict, of_four.cure) == ("fair", "taskset -cp 0-3 $$")
    assert (of_one.verdict, of_one.cure) == ("fair", "")


def test_an_emulated_processor_is_bad() -> None:
    assert finding("virtualisation", environment({"virtualisation": "tcg"})).verdict == "bad"


number = st.floats(allow_nan=True, allow_infinity=True)
name = st.text(min_size=1)
small = st.integers(min_value=0, max_value=2**32 - 1)
environments = st.builds(
    contract.Environment,
    machine=st.builds(
        a_machine,
        architecture=st.sampled_from(["x86_64", "aarch64"]),
        cpu_vendor=st.text(),
        cpu_name=st.text(),
        cpus_online=small,
        virtualisation=st.sampled_from(["none", "kvm", "tcg"]) | name,
    ),
    state=st.builds(
        a_state,
        cpus_allowed=st.lists(small),
        smt_siblings=st.lists(small),
        governor=st.none() | name,
        turbo=st.none() | st.booleans(),
        load_1min=st.none() | number,
        steal_share_since_boot=st.none() | number,
        perf_event_paranoid=st.none() | st.integers(),
        pmu=st.builds(contract.Pmu, usable=st.booleans(), reason=st.text()),
        clocksource=st.none() | name,
    ),
    clocks=st.builds(
        some_clocks,
        cycle_source=st.sampled_from(["pmu", "calibrated", "nominal"]),
        cycle_residual=number,
        wall_source=st.text(),
        slice_cost_ns=number,
        wall_read_ns=number,
        thread_cpu_read_ns=number,
        core_hz=number,
        core_hz_spread=number,
    ),
)


@pytest.mark.slow
@settings(max_examples=40)
@given(environments, st.none() | environments)
def test_any_environment_is_examined_and_shown(
    environment: contract.Environment, later: contract.Environment | None
) -> None:
    findings = examine(environment, later)
    diagnosis = overall(findings)
    assert diagnosis.line.startswith(diagnosis.verdict)
    for found in findings:
        assert found.value and found.brief
        assert (found.verdict == "good") == (found.effect == "")
    assert shown(environment, width=80)


def shown(environment: contract.Environment, width: int) -> str:
    findings = examine(environment)
    return blocks_on_screen(blocks(environment, findings, overall(findings)), width=width)


@pytest.mark.parametrize("width", [80, 120])
def test_commands_are_neither_broken_over_lines_nor_cut(width: int) -> None:
    laptop = msgspec.structs.replace(LAPTOP, meters=refused(meter()).meters)
    lines = [line.strip() for line in shown(laptop, width).splitlines()]
    cures = {finding.cure for finding in examine(laptop) if finding.cure}
    assert cures <= set(lines)
    assert max(map(len, cures)) > 2 * width


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits(width: int) -> None:
    assert max(len(line) for line in shown(KVM_GUEST, width).splitlines()) <= width


def test_of_a_shared_core_it_is_said_when_figures_hold_all_the_same() -> None:
    shared = environment(clock_changes={"crowded_share": 0.97})
    said = " ".join(shown(shared, 80).split())
    assert "bad: core shared 97 % of the time (such samples are left out)" in said
    assert "Figures of cases that converge are valid all the same" in said
    assert "Absolute cycles of sessions count only the milliseconds without a neighbour" in said
    assert max(len(line) for line in shown(shared, 80).splitlines()) <= 80
    assert "valid all the same" not in shown(environment(), 80)


class LentEngine:
    """Stands where the engine is; answers with a guest whose clock is slower the second time."""

    def __init__(self, path: object) -> None:
        slower = msgspec.structs.replace(KVM_GUEST.clocks, core_hz=3.0e9)
        self.readings = [KVM_GUEST, msgspec.structs.replace(KVM_GUEST, clocks=slower)]

    def environment(self) -> contract.Environment:
        return self.readings.pop(0)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    monkeypatch.setattr("ciphermark.run.engine.Engine", LentEngine)
    app = typer.Typer()
    app.command()(grouped(doctor))
    return app


def test_the_command_prints_json(command: typer.Typer) -> None:
    result = CliRunner().invoke(command, ["--json"])
    printed = json.loads(result.stdout)
    assert result.exit_code == 0
    assert list(printed) == ["environment", "verdict", "findings", "when_figures_hold"]
    assert printed["environment"]["machine"]["virtualisation"] == "kvm"
    assert printed["verdict"] == "bad"
    assert {"name", "value", "verdict", "effect", "cure"} <= set(printed["findings"][0])


def test_an_unfit_machine_is_no_failure(command: typer.Typer) -> None:
    result = CliRunner().invoke(command, [])
    assert result.exit_code == 0
    assert "bad: clock drifts 21 %" in result.stdout


BATTERY = battery("energy")


def refused(*meters: contract.Meter, permission: bool = True) -> contract.Environment:
    """A machine none of whose meters can be read."""
    why = contract.Refusal(permission=permission, message="sys/x: Permission denied")
    every = [msgspec.structs.replace(it, refused=why) for it in meters]
    return msgspec.structs.replace(environment(), meters=every)


def test_meters_that_can_be_read_are_named() -> None:
    memory = meter("dram-0", "dram")
    known = msgspec.structs.replace(environment(), meters=[meter(), memory])
    assert finding("energy", known).value == "powercap package-0, dram-0"


def test_a_group_is_let_read_the_counters_and_nothing_else() -> None:
    found = finding("energy", refused(meter(), meter("dram-0", "dram")))
    assert (found.verdict, found.value) == ("unknown", "powercap package-0, dram-0: not allowed")
    assert 'SUBSYSTEM=="powercap"' in found.cure and "usermod -aG energy" in found.cure
    assert 'RUN+="/bin/chmod g+r /sys%p/energy_uj"' in found.cure
    assert found.cure.count("chgrp") == 1, "one file of each zone, whatever zones there are"
    assert "sudo ciphermark" not in found.cure


def test_a_laptop_that_may_read_its_battery_is_told_of_the_better_counters() -> None:
    (counter,) = refused(meter()).meters
    found = finding("energy", msgspec.structs.replace(environment(), meters=[counter, BATTERY]))
    assert found.verdict == "unknown", "nothing else is worse for it"
    assert found.value == "battery BAT0; powercap package-0: not allowed"
    assert 'SUBSYSTEM=="powercap"' in found.cure
    assert "powercap is more exact than battery" in found.effect
    (gauge,) = refused(BATTERY).meters
    other = finding("energy", msgspec.structs.replace(environment(), meters=[meter(), gauge]))
    assert not other.cure and not other.effect, "what is less exact is not missed"


def test_events_of_perf_have_another_switch() -> None:
    found = finding("energy", refused(meter("pkg-0", source="perf")))
    assert found.cure == "sudo sysctl kernel.perf_event_paranoid=0"


def test_what_no_permission_helps_has_its_reason_and_no_cure() -> None:
    found = finding("energy", refused(meter(), permission=False))
    assert found.value == "powercap package-0: sys/x: Permission denied" and not found.cure
    none = msgspec.structs.replace(environment(), meters=[])
    assert "no meter" in finding("energy", none).value
    assert overall(examine(none)).verdict == "good", "nothing else is worse for it"
