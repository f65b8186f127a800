"""`advise` and `capacity` choose the same figures of the same runs, and say the same of them."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import advice_example
import planner_example
from advice_example import SIZES, known, row, rows
from ciphermark.record.store import Store
from engine_fixture import Command

GCM = "esp:aes-128-gcm"


def kept(store: Store, found: list, days_later: int = 0) -> str:  # noqa: ANN001  # of rows
    for number, one in enumerate(found):
        one.case = number
    return advice_example.stored(store, found, days_later)


def of_provider(name: str, provider: str, cost: float) -> list:
    return [
        row(name, operation, size, 600 + cost * size, provider=provider)
        for operation in ("seal", "open")
        for size in SIZES
    ]


def advised(command: Command, *options: str) -> dict:
    return command("advise", "--json", *options).document


def answered(command: Command, *options: str) -> dict:
    return {it["suite"]: it for it in command("capacity", "--json", *options).document["answers"]}


def test_builds_that_a_run_compares_are_no_figures_of_the_machine(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    usual = kept(store, rows())
    builds = [
        msgspec.structs.replace(it, provider=f"openssl@{build}")
        for build in ("old", "new")
        for it in rows(scale=3.0)
    ]
    compared = kept(store, builds, days_later=1)
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    found = advised(command, "--for", "ipsec")
    assert (found["run"], found["recommendation"]["provider"]) == (usual, "openssl")
    assert answered(command, "--for", "ipsec")[GCM]["source"] == f"run {usual}"
    named = advised(command, "--for", "ipsec", "--run", compared)
    assert named["recommendation"]["provider"].startswith("openssl@")


def test_newer_runs_of_other_functions_do_not_hide_an_older_one(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs")
    usual = kept(store, rows())
    for day in range(1, 8):
        kept(store, of_provider("aes-128-gcm", "openssl", 1.0), days_later=day)
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    assert advised(command, "--for", "ipsec")["run"] == usual
    assert answered(command, "--suites", GCM)[GCM]["source"] == f"run {usual}"


def test_another_machine_answers_only_if_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "runs")
    foreign = kept(store, rows())
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    monkeypatch.setattr("ciphermark.run.here.machine_id", lambda: "0123456789abcdef")
    for verb in ("advise", "capacity"):
        ended = command(verb, "--for", "ipsec")
        assert ended.code == 2
        assert "measure with 'ciphermark esp'" in ended.sentence
        assert f"--run {foreign} of epyc-9b45-kvm" in ended.sentence
        for named in (("--run", foreign), ("--on", "epyc-9b45-kvm")):
            ended = command(verb, "--for", "ipsec", *named)
            assert ended.output.startswith("On epyc-9b45-kvm: "), ended.messages


def tls(cost: float, *names: str, provider: str) -> list:
    return [one for name in names for one in of_provider(f"tls13:{name}", provider, cost)]


@pytest.fixture
def two_libraries(tmp_path: Path) -> Command:
    """A run in which ipsec-mb is faster than the library that the pasted lines configure."""
    found = [
        *tls(2.0, "aes-128-gcm", provider="openssl"),
        *tls(3.0, "chacha20-poly1305", provider="openssl"),
        *tls(0.5, "aes-128-gcm", "aes-256-gcm", provider="ipsec-mb"),
    ]
    facts = known(["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"])
    for name in ("aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"):
        like = facts[f"esp:{name}"]
        suite = msgspec.structs.replace(like.suite, protocol="tls13")
        named = f"tls13:{name}"
        facts[named] = msgspec.structs.replace(like, name=named, suite=suite)
    store = Store(tmp_path / "runs")
    for number, one in enumerate(found):
        one.case = number
    run = advice_example._run(found)
    run.context.algorithms = list(facts.values())
    store.save(run, advice_example.SINGLE.rows_table(found))
    return Command(tmp_path / "runs", tmp_path / "no-engine")


def test_the_figure_is_of_the_library_that_the_pasted_lines_configure(
    two_libraries: Command,
) -> None:
    found = advised(two_libraries, "--for", "tls")
    best = found["recommendation"]
    assert (best["suite"], best["provider"]) == ("tls13:aes-128-gcm", "openssl")
    # What that library was not measured with is no rival of what it was.
    assert "tls13:aes-256-gcm" in found["unmeasured"]
    assert found["libraries"]["ipsec-mb"]["value"] < 0.4
    said = " ".join(two_libraries("advise", "--for", "tls").output.split())
    assert "ipsec-mb would take 0.26 of that" in said
    named = advised(two_libraries, "--for", "tls", "--providers", "ipsec-mb")
    assert named["recommendation"]["provider"] == "ipsec-mb"
    assert answered(two_libraries, "--for", "tls")["tls13:aes-128-gcm"]["provider"] == "openssl"
    asked = ("--for", "tls", "--link", "1G")  # without a profile both take the records of TLS
    [gcm] = [it for it in advised(two_libraries, *asked)["ranking"] if "gcm" in it["suite"]]
    same = answered(two_libraries, *asked)["tls13:aes-128-gcm"]["demand"]["cores"]
    assert gcm["carried"]["cpu_share"] == same
    by_name = answered(two_libraries, "--for", "tls", "--providers", "ipsec-mb")
    assert by_name["tls13:aes-128-gcm"]["provider"] == "ipsec-mb"


def test_a_key_that_lasts_seconds_is_no_recommendation(tmp_path: Path) -> None:
    """2^32 packets of 64 bytes at 100 Gbit/s last 22 seconds; the interval allows no such rate of
    one core, so that 500 cores are asked about."""
    store = Store(tmp_path / "runs")
    kept(store, rows())
    command = Command(tmp_path / "runs", tmp_path / "no-engine")
    asked = ("--for", "ipsec", "--sizes", "64", "--cores", "500", "--tunnels", "1")
    slow, fast = (advised(command, *asked, "--all-rate", it) for it in ("1G", "100G"))
    assert slow["recommendation"]["suite"] == GCM
    assert fast["recommendation"] is None
    reasons = {it["wish"] for one in fast["refused"] for it in one["reasons"]}
    assert "keys" in reasons


SCENARIOS = st.fixed_dictionaries(
    {
        "--profile": st.sampled_from(["imix", "voip", "wireguard-1420"]),
        "--both-ways": st.booleans(),
        "--cores": st.sampled_from(["1", "2", "all"]),
        "--path-cost": st.sampled_from(["none", "900ns", "5us", "learned"]),
        "rate": st.sampled_from(["--link 1G", "--all-rate 300M", "--rate 20M --tunnels 9"]),
    }
)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Command]:
    """Runs of suites: all of one library, and of several libraries, keys and data paths."""
    folder = tmp_path_factory.mktemp("same")
    kept(Store(folder / "one"), rows())
    planner_example.stored(Store(folder / "several"))
    return {it: Command(folder / it, folder / "no-engine") for it in ("one", "several")}


@pytest.mark.parametrize("store", ["one", "several"])
@given(scenario=SCENARIOS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_scenario_has_the_same_figures_in_both(
    measured: dict[str, Command], store: str, scenario: dict
) -> None:
    command = measured[store]
    typed = scenario["rate"].split() + (["--both-ways"] if scenario["--both-ways"] else [])
    for name in ("--profile", "--cores", "--path-cost"):
        if scenario[name] != "learned":
            typed += [name, scenario[name]]
    answers = answered(command, "--for", "ipsec", *typed)
    document = advised(command, "--for", "ipsec", *typed)
    assert len(document["ranking"]) > 1
    for one in document["ranking"]:
        answer, carried = answers[one["suite"]], one["carried"]
        assert one["provider"] == answer["provider"]
        assert carried["cpu_share"] == answer["demand"]["cores"]
        assert carried["holds"] == answer["demand"]["enough"]
        assert carried["rate_bits_per_second"] == answer["demand"]["rate_bits_per_second"]
        headroom = carried["bits_per_second"]["value"] / carried["rate_bits_per_second"]
        assert headroom == pytest.approx(answer["demand"]["headroom"]["value"])
        assert carried["path"] == answer["path"]
        assert carried["source"] == answer["source"]
