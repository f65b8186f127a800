"""`ciphermark capacity` as users type it, from stored runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import planner_example
from ciphermark.record.store import Store
from ciphermark.run.engine import Engine
from ciphermark.run.here import machine_id
from ciphermark.workload import rows as analysed
from ciphermark.workload import rows_table as analysed_table
from ciphermark.workloads.single.rows import rows
from ciphermark.workloads.single.workload import WORKLOAD as SINGLE
from engine_fixture import Command, Ended
from operations_example import NAMES, observed, simulations
from simulation_example import described, simulated_run
from synthetic import CORE_HZ, COSTS, synthetic_run


@pytest.fixture
def typed(tmp_path: Path) -> Command:
    """A command that finds one run, and needs no engine."""
    keep(tmp_path / "runs")
    return Command(tmp_path / "runs", tmp_path / "no-engine")


def keep(folder: Path, **fields: Any) -> None:
    run = synthetic_run(**fields)
    Store(folder).save(run, SINGLE.rows_table(rows(run)))


def answers(ended: Ended) -> list[dict[str, Any]]:
    assert ended.code == 0, ended.messages
    return ended.document["answers"]


def words(ended: Ended) -> str:
    assert ended.code == 0, ended.messages
    return " ".join(ended.output.split())


def test_without_options_the_aeads_of_the_newest_run_answer(typed: Command) -> None:
    got = answers(typed("capacity", "--json"))
    assert [it["suite"] for it in got] == ["aes-128-gcm", "chacha20-poly1305"]
    wanted = {
        *("suite", "profile", "cores", "payload_bits_per_second", "low", "high"),
        *("packets_per_second", "limit"),
    }
    assert wanted <= got[0].keys()
    assert got[0]["profile"] == "imix" and got[0]["cores"] == 1
    assert got[0]["low"] < got[0]["payload_bits_per_second"] < got[0]["high"]


def test_the_answer_is_that_of_the_costs_in_the_run(typed: Command) -> None:
    """1024 bytes were measured: a + b·1024 cycles at the clock of the run."""
    mine = Path(typed.runs.parent / "mine.csv")
    mine.write_text("1024\n")
    [got] = answers(typed("capacity", "--suite", "aes-128-gcm", "--profile", mine, "--json"))
    cycles = min(a + b * 1024 for a, b in COSTS["aes-128-gcm", "seal"].values())
    assert got["packets_per_second"] == pytest.approx(CORE_HZ / cycles, rel=0.01)
    assert got["payload_bits_per_second"] == pytest.approx(8 * 1024 * got["packets_per_second"])
    assert got["basis"] == "sizes"


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_first_screen_fits(
    typed: Command, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    ended = typed("capacity", "--link", "1G", "--rate", "100MB/s", "--cores", "all")
    assert max(map(len, ended.output.splitlines())) <= int(columns)
    text = words(ended)
    for part in ("carries", "of payload", "a link of 1.00 Gbit/s", "800 Mbit/s", "limit", "CPU"):
        assert part in text


def test_bits_and_bytes_are_not_the_same(typed: Command) -> None:
    options = ("capacity", "--suite", "aes-128-gcm", "--json", "--rate")
    [bits], [bytes_] = (answers(typed(*options, it)) for it in ("8G", "1GB/s"))
    assert bits["held"] == bytes_["held"]


def test_both_ways_needs_both_operations(typed: Command) -> None:
    ended = typed("capacity", "--suite", "aes-128-gcm", "--both-ways", "--json")
    assert ended.code == 1
    [missing] = ended.document["unanswered"]
    assert "was not measured for both directions (seal)" in missing["reason"]


def test_bursts_are_answered(typed: Command) -> None:
    [got] = answers(
        typed(
            *("capacity", "--suite", "aes-128-gcm", "--profile", "voip", "--tunnels", "1"),
            *("--peak", "10G", "--buffer", "1M", "--json"),
        )
    )
    assert got["bursts"]["method"] == "closed form"
    assert got["bursts"]["given_buffer_bytes"] == 2**20
    assert "bursts of 10.0 Gbit/s" in words(typed("capacity", "--profile", "voip", "--peak", "10G"))


def test_another_clock_scales_with_a_wider_interval(typed: Command) -> None:
    options = ("capacity", "--suite", "aes-128-gcm", "--json")
    [here], [there] = answers(typed(*options)), answers(typed(*options, "--on", "here@1.91GHz"))
    ratio = there["payload_bits_per_second"] / here["payload_bits_per_second"]
    assert ratio == pytest.approx(1.91e9 / CORE_HZ, rel=0.01)
    width = [(it["high"] - it["low"]) / it["payload_bits_per_second"] for it in (here, there)]
    assert width[1] > width[0]
    assert there["basis"] == "predicted"
    assert any("scaled by the clock" in it for it in there["notes"])


def test_another_machine_is_named(typed: Command) -> None:
    keep(typed.runs, seed=1, machine="other", slower={"aes-128-gcm": 2.0})
    options = ("capacity", "--suite", "aes-128-gcm", "--json")
    refused = typed(*options)
    assert refused.code == 2, "which of the two is this machine is unknown"
    assert "no run of this machine has figures for aes-128-gcm" in refused.sentence
    assert " of other or " in refused.sentence and refused.sentence.endswith("of epyc-9b45-kvm")
    [newest] = answers(typed(*options, "--on", "other"))
    [named] = answers(typed(*options, "--on", "epyc-9b45-kvm"))
    assert (newest["machine"], named["machine"]) == ("other", "epyc-9b45-kvm")
    assert named["payload_bits_per_second"] == pytest.approx(
        2 * newest["payload_bits_per_second"], rel=0.02
    )
    run = named["source"].removeprefix("run ")
    [by_run] = answers(typed(*options, "--run", run))
    assert by_run["payload_bits_per_second"] == named["payload_bits_per_second"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--suite", "aes-128-gmc"), "'aes-128-gmc' in the runs; near: aes-128-gcm"),
        (("--suites", "esp:*"), "figures for esp:*: measure with 'ciphermark esp --suites esp:*'"),
        (("--for", "3gpp"), "(PDCP): measure with 'ciphermark esp --suites pdcp'"),
        (("--for", "hash"), "--for hash has no suites of packets"),
        (("--rate", "1M", "--all-rate", "2M"), "--rate is of each tunnel and --all-rate of all"),
        (("--suite", ","), "--suites ',' names nothing: write for example esp:aes-128-gcm"),
        (("--rate", "1GB"), "--rate '1GB' is not a rate: write bits per second such as 1G"),
        (("--link", "fast"), "--link 'fast' is not a rate"),
        (("--cores", "0"), "--cores '0' is not a number from 1 to 65536"),
        (("--tunnels", "-1"), "--tunnels '-1' is not a number"),
        (("--keep-free", "100%"), "--keep-free 100% is not from 0 to below 100%"),
        (("--mtu", "20"), "--mtu '20' is not a number from 68 to 65535"),
        (("--peak", "1G"), "the profile imix says nothing of bursts: take one that does"),
        (("--run", "last", "--on", "here"), "--run and --on exclude each other"),
        (("--on", "here@fast"), "--on 'fast' is not a clock: write for example 2.4GHz"),
        (("--on", "nowhere"), "machines with runs: epyc-9b45-kvm"),
        (("--on", "atmega128"), "need a simulation: ciphermark simulate all"),
        (("--on", "cortex-a8"), "models predict instructions of it and no cycles"),
        (("--profile", "imx"), "no profile 'imx'; near: imix"),
        (("--run", "last", "--run", "last"), "--run is written 2 times: write it once"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(
    typed: Command, options: tuple[str, ...], sentence: str
) -> None:
    ended = typed("capacity", *options)
    assert ended.code == 2 and not ended.output
    assert sentence in ended.sentence


@pytest.mark.slow
def test_a_processor_that_models_know_is_predicted(typed: Command) -> None:
    """Functions that are made up, on a controller that was never measured."""
    others = tuple(it for it in NAMES if it != "cortex-m4")
    found = simulations(observed(noise=0.1, names=others))
    targets = [described(it) for it in others]
    run = msgspec.structs.replace(simulated_run(found, seed=9), targets=targets)
    Store(typed.runs).save(run, analysed_table(analysed(run), "simulation"))
    name = next(it.case.algorithm for it in found if it.case.message_bytes)
    [got] = answers(
        typed("capacity", "--suite", name, "--on", "cortex-m4", "--profile", "coap", "--json")
    )
    assert (got["machine"], got["basis"], got["provider"]) == ("cortex-m4", "predicted", "kernels")
    assert got["payload_bits_per_second"] > 0
    assert got["low"] < 0.9 * got["payload_bits_per_second"]
    assert any("nothing was measured there" in it for it in got["notes"])


def test_without_runs_the_command_says_what_to_measure(tmp_path: Path) -> None:
    ended = Command(tmp_path / "runs", tmp_path / "no-engine")("capacity")
    assert ended.code == 2
    assert ended.sentence.endswith("packets or messages: measure with 'ciphermark esp'")


def test_profiles_are_listed(typed: Command) -> None:
    ended = typed("list", "profiles")
    assert ended.code == 0 and "wireguard-1420" in ended.output
    listed = typed("list", "profiles", "--json").document["profiles"]
    assert all(it["source"] for it in listed)


@pytest.mark.engine
def test_this_machine_has_the_engines_name_for_it(engine: Engine) -> None:
    here = machine_id()
    assert here is None or here == engine.environment().machine.machine_id


def test_a_machine_without_an_id_has_none(tmp_path: Path) -> None:
    assert machine_id(tmp_path) is None
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/machine-id").write_text("uninitialized\n")
    assert machine_id(tmp_path) is None


def test_the_first_line_answers_the_question(typed: Command) -> None:
    def first(*options: str) -> str:
        line = " ".join(typed("capacity", *options).output.split("\n  ")[0].split())
        return line.removeprefix("On epyc-9b45-kvm: ")

    assert first().startswith("One core carries")
    assert first("--link", "1M").startswith("Yes, a full link")
    assert first("--all-rate", "1k", "--tunnels", "2").startswith("Yes, 2 tunnels, 1.00 kbit/s")
    assert first("--all-rate", "9T").startswith("No, 9.00 Tbit/s of payload needs")
    assert " tunnels of 1.00 Mbit/s each with" in first("--rate", "1M")
    [best, *_] = typed("capacity", "--json").document["answers"]
    limit = first("--suite", best["suite"], "--all-rate", f"{best['payload_bits_per_second']:.0f}")
    assert limit.startswith("Not sure, ") and " cores (one core asked about) with" in limit


def test_a_rate_of_all_is_shared_by_the_tunnels(typed: Command) -> None:
    together = typed("capacity", "--all-rate", "100M", "--tunnels", "50", "--json").document
    each = typed("capacity", "--rate", "2M", "--tunnels", "50", "--json").document
    assert [it["held"] for it in together["answers"]] == [it["held"] for it in each["answers"]]
    for one, other in zip(together["answers"], each["answers"], strict=True):
        assert one["demand"] == other["demand"]
        assert one["demand"]["rate_bits_per_second"] == pytest.approx(1e8)


def planned(typed: Command) -> str:
    """The identifier of a stored run of suites, with sessions and tunnels of its machine."""
    return planner_example.stored(Store(typed.runs))


def test_only_the_libraries_that_are_named_answer(typed: Command) -> None:
    options = ("capacity", "--run", planned(typed), "--suite", planner_example.GCM, "--json")
    [fastest] = answers(typed(*options))
    [named] = answers(typed(*options, "--providers", "openssl"))
    assert (fastest["provider"], named["provider"]) == ("nettle", "openssl")
    ended = typed(*options, "--providers", "botan")
    assert ended.code == 1
    assert "was not measured with botan" in ended.document["unanswered"][0]["reason"]
    assert "near: nettle" in typed(*options, "--providers", "netle").sentence
    assert "--providers ',' names nothing" in typed(*options, "--providers", ",").sentence


def test_parts_of_other_libraries_do_not_answer(typed: Command) -> None:
    options = ("capacity", "--run", planned(typed), "--suite", planner_example.PARTS, "--json")
    [found] = answers(typed(*options, "--providers", "openssl", "--both-ways"))
    assert (found["basis"], found["provider"]) == ("parts", "openssl")


def test_a_run_is_scaled_to_a_clock_with_its_data_path(typed: Command) -> None:
    run = planned(typed)
    options = ("capacity", "--run", run, "--suite", planner_example.OPENVPN, "--json")
    [here], [half] = answers(typed(*options)), answers(typed(*options, "--on", "@1GHz"))
    assert here["path"]["kind"] == half["path"]["kind"] == "openvpn"
    # The run's cryptography was measured at 2 GHz, the tunnels at 4 GHz.
    assert half["path"]["ns"]["value"] == pytest.approx(4 * here["path"]["ns"]["value"])
    own = [it["ns_per_packet"]["value"] - it["path"]["ns"]["value"] for it in (here, half)]
    assert own[1] == pytest.approx(2 * own[0], rel=1e-6)
    width = [it["path"]["ns"]["high"] / it["path"]["ns"]["value"] for it in (here, half)]
    assert width[1] > width[0]
    assert "or a clock alone: --on @2.4GHz" in typed(*options, "--on", "here@1GHz").sentence


def test_a_named_machine_has_its_own_data_path(typed: Command) -> None:
    planned(typed)
    options = ("capacity", "--on", "epyc-9b45-kvm", "--suite", planner_example.OPENVPN, "--json")
    [found] = answers(typed(*options))
    assert found["path"]["kind"] == "openvpn"
    [alone] = answers(typed(*options, "--path-cost", "none"))
    assert alone["path"] is None and alone["cryptography_share"] == 1.0


def test_headroom_is_what_the_cores_carry_of_what_is_asked(typed: Command) -> None:
    asked = ("--cores", "2", "--tunnels", "10", "--rate", "100M")
    options = ("capacity", "--run", planned(typed), "--suite", planner_example.GCM, *asked)
    [found] = answers(typed(*options, "--json"))
    headroom = found["demand"]["headroom"]
    assert headroom["value"] == pytest.approx(found["payload_bits_per_second"] / 1e9)
    assert headroom["low"] < headroom["value"] < headroom["high"]
    assert "headroom" in words(typed(*options))
