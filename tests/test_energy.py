"""Energy in rows, tables, capacity and studies, and by the engine on a made tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest

from capacity_example import GCM, known, line, question, rows, source
from ciphermark import contract
from ciphermark import workload as workloads
from ciphermark.answers.capacity.answer import Answer, answer
from ciphermark.answers.capacity.show import blocks
from ciphermark.contract.tunnel import Metered
from ciphermark.record.run import Run
from ciphermark.record.store import Store
from ciphermark.run.engine import Engine
from ciphermark.run.interrupts import Interrupts
from ciphermark.statistics.estimate import Estimate
from ciphermark.statistics.power import MeterPower
from ciphermark.studies.gateway import capacity as gateway
from ciphermark.studies.mac_sessions import tables as mac_tables
from ciphermark.view.column import Place
from ciphermark.workloads.energy import Energy
from ciphermark.workloads.packets.document import columns as packet_columns
from ciphermark.workloads.packets.figures import packet_rows
from ciphermark.workloads.sessions.document import columns as session_columns
from ciphermark.workloads.sessions.figures import session_rows
from ciphermark.workloads.sessions.plots import charts
from ciphermark.workloads.single import energy as of_survey
from ciphermark.workloads.tunnel.row import tunnel_rows
from energy_tree import KERNEL_WATTS, Feeder, Made, SysTree, kernel_tree, meter, readings
from engine_fixture import Command, short
from gateway_example import on_cores, run_with
from namespaces import needs_namespaces
from on_screen import blocks_on_screen, rows_on_screen
from packets_example import PACKETS, one_pass, packet_case, packets_run, passed
from packets_example import load as packet_load
from sessions_example import (
    MESSAGE_BYTES,
    execution,
    load,
    session_case,
    sessions_run,
    soak_example,
)
from synthetic import synthetic_cases, synthetic_run
from tunnel_example import tunnel_run, tunnels

MS = 10**6
IDLE_W, BUSY_W = 10.0, 30.0


def made(seconds: float, busy_from_s: float = 0.18, apart_s: float = 0.005) -> contract.Readings:
    """A package that takes 10 W, and 30 W from some moment on; its memory 1 W and 3 W."""
    package = Made(
        meter(), lambda at_s: BUSY_W - 2 if at_s >= busy_from_s else IDLE_W - 1, seconds=seconds
    )
    memory = Made(
        meter("dram-0", "dram"), lambda at_s: 2.0 if at_s >= busy_from_s else 1.0, seconds=seconds
    )
    idle_s = busy_from_s - 0.02
    return readings(package, memory, seconds=seconds, apart_s=apart_s, idle_s=idle_s)


def of_sessions(energy: contract.Readings | None) -> Run:
    """Two sessions that do a million messages of 1000 bytes each, in a window of a second."""
    case = session_case(0, load(2))
    ran = execution(case.sessions, [10**6] * 2, [980 * MS] * 2, energy=energy)
    return sessions_run([case], [ran])


def close(estimate: Estimate | None, value: float) -> bool:
    return estimate is not None and estimate.value == pytest.approx(value, rel=0.01)


def test_sessions_have_joules_without_the_idle_machine_and_watts_with_it() -> None:
    (row,) = session_rows(of_sessions(made(1.4)))
    energy = row.energy
    assert energy is not None and energy.source == "powercap: package, dram"
    assert close(energy.watts, BUSY_W) and close(energy.idle_watts, IDLE_W)
    bytes_per_s = 2 * 10**6 * MESSAGE_BYTES
    assert close(energy.joules_per_byte, (BUSY_W - IDLE_W) / bytes_per_s)
    assert close(energy.whole_joules_per_byte, BUSY_W / bytes_per_s)
    assert close(energy.joules_per_message, (BUSY_W - IDLE_W) / 2e6)
    assert energy.joules_per_byte is not None and energy.joules_per_byte.has_interval


def test_columns_are_there_only_where_something_was_read() -> None:
    with_energy = session_rows(of_sessions(made(1.4)))
    without = session_rows(of_sessions(None))
    assert without[0].energy is None and without[0].no_energy is None
    headings = [
        {column.name or column.heading for column in session_columns(found)}
        for found in (with_energy, without)
    ]
    assert headings[0] - headings[1] >= {"nJ/byte", "W", "idle W"}
    assert not headings[1] - headings[0]
    text = printed_sessions(with_energy)
    assert "nJ/byte" in text and "powercap: package, dram" in text
    assert "nJ/byte" not in printed_sessions(without)


def printed_sessions(found: list[Any]) -> str:
    return rows_on_screen(of_sessions(None).context, found, 200)


def test_why_there_is_no_figure_is_said_where_a_meter_can_be_read() -> None:
    log = made(1.4)
    for row in log.counts[100:]:
        row[0] = None
    (found,) = session_rows(of_sessions(log))
    assert found.energy is None
    assert found.no_energy == "package-0 could not be read any more"
    assert "no figure of energy: package-0 could not be read any more" in printed_sessions([found])


def test_what_is_not_told_from_the_idle_machine_is_not_shown() -> None:
    (row,) = session_rows(of_sessions(made(1.4)))
    assert row.energy is not None
    row.energy = msgspec.structs.replace(
        row.energy, joules_per_byte=Estimate(value=-1e-9, low=-2e-9, high=1e-10)
    )
    (column,) = [it for it in session_columns([row]) if it.name == "nJ/byte"]
    assert column.value(row) is None
    assert "1 row without energy: the power is not distinguishable" in printed_sessions([row])


def test_many_reasons_that_differ_by_figures_are_one_line() -> None:
    rows_without = [
        msgspec.structs.replace(row, energy=None, no_energy=f"others had {share} % of the CPUs")
        for row in session_rows(of_sessions(made(1.4)))
        for share in (31, 32, 33)
    ]
    text = printed_sessions(rows_without)
    assert "no figure of energy in 3 rows, of the first because others had 31 %" in text
    assert "32 %" not in text


def test_what_was_read_is_stored_and_comes_back(tmp_path: Path) -> None:
    run = of_sessions(made(1.4))
    found = session_rows(run)
    Store(tmp_path).save(run, workloads.rows_table(found, "sessions"))
    kept = Store(tmp_path).load(run.context.run)
    assert kept.sessions == run.sessions
    assert session_rows(kept) == found
    table = Store(tmp_path).rows(run.context.run)
    assert workloads.rows_from_table(table, "sessions") == found


def test_passes_of_packets_are_known_together() -> None:
    wanted = packet_load()
    wall_ns, passes = 100.0 * MS, []
    for number in range(8):
        begin = (200 + 220 * number) * MS
        passes.append(one_pass("transfer", 50.0 * MS, wanted, at_ns=begin))
        passes.append(one_pass("processing", wall_ns, wanted, at_ns=begin + 60 * MS))
    case = packet_case(0, wanted)
    run = packets_run([case], [passed(wanted, passes, energy=made(2.2))])
    (row,) = packet_rows(run)
    assert row.energy is not None and close(row.energy.watts, BUSY_W)
    bytes_per_s = PACKETS * 100 / (wall_ns / 1e9)
    assert close(row.energy.joules_per_byte, (BUSY_W - IDLE_W) / bytes_per_s)
    names = {column.name for column in packet_columns([row]) if Place.TERMINAL in column.places}
    assert {"nJ/byte", "W"} <= names


def test_passes_too_short_for_meters_say_how_many_packets_are_enough() -> None:
    wanted, passes = packet_load(), []
    for number in range(8):
        begin = (200 + 220 * number) * MS
        passes.append(one_pass("transfer", 0.5 * MS, wanted, at_ns=begin))
        passes.append(one_pass("processing", 1.25 * MS, wanted, at_ns=begin + 60 * MS))
    run = packets_run([packet_case(0, wanted)], [passed(wanted, passes, energy=made(2.2))])
    (row,) = packet_rows(run)
    assert row.energy is None and row.no_energy is not None
    # Three readings, each 5 ms after the other, take twelve times as many packets.
    assert row.no_energy == (
        "the longest pass of 1 000 packets takes 1.25 ms, and meters are read every 5.00 ms: "
        f"write --packets {12 * PACKETS}"
    )


def test_a_tunnel_has_the_median_of_its_trials() -> None:
    found = tunnels()[:1]
    for trial in found[0].trials:
        if trial.purpose == "measured":
            trial.energy = Metered(readings=made(1.4), from_ns=200 * MS, to_ns=1200 * MS)
    (row,) = tunnel_rows(tunnel_run(found))
    assert row.energy is not None and close(row.energy.watts, BUSY_W)
    rate = row.payload_bits_per_second
    assert rate is not None
    assert close(row.energy.joules_per_byte, (BUSY_W - IDLE_W) / (rate.value / 8))


def power(watts: float, idle: float = IDLE_W) -> Energy:
    """What a row may have."""
    return Energy(
        source="powercap: package",
        watts=Estimate.around(watts, 0.1),
        idle_watts=Estimate.around(idle, 0.1),
        joules_per_byte=Estimate.around((watts - idle) / 1e9, 1e-10),
        joules_per_message=None,
        whole_joules_per_byte=Estimate.around(watts / 1e9, 1e-10),
        whole_joules_per_message=None,
        meters=[MeterPower(meter="package-0", watts=watts)],
        reading_share=1e-4,
    )


def test_capacity_tells_joules_a_gigabyte_and_watts_at_the_rate_that_is_asked_for() -> None:
    own = rows(GCM, "seal", line(1000, 1.0), energy=power(15))
    asked = question(all_rate_bits_per_second=1e9)
    found = answer(GCM, asked, known(source(own)))
    assert isinstance(found, Answer) and found.energy is not None
    # 2000 cycles at 2 GHz are 1 µs of a core that takes 5 W: 5 µJ for 1000 bytes.
    assert found.energy.joules_per_gigabyte.value == pytest.approx(5.0, rel=0.01)
    # 125,000 packets a second keep an eighth of it busy.
    assert found.energy.watts.value == pytest.approx(10 + 5 / 8, rel=0.01)
    text = blocks_on_screen(blocks(asked, known(source(own)), [found]))
    assert "5.00 J a gigabyte of payload" in text and "W at what is asked for" in text


def test_capacity_says_nothing_of_energy_where_nothing_was_read() -> None:
    found = answer(GCM, question(), known(source(rows(GCM, "seal", line(1000, 1.0)))))
    assert isinstance(found, Answer) and found.energy is None


def test_a_soak_draws_watts_beside_clock_and_heat() -> None:
    run, found = soak_example()
    falls = Made(meter(), lambda at_s: 40.0 if at_s < 46 else 30.0, seconds=91)
    energy = readings(falls, seconds=91, apart_s=0.2, idle_s=0.5)

    def panels() -> int:
        [drawn] = [it for it in charts(run, found) if it.name == "over-time"]
        return len(drawn.panels)

    without = panels()
    run.sessions[0] = msgspec.structs.replace(run.sessions[0], energy=energy)
    assert panels() == without + 1


def test_a_study_ranks_functions_by_joules_beside_cycles() -> None:
    from test_study_mac_sessions import by_paper
    from test_study_mac_sessions import run_with as run_of_macs

    every = by_paper()
    assert not any("Energy" in it.title for it in mac_tables(run_of_macs(), every))
    for place, row in enumerate(every):
        row.energy = power(20 + place % 7)
    found = next(it for it in mac_tables(run_of_macs(), every) if "Energy" in it.title)
    headings = [column.heading for column in found.columns]
    energy, size = headings.index("nJ/byte"), headings.index("bytes")
    for before, after in pairwise(found.rows):
        assert before[size] != after[size] or before[energy] <= after[energy]  # type: ignore[operator]
    assert {headings[-2], headings[-1]} == {"by energy", "by cycles"}
    every = [msgspec.structs.replace(row, valid=False) for row in every]
    found = next(it for it in mac_tables(run_of_macs(), every) if "Energy" in it.title)
    doubted = {headings[column] for _, column in found.doubtful}
    assert doubted == {"nJ/byte", "cycles/byte"} and any("valid" in it for it in found.notes)


def test_a_study_takes_power_as_measured_before_as_told_and_says_which() -> None:
    from ciphermark.studies.gateway.evidence import Measured
    from gateway_example import rows as gateway_rows

    cores = on_cores()
    told = Measured(run_with(cores, given={"watts": 10}), gateway_rows())
    assert {cells[-1] for cells in gateway.by_capacity(told).rows} == {"told"}
    for row in told.sessions:
        if row.algorithm == "md5":
            row.energy = power(25)
    by_name = {cells[0]: cells for cells in gateway.by_capacity(told).rows}
    assert (by_name["md5"][-1], by_name["sha1"][-1]) == ("measured", "told")
    rate = by_name["md5"][1]
    assert isinstance(rate, float)
    assert by_name["md5"][2] == pytest.approx(25 / rate)


def test_a_survey_measures_its_usual_cases_again_where_a_meter_can_be_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    cases = synthetic_cases(["sha256"], sizes=(64, 1024))
    cases[1].buffers = "stream"
    run = synthetic_run(cases)
    from ciphermark.plan.build import Built

    built = Built(run.context.plan, run.context.algorithms, [])
    assert of_survey.then(built, run) == []
    assert "no meter of energy can be read here" in capsys.readouterr().err
    run.context.engine_hello.environment.meters = [meter()]
    ((name, wanted),) = of_survey.then(built, run)
    assert name == "energy" and wanted.plan.workload == "sessions"
    usual = [it.case.case for it in run.cases if it.case.buffers == "hot" and it.error is None]
    assert [it.case for it in wanted.plan.cases] == usual
    assert all(it.sessions is not None and it.sessions.sessions == 1 for it in wanted.plan.cases)


@pytest.fixture
def tree() -> Iterator[SysTree]:
    """A made tree that everybody may read."""
    folder = tempfile.mkdtemp(prefix="ciphermark-energy-")
    os.chmod(folder, 0o755)
    yield SysTree(Path(folder), first=5)
    shutil.rmtree(folder)


def read(engine: Path, tree: SysTree, seconds: float = 0.3, **options: Any) -> contract.Readings:
    """What the engine reads of it meanwhile."""
    with subprocess.Popen(
        [str(engine), "energy"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"CIPHERMARK_ENERGY_ROOT": str(tree.root)},
        **options,
    ) as process:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            output, _ = process.communicate(timeout=30)
    return msgspec.json.decode(output, type=contract.Readings)


@pytest.mark.engine
def test_every_count_that_the_engine_reads_was_shown_at_that_time(
    engine: Engine, tree: SysTree
) -> None:
    watts = {"intel-rapl:0": 30.0, "intel-rapl:0:0": 20.0, "intel-rapl:0:1": 3.0}
    with Feeder(tree, watts, start=262_143_328_850 - 3_000_000) as feeder:
        log = read(engine.path, tree)
    assert [it.name for it in log.meters] == ["package-0", "core-0", "dram-0"]
    assert len(log.at_ns) >= 2
    for place, zone in enumerate(watts):
        shown = [(0, 5), *feeder.fed[zone]]
        for reading, counts in enumerate(log.counts[:-1]):
            # It was read between this moment and that of the next reading, and a count stands until
            # a while after the time of the next one.
            begin, end = log.at_ns[reading : reading + 2]
            before = [count for at_ns, count in shown if at_ns <= begin][-2:]
            meanwhile = [count for at_ns, count in shown if begin < at_ns <= end]
            assert counts[place] in [*before, *meanwhile]


@pytest.mark.engine
@pytest.mark.measures
def test_no_meter_is_read_while_slices_are_timed(
    engine: Engine, tree: SysTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CIPHERMARK_ENERGY_ROOT", str(tree.root))
    built = short(engine, algorithms=["sha256"], operations=["digest"], sizes=[64])
    before, meanwhile, samples = 0, 0, 0
    with tree.openings("intel-rapl:0") as openings:
        for event in engine.measure(built.plan, Interrupts()):
            if isinstance(event, contract.Progress) and event.phase == "measuring":
                before = before or openings()
            samples += isinstance(event, contract.Sample)
        meanwhile = openings()
    assert samples and before, "the meter is there, and was found"
    assert meanwhile == 0


@pytest.mark.engine
@pytest.mark.skipif(os.geteuid() != 0, reason="root reads everything, and only root can be another")
def test_permission_is_missed_and_named_by_who_is_not_root(engine: Engine, tree: SysTree) -> None:
    copy = tree.root / "engine"
    shutil.copy(engine.path, copy)
    copy.chmod(0o755)
    for zone in ("intel-rapl:0", "intel-rapl:0:0", "intel-rapl:0:1"):
        tree.counter(zone).chmod(0o400)
    ended = subprocess.run(
        [copy, "environment"],
        capture_output=True,
        check=True,
        user=65534,
        env={"CIPHERMARK_ENERGY_ROOT": str(tree.root)},
    )
    found = msgspec.json.decode(ended.stdout, type=contract.Environment)
    assert all(it.refused is not None and it.refused.permission for it in found.meters)
    assert not read(copy, tree, 0.05, user=65534).meters


SHORT = (
    *("--algorithms", "sha256", "--providers", "rustcrypto", "--sizes", "1024"),
    *("--sessions", "1", "--cpus", "0", "--duration", "0.8s", "--attempts", "1"),
)


@pytest.mark.engine
@pytest.mark.measures
def test_sessions_print_what_the_tree_was_fed(command: Command, tree: SysTree) -> None:
    command.environment["CIPHERMARK_ENERGY_ROOT"] = str(tree.root)
    with Feeder(tree, {"intel-rapl:0": 30.0, "intel-rapl:0:1": 3.0}):
        ended = command("sessions", *SHORT, "--json")
    (row,) = ended.document["rows"]
    assert row["error"] is None
    # A machine too busy to let the feeder run has none, and says so.
    assert (row["energy"] is None) == (row["no_energy"] is not None)
    if row["energy"] is not None:
        assert row["energy"]["source"] == "powercap: package, dram"
        assert row["energy"]["watts"]["value"] > 0


@pytest.mark.engine
@pytest.mark.measures
def test_without_a_meter_nothing_is_said(command: Command, tmp_path: Path) -> None:
    command.environment["CIPHERMARK_ENERGY_ROOT"] = str(tmp_path)
    (row,) = command("sessions", *SHORT, "--json").document["rows"]
    assert row["energy"] is None and row["no_energy"] is None


@pytest.mark.engine
@pytest.mark.measures
def test_a_power_that_the_kernel_counts_is_known(
    command: Command, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By `perf`, in the window of sessions."""
    kernel_tree(tmp_path / "root")
    monkeypatch.setenv("CIPHERMARK_ENERGY_ROOT", str(tmp_path / "root"))
    command.environment["CIPHERMARK_ENERGY_ROOT"] = str(tmp_path / "root")
    (found,) = engine.environment().meters
    if found.refused is not None:
        assert found.refused.permission, found.refused
        pytest.skip(f"no event of all processes may be counted here: {found.refused.message}")
    (row,) = command("sessions", *SHORT, "--json").document["rows"]
    (ran,) = Store(command.runs).load(command.only_run().run).sessions
    assert ran.energy is not None and row["error"] is None
    steps_ns = [later - earlier for earlier, later in pairwise(ran.energy.at_ns)]
    if row["energy"] is None:
        assert "measure for" in row["no_energy"], "a machine too busy to read it often enough"
        return
    assert row["energy"]["source"] == "perf: package"
    # Each reading was taken before the next began: by so much both ends may be off.
    most = 2 * max(steps_ns) / sum(steps_ns)
    assert row["energy"]["watts"]["value"] == pytest.approx(KERNEL_WATTS, rel=most)


BY_THEMSELVES = {
    "packets": (
        *("packets", "--algorithms", "aes-128-ctr", "--providers", "openssl", "--sizes", "1500"),
        *("--packets", "100000", "--cpus", "0", "--duration", "1s"),
    ),
    "tunnel": (
        *("tunnel", "--kinds", "plain", "--traffic", "udp", "--sizes", "1400"),
        *("--duration", "0.5s", "--rate", "500k", "--quick"),
    ),
}


@pytest.mark.engine
@pytest.mark.measures
@pytest.mark.deep
@pytest.mark.parametrize("name", ["packets", pytest.param("tunnel", marks=needs_namespaces)])
def test_packets_and_tunnels_are_measured_with_the_meters(
    command: Command, tree: SysTree, name: str
) -> None:
    command.environment["CIPHERMARK_ENERGY_ROOT"] = str(tree.root)
    with Feeder(tree, {"intel-rapl:0": 10.0, "intel-rapl:0:1": 3.0}, busy_watts=8):
        ended = command(*BY_THEMSELVES[name], "--json")
    assert ended.code == 0, ended.messages
    for row in ended.document["rows"]:
        # A machine too busy has none, and says so.
        assert (row["energy"] is None) == (row["no_energy"] is not None)
        assert row["energy"] is None or row["energy"]["source"] == "powercap: package, dram"


@pytest.mark.engine
@pytest.mark.measures
@pytest.mark.deep
@pytest.mark.parametrize(
    "command_line",
    [
        ("survey", "--algorithms", "sha256", "--sizes", "1024"),
        ("esp", "--suites", "esp:aes-128-gcm", "--sizes", "64,1500"),
    ],
)
def test_cases_are_measured_again_with_the_meters(
    command: Command, tree: SysTree, command_line: tuple[str, ...]
) -> None:
    command.environment["CIPHERMARK_ENERGY_ROOT"] = str(tree.root)
    with Feeder(tree, {"intel-rapl:0": 10.0, "intel-rapl:0:1": 3.0}, busy_watts=8):
        ended = command(*command_line, "--providers", "rustcrypto,openssl", "--quick", "--energy")
    assert ended.code == 0, ended.messages
    assert "then energy: " in ended.messages
    found = command("show", "last", "--json").document["rows"]
    # A machine too busy has none, and says so.
    assert all((row["energy"] is None) == (row["no_energy"] is not None) for row in found)
    if command_line[0] == "esp":
        asked = command("capacity", "--for", "ipsec", "--all-rate", "1G", "--json")
        if all(row["cycles_per_message"] is None for row in found):
            assert asked.code == 2 and "no run has figures" in asked.messages
            return
        assert asked.code == 0, asked.messages
        (told,) = asked.document["answers"]
        busy = [row["energy"] for row in found if row["energy"] and row["energy"]["idle_watts"]]
        exceeds = [it["watts"]["value"] > it["idle_watts"]["value"] for it in busy]
        # The answer is of one library and direction, which may have none.
        assert told["energy"] is None or any(exceeds)
