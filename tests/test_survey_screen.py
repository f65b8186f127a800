"""`ciphermark survey` as people see it, with an engine that makes up its samples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

import synthetic
from ciphermark import contract
from ciphermark.workloads.single.overview import Leader, _name
from engine_fixture import Command
from lent_engine import LentEngine, all_algorithms
from row_example import a_row
from survey_example import COSTS, OPERATIONS

LIBRARIES = ("openssl", "rustcrypto")


class Steady(LentEngine):
    """Has always the same figures."""

    def measure(
        self, plan: contract.Plan, interrupts: object, begun: object = None
    ) -> Iterator[contract.Event]:
        yield from synthetic.synthetic_events(msgspec.structs.replace(plan, seed=0), 8)


@pytest.fixture
def typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    kinds = {it.name: it.kind for it in all_algorithms()}
    for name, costs in (COSTS | {"aes-256-xts": COSTS["aes-256-ctr"]}).items():
        both = {library: cost[1:] for library, cost in zip(LIBRARIES, costs, strict=True)}
        for operation in OPERATIONS[kinds[name]]:
            monkeypatch.setitem(synthetic.COSTS, (name, operation), both)
    monkeypatch.setattr("ciphermark.run.engine.Engine", Steady)
    monkeypatch.setattr("ciphermark.command.measuring.report_path", lambda *_, **__: None)
    monkeypatch.setenv("COLUMNS", "120")
    return Command(tmp_path / "runs", tmp_path / "no-engine")


@pytest.mark.slow
def test_a_survey_of_much_is_one_screen_and_says_what_changed(typed: Command) -> None:
    first = typed("survey", "--quick")
    assert first.code == 0, first.messages
    assert "\nUse " in first.output and "\nChanged " not in first.output
    assert "ciphermark show last" in first.output and "ciphermark doctor" in first.output
    lines = first.output.splitlines()
    names = [line.split()[0] for line in typed("show", "last").output.splitlines() if line.strip()]
    assert len(lines) < len(names), "show has a line for each library"
    again = typed("survey", "--quick")
    assert again.code == 0, again.messages
    assert "\nChanged  since " in again.output and "no change beyond chance" in again.output
    assert "ciphermark compare last" in again.output


@pytest.mark.slow
def test_a_survey_of_little_has_the_whole_table(typed: Command) -> None:
    ended = typed("survey", "--quick", "--algorithms", "sha256")
    assert ended.code == 0, ended.messages
    table = [line for line in ended.output.splitlines() if line.startswith("sha256")]
    assert [line.split()[-2] for line in table] == ["openssl", "rustcrypto"]
    assert "\nUse " not in ended.output


def test_a_throughput_of_smaller_messages_has_its_size() -> None:
    """Where no row of the size in the head has an interval, the best one is of another size."""
    of_16, of_1500 = (a_row(size, 1000.0, mbytes_per_second=86.2) for size in (16, 1500))
    [sha256] = (it for it in all_algorithms() if it.name == "sha256")
    for best, has_size in ((of_16, True), (of_1500, False)):
        by_size = {16: of_16, 1500: of_1500}
        leader = Leader(sha256, "digest", best, by_size, [], None, None, [])
        assert (" at 16 B" in _name(1500, leader)) == has_size
