"""`survey --ab` by made-up samples: when a new build is called slower, and when nothing is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import synthetic
from ciphermark import contract
from engine_fixture import Command, Ended, unspaced
from lent_engine import LentEngine, description, implementation, provider

ALGORITHM = "siphash-2-4-64"
WRONG = contract.Failure(kind="wrong-answer", message="1 of 64 of its test vectors failed")


class TwoBuilds(LentEngine):
    """Has an old build of a kernel and a new one, which costs so many times as much."""

    times = 1.0
    rounds = 12
    new_fails = False

    def describe(self, libraries: dict[str, str] | None = None) -> contract.Description:
        facts = description()
        (siphash,) = [it for it in facts.algorithms if it.name == ALGORITHM]
        for name in libraries or {}:
            facts.providers.append(provider(name))
            facts.implementations.append(implementation(siphash, name))
        return facts

    def measure(
        self, plan: contract.Plan, interrupts: object, begun: object = None
    ) -> Iterator[contract.Event]:
        new = [it.case for it in plan.cases if it.provider == "kernel@new"]
        failed = dict.fromkeys(new, WRONG) if self.new_fails else {}
        plan = msgspec.structs.replace(plan, seed=0)
        yield from synthetic.synthetic_events(plan, self.rounds, failed=failed)


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Has `survey --ab` judge a new build that costs so many times as much as the old one."""
    monkeypatch.setattr("ciphermark.run.engine.Engine", TwoBuilds)
    monkeypatch.setattr("ciphermark.command.measuring.report_path", lambda *_, **__: None)

    def judge(times: float, *options: str, **engine: Any) -> Ended:
        costs = {"kernel@old": (200.0, 1.0), "kernel@new": (200.0 * times, times)}
        monkeypatch.setitem(synthetic.COSTS, (ALGORITHM, "mac"), costs)
        for name, value in engine.items():
            monkeypatch.setattr(TwoBuilds, name, value)
        command = Command(tmp_path / "runs", Path(__file__))
        builds = (tmp_path / "old.so", tmp_path / "new.so")
        of_mac = ("--operations", "mac", "--sizes", "64")
        return command("survey", "--ab", *builds, *of_mac, *options)

    return judge


def pair_of(ended: Ended) -> dict[str, Any]:
    [pair] = ended.document["comparison"]["pairs"]
    return pair


def test_the_same_code_is_not_slower(judge: Any) -> None:
    ended = judge(1.0, "--threshold", "50%", "--json")
    assert ended.code == 0, ended.messages
    comparison = ended.document["comparison"]
    assert (comparison["paired"], comparison["threshold"]) == (True, 0.5)
    assert comparison["selections"] == ["kernel@new", "kernel@old"]
    assert (comparison["regressions"], comparison["only_a"], comparison["only_b"]) == (0, [], [])
    pair = pair_of(ended)
    assert (pair["provider_a"], pair["provider_b"]) == ("kernel@new", "kernel@old")
    assert pair["ratio_low"] <= 1 <= pair["ratio_high"] and pair["verdict"] == "same"


def test_wasted_time_is_a_regression(judge: Any) -> None:
    ended = judge(1.3, "--json")
    assert ended.code == 1
    assert ended.document["comparison"]["regressions"] == 1
    pair = pair_of(ended)
    assert pair["verdict"] == "regression"
    assert 1.25 < pair["ratio_low"] <= pair["ratio"] <= pair["ratio_high"] < 1.35

    shown = judge(1.3)
    assert shown.code == 1
    assert unspaced("1 regression beyond 5 %") in unspaced(shown.output)
    assert unspaced(f"the worst is {ALGORITHM} mac 64 B") in unspaced(shown.output)
    assert judge(1.3, "--threshold", "50%").code == 0


def test_what_is_the_same_is_counted_and_not_listed(judge: Any) -> None:
    ended = judge(1.0, "--threshold", "50%")
    assert ended.code == 0, ended.messages
    shown = unspaced(ended.output)
    assert unspaced("Same 1 case") in shown and unspaced("--all lists them") in shown
    assert "ratio (95 % interval)" not in ended.output, "no table without a difference"
    assert "left out" not in ended.messages, "no word of what nobody expects these builds to have"
    assert "compare last:kernel@new last:kernel@old --format markdown" in ended.output


def test_what_is_faster_is_no_reason_to_stop(judge: Any) -> None:
    ended = judge(0.5, "--json")
    assert (ended.code, pair_of(ended)["verdict"]) == (0, "faster")


def test_nothing_that_could_be_said_is_no_all_clear(judge: Any) -> None:
    """As on a machine that others keep busy, where too few samples are left undisturbed."""
    ended = judge(1.0, "--json", rounds=4)
    assert ended.code == 1
    pair = pair_of(ended)
    assert (pair["verdict"], pair["ratio"]) == ("unknown", None)
    assert "4 of " in pair["reason"]


def test_a_new_build_that_failed_is_no_all_clear(judge: Any) -> None:
    ended = judge(1.0, "--json", new_fails=True)
    assert ended.code == 1
    pair = pair_of(ended)
    assert (pair["verdict"], pair["ratio"]) == ("unknown", None)
    assert WRONG.message in pair["reason"]
